/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of indexes from pages are what statements give in their order. */
#include "engine/store/scan.h"
#include "tests/engine/store/store_fixture.h"

static const char schema[] =
    "create table thing(id integer primary key, kind integer, name text, at integer, more text, "
    "odd text collate nocase) strict;"
    "create index thing_name on thing(kind, name, at);"
    "create index thing_more on thing(more, kind);" /* entries that go on on other pages */
    "create index thing_down on thing(kind desc);"
    "create index thing_odd on thing(odd);"
    "create index thing_sum on thing(kind + at);"
    "create table pair(a integer, b integer, c integer, primary key(a, b)) without rowid;"
    "create index pair_c on pair(c);"
    "create table named(id integer primary key, path blob unique, n integer) strict;"
    "insert into named with recursive c(i) as (select 1 union all select i + 1 from c where i < "
    "3000) select i, cast('d' || (i % 30) || '/f' || i || substr(hex(zeroblob(300)), 1, i % 250) "
    "as blob), i * 5 from c;"
    "create table mixed(id integer primary key, v any unique) strict;"
    "insert into mixed values (1, null), (2, -7), (3, 12), (4, 'b'), (5, x'62'), (6, x''), (7, ''),"
    " (8, x'6200'), (9, x'6163'), (10, 'ba');"
    "create table odd_pair(a text collate nocase primary key, b integer) without rowid;"
    "insert into pair with recursive c(i) as (select 1 union all select i + 1 from c where i < "
    "2000)"
    "  select i % 40, i, i * 7 from c;"
    "insert into thing with recursive c(i) as (select 1 union all select i + 1 from c where i < "
    "6000)"
    "  select i * 3, case i % 11 when 0 then null else i % 7 - 3 end,"
    "  case i % 13 when 0 then null when 1 then '' else 'n' || (i * 7919 % 500) || 'é' end,"
    "  (i * 7919 % 1000 - 500) * (1 << (i % 50)), hex(zeroblob(i * 7919 % 900)), 'x' from c";

static int setup(void **state)
{
    return fixture_open(state, NULL, schema);
}

static struct record_text by_name = INDEX_TEXT("thing_name", "rowid, at, name, kind");

/* One scan against its statement; skip: so many are passed over in both. Gives how many were there.
 */
static int compare(struct fixture *f, enum scan_start start, int same, int64_t kind,
                   const char *name, int64_t at, int n, size_t skip)
{
    static const char *const texts[2][3] = {
        {"select id, at, name, kind from thing where kind = ?1 order by kind, name, at, id",
         "select id, at, name, kind from thing where kind = ?1 and name >= ?2 "
         "order by kind, name, at, id",
         "select id, at, name, kind from thing where kind = ?1 and (name, at) >= (?2, ?3) "
         "order by kind, name, at, id"},
        {NULL,
         "select id, at, name, kind from thing where kind = ?1 and name > ?2 "
         "order by kind, name, at, id",
         "select id, at, name, kind from thing where kind = ?1 and (name, at) > (?2, ?3) "
         "order by kind, name, at, id"}};
    const struct sql_value key[] = {sql_of_int(kind), sql_of_string(name), sql_of_int(at)};
    struct scan s;
    sqlite3_stmt *st;
    int found = 0;
    const char *text = texts[start == SCAN_AFTER][n - 1];
    assert_int_equal(sqlite3_prepare_v2(slot_db(f->slot), text, -1, &st, NULL), SQLITE_OK);
    for (int i = 0; i < n; i++)
        sql_bind(st, i + 1, key[i]);
    assert_int_equal(scan_open(f->slot, &by_name, start, same, key, n, &f->arena, &s), 1);
    scan_skip(&s, skip);
    int rc = SQLITE_ROW;
    for (size_t i = 0; i <= skip && rc == SQLITE_ROW; i++)
        rc = sqlite3_step(st);
    for (; rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        const char *want = (const char *)sqlite3_column_text(st, 2);
        assert_int_equal(scan_next(&s), 1);
        assert_int_equal(record_int(&s.entry, 0), sqlite3_column_int64(st, 0));
        assert_int_equal(record_int(&s.entry, 1), sqlite3_column_int64(st, 1));
        const char *got = record_text(&s.entry, 2);
        assert_int_equal(got != NULL, want != NULL);
        if (got)
            assert_string_equal(got, want);
        assert_int_equal(record_int(&s.entry, 3), kind);
        found++;
    }
    assert_int_equal(scan_next(&s), 0);
    assert_int_equal(scan_next(&s), 0);
    sqlite3_finalize(st);
    return found;
}

static int compare_some(struct fixture *f, uint64_t *seed)
{
    static const int64_t kinds[] = {-4, -3, -2, 0, 1, 3, 4, INT64_MIN, INT64_MAX};
    int found = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        found += compare(f, SCAN_FROM, 1, kinds[k], "", 0, 1, 0);
        compare(f, SCAN_FROM, 1, kinds[k], "", 0, 1, 700);
        for (int i = 0; i < 12; i++) {
            char name[32];
            snprintf(name, sizeof name, "n%d%s", (int)(random_next(seed) % 500),
                     i % 3   ? "é"
                     : i % 2 ? ""
                             : "z");
            int64_t at = (int64_t)(random_next(seed) % 1000000) - 500000;
            enum scan_start start = i % 2 ? SCAN_AFTER : SCAN_FROM;
            compare(f, start, 1, kinds[k], name, at, 2 + i / 2 % 2, 0);
            compare(f, start, 1, kinds[k], i ? name : "", at, 2, random_next(seed) % 300);
        }
    }
    return found;
}

static void entries_are_what_a_select_gives(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    uint64_t seed = 5;
    fixture_begin(f, &f->tree);
    assert_true(compare_some(f, &seed) > 3500);
    fixture_end(f);
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t,
            "delete from thing where id % 5 = 0; update thing set name = 'n' || id, at = -id where "
            "id % 4 = 1");
    fixture_begin(f, &t);
    assert_true(compare_some(f, &seed) > 2500);
    fixture_end(f);
    fixture_begin(f, &f->tree);
    assert_true(compare_some(f, &seed) > 3500);
    fixture_end(f);
    tree_done(&t);
}

static void long_entries_are_read_whole(void **state)
{
    struct fixture *f = *state;
    static struct record_text q = INDEX_TEXT("thing_more", "more, rowid, kind");
    const struct sql_value key[] = {sql_of_string("")};
    sqlite3_stmt *st;
    struct scan s;
    fixture_begin(f, &f->tree);
    assert_int_equal(
        sqlite3_prepare_v2(slot_db(f->slot),
                           "select more, id from thing where more > '' order by more, kind, id", -1,
                           &st, NULL),
        SQLITE_OK);
    assert_int_equal(scan_open(f->slot, &q, SCAN_AFTER, 0, key, 1, &f->arena, &s), 1);
    while (sqlite3_step(st) == SQLITE_ROW) {
        assert_int_equal(scan_next(&s), 1);
        assert_string_equal(record_text(&s.entry, 0), (const char *)sqlite3_column_text(st, 0));
        assert_int_equal(record_int(&s.entry, 1), sqlite3_column_int64(st, 1));
    }
    assert_int_equal(scan_next(&s), 0);
    sqlite3_finalize(st);
    fixture_end(f);
}

static void a_row_is_found_by_its_entry(void **state)
{
    struct fixture *f = *state;
    static struct record_text index = INDEX_TEXT("thing_name", "rowid"),
                              table = RECORD_TEXT("thing", "id, name, at");
    struct record r = {.arena = &f->arena};
    fixture_begin(f, &f->tree);
    int64_t id = number(f->slot, "select id from thing where kind = 2 and name is not null "
                                 "order by kind, name, at limit 1 offset 40"),
            at = number(f->slot, "select at from thing where kind = 2 and name is not null "
                                 "order by kind, name, at limit 1 offset 40");
    assert_int_equal(record_find(f->slot, &table, id, &r), 1);
    const char *name = record_text(&r, 1);
    const struct sql_value key[] = {sql_of_int(2), sql_of_string(name), sql_of_int(at)};
    const struct sql_value none[] = {sql_of_int(2), sql_of_string("nothing"), sql_of_int(at)};
    assert_int_equal(scan_row(f->slot, &index, &table, key, 3, &r), 1);
    assert_int_equal(record_int(&r, 0), id);
    assert_int_equal(scan_row(f->slot, &index, &table, none, 3, &r), 0);
    fixture_end(f);
}

static struct record_text of_path = {.table = "named",
                                     .columns = "rowid",
                                     .is_index = true,
                                     .key = "path = ?1"},
                          named = RECORD_TEXT("named", "id, n");

static int find_named(struct fixture *f, int64_t id, bool there, struct record *r)
{
    static char text[700];
    snprintf(
        text, sizeof text, "d%lld/f%lld%.*s%s", (long long)(id % 30), (long long)id,
        (int)(id % 250),
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
        there ? "" : "x");
    const struct sql_value key = sql_blob(text, strlen(text));
    return scan_row(f->slot, &of_path, &named, &key, 1, r);
}

/* Short keys and long ones, those of the first entry and the last, and what is between two. */
static void blobs_are_keys(void **state)
{
    struct fixture *f = *state;
    struct record r = {.arena = &f->arena};
    fixture_begin(f, &f->tree);
    for (int64_t id = 1; id <= 3000; id++) {
        assert_int_equal(find_named(f, id, true, &r), 1);
        assert_int_equal(record_int(&r, 0), id);
        assert_int_equal(record_int(&r, 1), id * 5);
        assert_int_equal(find_named(f, id, false, &r), 0);
    }
    assert_int_equal(find_named(f, 3001, true, &r), 0);
    fixture_end(f);
}

static void values_of_other_types_differ(void **state)
{
    struct fixture *f = *state;
    static struct record_text index = {.table = "mixed",
                                       .columns = "rowid",
                                       .is_index = true,
                                       .key = "v = ?1"},
                              table = RECORD_TEXT("mixed", "id");
    const struct {
        struct sql_value v;
        int64_t id;
    } all[] = {
        {sql_of_int(-7), 2},     {sql_of_int(12), 3},        {sql_of_string("b"), 4},
        {sql_blob("b", 1), 5},   {sql_blob("", 0), 6},       {sql_of_string(""), 7},
        {sql_blob("b\0", 2), 8}, {sql_blob("ac", 2), 9},     {sql_of_string("ba"), 10},
        {sql_of_int(11), 0},     {sql_of_string("ac"), 0},   {sql_blob("ba", 2), 0},
        {sql_blob("zz", 2), 0},  {sql_of_int(INT64_MIN), 0},
    };
    struct record r = {.arena = &f->arena};
    const struct sql_value real = sql_of_real(1.5);
    fixture_begin(f, &f->tree);
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        assert_int_equal(scan_row(f->slot, &index, &table, &all[i].v, 1, &r), all[i].id != 0);
        if (all[i].id)
            assert_int_equal(record_int(&r, 0), all[i].id);
    }
    assert_int_equal(scan_row(f->slot, &index, &table, &real, 1, &r), RECORD_STATEMENT);
    fixture_end(f);
}

/* Behind a change the pages that it did not take are read, and those that it did are not. */
static void rows_are_found_beside_changes(void **state)
{
    struct fixture *f = *state;
    struct record r = {.arena = &f->arena};
    int found = 0, left = 0;
    point(f->slot, &f->tree);
    assert_int_equal(slot_begin(f->slot, true, NULL), 0);
    assert_int_equal(sqlite3_exec(slot_db(f->slot),
                                  "savepoint a; update named set n = 1 where id in (7, 2900);"
                                  "delete from named where id between 1500 and 1503",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    for (int64_t id = 1; id <= 3000; id++) {
        int got = find_named(f, id, true, &r);
        left += got == RECORD_STATEMENT;
        found += got == 1;
        if (got == 1)
            assert_int_equal(record_int(&r, 1), id * 5);
        assert_true(got != 0);
        if (id == 7 || id == 2900 || (id >= 1500 && id <= 1503))
            assert_int_equal(got, RECORD_STATEMENT);
        got = find_named(f, id, false, &r);
        assert_true(got == 0 || got == RECORD_STATEMENT);
    }
    assert_true(left > 6 && found > 1000);
    assert_int_equal(sqlite3_exec(slot_db(f->slot), "rollback to a; release a", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(find_named(f, 7, true, &r), RECORD_STATEMENT); /* it can't be said */
    slot_rollback(f->slot);
    assert_int_equal(find_named(f, 7, true, &r), 1);
    fixture_end(f);
}

/* Such a table is an index of its key, with the other columns behind it. */
static void a_table_without_rowids_is_an_index(void **state)
{
    struct fixture *f = *state;
    static struct record_text pair = INDEX_TEXT("pair", "c, b, a");
    struct scan s;
    fixture_begin(f, &f->tree);
    for (int64_t a = -1; a <= 40; a++) {
        const struct sql_value key[] = {sql_of_int(a), sql_of_int(1000)};
        int left = a >= 0 && a < 40 ? 25 + !a : 0;
        assert_int_equal(scan_open(f->slot, &pair, SCAN_FROM, 1, key, 2, &f->arena, &s), 1);
        for (int64_t b = a ? 1000 + a : 1000; left; b += 40, left--) {
            assert_int_equal(scan_next(&s), 1);
            assert_int_equal(record_int(&s.entry, 0), b * 7);
            assert_int_equal(record_int(&s.entry, 1), b);
            assert_int_equal(record_int(&s.entry, 2), a);
        }
        assert_int_equal(scan_next(&s), 0);
    }
    fixture_end(f);
}

static void what_is_not_in_plain_order_is_left_to_statements(void **state)
{
    struct fixture *f = *state;
    static struct record_text texts[] = {
        INDEX_TEXT("thing_down", "rowid"), INDEX_TEXT("thing_odd", "rowid"),
        INDEX_TEXT("thing_sum", "rowid"),  INDEX_TEXT("pair_c", "c"),
        INDEX_TEXT("odd_pair", "b"),       INDEX_TEXT("nothing", "rowid"),
        INDEX_TEXT("thing", "id"),         INDEX_TEXT("thing_name", "more"),
        INDEX_TEXT("thing_name", "kind")};
    const struct sql_value key[] = {sql_of_int(1)}, null[] = {sql_null()},
                           real[] = {sql_of_real(1)};
    size_t last = sizeof texts / sizeof texts[0] - 1;
    struct scan s;
    fixture_begin(f, &f->tree);
    for (size_t i = 0; i < last; i++)
        assert_int_equal(scan_open(f->slot, &texts[i], SCAN_FROM, 1, key, 1, &f->arena, &s),
                         RECORD_STATEMENT);
    struct record_text *good = &texts[last];
    assert_int_equal(scan_open(f->slot, good, SCAN_FROM, 1, key, 1, &f->arena, &s), 1);
    assert_int_equal(scan_open(f->slot, good, SCAN_FROM, 1, null, 1, &f->arena, &s),
                     RECORD_STATEMENT);
    assert_int_equal(scan_open(f->slot, good, SCAN_FROM, 1, real, 1, &f->arena, &s),
                     RECORD_STATEMENT);
    fixture_end(f);
}

/* Whatever the bytes: entries, none or a refusal, and an end. */
static void broken_pages_come_to_an_end(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 17;
    int refused = 0, broken = 0, whole = 0;
    for (int round = 0; round < 60; round++) {
        struct tree t;
        if (!damaged_tree(f, &seed, round, 8, 200, &t))
            continue;
        fixture_begin(f, &t);
        for (int kind = -3; kind < 4; kind++) {
            const struct sql_value key[] = {sql_of_int(kind)};
            struct scan s;
            int r = scan_open(f->slot, &by_name, SCAN_FROM, 1, key, 1, &f->arena, &s);
            refused += r != 1;
            for (int n = 0; r == 1 && (r = scan_next(&s)) == 1; n++)
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
        ON(entries_are_what_a_select_gives),
        ON(long_entries_are_read_whole),
        ON(a_row_is_found_by_its_entry),
        ON(blobs_are_keys),
        ON(values_of_other_types_differ),
        ON(rows_are_found_beside_changes),
        ON(a_table_without_rowids_is_an_index),
        ON(what_is_not_in_plain_order_is_left_to_statements),
        ON(broken_pages_come_to_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
