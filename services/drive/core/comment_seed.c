/* SPDX-License-Identifier: Apache-2.0 */
/* Comments and their replies as a member of files in seed documents. */
#include "engine/json/doc.h"
#include "engine/world/core.h"
#include "services/drive/core/comment.h"
#include "services/drive/core/seed_impl.h"

static const char *const states[] = {"open", "resolved", "reopened", NULL};
static const char *const actions[] = {"none", "resolve", "reopen", NULL};

/* ---- in ---- */

/* What a comment and a reply have in common. */
static int seed_said(struct tx *tx, struct doc *d, const struct json *v, struct drive_comment *c)
{
    struct actor who;
    if (doc_str(d, v, "id", false, &c->key) < 0 ||
        ident_doc_actor(tx, d, v, "author", true, &who) < 0 ||
        doc_str(d, v, "content", false, &c->content) < 0 ||
        doc_bool(d, v, "deleted", false, &c->deleted) < 0 ||
        doc_time(d, v, "created", &c->created_us) < 0)
        return -1;
    c->author = who.id;
    if (c->deleted && c->content)
        return doc_fail(d, json_get(v, "content"), "content", "what is deleted has none");
    if (!c->deleted && !c->content && !c->action)
        return doc_fail(d, v, NULL, "must have content");
    c->modified_us = c->created_us;
    return 0;
}

static int put(struct tx *tx, struct doc *d, const struct json *v, struct drive_comment *c)
{
    if (drive_comment_put(tx, c) == 0)
        return 0;
    return tx->err->code == SOSIA_E_CONFLICT ? doc_fail_twice(d, json_get(v, "id"), "id") : -1;
}

static int seed_reply(struct tx *tx, struct doc *d, const struct json *v,
                      struct drive_comment *comment)
{
    static const char *const names[] = {"id",      "author",   "content", "action",
                                        "created", "modified", "deleted", NULL};
    struct drive_comment r = {
        .item = comment->item, .comment = comment->id, .created_us = comment->created_us};
    int action;
    if (doc_object(d, v, names) < 0 || doc_enum(d, v, "action", actions, ACTION_NONE, &action) < 0)
        return -1;
    r.action = (enum comment_action)action;
    if (seed_said(tx, d, v, &r) < 0 || doc_time(d, v, "modified", &r.modified_us) < 0 ||
        put(tx, d, v, &r) < 0)
        return -1;
    if (r.action)
        comment->state = r.action == ACTION_RESOLVE ? COMMENT_RESOLVED : COMMENT_REOPENED;
    if (r.modified_us > comment->modified_us)
        comment->modified_us = r.modified_us;
    return 0;
}

int drive_comment_seed(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    static const char *const names[] = {"id",         "author", "content", "quoted",
                                        "quotedMime", "anchor", "created", "modified",
                                        "deleted",    "state",  "replies", NULL};
    struct drive_comment c = {.item = it->id, .created_us = it->modified_us};
    struct doc_items replies;
    int state;
    if (doc_object(d, v, names) < 0 || seed_said(tx, d, v, &c) < 0 ||
        doc_str(d, v, "quoted", false, &c.quoted) < 0 ||
        doc_str(d, v, "quotedMime", false, &c.quoted_mime) < 0 ||
        doc_str(d, v, "anchor", false, &c.anchor) < 0 || doc_items(d, v, "replies", &replies) < 0 ||
        put(tx, d, v, &c) < 0)
        return -1;
    for (const struct json *reply; (reply = doc_item(d, &replies)) != NULL;)
        if (seed_reply(tx, d, reply, &c) < 0)
            return -1;
    if (doc_enum(d, v, "state", states, (int)c.state, &state) < 0 ||
        doc_time(d, v, "modified", &c.modified_us) < 0)
        return -1;
    c.state = (enum comment_state)state;
    return drive_comment_save(tx, &c);
}

/* ---- out ---- */

static int dump_said(struct tx *tx, struct json_writer *w, const struct drive_comment *c)
{
    struct actor who;
    int r = actor_by_id(tx, c->author, &who);
    if (r < 0)
        return -1;
    json_str(w, "id", c->key);
    if (r)
        json_str(w, "author", who.email && *who.email ? who.email : who.handle);
    json_str_opt(w, "content", c->content);
    json_bool_opt(w, "deleted", c->deleted);
    drive_dump_time(w, "created", c->created_us);
    return 0;
}

static int dump_replies(struct tx *tx, struct json_writer *w, const struct drive_comment *list,
                        size_t n)
{
    if (n)
        json_arr(w, "replies");
    for (size_t i = 0; i < n; i++) {
        json_obj(w, NULL);
        if (dump_said(tx, w, &list[i]) < 0)
            return -1;
        if (list[i].action)
            json_str(w, "action", actions[list[i].action]);
        if (list[i].modified_us != list[i].created_us)
            drive_dump_time(w, "modified", list[i].modified_us);
        json_end(w);
    }
    if (n)
        json_end(w);
    return 0;
}

static int dump_comment(struct tx *tx, struct json_writer *w, const struct drive_comment *c)
{
    struct drive_comment *replies;
    int64_t modified_us = c->created_us;
    enum comment_state state = COMMENT_OPEN;
    size_t n;
    if (drive_replies(tx, c->id, true, 0, INT32_MAX, &replies, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (replies[i].action)
            state = replies[i].action == ACTION_RESOLVE ? COMMENT_RESOLVED : COMMENT_REOPENED;
        if (replies[i].modified_us > modified_us)
            modified_us = replies[i].modified_us;
    }
    json_obj(w, NULL);
    if (dump_said(tx, w, c) < 0)
        return -1;
    json_str_opt(w, "quoted", c->quoted);
    json_str_opt(w, "quotedMime", c->quoted_mime);
    json_str_opt(w, "anchor", c->anchor);
    if (c->modified_us != modified_us)
        drive_dump_time(w, "modified", c->modified_us);
    if (c->state != state)
        json_str(w, "state", states[c->state]);
    if (dump_replies(tx, w, replies, n) < 0)
        return -1;
    json_end(w);
    return 0;
}

int drive_comments_dump(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct drive_comment *list;
    size_t n;
    if (drive_comments_all(tx, it->id, &list, &n) < 0)
        return -1;
    if (n)
        json_arr(w, "comments");
    for (size_t i = 0; i < n; i++)
        if (dump_comment(tx, w, &list[i]) < 0)
            return -1;
    if (n)
        json_end(w);
    return 0;
}
