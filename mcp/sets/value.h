/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values that are made here and not read from a text: leaves, lists and objects that grow. All
 * live in an arena; texts are not copied. */
#ifndef SOSIA_MCP_VALUE_H
#define SOSIA_MCP_VALUE_H

#include "engine/json/json.h"

extern const struct json value_null, value_true, value_false, value_none; /* none: an empty list */

const struct json *value_text(struct arena *a, const char *text);
const struct json *value_int(struct arena *a, int64_t n);

struct value_list {
    struct arena *arena;
    struct json *items;
    size_t n, cap;
};
/* NULL adds nothing. */
void list_add(struct value_list *l, const struct json *v);
const struct json *list_value(const struct value_list *l);

struct value_object {
    struct arena *arena;
    struct json_member *members;
    size_t n, cap;
};
/* Sets or adds; a value of NULL does nothing. */
void object_put(struct value_object *o, const char *key, const struct json *v);
const struct json *object_value(const struct value_object *o);

/* Is it there, and neither null, false, nor empty? */
bool value_holds(const struct json *v);
/* A string as it is, another value as JSON; NULL: "". */
const char *value_words(struct arena *a, const struct json *v);
/* The same printed for people and models, as JSON, indented by two spaces a level. */
const char *value_pretty(struct arena *a, const struct json *v);

#endif
