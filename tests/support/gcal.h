/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of Google Calendar: a world of three people and a room, calls in somebody's name,
 * and a way into answers. */
#ifndef SOSIA_TESTS_GCAL_H
#define SOSIA_TESTS_GCAL_H

#include "tests/support/world.h"

#define ADA "ada@acme.example" /* Rome */
#define BOB "bob@acme.example" /* New York */
#define CYD "cyd@acme.example" /* Tokyo */
#define ROOM                                                                                       \
    "room@acme.example" /* a resource; alias of Ada: a@acme.example; group: all@acme.example */

/* Setup and teardown of one test: a fresh world whose clock is at 2026-11-23T08:00:00Z, a
 * Monday. */
int gcal_open_world(void **state);
int gcal_close_world(void **state);
/* The usual world with such a section googleCalendar: "conference: pending, guests: 300". */
void gcal_choose(const char *options);

/* A call by somebody. The target is what follows "/calendar/v3"; a body may use ' for ". Gives the
 * parsed answer (NULL without a body), which lives until the end of the test. */
const struct json *as(const char *who, const char *method, const char *target, const char *body);
/* The same, with an If-Match header. */
const struct json *as_if(const char *who, const char *etag, const char *method, const char *target,
                         const char *body);
/* Fails the test unless the last call was refused in this way. */
void assert_refused(int status, const char *reason);

/* An event of Ada's with this id, on 2026-11-24 from 10:00 to 11:00 in Rome; more: further members
 * of the body. */
const struct json *make_event(const char *id, const char *more);
/* Adds a rule to Ada's calendar; scope: JSON. */
void share(const char *role, const char *scope);
void share_with_bob(const char *role);

#define gcal_test(f) cmocka_unit_test_setup_teardown(f, gcal_open_world, gcal_close_world)

#endif
