/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of recurrence: sets of rules from short texts, held to starts written short. */
#ifndef SOSIA_TESTS_RECUR_CHECK_H
#define SOSIA_TESTS_RECUR_CHECK_H

#include "tests/support/unit.h"
#include "engine/base/buf.h"
#include "engine/text/civil.h"
#include "services/calendar/core/recur/recur.h"
#include <stdio.h>
#include <stdlib.h>

#define NY "America/New_York"

extern struct arena arena; /* of the test */

int set_up(void **state);
int tear_down(void **state);

/* "19970902T090000" or, for a day, "19970902". */
int64_t reading(const char *text);
/* A set that begins at a reading, in a zone (NULL: none). lines: separated by spaces. NULL: it is
 * refused, for a reason in *err. */
const struct recur *parse(const char *start, const char *zone, const char *lines,
                          struct sosia_err *err);
/* The same; fails the test where it is refused. */
const struct recur *set(const char *start, const char *zone, const char *lines);

/*
 * Compares with expected starts, written short: "1997 Sep 2 3" are two days at the usual time (that
 * of the start), "Sep 2@1030" one at another; a full stop says that the series ends there.
 */
void check(const char *start, const char *zone, const char *lines, const char *expect);
/* Those from an instant on. */
void check_from(const char *start, const char *zone, const char *lines, int64_t from,
                const char *expect);

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
