/* SPDX-License-Identifier: Apache-2.0 */
/* What WebSockets of people alone are sent: apps can't subscribe to any of it (docs.slack.dev,
 * events of the RTM API). */
#include "services/chat/slack/events/news.h"
#include "engine/text/civil.h"
#include "services/chat/slack/events/socket.h"

static int send_to(struct sl_notice *t, const struct sl_rtm_to *to)
{
    const char *event = sl_event_close(t);
    return event ? sl_rtm_send(t->tx, to, event) : sosia_fail_memory(t->tx->err);
}

static int send_to_workspace(struct sl_notice *t)
{
    return send_to(t, &(struct sl_rtm_to){.workspace = t->workspace});
}

static int send_to_person(struct sl_notice *t, const struct chat_user *u)
{
    return send_to(t, &(struct sl_rtm_to){.workspace = u->workspace, .only = u->id});
}

/* ---- conversations ---- */

/* The channel is new to his client. */
static int client_joined(struct sl_notice *t)
{
    struct chat_user u;
    struct call stage;
    int r = chat_user_get(t->tx, t->news->user, &u);
    if (r != 1)
        return r;
    sl_event_open(t, t->channel.kind == CHAT_PUBLIC ? "channel_joined" : "group_joined");
    if (sl_stage(t->tx, u.workspace, u.id, &t->writer, &stage) < 0 ||
        sl_write_channel(&stage, "channel", &t->channel, SL_LAST_READ) < 0)
        return -1;
    return send_to_person(t, &u);
}

static int client_left(struct sl_notice *t)
{
    struct chat_user u;
    int r = chat_user_get(t->tx, t->news->user, &u);
    if (r != 1)
        return r;
    sl_event_open(t, t->channel.kind == CHAT_PUBLIC ? "channel_left" : "group_left");
    json_str(&t->writer, "channel", t->channel.key);
    return send_to_person(t, &u);
}

/* His other clients show what he has read. */
static int marked(struct sl_notice *t)
{
    static const char *const types[] = {[CHAT_PUBLIC] = "channel_marked",
                                        [CHAT_PRIVATE] = "group_marked",
                                        [CHAT_GROUP] = "mpim_marked",
                                        [CHAT_DIRECT] = "im_marked"};
    struct chat_member m;
    struct chat_user u;
    char ts[CHAT_TS_LEN];
    int r = chat_user_get(t->tx, t->news->entity, &u);
    if (r == 1)
        r = chat_member_of(t->tx, t->channel.id, u.id, &m);
    if (r != 1)
        return r;
    chat_ts_text(ts, m.read_us);
    sl_event_open(t, types[t->channel.kind]);
    json_str(&t->writer, "channel", t->channel.key);
    json_str(&t->writer, "ts", ts);
    return send_to_person(t, &u);
}

/* ---- presence ---- */

void sl_write_presence(struct json_writer *w, const char *const *keys, size_t n,
                       const char *presence, bool batch)
{
    json_str(w, "presence", presence);
    if (!batch) {
        json_str(w, "user", keys[0]);
        return;
    }
    json_arr(w, "users");
    for (size_t i = 0; i < n; i++)
        json_str(w, NULL, keys[i]);
    json_end(w);
}

/* Who is there or not: as he chose himself, and as others see it. */
static int presence(struct sl_notice *t)
{
    struct chat_user u;
    int r = chat_user_get(t->tx, t->news->entity, &u);
    if (r == 1 && sl_has_member(t, "presence")) {
        sl_event_open(t, "manual_presence_change");
        json_str(&t->writer, "presence", strcmp(u.presence, "away") == 0 ? "away" : "active");
        if (send_to_person(t, &u) < 0)
            return -1;
    }
    for (int batch = 0; r == 1 && sl_has_member(t, "shown") && batch < 2; batch++) {
        sl_event_open(t, "presence_change");
        sl_write_presence(&t->writer, &u.key, 1, sl_presence(&u), batch);
        if (send_to(t, &(struct sl_rtm_to){.watched = u.id, .batch = batch}) < 0)
            return -1;
    }
    return r < 0 ? -1 : 0;
}

/* ---- apps ---- */

static int notify_of_bot(struct sl_notice *t, const char *type, int64_t app)
{
    sl_event_open(t, type);
    if (sl_write_bot(&t->stage, "bot", app, false) < 0)
        return -1;
    json_int(&t->writer, "cache_ts", t->news->at_us / US_PER_SECOND);
    return send_to_workspace(t);
}

/* An app has come or gone, or is another one now, with its bot and its commands. */
static int app(struct sl_notice *t)
{
    enum event_operation op = t->news->operation;
    struct sl_settings s;
    struct chat_install i;
    struct chat_app a;
    int r = op == OP_CHANGED && !sl_has_member(t, "app")
                ? 0
                : chat_install_get(t->tx, t->news->entity, &i);
    if (r == 1)
        r = chat_app_of(t->tx, i.app, &a);
    if (r == 1 && sl_settings_of(t->tx, &a, &s) < 0)
        r = -1;
    if (r != 1)
        return r;
    if (i.user && op != OP_REMOVED &&
        notify_of_bot(t, op == OP_ADDED ? "bot_added" : "bot_changed", i.app) < 0)
        return -1;
    if (!s.commands || !s.commands->n)
        return 0;
    sl_event_open(t, "commands_changed");
    return send_to_workspace(t);
}

/* ---- all of it ---- */

int sl_events_of_clients(struct sl_notice *t)
{
    static struct sql_text q = SQL_TEXT("select exists (select 1 from slack_rtm)");
    const char *kind = t->news->kind;
    enum event_operation op = t->news->operation;
    int64_t any = 0;
    if (sql_first_int(t->tx->db, t->tx->err, TX_PLAIN(t->tx, &q), &any) < 0)
        return -1;
    if (!any)
        return 0;
    if (strcmp(kind, CHAT_EV_MEMBER) == 0 && t->channel.kind <= CHAT_PRIVATE)
        return op == OP_ADDED ? client_joined(t) : op == OP_REMOVED ? client_left(t) : 0;
    if (strcmp(kind, CHAT_EV_READ) == 0)
        return marked(t);
    if (strcmp(kind, CHAT_EV_USER) == 0)
        return op == OP_CHANGED ? presence(t) : 0;
    return strcmp(kind, CHAT_EV_INSTALL) == 0 ? app(t) : 0;
}
