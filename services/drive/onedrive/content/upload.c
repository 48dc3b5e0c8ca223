/* SPDX-License-Identifier: Apache-2.0 */
/* Upload sessions (MG-96 to 99, 441 to 443): a URL that needs no token, to which the bytes of a
 * file come in ranges, in order; with the last one the file is there. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "identity/account.h"
#include "services/drive/onedrive/content/upload.h"
#include "vendors/microsoft/attach.h"

#define MOST  200                 /* sessions of a drive */
#define UNIT  (320 * 1024)        /* bytes of ranges are multiples of it */
#define RANGE ((int64_t)60 << 20) /* bytes of one request */

/* ---- the beginning ---- */

static const char *secret_of(struct tx *tx)
{
    uint8_t bytes[36];
    struct buf b;
    if (tx_secret(tx, "onedrive upload", bytes, sizeof bytes) < 0)
        return NULL;
    buf_init(&b, 0);
    base64url_add(&b, bytes, sizeof bytes, false);
    return buf_keep(&b, tx->arena);
}

/* The member "item" of the body. 0, -1. */
static int read_item(struct call *c, const struct json *item, struct onedrive_upload *up)
{
    struct drive_item times = {.created_us = 0};
    const struct json *size = json_get(item, "fileSize");
    up->total = -1;
    if (!item)
        return 0;
    up->description = json_get_str(item, "description");
    if (size && size->type == JSON_NUMBER &&
        (json_i64(size, &up->total) < 0 || up->total < 0 || up->total > BLOB_MAX))
        return onedrive_invalid(c, "Invalid request");
    if (onedrive_read_times(c, json_get(item, "fileSystemInfo"), &times) < 0)
        return -1;
    up->made_us = times.created_us;
    up->changed_us = times.modified_us;
    return 0;
}

/* Where the file is to be. */
static int read_place(struct onedrive_at *at, struct onedrive_upload *up, struct drive_item *it)
{
    struct call *c = at->c;
    struct drive_item folder;
    int there = onedrive_place(at, &folder, &up->name, it);
    if (there < 0)
        return -1;
    up->account = at->user.account.id;
    if (there && it->form == DRIVE_FOLDER)
        return onedrive_invalid(c, "Invalid request");
    if (there && onedrive_if_match(at, it) < 0)
        return -1;
    up->item = there && up->conflict == CONFLICT_REPLACE ? it->id : 0;
    up->folder = there ? it->parent : folder.id;
    up->name = there ? it->name : up->name;
    return onedrive_check_name(c, up->name, up->folder == at->root.id);
}

/* Is there room for a file of so many bytes beside what all sessions have? 0, -1 refused. */
static int check_room(struct onedrive_at *at, const struct onedrive_upload *up, int64_t total)
{
    int64_t others;
    if (onedrive_uploads_size(&at->c->tx, up->account, up->id, &others) < 0)
        return -1;
    return onedrive_room(at, total + others);
}

static int has_room(struct tx *tx, int64_t account)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from onedrive_upload where account = :account");
    int64_t n = 0;
    return TX_INT(tx, &q, &n, account) < 0 ? -1 : n < MOST;
}

static void write_state(struct call *c, const struct onedrive_upload *up)
{
    struct arena *a = c->tx.arena;
    json_str(c->out, "expirationDateTime", graph_date(a, up->expires_us, 0));
    json_arr(c->out, "nextExpectedRanges");
    if (up->size != up->total)
        json_str(c->out, NULL, arena_printf(a, "%lld-", (long long)up->size));
    json_end(c->out);
}

static int sessions_create(struct call *c)
{
    const struct json *body = call_body(c), *item = json_get(body, "item");
    struct arena *a = c->tx.arena;
    struct onedrive_upload up = {.app = c->app};
    struct drive_item it = {.id = 0};
    enum drive_conflict how;
    struct onedrive_at at;
    if (!body || onedrive_open(c, &at) < 0 ||
        onedrive_conflict(c, item ? item : body, CONFLICT_REPLACE, &how) < 0 ||
        read_item(c, item, &up) < 0)
        return -1;
    up.conflict = how;
    up.actor = at.by.id;
    up.deferred = json_get_true(body, "deferCommit");
    if (read_place(&at, &up, &it) < 0 || (up.total >= 0 && check_room(&at, &up, up.total) < 0))
        return -1;
    int r = has_room(&c->tx, up.account);
    if (r != 1)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_LIMIT, "activityLimitReached", NULL,
                                 "The drive has as many upload sessions as it may.");
    up.key = secret_of(&c->tx);
    up.secret = secret_of(&c->tx);
    up.expires_us = c->tx.now_us + ONEDRIVE_UPLOAD_LIFE;
    if (!up.item) {
        it = (struct drive_item){.form = DRIVE_FILE};
        if (onedrive_make_key(&at, &it) < 0)
            return -1;
        up.new_key = it.key;
    }
    if (!up.key || !up.secret || onedrive_upload_add(&c->tx, &up) < 0)
        return -1;
    const char *path =
        arena_printf(a,
                     "%s/_api/v2.0/drive/items/%s/"
                     "uploadSession?guid='%s'&overwrite=%s&rename=%s&dc=%d&tempauth=%s",
                     at.site, it.key, up.key, how == CONFLICT_REPLACE ? "True" : "False",
                     how == CONFLICT_RENAME ? "True" : "False", up.deferred ? 1 : 0, up.secret);
    call_header_const(c, "Location", "https://" GRAPH_HOST);
    json_obj(c->out, NULL);
    graph_context(c, "microsoft.graph.uploadSession");
    write_state(c, &up);
    json_str(c->out, "uploadUrl", call_follow_url(c, at.host, path));
    json_end(c->out);
    return 0;
}

/* ---- the URL ---- */

static int no_session(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "uploadSessionNotFound", NULL,
                     "The upload session was not found");
}

/* The session of the path, for who has its secret, which one of a copy without secrets has not: 0,
 * -1. */
static int open_session(struct call *c, struct onedrive_upload *up)
{
    const char *secret = param_str(c, "tempauth"), *key = param_str(c, "guid");
    size_t n = key ? strlen(key) : 0;
    if (n > 1 && key[0] == '\'' && key[n - 1] == '\'')
        key = arena_memdup(c->tx.arena, key + 1, n - 2);
    int r = key ? onedrive_upload_find(&c->tx, key, up) : 0;
    if (r == 1 && (!secret || !*up->secret || strcmp(secret, up->secret) != 0))
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : no_session(c);
}

/* 416. */
static int bad_range(struct call *c, const char *message)
{
    return graph_fail_status(c, 416, "invalidRange", message);
}

/* The drive and the person of the session, as of a call with a token. */
static int open_drive(struct call *c, const struct onedrive_upload *up, struct onedrive_at *at)
{
    struct graph_user user;
    struct account account;
    struct actor owner;
    int r = account_get(&c->tx, up->account, &account);
    if (r == 1)
        r = actor_by_id(&c->tx, account.actor, &owner);
    if (r == 1)
        r = actor_by_id(&c->tx, up->actor, &c->actor);
    if (r != 1)
        return r < 0 ? -1 : no_session(c);
    c->app = up->app;
    if (onedrive_user_of(&c->tx, &account, &owner, &user) < 0 || onedrive_open_of(c, &user, at) < 0)
        return -1;
    /* What the session's app may do was asked when the session began. */
    if (strcmp(c->actor.kind, "person") != 0) {
        at->who = at->owner;
        at->role = at->library.id ? SITE_WRITE : SITE_NONE;
        drive_viewer(&c->tx, &at->who, &at->viewer);
    }
    return 0;
}

static int check_range(struct call *c, struct onedrive_upload *up)
{
    struct onedrive_at at;
    int64_t first, last, total;
    if (!graph_range(call_request_header(c, "Content-Range"), &first, &last, &total) ||
        total > BLOB_MAX)
        return onedrive_invalid(c, "The Content-Range header is missing or malformed.");
    if (up->total >= 0 && total != up->total)
        return onedrive_invalid(c, "The total size of the file must be the same in all ranges.");
    if (c->content.len != last - first + 1)
        return onedrive_invalid(c, "The Content-Range header length does not match the provided "
                                   "number of bytes.");
    if (first < up->size)
        return bad_range(c, "The uploaded fragment overlaps with data that has already been "
                            "received.");
    if (first > up->size)
        return bad_range(c, "Uploaded fragment is out of order.");
    if (last + 1 < total && c->content.len % UNIT)
        return onedrive_invalid(c, "The size of a fragment must be a multiple of 320 KiB.");
    if (up->total < 0 && (open_drive(c, up, &at) < 0 || check_room(&at, up, total) < 0))
        return -1;
    up->total = total;
    return 0;
}

/* Adds the body to what has come; the last makes it a blob. */
static int append(struct call *c, struct onedrive_upload *up, struct blob *ret)
{
    const unsigned digests = DRIVE_DIGESTS | BLOB_QUICKXOR;
    struct tx *tx = &c->tx;
    struct blob_writer *w;
    if ((up->blob ? blob_writer_resume(tx, up->blob, BLOB_UNKNOWN, digests, &w)
                  : blob_writer_begin(tx, BLOB_UNKNOWN, digests, &w)) < 0)
        return -1;
    if (bytes_write(tx, &c->content, 0, c->content.len, w) < 0) {
        blob_writer_abort(w);
        return -1;
    }
    up->size += c->content.len;
    if (up->size < up->total || up->deferred)
        return blob_writer_suspend(w, &up->blob);
    return blob_writer_finish(w, ret);
}

/* The file is there. */
static int finish(struct call *c, struct onedrive_upload *up, const struct blob *blob)
{
    struct drive_item folder, it = {.form = DRIVE_FILE};
    struct onedrive_at at;
    if (open_drive(c, up, &at) < 0 || onedrive_room(&at, blob->length) < 0)
        return -1;
    int there = up->item ? drive_item_by_id(&c->tx, up->item, &it) : 0;
    if (there < 0 ||
        (there && (onedrive_may(&at, &it, ROLE_WRITER) < 0 || onedrive_check_free(&at, &it) < 0)))
        return -1;
    if (!there) {
        it = (struct drive_item){.form = DRIVE_FILE, .name = up->name, .key = up->new_key};
        it.mime = onedrive_type(up->name);
        it.description = up->description;
        int r = drive_item_by_id(&c->tx, up->folder, &folder);
        if (r != 1)
            return r < 0 ? -1 : onedrive_not_found(c);
        if (onedrive_may(&at, &folder, ROLE_WRITER) < 0 ||
            onedrive_add(&at, &folder, (enum drive_conflict)up->conflict, &it) < 0)
            return -1;
    }
    it.modified_us = up->changed_us ? up->changed_us : c->tx.now_us;
    it.created_us = up->made_us ? up->made_us : it.created_us;
    if (onedrive_set_content(&at, &it, blob) < 0 || onedrive_upload_drop(&c->tx, up->id, 0) < 0)
        return -1;
    c->status = there ? 200 : 201;
    c->etag = onedrive_etag(c->tx.arena, &it);
    return onedrive_answer(&at, &it, false);
}

static int sessions_put(struct call *c)
{
    struct onedrive_upload up;
    struct blob blob;
    if (open_session(c, &up) < 0 || check_range(c, &up) < 0 || append(c, &up, &blob) < 0)
        return -1;
    if (up.size == up.total && !up.deferred)
        return finish(c, &up, &blob);
    if (onedrive_upload_note(&c->tx, &up) < 0)
        return -1;
    c->status = 202;
    json_obj(c->out, NULL);
    write_state(c, &up);
    json_end(c->out);
    return 0;
}

/* What was deferred is complete (MG-99). */
static int sessions_commit(struct call *c)
{
    struct blob_writer *w;
    struct onedrive_upload up;
    struct blob blob;
    if (open_session(c, &up) < 0)
        return -1;
    if (!up.deferred || !up.blob || up.size != up.total)
        return onedrive_invalid(c, "The upload session is not complete.");
    if (blob_writer_resume(&c->tx, up.blob, BLOB_UNKNOWN, DRIVE_DIGESTS | BLOB_QUICKXOR, &w) < 0 ||
        blob_writer_finish(w, &blob) < 0)
        return -1;
    return finish(c, &up, &blob);
}

static int sessions_get(struct call *c)
{
    struct onedrive_upload up;
    if (open_session(c, &up) < 0)
        return -1;
    json_obj(c->out, NULL);
    write_state(c, &up);
    json_end(c->out);
    return 0;
}

static int sessions_delete(struct call *c)
{
    struct onedrive_upload up;
    c->status = 204;
    return open_session(c, &up) < 0 ? -1 : onedrive_upload_drop(&c->tx, up.id, up.blob);
}

/* ---- the methods ---- */

static const struct param create_params[] = {ONEDRIVE_PATH_PARAMS};
static const struct param session_params[] = {
    {.name = "site",
     .place = IN_PATH,
     .required = true,
     .summary = "Whose site, as the URL has it"},
    ON_SITES_WEB,
    {.name = "item", .place = IN_PATH, .required = true, .summary = "The item, as the URL has it"},
    {.name = "guid", .place = IN_QUERY, .summary = "The session, as the URL has it"},
    {.name = "tempauth", .place = IN_QUERY, .summary = "What opens it, as the URL has it"},
};

#define SESSION(name, verb, function, words)                                                       \
    .id = "onedrive.uploadSessions." name, .verbs = verb,                                          \
    .paths = PATHS(ON_SITES("/_api/v2.0/drive/items/{item}/uploadSession")), .handler = function,  \
    .anonymous = true, PARAMS(session_params), .summary = words

static const struct route methods[] = {
    {ROUTE("onedrive.items.createUploadSession", POST,
           OF_DRIVE("/items/{driveItem-id}/createUploadSession"), OF_NAMED("/createUploadSession")),
     .handler = sessions_create, .risk = RISK_WRITE, .body = BODY_JSON_OPTIONAL,
     .scopes = ONEDRIVE_WRITE, PARAMS(create_params),
     .request = "microsoft.graph.driveItem.createUploadSession",
     .response = "microsoft.graph.uploadSession", .summary = "Begin to upload a large file"},
    {SESSION("put", PUT, sessions_put, "The next bytes of a large file"), .risk = RISK_WRITE,
     .body = BODY_RAW, .max_body = RANGE, .response = "microsoft.graph.driveItem.uploaded"},
    {SESSION("commit", POST, sessions_commit, "A large file is complete"), .risk = RISK_WRITE,
     .response = "microsoft.graph.driveItem"},
    {SESSION("get", GET, sessions_get, "How much of a large file has come"), .risk = RISK_READ,
     .response = "microsoft.graph.uploadSession"},
    {SESSION("delete", DELETE, sessions_delete, "Let a large file that is under way go"),
     .risk = RISK_DESTRUCTIVE, .status = 204},
};

const struct rows onedrive_uploads = ROWS(methods);
