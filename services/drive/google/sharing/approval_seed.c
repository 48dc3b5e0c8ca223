/* SPDX-License-Identifier: Apache-2.0 */
/* The section driveApprovals of seed documents. */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/world/core.h"
#include "services/drive/google/sharing/ask.h"
#include "services/drive/core/seed_impl.h"

static const char *const statuses[] = {"open", "approved", "cancelled", "declined", NULL};
static const char *const responses[] = {"none", "approved", "declined", NULL};

static int seed_reviewer(struct tx *tx, struct doc *d, const struct json *v, int64_t approval,
                         uint32_t place)
{
    static struct sql_text q = SQL_TEXT("insert into gdrive_reviewer (approval, place, email, "
                                        "response) values (:approval, :place, :email, :response)");
    static const char *const names[] = {"email", "response", NULL};
    const char *email;
    int response;
    if (doc_object(d, v, names) < 0 || doc_str(d, v, "email", true, &email) < 0 ||
        doc_enum(d, v, "response", responses, RESPONSE_NONE, &response) < 0)
        return -1;
    email = email_normal(tx->arena, email);
    if (!email)
        return doc_fail(d, json_get(v, "email"), "email", "is not an address");
    return TX_RUN(tx, &q, approval, (int64_t)place, email, (int64_t)response);
}

/* The file, which has one open approval at most. */
static int seed_target(struct tx *tx, struct doc *d, const struct json *v,
                       struct gdrive_approval *a)
{
    const char *file;
    struct drive_item it;
    if (doc_str(d, v, "file", true, &file) < 0)
        return -1;
    int r = drive_item_by_key(tx, file, &it);
    if (r < 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "file"), "file", "there is no file \"%.80s\"", file);
    a->item = it.id;
    r = a->status == APPROVAL_OPEN ? gdrive_approval_open(tx, it.id) : 0;
    return r == 1 ? doc_fail(d, json_get(v, "file"), "file",
                             "\"%.80s\" has an open approval already", file)
                  : r;
}

int gdrive_approval_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into gdrive_approval (item, key, initiator, status, message, created_us, "
        "modified_us, completed_us, due_us, locks) values (:item, :key, :initiator, :status, "
        ":message, :created, :modified, :completed, :due, :locks)");
    static const char *const names[] = {"id",      "file",      "initiator", "status",
                                        "message", "created",   "modified",  "completed",
                                        "due",     "locksFile", "reviewers", NULL};
    struct gdrive_approval a = {.created_us = tx->now_us};
    struct doc_items reviewers;
    struct actor who;
    int status;
    if (doc_object(d, v, names) < 0 || doc_str(d, v, "id", false, &a.key) < 0 ||
        ident_doc_actor(tx, d, v, "initiator", true, &who) < 0 ||
        doc_enum(d, v, "status", statuses, APPROVAL_OPEN, &status) < 0 ||
        doc_str(d, v, "message", false, &a.message) < 0 ||
        doc_time(d, v, "created", &a.created_us) < 0)
        return -1;
    a.status = (enum gdrive_approval_status)status;
    a.modified_us = a.created_us;
    if (doc_time(d, v, "modified", &a.modified_us) < 0)
        return -1;
    a.completed_us = status == APPROVAL_OPEN ? 0 : a.modified_us;
    if (doc_time(d, v, "completed", &a.completed_us) < 0 || doc_time(d, v, "due", &a.due_us) < 0 ||
        doc_bool(d, v, "locksFile", false, &a.locks) < 0 ||
        doc_items(d, v, "reviewers", &reviewers) < 0 || seed_target(tx, d, v, &a) < 0 ||
        (!a.key && !(a.key = gdrive_approval_key(tx, a.item))))
        return -1;
    if (TX_RUN(tx, &q, a.item, a.key, who.id, (int64_t)status, a.message, a.created_us,
               a.modified_us, sql_int_or_null(a.completed_us, 0), sql_int_or_null(a.due_us, 0),
               (int64_t)a.locks) < 0)
        return tx->err->code == SOSIA_E_CONFLICT ? doc_fail_twice(d, json_get(v, "id"), "id") : -1;
    a.id = tx_last_id(tx);
    for (const struct json *one; (one = doc_item(d, &reviewers)) != NULL;)
        if (seed_reviewer(tx, d, one, a.id, reviewers.next - 1) < 0)
            return -1;
    return 0;
}

int gdrive_approval_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct gdrive_approval a;
    struct drive_item it;
    struct actor initiator;
    int r = gdrive_approval_by_id(tx, rowid, &a);
    if (r == 1)
        r = drive_item_by_id(tx, a.item, &it);
    if (r == 1)
        r = actor_by_id(tx, a.initiator, &initiator);
    if (r != 1)
        return r;
    json_str(w, "id", a.key);
    json_str(w, "file", it.key);
    json_str(w, "initiator", initiator.handle);
    json_str(w, "status", statuses[a.status]);
    json_str_opt(w, "message", a.message);
    drive_dump_time(w, "created", a.created_us);
    drive_dump_time(w, "modified", a.modified_us);
    drive_dump_time(w, "completed", a.completed_us);
    drive_dump_time(w, "due", a.due_us);
    json_bool_opt(w, "locksFile", a.locks);
    json_arr(w, "reviewers");
    for (size_t i = 0; i < a.n_reviewers; i++) {
        json_obj(w, NULL);
        json_str(w, "email", a.reviewers[i].email);
        if (a.reviewers[i].response)
            json_str(w, "response", responses[a.reviewers[i].response]);
        json_end(w);
    }
    json_end(w);
    return 1;
}
