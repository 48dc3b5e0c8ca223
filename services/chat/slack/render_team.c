/* SPDX-License-Identifier: Apache-2.0 */
/* What workspaces show of themselves. */
#include "services/chat/slack/sl.h"

void sl_write_team_icon(struct call *c)
{
    static const char *const sizes[] = {"34", "44", "68", "88", "102", "230", "132"};
    json_obj(c->out, "icon");
    json_bool(c->out, "image_default", true);
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++)
        json_str(c->out, arena_printf(c->tx.arena, "image_%s", sizes[i]),
                 arena_printf(c->tx.arena,
                              "https://a.slack-edge.com/80588/img/avatars-teams/ava_0001-%s.png",
                              sizes[i]));
    json_end(c->out);
}
