/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies: documents that say which calls may be made and what they may do (docs/guardrails.md).
 * One is read once, with its expressions compiled, and asked by any number of worlds at once. What
 * it says of consequences is in the language of suites (grading/).
 */
#ifndef SOSIA_GUARD_POLICY_H
#define SOSIA_GUARD_POLICY_H

#include "engine/api/route.h"
#include "grading/suite.h"

#define POLICY_DOC_MAX   ((size_t)1 << 20) /* bytes */
#define POLICY_RULES_MAX 1000
#define POLICY_NAME_MAX  80 /* bytes: of policies and rules */

/* In the order of their strength, which decides between policies; the first three are not decisions
 * of their own. */
enum effect {
    EFFECT_REDACT,
    EFFECT_REWRITE,
    EFFECT_LIMIT,
    EFFECT_ALLOW,
    EFFECT_DRY_RUN,
    EFFECT_APPROVE,
    EFFECT_DENY
};
extern const char *const effect_names[]; /* in that order; NULL-terminated */

/* Names that something must have; none: anything does. */
struct name_set {
    const char **list;
    size_t n;
};

/* When a rule holds, by the world's clock. */
struct rule_time {
    int64_t after_us, before_us; /* INT64_MIN, INT64_MAX: no bound */
    int from_min, to_min;  /* of the day; the same: all of it; from later than to: over night */
    unsigned days;         /* bits, Monday's first; 0: all */
    const struct tz *zone; /* NULL: UTC */
};

/* A member of a call that is set, or of its answer that is covered. */
struct rule_edit {
    const char *path;
    const struct json *value; /* of a rewrite; NULL: the member is taken away */
    const struct rule_edit *next;
};

struct policy_rule {
    const char *id;
    int line;
    enum effect effect;
    const char *description; /* NULL: none */
    /* Of the call. Names of methods, tools, apps and actors may have asterisks. */
    struct name_set methods, tools, vendors, services, actors, roles, apps, scopes;
    unsigned risks;                    /* bits of enum risk; 0: any */
    const struct condition *arguments; /* NULL: any */
    const struct rule_time *time;      /* NULL: any */
    /* Of its consequences; only of calls that write. */
    struct task *outcome;            /* all of its assertions must hold; NULL: none are asked */
    const struct condition *reaches; /* of whom it reaches (reach.h); NULL: not asked */
    /* Of values in its arguments that outsiders wrote (taint.h). */
    bool asks_taint;                 /* there must be some */
    const struct condition *tainted; /* as this says; NULL: any */
    bool asks_read, asks_reached;    /* which speaks of what was read, of whom the call reaches */
    /* What the effect needs. */
    const struct rule_edit *edits; /* of redact, rewrite */
    int64_t limit, per_us;         /* so many calls in such a time; per_us 0: since it was set */
    size_t counter;                /* of a limit: its place among those of the policy */
};

/* A decision that a policy makes itself on what it holds. */
struct policy_script {
    const char *of;          /* the rule that holds; NULL: any */
    struct policy_rule rule; /* what is held: what it says of the call counts alone */
    const char *by;          /* who decides */
    const char *to;          /* whom it is handed to; NULL: it is decided */
    bool reject;             /* else it is approved */
    int64_t after_us;        /* by the world's clock */
    const char *edits;       /* arguments that are set (JSON); NULL: none */
    const char *comment;
};

/* What is asked for where no rule decides. */
enum otherwise { OTHERWISE_TIERS, OTHERWISE_ALLOW, OTHERWISE_DENY };

/* Which rules may be about a method, by what they say of methods, vendors and services. */
struct method_rules {
    const struct dialect *dialect;
    const struct route *route;
    uint64_t bits[]; /* by place */
};
enum { POLICY_METHODS = 64 }; /* that are kept */

struct policy {
    _Atomic(int) refs;
    _Atomic(struct method_rules *) methods[POLICY_METHODS]; /* made when they are called first */
    struct arena arena;
    const char *text; /* the document as it was given, len bytes */
    size_t len;
    char hash[65];                 /* SHA-256 of the text */
    const char *name;              /* what it is called where the document doesn't say */
    const char *version;           /* as the document says it; "": it does not */
    const char *workflow, *tenant; /* NULL: none is said */
    /* Whose calls it is asked of; empty: everybody's. */
    struct name_set actors, apps, kinds; /* kinds of tokens: user, bot, app */
    struct name_set tokens;              /* SHA-256 of single ones, in hex */
    struct name_set workflows;           /* as callers' labels name them */
    const char *broken; /* why no more than that can be read: they are all refused; NULL */
    struct policy_rule *rules;
    size_t n, n_counters;
    int64_t expires_us;           /* how long what is held waits for a decision */
    bool drafts;                  /* a draft takes its place, where the vendor has one */
    int64_t wait_us;              /* and its caller, for the answer; 0: it is refused at once */
    bool staged;                  /* tools that draft, ask and commit are there */
    bool asks_client;             /* the caller's own client is asked, where it can be */
    const struct json *approvers; /* classes of them: lists of names; NULL: there are none */
    struct policy_script *scripts;
    size_t n_scripts;
    enum otherwise otherwise;
    enum effect tiers[RISK_DESTRUCTIVE + 1];
    const struct json *budget; /* as it was written (docs/guardrails.md); NULL: none */
    bool plain;                /* in the short form: names of tools and what they may */
    bool asks_outcome;         /* some rule speaks of consequences */
    bool asks_taint;           /* some rule asks where values come from */
    struct sosia_suite suite;  /* what the assertions of its rules were read for */
};

/* Reads a document, JSON or YAML; name: what messages call it, and the policy if it has no name of
 * its own. INVALID with the line. */
int policy_read(const char *text, size_t len, const char *name, struct policy **ret,
                struct sosia_err *err);
/* Of a document that can't be read: whose calls it would be asked of, if that can be known. Such a
 * policy refuses them. 1; 0: it is everybody, or not known; -1 without memory. why: the fault. */
int policy_read_scope(const char *text, size_t len, const char *name, const char *why,
                      struct policy **ret, struct sosia_err *err);
struct policy *policy_ref(struct policy *p);
void policy_unref(struct policy *p); /* NULL is fine */
/* Names of the members that documents, their rules and the parts of those may have, for the
 * schema's test: NULL-terminated. */
extern const char *const policy_members[],
    *const policy_rule_members[], *const policy_call_members[], *const policy_approvals_members[],
                                                                    *const policy_script_members[];

/* ---- for the files that read ---- */

struct policy_reader {
    struct doc *d;
    struct policy *p;
    const struct json *aliases; /* an object; NULL: none */
};

/* rule.c: one rule; counts its limits and assertions. */
int policy_rule_read(struct policy_reader *r, const struct json *value, size_t i,
                     struct policy_rule *ret);
/* Its member "call". */
int policy_call_read(struct policy_reader *r, const struct json *value, struct policy_rule *rule);
void policy_rule_free(const struct policy_rule *rule);
/* plain.c: the short form. */
int policy_plain_read(struct policy_reader *r, const struct json *top);
/* policy.c: what names stand for. */
int policy_aliases_read(struct policy_reader *r, const struct json *top);
/* names.c: a member that is a name or a list of names. kind says what they must be. */
enum name_kind {
    NAMES_ANY,
    NAMES_METHODS,
    NAMES_TOOLS,
    NAMES_VENDORS,
    NAMES_SERVICES,
    NAMES_ROLES,
    NAMES_SCOPES,
    NAMES_KINDS,
    NAMES_RISKS
};
int policy_names_read(struct policy_reader *r, const struct json *obj, const char *member,
                      enum name_kind kind, struct name_set *ret);
/* What a name of the short form is: a method, a tool, or what an alias stands for. */
int policy_name_resolve(struct policy_reader *r, const struct json *at, const char *name,
                        bool *ret_tool, const char **ret);
/* Whether a text matches a name with asterisks; case counts. */
bool policy_name_matches(const char *pattern, const char *text);
bool name_set_has(const struct name_set *s, const char *text); /* empty: it has everything */

#endif
