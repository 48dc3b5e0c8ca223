/* SPDX-License-Identifier: Apache-2.0 */
/* What the sites of private and shared channels ask of these: who is in them. */
#include "services/chat/teams/teams.h"
#include "vendors/microsoft/folder.h"

/* Of the site of a channel its members write, and its owners own it. */
static int member(struct tx *tx, const char *channel, const struct ms_user *user, bool *ret_owner)
{
    struct chat_workspace w = {.id = 0};
    struct chat_channel ch;
    struct chat_member m;
    struct chat_user u;
    int r;
    *ret_owner = false;
    while ((r = chat_workspace_first(tx, w.id, &w)) == 1)
        if (strcmp(w.vendor, "microsoft") == 0) {
            r = chat_channel_find(tx, w.id, channel, &ch);
            if (r)
                break;
        }
    if (r == 1)
        r = teams_is_deleted(&ch) ? 0 : chat_user_find(tx, w.id, user->oid, &u);
    if (r == 1)
        r = chat_member_of(tx, ch.id, u.id, &m);
    if (r == 1)
        *ret_owner = m.part == CHAT_PART_OWNER;
    return r;
}
const struct graph_channels teams_channels_record = {.member = member};
