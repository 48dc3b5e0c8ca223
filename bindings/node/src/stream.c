/* SPDX-License-Identifier: Apache-2.0 */
/* Answers whose body comes in pieces: those that go on, and large files, which are read as far as
 * somebody asks. A stream owns its response; it ends when it is collected, closed, or its engine
 * is. */
#include "addon.h"

#include <stdlib.h>

enum { PIECE = 64 << 10 }; /* bytes */

struct stream {
    struct held held;                /* first */
    struct sosia_response *response; /* NULL: freed */
    int64_t at;                      /* of a file's content */
    bool file;                       /* it has a length: what ends before is cut */
    bool over;                       /* all was taken, or nobody wants the rest */
};

static void end_held(struct held *held)
{
    struct stream *s = (struct stream *)held;
    struct sosia_response *response = s->response;
    bool waits = response && !s->file && held->inst;
    s->response = NULL;
    sosia_response_free(response); /* nobody is notified any more */
    if (waits)
        held_notify(held); /* but of the end */
}

static void free_held(struct held *held)
{
    free((struct stream *)held);
}

static const struct held_kind stream_kind = {
    "stream", {0x3c9a1f7be0d24c55, 0xa1b2f09d7e6c4b10}, end_held, free_held};

napi_value stream_new(struct inst *inst, struct engine_slot *slot, struct sosia_response *response)
{
    struct stream *s = calloc(1, sizeof *s);
    napi_value v = s ? held_new(inst, slot, &s->held, &stream_kind) : NULL;
    if (!v) {
        free(s);
        sosia_response_free(response);
        return NULL;
    }
    s->response = response;
    s->file = !response->stream;
    return v;
}

/* By any thread, under a lock. */
static void woken(void *arg)
{
    held_notify(&((struct stream *)arg)->held);
}

/* streamWake(stream): its id, which notes have from now on; undefined: it is a file's content,
 * which is always there. */
static napi_value stream_wake(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct stream *s = arg_held(&a, 0, &stream_kind);
    if (!s || s->file)
        return args_done(&a, s ? js_undefined(&a) : NULL);
    if (s->response)
        sosia_stream_wake(s->response->stream, 0, woken, s);
    return args_done(&a, js_int(&a, s->held.id));
}

/* Bytes of a file: -1: that was all; -2: something is thrown. */
static int64_t take_file(struct args *a, struct stream *s, char *to, size_t size)
{
    struct sosia_response *r = s->response;
    int64_t n = s->at < r->length ? r->read(r, s->at, to, size) : -1;
    if (n <= 0 && s->at < r->length) {
        args_throw(
            a, &(struct sosia_err){.code = SOSIA_E_IO, .text = "the answer's body can't be read"});
        return -2;
    }
    if (n > 0)
        s->at += n;
    return n;
}

/* streamTake(stream): a Buffer; null: nothing at the moment; undefined: it has ended. */
static napi_value stream_take(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct stream *s = arg_held(&a, 0, &stream_kind);
    char bytes[PIECE];
    napi_value v = NULL;
    int64_t n = -1;
    if (!s)
        return args_done(&a, NULL);
    if (s->response)
        n = s->file ? take_file(&a, s, bytes, sizeof bytes)
                    : sosia_stream_take(s->response->stream, bytes, sizeof bytes);
    else if (s->file && !s->over)
        args_throw(&a, &(struct sosia_err){.code = SOSIA_E_GONE,
                                           .reason = "engineClosed",
                                           .text = "the engine was closed before the answer's "
                                                   "body was read to its end"});
    if (n == -1 && !a.failed) {
        s->over = true;
        napi_get_undefined(env, &v);
    } else if (n == 0) {
        napi_get_null(env, &v);
    } else if (n > 0) {
        napi_create_buffer_copy(env, (size_t)n, bytes, NULL, &v);
    }
    return args_done(&a, v);
}

static napi_value stream_close(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct stream *s = arg_held(&a, 0, &stream_kind);
    if (s) {
        s->over = true;
        end_held(&s->held);
    }
    return args_done(&a, NULL);
}

const struct native stream_natives[] = {{"streamWake", stream_wake},
                                        {"streamTake", stream_take},
                                        {"streamClose", stream_close},
                                        {NULL, NULL}};
