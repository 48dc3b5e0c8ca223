/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a document. What the reader takes must come back unchanged through the writer in
 * every style, and its offsets must point at what they say. What json_thin() leaves of it is the
 * same without some members. */
#include "engine/json/json.h"
#include "engine/json/thin.h"
#include "fuzz/fuzz.h"

static void check_offsets(const struct json *v, const char *text, size_t len)
{
    static const char *const starts[] = {"n", "tf", "-0123456789", "\"", "[", "{"};
    CHECK(v->at < len && strchr(starts[v->type], text[v->at]));
    if (v->type == JSON_STRING || v->type == JSON_NUMBER)
        CHECK(strlen(v->str) == v->n);
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        check_offsets(&v->items[i], text, len);
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        CHECK(m->key_at < m->value.at && text[m->key_at] == '"' && strlen(m->key) == m->key_len);
        CHECK(json_get(v, m->key) >= &m->value);
        check_offsets(&m->value, text, len);
    }
}

static void check_same(const struct json *a, const struct json *b)
{
    CHECK(a->type == b->type && a->truth == b->truth && a->n == b->n);
    if (a->type == JSON_STRING || a->type == JSON_NUMBER)
        CHECK(!memcmp(a->str, b->str, a->n + 1));
    for (uint32_t i = 0; a->type == JSON_ARRAY && i < a->n; i++)
        check_same(&a->items[i], &b->items[i]);
    for (uint32_t i = 0; a->type == JSON_OBJECT && i < a->n; i++) {
        CHECK(a->members[i].key_len == b->members[i].key_len);
        CHECK(!memcmp(a->members[i].key, b->members[i].key, a->members[i].key_len));
        check_same(&a->members[i].value, &b->members[i].value);
    }
}

static void check_written(const struct json *v, bool pretty, bool html)
{
    struct arena a;
    struct buf out, raw;
    struct json_writer w;
    const struct json *again;
    arena_init(&a, 0);
    buf_init(&out, 0);
    buf_init(&raw, 0);
    json_init(&w, &out, pretty, NULL);
    w.escape_html = html;
    json_value(&w, NULL, v);
    CHECK(!buf_failed(&out) && w.depth == 0 && w.skip == 0);
    CHECK(json_parse(&a, out.data, out.len, NULL, &again, NULL) == 0);
    check_same(v, again);
    json_init(&w, &raw, pretty, NULL);
    w.escape_html = html;
    json_raw(&w, NULL, out.data, pretty ? out.len - 1 : out.len);
    CHECK(raw.len == out.len && !memcmp(raw.data, out.data, raw.len));
    buf_done(&out);
    buf_done(&raw);
    arena_done(&a);
}

/* As it is written in the text: that is what json_thin() compares. */
static bool is_written(const struct json_member *m, const char *text, size_t len, const char *name)
{
    const size_t n = strlen(name), at = m->key_at + 1;
    return at + n + 2 <= len && !memcmp(text + at, name, n) && !memcmp(text + at + n, "\":", 2);
}

/* b is a without the members of this name at `depth`. at: the depth of what is in a. */
static void check_without(const struct json *a, const struct json *b, const char *text, size_t len,
                          const char *name, unsigned depth, unsigned at)
{
    uint32_t n = 0;
    CHECK(a->type == b->type);
    if (a->type != JSON_ARRAY && a->type != JSON_OBJECT) {
        check_same(a, b);
        return;
    }
    for (uint32_t i = 0; a->type == JSON_ARRAY && i < a->n; i++, n++) {
        CHECK(n < b->n);
        check_without(&a->items[i], &b->items[n], text, len, name, depth, at + 1);
    }
    for (uint32_t i = 0; a->type == JSON_OBJECT && i < a->n; i++) {
        const struct json_member *m = &a->members[i];
        if (at == depth && is_written(m, text, len, name))
            continue;
        CHECK(n < b->n && m->key_len == b->members[n].key_len);
        CHECK(!memcmp(m->key, b->members[n].key, m->key_len));
        check_without(&m->value, &b->members[n++].value, text, len, name, depth, at + 1);
    }
    CHECK(n == b->n);
}

static void check_thin(const struct json *v, const char *text, size_t len)
{
    static const char *const names[] = {"a", "body", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (unsigned depth = 0; depth < 4; depth++) {
            struct buf out;
            struct arena a;
            const struct json *left;
            arena_init(&a, 0);
            buf_init(&out, 0);
            json_thin(&out, text, len, depth, names[i], NULL);
            CHECK(!buf_failed(&out) && out.len <= len);
            if (v) {
                CHECK(json_parse(&a, out.data, out.len, NULL, &left, NULL) == 0);
                check_without(v, left, text, len, names[i], depth, 1);
            }
            buf_done(&out);
            arena_done(&a);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_limits unique = {.unique_keys = true, .max_depth = 20};
    struct sosia_err err = {0};
    const struct json *v = NULL;
    struct arena a;
    arena_init(&a, 64 << 20);
    check_thin(NULL, (const char *)data, size);
    if (json_parse(&a, (const char *)data, size, NULL, &v, &err) < 0) {
        CHECK(!v && err.code == SOSIA_E_INVALID && err.line >= 1 && (size_t)err.line <= size + 1);
        CHECK(json_parse(&a, (const char *)data, size, &unique, &v, &err) < 0);
    } else {
        check_offsets(v, (const char *)data, size);
        check_thin(v, (const char *)data, size);
        for (int style = 0; style < 4; style++)
            check_written(v, style & 1, style & 2);
        v = NULL;
        CHECK((json_parse(&a, (const char *)data, size, &unique, &v, &err) == 0) == (v != NULL));
    }
    arena_done(&a);
    return 0;
}
