/* SPDX-License-Identifier: Apache-2.0 */
/* A way into JSON, for tests that read answers, dumps and outboxes. */
#ifndef SOSIA_TESTS_ANSWER_H
#define SOSIA_TESTS_ANSWER_H

#include "tests/support/unit.h"
#include "engine/base/arena.h"
#include "engine/json/json.h"
#include "sosia.h"

/* What these functions make lives in it: set up and torn down with each test. */
extern struct arena test_arena;

/* A text with ' as ", but for \', which is a '. */
char *quoted(const char *text);
/* NULL for an empty text. Fails the test if it is not JSON. */
const struct json *parsed(const char *text, size_t len);
/* What a world's outbox holds, what its dump says. */
const struct json *read_outbox(struct sosia_engine *engine, uint64_t world);
const struct json *read_dump(struct sosia_engine *engine, uint64_t world);

/* Values, texts, numbers and truths by path, "items.0.start.dateTime"; the empty path is the value
 * itself. NULL, -1, false when they are not there. */
const struct json *value_at(const struct json *v, const char *path);
const char *text_at(const struct json *v, const char *path);
/* The text, and anything else as JSON; "" when it is not there. */
const char *printed_at(const struct json *v, const char *path);
long number_at(const struct json *v, const char *path);
bool true_at(const struct json *v, const char *path);
/* Number of items or members; 0 when there is no such list. */
size_t count_at(const struct json *v, const char *path);
/* The texts of a member of all items (path "": the items themselves), with spaces between. */
const char *column(const struct json *v, const char *list, const char *path);
/* The names of an object's members, with spaces between. */
const char *members(const struct json *v, const char *path);

#endif
