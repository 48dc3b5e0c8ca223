/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls. An answer is written into the environment's chunk, behind the one before, and its numbers
 * into an Int32Array: making a Buffer, a string or an object of it costs more than the call does,
 * so that JavaScript makes of it what it is asked for. What does not fit into the rest of the chunk
 * gets a Buffer of its own.
 *
 * An answer is its head, as Latin-1: name, NUL, value, NUL of each header, and then, where there is
 * one, why it is refused, and NUL; then its body.
 *
 * A promise's call runs on the calling thread too, where nothing keeps its world. Else it goes to a
 * thread of the pool.
 */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

struct promise {
    struct engine_slot *slot;
    struct spool *spool; /* which the call reads from */
    uint64_t world;
    bool keep; /* a large body comes by a stream */
    struct sosia_request request;
    struct sosia_response *response;
    struct sosia_err err;
    napi_deferred deferred;
    napi_async_work work;
    pthread_t caller;
    atomic_int state; /* of a call that may be answered later */
    void *heap[6];
    int n_heap;
};
enum { STATE_BEGUN, STATE_HERE, STATE_LATER };

/* ---- answers ---- */

static size_t head_size(const struct sosia_response *s)
{
    if (s->head)
        return s->head_len;
    size_t size = s->why ? strlen(s->why) + 1 : 0;
    for (size_t i = 0; i < s->n_headers; i++)
        size += strlen(s->headers[i].name) + strlen(s->headers[i].value) + 2;
    return size;
}

/* Gives what is behind it. */
static char *put_head(char *to, const struct sosia_response *s, size_t size)
{
    if (!size) /* and perhaps no memory for it */
        return to;
    if (s->head)
        return (char *)memcpy(to, s->head, size) + size;
    for (size_t i = 0; i < s->n_headers; i++) {
        to = stpcpy(to, s->headers[i].name) + 1;
        to = stpcpy(to, s->headers[i].value) + 1;
    }
    return s->why ? stpcpy(to, s->why) + 1 : to;
}

static bool put_answer(char *to, struct sosia_response *s, size_t head, size_t body)
{
    to = put_head(to, s, head);
    if (!s->read) {
        if (body)
            memcpy(to, s->body, body);
        return true;
    }
    for (size_t at = 0; at < body;) {
        int64_t n = s->read(s, (int64_t)at, to + at, body - at);
        if (n <= 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

static const int64_t most = (int64_t)4 << 30, large = 64 << 10; /* bytes */

static bool no_memory(struct sosia_err *err)
{
    *err =
        (struct sosia_err){.code = SOSIA_E_NO_MEMORY, .text = "there is no memory for the answer"};
    return false;
}

/* Puts the stream of the response, and how much it gives if that is known, beside what is there. */
static bool with_stream(struct inst *inst, struct engine_slot *slot, struct sosia_response *s,
                        napi_value *v)
{
    napi_value list = NULL, length = NULL;
    int64_t bytes = s->stream ? -1 : s->length;
    napi_value stream = stream_new(inst, slot, s);
    if (!stream || napi_create_array_with_length(inst->env, 3, &list) != napi_ok)
        return false;
    napi_set_element(inst->env, list, 0, *v);
    napi_set_element(inst->env, list, 1, stream);
    if (bytes >= 0 && napi_create_int64(inst->env, bytes, &length) == napi_ok)
        napi_set_element(inst->env, list, 2, length);
    *v = list;
    return true;
}

/* The answer as JavaScript gets it: its numbers, and where it is: NULL, which is undefined there,
 * in the chunk; else a Buffer of its own, or, [buffer, stream], its head and the stream that gives
 * its body. apart: not in the chunk. keep: a stream also where the body is a large file's. Frees or
 * hands on the response. */
static bool give(struct inst *inst, struct engine_slot *slot, struct sosia_response *s, bool apart,
                 bool keep, napi_value *ret_v, struct sosia_err *err)
{
    bool goes_on = s->stream || (keep && s->read && s->length > large), whole;
    size_t head = head_size(s), room = inst->chunk_size - inst->chunk_used;
    int64_t length = goes_on ? 0 : s->read ? s->length : (int64_t)s->body_len;
    if (length < 0 || length > most - (int64_t)head) {
        *err =
            (struct sosia_err){.code = SOSIA_E_TOO_LARGE, .text = "the answer has more than 4 GiB"};
        sosia_response_free(s);
        return false;
    }
    size_t body = (size_t)length;
    inst->number[NUMBER_STATUS] = s->status;
    inst->number[NUMBER_HEAD] = (int32_t)head;
    inst->number[NUMBER_BODY] = body > INT32_MAX ? -1 : (int32_t)body;
    if (!apart && !goes_on && head + body <= room) {
        inst->number[NUMBER_AT] = (int32_t)inst->chunk_used;
        whole = put_answer(inst->chunk_data + inst->chunk_used, s, head, body);
        inst->chunk_used += head + body;
        inst->number[NUMBER_ROOM] = (int32_t)(inst->chunk_size - inst->chunk_used);
    } else {
        void *to = NULL;
        napi_value buffer = NULL;
        if (napi_create_buffer(inst->env, head + body, &to, &buffer) != napi_ok) {
            sosia_response_free(s);
            return no_memory(err);
        }
        inst->number[NUMBER_AT] = 0;
        if (goes_on)
            put_head(to, s, head);
        whole = goes_on || put_answer(to, s, head, body);
        *ret_v = buffer;
        if (goes_on)
            return with_stream(inst, slot, s, ret_v) || no_memory(err);
    }
    sosia_response_free(s);
    if (!whole)
        *err = (struct sosia_err){.code = SOSIA_E_IO, .text = "the answer's body can't be read"};
    return whole;
}

/* call(engine, world[2], method, target, fields, body, baseUrl) */
static napi_value call(napi_env env, napi_callback_info info)
{
    struct args a;
    struct shorts shorts;
    struct sosia_request request = {0};
    struct sosia_response *response = NULL;
    struct sosia_err err = {0};
    args_begin(&a, env, info);
    uint64_t world = arg_world(&a, 1);
    struct engine_slot *slot = arg_request(&a, &shorts, &request);
    napi_value v = NULL;
    if (!slot)
        return args_done(&a, NULL);
    bool given = sosia_call(slot->engine, world, &request, &response, &err) == 0 &&
                 give(a.inst, slot, response, false, false, &v, &err);
    if (!given)
        args_throw(&a, &err);
    return args_done(&a, v);
}

/* callPlain(target, fields): what most calls are, without a body; numbers say the rest (addon.h),
 * and fields that are undefined are those of the plain call before. */
static napi_value call_plain(napi_env env, napi_callback_info info)
{
    struct args a;
    struct shorts shorts;
    struct sosia_request request = {0};
    struct sosia_response *response = NULL;
    struct sosia_err err = {0};
    args_begin(&a, env, info);
    uint64_t world = (uint64_t)(uint32_t)a.inst->number[NUMBER_HIGH] << 32 |
                     (uint32_t)a.inst->number[NUMBER_LOW];
    struct engine_slot *slot = arg_plain(&a, &shorts, &request);
    napi_value v = NULL;
    if (!slot)
        return args_done(&a, NULL);
    if (sosia_call(slot->engine, world, &request, &response, &err) < 0 ||
        !give(a.inst, slot, response, false, false, &v, &err))
        args_throw(&a, &err);
    return args_done(&a, v);
}

/* sessionOpen(engine, world[2], method, target, fields, body, baseUrl): [answer, session, number];
 * without the last two where the service has refused it */
static napi_value session_call(napi_env env, napi_callback_info info)
{
    struct args a;
    struct shorts shorts;
    struct sosia_request request = {0};
    struct sosia_response *response = NULL;
    struct sosia_err err = {0};
    napi_value external = NULL, v = NULL, list = NULL;
    args_begin(&a, env, info);
    uint64_t world = arg_world(&a, 1);
    struct engine_slot *slot = arg_request(&a, &shorts, &request);
    struct session *s = slot ? session_new(a.inst, slot, &external) : NULL;
    if (!s)
        return args_done(&a, NULL);
    if (session_open(s, world, &request, &response, &err) < 0 ||
        !give(a.inst, slot, response, true, false, &v, &err)) {
        args_throw(&a, &err);
        return args_done(&a, NULL);
    }
    napi_create_array(env, &list);
    napi_set_element(env, list, 0, v);
    if (session_number(s) >= 0) {
        napi_set_element(env, list, 1, external);
        napi_set_element(env, list, 2, js_int(&a, session_number(s)));
    }
    return args_done(&a, list);
}

/* ---- promises ---- */

void promise_free(struct promise *p)
{
    if (!p)
        return;
    sosia_response_free(p->response);
    for (int i = 0; i < p->n_heap; i++)
        free(p->heap[i]);
    free(p);
}

static void *keep(struct promise *p, const void *data, size_t len)
{
    char *copy = data ? malloc(len + 1) : NULL;
    if (!copy)
        return NULL;
    memcpy(copy, data, len);
    copy[len] = 0;
    p->heap[p->n_heap++] = copy;
    return copy;
}

/* What the request borrows becomes the promise's own. */
static bool keep_request(struct promise *p, const struct sosia_request *r)
{
    size_t size = 1;
    for (size_t i = 0; i < r->n_headers; i++)
        size += strlen(r->headers[i].name) + strlen(r->headers[i].value) + 2;
    struct sosia_header *fields = calloc(r->n_headers + 1, sizeof *fields);
    char *text = malloc(size);
    if (fields)
        p->heap[p->n_heap++] = fields;
    if (text)
        p->heap[p->n_heap++] = text;
    if (!fields || !text)
        return false;
    for (size_t i = 0; i < r->n_headers; i++) {
        fields[i].name = text;
        text = stpcpy(text, r->headers[i].name) + 1;
        fields[i].value = text;
        text = stpcpy(text, r->headers[i].value) + 1;
    }
    p->request = (struct sosia_request){
        .method = keep(p, r->method, strlen(r->method)),
        .target = keep(p, r->target, strlen(r->target)),
        .headers = fields,
        .n_headers = r->n_headers,
        .body = keep(p, r->body, r->body_len),
        .body_len = r->body_len,
        .spool = r->spool,
        .base_url = r->base_url ? keep(p, r->base_url, strlen(r->base_url)) : NULL,
    };
    return p->request.method && p->request.target && !r->base_url == !p->request.base_url &&
           !r->body == !p->request.body;
}

/* In JavaScript's thread. The promise gets [numbers ..., what give() gives]. */
void promise_settle(struct inst *inst, struct promise *p)
{
    napi_env env = inst->env;
    napi_handle_scope scope = NULL;
    napi_value v = NULL, list = NULL, number = NULL;
    struct sosia_response *response = p->response;
    p->response = NULL;
    spool_use(p->spool, false);
    napi_open_handle_scope(env, &scope);
    p->slot->busy--;
    inst_stay(inst, false);
    bool given = response && give(inst, p->slot, response, true, p->keep, &v, &p->err);
    if (given && napi_create_array_with_length(env, 4, &list) == napi_ok) {
        for (uint32_t i = NUMBER_STATUS; i <= NUMBER_BODY; i++)
            if (i != NUMBER_AT && napi_create_int32(env, inst->number[i], &number) == napi_ok)
                napi_set_element(env, list, i, number);
        napi_set_element(env, list, NUMBER_AT, v);
        napi_resolve_deferred(env, p->deferred, list);
    } else {
        if (!p->err.text[0])
            p->err =
                (struct sosia_err){.code = SOSIA_E_INTERNAL, .text = "no answer could be made"};
        napi_value error = error_of(inst, &p->err);
        if (error)
            napi_reject_deferred(env, p->deferred, error);
    }
    napi_close_handle_scope(env, scope);
    promise_free(p);
    inst_hold(inst);
}

/* From the calling thread, or one of the engine's. */
static void answered(void *arg, struct sosia_response *response)
{
    struct promise *p = arg;
    int begun = STATE_BEGUN;
    p->response = response;
    if (atomic_compare_exchange_strong(&p->state, &begun, STATE_HERE))
        return; /* it is looked at behind the call */
    struct note *note = calloc(1, sizeof *note);
    if (!note)
        return; /* the promise stays as it is: there is no memory to say anything */
    note->kind = NOTE_DONE;
    note->promise = p;
    inst_notify(p->slot->inst, note);
}

static void run_work(napi_env env, void *data)
{
    struct promise *p = data;
    sosia_call_async(p->slot->engine, p->world, &p->request, answered, p);
}

/* The answer is there, or is still waited for: for the disk, or for a receiver. */
static void end_work(napi_env env, napi_status status, void *data)
{
    struct promise *p = data;
    int begun = STATE_BEGUN;
    napi_delete_async_work(env, p->work);
    if (status != napi_ok || !atomic_compare_exchange_strong(&p->state, &begun, STATE_LATER))
        promise_settle(p->slot->inst, p);
}

static napi_value later(struct args *a, struct promise *p)
{
    napi_value promise = NULL;
    p->slot->busy++;
    inst_stay(a->inst, true);
    napi_create_promise(a->env, &p->deferred, &promise);
    return promise;
}

static napi_value in_pool(struct args *a, struct promise *p, const struct sosia_request *request,
                          struct spool *spool)
{
    napi_value name = NULL;
    napi_create_string_utf8(a->env, "sosia.call", NAPI_AUTO_LENGTH, &name);
    if (!keep_request(p, request) ||
        napi_create_async_work(a->env, NULL, name, run_work, end_work, p, &p->work) != napi_ok) {
        struct sosia_err err = {.code = SOSIA_E_NO_MEMORY,
                                .text = "there is no memory for the call"};
        args_throw(a, &err);
        promise_free(p);
        return NULL;
    }
    p->spool = spool;
    spool_use(spool, true);
    napi_value promise = later(a, p);
    napi_queue_async_work(a->env, p->work);
    return promise;
}

/* callAsync(as call() has them, keep): with a promise where the answer is not there at once. keep:
 * a large body comes by a stream. */
static napi_value call_async(napi_env env, napi_callback_info info)
{
    struct args a;
    struct shorts shorts;
    struct sosia_request request = {0};
    args_begin(&a, env, info);
    uint64_t world = arg_world(&a, 1);
    struct engine_slot *slot = arg_request(&a, &shorts, &request);
    bool keep = a.n > 8 && arg_bool(&a, 8, "keep");
    struct promise *p = slot && !a.failed ? calloc(1, sizeof *p) : NULL;
    if (slot && !a.failed && !p)
        args_fail(&a, "there is no memory for the call");
    if (!p)
        return args_done(&a, NULL);
    p->slot = slot;
    p->world = world;
    p->keep = keep;
    if (!sosia_call_try(slot->engine, world, &request, answered, p))
        return args_done(&a, in_pool(&a, p, &request, shorts.spool));
    int begun = STATE_BEGUN;
    if (atomic_compare_exchange_strong(&p->state, &begun, STATE_LATER))
        return args_done(&a, later(&a, p));
    struct sosia_response *response = p->response;
    struct sosia_err err = {.code = SOSIA_E_INTERNAL, .text = "no answer could be made"};
    p->response = NULL;
    promise_free(p);
    napi_value v = NULL;
    if (!response || !give(a.inst, slot, response, false, keep, &v, &err))
        args_throw(&a, &err);
    return args_done(&a, v);
}

const struct native call_natives[] = {{"sessionOpen", session_call},
                                      {"call", call},
                                      {"callPlain", call_plain},
                                      {"callAsync", call_async},
                                      {NULL, NULL}};
