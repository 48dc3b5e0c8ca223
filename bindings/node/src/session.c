/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: what a WebSocket carries. A session ends when it is collected, closed, or its engine
 * is. What it is sent waits in a list, of which a note tells JavaScript. */
#include "../../frames.h"
#include "addon.h"

struct session {
    struct held held;              /* first */
    struct sosia_session *session; /* NULL: closed */
    struct frames frames;
};

/* By any thread, under a lock. */
static void on_send(void *arg, const char *data, size_t len)
{
    struct session *s = arg;
    frames_leave(&s->frames, 0, data, len);
    held_notify(&s->held);
}

static void on_close(void *arg, int code, const char *reason)
{
    struct session *s = arg;
    frames_end(&s->frames, code, reason);
    held_notify(&s->held);
}

static void end(struct session *s, int code)
{
    struct sosia_session *session = s->session;
    s->session = NULL;
    sosia_session_close(session, code);
}

static void end_held(struct held *held)
{
    end((struct session *)held, FRAME_ABNORMAL);
}

static void free_held(struct held *held)
{
    struct session *s = (struct session *)held;
    frames_done(&s->frames);
    free(s);
}

static const struct held_kind session_kind = {
    "session", {0x8d1f2b6430c94e7a, 0x95e0c7712f4ab863}, end_held, free_held};

struct session *session_new(struct inst *inst, struct engine_slot *slot, napi_value *ret_external)
{
    struct session *s = calloc(1, sizeof *s);
    if (s) {
        frames_init(&s->frames);
        *ret_external = held_new(inst, slot, &s->held, &session_kind);
        if (*ret_external)
            return s;
        free_held(&s->held);
    }
    napi_throw_error(inst->env, NULL, "there is no memory for a session");
    return NULL;
}

int session_open(struct session *s, uint64_t world, const struct sosia_request *request,
                 struct sosia_response **ret_response, struct sosia_err *err)
{
    const struct sosia_session_calls calls = {
        .size = sizeof calls, .send = on_send, .close = on_close};
    return sosia_session_open(s->held.slot->engine, world, request, &calls, s, &s->session,
                              ret_response, err);
}

int64_t session_number(const struct session *s)
{
    return s->session ? (int64_t)s->held.id : -1;
}

/* sessionTake(session): what it was sent since: [0, message, ...], and at the end [code, reason] */
static napi_value session_take(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct session *s = arg_held(&a, 0, &session_kind);
    napi_value list = NULL;
    uint32_t n = 0;
    bool lost;
    if (!s)
        return args_done(&a, NULL);
    napi_create_array(env, &list);
    for (struct frame *f = frames_take(&s->frames, &lost), *next; f; f = next) {
        next = f->next;
        napi_set_element(env, list, n++, js_int(&a, f->code));
        napi_set_element(env, list, n++, js_text(&a, f->text, f->len));
        free(f);
    }
    if (lost)
        args_throw(&a, &(struct sosia_err){.code = SOSIA_E_NO_MEMORY,
                                           .text = "there is no memory for a session's messages"});
    return args_done(&a, list);
}

/* sessionSend(session, message, binary): false: it has ended. */
static napi_value session_send(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct session *s = arg_held(&a, 0, &session_kind);
    size_t len = 0;
    const char *data = arg_bytes(&a, 1, "message", &len);
    bool binary = arg_bool(&a, 2, "binary");
    if (a.failed)
        return args_done(&a, NULL);
    return args_done(&a, js_bool(&a, s->session && sosia_session_frame(s->session, data ? data : "",
                                                                       len, binary, NULL) == 0));
}

static napi_value session_max(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct session *s = arg_held(&a, 0, &session_kind);
    return args_done(
        &a, s ? js_int(&a, s->session ? (int64_t)sosia_session_max_frame(s->session) : 0) : NULL);
}

/* sessionClose(session, code): the connection has ended. */
static napi_value session_close(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct session *s = arg_held(&a, 0, &session_kind);
    int64_t code = arg_int(&a, 1, "code", FRAME_ABNORMAL);
    if (!a.failed)
        end(s, (int)code);
    return args_done(&a, NULL);
}

const struct native session_natives[] = {{"sessionTake", session_take},
                                         {"sessionSend", session_send},
                                         {"sessionMax", session_max},
                                         {"sessionClose", session_close},
                                         {NULL, NULL}};
