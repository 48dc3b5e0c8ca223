/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call in its world: the credential and its scopes, the guard, parameters and body, the handler
 * in a savepoint, the journal, the commit.
 */
#ifndef SOSIA_HTTP_ATTEMPT_H
#define SOSIA_HTTP_ATTEMPT_H

#include "engine/api/router.h"
#include "engine/http/call.h"

/* In a transaction of worker k on the locked world: twice where the guard wants it. The call is
 * answered then, has stopped (c->stopped), or waits (c->suspended). */
void attempt_run(struct call *c, struct worker *k, const struct match *m, struct world *w);
/* Without a transaction: the handler makes calls of its own. Only the time is the world's, which is
 * dropped. */
void attempt_outside(struct call *c, struct worker *k, const struct match *m, struct world *w);
/* The call is over for the guard, with its world locked. */
void attempt_judged(struct call *c);
/* What the guard keeps of a call is freed; any time after that. */
void attempt_release(struct call *c);

#endif
