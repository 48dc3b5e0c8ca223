/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a transaction, which are counted in memory: through savepoints, transactions that are
 * undone, forks, and beside those of another world. */
#include "engine/world/number.h"
#include "engine/world/engine.h"
#include "engine/world/places.h"
#include "tests/support/unit.h"
#include <string.h>

static struct sosia_engine *engine;
static struct sosia_err err;
static uint64_t id;

/* A transaction with the worker and the world that it has. */
struct open {
    struct worker *worker;
    struct world *world;
    struct tx tx;
};

static void begin(struct open *o, uint64_t world, bool write)
{
    o->worker = worker_take(engine, &err);
    o->world = world_take(engine, world, &err);
    assert_true(o->worker && o->world);
    assert_int_equal(
        tx_begin(&o->tx, engine, o->world, o->worker, write, world_now(o->world), &err), 0);
}

static void end(struct open *o, bool keep)
{
    if (keep)
        assert_int_equal(tx_commit(&o->tx), 0);
    else
        tx_rollback(&o->tx);
    world_drop(o->world);
    worker_drop(o->worker);
}

static int open_world(void **state)
{
    static const char doc[] = "{\"sosia\":1,\"people\":[{\"email\":\"ada@acme.example\"}]}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        return -1;
    return sosia_world_create(engine, &opt, &id, &err);
}

static int close_world(void **state)
{
    sosia_engine_close(engine);
    return 0;
}

static int64_t next(struct open *o, const char *kind)
{
    int64_t n;
    assert_int_equal(tx_number(&o->tx, kind, &n), 0);
    return n;
}

/* 0: none was taken. */
static int64_t last(struct open *o, const char *kind)
{
    int64_t n = 0;
    int r = tx_last_number(&o->tx, kind, &n);
    assert_int_equal(r, n != 0);
    return n;
}

/* What the table has; -1: no row. */
static int64_t stored(struct open *o, const char *kind)
{
    static struct sql_text q = SQL_TEXT("select n from id_stream where kind = :kind");
    int64_t n;
    int r = TX_INT(&o->tx, &q, &n, kind);
    assert_true(r >= 0);
    return r ? n : -1;
}

/* The next number of a kind in a world as it is. */
static int64_t next_in(uint64_t world, const char *kind)
{
    struct open o;
    begin(&o, world, true);
    int64_t n = next(&o, kind);
    end(&o, false);
    return n;
}

static void a_commit_keeps_the_last_one_of_each_kind(void **state)
{
    struct open o;
    begin(&o, id, true);
    assert_int_equal(last(&o, "pin"), 0);
    for (int64_t i = 1; i <= 3; i++)
        assert_int_equal(next(&o, "pin"), i);
    assert_int_equal(next(&o, "nail"), 1);
    assert_int_equal(last(&o, "pin"), 3);
    end(&o, true);
    begin(&o, id, false);
    assert_int_equal(stored(&o, "pin"), 3);
    assert_int_equal(stored(&o, "nail"), 1);
    assert_int_equal(last(&o, "pin"), 3);
    end(&o, false);
    assert_int_equal(next_in(id, "pin"), 4);
    assert_int_equal(next_in(id, "pin"), 4); /* which nobody kept */
}

static void a_savepoint_takes_back_what_came_behind_it(void **state)
{
    struct open o;
    begin(&o, id, true);
    assert_int_equal(next(&o, "pin"), 1);
    assert_int_equal(tx_savepoint(&o.tx), 0);
    assert_int_equal(stored(&o, "pin"), 1);
    assert_int_equal(next(&o, "pin"), 2);
    assert_int_equal(next(&o, "nail"), 1);
    assert_int_equal(tx_rollback_to(&o.tx, &err), 0);
    assert_int_equal(last(&o, "pin"), 1);
    assert_int_equal(last(&o, "nail"), 0);
    assert_int_equal(next(&o, "pin"), 2);
    end(&o, true);
    begin(&o, id, false);
    assert_int_equal(stored(&o, "pin"), 2);
    assert_int_equal(stored(&o, "nail"), -1);
    end(&o, false);
}

/* inner, outer: whether the savepoint is undone, and not released. */
static int64_t after_both(bool inner, bool outer, bool marked)
{
    struct open o;
    begin(&o, id, true);
    next(&o, "pin");
    assert_int_equal(tx_savepoint(&o.tx), 0);
    next(&o, "pin");
    assert_int_equal(tx_savepoint(&o.tx), 0);
    struct tx_mark *mark = tx_mark(&o.tx);
    next(&o, "pin");
    next(&o, "nail");
    if (inner && marked)
        tx_back(&o.tx, mark);
    assert_int_equal(inner ? tx_rollback_to(&o.tx, &err) : slot_release(o.tx.db, &err), 0);
    next(&o, "pin");
    assert_int_equal(outer ? tx_rollback_to(&o.tx, &err) : slot_release(o.tx.db, &err), 0);
    int64_t n = last(&o, "pin");
    assert_int_equal(last(&o, "nail"), !inner && !outer);
    assert_int_equal(next(&o, "pin"), n + 1);
    assert_int_equal(tx_do_later(&o.tx), 0);
    assert_int_equal(stored(&o, "pin"), n + 1);
    end(&o, false);
    return n;
}

static void savepoints_within_savepoints_count_for_themselves(void **state)
{
    for (int marked = 0; marked < 2; marked++) {
        assert_int_equal(after_both(false, false, marked), 4);
        assert_int_equal(after_both(true, false, marked), 3);
        assert_int_equal(after_both(false, true, marked), 1);
        assert_int_equal(after_both(true, true, marked), 1);
    }
    assert_int_equal(next_in(id, "pin"), 1);
}

static void forks_and_worlds_that_go_back_count_from_what_they_have(void **state)
{
    struct open o;
    uint64_t snapshot, fork;
    begin(&o, id, true);
    next(&o, "pin");
    end(&o, true);
    assert_int_equal(sosia_world_snapshot(engine, id, "one", &snapshot, &err), 0);
    begin(&o, id, true);
    assert_int_equal(next(&o, "pin"), 2);
    end(&o, true);
    assert_int_equal(sosia_world_fork(engine, snapshot, NULL, &fork, &err), 0);
    begin(&o, fork, true);
    assert_int_equal(next(&o, "pin"), 2);
    assert_int_equal(next(&o, "pin"), 3);
    end(&o, true);
    assert_int_equal(next_in(id, "pin"), 3);
    assert_int_equal(next_in(fork, "pin"), 4);
    assert_int_equal(sosia_world_reset_to(engine, id, snapshot, &err), 0);
    assert_int_equal(next_in(id, "pin"), 2);
    assert_int_equal(sosia_world_reset(engine, fork, &err), 0);
    assert_int_equal(next_in(fork, "pin"), 2);
}

static void two_transactions_at_once_have_their_own(void **state)
{
    struct open a, b;
    uint64_t other;
    assert_int_equal(sosia_world_fork(engine, id, NULL, &other, &err), 0);
    begin(&a, id, true);
    assert_int_equal(next(&a, "pin"), 1);
    begin(&b, other, true);
    assert_int_equal(next(&b, "pin"), 1);
    assert_int_equal(next(&a, "pin"), 2);
    end(&b, true);
    assert_int_equal(next(&a, "pin"), 3);
    end(&a, true);
    assert_int_equal(next_in(id, "pin"), 4);
    assert_int_equal(next_in(other, "pin"), 2);
}

/* Of such a kind nothing is kept in memory. */
static void kinds_with_long_names_have_numbers(void **state)
{
    char kind[PLACE_KIND_MAX + 2];
    struct open o;
    memset(kind, 'k', sizeof kind - 1);
    kind[sizeof kind - 1] = 0;
    begin(&o, id, true);
    assert_int_equal(next(&o, kind), 1);
    assert_int_equal(next(&o, kind), 2);
    assert_int_equal(tx_savepoint(&o.tx), 0);
    assert_int_equal(next(&o, kind), 3);
    assert_int_equal(tx_rollback_to(&o.tx, &err), 0);
    assert_int_equal(last(&o, kind), 2);
    end(&o, true);
    assert_int_equal(next_in(id, kind), 3);
}

/* An entry that runs again and was written without a number of the kind. */
static void a_kind_without_a_number_has_no_row(void **state)
{
    static const struct json none = {.type = JSON_OBJECT};
    struct open o;
    uint8_t bytes[8];
    (void)state;
    begin(&o, id, true);
    assert_int_equal(places_give(o.world, NULL, &none), 0);
    o.world->flags |= WORLD_REPLAY;
    assert_int_equal(tx_id(&o.tx, "unknown", bytes, sizeof bytes), 0);
    end(&o, true);
    begin(&o, id, true);
    o.world->flags &= ~WORLD_REPLAY;
    assert_int_equal(stored(&o, "unknown"), -1);
    assert_int_equal(next(&o, "unknown"), 1);
    end(&o, true);
    assert_int_equal(next_in(id, "unknown"), 2);
}

/* What the worker's last transaction took, the next one need not ask the table for, unless another
 * version has come between. */
static void numbers_go_on_where_the_last_transaction_ended(void **state)
{
    struct open a, b;
    uint64_t other, snapshot;
    begin(&a, id, true);
    assert_int_equal(next(&a, "pin"), 1);
    assert_int_equal(last(&a, "nail"), 0);
    end(&a, true);
    /* Of another worker's, which the first one comes behind. */
    assert_int_equal(sosia_world_fork(engine, id, NULL, &other, &err), 0);
    begin(&b, other, true);
    begin(&a, id, true);
    assert_int_equal(next(&a, "pin"), 2);
    assert_int_equal(next(&a, "pin"), 3);
    assert_int_equal(next(&a, "nail"), 1);
    end(&a, true);
    end(&b, false);
    for (int64_t i = 0; i < 3; i++) {
        begin(&a, id, true);
        assert_int_equal(next(&a, "pin"), 4 + i);
        assert_int_equal(next(&a, "nail"), 2 + i);
        end(&a, true);
        begin(&a, id, false);
        assert_int_equal(stored(&a, "pin"), 4 + i);
        assert_int_equal(stored(&a, "nail"), 2 + i);
        end(&a, false);
    }
    /* One that is undone has none of its own, nor a world that has gone back. */
    begin(&a, id, true);
    assert_int_equal(next(&a, "pin"), 7);
    end(&a, false);
    assert_int_equal(next_in(id, "pin"), 7);
    assert_int_equal(sosia_world_snapshot(engine, id, "seven", &snapshot, &err), 0);
    begin(&a, id, true);
    assert_int_equal(next(&a, "pin"), 7);
    end(&a, true);
    assert_int_equal(sosia_world_reset_to(engine, id, snapshot, &err), 0);
    assert_int_equal(next_in(id, "pin"), 7);
}

/* A table is asked again where it may have another number than the last transaction left. */
static void numbers_that_a_savepoint_has_stored_are_not_forgotten(void **state)
{
    struct open o;
    begin(&o, id, true);
    assert_int_equal(next(&o, "pin"), 1);
    end(&o, true);
    begin(&o, id, true);
    struct tx_mark *mark = tx_mark(&o.tx);
    assert_int_equal(next(&o, "pin"), 2);
    assert_int_equal(tx_savepoint(&o.tx), 0); /* 2 is stored */
    assert_int_equal(next(&o, "pin"), 3);
    tx_back(&o.tx, mark);
    assert_int_equal(tx_rollback_to(&o.tx, &err), 0);
    assert_int_equal(next(&o, "pin"), 3);
    end(&o, true);
    begin(&o, id, true);
    mark = tx_mark(&o.tx);
    assert_int_equal(next(&o, "pin"), 4);
    assert_int_equal(tx_do_later(&o.tx), 0); /* 4 is stored */
    tx_back(&o.tx, mark);
    assert_int_equal(next(&o, "pin"), 5);
    end(&o, true);
    assert_int_equal(next_in(id, "pin"), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_commit_keeps_the_last_one_of_each_kind, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(a_savepoint_takes_back_what_came_behind_it, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(savepoints_within_savepoints_count_for_themselves,
                                        open_world, close_world),
        cmocka_unit_test_setup_teardown(forks_and_worlds_that_go_back_count_from_what_they_have,
                                        open_world, close_world),
        cmocka_unit_test_setup_teardown(two_transactions_at_once_have_their_own, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(kinds_with_long_names_have_numbers, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(a_kind_without_a_number_has_no_row, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(numbers_go_on_where_the_last_transaction_ended, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(numbers_that_a_savepoint_has_stored_are_not_forgotten,
                                        open_world, close_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
