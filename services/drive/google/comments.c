/* SPDX-License-Identifier: Apache-2.0 */
/* Comments on files, and replies to them. */
#include "engine/base/codec.h"
#include "services/drive/core/comment.h"
#include "engine/text/civil.h"
#include "services/drive/google/content/convert.h"
#include "services/drive/google/scopes.h"

#define PHOTO "//lh3.googleusercontent.com/a/default-user=s50-c-k-no"
enum { PAGE = 20 };

/* ---- what is written ---- */

/* Authors have neither address nor permission id. */
static int write_author(struct gdrive_view *v, int64_t author)
{
    struct json_writer *w = v->c->out;
    struct actor who;
    if (!json_wants(w, "author"))
        return 0;
    int r = actor_by_id(&v->c->tx, author, &who);
    if (r != 1)
        return r;
    json_obj(w, "author");
    json_str(w, "displayName", who.name);
    json_word(w, "kind", "drive#user");
    json_bool(w, "me", author == v->c->actor.id);
    json_word(w, "photoLink", PHOTO);
    json_end(w);
    return 0;
}

static void write_html(struct call *c, const char *text)
{
    struct buf b;
    if (!json_wants(c->out, "htmlContent"))
        return;
    buf_init(&b, 0);
    html_escape_lines(&b, text, "\"'", "<br>");
    json_str(c->out, "htmlContent", buf_str(&b));
    buf_done(&b);
}

/* Addresses behind a '+' or an '@', as editors write mentions. */
static void write_mentions(struct call *c, const char *text)
{
    struct json_writer *w = c->out;
    bool open = false;
    for (const char *p = text; (p = strpbrk(p, "+@")); p++) {
        if (p > text && !strchr(" \t\n(,;", p[-1]))
            continue;
        size_t n = strcspn(p + 1, " \t\n,;:!?()<>\"'");
        if (!n)
            continue;
        const char *address = email_normal(c->tx.arena, arena_memdup(c->tx.arena, p + 1, n));
        if (!address)
            continue;
        if (!open)
            json_arr(w, "mentionedEmailAddresses");
        open = true;
        json_str(w, NULL, address);
    }
    if (open)
        json_end(w);
}

/* author: it was not written yet. */
static int write_said(struct gdrive_view *v, const struct drive_comment *m, bool author)
{
    struct json_writer *w = v->c->out;
    json_str(w, "id", m->key);
    json_time(w, "createdTime", m->created_us, JSON_TIME_MS_Z);
    json_time(w, "modifiedTime", m->modified_us, JSON_TIME_MS_Z);
    if (author && write_author(v, m->author) < 0)
        return -1;
    if (m->content) {
        write_html(v->c, m->content);
        json_str(w, "content", m->content);
        write_mentions(v->c, m->content);
    }
    json_bool(w, "deleted", m->deleted);
    return 0;
}

static int write_reply(struct gdrive_view *v, const struct drive_comment *r)
{
    struct json_writer *w = v->c->out;
    json_obj(w, NULL);
    json_word(w, "kind", "drive#reply");
    if (write_said(v, r, true) < 0)
        return -1;
    if (r->action)
        json_word(w, "action", r->action == ACTION_RESOLVE ? "resolve" : "reopen");
    json_end(w);
    return 0;
}

static int write_comment(struct gdrive_view *v, const struct drive_comment *m, bool deleted)
{
    struct call *c = v->c;
    struct json_writer *w = c->out;
    struct drive_comment *replies;
    size_t n;
    json_obj(w, NULL);
    if (json_wants(w, "replies")) {
        if (drive_replies(&c->tx, m->id, deleted, 0, INT32_MAX, &replies, &n) < 0)
            return -1;
        json_arr(w, "replies");
        for (size_t i = 0; i < n; i++)
            if (write_reply(v, &replies[i]) < 0)
                return -1;
        json_end(w);
    }
    if (write_author(v, m->author) < 0)
        return -1;
    json_word(w, "kind", "drive#comment");
    if (write_said(v, m, false) < 0)
        return -1;
    if (m->resolved)
        json_bool(w, "resolved", m->resolved == COMMENT_RESOLVED);
    if (m->quoted) {
        json_obj(w, "quotedFileContent");
        json_str_opt(w, "mimeType", m->quoted_mime);
        json_str(w, "value", m->quoted);
        json_end(w);
    }
    json_str_opt(w, "anchor", m->anchor);
    json_end(w);
    return 0;
}

/* ---- bodies ---- */

struct said {
    struct gdrive_subject s;
    struct drive_comment comment, reply;
    bool reads; /* what is deleted is shown if it is wanted */
};

/* The file, and what the caller must be able to do with it. */
static int open_said(struct call *c, bool write, struct said *ret)
{
    if (gdrive_need_fields(c) < 0 || gdrive_any_subject(c, param_str(c, "fileId"), &ret->s) < 0)
        return -1;
    if (ret->s.access.role < ROLE_READER)
        return gdrive_insufficient(c);
    ret->reads = !write;
    return write ? gdrive_must(&ret->s, CAN_COMMENT) : 0;
}

static int is_assignee(void *arg, const char *name, const struct json_mask *below)
{
    (void)arg;
    (void)below;
    return strcmp(name, "assigneeEmailAddress") == 0;
}

/* The same for comments. The discovery document has a member that the service does not know. */
static int open_comments(struct call *c, bool write, struct said *ret)
{
    static const char list[] = "comments";
    const struct json_mask *below =
        c->mask ? json_mask_child(c->mask, list, sizeof list - 1) : NULL;
    if ((c->mask && json_mask_each(c->mask, is_assignee, NULL)) ||
        (below && json_mask_each(below, is_assignee, NULL)))
        return call_fail(c, SOSIA_E_INVALID, "invalidParameter", "fields",
                         "Invalid field selection assignee_email_address");
    return open_said(c, write, ret);
}

static int find_comment(struct call *c, struct said *s)
{
    const char *key = param_str(c, "commentId");
    int r = drive_comment_find(&c->tx, s->s.item.id, key, &s->comment);
    if (r < 0)
        return -1;
    if (!r || (s->comment.deleted && !(s->reads && gdrive_flag(c, "includeDeleted"))))
        return call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "commentId", "Comment not found: %s.",
                         key);
    return 0;
}

static int find_reply(struct call *c, struct said *s)
{
    const char *key = param_str(c, "replyId");
    int r = find_comment(c, s) < 0 ? -1 : drive_reply_find(&c->tx, s->comment.id, key, &s->reply);
    if (r < 0)
        return -1;
    if (!r || (s->reply.deleted && !(s->reads && gdrive_flag(c, "includeDeleted"))))
        return call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "replyId", "Reply not found: %s.", key);
    return 0;
}

/* The member "content" of the body; NULL: it is not there. */
static int read_content(struct call *c, bool required, const char **ret)
{
    const struct json *body = call_body(c);
    if (!body)
        return -1;
    const char *text = json_get_str(body, "content");
    *ret = text && *text ? text : NULL;
    if (required && !*ret)
        return call_fail(c, SOSIA_E_INVALID, "required", "comment.content",
                         "The comment content is required.");
    return 0;
}

static int must_be_author(struct call *c, const struct drive_comment *m)
{
    return m->author == c->actor.id ? 0 : gdrive_insufficient(c);
}

/* Who wrote it may take it back; so may who owns the file. */
static int must_delete(struct said *s, const struct drive_comment *m)
{
    return s->s.access.role >= ROLE_ORGANIZER ? 0 : must_be_author(s->s.view.c, m);
}

/* Where a list continues, and how long a page is. */
static int read_place(struct call *c, int64_t *ret_skip, int64_t *ret_limit)
{
    *ret_skip = 0;
    *ret_limit = param_num(c, "pageSize", PAGE);
    return google_page_number(c, 0, ret_skip) < 0 ? -1 : 0;
}

/* ---- comments ---- */

static int comments_list(struct call *c)
{
    struct said s;
    struct drive_comment *list;
    struct stamp stamp;
    const char *since = param_str(c, "startModifiedTime");
    bool deleted = gdrive_flag(c, "includeDeleted");
    int64_t skip, limit, from = 0;
    size_t n;
    if (open_comments(c, false, &s) < 0 || read_place(c, &skip, &limit) < 0)
        return -1;
    if (since && *since) {
        if (stamp_parse(since, strlen(since), true, &stamp) < 0)
            return call_fail(c, SOSIA_E_INVALID, "invalid", "startModifiedTime", "Invalid Value");
        from = stamp.local_us - (stamp.has_offset ? stamp.offset * US_PER_SECOND : 0);
    }
    if (drive_comments(&c->tx, s.s.item.id, deleted, from, skip, limit, &list, &n) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_arr(c->out, "comments");
    for (size_t i = 0; i < n && (int64_t)i < limit; i++)
        if (write_comment(&s.s.view, &list[i], deleted) < 0)
            return -1;
    json_end(c->out);
    json_word(c->out, "kind", "drive#commentList");
    if ((int64_t)n > limit)
        google_next_page(c, skip + limit);
    json_end(c->out);
    return 0;
}

static int comments_get(struct call *c)
{
    struct said s;
    return open_comments(c, false, &s) < 0 || find_comment(c, &s) < 0
               ? -1
               : write_comment(&s.s.view, &s.comment, gdrive_flag(c, "includeDeleted"));
}

static int comments_create(struct call *c)
{
    struct said s;
    const char *content;
    if (open_comments(c, true, &s) < 0 || read_content(c, true, &content) < 0)
        return -1;
    const struct json *quoted = json_get(c->body, "quotedFileContent");
    struct drive_comment m = {.item = s.s.item.id,
                              .author = c->actor.id,
                              .content = content,
                              .anchor = json_get_str(c->body, "anchor"),
                              .quoted = json_get_str(quoted, "value"),
                              .quoted_mime = json_get_str(quoted, "mimeType")};
    if (m.quoted && !m.quoted_mime)
        m.quoted_mime = "text/html";
    return drive_comment_add(&c->tx, &m) < 0 ? -1 : write_comment(&s.s.view, &m, false);
}

static int comments_update(struct call *c)
{
    struct said s;
    const char *content;
    if (open_comments(c, true, &s) < 0 || find_comment(c, &s) < 0 ||
        must_be_author(c, &s.comment) < 0 || read_content(c, true, &content) < 0 ||
        drive_comment_change(&c->tx, &s.comment, content) < 0)
        return -1;
    return write_comment(&s.s.view, &s.comment, false);
}

static int comments_delete(struct call *c)
{
    struct said s = {.reads = false};
    if (gdrive_any_subject(c, param_str(c, "fileId"), &s.s) < 0 ||
        gdrive_must(&s.s, CAN_COMMENT) < 0 || find_comment(c, &s) < 0 ||
        must_delete(&s, &s.comment) < 0 || drive_comment_change(&c->tx, &s.comment, NULL) < 0)
        return -1;
    c->status = 204;
    return 0;
}

/* ---- replies ---- */

static int replies_list(struct call *c)
{
    struct said s;
    struct drive_comment *list;
    int64_t skip, limit;
    size_t n;
    if (open_said(c, false, &s) < 0 || find_comment(c, &s) < 0 ||
        read_place(c, &skip, &limit) < 0 ||
        drive_replies(&c->tx, s.comment.id, gdrive_flag(c, "includeDeleted"), skip, limit, &list,
                      &n) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_arr(c->out, "replies");
    for (size_t i = 0; i < n && (int64_t)i < limit; i++)
        if (write_reply(&s.s.view, &list[i]) < 0)
            return -1;
    json_end(c->out);
    json_word(c->out, "kind", "drive#replyList");
    if ((int64_t)n > limit)
        google_next_page(c, skip + limit);
    json_end(c->out);
    return 0;
}

static int replies_get(struct call *c)
{
    struct said s;
    return open_said(c, false, &s) < 0 || find_reply(c, &s) < 0 ? -1
                                                                : write_reply(&s.s.view, &s.reply);
}

/* Writers of the file may resolve what others wrote; all others only what they wrote themselves. */
static int read_action(struct call *c, struct said *s, enum comment_action *ret)
{
    const struct json *body = call_body(c);
    if (!body)
        return -1;
    const char *action = json_get_str(body, "action");
    if (!action)
        return 0;
    *ret = strcmp(action, "resolve") == 0 ? ACTION_RESOLVE : ACTION_REOPEN;
    return s->comment.author == c->actor.id || s->s.access.role >= ROLE_WRITER
               ? 0
               : gdrive_insufficient(c);
}

static int replies_create(struct call *c)
{
    struct said s;
    struct drive_comment reply = {.author = c->actor.id};
    if (open_said(c, true, &s) < 0 || find_comment(c, &s) < 0 ||
        read_action(c, &s, &reply.action) < 0 ||
        read_content(c, !reply.action, &reply.content) < 0 ||
        drive_reply_add(&c->tx, &s.comment, &reply) < 0)
        return -1;
    return write_reply(&s.s.view, &reply);
}

static int replies_update(struct call *c)
{
    struct said s;
    const char *content;
    if (open_said(c, true, &s) < 0 || find_reply(c, &s) < 0 || must_be_author(c, &s.reply) < 0 ||
        read_content(c, true, &content) < 0 || drive_comment_change(&c->tx, &s.reply, content) < 0)
        return -1;
    return write_reply(&s.s.view, &s.reply);
}

static int replies_delete(struct call *c)
{
    struct said s = {.reads = false};
    if (gdrive_any_subject(c, param_str(c, "fileId"), &s.s) < 0 ||
        gdrive_must(&s.s, CAN_COMMENT) < 0 || find_reply(c, &s) < 0 ||
        must_delete(&s, &s.reply) < 0 || drive_comment_change(&c->tx, &s.reply, NULL) < 0)
        return -1;
    c->status = 204;
    return 0;
}

/* ---- rows ---- */

#define COMMENT_ID                                                                                 \
    {                                                                                              \
        .name = "commentId", .place = IN_PATH, .required = true                                    \
    }
#define REPLY_ID                                                                                   \
    {                                                                                              \
        .name = "replyId", .place = IN_PATH, .required = true                                      \
    }
#define PAGES                                                                                      \
    {.name = "pageSize", .place = IN_QUERY, .type = PARAM_INT, .def = "20", .min = 1, .max = 100}, \
    {                                                                                              \
        .name = "pageToken", .place = IN_QUERY                                                     \
    }

static const struct param comment_params[] = {COMMENT_ID, GDRIVE_FILE_ID};
static const struct param comment_get_params[] = {COMMENT_ID, GDRIVE_FILE_ID,
                                                  GDRIVE_FLAG("includeDeleted")};
static const struct param comments_params[] = {GDRIVE_FILE_ID};
static const struct param comments_list_params[] = {
    GDRIVE_FILE_ID,
    GDRIVE_FLAG("includeDeleted"),
    PAGES,
    {.name = "startModifiedTime", .place = IN_QUERY}};
static const struct param reply_params[] = {COMMENT_ID, GDRIVE_FILE_ID, REPLY_ID};
static const struct param reply_get_params[] = {COMMENT_ID, GDRIVE_FILE_ID,
                                                GDRIVE_FLAG("includeDeleted"), REPLY_ID};
static const struct param replies_list_params[] = {COMMENT_ID, GDRIVE_FILE_ID,
                                                   GDRIVE_FLAG("includeDeleted"), PAGES};

#define COMMENTS "/drive/v3/files/{fileId}/comments"
#define COMMENT  "/drive/v3/files/{fileId}/comments/{commentId}"
#define REPLIES  "/drive/v3/files/{fileId}/comments/{commentId}/replies"
#define REPLY    "/drive/v3/files/{fileId}/comments/{commentId}/replies/{replyId}"
#define READERS  DRIVE " " FILE_SCOPE " " MEET_READONLY " " READONLY
#define WRITERS  DRIVE " " FILE_SCOPE

static const struct route comment_methods[] = {
    {ROUTE("drive.comments.create", POST, COMMENTS), .handler = comments_create, .risk = RISK_WRITE,
     .needs_fields = true, .body = BODY_JSON, .scopes = WRITERS, PARAMS(comments_params),
     .request = "Comment", .response = "Comment", .summary = "Comment on a file"},
    {ROUTE("drive.comments.delete", DELETE, COMMENT), .handler = comments_delete,
     .risk = RISK_WRITE, .idempotent = true, .scopes = WRITERS, PARAMS(comment_params),
     .summary = "Take a comment back"},
    {ROUTE("drive.comments.get", GET, COMMENT), .handler = comments_get, .risk = RISK_READ,
     .needs_fields = true, .scopes = READERS, PARAMS(comment_get_params), .response = "Comment",
     .summary = "A comment with its replies"},
    {ROUTE("drive.comments.list", GET, COMMENTS), .handler = comments_list, .risk = RISK_READ,
     .needs_fields = true, .scopes = READERS, PARAMS(comments_list_params),
     .response = "CommentList", .summary = "The comments on a file"},
    {ROUTE("drive.comments.update", PATCH, COMMENT), .handler = comments_update, .risk = RISK_WRITE,
     .needs_fields = true, .idempotent = true, .body = BODY_JSON, .scopes = WRITERS,
     PARAMS(comment_params), .request = "Comment", .response = "Comment",
     .summary = "Change what a comment says"},
};

static const struct route reply_methods[] = {
    {ROUTE("drive.replies.create", POST, REPLIES), .handler = replies_create, .risk = RISK_WRITE,
     .needs_fields = true, .body = BODY_JSON, .scopes = WRITERS, PARAMS(comment_params),
     .request = "Reply", .response = "Reply",
     .summary = "Reply to a comment, resolve it or open it again"},
    {ROUTE("drive.replies.delete", DELETE, REPLY), .handler = replies_delete, .risk = RISK_WRITE,
     .idempotent = true, .scopes = WRITERS, PARAMS(reply_params), .summary = "Take a reply back"},
    {ROUTE("drive.replies.get", GET, REPLY), .handler = replies_get, .risk = RISK_READ,
     .needs_fields = true, .scopes = READERS, PARAMS(reply_get_params), .response = "Reply",
     .summary = "A reply to a comment"},
    {ROUTE("drive.replies.list", GET, REPLIES), .handler = replies_list, .risk = RISK_READ,
     .needs_fields = true, .scopes = READERS, PARAMS(replies_list_params), .response = "ReplyList",
     .summary = "The replies to a comment"},
    {ROUTE("drive.replies.update", PATCH, REPLY), .handler = replies_update, .risk = RISK_WRITE,
     .needs_fields = true, .idempotent = true, .body = BODY_JSON, .scopes = WRITERS,
     PARAMS(reply_params), .request = "Reply", .response = "Reply",
     .summary = "Change what a reply says"},
};

const struct rows gdrive_comments = ROWS(comment_methods);
const struct rows gdrive_replies = ROWS(reply_methods);
