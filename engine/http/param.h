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
/* The same, and from where the front takes arguments besides: those of stronger places come first.
 * -1: reasons as above, "parseError" for JSON. */
int arguments_read(struct call *c);
/* Fills c->values from the path, the items, the headers and the defaults of c->route. -1: err
 * INVALID with where = the parameter, text = its value (of "length" its bytes) and reason
 * "required", "invalid" (not of its type), "range", "enum", "length" or "path". */
int params_parse(struct call *c, const struct match *m);
/* Adds a value of a parameter, read by its type, to c->values, where there is room for it. -1: as
 * params_parse(). */
int param_add(struct call *c, const struct param *d, const char *text, size_t len);
/* The parameter has this value alone, whatever the call came with; text NULL: none. -1: as
 * params_parse(). */
int param_set(struct call *c, const struct param *d, const char *text);
/* For callers that take nothing but what the row has. -1: err INVALID with where = the item and
 * reason "unknown" or, of a parameter that is given more often than it may be, "repeated". */
int params_exact(struct call *c);

/* What a value must be, for messages, in the arena: "a whole number from 1 to 5". */
const char *param_expected(struct call *c, const struct param *d);
/* "one of a, b". */
const char *words_one_of(struct call *c, const char *const *values);
/* "a number from 1 to 5", "a whole number from 1 on". */
const char *words_number(struct call *c, bool whole, int64_t min, int64_t max);
#define WORDS_TIME "an RFC 3339 time with an offset, such as 2026-11-23T08:00:00Z"
#define WORDS_DATE "a date, such as 2026-11-23"

#endif
