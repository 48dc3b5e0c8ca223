/* SPDX-License-Identifier: Apache-2.0 */
/* Upload sessions as rows. */
#include "engine/world/columns.h"
#include "engine/world/event.h"
#include "services/drive/onedrive/content/upload.h"

#define COLUMNS(X)                                                                                 \
    X(secret, secret, STRING)                                                                      \
    X(account, account, NUMBER)                                                                    \
    X(item, item, ID)                                                                              \
    X(folder, folder, ID)                                                                          \
    X(name, name, STRING)                                                                          \
    X(conflict, conflict, NUMBER)                                                                  \
    X(actor, actor, NUMBER)                                                                        \
    X(app, app, ID)                                                                                \
    X(description, description, STRING)                                                            \
    X(made_us, made_us, ID)                                                                        \
    X(changed_us, changed_us, ID)                                                                  \
    X(deferred, deferred, NUMBER)                                                                  \
    X(total, total, NUMBER)                                                                        \
    X(size, size, NUMBER)                                                                          \
    X(blob, blob, ID)                                                                              \
    X(expires_us, expires_us, NUMBER)                                                              \
    X(new_key, new_key, STRING)

int onedrive_upload_find(struct tx *tx, const char *key, struct onedrive_upload *row)
{
    static struct sql_text q =
        SQL_TEXT("select id" COLUMNS(COLUMN_NAME) " from onedrive_upload where key = :key");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, key), at = 1;
    if (r != 1)
        return r;
    *row = (struct onedrive_upload){.id = sqlite3_column_int64(st, 0), .key = key};
    COLUMNS(COLUMN_READ)
    sql_done(st);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}

int onedrive_upload_add(struct tx *tx, struct onedrive_upload *row)
{
    static struct sql_text q = SQL_TEXT("insert into onedrive_upload (key" COLUMNS(
        COLUMN_NAME) ") values (?" COLUMNS(COLUMN_MARK) ")");
    if (TX_RUN(tx, &q, row->key COLUMNS(COLUMN_VALUE)) < 0)
        return -1;
    row->id = tx_last_id(tx);
    return due_add(tx, row->expires_us, ONEDRIVE_CORE, ONEDRIVE_DUE_UPLOAD, row->id);
}

/* What has come, and a new end of its life. */
int onedrive_upload_note(struct tx *tx, struct onedrive_upload *up)
{
    static struct sql_text q = SQL_TEXT("update onedrive_upload set blob = :blob, size = :size, "
                                        "total = :total, expires_us = :expires where id = :id");
    up->expires_us = tx->now_us + ONEDRIVE_UPLOAD_LIFE;
    if (due_cancel(tx, ONEDRIVE_CORE, ONEDRIVE_DUE_UPLOAD, up->id) < 0 ||
        due_add(tx, up->expires_us, ONEDRIVE_CORE, ONEDRIVE_DUE_UPLOAD, up->id) < 0)
        return -1;
    return TX_RUN(tx, &q, sql_int_or_null(up->blob, 0), up->size, up->total, up->expires_us,
                  up->id);
}

/* blob: it goes too. */
int onedrive_upload_drop(struct tx *tx, int64_t id, int64_t blob)
{
    static struct sql_text q = SQL_TEXT("delete from onedrive_upload where id = :id");
    if ((blob && blob_unref(tx, blob) < 0) ||
        due_cancel(tx, ONEDRIVE_CORE, ONEDRIVE_DUE_UPLOAD, id) < 0)
        return -1;
    return TX_RUN(tx, &q, id);
}

int onedrive_uploads_size(struct tx *tx, int64_t account, int64_t but, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select coalesce(sum(size), 0) from onedrive_upload where "
                                        "account = :account and id <> :but");
    return TX_INT(tx, &q, ret, account, but) < 0 ? -1 : 0;
}

int onedrive_upload_due(struct tx *tx, int64_t id)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(blob, 0) from onedrive_upload where id = :id");
    int64_t blob;
    int r = TX_INT(tx, &q, &blob, id);
    return r == 1 ? onedrive_upload_drop(tx, id, blob) : r;
}

int onedrive_uploads_derive(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select blob from onedrive_upload where blob > :after order by blob limit 1");
    int64_t blob = 0;
    int r;
    while ((r = TX_INT(tx, &q, &blob, blob)) == 1)
        if (blob_ref(tx, blob) < 0)
            return -1;
    return r;
}
