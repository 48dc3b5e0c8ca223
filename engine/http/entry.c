/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal's entry of a call: all that it takes to make the call again. What names a credential
 * is left out, and whom it stood for written instead, unless the world keeps everything.
 */
#include "engine/http/entry.h"
#include "engine/api/router.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/http/hold.h"
#include "engine/http/serve.h"
#include "engine/send/program.h"
#include "engine/world/engine.h"
#include "engine/world/places.h"
#include <xxhash.h>

#define MAX_LABEL  200 /* bytes */
#define MAX_NAME   40  /* of a label of one's own */
#define MIN_SECRET 8   /* bytes: what is shorter is not a credential */

const struct entry_label entry_labels[] = {
    {"X-Sosia-Step", "step"},
    {"X-Sosia-Call", "call"},
    {"X-Sosia-Model", "model"},
    {"X-Sosia-Tokens-In", "tokens_in", true},
    {"X-Sosia-Tokens-Out", "tokens_out", true},
    {"X-Sosia-Cost", "cost", true},
    {"X-Sosia-Latency-Ms", "latency_ms", true},
    {NULL},
};

/* ---- the request ---- */

/* "token" is an argument of the row's own: from where on changes are asked for. */
static bool asks_by_token(const struct call *c)
{
    for (size_t i = 0; c->route && i < c->route->n_params; i++)
        if (c->route->params[i].place == IN_QUERY && strcmp(c->route->params[i].name, "token") == 0)
            return true;
    return false;
}

/* Is an argument of the query a credential? */
static bool is_credential(const struct call *c, const char *name, size_t len)
{
    static const char *const names[] = {"access_token", "oauth_token", "token", "key",
                                        "sosia_link"};
    char *decoded;
    size_t n;
    if (memchr(name, '%', len) && percent_decode(c->tx.arena, name, len, true, &decoded, &n) == 0) {
        name = decoded;
        len = n;
    }
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            return strcmp(names[i], "token") != 0 || !asks_by_token(c);
    return false;
}

/* The path and the query as they came; a credential is replaced by an asterisk. */
static void target(struct json_writer *w, const struct call *c, bool full)
{
    /* As it was sent: a vendor may have put another query into its place since. */
    const char *query = c->path[c->path_len] == '?' ? c->path + c->path_len + 1 : NULL;
    const char *end = query ? query + strcspn(query, "#") : NULL;
    struct buf b;
    buf_init(&b, 0);
    buf_add(&b, c->path, c->path_len);
    bool first = true;
    for (const char *p = query; p && p < end;) {
        const char *stop = memchr(p, '&', (size_t)(end - p));
        if (!stop)
            stop = end;
        const char *value = full ? NULL : memchr(p, '=', (size_t)(stop - p)), *end_of = stop;
        if (value && is_credential(c, p, (size_t)(value - p)))
            end_of = value + 1;
        buf_byte(&b, first ? '?' : '&');
        buf_add(&b, p, (size_t)(end_of - p));
        if (end_of != stop)
            buf_byte(&b, '*');
        first = false;
        p = stop + 1;
    }
    json_str(w, "target", buf_str(&b));
    buf_done(&b);
}

/* Where it was sent, as far as responses depend on it. */
static void place(struct json_writer *w, const struct call *c)
{
    const char *host = call_request_header(c, "Host"), *whole = c->request->target;
    json_str_opt(w, "base", c->request->base_url);
    if (host)
        json_str(w, "host", host);
    else if (c->part && c->vendor && c->vendor->hosts && *c->vendor->hosts)
        json_str(w, "host", *c->vendor->hosts); /* of the call that it is a part of */
    if (c->path != whole)
        json_strn(w, "via", whole, (size_t)(c->path - whole)); /* the world, the host */
}

static bool is_param(const struct call *c, const char *name)
{
    for (size_t i = 0; c->route && i < c->route->n_params; i++)
        if (c->route->params[i].place == IN_HEADER && str_eq_nocase(c->route->params[i].name, name))
            return true;
    return false;
}

/* The name under which a header is kept; NULL: it is not. */
static const char *kept_name(const struct call *c, const char *name, bool full)
{
    static const char *const kept[] = {
        "Content-Type", "If-Match",      "If-None-Match",          "Accept", "Prefer", "Range",
        "If-Range",     "Content-Range", "Sec-WebSocket-Protocol", "Origin"};
    for (size_t i = 0; i < SOSIA_LEN(kept); i++)
        if ((*name | 32) == (*kept[i] | 32) && str_eq_nocase(name, kept[i]))
            return kept[i];
    for (const char *const *own = c->front ? c->front->headers : NULL; own && *own; own++) {
        size_t n = strlen(*own);
        if ((*own)[n - 1] == '*' ? strncasecmp(name, *own, n - 1) == 0 : str_eq_nocase(name, *own))
            return (*own)[n - 1] == '*' ? name : *own;
    }
    if (full && str_eq_nocase(name, "Authorization"))
        return "Authorization";
    return is_param(c, name) ? name : NULL;
}

static void headers(struct json_writer *w, const struct call *c, bool full)
{
    json_obj(w, "headers");
    for (size_t i = 0; i < c->request->n_headers; i++) {
        const struct sosia_header *h = &c->request->headers[i];
        const char *name = kept_name(c, h->name, full);
        bool again = false;
        for (size_t k = 0; name && !again && k < i; k++)
            again = str_eq_nocase(c->request->headers[k].name, h->name);
        if (name && !again && utf8_valid(h->value, strlen(h->value)))
            json_str(w, name, h->value);
    }
    json_end(w);
}

/* A credential among the arguments of a body becomes as many asterisks. */
static void masked_body(struct json_writer *w, const struct call *c, const char *body, size_t len,
                        bool secret, enum journal_keep keep)
{
    const char *token = c->token;
    size_t n = token ? strlen(token) : 0;
    bool inside = keep == KEEP_REDACTED && !secret && n >= MIN_SECRET && n <= len &&
                  len <= JOURNAL_BODY_MAX && !call_bearer(c) && memmem(body, len, token, n);
    char *copy = inside ? arena_memdup(c->tx.arena, body, len) : NULL;
    for (char *p = copy; p && (p = memmem(p, len - (size_t)(p - copy), token, n)); p += n)
        memset(p, '*', n);
    journal_body(w, "body", copy ? copy : body, len, secret || (inside && !copy), keep);
}

/* ---- who and what for ---- */

static void write_scopes(struct json_writer *w, const struct call *c)
{
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < SCOPE_WORDS * 64; i++) {
        const char *name = c->scopes.bits[i / 64] >> (i % 64) & 1
                               ? router_scope_name(c->tx.engine->router, i)
                               : NULL;
        if (name)
            buf_printf(&b, "%s%s", b.len ? " " : "", name);
    }
    json_str(w, "scopes", buf_str(&b));
    buf_done(&b);
}

/* The actor of the credential: a person with all rights, if nothing else is in the entry. */
static void principal(struct json_writer *w, const struct call *c)
{
    json_str_opt(w, "actor", c->actor.id ? c->actor.handle : NULL);
    if (!c->actor.id) {
        if (c->token)
            json_str(w, "credential", "refused");
        return;
    }
    if (!c->token) /* something else in the request names the caller */
        json_str(w, "credential", "none");
    if (c->token_kind == TOKEN_USER && !c->app && !c->account && !c->token_expires_us &&
        c->scopes.all)
        return;
    json_obj(w, "as");
    json_str(w, "kind",
             c->token_kind == TOKEN_BOT   ? "bot"
             : c->token_kind == TOKEN_APP ? "app"
             : c->token_kind              ? "user"
                                          : "none");
    if (c->app)
        json_int(w, "app", c->app);
    if (c->account)
        json_int(w, "account", c->account);
    json_str_opt(w, "tenant", c->tenant);
    if (c->token_expires_us)
        json_int(w, "expires_us", c->token_expires_us);
    if (!c->scopes.all)
        write_scopes(w, c);
    json_end(w);
}

/* A JSON number: digits, with a fraction perhaps. */
static bool is_number(const char *s)
{
    size_t n = strspn(s, "0123456789");
    bool whole = n && n <= 15 && (s[0] != '0' || n == 1);
    if (!whole || !s[n])
        return whole;
    size_t k = s[n] == '.' ? strspn(s + n + 1, "0123456789") : 0;
    return k && k <= 15 && !s[n + 1 + k];
}

static bool is_label(const struct entry_label *l, const char *text)
{
    size_t n = strlen(text);
    if (l->number)
        return is_number(text);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < ' ')
            return false;
    return n && n <= MAX_LABEL && utf8_valid(text, n);
}

/* What a label of one's own is called; "": it can't be one. Names of headers have no case. */
static void own_name(const char *header, char ret[MAX_NAME + 1])
{
    const char *name = header + sizeof ENTRY_LABEL_OWN - 1;
    size_t n = strlen(name);
    ret[0] = 0;
    if (!n || n > MAX_NAME)
        return;
    for (size_t i = 0; i < n; i++) {
        char ch = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] | 32) : name[i];
        if (!(ch >= 'a' && ch <= 'z') && !(ch >= '0' && ch <= '9') && ch != '-' && ch != '_') {
            ret[0] = 0;
            return;
        }
        ret[i] = ch;
        ret[i + 1] = 0;
    }
    for (const struct entry_label *l = entry_labels; l->header; l++)
        if (strcmp(l->name, ret) == 0)
            ret[0] = 0;
}

/* True: the header was a label of one's own and is written. */
static bool own_label(struct json_writer *w, const struct call *c, const struct sosia_header *h,
                      bool first)
{
    static const struct entry_label text = {ENTRY_LABEL_OWN, ENTRY_LABEL_OWN};
    char name[MAX_NAME + 1];
    if (strncasecmp(h->name, ENTRY_LABEL_OWN, sizeof ENTRY_LABEL_OWN - 1) != 0 ||
        !is_label(&text, h->value) || call_request_header(c, h->name) != h->value)
        return false;
    own_name(h->name, name);
    if (!*name)
        return false;
    if (first)
        json_obj(w, "labels");
    json_str(w, name, h->value);
    return true;
}

static void labels(struct json_writer *w, const struct call *c)
{
    bool any = false;
    int own = 0;
    for (size_t i = 0; i < c->request->n_headers; i++) {
        const struct sosia_header *h = &c->request->headers[i];
        if ((h->name[0] | 32) != 'x' || strncasecmp(h->name, "x-sosia-", 8) != 0)
            continue;
        if (own < ENTRY_LABELS_OWN_MAX && own_label(w, c, h, !any)) {
            own++;
            any = true;
            continue;
        }
        for (const struct entry_label *l = entry_labels; l->header; l++) {
            if (!str_eq_nocase(h->name, l->header) || !is_label(l, h->value) ||
                call_request_header(c, h->name) != h->value)
                continue;
            if (!any)
                json_obj(w, "labels");
            any = true;
            if (l->number)
                json_raw(w, l->name, h->value, strlen(h->value));
            else
                json_str(w, l->name, h->value);
        }
    }
    if (any)
        json_end(w);
}

/* ---- the entry ---- */

/* The second half of a call that waited for a receiver. */
static void outcome(struct json_writer *w, const struct call *c, enum journal_keep keep)
{
    const struct sosia_outcome *o = c->outcome;
    json_obj(w, "resumed");
    json_int(w, "entry", c->resumed);
    json_int(w, "status", o->status);
    json_str_opt(w, "error", o->error);
    json_str_opt(w, "reason", o->reason);
    for (size_t i = 0; i < o->n_headers; i++)
        if (str_eq_nocase(o->headers[i].name, "Content-Type"))
            json_str_opt(w, "type", o->headers[i].value);
    journal_body_up_to(w, "body", o->body, o->body_len, false, keep,
                       program_suspended(c->resumed) ? PROGRAM_KEPT : JOURNAL_BODY_MAX);
    json_end(w);
}

/* That of the row, or more by what the call was given; none of what reads. */
static enum risk risk(struct json_writer *w, const struct call *c)
{
    enum risk row = c->route ? c->route->risk : RISK_READ;
    enum risk most = c->risk > row ? c->risk : row;
    if (most > RISK_READ)
        json_str(w, "risk", risk_names[most]);
    return most;
}

/* How much of a response's body is kept. */
static size_t response_max(const struct call *c)
{
    return c->tx.write || (c->again && c->again->short_body) ? JOURNAL_BODY_MAX : JOURNAL_READ_MAX;
}

void journal_format(struct buf *out, const struct call *c, int64_t at_us,
                    struct journal_known *ret_known)
{
    struct json_writer w;
    enum journal_keep keep = world_journal_keep(c->tx.world);
    bool secret = c->route && c->route->secret, full = keep == KEEP_FULL;
    json_init(&w, out, false, NULL);
    json_obj(&w, NULL);
    json_time(&w, "at", at_us, JSON_TIME_US_Z);
    journal_write_keep(&w, keep);
    principal(&w, c);
    json_str_opt(&w, "method", c->route ? c->route->id : NULL);
    *ret_known = (struct journal_known){.status = (uint16_t)c->status,
                                        .call = !c->judged && !c->outcome,
                                        .writes = risk(&w, c) > RISK_READ};
    if (c->judged)
        c->tx.engine->guard->write(c, &w);
    fault_write(&w, c);
    json_str_opt(&w, "rates", c->rates && *c->rates ? c->rates : NULL);
    labels(&w, c);
    json_str_opt(&w, "draft_of", call_draft_of(c));
    json_bool_opt(&w, "poll", call_polls(c));
    json_obj(&w, "request");
    json_str(&w, "verb", c->request->method);
    headers(&w, c, full);
    place(&w, c);
    target(&w, c, full);
    json_bool_opt(&w, "part", c->part);
    json_bool_opt(&w, "batch", c->part && c->batch);
    if (c->risk_most < RISK_DESTRUCTIVE)
        json_str(&w, "risk_most", risk_names[c->risk_most]);
    json_bool_opt(&w, "secret", (secret || c->by_token) && !full);
    json_bool_opt(&w, "handshake", c->offer != NULL);
    json_bool_opt(&w, "head_only", c->request->head_only);
    const struct bytes *b = &c->content;
    ret_known->body[0] = (uint32_t)out->len;
    if (b->spool && !b->data && (!secret || full))
        journal_digest(&w, "body", b->len, "xxh3", spool_xxh3(b->spool), 16);
    else
        masked_body(&w, c, c->request->body, b->data ? (size_t)b->len : 0, secret, keep);
    ret_known->body_end[0] = (uint32_t)out->len;
    json_end(&w);
    if (c->outcome)
        outcome(&w, c, keep);
    if (c->suspended && !hold_answered(c->suspended))
        json_int(&w, "suspended", c->suspended);
    json_obj(&w, "response");
    json_int(&w, "status", c->status);
    json_str_opt(&w, "why", c->status >= 400 ? c->why : NULL);
    ret_known->body[1] = (uint32_t)out->len;
    if (c->sent.blob.id) /* which bytes of it: see Content-Range */
        journal_digest(&w, "body", c->sent.n, "blob_sha256", c->sent.blob.sha256, 32);
    else
        journal_body_up_to(&w, "body", c->body_out->data, c->body_out->len, secret, keep,
                           response_max(c));
    ret_known->body_end[1] = (uint32_t)out->len;
    json_end(&w);
    places_write(c->tx.world, &w, c->tx.write);
    if (c->tx.write)
        world_write_state(c->tx.world, &w);
    if (c->began_us && world_clock_mode(c->tx.world) == SOSIA_CLOCK_REAL)
        json_int(&w, JOURNAL_TOOK, machine_us() - c->began_us);
    json_end(&w);
}
