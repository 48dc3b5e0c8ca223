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
/* The second half of a call: the kind of its delivery writes the answer. 0, -1. */
int suspend_complete(struct call *c);
/* The client of a session has acknowledged an entry: the call that waits for it, if there is one,
 * is answered. Without any lock. */
void suspend_acknowledged(struct sosia_engine *e, uint64_t world, int64_t entry,
                          const struct sosia_outcome *outcome);
/* For those who are notified of entries of the outbox: a call that waits for a frame to be
 * acknowledged is answered if the entry was given up, or if no session is open that it could go
 * to. The real seconds after which suspend_late() is due for *ret_call, which waits still; 0: none
 * does. */
int suspend_news(struct sosia_engine *e, uint64_t world, int64_t entry, uint64_t *ret_call);
/* That call has waited long enough, if it does yet: entries of a world that was reset have the
 * numbers of others. */
void suspend_late(struct sosia_engine *e, uint64_t world, int64_t entry, uint64_t call);
/* At the end of an engine: waiters are given NULL. */
void suspend_close(struct sosia_engine *e);
/* For callers that wait: asks the engine's receiver (sosia_engine_on_handshake()), else the world's
 * setting, and gives the answer of the second half. */
struct sosia_response *suspend_wait(struct sosia_engine *e, const struct sosia_request *request,
                                    struct served *served, struct sosia_err *err);

#endif
