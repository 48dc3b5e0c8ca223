/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists by time of change, then by key: the order in which the live service lists events unless
 * another one is requested.
 *
 * The index event_update has the rows of a calendar in this order. Unchanged instances have no
 * rows: they have the time of their series and keys that begin with its, so that a series that was
 * met stays open until all rows before its next instance are given. When few events are in the
 * requested stretch of time, which is looked up in the index event_time first, they are taken by
 * start and sorted instead.
 */
#include "engine/world/take.h"
#include "services/calendar/core/list_impl.h"
#include "services/calendar/core/event/event_impl.h"
#include <stdio.h>
#include <stdlib.h>

/* A series that is not finished: all that are open changed at the same time. */
struct open_series {
    struct open_series *next;
    struct cal_event ev;
    struct series walk;
    int64_t start_us; /* of the next instance */
    const char *key;
};

struct updates {
    struct lister *l;
    int64_t from_us; /* what is at or before this place was on an earlier page */
    const char *from_key;
    int64_t done_us; /* the last one that was given or counted; done_key NULL: none yet */
    const char *done_key;
    struct open_series *open;
};

static bool is_after(int64_t us, const char *key, int64_t other_us, const char *other_key)
{
    return us != other_us ? us > other_us : strcmp(key, other_key) > 0;
}

static int give(struct updates *u, struct cal_event *ev)
{
    int r = cal_list_give(u->l, ev);
    if (r == 0) {
        u->done_us = ev->updated_us;
        u->done_key = arena_strdup(u->l->tx->arena, ev->key);
    }
    return r;
}

/* What is deleted and not shown counts for the page all the same: pages of the service may be
 * short, or empty, and have another one behind them (recorded). */
static int count(struct updates *u, const struct cal_event *ev)
{
    struct lister *l = u->l;
    if (l->full || l->given == l->q->limit)
        return 1;
    l->given++;
    u->done_us = ev->updated_us;
    u->done_key = arena_strdup(l->tx->arena, ev->key);
    return 0;
}

/* ---- series ---- */

static int go_on(struct updates *u, struct open_series *s)
{
    while (series_next(&s->walk, &s->start_us)) {
        s->key = cal_event_instance_key(u->l->tx, s->ev.key, s->ev.all_day, s->start_us);
        if (is_after(s->ev.updated_us, s->key, u->from_us, u->from_key))
            return 1;
    }
    return 0;
}

static int open_series(struct updates *u, const struct cal_event *ev)
{
    struct lister *l = u->l;
    struct open_series *s = arena_alloc(l->tx->arena, sizeof *s);
    if (arena_failed(l->tx->arena))
        return sosia_fail_memory(l->tx->err);
    s->ev = *ev;
    cal_event_keep(l->tx->arena, &s->ev);
    if (series_open(l->tx, l->cal, &s->ev, cal_list_first_start(l, &s->ev),
                    cal_list_horizon(l, &s->ev), &s->walk) < 0)
        return -1;
    if (go_on(u, s)) {
        s->next = u->open;
        u->open = s;
    }
    return 0;
}

/* Gives the instances of open series that come before a place; key NULL: all. */
static int flush(struct updates *u, int64_t us, const char *key)
{
    while (u->open) {
        struct open_series **at = &u->open;
        for (struct open_series **p = &u->open->next; *p; p = &(*p)->next)
            if (strcmp((*p)->key, (*at)->key) < 0)
                at = p;
        struct open_series *s = *at;
        struct cal_event instance;
        if (key && is_after(s->ev.updated_us, s->key, us, key))
            return 0;
        series_make(&s->walk, s->start_us, &instance);
        int r = give(u, &instance);
        if (r)
            return r;
        if (!go_on(u, s))
            *at = s->next;
    }
    return 0;
}

/* Opens the series that an earlier page left in the middle: the keys of their instances begin with
 * the series', so that its key begins the last one's too. */
static int reopen(struct updates *u)
{
    static struct sql_text q =
        SQL_TEXT("select id from cal_event where key = :key and calendar = :calendar "
                 "and updated_us = :updated and form = 1");
    struct lister *l = u->l;
    size_t n = strlen(u->from_key);
    for (size_t i = 1; l->q->single && i <= n; i++) {
        struct cal_event ev;
        if (u->from_key[i] > '_') /* all of its instances came before */
            continue;
        int64_t id;
        int r = TX_INT(l->tx, &q, &id, arena_memdup(l->tx->arena, u->from_key, i), l->cal->id,
                       u->from_us);
        if (r == 1)
            r = cal_event_by_id(l->tx, id, &ev);
        if (r == 1)
            r = cal_list_shows(l, &ev) ? cal_list_wanted(l, &ev) : 0;
        if (r < 0 || (r && open_series(u, &ev) < 0))
            return -1;
    }
    return 0;
}

/* ---- rows ---- */

static int give_update(struct updates *u, struct cal_event *ev)
{
    struct lister *l = u->l;
    bool shown = cal_list_shows(l, ev), series = ev->form == EVENT_SERIES;
    int r = shown || !event_is_suspended(ev) ? cal_list_wanted(l, ev) : 0;
    if (r == 1 && shown && series && l->q->single)
        return open_series(u, ev);
    if (r == 1)
        r = series ? cal_list_series_in_time(l, ev) : cal_list_in_time(l, ev);
    if (r != 1)
        return r;
    return shown ? give(u, ev) : count(u, ev);
}

static int64_t less(int64_t us, int64_t by)
{
    return us < INT64_MIN + by ? INT64_MIN : us - by;
}

static int64_t more(int64_t us, int64_t by)
{
    return us > INT64_MAX - by ? INT64_MAX : us + by;
}

/* A place in the index, and the row there if it may lie in the stretch. */
static int pass(struct updates *u, int64_t id, int64_t updated_us, const char *key)
{
    struct cal_event ev;
    int r = u->open ? flush(u, updated_us, key) : 0;
    if (r)
        return r;
    r = cal_event_row_get(u->l->tx, id, &u->l->row, &ev);
    return r == 1 ? give_update(u, &ev) : r;
}

/* The rows themselves are looked at exactly, in their zones. */
#define ZONES (2 * US_PER_DAY)

static int walk_statement(struct updates *u)
{
    static struct sql_text q =
        SQL_TEXT("select id, updated_us, key from cal_event where calendar = :calendar "
                 "and (updated_us, key) > (:updated, :key) "
                 "and end_us > :after and start_us < :until order by updated_us, key");
    struct lister *l = u->l;
    sqlite3_stmt *st = TX_QUERY(l->tx, &q, l->cal->id, u->from_us, u->from_key,
                                less(l->q->min_us, ZONES), more(l->q->max_us, ZONES));
    if (!st)
        return -1;
    int r = 0, found;
    while ((found = TX_STEP(l->tx, st)) == 1) {
        r = pass(u, sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1),
                 (const char *)sqlite3_column_text(st, 2));
        if (r)
            break;
    }
    if (found == 1)
        sql_done(st);
    return found < 0 ? -1 : r;
}

static int walk(struct updates *u)
{
    static struct record_text index =
        INDEX_TEXT("cal_event_update", "rowid, updated_us, key, start_us, end_us");
    struct lister *l = u->l;
    int64_t after = less(l->q->min_us, ZONES), until = more(l->q->max_us, ZONES);
    struct scan s;
    int r = 0, found;
    if (reopen(u) < 0)
        return -1;
    if (TX_SCAN(l->tx, &index, SCAN_AFTER, 1, &s, l->cal->id, u->from_us, u->from_key) != 1) {
        r = walk_statement(u);
        return r ? r : flush(u, 0, NULL);
    }
    while ((found = scan_next(&s)) == 1) {
        if (record_int(&s.entry, 4) <= after || record_int(&s.entry, 3) >= until)
            continue;
        r = pass(u, record_int(&s.entry, 0), record_int(&s.entry, 1),
                 u->open ? record_text(&s.entry, 2) : NULL);
        if (r)
            return r;
    }
    return found < 0 ? list_broken(l) : flush(u, 0, NULL);
}

/* ---- few events in a stretch of time ---- */

struct entry {
    int64_t updated_us;
    const char *key;
    int64_t id;            /* of the row */
    struct stream *series; /* NULL: a row */
    int64_t start_us;
};

/* Whether more than `most` rows of a class may lie in the stretch: looking at their starts is
 * cheap, and enough where the class is of short events. 1, 0, -1. */
static int is_more(const struct lister *l, int span, size_t most)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from cal_event where calendar = :calendar and span = :span "
                 "and start_us >= :from and start_us < :until "
                 "and (:short or end_us > :after) limit 1 offset :most");
    static struct record_text index = INDEX_TEXT("cal_event_time", "start_us, end_us");
    int64_t longest = cal_event_span_longest(span), after = less(l->q->min_us, ZONES);
    int64_t from = less(after, longest), until = more(l->q->max_us, ZONES);
    bool is_short = longest == SPAN_FIRST;
    struct scan s;
    int r;
    if (TX_SCAN(l->tx, &index, SCAN_FROM, 2, &s, l->cal->id, span, from) != 1) {
        return TX_ANY(l->tx, TX_QUERY(l->tx, &q, l->cal->id, span, from, until, is_short, after,
                                      (int64_t)most));
    }
    if (is_short)
        scan_skip(&s, most);
    for (size_t n = is_short ? most : 0; (r = scan_next(&s)) == 1;) {
        if (record_int(&s.entry, 0) >= until)
            return 0;
        if ((is_short || record_int(&s.entry, 1) > after) && n++ == most)
            return 1;
    }
    return r < 0 ? list_broken(l) : 0;
}

/* Whether the stretch may have few events: no class has more than `most`. 1, 0, -1. */
static int are_few(const struct lister *l, size_t most)
{
    for (int span = -1, r;;) {
        if (cal_event_next_span(l->tx, l->cal->id, span, &span) < 0)
            return -1;
        if (span < 0)
            return 1;
        if ((r = is_more(l, span, most)))
            return r < 0 ? -1 : 0;
    }
}

/* All that overlaps the stretch, by start: 1; 0: there are more than `most`. */
static int collect(struct lister *l, struct entry *list, size_t most, size_t *ret_n)
{
    size_t n = 0;
    if (cal_list_open_streams(l, true) < 0)
        return -1;
    while (l->n) {
        struct stream *s = l->heap[0];
        if (n == most)
            return 0;
        list[n++] = (struct entry){.id = s->head.id,
                                   .series = s->type == STREAM_SERIES ? s : NULL,
                                   .start_us = s->type == STREAM_SERIES ? s->start_us : 0};
        int r = cal_list_advance(l, s);
        if (r < 0)
            return -1;
        if (r == 0)
            l->heap[0] = l->heap[--l->n];
        if (l->n)
            cal_list_sift_down(l);
    }
    *ret_n = n;
    return 1;
}

static int by_update(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    if (a->updated_us != b->updated_us)
        return a->updated_us < b->updated_us ? -1 : 1;
    return strcmp(a->key, b->key);
}

static int sort(struct lister *l, struct entry *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct entry *e = &list[i];
        struct cal_event ev;
        if (e->series) {
            e->updated_us = e->series->ev.updated_us;
            e->key =
                cal_event_instance_key(l->tx, e->series->ev.key, e->series->all_day, e->start_us);
            continue;
        }
        if (cal_event_row_get(l->tx, e->id, &l->row, &ev) != 1)
            return -1;
        e->updated_us = ev.updated_us;
        e->key = arena_strdup(l->tx->arena, ev.key);
    }
    if (arena_failed(l->tx->arena))
        return sosia_fail_memory(l->tx->err);
    if (n)
        qsort(list, n, sizeof *list, by_update);
    return 0;
}

static int give_sorted(struct updates *u, const struct entry *list, size_t n)
{
    struct lister *l = u->l;
    int r = 0;
    for (size_t i = 0; r == 0 && i < n; i++) {
        const struct entry *e = &list[i];
        struct cal_event ev;
        if (!is_after(e->updated_us, e->key, u->from_us, u->from_key))
            continue;
        if (e->series) {
            series_make(&e->series->series, e->start_us, &ev);
            r = give(u, &ev);
        } else {
            r = cal_event_row_get(l->tx, e->id, &l->row, &ev);
            r = r == 1 ? give_update(u, &ev) : -1;
        }
    }
    return r;
}

/* ---- */

/* Enough of them to be looked at by start first: what has more is walked by change. */
static size_t few(const struct cal_event_query *q)
{
    bool bounded = q->min_us != INT64_MIN || q->max_us != INT64_MAX;
    return bounded && q->updated_min_us == INT64_MIN ? 2 * q->limit + 16 : 0;
}

int cal_list_by_update(struct lister *l)
{
    const struct cal_event_query *q = l->q;
    struct updates u = {.l = l, .from_us = q->updated_min_us, .from_key = ""};
    size_t n, most = few(q);
    int r = 0;
    if (q->position) {
        long long us;
        int at = 0;
        if (sscanf(q->position, "u %lld %n", &us, &at) != 1 || !at || !q->position[at])
            return cal_fail(l->tx, CAL_BAD_POSITION, "the position is not one of this list");
        u.from_us = us;
        u.from_key = q->position + at;
    }
    if (most && (r = are_few(l, most)) < 0)
        return -1;
    if (!r)
        most = 0;
    r = 0;
    struct entry *list = most ? arena_alloc(l->tx->arena, most * sizeof *list) : NULL;
    if (arena_failed(l->tx->arena))
        return sosia_fail_memory(l->tx->err);
    if (most)
        r = collect(l, list, most, &n);
    if (r == 1)
        r = sort(l, list, n) < 0 ? -1 : give_sorted(&u, list, n);
    else if (r == 0)
        r = walk(&u);
    if (r == 1 && u.done_key)
        l->position = arena_printf(l->tx->arena, "u %lld %s", (long long)u.done_us, u.done_key);
    return r < 0 ? -1 : 0;
}
