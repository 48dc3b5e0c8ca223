/* SPDX-License-Identifier: Apache-2.0 */
/* Masks of fields: what of a value is written, and what handlers can ask of them. */
#include "vendors/google/mask.h"
#include "tests/engine/json/json_fixture.h"

static void masks_select(void **state)
{
    static const char document[] = "{\"id\":1,\"kind\":\"k\",\"items\":[{\"id\":2,\"start\":{"
                                   "\"date\":\"d\",\"zone\":\"z\"},\"tags\":[\"a\",\"b\"]},"
                                   "{\"id\":3,\"end\":{\"date\":\"e\"}},4,[{\"id\":5}]],\"o\":{}}";
    static const struct {
        const char *mask, *want;
    } cases[] = {
        {"", "{}"},
        {"  ", "{}"},
        {"id", "{\"id\":1}"},
        {"id,kind", "{\"id\":1,\"kind\":\"k\"}"},
        {"kind , id", "{\"id\":1,\"kind\":\"k\"}"},
        {"nothing", "{}"},
        {"ID", "{}"},
        {"items/id", "{\"items\":[{\"id\":2},{\"id\":3},[{\"id\":5}]]}"},
        {"items(id)", "{\"items\":[{\"id\":2},{\"id\":3},[{\"id\":5}]]}"},
        {" items ( id , start / zone ) ",
         "{\"items\":[{\"id\":2,\"start\":{\"zone\":\"z\"}},{\"id\":3},[{\"id\":5}]]}"},
        {"items(start(date),end/date),id",
         "{\"id\":1,\"items\":[{\"start\":{\"date\":\"d\"}},{\"end\":{\"date\":\"e\"}},[{}]]}"},
        {"items/start(date,zone),kind",
         "{\"kind\":\"k\",\"items\":[{\"start\":{\"date\":\"d\",\"zone\":\"z\"}},{},[{}]]}"},
        {"items/id,items/tags",
         "{\"items\":[{\"id\":2,\"tags\":[\"a\",\"b\"]},{\"id\":3},[{\"id\":5}]]}"},
        {"items/*/date",
         "{\"items\":[{\"start\":{\"date\":\"d\"},\"tags\":[]},{\"end\":{\"date\":\"e\"}},[{}]]}"},
        {"items(*/date,start/zone)", "{\"items\":[{\"start\":{\"date\":\"d\",\"zone\":\"z\"},"
                                     "\"tags\":[]},{\"end\":{\"date\":\"e\"}},[{}]]}"},
        {"items/tags/x", "{\"items\":[{\"tags\":[]},{},[{}]]}"},
        {"id/x", "{}"},
        {"o/x", "{\"o\":{}}"},
        {"o", "{\"o\":{}}"},
        {"items/start,items/start/date",
         "{\"items\":[{\"start\":{\"date\":\"d\",\"zone\":\"z\"}},{},[{}]]}"},
        {"items/start/date,items/start",
         "{\"items\":[{\"start\":{\"date\":\"d\",\"zone\":\"z\"}},{},[{}]]}"},
        {"*(date)", "{\"items\":[{},{},[{}]],\"o\":{}}"},
        {"*/id", "{\"items\":[{\"id\":2},{\"id\":3},[{\"id\":5}]],\"o\":{}}"},
        {"id\n,kind", "{\"id\":1,\"kind\":\"k\"}"},
    };
    struct arena a;
    arena_init(&a, 0);
    const struct json *v = parse(&a, document);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json_mask *mask = NULL;
        struct sosia_err err = {0};
        if (google_mask_parse(&a, cases[i].mask, &mask, &err) < 0)
            fail_msg("%s: %s", cases[i].mask, err.text);
        struct json_writer w;
        begin(&w, false, mask);
        json_value(&w, NULL, v);
        if (strcmp(written(), cases[i].want))
            fail_msg("%s: %s", cases[i].mask, written());
    }
    static const char *const everything[] = {"*", "*,id", "id,*", "id/x,*"};
    for (size_t i = 0; i < SOSIA_LEN(everything); i++) {
        const struct json_mask *mask = NULL;
        struct json_writer w;
        assert_int_equal(google_mask_parse(&a, everything[i], &mask, NULL), 0);
        assert_true(json_mask_all(mask));
        begin(&w, false, mask);
        json_value(&w, NULL, v);
        assert_string_equal(written(), document);
    }
    arena_done(&a);
}

static void broken_masks_name_the_rest(void **state)
{
    static const struct {
        const char *mask, *want;
    } cases[] = {
        {",id", "Invalid field selection ,id"},
        {"id,", "Invalid field selection id,"},
        {"id,,kind", "Invalid field selection ,kind"},
        {"items(id", "Invalid field selection items(id"},
        {"items(id))", "Invalid field selection )"},
        {"items()", "Invalid field selection )"},
        {"items(id)x", "Invalid field selection x"},
        {"items(id)/x", "Invalid field selection /x"},
        {"id)", "Invalid field selection )"},
        {"a//b", "Invalid field selection /b"},
        {"a/", "Invalid field selection a/"},
        {"/a", "Invalid field selection /a"},
        {"(a)", "Invalid field selection (a)"},
        {"a b", "Invalid field selection b"},
        {"a*,c", "Invalid field selection a*,c"},
        {"**", "Invalid field selection **"},
        {"\x01", "Invalid field selection \x01"},
        {"\xFF", "The field selection is not UTF-8"},
    };
    struct arena a;
    arena_init(&a, 0);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json_mask *mask = NULL;
        struct sosia_err err = {0};
        assert_int_equal(google_mask_parse(&a, cases[i].mask, &mask, &err), -1);
        assert_null(mask);
        assert_int_equal(err.code, SOSIA_E_INVALID);
        assert_string_equal(err.reason, "invalidParameter");
        assert_string_equal(err.where, "fields");
        assert_string_equal(err.text, cases[i].want);
    }
    arena_done(&a);
}

static void masks_are_limited(void **state)
{
    struct arena a;
    struct buf b;
    const struct json_mask *mask;
    struct sosia_err err = {0};
    arena_init(&a, 0);
    buf_init(&b, 0);
    for (int i = 0; i < 32; i++)
        buf_puts(&b, i ? "/a" : "a");
    assert_int_equal(google_mask_parse(&a, buf_str(&b), &mask, &err), 0);
    buf_puts(&b, "/a");
    assert_int_equal(google_mask_parse(&a, buf_str(&b), &mask, &err), -1);
    buf_clear(&b);
    for (int i = 0; i < 40; i++)
        buf_puts(&b, "a(");
    assert_int_equal(google_mask_parse(&a, buf_str(&b), &mask, &err), -1);
    buf_clear(&b);
    while (b.len <= 8192)
        buf_puts(&b, "abc,");
    buf_byte(&b, 'a');
    assert_int_equal(google_mask_parse(&a, buf_str(&b), &mask, &err), -1);
    assert_string_equal(err.text, "The field selection has more than 8192 bytes");
    /* Each level would copy what is below its star: 2 to the 25th without a limit. */
    buf_clear(&b);
    for (int i = 0; i < 25; i++)
        buf_puts(&b, "*(");
    buf_puts(&b, "x");
    for (int i = 0; i < 25; i++)
        buf_puts(&b, ",a/b)");
    assert_int_equal(google_mask_parse(&a, buf_str(&b), &mask, &err), -1);
    assert_string_equal(err.text, "Too many field selections");
    buf_done(&b);
    arena_done(&a);
}

static int collect(void *arg, const char *name, const struct json_mask *below)
{
    buf_puts(arg, name);
    buf_puts(arg, json_mask_all(below) ? "! " : " ");
    return !strcmp(name, "stop") ? 7 : 0;
}

static void masks_are_walked_in_order(void **state)
{
    struct arena a;
    struct buf b;
    const struct json_mask *mask;
    arena_init(&a, 0);
    buf_init(&b, 0);
    assert_int_equal(google_mask_parse(&a, "zz,b(c,d),*/x,a", &mask, NULL), 0);
    assert_int_equal(json_mask_each(mask, collect, &b), 0);
    assert_string_equal(buf_str(&b), "zz! b * a! ");
    buf_clear(&b);
    assert_int_equal(json_mask_each(json_mask_child(mask, "b", 1), collect, &b), 0);
    assert_string_equal(buf_str(&b), "c! d! x! ");
    assert_int_equal(google_mask_parse(&a, "a,stop,b", &mask, NULL), 0);
    buf_clear(&b);
    assert_int_equal(json_mask_each(mask, collect, &b), 7);
    assert_string_equal(buf_str(&b), "a! stop! ");
    assert_int_equal(json_mask_each(NULL, collect, &b), 0);
    buf_done(&b);
    arena_done(&a);
}

static void handlers_can_ask_what_is_wanted(void **state)
{
    struct json_writer w;
    struct arena a;
    const struct json_mask *mask;
    arena_init(&a, 0);
    assert_int_equal(google_mask_parse(&a, "items(id,start/date)", &mask, NULL), 0);
    begin(&w, false, mask);
    json_obj(&w, NULL);
    assert_true(json_wants(&w, "items"));
    assert_false(json_wants(&w, "kind"));
    json_arr(&w, "items");
    json_obj(&w, NULL);
    assert_true(json_wants(&w, "start"));
    assert_false(json_wants(&w, "end"));
    json_obj(&w, "end");
    assert_false(json_wants(&w, "id"));
    json_arr(&w, "x");
    json_int(&w, NULL, 1);
    json_end(&w);
    json_end(&w);
    json_obj(&w, "start");
    json_str(&w, "date", "d");
    json_str(&w, "zone", "z");
    json_end(&w);
    json_end(&w);
    json_end(&w);
    json_end(&w);
    assert_string_equal(written(), "{\"items\":[{\"start\":{\"date\":\"d\"}}]}");
    begin(&w, false, NULL);
    json_obj(&w, NULL);
    assert_true(json_wants(&w, "anything"));
    arena_done(&a);
}

static int setup(void **state)
{
    buf_init(&out, 0);
    return 0;
}

static int teardown(void **state)
{
    buf_done(&out);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_select),
        cmocka_unit_test(broken_masks_name_the_rest),
        cmocka_unit_test(masks_are_limited),
        cmocka_unit_test(masks_are_walked_in_order),
        cmocka_unit_test(handlers_can_ask_what_is_wanted),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
