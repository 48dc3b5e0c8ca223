/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several calls of one world in one request, for programs that know what they will do: each goes
 * through the door by itself, with a credential of its own, and has its own entry in the journal,
 * as if it had been sent alone. What one refuses is its own answer and ends nothing.
 */
#include "engine/base/codec.h"
#include "engine/http/hold.h"
#include "engine/http/serve.h"
#include "engine/http/suspend.h"
#include "engine/text/utf8.h"
#include "server/control/operation.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_CALLS    100
#define MAX_FIELDS   40
#define MAX_TARGET   8192
#define CONTENT_ROOM (1 << 20)    /* bytes of a file's content that an answer shows, and */
#define ANSWERS_ROOM (16 << 20)   /* bytes of answers, from which on no more calls are made */
#define CALLS_HERE   16           /* by a thread that serves others, and */
#define ANSWERS_HERE (256u << 10) /* bytes of answers; the rest is a worker's */

/* One as it is made; its texts are in the arena. */
struct one {
    struct sosia_request request;
    struct sosia_header headers[MAX_FIELDS + 3];
};

static int bad(struct control_call *c, size_t at, const char *member, const char *expected)
{
    return control_fail(c, "calls", "%s of call %zu must be %s", member, at, expected);
}

/* "" to "~", without spaces if asked for. */
static bool is_visible(const struct json *text, char least)
{
    for (uint32_t i = 0; i < text->n; i++)
        if (text->str[i] < least || text->str[i] > '~')
            return false;
    return true;
}

/* What says how a message is framed or whom it is for is not a caller's to say here. */
static bool is_ours(const char *name)
{
    static const char *const ours[] = {"Authorization",     "Connection",   "Content-Encoding",
                                       "Content-Length",    "Content-Type", "Host",
                                       "Transfer-Encoding", "Upgrade"};
    for (size_t i = 0; i < SOSIA_LEN(ours); i++)
        if (strcasecmp(ours[i], name) == 0)
            return true;
    return false;
}

static void add_field(struct one *one, const char *name, const char *value)
{
    one->headers[one->request.n_headers++] = (struct sosia_header){name, value};
}

/* The answers' links are what they are for the request that brings the calls. */
static void add_host(struct control_call *c, struct one *one)
{
    for (size_t i = 0; i < c->request->n_headers; i++)
        if (strcasecmp(c->request->headers[i].name, "Host") == 0)
            add_field(one, "Host", c->request->headers[i].value);
}

static int read_fields(struct control_call *c, size_t at, const struct json *fields,
                       struct one *ret)
{
    if (!fields)
        return 0;
    if (fields->type != JSON_OBJECT || fields->n > MAX_FIELDS)
        return bad(c, at, "headers", "an object of at most 40 members");
    for (uint32_t i = 0; i < fields->n; i++) {
        const struct json_member *m = &fields->members[i];
        if (!m->key_len || strspn(m->key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789-_") != m->key_len)
            return bad(c, at, "a name in headers", "one of letters, digits, \"-\" and \"_\"");
        if (m->value.type != JSON_STRING || !is_visible(&m->value, ' '))
            return bad(c, at, "a value in headers", "a string of visible ASCII and spaces");
        if (is_ours(m->key))
            return bad(c, at, "headers", "none that token, type or the body say");
        add_field(ret, m->key, m->value.str);
    }
    return 0;
}

/* Either "body", any JSON, or "text" as it is. */
static int read_content(struct control_call *c, size_t at, const struct json *call, struct one *ret)
{
    const struct json *body = json_get(call, "body"), *text = json_get(call, "text"),
                      *type = json_get(call, "type");
    ret->request.body = "";
    if (body && text)
        return bad(c, at, "text", "absent where there is a body");
    if (text && text->type != JSON_STRING)
        return bad(c, at, "text", "a string");
    if (type && (type->type != JSON_STRING || !is_visible(type, ' ')))
        return bad(c, at, "type", "a media type");
    if (text) {
        ret->request.body = text->str;
        ret->request.body_len = text->n;
    } else if (body) {
        ret->request.body = json_to_text(&c->arena, body);
        ret->request.body_len = strlen(ret->request.body);
    }
    if (type || body)
        add_field(ret, "Content-Type", type ? type->str : "application/json");
    return 0;
}

static int read_token(struct control_call *c, size_t at, const struct json *call, struct one *ret)
{
    const struct json *token = json_get(call, "token");
    const char *text = control_text(c, "token");
    if (token && (token->type != JSON_STRING || !token->n || token->n >= SOSIA_TOKEN_MAX ||
                  !is_visible(token, '!')))
        return bad(c, at, "token", "a token");
    if (token)
        text = token->str;
    if (text)
        add_field(ret, "Authorization", arena_printf(&c->arena, "Bearer %s", text));
    return 0;
}

static int read_members(struct control_call *c, size_t at, const struct json *call)
{
    static const char *const known[] = {"method", "target", "token", "headers",
                                        "body",   "text",   "type"};
    for (uint32_t i = 0; call->type == JSON_OBJECT && i < call->n; i++) {
        size_t k = 0;
        while (k < SOSIA_LEN(known) && strcmp(known[k], call->members[i].key) != 0)
            k++;
        if (k == SOSIA_LEN(known))
            return bad(c, at, "a member",
                       "one of method, target, token, headers, body, text and type");
    }
    return call->type == JSON_OBJECT ? 0 : bad(c, at, "the whole", "an object");
}

static int read_one(struct control_call *c, size_t at, const char *key, struct one *ret)
{
    const struct json *call = &json_get(c->call.body, "calls")->items[at];
    *ret = (struct one){.request = {.base_url = c->request->base_url}};
    ret->request.headers = ret->headers;
    add_host(c, ret);
    if (read_members(c, at, call) < 0)
        return -1;
    const struct json *method = json_get(call, "method"), *target = json_get(call, "target");
    if (!method || method->type != JSON_STRING || !method->n ||
        strspn(method->str, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != method->n)
        return bad(c, at, "method", "a verb of HTTP");
    if (!target || target->type != JSON_STRING || target->n > MAX_TARGET || target->str[0] != '/' ||
        !is_visible(target, '!'))
        return bad(c, at, "target", "a path and query of at most 8192 bytes, as in a request line");
    ret->request.method = method->str;
    ret->request.target = arena_printf(&c->arena, "/w/%s%s", key, target->str);
    return read_fields(c, at, json_get(call, "headers"), ret) < 0 ||
                   read_token(c, at, call, ret) < 0 || read_content(c, at, call, ret) < 0
               ? -1
               : 0;
}

static bool is_text(const char *text, size_t n)
{
    size_t i = 0;
    for (unsigned k; i < n && (k = utf8_sequence(text + i, n - i)); i += k)
        ;
    return i == n;
}

static void write_bytes(struct json_writer *w, const char *bytes, size_t n)
{
    struct buf coded;
    if (is_text(bytes, n)) {
        json_strn(w, "text", bytes, n);
        return;
    }
    buf_init(&coded, 0);
    base64_add(&coded, bytes, n);
    json_strn(w, "base64", buf_str(&coded), coded.len);
    buf_done(&coded);
}

/* A file's content. False: it can't be read. */
static bool write_content(struct json_writer *w, struct sosia_response *r)
{
    size_t n = 0, all = (size_t)r->length;
    char *bytes = malloc(all + 1);
    int64_t got = 1;
    while (bytes && n < all && (got = r->read(r, (int64_t)n, bytes + n, all - n)) > 0)
        n += (size_t)got;
    bool whole = bytes && n == all;
    if (whole)
        write_bytes(w, bytes, n);
    free(bytes);
    return whole;
}

/* "text", or "base64" where it is not UTF-8; neither of what goes on, or is too long to be shown.
 */
static void write_body(struct json_writer *w, struct sosia_response *r)
{
    bool fits = !r->stream && r->length <= (r->read ? CONTENT_ROOM : ANSWERS_ROOM);
    if (fits && !r->read)
        write_bytes(w, r->body, r->body_len);
    else if (!fits || !write_content(w, r))
        json_int(w, "length", r->length);
}

static void write_answer(struct json_writer *w, struct sosia_response *r)
{
    json_obj(w, NULL);
    json_int(w, "status", r->status);
    json_arr(w, "headers");
    for (size_t i = 0; i < r->n_headers; i++) {
        json_arr(w, NULL);
        json_str(w, NULL, r->headers[i].name);
        json_str(w, NULL, r->headers[i].value);
        json_end(w);
    }
    json_end(w);
    write_body(w, r);
    json_end(w);
}

/* No answer could be made of one; those before it were. */
static void write_failure(struct json_writer *w, const struct sosia_err *err)
{
    json_obj(w, NULL);
    json_int(w, "status", sosia_code_status(err->code));
    json_arr(w, "headers");
    json_end(w);
    json_str(w, "text", err->text);
    json_end(w);
}

/* All are read before the first one is made: what is asked for wrongly changes nothing. */
static struct one *read_all(struct control_call *c, uint32_t *ret_n)
{
    const struct json *calls = json_get(c->call.body, "calls");
    struct sosia_world_info info;
    if (!calls || calls->type != JSON_ARRAY || !calls->n || calls->n > MAX_CALLS) {
        control_fail(c, "calls", "must be a list of 1 to %d calls, not %s", MAX_CALLS,
                     call_quote(&c->call, calls));
        return NULL;
    }
    if (sosia_world_info(c->engine, c->world, &info, &c->err) < 0)
        return NULL;
    struct one *all = arena_alloc(&c->arena, calls->n * sizeof *all);
    for (uint32_t i = 0; i < calls->n && !arena_failed(&c->arena); i++)
        if (read_one(c, i, info.key, &all[i]) < 0)
            return NULL;
    if (arena_failed(&c->arena)) {
        sosia_fail_memory(&c->err);
        return NULL;
    }
    *ret_n = calls->n;
    return all;
}

/* ---- making them ---- */

/* How far it is: what serving threads have not done, a worker goes on with. */
struct progress {
    struct server_kept kept; /* first */
    struct buf answers;
    struct json_writer w;
    uint32_t next;
    struct served served;           /* of the next one, which is suspended already; else 0 */
    struct sosia_response *refusal; /* of the next one, where a rule holds it; else NULL */
};

static void progress_free(struct server_kept *kept)
{
    struct progress *p = (struct progress *)kept;
    sosia_response_free(p->refusal);
    buf_done(&p->answers);
    free(p);
}

static struct progress *progress_new(void)
{
    struct progress *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->kept.free = progress_free;
    buf_init(&p->answers, 0);
    json_init(&p->w, &p->answers, false, NULL);
    json_obj(&p->w, NULL);
    json_arr(&p->w, "responses");
    return p;
}

/* On a serving thread: the next call is made unless it would wait. False: a worker does it, or what
 * is left of it. */
static bool call_here(struct control_call *c, struct progress *p, const struct one *one)
{
    struct sosia_response *r =
        call_serve(c->engine, 0, &one->request, false, NULL, &p->served, &c->err);
    if (r && hold_answered(p->served.suspended)) {
        p->refusal = r;
        return false;
    }
    if (!r && (p->served.busy || (p->served.suspended && !hold_answered(p->served.suspended))))
        return false;
    if (!r) {
        write_failure(&p->w, &c->err);
        return true;
    }
    write_answer(&p->w, r);
    sosia_response_free(r);
    return true;
}

/* On a worker: as long as it takes. */
static void call_patiently(struct control_call *c, struct progress *p, const struct one *one)
{
    struct sosia_response *r = p->refusal;
    int rc = 0;
    p->refusal = NULL;
    if (!r && !p->served.suspended)
        rc = sosia_call(c->engine, 0, &one->request, &r, &c->err);
    else if (!r)
        r = suspend_wait(c->engine, &one->request, NULL, &p->served, &c->err);
    if (r && hold_answered(p->served.suspended))
        r = hold_wait(c->engine, &one->request, NULL, true, r, &p->served, &c->err);
    if (!r)
        rc = -1;
    if (rc < 0) {
        write_failure(&p->w, &c->err);
        return;
    }
    write_answer(&p->w, r);
    sosia_response_free(r);
}

/* SERVER_SLOW: the rest is for a worker, behind what is made already. */
static int make_all(struct control_call *c, struct progress *p, const struct one *all, uint32_t n)
{
    bool here = !c->request->on_worker;
    for (; p->next < n && p->answers.len < ANSWERS_ROOM; p->next++) {
        if (here && (p->next == CALLS_HERE || p->answers.len > ANSWERS_HERE ||
                     !call_here(c, p, &all[p->next])))
            return SERVER_SLOW;
        if (!here)
            call_patiently(c, p, &all[p->next]);
        p->served = (struct served){0};
    }
    return 0;
}

int control_calls(struct call *call)
{
    struct control_call *c = control_of(call);
    struct progress *p = (struct progress *)c->request->kept;
    uint32_t n = 0;
    struct one *all = read_all(c, &n);
    if (!all)
        return -1;
    if (!p && !(p = progress_new()))
        return sosia_fail_memory(&c->err);
    int rc = make_all(c, p, all, n);
    if (rc == SERVER_SLOW) {
        c->response->kept = &p->kept;
        return rc;
    }
    json_end(&p->w);
    json_end(&p->w);
    rc = control_answer(c, 200, &p->answers);
    if (!c->request->kept)
        progress_free(&p->kept);
    return rc;
}
