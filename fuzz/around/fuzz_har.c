/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a HAR file. What is read must come back unchanged through the writer, and a cassette
 * that is made of it, redacted, must be one. */
#include "conformance/record/compose.h"
#include "conformance/record/har.h"
#include "fuzz/fuzz.h"
#include <stdio.h>

static const char *const hosts[] = {"*.example", "v.example", "localhost"};
static const struct har_options options = {.hosts = hosts, .n_hosts = SOSIA_LEN(hosts)};

static void check_written(const struct har *h)
{
    struct buf once, twice;
    struct har *again;
    struct har_options all = {0};
    buf_init(&once, 0);
    buf_init(&twice, 0);
    har_write(&once, h->list, h->n, "fuzz", NULL);
    CHECK(!buf_failed(&once));
    all.hosts = hosts;
    all.n_hosts = SOSIA_LEN(hosts);
    CHECK(har_parse("again", once.data, once.len, &all, &again, NULL) == 0);
    CHECK(again->n <= h->n); /* what is a preflight only in another spelling is dropped */
    har_write(&twice, again->list, again->n, "fuzz", NULL);
    if (again->n == h->n)
        CHECK(twice.len == once.len && !memcmp(once.data, twice.data, once.len));
    har_free(again);
    buf_done(&once);
    buf_done(&twice);
}

static void check_redacted(struct har *h)
{
    static struct redactor *r; /* made anew now and then, without its state */
    static unsigned runs;
    struct redactor_options o = {.keep = REDACT_KEEP_DEFAULT};
    if (runs++ % 1000 == 0) {
        redactor_free(r);
        CHECK(redactor_new(&o, &r, NULL) == 0);
    }
    for (size_t i = 0; i < h->n; i++)
        CHECK(redact_wire(r, &h->arena, &h->list[i], NULL) == 0);
}

static void check_composed(const struct har *h)
{
    struct recorded recorded = {.exchanges = h->list, .n = h->n};
    struct compose_options o = {.title = "fuzz"};
    struct cassette *c;
    struct sosia_err err;
    struct buf notes, text;
    buf_init(&notes, 0);
    if (compose_cassette(&recorded, &o, &c, &notes, &err) == 0) {
        if (compose_check(c, "made.json", &text, &err) < 0) {
            fprintf(stderr, "%s\n%s\n", err.text, buf_str(&text));
            abort();
        }
        buf_done(&text);
        cassette_free(c);
    } else {
        CHECK(err.reason && strcmp(err.reason, "empty") == 0);
    }
    buf_done(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sosia_err err = {0};
    struct har *h = NULL;
    if (har_parse("fuzz", (const char *)data, size, &options, &h, &err) < 0) {
        CHECK(!h && err.code == SOSIA_E_INVALID && strncmp(err.text, "fuzz:", 5) == 0);
        return 0;
    }
    check_written(h);
    check_redacted(h);
    check_composed(h);
    har_free(h);
    return 0;
}
