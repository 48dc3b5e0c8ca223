/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: what a WebSocket carries. A session ends when it is collected, closed, or its engine
 * is. What it is sent waits in a list, of which a note tells JavaScript. */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

enum { ABNORMAL = 1006 }; /* RFC 6455: without a close frame */

struct frame {
    struct frame *next;
    int code; /* 0: a message; else the service ends the session, and text is the reason */
    size_t len;
    char text[];
};

struct session {
    struct inst *inst; /* NULL: the environment has ended */
    struct engine_slot *slot;
    struct sosia_session *session; /* NULL: closed */
    struct session *prev, *next;
    uint32_t id;
    pthread_mutex_t lock; /* of what follows */
    struct frame *first, **last;
};

static const napi_type_tag session_tag = {0x8d1f2b6430c94e7a, 0x95e0c7712f4ab863};

/* By any thread, under a lock. */
static void leave(struct session *s, int code, const char *text, size_t len)
{
    struct frame *f = malloc(sizeof *f + len + 1);
    struct note *note = calloc(1, sizeof *note);
    if (!f || !note) {
        free(f);
        free(note);
        return;
    }
    f->next = NULL;
    f->code = code;
    f->len = len;
    memcpy(f->text, text, len);
    pthread_mutex_lock(&s->lock);
    *s->last = f;
    s->last = &f->next;
    pthread_mutex_unlock(&s->lock);
    note->kind = NOTE_WAKE;
    note->id = s->id;
    inst_notify(s->inst, note);
}

static void on_send(void *arg, const char *data, size_t len)
{
    leave(arg, 0, data, len);
}

static void on_close(void *arg, int code, const char *reason)
{
    leave(arg, code ? code : ABNORMAL, reason ? reason : "", reason ? strlen(reason) : 0);
}

static void end(struct session *s, int code)
{
    struct sosia_session *session = s->session;
    s->session = NULL;
    sosia_session_close(session, code);
}

static void unlink_session(struct session *s)
{
    if (!s->inst)
        return;
    if (s->prev)
        s->prev->next = s->next;
    else
        s->inst->sessions = s->next;
    if (s->next)
        s->next->prev = s->prev;
    s->inst = NULL;
}

static void collected(napi_env env, void *data, void *hint)
{
    struct session *s = data;
    end(s, ABNORMAL);
    unlink_session(s);
    for (struct frame *f = s->first, *next; f; f = next) {
        next = f->next;
        free(f);
    }
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void sessions_end(struct inst *inst, struct engine_slot *slot)
{
    for (struct session *s = inst->sessions, *next; s; s = next) {
        next = s->next;
        if (slot && s->slot != slot)
            continue;
        end(s, ABNORMAL);
        if (!slot)
            unlink_session(s);
    }
}

struct session *session_new(struct inst *inst, struct engine_slot *slot, napi_value *ret_external)
{
    struct session *s = calloc(1, sizeof *s);
    if (s) {
        pthread_mutex_init(&s->lock, NULL);
        s->last = &s->first;
    }
    if (!s || napi_create_external(inst->env, s, collected, NULL, ret_external) != napi_ok) {
        free(s);
        napi_throw_error(inst->env, NULL, "there is no memory for a session");
        return NULL;
    }
    napi_type_tag_object(inst->env, *ret_external, &session_tag);
    s->inst = inst;
    s->slot = slot;
    s->id = inst->next_stream++;
    s->next = inst->sessions;
    if (s->next)
        s->next->prev = s;
    inst->sessions = s;
    return s;
}

int session_open(struct session *s, uint64_t world, const struct sosia_request *request,
                 struct sosia_response **ret_response, struct sosia_err *err)
{
    const struct sosia_session_calls calls = {
        .size = sizeof calls, .send = on_send, .close = on_close};
    return sosia_session_open(s->slot->engine, world, request, &calls, s, &s->session, ret_response,
                              err);
}

int64_t session_number(const struct session *s)
{
    return s->session ? (int64_t)s->id : -1;
}

static struct session *arg_session(struct args *a)
{
    napi_valuetype type = napi_undefined;
    bool is = false;
    void *session = NULL;
    napi_typeof(a->env, a->v[0], &type);
    if (type == napi_external &&
        napi_check_object_type_tag(a->env, a->v[0], &session_tag, &is) == napi_ok && is)
        napi_get_value_external(a->env, a->v[0], &session);
    if (!session)
        args_fail(a, "argument 1 must be a session");
    return session;
}

/* sessionTake(session): what it was sent since: [0, message, ...], and at the end [code, reason] */
static napi_value session_take(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct session *s = arg_session(&a);
    napi_value list = NULL;
    uint32_t n = 0;
    if (!s)
        return args_done(&a, NULL);
    pthread_mutex_lock(&s->lock);
    struct frame *first = s->first;
    s->first = NULL;
    s->last = &s->first;
    pthread_mutex_unlock(&s->lock);
    napi_create_array(env, &list);
    for (struct frame *f = first, *next; f; f = next) {
        next = f->next;
        napi_set_element(env, list, n++, js_int(&a, f->code));
        napi_set_element(env, list, n++, js_text(&a, f->text, f->len));
        free(f);
    }
    return args_done(&a, list);
}

/* sessionSend(session, message, binary): false: it has ended. */
static napi_value session_send(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct session *s = arg_session(&a);
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
    struct session *s = arg_session(&a);
    return args_done(
        &a, s ? js_int(&a, s->session ? (int64_t)sosia_session_max_frame(s->session) : 0) : NULL);
}

/* sessionClose(session, code): the connection has ended. */
static napi_value session_close(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct session *s = arg_session(&a);
    int64_t code = arg_int(&a, 1, "code", ABNORMAL);
    if (!a.failed)
        end(s, (int)code);
    return args_done(&a, NULL);
}

const struct native session_natives[] = {{"sessionTake", session_take},
                                         {"sessionSend", session_send},
                                         {"sessionMax", session_max},
                                         {"sessionClose", session_close},
                                         {NULL, NULL}};
