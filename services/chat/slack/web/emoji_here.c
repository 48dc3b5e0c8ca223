/* SPDX-License-Identifier: Apache-2.0 */
/* Emoji that a workspace has: those of all, and those that it has made. */
#include "services/chat/slack/sl.h"
#include "services/chat/slack/web/emoji.h"

int sl_emoji_here(struct call *c, const char *name)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from slack_emoji where workspace = :workspace and name = :name");
    const char *tone = strstr(name, "::skin-tone-");
    int64_t there;
    if (sl_emoji_named(name, tone ? (size_t)(tone - name) : strlen(name)))
        return 1;
    return TX_INT(&c->tx, &q, &there, sl_me(c)->workspace.id, name);
}
