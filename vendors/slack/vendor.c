/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Before and after every method: how the body is read, in which order a call is refused, headers of
 * the response. The order is that of docs.slack.dev and of observed servers: the method's name, the
 * form of the body, the token, its kind, its scopes, the arguments, and then the method.
 */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "engine/world/engine.h"
#include "vendors/slack/slack.h"
#include <endian.h>
#include <stdio.h>
#include <strings.h>

/* Hosts in URLs for programs are listed one by one, since `sosia run` can't redirect patterns; it
 * gets teams' own with their credentials. */
static const char *const hosts[] = {SLACK_HOST,
                                    SLACK_FILES,
                                    SLACK_HOOKS,
                                    SLACK_SOCKETS,
                                    "*." SLACK_HOST,
                                    "slack-files.com",
                                    "avatars.slack-edge.com",
                                    NULL};

const char *const slack_form_only[] = {"application/x-www-form-urlencoded", "multipart/form-data",
                                       NULL};

/* ---- the request ---- */

enum body {
    BODY_OF_NONE,
    BODY_OF_FORM,
    BODY_OF_PARTS,
    BODY_OF_JSON,
    BODY_OF_TEXT,
    BODY_UNTYPED,
    BODY_UNKNOWN
};

static enum body body_of(const struct call *c)
{
    static const char *const types[] = {"application/x-www-form-urlencoded", "multipart/form-data",
                                        "application/json", "text/plain"};
    static const enum body bodies[] = {BODY_OF_FORM, BODY_OF_PARTS, BODY_OF_JSON, BODY_OF_TEXT};
    const char *type = call_request_header(c, "Content-Type");
    if (!type || !*type)
        return c->content.len ? BODY_UNTYPED : BODY_OF_NONE;
    for (size_t i = 0; i < SOSIA_LEN(types); i++) {
        size_t n = strlen(types[i]);
        if (strncasecmp(type, types[i], n) == 0 && (!type[n] || strchr("; \t", type[n])))
            return c->content.len || bodies[i] == BODY_OF_JSON ? bodies[i] : BODY_OF_NONE;
    }
    return c->content.len ? BODY_UNKNOWN : BODY_OF_NONE;
}

/* The charset that Content-Type names; NULL: none. */
static const char *charset_of(struct call *c)
{
    const char *type = call_request_header(c, "Content-Type");
    const char *at = type ? strcasestr(type, "charset=") : NULL;
    if (!at)
        return NULL;
    at += strlen("charset=");
    at += *at == '"';
    return arena_memdup(c->tx.arena, at, strcspn(at, "\"; \t"));
}

/* The argument of that name; NULL: none. */
static const char *argument(const struct call *c, const char *name)
{
    for (size_t i = 0; i < c->n_items; i++)
        if (strcmp(c->items[i].name, name) == 0 && *c->items[i].text)
            return c->items[i].text;
    return NULL;
}

/* The argument of a method of OAuth leads to its world as a token does. */
static const char *secret_argument(const struct call *c)
{
    const char *text = argument(c, "refresh_token");
    return text ? text : argument(c, "code");
}

static bool renews_configuration(const struct call *c)
{
    return c->route && strcmp(c->route->id, "tooling.tokens.rotate") == 0;
}

static void credential(struct call *c)
{
    c->token = call_bearer(c);
    if (c->route && c->route->anonymous && c->route->secret) {
        const char *text = secret_argument(c);
        /* The one method that knows who calls by what it is to renew. */
        if (text && (!c->token || (renews_configuration(c) && str_starts(text, SLACK_REFRESH))))
            c->token = text;
    }
    for (size_t i = 0; !c->token && i < c->n_items; i++)
        if (c->items[i].place != IN_JSON && strcmp(c->items[i].name, "token") == 0 &&
            *c->items[i].text)
            c->token = c->items[i].text;
}

/* A query beside a JSON body is not read, and a method that takes forms alone does not read such
 * a body. */
static void drop_items(struct call *c, bool all)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_items; i++)
        if (!all && c->items[i].place == IN_JSON)
            c->items[n++] = c->items[i];
    c->n_items = n;
}

/* Names as PHP reads them are refused, and names that are none. */
static int check_names(struct call *c)
{
    static const char word[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    for (size_t i = 0; i < c->n_items; i++) {
        const char *name = c->items[i].name;
        if (strchr(name, '['))
            return slack_fail(c, "invalid_array_arg");
        if (strlen(name) > 255 || name[strspn(name, word)])
            return slack_fail(c, "invalid_arg_name");
    }
    return 0;
}

static int check_charset(struct call *c, enum body body)
{
    const char *charset = charset_of(c);
    if (charset && !str_eq_nocase(charset, "utf-8") && !str_eq_nocase(charset, "utf8") &&
        !str_eq_nocase(charset, "iso-8859-1"))
        return slack_fail(c, "invalid_charset");
    if (body == BODY_OF_JSON && !charset)
        slack_warn(c, "missing_charset");
    if (body == BODY_OF_FORM && charset)
        slack_warn(c, "superfluous_charset");
    return 0;
}

static int check_json(struct call *c)
{
    const char *text = c->request->body;
    size_t n = c->request->body_len, at = 0;
    while (at < n && strchr(" \t\r\n", text[at]))
        at++;
    if (c->bad_input)
        return slack_fail(c, at < n && text[at] != '{' && c->body ? "json_not_object"
                                                                  : "invalid_json");
    drop_items(c, c->route->accepts == slack_form_only);
    return 0;
}

static int begin(struct call *c)
{
    struct slack_call *s = arena_calloc(c->tx.arena, 1, sizeof *s);
    c->vendor_data = s;
    /* It has led to its world; the method looks at it itself. */
    if (c->route && c->route->anonymous && c->route->secret && !renews_configuration(c) &&
        c->token && c->token == secret_argument(c))
        c->token = NULL;
    if (!c->route)
        return slack_fail(c, "unknown_method");
    enum body body = body_of(c);
    if (c->route->body == BODY_RAW) {
        c->bad_input = NULL; /* bytes are not arguments, whatever their type */
        return 0;
    }
    if (body == BODY_UNTYPED)
        return slack_fail(c, "missing_post_type");
    if (body == BODY_UNKNOWN)
        return slack_fail(c, "invalid_post_type");
    if (check_charset(c, body) < 0)
        return -1;
    if (body == BODY_OF_JSON && c->content.len && check_json(c) < 0)
        return -1;
    if (c->bad_input)
        return slack_fail(c, "invalid_form_data");
    const char *pretty = argument(c, "pretty");
    c->pretty = pretty && strcmp(pretty, "1") == 0;
    return check_names(c);
}

static const struct slack_api *api_of(const struct call *c)
{
    return c->dialect ? c->dialect->facts : NULL;
}

/* A configuration token is good for manifests alone. */
static bool is_configuration(const struct call *c)
{
    return !c->scopes.all && call_has_scope(c, "app_configurations:read app_configurations:write");
}

/* What a refusal says is needed: of the method that posts, the scope of classic apps to this day,
 * as clients of others have seen it. */
static const char *needed_scopes(struct call *c)
{
    return strcmp(c->route->id, "chat.postMessage") == 0 ? "chat:write:bot"
                                                         : slack_scope_list(c, c->route->scopes);
}

/* The token, its kind, its scopes. */
static int caller(struct call *c)
{
    const struct slack_api *api = api_of(c);
    const struct route *r = c->route;
    if (c->token && str_starts(c->token, SLACK_REFRESH) && !renews_configuration(c))
        return slack_fail(c, "invalid_auth");
    if (api && api->check && api->check(c) < 0)
        return -1;
    if (!call_takes_token(c, r))
        return slack_fail(c, "not_allowed_token_type");
    bool granted = !r->scopes || slack_has_scope(c, r->scopes);
    /* Methods without scopes take it if they take tokens of every kind (auth.test). */
    if (r->anonymous || (granted && (r->scopes || !r->token_kinds || !is_configuration(c))))
        return 0;
    return is_configuration(c) ? slack_fail(c, "not_allowed_token_type")
                               : slack_missing_scope(c, needed_scopes(c));
}

/* ---- scopes ---- */

/* Whether the name is in the list, whose items are separated by commas or spaces. */
static bool listed(const char *list, const char *name, size_t n)
{
    while (*list) {
        size_t k = strcspn(list, ", ");
        if (k == n && memcmp(list, name, n) == 0)
            return true;
        list += k + strspn(list + k, ", ");
    }
    return false;
}

static const char *granted_text(struct call *c)
{
    struct slack_call *s = slack_of(c);
    const struct slack_api *api = api_of(c);
    if (!s->granted_known && c->scopes.all && api && api->granted) {
        struct sosia_err before = *c->tx.err;
        if (api->granted(c, &s->granted) < 0) {
            s->granted = NULL;
            *c->tx.err = before;
        }
    }
    s->granted_known = true;
    return s->granted;
}

bool slack_has_scope(struct call *c, const char *scopes)
{
    if (!c->scopes.all)
        return call_has_scope(c, scopes);
    const char *granted = granted_text(c);
    while (granted && *scopes) {
        size_t n = strcspn(scopes, " ");
        if (listed(granted, scopes, n))
            return true;
        scopes += n + strspn(scopes + n, " ");
    }
    return !granted;
}

const char *slack_scope_list(struct call *c, const char *scopes)
{
    char *text = arena_strdup(c->tx.arena, scopes), *end = text;
    for (const char *p = scopes; *p;) {
        size_t n = strcspn(p, " ");
        if (slack_is_scope(p, n, c->token_kind == TOKEN_BOT)) {
            if (end > text)
                *end++ = ',';
            end = mempcpy(end, p, n);
        }
        p += n + strspn(p + n, " ");
    }
    if (end > text) {
        *end = 0;
        return text;
    }
    for (char *p = text; *p; p++)
        if (*p == ' ')
            *p = ',';
    return text;
}

/* `first`, then the scopes of the token, separated by commas. */
static const char *scopes_behind(struct call *c, const char *first)
{
    size_t room = strlen(first) + 1;
    for (size_t i = 0; slack_scopes[i]; i++)
        room += strlen(slack_scopes[i]) + 1;
    char *text = arena_alloc(c->tx.arena, room), *p = stpcpy(text, first);
    for (size_t i = 0; slack_scopes[i]; i++) {
        if (!c->scopes.all && !call_has_scope(c, slack_scopes[i]))
            continue;
        if (p > text && p[-1] != ',')
            *p++ = ',';
        p = stpcpy(p, slack_scopes[i]);
    }
    return text;
}

const char *slack_granted(struct call *c)
{
    const char *granted = granted_text(c);
    return granted ? granted : scopes_behind(c, "");
}

/* ---- the response ---- */

/* Numbers that follow from the world, its time and the request, so that a replay has the same. */
static void request_numbers(const struct call *c, uint64_t ret[2])
{
    uint64_t a = hash_bytes(c->request->target, strlen(c->request->target)) ^
                 (uint64_t)c->tx.now_us * UINT64_C(0x9E3779B97F4A7C15);
    uint64_t b = hash_bytes(c->request->body ? c->request->body : "", c->request->body_len) ^ a;
    ret[0] = htobe64(a);
    ret[1] = htobe64(b * UINT64_C(0xD1B54A32D192ED03));
}

/* x-slack-req-id: 32 digits. x-slack-unique-id: what Apache's mod_unique_id makes, 20 bytes that
 * begin with the second. */
static void request_ids(struct call *c)
{
    struct {
        uint32_t second, numbers[4];
    } unique = {.second = htobe32((uint32_t)(c->tx.now_us / US_PER_SECOND))};
    uint64_t numbers[2];
    struct buf b;
    char *digits = arena_alloc(c->tx.arena, 2 * sizeof numbers + 1);
    request_numbers(c, numbers);
    hex_encode(digits, numbers, sizeof numbers);
    call_header_const(c, "x-slack-req-id", digits);
    memcpy(unique.numbers, numbers, sizeof numbers);
    buf_init(&b, 0);
    base64url_add(&b, &unique, sizeof unique, false);
    call_header_const(c, "x-slack-unique-id", arena_memdup(c->tx.arena, buf_str(&b), b.len));
    buf_done(&b);
}

/* What the token may do. */
static const char *scopes_header(struct call *c)
{
    const char *granted = granted_text(c), *first = c->token_kind == TOKEN_USER ? "identify," : "";
    if (!granted)
        return scopes_behind(c, first);
    return *first ? arena_printf(c->tx.arena, "%s%s", first, granted) : granted;
}

/* What the method accepts; where it had a scope before apps were granular, that is the last one
 * (recorded of some methods, for others of the same scopes concluded). */
static const char *accepted_header(struct call *c)
{
    static const char *const classic[][2] = {
        {"channels:read groups:read mpim:read im:read", "read"},
        {"users:read", "read"},
        {"channels:manage channels:write groups:write mpim:write im:write", "post"},
    };
    const char *scopes = c->route ? c->route->scopes : NULL;
    if (c->route && str_starts(c->route->id, "rtm."))
        return "rtm:stream,client";
    for (size_t i = 0; scopes && i < SOSIA_LEN(classic); i++)
        if (strcmp(scopes, classic[i][0]) == 0)
            return arena_printf(c->tx.arena, "%s,%s", slack_scope_list(c, scopes), classic[i][1]);
    return scopes ? slack_scope_list(c, scopes) : NULL;
}

static void headers(struct call *c)
{
    call_header_const(c, "x-slack-backend", "r");
    request_ids(c);
    call_header_const(c, "Referrer-Policy", "no-referrer");
    call_header_const(c, "access-control-allow-origin", "*");
    call_header_const(c, "access-control-expose-headers", "x-slack-req-id, retry-after");
    call_header_const(c, "access-control-allow-headers",
                      "slack-route, x-slack-version-ts, x-b3-traceid, x-b3-spanid, "
                      "x-b3-parentspanid, x-b3-sampled, x-b3-flags");
    call_header_const(c, "X-Content-Type-Options", "nosniff");
    call_header_const(c, "x-xss-protection", "0");
    call_header_const(c, "Expires", "Sat, 26 Jul 1997 05:00:00 GMT");
    call_header_const(c, "Cache-Control", "private, no-cache, no-store, must-revalidate");
    call_header_const(c, "Pragma", "no-cache");
    call_header_const(c, "Vary", "Accept-Encoding");
    if (c->actor.id) {
        const char *accepted = accepted_header(c);
        call_header_const(c, "x-oauth-scopes", scopes_header(c));
        if (accepted)
            call_header_const(c, "x-accepted-oauth-scopes", accepted);
    }
}

/* "pretty": four spaces a level, where the writer has two, and no newline at the end. */
static void widen(struct call *c)
{
    const char *text = buf_str(c->body_out), *end = text + c->body_out->len;
    struct buf b;
    buf_init(&b, 0);
    for (const char *p = text; p < end;) {
        size_t n = strspn(p, " "), line = strcspn(p, "\n");
        buf_add(&b, p, n);
        buf_add(&b, p, line);
        p += line + (p + line < end);
        if (p < end)
            buf_byte(&b, '\n');
    }
    if (!buf_failed(&b)) { /* else it stays as it is */
        buf_clear(c->body_out);
        buf_add(c->body_out, b.data, b.len);
    }
    buf_done(&b);
}

static bool has_header(const struct call *c, const char *name)
{
    for (size_t i = 0; i < c->n_headers; i++)
        if (str_eq_nocase(c->headers[i].name, name))
            return true;
    return false;
}

/* Where people agree: no page of another origin's is to read that. */
static bool is_page(const struct call *c)
{
    return c->route && c->route->secret && !str_starts(c->route->paths[0], "/api/");
}

static void finish(struct call *c)
{
    if (is_page(c)) {
        call_header_const(c, "Access-Control-Allow-Origin", ""); /* the server adds none */
        call_header_const(c, "Cache-Control", "private, no-cache, no-store, must-revalidate");
        call_header_const(c, "Referrer-Policy", "no-referrer");
        call_header_const(c, "X-Frame-Options", "SAMEORIGIN");
        return;
    }
    if (c->sent.blob.id || has_header(c, "Content-Type"))
        return; /* no response of an API's */
    if (c->pretty)
        widen(c);
    headers(c);
    call_header_const(c, "Content-Type", "application/json; charset=utf-8");
}

void slack_warn(struct call *c, const char *code)
{
    struct slack_call *s = slack_of(c);
    for (size_t i = 0; i < s->n_warnings; i++)
        if (strcmp(s->warnings[i], code) == 0)
            return;
    if (s->n_warnings < SLACK_MAX_NOTES)
        s->warnings[s->n_warnings++] = code;
}

void slack_warn_with(struct call *c, const char *code, const char *text)
{
    struct slack_call *s = slack_of(c);
    slack_warn(c, code);
    if (s->n_messages < SOSIA_LEN(s->messages))
        s->messages[s->n_messages++] = arena_printf(c->tx.arena, "[WARN] %s", text);
}

static void write_texts(struct json_writer *w, const char *key, const char *const *texts, size_t n,
                        size_t without)
{
    json_arr(w, key);
    for (size_t i = 0; i < n; i++)
        json_str(w, NULL, texts[i] + without);
    json_end(w);
}

/* Members at the end of responses and refusals. */
static void write_notes(struct call *c, const struct slack_call *s)
{
    struct buf b;
    if (s->n_warnings) {
        buf_init(&b, 0);
        for (size_t i = 0; i < s->n_warnings; i++)
            buf_printf(&b, "%s%s", i ? "," : "", s->warnings[i]);
        json_str(c->out, "warning", buf_str(&b));
        buf_done(&b);
    }
    if (!s->n_warnings && !s->n_messages && !s->cursor)
        return;
    json_obj(c->out, "response_metadata");
    json_str_opt(c->out, "next_cursor", s->cursor);
    if (s->n_messages)
        write_texts(c->out, "messages", s->messages, s->n_messages, 0);
    if (s->n_warnings)
        write_texts(c->out, "warnings", s->warnings, s->n_warnings, 0);
    json_end(c->out);
}

void slack_open(struct call *c)
{
    json_obj(c->out, NULL);
    json_bool(c->out, "ok", true);
}

void slack_close(struct call *c)
{
    write_notes(c, slack_of(c));
    json_end(c->out);
}

int slack_ok(struct call *c)
{
    slack_open(c);
    slack_close(c);
    return 0;
}

/* ---- refusals ---- */

int slack_fail(struct call *c, const char *code)
{
    slack_of(c)->error = code;
    return call_fail(c, SOSIA_E_INVALID, code, NULL, "%s", code);
}

int slack_missing_scope(struct call *c, const char *needed)
{
    slack_of(c)->needed = needed;
    return slack_fail(c, "missing_scope");
}

__attribute__((format(printf, 3, 0))) static void add_message(struct call *c, const char *pointer,
                                                              const char *fmt, va_list ap)
{
    struct slack_call *s = slack_of(c);
    if (s->n_messages == SOSIA_LEN(s->messages))
        return;
    const char *text = arena_vprintf(c->tx.arena, fmt, ap);
    char *line = pointer ? arena_printf(c->tx.arena, "[ERROR] %s [json-pointer:%s]", text, pointer)
                         : arena_printf(c->tx.arena, "[ERROR] %s", text);
    utf8_scrub(line); /* a precision may have cut a character */
    s->expected[s->n_messages] = NULL;
    s->messages[s->n_messages++] = line;
}

void slack_message(struct call *c, const char *pointer, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_message(c, pointer, fmt, ap);
    va_end(ap);
}

int slack_invalid_arguments(struct call *c, const char *pointer, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_message(c, pointer, fmt, ap);
    va_end(ap);
    return slack_fail(c, "invalid_arguments");
}

/* All that is missing, not only what the door found first. */
static const char *missing_arguments(struct call *c)
{
    const struct route *r = c->route;
    for (size_t i = 0; i < r->n_params; i++) {
        const struct param *p = &r->params[i];
        const struct json *null = json_get(c->body, p->name);
        if (!p->required || param_given(c, p->name) || call_query_item(c, p->name))
            continue;
        if (null) /* else it would be given */
            slack_message(c, arena_printf(c->tx.arena, "/%s", p->name), "must provide a string");
        else
            slack_message(c, NULL, "missing required field: %s", p->name);
    }
    return "invalid_arguments";
}

static const char *token_error(const struct call *c, const char *reason)
{
    if (renews_configuration(c) && c->token && c->token == secret_argument(c))
        return "invalid_refresh_token";
    if (strcmp(reason, "required") == 0)
        return "not_authed";
    if (strcmp(reason, "expired") == 0)
        return "token_expired";
    if (strcmp(reason, "revoked") == 0)
        return c->token && (str_starts(c->token, "xoxb-") || str_starts(c->token, "xoxe.xoxb-"))
                   ? "account_inactive"
                   : "token_revoked";
    return "invalid_auth";
}

/* The code for what the door has refused. */
static const char *error_of(struct call *c)
{
    const char *reason = c->tx.err->reason ? c->tx.err->reason : "";
    switch (c->tx.err->code) {
    case SOSIA_E_UNAUTHENTICATED:
        return token_error(c, reason);
    case SOSIA_E_FORBIDDEN:
        if (strcmp(reason, "risk") == 0 || strcmp(reason, "held") == 0)
            slack_message(c, NULL, "%s", c->tx.err->text);
        return "access_denied";
    case SOSIA_E_LIMIT:
        return c->over ? "ratelimited" : "fatal_error";
    case SOSIA_E_INVALID:
        return strcmp(reason, "required") == 0 ? missing_arguments(c) : "invalid_arguments";
    case SOSIA_E_TOO_LARGE:
        return "request_too_large";
    case SOSIA_E_NOT_FOUND:
    case SOSIA_E_METHOD_NOT_ALLOWED:
        return "unknown_method";
    default:
        return "internal_error";
    }
}

/* What begins like an incoming webhook's address and has not its parts. */
static bool is_no_hook(const struct call *c)
{
    static const char hooks[] = "/services";
    size_t n = sizeof hooks - 1;
    return !c->route && c->path_len >= n && memcmp(c->path, hooks, n) == 0 &&
           (c->path_len == n || c->path[n] == '/');
}

static void write_error(struct call *c)
{
    if (!c->vendor_data) /* before begin() */
        c->vendor_data = arena_calloc(c->tx.arena, 1, sizeof(struct slack_call));
    struct slack_call *s = slack_of(c);
    if (is_no_hook(c)) {
        c->status = 302;
        call_header_const(c, "Location", SLACK_NO_HOOK);
        return;
    }
    if (c->route && c->route->download && c->tx.err->code != SOSIA_E_INTERNAL) {
        c->status = 302; /* a caller without access signs in first */
        call_header_const(c, "Location", "https://slack.com/signin");
        return;
    }
    s->cursor = NULL;
    const char *code = s->error ? s->error : error_of(c);
    bool limited = strcmp(code, "ratelimited") == 0;
    bool failed = c->fault && c->fault->kind == FAULT_SERVER;
    c->status = limited ? 429 : !failed ? 200 : c->fault->status ? c->fault->status : 500;
    headers(c);
    call_header_const(c, "x-slack-failure", code);
    if (limited)
        call_header(c, "Retry-After",
                    arena_printf(c->tx.arena, "%lld",
                                 (long long)((c->retry_us + US_PER_SECOND - 1) / US_PER_SECOND)));
    json_obj(c->out, NULL);
    json_bool(c->out, "ok", false);
    json_str(c->out, "error", code);
    if (strcmp(code, "unknown_method") == 0) {
        size_t skip = c->path_len >= 5 && memcmp(c->path, "/api/", 5) == 0 ? 5 : c->path_len > 0;
        if (utf8_valid(c->path + skip, c->path_len - skip))
            json_strn(c->out, "req_method", c->path + skip, c->path_len - skip);
    }
    if (s->needed) {
        json_str(c->out, "needed", s->needed);
        json_str(c->out, "provided", scopes_header(c));
    }
    if (s->more)
        s->more(c);
    if (s->repeat_messages)
        write_texts(c->out, "errors", s->messages, s->n_messages, strlen("[ERROR] "));
    if (limited)
        s->n_warnings = 0;
    write_notes(c, s);
    json_end(c->out);
    if (c->pretty)
        widen(c);
    call_header_const(c, "Content-Type", "application/json; charset=utf-8");
}

/* ---- the vendor ---- */

static const enum param_place arguments[] = {IN_QUERY, IN_FORM, IN_JSON, IN_PART, 0};

static const struct front front = {
    .arguments = arguments,
    .late = true,
    .credential = credential,
    .begin = begin,
    .caller = caller,
    .finish = finish,
    .error = write_error,
    .fault = slack_fault,
};

const struct vendor slack_vendor = {
    .name = "slack",
    .title = "Slack",
    .hosts = hosts,
    .front = &front,
    .guide = &slack_guide,
};

/* Calls a minute, of each method and app in a workspace; one message a second in a channel, with
 * some leave for bursts, and several hundred a minute in all (docs.slack.dev, rate limits). */
const struct rate_class slack_rates[] = {
    {SLACK_TIER_1, true, 1, INT64_C(60000000), true},
    {SLACK_TIER_2, true, 20, INT64_C(60000000), true},
    {SLACK_TIER_3, true, 50, INT64_C(60000000), true},
    {SLACK_TIER_4, true, 100, INT64_C(60000000), true},
    {SLACK_SPECIAL, true, 300, INT64_C(60000000), true},
    {SLACK_POSTING, true, 300, INT64_C(60000000), true},
    {SLACK_POSTING, true, 10, INT64_C(10000000), true, "channel"},
    {0},
};
