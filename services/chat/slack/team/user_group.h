/* SPDX-License-Identifier: Apache-2.0 */
/* User groups of a workspace, as they are stored and as programs see them. */
#ifndef SOSIA_SL_USER_GROUP_H
#define SOSIA_SL_USER_GROUP_H

#include "services/chat/slack/sl.h"
#include "services/chat/slack/team/rows.h"

/* "users", the ids of its people, if names says so; how many they are. 0, -1. */
int sl_write_group_users(struct call *c, const struct user_group *g, bool names, int64_t *ret_n);
/* Its members, into an open object: with the ids of its people (users), with how many (count). 0,
 * -1. */
int sl_write_group_members(struct call *c, const struct user_group *g, bool users, bool count);
/* As an object of its own. */
int sl_write_group_as(struct call *c, const char *key, const struct user_group *g, bool users,
                      bool count);

#endif
