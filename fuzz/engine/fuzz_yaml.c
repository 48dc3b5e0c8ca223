/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a YAML document. What is taken must print as JSON that reads the same, with places
 * inside the text; and what is a JSON document with keys of one use must read the same in both
 * readers (but for the tabs and escapes in which the formats differ). */
#include "engine/json/yaml.h"
#include "fuzz/fuzz.h"

/* Aliases make a tree much larger than its text. */
static void check_places(const struct json *v, size_t size, unsigned *left)
{
    CHECK(v->at <= size);
    if (v->type == JSON_STRING || v->type == JSON_NUMBER)
        CHECK(strlen(v->str) == v->n);
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n && *left; i++, (*left)--)
        check_places(&v->items[i], size, left);
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n && *left; i++, (*left)--) {
        const struct json_member *m = &v->members[i];
        CHECK(m->key_at <= size && strlen(m->key) == m->key_len);
        check_places(&m->value, size, left);
    }
}

/* Unicode's line ends are line ends to YAML 1.1, which folds them in quoted text. */
static bool has_line_ends(const uint8_t *p, size_t n)
{
    return memmem(p, n, "\xC2\x85", 2) || memmem(p, n, "\xE2\x80\xA8", 3) ||
           memmem(p, n, "\xE2\x80\xA9", 3);
}

static void print(struct buf *out, const struct json *v)
{
    struct json_writer w;
    json_init(&w, out, false, NULL);
    json_value(&w, NULL, v);
    CHECK(!buf_failed(out) && w.depth == 0 && w.skip == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_limits limits = {.max_depth = 40, .unique_keys = true};
    struct sosia_err err = {0};
    const struct json *v = NULL, *again;
    unsigned left = 100000;
    struct arena a;
    struct buf out, second;
    arena_init(&a, 256 << 20);
    buf_init(&out, 0);
    buf_init(&second, 0);
    if (yaml_parse(&a, (const char *)data, size, &limits, &v, &err) < 0) {
        CHECK(!v && err.code == SOSIA_E_INVALID && err.line >= 1 && *err.text);
    } else {
        check_places(v, size, &left);
        print(&out, v);
        CHECK(json_parse(&a, out.data, out.len, &limits, &again, &err) == 0);
        print(&second, again);
        CHECK(out.len == second.len && !memcmp(out.data, second.data, out.len));
        if (!has_line_ends(data, size) &&
            json_parse(&a, (const char *)data, size, &limits, &again, &err) == 0) {
            buf_clear(&second);
            print(&second, again);
            CHECK(out.len == second.len && !memcmp(out.data, second.data, out.len));
        }
    }
    buf_done(&out);
    buf_done(&second);
    arena_done(&a);
    return 0;
}
