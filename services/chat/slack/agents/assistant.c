/* SPDX-License-Identifier: Apache-2.0 */
/* assistant.threads.* and agents.sessions.*: what an app that people talk to says of its threads.
 */
#include "engine/base/codec.h"
#include "services/chat/slack/agents/assist.h"
#include "services/chat/slack/agents/agents.h"
#include "services/chat/slack/web/compose.h"
#include "services/chat/slack/events/push.h"
#include <strings.h>

#define MAX_LOADING 10
#define MAX_PROMPTS 4

/* ---- where ---- */

static void say_detail(struct call *c)
{
    json_str(c->out, "detail", slack_of(c)->more_arg);
}

static int refuse_with(struct call *c, const char *code, const char *detail)
{
    slack_of(c)->more = say_detail;
    slack_of(c)->more_arg = detail;
    return slack_fail(c, code);
}

static int assist_channel(struct call *c, struct chat_channel *ch)
{
    const struct sl_caller *me = sl_me(c);
    const char *key = param_str(c, "channel_id");
    int r = key && *key ? chat_channel_find(&c->tx, me->workspace.id, key, ch) : 0;
    if (r == 1)
        r = chat_can_see(&c->tx, ch, &me->user);
    return r == 1 ? 0 : r < 0 ? -1 : refuse_with(c, "channel_not_found", "Invalid channel_id");
}

/* The first message of the thread; id 0: none is named. */
static int assist_thread(struct call *c, const struct chat_channel *ch, struct chat_message *m)
{
    int64_t us;
    int r = sl_ts_arg(c, "thread_ts", &us);
    m->id = 0;
    if (!r)
        return 0;
    r = r < 0 ? 0 : chat_message_find(&c->tx, ch->id, us, m);
    if (r == 1 && m->thread && m->thread != m->id)
        r = chat_message_get(&c->tx, m->thread, m);
    return r == 1 ? 0 : r < 0 ? -1 : refuse_with(c, "invalid_thread_ts", "Thread not found");
}

/* ---- assistant.threads ---- */

static int check_sender(struct call *c)
{
    static const char *const reserved[] = {"slackbot", "slack"};
    const char *name = param_str(c, "username");
    if (name && str_in_nocase(name, reserved, SOSIA_LEN(reserved)))
        return slack_fail(c, "reserved_username");
    return 0;
}

static int loading_arg(struct call *c, const char **ret)
{
    const struct json *list;
    int r = slack_value(c, "loading_messages", &list);
    *ret = NULL;
    if (r <= 0)
        return r;
    for (uint32_t i = 0; i < list->n; i++) {
        const char *text = list->items[i].type == JSON_STRING ? list->items[i].str : NULL;
        const char *at = arena_printf(c->tx.arena, "/loading_messages/%u", i);
        if (!text || !*text)
            return slack_invalid_arguments(c, at, "must be more than 0 characters");
        if (sl_characters(text) > 50)
            return slack_invalid_arguments(c, at, "must be less than 51 characters");
    }
    *ret = json_to_text(c->tx.arena, list);
    return 0;
}

static int set_status(struct call *c)
{
    struct chat_channel ch;
    struct chat_message m;
    struct chat_assist a;
    const char *loading;
    if (check_sender(c) < 0 || assist_channel(c, &ch) < 0 || assist_thread(c, &ch, &m) < 0 ||
        loading_arg(c, &loading) < 0)
        return -1;
    if (!m.id)
        return refuse_with(c, "invalid_thread_ts", "Thread not found");
    if (chat_assist_of(&c->tx, ch.id, m.id, sl_me(c)->app, &a) < 0)
        return -1;
    a.status = param_str(c, "status");
    a.status_us = *a.status ? c->tx.now_us : 0;
    a.loading = *a.status ? loading : NULL;
    return chat_assist_save(&c->tx, &a) < 0 ? -1 : slack_ok(c);
}

static int set_title(struct call *c)
{
    const char *title = param_str(c, "title");
    struct chat_channel ch;
    struct chat_message m;
    struct json_writer w;
    struct buf b;
    if (assist_channel(c, &ch) < 0 || assist_thread(c, &ch, &m) < 0)
        return -1;
    if (!m.id)
        return refuse_with(c, "invalid_thread_ts", "Thread not found");
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "title", title);
    json_arr(&w, "title_blocks");
    json_end(&w);
    json_arr(&w, "artifacts");
    json_end(&w);
    json_end(&w);
    const char *json = buf_keep(&b, c->tx.arena);
    return sl_extra_set(c, &m, SL_ASSISTANT_THREAD, json) < 0 ? -1 : slack_ok(c);
}

static int prompts_arg(struct call *c, const char **ret)
{
    const struct json *list;
    if (slack_value(c, "prompts", &list) < 0)
        return -1;
    for (uint32_t i = 0; i < list->n; i++) {
        static const char *const needed[] = {"title", "message"};
        for (size_t k = 0; k < SOSIA_LEN(needed); k++) {
            const char *text = json_get_str(&list->items[i], needed[k]);
            if (!text || !*text)
                return slack_invalid_arguments(c, arena_printf(c->tx.arena, "/prompts/%u", i),
                                               "missing required field: %s", needed[k]);
        }
    }
    *ret = json_to_text(c->tx.arena, list);
    return 0;
}

static int set_prompts(struct call *c)
{
    const char *title = param_str(c, "title"), *prompts;
    struct chat_channel ch;
    struct chat_message m;
    struct chat_assist a;
    if (!sl_is_agent(c, &sl_me(c)->chat_app))
        return slack_fail(c, "not_agent_app");
    if (assist_channel(c, &ch) < 0 || assist_thread(c, &ch, &m) < 0 ||
        prompts_arg(c, &prompts) < 0 || chat_assist_of(&c->tx, ch.id, m.id, sl_me(c)->app, &a) < 0)
        return -1;
    a.prompts = prompts;
    a.prompts_title = title && *title ? title : NULL;
    return chat_assist_save(&c->tx, &a) < 0 ? -1 : slack_ok(c);
}

/* ---- agents.sessions ---- */

/* A thread, or a code channel (a->channel): that is one session as a whole. */
static int session_of(struct call *c, struct chat_channel *ch, struct chat_message *m,
                      struct chat_agent_channel *a)
{
    const char *key = param_str(c, "channel_id");
    int r = key && *key ? chat_channel_find(&c->tx, sl_me(c)->workspace.id, key, ch) : 0;
    if (r == 1)
        r = chat_can_see(&c->tx, ch, &sl_me(c)->user);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "channel_not_found");
    r = sl_is_member(c, ch);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "not_authorized");
    int64_t us;
    int given = sl_ts_arg(c, "thread_ts", &us);
    r = ch->properties ? chat_agent_channel_get(&c->tx, ch->id, a) : 0;
    if (r == 1 && given)
        return slack_fail(c, "thread_ts_not_allowed");
    if (r == 1 && (r = chat_is_agent(&c->tx, ch->id, sl_me(c)->user.id)) == 0)
        return slack_fail(c, "not_authorized");
    if (r)
        return r < 0 ? -1 : 0;
    a->channel = 0;
    r = given;
    if (!r)
        return slack_fail(c, "thread_ts_required");
    r = r < 0 ? 0 : chat_message_find(&c->tx, ch->id, us, m);
    if (r == 1 && m->thread && m->thread != m->id)
        r = chat_message_get(&c->tx, m->thread, m);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "thread_ts_required");
}

/* People can stop an app that is notified of it (docs.slack.dev, event agent_session_stopped). */
static int warn_of_stop(struct call *c, const char *status)
{
    if (strcmp(status, "processing") != 0)
        return 0;
    int r = sl_subscribed(&c->tx, sl_me(c)->app, "agent_session_stopped", false);
    if (r == 0)
        slack_warn(c, "missing_agent_session_stopped_event_subscription");
    return r < 0 ? -1 : 0;
}

static int session_status(struct call *c)
{
    const char *status = param_str(c, "status"), *title = param_str(c, "title");
    const char *starter = param_str(c, "initiator_user_id");
    const struct json *had;
    struct chat_channel ch;
    struct chat_message m;
    struct chat_agent_channel a;
    struct chat_user u;
    if (!sl_is_session_status(status))
        return slack_fail(c, "invalid_status");
    if (session_of(c, &ch, &m, &a) < 0)
        return -1;
    int r = starter && *starter ? sl_user_find(c, starter, &u) : 1;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "user_not_found");
    if (warn_of_stop(c, status) < 0)
        return -1;
    if (a.channel) {
        a.status = status;
        title = a.title;
        if (chat_agent_channel_save(&c->tx, &a) < 0)
            return -1;
    } else if (sl_session_had(c, &m, &had) < 0) {
        return -1;
    } else {
        const char *before = json_get_str(had, "title");
        title = title && *title ? title : before ? before : "";
        if (sl_extra_set(c, &m, "agent_session", sl_session_json(c, title, status)) < 0)
            return -1;
    }
    slack_open(c);
    json_str(c->out, "status", status);
    json_str(c->out, "agent_status", status);
    json_str(c->out, "title", title);
    slack_close(c);
    return 0;
}

static int answer_title(struct call *c, const char *title)
{
    slack_open(c);
    json_str(c->out, "title", title);
    slack_close(c);
    return 0;
}

static int session_rename(struct call *c)
{
    const char *title = param_str(c, "title");
    const struct json *had;
    struct chat_channel ch;
    struct chat_agent_channel a;
    struct chat_message m;
    if (session_of(c, &ch, &m, &a) < 0)
        return -1;
    if (ch.archived)
        return slack_fail(c, "is_archived");
    if (a.channel)
        return sl_retitle(c, &ch, &a, title) < 0 ? -1 : answer_title(c, title);
    if (sl_session_had(c, &m, &had) < 0)
        return -1;
    if (!had)
        return slack_fail(c, "session_not_found");
    if (!sl_works_in(&sl_me(c)->user, had))
        return slack_fail(c, "not_authorized");
    if (!*title || sl_characters(title) > 255)
        return slack_fail(c, "invalid_name");
    const char *status = json_get_str(had, "status");
    if (sl_extra_set(c, &m, "agent_session",
                     sl_session_json(c, title, status ? status : "active")) < 0)
        return -1;
    return answer_title(c, title);
}

/* ---- rows ---- */

static const struct param status_params[] = {
    SL_NEEDED("channel_id"),
    SL_NEEDED("thread_ts"),
    SL_NEEDED("status",
              .summary =
                  "Status that the assistant shows, as in is thinking...; empty takes it away"),
    SL_ARG("loading_messages", SL_ARRAY, .min = 1, .max = MAX_LOADING),
    SL_ARG("icon_emoji"),
    SL_ARG("icon_url"),
    SL_ARG("username")};
static const struct param title_params[] = {SL_NEEDED("channel_id"), SL_NEEDED("thread_ts"),
                                            SL_NEEDED("title", .summary = "Title of the thread")};
static const struct param prompts_params[] = {
    SL_NEEDED("channel_id"), SL_NEEDED("prompts", SL_ARRAY, .min = 1, .max = MAX_PROMPTS),
    SL_ARG("thread_ts"), SL_ARG("title", .summary = "Title of the thread")};
static const struct param session_status_params[] = {
    SL_NEEDED("channel_id"),
    SL_NEEDED("status", .summary = "State of the session: active, processing, suspended or closed"),
    SL_ARG("thread_ts"),
    SL_ARG("title", .summary = "Title of the thread"),
    SL_ARG("initiator_user_id"),
    SL_ARG("icon_emoji"),
    SL_ARG("icon_url"),
    SL_ARG("username")};
static const struct param rename_params[] = {SL_NEEDED("channel_id"),
                                             SL_NEEDED("title", .summary = "Title of the thread"),
                                             SL_ARG("thread_ts")};

static const struct route methods[] = {
    {SL_METHOD("agents.sessions.rename"), .token_kinds = TOKEN_BOT, .handler = session_rename,
     .risk = RISK_WRITE, .idempotent = true, .scopes = "chat:write", PARAMS(rename_params),
     .rate = SLACK_TIER_3, .summary = "Give an agent's session another title"},
    {SL_METHOD("agents.sessions.setStatus"), .token_kinds = TOKEN_BOT, .handler = session_status,
     .risk = RISK_WRITE, .idempotent = true, .scopes = "chat:write", PARAMS(session_status_params),
     .rate = SLACK_TIER_3, .summary = "What an agent does in a thread"},
    {SL_METHOD("assistant.threads.setStatus"), .token_kinds = TOKEN_BOT, .handler = set_status,
     .risk = RISK_WRITE, .idempotent = true, .scopes = "chat:write", PARAMS(status_params),
     .rate = SLACK_SPECIAL, .summary = "What an assistant does at the moment"},
    {SL_METHOD("assistant.threads.setSuggestedPrompts"), .token_kinds = TOKEN_BOT,
     .handler = set_prompts, .risk = RISK_WRITE, .idempotent = true, .scopes = "assistant:write",
     PARAMS(prompts_params), .rate = SLACK_TIER_4, .summary = "What an assistant may be asked"},
    {SL_METHOD("assistant.threads.setTitle"), .token_kinds = TOKEN_BOT, .handler = set_title,
     .risk = RISK_WRITE, .idempotent = true, .scopes = "assistant:write", PARAMS(title_params),
     .rate = SLACK_TIER_4, .summary = "The title of a thread with an assistant"},
};

const struct rows sl_assistant = ROWS(methods);
