/* SPDX-License-Identifier: Apache-2.0 */
/* The image of the empty world that the library carries is the one that an engine would make. */
#include "engine/world/image.h"
#include "engine/store/page_impl.h"
#include "engine/world/engine.h"
#include "tests/support/unit.h"
#include <stdlib.h>

/* The tables of an engine's cores, NULL-terminated, to be freed; and what they are called by. */
static const char **tables_of(const struct sosia_engine *e, uint64_t *ret_key)
{
    size_t n = 0;
    while (e->cores[n])
        n++;
    const char **tables = calloc(n + 1, sizeof *tables);
    assert_non_null(tables);
    *ret_key = 1;
    n = 0;
    for (const struct sosia_core **c = e->cores; *c; c++) {
        if (!(*c)->schema)
            continue;
        *ret_key = image_key((*c)->schema, *ret_key);
        tables[n++] = (*c)->schema;
    }
    return tables;
}

static void check_carried(const struct sosia_engine_options *options)
{
    struct sosia_engine *e;
    struct sosia_err err;
    uint64_t key;
    size_t made_size, size = 0;
    const char *schema;
    char read[COOKIE_KEY];
    sqlite3 *db;
    assert_int_equal(sosia_engine_open(options, &e, &err), 0);
    const char **tables = tables_of(e, &key);
    unsigned char *made = image_make(tables, WORLD_FORMAT, &db, &made_size);
    assert_non_null(made);
    if (carried_image.key && carried_image.sqlite == sqlite3_libversion_number()) {
        if (carried_image.key != key)
            fail_msg("the list of tables in engine/meson.build is not that of services/list.c");
        assert_true(image_carried(key, &size, &schema));
        assert_int_equal(size, made_size);
        unsigned char *image = malloc(size);
        memset(image, 0xa5, size);
        image_carried_write(image);
        assert_memory_equal(image, made, size);
        assert_int_equal(cookie_schema_of(made, made_size, read, &err), 0);
        assert_string_equal(schema, read);
        assert_int_equal(cookie_schema(e->empty.base, read, &err), 0);
        assert_string_equal(schema, read);
        free(image);
    }
    sqlite3_free(made);
    sqlite3_close(db);
    free(tables);
    assert_int_equal(sosia_engine_close(e), 0);
}

static void test_is_what_is_made(void **state)
{
    (void)state;
    struct sosia_engine_options with_fixture = {.mcp_fixture = true};
    check_carried(NULL);
    check_carried(&with_fixture);
}

static void test_other_tables_have_none(void **state)
{
    (void)state;
    size_t size;
    const char *schema;
    uint64_t key = image_key("create table meta (key text primary key, value text);", 1);
    assert_false(image_carried(key, &size, &schema));
    assert_int_equal(image_key("", key), key);
    assert_int_not_equal(image_key("a", image_key("b", 1)), image_key("b", image_key("a", 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_what_is_made),
        cmocka_unit_test(test_other_tables_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
