/* SPDX-License-Identifier: Apache-2.0 */
/* User groups of a workspace, as they are stored and as programs see them. */
#ifndef SOSIA_SL_USER_GROUP_H
#define SOSIA_SL_USER_GROUP_H

#include "services/chat/slack/sl.h"

struct user_group {
    int64_t id;
    const char *key, *name, *handle, *description;
    const char *channels; /* keys, as a JSON array */
    int64_t created_s, updated_s, deleted_s, created_by, updated_by, deleted_by;
};

/* The columns of slack_group that sl_user_group_take() reads, from the first on. */
#define SL_USER_GROUP                                                                              \
    "id, key, name, handle, description, channels, created_s, updated_s, deleted_s, created_by, "  \
    "updated_by, deleted_by"

/* Strings live in the arena. */
void sl_user_group_take(struct tx *tx, sqlite3_stmt *st, struct user_group *g);
/* "users", the ids of its people, if names says so; how many they are. 0, -1. */
int sl_write_group_users(struct call *c, const struct user_group *g, bool names, int64_t *ret_n);
/* Its members, into an open object: with the ids of its people (users), with how many (count). 0,
 * -1. */
int sl_write_group_members(struct call *c, const struct user_group *g, bool users, bool count);
/* As an object of its own. */
int sl_write_group_as(struct call *c, const char *key, const struct user_group *g, bool users,
                      bool count);

#endif
