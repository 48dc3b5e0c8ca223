/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by the table of their members: added, with an id, changed but for what stays, and found. */
#include "engine/state/stored.h"
#include "engine/world/engine.h"
#include "engine/world/places.h"
#include "tests/support/unit.h"

struct size {
    int width;
};

struct thing {
    int64_t id, of;
    const char *key, *text;
    enum { RED = 3, BLUE } colour;
    bool open;
    struct size size;
};

static const char *const colours[] = {"red", "blue", NULL};
static const struct member size_columns[] = {{INT_AT(struct size, width, 0, 9)}};
static const struct form size_form = FORM("A size", size_columns);
static const struct member thing_columns[] = {
    STORED_ID(struct thing),
    {REF_AT(struct thing, of, NULL)},
    {TEXT_AT(struct thing, key)},
    {TEXT_AT(struct thing, text)},
    {ENUM_AT(struct thing, colour, colours), .min = RED, .flags = MEMBER_SPOKEN},
    {BOOL_AT(struct thing, open)},
    PART_AT(struct thing, size, &size_form),
};
STORED_HERE(things, "A thing", struct thing, thing_columns, NULL, .table = "thing",
            .stays = "keys key of_it");

static struct sosia_engine *engine;
static struct sosia_err err;
static struct worker *worker;
static struct world *world;
static struct tx tx;

static int open_world(void **state)
{
    static const char table[] =
        "create table thing (id integer primary key, \"of\" integer, key text not null unique, "
        "text text, colour text not null, open integer not null, width integer not null) strict";
    uint64_t id;
    (void)state;
    if (sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &(struct sosia_world_options){0}, &id, &err) < 0 ||
        !(worker = worker_take(engine, &err)) || !(world = world_take(engine, id, &err)) ||
        tx_begin(&tx, engine, world, worker, true, world_now(world), &err) < 0)
        return -1;
    return sqlite3_exec(slot_db(tx.db), table, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

static int close_world(void **state)
{
    (void)state;
    tx_rollback(&tx);
    world_drop(world);
    worker_drop(worker);
    sosia_engine_close(engine);
    return 0;
}

static int64_t count(const char *condition)
{
    sqlite3_stmt *st;
    const char *text = arena_printf(tx.arena, "select count(*) from thing where %s", condition);
    assert_int_equal(sqlite3_prepare_v2(slot_db(tx.db), text, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

static void a_row_gets_an_id_and_is_found(void **state)
{
    struct thing a = {.key = "a", .text = "one", .colour = BLUE, .size = {4}};
    struct thing b = {.id = 77, .key = "b", .of = 1, .colour = RED, .open = true}, r;
    (void)state;
    assert_int_equal(stored_new(&tx, &things, &a), 0);
    assert_int_equal(stored_new(&tx, &things, &b), 0);
    assert_int_equal(a.id, 1);
    assert_int_equal(b.id, 2); /* the table gives it */
    assert_int_equal(stored_get(&tx, &things, a.id, &r), 1);
    assert_string_equal(r.text, "one");
    assert_int_equal(r.colour, BLUE);
    assert_int_equal(r.size.width, 4);
    assert_false(r.open);
    assert_int_equal(count("id = 1 and colour = 'blue' and \"of\" is null and width = 4"), 1);
    assert_int_equal(count("id = 2 and colour = 'red' and \"of\" = 1 and text is null"), 1);
}

static void a_row_is_saved_but_for_what_stays(void **state)
{
    struct thing a = {
        .id = 9, .key = "other", .text = NULL, .of = 2, .colour = RED, .open = true, .size = {7}};
    struct thing r;
    (void)state;
    assert_int_equal(stored_save(&tx, &things, 1, &a), 0); /* by the id that is given */
    assert_int_equal(stored_get(&tx, &things, 1, &r), 1);
    assert_int_equal(r.id, 1);
    assert_string_equal(r.key, "a");
    assert_null(r.text);
    assert_int_equal(r.of, 2); /* "of_it" stays, and not what begins as it does */
    assert_int_equal(r.colour, RED);
    assert_true(r.open);
    assert_int_equal(r.size.width, 7);
    assert_int_equal(count("id = 2 and key = 'b' and \"of\" = 1"), 1);
    assert_int_equal(stored_save(&tx, &things, 3, &a), 0); /* there is none */
    assert_int_equal(count("true"), 2);
}

static void a_key_that_another_row_has_is_a_conflict(void **state)
{
    struct thing again = {.key = "b", .colour = RED};
    (void)state;
    assert_int_equal(stored_new(&tx, &things, &again), -1);
    assert_int_equal(tx.err->code, SOSIA_E_CONFLICT);
    assert_int_equal(again.id, 0);
    assert_int_equal(count("true"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_gets_an_id_and_is_found),
        cmocka_unit_test(a_row_is_saved_but_for_what_stays),
        cmocka_unit_test(a_key_that_another_row_has_is_a_conflict),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
