/* SPDX-License-Identifier: Apache-2.0 */
/* Replaying against a running sosia: worlds are made through its control interface. */
#include "conformance/target/http.h"
#include "conformance/target/target.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <stdio.h>
#include <stdlib.h>

struct remote {
    struct target base;
    struct http *http;
    fixture_fn fixtures;
    char *url, *auth;    /* "Bearer KEY" */
    struct arena arena;  /* of the prepared worlds */
    struct map prepared; /* document and options -> key of a world */
    struct arena scenario;
    struct map tokens;
    const char *world; /* key; NULL: none */
};

/* One call of the control interface. ret_answer: NULL if there is no body. */
static int control(struct remote *r, const char *method, const char *path, const struct buf *body,
                   const struct json **ret_answer, struct sosia_err *err)
{
    struct arena *a = &r->scenario;
    struct sosia_header headers[] = {{"Content-Type", "application/json"},
                                     {"Authorization", r->auth}};
    struct sosia_request request = {
        .method = method,
        .target = arena_printf(a, "/_sosia/v1%s", path),
        .headers = headers,
        .n_headers = r->auth ? 2 : 1,
        .body = body ? body->data : NULL,
        .body_len = body ? body->len : 0,
    };
    struct sosia_response answer;
    const struct json *doc = NULL;
    if (http_call(r->http, a, r->url, &request, &answer, err) < 0)
        return TARGET_STOP;
    if (answer.body_len)
        json_parse(a, answer.body, answer.body_len, NULL, &doc, NULL);
    if (answer.status < 200 || answer.status > 299) {
        const char *message = json_get_str(json_get(doc, "error"), "message");
        sosia_fail(err, SOSIA_E_INVALID, "control", NULL, "%s answered %d: %.120s", r->url,
                   answer.status, message ? message : "");
        return answer.status == 401 || answer.status == 403 || answer.status == 421 ? TARGET_STOP
                                                                                    : -1;
    }
    if (ret_answer)
        *ret_answer = doc;
    return 0;
}

/* The same on the scenario's world; body is what pairs of name and text make, or NULL. */
static int control_world(struct remote *r, const char *method, const char *what, struct buf *body,
                         const struct json **ret_answer, struct sosia_err *err)
{
    const char *path = arena_printf(&r->scenario, "/worlds/%s%s", r->world, what);
    int rc = body && buf_failed(body) ? sosia_fail_memory(err)
                                      : control(r, method, path, body, ret_answer, err);
    if (body)
        buf_done(body);
    return rc;
}

static void begin_body(struct json_writer *w, struct buf *b)
{
    buf_init(b, 0);
    json_init(w, b, false, NULL);
    json_obj(w, NULL);
}

static int make_world(struct remote *r, const struct cassette *c, const char *doc, size_t len,
                      const char **ret_key, struct sosia_err *err)
{
    struct buf body;
    struct json_writer w;
    const struct json *answer = NULL;
    begin_body(&w, &body);
    json_strn(&w, "seed_document", doc, len);
    json_str(&w, "clock", c->world.step_us ? "step" : "frozen");
    if (c->world.step_us)
        json_int(&w, "step_ms", c->world.step_us / 1000);
    json_str_opt(&w, "now", c->world.time);
    if (c->world.id_seed)
        json_int(&w, "seed", (int64_t)c->world.id_seed);
    json_str(&w, "journal", "none");
    json_end(&w);
    int rc = control(r, "POST", "/worlds", &body, &answer, err);
    buf_done(&body);
    if (rc)
        return rc;
    const char *key = json_get_str(answer, "world");
    if (!key)
        return sosia_fail(err, SOSIA_E_INVALID, "control", NULL, "%s is not a sosia", r->url);
    *ret_key = arena_strdup(&r->arena, key);
    return 0;
}

static int begin(struct target *t, const struct cassette *c, struct sosia_err *err)
{
    struct remote *r = (struct remote *)t;
    const char *doc, *key, *from;
    const struct json *answer = NULL;
    size_t len;
    if (cassette_world_document(&r->scenario, c, r->fixtures, &doc, &len, err) < 0)
        return -1;
    key = arena_printf(&r->scenario, "%s\n%lld\n%llu\n%.*s", c->world.time ? c->world.time : "",
                       (long long)c->world.step_us, (unsigned long long)c->world.id_seed, (int)len,
                       doc);
    from = map_get(&r->prepared, key);
    if (!from) {
        int rc = make_world(r, c, doc, len, &from, err);
        if (rc)
            return rc;
        if (arena_failed(&r->arena) || map_set(&r->prepared, key, (void *)from) < 0)
            return sosia_fail_memory(err);
    }
    int rc =
        control(r, "POST", arena_printf(&r->scenario, "/worlds/%s/fork", from), NULL, &answer, err);
    if (rc == 0 && !(r->world = json_get_str(answer, "world")))
        rc = sosia_fail(err, SOSIA_E_INVALID, "control", NULL, "%s is not a sosia", r->url);
    return rc;
}

static void end(struct target *t)
{
    struct remote *r = (struct remote *)t;
    if (r->world)
        control_world(r, "DELETE", "", NULL, NULL, NULL);
    r->world = NULL;
    map_done(&r->tokens);
    map_init(&r->tokens);
    arena_reset(&r->scenario);
}

static const char *token(struct target *t, const struct cassette_actor *actor)
{
    struct remote *r = (struct remote *)t;
    const char *known = map_get(&r->tokens, actor->name);
    const struct json *answer = NULL;
    struct buf body;
    struct json_writer w;
    if (known)
        return known;
    begin_body(&w, &body);
    json_str(&w, "actor", actor->email);
    json_str_opt(&w, "scopes", actor->scopes);
    json_end(&w);
    if (control_world(r, "POST", "/tokens", &body, &answer, NULL) != 0)
        return NULL;
    known = json_get_str(answer, "token");
    return known && map_set(&r->tokens, actor->name, (void *)known) == 0 ? known : NULL;
}

static const char *email(struct target *t, const struct cassette_actor *actor)
{
    return actor->email;
}

static int call(struct target *t, struct arena *a, const struct sosia_request *request,
                struct sosia_response *ret_response, struct sosia_err *err)
{
    struct remote *r = (struct remote *)t;
    const char *base = arena_printf(a, "%s/w/%s", r->url, r->world);
    return http_call(r->http, a, base, request, ret_response, err) < 0 ? TARGET_STOP : 0;
}

static int now(struct target *t, int64_t *ret_us, struct sosia_err *err)
{
    struct remote *r = (struct remote *)t;
    const struct json *answer = NULL;
    struct stamp s;
    int rc = control_world(r, "GET", "/clock", NULL, &answer, err);
    if (rc)
        return rc;
    const char *text = json_get_str(answer, "now");
    if (!text || stamp_parse(text, strlen(text), false, &s) < 0)
        return sosia_fail(err, SOSIA_E_INVALID, "control", NULL, "%s gives no time", r->url);
    *ret_us = s.local_us - s.offset * US_PER_SECOND;
    return 0;
}

static int advance(struct target *t, int64_t us, struct sosia_err *err)
{
    struct buf body;
    struct json_writer w;
    begin_body(&w, &body);
    json_int(&w, "us", us);
    json_end(&w);
    return control_world((struct remote *)t, "POST", "/clock/advance", &body, NULL, err);
}

static int seed(struct target *t, const char *doc, size_t len, struct sosia_err *err)
{
    struct buf body;
    buf_init(&body, 0);
    buf_add(&body, doc, len);
    return control_world((struct remote *)t, "POST", "/seed", &body, NULL, err);
}

static int reset(struct target *t, struct sosia_err *err)
{
    return control_world((struct remote *)t, "POST", "/reset", NULL, NULL, err);
}

static int revoke(struct target *t, const struct cassette_actor *actor, struct sosia_err *err)
{
    struct buf body;
    struct json_writer w;
    const char *text = token(t, actor);
    if (!text)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "token", NULL, "%s has no token", actor->name);
    begin_body(&w, &body);
    json_str(&w, "token", text);
    json_end(&w);
    return control_world((struct remote *)t, "POST", "/tokens/revoke", &body, NULL, err);
}

static int outbox(struct target *t, struct arena *a, int64_t after, const char **ret_json,
                  size_t *ret_len, struct sosia_err *err)
{
    struct remote *r = (struct remote *)t;
    const struct json *answer = NULL;
    const char *what = arena_printf(a, "/outbox?limit=1000&after=%lld", (long long)after);
    int rc = control_world(r, "GET", what, NULL, &answer, err);
    if (rc)
        return rc;
    const struct json *list = json_get(answer, "entries");
    struct buf b;
    struct json_writer w;
    if (!list)
        return sosia_fail(err, SOSIA_E_INVALID, "control", NULL, "%s has no outbox", r->url);
    json_start(&w, &b);
    json_value(&w, NULL, list);
    *ret_json = arena_memdup(a, b.data ? b.data : "", b.len);
    *ret_len = b.len;
    buf_done(&b);
    return 0;
}

static int drop_one(void *arg, const char *key, void *value)
{
    struct remote *r = arg;
    (void)key;
    control(r, "DELETE", arena_printf(&r->scenario, "/worlds/%s", (const char *)value), NULL, NULL,
            NULL);
    return 0;
}

static void close_remote(struct target *t)
{
    struct remote *r = (struct remote *)t;
    end(t);
    map_each(&r->prepared, drop_one, r);
    http_close(r->http);
    map_done(&r->prepared);
    map_done(&r->tokens);
    arena_done(&r->arena);
    arena_done(&r->scenario);
    free(r->url);
    free(r->auth);
    free(r);
}

static const struct target_ops ops = {begin,   end,  token, email,  call,   now,
                                      advance, seed, reset, revoke, outbox, close_remote};

int target_open_sosia(const char *url, const char *key, const char *ca_file, fixture_fn fixtures,
                      struct target **ret_target, struct sosia_err *err)
{
    struct remote *r = calloc(1, sizeof *r);
    if (!r)
        return sosia_fail_memory(err);
    r->base.ops = &ops;
    r->fixtures = fixtures;
    arena_init(&r->arena, 0);
    arena_init(&r->scenario, 0);
    map_init(&r->prepared);
    map_init(&r->tokens);
    r->http = http_open(ca_file);
    r->url = strdup(url);
    if (r->url)
        r->url[strlen(url) - (*url && url[strlen(url) - 1] == '/')] = 0;
    if (key && asprintf(&r->auth, "Bearer %s", key) < 0)
        r->auth = NULL;
    if (!r->http || !r->url || (key && !r->auth)) {
        close_remote(&r->base);
        return sosia_fail_memory(err);
    }
    r->base.name = r->url;
    *ret_target = &r->base;
    return 0;
}
