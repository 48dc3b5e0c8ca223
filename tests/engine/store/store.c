/* SPDX-License-Identifier: Apache-2.0 */
/* The store of copy-on-write pages: commits, forks, limits, memory. */
#include "tests/engine/store/store_items.h"

static int setup_small(void **state)
{
    struct store_options opt = {.max_size = 400 * 1024, .max_tree = 100 * STORE_PAGE_SIZE};
    return fixture_open(state, &opt, schema);
}

#define ON_SMALL(test) cmocka_unit_test_setup_teardown(test, setup_small, fixture_close)

/* ---- forks ---- */

static void a_fork_is_isolated_from_its_parent_and_its_siblings(void **state)
{
    struct fixture *f = *state;
    struct tree a, b, aa;
    tree_fork(&f->tree, &a);
    tree_fork(&f->tree, &b);
    exec_on(f->slot, &a, "insert into item(name, n, body) values('in a', 1, 'alpha')");
    tree_fork(&a, &aa);
    exec_on(f->slot, &aa, "insert into item(name, n, body) values('in aa', 1, 'beta')");
    exec_on(f->slot, &b, "delete from item where id <= 100");
    assert_int_equal(number_on(f->slot, &f->tree, COUNT), 500);
    assert_int_equal(number_on(f->slot, &a, COUNT), 501);
    assert_int_equal(number_on(f->slot, &aa, COUNT), 502);
    assert_int_equal(number_on(f->slot, &b, COUNT), 400);
    assert_int_equal(
        number_on(f->slot, &aa,
                  "select count(*) from item_text where item_text match 'alpha OR beta'"),
        2);
    assert_int_equal(
        number_on(f->slot, &a, "select count(*) from item_text where item_text match 'beta'"), 0);
    assert_sound(f->slot, &aa);
    tree_done(&a);
    assert_int_equal(number_on(f->slot, &aa, COUNT), 502);
    tree_done(&b);
    tree_done(&aa);
}

static void an_idle_fork_holds_no_memory_of_its_own(void **state)
{
    struct fixture *f = *state;
    struct tree forks[1000];
    for (int i = 0; i < 1000; i++)
        tree_fork(&f->tree, &forks[i]);
    assert_int_equal(number_on(f->slot, &forks[7], COUNT), 500);
    assert_int_equal(store_size(f->store), 0);
    for (int i = 0; i < 1000; i++)
        tree_done(&forks[i]);
}

static void reset_brings_back_the_earlier_state(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t, "delete from item");
    tree_reset(&t, &f->tree);
    assert_int_equal(number_on(f->slot, &t, COUNT), 500);
    assert_null(t.root);
    assert_int_equal(store_size(f->store), 0);
    tree_reset(&t, &t);
    assert_int_equal(number_on(f->slot, &t, COUNT), 500);
    tree_done(&t);
}

static void a_base_lives_as_long_as_a_fork_of_it(void **state)
{
    struct fixture *f = *state;
    struct tree t = load(f->store, schema), fork;
    tree_fork(&t, &fork);
    tree_done(&t);
    assert_int_equal(number_on(f->slot, &fork, COUNT), 500);
    struct base *b = fork.base;
    assert_true(atomic_load(&b->life) & 1);
    tree_done(&fork);
    assert_false(atomic_load(&b->life) & 1);
    t = load(f->store, schema);
    assert_ptr_equal(t.base, b); /* used again */
    tree_done(&t);
}

static void a_deep_chain_of_forks_keeps_every_generation(void **state)
{
    struct fixture *f = *state;
    enum { DEPTH = 60 };
    struct tree t[DEPTH];
    tree_fork(&f->tree, &t[0]);
    for (int i = 1; i < DEPTH; i++) {
        char sql[100];
        tree_fork(&t[i - 1], &t[i]);
        snprintf(sql, sizeof sql, "update item set n = %d where id = %d", 1000 + i, i * 7);
        exec_on(f->slot, &t[i], sql);
    }
    for (int i = 0; i < DEPTH; i++)
        assert_int_equal(number_on(f->slot, &t[i], "select count(*) from item where n > 1000"), i);
    for (int i = 0; i < DEPTH; i += 2)
        tree_done(&t[i]);
    for (int i = 1; i < DEPTH; i += 2) {
        assert_int_equal(number_on(f->slot, &t[i], "select max(n) from item"), 1000 + i);
        tree_done(&t[i]);
    }
}

/* ---- transactions ---- */

static void rollback_leaves_the_tree_as_it_was(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    uint64_t version = 5;
    tree_fork(&f->tree, &t);
    slot_point(f->slot, &t, 1, &version);
    assert_int_equal(slot_begin(f->slot, true, NULL), 0);
    assert_int_equal(sql_exec(f->slot, "delete from item; create table other(a)", NULL), 0);
    slot_rollback(f->slot);
    assert_int_equal(number(f->slot, COUNT), 500);
    slot_leave(f->slot);
    assert_int_equal(version, 5);
    assert_null(t.root);
    tree_done(&t);
}

static void a_commit_raises_the_version_and_a_read_does_not(void **state)
{
    struct fixture *f = *state;
    uint64_t version = 5;
    slot_point(f->slot, &f->tree, 1, &version);
    assert_int_equal(slot_begin(f->slot, false, NULL), 0);
    assert_int_equal(number(f->slot, COUNT), 500);
    assert_int_equal(slot_commit(f->slot, NULL), 0);
    assert_int_equal(version, 5);
    assert_int_equal(slot_begin(f->slot, true, NULL), 0);
    assert_int_equal(sql_exec(f->slot, "delete from item where id = 1", NULL), 0);
    assert_int_equal(slot_commit(f->slot, NULL), 0);
    assert_int_equal(version, 6);
    slot_leave(f->slot);
}

static void a_savepoint_undoes_its_part_alone(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    tree_fork(&f->tree, &t);
    point(f->slot, &t);
    assert_int_equal(slot_begin(f->slot, true, NULL), 0);
    assert_int_equal(sql_exec(f->slot, "delete from item where id <= 10", NULL), 0);
    assert_int_equal(slot_savepoint(f->slot, NULL), 0);
    assert_int_equal(sql_exec(f->slot, "delete from item where id <= 300", NULL), 0);
    assert_int_equal(slot_rollback_to(f->slot, NULL), 0);
    assert_int_equal(slot_savepoint(f->slot, NULL), 0);
    assert_int_equal(sql_exec(f->slot, "delete from item where id <= 20", NULL), 0);
    assert_int_equal(slot_release(f->slot, NULL), 0);
    assert_int_equal(slot_commit(f->slot, NULL), 0);
    assert_int_equal(number(f->slot, COUNT), 480);
    slot_leave(f->slot);
    tree_done(&t);
}

static void a_statement_that_fails_halfway_changes_nothing(void **state)
{
    struct fixture *f = *state;
    struct sosia_err err = {0};
    point(f->slot, &f->tree);
    assert_int_equal(slot_begin(f->slot, true, NULL), 0);
    assert_int_equal(sql_exec(f->slot, "delete from item where id = 1", NULL), 0);
    assert_int_equal(sql_exec(f->slot,
                              "insert into item(name, n, body) values('x1', 1, 'b'), ('x2', 1, "
                              "'b'), ('name9', 1, 'b')",
                              &err),
                     -1);
    assert_int_equal(err.code, SOSIA_E_CONFLICT);
    assert_int_equal(slot_commit(f->slot, NULL), 0);
    assert_int_equal(number(f->slot, COUNT), 499);
    slot_leave(f->slot);
    exec_on(f->slot, &f->tree,
            "insert into item(id, name, n, body) values(1, 'name1', 1, 'body of number 1')");
}

static void statements_of_a_slot_follow_it_to_other_trees(void **state)
{
    struct fixture *f = *state;
    static struct sql_text q = SQL_TEXT("select count(*) from item where id >= :from");
    struct tree t[8];
    uint64_t version[8] = {0};
    for (int i = 0; i < 8; i++) {
        char sql[64];
        tree_fork(&f->tree, &t[i]);
        snprintf(sql, sizeof sql, "delete from item where id > %d", 10 * i);
        exec_on(f->slot, &t[i], sql);
    }
    for (int round = 0; round < 20; round++) {
        int i = round * 5 % 8;
        slot_point(f->slot, &t[i], 1000000 + (uint64_t)i, &version[i]);
        sqlite3_stmt *st = sql_use(f->slot, &q);
        sql_bind_int(st, 1, 1);
        assert_int_equal(sql_step(f->slot, st, NULL), 1);
        assert_int_equal(sqlite3_column_int(st, 0), 10 * i);
        assert_int_equal(sql_step(f->slot, st, NULL), 0);
        slot_leave(f->slot);
    }
    for (int i = 0; i < 8; i++)
        tree_done(&t[i]);
}

static void a_slot_sees_what_another_slot_committed(void **state)
{
    struct fixture *f = *state;
    static struct sql_text q = SQL_TEXT("select n from item where id = 7");
    struct slot *other = open_slot(f->store);
    uint64_t version = 1;
    for (int i = 0; i < 10; i++) {
        struct slot *writer = i & 1 ? f->slot : other, *reader = i & 1 ? other : f->slot;
        char sql[64];
        snprintf(sql, sizeof sql, "update item set n = %d where id = 7", 100 + i);
        slot_point(writer, &f->tree, 77, &version);
        assert_int_equal(sql_exec(writer, sql, NULL), 0);
        slot_leave(writer);
        slot_point(reader, &f->tree, 77, &version);
        sqlite3_stmt *st = sql_use(reader, &q);
        assert_int_equal(sql_step(reader, st, NULL), 1);
        assert_int_equal(sqlite3_column_int(st, 0), 100 + i);
        sql_done(st);
        slot_leave(reader);
    }
    slot_close(other);
}

/* ---- schemas ---- */

static uint32_t cookie(const struct tree *t)
{
    return get4(tree_page(t, 0) + HEADER_COOKIE);
}

static void equal_schemas_have_equal_cookies_and_others_do_not(void **state)
{
    struct fixture *f = *state;
    struct tree same = load(f->store, schema),
                other = load(f->store, "create table a(b); create table c(d)"), x, y;
    assert_int_equal(cookie(&same), cookie(&f->tree));
    assert_int_not_equal(cookie(&other), cookie(&f->tree));
    tree_fork(&f->tree, &x);
    tree_fork(&f->tree, &y);
    exec_on(f->slot, &x, "alter table item add column extra text");
    exec_on(f->slot, &y, "create table extra(a, b)");
    assert_int_not_equal(cookie(&x), cookie(&f->tree));
    assert_int_not_equal(cookie(&x), cookie(&y));
    exec_on(f->slot, &x, "update item set extra = 'e' where id = 3");
    assert_int_equal(number_on(f->slot, &x, "select count(extra) from item"), 1);
    /* The parser would say "duplicate column" from the schema of the other tree. */
    exec_on(f->slot, &f->tree, "alter table item add column extra text");
    exec_on(f->slot, &y, "alter table extra add column c");
    tree_done(&x);
    tree_done(&y);
    tree_done(&same);
    tree_done(&other);
}

/* After its own change a connection expects a cookie that the store may have given to another
 * tree. */
static void a_schema_changed_by_a_slot_is_not_taken_for_anothers(void **state)
{
    struct fixture *f = *state;
    struct tree t[6];
    char sql[100];
    for (int i = 0; i < 6; i++) {
        tree_fork(&f->tree, &t[i]);
        snprintf(sql, sizeof sql, "create table own%d(a%d)", i, i);
        exec_on(f->slot, &t[i], sql);
        for (int k = 0; k <= i; k++) {
            snprintf(sql, sizeof sql, "insert into own%d(a%d) values(1)", k, k);
            exec_on(f->slot, &t[k], sql);
        }
    }
    for (int i = 0; i < 6; i++) {
        assert_sound(f->slot, &t[i]);
        tree_done(&t[i]);
    }
}

static void what_reaches_outside_of_a_tree_is_refused(void **state)
{
    struct fixture *f = *state;
    static const char *const refused[] = {"attach 'x.db' as x",
                                          "vacuum",
                                          "vacuum into 'x.db'",
                                          "create temp table t(a)",
                                          "analyze",
                                          "pragma journal_mode = off",
                                          "pragma locking_mode = exclusive",
                                          "pragma mmap_size = 0",
                                          "pragma writable_schema = on",
                                          "pragma cache_size = 10",
                                          "pragma schema_version = 3",
                                          "select random()",
                                          "select randomblob(8)",
                                          "pragma page_size = 4096",
                                          "create virtual table v using rtree(a, b, c)",
                                          "insert into item_text_data values(1, 'x')",
                                          "pragma trusted_schema = on",
                                          "pragma foreign_keys = off"};
    point(f->slot, &f->tree);
    for (size_t i = 0; i < SOSIA_LEN(refused); i++)
        if (sql_exec(f->slot, refused[i], NULL) == 0)
            fail_msg("%s was allowed", refused[i]);
    slot_leave(f->slot);
    assert_sound(f->slot, &f->tree);
}

static void now_is_what_the_slot_was_set_to(void **state)
{
    struct fixture *f = *state;
    slot_set_time(f->slot, INT64_C(1767225600) * 1000000);
    assert_int_equal(
        number_on(f->slot, &f->tree, "select current_timestamp = '2026-01-01 00:00:00'"), 1);
    slot_set_time(f->slot, -1);
    assert_int_equal(number_on(f->slot, &f->tree,
                               "select strftime('%Y-%m-%d %H:%M:%f') = '1969-12-31 23:59:59.999'"),
                     1);
}

/* ---- images ---- */

static void a_tree_copies_to_a_file_that_plain_sqlite_reads(void **state)
{
    struct fixture *f = *state;
    struct tree t, back;
    sqlite3 *db;
    sqlite3_stmt *st;
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t,
            "delete from item where id > 300; insert into item(name, n, body) values('z', 1, "
            "zeroblob(0) || hex(zeroblob(9000)))");
    size_t len = (size_t)t.n_pages * STORE_PAGE_SIZE;
    uint8_t *image = sqlite3_malloc64(len);
    tree_copy(&t, image);
    assert_int_equal(tree_load(f->store, image, len, &back, NULL), 0);
    assert_int_equal(number_on(f->slot, &back, COUNT), 301);
    tree_done(&back);
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_deserialize(db, "main", image, (sqlite3_int64)len, (sqlite3_int64)len,
                                         SQLITE_DESERIALIZE_FREEONCLOSE),
                     SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "pragma integrity_check", -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(st, 0), "ok");
    sqlite3_finalize(st);
    sqlite3_close(db);
    tree_done(&t);
}

static void flattening_keeps_the_content(void **state)
{
    struct fixture *f = *state;
    struct tree t, old;
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t, "delete from item where id > 100");
    tree_fork(&t, &old);
    assert_int_equal(tree_flatten(f->store, &t, NULL), 0);
    assert_null(t.root);
    assert_int_equal(t.n_private, 0);
    assert_ptr_not_equal(t.base, old.base);
    assert_int_equal(number_on(f->slot, &t, COUNT), 100);
    assert_int_equal(number_on(f->slot, &old, COUNT), 100);
    exec_on(f->slot, &t, "delete from item");
    assert_int_equal(number_on(f->slot, &old, COUNT), 100);
    tree_done(&t);
    tree_done(&old);
}

static void broken_images_are_refused(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    struct sosia_err err = {0};
    size_t len, other_len;
    uint8_t *image = make_image(schema, STORE_PAGE_SIZE, &len);
    uint8_t *other = make_image(schema, 4096, &other_len);
    assert_int_equal(tree_load(f->store, image, 0, &t, &err), -1);
    assert_int_equal(err.code, SOSIA_E_INVALID);
    assert_int_equal(tree_load(f->store, image, 100, &t, &err), -1);
    assert_int_equal(tree_load(f->store, image, len - 1, &t, &err), -1);
    assert_int_equal(tree_load(f->store, image, len - STORE_PAGE_SIZE, &t, &err), -1);
    assert_int_equal(tree_load(f->store, other, other_len, &t, &err), -1);
    static const struct {
        int at;
        uint8_t value;
    } breaks[] = {{0, 'X'}, {16, 0}, {18, 3}, {20, 8},     {21, 63},   {47, 9},
                  {55, 1},  {59, 2}, {67, 1}, {100, 0x77}, {103, 0xff}};
    for (size_t i = 0; i < SOSIA_LEN(breaks); i++) {
        uint8_t was = image[breaks[i].at];
        image[breaks[i].at] = breaks[i].value;
        if (tree_load(f->store, image, len, &t, &err) == 0)
            fail_msg("byte %d was taken", breaks[i].at);
        image[breaks[i].at] = was;
    }
    assert_int_equal(tree_load(f->store, image, len, &t, &err), 0);
    tree_done(&t);
    free(image);
    free(other);
}

struct seen {
    int n;
    uint32_t last;
};

static int see(void *arg, uint32_t page, const uint8_t *a, const uint8_t *b)
{
    struct seen *s = arg;
    assert_true(!s->n || page > s->last);
    assert_true(a || b);
    if (a && b)
        assert_memory_not_equal(a, b, STORE_PAGE_SIZE);
    s->last = page;
    s->n++;
    return 0;
}

static void the_page_diff_gives_exactly_the_pages_that_differ(void **state)
{
    struct fixture *f = *state;
    struct tree a, b;
    tree_fork(&f->tree, &a);
    exec_on(f->slot, &a, "insert into item(name, n, body) values('big', 1, hex(zeroblob(100000)))");
    tree_fork(&a, &b);
    exec_on(f->slot, &b, "update item set n = 77 where id = 250");
    const struct tree *pairs[][2] = {
        {&f->tree, &a}, {&a, &f->tree}, {&a, &b}, {&f->tree, &b}, {&b, &b}};
    for (size_t i = 0; i < SOSIA_LEN(pairs); i++) {
        const struct tree *x = pairs[i][0], *y = pairs[i][1];
        int n = 0;
        for (uint32_t p = 0; p < x->n_pages || p < y->n_pages; p++) {
            const uint8_t *d = tree_page(x, p), *e = tree_page(y, p);
            n += !d || !e || memcmp(d, e, STORE_PAGE_SIZE) != 0;
        }
        struct seen s = {0};
        assert_int_equal(tree_diff(x, y, see, &s), 0);
        assert_int_equal(s.n, n);
        /* The same from bases that share nothing. */
        struct tree copy;
        tree_fork(y, &copy);
        assert_int_equal(tree_flatten(f->store, &copy, NULL), 0);
        s.n = 0;
        assert_int_equal(tree_diff(x, &copy, see, &s), 0);
        assert_int_equal(s.n, n);
        tree_done(&copy);
    }
    tree_done(&a);
    tree_done(&b);
}

/* ---- limits and memory ---- */

static void a_tree_over_its_limit_is_full_and_unchanged(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    struct sosia_err err = {0};
    tree_fork(&f->tree, &t);
    point(f->slot, &t);
    assert_int_equal(
        sql_exec(f->slot, "insert into item(name, n, body) values('big', 1, hex(zeroblob(110000)))",
                 &err),
        -1);
    assert_int_equal(err.code, SOSIA_E_FULL);
    assert_int_equal(number(f->slot, COUNT), 500);
    assert_int_equal(
        sql_exec(f->slot, "insert into item(name, n, body) values('small', 1, 'x')", &err), 0);
    slot_leave(f->slot);
    assert_sound(f->slot, &t);
    tree_done(&t);
}

#define MAKE_BIG "insert into big values (1, zeroblob(140000))"
#define BIG      "select length(data) from big"

static void memory_of_many_freed_pages_comes_back(void **state)
{
    struct fixture *f = *state;
    struct tree t, before;
    tree_fork(&f->tree, &t);
    point(f->slot, &t);
    assert_int_equal(sql_exec(f->slot, "create table big(id integer primary key, data)", NULL), 0);
    assert_int_equal(sql_exec(f->slot, MAKE_BIG, NULL), 0);
    slot_leave(f->slot);
    tree_fork(&t, &before);
    uint64_t with = store_size(f->store);
    assert_in_range(t.n_private, 70, 80);
    point(f->slot, &t);
    assert_int_equal(sql_exec(f->slot, "delete from big", NULL), 0);
    slot_leave(f->slot);
    assert_in_range(t.n_private, 1, 10);
    assert_int_equal(t.n_pages, before.n_pages);
    assert_sound(f->slot, &t);
    /* The other version has them. */
    assert_in_range(store_size(f->store), with, with + 20000);
    assert_int_equal(number_on(f->slot, &before, BIG), 140000);
    tree_done(&before);
    assert_in_range(store_size(f->store), 1, with - 130000);
    /* They are used again. */
    point(f->slot, &t);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sql_exec(f->slot, MAKE_BIG, NULL), 0);
        assert_int_equal(number(f->slot, BIG), 140000);
        assert_int_equal(sql_exec(f->slot, "delete from big", NULL), 0);
    }
    slot_leave(f->slot);
    assert_in_range(t.n_private, 1, 10);
    assert_sound(f->slot, &t);
    tree_done(&t);
}

/* Of a file that was damaged: a list of free pages that names the first one, and itself. */
static void pages_that_cannot_be_free_stay(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t, "create table big(id integer primary key, data)");
    exec_on(f->slot, &t, "insert into big values (1, zeroblob(140000)), (2, zeroblob(140000))");
    exec_on(f->slot, &t, "delete from big where id = 1");
    uint32_t trunk = get4(tree_page(&t, 0) + HEADER_FREE);
    uint8_t *list = (uint8_t *)(uintptr_t)tree_page(&t, trunk - 1);
    assert_true(get4(list + 4) > 2);
    put4(list + 8, 1);
    put4(list + 12, trunk);
    uint32_t before = t.n_private;
    exec_on(f->slot, &t, "delete from big where id = 2");
    assert_in_range(t.n_private, 1, before - 60);
    assert_int_equal(get4(tree_page(&t, 0) + HEADER_FREE), trunk);
    assert_int_equal(get4(tree_page(&t, trunk - 1) + 12), trunk);
    assert_int_equal(number_on(f->slot, &t, "select count(*) from big"), 0);
    tree_done(&t);
}

static void a_store_over_its_limit_is_full_and_memory_comes_back(void **state)
{
    struct fixture *f = *state;
    struct tree t[10];
    struct sosia_err err = {0};
    int full = 0;
    for (int i = 0; i < 10; i++) {
        tree_fork(&f->tree, &t[i]);
        point(f->slot, &t[i]);
        if (sql_exec(f->slot,
                     "insert into item(name, n, body) values('big', 1, hex(zeroblob(40000)))",
                     &err) < 0) {
            assert_int_equal(err.code, SOSIA_E_FULL);
            assert_int_equal(number(f->slot, COUNT), 500);
            full++;
        }
        slot_leave(f->slot);
        assert_true(store_size(f->store) <= 400 * 1024);
    }
    assert_true(full > 0 && full < 10);
    for (int i = 0; i < 10; i++)
        tree_done(&t[i]);
    assert_int_equal(store_size(f->store), 0);
}

/* What one thread takes and another gives back can be counted the other way round. */
static void counts_that_are_behind_make_no_store_full(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    store_count(f->store, -100000);
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t, "update item set n = 5 where id = 7");
    store_count(f->store, 100000);
    assert_true(t.n_private > 0);
    tree_done(&t);
}

static void empty_chunks_go_back_to_the_system(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t,
            "insert into item(name, n, body) values('big', 1, hex(zeroblob(5000000)))");
    assert_true(f->store->n_out > 4500);
    tree_done(&t);
    assert_true(f->store->n_out <= 64);
    size_t n = 0;
    pthread_mutex_lock(&f->store->lock);
    n = f->store->n_empty_chunks;
    pthread_mutex_unlock(&f->store->lock);
    assert_true(n <= 1);
}

static void a_failed_allocation_anywhere_leaves_the_tree_unchanged(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    tree_fork(&f->tree, &t);
    int failures = 0;
    for (int64_t n = 1;; n++) {
        struct node *root = t.root;
        struct sosia_err err = {0};
        point(f->slot, &t);
        store_fail_after(f->store, n);
        int r = sql_exec(f->slot,
                         "begin immediate; delete from item where id % 3 = 0; savepoint s;"
                         "insert into item(name, n, body) values('n', 1, hex(zeroblob(3000)));"
                         "rollback to s; update item set n = 5 where id = 7; commit",
                         &err);
        int64_t left = store_fail_after(f->store, 0);
        slot_rollback(f->slot);
        slot_leave(f->slot);
        if (r == 0) {
            assert_true(left > 0);
            break;
        }
        failures++;
        assert_ptr_equal(t.root, root);
        assert_int_equal(number_on(f->slot, &t, COUNT), 500);
        if (n % 16 == 0)
            assert_sound(f->slot, &t);
    }
    assert_true(failures > 50);
    assert_int_equal(number_on(f->slot, &t, COUNT), 334);
    assert_sound(f->slot, &t);
    tree_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON(a_fork_is_isolated_from_its_parent_and_its_siblings),
        ON(an_idle_fork_holds_no_memory_of_its_own),
        ON(reset_brings_back_the_earlier_state),
        ON(a_base_lives_as_long_as_a_fork_of_it),
        ON(a_deep_chain_of_forks_keeps_every_generation),
        ON(rollback_leaves_the_tree_as_it_was),
        ON(a_commit_raises_the_version_and_a_read_does_not),
        ON(a_savepoint_undoes_its_part_alone),
        ON(a_statement_that_fails_halfway_changes_nothing),
        ON(statements_of_a_slot_follow_it_to_other_trees),
        ON(a_slot_sees_what_another_slot_committed),
        ON(equal_schemas_have_equal_cookies_and_others_do_not),
        ON(a_schema_changed_by_a_slot_is_not_taken_for_anothers),
        ON(what_reaches_outside_of_a_tree_is_refused),
        ON(now_is_what_the_slot_was_set_to),
        ON(a_tree_copies_to_a_file_that_plain_sqlite_reads),
        ON(flattening_keeps_the_content),
        ON(broken_images_are_refused),
        ON(the_page_diff_gives_exactly_the_pages_that_differ),
        ON_SMALL(a_tree_over_its_limit_is_full_and_unchanged),
        ON_SMALL(a_store_over_its_limit_is_full_and_memory_comes_back),
        ON(memory_of_many_freed_pages_comes_back),
        ON(pages_that_cannot_be_free_stay),
        ON_SMALL(counts_that_are_behind_make_no_store_full),
        ON(empty_chunks_go_back_to_the_system),
        ON(a_failed_allocation_anywhere_leaves_the_tree_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
