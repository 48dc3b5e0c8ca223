/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of messages or threads: walks through the corpus until a page is full. */
#include "engine/search/walk.h"
#include "services/mail/core/mail_impl.h"

struct page {
    const struct mail_list *list;
    struct tx *tx;
    struct mail_asking asking;
    struct search_walk *walk;
    struct mail_message *found;
    size_t n, room;
    /* Threads of those that were found, by their hash; a power of two of places. */
    int64_t *threads;
    size_t places;
    struct mail_asking newer_asking; /* for looking at what earlier pages had */
    struct search_walk *newer;
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

/* Is the thread on the page already? 1, 0, -1. */
static int seen(struct page *p, int64_t thread)
{
    struct tx *tx = p->tx;
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

static int add(struct page *p, const struct mail_message *m)
{
    struct tx *tx = p->tx;
    if (p->n == p->room) {
        size_t room = p->room ? 2 * p->room : 128;
        struct mail_message *found = arena_alloc(tx->arena, room * sizeof *found);
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
    static struct sql_text q = SQL_TEXT("select id from mail_message where thread = :thread and "
                                        "id >= :from order by id limit :n");
    int n = 0, rc;
    sqlite3_stmt *st = TX_QUERY(tx, &q, thread, from, room);
    if (!st)
        return -1;
    while ((rc = TX_STEP(tx, st)) == 1)
        ids[n++] = sqlite3_column_int64(st, 0);
    return rc < 0 ? -1 : n;
}

/* Has the thread a newer match? Then it was on a page before. 1, 0, -1. */
static int was_before(struct page *p, const struct mail_message *m)
{
    int64_t ids[64], from = p->list->before;
    const struct mail_message *other;
    int n, room = (int)SOSIA_LEN(ids), rc;
    do {
        n = thread_part(p->tx, m->thread, from, ids, room);
        for (int i = 0; i < n; i++) {
            if ((rc = mail_asked(p->tx, &p->newer_asking, ids[i], &other)) < 0)
                return -1;
            if (rc && !(other->flags & p->list->without) && search_test(p->newer, ids[i]))
                return 1;
            from = ids[i] + 1;
        }
    } while (n == room);
    return n < 0 || search_failed(p->newer) ? -1 : 0;
}

static int is_draft(struct tx *tx, int64_t message)
{
    static struct sql_text q = SQL_TEXT("select 1 from mail_draft where message = :message");
    sqlite3_stmt *st = TX_QUERY(tx, &q, message);
    if (!st)
        return -1;
    int rc = TX_STEP(tx, st);
    sql_done(st);
    return rc;
}

/* Does it belong on the page? 1, 0, -1. */
static int wanted(struct page *p, const struct mail_message *m)
{
    const struct mail_list *list = p->list;
    int rc = 1;
    if (m->flags & list->without)
        return 0;
    if (list->drafts)
        rc = is_draft(p->tx, m->id);
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

static struct search_walk *open_walk(struct page *p, struct mail_asking *asking, int64_t last,
                                     size_t expect)
{
    const struct mail_list *list = p->list;
    struct search_within *within =
        arena_alloc(p->tx->arena, (list->n_folders + 1) * sizeof *within);
    struct search_ask ask = {.corpus = &mail_corpus,
                             .query = list->query,
                             .within = within,
                             .first = mail_message_id_at(list->mailbox, 0),
                             .last = last,
                             .expect = expect,
                             .arg = asking};
    if (arena_failed(p->tx->arena)) {
        sosia_fail_memory(p->tx->err);
        return NULL;
    }
    for (size_t i = 0; i < list->n_folders; i++)
        within[ask.n_within++] = (struct search_within){MAIL_LIST_FOLDER, list->folders[i]};
    const struct mail_vendor *v = list->drafts ? mail_vendor_of(p->tx, list->mailbox) : NULL;
    if (list->drafts && !v)
        return NULL;
    if (v)
        within[ask.n_within++] = (struct search_within){
            MAIL_LIST_FOLDER, mail_folder_id(list->mailbox, mail_vendor_draft(v))};
    asking->mailbox = list->mailbox;
    return search_open(p->tx, &ask);
}

static int open_page(struct page *p)
{
    const struct mail_list *list = p->list;
    int64_t end = mail_message_id_last(list->mailbox), last = end;
    if (list->before && list->before <= last)
        last = list->before - 1;
    p->walk = open_walk(p, &p->asking, last, list->limit);
    if (p->walk && list->threads && list->before)
        p->newer = open_walk(p, &p->newer_asking, end, 0);
    return !p->walk || (list->threads && list->before && !p->newer) ? -1 : 0;
}

int mail_list(struct tx *tx, const struct mail_list *list, struct mail_message **ret, size_t *ret_n,
              bool *ret_more)
{
    struct page p = {.list = list, .tx = tx};
    const struct mail_message *m;
    int64_t id;
    if (open_page(&p) < 0)
        return -1;
    for (int64_t from = search_last(p.walk); p.n <= list->limit && (id = search_next(p.walk, from));
         from = id - 1) {
        int rc = mail_asked(tx, &p.asking, id, &m);
        if (rc == 1)
            rc = wanted(&p, m);
        if (rc < 0 || (rc && add(&p, m) < 0))
            return -1;
    }
    if (search_failed(p.walk))
        return -1;
    *ret_more = p.n > list->limit;
    *ret_n = *ret_more ? list->limit : p.n;
    *ret = p.found;
    return 0;
}
