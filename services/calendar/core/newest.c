/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a calendar, newest first, a page of them at a time. */
#include "engine/store/scan.h"
#include "services/calendar/core/event/event_impl.h"
#include <stdlib.h>

static int newest_first(const void *pa, const void *pb)
{
    const int64_t *a = pa, *b = pb;
    return *a > *b ? -1 : *a < *b;
}

struct ids {
    int64_t *list;
    size_t n, cap;
};

static int add_id(struct tx *tx, struct ids *ids, int64_t id)
{
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

int cal_event_newest(struct tx *tx, int64_t calendar, struct cal_newest *ret)
{
    struct ids ids = {.list = NULL};
    int r = scan_ids(tx, calendar, &ids);
    if (r == 0) {
        ids.n = 0;
        r = query_ids(tx, calendar, &ids);
    }
    if (r < 0)
        return -1;
    if (ids.n)
        qsort(ids.list, ids.n, sizeof *ids.list, newest_first);
    *ret = (struct cal_newest){.ids = ids.list, .n = ids.n, .row = {.arena = tx->arena}};
    return 0;
}

int cal_event_newest_next(struct tx *tx, struct cal_newest *list, struct cal_event *ret)
{
    return list->at == list->n ? 0 : cal_event_row_get(tx, list->ids[list->at++], &list->row, ret);
}
