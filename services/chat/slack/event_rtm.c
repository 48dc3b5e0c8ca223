/* SPDX-License-Identifier: Apache-2.0 */
/* What WebSockets of people alone are sent: events to which no app subscribes (docs.slack.dev,
 * events of the RTM API). */
#include "services/chat/slack/news.h"
#include "services/chat/slack/socket.h"

/* To the connections of one person (0: of everybody in the workspace). */
static int send_to(struct sl_notice *t, int64_t user)
{
    const char *event = sl_event_close(t);
    if (!event)
        return sosia_fail_memory(t->tx->err);
    return sl_rtm_send(t->tx, &(struct sl_rtm_to){.workspace = t->workspace, .only = user}, event);
}

/* He has joined a channel, which is new to his client. */
static int joined_channel(struct sl_notice *t)
{
    struct chat_user u;
    struct call stage;
    int r = t->channel.kind > CHAT_PRIVATE ? 0 : chat_user_get(t->tx, t->news->user, &u);
    if (r != 1)
        return r;
    t->workspace = u.workspace;
    sl_event_open(t, t->channel.kind == CHAT_PUBLIC ? "channel_joined" : "group_joined");
    if (sl_stage(t->tx, u.workspace, u.id, &t->writer, &stage) < 0 ||
        sl_write_channel(&stage, "channel", &t->channel, SL_LAST_READ) < 0)
        return -1;
    return send_to(t, u.id);
}

/* His other clients show what he has read. */
static int marked(struct sl_notice *t)
{
    struct chat_member m;
    struct chat_user u;
    char ts[CHAT_TS_LEN];
    int r = chat_member_of(t->tx, t->channel.id, t->news->user, &m);
    if (r == 1)
        r = chat_user_get(t->tx, t->news->user, &u);
    if (r != 1)
        return r;
    t->workspace = u.workspace;
    chat_ts_text(ts, m.read_us);
    sl_event_open(t, t->channel.kind == CHAT_DIRECT   ? "im_marked"
                     : t->channel.kind == CHAT_PUBLIC ? "channel_marked"
                                                      : "group_marked");
    json_str(&t->writer, "channel", t->channel.key);
    json_str(&t->writer, "ts", ts);
    return send_to(t, u.id);
}

static int presence(struct sl_notice *t)
{
    struct chat_user u;
    int r = strstr(t->news->members, ",presence,") ? chat_user_get(t->tx, t->news->entity, &u) : 0;
    if (r != 1)
        return r;
    sl_event_open(t, "manual_presence_change");
    json_str(&t->writer, "presence", strcmp(u.presence, "away") == 0 ? "away" : "active");
    return send_to(t, u.id);
}

/* An app has come or gone, with its bot and its commands. */
static int app(struct sl_notice *t)
{
    struct chat_install i;
    struct chat_app a;
    struct sl_settings s;
    bool added = t->news->operation == OP_ADDED;
    int r = added || t->news->operation == OP_REMOVED ? chat_install_get(t->tx, t->news->entity, &i)
                                                      : 0;
    if (r == 1)
        r = chat_app_of(t->tx, i.app, &a);
    if (r != 1)
        return r;
    if (sl_settings_of(t->tx, &a, &s) < 0)
        return -1;
    if (added && i.user) {
        sl_event_open(t, "bot_added");
        if (sl_write_bot(&t->stage, "bot", i.app, false) < 0 || send_to(t, 0) < 0)
            return -1;
    }
    if (!s.commands || !s.commands->n)
        return 0;
    sl_event_open(t, "commands_changed");
    return send_to(t, 0);
}

int sl_events_of_clients(struct sl_notice *t)
{
    static struct sql_text q = SQL_TEXT("select exists (select 1 from chat_rtm)");
    const char *kind = t->news->kind;
    enum event_operation op = t->news->operation;
    sqlite3_stmt *st = TX_PLAIN(t->tx, &q);
    int64_t any = 0;
    if (sql_first_int(t->tx->db, t->tx->err, st, &any) < 0)
        return -1;
    if (!any)
        return 0;
    if (strcmp(kind, CHAT_EV_MEMBER) == 0)
        return op == OP_ADDED ? joined_channel(t) : 0;
    if (strcmp(kind, CHAT_EV_READ) == 0)
        return marked(t);
    if (strcmp(kind, CHAT_EV_USER) == 0)
        return op == OP_CHANGED ? presence(t) : 0;
    return strcmp(kind, CHAT_EV_INSTALL) == 0 ? app(t) : 0;
}
