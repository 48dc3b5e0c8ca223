/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that people write (JSON or YAML): what is checked, and how faults name their place. */
#include "engine/json/doc.h"
#include "engine/base/utf8.h"
#include "tests/support/unit.h"

static struct arena a;
static struct sosia_err err;
static struct doc d;

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

static const struct json *opened(const char *text)
{
    const struct json *v = NULL;
    memset(&err, 0, sizeof err);
    if (doc_open(&d, &a, text, strlen(text), "office.yaml", 0, &v, &err) < 0)
        fail_msg("%s", err.text);
    return v;
}

static void assert_failed(int rc, int line, const char *where, const char *text)
{
    assert_int_equal(rc, -1);
    assert_int_equal(err.code, SOSIA_E_INVALID);
    assert_int_equal(err.line, line);
    assert_string_equal(err.where, where);
    assert_string_equal(err.text, text);
}

static void documents_are_json_or_yaml(void **state)
{
    assert_string_equal(json_get_str(opened(" {\"a\": \"1\"}"), "a"), "1");
    assert_string_equal(json_get_str(opened("a: \"1\"\n"), "a"), "1");
    assert_string_equal(json_get_str(opened("# seed\n{a: x}\n"), "a"), "x");
    assert_string_equal(json_get_str(opened("{a: x}\n"), "a"), "x");
    assert_int_equal(opened("[a, b]")->n, 2);
}

static void faults_of_the_format_are_reported_with_their_line(void **state)
{
    static const struct {
        const char *text;
        int line;
        const char *want;
    } cases[] = {
        {"{\"a\": 1,\n \"b\": ]}", 2, "f:2: unexpected character ']' where a value was expected"},
        {"{\"a\": 1,\n \"a\": 2}", 2, "f:2: duplicate key 'a'"},
        {"a: 1\nb: 2\na: 3\n", 3, "f:3: duplicate key 'a'"},
        {"a: 1\nb: [1\n", 3, "f:3: while parsing a flow sequence did not find expected ',' or ']'"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *v = NULL;
        assert_int_equal(doc_open(&d, &a, cases[i].text, strlen(cases[i].text), "f", 0, &v, &err),
                         -1);
        assert_null(v);
        assert_int_equal(err.code, SOSIA_E_INVALID);
        assert_int_equal(err.line, cases[i].line);
        assert_string_equal(err.text, cases[i].want);
        assert_int_equal(doc_open(&d, &a, cases[i].text, strlen(cases[i].text), "f", 0, &v, NULL),
                         -1);
    }
    const struct json *v = NULL;
    assert_int_equal(doc_open(&d, &a, "abc: def", 8, "f", 7, &v, &err), -1);
    assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
    assert_string_equal(err.text, "f: the document has more than 7 bytes");
}

static void faults_name_line_and_path(void **state)
{
    const struct json *v = opened(
        "people:\n  - email: ann@example.org\n  - email: bob@example.org\n    zone: Mars/Base\n");
    const struct json *bob = &json_get(v, "people")->items[1];
    size_t mark = doc_push(&d, "people", 1);
    assert_failed(
        doc_fail(&d, json_get(bob, "zone"), "zone", "unknown time zone \"%s\"", "Mars/Base"), 4,
        "people[1].zone", "office.yaml:4: people[1].zone: unknown time zone \"Mars/Base\"");
    assert_failed(doc_refuse(&d, bob, "zone", "unknown time zone \"%s\"", "Mars/Base"), 4,
                  "people[1].zone",
                  "office.yaml:4: people[1].zone: unknown time zone \"Mars/Base\"");
    assert_failed(doc_refuse(&d, bob, "name", "is missing"), 0, "people[1].name",
                  "office.yaml: people[1].name: is missing");
    assert_failed(doc_fail(&d, bob, NULL, "is wrong"), 3, "people[1]",
                  "office.yaml:3: people[1]: is wrong");
    doc_pop(&d, mark);
    assert_failed(doc_fail(&d, v, NULL, "is wrong"), 1, "", "office.yaml:1: is wrong");
    assert_failed(doc_fail(&d, NULL, "people", "is wrong"), 0, "people",
                  "office.yaml: people: is wrong");
}

/* What failed for another reason keeps it. */
static void what_is_there_already_is_said_at_its_member(void **state)
{
    const struct json *v = opened("people:\n  - email: ann@example.org\n");
    const struct json *ann = &json_get(v, "people")->items[0];
    doc_push(&d, "people", 0);
    sosia_fail(&err, SOSIA_E_CONFLICT, NULL, NULL, "no");
    assert_failed(doc_taken(&d, ann, "email"), 2, "people[0].email",
                  "office.yaml:2: people[0].email: \"ann@example.org\" is there already");
    sosia_fail(&err, SOSIA_E_LIMIT, NULL, NULL, "too much");
    assert_int_equal(doc_taken(&d, ann, "email"), -1);
    assert_string_equal(err.text, "too much");
}

static void paths_and_messages_too_long_are_cut_between_characters(void **state)
{
    const struct json *v = opened("{}");
    char name[400];
    for (size_t i = 0; i < 399; i += 3)
        memcpy(name + i, "\xE6\x97\xA5", 3);
    name[399] = 0;
    for (size_t shift = 0; shift < 3; shift++) {
        size_t mark = doc_push(&d, &"ab"[2 - shift], -1);
        assert_int_equal(doc_fail(&d, v, name, "%s", name), -1);
        assert_true(utf8_valid(err.text, strlen(err.text)));
        assert_true(utf8_valid(err.where, strlen(err.where)));
        assert_true(strlen(err.text) > 100);
        assert_true(strlen(err.where) > 80);
        assert_true(err.where + strlen(err.where) < err.text + sizeof err.text);
        for (int i = 0; i < 100; i++)
            doc_push(&d, name, i);
        assert_true(d.path_len < sizeof d.path);
        doc_pop(&d, mark);
        assert_string_equal(d.path, "");
    }
}

static void unknown_members_are_refused(void **state)
{
    static const char *const members[] = {"email", "name", NULL};
    const struct json *v = opened("email: x\nnmae: y\n");
    assert_failed(doc_object(&d, v, members), 2, "nmae",
                  "office.yaml:2: nmae: there is no such field (known: email, name)");
    assert_int_equal(doc_object(&d, opened("name: x"), members), 0);
    assert_int_equal(doc_object(&d, opened("{}"), members), 0);
    assert_failed(doc_object(&d, opened("- 1"), members), 1, "",
                  "office.yaml:1: must be an object, not a list");
}

static void a_byte_order_mark_is_passed_over(void **state)
{
    const char *s = NULL;
    assert_int_equal(doc_str(&d, opened("\xef\xbb\xbfname: x\n"), "name", true, &s), 0);
    assert_string_equal(s, "x");
    assert_int_equal(doc_str(&d, opened("\xef\xbb\xbf{\"name\":\"y\"}"), "name", true, &s), 0);
    assert_string_equal(s, "y");
}

static void texts_are_texts(void **state)
{
    const char *s = "untouched";
    const struct json *v = opened("a: x\nb: 1\nc: ''\nn: null\n");
    assert_int_equal(doc_str(&d, v, "a", true, &s), 0);
    assert_string_equal(s, "x");
    assert_failed(doc_str(&d, v, "b", false, &s), 2, "b",
                  "office.yaml:2: b: must be a text, not 1");
    assert_string_equal(s, "x");
    assert_failed(doc_str(&d, v, "c", true, &s), 3, "c", "office.yaml:3: c: must not be empty");
    assert_int_equal(doc_str(&d, v, "c", false, &s), 0);
    assert_string_equal(s, "");
    assert_int_equal(doc_str(&d, v, "n", false, &s), 0);
    assert_null(s);
    assert_int_equal(doc_str(&d, v, "absent", false, &s), 0);
    assert_null(s);
    assert_failed(doc_str(&d, v, "absent", true, &s), 1, "absent",
                  "office.yaml:1: absent: is missing");
    assert_failed(doc_str(&d, v, "n", true, &s), 1, "n", "office.yaml:1: n: is missing");
}

static void bools_numbers_and_words_are_checked(void **state)
{
    static const char *const words[] = {"low", "high", NULL};
    const struct json *v = opened("t: true\nn: 12\nf: 1.5\nw: high\nx: middle\n");
    bool t = false;
    int64_t n = 0;
    int w = -1;
    assert_int_equal(doc_bool(&d, v, "t", false, &t), 0);
    assert_true(t);
    assert_int_equal(doc_bool(&d, v, "absent", true, &t), 0);
    assert_true(t);
    assert_failed(doc_bool(&d, v, "w", true, &t), 4, "w",
                  "office.yaml:4: w: must be true or false, not \"high\"");
    assert_int_equal(doc_int(&d, v, "n", 0, 12, 7, &n), 0);
    assert_int_equal(n, 12);
    assert_int_equal(doc_int(&d, v, "absent", 0, 5, 7, &n), 0);
    assert_int_equal(n, 7);
    assert_failed(doc_int(&d, v, "n", 0, 11, 7, &n), 2, "n",
                  "office.yaml:2: n: must be a whole number from 0 to 11, not 12");
    assert_failed(doc_int(&d, v, "f", 0, 11, 7, &n), 3, "f",
                  "office.yaml:3: f: must be a whole number from 0 to 11, not 1.5");
    assert_failed(doc_int(&d, v, "w", 0, 11, 7, &n), 4, "w",
                  "office.yaml:4: w: must be a number, not \"high\"");
    assert_int_equal(n, 7);
    assert_int_equal(doc_enum(&d, v, "w", words, 0, &w), 0);
    assert_int_equal(w, 1);
    assert_int_equal(doc_enum(&d, v, "absent", words, 5, &w), 0);
    assert_int_equal(w, 5);
    assert_failed(doc_enum(&d, v, "x", words, 0, &w), 5, "x",
                  "office.yaml:5: x: \"middle\" is none of low, high");
    assert_failed(doc_enum(&d, v, "n", words, 0, &w), 2, "n",
                  "office.yaml:2: n: must be a text, not 12");
    assert_int_equal(w, 5);
}

static void lists_are_lists(void **state)
{
    const struct json *list = NULL, *v = opened("l: [a, b]\ne: []\nm: [a,\n 1]\ns: x\n");
    const char **texts = NULL;
    size_t n = 0;
    assert_int_equal(doc_list(&d, v, "l", &list), 0);
    assert_int_equal(list->n, 2);
    assert_int_equal(doc_list(&d, v, "absent", &list), 0);
    assert_null(list);
    assert_failed(doc_list(&d, v, "s", &list), 5, "s",
                  "office.yaml:5: s: must be a list, not \"x\"");
    assert_int_equal(doc_strings(&d, v, "l", &texts, &n), 0);
    assert_int_equal(n, 2);
    assert_string_equal(texts[1], "b");
    assert_int_equal(doc_strings(&d, v, "e", &texts, &n), 0);
    assert_int_equal(n, 0);
    assert_int_equal(doc_strings(&d, v, "absent", &texts, &n), 0);
    assert_int_equal(n, 0);
    assert_failed(doc_strings(&d, v, "m", &texts, &n), 4, "m[1]",
                  "office.yaml:4: m[1]: must be a text, not 1");
    assert_int_equal(d.path_len, 0);
}

static void items_are_where_they_are(void **state)
{
    const struct json *v = opened("l:\n  - [x, 7]\n  - []\n  - [9]\n");
    struct doc_items outer, inner;
    const struct json *one, *item = NULL;
    assert_int_equal(doc_items(&d, v, "l", &outer), 0);
    for (size_t n = 0; (one = doc_item(&d, &outer)) != NULL; n++) {
        assert_ptr_equal(one, &outer.list->items[n]);
        inner = (struct doc_items){.list = one, .member = "in"};
        while ((item = doc_item(&d, &inner)) != NULL && item->type != JSON_NUMBER)
            assert_string_equal(item->str, "x");
        if (n == 2)
            break;
        if (item) { /* one that is not read to its end */
            assert_string_equal(d.path, "l[0].in[1]");
            doc_pop(&d, inner.mark);
        }
        assert_string_equal(d.path, n ? "l[1]" : "l[0]");
    }
    assert_failed(doc_fail(&d, item, NULL, "is too much"), 4, "l[2].in[0]",
                  "office.yaml:4: l[2].in[0]: is too much");
    v = opened("l: []\nn: null\ns: x\n");
    assert_int_equal(doc_items(&d, v, "l", &outer), 0);
    assert_null(doc_item(&d, &outer));
    assert_int_equal(doc_items(&d, v, "n", &outer), 0);
    assert_null(outer.list);
    assert_null(doc_item(&d, &outer));
    assert_string_equal(d.path, "");
    assert_int_equal(doc_items(&d, v, "s", &outer), -1);
    assert_string_equal(err.where, "s");
}

static void a_full_arena_is_no_fault_of_the_document(void **state)
{
    struct arena small;
    arena_init(&small, 16 << 10);
    const struct json *v = opened("a: 1");
    d.arena = &small;
    while (!arena_failed(&small))
        arena_alloc(&small, 1024);
    assert_int_equal(doc_fail(&d, v, "a", "is wrong"), -1);
    assert_int_equal(err.code, SOSIA_E_NO_MEMORY);
    arena_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_json_or_yaml),
        cmocka_unit_test(faults_of_the_format_are_reported_with_their_line),
        cmocka_unit_test(faults_name_line_and_path),
        cmocka_unit_test(what_is_there_already_is_said_at_its_member),
        cmocka_unit_test(paths_and_messages_too_long_are_cut_between_characters),
        cmocka_unit_test(unknown_members_are_refused),
        cmocka_unit_test(a_byte_order_mark_is_passed_over),
        cmocka_unit_test(texts_are_texts),
        cmocka_unit_test(bools_numbers_and_words_are_checked),
        cmocka_unit_test(lists_are_lists),
        cmocka_unit_test(items_are_where_they_are),
        cmocka_unit_test(a_full_arena_is_no_fault_of_the_document),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
