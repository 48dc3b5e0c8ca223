/* SPDX-License-Identifier: Apache-2.0 */
/* YAML as JSON values: scalars, aliases, offsets, limits. */
#include "engine/json/yaml.h"
#include "tests/support/unit.h"
#include <stdlib.h>

static struct arena a;

static int setup(void **state)
{
    arena_init(&a, 0);
    return 0;
}

static int teardown(void **state)
{
    arena_done(&a);
    return 0;
}

static int try_n(const char *text, size_t len, const struct json_limits *lim,
                 const struct json **ret, struct sosia_err *err)
{
    char *copy = malloc(len ? len : 1); /* of exactly its size, for the sanitizer */
    assert_non_null(copy);
    memcpy(copy, text, len);
    int rc = yaml_parse(&a, copy, len, lim, ret, err);
    free(copy);
    return rc;
}

static const struct json *parse(const char *text)
{
    const struct json *v = NULL;
    struct sosia_err err = {0};
    if (try_n(text, strlen(text), NULL, &v, &err) < 0)
        fail_msg("%s: line %d: %s", text, err.line, err.text);
    return v;
}

static void assert_refused(const char *text, int line, const char *want)
{
    const struct json *v = NULL;
    struct sosia_err err = {0};
    assert_int_equal(try_n(text, strlen(text), NULL, &v, &err), -1);
    assert_null(v);
    assert_int_equal(err.code, SOSIA_E_INVALID);
    assert_string_equal(err.text, want);
    assert_int_equal(err.line, line);
}

/* As compact JSON. */
static const char *json_of(const char *text)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_value(&w, NULL, parse(text));
    assert_false(buf_failed(&b));
    const char *copy = arena_strdup(&a, buf_str(&b));
    buf_done(&b);
    return copy;
}

static void plain_scalars_are_what_json_takes_them_for(void **state)
{
    static const struct {
        const char *text;
        enum json_type type;
    } cases[] = {
        {"null", JSON_NULL},
        {"~", JSON_NULL},
        {"", JSON_NULL},
        {"true", JSON_BOOL},
        {"false", JSON_BOOL},
        {"0", JSON_NUMBER},
        {"-12", JSON_NUMBER},
        {"1.50", JSON_NUMBER},
        {"1e5", JSON_NUMBER},
        {"-0.5E-3", JSON_NUMBER},
        {"1E+2", JSON_NUMBER},
        {"no", JSON_STRING},
        {"on", JSON_STRING},
        {"yes", JSON_STRING},
        {"True", JSON_STRING},
        {"NULL", JSON_STRING},
        {"Null", JSON_STRING},
        {"007", JSON_STRING},
        {"+1", JSON_STRING},
        {".5", JSON_STRING},
        {"1.", JSON_STRING},
        {"1e", JSON_STRING},
        {"0x1F", JSON_STRING},
        {"0o7", JSON_STRING},
        {"1_000", JSON_STRING},
        {".inf", JSON_STRING},
        {".nan", JSON_STRING},
        {"-", JSON_ARRAY},
        {"2026-03-12", JSON_STRING},
        {"10:00", JSON_STRING},
        {"1.2.3", JSON_STRING},
        {"12 14", JSON_STRING},
        {"1e5x", JSON_STRING},
        {"--1", JSON_STRING},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *v = parse(cases[i].text);
        if (v->type != cases[i].type)
            fail_msg("'%s' is of type %d", cases[i].text, v->type);
        if (v->type == JSON_NUMBER || v->type == JSON_STRING)
            assert_string_equal(v->str, cases[i].text);
        if (v->type == JSON_BOOL)
            assert_int_equal(v->truth, cases[i].text[0] == 't');
    }
}

static void quoted_and_block_scalars_are_strings(void **state)
{
    assert_string_equal(json_of("- \"1\"\n- 'true'\n- \"null\"\n- ''\n- \"\\u00e9\\t\\x41\"\n"),
                        "[\"1\",\"true\",\"null\",\"\",\"\xC3\xA9\\tA\"]");
    assert_string_equal(json_of("a: |\n  1\n  2\nb: >-\n  one\n  two\n"),
                        "{\"a\":\"1\\n2\\n\",\"b\":\"one two\"}");
    assert_string_equal(json_of("- ! 12\n- !!str true\n- !!str\n- !!seq [1]\n- !!map {a: 1}\n"),
                        "[\"12\",\"true\",\"\",[1],{\"a\":1}]");
}

static void documents_become_trees(void **state)
{
    assert_string_equal(
        json_of(
            "# a world\nsosia: 1\ntime: 2026-03-12T09:00:00Z\npeople:\n  - email: ann@example.org\n"
            "    name: Ann\n    aliases: [a@example.org, b@example.org]\n  - {email: "
            "bob@example.org}\n"
            "empty:\nnone: {}\nlist: []\n"),
        "{\"sosia\":1,\"time\":\"2026-03-12T09:00:00Z\",\"people\":[{\"email\":\"ann@example.org\","
        "\"name\":\"Ann\",\"aliases\":[\"a@example.org\",\"b@example.org\"]},"
        "{\"email\":\"bob@example.org\"}],\"empty\":null,\"none\":{},\"list\":[]}");
    assert_string_equal(json_of("---\n1: one\nyes: two\n\"\": three\n...\n"),
                        "{\"1\":\"one\",\"yes\":\"two\",\"\":\"three\"}");
    assert_string_equal(json_of("{\"a\": [1, 2.50, null, \"x\\n\"]}"),
                        "{\"a\":[1,2.50,null,\"x\\n\"]}");
    assert_string_equal(json_of("# nothing\n"), "null");
    assert_string_equal(json_of("\xEF\xBB\xBF"
                                "a: 1"),
                        "{\"a\":1}");
}

static void offsets_are_bytes(void **state)
{
    /*                 0123456 7 89 */
    const char *text = "\xC3\xA9\xE6\x97\xA5: \xF0\x9F\x98\x80x\r\nk: [\xC3\xBC, \"y\"]\r\n# "
                       "\xC3\xA4\r\nz: {w: 1}\n";
    const struct json *v = parse(text);
    size_t len = strlen(text);
    assert_int_equal(v->at, 0);
    assert_int_equal(v->members[0].key_at, 0);
    assert_int_equal(v->members[0].value.at, 7);
    const struct json *k = json_get(v, "k");
    assert_ptr_equal(text + k->at, strchr(text, '['));
    assert_ptr_equal(text + k->items[0].at, strstr(text, "\xC3\xBC"));
    assert_ptr_equal(text + k->items[1].at, strchr(text, '"'));
    assert_int_equal(json_line(text, len, k->items[1].at), 2);
    const struct json *z = json_get(v, "z");
    assert_ptr_equal(text + v->members[2].key_at, strchr(text, 'z'));
    assert_ptr_equal(text + z->members[0].key_at, strchr(text, 'w'));
    assert_ptr_equal(text + z->members[0].value.at, strchr(text, '1'));
    assert_int_equal(json_line(text, len, z->at), 4);
    text = "\xEF\xBB\xBF"
           "k: v";
    assert_int_equal(parse(text)->members[0].key_at, 3);
    assert_int_equal(parse(text)->members[0].value.at, 6);
}

static void aliases_stand_for_values(void **state)
{
    assert_string_equal(json_of("a: &x {k: [1, two]}\nb: *x\nc: [*x, &y text, *y]\n"),
                        "{\"a\":{\"k\":[1,\"two\"]},\"b\":{\"k\":[1,\"two\"]},\"c\":[{\"k\":[1,"
                        "\"two\"]},\"text\",\"text\"]}");
    assert_string_equal(json_of("- &x 1\n- *x\n- &x 2\n- *x\n"), "[1,1,2,2]");
    const char *text = "a: &x [1]\nb: *x\n";
    const struct json *b = json_get(parse(text), "b");
    assert_ptr_equal(text + b->at, strchr(text, '*'));
    assert_ptr_equal(text + b->items[0].at, strchr(text, '1'));
    assert_refused("a: 1\nb: *x\n", 2, "no value named 'x' is before its use");
    assert_refused("a: &x\n  b: *x\n", 2, "no value named 'x' is before its use");
}

static void aliases_that_explode_are_refused(void **state)
{
    struct buf b;
    struct sosia_err err = {0};
    const struct json *v = NULL;
    buf_init(&b, 0);
    buf_puts(&b, "a0: &a0 lol\n");
    for (int i = 1; i < 12; i++)
        buf_printf(&b, "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i, i - 1, i - 1,
                   i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    assert_int_equal(yaml_parse(&a, b.data, b.len, NULL, &v, &err), -1);
    assert_string_equal(err.text, "the aliases stand for too much text");
    buf_clear(&b);
    buf_puts(&b, "a0: &a0 [1]\n"); /* flat, but deep when written out */
    for (int i = 1; i < 200; i++)
        buf_printf(&b, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    assert_int_equal(yaml_parse(&a, b.data, b.len, NULL, &v, &err), -1);
    assert_string_equal(err.text, "nested too deeply");
    assert_int_equal(err.line, 100);
    buf_clear(&b);
    buf_puts(&b, "[");
    for (int i = 0; i < 1001; i++)
        buf_printf(&b, "&a%d 1,\n", i);
    buf_puts(&b, "]");
    assert_int_equal(yaml_parse(&a, b.data, b.len, NULL, &v, &err), -1);
    assert_string_equal(err.text, "more than 1000 anchors");
    assert_int_equal(err.line, 1001);
    assert_null(v);
    buf_done(&b);
}

static void faults_are_reported_with_their_line(void **state)
{
    assert_refused("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", 5, "duplicate key 'c'");
    assert_refused("a: 1\n\"a\": 2\n", 2, "duplicate key 'a'");
    assert_refused("a: 1\n---\nb: 2\n", 2, "more than one document");
    assert_refused("---\n---\n", 2, "more than one document");
    assert_refused("a: 1\n? [x]\n: 1\n", 2, "a key must be text");
    assert_refused("a: &x b\n*x : 1\n", 2, "a key must be text");
    assert_refused("a: 1\n? \n: 2\n", 2, "a key is missing");
    assert_refused("a: &x {}\n<<: *x\n", 2, "merge keys (<<) are not supported");
    assert_refused("&x a: 1\n", 1, "a key can't have an anchor");
    assert_refused("a: !!int 1\n", 1, "the tag 'tag:yaml.org,2002:int' is not supported");
    assert_refused("a: !thing {}\n", 1, "the tag '!thing' is not supported");
    assert_refused("a: !!str {}\n", 1, "the tag 'tag:yaml.org,2002:str' is not supported");
    assert_refused("a: 1\nb: \"x\\0y\"\n", 2, "a NUL character is not supported");
    assert_refused("a: [1,\nb: 2\n", 3,
                   "while parsing a flow sequence did not find expected ',' or ']'");
    assert_refused("a: 1\n\tb: 2\n", 2,
                   "while scanning a plain scalar found a tab character that violates indentation");
    assert_refused("a: 1\nb: \xFF\n", 2, "invalid leading UTF-8 octet");
    assert_refused("a: \x01\n", 1, "control characters are not allowed");
}

static void limits_hold(void **state)
{
    struct sosia_err err = {0};
    const struct json *v = NULL;
    struct json_limits two = {.max_depth = 2, .max_size = 10};
    assert_int_equal(try_n("[[],{}]", 7, &two, &v, &err), 0);
    v = NULL;
    assert_int_equal(try_n("[[[]]]", 6, &two, &v, &err), -1);
    assert_string_equal(err.text, "nested too deeply");
    assert_int_equal(try_n("a: 345678901", 12, &two, &v, &err), -1);
    assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
    char *deep = malloc(1 << 20);
    assert_non_null(deep);
    memset(deep, '[', 1 << 20);
    assert_int_equal(yaml_parse(&a, deep, 1 << 20, NULL, &v, &err), -1);
    assert_string_equal(err.text, "nested too deeply");
    for (int i = 0; i < 1 << 20; i += 2)
        memcpy(deep + i, "- ", 2);
    assert_int_equal(yaml_parse(&a, deep, 1 << 20, NULL, &v, &err), -1);
    assert_string_equal(err.text, "nested too deeply");
    for (int i = 0; i + 16 <= 1 << 20; i += 16)
        memcpy(deep + i, "%TAG !a! b:cde\n\n", 16);
    assert_int_equal(yaml_parse(&a, deep, 1 << 20, NULL, &v, &err), -1);
    assert_string_equal(err.text, "more than 1000 tag directives");
    assert_null(v);
    free(deep);
}

static void full_arena_is_an_error(void **state)
{
    struct buf b;
    struct sosia_err err = {0};
    const struct json *v = NULL;
    buf_init(&b, 0);
    for (int i = 0; i < 20000; i++)
        buf_printf(&b, "- {k%d: text}\n", i);
    for (size_t limit = 16 << 10; !v && limit <= 64 << 20; limit *= 2) {
        struct arena small;
        arena_init(&small, limit);
        if (yaml_parse(&small, b.data, b.len, NULL, &v, &err) < 0)
            assert_int_equal(err.code, SOSIA_E_NO_MEMORY);
        arena_done(&small);
    }
    assert_non_null(v);
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_scalars_are_what_json_takes_them_for),
        cmocka_unit_test(quoted_and_block_scalars_are_strings),
        cmocka_unit_test(documents_become_trees),
        cmocka_unit_test(offsets_are_bytes),
        cmocka_unit_test(aliases_stand_for_values),
        cmocka_unit_test(aliases_that_explode_are_refused),
        cmocka_unit_test(faults_are_reported_with_their_line),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(full_arena_is_an_error),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
