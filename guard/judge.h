/* SPDX-License-Identifier: Apache-2.0 */
/* A call judged: what each policy decides on it, before it and when its consequences are known. */
#ifndef SOSIA_GUARD_JUDGE_H
#define SOSIA_GUARD_JUDGE_H

#include "guard/state.h"
#include "engine/http/call.h"
#include "engine/state/change.h"

/* ---- pending actions (action.h) ---- */

#define ACTION_NAME_MAX 24

struct held_action {
    int64_t id;
    const char *name;
    const char *state;        /* drafted, held, approved, rejected, executed */
    const char *edits;        /* arguments that the approver has set (JSON); NULL: none */
    const char *hash;         /* of the policy */
    const char *outcome_hash; /* of what it would do */
    const char *shape;        /* the same without its values */
    int64_t expires_us;
    int status;                /* of the answer, once it was executed */
    const char *type, *answer; /* NULL: it was not kept */
    int64_t program;           /* that has run for it; 0: none has */
    const char *ran;           /* its outcome, ran_len bytes; NULL: it was not kept */
    size_t ran_len;
};

/* What a call would do, as approvers are shown it. */
struct action_outcome {
    const char *text; /* the diff of its run, as sosia_diff() gives it */
    char hash[65], shape[65];
};

/* ---- a call ---- */

struct taint_call;

/* How far one policy was asked, and what it said. */
struct asked {
    struct guard_policy *of;
    const struct method_rules *rules; /* that may be about the method */
    size_t at;                        /* the next rule to be asked */
    bool decided;
    enum effect effect;
    const struct policy_rule *rule; /* NULL: the tier of the call's risk, or what is otherwise */
    const char *why;                /* of the rule that counts; NULL: nothing to say */
};

struct judged {
    struct asked *list; /* policies that hold for the call */
    size_t n;
    const struct asked *decision; /* the strongest; NULL: there is none yet */
    const struct json *arguments; /* canonical; NULL: not made yet */
    bool asks_token;              /* which one it is has mattered */
    const char *app;              /* client id of the app; NULL: not looked for, "": none */
    struct touched touched;
    bool watching;
    struct changes changes;
    bool opened;              /* changes */
    const struct json *facts; /* of whom it reaches; NULL: not made yet */
    const char *reaches;      /* the same as text, for the journal; NULL: no rule asked */
    const struct rule_edit **redactions;
    size_t n_redactions, cap_redactions;
    struct taint_call *taint;        /* taint.h; NULL: nothing is asked of it */
    struct guard_count **counted_in; /* limits */
    size_t n_counted_in, cap_counted_in;
    bool refused; /* by the guard */
    bool counted;
    bool asked_counted; /* what its program has asked beside the world was counted (beside.h) */
    char digest[65];    /* "": not made */
    char content[65];   /* SHA-256 of what it brings beside its arguments; "": nothing */
    bool looked;        /* for an action of it */
    struct held_action found;     /* id 0: there is none */
    char action[ACTION_NAME_MAX]; /* that it is held as, or was; "": none */
    const char *event;            /* what it is to that: proposed, attached, executed, returned */
    bool pending;                 /* a row is to be written when it is undone */
    bool waits;                   /* its caller does, for a decision on it */
    int64_t draft;                /* the kind of draft that takes its place (draft.c); 0: none */
    bool rewritten;               /* its arguments are others than its caller's */
    struct action_outcome *outcome;
    int64_t executing;    /* the action that it executes; 0: none */
    struct policy **held; /* of a method that is served outside: references for shows() */
    size_t n_held;
    struct fault_rules *faults; /* of the same, a reference; NULL: none is about lists */
    const bool *in_force;       /* by rule: those that are */
};

#define GUARD_REFUSED "This call is not permitted by the policy of this environment."
#define GUARD_HELD    "This call is held for approval as %s."

/* match.c: whether a rule holds for the call as far as it is known. */
enum match_result { MATCH_NO, MATCH_YES, MATCH_LATER };
/* The rule must be of the method, which policy_rules_of() says. late: its handler has succeeded. */
enum match_result rule_matches(struct call *c, struct judged *j, const struct policy_rule *rule,
                               bool late);
/* Whether what a rule says of methods, vendors and services is true of a method. */
bool rule_is_of_method(const struct policy_rule *rule, const struct dialect *d,
                       const struct route *route);
/* The rules of a policy that may be about the call's method. NULL: tx->err. */
const struct method_rules *policy_rules_of(struct call *c, struct policy *p);
static inline bool may_be_about(const struct asked *a, size_t rule)
{
    return a->rules->bits[rule / 64] >> rule % 64 & 1;
}
/* Whether the policy is for this caller. 1, 0, -1. */
int policy_applies(struct call *c, struct judged *j, const struct policy *p);
/* SHA-256 of the call's token, in hex; of one that runs again that of then. 0; -1: not known. */
int call_token_digest(const struct call *c, char ret_hex[65]);
/* The client id of the app that the call came through, "": none. NULL: tx->err. */
const char *call_app(struct call *c, struct judged *j);
/* What is asked for, as an object: parameters by name, the body as "body". NULL without memory. */
const struct json *call_arguments(struct call *c, struct judged *j);
/* Whether lists may have a method: some call of it may be allowed. */
bool policy_shows(const struct call *c, const struct policy *p, const struct dialect *d,
                  const struct route *route, const char *tool);

/* outcome.c: whether the consequences are as a rule says. 1, 0, -1. The first one opens the list of
 * changes, which judged_done() closes. */
int outcome_holds(struct call *c, struct judged *j, const struct policy_rule *rule);
/* The list, opened if it was not. 0, -1. */
int outcome_open(struct call *c, struct judged *j);
/* Whom it reaches (reach.h): fills j->facts. 0, -1. */
int outcome_reach(struct call *c, struct judged *j);

/* edit.c */
int edit_arguments(struct call *c, struct judged *j, const struct policy_rule *rule);
int edit_answer(struct call *c, const struct judged *j);

#endif
