/* SPDX-License-Identifier: Apache-2.0 */
#include "vendors/microsoft/attach.h"
#include "engine/base/codec.h"
#include "engine/http/body.h"
#include "engine/text/civil.h"
#include "engine/world/columns.h"

#define CORE     "graphUploads"
#define DUE      "upload" /* kind of what falls due; then a session is dropped */
#define HOST     "outlook.office.com"
#define LIFE_US  (3 * INT64_C(3600) * US_PER_SECOND)
#define MOST     100 /* sessions of an account; further ones are refused */
#define MAX_NAME 255 /* characters of a file's name */

extern const char graph_attach_sql[];

/* ---- rows ---- */

#define COLUMNS(X)                                                                                 \
    X(secret, secret, STRING)                                                                      \
    X(account, account, NUMBER)                                                                    \
    X(owner, owner, NUMBER)                                                                        \
    X(thing, thing, STRING)                                                                        \
    X(name, name, STRING)                                                                          \
    X(type, type, STRING)                                                                          \
    X(content_id, content_id, STRING)                                                              \
    X(inline, inlined, NUMBER)                                                                     \
    X(total, total, NUMBER)                                                                        \
    X(size, size, NUMBER)                                                                          \
    X(blob, blob, ID)                                                                              \
    X(expires_us, expires_us, NUMBER)

static int find_upload(struct tx *tx, const char *kind, const char *key, struct graph_upload *row)
{
    static struct sql_text q = SQL_TEXT(
        "select id" COLUMNS(COLUMN_NAME) " from graph_upload where key = :key and kind = :kind");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, key, kind), at = 1;
    if (r != 1)
        return r;
    *row = (struct graph_upload){.id = sqlite3_column_int64(st, 0),
                                 .key = arena_strdup(tx->arena, key)};
    COLUMNS(COLUMN_READ)
    sql_done(st);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}

static int add_upload(struct tx *tx, const char *kind, struct graph_upload *row)
{
    static struct sql_text q = SQL_TEXT("insert into graph_upload (key, kind" COLUMNS(
        COLUMN_NAME) ") values (?, ?" COLUMNS(COLUMN_MARK) ")");
    if (TX_RUN(tx, &q, row->key, kind COLUMNS(COLUMN_VALUE)) < 0)
        return -1;
    row->id = tx_last_id(tx);
    return due_add(tx, row->expires_us, CORE, DUE, row->id);
}

static int note_bytes(struct tx *tx, const struct graph_upload *up)
{
    static struct sql_text q =
        SQL_TEXT("update graph_upload set blob = :blob, size = :size where id = :id");
    return TX_RUN(tx, &q, sql_int_or_null(up->blob, 0), up->size, up->id);
}

static int drop(struct tx *tx, int64_t id)
{
    static struct sql_text q_blob = SQL_TEXT("select blob from graph_upload where id = :id"),
                           q = SQL_TEXT("delete from graph_upload where id = :id");
    int64_t blob = 0;
    int r = TX_INT(tx, &q_blob, &blob, id);
    if (r < 0 || (r && blob && blob_unref(tx, blob) < 0) || due_cancel(tx, CORE, DUE, id) < 0)
        return -1;
    return TX_RUN(tx, &q, id);
}

static int upload_due(struct tx *tx, const char *kind, int64_t ref)
{
    return strcmp(kind, DUE) == 0 ? drop(tx, ref) : 0;
}

/* Of an imported world: a session refers to what has come. */
static int derive(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select blob from graph_upload where blob > :after order by blob limit 1");
    int64_t blob = 0;
    int r;
    while ((r = TX_INT(tx, &q, &blob, blob)) == 1)
        if (blob_ref(tx, blob) < 0)
            return -1;
    return r;
}

static const struct core_rule rules[] = {
    {"graph_upload", "inline not in (0, 1)"},
    {"graph_upload",
     "total not between case kind when 'tasks' then 1 else 3145728 end and 157286400"},
    {"graph_upload", "size not between 0 and total - 1"},
    {"graph_upload", "(blob is null) <> (size = 0)"},
    {"graph_upload", "expires_us not between -62135596800000000 and 253402300799999999"},
    {0},
};

const struct sosia_core graph_attach_core = {.name = CORE,
                                             .schema = graph_attach_sql,
                                             .due = upload_due,
                                             .derive = derive,
                                             .rules = rules,
                                             .secrets = "update graph_upload set secret = '';"};

/* ---- the beginning ---- */

static int invalid(struct call *c, const struct graph_attach *how, const char *code,
                   const char *message)
{
    return how->at ? graph_fail_own(c, SOSIA_E_INVALID, 0, "invalidRequest", code, "%s", message)
                   : call_fail(c, SOSIA_E_INVALID, code, NULL, "%s", message);
}

static int check_size(struct call *c, const struct graph_attach *how, int64_t size)
{
    const int64_t least = how->least ? how->least : GRAPH_ATTACH_LEAST,
                  most = how->most ? how->most : GRAPH_ATTACH_MOST;
    struct arena *a = c->tx.arena;
    if (size < least)
        return invalid(
            c, how, "ErrorAttachmentSizeShouldNotBeLessThanMinimumSize",
            least < 1 << 20
                ? "The attachment size should not be less than the minimum size."
                : arena_printf(
                      a, "The attachment size should not be less than the minimum size of %lld MB.",
                      (long long)(least >> 20)));
    return size > most
               ? invalid(c, how, "ErrorAttachmentSizeLimitExceeded",
                         arena_printf(a,
                                      "The attachment exceeds the maximum supported size of %lld "
                                      "MB.",
                                      (long long)(most >> 20)))
               : 0;
}

/* The member that says what will come. */
static int read_item(struct call *c, const struct graph_attach *how, struct graph_upload *up)
{
    const char *member = how->item ? how->item : "AttachmentItem";
    const struct json *body = call_body(c), *item = json_get(body, member), *size;
    const char *type = json_get_str(item, "attachmentType");
    if (!body)
        return -1;
    size = json_get(item, "size");
    up->name = json_get_str(item, "name");
    up->type = json_get_str(item, "contentType");
    up->content_id = json_get_str(item, "contentId");
    up->inlined = json_get_true(item, "isInline");
    if (!item || item->type != JSON_OBJECT)
        return invalid(
            c, how, "ErrorInvalidParameter",
            arena_printf(c->tx.arena, "The required parameter '%s' is missing.", member));
    if (type && !str_eq_nocase(type, "file"))
        return invalid(c, how, "ErrorInvalidParameter",
                       "An attachment of an upload session must be of the type 'file'.");
    if (!up->name || !*up->name || strlen(up->name) > 4 * MAX_NAME)
        return invalid(c, how, "ErrorInvalidParameter",
                       "The name of an attachment must have 1 to 255 characters.");
    if (!size || json_i64(size, &up->total) < 0)
        return invalid(c, how, "ErrorInvalidParameter", "The size of an attachment is required.");
    return check_size(c, how, up->total);
}

static int has_room(struct tx *tx, int64_t account)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from graph_upload where account = :account");
    int64_t n = 0;
    return TX_INT(tx, &q, &n, account) < 0 ? -1 : n < MOST;
}

static const char *secret_of(struct tx *tx, size_t n)
{
    uint8_t bytes[48];
    struct buf b;
    if (tx_secret(tx, "graph.upload", bytes, n) < 0)
        return NULL;
    buf_init(&b, 0);
    base64url_add(&b, bytes, n, false);
    return buf_keep(&b, tx->arena);
}

/* "/api/v2.0/Users('id@tenant')/Messages('id')". */
static const char *thing_path(struct arena *a, const struct graph_attach *how, const char *user,
                              const char *thing)
{
    return arena_printf(a, "/api/v2.0/Users('%s')/%s('%s')", user, how->kind, thing);
}

static void write_times(struct call *c, const struct graph_upload *up, const char *expires,
                        const char *ranges, const char *next)
{
    json_str(c->out, expires, graph_date(c->tx.arena, up->expires_us, 7));
    json_arr(c->out, ranges);
    json_str(c->out, NULL, next);
    json_end(c->out);
}

int graph_attach_begin(struct call *c, const struct graph_attach *how,
                       const struct graph_user *user, int64_t owner, const char *thing)
{
    struct graph_upload up = {.account = user->account.id,
                              .owner = owner,
                              .thing = thing,
                              .expires_us = c->tx.now_us + LIFE_US};
    struct arena *a = c->tx.arena;
    if (read_item(c, how, &up) < 0)
        return -1;
    int r = has_room(&c->tx, up.account);
    if (r != 1)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_LIMIT, "ErrorTooManyObjectsOpened", NULL,
                                 "The mailbox has as many upload sessions as it may.");
    if (!(up.key = secret_of(&c->tx, 24)) || !(up.secret = secret_of(&c->tx, 48)) ||
        add_upload(&c->tx, how->kind, &up) < 0)
        return -1;
    const char *path =
        arena_printf(a, "%s/AttachmentSessions('%s')?authtoken=%s",
                     thing_path(a, how, arena_printf(a, "%s@%s", user->oid, user->tenant), thing),
                     up.key, up.secret);
    c->status = how->at ? 200 : 201;
    json_obj(c->out, NULL);
    graph_context(c, "microsoft.graph.uploadSession");
    json_str(c->out, "uploadUrl", how->at ? how->at(c, &up, NULL) : call_follow_url(c, HOST, path));
    write_times(c, &up, "expirationDateTime", "nextExpectedRanges", "0-");
    json_end(c->out);
    return 0;
}

/* ---- the URL ---- */

/* The session of the path, for who has its token: 0, -1. */
static int open_session(struct call *c, const struct graph_attach *how, struct graph_upload *up)
{
    const char *secret = param_str(c, "authtoken");
    int r = find_upload(&c->tx, how->kind, param_str(c, "session-id"), up);
    if (r == 1 && !how->at && (!secret || !*secret || strcmp(secret, up->secret) != 0))
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(c);
}

bool graph_range(const char *text, int64_t *first, int64_t *last, int64_t *total)
{
    size_t n;
    if (!text || strncasecmp(text, "bytes ", 6) != 0)
        return false;
    text += 6;
    n = strspn(text, "0123456789");
    if (text[n] != '-' || parse_i64(text, n, first) < 0)
        return false;
    text += n + 1;
    n = strspn(text, "0123456789");
    if (text[n] != '/' || parse_i64(text, n, last) < 0)
        return false;
    text += n + 1;
    return parse_i64(text, strlen(text), total) == 0 && *first <= *last && *last < *total;
}

static int check_range(struct call *c, const struct graph_attach *how,
                       const struct graph_upload *up)
{
    int64_t first, last, total;
    if (!graph_range(call_request_header(c, "Content-Range"), &first, &last, &total))
        return invalid(c, how, "ErrorInvalidRequest",
                       "The header Content-Range must be as 'bytes 0-2097151/3483322'.");
    if (total != up->total)
        return invalid(
            c, how, "ErrorInvalidRequest",
            arena_printf(c->tx.arena,
                         "The size of the file must be %lld as in the session, not %lld.",
                         (long long)up->total, (long long)total));
    if (c->content.len != last - first + 1)
        return invalid(c, how, "ErrorInvalidRequest",
                       arena_printf(c->tx.arena,
                                    "The body must have the %lld bytes of Content-Range, not %lld.",
                                    (long long)(last - first + 1), (long long)c->content.len));
    if (first != up->size)
        return invalid(c, how, "ErrorInvalidRequest",
                       arena_printf(c->tx.arena, "The range must begin at byte %lld, not at %lld.",
                                    (long long)up->size, (long long)first));
    return 0;
}

/* Adds the body to what has come; done: it is the last. */
static int append(struct call *c, struct graph_upload *up, bool *ret_done)
{
    struct tx *tx = &c->tx;
    struct blob_writer *w;
    struct blob whole;
    if ((up->blob ? blob_writer_resume(tx, up->blob, BLOB_UNKNOWN, 0, &w)
                  : blob_writer_begin(tx, BLOB_UNKNOWN, 0, &w)) < 0)
        return -1;
    if (bytes_write(tx, &c->content, 0, c->content.len, w) < 0) {
        blob_writer_abort(w);
        return -1;
    }
    up->size += c->content.len;
    *ret_done = up->size == up->total;
    if (!*ret_done)
        return blob_writer_suspend(w, &up->blob) < 0 ? -1 : note_bytes(tx, up);
    if (blob_writer_finish(w, &whole) < 0)
        return -1;
    up->blob = whole.id;
    return note_bytes(tx, up);
}

/* How far it is, as the older API says it (MG-50). */
static void answer_state(struct call *c, const struct graph_attach *how,
                         const struct graph_upload *up)
{
    struct arena *a = c->tx.arena;
    json_obj(c->out, NULL);
    if (!how->at)
        json_str(c->out, "@odata.context",
                 arena_printf(a,
                              "https://" HOST "/api/v2.0/$metadata#Users%s/%s%s/AttachmentSessions"
                              "/$entity",
                              graph_key(a, param_str(c, "user-id")), how->kind,
                              graph_key(a, up->thing)));
    write_times(c, up, "ExpirationDateTime", "NextExpectedRanges",
                arena_printf(a, "%lld", (long long)up->size));
    json_end(c->out);
}

int graph_attach_put(struct call *c, const struct graph_attach *how)
{
    struct arena *a = c->tx.arena;
    struct graph_upload up;
    const char *id;
    bool done;
    if (open_session(c, how, &up) < 0 || check_range(c, how, &up) < 0 || append(c, &up, &done) < 0)
        return -1;
    if (!done) {
        answer_state(c, how, &up);
        return 0;
    }
    if (how->made(c, &up, &id) < 0 || drop(&c->tx, up.id) < 0)
        return -1;
    c->status = 201;
    call_header(c, "Location",
                how->at
                    ? how->at(c, &up, id)
                    : call_follow_url(
                          c, HOST,
                          arena_printf(a, "%s/Attachments('%s')",
                                       thing_path(a, how, param_str(c, "user-id"), up.thing), id)));
    return 0;
}

int graph_attach_of(struct call *c, const struct graph_attach *how, int64_t account, int64_t owner)
{
    struct graph_upload up;
    if (open_session(c, how, &up) < 0)
        return -1;
    return up.account == account && up.owner == owner ? 0 : graph_not_found(c);
}

int graph_attach_get(struct call *c, const struct graph_attach *how)
{
    struct graph_upload up;
    if (open_session(c, how, &up) < 0)
        return -1;
    answer_state(c, how, &up);
    return 0;
}

int graph_attach_delete(struct call *c, const struct graph_attach *how)
{
    struct graph_upload up;
    c->status = 204;
    return open_session(c, how, &up) < 0 ? -1 : drop(&c->tx, up.id);
}
