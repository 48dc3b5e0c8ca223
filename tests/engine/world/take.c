/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a few columns: each type read, null, no row, statements that fail, lists, and the names
 * of entities, which a query gives. */
#include "engine/world/take.h"
#include "engine/state/stored.h"
#include "engine/world/engine.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <string.h>

static struct sosia_engine *engine;
static struct sosia_err err;
static struct worker *worker;
static struct world *world;
static struct tx tx;

static int open_tx(void **state)
{
    static const char doc[] = "{\"sosia\":1,\"people\":[{\"email\":\"ada@acme.example\"}]}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    uint64_t id;
    if (sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &id, &err) < 0)
        return -1;
    worker = worker_take(engine, &err);
    world = world_take(engine, id, &err);
    return tx_begin(&tx, engine, world, worker, false, world_now(world), &err);
}

static int close_tx(void **state)
{
    tx_rollback(&tx);
    world_drop(world);
    worker_drop(worker);
    sosia_engine_close(engine);
    return 0;
}

enum colour { RED, GREEN };

static void places_say_how_columns_are_read(void **state)
{
    static struct sql_text q =
        SQL_TEXT("select ?1, ?1 - 2, 1, 3, 1.5, 'text', null, 7000000000, null");
    int64_t wide, none = 5;
    int narrow;
    unsigned bits;
    enum colour colour;
    double real;
    const char *text, *null = "x";
    bool truth = false;
    assert_int_equal(TX_TAKE(&tx, TX_QUERY(&tx, &q, 1), &colour, &narrow, &truth, &bits, &real,
                             &text, &null, &wide, &none),
                     1);
    assert_int_equal(colour, GREEN);
    assert_int_equal(narrow, -1);
    assert_true(truth);
    assert_int_equal(bits, 3);
    assert_true(real == 1.5);
    assert_string_equal(text, "text");
    assert_null(null);
    assert_int_equal(wide, 7000000000);
    assert_int_equal(none, 0);
}

static void a_number_is_true_unless_it_is_0(void **state)
{
    static struct sql_text q = SQL_TEXT("select 4294967296, 0, -1");
    bool wide, none, negative;
    assert_int_equal(TX_TAKE(&tx, TX_PLAIN(&tx, &q), &wide, &none, &negative), 1);
    assert_true(wide && !none && negative);
}

static void without_a_row_places_stay(void **state)
{
    static struct sql_text q = SQL_TEXT("select 1, 'text' where ?1");
    const char *text = "as it was";
    int n = 9;
    assert_int_equal(TX_TAKE(&tx, TX_QUERY(&tx, &q, 0), &n, &text), 0);
    assert_int_equal(n, 9);
    assert_string_equal(text, "as it was");
    assert_int_equal(TX_ANY(&tx, TX_QUERY(&tx, &q, 0)), 0);
    assert_int_equal(TX_ANY(&tx, TX_QUERY(&tx, &q, 1)), 1);
    assert_int_equal(TX_TAKE(&tx, TX_QUERY(&tx, &q, 1), &n, &text), 1);
    assert_int_equal(n, 1);
}

/* What is asked for may be what was found before: a walk, from key to key. */
static void a_place_may_be_an_argument(void **state)
{
    static struct sql_text q =
        SQL_TEXT("select column1 from (values ('a'), ('b'), ('c')) where column1 > ?1 limit 1");
    const char *at = "";
    int n = 0, r;
    while ((r = TX_TAKE(&tx, TX_QUERY(&tx, &q, at), &at)) == 1)
        n++;
    assert_int_equal(r, 0);
    assert_int_equal(n, 3);
    assert_string_equal(at, "c");
}

static void rows_come_one_by_one_or_all_at_once(void **state)
{
    static struct sql_text q =
        SQL_TEXT("select column1, column2 from (values ('a', 1), ('b', 2), ('c', 3)) where "
                 "column2 > ?1 order by 1");
    struct line {
        int64_t of, at;
        const char *text;
    } row = {.of = 7}, *list = &row;
    size_t n = 9;
    int sum = 0, r;
    sqlite3_stmt *st = TX_QUERY(&tx, &q, 1);
    while ((r = TX_TAKE_NEXT(&tx, st, &row.text, &row.at)) == 1)
        sum += (int)row.at;
    assert_int_equal(r, 0);
    assert_int_equal(sum, 5);
    assert_int_equal(TX_TAKE_ALL(&tx, TX_QUERY(&tx, &q, 0), &row, &list, &n, &row.text, &row.at),
                     0);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(list[i].of, 7);
        assert_int_equal(list[i].at, i + 1);
        assert_int_equal(list[i].text[0], "abc"[i]);
    }
    assert_int_equal(TX_TAKE_ALL(&tx, TX_QUERY(&tx, &q, 3), &row, &list, &n, &row.text, &row.at),
                     0);
    assert_int_equal(n, 0);
    assert_null(list);
}

static void a_query_that_fails_gives_nothing(void **state)
{
    static struct sql_text q = SQL_TEXT("select no_column from no_table");
    static struct sql_text q_late =
        SQL_TEXT("select iif(column1 < 3, column1, abs(-9223372036854775807 - 1)) from (values "
                 "(1), (2), (3))");
    int64_t at = 9, *list = &at;
    size_t n = 4;
    assert_int_equal(TX_TAKE(&tx, TX_PLAIN(&tx, &q), &at), -1);
    assert_int_equal(TX_ANY(&tx, TX_PLAIN(&tx, &q)), -1);
    assert_int_equal(at, 9);
    assert_int_equal(TX_TAKE_ALL(&tx, TX_PLAIN(&tx, &q_late), &at, &list, &n, &at), -1);
    assert_int_equal(n, 4);
    assert_ptr_equal(list, &at);
}

static const char *name_of(const struct entity *e, int64_t rowid)
{
    static char text[100];
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    assert_int_equal(entity_key(&tx, e, rowid, &w), 0);
    json_end(&w);
    snprintf(text, sizeof text, "%s", buf_str(&b));
    buf_done(&b);
    return text;
}

static void entities_have_their_names_from_a_query(void **state)
{
    const struct entity thing = {
        .name = "thing",
        .named = ENTITY_NAMED("size weight colour",
                              "select 'large', iif(?1 = 2, '9', null), 'red' where ?1 < 3")};
    assert_string_equal(name_of(&thing, 1), "{\"size\":\"large\",\"colour\":\"red\"}");
    assert_string_equal(name_of(&thing, 2),
                        "{\"size\":\"large\",\"weight\":\"9\",\"colour\":\"red\"}");
    assert_string_equal(name_of(&thing, 3), "{}"); /* there is no such row */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_say_how_columns_are_read),
        cmocka_unit_test(a_number_is_true_unless_it_is_0),
        cmocka_unit_test(without_a_row_places_stay),
        cmocka_unit_test(a_place_may_be_an_argument),
        cmocka_unit_test(rows_come_one_by_one_or_all_at_once),
        cmocka_unit_test(a_query_that_fails_gives_nothing),
        cmocka_unit_test(entities_have_their_names_from_a_query),
    };
    return cmocka_run_group_tests(tests, open_tx, close_tx);
}
