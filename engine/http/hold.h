/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that wait for a decision. A rule has held one (engine/world/guard.h), what it did is undone
 * and its refusal is made, but its caller is to wait: as soon as it is decided the same request is
 * served anew, and that is the answer; when the time is over, the refusal is. What waits is the
 * caller and not the call, so that nothing of it is in the world: a fork, a snapshot and a server
 * that begins again have the action, and whoever asks for the same attaches to it.
 */
#ifndef SOSIA_HTTP_HOLD_H
#define SOSIA_HTTP_HOLD_H

#include "engine/http/call.h"
#include "engine/http/serve.h"

/* Of a refusal by a rule: {"status": "blocked_by_policy", "pending_approval" or "rejected",
 * "action"}. */
#define GUARD_HEADER "X-Sosia-Guard"

/* The number by which such a call is suspended, beside those of entries and programs
 * (engine/send/program.h), and back; 0: it is another one. Its response is there all the same. */
#define HOLD_FIRST  ((int64_t)1 << 40)
#define DRAFT_FIRST ((int64_t)1 << 41)
static inline int64_t hold_suspends(int64_t action)
{
    return -HOLD_FIRST - action;
}
static inline int64_t hold_suspended(int64_t number)
{
    return number < -HOLD_FIRST && number >= -DRAFT_FIRST ? -HOLD_FIRST - number : 0;
}
/* The same of a call in whose place a draft is made, of that kind. */
static inline int64_t draft_suspends(int64_t kind)
{
    return -DRAFT_FIRST - kind;
}
static inline int64_t draft_suspended(int64_t number)
{
    return number < -DRAFT_FIRST ? -DRAFT_FIRST - number : 0;
}
static inline bool hold_answered(int64_t number)
{
    return number < -HOLD_FIRST;
}

/* What is known of an action that callers wait for; times are the world's. */
struct hold {
    bool decided;
    int64_t wait_us;    /* how long each waits; 0: none does any more */
    int64_t expires_us; /* when nothing can be decided any more */
    int64_t decides_us; /* when a decision falls due; US_NEVER: none does */
};
/* Fills *ret, all zero where there is no such action. 0, -1. */
typedef int hold_look(struct tx *tx, int64_t action, struct hold *ret);

/* A call in whose place a draft is made. */
struct drafting {
    struct sosia_engine *engine;
    uint64_t world;
    const struct sosia_request *request;
    const struct call *outer;
    int64_t kind;
};
/* Makes it, by calls of its own, and gives the answer. r: the refusal, which is freed if there is
 * another one. */
typedef struct sosia_response *hold_draft(const struct drafting *d, struct sosia_response *r,
                                          struct served *served, struct sosia_err *err);
/* What is needed for that: how actions are looked at and drafts made, and how calls are served,
 * which is the door's. */
struct hold_user {
    hold_look *look;
    hold_draft *draft;
    struct sosia_response *(*anew)(struct sosia_engine *e, uint64_t world,
                                   const struct known_request *known, const struct call *outer,
                                   struct served *ret, struct sosia_err *err);
    struct sosia_response *(*wait)(struct sosia_engine *e, const struct sosia_request *request,
                                   const struct call *outer, struct served *served,
                                   struct sosia_err *err);
    void (*hand_over)(struct sosia_engine *e, struct sosia_response *r, uint64_t ticket,
                      const struct call_waiter *waiter);
};
/* Before a call is suspended for one. 0, -1. */
int hold_by(struct tx *tx, const struct hold_user *user);
/* Something was decided in the world, whose lock may be held. */
void hold_wake(struct sosia_engine *e, uint64_t world);
/* Whether callers are refused instead of waiting: those who wait get their refusals at once. */
void hold_stop(struct sosia_engine *e, bool stop);

/* How many threads those who wait share with others, of which some are left: beyond that callers
 * are refused at once. */
void hold_room(struct sosia_engine *e, unsigned threads);

/* At the end of an engine: those who wait get their refusals. */
void hold_close(struct sosia_engine *e);

/* Waits on the caller's thread, and gives the answer. r: the refusal, which becomes the answer if
 * time is over, or if many wait already where there is a sender; else it is freed. outer: the call
 * of which the request is a part; NULL: none. patient: as call_serve(); NULL and busy, if it would
 * have to wait. */
struct sosia_response *hold_wait(struct sosia_engine *e, const struct sosia_request *request,
                                 const struct call *outer, bool patient, struct sosia_response *r,
                                 struct served *served, struct sosia_err *err);
/* Lets another thread wait, or make the draft, and give the answer to the waiter. False: there is
 * no room, and the refusal is the answer. */
bool hold_park(struct sosia_engine *e, const struct sosia_request *request,
               const struct call_waiter *waiter, struct sosia_response *r,
               const struct served *served);

/* door.c: as call_serve(), for a part as well, and with what is said of the request. */
struct sosia_response *call_anew(struct sosia_engine *e, uint64_t world,
                                 const struct known_request *known, const struct call *outer,
                                 struct served *ret, struct sosia_err *err);
/* door.c: the call in whose place a draft is made by this one; NULL: it makes none. */
const char *call_draft_of(const struct call *c);
/* serve.c: hands a response over, once the change that it reports is on disk. */
void call_hand_over(struct sosia_engine *e, struct sosia_response *r, uint64_t ticket,
                    const struct call_waiter *waiter);
/* answer.c: one more header, once a response. 0, -1 without memory. */
int response_add(struct sosia_response *r, const char *name, const char *value);
/* A copy that outlives the caller; but for a body in a spool. */
void request_copy(struct arena *a, const struct sosia_request *from, struct sosia_request *to);

#endif
