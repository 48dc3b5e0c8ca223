/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_HTTP_SERVE_H
#define SOSIA_HTTP_SERVE_H

#include "sosia.h"

struct call;
struct session_offer;

/* Who is given the answer of a call that is suspended. */
struct call_waiter {
    void (*done)(void *arg, struct sosia_response *response);
    void *arg;
};

/* A request as a call has it (struct call), with what the library itself says of it and no client
 * can. */
struct known_request {
    struct sosia_request request; /* first: the call's */
    const char *draft_of;         /* the call in whose place it makes a draft (guard/draft.h);
                                     NULL: it makes none */
    bool poll;                    /* it goes on with what an earlier call asked for (call_poll()) */
};

/* What became of a request. */
struct served {
    uint64_t ticket; /* what to wait for until it is on disk; 0: nothing */
    uint64_t world;  /* where it was served; 0: nowhere */
    uint64_t era;    /* of the world then (struct world) */
    struct whole
        *whole; /* of a patient caller without a waiter, where it waits for a decision: the wait,
                   which may be interrupted from the call on; to be ended. NULL: it does not wait */
    bool interrupted;  /* it was, by the end of the call */
    int64_t suspended; /* the entry of the outbox that its answer waits for, or its program
                          (engine/send/program.h); 0: it is answered */
    bool busy;         /* others keep the world for long, or it is many calls in one: not served */
};

/* A caller's request as this library knows it: itself, or its copy in *space. NULL with err: a
 * pointer that it needs is NULL, its size or its spool is none. */
const struct sosia_request *request_take(const struct sosia_request *request,
                                         struct sosia_request *space, struct sosia_err *err);

/* sosia_call_try() for the threads of a server, whose calls and those of others are made by each
 * other (engine/world/pass.h): done() may be called by another of them, while this waits. */
bool call_try(struct sosia_engine *engine, uint64_t world, const struct sosia_request *request,
              void (*done)(void *arg, struct sosia_response *response), void *arg);
/* The thread will make more calls: it keeps the world of the next one for these, until it is left,
 * while other threads that make calls by call_try() wait a little. */
void call_keep_world(void);
void call_leave_world(struct sosia_engine *engine);
/* The world that the thread has kept for its last call, as pass_kept(). */
uint64_t call_kept(bool *ret_met);

/* Serves a request as sosia_call() does, but does not wait for the disk. NULL with err only if no
 * answer could be made, or without err if it is suspended or busy. patient: waits for the world;
 * else it may be busy. waiter: is given the answer later if the call is suspended; NULL: the caller
 * goes on with call_resume(). */
struct sosia_response *call_serve(struct sosia_engine *e, uint64_t world,
                                  const struct sosia_request *request, bool patient,
                                  const struct call_waiter *waiter, struct served *ret,
                                  struct sosia_err *err);
/* The same for a request that asks for a session (engine/http/session.h). */
struct sosia_response *call_handshake(struct sosia_engine *e, uint64_t world,
                                      const struct sosia_request *request,
                                      struct session_offer *offer, struct served *ret,
                                      struct sosia_err *err);
/* As sosia_call(), for a request that the server makes by itself, to go on with what a client has
 * asked for in a call before: the next part of a stream. It is judged as any other and has an entry
 * of the journal, which says so ("poll"); budgets don't count it. 0, -1. */
int call_poll(struct sosia_engine *e, uint64_t world, const struct sosia_request *request,
              struct sosia_response **ret_response, struct sosia_err *err);
/* Whether a call is one of those. */
bool call_polls(const struct call *c);
/* The second half of a suspended call, with the same request and what came back. era: the world's
 * when it was suspended: if it went back since, the call is refused. It may be suspended again, for
 * another delivery: waiter as in call_serve(). outer: the call of which it is a part; NULL: none.
 */
struct sosia_response *call_resume(struct sosia_engine *e, uint64_t world, uint64_t era,
                                   const struct sosia_request *request, const struct call *outer,
                                   int64_t entry, const struct sosia_outcome *outcome,
                                   const struct call_waiter *waiter, struct served *ret,
                                   struct sosia_err *err);
/* A request that runs again in a stand-in for its world: as call_serve(), call_handshake() with an
 * offer, or call_resume() with an outcome. */
struct replayed;
struct sosia_response *call_again(struct sosia_engine *e, const struct sosia_request *request,
                                  const struct replayed *again, int64_t resumed,
                                  const struct sosia_outcome *outcome, struct session_offer *offer,
                                  struct served *ret, struct sosia_err *err);

#endif
