/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a $filter: it is refused in words, or its printed form reads back as itself, and
 * finds the same in a document. */
#include "vendors/microsoft/odata/odata.h"
#include "engine/base/utf8.h"
#include "fuzz/fuzz.h"

static const char document[] =
    "{\"@odata.type\":\"#microsoft.graph.eventMessage\",\"subject\":\"Plan \xC3\x84\",\"isRead\":"
    "false,\"importance\":\"high\",\"receivedDateTime\":\"2026-03-04T05:06:07Z\",\"categories\":["
    "\"Red\",\"Blue\"],\"from\":{\"emailAddress\":{\"name\":\"Ada\",\"address\":\"ada@a.example\"}}"
    ","
    "\"toRecipients\":[{\"emailAddress\":{\"address\":\"bob@a.example\"}}],\"startDateTime\":{"
    "\"dateTime\":\"2026-03-05T09:00:00.0000000\",\"timeZone\":\"UTC\"},\"conversationId\":null}";

static const char *printed(struct arena *a, const struct odata_expr *e)
{
    struct buf b;
    buf_init(&b, 0);
    odata_print(&b, e);
    const char *text = arena_strdup(a, buf_str(&b));
    CHECK(!buf_failed(&b));
    buf_done(&b);
    return text;
}

/* A document that the filter finds satisfies its terms, and is in their range. */
static void check_parts(struct arena *a, const struct odata_ctx *ctx, const struct odata_expr *e,
                        const struct json *v, int found)
{
    const struct odata_expr *const *terms;
    int64_t from, to, at = INT64_C(1772600767000000);
    size_t n = odata_terms(a, e, &terms);
    for (size_t i = 0; i < n && found == 1; i++)
        CHECK(odata_matches(ctx, terms[i], v) == 1);
    bool some = odata_range(e, "receivedDateTime", &from, &to);
    CHECK(found != 1 || (some && from <= at && at < to));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"message", "event", "user", "mailFolder"};
    struct arena a;
    struct sosia_err err = {0};
    const struct odata_expr *e = NULL, *again = NULL;
    const struct json *v;
    const char *message;
    arena_init(&a, 64 << 20);
    char *text = arena_memdup(&a, data, size);
    utf8_scrub(text); /* parameters are valid UTF-8 */
    const char *name = types[size % SOSIA_LEN(types)];
    const struct edm_type *type = edm_type_find(name, strlen(name));
    CHECK(json_parse(&a, document, sizeof document - 1, NULL, &v, NULL) == 0);
    if (odata_parse_filter(&a, type, NULL, text, &e, &message, &err) < 0) {
        CHECK(!e && err.code == SOSIA_E_INVALID && !strcmp(err.reason, "BadRequest") && *err.text);
    } else {
        struct odata_ctx ctx = {.arena = &a, .get = odata_get_json, .type_of = odata_json_type};
        const char *once = printed(&a, e);
        int found = odata_matches(&ctx, e, v);
        CHECK(found == 0 || found == 1);
        check_parts(&a, &ctx, e, v, found);
        /* Written out in full it may be too long or too deep. */
        if (odata_parse_filter(&a, type, NULL, once, &again, &message, &err) == 0) {
            CHECK(!strcmp(printed(&a, again), once));
            CHECK(odata_matches(&ctx, again, v) == found);
        } else {
            CHECK(strstr(err.text, "Recursion depth exceeded allowed limit."));
        }
    }
    CHECK(!arena_failed(&a));
    arena_done(&a);
    return 0;
}
