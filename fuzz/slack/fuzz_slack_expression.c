/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a filter of a datastore: it can't be, and it is said why, or it holds for an item or
 * not, and its contrary where it does not. */
#include "services/chat/slack/apps/expression.h"
#include "fuzz/fuzz.h"
#include <string.h>

static const char NAMES[] = "{\"#s\":\"song\",\"#t\":\"tags\",\"#o\":\"of\"}";
static const char VALUES[] =
    "{\":n\":4,\":s\":\"Al\",\":l\":[\"a\",\"b\"],\":b\":true,\":z\":null}";
static const char *const ITEMS[] = {
    "{}",
    "{\"song\":\"Alabama\",\"plays\":4,\"tags\":[\"a\",\"b\"],\"of\":{\"year\":1963,\"x\":[{}]}}",
    "{\"song\":\"\",\"plays\":\"4\",\"tags\":{},\"live\":true}",
};

static const struct json *read_json(struct arena *a, const char *text)
{
    struct sosia_err err;
    const struct json *v;
    CHECK(json_parse(a, text, strlen(text), NULL, &v, &err) == 0);
    return v;
}

static int read_filter(struct arena *a, const char *text, const struct sl_expression **ret)
{
    const char *why = NULL;
    int r = sl_expression_read(a, text, read_json(a, NAMES), read_json(a, VALUES), ret, &why);
    CHECK(r == 1 || (r == 0 && why && *why));
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sl_expression *e, *contrary;
    struct arena a;
    if (size > SL_EXPRESSION_MAX + 10)
        return 0;
    arena_init(&a, 0);
    const char *text = arena_memdup(&a, data, size);
    if (read_filter(&a, text, &e)) {
        CHECK(strlen(text) <= SL_EXPRESSION_MAX);
        const char *other = arena_printf(&a, "not (%s)", text);
        bool fits = read_filter(&a, other, &contrary); /* not where it is too deep or too long */
        for (size_t i = 0; i < sizeof ITEMS / sizeof *ITEMS; i++) {
            const struct json *item = read_json(&a, ITEMS[i]);
            bool holds = sl_expression_holds(e, item);
            CHECK(!fits || holds != sl_expression_holds(contrary, item));
        }
    }
    arena_done(&a);
    return 0;
}
