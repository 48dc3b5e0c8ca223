/* SPDX-License-Identifier: Apache-2.0 */
#include "vendors/google/upload.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"

#define CORE    "google"
#define LIFE_US (7 * SECONDS_PER_DAY * US_PER_SECOND)

static const char *column(struct tx *tx, sqlite3_stmt *st, int at)
{
    const char *text = (const char *)sqlite3_column_text(st, at);
    return text ? arena_strdup(tx->arena, text) : NULL;
}

int upload_find(struct tx *tx, const char *key, struct upload *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, actor, scopes, path, query, metadata, type, total, size, status, "
                 "answer from google_upload where key = :key");
    sqlite3_stmt *st = TX_QUERY(tx, &q, key);
    if (!st)
        return -1;
    int r = TX_STEP(tx, st);
    if (r != 1)
        return r;
    *ret = (struct upload){.id = sqlite3_column_int64(st, 0),
                           .actor = sqlite3_column_int64(st, 1),
                           .key = arena_strdup(tx->arena, key),
                           .scopes = column(tx, st, 2),
                           .path = column(tx, st, 3),
                           .query = column(tx, st, 4),
                           .metadata = column(tx, st, 5),
                           .type = column(tx, st, 6),
                           .total = -1,
                           .size = sqlite3_column_int64(st, 8),
                           .status = sqlite3_column_int(st, 9)};
    if (sqlite3_column_type(st, 7) != SQLITE_NULL)
        ret->total = sqlite3_column_int64(st, 7);
    ret->answer_len = (size_t)sqlite3_column_bytes(st, 10);
    ret->answer = arena_memdup(tx->arena, sqlite3_column_blob(st, 10), ret->answer_len);
    sql_done(st);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}

int upload_create(struct tx *tx, struct upload *up)
{
    static struct sql_text q = SQL_TEXT(
        "insert into google_upload (key, actor, scopes, path, query, metadata, type, total, size, "
        "expires_us) values (:key, :actor, :scopes, :path, :query, :metadata, :type, :total, 0, "
        ":expires)");
    sqlite3_stmt *st = TX_QUERY(tx, &q, up->key, up->actor, up->scopes, up->path, up->query,
                                up->metadata, up->type);
    if (!st)
        return -1;
    if (up->total >= 0)
        sql_bind_int(st, 8, up->total);
    sql_bind_int(st, 9, tx->now_us + LIFE_US);
    if (sql_run(tx->db, st, tx->err) < 0)
        return -1;
    up->id = sqlite3_last_insert_rowid(slot_db(tx->db));
    return due_add(tx, tx->now_us + LIFE_US, CORE, UPLOAD_DUE, up->id);
}

int upload_total(struct tx *tx, struct upload *up, int64_t total)
{
    static struct sql_text q = SQL_TEXT("update google_upload set total = :total where id = :id");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    up->total = total;
    sql_bind_int(st, 1, total);
    sql_bind_int(st, 2, up->id);
    return sql_run(tx->db, st, tx->err);
}

int upload_append(struct tx *tx, struct upload *up, const char *data, size_t len)
{
    static struct sql_text q_part = SQL_TEXT(
        "insert into google_upload_part (upload, start, data) values (:upload, :start, :data)");
    static struct sql_text q_size =
        SQL_TEXT("update google_upload set size = :size where id = :id");
    sqlite3_stmt *st = len ? sql_use(tx->db, &q_part) : NULL;
    if (!len)
        return 0;
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, up->id);
    sql_bind_int(st, 2, up->size);
    sql_bind_blob(st, 3, data, len);
    if (sql_run(tx->db, st, tx->err) < 0)
        return -1;
    st = TX_PLAIN(tx, &q_size);
    if (!st)
        return -1;
    up->size += (int64_t)len;
    sql_bind_int(st, 1, up->size);
    sql_bind_int(st, 2, up->id);
    return sql_run(tx->db, st, tx->err);
}

int upload_bytes(struct tx *tx, const struct upload *up, const char **ret_data)
{
    static struct sql_text q =
        SQL_TEXT("select data from google_upload_part where upload = :upload order by start");
    sqlite3_stmt *st = sql_use(tx->db, &q);
    size_t size = (size_t)up->size, at = 0;
    char *data = arena_alloc(tx->arena, size + 1);
    int r;
    if (!st)
        return slot_fail(tx->db, tx->err);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    sql_bind_int(st, 1, up->id);
    while ((r = TX_STEP(tx, st)) == 1) {
        const void *part = sqlite3_column_blob(st, 0);
        size_t n = (size_t)sqlite3_column_bytes(st, 0);
        if (!part || n > size - at)
            break;
        memcpy(data + at, part, n);
        at += n;
    }
    if (r < 0)
        return -1;
    sql_done(st);
    if (at != size)
        return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "an upload lacks bytes that have come");
    data[size] = 0;
    *ret_data = data;
    return 0;
}

static int drop_parts(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from google_upload_part where upload = :upload");
    return TX_RUN(tx, &q, id);
}

int upload_finish(struct tx *tx, const struct upload *up, int status, const char *answer,
                  size_t len)
{
    static struct sql_text q = SQL_TEXT("update google_upload set status = :status, answer = "
                                        ":answer, metadata = '' where id = :id");
    if (drop_parts(tx, up->id) < 0)
        return -1;
    return TX_RUN(tx, &q, status, sql_blob(answer, len), up->id);
}

int upload_drop(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from google_upload where id = :id");
    if (drop_parts(tx, id) < 0 || due_cancel(tx, CORE, UPLOAD_DUE, id) < 0)
        return -1;
    return TX_RUN(tx, &q, id);
}

/* ---- Content-Range ---- */

/* Digits up to the character `end`, which is passed over; 0 ends the text. NULL: there are none. */
static const char *number(const char *p, char end, int64_t *ret)
{
    size_t n = strspn(p, "0123456789");
    if (p[n] != end || parse_i64(p, n, ret) < 0)
        return NULL;
    return p + n + (end != 0);
}

int content_range_parse(const char *text, struct content_range *ret)
{
    struct content_range r = {.first = -1, .last = -1, .total = -1};
    const char *p = text;
    if (strncasecmp(p, "bytes", 5) != 0)
        return -1;
    p += 5;
    p += strspn(p, " ");
    if (p == text + 5)
        return -1;
    if (p[0] == '*' && p[1] == '/')
        p += 2;
    else if (!(p = number(p, '-', &r.first)) || !(p = number(p, '/', &r.last)))
        return -1;
    if (strcmp(p, "*") != 0 && !number(p, 0, &r.total))
        return -1;
    if (r.last < r.first || (r.total >= 0 && r.last >= r.total))
        return -1;
    *ret = r;
    return 0;
}
