/* SPDX-License-Identifier: Apache-2.0 */
/* Who may see a channel. */
#include "services/chat/core/connect.h"
#include "services/chat/core/team.h"

int chat_can_see(struct tx *tx, const struct chat_channel *ch, const struct chat_user *u)
{
    struct chat_connect k;
    struct chat_member m;
    struct chat_team_member in;
    if (ch->kind == CHAT_PUBLIC && ch->team) {
        int r = chat_team_member_of(tx, ch->team, u->id, &in);
        return r < 0 || (r && in.part != CHAT_PART_GUEST) ? r
                                                          : chat_member_of(tx, ch->id, u->id, &m);
    }
    if (ch->kind == CHAT_PUBLIC && u->role < CHAT_GUEST)
        return ch->workspace == u->workspace ? 1 : chat_connect_of(tx, ch->id, u->workspace, &k);
    return chat_member_of(tx, ch->id, u->id, &m);
}
