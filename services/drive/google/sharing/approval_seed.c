/* SPDX-License-Identifier: Apache-2.0 */
/* Approvals, as documents and their table have them. */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/state/stored.h"
#include "identity/identity.h"
#include "services/drive/google/sharing/ask.h"
#include "services/drive/core/seed_impl.h"

static const char *const statuses[] = {"open", "approved", "cancelled", "declined", NULL};
static const char *const responses[] = {"none", "approved", "declined", NULL};

static int find_file(struct tx *tx, const char *text, int64_t *ret)
{
    struct drive_item it;
    int r = drive_item_by_key(tx, text, &it);
    if (r == 1)
        *ret = it.id;
    return r;
}

const struct reference gdrive_file_reference = {.noun = "the id of a file",
                                                .unknown = "there is no file",
                                                .find = find_file,
                                                .name = drive_item_key};

static int check_reviewer(const struct form_in *in, void *row)
{
    struct gdrive_reviewer *r = row;
    r->email = email_normal(in->tx->arena, r->email);
    return r->email ? 0 : doc_refuse(in->d, in->value, "email", "is not an address");
}

static const struct member reviewer_members[] = {
    {"email", "The address", TEXT_AT(struct gdrive_reviewer, email), .flags = MEMBER_REQUIRED},
    {"response", "The answer", ENUM_AT(struct gdrive_reviewer, response, responses)},
};
static const struct form reviewer_form = {.about = "A reviewer",
                                          .members = reviewer_members,
                                          .n = SOSIA_LEN(reviewer_members),
                                          .size = sizeof(struct gdrive_reviewer),
                                          .check = check_reviewer};

/* It is read as any list is; a row that is dumped has none yet. */
static int write_reviewers(const struct form_out *out, const struct member *m, const void *row)
{
    struct gdrive_approval a = *(const struct gdrive_approval *)row;
    if (gdrive_reviewers_read(out->tx, &a) < 0)
        return -1;
    json_arr(out->w, m->name);
    for (int i = 0; i < a.n_reviewers; i++) {
        json_obj(out->w, NULL);
        if (form_write(out, &reviewer_form, &a.reviewers[i]) < 0)
            return -1;
        json_end(out->w);
    }
    json_end(out->w);
    return 0;
}

/* A file has one open approval at most. */
static int check_approval(const struct form_in *in, void *row)
{
    struct gdrive_approval *a = row;
    const struct json *file = json_get(in->value, "file");
    a->created_us = a->created_us ? a->created_us : in->tx->now_us;
    a->modified_us = a->modified_us ? a->modified_us : a->created_us;
    if (!json_get(in->value, "completed") && a->status != APPROVAL_OPEN)
        a->completed_us = a->modified_us;
    int r = a->status == APPROVAL_OPEN ? gdrive_approval_open(in->tx, a->item) : 0;
    if (r)
        return r < 0 ? -1
                     : doc_fail(in->d, file, "file", "\"%.80s\" has an open approval already",
                                file->str);
    return a->key || (a->key = gdrive_approval_key(in->tx, a->item)) ? 0 : -1;
}

static int add_reviewers(const struct form_in *in, void *row, int64_t id)
{
    struct gdrive_approval *a = row;
    a->id = id;
    return gdrive_reviewers_save(in->tx, a);
}

static const struct member approval_members[] = {
    STORED_ID(struct gdrive_approval),
    {"id", "Its id among those of the file", TEXT_AT(struct gdrive_approval, key)},
    {"file", "The file", REF_AT(struct gdrive_approval, item, &gdrive_file_reference),
     .flags = MEMBER_REQUIRED},
    {"initiator", "The person who asks",
     REF_AT(struct gdrive_approval, initiator, &actor_reference), .flags = MEMBER_REQUIRED},
    {"status", "How it is", ENUM_AT(struct gdrive_approval, status, statuses),
     .flags = MEMBER_ALWAYS},
    {"message", "What was written", TEXT_AT(struct gdrive_approval, message)},
    {"created", "Its time; else now", TIME_AT(struct gdrive_approval, created_us)},
    {"modified", "Its last change; else as created", TIME_AT(struct gdrive_approval, modified_us)},
    {"completed", "Its end; else its last change", TIME_AT(struct gdrive_approval, completed_us),
     .flags = MEMBER_NULL},
    {"due", "When it is due", TIME_AT(struct gdrive_approval, due_us), .flags = MEMBER_NULL},
    {"locksFile", "What is approved is locked", BOOL_AT(struct gdrive_approval, locks)},
    {"reviewers", "The people who are asked", .write = write_reviewers, .apart = true,
     LIST_AT(struct gdrive_approval, reviewers, n_reviewers, &reviewer_form)},
};
STORED(gdrive_approval_stored, "An approval", struct gdrive_approval, approval_members,
       check_approval, .table = "gdrive_approval", .key = "file id", .added = add_reviewers);
