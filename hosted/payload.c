/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads: what a sandbox is initialized with, and its content in the same shape. A payload
 * becomes a seed document, which is applied as a whole or not at all. */
#include "hosted/impl.h"
#include <strings.h>

#define HERE (16u << 10)  /* bytes of a payload that a thread which serves others reads */
#define KEPT (256u << 10) /* bytes of a world of which it makes a dump */

/* The published client for Node asks for initialize and dump of this server alone, whatever the
 * sandbox is: there it is the sandbox's own. */
static bool is_any(const char *server)
{
    return strcasecmp(server, "snowflake") == 0;
}

static bool take(struct hosted_call *c)
{
    const char *server = hosted_path(c, "server_name");
    const struct service *service = service_named(server);
    if (str_starts(c->request->path, "/local-sandbox/"))
        return hosted_local_take_server(c);
    c->sandbox = sandbox_take(c->h, c->tenant, hosted_path(c, "sandbox_id"));
    if (c->sandbox && c->sandbox->kind == KIND_SANDBOX &&
        (is_any(server) || c->sandbox->service == service)) {
        c->service = c->sandbox->service;
        return true;
    }
    hosted_refuse(c, 404, "Sandbox not found");
    return false;
}

static bool would_wait(struct hosted_call *c)
{
    struct sosia_world_info info;
    if (c->request->on_worker)
        return false;
    return c->sandbox->kind == KIND_LOCAL ||
           sosia_world_info(c->h->engine, c->sandbox->world, &info, NULL) < 0 ||
           sosia_world_busy(c->h->engine, info.key) || info.size > KEPT ||
           c->request->body_len > HERE;
}

/* ---- initialize ---- */

/* One value of two: lists have the items of both, objects the members. */
static void merge(struct json_writer *w, const char *key, const struct json *first,
                  const struct json *second)
{
    if (!first || !second || first->type != second->type ||
        (first->type != JSON_ARRAY && first->type != JSON_OBJECT)) {
        json_value(w, key, second && (second->type != JSON_NULL || !first) ? second : first);
        return;
    }
    if (first->type == JSON_ARRAY) {
        json_arr(w, key);
        for (uint32_t i = 0; i < first->n + second->n; i++)
            json_value(w, NULL, i < first->n ? &first->items[i] : &second->items[i - first->n]);
    } else {
        json_obj(w, key);
        for (uint32_t i = 0; i < first->n; i++)
            merge(w, first->members[i].key, &first->members[i].value,
                  json_get(second, first->members[i].key));
        for (uint32_t i = 0; i < second->n; i++)
            if (!json_get(first, second->members[i].key))
                json_value(w, second->members[i].key, &second->members[i].value);
    }
    json_end(w);
}

static const struct json *merged(struct hosted_call *c, const struct json *first,
                                 const struct json *second)
{
    const struct json *both = NULL;
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    merge(&w, NULL, first, second);
    if (buf_failed(&b))
        sosia_fail_memory(&c->err);
    else
        json_parse(&c->arena, b.data, b.len, NULL, &both, &c->err);
    buf_done(&b);
    return both;
}

static const struct json *payload_of(struct hosted_call *c)
{
    const struct service *s = c->service;
    const struct json *defaults = NULL;
    if (!hosted_query_true(c, "init_default_data"))
        return c->body;
    if (json_parse(&c->arena, s->defaults, strlen(s->defaults), NULL, &defaults, &c->err) < 0)
        return NULL;
    return c->body ? merged(c, defaults, c->body) : defaults;
}

static int answer_initialized(struct hosted_call *c)
{
    struct json_writer w;
    struct buf b;
    int64_t total = 0;
    for (size_t i = 0; i < c->n_kinds; i++)
        total += c->n_made[i];
    hosted_begin(&b, &w);
    json_str(&w, "sandbox_id", c->sandbox->id);
    json_str(&w, "status", "occupied");
    json_str(&w, "message",
             arena_printf(&c->arena, "Created %lld total records across all object types",
                          (long long)total));
    json_obj(&w, "records_created");
    for (size_t i = 0; i < c->n_kinds; i++)
        json_int(&w, c->made[i], c->n_made[i]);
    json_end(&w);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

/* What the world does not take of a document whose members have their types. */
static int refuse_document(struct hosted_call *c)
{
    if (c->err.code == SOSIA_E_NOT_FOUND && !c->err.line)
        return hosted_refuse(c, 404, "Sandbox not found");
    if (sosia_code_status(c->err.code) >= 500 || c->err.code == SOSIA_E_TOO_LARGE)
        return hosted_failed(c);
    fault_value(c, &(struct place){.name = "body"}, NULL, "%s", c->err.text);
    return hosted_faults(c);
}

/* 0: it is in the sandbox; 1: refused; -1: c->err. */
static int apply(struct hosted_call *c, const struct json *data)
{
    const struct service *s = c->service;
    struct json_writer w;
    struct buf b;
    hosted_begin(&b, &w);
    json_int(&w, "sosia", 1);
    int rc = s->seed(c, data, &w);
    json_end(&w);
    if (rc == 0 && buf_failed(&b))
        rc = sosia_fail_memory(&c->err);
    if (rc == 0 && !c->n_faults)
        rc = sosia_world_seed(c->h->engine, c->sandbox->world, b.data, b.len, "the payload",
                              &c->err);
    buf_done(&b);
    return rc < 0 ? -1 : c->n_faults > 0;
}

int hosted_initialize(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const struct place body = {.name = "body"};
    if (!take(c))
        return 0;
    if (would_wait(c))
        return SERVER_SLOW;
    if (c->body)
        check_model(c, c->service->data, c->body, &body, true);
    if (c->n_faults)
        return hosted_faults(c);
    if (tenant_full(c->h, c->tenant, false))
        return hosted_full(c);
    const struct json *data = payload_of(c);
    if (c->err.code)
        return hosted_failed(c);
    int r = (c->token = sandbox_token(c, c->sandbox)) && data ? apply(c, data) : 0;
    if (r > 0)
        return hosted_faults(c);
    if (r < 0 || !c->token)
        return refuse_document(c);
    pthread_mutex_lock(&c->h->lock);
    c->tenant->bytes += (int64_t)c->request->body_len; /* until they are counted */
    pthread_mutex_unlock(&c->h->lock);
    return sandbox_changed(c, c->sandbox) < 0 ? refuse_document(c) : answer_initialized(c);
}

/* ---- dump ---- */

int hosted_dump(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct json_writer w;
    struct buf b;
    if (!take(c))
        return 0;
    if (would_wait(c))
        return SERVER_SLOW;
    if (!(c->token = sandbox_token(c, c->sandbox)))
        return refuse_document(c);
    hosted_begin(&b, &w);
    json_str(&w, "sandbox_id", c->sandbox->id);
    json_str(&w, "server_name", c->service->name);
    hosted_time(&w, "dumped_at", real_us());
    json_obj(&w, "data");
    if (c->service->dump(c, &w) < 0) {
        buf_done(&b);
        return refuse_document(c);
    }
    json_end(&w);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}
