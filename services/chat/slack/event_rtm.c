/* SPDX-License-Identifier: Apache-2.0 */
/* What WebSockets of people alone are sent: apps can't subscribe to any of it (docs.slack.dev,
 * events of the RTM API). */
#include "services/chat/slack/news.h"
#include "engine/text/civil.h"
#include "services/chat/slack/socket.h"

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

int sl_rtm_joined(struct sl_notice *t)
{
    struct chat_user u;
    struct call stage;
    int r = chat_user_get(t->tx, t->news->user, &u);
    if (r == 1)
        r = sl_rtm_is_open(t->tx, u.id);
    if (r != 1)
        return r;
    sl_event_open(t, t->channel.kind == CHAT_PUBLIC ? "channel_joined" : "group_joined");
    if (sl_stage(t->tx, u.workspace, u.id, &t->writer, &stage) < 0 ||
        sl_write_channel(&stage, "channel", &t->channel, SL_OPEN) < 0)
        return -1;
    return send_to_person(t, &u);
}

int sl_rtm_left(struct sl_notice *t)
{
    struct chat_user u;
    int r = chat_user_get(t->tx, t->news->user, &u);
    if (r != 1)
        return r;
    sl_event_open(t, t->channel.kind == CHAT_PUBLIC ? "channel_left" : "group_left");
    json_str(&t->writer, "channel", t->channel.key);
    return send_to_person(t, &u);
}

int sl_rtm_read(struct sl_notice *t)
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

int sl_rtm_presence(struct sl_notice *t, const struct chat_user *u, bool manual, bool shown)
{
    const char *presence = sl_presence(u);
    if (manual) {
        sl_event_open(t, "manual_presence_change");
        json_str(&t->writer, "presence", strcmp(u->presence, "away") == 0 ? "away" : "active");
        if (send_to_person(t, u) < 0)
            return -1;
    }
    for (int batch = 0; shown && batch < 2; batch++) {
        sl_event_open(t, "presence_change");
        sl_write_presence(&t->writer, &u->key, 1, presence, batch);
        if (send_to(t, &(struct sl_rtm_to){.watched = u->id, .batch = batch}) < 0)
            return -1;
    }
    return 0;
}

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

/* ---- apps ---- */

static int notify_of_bot(struct sl_notice *t, const char *type, int64_t app)
{
    sl_event_open(t, type);
    if (sl_write_bot(&t->stage, "bot", app, false) < 0)
        return -1;
    json_int(&t->writer, "cache_ts", t->news->at_us / US_PER_SECOND);
    return send_to_workspace(t);
}

int sl_rtm_app(struct sl_notice *t, int64_t app, bool has_bot)
{
    bool added = t->news->operation == OP_ADDED;
    struct sl_settings s;
    struct chat_app a;
    int r = chat_app_of(t->tx, app, &a);
    if (r == 1 && sl_settings_of(t->tx, &a, &s) < 0)
        r = -1;
    if (r != 1)
        return r;
    if (has_bot && notify_of_bot(t, added ? "bot_added" : "bot_changed", app) < 0)
        return -1;
    if (!s.commands || !s.commands->n)
        return 0;
    sl_event_open(t, "commands_changed");
    return send_to_workspace(t);
}
