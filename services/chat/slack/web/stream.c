/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that grow while they are shown: begun, added to, ended. */
#include "engine/text/civil.h"
#include "services/chat/slack/agents/agents.h"
#include "services/chat/slack/web/chunks.h"

#define CORE    "chat.slack"
#define LIFE_US (INT64_C(305) * US_PER_SECOND) /* however much is added: clients measured 306 s */

static const char *const modes[] = {"timeline", "plan", "dense", NULL};

/* How tasks are shown. */
static int display_arg(struct call *c, const char **ret)
{
    int mode = 0;
    if (slack_word(c, "task_display_mode", &mode) < 0)
        return -1;
    *ret = modes[mode];
    return 0;
}

static int chat_start_stream(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *user = param_str(c, "recipient_user_id"), *team = param_str(c, "recipient_team_id");
    struct sl_stream s;
    struct chat_channel ch;
    struct chat_user to;
    struct chat_message root, m = {.user = me->user.id, .app = me->app, .text = ""};
    if (sl_post_target(c, false, &ch) < 0 || sl_thread_arg(c, &ch, &root) < 0 ||
        sl_stream_read(c, &m, &s) < 0 || display_arg(c, &s.display) < 0 ||
        sl_stream_add(c, &s) < 0 || sl_sender_arg(c, &m) < 0)
        return -1;
    if (ch.kind < CHAT_DIRECT && (!user || !*user))
        return slack_fail(c, "missing_recipient_user_id");
    if (ch.kind < CHAT_DIRECT && (!team || !*team))
        return slack_fail(c, "missing_recipient_team_id");
    if (user && *user) {
        int r = sl_user_find(c, user, &to);
        if (r != 1)
            return r < 0 ? -1 : slack_fail(c, "user_not_found");
    }
    if (team && *team && strcmp(team, me->workspace.key) != 0)
        return slack_fail(c, "team_not_found");
    m.thread = root.id;
    if (sl_stream_put(c, &s, &m, false) < 0 || chat_post(&c->tx, &ch, &m) < 0 ||
        due_add(&c->tx, c->tx.now_us + LIFE_US, CORE, SL_STREAM_DUE, m.id) < 0)
        return -1;
    return sl_answer_posted(c, &ch, &m, false);
}

/* Somebody may have stopped it: then its app adds no more, but has to end it (docs.slack.dev, event
 * agent_session_stopped). */
static int check_growing(struct call *c, const struct chat_message *m, bool ends)
{
    struct sl_stream s;
    if (m->flags & CHAT_STREAMING)
        return 0;
    if (sl_stream_read(c, m, &s) < 0)
        return -1;
    if (!s.stopped)
        return slack_fail(c, "message_not_in_streaming_state");
    return ends ? 0 : slack_fail(c, "stopped_by_user");
}

/* The caller's own message that is streamed to. */
static int streaming(struct call *c, bool ends, struct chat_channel *ch, struct chat_message *m)
{
    struct chat_message root;
    if (sl_channel_arg(c, "channel", false, ch) < 0 ||
        sl_message_arg(c, ch, "ts", "message_not_found", m) < 0)
        return -1;
    if (m->user != sl_me(c)->user.id)
        return slack_fail(c, "message_not_owned_by_app");
    if (ch->archived)
        return slack_fail(c, "is_archived");
    int r = sl_is_member(c, ch);
    if (r < 0)
        return -1;
    if (!r && !(ch->kind == CHAT_PUBLIC && slack_has_scope(c, "chat:write.public")))
        return slack_fail(c, "not_in_channel");
    if (check_growing(c, m, ends) < 0)
        return -1;
    bool reply = m->thread && m->thread != m->id;
    if ((r = reply ? chat_message_get(&c->tx, m->thread, &root) : 0) < 0)
        return -1;
    if (r && root.flags & CHAT_LOCKED)
        return slack_fail(c, "restricted_action_thread_locked");
    return sl_check_posting(c, ch, reply);
}

static int chat_append_stream(struct call *c)
{
    struct chat_channel ch;
    struct chat_message m, before;
    struct sl_stream s;
    if (streaming(c, false, &ch, &m) < 0 || sl_stream_read(c, &m, &s) < 0)
        return -1;
    before = m;
    int r = sl_stream_add(c, &s);
    if (r <= 0)
        return r < 0 ? -1 : slack_fail(c, "no_text");
    if (sl_stream_put(c, &s, &m, false) < 0 || chat_message_save(&c->tx, &m, &before) < 0)
        return -1;
    return sl_answer_posted(c, &ch, &m, false);
}

/* Too many blocks, with those that the message has, have a code of their own here. */
static int check_number(struct call *c, const struct chat_message *m)
{
    const struct json *blocks = slack_given(c, "blocks"), *had = NULL;
    if (m->blocks &&
        json_parse(c->tx.arena, m->blocks, strlen(m->blocks), NULL, &had, c->tx.err) < 0)
        return -1;
    bool many = blocks && blocks->n + (had ? had->n : 0) > SL_MESSAGE_BLOCKS;
    return many ? slack_fail(c, "msg_blocks_too_many") : 0;
}

/* Blocks come behind what was streamed. */
static int chat_stop_stream(struct call *c)
{
    struct chat_channel ch;
    struct chat_message m, before;
    const char *blocks, *metadata;
    struct sl_stream s;
    int with_metadata;
    if (streaming(c, true, &ch, &m) < 0 || sl_stream_read(c, &m, &s) < 0)
        return -1;
    before = m;
    bool stopped = !(m.flags & CHAT_STREAMING);
    s.stopped = false;
    if (sl_stream_add(c, &s) < 0 ||
        (stopped ? sl_stream_drop(c, &m) : sl_stream_put(c, &s, &m, true)) < 0 ||
        check_number(c, &m) < 0 || sl_blocks_arg(c, &blocks) < 0 ||
        (with_metadata = sl_metadata_arg(c, &metadata)) < 0)
        return -1;
    if (blocks && m.blocks)
        m.blocks =
            arena_printf(c->tx.arena, "%.*s,%s", (int)strlen(m.blocks) - 1, m.blocks, blocks + 1);
    else if (blocks)
        m.blocks = blocks;
    if (blocks)
        m.flags &= ~(int64_t)CHAT_MADE_BLOCKS;
    if (with_metadata)
        m.metadata = metadata;
    if (blocks && !*m.text && !(m.text = sl_blocks_text(c, m.blocks)))
        return -1;
    if (!*m.text && !m.blocks)
        return slack_fail(c, "no_text");
    if (due_cancel(&c->tx, CORE, SL_STREAM_DUE, m.id) < 0 ||
        chat_message_save(&c->tx, &m, &before) < 0 || sl_session_go_on(c, &ch, m.thread) < 0)
        return -1;
    return sl_answer_posted(c, &ch, &m, true);
}

static const struct param start_params[] = {SL_NEEDED("channel"),
                                            SL_ARG("thread_ts"),
                                            SL_ARG("markdown_text"),
                                            SL_ARG("chunks", SL_ARRAY, .fault = "invalid_chunks"),
                                            SL_ARG("recipient_user_id"),
                                            SL_ARG("recipient_team_id"),
                                            SL_ARG("task_display_mode", .type = PARAM_ENUM,
                                                   .values = modes, .def = "timeline",
                                                   .fault = "invalid_arguments"),
                                            SL_ARG("icon_emoji"),
                                            SL_ARG("icon_url"),
                                            SL_ARG("username")};
static const struct param append_params[] = {SL_NEEDED("channel"), SL_NEEDED("ts"),
                                             SL_ARG("markdown_text"),
                                             SL_ARG("chunks", SL_ARRAY, .fault = "invalid_chunks")};
static const struct param stop_params[] = {
    SL_NEEDED("channel"),    SL_NEEDED("ts"),
    SL_ARG("markdown_text"), SL_ARG("chunks", SL_ARRAY, .fault = "invalid_chunks"),
    SL_BLOCKS_ARG,           SL_METADATA_ARG,
    SL_ARG("session_status")};

static const struct route methods[] = {
    {SL_METHOD("chat.startStream"), .token_kinds = TOKEN_BOT, .handler = chat_start_stream,
     .risk = RISK_EXTERNAL, .scopes = "chat:write", PARAMS(start_params), .rate = SLACK_TIER_2,
     .summary = "Begin a message that grows"},
    {SL_METHOD("chat.appendStream"), .token_kinds = TOKEN_BOT, .handler = chat_append_stream,
     .risk = RISK_EXTERNAL, .scopes = "chat:write", PARAMS(append_params), .rate = SLACK_TIER_4,
     .summary = "Add to it"},
    {SL_METHOD("chat.stopStream"), .token_kinds = TOKEN_BOT, .handler = chat_stop_stream,
     .risk = RISK_EXTERNAL, .scopes = "chat:write", PARAMS(stop_params), .rate = SLACK_TIER_2,
     .summary = "End it"},
};

const struct rows sl_stream = ROWS(methods);
