/* SPDX-License-Identifier: Apache-2.0 */
/* The end of connections of apps: with a warning at their time, or when Socket Mode goes off. */
#include "services/chat/slack/events/socket.h"
#include "services/chat/slack/events/push.h"

static enum delivery_verdict judge(const struct sosia_outcome *o)
{
    return o->status == 200 ? DELIVERY_GOOD : DELIVERY_BAD;
}

/* Nobody acknowledges it. */
static const int32_t waits_s[] = {1, 0};
const struct delivery_kind sl_disconnect_frame = {
    .name = "slack.disconnect", .waits_s = waits_s, .judge = judge};

int sl_socket_due(struct tx *tx, const char *kind, int64_t number)
{
    static struct sql_text q = SQL_TEXT("select app from slack_socket where number = :number");
    bool warning = strcmp(kind, SL_SOCKET_WARNING) == 0;
    struct chat_app a;
    int64_t app;
    int r = TX_INT(tx, &q, &app, number);
    if (r == 1)
        r = chat_app_of(tx, app, &a);
    if (r != 1)
        return r;
    const struct delivery d = {
        .kind = &sl_disconnect_frame,
        .ref = number,
        .from = a.key,
        .key = sl_socket_key(tx, app),
        .body = sl_socket_disconnect(tx, a.key, warning ? "warning" : "refresh_requested", 0)};
    return delivery_add(tx, &d, NULL);
}

int sl_sockets_disable(struct tx *tx, int64_t app)
{
    static struct sql_text q = SQL_TEXT("select count(*) from slack_socket where app = :app");
    struct chat_app a;
    int64_t n = 0;
    int r = chat_app_of(tx, app, &a);
    if (r != 1 || TX_INT(tx, &q, &n, app) < 0)
        return r == 0 ? 0 : -1;
    for (int64_t i = 0; i < n && i < SL_SOCKETS_MAX; i++) {
        const struct delivery d = {.kind = &sl_disconnect_frame,
                                   .from = a.key,
                                   .key = sl_socket_key(tx, app),
                                   .body = sl_socket_disconnect(tx, a.key, "link_disabled", 0)};
        if (delivery_add(tx, &d, NULL) < 0)
            return -1;
    }
    return 0;
}
