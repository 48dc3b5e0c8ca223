/* SPDX-License-Identifier: Apache-2.0 */
/* Approvals: reviewers approve or decline an item, and all have to approve. */
#include "engine/base/codec.h"
#include "engine/state/stored.h"
#include "services/drive/google/sharing/ask.h"

int gdrive_reviewers_read(struct tx *tx, struct gdrive_approval *a)
{
    static struct sql_text q_n =
        SQL_TEXT("select count(*) from gdrive_reviewer where approval = :approval");
    static struct sql_text q = SQL_TEXT(
        "select email, response from gdrive_reviewer where approval = :approval order by place");
    int64_t n = 0;
    int r;
    if (TX_INT(tx, &q_n, &n, a->id) < 0)
        return -1;
    a->reviewers = arena_calloc(tx->arena, (size_t)n + 1, sizeof *a->reviewers);
    a->n_reviewers = 0;
    sqlite3_stmt *st = TX_QUERY(tx, &q, a->id);
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1)
        a->reviewers[a->n_reviewers++] = (struct gdrive_reviewer){
            tx_string(tx, st, 0), (enum gdrive_response)sqlite3_column_int(st, 1)};
    return r;
}

int gdrive_approvals_of(struct tx *tx, int64_t item, int64_t before, size_t limit,
                        struct gdrive_approval **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT(
        "where item = :item and (:before = 0 or id < :before) order by id desc limit :limit");
    struct gdrive_approval *list = arena_calloc(tx->arena, limit + 1, sizeof *list);
    struct stored *t = &gdrive_approval_stored;
    sqlite3_stmt *st = STORED_QUERY(tx, t, &q, item, before, (int64_t)limit);
    size_t n = 0;
    int r;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    while ((r = stored_next(tx, t, st, &list[n])) == 1)
        n++;
    for (size_t i = 0; r == 0 && i < n; i++)
        r = gdrive_reviewers_read(tx, &list[i]);
    *ret = list;
    *ret_n = n;
    return r;
}

int gdrive_approval(struct tx *tx, int64_t item, const char *key, struct gdrive_approval *ret)
{
    static struct sql_text q = SQL_TEXT("where item = :item and key = :key");
    int r = STORED_ONE(tx, &gdrive_approval_stored, &q, ret, item, key);
    return r == 1 && gdrive_reviewers_read(tx, ret) < 0 ? -1 : r;
}

int gdrive_approval_by_id(struct tx *tx, int64_t id, struct gdrive_approval *ret)
{
    int r = stored_get(tx, &gdrive_approval_stored, id, ret);
    return r == 1 && gdrive_reviewers_read(tx, ret) < 0 ? -1 : r;
}

int gdrive_approval_open(struct tx *tx, int64_t item)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from gdrive_approval where item = :item and status = 0 limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, item);
}

int gdrive_reviewers_save(struct tx *tx, const struct gdrive_approval *a)
{
    static struct sql_text q_none =
        SQL_TEXT("delete from gdrive_reviewer where approval = :approval");
    static struct sql_text q = SQL_TEXT("insert into gdrive_reviewer (approval, place, email, "
                                        "response) values (:approval, :place, :email, :response)");
    if (TX_RUN(tx, &q_none, a->id) < 0)
        return -1;
    for (int i = 0; i < a->n_reviewers; i++)
        if (TX_RUN(tx, &q, a->id, (int64_t)i, a->reviewers[i].email, a->reviewers[i].response) < 0)
            return -1;
    return 0;
}

const char *gdrive_approval_key(struct tx *tx, int64_t item)
{
    struct gdrive_approval there;
    uint8_t bytes[12];
    const char *key;
    struct buf b;
    int r;
    do {
        if (tx_id(tx, "drive approval", bytes, sizeof bytes) < 0)
            return NULL;
        buf_init(&b, 64);
        base64url_add(&b, bytes, sizeof bytes, false);
        key = buf_keep(&b, tx->arena);
    } while ((r = gdrive_approval(tx, item, key, &there)) == 1);
    return r < 0 ? NULL : key;
}

int gdrive_approval_save(struct tx *tx, struct gdrive_approval *a)
{
    static struct sql_text q = SQL_TEXT(
        "insert into gdrive_approval (id, item, key, initiator, status, message, created_us, "
        "modified_us, completed_us, due_us, locks) values (:id, :item, :key, :initiator, :status, "
        ":message, :created, :modified, :completed, :due, :locks) on conflict (id) do update set "
        "status = excluded.status, modified_us = excluded.modified_us, completed_us = "
        "excluded.completed_us returning id");
    if (!a->id) {
        if (!(a->key = gdrive_approval_key(tx, a->item)))
            return -1;
        a->created_us = tx->now_us;
    }
    a->modified_us = tx->now_us;
    if (TX_INT(tx, &q, &a->id, sql_int_or_null(a->id, 0), a->item, a->key, a->initiator, a->status,
               a->message, a->created_us, a->modified_us, sql_int_or_null(a->completed_us, 0),
               sql_int_or_null(a->due_us, 0), a->locks) < 0)
        return -1;
    return gdrive_reviewers_save(tx, a);
}

/* What was approved can't be written until the restriction is lifted. */
static int lock_item(struct tx *tx, struct drive_item *it)
{
    static const char restriction[] =
        "[{\"readOnly\":true,\"reason\":\"Locked for File Approval\",\"type\":"
        "\"globalContentRestriction\",\"systemRestricted\":true,\"ownerRestricted\":false}]";
    it->flags |= DRIVE_LOCKED;
    it->restrictions = restriction;
    return drive_item_save(tx, it);
}

int gdrive_approval_answer(struct tx *tx, struct drive_item *it, struct gdrive_approval *a,
                           const char *email, enum gdrive_response response)
{
    bool all = true;
    for (int i = 0; i < a->n_reviewers; i++) {
        if (strcmp(a->reviewers[i].email, email) == 0)
            a->reviewers[i].response = response;
        all = all && a->reviewers[i].response == RESPONSE_APPROVED;
    }
    if (response == RESPONSE_DECLINED)
        a->status = APPROVAL_DECLINED;
    else if (all)
        a->status = APPROVAL_APPROVED;
    if (a->status != APPROVAL_OPEN)
        a->completed_us = tx->now_us;
    if (gdrive_approval_save(tx, a) < 0)
        return -1;
    return a->status == APPROVAL_APPROVED && it->form != DRIVE_FOLDER ? lock_item(tx, it) : 0;
}
