/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults that a world has (docs/faults.md): a document of rules, and which of them a
 * call gets. Rules are read once and shared by all forks; what they have counted belongs to a
 * world.
 */
#ifndef SOSIA_GUARD_FAULTS_H
#define SOSIA_GUARD_FAULTS_H

#include "engine/http/fault.h"
#include "engine/base/buf.h"
#include "engine/base/err.h"
#include "engine/world/engine.h"

/* Texts that a call is held against. */
struct fault_names {
    const char **list;
    size_t n;
};

struct fault_rule {
    struct fault fault;
    /* What a call must be; an empty list is any. Names may have asterisks. */
    struct fault_names methods, vendors, services, actors, tools;
    unsigned risks; /* bits of enum risk; 0: any */
    bool parts;     /* it came in another call */
    /* Of the calls that match, by their number from 1. */
    int64_t from, to, every; /* to 0: no end */
    int64_t times;           /* that it happens; 0: no bound */
    uint32_t chance;         /* in millionths */
    int64_t after_us, before_us;
    const char
        *once_called;   /* a method (asterisks) that must have been called before; NULL: none */
    int64_t once_calls; /* so often */
    const char *when;   /* a question in SQL whose answer must be true; NULL: none */
    int64_t lasts_s;    /* it happens to all that match, for so long by the world's clock */
};

struct fault_rules {
    _Atomic(int) refs;
    struct arena arena;
    const char *text; /* the document, as JSON */
    size_t len;
    uint64_t seed; /* 0: the world's */
    bool stale;    /* some read an earlier state */
    char hash[17]; /* of the text */
    struct fault_rule *rules;
    size_t n;
};

#define FAULT_RULES_MAX 256
#define FAULT_DOC_MAX   ((size_t)1 << 20)

/* A document, JSON or YAML, or, without a line break or a colon in it, the names of sets, separated
 * by commas. Methods and tools must be some of the engine's. */
int fault_rules_read(struct sosia_engine *e, const char *text, size_t len, const char *name,
                     struct fault_rules **ret, struct sosia_err *err);
struct fault_rules *fault_rules_ref(struct fault_rules *r);
void fault_rules_unref(struct fault_rules *r); /* NULL is fine */
/* The document of a set; NULL: there is none of that name. */
const char *fault_set(const char *name, size_t len);
/* Their names, in the order in which they are documented; NULL-terminated. */
extern const char *const fault_set_names[];
/* Names of all members that documents and their rules may have, for the schema's test. */
extern const char *const fault_document_members[], *const fault_rule_members[];

/* What a rule has counted in a world. */
struct fault_count {
    int64_t matched, injected;
    int64_t called;   /* the method that must have been called before */
    int64_t until_us; /* it happens to all that match until then; 0: it does not */
};
/* Whether it goes on at that time. Not before it began: a clock may have been set back. */
static inline bool fault_lasts(const struct fault_rule *r, const struct fault_count *n, int64_t now)
{
    return now < n->until_us && n->until_us - now <= r->lasts_s * INT64_C(1000000);
}

/* The fault that this call gets, which has a caller and arguments and was not handled yet, and
 * counts it; *ret NULL: none. 0, -1. */
int faults_pick(struct call *c, const struct fault_rules *r, struct fault_count *counts,
                const struct fault **ret);
/* The call was the one before the pick: forget what it has counted of the rule that gave f. */
void faults_unpick(const struct fault_rules *r, struct fault_count *counts, const struct fault *f);
/* Does the name match, with asterisks for any characters? */
bool fault_name_matches(const char *pattern, const char *name);

#endif
