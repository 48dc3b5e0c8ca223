/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of Google Drive: a world of four people, calls in somebody's name, and a way into
 * answers. */
#ifndef SOSIA_TESTS_GDRIVE_H
#define SOSIA_TESTS_GDRIVE_H

#include "tests/support/world.h"

#define ADA "ada@acme.example"
#define BOB "bob@acme.example" /* with Cyd in the group team@acme.example */
#define CYD "cyd@acme.example"
#define EVE "eve@other.example" /* of another organisation */

extern const char *gdrive_scopes; /* of the tokens; NULL: all */

/* Setup and teardown of one test: a fresh world whose clock is at 2026-11-23T08:00:00Z. At the end
 * the world is taken out and in again. */
int gdrive_open_world(void **state);
int gdrive_close_world(void **state);
/* The usual world with these sections of a seed document behind the usual ones. */
void gdrive_seed(const char *sections);

/* A call by somebody. The target is what follows "/drive/v3"; a body may use ' for ". Gives the
 * parsed answer (NULL without a body, or when it is not JSON), which lives until the end of the
 * test.
 */
const struct json *as(const char *who, const char *method, const char *target, const char *body);
/* Any request: whole target, headers in pairs ("Range", "bytes=0-1", NULL), bytes as they are. */
const struct json *ask(const char *who, const char *method, const char *target,
                       const char *const *headers, const void *body, size_t len);
/* Fails the test unless the last call was refused in this way. */
void assert_refused(int status, const char *reason);

/* Creates a file with this body ("{'name':'a'}") and gives its id. */
const char *make(const char *who, const char *body);

#define gdrive_test(f) cmocka_unit_test_setup_teardown(f, gdrive_open_world, gdrive_close_world)

#endif
