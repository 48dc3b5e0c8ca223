/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML documents as the same tree that JSON gives, so that a seed document can be either.
 *
 * A plain scalar is null when it is empty, `null` or `~`; a bool when it is `true` or `false`; a
 * number when JSON takes it for one; and a string otherwise (no, on, 2026-03-12, 10:00, 007 are
 * strings). Quoted and block scalars are strings, and so is what carries the tag `!` or `!!str`.
 * One document; keys are text and unique; aliases may be used for values (a value may not contain
 * itself). Other tags, merge keys (<<) and NUL are refused.
 */
#ifndef SOSIA_JSON_YAML_H
#define SOSIA_JSON_YAML_H

#include "engine/json/json.h"

/* As json_parse(); lim->unique_keys is always on. A text without a document gives null. `at` is
 * where a value starts, with its tag and anchor, in bytes; of an alias, where the alias is, while
 * the values in it keep the places where they were written. */
int yaml_parse(struct arena *a, const char *text, size_t len, const struct json_limits *lim,
               const struct json **ret_value, struct sosia_err *err);

#endif
