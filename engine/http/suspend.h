/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suspended calls: their first half is committed, and their answer needs the response to a
 * delivery. The engine keeps a copy of the request until the outcome comes; nothing else is held,
 * no lock and no transaction.
 */
#ifndef SOSIA_HTTP_SUSPEND_H
#define SOSIA_HTTP_SUSPEND_H

#include "engine/http/call.h"
#include "engine/http/serve.h"

struct suspended;

/* Keeps the call's request for its waiter until the outcome of c->suspended comes. 0, -1 NO_MEMORY.
 * Before anybody is notified of the entry. */
int suspend_park(struct call *c);
/* The second half of a call: what it waited for ends (its delivery, or its program), whatever
 * becomes of the call. 0, -1. */
int suspend_settle(struct call *c);
/* Then the kind of its delivery writes the answer; that of a program is written by the call's own
 * handler, which finds the outcome in the call. 0, -1. */
int suspend_complete(struct call *c);
/* As sosia_delivery_outcome(), for an attempt that began in this era of the world. */
int suspend_outcome(struct sosia_engine *engine, uint64_t world, uint64_t era, int64_t entry,
                    int64_t attempt, const struct sosia_outcome *outcome, int64_t *ret_again_us,
                    struct sosia_err *err);
/* The client of a session has acknowledged an entry, in this era of the world: the call that waits
 * for it, if there is one, is answered. Without any lock. */
void suspend_acknowledged(struct sosia_engine *e, uint64_t world, uint64_t era, int64_t entry,
                          const struct sosia_outcome *outcome);
/* For those who are notified of entries of the outbox: a call that waits for a frame to be
 * acknowledged is answered if the entry was given up, or if no session is open that it could go
 * to. The real seconds after which suspend_late() is due if it waits still; 0: none does. */
int suspend_news(struct sosia_engine *e, uint64_t world, int64_t entry);
/* The call that waits for the entry since this era of the world, if there is one, has waited long
 * enough. */
void suspend_late(struct sosia_engine *e, uint64_t world, uint64_t era, int64_t entry);
/* For calls that wait for one of these entries: a call whose entry is not there, since the
 * disk did not take it, is refused. */
void suspend_missing(struct sosia_engine *e, uint64_t world, int64_t first, int64_t last);
/* The world went back, or is gone: calls that were suspended in it before are refused. */
void suspend_end(struct sosia_engine *e, uint64_t world);
/* At the end of an engine: waiters are given NULL. */
void suspend_close(struct sosia_engine *e);
/* For callers that wait: asks the engine's receiver (sosia_engine_on_handshake()), else the world's
 * setting, or runs the call's program, and gives the answer of the second half. outer: the call of
 * which it is a part; NULL: none. */
struct sosia_response *suspend_wait(struct sosia_engine *e, const struct sosia_request *request,
                                    const struct call *outer, struct served *served,
                                    struct sosia_err *err);

#endif
