/* SPDX-License-Identifier: Apache-2.0 */
/* What is answered where no vendor is known: in our own name, and for people too. */
#ifndef SOSIA_HTTP_OWN_H
#define SOSIA_HTTP_OWN_H

#include "engine/http/call.h"

/* Is it the first page of a host that is nobody's? */
bool is_own_page(const struct call *c);
/* Answers with it: what is served, and how to get on. */
void own_page(struct call *c);
/* Answers 404 with what is served, as JSON. */
void own_not_found(struct call *c);

#endif
