/* SPDX-License-Identifier: Apache-2.0 */
/* Engines, and the list of their worlds. */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

static struct engine_slot *slot_new(struct inst *inst)
{
    struct engine_slot *slot = calloc(1, sizeof *slot);
    struct engine_slot **slots = realloc(inst->slots, (inst->n_slots + 1) * sizeof *slots);
    if (slots)
        inst->slots = slots;
    if (!slots || !slot) {
        free(slot);
        return NULL;
    }
    slot->inst = inst;
    slot->id = inst->n_slots;
    slots[inst->n_slots++] = slot;
    return slot;
}

static int choice(struct args *a, size_t i, const char *name, const char *const *words)
{
    const char *text = opt_text(a, i, name, NULL);
    if (!text)
        return -1;
    for (int k = 0; words[k]; k++)
        if (!strcmp(text, words[k]))
            return k;
    args_fail(a, "%s can't be \"%.40s\"", name, text);
    return -1;
}

static const char *const oauths[] = {"world", "listed", "open", "never-open", NULL};

/* open(options): an engine's number. */
static napi_value engine_open(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    int oauth = choice(&a, 0, "oauth", oauths);
    struct sosia_engine_options o = {
        .data_dir = opt_text(&a, 0, "dataDir", NULL),
        .max_worlds = (uint64_t)opt_int(&a, 0, "maxWorlds", 0),
        .max_world_size = (uint64_t)opt_int(&a, 0, "maxWorldSize", 0),
        .max_size = (uint64_t)opt_int(&a, 0, "maxSize", 0),
        .spool_dir = opt_text(&a, 0, "spoolDir", NULL),
        .spool_over = (uint64_t)opt_int(&a, 0, "spoolOver", 0),
        .oauth = oauth < 0 ? SOSIA_OAUTH_BY_WORLD : (enum sosia_oauth)oauth,
        .world_secret = opt_text(&a, 0, "worldSecret", NULL),
        .random_secrets = opt_bool(&a, 0, "randomSecrets"),
        .evaluation = opt_bool(&a, 0, "evaluation"),
        .mcp_fixture = opt_bool(&a, 0, "mcpFixture"),
    };
    struct engine_slot *slot = a.failed ? NULL : slot_new(a.inst);
    struct sosia_err err = {0};
    napi_value id = NULL;
    if (a.failed)
        return args_done(&a, NULL);
    if (!slot)
        err = (struct sosia_err){.code = SOSIA_E_NO_MEMORY,
                                 .text = "there is no memory for an engine"};
    if (!slot || sosia_engine_open(&o, &slot->engine, &err) < 0)
        args_throw(&a, &err);
    else
        napi_create_uint32(env, slot->id, &id);
    return args_done(&a, id);
}

static void slot_close(struct engine_slot *slot)
{
    struct sosia_engine *engine = slot->engine;
    slot->engine = NULL;
    sosia_engine_on_outbox(engine, NULL, NULL);
    held_end_all(slot->inst, slot);
    sosia_engine_close(engine);
}

/* close(engine): false while calls of other threads are under way in it. */
static napi_value engine_close(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct engine_slot *slot = arg_slot(&a, 0);
    bool idle = slot && !slot->busy;
    if (idle)
        slot_close(slot);
    return args_done(&a, js_bool(&a, idle));
}

void engines_end(struct inst *inst)
{
    for (uint32_t i = 0; i < inst->n_slots; i++)
        if (inst->slots[i]->engine && !inst->slots[i]->busy)
            slot_close(inst->slots[i]);
    held_end_all(inst, NULL);
}

static napi_value engine_info(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    napi_value v = NULL;
    if (engine) {
        struct sosia_engine_info i = {0};
        sosia_engine_info(engine, &i);
        napi_create_object(env, &v);
        js_set(&a, v, "worlds", js_int(&a, (int64_t)i.worlds));
        js_set(&a, v, "size", js_int(&a, (int64_t)i.size));
        js_set(&a, v, "durable", js_bool(&a, i.durable));
        js_set(&a, v, "failedWrites", js_int(&a, (int64_t)i.failed_writes));
        js_set(&a, v, "lastFailure", js_text(&a, i.last_failure, NAPI_AUTO_LENGTH));
    }
    return args_done(&a, v);
}

static napi_value engine_default(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    uint64_t world = arg_world(&a, 1);
    if (!a.failed)
        sosia_engine_default_world(engine, world);
    return args_done(&a, NULL);
}

static napi_value engine_sweep(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    return args_done(&a, engine ? js_int(&a, sosia_engine_sweep(engine)) : NULL);
}

/* interrupt(engine, world): how many calls were ended; world 0: in any world. */
static napi_value engine_interrupt(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    uint64_t world = arg_world(&a, 1);
    return args_done(&a, a.failed ? NULL : js_int(&a, sosia_interrupt(engine, world)));
}

struct listing {
    uint64_t *worlds;
    size_t n, room;
    bool failed;
};

/* Under the world's lock: nothing of JavaScript. */
static int take_world(void *arg, const struct sosia_world_info *info)
{
    struct listing *l = arg;
    if (l->n == l->room) {
        size_t room = l->room ? l->room * 2 : 64;
        uint64_t *worlds = realloc(l->worlds, room * sizeof *worlds);
        if (!worlds) {
            l->failed = true;
            return 1;
        }
        l->worlds = worlds;
        l->room = room;
    }
    l->worlds[l->n++] = info->id;
    return 0;
}

/* worlds(engine): their ids. */
static napi_value engine_worlds(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    struct listing l = {0};
    struct sosia_err err = {0};
    napi_value list = NULL;
    if (!engine)
        return args_done(&a, NULL);
    int rc = sosia_world_list(engine, 0, take_world, &l, &err);
    if (rc == 0 && l.failed)
        err = (struct sosia_err){.code = SOSIA_E_NO_MEMORY,
                                 .text = "there is no memory for the list of worlds"};
    if (rc < 0 || l.failed) {
        args_throw(&a, &err);
    } else {
        napi_create_array_with_length(env, l.n, &list);
        for (size_t i = 0; i < l.n; i++)
            napi_set_element(env, list, (uint32_t)i, js_world(&a, l.worlds[i]));
    }
    free(l.worlds);
    return args_done(&a, list);
}

/* ---- suites ---- */

static const napi_type_tag suite_tag = {0x7f0c5c1d2b7a4e11, 0x8d1f3e0c5a6b7c21};

static void suite_free(napi_env env, void *data, void *hint)
{
    sosia_suite_close(data);
}

/* suite(text, name): an external. */
static napi_value suite_open(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    size_t len = 0;
    const char *text = arg_bytes(&a, 0, "suite", &len), *name = arg_text(&a, 1, "name", NULL);
    struct sosia_suite *suite = NULL;
    struct sosia_err err = {0};
    napi_value v = NULL;
    if (!text)
        args_fail(&a, "suite must be a string or a Uint8Array");
    if (a.failed)
        return args_done(&a, NULL);
    if (sosia_suite_open(text, len, name, &suite, &err) < 0)
        args_throw(&a, &err);
    else if (napi_create_external(env, suite, suite_free, NULL, &v) != napi_ok)
        sosia_suite_close(suite);
    else
        napi_type_tag_object(env, v, &suite_tag);
    return args_done(&a, v);
}

static struct sosia_suite *arg_suite(struct args *a, size_t i)
{
    napi_valuetype type = napi_undefined;
    bool is = false;
    void *suite = NULL;
    napi_typeof(a->env, a->v[i], &type);
    if (type == napi_external &&
        napi_check_object_type_tag(a->env, a->v[i], &suite_tag, &is) == napi_ok && is)
        napi_get_value_external(a->env, a->v[i], &suite);
    if (!suite)
        args_fail(a, "argument %zu must be a suite", i + 1);
    return suite;
}

static napi_value suite_tasks(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_suite *suite = arg_suite(&a, 0);
    struct sosia_blob blob = {0};
    struct sosia_err err = {0};
    if (a.failed)
        return args_done(&a, NULL);
    if (sosia_suite_list(suite, &blob, &err) < 0)
        args_throw(&a, &err);
    return args_done(&a, js_blob(&a, &blob));
}

/* grade(engine, from[2], to[2], suite, {task, answer, judgements, diff}): [grade, diff] as texts.
 */
static napi_value suite_grade(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    uint64_t from = arg_world(&a, 1), to = arg_world(&a, 3);
    struct sosia_suite *suite = arg_suite(&a, 5);
    const char *task = opt_text(&a, 6, "task", NULL);
    bool diff = opt_bool(&a, 6, "diff");
    struct sosia_grade_options o = {0};
    o.answer = opt_text(&a, 6, "answer", &o.answer_len);
    o.judgements = opt_bytes(&a, 6, "judgements", &o.judgements_len);
    struct sosia_blob grade = {0}, changes = {0};
    struct sosia_err err = {0};
    napi_value v = NULL;
    if (a.failed)
        return args_done(&a, NULL);
    if (sosia_grade_with(engine, suite, task, from, to, &o, &grade, diff ? &changes : NULL, &err) <
        0) {
        args_throw(&a, &err);
    } else {
        napi_create_array_with_length(env, 2, &v);
        napi_set_element(env, v, 0, js_blob(&a, &grade));
        napi_set_element(env, v, 1, js_blob(&a, &changes));
    }
    return args_done(&a, v);
}

const struct native engine_natives[] = {{"open", engine_open},
                                        {"close", engine_close},
                                        {"info", engine_info},
                                        {"setDefault", engine_default},
                                        {"sweep", engine_sweep},
                                        {"interrupt", engine_interrupt},
                                        {"worlds", engine_worlds},
                                        {"suite", suite_open},
                                        {"tasks", suite_tasks},
                                        {"grade", suite_grade},
                                        {NULL, NULL}};
