/* SPDX-License-Identifier: Apache-2.0 */
/* The store: threads that share bases, versions of a map of pages, and the first one of them. */
#include "tests/engine/store/store_items.h"
#include "engine/store/delta.h"
#include <pthread.h>

/* ---- threads ---- */

struct forker {
    struct fixture *f;
    struct tree start;
};

static void *fork_and_write(void *arg)
{
    struct forker *k = arg;
    struct slot *s = open_slot(k->f->store);
    struct tree last = k->start;
    for (int i = 0; i < 40; i++) {
        struct tree t;
        uint64_t version = 0;
        tree_fork(&last, &t);
        slot_point(s, &t, (uint64_t)(uintptr_t)k * 1000 + (uint64_t)i, &version);
        assert_int_equal(
            sql_exec(s, "delete from item where id = (select max(id) from item)", NULL), 0);
        slot_leave(s);
        tree_done(&last);
        last = t;
    }
    k->start = last;
    slot_close(s);
    return NULL;
}

static void threads_fork_one_base_and_hand_trees_over(void **state)
{
    struct fixture *f = *state;
    enum { N = 4 };
    struct forker k[N];
    pthread_t thread[N];
    struct tree own = load(f->store, schema);
    for (int i = 0; i < N; i++) {
        k[i].f = f;
        tree_fork(&own, &k[i].start);
    }
    struct base *base = own.base;
    tree_done(&own);
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, fork_and_write, &k[i]), 0);
    for (int i = 0; i < N; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < N; i++) {
        assert_true(atomic_load(&base->life) & 1);
        assert_int_equal(number_on(f->slot, &k[i].start, COUNT), 460);
        tree_done(&k[i].start);
    }
    assert_false(atomic_load(&base->life) & 1);
}

static void *done_soon(void *arg)
{
    struct tree *t = arg;
    for (int i = 0; i < 20; i++) {
        struct tree next;
        tree_fork(t, &next);
        tree_done(t);
        *t = next;
    }
    tree_done(t);
    return NULL;
}

/* The last references go at the same moment in several threads: exactly one must find the base
 * dead. */
static void racing_releases_free_a_base_once(void **state)
{
    struct fixture *f = *state;
    for (int round = 0; round < 100; round++) {
        struct tree t[3];
        pthread_t thread[2];
        t[0] = load(f->store, "create table a(b)");
        struct base *b = t[0].base;
        tree_fork(&t[0], &t[1]);
        tree_fork(&t[0], &t[2]);
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, done_soon, &t[i + 1]), 0);
        tree_done(&t[0]);
        for (int i = 0; i < 2; i++)
            pthread_join(thread[i], NULL);
        assert_false(atomic_load(&b->life) & 1);
    }
}

/* ---- versions of a map, straight on the writer: what is counted and what is borrowed ---- */

enum { MAP_PAGES = 9000 };

/* A version as SQLite's transactions make them, with its content beside it: page i begins with
 * content[i]. */
struct version {
    struct tree tree;
    uint32_t content[MAP_PAGES];
};

static void assert_version(const struct version *v)
{
    for (uint32_t i = 0; i < v->tree.n_pages; i++)
        assert_int_equal(get4(tree_page(&v->tree, i)), v->content[i]);
}

/* Writes a few pages and cuts some off; commits, with the old version still looked at until
 * afterwards, or rolls back. */
static void write_version(struct store *s, struct version *v, uint64_t *seed, bool commit)
{
    struct page_cache *c = page_cache(s);
    struct node *old = v->tree.root;
    static uint32_t content[MAP_PAGES];
    memcpy(content, v->content, sizeof content);
    struct writer w = {.store = s,
                       .base = v->tree.base,
                       .root = old,
                       .sole = old,
                       .n_pages = v->tree.n_pages,
                       .n_private = v->tree.n_private,
                       .tag = tag_new(s, c)};
    if (old)
        atomic_fetch_add(&old->refs, 1);
    for (int i = 0, n = 1 + (int)(random_next(seed) % 12); i < n; i++) {
        uint32_t page = (uint32_t)(random_next(seed) % (w.n_pages + 40));
        uint8_t *data;
        if (random_next(seed) % 30 == 0)
            page = (uint32_t)(random_next(seed) % MAP_PAGES); /* the map may grow above its root */
        if (page >= MAP_PAGES)
            page = MAP_PAGES - 1;
        assert_int_equal(writer_page(&w, page, false, &data), SOSIA_E_OK);
        for (uint32_t k = w.n_pages; k < page; k++) /* SQLite leaves none of these unwritten */
            content[k] = get4(page_find(w.base, NULL, k));
        content[page] = (uint32_t)random_next(seed);
        put4(data, content[page]);
        if (page >= w.n_pages)
            w.n_pages = page + 1;
        if (random_next(seed) % 3 == 0) {
            page = (uint32_t)(random_next(seed) % w.n_pages);
            for (uint32_t end = page + (uint32_t)(random_next(seed) % 200);
                 page < end && page < w.n_pages && w.n_private > 1; page++) {
                assert_int_equal(writer_drop(&w, page), SOSIA_E_OK);
                content[page] =
                    get4(page < w.base->n_pages ? page_find(w.base, NULL, page) : page_zero);
            }
        }
        if (random_next(seed) % 25 == 0) {
            w.n_pages = 1 + w.n_pages / 2;
            assert_int_equal(writer_truncate(&w), SOSIA_E_OK);
        }
    }
    if (!commit) {
        node_unref(s, c, w.root);
        assert_version(v);
        return;
    }
    struct tree before = v->tree;
    v->tree.root = w.root;
    v->tree.n_pages = w.n_pages;
    v->tree.n_private = w.n_private;
    for (uint32_t i = 0; i < before.n_pages; i++) /* as long as its root is pinned */
        assert_int_equal(get4(tree_page(&before, i)), v->content[i]);
    struct delta *known = delta_new(s, &before, &v->tree, w.tag),
                 *compared = delta_new(s, &before, &v->tree, 0);
    assert_int_equal(delta_size(known), delta_size(compared));
    delta_unref(known);
    delta_unref(compared);
    node_settle(s, c, old, w.root);
    memcpy(v->content, content, sizeof content);
}

static void versions_of_a_map_keep_their_pages_and_give_them_back(void **state)
{
    static struct version v[4];
    struct fixture *f = *state;
    uint64_t seed = 5;
    for (int k = 0; k < 4; k++) {
        tree_fork(&f->tree, &v[k].tree);
        for (uint32_t i = 0; i < v[k].tree.n_pages; i++)
            v[k].content[i] = get4(tree_page(&v[k].tree, i));
    }
    for (int i = 0; i < 4000; i++) {
        struct version *a = &v[random_next(&seed) % 4], *b = &v[random_next(&seed) % 4];
        unsigned kind = (unsigned)(random_next(&seed) % 20);
        if (kind == 0 && a != b) {
            tree_done(&a->tree);
            tree_fork(&b->tree, &a->tree);
            memcpy(a->content, b->content, sizeof a->content);
        } else {
            write_version(f->store, a, &seed, kind < 15);
        }
        if (i % 50 == 0)
            for (int k = 0; k < 4; k++)
                assert_version(&v[k]);
    }
    for (int k = 0; k < 4; k++) {
        assert_version(&v[k]);
        tree_done(&v[k].tree);
    }
    assert_int_equal(store_size(f->store), 0);
}

/* A statement is looking at the first version while a second and a third are committed. */
static void a_reader_keeps_its_version_over_two_commits(void **state)
{
    struct fixture *f = *state;
    sqlite3_stmt *st;
    for (int round = 0; round < 3; round++) {
        point(f->slot, &f->tree);
        assert_int_equal(sqlite3_prepare_v2(slot_db(f->slot),
                                            "select id, body from item where id <= 400 order by id",
                                            -1, &st, NULL),
                         SQLITE_OK);
        for (int i = 1; sqlite3_step(st) == SQLITE_ROW; i++) {
            char body[40];
            snprintf(body, sizeof body, "body of number %d", i);
            assert_string_equal(sqlite3_column_text(st, 1), body);
            if (i % 100 == 0)
                assert_int_equal(sql_exec(f->slot,
                                          "insert into item(name, n, body) values('r' || "
                                          "(select count(*) from item), 1, 'more')",
                                          NULL),
                                 0);
        }
        sqlite3_finalize(st);
        slot_leave(f->slot);
    }
    assert_int_equal(number_on(f->slot, &f->tree, COUNT), 512);
    assert_sound(f->slot, &f->tree);
}

/* ---- the first page ---- */

/* A write, of all that SQLite does for it. */
static void write_item(struct slot *s, struct tree *t, uint64_t *version, int n, bool keep)
{
    char sql[96];
    slot_point(s, t, 1, version);
    assert_int_equal(slot_begin(s, true, NULL), 0);
    snprintf(sql, sizeof sql, "update item set n = %d where id = 7", n);
    assert_int_equal(sql_exec(s, sql, NULL), 0);
    if (keep)
        assert_int_equal(slot_commit(s, NULL), 0);
    else
        slot_rollback(s);
    slot_leave(s);
}

static int64_t item(struct slot *s, struct tree *t, uint64_t *version)
{
    slot_point(s, t, 1, version);
    int64_t n = number(s, "select n from item where id = 7");
    slot_leave(s);
    return n;
}

static int misses(struct slot *s)
{
    int n, highest;
    assert_int_equal(sqlite3_db_status(slot_db(s), SQLITE_DBSTATUS_CACHE_MISS, &n, &highest, 1),
                     SQLITE_OK);
    return n;
}

static void what_changes_neither_size_nor_schema_needs_no_first_page(void **state)
{
    struct fixture *f = *state;
    struct slot *other = open_slot(f->store);
    struct tree t;
    uint64_t version = 1;
    tree_fork(&f->tree, &t);
    const uint8_t *first = tree_page(&t, 0);
    for (int i = 1; i <= 4; i++) {
        write_item(f->slot, &t, &version, i, true);
        assert_ptr_equal(tree_page(&t, 0), first);
        assert_int_equal(item(f->slot, &t, &version), i);
        assert_int_equal(item(other, &t, &version), i);
    }
    /* The pages that it has written are still in its cache: it is given back its own counter. */
    misses(f->slot);
    write_item(f->slot, &t, &version, 5, true);
    write_item(f->slot, &t, &version, 6, false);
    write_item(f->slot, &t, &version, 7, true);
    assert_int_equal(misses(f->slot), 0);
    assert_int_equal(item(f->slot, &t, &version), 7);
    /* And it sees what another one has written, whose counter is another one. */
    write_item(other, &t, &version, 8, true);
    assert_int_equal(item(f->slot, &t, &version), 8);
    write_item(f->slot, &t, &version, 9, true);
    assert_int_equal(item(other, &t, &version), 9);
    write_item(other, &t, &version, 10, false);
    assert_int_equal(item(other, &t, &version), 9);
    assert_ptr_equal(tree_page(&t, 0), first);
    assert_sound(f->slot, &t);
    slot_close(other);
    tree_done(&t);
}

/* Its only page is as it was: a commit of the same tree. */
static void a_commit_without_a_changed_page_keeps_the_tree(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    uint64_t version = 1;
    tree_fork(&f->tree, &t);
    for (int i = 1; i <= 3; i++) {
        slot_point(f->slot, &t, 1, &version);
        assert_int_equal(slot_begin(f->slot, true, NULL), 0);
        assert_int_equal(sql_exec(f->slot, "pragma user_version = 0", NULL), 0);
        assert_int_equal(slot_commit(f->slot, NULL), 0);
        slot_leave(f->slot);
        write_item(f->slot, &t, &version, i, true);
        assert_int_equal(item(f->slot, &t, &version), i);
    }
    assert_sound(f->slot, &t);
    tree_done(&t);
}

static void the_counter_of_changes_is_that_of_the_base(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    uint64_t version = 1;
    tree_fork(&f->tree, &t);
    for (int i = 0; i < 3; i++) {
        slot_point(f->slot, &t, 1, &version);
        assert_int_equal(slot_begin(f->slot, true, NULL), 0);
        assert_int_equal(slot_savepoint(f->slot, NULL), 0);
        assert_int_equal(sql_exec(f->slot, "delete from item where id > 400", NULL), 0);
        assert_int_equal(slot_rollback_to(f->slot, NULL), 0);
        assert_int_equal(sql_exec(f->slot,
                                  "insert into item (name, n, body) values (hex(zeroblob(3000)) || "
                                  "(select count(*) from item), 1, 'body')",
                                  NULL),
                         0);
        assert_int_equal(slot_commit(f->slot, NULL), 0);
        slot_leave(f->slot);
        const uint8_t *was = tree_page(&f->tree, 0), *is = tree_page(&t, 0);
        assert_ptr_not_equal(is, was);
        assert_memory_equal(is + HEADER_CHANGES, was + HEADER_CHANGES, 4);
        assert_memory_equal(is + HEADER_VALID_FOR, was + HEADER_VALID_FOR, 8);
        assert_int_equal(get4(is + 28), t.n_pages);
        assert_int_equal(number_on(f->slot, &t, COUNT), 501 + i);
    }
    assert_sound(f->slot, &t);
    tree_done(&t);
}

/* A journal's entry is the same whether the page was written or not. */
static void the_sum_of_what_is_written_has_the_first_page(void **state)
{
    struct fixture *f = *state;
    struct tree t;
    uint64_t version = 1, sums[2];
    for (int i = 0; i < 2; i++) {
        tree_fork(&f->tree, &t);
        struct writer w = {.store = f->store,
                           .base = t.base,
                           .root = t.root,
                           .n_pages = t.n_pages,
                           .tag = tag_new(f->store, page_cache(f->store))};
        uint8_t *to;
        if (i)
            assert_int_equal(writer_page(&w, 0, false, &to), SOSIA_E_OK);
        assert_int_equal(writer_page(&w, 3, false, &to), SOSIA_E_OK);
        t.root = w.root;
        t.n_private = w.n_private;
        sums[i] = writer_sum(&w);
        tree_done(&t);
    }
    assert_int_equal(sums[0], sums[1]);
    /* Of what is undone there is none. */
    tree_fork(&f->tree, &t);
    slot_want_sum(f->slot, true);
    write_item(f->slot, &t, &version, 1, false);
    assert_int_equal(slot_sum(f->slot), 0);
    write_item(f->slot, &t, &version, 1, true);
    assert_int_not_equal(slot_sum(f->slot), 0);
    slot_want_sum(f->slot, false);
    tree_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON(versions_of_a_map_keep_their_pages_and_give_them_back),
        ON(a_reader_keeps_its_version_over_two_commits),
        ON(threads_fork_one_base_and_hand_trees_over),
        ON(racing_releases_free_a_base_once),
        ON(what_changes_neither_size_nor_schema_needs_no_first_page),
        ON(a_commit_without_a_changed_page_keeps_the_tree),
        ON(the_counter_of_changes_is_that_of_the_base),
        ON(the_sum_of_what_is_written_has_the_first_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
