/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workflows: what one is promoted by (docs/guardrails.md). A document names a policy, a budget, a
 * suite with its tasks by kinds, who approves, and the way back to a human. It is run in worlds of
 * its own, and what came of each run is the evidence of a checklist, which is compared with that
 * of the version that was promoted last.
 */
#ifndef SOSIA_GUARD_WORKFLOW_H
#define SOSIA_GUARD_WORKFLOW_H

#include "grading/suite.h"
#include "guard/policy.h"

#define WORKFLOW_DOC_MAX  ((size_t)1 << 20) /* bytes */
#define WORKFLOW_RUNS_MAX 2000
#define WORKFLOW_LIST_MAX 1000 /* names of one list */

/* In the order in which they are run, and in that of the checklist. */
enum workflow_kind {
    WORKFLOW_HAPPY,
    WORKFLOW_AMBIGUOUS,
    WORKFLOW_BOUNDARY,
    WORKFLOW_INJECTION,
    WORKFLOW_FAULTS,
    WORKFLOW_HANDBACK,
    N_WORKFLOW_KINDS
};
extern const char *const workflow_kinds[]; /* in that order; NULL-terminated */

/* A document that the workflow names. */
struct workflow_part {
    const char *name; /* as the workflow has it; NULL: it names none */
    const char *text;
    size_t len;
    char hash[65]; /* SHA-256 */
};

struct workflow_case {
    enum workflow_kind kind;
    const struct task *task, *attack; /* attack NULL: nobody attacks */
    const char *name;                 /* "injection/price+attack-bank" */
};

/* How those who approve decide on what is held; the first that fits counts. */
struct workflow_decision {
    const char *rule, *method;     /* names with asterisks; NULL: any */
    const struct condition *where; /* of the call's arguments; NULL: any */
    int decide;                    /* enum workflow_decide */
    const char *edits;             /* arguments that are set (JSON); NULL: none */
    const char *comment;           /* NULL: none */
};
enum workflow_decide { WORKFLOW_APPROVE, WORKFLOW_REJECT, WORKFLOW_EDIT };

struct workflow {
    struct arena arena;
    const char *file; /* what messages call it */
    const char *name, *version;
    char hash[65];
    struct workflow_part policy_part, budget, suite_part, faults;
    struct policy *policy;
    struct sosia_suite *suite;
    struct workflow_case *cases;
    size_t n, cap;
    const char **places; /* of words of attacks; n_places 0: all */
    size_t n_places;
    const char **approvers;
    size_t n_approvers;
    struct workflow_decision *decisions;
    size_t n_decisions;
    const char *handback; /* address of the human; NULL: there is no way back */
};

/* Gives the text of a document that a workflow names, in the arena. 0, -1. */
typedef int workflow_file_fn(void *arg, struct arena *a, const char *path, const char **ret_text,
                             size_t *ret_len, struct sosia_err *err);

/* Reads a document, JSON or YAML, and what it names. name: what messages call it. INVALID with the
 * line, of the document or of what it names. */
int workflow_read(struct sosia_engine *e, const char *text, size_t len, const char *name,
                  workflow_file_fn *file, void *arg, struct workflow **ret, struct sosia_err *err);
void workflow_free(struct workflow *w); /* NULL is fine */
/* Names of the members that documents and their parts may have, for the schema's test:
 * NULL-terminated. */
extern const char *const workflow_members[], *const workflow_kind_members[],
                                                 *const workflow_injection_members[],
                                                     *const workflow_fault_members[],
                                                         *const workflow_decision_members[],
                                                             *const workflow_handback_members[];

/* ---- running it ---- */

/* An agent in a world. */
struct workflow_start {
    struct sosia_engine *engine;
    const struct workflow *workflow;
    const struct workflow_case *one;
    uint64_t world;
    struct arena *arena; /* of the run */
    const char *prompt;  /* what it is to do */
};

struct workflow_options {
    /* Gives a snapshot of a fixture. */
    int (*fixture)(void *arg, const char *name, uint64_t *ret_world, struct sosia_err *err);
    /* Drives an agent until it ends; NULL: the reference actions are made. *ret_answer: what it
     * said, in the arena, or NULL; *ret_why: why it did not end well, else NULL. 0, -1. */
    int (*drive)(void *arg, const struct workflow_start *start, const char **ret_answer,
                 const char **ret_why, struct sosia_err *err);
    /* Is given what came of each run, its journal with bodies as a list; NULL: nobody is. 0, -1. */
    int (*keep)(void *arg, const struct workflow_case *one, const char *answer,
                const struct json *journal, struct sosia_err *err);
    void *arg;
    const char *driver; /* how: "reference", "command", "recorded" */
};

/* Decides on what a world holds, as the workflow's approvers would; *ret_n: how many. 0, -1. */
int workflow_decide(struct sosia_engine *e, const struct workflow *w, uint64_t world, size_t *ret_n,
                    struct sosia_err *err);
/* Runs all cases and gives the evidence (JSON: docs/guardrails.md), and whether all of the
 * checklist holds. 0, -1. */
int workflow_check(struct sosia_engine *e, const struct workflow *w,
                   const struct workflow_options *opt, struct sosia_blob *ret_json, bool *ret_good,
                   struct sosia_err *err);

/* Holds evidence against that of the version that was promoted: {"regressions": [...],
 * "differences": [...]}. tolerance: share by which figures that cost may be more. INVALID where one
 * is no evidence. 0, -1. */
int workflow_compare(const char *promoted, size_t promoted_len, const char *now, size_t now_len,
                     double tolerance, struct sosia_blob *ret_json, bool *ret_good,
                     struct sosia_err *err);

/* ---- cedar.c ---- */

/* A policy as text of the Cedar language, and what that can't say, one a line ("rule strangers:
 * ..."). Whatever it can't say is refused by the text, so that it permits nothing that the policy
 * refuses. *ret_left: how many lines. 0, -1. */
int policy_cedar(const struct policy *p, struct buf *ret_text, struct buf *ret_left_out,
                 size_t *ret_left, struct sosia_err *err);

/* ---- for the files of it ---- */

/* The outcome of a run. */
struct workflow_run {
    const struct workflow_case *one;
    bool ended, passed; /* passed: as its kind wants it */
    bool correct;       /* its task was passed */
    bool reached;       /* the attack's goal, or that of what is forbidden */
    bool unchanged;     /* the state is as it was */
    const char *why;    /* it is not passed; NULL: it is */
    int64_t calls, retries, blocked, held, approved, rejected, edited, stops, faults, injections,
        escalations, unexplained, writes;
    double cost; /* dollars, as the agent reports */
    char before[65], after[65], journal[65];
    const struct json *stopped; /* calls that were, with why: a list */
    const struct json *versions;
};
int workflow_report(const struct workflow *w, const struct workflow_run *runs, const char *driver,
                    struct sosia_blob *ret_json, bool *ret_good, struct sosia_err *err);

#endif
