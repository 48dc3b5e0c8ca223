/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a call, wherever the vendor takes them, and parameters: decoded once, checked
 * against the row. */
#ifndef SOSIA_HTTP_PARAM_H
#define SOSIA_HTTP_PARAM_H

#include "engine/http/call.h"
#include "engine/api/router.h"

#define MAX_QUERY_ITEMS 512
#define MAX_QUERY       (1 << 20) /* one that comes as a form; a target is shorter */

/* Fills c->items from c->query. -1: a broken escape, a NUL, invalid UTF-8, too many items, too
 * long. */
int query_parse(struct call *c);
/* The same, and from where the front takes arguments besides: those of stronger places stand first.
 * -1: reasons as above, "parseError" for JSON. */
int arguments_read(struct call *c);
/* Fills c->values from the path, the items, the headers and the defaults of c->route. -1: err
 * INVALID with where = the parameter and reason "required", "invalid" (not of its type), "range",
 * "enum" or "path". */
int params_parse(struct call *c, const struct match *m);

#endif
