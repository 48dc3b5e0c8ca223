/* SPDX-License-Identifier: Apache-2.0 */
/* The members of comments and of replies to them: as documents have them, and their rows. */
#include "identity/shown.h"
#include "services/drive/core/comment.h"
#include "services/drive/core/seed_impl.h"

static const char *const states[] = {"open", "resolved", "reopened", NULL};
static const char *const actions[] = {"none", "resolve", "reopen", NULL};

static int check_said(const struct form_in *in, void *row)
{
    struct drive_comment *c = row;
    c->modified_us = c->modified_us == DRIVE_UNSAID ? c->created_us : c->modified_us;
    if (c->key && !*c->key)
        return doc_fail(in->d, json_get(in->value, "id"), "id", "must not be empty");
    if (c->deleted && c->content)
        return doc_refuse(in->d, in->value, "content", "what is deleted has none");
    if (!c->deleted && !c->content && !c->action)
        return doc_fail(in->d, in->value, NULL, "must have content");
    return 0;
}

/* The state and the time that follow of its replies, where nothing else is said of a comment; a
 * reply has none. */
static int as_replies_say(struct tx *tx, const struct drive_comment *c, struct drive_comment *ret)
{
    struct drive_comment *replies = NULL;
    size_t n = 0;
    ret->modified_us = c->created_us;
    ret->resolved = COMMENT_OPEN;
    if (!c->comment && drive_replies(tx, c->id, true, 0, INT32_MAX, &replies, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (replies[i].action)
            ret->resolved =
                replies[i].action == ACTION_RESOLVE ? COMMENT_RESOLVED : COMMENT_REOPENED;
        if (replies[i].modified_us > ret->modified_us)
            ret->modified_us = replies[i].modified_us;
    }
    return 0;
}

static int write_modified(const struct form_out *out, const struct member *m, const void *row)
{
    const struct drive_comment *c = row;
    struct drive_comment usual;
    if (as_replies_say(out->tx, c, &usual) < 0)
        return -1;
    if (c->modified_us != usual.modified_us)
        form_time(out->w, m->name, c->modified_us);
    return 0;
}

static int write_state(const struct form_out *out, const struct member *m, const void *row)
{
    const struct drive_comment *c = row;
    struct drive_comment usual;
    if (as_replies_say(out->tx, c, &usual) < 0)
        return -1;
    if (c->resolved != usual.resolved)
        json_str(out->w, m->name, states[c->resolved]);
    return 0;
}

static const struct member said_members[] = {
    {"id", "Made up without it", TEXT_AT(struct drive_comment, key)},
    {"author", "Who wrote it", REF_AT(struct drive_comment, author, &address_reference),
     .flags = MEMBER_REQUIRED},
    {"content", "What it says", TEXT_AT(struct drive_comment, content)},
    {"deleted", "It was deleted, and says nothing", BOOL_AT(struct drive_comment, deleted)},
    {"created", "When; as what it is about without it", TIME_AT(struct drive_comment, created_us),
     .flags = MEMBER_ALWAYS},
};
static const struct form said_form = FORM("What somebody says", said_members);

static int add_said(const struct form_in *in, void *row)
{
    return drive_comment_put(in->tx, row);
}

/* ---- replies ---- */

static int begin_reply(const struct form_in *in, void *row, int64_t comment)
{
    struct drive_comment *reply = row;
    reply->comment = comment;
    reply->created_us = ((const struct drive_comment *)in->of)->created_us;
    return 0;
}

static const struct member reply_members[] = {
    STORED_ID(struct drive_comment),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct drive_comment, comment, int64_t)},
    PART(&said_form),
    {"action", "What it does with the comment", ENUM_AT(struct drive_comment, action, actions)},
    {"modified", "When it was changed", TIME_AT(struct drive_comment, modified_us),
     .usual = DRIVE_UNSAID, .write = write_modified},
};
STORED(drive_reply_stored, "A reply to a comment", struct drive_comment, reply_members, check_said,
       .table = "drive_reply", .key = "id", .add = add_said);

static struct stored_rows replies = {&drive_reply_stored,
                                     SQL_TEXT("where comment = ?1 order by id"), begin_reply};

/* ---- comments ---- */

static int begin_comment(const struct form_in *in, void *row, int64_t item)
{
    struct drive_comment *c = row;
    c->item = item;
    c->created_us = ((const struct drive_item *)in->of)->modified_us;
    return 0;
}

static bool says(const struct form_in *in, const char *member)
{
    const struct json *v = json_get(in->value, member);
    return v && v->type != JSON_NULL;
}

static int added_comment(const struct form_in *in, void *row, int64_t id)
{
    struct drive_comment *c = row, usual;
    (void)id; /* as the row has it since it was put there */
    if (as_replies_say(in->tx, c, &usual) < 0)
        return -1;
    if (!says(in, "modified"))
        c->modified_us = usual.modified_us;
    if (!says(in, "state"))
        c->resolved = usual.resolved;
    return drive_comment_save(in->tx, c);
}

static const struct member comment_members[] = {
    STORED_ID(struct drive_comment),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct drive_comment, item, int64_t)},
    PART(&said_form),
    {"quoted", "The text that it is about", TEXT_AT(struct drive_comment, quoted)},
    {"quotedMime", "The media type of that", TEXT_AT(struct drive_comment, quoted_mime)},
    {"anchor", "Where that is, as its program has it", TEXT_AT(struct drive_comment, anchor)},
    {"modified", "When it was changed; as its newest reply without it",
     TIME_AT(struct drive_comment, modified_us), .usual = DRIVE_UNSAID, .write = write_modified},
    {"state", "Whether it is resolved; as its replies say without it",
     ENUM_AT(struct drive_comment, resolved, states), .write = write_state},
    {"replies", "Replies to it, oldest first", MEMBER_ROWS(&drive_reply_stored_form, &replies)},
};
STORED(drive_comment_stored, "A comment", struct drive_comment, comment_members, check_said,
       .table = "drive_comment", .key = "id", .add = add_said, .added = added_comment);

static struct stored_rows comments = {&drive_comment_stored,
                                      SQL_TEXT("where item = ?1 order by id"), begin_comment};
static const struct member list_members[] = {
    {"comments", "What people say about it, oldest first",
     MEMBER_ROWS(&drive_comment_stored_form, &comments)},
};
const struct form drive_comments_form = FORM("What people say about an item", list_members);
