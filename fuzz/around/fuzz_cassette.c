/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a cassette: refused with its name and a line, or one that reads as the same when it
 * is written, whose patterns can be held against what they are made of, and whose requests can be
 * made. */
#include "conformance/cassette/cassette.h"
#include "fuzz/fuzz.h"

static const char *actor_text(void *arg, const char *what, const char *name)
{
    return "somebody";
}

static void match_step(const struct cassette *c, const struct cassette_step *s, struct arena *a,
                       struct captures *captures)
{
    struct comparison k;
    const struct json *own = s->kind == STEP_OUTBOX ? s->outbox : s->expect_body;
    comparison_init(&k, a, c->order);
    pattern_match(s->body, "$", own, captures, &k);
    pattern_match(s->body, "$", NULL, captures, &k);
    pattern_match_text(s->body, "$", "some text", 9, captures, &k);
    CHECK(k.equal <= k.total);
}

static void make_request(const struct cassette_step *s, struct arena *a,
                         const struct captures *captures)
{
    struct template_names names = {.captures = captures, .actor = actor_text};
    const char *text, *type;
    struct sosia_err err;
    struct buf b;
    buf_init(&b, 1 << 20);
    template_text(a, s->path, &names, true, &text, &err);
    if (s->send)
        template_body(a, &b, s->send, &names, &type, &err);
    buf_done(&b);
}

static void use(const struct cassette *c)
{
    struct arena a;
    struct captures captures;
    arena_init(&a, 64 << 20);
    captures_init(&captures, &a);
    for (size_t i = 0; i < c->n_values; i++)
        captures_set(&captures, c->values[i].name, c->values[i].value);
    for (size_t i = 0; i < c->n_steps; i++) {
        const struct cassette_step *s = &c->steps[i];
        if (s->body)
            match_step(c, s, &a, &captures);
        if (s->kind == STEP_CALL)
            make_request(s, &a, &captures);
    }
    captures_done(&captures);
    arena_done(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sosia_err err = {0};
    struct cassette *c, *again;
    struct buf first, second;
    /* An input is one document: files beside it are another test's. */
    if (size > 65536 || memmem(data, size, "\"extends\"", 9))
        return 0;
    if (cassette_parse("t.json", (const char *)data, size, &c, &err) < 0) {
        CHECK(err.code == SOSIA_E_NO_MEMORY || strncmp(err.text, "t.json:", 7) == 0);
        return 0;
    }
    use(c);
    buf_init(&first, 0);
    buf_init(&second, 0);
    cassette_write(c, &first);
    CHECK(!buf_failed(&first));
    CHECK(cassette_parse("t.json", first.data, first.len, &again, &err) == 0);
    cassette_write(again, &second);
    CHECK(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
    buf_done(&first);
    buf_done(&second);
    cassette_free(c);
    cassette_free(again);
    return 0;
}
