/* SPDX-License-Identifier: Apache-2.0 */
/* Threads with an assistant: a person opens one beside what he looks at, and looks at something
 * else (docs.slack.dev, assistant_thread_started and assistant_thread_context_changed). */
#include "engine/text/civil.h"
#include "services/chat/slack/acts/act.h"
#include "services/chat/slack/agents/agents.h"

#define TITLE "New Assistant Thread"

/* A thread, and beside what it is. */
struct aside {
    struct sl_party party;
    struct chat_channel channel, seen; /* seen: what the person looks at; id 0: nothing */
    const char *thread_ts;
};

static int seen_channel(struct sl_deed *d, struct aside *a)
{
    const struct sl_caller *me = sl_me(d->c);
    struct tx *tx = &d->c->tx;
    const char *name = json_get_str(d->args, "context");
    if (!name)
        return 0;
    int r = chat_channel_find(tx, me->workspace.id, name, &a->seen);
    if (!r)
        r = chat_channel_by_name(tx, me->workspace.id, name + (*name == '#'), &a->seen);
    if (r == 1)
        r = chat_can_see(tx, &a->seen, &me->user);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(d->c, "channel_not_found");
}

static int tell_aside(struct sl_deed *d, const struct aside *a, const char *type)
{
    struct call *c = d->c;
    struct sl_draft draft;
    char ts[CHAT_TS_LEN];
    int r = sl_subscribed(&c->tx, a->party.app.app, type, false);
    if (r != 1)
        return r;
    chat_ts_text(ts, c->tx.now_us);
    sl_draft_begin(&draft, c);
    struct json_writer *w = &draft.w;
    json_obj(w, NULL);
    json_str(w, "type", type);
    json_obj(w, "assistant_thread");
    json_str(w, "user_id", sl_me(c)->user.key);
    json_obj(w, "context");
    if (a->seen.id) {
        json_str(w, "channel_id", a->seen.key);
        json_str(w, "team_id", sl_me(c)->workspace.key);
        json_null(w, "enterprise_id");
    }
    json_end(w);
    json_str(w, "channel_id", a->channel.key);
    json_str(w, "thread_ts", a->thread_ts);
    json_end(w);
    json_str(w, "event_ts", ts);
    json_end(w);
    struct sl_event e = {.workspace = sl_me(c)->workspace.id,
                         .channel = a->channel.id,
                         .type = type,
                         .event = sl_draft_end(&draft)};
    if (!e.event)
        return -1;
    return sl_push_event(&c->tx, &e, a->party.app.app, a->party.install.user) < 0 ? -1 : 0;
}

/* The first message of a thread is the assistant's; its text is what the client shows until there
 * is a title. */
static int begin(struct sl_deed *d, struct aside *a)
{
    struct call *c = d->c;
    struct chat_message m = {.user = a->party.install.user,
                             .app = a->party.app.app,
                             .subtype = SL_ASSISTANT_THREAD,
                             .text = TITLE,
                             .extra = "{\"" SL_ASSISTANT_THREAD "\":{\"title\":\"" TITLE
                                      "\",\"title_blocks\":[],\"artifacts\":[]}}"};
    char ts[CHAT_TS_LEN];
    if (chat_post(&c->tx, &a->channel, &m) < 0)
        return -1;
    chat_ts_text(ts, m.ts_us);
    a->thread_ts = arena_strdup(c->tx.arena, ts);
    return tell_aside(d, a, "assistant_thread_started");
}

/* It must be one that was begun. */
static int look_elsewhere(struct sl_deed *d, struct aside *a, const char *ts)
{
    struct call *c = d->c;
    struct chat_message m;
    int64_t us;
    int r = chat_ts_read(ts, &us) < 0 ? 0 : chat_message_find(&c->tx, a->channel.id, us, &m);
    if (r < 0)
        return -1;
    if (!r || !sl_is_assistant_thread(&m) || m.app != a->party.app.app)
        return slack_fail(c, "thread_not_found");
    a->thread_ts = ts;
    return tell_aside(d, a, "assistant_thread_context_changed");
}

/* Opens a thread with an assistant, or looks at another channel beside the one that `ts` names. The
 * app is notified, and is not waited for. */
int sl_act_assist(struct sl_deed *d)
{
    struct call *c = d->c;
    const char *ts = json_get_str(d->args, "ts");
    struct aside a = {0};
    struct chat_user bot;
    if (sl_deed_app(d, &a.party) < 0 || seen_channel(d, &a) < 0)
        return -1;
    if (!sl_is_agent(c, &a.party.app))
        return slack_fail(c, "not_agent_app");
    int r = a.party.install.user ? chat_user_get(&c->tx, a.party.install.user, &bot) : 0;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "bot_not_found");
    if (sl_direct_with(c, &bot, &a.channel) < 0 ||
        (ts ? look_elsewhere(d, &a, ts) : begin(d, &a)) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "channel", a.channel.key);
    json_str(c->out, "thread_ts", a.thread_ts);
    slack_close(c);
    return 0;
}
