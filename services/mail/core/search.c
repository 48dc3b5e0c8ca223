/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking: the newest match at or below a number, again and again, until a page is full. Lists are
 * read from the index in batches that grow while they are used up and shrink while they are
 * jumped over, and no statement stays open between two.
 */
#include "services/mail/core/near.h"
#include "services/mail/core/search_impl.h"

#define BATCH_FIRST 16
#define BATCH_MOST  512

struct run {
    struct tx *tx;
    int64_t first, last; /* ids that are looked at */
    bool failed;
    struct message row; /* the one that was looked at last; id 0: none */
    bool row_there;
};

static int64_t next(struct run *r, struct node *n, int64_t from);

/* ---- lists ---- */

static sqlite3_stmt *use(struct run *r, struct sql_text *q)
{
    sqlite3_stmt *st = sql_use(r->tx->db, q);
    if (!st) {
        slot_fail(r->tx->db, r->tx->err);
        r->failed = true;
    }
    return st;
}

static sqlite3_stmt *use_text(struct run *r, const struct node *n)
{
    static struct sql_text q = SQL_TEXT(
        "select rowid from mail_index where mail_index match :match and rowid >= :from and "
        "rowid <= :first order by rowid limit :n");
    sqlite3_stmt *st = use(r, &q);
    if (st)
        sql_bind_text(st, 1, n->match);
    return st;
}

static sqlite3_stmt *use_near(struct run *r, const struct node *n)
{
    static struct sql_text q = SQL_TEXT(
        "select rowid from mail_index where mail_index match :match and rowid >= :from and "
        "rowid <= :first and in_order(mail_index, :distance) order by rowid limit :n");
    sqlite3_stmt *st = sql_use(r->tx->db, &q);
    if (!st) { /* the connection does not know the function yet */
        near_register(slot_db(r->tx->db));
        st = use(r, &q);
    }
    if (st) {
        sql_bind_text(st, 1, n->match);
        sql_bind_int(st, 4, n->distance);
    }
    return st;
}

static sqlite3_stmt *use_label(struct run *r, const struct node *n)
{
    static struct sql_text q =
        SQL_TEXT("select message from labelled where label = :label and message <= :from and "
                 "message >= :first order by message desc limit :n");
    sqlite3_stmt *st = use(r, &q);
    if (st)
        sql_bind_int(st, 1, n->label);
    return st;
}

/* The statement for a node's list, with all but the common parameters bound; *ret_at: where these
 * begin; the last one is *ret_n. */
static sqlite3_stmt *use_list(struct run *r, const struct node *n, int *ret_at, int *ret_n)
{
    static struct sql_text q_filed =
        SQL_TEXT("select distinct message from message_label where message <= :from and "
                 "message >= :first order by message desc limit :n");
    static struct sql_text q_all = SQL_TEXT("select id from message where id <= :from and "
                                            "id >= :first order by id desc limit :n");
    *ret_at = 2;
    *ret_n = n->kind == NODE_NEAR ? 5 : 4;
    switch (n->kind) {
    case NODE_TEXT:
        return use_text(r, n);
    case NODE_NEAR:
        return use_near(r, n);
    case NODE_LABEL:
        return use_label(r, n);
    default:
        *ret_at = 1;
        *ret_n = 3;
        return use(r, n->kind == NODE_FILED ? &q_filed : &q_all);
    }
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

static void fill(struct run *r, struct node *n, int64_t from)
{
    struct batch *b = &n->batch;
    int size = batch_size(b), at, at_n, rc;
    if (!b->ids || size > b->room)
        b->ids = arena_alloc(r->tx->arena, (size_t)size * sizeof *b->ids);
    if (arena_failed(r->tx->arena)) {
        r->failed = true;
        sosia_fail_memory(r->tx->err);
        return;
    }
    b->room = size;
    b->n = b->used = 0;
    b->from = from;
    b->filled = true;
    sqlite3_stmt *st = use_list(r, n, &at, &at_n);
    if (!st)
        return;
    bool mirrored = n->kind == NODE_TEXT || n->kind == NODE_NEAR;
    sql_bind_int(st, at, mirrored ? index_mirror(from) : from);
    sql_bind_int(st, at + 1, mirrored ? index_mirror(r->first) : r->first);
    sql_bind_int(st, at_n, size);
    while ((rc = sql_step(r->tx->db, st, r->tx->err)) == 1)
        if (b->n < size) {
            int64_t id = sqlite3_column_int64(st, 0);
            b->ids[b->n++] = mirrored ? index_mirror(id) : id;
        }
    b->end = b->n < size;
    r->failed = r->failed || rc < 0;
}

static int64_t next_listed(struct run *r, struct node *n, int64_t from)
{
    struct batch *b = &n->batch;
    if (from < r->first)
        return 0;
    if (!b->filled || from > b->from || (!b->end && (!b->n || from < b->ids[b->n - 1])))
        fill(r, n, from);
    if (r->failed)
        return 0;
    int low = 0, high = b->n; /* the first that is not above */
    while (low < high) {
        int middle = (low + high) / 2;
        if (b->ids[middle] > from)
            low = middle + 1;
        else
            high = middle;
    }
    if (low >= b->used)
        b->used = low + 1;
    return low < b->n ? b->ids[low] : 0;
}

/* ---- tests ---- */

/* The row of a message; NULL: there is none, or failed. */
static const struct message *row(struct run *r, int64_t id)
{
    if (r->row.id != id) {
        int rc = message_by_id(r->tx, id, &r->row);
        r->failed = r->failed || rc < 0;
        r->row_there = rc == 1;
        r->row.id = id;
    }
    return r->row_there ? &r->row : NULL;
}

static bool test(struct run *r, struct node *n, int64_t id)
{
    const struct message *m;
    switch (n->kind) {
    case NODE_AND:
        for (size_t i = 0; i < n->n_tests; i++)
            if (!test(r, n->tests[i], id))
                return false;
        for (size_t i = 0; i < n->n_kids; i++)
            if (!test(r, n->kids[i], id))
                return false;
        return true;
    case NODE_OR:
        for (size_t i = 0; i < n->n_kids; i++)
            if (test(r, n->kids[i], id))
                return true;
        return false;
    case NODE_NOT:
        return !test(r, n->kids[0], id);
    case NODE_DATE:
        return n->first <= id && id <= n->last;
    case NODE_FLAGS:
        return (m = row(r, id)) && (m->flags & n->flags) == n->flags;
    case NODE_SIZE:
        return (m = row(r, id)) && n->first <= m->size && m->size < n->last;
    default:
        return next_listed(r, n, id) == id;
    }
}

/* ---- the next one ---- */

/* The newest that all of them list. */
static int64_t next_common(struct run *r, struct node *const *kids, size_t n, int64_t from)
{
    size_t agreed = 0;
    for (size_t i = 0; agreed < n; i = i + 1 < n ? i + 1 : 0) {
        int64_t id = next(r, kids[i], from);
        if (!id)
            return 0;
        agreed = id == from ? agreed + 1 : 1;
        from = id;
    }
    return from;
}

static int64_t next_and(struct run *r, struct node *n, int64_t from)
{
    for (;;) {
        int64_t id = next_common(r, n->kids, n->n_kids, from);
        bool good = id != 0;
        for (size_t i = 0; i < n->n_tests && good; i++)
            good = test(r, n->tests[i], id);
        if (good || !id || r->failed)
            return id;
        from = id - 1;
    }
}

static int64_t next(struct run *r, struct node *n, int64_t from)
{
    int64_t best = 0;
    if (from > r->last)
        from = r->last;
    if (from < r->first || r->failed)
        return 0;
    switch (n->kind) {
    case NODE_AND:
        return next_and(r, n, from);
    case NODE_FLAGS:
        return next_common(r, n->kids, n->n_kids, from);
    case NODE_OR:
        for (size_t i = 0; i < n->n_kids && best < from; i++) {
            int64_t id = next(r, n->kids[i], from);
            if (id > best)
                best = id;
        }
        return best;
    default:
        return next_listed(r, n, from);
    }
}

/* ---- pages ---- */

struct page {
    const struct mail_list *list;
    struct run run;
    struct node *root;
    struct message *found;
    size_t n, room;
    /* Threads of those that were found, by their hash; a power of two of places. */
    int64_t *threads;
    size_t places;
    struct run newer_run; /* for looking at what earlier pages had */
    struct node *newer_root;
};

static bool put_thread(int64_t *threads, size_t places, int64_t thread)
{
    size_t at = (size_t)((uint64_t)thread * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (places - 1);
    while (threads[at] && threads[at] != thread)
        at = (at + 1) & (places - 1);
    bool was = threads[at] != 0;
    threads[at] = thread;
    return was;
}

/* Stands the thread on the page already? 1, 0, -1. */
static int seen(struct page *p, int64_t thread)
{
    struct tx *tx = p->run.tx;
    if (2 * (p->n + 1) > p->places) {
        size_t places = p->places ? 2 * p->places : 256;
        int64_t *threads = arena_calloc(tx->arena, places, sizeof *threads);
        if (arena_failed(tx->arena))
            return sosia_fail_memory(tx->err);
        for (size_t i = 0; i < p->places; i++)
            if (p->threads[i])
                put_thread(threads, places, p->threads[i]);
        p->threads = threads;
        p->places = places;
    }
    return put_thread(p->threads, p->places, thread);
}

static int add(struct page *p, const struct message *m)
{
    struct tx *tx = p->run.tx;
    if (p->n == p->room) {
        size_t room = p->room ? 2 * p->room : 128;
        struct message *found = arena_alloc(tx->arena, room * sizeof *found);
        if (arena_failed(tx->arena))
            return sosia_fail_memory(tx->err);
        if (p->n)
            memcpy(found, p->found, p->n * sizeof *found);
        p->found = found;
        p->room = room;
    }
    p->found[p->n++] = *m;
    return 0;
}

/* Some of a thread's messages, from a number upwards. Gives how many, -1. */
static int thread_part(struct tx *tx, int64_t thread, int64_t from, int64_t *ids, int room)
{
    static struct sql_text q = SQL_TEXT("select id from message where thread = :thread and "
                                        "id >= :from order by id limit :n");
    int n = 0, rc;
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, thread);
    sql_bind_int(st, 2, from);
    sql_bind_int(st, 3, room);
    while ((rc = sql_step(tx->db, st, tx->err)) == 1)
        ids[n++] = sqlite3_column_int64(st, 0);
    return rc < 0 ? -1 : n;
}

/* Has the thread a newer match? Then it stood on a page before. 1, 0, -1. */
static int was_before(struct page *p, const struct message *m)
{
    struct run *run = &p->newer_run;
    int64_t ids[64], from = p->list->before;
    int n, room = (int)SOSIA_LEN(ids);
    do {
        n = thread_part(run->tx, m->thread, from, ids, room);
        for (int i = 0; i < n; i++) {
            const struct message *other = row(run, ids[i]);
            if (other && !(other->flags & p->list->without) && test(run, p->newer_root, ids[i]))
                return 1;
            from = ids[i] + 1;
        }
    } while (n == room);
    return n < 0 || run->failed ? -1 : 0;
}

static int is_draft(struct tx *tx, int64_t message)
{
    static struct sql_text q = SQL_TEXT("select 1 from draft where message = :message");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, message);
    int rc = sql_step(tx->db, st, tx->err);
    sql_done(st);
    return rc;
}

/* Does it belong on the page? 1, 0, -1. */
static int wanted(struct page *p, const struct message *m)
{
    const struct mail_list *list = p->list;
    int rc = 1;
    if (!m || (m->flags & list->without))
        return 0;
    if (list->drafts)
        rc = is_draft(p->run.tx, m->id);
    if (rc == 1 && list->threads && list->before) {
        rc = was_before(p, m);
        rc = rc < 0 ? -1 : !rc;
    }
    if (rc == 1 && list->threads) {
        rc = seen(p, m->thread);
        rc = rc < 0 ? -1 : !rc;
    }
    return rc;
}

/* The nodes of the whole list. */
static struct node *list_node(struct tx *tx, const struct mail_list *list, int64_t *first,
                              int64_t *last)
{
    static const struct search everything = {.kind = SEARCH_AND};
    struct arena *a = tx->arena;
    struct node *n =
        search_compile(tx, list->mailbox, list->query ? list->query : &everything, first, last);
    for (size_t i = 0; n && i < list->n_labels; i++)
        n = search_both(a, n, search_label_node(a, list->labels[i]));
    if (n && list->drafts)
        n = search_both(a, n, search_label_node(a, label_id(list->mailbox, LABEL_DRAFT)));
    return n ? search_listing(a, n) : NULL;
}

/* A list that nothing else is asked beside is read for a page at once. */
static void expect(struct node *n, size_t limit)
{
    while ((n->kind == NODE_AND || n->kind == NODE_FLAGS) && n->n_kids == 1)
        n = n->kids[0];
    if (n->kind >= NODE_TEXT && !n->batch.filled)
        n->batch.room = limit < BATCH_MOST ? (int)limit + 1 : BATCH_MOST;
}

static int open_page(struct page *p, struct tx *tx)
{
    const struct mail_list *list = p->list;
    p->run = (struct run){
        .tx = tx, .first = id_of(list->mailbox, 0), .last = id_of(list->mailbox + 1, 0) - 1};
    p->newer_run = p->run;
    if (list->before && list->before <= p->run.last)
        p->run.last = list->before - 1;
    p->root = list_node(tx, list, &p->run.first, &p->run.last);
    if (p->root)
        expect(p->root, list->limit);
    if (p->root && list->threads && list->before) {
        int64_t last = p->newer_run.last;
        p->newer_root = list_node(tx, list, &p->newer_run.first, &last);
    }
    if (!p->root || (list->threads && list->before && !p->newer_root))
        return -1;
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

int search_list(struct tx *tx, const struct mail_list *list, struct message **ret, size_t *ret_n,
                bool *ret_more)
{
    struct page p = {.list = list};
    int64_t id;
    if (open_page(&p, tx) < 0)
        return -1;
    for (int64_t from = p.run.last; p.n <= list->limit && (id = next(&p.run, p.root, from));
         from = id - 1) {
        const struct message *m = row(&p.run, id);
        int rc = p.run.failed ? -1 : wanted(&p, m);
        if (rc < 0 || (rc && add(&p, m) < 0))
            return -1;
    }
    if (p.run.failed)
        return -1;
    *ret_more = p.n > list->limit;
    *ret_n = *ret_more ? list->limit : p.n;
    *ret = p.found;
    return 0;
}
