/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls. An answer is written into the environment's chunk, behind the one before, and its numbers
 * into an Int32Array: making a Buffer, a string or an object of it costs more than the call does,
 * so that JavaScript makes of it what it is asked for. What does not fit into the rest of the chunk
 * gets a Buffer of its own.
 *
 * An answer is its head, as Latin-1: why it is refused, or nothing, and a line feed; name, line
 * feed, value, line feed of each header; then its body.
 *
 * A promise's call runs on the calling thread too, where nothing keeps its world. Else it goes to a
 * thread of the pool.
 */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 4096, MANY = 24 };

/* Of a request the texts that are short, which most are. */
struct shorts {
    char text[SMALL], body[SMALL];
    struct sosia_header fields[MANY];
    size_t used;
};

struct promise {
    struct engine_slot *slot;
    uint64_t world;
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

static const char *short_text(struct args *a, struct shorts *s, size_t i, const char *name)
{
    size_t room = SMALL - s->used, len = 0;
    char *text = s->text + s->used;
    napi_status rc = room > 16 ? napi_get_value_string_utf8(a->env, a->v[i], text, room, &len)
                               : napi_generic_failure;
    if (rc != napi_ok || len + 4 >= room) /* a character that does not fit is left out */
        return arg_text(a, i, name, NULL);
    if (memchr(text, 0, len)) {
        args_fail(a, "%s must have no NUL in it", name);
        return NULL;
    }
    s->used += len + 1;
    return text;
}

/* "name\nvalue\n..." */
static void short_fields(struct args *a, struct shorts *s, size_t i, struct sosia_request *r)
{
    char *text = (char *)short_text(a, s, i, "headers"), *p = text, *end;
    size_t n = 0;
    for (; text && n < MANY; n++) {
        s->fields[n].name = p;
        if (!(end = strchr(p, '\n')))
            break;
        s->fields[n].value = end + 1;
        if (!(p = strchr(end + 1, '\n')))
            break;
        p++;
    }
    if (text && n < MANY && p && !*p) {
        for (size_t k = 0; k < n; k++) {
            char *value = (char *)s->fields[k].value;
            value[-1] = 0;
            *strchr(value, '\n') = 0;
        }
        r->headers = s->fields;
        r->n_headers = n;
    } else if (text) {
        r->headers = split_fields(a, text, &r->n_headers);
    }
}

static void short_body(struct args *a, struct shorts *s, size_t i, struct sosia_request *r)
{
    size_t len = 0;
    if (napi_get_value_string_utf8(a->env, a->v[i], s->body, SMALL, &len) == napi_ok &&
        len + 4 < SMALL) {
        r->body = s->body;
        r->body_len = len;
    } else {
        r->body = arg_bytes(a, i, "body", &r->body_len);
    }
}

/* (engine, world[2], method, target, fields, body, baseUrl) */
static struct engine_slot *take_request(struct args *a, struct shorts *s, struct sosia_request *r)
{
    struct engine_slot *slot = arg_slot(a, 0);
    s->used = 0;
    r->method = short_text(a, s, 3, "method");
    r->target = short_text(a, s, 4, "target");
    if (!r->method || !r->target)
        args_fail(a, "method and target must be strings");
    short_fields(a, s, 5, r);
    napi_valuetype type = napi_undefined;
    if (a->n > 6)
        napi_typeof(a->env, a->v[6], &type);
    if (type != napi_undefined && type != napi_null)
        short_body(a, s, 6, r);
    r->base_url = a->n > 7 ? arg_text(a, 7, "baseUrl", NULL) : NULL;
    return a->failed ? NULL : slot;
}

/* ---- answers ---- */

static size_t head_size(const struct sosia_response *s)
{
    size_t size = (s->why ? strlen(s->why) : 0) + 1;
    for (size_t i = 0; i < s->n_headers; i++)
        size += strlen(s->headers[i].name) + strlen(s->headers[i].value) + 2;
    return size;
}

static char *put_line(char *to, const char *text)
{
    size_t len = text ? strlen(text) : 0;
    if (len)
        memcpy(to, text, len);
    for (size_t i = 0; i < len; i++) /* a line is one line */
        if (to[i] == '\n')
            to[i] = ' ';
    to[len] = '\n';
    return to + len + 1;
}

static bool put_answer(char *to, struct sosia_response *s, size_t body)
{
    to = put_line(to, s->why);
    for (size_t i = 0; i < s->n_headers; i++) {
        to = put_line(to, s->headers[i].name);
        to = put_line(to, s->headers[i].value);
    }
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

static const int64_t most = (int64_t)4 << 30;

/* The answer as JavaScript gets it: its numbers, and undefined where it is in the chunk, a Buffer
 * of its own, or the stream that it goes on with, whose head is in a Buffer beside it: [buffer,
 * stream]. Frees or hands on the response. */
static napi_value give(struct inst *inst, struct engine_slot *slot, struct sosia_response *s,
                       bool apart, struct sosia_err *err)
{
    napi_env env = inst->env;
    napi_value v = NULL;
    size_t head = head_size(s), body = 0, room = inst->chunk_size - inst->chunk_used;
    int64_t length = s->stream ? 0 : s->read ? s->length : (int64_t)s->body_len;
    if (length < 0 || length > most - (int64_t)head) {
        *err =
            (struct sosia_err){.code = SOSIA_E_TOO_LARGE, .text = "the answer has more than 4 GiB"};
        sosia_response_free(s);
        return NULL;
    }
    body = (size_t)length;
    inst->number[NUMBER_STATUS] = s->status;
    inst->number[NUMBER_HEAD] = (int32_t)head;
    inst->number[NUMBER_BODY] = body > INT32_MAX ? -1 : (int32_t)body;
    bool fits = !apart && !s->stream && head + body <= room, whole;
    if (fits) {
        inst->number[NUMBER_AT] = (int32_t)inst->chunk_used;
        whole = put_answer(inst->chunk_data + inst->chunk_used, s, body);
        inst->chunk_used += head + body;
        napi_get_undefined(env, &v);
    } else {
        void *to = NULL;
        if (napi_create_buffer(env, head + body, &to, &v) != napi_ok) {
            *err = (struct sosia_err){.code = SOSIA_E_NO_MEMORY,
                                      .text = "there is no memory for the answer"};
            sosia_response_free(s);
            return NULL;
        }
        inst->number[NUMBER_AT] = 0;
        whole = put_answer(to, s, body);
    }
    inst->number[NUMBER_ROOM] = (int32_t)(inst->chunk_size - inst->chunk_used);
    if (whole && s->stream) {
        napi_value pair = NULL, stream = stream_new(inst, slot, s);
        if (!stream)
            return NULL;
        napi_create_array_with_length(env, 2, &pair);
        napi_set_element(env, pair, 0, v);
        napi_set_element(env, pair, 1, stream);
        return pair;
    }
    sosia_response_free(s);
    if (!whole)
        *err = (struct sosia_err){.code = SOSIA_E_IO, .text = "the answer's body can't be read"};
    return whole ? v : NULL;
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
    struct engine_slot *slot = take_request(&a, &shorts, &request);
    napi_value v = NULL;
    if (!slot)
        return args_done(&a, NULL);
    if (sosia_call(slot->engine, world, &request, &response, &err) == 0)
        v = give(a.inst, slot, response, false, &err);
    if (!v)
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
    struct engine_slot *slot = take_request(&a, &shorts, &request);
    struct session *s = slot ? session_new(a.inst, slot, &external) : NULL;
    if (!s)
        return args_done(&a, NULL);
    if (session_open(s, world, &request, &response, &err) == 0)
        v = give(a.inst, slot, response, true, &err);
    if (!v) {
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
    napi_open_handle_scope(env, &scope);
    p->slot->busy--;
    inst_stay(inst, false);
    if (response)
        v = give(inst, p->slot, response, true, &p->err);
    if (v && napi_create_array_with_length(env, 4, &list) == napi_ok) {
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

static napi_value in_pool(struct args *a, struct promise *p, const struct sosia_request *request)
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
    napi_value promise = later(a, p);
    napi_queue_async_work(a->env, p->work);
    return promise;
}

/* As call(), with a promise where the answer is not there at once. */
static napi_value call_async(napi_env env, napi_callback_info info)
{
    struct args a;
    struct shorts shorts;
    struct sosia_request request = {0};
    args_begin(&a, env, info);
    uint64_t world = arg_world(&a, 1);
    struct engine_slot *slot = take_request(&a, &shorts, &request);
    struct promise *p = slot ? calloc(1, sizeof *p) : NULL;
    if (slot && !p)
        args_fail(&a, "there is no memory for the call");
    if (!p)
        return args_done(&a, NULL);
    p->slot = slot;
    p->world = world;
    if (!sosia_call_try(slot->engine, world, &request, answered, p))
        return args_done(&a, in_pool(&a, p, &request));
    int begun = STATE_BEGUN;
    if (atomic_compare_exchange_strong(&p->state, &begun, STATE_LATER))
        return args_done(&a, later(&a, p));
    struct sosia_response *response = p->response;
    struct sosia_err err = {.code = SOSIA_E_INTERNAL, .text = "no answer could be made"};
    p->response = NULL;
    promise_free(p);
    napi_value v = response ? give(a.inst, slot, response, false, &err) : NULL;
    if (!v)
        args_throw(&a, &err);
    return args_done(&a, v);
}

const struct native call_natives[] = {
    {"sessionOpen", session_call}, {"call", call}, {"callAsync", call_async}, {NULL, NULL}};
