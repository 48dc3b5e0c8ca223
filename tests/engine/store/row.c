/* SPDX-License-Identifier: Apache-2.0 */
/* A row is the same from the pages and from a statement, by its id and by a key. */
#include "engine/store/row.h"
#include "tests/engine/store/store_fixture.h"

#define COLUMNS "t.id, t.small, wide, t.name, body, t.raw"

static const char schema[] =
    "create table thing(id integer primary key, small integer, wide integer, name text not null, "
    "body text, raw blob, unique (name, small)) strict;"
    "create index thing_wide on thing(wide);"
    "create index thing_part on thing(body) where small = 1;"
    "create index thing_raw on thing(raw) where raw is not null;"
    "insert into thing with recursive c(i) as (select 1 union all select i + 1 from c where i < "
    "300)"
    " select i, i % 4 - 1, (1 << (i % 62)) * (1 - i % 7 % 2 * 2), 'n\xC3\xA9 ' || (i / 4),"
    " substr(hex(zeroblob(i * 29)), 1, case i % 11 when 0 then 0 else 9000 end),"
    " case i % 3 when 0 then null else zeroblob(i % 50) end from c;"
    "insert into thing values(-5, null, -9223372036854775808, '', null, x'');";

static struct row_table thing = ROW_TABLE("thing", "t", COLUMNS);
static struct row_key by_name = ROW_KEY("thing", "t", COLUMNS, "name = ?1 and small = ?2");
static struct row_key by_wide = ROW_KEY("thing", "t", COLUMNS, "wide = ?1");
static struct row_key by_raw = ROW_KEY("thing", "t", COLUMNS, "raw = ?1");
static struct row_key by_body = ROW_KEY("thing", "t", COLUMNS, "body = ?1");

static int setup(void **state)
{
    return fixture_open(state, NULL, schema);
}

/* A transaction that has written has rows from statements alone. */
static void begin(struct fixture *f, bool written)
{
    point(f->slot, &f->tree);
    assert_int_equal(slot_begin(f->slot, written, NULL), 0);
    assert_true(number(f->slot, "select count(*) from sqlite_schema") > 0);
    if (written)
        assert_int_equal(sqlite3_exec(slot_db(f->slot), "create table written(a)", 0, 0, 0), 0);
    assert_int_equal(record_can(f->slot), !written);
}

struct seen {
    int64_t numbers[3];
    const char *name, *body, *raw;
    size_t raw_len;
};

static struct seen keep(struct fixture *f, struct record *r)
{
    struct seen s = {{record_int(r, 0), record_int(r, 1), record_int(r, 2)}};
    const char *name = record_text(r, 3), *body = record_text(r, 4);
    const char *raw = record_blob(r, 5, &s.raw_len);
    s.name = arena_strdup(&f->arena, name);
    s.body = body ? arena_strdup(&f->arena, body) : NULL;
    s.raw = raw ? arena_memdup(&f->arena, raw, s.raw_len) : NULL;
    return s;
}

static void same(const struct seen *a, const struct seen *b)
{
    assert_memory_equal(a->numbers, b->numbers, sizeof a->numbers);
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->body != NULL, b->body != NULL);
    if (a->body)
        assert_string_equal(a->body, b->body);
    assert_int_equal(a->raw != NULL, b->raw != NULL);
    assert_int_equal(a->raw_len, b->raw_len);
    if (a->raw)
        assert_memory_equal(a->raw, b->raw, a->raw_len);
}

static void rows_are_the_same_from_pages_and_statements(void **state)
{
    struct fixture *f = *state;
    struct record r = {.arena = &f->arena};
    struct sosia_err err;
    static struct seen pages[301][3], statements[301][3];
    for (int written = 0; written < 2; written++) {
        begin(f, written);
        for (int i = 0; i < 301; i++) {
            struct seen *to = (written ? statements : pages)[i];
            int64_t id = i ? i : -5;
            assert_int_equal(row_by_id(f->slot, &err, &thing, 301, &r), 0);
            assert_int_equal(row_by_id(f->slot, &err, &thing, id, &r), 1);
            to[0] = keep(f, &r);
            assert_int_equal(to[0].numbers[0], id);
            if (id < 0)
                continue;
            struct sql_value key[] = {sql_of_string(to[0].name), sql_of_int(to[0].numbers[1])};
            assert_int_equal(row_by_key(f->slot, &err, &by_name, key, 2, &r), 1);
            to[1] = keep(f, &r);
            key[0] = sql_of_int(to[0].numbers[2]);
            assert_int_equal(row_by_key(f->slot, &err, &by_wide, key, 1, &r), 1);
            to[2] = keep(f, &r);
        }
        fixture_end(f);
    }
    same(&pages[0][0], &statements[0][0]);
    for (int i = 1; i < 301; i++)
        for (int k = 0; k < 3; k++)
            same(&pages[i][k], &statements[i][k]);
    same(&pages[7][0], &pages[7][1]);
}

static void the_engine_finds_the_index_of_a_key(void **state)
{
    struct fixture *f = *state;
    struct record r = {.arena = &f->arena};
    struct sosia_err err;
    const struct sql_value none = sql_of_string("nowhere");
    begin(f, false);
    assert_true(record_root(f->slot, &by_name.index) > 0);
    assert_true(record_root(f->slot, &by_wide.index) > 0);
    assert_true(record_root(f->slot, &by_name.index) != record_root(f->slot, &by_wide.index));
    /* An index of some rows alone is not one of the table, but for those that a key can't find. */
    assert_true(record_root(f->slot, &by_raw.index) > 0);
    assert_int_equal(record_root(f->slot, &by_body.index), 0);
    assert_int_equal(row_by_key(f->slot, &err, &by_body, &none, 1, &r), 0);
    const struct sql_value body = sql_of_string("0000");
    assert_int_equal(row_by_key(f->slot, &err, &by_body, &body, 1, &r), 0);
    fixture_end(f);
}

static void a_statement_that_fails_says_why(void **state)
{
    static struct row_table wrong = ROW_TABLE("nothing", "n", "n.id");
    struct fixture *f = *state;
    struct record r = {.arena = &f->arena};
    struct sosia_err err = {0};
    begin(f, false);
    assert_int_equal(row_by_id(f->slot, &err, &wrong, 1, &r), -1);
    assert_int_not_equal(err.code, SOSIA_E_OK);
    assert_int_equal(row_next(f->slot, &err, NULL, &r), -1);
    fixture_end(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_the_same_from_pages_and_statements, setup,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(the_engine_finds_the_index_of_a_key, setup, fixture_close),
        cmocka_unit_test_setup_teardown(a_statement_that_fails_says_why, setup, fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
