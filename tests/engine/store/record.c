/* SPDX-License-Identifier: Apache-2.0 */
/* Rows from pages are what statements give, or are left to statements. */
#include "engine/store/record.h"
#include "tests/engine/store/store_fixture.h"

#define THING_COLUMNS "t.last, t.id, t.small, t.wide, t.name, t.body"

static const char schema[] =
    "create table thing(id integer primary key, small integer, wide integer, name text, unused "
    "text,"
    " body text, last integer) strict;"
    /* Numbers of every size and sign, texts empty, null, with other characters, and long ones that
     * take other pages. */
    "insert into thing with recursive c(i) as (select 1 union all select i + 1 from c where i < "
    "4000)"
    "  select case i % 3 when 0 then i * 1000003 else i * 3 end, i % 5 - 2,"
    "  (1 << (i % 62)) * (1 - i % 7 % 2 * 2) - i % 3, nullif('n\xC3\xA9 ' || i, 'n\xC3\xA9 77'),"
    "  hex(zeroblob(i % 50)),"
    "  substr(hex(zeroblob(i * 7 % 3000)) || 'end', 1, case i % 11 when 0 then 0 else 6000 end),"
    "  nullif(i % 4, 3) from c;"
    "insert into thing values(-5, null, -9223372036854775808, '', null, null, 9223372036854775807);"
    "insert into thing values(9223372036854775807, 1, 0, 'last', null, hex(zeroblob(100000)), 1);"
    "create table pair(a integer, b text, primary key(a, b)) without rowid;"
    "create view seen as select id, name from thing;"
    "create table empty(id integer primary key);"
    "create table made(id integer primary key, a integer, b integer generated always as (a * 2));"
    "create table other(name text, id integer primary key);"
    "insert into other values('x', 7)";

static int setup(void **state)
{
    return fixture_open(state, NULL, schema);
}

static struct record_text thing = RECORD_TEXT("thing", THING_COLUMNS);

static void begin(struct fixture *f, struct tree *t, bool write)
{
    point(f->slot, t);
    assert_int_equal(slot_begin(f->slot, write, NULL), 0);
    assert_true(number(f->slot, "select count(*) from sqlite_schema") > 0);
}

static void same_text(const char *a, const char *b)
{
    assert_int_equal(a != NULL, b != NULL);
    if (a)
        assert_string_equal(a, b);
}

/* All rows of the table, and the ids beside them. Gives how many there are. */
static int compare_all(struct fixture *f)
{
    struct record r = {.arena = &f->arena};
    sqlite3_stmt *st;
    int n = 0;
    assert_int_equal(sqlite3_prepare_v2(slot_db(f->slot),
                                        "select " THING_COLUMNS
                                        ", exists (select 1 from thing b where b.id = t.id + 1) "
                                        "from thing t",
                                        -1, &st, NULL),
                     SQLITE_OK);
    for (; sqlite3_step(st) == SQLITE_ROW; n++) {
        int64_t id = sqlite3_column_int64(st, 1);
        assert_int_equal(record_find(f->slot, &thing, id, &r), 1);
        for (int i = 0; i < 4; i++)
            assert_int_equal(record_int(&r, (unsigned)i), sqlite3_column_int64(st, i));
        const char *body = record_text(&r, 5);
        same_text(record_text(&r, 4), (const char *)sqlite3_column_text(st, 4));
        same_text(body, (const char *)sqlite3_column_text(st, 5));
        same_text(record_text(&r, 5), body); /* once more */
        if (id < INT64_MAX)
            assert_int_equal(record_find(f->slot, &thing, id + 1, &r), sqlite3_column_int(st, 6));
    }
    assert_int_equal(sqlite3_finalize(st), SQLITE_OK);
    assert_int_equal(record_find(f->slot, &thing, INT64_MIN, &r), 0);
    return n;
}

static void rows_are_what_a_select_gives(void **state)
{
    struct fixture *f = *state;
    begin(f, &f->tree, false);
    assert_int_equal(compare_all(f), 4002);
    fixture_end(f);
}

static void changes_are_seen_in_their_own_version_only(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t,
            "delete from thing where id % 5 = 0; update thing set body = hex(zeroblob(id % 4000)), "
            "small = id where id % 3 = 1");
    begin(f, &t, false);
    int n = compare_all(f);
    fixture_end(f);
    assert_true(n > 3000 && n < 4002);
    begin(f, &f->tree, false);
    assert_int_equal(compare_all(f), 4002);
    fixture_end(f);
    tree_done(&t);
}

static void change(struct fixture *f, const char *sql)
{
    assert_int_equal(sqlite3_exec(slot_db(f->slot), sql, NULL, NULL, NULL), SQLITE_OK);
}

static void what_a_transaction_writes_is_left_to_statements(void **state)
{
    struct fixture *f = *state;
    struct record r = {.arena = &f->arena};
    assert_false(record_can(f->slot)); /* pointed at nothing */
    point(f->slot, &f->tree);
    assert_int_equal(slot_begin(f->slot, false, NULL), 0);
    assert_int_equal(record_find(f->slot, &thing, 3, &r), 1); /* before any statement */
    fixture_end(f);
    begin(f, &f->tree, true);
    assert_int_equal(record_find(f->slot, &thing, 3, &r), 1); /* before anything is written */
    change(f, "savepoint a");
    assert_int_equal(record_find(f->slot, &thing, 3, &r), 1);
    change(f, "update thing set small = 77 where id = 3");
    assert_false(record_can(f->slot));
    assert_int_equal(record_find(f->slot, &thing, 3, &r), RECORD_STATEMENT);
    change(f, "rollback to a; release a");
    assert_int_equal(record_find(f->slot, &thing, 3, &r), RECORD_STATEMENT);
    fixture_end(f);
    point(f->slot, &f->tree);
    assert_int_equal(slot_begin(f->slot, true, NULL), 0);
    change(f, "update thing set small = 77 where id = 3");
    assert_int_equal(slot_commit(f->slot, NULL), 0);
    assert_int_equal(record_find(f->slot, &thing, 3, &r), 1); /* as it is now */
    assert_int_equal(record_int(&r, 2), 77);
    fixture_end(f);
    slot_use_records(f->slot, false);
    begin(f, &f->tree, false);
    assert_int_equal(record_find(f->slot, &thing, 3, &r), RECORD_STATEMENT);
    slot_use_records(f->slot, true);
    assert_int_equal(record_find(f->slot, &thing, 3, &r), 1);
    fixture_end(f);
}

/* Rows of pages that a transaction has not changed are found in it, unless they go on on others;
 * where it has changed many pages none is. */
static void rows_beside_a_change_are_found(void **state)
{
    struct fixture *f = *state;
    struct record r = {.arena = &f->arena};
    int found = 0, left = 0, long_ones = 0;
    sqlite3_stmt *st;
    begin(f, &f->tree, true);
    change(f, "update thing set small = 77 where id in (3, 9, 3000009)");
    assert_false(record_can(f->slot));
    assert_int_equal(sqlite3_prepare_v2(slot_db(f->slot),
                                        "select id, small, length(body) from thing", -1, &st, NULL),
                     SQLITE_OK);
    while (sqlite3_step(st) == SQLITE_ROW) {
        int got = record_find(f->slot, &thing, sqlite3_column_int64(st, 0), &r);
        found += got == 1;
        left += got == RECORD_STATEMENT;
        long_ones += sqlite3_column_int(st, 2) > 3000;
        if (got == 1)
            assert_int_equal(record_int(&r, 2), sqlite3_column_int64(st, 1));
        if (sqlite3_column_int(st, 1) == 77 || sqlite3_column_int(st, 2) > 3000)
            assert_int_equal(got, RECORD_STATEMENT);
    }
    assert_int_equal(sqlite3_finalize(st), SQLITE_OK);
    assert_int_equal(record_find(f->slot, &thing, INT64_MAX - 1, &r), 0);
    assert_true(found > 500 && left > long_ones && long_ones > 500);
    change(f, "update thing set unused = 'x' where id < 3000");
    assert_int_equal(record_find(f->slot, &thing, INT64_MAX - 1, &r), RECORD_STATEMENT);
    fixture_end(f);
}

static struct record_text empty = RECORD_TEXT("empty", "id");

static void that_a_table_is_empty_is_known_after_writes(void **state)
{
    struct fixture *f = *state;
    struct record_text missing = RECORD_TEXT("missing", "id");
    assert_false(record_none(f->slot, &empty)); /* pointed at no tree */
    begin(f, &f->tree, true);
    assert_true(record_none(f->slot, &empty));
    assert_false(record_none(f->slot, &thing));
    assert_false(record_none(f->slot, &missing));
    change(f, "update thing set small = 77 where id = 3");
    assert_true(record_none(f->slot, &empty)); /* others were changed */
    change(f, "savepoint a; insert into empty values (1)");
    assert_false(record_none(f->slot, &empty));
    change(f, "rollback to a; release a");
    assert_false(record_none(f->slot, &empty)); /* it can't be said */
    fixture_end(f);
    begin(f, &f->tree, true);
    change(f, "insert into empty values (1)");
    assert_int_equal(slot_commit(f->slot, NULL), 0);
    fixture_end(f);
    begin(f, &f->tree, true);
    assert_false(record_none(f->slot, &empty));
    change(f, "delete from empty");
    assert_false(record_none(f->slot, &empty)); /* it can't be said */
    assert_int_equal(slot_commit(f->slot, NULL), 0);
    fixture_end(f);
    begin(f, &f->tree, true);
    assert_true(record_none(f->slot, &empty));
    change(f, "update thing set unused = 'x' || id"); /* many pages */
    assert_false(record_none(f->slot, &empty));
    fixture_end(f);
    begin(f, &f->tree, false);
    assert_true(record_none(f->slot, &empty));
    slot_use_records(f->slot, false);
    assert_false(record_none(f->slot, &empty));
    slot_use_records(f->slot, true);
    fixture_end(f);
}

static void a_plan_belongs_to_a_schema(void **state)
{
    struct fixture *f = *state;
    struct record r = {.arena = &f->arena};
    struct tree t;
    begin(f, &f->tree, false);
    assert_int_equal(record_find(f->slot, &thing, 3, &r), 1);
    assert_int_equal(record_int(&r, 1), 3);
    fixture_end(f);
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t,
            "drop table thing; create table filler(a);"
            "create table thing(body text, name text, wide integer, small integer, last integer, "
            "id integer primary key);"
            "insert into thing values('b', 'n', 1, 2, 70000, 3)");
    for (int i = 0; i < 3; i++) {
        begin(f, &t, false);
        assert_int_equal(record_find(f->slot, &thing, 3, &r), 1);
        assert_int_equal(record_int(&r, 0), 70000);
        assert_int_equal(record_int(&r, 1), 3);
        assert_string_equal(record_text(&r, 4), "n");
        fixture_end(f);
        begin(f, &f->tree, false);
        assert_int_equal(record_find(f->slot, &thing, 3, &r), 1);
        assert_int_equal(record_int(&r, 0), 1);
        fixture_end(f);
    }
    tree_done(&t);
}

static void what_is_out_of_the_ordinary_is_left_to_statements(void **state)
{
    struct fixture *f = *state;
    static struct record_text texts[] = {
        RECORD_TEXT("pair", "a, b"),      RECORD_TEXT("seen", "id, name"),
        RECORD_TEXT("made", "id, a"),     RECORD_TEXT("thing", "id, nothing"),
        RECORD_TEXT("nothing", "id"),     RECORD_TEXT("sqlite_schema", "name"),
        RECORD_TEXT("thing", "id, id_x"), RECORD_TEXT("other", "o.id, o.name"),
    };
    size_t n = SOSIA_LEN(texts);
    struct record r = {.arena = &f->arena};
    begin(f, &f->tree, false);
    for (size_t i = 0; i + 1 < n; i++)
        assert_int_equal(record_find(f->slot, &texts[i], 7, &r), RECORD_STATEMENT);
    assert_int_equal(record_find(f->slot, &texts[n - 1], 7, &r), 1);
    assert_int_equal(record_int(&r, 0), 7);
    assert_string_equal(record_text(&r, 1), "x");
    fixture_end(f);
    /* A row from before a column was added: its value is the column's default. */
    struct tree t;
    static struct record_text added = RECORD_TEXT("other", "id, more");
    tree_fork(&f->tree, &t);
    exec_on(
        f->slot, &t,
        "alter table other add column more integer default 9; insert into other values('y', 8, 1)");
    begin(f, &t, false);
    assert_int_equal(record_find(f->slot, &added, 7, &r), RECORD_STATEMENT);
    assert_int_equal(record_find(f->slot, &added, 8, &r), 1);
    assert_int_equal(record_int(&r, 1), 1);
    fixture_end(f);
    tree_done(&t);
}

/* Whatever the bytes: a result, or none, and an end. */
static void broken_pages_are_left_to_statements(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 11;
    size_t len = (size_t)f->tree.n_pages * STORE_PAGE_SIZE;
    int left = 0, found = 0;
    for (int round = 0; round < 60; round++) {
        struct tree t;
        if (!damaged_tree(f, &seed, round, 5, 400, &t))
            continue;
        begin(f, &t, false);
        for (int k = 0; k < 300; k++) {
            struct record r = {.arena = &f->arena};
            int64_t id = (int64_t)(random_next(&seed) % 4000);
            int got = record_find(f->slot, &thing, k % 2 ? id * 3 : id * 1000003, &r);
            left += got == RECORD_STATEMENT;
            found += got == 1;
            for (unsigned c = 0; got == 1 && c < 6; c++) {
                record_int(&r, c);
                const char *text = record_text(&r, c);
                assert_true(!text || strlen(text) < len);
            }
        }
        fixture_end(f);
        tree_done(&t);
        arena_reset(&f->arena);
    }
    assert_true(left > 100 && found > 100);
}

int main(void)
{
#define ON(test) cmocka_unit_test_setup_teardown(test, setup, fixture_close)
    const struct CMUnitTest tests[] = {
        ON(rows_are_what_a_select_gives),
        ON(changes_are_seen_in_their_own_version_only),
        ON(what_a_transaction_writes_is_left_to_statements),
        ON(rows_beside_a_change_are_found),
        ON(that_a_table_is_empty_is_known_after_writes),
        ON(a_plan_belongs_to_a_schema),
        ON(what_is_out_of_the_ordinary_is_left_to_statements),
        ON(broken_pages_are_left_to_statements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
