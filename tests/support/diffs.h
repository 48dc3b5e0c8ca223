/* SPDX-License-Identifier: Apache-2.0 */
/* A world in which ada and bob do things, and its diffs. Failures fail the test. */
#ifndef SOSIA_TESTS_DIFFS_H
#define SOSIA_TESTS_DIFFS_H

#include "grading/diff.h"
#include "tests/support/world.h"

#define ADA    "ada@acme.example"
#define BOB    "bob@acme.example"
#define EVENTS "/calendar/v3/calendars/primary/events"
#define MAILS  "/gmail/v1/users/me/messages"

int diffs_open(void **state);
int diffs_close(void **state);
/* A call by a person, which must succeed; a body may use ' for ". */
const struct json *diffs_act(const char *who, const char *method, const char *target,
                             const char *body);
/* What was done since the world was made: in a form, all of it with what changes by itself, too. */
const struct json *diffs_with(enum sosia_diff_form form, bool all);
const struct json *diffs_now(void);
/* A fork of the world as it is, and what was done since one was made. */
uint64_t diffs_fork(void);
const struct json *diffs_since(uint64_t from);

#endif
