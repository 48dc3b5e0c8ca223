/* SPDX-License-Identifier: Apache-2.0 */
/* What a call must pass before its handler runs, in a transaction on its world. */
#ifndef SOSIA_HTTP_ADMIT_H
#define SOSIA_HTTP_ADMIT_H

#include "engine/api/router.h"
#include "engine/http/call.h"

/* What the head alone decides: the vendor's own parameters, method, credential, scopes. -1 with the
 * reason in c->tx.err. */
int admit_caller(struct call *c, struct worker *k);
/* That and the rest: rate limits, parameters, JSON. -1 likewise. */
int admit(struct call *c, struct worker *k, const struct match *m);
/* For methods that anybody may call, before admit_caller(): is the credential one that is taken? It
 * is not looked at else, so that a bad one does not matter. */
bool admit_knows(struct call *c);

#endif
