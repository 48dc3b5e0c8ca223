/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Budgets: how much those who call may do in a world (docs/faults.md). A document of limits is
 * shared by all forks; what is used up belongs to a world. A call that would go beyond a hard limit
 * is stopped: it is refused as a vendor's quota is, and says in a structure why. From the soft part
 * of a limit on, answers have a note.
 */
#ifndef SOSIA_GUARD_BUDGET_H
#define SOSIA_GUARD_BUDGET_H

#include "engine/http/call.h"
#include "guard/faults/faults.h"

enum meter {
    METER_CALLS,
    METER_WRITES,
    METER_RECIPIENTS, /* addresses that what was sent is for */
    METER_REMOVED,    /* things that are gone */
    METER_BYTES,      /* of requests and answers */
    METER_WORLD_TIME, /* microseconds since the first call, by the world's clock */
    METER_REAL_TIME,  /* the same by the machine's */
    METER_RETRIES,    /* of one and the same call */
    METER_UNITS,      /* by what methods cost */
    METER_TOKENS,     /* that the agent says its model took (X-Sosia-Tokens-In, -Out) */
    METER_DOLLARS,    /* the same of X-Sosia-Cost, in millionths */
    N_METERS
};

/* How a meter is named in documents, stops and their reasons. */
struct meter_about {
    const char *member, *reason, *used;
    int64_t unit; /* of its amounts, in those of documents */
};
extern const struct meter_about meters[N_METERS];

enum budget_per { PER_WORLD, PER_ACTOR, PER_TOKEN, PER_WORKFLOW };

struct budget_cost {
    const char *method; /* asterisks */
    int64_t units;
};

struct budget_limit {
    const char *name;
    enum budget_per per;
    struct fault_names methods, vendors, actors, workflows;
    int64_t most[N_METERS]; /* -1: no limit */
    int64_t soft;           /* per cent of a limit from which on there are notes; 100: none */
    struct budget_cost *costs;
    size_t n_costs;
};

#define BUDGET_LIMITS_MAX 64
#define BUDGET_COSTS_MAX  256

struct budgets {
    _Atomic(int) refs;
    struct arena arena;
    const char *text;
    size_t len;
    char hash[17];        /* of the text */
    const char *workflow; /* NULL: none is named */
    struct budget_limit *limits;
    size_t n;
    bool consequences; /* some limit is of recipients, or of what is removed */
};

/* A document, JSON or YAML; or the object that guides write: maxToolCalls, max_tool_calls, ... */
int budgets_read(struct sosia_engine *e, const char *text, size_t len, const char *name,
                 struct budgets **ret, struct sosia_err *err);
struct budgets *budgets_ref(struct budgets *b);
void budgets_unref(struct budgets *b);
extern const char *const budget_document_members[], *const budget_limit_members[],
                                                        *const budget_object_members[];

/* What is used up. */
struct budget_uses;
struct budget_uses *budget_uses_copy(const struct budget_uses *u); /* NULL: without memory */
void budget_uses_free(struct budget_uses *u);
/* For the disk, and back; what can't be read is nothing. */
void budget_uses_write(struct buf *out, const struct budget_uses *u);
struct budget_uses *budget_uses_read(const char *text);
/* What was used since it was `before` (NULL: nothing): as budget_uses_write(); and adds such. The
 * time that has gone, and how often a call came again, are not among it. False without memory. */
void budget_uses_since(struct buf *out, const struct budget_uses *u,
                       const struct budget_uses *before);
bool budget_uses_add(struct budget_uses **uses, const char *text);
/* For people: a member "used", with what each limit has of its meters at most. */
void budget_uses_show(struct json_writer *w, const struct budgets *b, const struct budget_uses *u);

/* Why a call was stopped. */
struct budget_stop {
    const struct budget_limit *limit;
    enum meter meter;
    int64_t used, most;
    bool soft; /* it goes on, with a note */
};

/* A call that was counted is undone, and waits until it is made: it counts then. */
void budget_give_back(struct call *c, const struct budgets *b, struct budget_uses **uses);
/* Before a call is handled: counts it, and says whether it is stopped: 1, with *ret; 0: it is not,
 * where ret->limit is not NULL it gets a note; -1 without memory. */
int budget_begin(struct call *c, const struct budgets *b, struct budget_uses **uses,
                 struct budget_stop *ret);
/* When it was handled: its consequences are counted, or stop it. 1, 0, -1. */
int budget_consequences(struct call *c, const struct budgets *b, struct budget_uses **uses,
                        int64_t recipients, int64_t removed, struct budget_stop *ret);
/* When its answer is there. */
void budget_end(struct call *c, const struct budgets *b, struct budget_uses **uses);

/* {"status": "stopped", "reason": ..., "tool_calls_used": ..., "suggested_next_step": ...}: the
 * members alone, of an open object. */
void budget_stop_write(struct json_writer *w, const struct budget_stop *s);
/* The same as a text of its own, in the arena. */
const char *budget_stop_text(struct arena *a, const struct budget_stop *s);

#endif
