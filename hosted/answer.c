/* SPDX-License-Identifier: Apache-2.0 */
/* Answers, in the form of the framework that the service is made with. */
#include "hosted/impl.h"
#include <stdarg.h>
#include <stdio.h>

int hosted_answer(struct hosted_call *c, int status, struct buf *body)
{
    server_answer_buf(c->response, status, body);
    c->response->content_type = "application/json";
    return 0;
}

void hosted_begin(struct buf *b, struct json_writer *w)
{
    buf_init(b, 0);
    json_init(w, b, false, NULL);
    json_obj(w, NULL);
}

int hosted_refuse(struct hosted_call *c, int status, const char *fmt, ...)
{
    struct json_writer w;
    struct buf b;
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(&c->arena, fmt, ap);
    va_end(ap);
    hosted_begin(&b, &w);
    if (c->e2b)
        json_int(&w, "code", status);
    json_str(&w, c->e2b ? "message" : "detail", text);
    json_end(&w);
    return hosted_answer(c, status, &b);
}

int hosted_busy(struct hosted_call *c, int64_t wait_s)
{
    char *text = server_alloc(c->request, 24);
    snprintf(text, 24, "%lld", (long long)wait_s);
    c->response->headers[c->response->n_headers++] = (struct sosia_header){"Retry-After", text};
    return hosted_refuse(c, 429, "Rate limit exceeded: %lld calls a second",
                         (long long)c->tenant->max_calls);
}

int hosted_full(struct hosted_call *c)
{
    return hosted_refuse(c, 429, "The sandboxes of this API key hold more than %lld bytes",
                         (long long)c->tenant->max_bytes);
}

int hosted_many(struct hosted_call *c)
{
    return hosted_refuse(c, 429, "This API key may have %lld sandboxes at a time",
                         (long long)c->tenant->max_sandboxes);
}

/* What an engine refuses is the request's fault, or the machine's. Clients try again what is a
 * server's error. */
int hosted_failed(struct hosted_call *c)
{
    int status = sosia_code_status(c->err.code);
    if (status == 404 && c->sandbox) /* somebody else has ended it meanwhile */
        return hosted_refuse(c, 404, "Sandbox not found");
    return hosted_refuse(c, status, "%s", c->err.text);
}

int hosted_faults(struct hosted_call *c)
{
    struct buf b;
    if (c->e2b) /* which says one thing */
        return hosted_refuse(c, 400, "Error when parsing request: %s", c->fault_text);
    buf_init(&b, 0);
    buf_puts(&b, "{\"detail\":[");
    buf_add(&b, c->faults.data, c->faults.len);
    buf_puts(&b, "]}");
    b.failed |= c->faults.failed;
    return hosted_answer(c, 422, &b);
}

void hosted_time(struct json_writer *w, const char *key, int64_t us)
{
    char text[STAMP_TEXT];
    stamp_format(text, us, 0, 6, false);
    json_str(w, key, text);
}
