/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of stories about calendars (tests/support/story.h), in the world of cal_vendors.h. */
#ifndef SOSIA_TESTS_CAL_STEPS_H
#define SOSIA_TESTS_CAL_STEPS_H

#include "tests/services/calendar/core/cal_vendors.h"

/* Says what a call gave back, if that is a refusal or more than 0. */
void cal_result(int r);
/* Commits, says what has changed, goes on a minute, and begins what is called so. */
void cal_step(const char *what);
/* The event that the calendar has under a key; the test fails without. */
struct cal_event cal_has(const struct calendar *cal, const char *key);
/* Saves for the calendar's owner, with mail to all, and says what came of it. */
void cal_saved(const struct calendar *cal, struct cal_event *old, struct cal_event *to);
/* Says all pages of a list: the keys, with * behind those that can't be had as they are stored. */
void cal_listed(const char *name, const struct calendar *cal, struct cal_event_query q);

#endif
