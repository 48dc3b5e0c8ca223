/* SPDX-License-Identifier: Apache-2.0 */
/* What people do with an app itself: they open its page, and talk to it. */
#include "engine/text/civil.h"
#include "services/chat/slack/acts/act.h"
#include "services/chat/slack/agents/agents.h"
#include "services/chat/slack/web/chunks.h"

int sl_deed_app(struct sl_deed *d, struct sl_party *ret)
{
    const char *key = sl_deed_str(d, "app");
    struct chat_app app;
    if (!key)
        return -1;
    int r = chat_app_find(&d->c->tx, key, &app);
    if (r == 1)
        r = sl_party_of(d->c, app.app, ret);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(d->c, "app_not_installed");
}

/* A tab is there if the app's settings do not say otherwise. */
static bool has_tab(const struct sl_settings *s, bool home)
{
    const struct json *v = json_get(s->all, home ? "home_tab" : "messages_tab");
    return !v || v->type != JSON_BOOL || v->truth;
}

int sl_has_tab(struct call *c, int64_t app, bool home)
{
    struct chat_app a;
    struct sl_settings s;
    int r = chat_app_of(&c->tx, app, &a);
    if (r != 1)
        return r < 0 ? -1 : 1;
    return sl_settings_of(&c->tx, &a, &s) < 0 ? -1 : has_tab(&s, home);
}

static int notify_opened(struct sl_deed *d, const struct sl_party *p, const struct chat_channel *ch,
                         const char *tab, const struct chat_view *page)
{
    struct call *c = d->c;
    struct sl_draft draft;
    char ts[CHAT_TS_LEN];
    int r = sl_subscribed(&c->tx, p->app.app, "app_home_opened", false), rc = 0;
    if (r != 1)
        return r;
    chat_ts_text(ts, c->tx.now_us);
    sl_draft_begin(&draft, c);
    json_obj(&draft.w, NULL);
    json_str(&draft.w, "type", "app_home_opened");
    json_str(&draft.w, "user", sl_me(c)->user.key);
    json_str(&draft.w, "channel", ch->key);
    json_str(&draft.w, "tab", tab);
    if (page->id)
        rc = sl_write_view(c, &draft.w, "view", page);
    json_str(&draft.w, "event_ts", ts);
    json_end(&draft.w);
    struct sl_event e = {.workspace = sl_me(c)->workspace.id,
                         .channel = ch->id,
                         .type = "app_home_opened",
                         .event = sl_draft_end(&draft)};
    if (rc < 0 || !e.event)
        return -1;
    return sl_push_event(&c->tx, &e, p->app.app, p->install.user) < 0 ? -1 : 0;
}

/* Opens the app: its page, or what it and the person write to each other. The app is notified, and
 * is not waited for. */
int sl_act_home(struct sl_deed *d)
{
    struct call *c = d->c;
    const char *tab = json_get_str(d->args, "tab");
    bool home = !tab || strcmp(tab, "home") == 0;
    struct chat_view page = {0};
    struct chat_channel ch;
    struct sl_party p;
    struct chat_user bot;
    if (!home && strcmp(tab, "messages") != 0)
        return slack_invalid_arguments(c, "/do/home/tab", "must be \"home\" or \"messages\"");
    if (sl_deed_app(d, &p) < 0)
        return -1;
    if (!has_tab(&p.settings, home))
        return slack_fail(c, "tab_not_found");
    int r = p.install.user ? chat_user_get(&c->tx, p.install.user, &bot) : 0;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "bot_not_found");
    if (sl_direct_with(c, &bot, &ch) < 0)
        return -1;
    if (home && chat_view_at(&c->tx, p.app.app, sl_me(c)->user.id, 0, &page) < 0)
        return -1;
    if (notify_opened(d, &p, &ch, home ? "home" : "messages", &page) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "channel", ch.key);
    if (page.id && sl_write_view(c, c->out, "view", &page) < 0)
        return -1;
    slack_close(c);
    return 0;
}

/* The app is notified if it is at work in a session there. Its status is the app's to change. */
static int notify_stopped(struct sl_deed *d, const struct chat_channel *ch,
                          const struct chat_message *m)
{
    struct call *c = d->c;
    struct chat_message root = {0};
    struct sl_draft draft;
    struct sl_party p;
    struct chat_user bot;
    char now[CHAT_TS_LEN], ts[CHAT_TS_LEN];
    int r = m->app ? sl_party_of(c, m->app, &p) : 0;
    if (r == 1)
        r = sl_subscribed(&c->tx, p.app.app, "agent_session_stopped", false);
    if (r == 1)
        r = chat_user_get(&c->tx, m->user, &bot);
    if (r == 1)
        r = sl_session_works(c, ch, m->thread, &bot);
    if (r != 1 || (m->thread && chat_message_get(&c->tx, m->thread, &root) < 0))
        return r == 0 ? 0 : -1;
    chat_ts_text(now, c->tx.now_us);
    chat_ts_text(ts, m->ts_us);
    sl_draft_begin(&draft, c);
    json_obj(&draft.w, NULL);
    json_str(&draft.w, "channel", ch->key);
    json_str(&draft.w, "event_ts", now);
    json_arr(&draft.w, "streaming_message_ts");
    json_str(&draft.w, NULL, ts);
    json_end(&draft.w);
    if (root.id) {
        chat_ts_text(ts, root.ts_us);
        json_str(&draft.w, "thread_ts", ts);
    }
    json_str(&draft.w, "type", "agent_session_stopped");
    json_str(&draft.w, "user", sl_me(c)->user.key);
    json_end(&draft.w);
    struct sl_event e = {.workspace = sl_me(c)->workspace.id,
                         .channel = ch->id,
                         .type = "agent_session_stopped",
                         .event = sl_draft_end(&draft)};
    if (!e.event)
        return -1;
    return sl_push_event(&c->tx, &e, p.app.app, p.install.user) < 0 ? -1 : 0;
}

/* Stops a message that grows: it ends as it is, and its app can add nothing to it any more. */
int sl_act_stop(struct sl_deed *d)
{
    struct call *c = d->c;
    const char *ts = sl_deed_str(d, "ts");
    struct chat_message m, before;
    struct chat_channel ch;
    struct sl_stream s;
    int64_t us;
    if (!ts || sl_deed_channel(d, &ch) < 0)
        return -1;
    int r = chat_ts_read(ts, &us) < 0 ? 0 : chat_message_find(&c->tx, ch.id, us, &m);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "message_not_found");
    if (ch.archived)
        return slack_fail(c, "is_archived");
    if (!(m.flags & CHAT_STREAMING))
        return slack_fail(c, "message_not_in_streaming_state");
    before = m;
    if (sl_stream_read(c, &m, &s) < 0)
        return -1;
    s.stopped = true;
    if (sl_stream_put(c, &s, &m, true) < 0 || chat_message_save(&c->tx, &m, &before) < 0 ||
        notify_stopped(d, &ch, &m) < 0)
        return -1;
    return sl_answer_posted(c, &ch, &m, true);
}

/* Of the session's agent. */
static int tell_renamed(struct sl_deed *d, const struct chat_channel *ch, const char *thread,
                        const char *bot, const char *before)
{
    struct call *c = d->c;
    struct chat_install install;
    struct sl_draft draft;
    struct chat_user u;
    char now[CHAT_TS_LEN];
    int r = chat_user_find(&c->tx, sl_me(c)->workspace.id, bot, &u);
    if (r == 1)
        r = chat_install_by_user(&c->tx, u.id, &install);
    if (r == 1 && install.deleted)
        r = 0;
    if (r == 1)
        r = sl_subscribed(&c->tx, install.app, "agent_session_title_changed", false);
    if (r != 1)
        return r;
    chat_ts_text(now, c->tx.now_us);
    sl_draft_begin(&draft, c);
    json_obj(&draft.w, NULL);
    json_str(&draft.w, "channel", ch->key);
    json_str(&draft.w, "event_ts", now);
    json_str_opt(&draft.w, "previous_title", before);
    json_str(&draft.w, "team_id", sl_me(c)->workspace.key);
    json_str(&draft.w, "thread_ts", thread);
    json_str(&draft.w, "title", json_get_str(d->args, "title"));
    json_str(&draft.w, "type", "agent_session_title_changed");
    json_str(&draft.w, "user", sl_me(c)->user.key);
    json_end(&draft.w);
    struct sl_event e = {.workspace = sl_me(c)->workspace.id,
                         .channel = ch->id,
                         .type = "agent_session_title_changed",
                         .event = sl_draft_end(&draft)};
    if (!e.event)
        return -1;
    return sl_push_event(&c->tx, &e, install.app, install.user) < 0 ? -1 : 0;
}

/* Gives an agent's session in a thread another title. */
int sl_act_retitle(struct sl_deed *d)
{
    struct call *c = d->c;
    const char *ts = sl_deed_str(d, "ts"), *title = ts ? sl_deed_str(d, "title") : NULL;
    const char *before, *bot;
    char thread[CHAT_TS_LEN];
    struct chat_channel ch;
    struct chat_message m;
    int64_t us;
    if (!title || sl_deed_channel(d, &ch) < 0)
        return -1;
    int r = chat_ts_read(ts, &us) < 0 ? 0 : chat_message_find(&c->tx, ch.id, us, &m);
    if (r == 1 && m.thread && m.thread != m.id)
        r = chat_message_get(&c->tx, m.thread, &m);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "message_not_found");
    if (ch.archived)
        return slack_fail(c, "is_archived");
    chat_ts_text(thread, m.ts_us);
    if (sl_session_retitle(c, &m, title, &before, &bot) < 0 ||
        tell_renamed(d, &ch, thread, bot, before) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "title", title);
    slack_close(c);
    return 0;
}
