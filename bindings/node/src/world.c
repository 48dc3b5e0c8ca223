/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds: making, forking, their state and clock, who is in them. All take an engine and a world
 * first. */
#include "addon.h"

#include <string.h>

/* A function of an engine and a world: it may run. */
#define BEGIN                                                                                      \
    struct args a;                                                                                 \
    args_begin(&a, env, info);                                                                     \
    struct sosia_engine *engine = arg_engine(&a, 0);                                               \
    uint64_t world = arg_world(&a, 1);                                                             \
    struct sosia_err err = {0}
#define READY()                                                                                    \
    do {                                                                                           \
        if (a.failed)                                                                              \
            return args_done(&a, NULL);                                                            \
    } while (0)
#define END(rc, value)                                                                             \
    do {                                                                                           \
        if ((rc) < 0) {                                                                            \
            args_throw(&a, &err);                                                                  \
            return args_done(&a, NULL);                                                            \
        }                                                                                          \
        return args_done(&a, value);                                                               \
    } while (0)

static const int64_t no_step = INT64_MIN; /* no number of an entry, and no mistaken one */

static enum sosia_clock_mode clock_mode(int64_t mode)
{
    return mode == 2 ? SOSIA_CLOCK_REAL : mode == 1 ? SOSIA_CLOCK_STEP : SOSIA_CLOCK_FROZEN;
}

static enum sosia_journal_mode journal_mode(int64_t mode)
{
    return mode == 2 ? SOSIA_JOURNAL_ALL : mode == 1 ? SOSIA_JOURNAL_NONE : SOSIA_JOURNAL_WRITES;
}

/* create(engine, options) */
static napi_value world_create(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    struct sosia_world_options o = {
        .name = opt_text(&a, 1, "name", NULL),
        .seed_doc_name = opt_text(&a, 1, "documentName", NULL),
        .seed = (uint64_t)opt_int(&a, 1, "seed", 0),
        .clock = clock_mode(opt_int(&a, 1, "clock", 0)),
        .step_us = opt_int(&a, 1, "stepUs", 0),
        .now_us = opt_int(&a, 1, "nowUs", 0),
        .journal = journal_mode(opt_int(&a, 1, "journal", 0)),
        .evaluation = opt_bool(&a, 1, "evaluation"),
    };
    o.seed_doc = opt_bytes(&a, 1, "document", &o.seed_doc_len);
    uint64_t world = 0;
    struct sosia_err err = {0};
    READY();
    int rc = sosia_world_create(engine, &o, &world, &err);
    END(rc, js_world(&a, world));
}

/* fork(engine, world, options, step): options may be missing; so may step. */
static napi_value world_fork(napi_env env, napi_callback_info info)
{
    BEGIN;
    struct sosia_fork_options o = {
        .seed = (uint64_t)opt_int(&a, 3, "seed", 0),
        .now_us = opt_int(&a, 3, "nowUs", 0),
        .name = opt_text(&a, 3, "name", NULL),
        .set_clock = opt_has(&a, 3, "clock"),
        .clock = clock_mode(opt_int(&a, 3, "clock", 0)),
        .step_us = opt_int(&a, 3, "stepUs", 0),
        .inherit_deliveries = opt_bool(&a, 3, "inheritDeliveries"),
        .set_journal = opt_has(&a, 3, "journal"),
        .journal = journal_mode(opt_int(&a, 3, "journal", 0)),
        .evaluation = opt_bool(&a, 3, "evaluation"),
    };
    int64_t step = arg_int(&a, 4, "step", no_step);
    uint64_t fork = 0;
    READY();
    int rc = step == no_step ? sosia_world_fork(engine, world, &o, &fork, &err)
                             : sosia_world_fork_step(engine, world, step, &o, &fork, &err);
    END(rc, js_world(&a, fork));
}

static napi_value world_reset(napi_env env, napi_callback_info info)
{
    BEGIN;
    READY();
    END(sosia_world_reset(engine, world, &err), NULL);
}

static napi_value world_reset_to(napi_env env, napi_callback_info info)
{
    BEGIN;
    uint64_t to = arg_world(&a, 3);
    READY();
    END(sosia_world_reset_to(engine, world, to, &err), NULL);
}

static napi_value world_reset_step(napi_env env, napi_callback_info info)
{
    BEGIN;
    int64_t step = arg_int(&a, 3, "step", 0);
    READY();
    END(sosia_world_reset_step(engine, world, step, &err), NULL);
}

static napi_value world_snapshot(napi_env env, napi_callback_info info)
{
    BEGIN;
    const char *name = arg_text(&a, 3, "name", NULL);
    uint64_t snapshot = 0;
    READY();
    int rc = sosia_world_snapshot(engine, world, name, &snapshot, &err);
    END(rc, js_world(&a, snapshot));
}

static napi_value world_drop(napi_env env, napi_callback_info info)
{
    BEGIN;
    READY();
    END(sosia_world_drop(engine, world, &err), NULL);
}

static napi_value world_seed(napi_env env, napi_callback_info info)
{
    BEGIN;
    size_t len = 0;
    const char *text = arg_bytes(&a, 3, "document", &len), *name = arg_text(&a, 4, "name", NULL);
    if (!text)
        args_fail(&a, "document must be a string or a Uint8Array");
    READY();
    END(sosia_world_seed(engine, world, text, len, name, &err), NULL);
}

static napi_value world_dump(napi_env env, napi_callback_info info)
{
    BEGIN;
    struct sosia_blob blob = {0};
    READY();
    int rc = sosia_world_dump(engine, world, &blob, &err);
    END(rc, js_blob(&a, &blob));
}

/* diff(engine, to, from, form, all); from 0: what `to` resets to. */
static napi_value world_diff(napi_env env, napi_callback_info info)
{
    BEGIN;
    uint64_t from = arg_world(&a, 3);
    int64_t form = arg_int(&a, 5, "form", 0);
    struct sosia_diff_options o = {
        .form = form == 2   ? SOSIA_DIFF_TABLES
                : form == 1 ? SOSIA_DIFF_PATCH
                            : SOSIA_DIFF_JSON,
        .all = arg_bool(&a, 6, "all"),
    };
    struct sosia_blob blob = {0};
    READY();
    int rc = sosia_diff(engine, from, world, &o, &blob, &err);
    END(rc, js_blob(&a, &blob));
}

static napi_value world_hash(napi_env env, napi_callback_info info)
{
    BEGIN;
    char hex[65] = "";
    READY();
    int rc = sosia_world_hash(engine, world, hex, &err);
    END(rc, js_text(&a, hex, NAPI_AUTO_LENGTH));
}

static napi_value world_export(napi_env env, napi_callback_info info)
{
    BEGIN;
    const char *path = arg_need(&a, 3, "path", NULL);
    bool secrets = arg_bool(&a, 4, "secrets");
    READY();
    END(secrets ? sosia_world_export_secrets(engine, world, path, &err)
                : sosia_world_export(engine, world, path, &err),
        NULL);
}

/* What of a file is said from the argument at a place on: format, person, vendor, place. */
static struct sosia_transfer arg_transfer(struct args *a, size_t i)
{
    return (struct sosia_transfer){.size = sizeof(struct sosia_transfer),
                                   .format = arg_need(a, i, "format", NULL),
                                   .person = arg_text(a, i + 1, "person", NULL),
                                   .vendor = arg_text(a, i + 2, "vendor", NULL),
                                   .place = arg_text(a, i + 3, "place", NULL)};
}

/* importFile(engine, world, data, format, person, vendor, place, name) */
static napi_value world_import_file(napi_env env, napi_callback_info info)
{
    BEGIN;
    size_t len = 0;
    const char *data = arg_bytes(&a, 3, "data", &len);
    struct sosia_transfer t = arg_transfer(&a, 4);
    struct sosia_blob blob = {0};
    t.name = arg_text(&a, 8, "name", NULL);
    if (!data)
        args_fail(&a, "data must be a string or a Uint8Array");
    READY();
    int rc = sosia_transfer_import(engine, world, &t, data, len, &blob, &err);
    END(rc, js_blob(&a, &blob));
}

/* exportFile(engine, world, format, person, vendor, place): a Buffer */
static napi_value world_export_file(napi_env env, napi_callback_info info)
{
    BEGIN;
    const struct sosia_transfer t = arg_transfer(&a, 3);
    struct sosia_blob blob = {0};
    napi_value v = NULL;
    READY();
    int rc = sosia_transfer_export(engine, world, &t, &blob, &err);
    if (rc == 0) {
        napi_create_buffer_copy(env, blob.len, blob.data, NULL, &v);
        sosia_blob_free(&blob);
    }
    END(rc, v);
}

/* import(engine, path, name, secrets) */
static napi_value world_import(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    const char *path = arg_need(&a, 1, "path", NULL), *name = arg_text(&a, 2, "name", NULL);
    bool secrets = arg_bool(&a, 3, "secrets");
    uint64_t world = 0;
    struct sosia_err err = {0};
    READY();
    int rc = secrets ? sosia_world_import_secrets(engine, path, name, &world, &err)
                     : sosia_world_import(engine, path, name, &world, &err);
    END(rc, js_world(&a, world));
}

/* find(engine, keyOrName) */
static napi_value world_find(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    const char *name = arg_need(&a, 1, "name", NULL);
    uint64_t world = 0;
    struct sosia_err err = {0};
    READY();
    int rc = sosia_world_find(engine, name, &world, &err);
    END(rc, js_world(&a, world));
}

static napi_value world_info(napi_env env, napi_callback_info info)
{
    BEGIN;
    struct sosia_world_info i = {0};
    READY();
    int rc = sosia_world_info(engine, world, &i, &err);
    napi_value v = NULL;
    if (rc == 0) {
        napi_create_object(env, &v);
        js_set(&a, v, "world", js_text(&a, i.key, NAPI_AUTO_LENGTH));
        js_set(&a, v, "name", js_text(&a, i.name, NAPI_AUTO_LENGTH));
        js_set(&a, v, "snapshot", js_bool(&a, i.snapshot));
        js_set(&a, v, "parent", js_world(&a, i.parent));
        js_set(&a, v, "nowUs", js_int(&a, i.now_us));
        js_set(&a, v, "clock", js_int(&a, i.clock));
        js_set(&a, v, "stepUs", js_int(&a, i.step_us));
        js_set(&a, v, "journal", js_int(&a, i.journal));
        js_set(&a, v, "evaluation", js_bool(&a, i.evaluation));
        js_set(&a, v, "seed", js_int(&a, (int64_t)i.seed));
        js_set(&a, v, "size", js_int(&a, (int64_t)i.size));
        js_set(&a, v, "baseSize", js_int(&a, (int64_t)i.base_size));
        js_set(&a, v, "expiresUs", js_int(&a, i.expires_us));
        js_set(&a, v, "expiresByClock", js_bool(&a, i.expires_by_clock));
    }
    END(rc, v);
}

static napi_value world_rename(napi_env env, napi_callback_info info)
{
    BEGIN;
    const char *name = arg_text(&a, 3, "name", NULL);
    READY();
    END(sosia_world_rename(engine, world, name, &err), NULL);
}

static napi_value world_ttl(napi_env env, napi_callback_info info)
{
    BEGIN;
    int64_t ttl = arg_int(&a, 3, "ttlUs", 0);
    bool by_clock = arg_bool(&a, 4, "byWorldClock");
    READY();
    END(sosia_world_ttl(engine, world, ttl, by_clock, &err), NULL);
}

static napi_value world_rates(napi_env env, napi_callback_info info)
{
    BEGIN;
    bool on = arg_bool(&a, 3, "on");
    READY();
    END(sosia_world_rates(engine, world, on, &err), NULL);
}

static napi_value clock_set(napi_env env, napi_callback_info info)
{
    BEGIN;
    int64_t now = arg_int(&a, 3, "nowUs", 0);
    READY();
    END(sosia_clock_set(engine, world, now, &err), NULL);
}

static napi_value clock_advance(napi_env env, napi_callback_info info)
{
    BEGIN;
    int64_t delta = arg_int(&a, 3, "us", 0);
    READY();
    END(sosia_clock_advance(engine, world, delta, &err), NULL);
}

static napi_value clock_set_mode(napi_env env, napi_callback_info info)
{
    BEGIN;
    int64_t mode = arg_int(&a, 3, "clock", 0), step = arg_int(&a, 4, "stepUs", 0);
    READY();
    END(sosia_clock_mode(engine, world, clock_mode(mode), step, &err), NULL);
}

static napi_value world_wake(napi_env env, napi_callback_info info)
{
    BEGIN;
    READY();
    END(sosia_world_wake(engine, world, &err), NULL);
}

static int small(int64_t n)
{
    return n > INT32_MAX ? INT32_MAX : n < 0 ? 0 : (int)n;
}

static napi_value world_actors(napi_env env, napi_callback_info info)
{
    BEGIN;
    int64_t after = arg_int(&a, 3, "after", 0), limit = arg_int(&a, 4, "limit", 0);
    struct sosia_blob blob = {0};
    READY();
    int rc = sosia_actor_list(engine, world, after, small(limit), &blob, &err);
    END(rc, js_blob(&a, &blob));
}

static napi_value token_issue(napi_env env, napi_callback_info info)
{
    BEGIN;
    struct sosia_token_options o = {
        .actor = opt_text(&a, 3, "actor", NULL),
        .scopes = opt_text(&a, 3, "scopes", NULL),
        .ttl_us = opt_int(&a, 3, "ttlUs", 0),
        .value = opt_text(&a, 3, "value", NULL),
        .app = opt_text(&a, 3, "app", NULL),
        .kind = opt_text(&a, 3, "kind", NULL),
        .prefix = opt_text(&a, 3, "prefix", NULL),
    };
    char token[SOSIA_TOKEN_MAX] = "";
    if (!o.actor)
        args_fail(&a, "actor must be a string");
    READY();
    int rc = sosia_token_issue(engine, world, &o, token, sizeof token, &err);
    END(rc, js_text(&a, token, NAPI_AUTO_LENGTH));
}

static napi_value token_revoke(napi_env env, napi_callback_info info)
{
    BEGIN;
    const char *token = arg_need(&a, 3, "token", NULL);
    READY();
    END(sosia_token_revoke(engine, world, token, &err), NULL);
}

static napi_value credential(napi_env env, napi_callback_info info)
{
    BEGIN;
    const char *kind = arg_need(&a, 3, "kind", NULL), *actor = arg_need(&a, 4, "actor", NULL);
    const char *base_url = arg_need(&a, 5, "baseUrl", NULL);
    struct sosia_blob blob = {0};
    READY();
    int rc = sosia_credential(engine, world, kind, actor, base_url, &blob, &err);
    END(rc, js_blob(&a, &blob));
}

const struct native world_natives[] = {{"create", world_create},
                                       {"fork", world_fork},
                                       {"reset", world_reset},
                                       {"resetTo", world_reset_to},
                                       {"resetStep", world_reset_step},
                                       {"snapshot", world_snapshot},
                                       {"drop", world_drop},
                                       {"seed", world_seed},
                                       {"dump", world_dump},
                                       {"diff", world_diff},
                                       {"hash", world_hash},
                                       {"exportTo", world_export},
                                       {"importFrom", world_import},
                                       {"importFile", world_import_file},
                                       {"exportFile", world_export_file},
                                       {"find", world_find},
                                       {"worldInfo", world_info},
                                       {"rename", world_rename},
                                       {"ttl", world_ttl},
                                       {"rates", world_rates},
                                       {"clockSet", clock_set},
                                       {"clockAdvance", clock_advance},
                                       {"clockMode", clock_set_mode},
                                       {"wake", world_wake},
                                       {"actors", world_actors},
                                       {"token", token_issue},
                                       {"revoke", token_revoke},
                                       {"credential", credential},
                                       {NULL, NULL}};
