/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Media for methods: in one request (uploadType=media, multipart), or in pieces (resumable), in the
 * older form of the latter with Content-Range and in the newer one with X-Goog-Upload-Command. The
 * method's handler is called once, with the whole content.
 *
 * The upload server's own responses are plain text, as recorded; refusals of the method are JSON. A
 * session goes on with the path, the query, the actor and the app that it was begun with: its id is
 * a secret, and enough; who shows a token shows one of theirs.
 */
#include "vendors/google/upload.h"
#include "identity/identity.h"
#include "vendors/google/internal.h"
#include "engine/http/multipart.h"
#include "engine/base/codec.h"
#include "engine/http/param.h"
#include <strings.h>

const char *const google_upload_prefixes[] = {"/upload", "/resumable/upload", NULL};

#define PLAIN       "text/plain; charset=utf-8"
#define UNTYPED     "application/octet-stream"
#define MAX_PARTS   2
#define ID_SIZE     66    /* bytes; 88 characters */
#define MAX_SESSION 16384 /* bytes of path and query that are kept */

/* ---- the upload server's own responses ---- */

static int say(struct call *c, int status, const char *text)
{
    c->status = status;
    buf_clear(c->body_out);
    buf_puts(c->body_out, text);
    call_header_const(c, "Content-Type", PLAIN);
    return 0;
}

static int say_nothing(struct call *c, int status)
{
    c->status = status;
    buf_clear(c->body_out);
    call_header_const(c, "Content-Type", "text/html; charset=UTF-8");
    return 0;
}

static int too_large(struct call *c)
{
    return call_fail(c, SOSIA_E_TOO_LARGE, "uploadTooLarge", NULL, "Request Too Large");
}

/* ---- the media ---- */

static bool accepts(const char *accept, const char *type)
{
    size_t len = strcspn(type, "; \t"), n = strlen(accept);
    if (!memchr(type, '/', len))
        return false;
    if (strcmp(accept, "*/*") == 0)
        return true;
    if (accept[n - 1] == '*')
        return len >= n && strncasecmp(accept, type, n - 1) == 0;
    return len == n && strncasecmp(accept, type, n) == 0;
}

static int check_type(struct call *c, const char *type)
{
    const char *accept = c->route->media->accept;
    if (accepts(accept, type))
        return 0;
    return call_fail(c, SOSIA_E_INVALID, "badContent", NULL,
                     "Media type '%.100s' is not supported. Valid media types: [%s]", type, accept);
}

static int read_metadata(struct call *c, const char *text, size_t len)
{
    size_t blank = 0;
    while (blank < len && strchr(" \t\r\n", text[blank]))
        blank++;
    if (blank == len)
        return 0;
    if (call_read_json(c, text, len) < 0)
        return -1;
    return google_strict_check(c);
}

static struct medium *new_medium(struct call *c, const char *type, const struct bytes *bytes)
{
    bool typed = type && *type;
    struct medium *m = arena_alloc(c->tx.arena, sizeof *m);
    *m = (struct medium){
        .type = typed ? type : UNTYPED, .typed = typed, .len = (size_t)bytes->len, .bytes = *bytes};
    return m;
}

/* Everything is there: calls the method. type NULL: none was said; bytes NULL: there are no media.
 */
static int deliver(struct call *c, const char *metadata, size_t metadata_len, const char *type,
                   const struct bytes *bytes)
{
    if (read_metadata(c, metadata, metadata_len) < 0)
        return -1;
    if (bytes) {
        struct medium *m = new_medium(c, type, bytes);
        int64_t max = c->route->media->max;
        if (check_type(c, m->type) < 0)
            return -1;
        if (bytes->len > max)
            return too_large(c);
        if (arena_failed(c->tx.arena))
            return sosia_fail_memory(c->tx.err);
        if (max <= BYTES_VIEW && bytes_view(&c->tx, bytes, max, &m->data) < 0)
            return -1;
        c->medium = m;
    }
    return c->route->handler(c);
}

/* ---- in one request ---- */

static int simple(struct call *c)
{
    return deliver(c, "", 0, call_request_header(c, "Content-Type"), &c->content);
}

/* Media that came as base64, in lines or not. */
static int decode(struct call *c, struct part *p)
{
    char *text = arena_alloc(c->tx.arena, p->body_len + 1);
    size_t n = 0;
    uint8_t *data;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < p->body_len; i++)
        if (!strchr(" \t\r\n", p->body[i]) || !p->body[i])
            text[n++] = p->body[i];
    if (base64_decode(c->tx.arena, text, n, &data, &p->body_len) < 0)
        return -1;
    p->body = (const char *)data;
    return 0;
}

/* A part of the request's body, wherever that is, or what it was decoded to. */
static struct bytes part_bytes(const struct call *c, const struct part *p, const char *body)
{
    if (c->content.spool && p->body >= body && p->body - body <= c->content.len)
        return (struct bytes){
            .len = (int64_t)p->body_len, .spool = c->content.spool, .at = p->body - body};
    return (struct bytes){.len = (int64_t)p->body_len, .data = p->body};
}

/* What browsers make of a form: a part that does not say its type is nothing there. */
static int deliver_form(struct call *c, const struct part *metadata, const struct bytes *bytes,
                        const char *type)
{
    const char *said = part_header(c->tx.arena, metadata, "Content-Type");
    size_t len = said && *said ? metadata->body_len : 0;
    return deliver(c, metadata->body, len, type, type && *type ? bytes : NULL);
}

/* Metadata first, media second, whatever the parts call themselves. */
static int multipart(struct call *c)
{
    static const char malformed[] = "Malformed multipart body.";
    struct arena *a = c->tx.arena;
    const char *type = call_request_header(c, "Content-Type");
    char boundary[MULTIPART_BOUNDARY];
    struct part *parts = NULL;
    struct sosia_err err = {0};
    const char *body;
    size_t n = 0;
    bool form = type && strncasecmp(type, "multipart/form-data", 19) == 0;
    if (!form && (!type || strncasecmp(type, "multipart/related", 17) != 0))
        return call_fail(c, SOSIA_E_INVALID, "badContent", NULL,
                         "Media type '%.100s' is not supported. Valid media types: "
                         "[multipart/related]",
                         type ? type : "");
    if (multipart_boundary(type, boundary) < 0)
        return say(c, 400, malformed);
    if (bytes_view(&c->tx, &c->content, c->content.len, &body) < 0)
        return -1;
    if (multipart_parse(a, body, (size_t)c->content.len, boundary, MAX_PARTS, &parts, &n, &err) <
        0) {
        if (err.code == SOSIA_E_NO_MEMORY)
            return sosia_fail_memory(c->tx.err);
        return say(c, 400,
                   err.reason && strcmp(err.reason, "open") == 0
                       ? "Missing end boundary in multipart body."
                       : malformed);
    }
    if (!n)
        return say(c, 400, "Invalid multipart request with 0 mime parts.");
    if (n == 1)
        return deliver(c, parts[0].body, parts[0].body_len, NULL, NULL);
    const char *coding = part_header(a, &parts[1], "Content-Transfer-Encoding");
    type = part_header(a, &parts[1], "Content-Type");
    if (coding && str_eq_nocase(coding, "base64") && decode(c, &parts[1]) < 0)
        return arena_failed(a) ? -1 : say(c, 400, malformed);
    const struct bytes bytes = part_bytes(c, &parts[1], body);
    return form ? deliver_form(c, &parts[0], &bytes, type)
                : deliver(c, parts[0].body, parts[0].body_len, type, &bytes);
}

/* ---- beginning in pieces ---- */

/* The scopes of the method that the token has: a request of the session may come without it. */
static const char *kept_scopes(struct call *c)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *s = c->route->scopes ? c->route->scopes : ""; *s;) {
        size_t n = strcspn(s, " ");
        char *name = arena_memdup(c->tx.arena, s, n);
        if (call_has_scope(c, name))
            buf_printf(&b, "%s%s", b.len ? " " : "", name);
        s += n + strspn(s + n, " ");
    }
    return buf_keep(&b, c->tx.arena);
}

/* The query without credentials and without what names a session. */
static const char *kept_query(struct call *c)
{
    static const char *const left_out[] = {"access_token=", "oauth_token=", "token=", "upload_id="};
    const char *p = c->query ? c->query : "", *end = p + c->query_len;
    struct buf b;
    buf_init(&b, 0);
    while (p < end) {
        const char *stop = memchr(p, '&', (size_t)(end - p));
        size_t n = (size_t)((stop ? stop : end) - p);
        bool keep = n > 0;
        for (size_t i = 0; i < SOSIA_LEN(left_out); i++)
            keep = keep && strncmp(p, left_out[i], strlen(left_out[i])) != 0;
        if (keep) {
            if (b.len)
                buf_byte(&b, '&');
            buf_add(&b, p, n);
        }
        p += n + (stop != NULL);
    }
    return buf_keep(&b, c->tx.arena);
}

/* A length in a header: -1 none, -2 malformed. */
static int64_t length_header(struct call *c, const char *name)
{
    const char *text = call_request_header(c, name);
    int64_t n;
    if (!text)
        return -1;
    return parse_i64(text, strlen(text), &n) == 0 && n >= 0 ? n : -2;
}

static const char *session_url(struct call *c, const struct upload *up, const char *more)
{
    return arena_printf(c->tx.arena, "%s%s?%s%supload_id=%s%s",
                        c->base_url ? c->base_url : "https://www.googleapis.com", up->path,
                        up->query, *up->query ? "&" : "", up->key, more);
}

/* What the method refuses whatever the media are is refused at once. */
static int check_method(struct call *c, const char *type)
{
    const struct bytes none = {0};
    if (!c->route->media->check)
        return 0;
    c->medium = new_medium(c, type, &none);
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : c->route->media->check(c);
}

static int begin(struct call *c, bool commands)
{
    struct google_call *g = c->vendor_data;
    struct arena *a = c->tx.arena;
    const char *type = call_request_header(c, "X-Upload-Content-Type");
    int64_t total = length_header(c, "X-Upload-Content-Length");
    if (commands) {
        type = call_request_header(c, "X-Goog-Upload-Header-Content-Type");
        if (!type)
            type = call_request_header(c, "X-Goog-Upload-Content-Type");
        total = length_header(c, "X-Goog-Upload-Header-Content-Length");
        if (total == -1)
            total = length_header(c, "X-Goog-Upload-Raw-Size");
    }
    if (total == -2 || c->path_len + c->query_len > MAX_SESSION)
        return say(c, 400, "Invalid Upload Request");
    if (total > c->route->media->max)
        return too_large(c);
    if (type && !*type)
        type = NULL;
    if (type && check_type(c, type) < 0)
        return -1;
    const char *metadata;
    if (bytes_view(&c->tx, &c->content, BYTES_VIEW, &metadata) < 0)
        return too_large(c);
    if (read_metadata(c, metadata, (size_t)c->content.len) < 0)
        return -1;
    if (check_method(c, type) < 0)
        return -1;
    struct upload up = {.key = g->upload_id,
                        .actor = c->actor.id,
                        .app = c->app,
                        .scopes = kept_scopes(c),
                        .path = arena_memdup(a, c->path, c->path_len),
                        .query = kept_query(c),
                        .metadata =
                            c->body ? arena_memdup(a, metadata, (size_t)c->content.len) : "",
                        .type = type,
                        .total = total};
    if (arena_failed(a))
        return sosia_fail_memory(c->tx.err);
    if (upload_create(&c->tx, &up) < 0)
        return -1;
    if (commands) {
        const char *url = session_url(c, &up, "&upload_protocol=resumable");
        call_header(c, "X-Goog-Upload-Chunk-Granularity", arena_printf(a, "%d", UPLOAD_GRANULE));
        call_header(c, "X-Goog-Upload-Control-URL", url);
        g->upload_status = "active";
        call_header(c, "X-Goog-Upload-URL", url);
    } else {
        call_header(c, "Location", session_url(c, &up, ""));
    }
    return say_nothing(c, 200);
}

/* ---- going on ---- */

/* The response of a finished session, once more. */
static int answer_again(struct call *c, const struct upload *up)
{
    c->status = up->status;
    buf_clear(c->body_out);
    buf_add(c->body_out, up->answer, up->answer_len);
    return 0;
}

static int finish(struct call *c, struct upload *up)
{
    const char *type = up->type ? up->type : call_request_header(c, "Content-Type");
    if (upload_close(&c->tx, up, c->route->media->digests) < 0)
        return -1;
    const struct bytes bytes = {.len = up->size, .blob = up->blob};
    if (deliver(c, up->metadata, strlen(up->metadata), type, &bytes) < 0)
        return -1;
    return buf_failed(c->body_out)
               ? 0
               : upload_finish(&c->tx, up, c->status, c->body_out->data, c->body_out->len);
}

/* Adds what is new of the body, which starts at an offset that is not behind what has come. Before
 * the last piece only whole granules are kept. */
static int add_bytes(struct call *c, struct upload *up, int64_t start, bool last)
{
    int64_t end = start + c->content.len;
    if (!last)
        end -= end % UPLOAD_GRANULE;
    if (end > c->route->media->max)
        return too_large(c);
    if (end <= up->size)
        return 0;
    return upload_append(&c->tx, up, &c->content, up->size - start, end - up->size);
}

static bool too_short(struct call *c)
{
    if (c->content.len >= UPLOAD_GRANULE)
        return false;
    say(c, 400,
        arena_printf(c->tx.arena,
                     "Invalid request.  The number of bytes uploaded is required to be equal or "
                     "greater than %d, except for the final request (it's recommended to be the "
                     "exact multiple of %d).  The received request contained %lld bytes, which "
                     "does not meet this requirement.",
                     UPLOAD_GRANULE, UPLOAD_GRANULE, (long long)c->content.len));
    return true;
}

/* "308 Resume Incomplete"; some programs can't take that status and say so. */
static int incomplete(struct call *c, const struct upload *up)
{
    const char *no_308 = call_request_header(c, "X-GUploader-No-308");
    if (up->size)
        call_header(c, "Range",
                    arena_printf(c->tx.arena, "bytes=0-%lld", (long long)(up->size - 1)));
    if (no_308 && str_eq_nocase(no_308, "yes")) {
        call_header_const(c, "X-Http-Status-Code-Override", "308");
        return say_nothing(c, 200);
    }
    return say_nothing(c, 308);
}

static int unlike_body(struct call *c, const struct content_range *r)
{
    return say(c, 400,
               arena_printf(c->tx.arena,
                            "Invalid request.  There were %lld byte(s) in the request body.  There "
                            "should have been %lld byte(s) (starting at offset %lld and ending at "
                            "offset %lld) according to the Content-Range header.",
                            (long long)c->content.len, (long long)(r->last - r->first + 1),
                            (long long)r->first, (long long)r->last));
}

/* A request of the older form. */
static int go_on(struct call *c, struct upload *up)
{
    const char *text = call_request_header(c, "Content-Range");
    int64_t len = c->content.len;
    struct content_range r = {.first = len ? 0 : -1, .last = len - 1, .total = len};
    if (text && content_range_parse(text, &r) < 0)
        return say(c, 400, "Failed to parse Content-Range header.");
    if (r.total >= 0 && up->total >= 0 && r.total != up->total) {
        if (r.first >= 0)
            return say(c, 400, "Failed to parse Content-Range header.");
        return incomplete(c, up);
    }
    if (r.total > c->route->media->max)
        return too_large(c);
    if (r.first < 0)
        return r.total == up->size ? finish(c, up) : incomplete(c, up);
    if (r.last - r.first + 1 != len)
        return unlike_body(c, &r);
    if (r.first > up->size)
        return say(c, 503,
                   arena_printf(c->tx.arena,
                                "Invalid request. According to the Content-Range header, the "
                                "upload offset is %lld byte(s), which exceeds already uploaded "
                                "size of %lld byte(s).",
                                (long long)r.first, (long long)up->size));
    bool last = r.last + 1 == (r.total >= 0 ? r.total : up->total);
    if (!last && too_short(c))
        return 0;
    if ((r.total >= 0 && up->total < 0 && upload_total(&c->tx, up, r.total) < 0) ||
        add_bytes(c, up, r.first, last) < 0)
        return -1;
    return last ? finish(c, up) : incomplete(c, up);
}

enum { COMMAND_UPLOAD = 1, COMMAND_FINALIZE = 2, COMMAND_QUERY = 4, COMMAND_CANCEL = 8 };

/* "upload, finalize"; -1: it is something else. */
static int read_commands(const char *text)
{
    static const char *const names[] = {"upload", "finalize", "query", "cancel"};
    int found = 0;
    while (*text) {
        text += strspn(text, " \t,");
        size_t n = strcspn(text, " \t,");
        int known = 0;
        for (size_t i = 0; n && i < SOSIA_LEN(names); i++)
            if (strlen(names[i]) == n && strncasecmp(text, names[i], n) == 0)
                known = 1 << i;
        if (n && !known)
            return -1;
        found |= known;
        text += n;
    }
    return found;
}

static int upload_command(struct call *c, struct upload *up, bool last)
{
    int64_t offset = length_header(c, "X-Goog-Upload-Offset");
    if (offset < 0 || offset > up->size)
        return say(c, 400,
                   arena_printf(c->tx.arena,
                                "Invalid request. The upload offset must be at most the already "
                                "uploaded size of %lld byte(s).",
                                (long long)up->size));
    if (!last && too_short(c))
        return 0;
    return add_bytes(c, up, offset, last) < 0 ? -1 : 1;
}

/* A request of the newer form. */
static int obey(struct call *c, struct upload *up, int commands)
{
    struct google_call *g = c->vendor_data;
    bool last = commands & COMMAND_FINALIZE;
    g->upload_status = up->status ? "final" : "active";
    if (commands == COMMAND_CANCEL && !up->status) {
        g->upload_status = "cancelled";
        return upload_drop(&c->tx, up->id) < 0 ? -1 : say_nothing(c, 200);
    }
    if (commands == COMMAND_QUERY) {
        call_header(c, "X-Goog-Upload-Size-Received",
                    arena_printf(c->tx.arena, "%lld", (long long)up->size));
        return say_nothing(c, 200);
    }
    if (commands <= 0 || commands > (COMMAND_UPLOAD | COMMAND_FINALIZE))
        return say(c, 400, "Invalid Upload Request");
    if (up->status)
        return answer_again(c, up);
    if (commands & COMMAND_UPLOAD) {
        int r = upload_command(c, up, last);
        if (r <= 0)
            return r;
    }
    if (!last)
        return say_nothing(c, 200);
    if (up->total >= 0 && up->total != up->size)
        return say(c, 400,
                   arena_printf(c->tx.arena,
                                "Invalid request. The upload has %lld byte(s), but %lld byte(s) "
                                "were announced.",
                                (long long)up->size, (long long)up->total));
    g->upload_status = "final";
    return finish(c, up);
}

/* ---- all of it ---- */

static int new_id(struct call *c)
{
    struct google_call *g = c->vendor_data;
    uint8_t random[ID_SIZE];
    struct buf b;
    if (tx_secret(&c->tx, "google.upload", random, sizeof random) < 0)
        return -1;
    buf_init(&b, 0);
    buf_puts(&b, "AHVrFx");
    base64url_add(&b, random, sizeof random, false);
    g->upload_id = buf_keep(&b, c->tx.arena);
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
}

static int not_found(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "uploadServer", NULL, "Not Found");
}

/* A request that names a session continues it, with a token of its own or without. */
int google_upload_begin(struct call *c)
{
    struct google_call *g = c->vendor_data;
    const char *key = call_query_item(c, "upload_id");
    if (!key) {
        if (!(c->route->verbs >> c->verb & 1))
            c->route = NULL; /* the path is for media, the verb is not the method's */
        return 0;
    }
    struct upload *up = arena_alloc(c->tx.arena, sizeof *up);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    int r = upload_find(&c->tx, key, up);
    if (r < 0)
        return -1;
    if (!r || strlen(up->path) != c->path_len || memcmp(up->path, c->path, c->path_len) != 0)
        return not_found(c);
    g->upload = up;
    g->upload_id = up->key;
    c->query = up->query;
    c->query_len = strlen(up->query);
    c->n_items = 0;
    if (query_parse(c) < 0)
        return -1;
    if (c->token)
        return 0;
    c->admitted = true;
    c->app = up->app;
    for (const char *s = up->scopes; *s;) {
        size_t n = strcspn(s, " ");
        int at = scope_number(c->tx.engine, s, n);
        if (at >= 0)
            c->scopes.bits[at / 64] |= UINT64_C(1) << (at % 64);
        s += n + strspn(s + n, " ");
    }
    r = actor_by_id(&c->tx, up->actor, &c->actor);
    return r == 0 ? not_found(c) : r < 0 ? -1 : 0;
}

static int go_on_with(struct call *c, struct upload *up)
{
    const char *command = call_request_header(c, "X-Goog-Upload-Command");
    if (c->actor.id != up->actor || (c->token && c->app != up->app))
        return not_found(c);
    if (c->verb == VERB_DELETE) /* as the upload server does elsewhere: "Client Closed Request" */
        return upload_drop(&c->tx, up->id) < 0 ? -1 : say_nothing(c, 499);
    if (command)
        return obey(c, up, read_commands(command));
    return up->status ? answer_again(c, up) : go_on(c, up);
}

int google_upload(struct call *c)
{
    struct google_call *g = c->vendor_data;
    const char *protocol = call_request_header(c, "X-Goog-Upload-Protocol");
    const char *kind = protocol ? protocol : call_query_item(c, "upload_protocol");
    if (g->upload)
        return go_on_with(c, g->upload);
    if (new_id(c) < 0)
        return -1;
    if (!kind)
        kind = call_query_item(c, "uploadType");
    if (kind && (str_eq_nocase(kind, "media") || str_eq_nocase(kind, "raw")))
        return simple(c);
    if (kind && str_eq_nocase(kind, "multipart"))
        return multipart(c);
    if (!kind || !str_eq_nocase(kind, "resumable"))
        return say(c, 400, "Invalid Upload Request");
    const char *command = call_request_header(c, "X-Goog-Upload-Command");
    if (command && !str_eq_nocase(command, "start"))
        return say(c, 400, "Invalid Upload Request");
    return begin(c, command != NULL);
}
