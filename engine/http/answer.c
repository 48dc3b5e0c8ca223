/* SPDX-License-Identifier: Apache-2.0 */
/* The response of a call or of a refusal, as one block for its caller. */
#include "engine/http/answer.h"
#include "engine/base/handle.h"
#include "engine/http/hold.h"
#include "engine/http/own.h"
#include "engine/http/stream.h"
#include "engine/world/engine.h"
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Where a large body is handed over as it is instead of being copied. */
enum { BODY_KEPT = 16 * 1024 };

struct answer {
    struct sosia_response response; /* first: the public part */
    void *block;                    /* headers, their texts, body */
    void *more;                     /* headers in the place of those; NULL: there are no others */
    char *body;                     /* a block of its own; NULL: the body is behind the headers */
    struct blob_reader *reader;     /* where it is pulled from; NULL: it is not */
    int64_t first;                  /* in the blob */
};

/* ---- the block of an answer ---- */

/* A block of more than a kilobyte makes malloc() look through all that is free, each time: a thread
 * keeps the one that it freed last, or the larger of two, for its next answer. */
enum { SPARE_MOST = 4096 };
static _Thread_local void *spare;
static pthread_key_t thread_end;
static bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void drop_spare(void *unused)
{
    free(spare);
    spare = NULL;
}

static void make_key(void)
{
    has_key = pthread_key_create(&thread_end, drop_spare) == 0;
}

static void *block_take(size_t size)
{
    void *p = spare;
    if (!p || malloc_usable_size(p) < size)
        return malloc(size);
    spare = NULL;
    return p;
}

static void block_give(void *p)
{
    size_t size = p ? malloc_usable_size(p) : 0;
    if (!size || size > SPARE_MOST || (spare && malloc_usable_size(spare) >= size)) {
        free(p);
        return;
    }
    pthread_once(&once, make_key);
    if (!has_key || pthread_setspecific(thread_end, &spare) != 0) {
        free(p);
        return;
    }
    free(spare);
    spare = p;
}

/* ---- answers ---- */

static int64_t pull(struct sosia_response *response, int64_t at, char *to, size_t size)
{
    struct answer *r = (struct answer *)response;
    if (!handle_is_out(HANDLE_RESPONSE, response) || !to)
        return -1;
    int64_t left = response->length - at;
    if (at < 0 || left < 0)
        return -1;
    if ((int64_t)size > left)
        size = (size_t)left;
    return blob_reader_copy(r->reader, r->first + at, size, to, NULL) < 0 ? -1 : (int64_t)size;
}

int answer_open(struct call *c, struct world *w)
{
    if (!c->sent.n)
        return 0;
    return blob_reader_open_tree(&w->now, c->sent.blob.id, &c->reader, c->tx.err);
}

struct sosia_response *answer_make(struct call *c)
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
    struct sosia_header *headers = block_take(c->n_headers * sizeof *headers + texts + behind + 1);
    struct answer *r = headers ? handle_new(HANDLE_RESPONSE, sizeof *r) : NULL;
    if (!r) {
        block_give(headers);
        free(body);
        return NULL;
    }
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
                                      .wire = c->wire,
                                      .said = (int64_t)c->whole,
                                      .delay_ms = c->delay_ms,
                                      .why = reason,
                                      .head = (char *)(headers + c->n_headers),
                                      .head_len = texts},
                         .block = headers,
                         .body = body,
                         .reader = c->reader,
                         .first = c->sent.first};
    c->reader = NULL;
    c->stream = NULL;
    return &r->response;
}

int response_add(struct sosia_response *response, const char *name, const char *value)
{
    struct answer *r = (struct answer *)response;
    size_t n = response->n_headers, n_name = strlen(name) + 1, n_value = strlen(value) + 1;
    struct sosia_header *headers =
        r->more ? NULL : malloc((n + 1) * sizeof *headers + n_name + n_value);
    if (!headers)
        return -1;
    char *text = (char *)(headers + n + 1);
    memcpy(headers, response->headers, n * sizeof *headers);
    headers[n] = (struct sosia_header){.name = memcpy(text, name, n_name),
                                       .value = memcpy(text + n_name, value, n_value)};
    r->more = headers;
    response->headers = headers;
    response->n_headers = n + 1;
    response->head = NULL;
    response->head_len = 0;
    return 0;
}

struct sosia_response *answer_stream(struct sosia_stream *s, const struct sosia_header *headers,
                                     size_t n_headers)
{
    struct sosia_header *copy = malloc((n_headers + 1) * sizeof *copy);
    struct answer *r = copy ? handle_new(HANDLE_RESPONSE, sizeof *r) : NULL;
    if (!r) {
        free(copy);
        stream_close(s);
        return NULL;
    }
    memcpy(copy, headers, n_headers * sizeof *copy);
    *r = (struct answer){.response = {.status = 200,
                                      .headers = copy,
                                      .n_headers = n_headers,
                                      .body = "",
                                      .stream = s},
                         .block = copy};
    return &r->response;
}

int sosia_response_free(struct sosia_response *response)
{
    struct answer *r = (struct answer *)response;
    if (!r)
        return 0;
    if (handle_end(HANDLE_RESPONSE, r) < 0)
        return -1;
    stream_close(r->response.stream);
    blob_reader_close(r->reader);
    free(r->body);
    free(r->more);
    block_give(r->block);
    *r = (struct answer){
        .response = {.body = ""}}; /* this is read by a caller that still looks at it */
    handle_free(HANDLE_RESPONSE, r);
    return 0;
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

void answer_refusal(struct call *c)
{
    buf_clear(c->body_out);
    stream_close(c->stream);
    c->stream = NULL;
    c->sent = (struct sent){0};
    blob_reader_close(c->reader);
    c->reader = NULL;
    c->n_headers = 0;
    c->status = 0;
    c->suspended = 0;
    if (c->front && c->tx.world) {
        c->status = sosia_code_status(c->tx.err->code);
        json_init(c->out, c->body_out, c->pretty, NULL);
        c->front->error(c);
    } else if (!c->front && c->tx.err->code == SOSIA_E_NOT_FOUND && c->tx.err->reason &&
               strcmp(c->tx.err->reason, "unknownMethod") == 0)
        own_not_found(c);
    else
        plain_error(c);
    if (c->stop)
        call_header_const(c, "X-Sosia-Stop", c->stop);
}
