/* SPDX-License-Identifier: Apache-2.0 */
/* Rows from pages are what statements give in the order of their rowids and backwards. */
#include "engine/store/cursor.h"
#include "tests/engine/store/store_fixture.h"

static const char schema[] =
    "create table thing(id integer primary key, name text, n integer) strict;"
    "create table none(id integer primary key, name text) strict;"
    "create table pair(a integer, b integer, primary key(a, b)) without rowid;"
    "insert into thing with recursive c(i) as (select -3000 union all select i + 1 from c where "
    "i < 3000) select i * 5 + i % 3, hex(zeroblob((i + 3000) * 7919 % 700)) || case when "
    "i % 500 = 0 then hex(zeroblob(9000)) else '' end, i from c;"
    "insert into thing values (-9223372036854775807 - 1, 'first', 1), "
    "(9223372036854775807, 'last', 2)";

static struct record_text thing = RECORD_TEXT("thing", "name, id, n");

static int setup(void **state)
{
    return fixture_open(state, NULL, schema);
}

/* One cursor against its statement, so many rows at most. Gives how many there were. */
static int compare(struct fixture *f, int64_t from, bool down, int max)
{
    struct table_cursor cur;
    sqlite3_stmt *st;
    int found = 0;
    const char *text = down ? "select name, id, n from thing where id <= ?1 order by id desc"
                            : "select name, id, n from thing where id >= ?1 order by id";
    assert_int_equal(sqlite3_prepare_v2(slot_db(f->slot), text, -1, &st, NULL), SQLITE_OK);
    sqlite3_bind_int64(st, 1, from);
    assert_int_equal(cursor_open(f->slot, &thing, from, down, &f->arena, &cur), 1);
    while (found < max && sqlite3_step(st) == SQLITE_ROW) {
        assert_int_equal(cursor_next(&cur), 1);
        assert_int_equal(record_int(&cur.row, 1), sqlite3_column_int64(st, 1));
        assert_int_equal(record_int(&cur.row, 2), sqlite3_column_int64(st, 2));
        assert_string_equal(record_text(&cur.row, 0), (const char *)sqlite3_column_text(st, 0));
        found++;
    }
    if (found < max) {
        assert_int_equal(cursor_next(&cur), 0);
        assert_int_equal(cursor_next(&cur), 0);
    }
    sqlite3_finalize(st);
    return found;
}

static void compare_some(struct fixture *f, int rows)
{
    uint64_t seed = 3;
    assert_int_equal(compare(f, INT64_MIN, false, INT32_MAX), rows);
    assert_int_equal(compare(f, INT64_MAX, true, INT32_MAX), rows);
    assert_int_equal(compare(f, INT64_MIN, true, INT32_MAX), 1);
    assert_int_equal(compare(f, INT64_MAX, false, INT32_MAX), 1);
    for (int i = 0; i < 600; i++)
        compare(f, (int64_t)(random_next(&seed) % 32000) - 16000, i % 2, 30);
}

static void rows_are_what_a_select_gives(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    fixture_begin(f, &f->tree);
    compare_some(f, 6003);
    fixture_end(f);
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t,
            "delete from thing where id between 200 and 9000 or id % 9 = 0; "
            "insert into thing values (500, 'new', 3)");
    fixture_begin(f, &t);
    compare_some(f, (int)number(f->slot, "select count(*) from thing"));
    fixture_end(f);
    tree_done(&t);
}

static void what_is_no_ordinary_table_is_left_to_statements(void **state)
{
    struct fixture *f = *state;
    static struct record_text none = RECORD_TEXT("none", "name"), pair = RECORD_TEXT("pair", "a"),
                              nothing = RECORD_TEXT("nothing", "a");
    struct table_cursor cur;
    fixture_begin(f, &f->tree);
    for (int down = 0; down < 2; down++) {
        assert_int_equal(cursor_open(f->slot, &none, 0, down, &f->arena, &cur), 1);
        assert_int_equal(cursor_next(&cur), 0);
    }
    assert_int_equal(cursor_open(f->slot, &pair, 0, false, &f->arena, &cur), RECORD_STATEMENT);
    assert_int_equal(cursor_open(f->slot, &nothing, 0, false, &f->arena, &cur), RECORD_STATEMENT);
    fixture_end(f);
}

/* Whatever the bytes: rows, none or a refusal, and an end. */
static void broken_pages_come_to_an_end(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 17;
    int refused = 0, broken = 0, whole = 0;
    for (int round = 0; round < 60; round++) {
        struct tree t;
        if (!damaged_tree(f, &seed, round, 5, 30, &t))
            continue;
        fixture_begin(f, &t);
        for (int i = 0; i < 8; i++) {
            struct table_cursor cur;
            int r = cursor_open(f->slot, &thing, i * 4000 - 16000, i % 2, &f->arena, &cur);
            refused += r != 1;
            for (int n = 0; r == 1 && (r = cursor_next(&cur)) == 1; n++)
                assert_true(n < 1000000);
            broken += r < 0;
            whole += r == 0;
        }
        fixture_end(f);
        tree_done(&t);
        arena_reset(&f->arena);
    }
    assert_true(refused + broken > 20 && whole > 20);
}

int main(void)
{
#define ON(test) cmocka_unit_test_setup_teardown(test, setup, fixture_close)
    const struct CMUnitTest tests[] = {
        ON(rows_are_what_a_select_gives),
        ON(what_is_no_ordinary_table_is_left_to_statements),
        ON(broken_pages_come_to_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
