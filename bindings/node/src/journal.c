/* SPDX-License-Identifier: Apache-2.0 */
/* The journal of a world, and its outbox. All take an engine and a world first. */
#include "addon.h"

#include <stdlib.h>

static int small(int64_t n)
{
    return n > INT32_MAX ? INT32_MAX : n < 0 ? 0 : (int)n;
}

/* journal(engine, world, query): [text, next] */
static napi_value journal_find(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    uint64_t world = arg_world(&a, 1);
    struct sosia_journal_query q = {
        .after = opt_int(&a, 3, "after", 0),
        .limit = small(opt_int(&a, 3, "limit", 0)),
        .bodies = opt_bool(&a, 3, "bodies"),
        .method = opt_text(&a, 3, "method", NULL),
        .actor = opt_text(&a, 3, "actor", NULL),
        .text = opt_text(&a, 3, "text", NULL),
        .failed = opt_bool(&a, 3, "failed"),
        .label = opt_text(&a, 3, "label", NULL),
    };
    struct sosia_blob blob = {0};
    struct sosia_err err = {0};
    int64_t next = 0;
    napi_value v = NULL;
    if (a.failed)
        return args_done(&a, NULL);
    if (sosia_journal_find(engine, world, &q, &blob, &next, &err) < 0) {
        args_throw(&a, &err);
    } else {
        napi_create_array_with_length(env, 2, &v);
        napi_set_element(env, v, 0, js_blob(&a, &blob));
        napi_set_element(env, v, 1, js_int(&a, next));
    }
    return args_done(&a, v);
}

/* What a function that gives a blob gives. */
static napi_value blob_or_error(struct args *a, int rc, struct sosia_blob *blob,
                                struct sosia_err *err)
{
    if (rc < 0)
        args_throw(a, err);
    return args_done(a, rc < 0 ? NULL : js_blob(a, blob));
}

static napi_value journal_info(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    uint64_t world = arg_world(&a, 1);
    struct sosia_blob blob = {0};
    struct sosia_err err = {0};
    if (a.failed)
        return args_done(&a, NULL);
    return blob_or_error(&a, sosia_journal_info(engine, world, &blob, &err), &blob, &err);
}

/* changes(engine, world, entry) */
static napi_value journal_changes(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    uint64_t world = arg_world(&a, 1);
    int64_t entry = arg_int(&a, 3, "entry", 0);
    struct sosia_blob blob = {0};
    struct sosia_err err = {0};
    if (a.failed)
        return args_done(&a, NULL);
    return blob_or_error(&a, sosia_journal_changes(engine, world, entry, &blob, &err), &blob, &err);
}

/* journalExport(engine, world, format, from, to, secrets) */
static napi_value journal_export(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    uint64_t world = arg_world(&a, 1);
    int64_t format = arg_int(&a, 3, "format", 0), from = arg_int(&a, 4, "from", 0);
    int64_t to = arg_int(&a, 5, "to", 0);
    bool secrets = arg_bool(&a, 6, "secrets");
    struct sosia_blob blob = {0};
    struct sosia_err err = {0};
    if (format < SOSIA_JOURNAL_JSONL || format > SOSIA_JOURNAL_RUN)
        args_fail(&a, "format must be from 0 to 3");
    if (a.failed)
        return args_done(&a, NULL);
    int rc = secrets ? sosia_journal_export_secrets(engine, world, from, to, &blob, &err)
                     : sosia_journal_export(engine, world, (enum sosia_journal_format)format, from,
                                            to, &blob, &err);
    return blob_or_error(&a, rc, &blob, &err);
}

/* journalKeep(engine, world, {mode, keep, steps, stepBytes, bytes}): what is said of these. */
static napi_value journal_keep(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    uint64_t world = arg_world(&a, 1);
    int64_t mode = opt_int(&a, 3, "mode", -1), keep = opt_int(&a, 3, "keep", -1);
    int64_t steps = opt_int(&a, 3, "steps", 1000);
    int64_t step_bytes = opt_int(&a, 3, "stepBytes", -1), bytes = opt_int(&a, 3, "bytes", -1);
    struct sosia_err err = {0};
    int rc = 0;
    if (mode > SOSIA_JOURNAL_ALL || keep > SOSIA_KEEP_HASHES)
        args_fail(&a, "mode or keep is out of range");
    if (a.failed)
        return args_done(&a, NULL);
    if (mode >= 0)
        rc = sosia_world_journal_mode(engine, world, (enum sosia_journal_mode)mode, &err);
    if (rc == 0 && keep >= 0)
        rc = sosia_world_journal_keep(engine, world, (enum sosia_journal_keep)keep, steps, &err);
    if (rc == 0 && (step_bytes >= 0 || bytes >= 0))
        rc = sosia_world_journal_bounds(engine, world, step_bytes, bytes, &err);
    if (rc < 0)
        args_throw(&a, &err);
    return args_done(&a, NULL);
}

/* replay(engine, world, options): [report, world] */
static napi_value journal_replay(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    uint64_t world = arg_world(&a, 1);
    struct sosia_replay_options o = {
        .from = opt_int(&a, 3, "from", 0),
        .to = opt_int(&a, 3, "to", 0),
        .first = opt_bool(&a, 3, "first"),
        .keep = opt_bool(&a, 3, "keep"),
        .name = opt_text(&a, 3, "name", NULL),
        .journal_name = opt_text(&a, 3, "journalName", NULL),
    };
    o.edits = opt_text(&a, 3, "edits", &o.edits_len);
    o.journal = opt_bytes(&a, 3, "journal", &o.journal_len);
    struct sosia_blob blob = {0};
    struct sosia_err err = {0};
    uint64_t kept = 0;
    napi_value v = NULL;
    if (a.failed)
        return args_done(&a, NULL);
    if (sosia_journal_replay(engine, world, &o, &kept, &blob, &err) < 0) {
        args_throw(&a, &err);
    } else {
        napi_create_array_with_length(env, 2, &v);
        napi_set_element(env, v, 0, js_blob(&a, &blob));
        napi_set_element(env, v, 1, js_world(&a, kept));
    }
    return args_done(&a, v);
}

/* ---- the outbox ---- */

/* outbox(engine, world, after, limit) */
static napi_value outbox_list(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    uint64_t world = arg_world(&a, 1);
    int64_t after = arg_int(&a, 3, "after", 0), limit = arg_int(&a, 4, "limit", 0);
    struct sosia_blob blob = {0};
    struct sosia_err err = {0};
    if (a.failed)
        return args_done(&a, NULL);
    return blob_or_error(&a, sosia_outbox_list(engine, world, after, small(limit), &blob, &err),
                         &blob, &err);
}

/* pending(engine, world): [first, last] of what is to be delivered now; undefined: nothing is. */
static napi_value outbox_pending(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    uint64_t world = arg_world(&a, 1);
    struct sosia_err err = {0};
    int64_t first = 0, last = 0;
    napi_value v = NULL;
    if (a.failed)
        return args_done(&a, NULL);
    int rc = sosia_delivery_pending(engine, world, &first, &last, &err);
    if (rc < 0) {
        args_throw(&a, &err);
    } else if (rc > 0) {
        napi_create_array_with_length(env, 2, &v);
        napi_set_element(env, v, 0, js_int(&a, first));
        napi_set_element(env, v, 1, js_int(&a, last));
    }
    return args_done(&a, v);
}

/* outcome(engine, world, entry, attempt, {status, error, reason, fields, body}): when it is tried
 * again, in microseconds of the world's clock; 0: not. */
static napi_value outbox_outcome(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct sosia_engine *engine = arg_engine(&a, 0);
    uint64_t world = arg_world(&a, 1);
    int64_t entry = arg_int(&a, 3, "entry", 0), attempt = arg_int(&a, 4, "attempt", 1);
    struct sosia_outcome o = {
        .status = small(opt_int(&a, 5, "status", 0)),
        .error = opt_text(&a, 5, "error", NULL),
        .reason = opt_text(&a, 5, "reason", NULL),
    };
    const char *fields = opt_text(&a, 5, "fields", NULL);
    o.body = opt_bytes(&a, 5, "body", &o.body_len);
    if (fields)
        o.headers = split_fields(&a, (char *)fields, &o.n_headers);
    struct sosia_err err = {0};
    int64_t again = 0;
    if (a.failed)
        return args_done(&a, NULL);
    if (sosia_delivery_outcome(engine, world, entry, attempt, &o, &again, &err) < 0)
        args_throw(&a, &err);
    return args_done(&a, js_int(&a, again));
}

/* On the thread of the change, under the world's lock. */
static void outbox_grew(void *arg, uint64_t world, int64_t first, int64_t last)
{
    struct engine_slot *slot = arg;
    struct note *note = calloc(1, sizeof *note);
    if (!note)
        return; /* the next one says it: listeners look from where they were */
    note->kind = NOTE_OUTBOX;
    note->id = slot->id;
    note->world = world;
    note->first = first;
    note->last = last;
    inst_notify(slot->inst, note);
}

/* watch(engine, on): notes about its outboxes. */
static napi_value outbox_watch(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct engine_slot *slot = arg_slot(&a, 0);
    bool on = arg_bool(&a, 1, "on");
    if (!a.failed)
        sosia_engine_on_outbox(slot->engine, on ? outbox_grew : NULL, on ? slot : NULL);
    return args_done(&a, NULL);
}

const struct native journal_natives[] = {{"journal", journal_find},
                                         {"journalInfo", journal_info},
                                         {"journalChanges", journal_changes},
                                         {"journalExport", journal_export},
                                         {"journalKeep", journal_keep},
                                         {"replay", journal_replay},
                                         {"outbox", outbox_list},
                                         {"pending", outbox_pending},
                                         {"outcome", outbox_outcome},
                                         {"watch", outbox_watch},
                                         {NULL, NULL}};
