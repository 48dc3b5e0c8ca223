/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/simulate.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/json/json.h"
#include "engine/replay/replay.h"
#include "guard/policy.h"

struct simulation {
    struct sosia_engine *engine;
    struct arena *arena;
    int64_t first;              /* the entry that the world's own calls are behind */
    uint64_t start, begin, end; /* before the policy, with it, and after the calls; 0: not made */
    struct sosia_err *err;
};

static int find_first(struct simulation *s, uint64_t world)
{
    const struct json *info;
    struct sosia_blob blob;
    if (sosia_journal_info(s->engine, world, &blob, s->err) < 0)
        return -1;
    int rc = json_parse(s->arena, blob.data, blob.len, NULL, &info, s->err);
    sosia_blob_free(&blob);
    if (rc == 0)
        s->first = json_get_int(info, "start", 0);
    return rc;
}

/* The state in which the journal begins, with the policy as what it resets to. */
static int make_start(struct simulation *s, uint64_t world, const char *policy, size_t len,
                      const char *name)
{
    if (find_first(s, world) < 0)
        return -1;
    return replay_fork(s->engine, world, s->first, NULL, &fork_unlisted, &s->start, s->err) < 0 ||
                   sosia_policy_set(s->engine, s->start, policy, len, name, NULL, s->err) < 0 ||
                   engine_fork(s->engine, s->start, NULL, &fork_unlisted, &s->begin, s->err) < 0
               ? -1
               : 0;
}

static int run(struct simulation *s, uint64_t world)
{
    struct sosia_blob text, report;
    if (sosia_journal_export(s->engine, world, SOSIA_JOURNAL_JSONL, s->first, 0, &text, s->err) < 0)
        return -1;
    const struct sosia_replay_options opt = {
        .keep = true, .journal = text.data, .journal_len = text.len, .journal_name = "journal"};
    int rc = sosia_journal_replay(s->engine, s->begin, &opt, &s->end, &report, s->err);
    sosia_blob_free(&text);
    if (rc == 0)
        sosia_blob_free(&report);
    return rc;
}

static void write_decision(struct json_writer *w, const struct json *entry,
                           const struct json *guard)
{
    json_obj(w, NULL);
    json_int(w, "seq", json_get_int(entry, "seq", 0));
    json_str_opt(w, "actor", json_get_str(entry, "actor"));
    json_str_opt(w, "method", json_get_str(entry, "method"));
    json_str_opt(w, "target", json_get_str(json_get(entry, "request"), "target"));
    json_str_opt(w, "decision", json_get_str(guard, "decision"));
    json_str_opt(w, "rule", json_get_str(guard, "rule"));
    json_str_opt(w, "why", json_get_str(guard, "why"));
    json_end(w);
}

static int read_entries(struct simulation *s, const struct json **ret)
{
    struct sosia_blob blob;
    if (sosia_journal_list(s->engine, s->end, 0, 0, false, &blob, s->err) < 0)
        return -1;
    char *text = arena_memdup(s->arena, blob.data, blob.len);
    size_t len = blob.len;
    sosia_blob_free(&blob);
    return arena_failed(s->arena) ? sosia_fail_memory(s->err)
                                  : json_parse(s->arena, text, len, NULL, ret, s->err);
}

int policy_run(struct sosia_engine *e, uint64_t world, const char *policy, size_t len,
               const char *name, struct arena *arena, const struct json **ret_entries,
               struct sosia_err *err)
{
    struct simulation s = {.engine = e, .arena = arena, .err = err};
    int rc = make_start(&s, world, policy, len, name) < 0 || run(&s, world) < 0 ||
                     read_entries(&s, ret_entries) < 0
                 ? -1
                 : 0;
    const uint64_t made[] = {s.end, s.begin, s.start};
    for (size_t i = 0; i < SOSIA_LEN(made); i++)
        if (made[i])
            sosia_world_drop(e, made[i], NULL);
    return rc;
}

static void write_all(struct json_writer *w, const struct json *list)
{
    int64_t n[EFFECT_DENY + 1] = {0}, calls = 0;
    json_obj(w, NULL);
    json_arr(w, "decisions");
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *entry = &list->items[i], *guard = json_get(entry, "guard");
        const char *decision = json_get_str(guard, "decision");
        calls += json_get(entry, "request") != NULL;
        for (int k = EFFECT_ALLOW; decision && k <= EFFECT_DENY; k++)
            n[k] += strcmp(decision, effect_names[k]) == 0;
        if (decision && strcmp(decision, effect_names[EFFECT_ALLOW]) != 0)
            write_decision(w, entry, guard);
    }
    json_end(w);
    json_int(w, "calls", calls);
    json_int(w, "allowed", n[EFFECT_ALLOW]);
    json_int(w, "denied", n[EFFECT_DENY]);
    json_int(w, "held", n[EFFECT_APPROVE]);
    json_int(w, "tried", n[EFFECT_DRY_RUN]);
    json_end(w);
}

int policy_simulate(struct sosia_engine *e, uint64_t world, const char *policy, size_t len,
                    const char *name, struct sosia_blob *ret_json, struct sosia_err *err)
{
    const struct json *entries;
    struct json_writer w;
    struct arena arena;
    struct buf out;
    arena_init(&arena, 0);
    buf_init(&out, 0);
    json_init(&w, &out, true, NULL);
    int rc = policy_run(e, world, policy, len, name, &arena, &entries, err);
    if (rc == 0) {
        write_all(&w, entries);
        rc = buf_give(&out, ret_json, err);
    }
    buf_done(&out);
    arena_done(&arena);
    return rc;
}
