/* SPDX-License-Identifier: Apache-2.0 */
/* A journal as the trace of a run (docs/guardrails.md): of each call the tool, its risk, and what a
 * policy, a budget or a fault made of it. */
#include "engine/replay/export.h"
#include <stdlib.h>
#include <string.h>

static void trace_begin(struct export *x)
{
    json_obj(x->w, NULL);
    json_str(x->w, "run_id", x->key);
    json_arr(x->w, "steps");
}

/* The last that was said stays. */
static void keep_last(struct export *x, char **kept, const char *said)
{
    char *copy = said ? strdup(said) : NULL;
    if (said && !copy)
        x->w->out->failed = true;
    if (copy) {
        free(*kept);
        *kept = copy;
    }
}

static const char *risk_of(const char *risk)
{
    return !risk ? "read" : strcmp(risk, "external") == 0 ? "external_write" : risk;
}

static bool is(const char *word, const char *other)
{
    return word && strcmp(word, other) == 0;
}

static const char *outcome_of(const struct json *entry)
{
    const struct json *guard = json_get(entry, "guard"), *response = json_get(entry, "response");
    const char *decision = json_get_str(guard, "decision"), *event = json_get_str(guard, "event");
    bool failed = json_get_int(response, "status", 0) >= 400;
    if (json_get(entry, "stop"))
        return "budget_stop";
    if (is(event, "executed") || is(event, "returned"))
        return "approved";
    if (is(event, "rejected"))
        return "rejected";
    if (is(decision, "approve"))
        return "pending_approval";
    if (is(decision, "deny") || (is(decision, "limit") && failed))
        return "blocked_by_policy";
    if (json_get(entry, "fault"))
        return "fault";
    return failed || json_get_str(response, "why") ? "error" : "ok";
}

static const char *outcome_beside(const struct json *call)
{
    const char *decision = json_get_str(call, "decision");
    bool failed = json_get_int(call, "status", 0) >= 400;
    if (json_get(call, "stop"))
        return "budget_stop";
    if (is(decision, "deny") || (is(decision, "limit") && failed))
        return "blocked_by_policy";
    if (json_get(call, "fault"))
        return "fault";
    return failed || json_get_str(call, "why") ? "error" : "ok";
}

/* Calls of a program that was held: they were made beside the world. */
static void trace_beside(struct export *x, int64_t seq, const struct json *guard)
{
    struct json_writer *w = x->w;
    const struct json *calls = json_get(guard, "calls");
    for (uint32_t i = 0; calls && calls->type == JSON_ARRAY && i < calls->n; i++) {
        const struct json *call = &calls->items[i];
        const char *method = json_get_str(call, "method");
        json_obj(w, NULL);
        json_str(w, "type", "tool_call");
        json_str(w, "tool", method ? method : "unknown");
        json_str(w, "risk", risk_of(json_get_str(call, "risk")));
        json_str(w, "status", outcome_beside(call));
        json_int(w, "within", seq);
        json_str_opt(w, "at", json_get_str(call, "at"));
        json_str_opt(w, "actor_id", json_get_str(call, "actor"));
        json_str_opt(w, "rule", json_get_str(call, "rule"));
        json_str_opt(w, "approval_id", json_get_str(guard, "action"));
        if (json_get(call, "tainted"))
            json_value(w, "tainted", json_get(call, "tainted"));
        json_end(w);
        x->n++;
    }
}

static void trace_entry(struct export *x, int64_t seq, const struct json *entry)
{
    struct json_writer *w = x->w;
    const struct json *labels = json_get(entry, "labels"), *guard = json_get(entry, "guard");
    const char *method = json_get_str(entry, "method"), *status = outcome_of(entry);
    trace_beside(x, seq, guard);
    json_obj(w, NULL);
    json_str(w, "type", "tool_call");
    json_str(w, "tool", method ? method : "unknown");
    json_str(w, "risk", risk_of(json_get_str(entry, "risk")));
    json_str(w, "status", status);
    json_int(w, "seq", seq);
    json_str_opt(w, "at", json_get_str(entry, "at"));
    json_str_opt(w, "actor_id", json_get_str(entry, "actor"));
    json_str_opt(w, "prompt_version", json_get_str(labels, "prompt"));
    json_str_opt(w, "rule", json_get_str(guard, "rule"));
    json_str_opt(w, "approval_id", json_get_str(guard, "action"));
    if (json_get(guard, "tainted"))
        json_value(w, "tainted", json_get(guard, "tainted"));
    if (json_get(entry, "stop"))
        json_value(w, "stop", json_get(entry, "stop"));
    if (strcmp(status, "error") == 0)
        json_str_opt(w, "error", json_get_str(json_get(entry, "response"), "why"));
    json_end(w);
    x->n++;
    x->stopped = json_get(entry, "stop") != NULL;
    keep_last(x, &x->workflow, json_get_str(labels, "workflow"));
    keep_last(x, &x->tenant, json_get_str(labels, "tenant"));
    keep_last(x, &x->model, json_get_str(labels, "model"));
    keep_last(x, &x->policy, json_get_str(guard, "version"));
    if (!x->actor)
        keep_last(x, &x->actor, json_get_str(entry, "actor"));
}

static void trace_end(struct export *x)
{
    struct json_writer *w = x->w;
    char *const said[] = {x->workflow, x->tenant, x->actor, x->policy, x->model};
    static const char *const names[] = {"workflow", "tenant_id", "actor_id", "policy_version",
                                        "model"};
    json_end(w);
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        json_str_opt(w, names[i], said[i]);
        free(said[i]);
    }
    json_str(w, "result", x->stopped ? "stopped" : "completed");
    json_end(w);
}

const struct export_form export_run = {trace_begin, trace_entry, trace_end};
