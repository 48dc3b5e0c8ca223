/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses for WebSockets, each good for one connection. */
#include "services/chat/slack/events/socket.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/world/take.h"

#define TICKET_S 60 /* that an address is good for */

int sl_ticket_add(struct tx *tx, const struct sl_ticket *t, const char **ret_key)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_ticket (key, app, user, until_us, debug, batch) values (:key, "
                 ":app, :user, :until, :debug, :batch)");
    uint8_t bytes[16];
    char key[33];
    if (tx_secret(tx, "chat.ticket", bytes, sizeof bytes) < 0)
        return -1;
    hex_encode(key, bytes, sizeof bytes);
    *ret_key = arena_strdup(tx->arena, key);
    return TX_RUN(tx, &q, key, sql_int_or_null(t->app, 0), sql_int_or_null(t->user, 0),
                  tx->now_us + TICKET_S * US_PER_SECOND, t->debug, t->batch);
}

int sl_ticket_take(struct tx *tx, const char *key, struct sl_ticket *ret)
{
    static struct sql_text old = SQL_TEXT("delete from slack_ticket where until_us <= :now");
    static struct sql_text q = SQL_TEXT("delete from slack_ticket where key = :key returning "
                                        "ifnull(app, 0), ifnull(user, 0), debug, batch");
    if (TX_RUN(tx, &old, tx->now_us) < 0)
        return -1;
    return TX_TAKE(tx, TX_QUERY(tx, &q, key), &ret->app, &ret->user, &ret->debug, &ret->batch);
}

const char *sl_socket_url(struct call *c, const char *host, const char *path)
{
    const char *url = call_follow_url(c, host, path);
    return str_starts(url, "https:")  ? arena_printf(c->tx.arena, "wss:%s", url + 6)
           : str_starts(url, "http:") ? arena_printf(c->tx.arena, "ws:%s", url + 5)
                                      : url;
}
