/* SPDX-License-Identifier: Apache-2.0 */
/* What an environment has: made when the addon is loaded there, ended with it. Notes from other
 * threads come through one threadsafe function. */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

void inst_notify(struct inst *inst, struct note *note)
{
    pthread_mutex_lock(&inst->lock);
    bool gone = inst->ended;
    atomic_fetch_add(&inst->queued, 1);
    if (!gone &&
        napi_call_threadsafe_function(inst->notify, note, napi_tsfn_nonblocking) != napi_ok)
        gone = inst->ended = true;
    pthread_mutex_unlock(&inst->lock);
    if (gone) {
        promise_free(note->promise);
        free(note);
    }
}

void inst_stay(struct inst *inst, bool stay)
{
    if (stay && inst->waits++ == 0)
        napi_ref_threadsafe_function(inst->env, inst->notify);
    else if (!stay && --inst->waits == 0)
        napi_unref_threadsafe_function(inst->env, inst->notify);
}

void inst_hold(struct inst *inst)
{
    if (!inst->stays && atomic_load(&inst->queued)) {
        inst->stays = true;
        inst_stay(inst, true);
    }
}

/* In JavaScript's thread; env is NULL when it has ended. */
static void take_note(napi_env env, napi_value unused, void *context, void *data)
{
    struct inst *inst = context;
    struct note *note = data;
    if (env)
        atomic_fetch_sub(&inst->queued, 1);
    if (!env) { /* and inst may be gone with it */
        promise_free(note->promise);
    } else if (note->kind == NOTE_DONE) {
        promise_settle(inst, note->promise);
    } else {
        napi_value fn = NULL, global = NULL, v[5];
        napi_create_uint32(env, note->kind, &v[0]);
        napi_create_uint32(env, note->id, &v[1]);
        napi_create_bigint_uint64(env, note->world, &v[2]);
        napi_create_int64(env, note->first, &v[3]);
        napi_create_int64(env, note->last, &v[4]);
        napi_get_global(env, &global);
        if (napi_get_reference_value(env, inst->on_note, &fn) == napi_ok && fn)
            napi_call_function(env, global, fn, 5, v,
                               NULL); /* what it throws is uncaught, as a timer's is */
    }
    free(note);
    if (env && inst->stays && !atomic_load(&inst->queued)) {
        inst->stays = false;
        inst_stay(inst, false);
    }
}

/* setup(SosiaError, onNote, numbers): once in each realm that loads the package; the last one's
 * hold. */
static napi_value setup(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct inst *inst = a.inst;
    size_t len = 0;
    void *data = NULL;
    napi_typedarray_type type;
    napi_valuetype class, fn;
    napi_typeof(env, a.v[0], &class);
    napi_typeof(env, a.v[1], &fn);
    if (class != napi_function || fn != napi_function ||
        napi_get_typedarray_info(env, a.v[2], &type, &len, &data, NULL, NULL) != napi_ok ||
        type != napi_int32_array || len < NUMBERS) {
        args_fail(&a, "setup() takes the class of errors, a function and an Int32Array");
        return args_done(&a, NULL);
    }
    napi_ref *const refs[] = {&inst->error, &inst->on_note, &inst->numbers};
    for (size_t i = 0; i < 3; i++) {
        if (*refs[i])
            napi_delete_reference(env, *refs[i]);
        *refs[i] = NULL;
    }
    inst->number = data;
    napi_create_reference(env, a.v[0], 1, &inst->error);
    napi_create_reference(env, a.v[1], 1, &inst->on_note);
    napi_create_reference(env, a.v[2], 1, &inst->numbers);
    return args_done(&a, NULL);
}

/* chunk(buffer): answers are written into it from now on. */
static napi_value chunk(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct inst *inst = a.inst;
    size_t len = 0;
    void *data = NULL;
    bool is = false;
    if (napi_is_buffer(env, a.v[0], &is) != napi_ok || !is ||
        napi_get_buffer_info(env, a.v[0], &data, &len) != napi_ok || len > INT32_MAX) {
        args_fail(&a, "chunk() takes a Buffer");
        return args_done(&a, NULL);
    }
    if (inst->chunk)
        napi_delete_reference(env, inst->chunk);
    napi_create_reference(env, a.v[0], 1, &inst->chunk);
    inst->chunk_data = data;
    inst->chunk_size = len;
    inst->chunk_used = 0;
    return args_done(&a, NULL);
}

static napi_value versions(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    napi_value v = NULL;
    napi_create_object(env, &v);
    js_set(&a, v, "sosia", js_text(&a, sosia_version(), NAPI_AUTO_LENGTH));
    js_set(&a, v, "tzdata", js_text(&a, sosia_tzdata_version(), NAPI_AUTO_LENGTH));
    return args_done(&a, v);
}

/* A call that is under way in another thread keeps its engine, and what belongs to it, for good. */
static void inst_end(void *data)
{
    struct inst *inst = data;
    pthread_mutex_lock(&inst->lock);
    inst->ended = true;
    pthread_mutex_unlock(&inst->lock);
    engines_end(inst);
    for (uint32_t i = 0; i < inst->n_slots; i++)
        if (inst->slots[i]->engine)
            return;
    for (uint32_t i = 0; i < inst->n_slots; i++)
        free(inst->slots[i]);
    free(inst->slots);
    pthread_mutex_destroy(&inst->lock);
    free(inst);
}

static const struct native own_natives[] = {
    {"setup", setup}, {"chunk", chunk}, {"versions", versions}, {NULL, NULL}};

NAPI_MODULE_INIT()
{
    struct inst *inst = calloc(1, sizeof *inst);
    napi_value name = NULL;
    napi_create_string_utf8(env, "sosia", NAPI_AUTO_LENGTH, &name);
    if (!inst || napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, NULL, NULL, inst,
                                                 take_note, &inst->notify) != napi_ok) {
        free(inst);
        napi_throw_error(env, "ERR_SOSIA_LOAD",
                         "sosia's addon can't be loaded: there is no memory");
        return NULL;
    }
    inst->env = env;
    pthread_mutex_init(&inst->lock, NULL);
    napi_unref_threadsafe_function(env, inst->notify);
    napi_add_env_cleanup_hook(env, inst_end, inst);
    const struct native *const lists[] = {own_natives,     engine_natives, world_natives,
                                          journal_natives, call_natives,   stream_natives,
                                          session_natives, spool_natives};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (const struct native *n = lists[i]; n->name; n++) {
            napi_value fn = NULL;
            if (napi_create_function(env, n->name, NAPI_AUTO_LENGTH, n->fn, inst, &fn) == napi_ok)
                napi_set_named_property(env, exports, n->name, fn);
        }
    }
    return exports;
}
