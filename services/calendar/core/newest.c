/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a calendar, newest first, a page of them at a time: along the table of all events
 * from its end, or where others lie between them by their ids. */
#include "engine/store/scan.h"
#include "services/calendar/core/event/event_impl.h"
#include <stdlib.h>

static int newest_first(const void *pa, const void *pb)
{
    const int64_t *a = pa, *b = pb;
    return *a > *b ? -1 : *a < *b;
}

enum { MOST_PASSED = 200 };

struct ids {
    int64_t *list, before;
    size_t n, cap;
};

static int add_id(struct tx *tx, struct ids *ids, int64_t id)
{
    if (id >= ids->before)
        return 0;
    ids->list = arena_grow(tx->arena, ids->list, ids->n, &ids->cap, sizeof *ids->list);
    if (!ids->list)
        return sosia_fail_memory(tx->err);
    ids->list[ids->n++] = id;
    return 0;
}

/* From the pages of an index. 1; 0: they can't be had like this; -1. */
static int scan_ids(struct tx *tx, int64_t calendar, struct ids *ids)
{
    static struct record_text index = INDEX_TEXT("cal_event_time", "rowid");
    struct scan s;
    int r;
    if (TX_SCAN(tx, &index, SCAN_FROM, 1, &s, calendar) != 1)
        return 0;
    while ((r = scan_next(&s)) == 1)
        if (add_id(tx, ids, record_int(&s.entry, 0)) < 0)
            return -1;
    return r == 0;
}

static int query_ids(struct tx *tx, int64_t calendar, struct ids *ids)
{
    static struct sql_text q = SQL_TEXT("select id from cal_event where calendar = :calendar");
    sqlite3_stmt *st = TX_QUERY(tx, &q, calendar);
    int r = st ? 0 : -1;
    while (st && (r = TX_STEP(tx, st)) == 1)
        if (add_id(tx, ids, sqlite3_column_int64(st, 0)) < 0) {
            sql_done(st);
            return -1;
        }
    return r;
}

/* Those that the walk has not come to. */
static int read_ids(struct tx *tx, struct cal_newest *list)
{
    struct ids ids = {.before = list->last};
    int r = scan_ids(tx, list->calendar, &ids);
    if (r == 0) {
        ids.n = 0;
        r = query_ids(tx, list->calendar, &ids);
    }
    if (r < 0)
        return -1;
    if (ids.n)
        qsort(ids.list, ids.n, sizeof *ids.list, newest_first);
    list->walking = false;
    list->ids = ids.list;
    list->n = ids.n;
    list->found = (struct record){.arena = tx->arena};
    list->row = &list->found;
    return 0;
}

int cal_event_newest(struct tx *tx, int64_t calendar, struct cal_newest *ret)
{
    ret->calendar = calendar;
    ret->passed = 0;
    ret->last = INT64_MAX;
    ret->n = ret->at = 0;
    ret->row = &ret->cur.row;
    ret->walking = cal_event_walk(tx, &ret->cur);
    return ret->walking ? 0 : read_ids(tx, ret);
}

int cal_event_newest_next(struct tx *tx, struct cal_newest *list, struct cal_event *ret)
{
    while (list->walking && list->passed <= MOST_PASSED) {
        int r = cal_event_walk_next(tx, &list->cur, list->calendar, ret);
        if (r < 1)
            return r;
        if (r == RECORD_STATEMENT)
            break;
        list->last = ret->id;
        if (ret->calendar == list->calendar)
            return 1;
        list->passed++;
    }
    if (list->walking && read_ids(tx, list) < 0)
        return -1;
    return list->at == list->n ? 0
                               : cal_event_row_get(tx, list->ids[list->at++], &list->found, ret);
}
