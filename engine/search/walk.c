/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists are read from the index in batches that grow while they are used up and shrink while they
 * are jumped over, and no statement stays open between two.
 */
#include "engine/search/walk.h"
#include "engine/search/impl.h"
#include "engine/search/index.h"
#include "engine/search/near.h"

#define BATCH_FIRST 16
#define BATCH_MOST  4096 /* to begin one costs as much as some fifty entries of it */

struct search_walk {
    struct tx *tx;
    const struct corpus *corpus;
    void *arg;
    struct search_node *root;
    int64_t first, last; /* keys that are looked at */
    bool failed;
};

static int64_t next(struct search_walk *w, struct search_node *n, int64_t from);

/* ---- lists ---- */

static sqlite3_stmt *use(struct search_walk *w, struct sql_text *q)
{
    sqlite3_stmt *st = sql_use(w->tx->db, q);
    if (!st) {
        slot_fail(w->tx->db, w->tx->err);
        w->failed = true;
    }
    return st;
}

static sqlite3_stmt *use_near(struct search_walk *w)
{
    struct sql_text *q = &w->corpus->sql->near;
    sqlite3_stmt *st = sql_use(w->tx->db, q);
    if (st)
        return st;
    near_register(slot_db(w->tx->db)); /* the connection does not know the function yet */
    return use(w, q);
}

/* The statement for a node's list, with all but the common parameters bound; *ret_at: where these
 * begin; the last one is *ret_n. */
static sqlite3_stmt *use_list(struct search_walk *w, const struct search_node *n, int *ret_at,
                              int *ret_n)
{
    bool text = n->kind != NODE_LIST, near = n->kind == NODE_NEAR;
    sqlite3_stmt *st = near   ? use_near(w)
                       : text ? use(w, &w->corpus->sql->match)
                              : use(w, &n->list->sql);
    *ret_at = text || n->list->by_id ? 2 : 1;
    *ret_n = *ret_at + (near ? 3 : text ? 1 : 2);
    if (!st)
        return NULL;
    if (text)
        sql_bind_text(st, 1, n->match);
    else if (n->list->by_id)
        sql_bind_int(st, 1, n->id);
    if (near)
        sql_bind_int(st, 4, n->distance);
    return st;
}

/* How many to read now, by what became of those before. */
static int batch_size(const struct batch *b)
{
    if (!b->filled)
        return b->room ? b->room : BATCH_FIRST;
    if (b->used >= b->n && b->room < BATCH_MOST)
        return b->room * 2 < BATCH_MOST ? b->room * 2 : BATCH_MOST;
    if (b->used * 8 < b->n && b->room > 8)
        return b->room / 2;
    return b->room;
}

static void fill(struct search_walk *w, struct search_node *n, int64_t from)
{
    struct batch *b = &n->batch;
    int size = batch_size(b), at, at_n, rc;
    if (!b->keys || size > b->room)
        b->keys = arena_alloc(w->tx->arena, (size_t)size * sizeof *b->keys);
    if (arena_failed(w->tx->arena)) {
        w->failed = true;
        sosia_fail_memory(w->tx->err);
        return;
    }
    b->room = size;
    b->n = b->used = 0;
    b->from = from;
    b->filled = true;
    sqlite3_stmt *st = use_list(w, n, &at, &at_n);
    if (!st)
        return;
    bool mirrored = n->kind == NODE_TEXT || n->kind == NODE_NEAR;
    int64_t end = mirrored ? search_mirror(w->corpus, w->first) : w->first;
    sql_bind_int(st, at, mirrored ? search_mirror(w->corpus, from) : from);
    if (n->kind != NODE_TEXT)
        sql_bind_int(st, at + 1, end);
    sql_bind_int(st, at_n, size);
    while ((rc = TX_STEP(w->tx, st)) == 1) {
        int64_t number = sqlite3_column_int64(st, 0);
        if (b->n == size || (mirrored && number > end)) { /* the end may be the group's */
            sql_done(st);
            break;
        }
        b->keys[b->n++] = mirrored ? search_mirror(w->corpus, number) : number;
    }
    b->end = b->n < size;
    w->failed = w->failed || rc < 0;
}

static int64_t next_listed(struct search_walk *w, struct search_node *n, int64_t from)
{
    struct batch *b = &n->batch;
    if (from < w->first)
        return 0;
    if (!b->filled || from > b->from || (!b->end && (!b->n || from < b->keys[b->n - 1])))
        fill(w, n, from);
    if (w->failed)
        return 0;
    int low = 0, high = b->n; /* the first that is not above */
    while (low < high) {
        int middle = (low + high) / 2;
        if (b->keys[middle] > from)
            low = middle + 1;
        else
            high = middle;
    }
    if (low >= b->used)
        b->used = low + 1;
    return low < b->n ? b->keys[low] : 0;
}

/* ---- tests ---- */

static bool test_own(struct search_walk *w, const struct search_node *n, int64_t key)
{
    int rc = w->corpus->test(w->tx, n->test, key, w->arg);
    w->failed = w->failed || rc < 0;
    return rc > 0;
}

static bool test(struct search_walk *w, struct search_node *n, int64_t key)
{
    switch (n->kind) {
    case NODE_AND:
        for (size_t i = 0; i < n->n_tests; i++)
            if (!test(w, n->tests[i], key))
                return false;
        for (size_t i = 0; i < n->n_kids; i++)
            if (!test(w, n->kids[i], key))
                return false;
        return true;
    case NODE_OR:
        for (size_t i = 0; i < n->n_kids; i++)
            if (test(w, n->kids[i], key))
                return true;
        return false;
    case NODE_NOT:
        return !test(w, n->kids[0], key);
    case NODE_RANGE:
        return n->first <= key && key <= n->last;
    case NODE_TEST:
        return test_own(w, n, key);
    default:
        return next_listed(w, n, key) == key;
    }
}

/* ---- the next one ---- */

/* The greatest that all of them list. */
static int64_t next_common(struct search_walk *w, struct search_node *const *kids, size_t n,
                           int64_t from)
{
    size_t agreed = 0;
    for (size_t i = 0; agreed < n; i = i + 1 < n ? i + 1 : 0) {
        int64_t key = next(w, kids[i], from);
        if (!key)
            return 0;
        agreed = key == from ? agreed + 1 : 1;
        from = key;
    }
    return from;
}

static int64_t next_and(struct search_walk *w, struct search_node *n, int64_t from)
{
    for (;;) {
        int64_t key = next_common(w, n->kids, n->n_kids, from);
        bool good = key != 0;
        for (size_t i = 0; i < n->n_tests && good; i++)
            good = test(w, n->tests[i], key);
        if (good || !key || w->failed)
            return key;
        from = key - 1;
    }
}

static int64_t next(struct search_walk *w, struct search_node *n, int64_t from)
{
    int64_t best = 0;
    if (from > w->last)
        from = w->last;
    if (from < w->first || w->failed)
        return 0;
    switch (n->kind) {
    case NODE_AND:
        return next_and(w, n, from);
    case NODE_TEST:
        return next_common(w, n->kids, n->n_kids, from);
    case NODE_OR:
        for (size_t i = 0; i < n->n_kids && best < from; i++) {
            int64_t key = next(w, n->kids[i], from);
            if (key > best)
                best = key;
        }
        return best;
    default:
        return next_listed(w, n, from);
    }
}

/* ---- all of it ---- */

/* A list that is read without another is read for a page at once. */
static void expect(struct search_node *n, size_t limit)
{
    while ((n->kind == NODE_AND || n->kind == NODE_TEST) && n->n_kids == 1)
        n = n->kids[0];
    if (n->kind >= NODE_TEXT && !n->batch.filled)
        n->batch.room = limit < BATCH_MOST ? (int)limit + 1 : BATCH_MOST;
}

struct search_walk *search_open(struct tx *tx, const struct search_ask *ask)
{
    struct search_compiler k = {.tx = tx,
                                .a = tx->arena,
                                .corpus = ask->corpus,
                                .group = ask->first >> ask->corpus->group_bits,
                                .arg = ask->arg};
    struct search_walk *w = arena_calloc(tx->arena, 1, sizeof *w);
    if (arena_failed(tx->arena)) {
        sosia_fail_memory(tx->err);
        return NULL;
    }
    if (search_settle(tx) < 0)
        return NULL;
    *w = (struct search_walk){
        .tx = tx, .corpus = ask->corpus, .arg = ask->arg, .first = ask->first, .last = ask->last};
    w->root = search_compile(&k, ask, &w->first, &w->last);
    if (!w->root)
        return NULL;
    if (ask->expect)
        expect(w->root, ask->expect);
    if (!arena_failed(tx->arena))
        return w;
    sosia_fail_memory(tx->err);
    return NULL;
}

int64_t search_next(struct search_walk *w, int64_t from)
{
    return next(w, w->root, from);
}

bool search_test(struct search_walk *w, int64_t key)
{
    return test(w, w->root, key) && !w->failed;
}

bool search_failed(const struct search_walk *w)
{
    return w->failed;
}

int64_t search_last(const struct search_walk *w)
{
    return w->last;
}
