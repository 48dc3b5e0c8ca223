/* SPDX-License-Identifier: Apache-2.0 */
/* The server about itself: limits, health, figures, its own description. And the plain answers. */
#include "server/control/operation.h"
#include <stdlib.h>

int control_answer(struct control_call *c, int status, struct buf *body)
{
    buf_byte(body, '\n');
    server_answer_buf(c->response, status, body);
    return 0;
}

int control_answer_empty(struct control_call *c)
{
    c->response->status = 204;
    return 0;
}

int control_answer_member(struct control_call *c, const char *name, struct sosia_blob *blob)
{
    struct buf b;
    buf_init(&b, 0);
    buf_grow(&b, blob->len + 64);
    buf_printf(&b, "{\"%s\":", name);
    while (blob->len && blob->data[blob->len - 1] == '\n')
        blob->len--;
    buf_add(&b, blob->data, blob->len);
    buf_byte(&b, '}');
    sosia_blob_free(blob);
    return control_answer(c, 200, &b);
}

/* ---- limits, health ---- */

static void write_limit(struct json_writer *w, const char *name, uint64_t limit)
{
    if (limit)
        json_int(w, name, (int64_t)limit);
    else
        json_null(w, name);
}

int control_limits(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_engine_info info;
    struct json_writer w;
    struct buf b;
    sosia_engine_info(c->engine, &info);
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_int(&w, "worlds", (int64_t)info.worlds);
    json_int(&w, "bytes", (int64_t)info.size);
    write_limit(&w, "max_worlds", info.max_worlds);
    write_limit(&w, "max_bytes", info.max_size);
    write_limit(&w, "max_world_bytes", info.max_world_size);
    json_end(&w);
    return control_answer(c, 200, &b);
}

int control_health(struct call *call)
{
    struct control_call *c = control_of(call);
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "status", "ok");
    json_str(&w, "version", sosia_version());
    json_str(&w, "tzdata", sosia_tzdata_version());
    json_end(&w);
    return control_answer(c, 200, &b);
}

/* ---- metrics ---- */

static void head(struct buf *b, const char *name, const char *type, const char *help)
{
    buf_printf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void figure(struct buf *b, const char *name, const char *type, const char *help, uint64_t v)
{
    head(b, name, type, help);
    buf_printf(b, "%s %llu\n", name, (unsigned long long)v);
}

static void write_latency(struct buf *b, const struct server_metrics *m)
{
    uint64_t n = 0;
    head(b, "sosia_request_seconds", "histogram", "Time from a request's arrival to its answer.");
    for (int i = 0; i < SERVER_LATENCY_BUCKETS; i++) {
        n += m->latency[i];
        if (i + 1 < SERVER_LATENCY_BUCKETS)
            buf_printf(b, "sosia_request_seconds_bucket{le=\"%.9g\"} %llu\n",
                       (double)(UINT64_C(1) << i) / 1e6, (unsigned long long)n);
    }
    buf_printf(b, "sosia_request_seconds_bucket{le=\"+Inf\"} %llu\n", (unsigned long long)n);
    buf_printf(b, "sosia_request_seconds_sum %.6f\n", (double)m->latency_us / 1e6);
    buf_printf(b, "sosia_request_seconds_count %llu\n", (unsigned long long)n);
}

static void write_server(struct buf *b, const struct server_metrics *m)
{
    head(b, "sosia_requests_total", "counter", "Requests answered, by status.");
    for (int i = 0; i < 600; i++)
        if (m->status[i])
            buf_printf(b, "sosia_requests_total{code=\"%d\"} %llu\n", i,
                       (unsigned long long)m->status[i]);
    figure(b, "sosia_control_requests_total", "counter",
           "Requests answered by the control interface.", m->control_requests);
    write_latency(b, m);
    figure(b, "sosia_received_bytes_total", "counter", "Bytes of request bodies.", m->bytes_in);
    figure(b, "sosia_sent_bytes_total", "counter", "Bytes of answers' bodies.", m->bytes_out);
    figure(b, "sosia_connections_total", "counter", "Connections accepted.", m->connections);
    figure(b, "sosia_connections", "gauge", "Connections open.", m->open_connections);
    figure(b, "sosia_connections_moved_total", "counter",
           "Connections that went to another serving thread.", m->moved);
    figure(b, "sosia_connection_timeouts_total", "counter", "Connections closed by a deadline.",
           m->timeouts);
    figure(b, "sosia_webhooks_total", "counter", "Webhooks sent.", m->webhooks);
    figure(b, "sosia_webhook_failures_total", "counter", "Webhooks that failed.",
           m->webhook_failures);
}

int control_metrics(struct call *call)
{
    struct control_call *c = control_of(call);
    struct server *server = atomic_load(&c->control->server);
    struct sosia_engine_info info;
    struct buf b;
    sosia_engine_info(c->engine, &info);
    buf_init(&b, 0);
    head(&b, "sosia_info", "gauge", "The version that runs.");
    buf_printf(&b, "sosia_info{version=\"%s\"} 1\n", sosia_version());
    figure(&b, "sosia_worlds", "gauge", "Worlds and snapshots.", info.worlds);
    figure(&b, "sosia_world_bytes", "gauge", "Bytes that worlds hold of their own.", info.size);
    figure(&b, "sosia_sessions", "gauge", "Sessions open (WebSockets).",
           sosia_session_total(c->engine));
    if (info.durable)
        figure(&b, "sosia_failed_writes_total", "counter",
               "Batches of changes that the data directory did not take.", info.failed_writes);
    if (server) {
        struct server_metrics *m = malloc(sizeof *m);
        if (!m) {
            buf_done(&b);
            return sosia_fail_memory(&c->err);
        }
        server_metrics(server, m);
        write_server(&b, m);
        free(m);
    }
    c->response->content_type = "text/plain; version=0.0.4; charset=utf-8";
    server_answer_buf(c->response, 200, &b);
    return 0;
}

/* ---- the description ---- */

static void keep(void *arg)
{
    (void)arg;
}

int control_describe(struct call *call)
{
    struct control_call *c = control_of(call);
    c->response->body = c->control->openapi.data;
    c->response->body_len = c->control->openapi.len;
    c->response->free_body = keep;
    return 0;
}
