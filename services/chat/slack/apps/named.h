/* SPDX-License-Identifier: Apache-2.0 */
/* Who is named where a trigger or a function is not for everybody: people, channels, workspaces. */
#ifndef SOSIA_SL_NAMED_H
#define SOSIA_SL_NAMED_H

#include "services/chat/slack/sl.h"

#define SL_NAMED_MAX 100 /* of each kind */

enum sl_named_kind { SL_NAMED_USERS, SL_NAMED_CHANNELS, SL_NAMED_TEAMS, SL_NAMED_KINDS };

struct sl_named {
    const char *ids[SL_NAMED_KINDS][SL_NAMED_MAX];
    size_t n[SL_NAMED_KINDS];
};

/* As it is stored: an object of lists. 0, -1. */
int sl_named_read(struct call *c, const char *json, struct sl_named *ret);
const char *sl_named_json(struct call *c, const struct sl_named *named); /* NULL fails */
/* The arguments user_ids, channel_ids, team_ids and org_ids. Refuses who is not there with
 * user_not_found and so on, and too many. Gives how many there are, or -1. */
int sl_named_args(struct call *c, struct sl_named *ret);
/* Refuses with too_many_named_entities. 0, -1. */
int sl_named_add(struct call *c, struct sl_named *named, const struct sl_named *more);
void sl_named_remove(struct sl_named *named, const struct sl_named *those);
bool sl_named_any(const struct sl_named *named);
/* The argument permission_type: an enum chat_permission. Refuses what it can't be. */
int sl_permission_arg(struct call *c);

#endif
