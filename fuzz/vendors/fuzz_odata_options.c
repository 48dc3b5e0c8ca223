/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as options, a line each: they are refused in words, or what is selected of a document is
 * a document, and the context has as many brackets that open as that close. */
#include "vendors/microsoft/odata/odata.h"
#include "engine/base/utf8.h"
#include "fuzz/fuzz.h"

enum { MAX_PAIRS = 16 };

static const char document[] =
    "{\"@odata.etag\":\"e\",\"id\":\"1\",\"subject\":\"s\",\"body\":{\"content\":\"c\"},"
    "\"from\":{\"emailAddress\":{\"name\":\"n\"}},\"attachments@odata.context\":\"x\","
    "\"attachments\":[{\"id\":\"a\",\"name\":\"n\",\"size\":1}],\"x\":[[{\"id\":2}]]}";

static const char *masked(struct arena *a, const struct json_mask *mask, const struct json *v)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, mask);
    json_value(&w, NULL, v);
    CHECK(!buf_failed(&b) && w.depth == 0 && w.skip == 0);
    const char *text = arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return text;
}

static void use(struct arena *a, const struct odata_query *q)
{
    const struct json_mask *mask = NULL;
    const struct json *v;
    struct sosia_err err = {0};
    CHECK(json_parse(a, document, sizeof document - 1, NULL, &v, NULL) == 0);
    int depth = 0;
    for (const char *p = odata_context(a, q); *p; p++) {
        depth += (*p == '(') - (*p == ')');
        CHECK(depth >= 0);
    }
    CHECK(depth == 0);
    struct odata_ctx ctx = {.arena = a, .get = odata_get_json};
    struct odata_value *keys;
    CHECK(odata_keys(&ctx, q, v, &keys) == 0 && odata_order(&ctx, q, keys, keys) == 0);
    if (odata_mask(a, q, ODATA_KEEP_ID, &mask, &err) < 0) {
        CHECK(err.code == SOSIA_E_INVALID);
        return;
    }
    const char *once = masked(a, mask, v);
    CHECK(strstr(once, "\"id\":\"1\""));
    CHECK(json_parse(a, once, strlen(once), NULL, &v, NULL) == 0);
    CHECK(!strcmp(masked(a, mask, v), once));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct odata_rules rules = {.max_top = 1000, .one_expand = size % 2};
    struct odata_pair pairs[MAX_PAIRS];
    struct odata_query q;
    struct sosia_err err = {0};
    struct arena a;
    size_t n = 0;
    arena_init(&a, 64 << 20);
    char *text = arena_memdup(&a, data, size), *save, *value;
    utf8_scrub(text);
    for (char *p = strtok_r(text, "\n", &save); p && n < MAX_PAIRS;
         p = strtok_r(NULL, "\n", &save)) {
        if ((value = strchr(p, '=')))
            *value++ = 0;
        pairs[n++] = (struct odata_pair){p, value ? value : ""};
    }
    const struct edm_type *type = edm_type_find("message", 7);
    if (odata_parse(&a, type, &rules, pairs, n, &q, NULL, &err) == 0)
        use(&a, &q);
    else
        CHECK(err.code == SOSIA_E_INVALID && !strcmp(err.reason, "BadRequest") && *err.text);
    CHECK(!arena_failed(&a));
    arena_done(&a);
    return 0;
}
