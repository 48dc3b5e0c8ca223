/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that differ between two roots, against a comparison of all rows. */
#include "engine/store/hash.h"
#include "engine/store/rowdiff.h"
#include "tests/engine/store/store_fixture.h"
#include "tests/support/dose.h"

static const char schema[] =
    "create table note(id integer primary key, name text, body text) strict;"
    "create index note_name on note(name);"
    "create table log(at int, what text);"
    "create table pair(a text, b text, c text, primary key(a, b)) without rowid;"
    "create virtual table note_text using fts5(body, content='note', content_rowid='id');"
    "create trigger note_ins after insert on note begin"
    "  insert into note_text(rowid, body) values(new.id, new.body); end;"
    "create trigger note_del after delete on note begin"
    "  insert into note_text(note_text, rowid, body) values('delete', old.id, old.body); end;"
    "insert into note(id, name, body) with recursive c(i) as (select 1 union all select i + 1 from "
    "c where i < 3000)"
    "  select i * 10, 'n' || i % 97, hex(zeroblob(i * 31 % 300)) from c;"
    "insert into note(id, name, body) with recursive c(i) as (select 1 union all select i + 1 from "
    "c where i < 40)"
    "  select i * 700 + 3, 'big', hex(zeroblob(i * 200)) from c;"
    "insert into log(at, what) with recursive c(i) as (select 1 union all select i + 1 from c "
    "where i < 1000)"
    "  select i, 'w' || i from c;"
    "insert into pair with recursive c(i) as (select 1 union all select i + 1 from c where i < 800)"
    "  select 'a' || i % 40, 'b' || i, hex(zeroblob(i % 7 * 300)) from c;";

/* ---- the truth, by reading everything ---- */

struct row {
    int64_t rowid;
    uint64_t hash;
};
struct rows {
    struct row *at;
    size_t n, cap;
};

static void add_row(struct rows *l, int64_t rowid, uint64_t hash)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 64;
        l->at = realloc(l->at, l->cap * sizeof *l->at);
        assert_non_null(l->at);
    }
    l->at[l->n++] = (struct row){rowid, hash};
}

static struct rows read_all(struct slot *s, struct tree *t, const char *sql)
{
    struct rows l = {0};
    sqlite3_stmt *st;
    point(s, t);
    assert_int_equal(sql_exec(s, "select 1", NULL), 0);
    assert_int_equal(sqlite3_prepare_v2(slot_db(s), sql, -1, &st, NULL), SQLITE_OK);
    while (sqlite3_step(st) == SQLITE_ROW) {
        uint64_t hash = 0;
        for (int i = 1; i < sqlite3_column_count(st); i++) {
            const void *data = sqlite3_column_blob(st, i);
            size_t n = (size_t)sqlite3_column_bytes(st, i);
            hash = hash * 31 + hash_bytes(n ? data : "", n) + (uint64_t)sqlite3_column_type(st, i);
        }
        add_row(&l, sqlite3_column_int64(st, 0), hash);
    }
    assert_int_equal(sqlite3_finalize(st), SQLITE_OK);
    slot_leave(s);
    return l;
}

struct change {
    const char *table;
    int64_t rowid;
    enum row_change change;
};
struct changes {
    struct change at[20000];
    size_t n;
};

static int note_change(void *arg, const char *table, int64_t rowid, enum row_change change)
{
    struct changes *l = arg;
    static const char *const names[] = {"note", "log", "pair", "tiny"};
    assert_true(l->n < SOSIA_LEN(l->at));
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (strcmp(names[i], table) == 0)
            l->at[l->n] = (struct change){names[i], rowid, change};
    assert_non_null(l->at[l->n].table);
    l->n++;
    return 0;
}

static void expect_table(struct slot *s, struct tree *a, struct tree *b, const char *table,
                         const char *sql, bool rowids, struct changes *l)
{
    struct rows x = read_all(s, a, sql), y = read_all(s, b, sql);
    size_t i = 0, j = 0, before = l->n;
    while (i < x.n || j < y.n) {
        if (j == y.n || (i < x.n && x.at[i].rowid < y.at[j].rowid)) {
            note_change(l, table, x.at[i++].rowid, ROW_REMOVED);
        } else if (i == x.n || y.at[j].rowid < x.at[i].rowid) {
            note_change(l, table, y.at[j++].rowid, ROW_ADDED);
        } else {
            if (x.at[i].hash != y.at[j].hash)
                note_change(l, table, x.at[i].rowid, ROW_CHANGED);
            i++;
            j++;
        }
    }
    if (!rowids && l->n > before) {
        l->n = before;
        note_change(l, table, 0, ROW_CHANGED);
    }
    free(x.at);
    free(y.at);
}

static struct changes expected, found;

/* Gives how many rows differ. near: as rowdiff_near() has it. */
static size_t check_near(struct store *store, struct slot *s, struct tree *a, struct tree *b,
                         const struct tree *near)
{
    struct sosia_err err = {0};
    expected.n = found.n = 0;
    expect_table(s, a, b, "note", "select id, name, body from note order by id", true, &expected);
    expect_table(s, a, b, "log", "select rowid, at, what from log order by rowid", true, &expected);
    expect_table(s, a, b, "pair", "select 0, a, b, c from pair order by a, b", false, &expected);
    if (rowdiff_near(store, a, b, near, NULL, note_change, &found, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(found.n, expected.n);
    for (size_t i = 0; i < found.n; i++) {
        assert_string_equal(found.at[i].table, expected.at[i].table);
        assert_int_equal(found.at[i].rowid, expected.at[i].rowid);
        assert_int_equal(found.at[i].change, expected.at[i].change);
    }
    return found.n;
}

static size_t check(struct store *store, struct slot *s, struct tree *a, struct tree *b)
{
    return check_near(store, s, a, b, NULL);
}

/* ---- fixture ---- */

static int setup(void **state)
{
    return fixture_open(state, NULL, schema);
}

/* ---- row diff ---- */

static void single_changes_are_found(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *sql;
        size_t n;
    } cases[] = {
        {"update note set name = 'x' where id = 5000", 1},
        {"update note set name = name where id < 5000", 0},
        {"update note set id = 5001 where id = 5000", 2},
        {"insert into note values(1, 'first', 'b'), (1000000, 'last', 'b')", 2},
        {"delete from note where id between 10000 and 20000", 1000 + 15},
        {"delete from note", 3040},
        {"insert into note(id, name, body) values(5, 'huge', hex(zeroblob(200000)))", 1},
        {"delete from log", 1000},
        {"delete from log where at % 2", 500},
        {"update pair set c = 'x' where b = 'b100'", 1},
        {"delete from pair", 1},
        {"update note set body = replace(body, '0', '1') where id = 28003", 1},
        {"update note set body = substr(body, 1, length(body) - 1) || 'z' where id = 28003", 1},
        {"delete from note where id > 9000; delete from log; insert into log(rowid, at, what) "
         "select id, id, body from note",
         0},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct tree t, flat;
        tree_fork(&f->tree, &t);
        exec_on(f->slot, &t, cases[i].sql);
        size_t n = check(f->store, f->slot, &f->tree, &t);
        if (n != cases[i].n && cases[i].n)
            fail_msg("%s: %zu rows", cases[i].sql, n);
        assert_int_equal(check(f->store, f->slot, &t, &f->tree), n);
        tree_fork(&t, &flat);
        assert_int_equal(tree_flatten(f->store, &flat, NULL), 0);
        assert_int_equal(check(f->store, f->slot, &f->tree, &flat), n);
        assert_int_equal(check(f->store, f->slot, &t, &flat), 0);
        tree_done(&flat);
        tree_done(&t);
    }
}

static void random_sql(uint64_t *seed, char *sql, size_t size)
{
    unsigned long long r = random_next(seed), k = random_next(seed) % 32000;
    unsigned len = (unsigned)(random_next(seed) % 5000);
    switch (r % 12) {
    case 0:
    case 1:
        snprintf(sql, size, "insert or ignore into note values(%llu, 'n%llu', hex(zeroblob(%u)))",
                 k, r % 50, len / 8);
        return;
    case 2:
        snprintf(sql, size, "insert or ignore into note values(%llu, 'big', hex(zeroblob(%u)))", k,
                 len);
        return;
    case 3:
        snprintf(sql, size, "delete from note where id between %llu and %llu", k,
                 k + r / 16 % 2000);
        return;
    case 4:
        snprintf(sql, size, "update note set name = 'u%llu' where id between %llu and %llu", r % 99,
                 k, k + 60);
        return;
    case 5: /* the same length: SQLite may write overflow pages alone */
        snprintf(sql, size,
                 "update note set body = substr(body, 1, length(body) - 3) || 'abc' where "
                 "length(body) > %u and id > %llu and id < %llu",
                 len, k, k + 3000);
        return;
    case 6:
        snprintf(sql, size,
                 "insert into log(at, what) with recursive c(i) as (select 1 union all select i + "
                 "1 from c where i < %llu) select i, 'r%llu' from c",
                 r / 16 % 200 + 1, r % 1000);
        return;
    case 7:
        snprintf(sql, size, "delete from log where rowid %% %llu = 0", r / 16 % 9 + 2);
        return;
    case 8:
        snprintf(sql, size,
                 "insert or replace into pair values('a%llu', 'b%llu', hex(zeroblob(%u)))", k % 40,
                 k % 900, len / 4);
        return;
    case 9:
        snprintf(sql, size, "delete from pair where a = 'a%llu'", k % 40);
        return;
    case 10:
        if (r / 16 % 4 == 0)
            snprintf(sql, size, "delete from %s", r & 256 ? "note" : r & 512 ? "log" : "pair");
        else
            snprintf(sql, size, "update or ignore note set id = id + %llu where id > %llu",
                     r % 5000, k + 20000);
        return;
    default:
        snprintf(sql, size,
                 "insert into note(name, body) select name, body from note where id between %llu "
                 "and %llu",
                 k, k + 800);
        return;
    }
}

/* Of trees that begin as this one. */
static void random_histories(struct fixture *f, const struct tree *from)
{
    enum { TREES = 6 };
    const int rounds = dose(60, 30);
    struct tree t[TREES];
    uint64_t seed = 20261121;
    size_t total = 0;
    for (int i = 0; i < TREES; i++)
        tree_fork(from, &t[i]);
    for (int round = 0; round < rounds; round++) {
        int i = (int)(random_next(&seed) % TREES), j = (int)(random_next(&seed) % TREES);
        if (random_next(&seed) % 4 == 0)
            tree_reset(&t[i], &t[j]);
        for (unsigned n = (unsigned)(random_next(&seed) % 4) + 1; n; n--) {
            char sql[400];
            random_sql(&seed, sql, sizeof sql);
            exec_on(f->slot, &t[i], sql);
        }
        if (random_next(&seed) % 10 == 0)
            assert_int_equal(tree_flatten(f->store, &t[j], NULL), 0);
        size_t n = check(f->store, f->slot, &t[i], &t[j]);
        assert_int_equal(check(f->store, f->slot, &t[j], &t[i]), n); /* j is often one of before */
        const struct tree *third = &t[random_next(&seed) % TREES];
        assert_int_equal(check_near(f->store, f->slot, &t[i], &t[j], third), n);
        total += n;
    }
    assert_true(total > 10000);
    for (int i = 0; i < TREES; i++)
        tree_done(&t[i]);
}

static void random_histories_agree_with_reading_everything(void **state)
{
    struct fixture *f = *state;
    random_histories(f, &f->tree);
}

/* As worlds that were made from the empty one. */
static void trees_with_their_own_pages_have_maps_as_long_as_they_are_there(void **state)
{
    struct fixture *f = *state;
    struct tree t, u;
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t,
            "update note set name = name || 'x'; update log set what = what || 'x'; "
            "update pair set c = c || 'x'");
    random_histories(f, &t);
    tree_fork(&t, &u);
    exec_on(f->slot, &u, "update note set name = 'x' where id = 5000");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(check(f->store, f->slot, &t, &u), 1);
        assert_int_equal(check(f->store, f->slot, &u, &t), 1);
    }
    assert_true(t.root->mapped && !u.root->mapped);
    tree_done(&t);
    assert_null(f->store->maps);
    tree_done(&u);
}

/* As the states behind calls. */
static void of_many_pairs_that_are_near_to_one_tree_it_alone_is_read(void **state)
{
    enum { STEPS = 24 };
    struct fixture *f = *state;
    struct tree t[STEPS];
    tree_fork(&f->tree, &t[0]);
    exec_on(f->slot, &t[0],
            "update note set name = name || 'x'; update log set what = what || 'x'; "
            "update pair set c = c || 'x'");
    for (int i = 1; i < STEPS; i++) {
        char sql[200];
        tree_fork(&t[i - 1], &t[i]);
        snprintf(sql, sizeof sql,
                 "update note set name = 'y%d' where id = %d; insert into log (at, what) values "
                 "(%d, 'z'); delete from note where id = %d",
                 i, 100 * i, i, 100 * i + 10);
        exec_on(f->slot, &t[i], sql);
    }
    for (int i = 1; i < STEPS; i++)
        assert_int_equal(check_near(f->store, f->slot, &t[i - 1], &t[i], &t[STEPS / 3]), 3);
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(t[i].root->mapped, i == STEPS / 3);
    for (int i = 0; i < STEPS; i++)
        tree_done(&t[i]);
    assert_null(f->store->maps);
}

/* As a later state of a world, whose tables have lost pages: those are there still, as they were,
 * but nothing in it leads to them. */
static void what_the_near_tree_has_freed_is_looked_at(void **state)
{
    struct fixture *f = *state;
    static const char *const frees[] = {
        "delete from log", "delete from note", "delete from pair",
        "delete from log where rowid > 20; delete from note where id > 100"};
    struct tree t[4], near;
    tree_fork(&f->tree, &t[0]);
    exec_on(f->slot, &t[0],
            "insert into log(at, what) with recursive c(i) as (select 1 union all select i + 1 "
            "from c where i < 4000) select i, hex(zeroblob(150 + i % 100)) from c; "
            "update pair set c = c || 'x'");
    static const char *const steps[] = {
        "update note set name = 'm' || substr(name, 2) where id in (15000, 15010)",
        "update note set body = substr(body, 1, length(body) - 3) || 'abc' where id = 14003",
        "update pair set c = c || 'y' where b in ('b700', 'b20'); update note set name = 'z' where "
        "id in (10, 30, 20000)"};
    for (size_t i = 0; i < SOSIA_LEN(steps); i++) {
        tree_fork(&t[i], &t[i + 1]);
        exec_on(f->slot, &t[i + 1], steps[i]);
    }
    for (size_t k = 0; k < SOSIA_LEN(t); k++)
        for (size_t i = 0; i < SOSIA_LEN(frees); i++) {
            tree_fork(&t[k], &near);
            exec_on(f->slot, &near, frees[i]);
            assert_true(near.n_private >= 256);
            for (size_t step = 0; step < SOSIA_LEN(steps); step++)
                check_near(f->store, f->slot, &t[step], &t[step + 1], &near);
            tree_done(&near);
        }
    for (size_t i = 0; i < SOSIA_LEN(t); i++)
        tree_done(&t[i]);
}

static void a_tree_with_some_pages_of_its_own_has_a_map_when_it_is_compared_again(void **state)
{
    struct fixture *f = *state;
    struct tree t, forks[3];
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t, "update note set name = name || 'x' where id % 500 = 0");
    assert_true(t.n_private > 8 && t.n_private < 256);
    for (int i = 0; i < 3; i++) {
        char sql[80];
        tree_fork(&t, &forks[i]);
        snprintf(sql, sizeof sql, "update note set name = 'y' where id in (%d, %d)", 10 * i + 10,
                 10 * i + 20000);
        exec_on(f->slot, &forks[i], sql);
        assert_int_equal(check(f->store, f->slot, &t, &forks[i]), 2);
        assert_int_equal(t.root->mapped, i > 0);
    }
    assert_int_equal(check(f->store, f->slot, &forks[1], &t), 2);
    assert_int_equal(check(f->store, f->slot, &forks[1], &forks[2]), 4);
    for (int i = 0; i < 3; i++)
        tree_done(&forks[i]);
    tree_done(&t);
    assert_null(f->store->maps);
}

static int stop_at_third(void *arg, const char *table, int64_t rowid, enum row_change change)
{
    return ++*(int *)arg == 3 ? 42 : 0;
}

static bool is_log(void *arg, const char *table)
{
    (void)arg;
    return strcmp(table, "log") == 0;
}

static bool is_shadow(void *arg, const char *table)
{
    (void)arg;
    return strcmp(table, "note_text_docsize") == 0;
}

static void the_callback_can_stop_it_and_tables_can_be_chosen(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    int n = 0;
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t, "delete from note where id < 1000; delete from log where at < 20");
    assert_int_equal(rowdiff(f->store, &f->tree, &t, NULL, stop_at_third, &n, NULL), 42);
    assert_int_equal(n, 3);
    found.n = 0;
    assert_int_equal(rowdiff(f->store, &f->tree, &t, is_log, note_change, &found, NULL), 0);
    assert_int_equal(found.n, 19);
    n = 10;
    assert_int_equal(rowdiff(f->store, &f->tree, &t, is_shadow, stop_at_third, &n, NULL), 0);
    assert_true(n > 10);
    tree_done(&t);
}

static void different_schemas_are_refused(void **state)
{
    struct fixture *f = *state;
    struct sosia_err err = {0};
    struct tree t;
    tree_fork(&f->tree, &t);
    exec_on(f->slot, &t, "create table tiny(a)");
    assert_int_equal(rowdiff(f->store, &f->tree, &t, NULL, note_change, &found, &err), -1);
    assert_int_equal(err.code, SOSIA_E_INVALID);
    /* With a schema that isn't the base's, but one for both, it works. */
    struct tree u;
    tree_fork(&t, &u);
    exec_on(f->slot, &u, "insert into tiny values(7)");
    found.n = 0;
    assert_int_equal(rowdiff(f->store, &t, &u, NULL, note_change, &found, &err), 0);
    assert_int_equal(found.n, 1);
    assert_string_equal(found.at[0].table, "tiny");
    tree_done(&u);
    tree_done(&t);
}

/* Whatever the bytes: a result or an error, and an end. */
static void broken_pages_are_an_error_at_worst(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 7;
    size_t len = (size_t)f->tree.n_pages * STORE_PAGE_SIZE;
    uint8_t *image = malloc(len);
    int refused = 0;
    for (int round = 0; round < 300; round++) {
        struct tree t, u;
        struct sosia_err err = {0};
        int n = 10;
        tree_copy(&f->tree, image);
        for (int k = 0; k < 6; k++) {
            size_t page = random_next(&seed) % f->tree.n_pages;
            if (page)
                image[page * STORE_PAGE_SIZE + random_next(&seed) % 32] =
                    (uint8_t)random_next(&seed);
        }
        if (tree_load(f->store, image, len, &t, &err) < 0)
            continue;
        tree_fork(&t, &u);
        struct writer w = {.store = f->store,
                           .base = u.base,
                           .n_pages = u.n_pages,
                           .tag = tag_new(f->store, page_cache(f->store))};
        for (uint32_t p = 1; p < 30; p++) {
            uint8_t *data;
            assert_int_equal(writer_page(&w, p * 7 % u.n_pages, false, &data), SOSIA_E_OK);
            data[random_next(&seed) % 16 + 1] ^= (uint8_t)random_next(&seed);
        }
        u.root = w.root;
        if (rowdiff(f->store, &t, &u, NULL, stop_at_third, &n, &err) < 0) {
            assert_int_equal(err.code, SOSIA_E_INVALID);
            refused++;
        }
        struct tree *pair[] = {&f->tree, &u};
        n = 10;
        rowdiff(f->store, pair[round & 1], pair[!(round & 1)], NULL, stop_at_third, &n, &err);
        tree_done(&t);
        tree_done(&u);
    }
    free(image);
    assert_true(refused > 10);
}

/* ---- hash ---- */

static void assert_same_hash(const struct tree *a, const struct tree *b, bool same)
{
    uint8_t x[32], y[32];
    assert_int_equal(tree_hash(a, x, NULL), 0);
    assert_int_equal(tree_hash(b, y, NULL), 0);
    assert_int_equal(memcmp(x, y, 32) == 0, same);
}

static void the_hash_is_of_the_content_whatever_is_shared(void **state)
{
    struct fixture *f = *state;
    static const char *const steps[] = {
        "update note set name = 'x' where id = 5000",
        "insert into note(name, body) values('big', hex(zeroblob(300000)))",
        "delete from note where id > 9000", "insert into log values(1, 'x')"};
    struct tree a, b, flat, loaded;
    tree_fork(&f->tree, &a);
    tree_fork(&f->tree, &b);
    assert_same_hash(&a, &f->tree, true);
    for (size_t i = 0; i < SOSIA_LEN(steps); i++) {
        exec_on(f->slot, &a, steps[i]);
        assert_same_hash(&a, &b, false);
        exec_on(f->slot, &b,
                "begin; delete from log where at = 77; rollback; pragma user_version = 0");
        exec_on(f->slot, &b, steps[i]);
        assert_same_hash(&a, &b, true); /* although their change counters differ */
        tree_fork(&a, &flat);
        assert_int_equal(tree_flatten(f->store, &flat, NULL), 0);
        assert_same_hash(&a, &flat, true);
        size_t len = (size_t)a.n_pages * STORE_PAGE_SIZE;
        uint8_t *image = malloc(len);
        tree_copy(&a, image);
        struct store *other;
        assert_int_equal(store_open(NULL, &other, NULL), 0);
        struct tree filler = load(other, "create table filler(a)");
        assert_int_equal(tree_load(other, image, len, &loaded, NULL), 0);
        assert_same_hash(&a, &loaded, true);
        tree_done(&loaded);
        tree_done(&filler);
        store_close(other);
        free(image);
        tree_done(&flat);
    }
    tree_done(&a);
    tree_done(&b);
}

static void a_tree_shorter_or_longer_than_its_base_has_the_hash_of_its_content(void **state)
{
    struct fixture *f = *state;
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 128, 200, 4095, 4096, 4097, 9000};
    uint64_t seed = 3;
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++) {
        struct tree t, flat;
        tree_fork(&f->tree, &t);
        struct writer w = {.store = f->store,
                           .base = t.base,
                           .root = t.root,
                           .n_pages = sizes[i],
                           .tag = tag_new(f->store, page_cache(f->store))};
        for (int k = 0; k < 50; k++) {
            uint8_t *data;
            assert_int_equal(writer_page(&w, (uint32_t)(random_next(&seed) % 9000), false, &data),
                             SOSIA_E_OK);
            data[50] ^= 1;
        }
        assert_int_equal(writer_truncate(&w), SOSIA_E_OK);
        t.root = w.root;
        t.n_pages = w.n_pages;
        t.n_private = w.n_private;
        tree_fork(&t, &flat);
        assert_int_equal(tree_flatten(f->store, &flat, NULL), 0);
        assert_same_hash(&t, &flat, true);
        assert_same_hash(&t, &f->tree, false);
        tree_done(&flat);
        tree_done(&t);
    }
}

int main(void)
{
#define ON(test) cmocka_unit_test_setup_teardown(test, setup, fixture_close)
    const struct CMUnitTest tests[] = {
        ON(single_changes_are_found),
        ON(random_histories_agree_with_reading_everything),
        ON(trees_with_their_own_pages_have_maps_as_long_as_they_are_there),
        ON(of_many_pairs_that_are_near_to_one_tree_it_alone_is_read),
        ON(what_the_near_tree_has_freed_is_looked_at),
        ON(a_tree_with_some_pages_of_its_own_has_a_map_when_it_is_compared_again),
        ON(the_callback_can_stop_it_and_tables_can_be_chosen),
        ON(different_schemas_are_refused),
        ON(broken_pages_are_an_error_at_worst),
        ON(the_hash_is_of_the_content_whatever_is_shared),
        ON(a_tree_shorter_or_longer_than_its_base_has_the_hash_of_its_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
