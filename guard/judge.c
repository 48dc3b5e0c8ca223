/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls judged: the record that the door asks (engine/world/guard.h). Rules that decide are asked
 * in their order, as far as they can be before the handler runs; where one speaks of consequences
 * the walk goes on when these can be seen. Between policies the strongest decision counts.
 */
#include "guard/judge.h"
#include "engine/base/utf8.h"
#include "engine/http/hold.h"
#include "engine/send/program.h"
#include "guard/action.h"
#include "guard/beside.h"
#include "guard/draft.h"
#include "guard/guard.h"
#include "guard/taint/taint.h"
#include "mcp/approve.h"
#include <stdio.h>
#include <stdlib.h>

#define RAN_MAX ((size_t)64 << 20) /* bytes of what a program left that are kept */

/* ---- decisions ---- */

static void decide(struct asked *a, enum effect effect, const struct policy_rule *rule,
                   const char *why)
{
    a->decided = true;
    a->effect = effect;
    a->rule = rule;
    a->why = why;
}

static void decide_rest(struct call *c, struct asked *a)
{
    const struct policy *p = a->of->policy;
    enum risk risk = c->risk > c->route->risk ? c->risk : c->route->risk;
    if (p->otherwise != OTHERWISE_TIERS) {
        decide(a, p->otherwise == OTHERWISE_ALLOW ? EFFECT_ALLOW : EFFECT_DENY, NULL,
               p->broken ? p->broken : "no rule is for it");
        return;
    }
    decide(a, p->tiers[risk], NULL, arena_printf(c->tx.arena, "its risk is %s", risk_names[risk]));
}

/* Asks the rules that decide, from where it stopped. 0, -1. */
static int walk(struct call *c, struct judged *j, struct asked *a, bool late)
{
    const struct policy *p = a->of->policy;
    for (; a->at < p->n; a->at++) {
        const struct policy_rule *rule = &p->rules[a->at];
        if (rule->effect < EFFECT_ALLOW || !may_be_about(a, a->at))
            continue;
        enum match_result m = rule_matches(c, j, rule, late);
        if (m == MATCH_LATER && !late)
            return 0;
        int holds = m == MATCH_LATER ? outcome_holds(c, j, rule) : m == MATCH_YES;
        if (holds < 0)
            return -1;
        if (holds) {
            decide(a, rule->effect, rule, rule->description);
            return 0;
        }
    }
    if (late || !c->route->risk_of || p->otherwise != OTHERWISE_TIERS)
        decide_rest(c, a);
    return 0;
}

/* Of two that ask for approval, the one that does not leave it to the caller's own client. */
static bool is_stronger(const struct asked *a, const struct asked *b)
{
    return a->effect > b->effect || (a->effect == b->effect && a->effect == EFFECT_APPROVE &&
                                     !a->of->policy->asks_client && b->of->policy->asks_client);
}

static void choose(struct judged *j)
{
    j->decision = NULL;
    for (size_t i = 0; i < j->n; i++)
        if (j->list[i].decided && (!j->decision || is_stronger(&j->list[i], j->decision)))
            j->decision = &j->list[i];
}

static bool all_decided(const struct judged *j)
{
    for (size_t i = 0; i < j->n; i++)
        if (!j->list[i].decided)
            return false;
    return true;
}

static int refuse(struct call *c, struct judged *j)
{
    j->refused = true;
    c->noted = true;
    return call_fail(c, SOSIA_E_FORBIDDEN, NULL, NULL, GUARD_REFUSED);
}

/* ---- rules that don't decide ---- */

static bool over_limit(struct call *c, struct guard_count *count, const struct policy_rule *rule)
{
    bool again = rule->per_us &&
                 (c->tx.now_us - count->since_us >= rule->per_us || c->tx.now_us < count->since_us);
    if (!count->since_us || again)
        *count = (struct guard_count){.since_us = c->tx.now_us ? c->tx.now_us : 1};
    if (count->used >= rule->limit)
        return true;
    count->used++;
    return false;
}

static int add_redaction(struct call *c, struct judged *j, const struct policy_rule *rule)
{
    const struct rule_edit **list =
        arena_grow(c->tx.arena, j->redactions, j->n_redactions, &j->cap_redactions, sizeof *list);
    if (!list)
        return sosia_fail_memory(c->tx.err);
    j->redactions = list;
    list[j->n_redactions++] = rule->edits;
    return 0;
}

static int note_count(struct call *c, struct judged *j, struct guard_count *count)
{
    struct guard_count **list =
        arena_grow(c->tx.arena, j->counted_in, j->n_counted_in, &j->cap_counted_in, sizeof *list);
    if (!list)
        return sosia_fail_memory(c->tx.err);
    j->counted_in = list;
    list[j->n_counted_in++] = count;
    return 0;
}

/* What is not known yet counts as if it matched. */
static int ask_beside(struct call *c, struct judged *j, struct asked *a)
{
    const struct policy *p = a->of->policy;
    for (size_t i = 0; i < p->n; i++) {
        const struct policy_rule *rule = &p->rules[i];
        if (rule->effect >= EFFECT_ALLOW || !may_be_about(a, i) ||
            rule_matches(c, j, rule, false) == MATCH_NO)
            continue;
        if (rule->effect == EFFECT_REDACT && add_redaction(c, j, rule) < 0)
            return -1;
        if (rule->effect == EFFECT_REWRITE) {
            j->rewritten = true;
            int r = edit_arguments(c, j, rule);
            if (r < 0)
                return -1;
            if (r && !a->decided)
                decide(a, EFFECT_DENY, rule, "what it sets can't be set in this call");
        }
        if (rule->effect != EFFECT_LIMIT || c->outcome)
            continue;
        guard_state_of(&c->tx)->unsaved = true;
        struct guard_count *count = &a->of->counts[rule->counter];
        if (!over_limit(c, count, rule)) {
            if (note_count(c, j, count) < 0)
                return -1;
        } else if (!a->decided) {
            decide(a, EFFECT_DENY, rule, "the limit is reached");
        }
    }
    return 0;
}

/* ---- approvals ---- */

static int refuse_because(struct call *c, struct judged *j, const char *why)
{
    struct asked *a = j->decision ? &j->list[j->decision - j->list] : &j->list[0];
    decide(a, j->decision ? a->effect : EFFECT_DENY, a->rule, why);
    j->decision = a;
    return refuse(c, j);
}

/* The action that the call is held as, or was, if there is one. 0; 1: it can't be held; -1. */
static int look_up(struct call *c, struct judged *j)
{
    if (j->looked)
        return 0;
    int r = action_digest(c, j, j->digest);
    if (r)
        return r;
    j->looked = true;
    if (draft_is(c, DRAFT_STAGE)) /* each is another one */
        return 0;
    r = action_find_named(c, j);
    if (r == 0)
        r = action_find(c, j->digest, &j->found);
    if (r == 1)
        snprintf(j->action, sizeof j->action, "%s", j->found.name);
    return r < 0 ? -1 : 0;
}

/* It was executed before: the caller gets the answer, and nothing is done again. */
static int give_back(struct call *c, struct judged *j)
{
    decide(&j->list[0], EFFECT_APPROVE, NULL, "it was executed before");
    j->decision = &j->list[0];
    j->event = "returned";
    if (!j->found.answer)
        return refuse(c, j);
    c->status = j->found.status;
    if (j->found.type)
        call_header(c, "Content-Type", j->found.type);
    buf_clear(c->body_out);
    buf_puts(c->body_out, j->found.answer);
    return 1;
}

/* Arguments that the approver has set. */
static int take_edits(struct call *c, struct judged *j)
{
    struct policy_rule edited = {0};
    const struct json *v;
    if (json_parse(c->tx.arena, j->found.edits, strlen(j->found.edits), NULL, &v, c->tx.err) < 0)
        return -1;
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++) {
        struct rule_edit *e = arena_calloc(c->tx.arena, 1, sizeof *e);
        const struct json *to = &v->members[i].value;
        *e = (struct rule_edit){.path = v->members[i].key,
                                .value = to->type == JSON_NULL ? NULL : to,
                                .next = edited.edits};
        edited.edits = e;
    }
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    int r = edit_arguments(c, j, &edited);
    return r > 0 ? refuse_because(c, j, "what the approver has set can't be set") : r;
}

/* What its program left when it was held is what it does, so that the program runs once. Edited
 * arguments want another run. 0, -1. */
static int take_kept(struct call *c, const struct judged *j)
{
    const struct held_action *a = &j->found;
    bool edited = strcmp(a->state, "approved") == 0 && a->edits;
    if (!a->ran || edited || c->outcome)
        return 0;
    struct sosia_outcome *o = arena_calloc(c->tx.arena, 1, sizeof *o);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    *o = (struct sosia_outcome){.status = 200, .body = a->ran, .body_len = a->ran_len};
    c->kept = o;
    c->resumed = program_suspends(a->program);
    return 0;
}

/* A call like one that was held before. 0 goes on, 1 it is answered, -1. */
static int take_up(struct call *c, struct judged *j)
{
    int r = look_up(c, j);
    if (r < 0 || r > 0 || !j->found.id)
        return r < 0 ? -1 : 0;
    if (strcmp(j->found.state, "executed") == 0)
        return give_back(c, j);
    if (take_kept(c, j) < 0)
        return -1;
    return strcmp(j->found.state, "approved") == 0 && j->found.edits ? take_edits(c, j) : 0;
}

/* What was decided is what it does now, and the policy is the same. */
static bool is_approved(const struct judged *j, const struct action_outcome *o)
{
    const struct held_action *a = &j->found;
    return a->id && strcmp(a->state, "approved") == 0 &&
           strcmp(a->hash, j->decision->of->policy->hash) == 0 &&
           (a->edits ? strcmp(a->shape, o->shape) == 0 : strcmp(a->outcome_hash, o->hash) == 0);
}

/* A call that runs a program, which is over with the call: it can run beside the world. */
static bool is_program(const struct call *c)
{
    return program_suspended(c->suspended) && !c->outlives && !draft_label(c);
}

static int hold(struct call *c, struct judged *j)
{
    if ((c->suspended && !is_program(c)) || c->route->upgrade)
        return refuse_because(c, j, "a call whose answer waits for others can't be held");
    if (c->outcome && c->outcome->body_len > RAN_MAX)
        return refuse_because(c, j, "what its program left can't be kept");
    if (c->upload && draft_is(c, DRAFT_STAGE))
        return refuse_because(c, j, "what is uploaded can't be a draft");
    if (draft_is(c, DRAFT_STAGE) && c->content.data &&
        !utf8_valid(c->content.data, (size_t)c->content.len))
        return refuse_because(c, j, "bytes that are no text can't be a draft");
    if (!c->actor.id) /* it leaves no rows when it is refused */
        return refuse_because(c, j, "a call of nobody can't be held");
    int r = look_up(c, j);
    if (r > 0)
        return refuse_because(c, j, "what it brings can't be held");
    if (r == 0 && c->suspended) /* what comes of it is what is held */
        return program_hold(&c->tx, program_suspended(c->suspended));
    if (r == 0 && (j->draft = draft_kind_of(c, j))) {
        j->event = "drafted";
        return refuse(c, j);
    }
    j->outcome = arena_calloc(c->tx.arena, 1, sizeof *j->outcome);
    if (r < 0 || action_outcome(c, j, j->outcome) < 0)
        return -1;
    bool asks = draft_is(c, DRAFT_ASK), approved = is_approved(j, j->outcome);
    if (approved && !asks) {
        j->executing = j->found.id;
        j->event = "executed";
        return 0;
    }
    bool again = j->found.id && !approved && strcmp(j->found.state, "approved") == 0;
    bool begins = asks && j->found.id && strcmp(j->found.state, "drafted") == 0;
    if (!j->found.id && action_name(&c->tx, j->digest, j->action) < 0)
        return -1;
    j->pending = !j->found.id || again || begins;
    j->event = draft_is(c, DRAFT_STAGE)                  ? "staged"
               : j->pending                              ? "proposed"
               : strcmp(j->found.state, "rejected") == 0 ? "rejected"
                                                         : "attached";
    j->waits = action_waits(c, j);
    j->refused = c->noted = true;
    return call_fail(c, SOSIA_E_FORBIDDEN, "held", NULL, GUARD_HELD, j->action);
}

/* ---- before ---- */

/* Nobody's call for a credential, and for pages that anybody may see. An address that acts for
 * somebody by its own secret, as a webhook's does, is neither. */
static bool is_signing_in(const struct call *c)
{
    return c->route->anonymous && !c->actor.id &&
           (c->route->risk == RISK_READ || (c->route->secret && c->route->risk < RISK_EXTERNAL));
}

static int find_policies(struct call *c, struct judged *j, struct guard_state *s)
{
    j->list = arena_calloc(c->tx.arena, s->n + 1, sizeof *j->list);
    for (size_t i = 0; i < s->n && !arena_failed(c->tx.arena); i++) {
        int applies = policy_applies(c, j, s->policies[i].policy);
        if (applies < 0)
            return -1;
        if (!applies)
            continue;
        struct asked *a = &j->list[j->n++];
        a->of = &s->policies[i];
        a->rules = policy_rules_of(c, a->of->policy);
        if (!a->rules)
            return -1;
    }
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
}

static int refuse_broken(struct call *c, struct judged *j, const struct guard_state *s)
{
    j->list = arena_calloc(c->tx.arena, 1, sizeof *j->list);
    decide(j->list, EFFECT_DENY, NULL,
           arena_printf(c->tx.arena, "the policy can't be read: %s", s->broken));
    j->decision = j->list;
    return refuse(c, j);
}

/* Where values come from, if a policy of the world asks for it. What a held program reads is for
 * the run that is given its output, of whom another policy may ask. */
static int begin_taint(struct call *c, struct judged *j, struct guard_state *s)
{
    bool asked = world_is_beside(c->tx.world);
    for (size_t i = 0; i < j->n; i++)
        asked |= j->list[i].of->policy->asks_taint;
    if (!s->taint || taint_begin(c, j, s->taint, asked) < 0)
        return s->taint ? -1 : 0;
    return c->upload ? 0 : taint_look(c, j); /* of an upload the arguments are known at its end */
}

static int judge_before(struct call *c)
{
    struct guard_state *s = guard_state_of(&c->tx);
    if (!s || is_signing_in(c))
        return 0;
    struct judged *j = arena_calloc(c->tx.arena, 1, sizeof *j);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    c->judged = j;
    if (s->broken)
        return refuse_broken(c, j, s);
    if (find_policies(c, j, s) < 0 || begin_taint(c, j, s) < 0)
        return -1;
    for (size_t i = 0; i < j->n; i++)
        if (ask_beside(c, j, &j->list[i]) < 0)
            return -1;
    for (size_t i = 0; i < j->n; i++)
        if (!j->list[i].decided && walk(c, j, &j->list[i], !c->tx.write) < 0)
            return -1;
    choose(j);
    if (j->decision && j->decision->effect == EFFECT_DENY)
        return refuse(c, j);
    int taken = c->tx.write && s->actions && j->n ? take_up(c, j) : 0;
    if (taken)
        return taken;
    if (c->tx.write && (j->taint || !all_decided(j) || draft_label(c) ||
                        (j->decision && j->decision->effect == EFFECT_APPROVE))) {
        changes_watch(&c->tx, &j->touched);
        j->watching = true;
    }
    return 0;
}

/* ---- after ---- */

static void close_changes(struct call *c, struct judged *j)
{
    if (j->facts)
        j->reaches = json_to_text(c->tx.arena, j->facts);
    if (j->opened)
        changes_close(&j->changes);
    j->opened = false;
    j->facts = NULL;
}

/* What a draft is proposed for, or commits it, is held whatever the rules say of it. */
static void hold_draft_call(struct call *c, struct judged *j)
{
    if (!draft_label(c) || !c->tx.write || !j->n ||
        (j->decision && j->decision->effect >= EFFECT_APPROVE))
        return;
    size_t i = 0;
    while (i < j->n && j->list[i].of->policy->asks_client)
        i++;
    struct asked *a = &j->list[i < j->n ? i : 0];
    decide(a, EFFECT_APPROVE, NULL, "a draft is committed by approval");
    j->decision = a;
}

/* A call whose answer waits for others, or that opens a session, can't be tried; nor can one that
 * allows a connection. */
static int try_it(struct call *c, struct judged *j)
{
    if ((c->suspended ? !is_program(c) : c->outlives) || c->route->upgrade)
        return refuse(c, j);
    if (c->suspended)
        return program_hold(&c->tx, program_suspended(c->suspended));
    c->tried = true;
    return 0;
}

static int settle(struct call *c, struct judged *j)
{
    if (!j->decision)
        return 0;
    switch (j->decision->effect) {
    case EFFECT_DENY:
        return refuse(c, j);
    case EFFECT_APPROVE:
        return hold(c, j);
    case EFFECT_DRY_RUN:
        return try_it(c, j);
    default:
        return 0;
    }
}

static int judge_after(struct call *c)
{
    struct judged *j = c->judged;
    /* What was put off to the end of the call is among its consequences. */
    if (j->watching && (j->taint || !all_decided(j)) && tx_do_later(&c->tx) < 0)
        return -1;
    int rc = taint_look(c, j);
    for (size_t i = 0; rc == 0 && i < j->n; i++)
        if (!j->list[i].decided)
            rc = walk(c, j, &j->list[i], true);
    choose(j);
    hold_draft_call(c, j);
    if (rc == 0)
        rc = settle(c, j);
    close_changes(c, j);
    if (rc == 0)
        rc = beside_read(c);
    if (rc == 0 && !c->tried)
        rc = taint_written(c, j);
    return rc < 0 || (c->tx.write && guard_state_save(&c->tx) < 0) ? -1 : 0;
}

static int judge_answered(struct call *c)
{
    struct judged *j = c->judged;
    int r = edit_answer(c, j);
    if (r > 0) { /* what can't be covered is not given */
        decide(&j->list[0], EFFECT_DENY, NULL, "its answer can't be covered");
        j->decision = &j->list[0];
        return refuse(c, j);
    }
    return r < 0 || (j->executing && action_executed(c, j->executing) < 0) || draft_made(c, j) < 0
               ? -1
               : taint_read(c, j);
}

static int judge_undone(struct call *c)
{
    struct guard_state *s = guard_state_of(&c->tx);
    if (s) {
        s->unsaved = s->unsaved || c->judged->n; /* what was saved inside is undone */
        taint_unsaved(s->taint);
    }
    /* A call that waits counts when it is made. */
    for (size_t i = 0; (c->judged->waits || c->judged->draft) && i < c->judged->n_counted_in; i++)
        c->judged->counted_in[i]->used--;
    if (c->judged->pending && action_hold(c, c->judged) < 0) {
        c->judged->pending = false; /* it is held as nothing */
        *c->judged->action = '\0';
        return -1;
    }
    if (guard_state_save(&c->tx) < 0)
        return -1;
    return c->judged->waits || c->judged->draft ? action_wait(c, c->judged) : 0;
}

/* For programs, beside the words: as a header. It says no more than they. */
static void judge_end(struct call *c)
{
    const struct judged *j = c->judged;
    if (!j->refused)
        return;
    if (j->pending)
        approve_ask(c->tx.engine, c->tx.world);
    bool held = *j->action && j->event && !j->draft;
    bool draft = held && (strcmp(j->event, "staged") == 0 ||
                          (j->found.id && !j->pending && !strcmp(j->found.state, "drafted")));
    bool approved = held && j->found.id && !j->pending && !strcmp(j->found.state, "approved");
    const char *status = !held                               ? "blocked_by_policy"
                         : draft                             ? "draft"
                         : approved                          ? "approved"
                         : strcmp(j->event, "rejected") == 0 ? "rejected"
                                                             : "pending_approval";
    const char *text =
        held ? arena_printf(c->tx.arena, "{\"status\":\"%s\",\"action\":\"%s\"}", status, j->action)
             : arena_printf(c->tx.arena, "{\"status\":\"%s\"}", status);
    if (j->draft)
        call_header(c, DRAFT_HEADER, arena_printf(c->tx.arena, "%d.%s", (int)j->draft, j->digest));
    call_header(c, GUARD_HEADER, text);
}

static void judge_release(struct call *c)
{
    struct judged *j = c->judged;
    close_changes(c, j);
    free(j->touched.list);
    for (size_t i = 0; i < j->n_held; i++)
        policy_unref(j->held[i]);
    j->n_held = 0;
}

/* ---- the journal ---- */

static void judge_write(const struct call *c, struct json_writer *w)
{
    const struct asked *a = c->judged->decision;
    char token[65];
    if (c->judged->asks_token && c->token && call_token_digest(c, token) == 0)
        json_str(w, "token_sha256", token);
    if (!a)
        return;
    json_obj(w, "guard");
    json_str(w, "decision", effect_names[a->effect]);
    if (a->of) {
        json_str(w, "policy", a->of->policy->name);
        if (*a->of->policy->version)
            json_str(w, "version", a->of->policy->version);
        json_str(w, "hash", a->of->policy->hash);
    }
    json_str_opt(w, "rule", a->rule ? a->rule->id : NULL);
    json_str_opt(w, "why", a->why);
    json_str_opt(w, "tool", c->tool); /* rules may name it, and actions have it */
    if (c->judged->reaches)
        json_raw(w, "reaches", c->judged->reaches, strlen(c->judged->reaches));
    if (*c->judged->action)
        json_str(w, "action", c->judged->action);
    json_str_opt(w, "event", c->judged->event);
    json_bool_opt(w, "waits", c->judged->waits);
    taint_write(c->judged, w);
    beside_write(c, w);
    json_end(w);
}

/* ---- lists ---- */

static int judge_outside(struct call *c)
{
    struct guard_state *s = guard_state_of(&c->tx);
    struct judged *j = s ? arena_calloc(c->tx.arena, 1, sizeof *j) : NULL;
    if (!s)
        return 0;
    j->held = arena_calloc(c->tx.arena, s->n + 1, sizeof(struct policy *));
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    c->judged = j;
    for (size_t i = 0; i < s->n; i++) {
        int applies = policy_applies(c, j, s->policies[i].policy);
        if (applies < 0)
            return -1;
        if (applies)
            j->held[j->n_held++] = policy_ref(s->policies[i].policy);
    }
    return 0;
}

static bool judge_shows(const struct call *c, const struct dialect *d, const struct route *route,
                        const char *tool)
{
    for (size_t i = 0; i < c->judged->n_held; i++)
        if (!policy_shows(c, c->judged->held[i], d, route, tool))
            return false;
    for (size_t i = 0; i < c->judged->n; i++) /* of one that is served in a transaction */
        if (!policy_shows(c, c->judged->list[i].of->policy, d, route, tool))
            return false;
    return true;
}

const struct guard guard_rules = {
    .load = guard_state_load,
    .copy = guard_state_copy,
    .free = guard_state_free,
    .before = judge_before,
    .after = judge_after,
    .answered = judge_answered,
    .undone = judge_undone,
    .write = judge_write,
    .end = judge_end,
    .release = judge_release,
    .outside = judge_outside,
    .shows = judge_shows,
    .staged = action_staged,
    .drafted = action_request,
    .questions = action_questions,
    .decide = action_answered,
    .again = guard_again,
};
