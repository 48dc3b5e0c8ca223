/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader and the writer against jansson, on documents made by a generator and on mutations of
 * them.
 *
 * Known differences, left out of the comparison: jansson refuses numbers beyond the range of a
 * double or a long long, which are text here, and its limit of depth is another.
 */
/* jansson has some of our names. */
#define JSON_OBJECT JANSSON_OBJECT
#define JSON_ARRAY  JANSSON_ARRAY
#define JSON_STRING JANSSON_STRING
#define JSON_NULL   JANSSON_NULL
#define json_null   jansson_null
#include <jansson.h>
#undef JSON_OBJECT
#undef JSON_ARRAY
#undef JSON_STRING
#undef JSON_NULL
#undef json_null
#undef json_is_true
#undef json_is_false
#include "engine/json/json.h"
#include "tests/support/unit.h"
#include <stdlib.h>

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
    seed += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ (z >> 31)) % n);
}

static void make_blanks(struct buf *b)
{
    static const char *const blanks[] = {"", "", "", "", " ", "\n", "\t", "\r\n  ", "            "};
    buf_puts(b, blanks[pick(SOSIA_LEN(blanks))]);
}

static void make_string(struct buf *b)
{
    static const char *const parts[] = {"a",
                                        "key",
                                        "plain text ",
                                        "0123456789abcdef",
                                        "\\n",
                                        "\\\"",
                                        "\\\\",
                                        "\\/",
                                        "\\u0041",
                                        "\\u00e9",
                                        "\\u20ac",
                                        "\\ud83d\\ude00",
                                        "\xC3\xA9",
                                        "\xE6\x97\xA5",
                                        "\xF0\x9F\x98\x80",
                                        "\xEF\xBF\xBF",
                                        "\x7F",
                                        "\\b\\f\\r\\t",
                                        "\\uD800\\uDC00",
                                        "\\udbff\\udfff",
                                        "<&>",
                                        "'"};
    buf_byte(b, '"');
    for (uint32_t n = pick(5); n > 0; n--)
        buf_puts(b, parts[pick(SOSIA_LEN(parts))]);
    buf_byte(b, '"');
}

static void make_scalar(struct buf *b)
{
    static const char *const words[] = {"null",
                                        "true",
                                        "false",
                                        "0",
                                        "-0",
                                        "-1",
                                        "12345",
                                        "1.5",
                                        "-2.5e-3",
                                        "1E6",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "0.1",
                                        "1e+2"};
    if (pick(2))
        make_string(b);
    else
        buf_puts(b, words[pick(SOSIA_LEN(words))]);
}

static void make_document(struct buf *b, unsigned depth)
{
    uint32_t kind = depth ? pick(3) : 0;
    make_blanks(b);
    if (!kind) {
        make_scalar(b);
    } else {
        buf_byte(b, kind == 1 ? '[' : '{');
        make_blanks(b);
        for (uint32_t i = 0, n = pick(6); i < n; i++) {
            if (i)
                buf_byte(b, ',');
            make_blanks(b);
            if (kind == 2) {
                make_string(b);
                make_blanks(b);
                buf_byte(b, ':');
            }
            make_document(b, depth - 1);
        }
        buf_byte(b, kind == 1 ? ']' : '}');
    }
    make_blanks(b);
}

/* Changes a few bytes: most results are broken in one place. */
static void mutate(struct buf *b)
{
    static const char bytes[] =
        "{}[]\",:\\u0019eE+-. \n\tabdf/\x01\x1F\x7F\x80\xC3\xA9\xED\xA0\xFF";
    for (uint32_t n = 1 + pick(3); n > 0 && b->len; n--) {
        size_t at = pick((uint32_t)b->len);
        switch (pick(4)) {
        case 0:
            b->data[at] = bytes[pick(sizeof bytes)]; /* NUL too */
            break;
        case 1:
            memmove(b->data + at, b->data + at + 1, b->len - at - 1);
            b->len--;
            break;
        case 2:
            buf_byte(b, 0);
            memmove(b->data + at + 1, b->data + at, b->len - at - 1);
            b->data[at] = bytes[pick(sizeof bytes)];
            break;
        default:
            b->len = at;
        }
    }
}

static bool same(const struct json *v, const json_t *j);

static bool same_object(const struct json *v, const json_t *j)
{
    size_t distinct = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        if (json_get(v, m->key) != &m->value)
            continue; /* a later member of this name wins */
        const json_t *other = json_object_get(j, m->key);
        if (strlen(m->key) != m->key_len || !other || !same(&m->value, other))
            return false;
        distinct++;
    }
    return distinct == json_object_size(j);
}

static bool same(const struct json *v, const json_t *j)
{
    int64_t i = 0;
    double d = 0;
    switch (json_typeof(j)) {
    case JANSSON_OBJECT:
        return v->type == JSON_OBJECT && same_object(v, j);
    case JANSSON_ARRAY:
        if (v->type != JSON_ARRAY || v->n != json_array_size(j))
            return false;
        for (uint32_t k = 0; k < v->n; k++)
            if (!same(&v->items[k], json_array_get(j, k)))
                return false;
        return true;
    case JANSSON_STRING:
        return v->type == JSON_STRING && v->n == json_string_length(j) && !v->str[v->n] &&
               !memcmp(v->str, json_string_value(j), v->n);
    case JSON_INTEGER:
        return json_i64(v, &i) == 0 && i == json_integer_value(j);
    case JSON_REAL:
        return json_double(v, &d) == 0 && d == json_real_value(j);
    case JSON_TRUE:
        return v->type == JSON_BOOL && v->truth;
    case JSON_FALSE:
        return v->type == JSON_BOOL && !v->truth;
    default:
        return v->type == JSON_NULL;
    }
}

static const struct json_limits deep = {.max_depth = 2048};

/* Both accept it with the same values, or both refuse it. Gives whether it was accepted. */
static bool compare(struct arena *a, const char *text, size_t len)
{
    const struct json *v = NULL;
    struct sosia_err err = {0};
    json_error_t error;
    char *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    if (len)
        memcpy(copy, text, len);
    int rc = json_parse(a, copy, len, &deep, &v, &err);
    json_t *j = json_loadb(copy, len, JSON_DECODE_ANY, &error);
    if (rc < 0)
        assert_in_range(err.line, 1, len + 1);
    if (!j && rc == 0 && json_error_code(&error) == json_error_numeric_overflow)
        rc = -1;
    if (rc < 0 && j && memchr(text, 0, len)) {
        json_decref(j);
        j = NULL;
    }
    if ((rc == 0) != (j != NULL))
        fail_msg("%s but jansson %s: %.*s", rc < 0 ? err.text : "accepted",
                 j ? "accepts" : error.text, (int)len, copy);
    if (j && !same(v, j))
        fail_msg("read differently: %.*s", (int)len, copy);
    json_decref(j);
    free(copy);
    return rc == 0;
}

static void generated_documents_are_read_as_jansson_does(void **state)
{
    struct arena a;
    struct buf b;
    arena_init(&a, 0);
    buf_init(&b, 0);
    for (seed = 0; seed < 3000; seed++) {
        uint64_t at = seed;
        buf_clear(&b);
        make_document(&b, 5);
        assert_true(compare(&a, b.data, b.len));
        arena_reset(&a);
        seed = at;
    }
    buf_done(&b);
    arena_done(&a);
}

static void mutated_documents_are_judged_as_jansson_does(void **state)
{
    struct arena a;
    struct buf b;
    unsigned accepted = 0, refused = 0;
    arena_init(&a, 0);
    buf_init(&b, 0);
    for (seed = 0; seed < 40000; seed++) {
        uint64_t at = seed;
        buf_clear(&b);
        make_document(&b, 3);
        mutate(&b);
        if (compare(&a, b.data, b.len))
            accepted++;
        else
            refused++;
        arena_reset(&a);
        seed = at;
    }
    assert_true(accepted > 1000);
    assert_true(refused > 10000);
    buf_done(&b);
    arena_done(&a);
}

static void written_documents_are_read_by_jansson(void **state)
{
    struct arena a;
    struct buf b, out;
    arena_init(&a, 0);
    buf_init(&b, 0);
    buf_init(&out, 0);
    for (seed = 0; seed < 2000; seed++) {
        uint64_t at = seed;
        const struct json *v, *again;
        buf_clear(&b);
        make_document(&b, 5);
        assert_int_equal(json_parse(&a, b.data, b.len, NULL, &v, NULL), 0);
        json_t *j = json_loadb(b.data, b.len, JSON_DECODE_ANY, NULL);
        assert_non_null(j);
        for (int style = 0; style < 4; style++) {
            struct json_writer w;
            buf_clear(&out);
            json_init(&w, &out, style & 1, NULL);
            w.escape_html = style & 2;
            json_value(&w, NULL, v);
            assert_false(buf_failed(&out));
            json_t *written = json_loadb(out.data, out.len, JSON_DECODE_ANY, NULL);
            assert_non_null(written);
            assert_true(json_equal(written, j));
            json_decref(written);
            assert_int_equal(json_parse(&a, out.data, out.len, NULL, &again, NULL), 0);
            assert_true(same(again, j));
        }
        json_decref(j);
        arena_reset(&a);
        seed = at;
    }
    buf_done(&b);
    buf_done(&out);
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_documents_are_read_as_jansson_does),
        cmocka_unit_test(mutated_documents_are_judged_as_jansson_does),
        cmocka_unit_test(written_documents_are_read_by_jansson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
