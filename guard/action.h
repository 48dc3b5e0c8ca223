/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pending actions: calls that a policy holds until somebody decides. One is what was asked, by
 * whom, under which policy, and what it would do. It is bound to the digest of the first and to a
 * hash of the last: a later call that is the same attaches to it, and is executed once.
 */
#ifndef SOSIA_GUARD_ACTION_H
#define SOSIA_GUARD_ACTION_H

#include "engine/http/call.h"
#include "guard/judge.h"

/* SHA-256 of who asks what, with which arguments: the same for the same call; and j->content. 0; 1:
 * the call has bytes that are not in memory, and can't be held; -1. */
int action_digest(struct call *c, struct judged *j, char ret_hex[65]);
/* The newest action of the caller with that digest whose time is not over. 1, 0, -1. */
int action_find(struct call *c, const char *digest, struct held_action *ret);
/* That which the call's label names (draft.h), if it is the same call of the same caller. 1, 0, -1.
 */
int action_find_named(struct call *c, struct judged *j);
/* The name of the action that the call's label is about; NULL: it is about none. */
const char *action_labelled(struct call *c);
/* The digest of the token with which the caller's action that the label names was asked for (NULL:
 * not known). 1; 0: the label names none; -1. */
int action_token(struct call *c, const char **ret);
/* What the name of a new one will be. 0, -1. */
int action_name(struct tx *tx, const char *digest, char ret[ACTION_NAME_MAX]);
/* Of a call whose handler has succeeded. 0, -1. */
int action_outcome(struct call *c, struct judged *j, struct action_outcome *ret);

/* A call is held: a new action, or another outcome for the one that is there, which wants a new
 * decision then. In the transaction of the call, when what it did is undone. 0, -1. */
int action_hold(struct call *c, struct judged *j);
/* It was executed, and this is the answer. 0, -1. */
int action_executed(struct call *c, int64_t id);

/* wait.c: whether the caller of a call that is held, now or still, is to wait for a decision. */
bool action_waits(const struct call *c, const struct judged *j);
/* Has the caller wait, when what the call did is undone. 0, -1. */
int action_wait(struct call *c, const struct judged *j);

/* Decides on one, or hands it to somebody else. 0; -1: NOT_FOUND; CONFLICT: it is decided already,
 * or its time is over; FORBIDDEN: who asked decides, or not who has to. */
struct decision {
    const char *action;
    const char *what;    /* approve, reject, edit, escalate */
    const char *to;      /* of the last: a name, or a class of approvers of the policy */
    const char *by;      /* NULL: not said */
    const char *comment; /* NULL: none */
    const char *edits;   /* JSON, an object; of an edit */
    const char *shown;   /* hash of the outcome that was seen; NULL: the one that it has */
    const char *via;     /* a client that was asked: VIA_*; NULL: by the control interface */
};
#define VIA_SESSION "elicitation" /* that of an approver */
#define VIA_CLIENT  "client"      /* that of whose call it is */
int action_decide(struct tx *tx, const struct decision *d);
/* Whether this is whom an action was handed to, or one of that class. */
bool approver_is(const struct policy *p, const char *asked, const char *by);
/* Whether it is one of any class. */
bool approver_has(const struct policy *p, const char *name);
/* question.c: as struct guard has them. */
struct guard_asked;
struct guard_decision;
bool action_staged(const struct call *c);
int action_request(struct tx *tx, const struct guard_asked *who, const char **ret);
int action_questions(struct tx *tx, const struct guard_asked *who);
int action_answered(struct sosia_engine *e, uint64_t world, const struct guard_decision *d,
                    struct sosia_err *err);
/* approvals.c: makes a decision, in a transaction of its own. 0, -1. */
int action_decide_in(struct sosia_engine *e, uint64_t world, struct decision *d,
                     struct sosia_err *err);
/* Something falls due: a scripted decision. */
int action_due(struct tx *tx, const char *kind, int64_t ref);
int action_again(struct sosia_engine *e, struct world *w, struct worker *k,
                 const struct json *control, struct sosia_err *err);
/* The call has made a draft: whoever makes the call that it stands for once more is given the same
 * answer. 0, -1. */
int draft_made(struct call *c, struct judged *j);

#endif
