/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a field selection, applied to a document: the result is a document, and selecting
 * twice changes nothing. */
#include "engine/json/json.h"
#include "vendors/google/mask.h"
#include "fuzz/fuzz.h"

static const char document[] = "{\"id\":1,\"a\":{\"b\":{\"c\":{\"d\":[1,{\"e\":2}]}},\"c\":\"x\"},"
                               "\"items\":[{\"id\":2,\"a\":{\"b\":true}},[{\"id\":3}],"
                               "null],\"b\":[],\"c\":{}}";

static int walk(void *arg, const char *name, const struct json_mask *below)
{
    unsigned *left = arg;
    CHECK(*name);
    if (*left == 0)
        return 1;
    (*left)--;
    return json_mask_each(below, walk, left);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct buf once, twice;
    struct json_writer w;
    struct sosia_err err = {0};
    const struct json_mask *mask = NULL;
    const struct json *v;
    arena_init(&a, 64 << 20);
    buf_init(&once, 0);
    buf_init(&twice, 0);
    char *text = arena_memdup(&a, data, size);
    CHECK(json_parse(&a, document, sizeof document - 1, NULL, &v, NULL) == 0);
    if (google_mask_parse(&a, text, &mask, &err) < 0) {
        CHECK(!mask && err.code == SOSIA_E_INVALID && !strcmp(err.where, "fields") && *err.text);
    } else {
        unsigned left = 10000;
        CHECK(json_mask_each(mask, walk, &left) == 0);
        json_init(&w, &once, false, mask);
        json_value(&w, NULL, v);
        CHECK(!buf_failed(&once) && w.depth == 0 && w.skip == 0);
        CHECK(json_parse(&a, once.data, once.len, NULL, &v, NULL) == 0);
        json_init(&w, &twice, false, mask);
        json_value(&w, NULL, v);
        CHECK(once.len == twice.len && !memcmp(once.data, twice.data, once.len));
        if (json_mask_all(mask))
            CHECK(once.len == sizeof document - 1);
    }
    buf_done(&once);
    buf_done(&twice);
    arena_done(&a);
    return 0;
}
