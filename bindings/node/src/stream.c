/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that go on. A stream owns its response; it ends when it is collected, closed, or its
 * engine is. */
#include "addon.h"

#include <stdlib.h>

static const napi_type_tag stream_tag = {0x3c9a1f7be0d24c55, 0xa1b2f09d7e6c4b10};

static void end(struct stream *s)
{
    struct sosia_response *response = s->response;
    s->response = NULL;
    sosia_response_free(response); /* nobody is notified any more */
}

static void unlink_stream(struct stream *s)
{
    if (!s->inst)
        return;
    if (s->prev)
        s->prev->next = s->next;
    else
        s->inst->streams = s->next;
    if (s->next)
        s->next->prev = s->prev;
    s->inst = NULL;
}

static void collected(napi_env env, void *data, void *hint)
{
    struct stream *s = data;
    end(s);
    unlink_stream(s);
    free(s);
}

void streams_end(struct inst *inst, struct engine_slot *slot)
{
    for (struct stream *s = inst->streams, *next; s; s = next) {
        next = s->next;
        if (slot && s->slot != slot)
            continue;
        end(s);
        if (!slot)
            unlink_stream(s);
    }
}

napi_value stream_new(struct inst *inst, struct engine_slot *slot, struct sosia_response *response)
{
    struct stream *s = calloc(1, sizeof *s);
    napi_value v = NULL;
    if (!s || napi_create_external(inst->env, s, collected, NULL, &v) != napi_ok) {
        free(s);
        sosia_response_free(response);
        return NULL;
    }
    napi_type_tag_object(inst->env, v, &stream_tag);
    s->inst = inst;
    s->slot = slot;
    s->response = response;
    s->id = inst->next_stream++;
    s->next = inst->streams;
    if (s->next)
        s->next->prev = s;
    inst->streams = s;
    return v;
}

static struct stream *arg_stream(struct args *a)
{
    napi_valuetype type = napi_undefined;
    bool is = false;
    void *stream = NULL;
    napi_typeof(a->env, a->v[0], &type);
    if (type == napi_external &&
        napi_check_object_type_tag(a->env, a->v[0], &stream_tag, &is) == napi_ok && is)
        napi_get_value_external(a->env, a->v[0], &stream);
    if (!stream)
        args_fail(a, "argument 1 must be a stream");
    return stream;
}

/* By any thread, under a lock. */
static void woken(void *arg)
{
    struct stream *s = arg;
    struct note *note = calloc(1, sizeof *note);
    if (!note)
        return;
    note->kind = NOTE_WAKE;
    note->id = s->id;
    inst_notify(s->inst, note);
}

/* streamWake(stream): its id, which notes have from now on. */
static napi_value stream_wake(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct stream *s = arg_stream(&a);
    if (!s)
        return args_done(&a, NULL);
    if (s->response)
        sosia_stream_wake(s->response->stream, 0, woken, s);
    return args_done(&a, js_int(&a, s->id));
}

/* streamTake(stream): a Buffer; null: nothing at the moment; undefined: it has ended. */
static napi_value stream_take(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct stream *s = arg_stream(&a);
    char bytes[16384];
    napi_value v = NULL;
    if (!s)
        return args_done(&a, NULL);
    int64_t n = s->response ? sosia_stream_take(s->response->stream, bytes, sizeof bytes) : -1;
    if (n < 0)
        napi_get_undefined(env, &v);
    else if (n == 0)
        napi_get_null(env, &v);
    else
        napi_create_buffer_copy(env, (size_t)n, bytes, NULL, &v);
    return args_done(&a, v);
}

static napi_value stream_close(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct stream *s = arg_stream(&a);
    if (s)
        end(s);
    return args_done(&a, NULL);
}

const struct native stream_natives[] = {{"streamWake", stream_wake},
                                        {"streamTake", stream_take},
                                        {"streamClose", stream_close},
                                        {NULL, NULL}};
