/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A person's own view of a world, in the vendors' own words: what a method that reads answers to
 * them, without a trace (engine/replay/look.h); and what they do, as an ordinary call that is in
 * the journal with the label `via: console`.
 */
#include "engine/replay/look.h"
#include "engine/base/codec.h"
#include "engine/http/serve.h"
#include "server/control/operation.h"
#include <stdlib.h>
#include <strings.h>

#define TOKEN_US    INT64_C(60000000) /* that the person's token is good for, by the world's clock */
#define MAX_FIELDS  8
#define ANSWER_ROOM (64u << 20) /* bytes of an answer */

/* Fields that say how an answer is to be; whom the request is for is in the path. */
static const char *const passed[] = {
    "Accept",   "Accept-Language", "Content-Type", "ConsistencyLevel",
    "If-Match", "If-None-Match",   "Prefer",       "Range"};

struct native {
    struct sosia_request request;
    struct sosia_header headers[SOSIA_LEN(passed) + 3];
};

static void add_field(struct native *n, const char *name, const char *value)
{
    n->headers[n->request.n_headers++] = (struct sosia_header){name, value};
}

/* What is behind "/worlds/WORLD/look/ACTOR", as it was sent. */
static const char *native_path(const struct control_call *c)
{
    const char *p = c->request->path + strlen(CONTROL_PREFIX "/worlds/");
    for (int i = 0; i < 3 && p; i++)
        p = strchr(p + (i > 0), '/');
    return p ? p : "/";
}

static int read_native(struct control_call *c, struct native *ret)
{
    const struct server_request *r = c->request;
    *ret = (struct native){.request = {.method = r->method,
                                       .base_url = r->base_url,
                                       .body = r->body ? r->body : "",
                                       .body_len = r->body_len}};
    ret->request.headers = ret->headers;
    ret->request.target =
        arena_printf(&c->arena, "%s%s%s", native_path(c), *r->query ? "?" : "", r->query);
    for (size_t i = 0; i < r->n_headers; i++)
        for (size_t k = 0; k < SOSIA_LEN(passed); k++)
            if (strcasecmp(r->headers[i].name, passed[k]) == 0 &&
                ret->request.n_headers < SOSIA_LEN(passed))
                add_field(ret, passed[k], r->headers[i].value);
    return arena_failed(&c->arena) ? sosia_fail_memory(&c->err) : 0;
}

/* ---- the answer ---- */

static int add_content(struct control_call *c, struct sosia_response *r, struct buf *b)
{
    char piece[65536];
    int64_t got;
    if (r->stream)
        return sosia_fail(&c->err, SOSIA_E_FORBIDDEN, "looksOnly", "path",
                          "the answer must have an end, goes on");
    if (r->length > (int64_t)ANSWER_ROOM)
        return sosia_fail(&c->err, SOSIA_E_TOO_LARGE, "tooLarge", "path",
                          "the answer must have at most %u bytes, has %lld", ANSWER_ROOM,
                          (long long)r->length);
    if (!r->read) {
        buf_add(b, r->body, r->body_len);
        return 0;
    }
    for (int64_t at = 0; at < r->length; at += got) {
        got = r->read(r, at, piece, sizeof piece);
        if (got <= 0)
            return sosia_fail(&c->err, SOSIA_E_INTERNAL, NULL, "path",
                              "the answer's content can't be read");
        buf_add(b, piece, (size_t)got);
    }
    return 0;
}

static char *kept(struct control_call *c, const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = server_alloc(c->request, n);
    return copy ? memcpy(copy, text, n) : NULL;
}

static void answer_field(struct server_response *to, const char *name, const char *value)
{
    if (value && to->n_headers < SERVER_MAX_HEADERS)
        to->headers[to->n_headers++] = (struct sosia_header){name, value};
}

/* What was written in a world must not become a page of this origin. */
static int give(struct control_call *c, struct sosia_response *r)
{
    static const char *const also[] = {"ETag", "Content-Range", "Content-Disposition"};
    struct server_response *to = c->response;
    const char *type = NULL;
    struct buf b;
    buf_init(&b, 0);
    if (add_content(c, r, &b) < 0) {
        buf_done(&b);
        return -1;
    }
    answer_field(to, "Content-Security-Policy", "sandbox");
    answer_field(to, "X-Content-Type-Options", "nosniff");
    for (size_t i = 0; i < r->n_headers; i++) {
        if (strcasecmp(r->headers[i].name, "Content-Type") == 0)
            type = kept(c, r->headers[i].value);
        for (size_t k = 0; k < SOSIA_LEN(also); k++)
            if (strcasecmp(r->headers[i].name, also[k]) == 0)
                answer_field(to, also[k], kept(c, r->headers[i].value));
    }
    server_answer_buf(to, r->status, &b);
    to->content_type = type ? type : "application/octet-stream";
    return 0;
}

/* ---- rows ---- */

static int control_look(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_response *r;
    struct native n;
    if (read_native(c, &n) < 0 || look(c->engine, c->world, c->step < 0 ? LOOK_NOW : c->step,
                                       control_text(c, "actor"), &n.request, &r, &c->err) < 0)
        return -1;
    int rc = give(c, r);
    sosia_response_free(r);
    return rc;
}

static int act_as(struct call *call)
{
    struct control_call *c = control_of(call);
    char token[SOSIA_TOKEN_MAX];
    struct sosia_world_info info;
    struct sosia_response *r;
    struct native n;
    const struct sosia_token_options opt = {
        .actor = control_text(c, "actor"), .ttl_us = TOKEN_US, .kind = "user"};
    if (read_native(c, &n) < 0 || sosia_world_info(c->engine, c->world, &info, &c->err) < 0 ||
        sosia_token_issue(c->engine, c->world, &opt, token, sizeof token, &c->err) < 0)
        return -1;
    n.request.target = arena_printf(&c->arena, "/w/%s%s", info.key, n.request.target);
    add_field(&n, "Authorization", arena_printf(&c->arena, "Bearer %s", token));
    add_field(&n, "X-Sosia-Label-Via", "console");
    if (arena_failed(&c->arena))
        return sosia_fail_memory(&c->err);
    if (sosia_call(c->engine, c->world, &n.request, &r, &c->err) < 0)
        return -1;
    int rc = give(c, r);
    sosia_response_free(r);
    return rc;
}

bool control_is_native(const struct route *r)
{
    return r->handler == control_look || r->handler == act_as;
}

static const struct param native_params[] = {
    {.name = "world",
     .type = PARAM_STRING,
     .place = IN_PATH,
     .required = true,
     .summary = "A world's key or name, or WORLD@STEP"},
    {.name = "actor",
     .type = PARAM_STRING,
     .place = IN_PATH,
     .required = true,
     .max = 254,
     .summary = "Handle or e-mail address of somebody in the world"},
    {.name = "path",
     .type = PARAM_STRING,
     .place = IN_PATH,
     .required = true,
     .max = 8192,
     .summary =
         "The path of a service's method, perhaps with @HOST/ before it; its query follows"}};

#define NATIVE(name, verb, what, path, does, says)                                                 \
    {                                                                                              \
        .id = (name), .verbs = (verb), .outside = true, .risk = (what),                            \
        .paths = PATHS("/worlds/{world}/" path "/{actor}/{path*}"), .summary = (says),             \
        .handler = (does), .pace = PACE_SLOW, PARAMS(native_params), .status = 200, .gives = "*/*" \
    }

static const struct route routes[] = {
    NATIVE("people.look", GET, RISK_READ, "look", control_look,
           "What a method that only reads answers to somebody; the world does not notice"),
    NATIVE("people.lookPost", POST, RISK_READ, "look", control_look,
           "The same of methods that read by POST"),
    NATIVE("people.post", POST, RISK_DESTRUCTIVE, "act", act_as,
           "A call that somebody makes; in the journal it has the label via: console"),
    NATIVE("people.put", PUT, RISK_DESTRUCTIVE, "act", act_as, "The same by PUT"),
    NATIVE("people.patch", PATCH, RISK_DESTRUCTIVE, "act", act_as, "The same by PATCH"),
    NATIVE("people.delete", DELETE, RISK_DESTRUCTIVE, "act", act_as, "The same by DELETE"),
};

const struct rows control_look_rows = ROWS(routes);
