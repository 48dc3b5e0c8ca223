/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that go to the WebSockets of those people and classic bots who may see them. */
#include "engine/http/session.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/events/socket.h"

int sl_rtm_send(struct tx *tx, const struct sl_rtm_to *to, const char *event)
{
    static struct sql_text q =
        SQL_TEXT("select r.number, r.user from slack_rtm r where (" CHAT_SQL_USER_WORKSPACE(
            "r.user") " = :workspace or :channel <> 0 or :watched <> 0) and (:only = 0 or "
                      "r.user = :only) and r.user <> :but and (:channel = 0 "
                      "or " CHAT_SQL_IS_MEMBER(":channel",
                                               "r.user") ") and (:watched = 0 or r.batch = "
                                                         ":batch and exists (select 1 from "
                                                         "slack_rtm_watch w where w.user = "
                                                         ":watched and w.number = r.number)) "
                                                         "and r.number > :after order by "
                                                         "r.number limit 1");
    int64_t number = 0, *numbers = NULL;
    size_t n = 0, cap = 0;
    sqlite3_stmt *st;
    int r;
    while ((r = TX_ROW(tx, &q, &st, to->workspace, to->channel, to->watched, to->only, to->but,
                       to->batch, number)) == 1) {
        int64_t user = sqlite3_column_int64(st, 1);
        struct chat_user u;
        number = sqlite3_column_int64(st, 0);
        sql_done(st);
        if (to->file && (r = chat_user_get(tx, user, &u)) == 1)
            r = chat_can_see_file(tx, to->file, &u);
        if (r < 0)
            return -1;
        if (!r)
            continue;
        if (!(numbers = arena_grow(tx->arena, numbers, n, &cap, sizeof *numbers)))
            return sosia_fail_memory(tx->err);
        numbers[n++] = number;
    }
    return r < 0 || !n ? r : session_announce(tx, numbers, n, event);
}
