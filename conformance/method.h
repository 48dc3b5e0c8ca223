/* SPDX-License-Identifier: Apache-2.0 */
/* What a request is called: the vendor's id of its method, by the tables that route it. */
#ifndef SOSIA_CONFORMANCE_METHOD_H
#define SOSIA_CONFORMANCE_METHOD_H

#include "engine/api/vendor.h"

/* By verb and path; a query is left out, and "${...}" in a segment stands for any text. Both are
 * NULL if nothing routes it. */
void method_find(const char *verb, const char *path, const char **ret_id, const char **ret_dialect);
/* By id. NULL: no dialect has it, and no vendor's API that one is for. */
const char *method_dialect(const char *id);

/* Dialects that differ from a service: those of the services, and the one of hosted sandboxes;
 * NULL: there are no more. */
const struct dialect *method_dialects(size_t k);

/* Of the headers of answers those that say something about the service and not about a single
 * answer, a front end or a connection: these are kept in results and recordings. */
bool header_matters(const char *name);

#endif
