/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/cases.h"
#include "engine/http/hold.h"
#include "engine/json/doc.h"
#include "engine/world/engine.h"
#include "guard/policy.h"
#include <stdio.h>

#define CASES_DOC_MAX ((size_t)4 << 20)
#define CASES_MAX     1000
#define READS_MAX     100

struct one_case {
    const char *id, *who, *verb, *target, *rule;
    const struct json *body, *reads; /* reads: calls before it; NULL: none */
    int decision;                    /* enum effect; -1: none is expected */
};

struct run {
    struct sosia_engine *engine;
    struct doc *d;
    struct arena *arena;
    uint64_t base;
    const char *actor; /* of cases that name none; NULL: they must */
    const char *policy, *policy_name;
    size_t policy_len;
    struct json_writer *w;
    int64_t good, bad;
    struct sosia_err *err;
};

static int read_call(struct run *r, const struct json *at, const char *member,
                     const char **ret_verb, const char **ret_target)
{
    size_t n = strcspn(at->str, " ");
    if (!n || at->str[n] != ' ' || at->str[n + 1] != '/')
        return doc_fail(r->d, at, member,
                        "must be a verb and a path (\"GET /calendar/v3/...\"), not \"%.60s\"",
                        at->str);
    *ret_verb = arena_memdup(r->arena, at->str, n);
    *ret_target = at->str + n + 1;
    return 0;
}

/* What the caller has read before, for rules that ask where values come from. */
static int read_reads(struct run *r, const struct json *v, struct one_case *ret)
{
    const struct json *list = json_get(v, "reads");
    const char *verb, *target;
    if (!list)
        return 0;
    if (list->type != JSON_ARRAY || list->n > READS_MAX)
        return doc_expect(r->d, list, "reads", "a list of at most 100 calls");
    for (uint32_t i = 0; i < list->n; i++) {
        if (list->items[i].type != JSON_STRING)
            return doc_expect(r->d, &list->items[i], "reads", "a call (\"GET /calendar/v3/...\")");
        if (read_call(r, &list->items[i], "reads", &verb, &target) < 0)
            return -1;
    }
    ret->reads = list;
    return 0;
}

static int read_case(struct run *r, const struct json *v, size_t i, struct one_case *ret)
{
    static const char *const members[] = {"id",   "as",    "call",        "body", "decision",
                                          "rule", "reads", "description", NULL};
    struct doc *d = r->d;
    const char *call, *text;
    *ret = (struct one_case){.decision = -1};
    if (doc_object(d, v, members) < 0 || doc_str(d, v, "id", false, &ret->id) < 0 ||
        doc_str(d, v, "as", false, &ret->who) < 0 || doc_str(d, v, "call", true, &call) < 0 ||
        doc_str(d, v, "rule", false, &ret->rule) < 0 ||
        doc_str(d, v, "description", false, &text) < 0 ||
        doc_enum(d, v, "decision", effect_names, -1, &ret->decision) < 0)
        return -1;
    if (ret->decision >= 0 && ret->decision < EFFECT_ALLOW)
        return doc_fail(d, json_get(v, "decision"), "decision",
                        "must be allow, deny, approve or dryRun, not %s",
                        effect_names[ret->decision]);
    if (read_call(r, json_get(v, "call"), "call", &ret->verb, &ret->target) < 0 ||
        read_reads(r, v, ret) < 0)
        return -1;
    ret->body = json_get(v, "body");
    if (!ret->who && !(ret->who = r->actor))
        return doc_fail(d, v, "as", "must be given where the document has no actor, is missing");
    if (!ret->id)
        ret->id = arena_printf(r->arena, "case %zu", i + 1);
    return 0;
}

/* The world's last entry; NULL: it has none. */
static const struct json *last_entry(struct run *r, uint64_t world)
{
    struct sosia_blob blob;
    const struct json *list = NULL;
    if (sosia_journal_list(r->engine, world, 0, 0, false, &blob, r->err) < 0)
        return NULL;
    char *text = arena_memdup(r->arena, blob.data, blob.len);
    size_t len = blob.len;
    sosia_blob_free(&blob);
    if (json_parse(r->arena, text, len, NULL, &list, r->err) < 0)
        return NULL;
    return list->n ? &list->items[list->n - 1] : NULL;
}

static void write_result(struct run *r, const struct one_case *c, int status,
                         const struct json *entry)
{
    const struct json *guard = json_get(entry, "guard");
    const char *decision = json_get_str(guard, "decision"), *rule = json_get_str(guard, "rule");
    bool asked = c->decision >= 0 || c->rule;
    bool good =
        (c->decision < 0 || (decision && strcmp(decision, effect_names[c->decision]) == 0)) &&
        (!c->rule || (rule && strcmp(rule, c->rule) == 0));
    r->good += asked && good;
    r->bad += asked && !good;
    json_obj(r->w, NULL);
    json_str(r->w, "id", c->id);
    json_str(r->w, "as", c->who);
    json_str(r->w, "call", arena_printf(r->arena, "%s %s", c->verb, c->target));
    json_str_opt(r->w, "method", json_get_str(entry, "method"));
    json_str(r->w, "decision", decision ? decision : "none");
    json_str_opt(r->w, "policy", json_get_str(guard, "policy"));
    json_str_opt(r->w, "rule", rule);
    json_str_opt(r->w, "why", json_get_str(guard, "why"));
    json_int(r->w, "status", status);
    if (json_get(guard, "tainted"))
        json_value(r->w, "tainted", json_get(guard, "tainted"));
    if (asked) {
        json_obj(r->w, "expected");
        json_str_opt(r->w, "decision", c->decision >= 0 ? effect_names[c->decision] : NULL);
        json_str_opt(r->w, "rule", c->rule);
        json_end(r->w);
        json_bool(r->w, "good", good);
    }
    json_end(r->w);
}

static int call_once(struct run *r, uint64_t world, const char *token, const char *verb,
                     const char *target, const char *body, int *ret_status)
{
    const struct sosia_header headers[] = {
        {"Authorization", arena_printf(r->arena, "Bearer %s", token)},
        {"Content-Type", "application/json; charset=utf-8"}};
    const struct sosia_request request = {.method = verb,
                                          .target = target,
                                          .headers = headers,
                                          .n_headers = SOSIA_LEN(headers),
                                          .body = body,
                                          .body_len = strlen(body)};
    struct sosia_response *response;
    if (arena_failed(r->arena))
        return sosia_fail_memory(r->err);
    hold_stop(r->engine, true); /* a case is about the decision, which nobody waits for */
    int rc = sosia_call(r->engine, world, &request, &response, r->err);
    hold_stop(r->engine, false);
    if (rc < 0)
        return -1;
    *ret_status = response->status;
    sosia_response_free(response);
    return 0;
}

static int call_in(struct run *r, uint64_t world, const struct one_case *c)
{
    const struct sosia_token_options token = {.actor = c->who};
    char text[SOSIA_TOKEN_MAX];
    if (sosia_token_issue(r->engine, world, &token, text, sizeof text, r->err) < 0)
        return -1;
    int status;
    for (uint32_t i = 0; c->reads && i < c->reads->n; i++) {
        const char *verb, *target;
        if (read_call(r, &c->reads->items[i], "reads", &verb, &target) < 0 ||
            call_once(r, world, text, verb, target, "", &status) < 0)
            return -1;
    }
    const char *body = c->body ? json_to_text(r->arena, c->body) : "";
    if (call_once(r, world, text, c->verb, c->target, body, &status) < 0)
        return -1;
    write_result(r, c, status, last_entry(r, world));
    return 0;
}

static int run_case(struct run *r, const struct one_case *c)
{
    const struct sosia_fork_options opt = {.set_journal = true, .journal = SOSIA_JOURNAL_ALL};
    uint64_t fork;
    if (engine_fork(r->engine, r->base, &opt, &fork_unlisted, &fork, r->err) < 0)
        return -1;
    int rc = call_in(r, fork, c);
    sosia_world_drop(r->engine, fork, NULL);
    return rc;
}

/* The world that the cases begin in, with the policy. */
static int make_base(struct run *r, const struct json *top, const struct cases_options *opt)
{
    const struct json *seed = json_get(top, "seed");
    const char *fixture;
    uint64_t world;
    if (doc_str(r->d, top, "fixture", false, &fixture) < 0)
        return -1;
    if (!fixture == !seed)
        return doc_fail(r->d, top, "fixture", "must be given, or a seed document as \"seed\": %s",
                        fixture ? "both are" : "neither is");
    if (fixture && opt->fixture(opt->arg, fixture, &world, r->err) < 0)
        return -1;
    if (seed) {
        const char *text = json_to_text(r->arena, seed);
        const struct sosia_world_options made = {
            .seed_doc = text, .seed_doc_len = strlen(text), .seed_doc_name = "seed"};
        if (sosia_world_create(r->engine, &made, &world, r->err) < 0)
            return -1;
    }
    if (engine_fork(r->engine, world, NULL, &fork_unlisted, &r->base, r->err) < 0)
        return -1;
    if (seed)
        sosia_world_drop(r->engine, world, NULL);
    return sosia_policy_set(r->engine, r->base, r->policy, r->policy_len, r->policy_name, NULL,
                            r->err);
}

static int run_all(struct run *r, const struct json *top, const struct cases_options *opt)
{
    static const char *const members[] = {"fixture", "seed", "actor", "cases", "description", NULL};
    const struct json *list;
    const char *text;
    if (doc_object(r->d, top, members) < 0 || doc_str(r->d, top, "actor", false, &r->actor) < 0 ||
        doc_str(r->d, top, "description", false, &text) < 0 ||
        doc_list(r->d, top, "cases", &list) < 0)
        return -1;
    if (!list || !list->n || list->n > CASES_MAX)
        return doc_fail(r->d, top, "cases", "must be a list of 1 to %d cases", CASES_MAX);
    struct one_case *cases = arena_calloc(r->arena, list->n, sizeof *cases);
    if (arena_failed(r->arena))
        return sosia_fail_memory(r->err);
    for (uint32_t i = 0; i < list->n; i++) { /* all are read before any is run */
        size_t mark = doc_push(r->d, "cases", i);
        if (read_case(r, &list->items[i], i, &cases[i]) < 0)
            return -1;
        doc_pop(r->d, mark);
    }
    if (make_base(r, top, opt) < 0)
        return -1;
    json_arr(r->w, "cases");
    for (uint32_t i = 0; i < list->n; i++)
        if (run_case(r, &cases[i]) < 0)
            return -1;
    json_end(r->w);
    return 0;
}

int policy_cases(struct sosia_engine *e, const char *policy, size_t policy_len,
                 const char *policy_name, const char *cases, size_t len, const char *name,
                 const struct cases_options *opt, struct sosia_blob *ret_json, bool *ret_good,
                 struct sosia_err *err)
{
    struct arena arena;
    struct json_writer w;
    struct buf out;
    struct doc d;
    const struct json *top;
    struct run r = {.engine = e,
                    .d = &d,
                    .arena = &arena,
                    .policy = policy,
                    .policy_len = policy_len,
                    .policy_name = policy_name,
                    .w = &w,
                    .err = err};
    arena_init(&arena, 0);
    buf_init(&out, 0);
    json_init(&w, &out, true, NULL);
    json_obj(&w, NULL);
    int rc = doc_open(&d, &arena, cases, len, name, CASES_DOC_MAX, &top, err);
    if (rc == 0)
        rc = run_all(&r, top, opt);
    json_int(&w, "good", r.good);
    json_int(&w, "bad", r.bad);
    json_end(&w);
    if (rc == 0)
        rc = buf_give(&out, ret_json, err);
    *ret_good = !r.bad;
    if (r.base)
        sosia_world_drop(e, r.base, NULL);
    buf_done(&out);
    arena_done(&arena);
    return rc;
}
