/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader: what is taken, what is refused, and its limits. */
#include "engine/json/json.h"
#include "tests/support/unit.h"
#include <stdlib.h>

/* A document in memory of exactly its size, so that a sanitizer finds every read beyond it. */
static int parse_n(struct arena *a, const char *text, size_t len, const struct json_limits *lim,
                   const struct json **ret, struct sosia_err *err)
{
    char *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, text, len);
    int rc = json_parse(a, copy, len, lim, ret, err);
    free(copy);
    return rc;
}

static const struct json *parse(struct arena *a, const char *text)
{
    const struct json *v = NULL;
    struct sosia_err err = {0};
    if (parse_n(a, text, strlen(text), NULL, &v, &err) < 0)
        fail_msg("%s: line %d: %s", text, err.line, err.text);
    return v;
}

/* ---- reader ---- */

static void reader_gives_types_and_values(void **state)
{
    struct arena a;
    arena_init(&a, 0);
    const struct json *v = parse(
        &a, " {\"n\":null,\"t\":true,\"f\":false,\"i\":-12,\"s\":\"x\",\"a\":[1,[],{}],\"o\":{}} ");
    assert_int_equal(v->type, JSON_OBJECT);
    assert_int_equal(v->n, 7);
    assert_int_equal(json_get(v, "n")->type, JSON_NULL);
    assert_true(json_get(v, "t")->truth);
    assert_int_equal(json_get(v, "f")->type, JSON_BOOL);
    assert_false(json_get(v, "f")->truth);
    assert_string_equal(json_get(v, "i")->str, "-12");
    assert_string_equal(json_get_str(v, "s"), "x");
    assert_null(json_get_str(v, "i"));
    const struct json *list = json_get(v, "a");
    assert_int_equal(list->n, 3);
    assert_int_equal(list->items[1].type, JSON_ARRAY);
    assert_int_equal(list->items[1].n, 0);
    assert_int_equal(list->items[2].type, JSON_OBJECT);
    assert_null(json_get(v, "x"));
    assert_null(json_get(list, "x"));
    assert_null(json_get(NULL, "x"));
    arena_done(&a);
}

static void reader_keeps_order_and_offsets(void **state)
{
    struct arena a;
    arena_init(&a, 0);
    const struct json *v = parse(&a, "{\n \"b\": [ 10,\"x\" ],\n \"a\" :true}");
    assert_int_equal(v->at, 0);
    assert_string_equal(v->members[0].key, "b");
    assert_int_equal(v->members[0].key_at, 3);
    assert_int_equal(v->members[0].value.at, 8);
    assert_int_equal(v->members[0].value.items[0].at, 10);
    assert_int_equal(v->members[0].value.items[1].at, 13);
    assert_int_equal(v->members[1].key_at, 21);
    assert_int_equal(v->members[1].value.at, 26);
    assert_int_equal(json_line("a\nb\nc", 5, 3), 2);
    assert_int_equal(json_line("a\nb\nc", 5, 4), 3);
    assert_int_equal(json_line("a\nb\nc", 5, 400), 3);
    arena_done(&a);
}

static void reader_decodes_strings(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"\"\"", ""},
        {"\"plain text of more than eight bytes\"", "plain text of more than eight bytes"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"", "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
        {"\"1234567\\n1234567\\n\"", "1234567\n1234567\n"},
        {"\"\xC3\xA9t\xC3\xA9, \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x98\x80 and more\"",
         "\xC3\xA9t\xC3\xA9, \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x98\x80 and more"},
        {"\"\x7F\"", "\x7F"},
    };
    struct arena a;
    arena_init(&a, 0);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *v = parse(&a, cases[i].text);
        assert_int_equal(v->type, JSON_STRING);
        assert_string_equal(v->str, cases[i].want);
        assert_int_equal(v->n, strlen(cases[i].want));
    }
    arena_done(&a);
}

static void reader_refuses_and_says_what_is_where(void **state)
{
    static const struct {
        const char *text;
        int line;
        const char *want;
    } cases[] = {
        {"", 1, "unexpected end where a value was expected"},
        {"\n\n", 3, "unexpected end where a value was expected"},
        {"[1,\n]", 2, "unexpected character ']' where a value was expected"},
        {"[,1]", 1, "unexpected character ',' where a value was expected"},
        {"[1 2]", 1, "unexpected character '2' where ',' or ']' was expected"},
        {"[1", 1, "unexpected end where ',' or ']' was expected"},
        {"{\"a\":1", 1, "unexpected end where ',' or '}' was expected"},
        {"{\"a\":1]", 1, "unexpected character ']' where ',' or '}' was expected"},
        {"{\n\"a\" 1}", 2, "unexpected character '1' where a colon was expected"},
        {"{\"a\"", 1, "unexpected end where a colon was expected"},
        {"{a:1}", 1, "unexpected character 'a' where a key was expected"},
        {"{\"a\":1,}", 1, "unexpected character '}' where a key was expected"},
        {"{1:1}", 1, "unexpected character '1' where a key was expected"},
        {"{\"a\":}", 1, "unexpected character '}' where a value was expected"},
        {"{", 1, "unexpected end where a key was expected"},
        {"]", 1, "unexpected character ']' where a value was expected"},
        {"1 1", 1, "unexpected character '1' behind the document"},
        {"{}\n\nx", 3, "unexpected character 'x' behind the document"},
        {"tru", 1, "unexpected character 't' where a value was expected"},
        {"nul", 1, "unexpected character 'n' where a value was expected"},
        {"True", 1, "unexpected character 'T' where a value was expected"},
        {"truex", 1, "unexpected character 'x' behind the document"},
        {"\xC3\xA9", 1, "unexpected character '\xC3\xA9' where a value was expected"},
        {"\xFF", 1, "unexpected byte 0xFF where a value was expected"},
        {"\xEF\xBB\xBF{}", 1, "unexpected character '\xEF\xBB\xBF' where a value was expected"},
        {"// x\n1", 1, "unexpected character '/' where a value was expected"},
        {"'x'", 1, "unexpected character ''' where a value was expected"},
        {"\"x", 1, "unexpected end inside a string"},
        {"\"12345678", 1, "unexpected end inside a string"},
        {"\"x\\", 1, "unexpected end inside a string"},
        {"\"x\ny\"", 1, "unexpected byte 0x0A inside a string"},
        {"\"12345678\t\"", 1, "unexpected byte 0x09 inside a string"},
        {"\"\\x41\"", 1, "unexpected character 'x' behind a backslash"},
        {"\"\\u12g4\"", 1, "\\u without four hexadecimal digits"},
        {"\"\\u12\"", 1, "\\u without four hexadecimal digits"},
        {"\"\\u0000\"", 1, "\\u0000 is not supported"},
        {"\"\\ud83d\"", 1, "half of a surrogate pair in a string"},
        {"\"\\ude00\"", 1, "half of a surrogate pair in a string"},
        {"\"\\ud83dx\"", 1, "half of a surrogate pair in a string"},
        {"\"\\ud83d\\u0041\"", 1, "half of a surrogate pair in a string"},
        {"\"\\ud83d\\ud83d\"", 1, "half of a surrogate pair in a string"},
        {"\"\xC0\x80\"", 1, "text that is not UTF-8 inside a string"},
        {"\"\xE0\x80\x80\"", 1, "text that is not UTF-8 inside a string"},
        {"\"\xED\xA0\x80\"", 1, "text that is not UTF-8 inside a string"},
        {"\"\xF4\x90\x80\x80\"", 1, "text that is not UTF-8 inside a string"},
        {"\"\xF8\x80\x80\x80\"", 1, "text that is not UTF-8 inside a string"},
        {"\"\xC3\"", 1, "text that is not UTF-8 inside a string"},
        {"\"\x80\"", 1, "text that is not UTF-8 inside a string"},
        {"\"\xE2\x82", 1, "text that is not UTF-8 inside a string"},
        {"01", 1, "unexpected character '1' behind the number 0"},
        {"-", 1, "unexpected end where a digit was expected"},
        {"-a", 1, "unexpected character 'a' where a digit was expected"},
        {"+1", 1, "unexpected character '+' where a value was expected"},
        {".5", 1, "unexpected character '.' where a value was expected"},
        {"1.", 1, "unexpected end where a digit was expected"},
        {"[1.]", 1, "unexpected character ']' where a digit was expected"},
        {"1e", 1, "unexpected end where a digit was expected"},
        {"1e+", 1, "unexpected end where a digit was expected"},
        {"1.5.5", 1, "unexpected character '.' behind the document"},
        {"0x10", 1, "unexpected character 'x' behind the document"},
        {"NaN", 1, "unexpected character 'N' where a value was expected"},
    };
    struct arena a;
    arena_init(&a, 0);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *v = NULL;
        struct sosia_err err = {0};
        assert_int_equal(parse_n(&a, cases[i].text, strlen(cases[i].text), NULL, &v, &err), -1);
        assert_null(v);
        assert_int_equal(err.code, SOSIA_E_INVALID);
        assert_string_equal(err.text, cases[i].want);
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(parse_n(&a, cases[i].text, strlen(cases[i].text), NULL, &v, NULL), -1);
    }
    const struct json *v = NULL;
    struct sosia_err err = {0};
    assert_int_equal(parse_n(&a, "[\0]", 3, NULL, &v, &err), -1);
    assert_string_equal(err.text, "unexpected byte 0x00 where a value was expected");
    assert_int_equal(parse_n(&a, "\"\\\0\"", 4, NULL, &v, &err), -1);
    assert_string_equal(err.text, "unexpected byte 0x00 behind a backslash");
    arena_done(&a);
}

static void numbers_keep_their_text(void **state)
{
    static const char *const good[] = {"0",
                                       "-0",
                                       "1",
                                       "-1",
                                       "10",
                                       "0.5",
                                       "-0.50",
                                       "1e5",
                                       "1E+05",
                                       "1.25e-3",
                                       "123456789012345678901234567890",
                                       "9223372036854775807",
                                       "1e999999999"};
    struct arena a;
    arena_init(&a, 0);
    for (size_t i = 0; i < SOSIA_LEN(good); i++) {
        const struct json *v = parse(&a, good[i]);
        assert_int_equal(v->type, JSON_NUMBER);
        assert_string_equal(v->str, good[i]);
        assert_int_equal(v->n, strlen(good[i]));
    }
    arena_done(&a);
}

static void whole_numbers_have_no_fraction_and_a_range(void **state)
{
    struct arena a;
    int64_t n = 7;
    double d = 0;
    arena_init(&a, 0);
    assert_int_equal(json_i64(parse(&a, "-9223372036854775808"), &n), 0);
    assert_true(n == INT64_MIN);
    n = 7;
    static const char *const bad[] = {"9223372036854775808", "1.0", "1e3", "\"1\"", "null"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        assert_int_equal(json_i64(parse(&a, bad[i]), &n), -1);
    assert_int_equal(json_i64(NULL, &n), -1);
    assert_true(n == 7);
    assert_int_equal(json_double(parse(&a, "-2.5e1"), &d), 0);
    assert_true(d == -25.0);
    assert_int_equal(json_double(parse(&a, "\"1\""), &d), -1);
    assert_int_equal(json_double(NULL, &d), -1);
    arena_done(&a);
}

static void last_of_duplicate_keys_wins(void **state)
{
    struct arena a;
    arena_init(&a, 0);
    const struct json *v = parse(&a, "{\"a\":1,\"b\":2,\"\\u0061\":3}");
    assert_int_equal(v->n, 3);
    assert_string_equal(json_get(v, "a")->str, "3");
    arena_done(&a);
}

static void one_of_duplicate_keys_may_be_kept(void **state)
{
    const struct json_limits lim = {.last_wins = true};
    struct sosia_err err;
    const struct json *v;
    struct arena a;
    struct buf b;
    arena_init(&a, 0);
    buf_init(&b, 0);
    static const char text[] = "{\"a\":1,\"b\":{\"x\":1,\"x\":[2]},\"\\u0061\":3,\"c\":4,\"a\":5}";
    assert_int_equal(json_parse(&a, text, strlen(text), &lim, &v, &err), 0);
    assert_string_equal(json_to_text(&a, v), "{\"a\":5,\"b\":{\"x\":[2]},\"c\":4}");
    buf_puts(&b, "{\"k0\":0"); /* many, that come again in another order */
    for (int i = 1; i < 2000; i++)
        buf_printf(&b, ",\"k%d\":%d", i * 7 % 100, i);
    buf_puts(&b, "}");
    assert_int_equal(json_parse(&a, b.data, b.len, &lim, &v, &err), 0);
    assert_int_equal(v->n, 100);
    assert_string_equal(v->members[1].key, "k7");
    assert_string_equal(v->members[1].value.str, "1901");
    buf_done(&b);
    arena_done(&a);
}

static void unique_keys_are_refused_by_line(void **state)
{
    struct json_limits lim = {.unique_keys = true};
    const struct json *v = NULL;
    struct sosia_err err = {0};
    struct arena a;
    const char *twice = "{\"c\":{\"a\":1},\n\"a\":1,\n\"b\":1,\n\"\\u0061\":2,\n\"b\":3}";
    arena_init(&a, 0);
    assert_int_equal(parse_n(&a, twice, strlen(twice), &lim, &v, &err), -1);
    assert_string_equal(err.text, "duplicate key 'a'");
    assert_int_equal(err.line, 4);
    const char *once = "{\"c\":{\"a\":1},\"a\":1,\"aa\":{\"a\":2},\"\":3}";
    assert_int_equal(parse_n(&a, once, strlen(once), &lim, &v, &err), 0);
    arena_done(&a);
}

static void depth_is_limited(void **state)
{
    struct arena a;
    struct sosia_err err = {0};
    const struct json *v = NULL;
    char text[2 * 101];
    memset(text, '[', 101);
    memset(text + 101, ']', 101);
    arena_init(&a, 0);
    assert_int_equal(parse_n(&a, text + 1, 200, NULL, &v, &err), 0);
    assert_int_equal(parse_n(&a, text, 202, NULL, &v, &err), -1);
    assert_string_equal(err.text, "nested too deeply");
    struct json_limits two = {.max_depth = 2};
    assert_int_equal(parse_n(&a, "[[],{}]", 7, &two, &v, &err), 0);
    assert_int_equal(parse_n(&a, "[{\"a\":[]}]", 10, &two, &v, &err), -1);
    arena_done(&a);
}

static void values_are_limited(void **state)
{
    struct arena a;
    struct sosia_err err = {0};
    struct json_limits four = {.max_values = 4};
    const struct json *v = NULL;
    static const char *const good[] = {"[1,2,3,4]", "[[[[[]]]]]", "{\"a\":[1,{\"b\":2}]}", "5"},
                             *const bad[] = {"[1,2,3,4,5]", "[[[[[[]]]]]]", "[[],[],[],[],[]]",
                                             "{\"a\":[1,{\"b\":2}],\"c\":3}"};
    arena_init(&a, 0);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(parse_n(&a, good[i], strlen(good[i]), &four, &v, &err), 0);
        assert_int_equal(parse_n(&a, bad[i], strlen(bad[i]), &four, &v, &err), -1);
        assert_string_equal(err.text, "too many values");
        assert_int_equal(parse_n(&a, bad[i], strlen(bad[i]), NULL, &v, &err), 0);
    }
    arena_done(&a);
}

static void depth_costs_no_stack(void **state)
{
    enum { DEEP = 1000000 };
    struct json_limits lim = {.max_depth = DEEP};
    struct arena a;
    const struct json *v = NULL;
    char *text = malloc(2 * DEEP);
    assert_non_null(text);
    memset(text, '[', DEEP);
    memset(text + DEEP, ']', DEEP);
    arena_init(&a, 0);
    assert_int_equal(json_parse(&a, text, 2 * DEEP, &lim, &v, NULL), 0);
    unsigned depth = 1;
    for (; v->n; v = v->items)
        depth++;
    assert_int_equal(depth, DEEP);
    arena_done(&a);
    free(text);
}

static void size_is_limited(void **state)
{
    struct json_limits lim = {.max_size = 5};
    struct sosia_err err = {0};
    const struct json *v = NULL;
    struct arena a;
    arena_init(&a, 0);
    assert_int_equal(parse_n(&a, "[1,2]", 5, &lim, &v, &err), 0);
    assert_int_equal(parse_n(&a, "[1,2] ", 6, &lim, &v, &err), -1);
    assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
    arena_done(&a);
}

static void full_arena_is_an_error(void **state)
{
    enum { N = 200000 };
    struct sosia_err err = {0};
    const struct json *v = NULL;
    char *text = malloc(2 * N + 1);
    assert_non_null(text);
    for (int i = 0; i < N; i++)
        memcpy(text + 2 * i, i ? ",1" : "[1", 2);
    text[2 * N] = ']';
    for (size_t limit = 32 << 10; limit <= 64 << 20; limit *= 2) {
        struct arena a;
        arena_init(&a, limit);
        if (json_parse(&a, text, 2 * N + 1, NULL, &v, &err) < 0) {
            assert_int_equal(err.code, SOSIA_E_NO_MEMORY);
            assert_null(v);
        }
        arena_done(&a);
    }
    assert_non_null(v);
    free(text);
}

static void objects_of_many_members_are_read(void **state)
{
    enum { N = 100000 };
    struct json_limits lim = {.unique_keys = true};
    const struct json *v = NULL;
    struct arena a;
    struct buf b;
    arena_init(&a, 0);
    buf_init(&b, 0);
    for (int i = 0; i < N; i++)
        buf_printf(&b, "%s\"key%d\":%d", i ? "," : "{", i, i);
    buf_byte(&b, '}');
    assert_int_equal(json_parse(&a, b.data, b.len, &lim, &v, NULL), 0);
    assert_int_equal(v->n, N);
    assert_string_equal(json_get(v, "key77777")->str, "77777");
    buf_done(&b);
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reader_gives_types_and_values),
        cmocka_unit_test(reader_keeps_order_and_offsets),
        cmocka_unit_test(reader_decodes_strings),
        cmocka_unit_test(reader_refuses_and_says_what_is_where),
        cmocka_unit_test(numbers_keep_their_text),
        cmocka_unit_test(whole_numbers_have_no_fraction_and_a_range),
        cmocka_unit_test(last_of_duplicate_keys_wins),
        cmocka_unit_test(one_of_duplicate_keys_may_be_kept),
        cmocka_unit_test(unique_keys_are_refused_by_line),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(values_are_limited),
        cmocka_unit_test(depth_costs_no_stack),
        cmocka_unit_test(size_is_limited),
        cmocka_unit_test(full_arena_is_an_error),
        cmocka_unit_test(objects_of_many_members_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
