/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What apps.datastore.query and count ask of items: filter expressions in the syntax of the
 * database behind the vendor's datastores (Amazon DynamoDB, condition expressions): `#status =
 * :open and (begins_with(#name, :a) or not contains(tags, :t))`.
 */
#ifndef SOSIA_SL_EXPRESSION_H
#define SOSIA_SL_EXPRESSION_H

#include "engine/json/json.h"

#define SL_EXPRESSION_MAX 4096 /* bytes */

struct sl_expression;

/* names: {"#name": "attribute"}, values: {":value": ...}, objects or NULL. In the arena. 1; 0: it
 * can't be, *ret_why says it; -1: no memory. */
int sl_expression_read(struct arena *a, const char *text, const struct json *names,
                       const struct json *values, const struct sl_expression **ret,
                       const char **ret_why);
/* Is the item, an object, such a one? */
bool sl_expression_holds(const struct sl_expression *e, const struct json *item);

#endif
