/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: one by its id, its time or its place, and stretches of a channel or a thread. */
#include "engine/store/cursor.h"
#include "engine/store/row.h"
#include "engine/store/scan.h"
#include "engine/text/civil.h"
#include "services/chat/core/corpus.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/impl.h"
#include "services/chat/core/message.h"

const char *const chat_importances[] = {"normal", "high", "urgent", NULL};

int64_t chat_message_at(int64_t channel, int64_t us)
{
    int64_t s = us < 0 ? 0 : us / US_PER_SECOND;
    return channel << CHAT_CHANNEL_BITS | (s > CHAT_LAST_SECOND ? CHAT_LAST_SECOND : s)
                                              << CHAT_SEQ_BITS;
}

static struct row_table messages = ROW_TABLE("chat_message", "m", MESSAGE_SELECTED);

static void take_importance(struct chat_message *row)
{
    row->importance = (enum chat_importance)(row->flags >> MESSAGE_FLAG_BITS);
    row->flags &= (1 << MESSAGE_FLAG_BITS) - 1;
}

static void message_of_record(struct record *rec, struct chat_message *row)
{
    unsigned at = 2;
    row->id = record_int(rec, 0);
    row->ts_us = record_int(rec, 1);
    MESSAGE(COLUMN_TAKE)
    take_importance(row);
}

static int read_message(struct tx *tx, sqlite3_stmt *st, struct chat_message *ret)
{
    struct record rec = {.arena = tx->arena};
    int r = ROW_ONLY(tx, st, &rec);
    if (r == 1)
        message_of_record(&rec, ret);
    return r;
}

int chat_message_find(struct tx *tx, int64_t channel, int64_t ts_us, struct chat_message *ret)
{
    static struct sql_text q = SQL_TEXT("select " MESSAGE_SELECTED " from chat_message where "
                                        "id between :from and :to and ts_us = :ts");
    int64_t from = chat_message_at(channel, ts_us);
    return read_message(tx, TX_QUERY(tx, &q, from, from + MESSAGE_SEQ(-1), ts_us), ret);
}

int chat_message_get(struct tx *tx, int64_t id, struct chat_message *ret)
{
    struct record rec = {.arena = tx->arena};
    int r = ROW_BY_ID(tx, &messages, id, &rec);
    if (r == 1)
        message_of_record(&rec, ret);
    return r;
}

int chat_message_at_place(struct tx *tx, int64_t place, int64_t *ret_id)
{
    static struct sql_text q = SQL_TEXT("select id from chat_message where place = :place");
    return TX_INT(tx, &q, ret_id, place);
}

int chat_message_by_place(struct tx *tx, int64_t place, struct chat_message *ret)
{
    int64_t id;
    int r = chat_message_at_place(tx, place, &id);
    return r == 1 ? chat_message_get(tx, id, ret) : r;
}

/* ---- stretches ---- */

static bool is_inside(const struct chat_range *range, const struct chat_message *m)
{
    return range->inclusive ? m->ts_us >= range->oldest_us && m->ts_us <= range->latest_us
                            : m->ts_us > range->oldest_us && m->ts_us < range->latest_us;
}

static int broken(struct tx *tx)
{
    return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "a page of messages is broken");
}

/* What a channel shows, from the pages; as chat_messages(), or RECORD_STATEMENT. */
static int each_row(struct tx *tx, const struct chat_range *range, int64_t from, int64_t to,
                    chat_message_fn *fn, void *arg)
{
    struct table_cursor cur;
    struct chat_message m;
    int r = cursor_open(tx->db, &messages.record, range->ascending ? from : to, !range->ascending,
                        tx->arena, &cur);
    if (r != 1)
        return r;
    while ((r = cursor_next(&cur)) == 1 && cur.row.rowid >= from && cur.row.rowid <= to) {
        message_of_record(&cur.row, &m);
        bool in_channel = !m.thread || m.thread == m.id || m.flags & CHAT_BROADCAST;
        if (in_channel && is_inside(range, &m) && fn(arg, &m, &cur.row))
            return 0;
    }
    return r < 0 ? broken(tx) : 0;
}

/* A thread's, oldest first, from the pages; as chat_messages(), or RECORD_STATEMENT. */
static int each_answer(struct tx *tx, const struct chat_range *range, int64_t from, int64_t to,
                       chat_message_fn *fn, void *arg)
{
    static struct record_text index = INDEX_TEXT("chat_message_thread", "rowid");
    struct record rec = {.arena = tx->arena};
    struct chat_message m;
    struct scan s;
    int r = TX_SCAN(tx, &index, SCAN_FROM, 1, &s, range->thread, from);
    if (r != 1)
        return r;
    while ((r = scan_next(&s)) == 1 && record_int(&s.entry, 0) <= to) {
        if (record_find(tx->db, &messages.record, record_int(&s.entry, 0), &rec) != 1)
            return broken(tx);
        message_of_record(&rec, &m);
        if (is_inside(range, &m) && fn(arg, &m, &rec))
            return 0;
    }
    return r < 0 ? broken(tx) : 0;
}

static int each(struct tx *tx, sqlite3_stmt *st, const struct chat_range *range,
                chat_message_fn *fn, void *arg)
{
    struct record rec = {.arena = tx->arena};
    struct chat_message m;
    int r;
    while ((r = ROW_NEXT(tx, st, &rec)) == 1) {
        message_of_record(&rec, &m);
        if (is_inside(range, &m) && fn(arg, &m, NULL)) {
            sql_done(st);
            return 0;
        }
    }
    return r;
}

int chat_messages(struct tx *tx, const struct chat_range *range, chat_message_fn *fn, void *arg)
{
#define SHOWN " and (thread is null or thread = id or flags & 1)"
    static struct sql_text down = SQL_TEXT("select " MESSAGE_SELECTED " from chat_message where "
                                           "id between :from and :to" SHOWN " order by id desc");
    static struct sql_text up = SQL_TEXT("select " MESSAGE_SELECTED " from chat_message where "
                                         "id between :from and :to" SHOWN " order by id");
    static struct sql_text thread_down =
        SQL_TEXT("select " MESSAGE_SELECTED " from chat_message where thread = :thread and "
                 "id between :from and :to order by id desc");
    static struct sql_text thread_up =
        SQL_TEXT("select " MESSAGE_SELECTED " from chat_message where thread = :thread and "
                 "id between :from and :to order by id");
    int64_t from = chat_message_at(range->channel, range->oldest_us);
    int64_t to = chat_message_at(range->channel, range->latest_us) + MESSAGE_SEQ(-1);
    int r = !range->thread     ? each_row(tx, range, from, to, fn, arg)
            : range->ascending ? each_answer(tx, range, from, to, fn, arg)
                               : RECORD_STATEMENT;
    if (r != RECORD_STATEMENT)
        return r;
    sqlite3_stmt *st = range->thread ? TX_QUERY(tx, range->ascending ? &thread_up : &thread_down,
                                                range->thread, from, to)
                                     : TX_QUERY(tx, range->ascending ? &up : &down, from, to);
    return each(tx, st, range, fn, arg);
}
