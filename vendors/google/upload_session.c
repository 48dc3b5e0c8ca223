/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of uploads as rows: the bytes that have come, and the header Content-Range. */
#include "vendors/google/upload.h"
#include "engine/base/codec.h"
#include "engine/world/columns.h"
#include "engine/text/civil.h"

#define CORE    "google"
#define LIFE_US (7 * SECONDS_PER_DAY * US_PER_SECOND)

/* Of the request that began it. */
#define BEGUN(X)                                                                                   \
    X(actor, actor, NUMBER)                                                                        \
    X(app, app, ID)                                                                                \
    X(scopes, scopes, STRING)                                                                      \
    X(path, path, STRING)                                                                          \
    X(query, query, STRING)                                                                        \
    X(metadata, metadata, STRING)                                                                  \
    X(type, type, STRING)                                                                          \
    X(total, total, TOTAL)
/* How far it is. */
#define STATE(X)                                                                                   \
    X(size, size, NUMBER)                                                                          \
    X(status, status, NUMBER)                                                                      \
    X(blob, blob, ID)
#define NAMES BEGUN(COLUMN_NAME)
#define MARKS BEGUN(COLUMN_MARK)

#define COLUMN_VALUE_TOTAL(v)         sql_int_or_null(v, -1)
#define COLUMN_READ_TOTAL(tx, st, at) read_total(st, at)

static int64_t read_total(sqlite3_stmt *st, int at)
{
    return sqlite3_column_type(st, at) == SQLITE_NULL ? -1 : sqlite3_column_int64(st, at);
}

int upload_find(struct tx *tx, const char *key, struct upload *row)
{
    static struct sql_text q = SQL_TEXT(
        "select id, answer" NAMES STATE(COLUMN_NAME) " from google_upload where key = :key");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, key), at = 2;
    if (r != 1)
        return r;
    *row = (struct upload){.id = sqlite3_column_int64(st, 0),
                           .key = arena_strdup(tx->arena, key),
                           .answer_len = (size_t)sqlite3_column_bytes(st, 1)};
    row->answer = arena_memdup(tx->arena, sqlite3_column_blob(st, 1), row->answer_len);
    BEGUN(COLUMN_READ)
    STATE(COLUMN_READ)
    sql_done(st);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}

int upload_create(struct tx *tx, struct upload *row)
{
    static struct sql_text q = SQL_TEXT("insert into google_upload (size, key, expires_us" NAMES
                                        ") values (0, ?, ?" MARKS ")");
    int64_t end_us = tx->now_us + LIFE_US;
    if (TX_RUN(tx, &q, row->key, end_us BEGUN(COLUMN_VALUE)) < 0)
        return -1;
    row->id = tx_last_id(tx);
    return due_add(tx, end_us, CORE, UPLOAD_DUE, row->id);
}

int upload_total(struct tx *tx, struct upload *up, int64_t total)
{
    static struct sql_text q = SQL_TEXT("update google_upload set total = :total where id = :id");
    up->total = total;
    return TX_RUN(tx, &q, total, up->id);
}

static int note_bytes(struct tx *tx, const struct upload *up)
{
    static struct sql_text q =
        SQL_TEXT("update google_upload set blob = :blob, size = :size where id = :id");
    return TX_RUN(tx, &q, sql_int_or_null(up->blob, 0), up->size, up->id);
}

static int writer(struct tx *tx, const struct upload *up, unsigned digests,
                  struct blob_writer **ret)
{
    return up->blob ? blob_writer_resume(tx, up->blob, BLOB_UNKNOWN, digests, ret)
                    : blob_writer_begin(tx, BLOB_UNKNOWN, digests, ret);
}

int upload_append(struct tx *tx, struct upload *up, const struct bytes *b, int64_t at, int64_t n)
{
    struct blob_writer *w;
    if (!n)
        return 0;
    if (writer(tx, up, 0, &w) < 0)
        return -1;
    if (bytes_write(tx, b, at, n, w) < 0) {
        blob_writer_abort(w);
        return -1;
    }
    if (blob_writer_suspend(w, &up->blob) < 0)
        return -1;
    up->size += n;
    return note_bytes(tx, up);
}

int upload_close(struct tx *tx, struct upload *up, unsigned digests)
{
    struct blob_writer *w;
    struct blob whole;
    if (writer(tx, up, digests, &w) < 0 || blob_writer_finish(w, &whole) < 0)
        return -1;
    up->blob = whole.id;
    return note_bytes(tx, up);
}

static int drop_bytes(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("select blob from google_upload where id = :id");
    int64_t blob = 0;
    int r = TX_INT(tx, &q, &blob, id);
    return r < 0 ? -1 : r && blob ? blob_unref(tx, blob) : 0;
}

int upload_finish(struct tx *tx, const struct upload *up, int status, const char *answer,
                  size_t len)
{
    static struct sql_text q = SQL_TEXT("update google_upload set status = :status, answer = "
                                        ":answer, metadata = '', blob = null where id = :id");
    if (drop_bytes(tx, up->id) < 0)
        return -1;
    return TX_RUN(tx, &q, status, sql_blob(answer, len), up->id);
}

int upload_drop(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from google_upload where id = :id");
    if (drop_bytes(tx, id) < 0 || due_cancel(tx, CORE, UPLOAD_DUE, id) < 0)
        return -1;
    return TX_RUN(tx, &q, id);
}

/* ---- imported worlds ---- */

int uploads_derive(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select blob from google_upload where blob > :after order by blob limit 1");
    int64_t blob = 0;
    int r;
    while ((r = TX_INT(tx, &q, &blob, blob)) == 1)
        if (blob_ref(tx, blob) < 0)
            return -1;
    return r;
}

/* ---- Content-Range ---- */

/* Digits up to the character `end`, which is passed over; 0 ends the text. NULL: there are none. */
static const char *read_digits(const char *p, char end, int64_t *ret)
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
    else if (!(p = read_digits(p, '-', &r.first)) || !(p = read_digits(p, '/', &r.last)))
        return -1;
    if (strcmp(p, "*") != 0 && !read_digits(p, 0, &r.total))
        return -1;
    if (r.last < r.first || r.last == INT64_MAX || (r.total >= 0 && r.last >= r.total))
        return -1;
    *ret = r;
    return 0;
}
