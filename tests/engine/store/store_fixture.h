/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of the store share: databases made by plain SQLite, and SQL on trees. */
#ifndef SOSIA_TESTS_STORE_FIXTURE_H
#define SOSIA_TESTS_STORE_FIXTURE_H

#include "engine/base/arena.h"
#include "engine/store/page_impl.h"
#include "engine/store/slot.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

/* An image made by plain SQLite: malloc'ed. */
static inline void *make_image(const char *sql, int page_size, size_t *ret_len)
{
    sqlite3 *db;
    char pragma[64];
    sqlite3_int64 n;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    snprintf(pragma, sizeof pragma, "pragma page_size = %d", page_size);
    assert_int_equal(sqlite3_exec(db, pragma, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    unsigned char *p = sqlite3_serialize(db, "main", &n, 0);
    assert_non_null(p);
    void *copy = malloc((size_t)n);
    memcpy(copy, p, (size_t)n);
    sqlite3_free(p);
    sqlite3_close(db);
    *ret_len = (size_t)n;
    return copy;
}

static inline struct tree load(struct store *s, const char *sql)
{
    struct tree t;
    struct sosia_err err = {0};
    size_t len;
    void *image = make_image(sql, STORE_PAGE_SIZE, &len);
    if (tree_load(s, image, len, &t, &err) < 0)
        fail_msg("%s", err.text);
    free(image);
    return t;
}

static inline struct slot *open_slot(struct store *s)
{
    struct slot *slot;
    struct sosia_err err = {0};
    if (slot_open(s, &slot, &err) < 0)
        fail_msg("%s", err.text);
    return slot;
}

/* Keys that name a state of a tree, and change when it does, are the owner's business: here each
 * use has a new one.
 */

static inline void point(struct slot *s, struct tree *t)
{
    static _Atomic(uint64_t) key;
    static _Thread_local uint64_t version;
    version = 0;
    slot_point(s, t, atomic_fetch_add(&key, 1) + 1, &version);
}

static inline void exec_on(struct slot *s, struct tree *t, const char *sql)
{
    struct sosia_err err = {0};
    point(s, t);
    if (sql_exec(s, sql, &err) < 0)
        fail_msg("%s: %s", sql, err.text);
    slot_leave(s);
}

/* One number that a query gives; the slot points at the tree. */
static inline int64_t number(struct slot *s, const char *sql)
{
    sqlite3_stmt *st;
    assert_int_equal(sql_exec(s, "select 1", NULL), 0);
    if (sqlite3_prepare_v2(slot_db(s), sql, -1, &st, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(slot_db(s)));
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    assert_int_equal(sqlite3_finalize(st), SQLITE_OK);
    return n;
}

static inline int64_t number_on(struct slot *s, struct tree *t, const char *sql)
{
    point(s, t);
    int64_t n = number(s, sql);
    slot_leave(s);
    return n;
}

/* A store with a tree and a slot, for one test. */
struct fixture {
    struct store *store;
    struct slot *slot;
    struct tree tree;
    uint64_t version;
    struct arena arena;
};

static inline int fixture_open(void **state, const struct store_options *opt, const char *sql)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_int_equal(store_open(opt, &f->store, NULL), 0);
    f->slot = open_slot(f->store);
    f->tree = load(f->store, sql);
    arena_init(&f->arena, 0);
    *state = f;
    return 0;
}

static inline int fixture_close(void **state)
{
    struct fixture *f = *state;
    arena_done(&f->arena);
    slot_close(f->slot);
    tree_done(&f->tree);
    assert_int_equal(store_size(f->store), 0);
    store_close(f->store);
    free(f);
    return 0;
}

/* A transaction that reads a tree, and its end. */
static inline void fixture_begin(struct fixture *f, struct tree *t)
{
    point(f->slot, t);
    assert_int_equal(slot_begin(f->slot, false, NULL), 0);
}

static inline void fixture_end(struct fixture *f)
{
    slot_rollback(f->slot);
    slot_leave(f->slot);
}

/* Numbers that are the same in each run. */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The fixture's tree with n bytes of its pages from `first` on changed, in rounds: in every other
 * one only in the first bytes of a page. False: tree_load() refuses it. */
static inline bool damaged_tree(struct fixture *f, uint64_t *seed, int round, size_t first, int n,
                                struct tree *ret)
{
    struct sosia_err err = {0};
    size_t len = (size_t)f->tree.n_pages * STORE_PAGE_SIZE;
    uint8_t *image = malloc(len);
    tree_copy(&f->tree, image);
    for (int k = 0; k < n; k++) {
        size_t page = first + random_next(seed) % (f->tree.n_pages - first);
        size_t at = random_next(seed) % (round % 2 ? 32 : STORE_PAGE_SIZE);
        image[page * STORE_PAGE_SIZE + at] = (uint8_t)random_next(seed);
    }
    int rc = tree_load(f->store, image, len, ret, &err);
    free(image);
    return rc == 0;
}

#endif
