/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one door: every request to a world comes through serve() here, whoever sends it. Order: the
 * target and the world, the row, the vendor's globals, the credential and its scopes, parameters
 * and body, the handler in a savepoint, the answer, the journal, the commit.
 */
#include "engine/base/codec.h"
#include "engine/http/admit.h"
#include "engine/http/entry.h"
#include "engine/http/own.h"
#include "engine/http/param.h"
#include "engine/api/router.h"
#include "engine/http/serve.h"
#include "engine/http/session.h"
#include "engine/http/stream.h"
#include "engine/http/suspend.h"
#include "engine/http/token.h"
#include "engine/text/utf8.h"
#include "engine/world/delivery.h"
#include "engine/world/durable/durable.h"
#include "engine/world/engine.h"
#include "engine/world/rate.h"
#include "engine/world/event.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_TARGET      (64 * 1024)
#define MAX_JSON_VALUES 1000000 /* no method takes a tenth of them */

const char *call_request_header(const struct call *c, const char *name)
{
    for (size_t i = 0; i < c->request->n_headers; i++) {
        const char *given = c->request->headers[i].name;
        if ((*given | 32) == (*name | 32) && str_eq_nocase(given, name))
            return c->request->headers[i].value;
    }
    return NULL;
}

void call_header_const(struct call *c, const char *name, const char *value)
{
    if (c->n_headers < SOSIA_LEN(c->headers))
        c->headers[c->n_headers++] = (struct sosia_header){.name = name, .value = value};
}

void call_header(struct call *c, const char *name, const char *value)
{
    call_header_const(c, name, arena_strdup(c->tx.arena, value));
}

/* As much of the text as is well-formed. */
static size_t well_formed(const char *text, size_t n)
{
    size_t i = 0;
    for (unsigned k; i < n && (k = utf8_sequence(text + i, n - i)); i += k)
        ;
    return i;
}

void call_why(struct call *c, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!c->why)
        c->why = arena_memdup(c->tx.arena, text, well_formed(text, strlen(text)));
}

const char *call_quote(struct call *c, const struct json *v)
{
    struct buf b;
    struct json_writer w;
    if (!v)
        return "absent";
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_value(&w, NULL, v);
    size_t n = b.len > 100 ? well_formed(b.data, 100) : b.len;
    const char *text =
        arena_printf(c->tx.arena, "%.*s%s", (int)n, buf_str(&b), n < b.len ? "..." : "");
    buf_done(&b);
    return text;
}

int scope_number(const struct sosia_engine *e, const char *name, size_t len)
{
    return router_scope(e->router, name, len);
}

bool call_has_scope(const struct call *c, const char *scopes)
{
    if (c->scopes.all || !scopes)
        return true;
    while (*scopes) {
        size_t n = strcspn(scopes, " ");
        int at = scope_number(c->tx.engine, scopes, n);
        if (at >= 0 && (c->scopes.bits[at / 64] >> (at % 64) & 1))
            return true;
        scopes += n + strspn(scopes + n, " ");
    }
    return false;
}

/* ---- what the request says ---- */

/* Where a request says it goes: "/w/KEY/", then "/@HOST/", then the path. */
struct target {
    const char *key; /* of the world; NULL: not said */
    size_t key_len;
    const char *host; /* NULL: not said */
    size_t host_len;
    bool at_host; /* in the path, as "/@HOST/" */
};

static int split_target(struct call *c, struct target *ret)
{
    const char *t = c->request->target;
    *ret = (struct target){0};
    if (strlen(t) > MAX_TARGET)
        return call_fail(c, SOSIA_E_TOO_LARGE, "uriTooLong", NULL, "the target is too long");
    if (t[0] != '/') { /* absolute form: scheme://host/path */
        const char *rest = strstr(t, "://");
        t = rest ? strchr(rest + 3, '/') : NULL;
        if (!t)
            return call_fail(c, SOSIA_E_INVALID, "target", NULL, "the target is no path");
        ret->host = rest + 3;
        ret->host_len = (size_t)(t - ret->host);
    }
    if (str_starts(t, "/w/")) {
        const char *key = t + 3;
        ret->key = key;
        ret->key_len = strcspn(key, "/?");
        t = key + ret->key_len;
    }
    if (t[0] == '/' && (t[1] == '@' || strncmp(t + 1, "%40", 3) == 0)) {
        ret->at_host = true;
        ret->host = t + (t[1] == '@' ? 2 : 4);
        ret->host_len = strcspn(ret->host, "/?#");
        t = ret->host + ret->host_len;
    }
    c->path = t;
    c->path_len = strcspn(t, "?#");
    if (t[c->path_len] == '?') {
        c->query = t + c->path_len + 1;
        c->query_len = strcspn(c->query, "#");
    }
    return 0;
}

/* Whose host it is, and which row. */
static void find_row(struct call *c, const struct target *t, const struct call *outer,
                     struct match *m)
{
    const struct router *router = c->tx.engine->router;
    const char *host = t->host ? t->host : call_request_header(c, "Host");
    c->host = host;
    c->host_len = t->host ? t->host_len : host ? strlen(host) : 0;
    if (host)
        c->vendor = router_host(router, host, c->host_len);
    else if (outer)
        c->vendor = outer->vendor;
    m->route = NULL;
    m->dialect = NULL;
    if (t->at_host && !c->vendor)
        return; /* the host is nobody's */
    router_match(router, c->vendor, c->verb, c->path, c->path_len, m);
    c->front = m->dialect ? dialect_front(m->dialect) : c->vendor ? c->vendor->front : NULL;
    if (c->verb == VERB_POST && c->front && c->front->override_verb) {
        c->front->override_verb(c);
        if (c->verb != VERB_POST)
            router_match(router, c->vendor, c->verb, c->path, c->path_len, m);
    }
    c->route = m->route;
    c->dialect = m->dialect;
    c->path_known = m->route || m->path_known;
    c->upload = m->route && m->upload;
}

/* A world named by the host: KEY.localhost[:port]. */
static void host_key(const struct call *c, const char **ret_key, size_t *ret_len)
{
    const char *host = call_request_header(c, "Host");
    size_t n = host ? strcspn(host, ".") : 0;
    if (n && strncmp(host + n, ".localhost", 10) == 0 && (!host[n + 10] || host[n + 10] == ':')) {
        *ret_key = host;
        *ret_len = n;
    }
}

const char *call_bearer(const struct call *c)
{
    const char *auth = call_request_header(c, "Authorization");
    if (!auth || strncasecmp(auth, "Bearer ", 7) != 0)
        return NULL;
    auth += 7 + strspn(auth + 7, " ");
    return *auth ? auth : NULL;
}

static struct world *take(struct call *c, uint64_t id, bool *ret_busy)
{
    return ret_busy ? world_take_soon(c->tx.engine, id, ret_busy, c->tx.err)
                    : world_take(c->tx.engine, id, c->tx.err);
}

/* Path wins over host, host over header, header over token. A token whose world is gone, or was
 * never here, names none: it is a token that nobody knows, and what is said to that is the vendor's
 * business. */
static struct world *find_world(struct call *c, struct worker *k, uint64_t given,
                                const struct target *t, bool *ret_busy)
{
    struct sosia_engine *e = c->tx.engine;
    const char *key = t->key;
    size_t key_len = t->key_len;
    const struct token_claims *claims;
    uint64_t id = given, usual = atomic_load_explicit(&e->default_world, memory_order_relaxed);
    const char *header = call_request_header(c, "X-Sosia-World");
    struct world *w;
    if (!key)
        host_key(c, &key, &key_len);
    if (!key && header) {
        key = header;
        key_len = strlen(header);
    }
    if (key && !id) {
        id = engine_find_key(e, key, key_len);
        if (!id) {
            call_fail(c, SOSIA_E_NOT_FOUND, "worldNotFound", NULL, "there is no such world");
            return NULL;
        }
    }
    bool by_token = !id && c->token;
    if (by_token)
        id = token_read(e, k, c->token, strlen(c->token), &claims) == 1 ? claims->world
                                                                        : token_world(c->token);
    if (!id)
        id = usual;
    if (!id) {
        call_fail(c, SOSIA_E_NOT_FOUND, "worldNotFound", NULL, "the request names no world");
        return NULL;
    }
    w = take(c, id, ret_busy);
    if (w || (ret_busy && *ret_busy) || !by_token || !usual || id == usual ||
        c->tx.err->code != SOSIA_E_NOT_FOUND)
        return w;
    *c->tx.err = (struct sosia_err){0};
    return take(c, usual, ret_busy);
}

/* The request's base URL, with the world's prefix and the host's if the path had them. */
static const char *base_url_of(struct call *c, const struct target *t)
{
    const char *base = c->request->base_url;
    if (!base || (!t->key && !t->at_host))
        return base;
    return arena_printf(c->tx.arena, "%s%s%.*s%s%.*s", base, t->key ? "/w/" : "", (int)t->key_len,
                        t->key ? t->key : "", t->at_host ? "/@" : "",
                        t->at_host ? (int)t->host_len : 0, t->at_host ? t->host : "");
}

const char *call_world_url(const struct call *c)
{
    char key[17];
    const char *base = c->request->base_url;
    size_t n = base ? strlen(base) : 0;
    if (!base || strstr(c->base_url, "/w/"))
        return c->base_url;
    world_key(c->tx.world->id, key);
    return arena_printf(c->tx.arena, "%s/w/%s%s", base, key, c->base_url + n);
}

const char *call_follow_url(const struct call *c, const char *host, const char *path)
{
    char key[17];
    const char *base = c->request->base_url, *authority = base ? strstr(base, "://") : NULL;
    if (!authority)
        return arena_printf(c->tx.arena, "https://%s%s", host, path);
    bool at_host = strstr(c->base_url, "/@") != NULL;
    if (c->vendor && !at_host) {
        const char *port = strrchr(authority + 3, ':'); /* behind an address in brackets */
        const char *world = c->base_url + strlen(base);
        return arena_printf(c->tx.arena, "%.*s://%s%s%s%s", (int)(authority - base), base, host,
                            port && !strchr(port, ']') ? port : "", world, path);
    }
    world_key(c->tx.world->id, key);
    return arena_printf(c->tx.arena, "%s/w/%s/@%s%s", base, key, host, path);
}

/* ---- the answer ---- */

/* Where a large body is handed over as it is instead of being copied. */
enum { BODY_KEPT = 16 * 1024 };

/* One block: structure, headers, their texts, body. */
struct answer {
    struct sosia_response response; /* first: what others know of it */
    char *body;                     /* a block of its own; NULL: the body is behind the headers */
    struct blob_reader *reader;     /* where it is pulled from; NULL: it is not */
    int64_t first;                  /* in the blob */
};

static int64_t pull(struct sosia_response *response, int64_t at, char *to, size_t size)
{
    struct answer *r = (struct answer *)response;
    int64_t done = 0, left = response->length - at;
    const void *piece;
    size_t n;
    if (at < 0 || left < 0)
        return -1;
    if ((int64_t)size > left)
        size = (size_t)left;
    for (; (size_t)done < size; done += (int64_t)n) {
        if (blob_reader_read(r->reader, r->first + at + done, size - (size_t)done, &piece, &n,
                             NULL) < 0 ||
            !n)
            return -1;
        memcpy(to + done, piece, n);
    }
    return done;
}

/* The world's state after the call, so that the answer needs neither its lock nor a transaction. */
static int open_sent(struct call *c, struct world *w)
{
    if (!c->sent.n)
        return 0;
    return blob_reader_open_tree(&w->now, c->sent.blob.id, &c->reader, c->tx.err);
}

static struct sosia_response *make_response(struct call *c)
{
    size_t body_len = buf_failed(c->body_out) ? 0 : c->body_out->len, behind = body_len;
    char *body = NULL;
    if (body_len >= BODY_KEPT) {
        body = buf_take(c->body_out, NULL);
        if (!body)
            return NULL;
        buf_grow(c->body_out, body_len); /* the next one may be as large */
        behind = 0;
    }
    size_t why = c->why && c->status >= 400 ? strlen(c->why) + 1 : 0;
    size_t texts = why, lens[2 * SOSIA_LEN(c->headers)];
    for (size_t i = 0; i < c->n_headers; i++) {
        lens[2 * i] = strlen(c->headers[i].name) + 1;
        lens[2 * i + 1] = strlen(c->headers[i].value) + 1;
        texts += lens[2 * i] + lens[2 * i + 1];
    }
    struct answer *r =
        malloc(sizeof *r + c->n_headers * sizeof *r->response.headers + texts + behind + 1);
    if (!r) {
        free(body);
        return NULL;
    }
    struct sosia_header *headers = (struct sosia_header *)(r + 1);
    char *p = (char *)(headers + c->n_headers);
    for (size_t i = 0; i < c->n_headers; i++) {
        headers[i].name = memcpy(p, c->headers[i].name, lens[2 * i]);
        p += lens[2 * i];
        headers[i].value = memcpy(p, c->headers[i].value, lens[2 * i + 1]);
        p += lens[2 * i + 1];
    }
    const char *reason = why ? memcpy(p, c->why, why) : NULL;
    p += why;
    if (behind)
        memcpy(p, c->body_out->data, behind);
    p[behind] = 0;
    *r = (struct answer){.response = {.status = c->status,
                                      .headers = headers,
                                      .n_headers = c->n_headers,
                                      .body = body ? body : p,
                                      .body_len = body_len,
                                      .length = c->reader ? c->sent.n : (int64_t)body_len,
                                      .read = c->reader ? pull : NULL,
                                      .stream = c->stream,
                                      .why = reason},
                         .body = body,
                         .reader = c->reader,
                         .first = c->sent.first};
    c->reader = NULL;
    c->stream = NULL;
    return &r->response;
}

void sosia_response_free(struct sosia_response *response)
{
    struct answer *r = (struct answer *)response;
    if (r) {
        stream_close(r->response.stream);
        blob_reader_close(r->reader);
        free(r->body);
    }
    free(r);
}

/* A failure where no vendor is known: our own form. */
static void plain_error(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
    json_init(c->out, c->body_out, true, NULL);
    json_obj(c->out, NULL);
    json_obj(c->out, "error");
    json_int(c->out, "code", c->status);
    json_str_opt(c->out, "reason", c->tx.err->reason);
    json_str(c->out, "message", c->tx.err->text);
    json_end(c->out);
    json_end(c->out);
    call_header(c, "Content-Type", "application/json; charset=UTF-8");
}

static void render_error(struct call *c)
{
    buf_clear(c->body_out);
    stream_close(c->stream);
    c->stream = NULL;
    c->sent = (struct sent){0};
    blob_reader_close(c->reader);
    c->reader = NULL;
    c->n_headers = 0;
    c->status = 0;
    if (c->front && c->tx.world)
        c->front->error(c);
    else if (!c->front && c->tx.err->code == SOSIA_E_NOT_FOUND && c->tx.err->reason &&
             strcmp(c->tx.err->reason, "unknownMethod") == 0)
        own_not_found(c);
    else
        plain_error(c);
}

/* ---- serving ---- */

int call_read_json(struct call *c, const char *text, size_t len)
{
    static const struct json_limits limits = {.max_values = MAX_JSON_VALUES};
    if (json_parse(c->tx.arena, text, len, &limits, &c->body, c->tx.err) == 0)
        return 0;
    c->tx.err->reason = "parseError";
    return -1;
}

static int handle(struct call *c, struct worker *k, const struct match *m)
{
    if (is_own_page(c)) {
        own_page(c);
        return 0;
    }
    if (admit(c, k, m) < 0)
        return -1;
    const struct front *front = c->front;
    if (c->route->upgrade && !c->offer)
        return session_required(c);
    c->tx.actor = c->actor.id;
    c->tx.app = c->app;
    c->status = 200;
    json_init(c->out, c->body_out, c->pretty, c->mask);
    c->out->escape_html = c->escape_html;
    int rc = c->outcome ? suspend_complete(c) : c->upload ? front->upload(c) : c->route->handler(c);
    if (rc < 0 || events_deliver(&c->tx) < 0)
        return -1;
    if (arena_failed(c->tx.arena) || buf_failed(c->body_out)) {
        bool full = buf_failed(c->body_out);
        return call_fail(c, full ? SOSIA_E_TOO_LARGE : SOSIA_E_NO_MEMORY, NULL, NULL,
                         "the answer does not fit into memory");
    }
    if (front->finish)
        front->finish(c);
    return 0;
}

static bool is_journaled(const struct world *w, bool write)
{
    enum sosia_journal_mode mode = world_journal_mode(w);
    return mode != SOSIA_JOURNAL_NONE && (mode != SOSIA_JOURNAL_WRITES || write) &&
           !(w->flags & WORLD_SNAPSHOT);
}

static void write_journal(struct call *c)
{
    if (!is_journaled(c->tx.world, c->tx.write))
        return;
    struct buf entry;
    buf_init(&entry, 0);
    journal_format(&entry, c, c->tx.now_us);
    world_add_entry(c->tx.engine, c->tx.world, &entry);
    buf_done(&entry);
}

/* In a transaction on the locked world. */
static void run(struct call *c, struct worker *k, const struct match *m, struct world *w)
{
    struct tx *tx = &c->tx;
    bool write = c->route && c->route->risk != RISK_READ;
    int64_t now = world_tick(w);
    const char *base_url = c->base_url;
    if (w->next_due_us <= now && !(w->flags & WORLD_SNAPSHOT) &&
        world_run_due(tx->engine, w, k, now, tx->err) < 0) {
        render_error(c);
        return;
    }
    if (write && (w->flags & WORLD_SNAPSHOT)) {
        tx->world = w;
        tx->now_us = now;
        call_fail(c, SOSIA_E_FORBIDDEN, "readOnly", NULL, "a snapshot can't be written");
        render_error(c);
        return;
    }
    /* A call that fails leaves an entry in the journal too. */
    if (is_journaled(w, write) && world_is_full(tx->engine, w)) {
        tx->world = w;
        tx->now_us = now;
        call_fail(c, SOSIA_E_FULL, NULL, NULL, "the world's storage is full");
        render_error(c);
        return;
    }
    if (tx_begin(tx, tx->engine, w, k, write, now, tx->err) < 0) {
        render_error(c);
        return;
    }
    c->base_url = base_url;
    if ((c->outcome && delivery_end(tx, c->resumed, c->outcome) < 0) ||
        (write && slot_savepoint(tx->db, tx->err) < 0)) {
        tx_rollback(tx);
        render_error(c);
        return;
    }
    bool failed = handle(c, k, m) < 0;
    if (failed) {
        tx->later = NULL; /* undone with the rest */
        tx->told = NULL;
        c->suspended = 0;
    }
    struct sosia_err other;
    if (write && failed && slot_rollback_to(tx->db, &other) < 0) {
        /* SQLite has given up all of the transaction: the store was full in the midst of it. */
        tx_rollback(tx);
        render_error(c);
        return;
    }
    if (write && !failed && slot_release(tx->db, tx->err) < 0)
        failed = true;
    if (failed)
        render_error(c);
    if (write && w->flags & WORLD_RATES && rate_save(tx) < 0)
        failed = true;
    if (tx_publish(tx) < 0) {
        render_error(c);
        return;
    }
    if (c->sent.blob.id && open_sent(c, w) < 0)
        render_error(c);
    /* The entry goes to the disk with what the call did. */
    write_journal(c);
    bool kept = !write || world_changed(tx->engine, w, tx->err) == 0;
    if (kept)
        parts_tell(tx);
    if (!kept)
        render_error(c);
    else if (!failed && c->suspended && c->waiter && suspend_park(c) < 0)
        render_error(c);
    else if (!failed && session_accepted(c) && !c->again && session_begin(c) < 0)
        render_error(c);
    else if (!failed && (!c->suspended || c->waiter)) {
        outbox_tell(tx);
        outbox_tell_due(tx);
    }
}

/* Whom its token stands for, in a transaction that is over then. */
static int admit_outside(struct call *c, struct worker *k, struct world *w)
{
    if (tx_begin(&c->tx, c->tx.engine, w, k, false, world_now(w), c->tx.err) < 0)
        return -1;
    int rc = admit_caller(c, k);
    tx_rollback(&c->tx);
    c->admitted = rc == 0;
    return rc;
}

/* Without a transaction: the handler makes calls of its own. Only the time is the world's. */
static void run_outside(struct call *c, struct worker *k, const struct match *m, struct world *w)
{
    bool refused = (!c->route->anonymous || c->token) && admit_outside(c, k, w) < 0;
    c->tx.world = w;
    c->tx.now_us = world_now(w);
    c->world = w->id;
    world_drop(w);
    if (refused || handle(c, k, m) < 0)
        render_error(c);
}

/* Where the row takes no more than can be shown in one piece, the body is as if it were in memory.
 */
static int take_spool(struct call *c, struct sosia_request *whole)
{
    struct sosia_spool *s = whole->spool;
    if (spool_end(s, c->tx.err) < 0)
        return -1;
    c->content = (struct bytes){.len = spool_length(s), .spool = s};
    whole->body = NULL;
    whole->body_len = 0;
    if (route_body_max(c->route, c->upload) > BYTES_VIEW)
        return 0;
    if (spool_view(s, &whole->body, c->tx.err) < 0)
        return -1;
    whole->body_len = (size_t)c->content.len;
    c->content.data = whole->body;
    return 0;
}

/* How a request is served, beside the request. */
struct serving {
    const struct call *outer; /* of which it is a part; NULL: none */
    bool patient;             /* as call_serve() */
    const struct call_waiter *waiter;
    int64_t resumed; /* as call_resume() */
    const struct sosia_outcome *outcome;
    struct session_offer *offer;
    const struct replayed *again;
};

/* The credential of a request, or what has its place where one runs again. */
static void find_credential(struct call *c)
{
    if (c->again && !c->again->credential)
        c->token = c->again->actor ? "-" : NULL;
    else if (c->front && c->front->credential)
        c->front->credential(c);
    else
        c->token = call_bearer(c);
}

static struct sosia_response *serve(struct sosia_engine *e, uint64_t world,
                                    const struct sosia_request *request, const struct serving *how,
                                    struct served *ret, struct sosia_err *err)
{
    struct worker *k = worker_take(e, err);
    if (!k)
        return NULL;
    struct json_writer writer;
    struct sosia_request whole = *request;
    struct call c = {.tx = {.engine = e, .arena = &k->arena, .db = k->slot, .err = &k->err},
                     .request = &whole,
                     .content = {.len = (int64_t)request->body_len, .data = request->body},
                     .part = how->outer != NULL || (how->again && how->again->part),
                     .waiter = how->waiter,
                     .resumed = how->resumed,
                     .outcome = how->outcome,
                     .offer = how->offer,
                     .again = how->again,
                     .body_out = &k->out,
                     .out = &writer,
                     .base_url = request->base_url};
    struct target t;
    struct match m;
    struct world *w = NULL;
    struct sosia_response *r = NULL;
    bool odd_verb = verb_from_name(request->method, &c.verb) < 0;
    bool busy = false, *ret_busy = how->patient ? NULL : &busy;
    *ret = (struct served){0};
    if (split_target(&c, &t) < 0)
        goto failed;
    find_row(&c, &t, how->outer, &m);
    if (odd_verb)
        c.route = NULL;
    if (request->spool && take_spool(&c, &whole) < 0)
        goto failed;
    if (arguments_read(&c) < 0) { /* refused below, in the vendor's form */
        bool json = k->err.reason && strcmp(k->err.reason, "parseError") == 0;
        c.bad_input = json ? "parseError" : "encoding";
        c.n_items = 0;
    }
    find_credential(&c);
    c.base_url = base_url_of(&c, &t);
    if (ret_busy && c.route && c.route->outside && !c.route->brief)
        *ret_busy = true; /* many calls in one take as long as they like */
    else if (how->again)
        lock_take(&(w = how->again->world)->lock);
    else
        w = find_world(&c, k, world, &t, ret_busy);
    if (!w && busy) {
        ret->busy = true;
        worker_drop(k);
        return NULL;
    }
    if (!w && is_own_page(&c) && !t.key) { /* for people, who know no world yet */
        own_page(&c);
        r = make_response(&c);
        goto done;
    }
    if (!w && !c.front && !t.key)
        call_fail(&c, SOSIA_E_NOT_FOUND, "unknownMethod", NULL, "there is no such method");
    if (!w)
        goto failed;
    if (c.route && c.route->outside) {
        c.hurried = ret_busy != NULL;
        run_outside(&c, k, &m, w); /* drops the world before it works */
        ret->ticket = c.ticket;
        ret->busy = c.left;
    } else {
        ret->world = w->id;
        run(&c, k, &m, w);
        ret->ticket = w->ticket;
        world_drop(w);
    }
    if (c.suspended || ret->busy) {
        ret->suspended = c.suspended;
        worker_drop(k);
        return NULL;
    }
    r = make_response(&c);
    goto done;
failed:
    c.tx.world = NULL;
    render_error(&c);
    r = make_response(&c);
done:
    if (!r)
        sosia_fail_memory(err);
    stream_close(c.stream);
    blob_reader_close(c.reader);
    worker_drop(k);
    return r;
}

/* May the body hold the credential that the head lacks? */
static bool body_may_admit(const struct call *c)
{
    enum verb sent;
    const enum param_place *p = c->front ? c->front->arguments : NULL;
    if (p && *p) /* for some vendors one in the body is stronger, too */
        return true;
    return verb_from_name(c->request->method, &sent) == 0 && sent != c->verb && !c->token;
}

static bool is_refused(struct call *c, struct worker *k, struct world *w)
{
    if (c->route && c->route->outside)
        return false; /* the parts have credentials of their own */
    if (tx_begin(&c->tx, c->tx.engine, w, k, false, world_now(w), c->tx.err) < 0)
        return false;
    bool refused = admit_caller(c, k) < 0;
    tx_rollback(&c->tx);
    return refused;
}

bool sosia_head_refused(struct sosia_engine *engine, uint64_t world,
                        const struct sosia_request *request)
{
    struct worker *k = worker_take(engine, NULL);
    if (!k)
        return false;
    struct sosia_request head = *request;
    head.body = "";
    head.body_len = 0;
    head.spool = NULL;
    struct call c = {.tx = {.engine = engine, .arena = &k->arena, .db = k->slot, .err = &k->err},
                     .request = &head,
                     .base_url = head.base_url};
    struct target t;
    struct match m;
    struct world *w = NULL;
    bool busy = false, refused = false;
    if (verb_from_name(head.method, &c.verb) < 0 || split_target(&c, &t) < 0)
        goto done;
    find_row(&c, &t, NULL, &m);
    if (is_own_page(&c) || query_parse(&c) < 0)
        goto done;
    if (c.front && c.front->credential)
        c.front->credential(&c);
    else
        c.token = call_bearer(&c);
    w = find_world(&c, k, world, &t, &busy);
    refused = w ? !body_may_admit(&c) && is_refused(&c, k, w) : !busy;
    if (w)
        world_drop(w);
done:
    worker_drop(k);
    return refused;
}

int64_t sosia_body_max(struct sosia_engine *engine, const struct sosia_request *head)
{
    struct sosia_err err;
    struct call c = {.tx = {.engine = engine, .err = &err}, .request = head};
    struct target t;
    struct match m;
    if (verb_from_name(head->method, &c.verb) < 0 || split_target(&c, &t) < 0)
        return 0;
    find_row(&c, &t, NULL, &m);
    int64_t max = route_body_max(c.route, c.upload);
    uint64_t world = engine->options.max_world_size;
    return max > BYTES_VIEW && world && world < (uint64_t)max ? (int64_t)world : max;
}

bool call_leave(struct call *c)
{
    c->left = c->hurried;
    return c->left;
}

struct sosia_response *call_part(struct call *c, const struct sosia_request *part)
{
    const struct serving how = {.outer = c, .patient = !c->hurried};
    struct served served;
    struct sosia_response *r = serve(c->tx.engine, c->world, part, &how, &served, c->tx.err);
    if (served.busy)
        call_leave(c);
    if (served.suspended)
        r = suspend_wait(c->tx.engine, part, &served, c->tx.err);
    if (served.ticket > c->ticket)
        c->ticket = served.ticket;
    return r;
}

struct sosia_response *call_serve(struct sosia_engine *e, uint64_t world,
                                  const struct sosia_request *request, bool patient,
                                  const struct call_waiter *waiter, struct served *ret,
                                  struct sosia_err *err)
{
    const struct serving how = {.patient = patient, .waiter = waiter};
    return serve(e, world, request, &how, ret, err);
}

struct sosia_response *call_handshake(struct sosia_engine *e, uint64_t world,
                                      const struct sosia_request *request,
                                      struct session_offer *offer, struct served *ret,
                                      struct sosia_err *err)
{
    const struct serving how = {.patient = true, .offer = offer};
    return serve(e, world, request, &how, ret, err);
}

struct sosia_response *call_resume(struct sosia_engine *e, uint64_t world,
                                   const struct sosia_request *request, int64_t entry,
                                   const struct sosia_outcome *outcome, struct served *ret,
                                   struct sosia_err *err)
{
    const struct serving how = {.patient = true, .resumed = entry, .outcome = outcome};
    return serve(e, world, request, &how, ret, err);
}

struct sosia_response *call_again(struct sosia_engine *e, const struct sosia_request *request,
                                  const struct replayed *again, int64_t resumed,
                                  const struct sosia_outcome *outcome, struct session_offer *offer,
                                  struct served *ret, struct sosia_err *err)
{
    const struct serving how = {
        .patient = true, .resumed = resumed, .outcome = outcome, .offer = offer, .again = again};
    return serve(e, again->world->id, request, &how, ret, err);
}
