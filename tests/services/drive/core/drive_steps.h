/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of stories about drives (tests/support/story.h), in a world of drive_vendors.h whose shared
 * drive "dir!s" is there. */
#ifndef SOSIA_TESTS_DRIVE_STEPS_H
#define SOSIA_TESTS_DRIVE_STEPS_H

#include "services/drive/core/find/find.h"
#include "tests/services/drive/core/drive_vendors.h"

enum { APP = 1 }; /* the world's only one */

/* Ada, Bob, Eve and nobody, and what they are called here. */
extern const struct actor *const people[4];
extern const char *const names[4];

/* An item by its key; the test fails without. */
struct drive_item item_named(const char *key);
/* Says what a call gave back, if that is a refusal or more than 0. */
void say_result(int r);
/* A finder of a person's drive, with a question (NULL: none). */
struct drive_finder finder_of(struct drive_viewer *v, struct find *q);
/* Says all pages of a list, of so many items each. */
void say_list(const char *what, struct drive_finder *f, size_t limit);
/* From where feeds are said. */
extern int64_t from_change;
/* Says who has what, what is in everybody's feed and in the world, commits, goes on a minute, and
 * begins what is called so. */
void next_step(const char *what);
/* Shares an item (ROLE_NONE: no more). */
void share_with(const char *key, enum drive_grantee kind, const char *who, enum drive_role role);

#endif
