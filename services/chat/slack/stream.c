/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that grow while they are shown: begun, added to, ended. */
#include "services/chat/slack/compose.h"

#define MAX_MARKDOWN 12000

/* The text that markdown_text and the chunks bring. */
static int stream_text(struct call *c, const char **ret)
{
    const char *text = param_str(c, "markdown_text");
    const struct json *chunks;
    struct buf b;
    int r = slack_json_arg(c, "chunks", &chunks);
    if (r < 0 || (r && chunks->type != JSON_ARRAY))
        return slack_fail(c, "invalid_chunks");
    buf_init(&b, 4 << 20);
    buf_puts(&b, text ? text : "");
    for (uint32_t i = 0; r && i < chunks->n; i++) {
        const char *type = json_get_str(&chunks->items[i], "type");
        const char *more = json_get_str(&chunks->items[i], "text");
        if (!type || (strcmp(type, "markdown_text") == 0 && !more)) {
            buf_done(&b);
            return slack_fail(c, "invalid_chunks");
        }
        if (strcmp(type, "markdown_text") == 0)
            buf_puts(&b, more);
    }
    *ret = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    bool failed = buf_failed(&b);
    buf_done(&b);
    if (failed)
        return sosia_fail_memory(c->tx.err);
    return sl_characters(*ret) > MAX_MARKDOWN ? slack_fail(c, "msg_too_long") : 0;
}

static int set_text(struct call *c, struct chat_message *m, const char *text)
{
    m->text = text;
    m->blocks = *text ? sl_text_blocks(c, text) : NULL;
    m->flags |= CHAT_MADE_BLOCKS;
    return *text && !m->blocks ? -1 : 0;
}

static int chat_start_stream(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *user = param_str(c, "recipient_user_id"), *team = param_str(c, "recipient_team_id");
    const char *text;
    struct chat_channel ch;
    struct chat_user to;
    struct chat_message root, m = {.user = me->user.id, .app = me->app, .flags = CHAT_STREAMING};
    if (sl_post_target(c, &ch) < 0 || sl_thread_arg(c, &ch, &root) < 0 || stream_text(c, &text) < 0)
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
    if (set_text(c, &m, sl_text_stored(c, sl_markdown(c, text), true)) < 0 ||
        chat_post(&c->tx, &ch, &m) < 0)
        return -1;
    return sl_answer_posted(c, &ch, &m, false);
}

/* The caller's own message that is streamed to. */
static int streaming(struct call *c, struct chat_channel *ch, struct chat_message *m)
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
    if (!(m->flags & CHAT_STREAMING))
        return slack_fail(c, "message_not_in_streaming_state");
    bool reply = m->thread && m->thread != m->id;
    if ((r = reply ? chat_message_get(&c->tx, m->thread, &root) : 0) < 0)
        return -1;
    if (r && root.flags & CHAT_LOCKED)
        return slack_fail(c, "restricted_action_thread_locked");
    return sl_check_posting(c, ch, reply);
}

static int append(struct call *c, struct chat_message *m)
{
    const char *text;
    if (stream_text(c, &text) < 0)
        return -1;
    const char *more = sl_text_stored(c, sl_markdown(c, text), true);
    return set_text(c, m, arena_printf(c->tx.arena, "%s%s", m->text, more));
}

static int chat_append_stream(struct call *c)
{
    struct chat_channel ch;
    struct chat_message m, before;
    if (streaming(c, &ch, &m) < 0)
        return -1;
    before = m;
    const char *text = param_str(c, "markdown_text");
    if (!(text && *text) && !param_given(c, "chunks"))
        return slack_fail(c, "no_text");
    if (append(c, &m) < 0 || chat_message_save(&c->tx, &m, &before) < 0)
        return -1;
    return sl_answer_posted(c, &ch, &m, false);
}

/* Too many blocks have a code of their own here. */
static int check_number(struct call *c)
{
    const struct json *blocks;
    bool many = slack_json_arg(c, "blocks", &blocks) == 1 && blocks->type == JSON_ARRAY &&
                blocks->n > SL_MESSAGE_BLOCKS;
    return many ? slack_fail(c, "msg_blocks_too_many") : 0;
}

/* Blocks stand behind what was streamed. */
static int chat_stop_stream(struct call *c)
{
    struct chat_channel ch;
    struct chat_message m, before;
    const char *blocks, *metadata;
    int r, with_metadata;
    if (streaming(c, &ch, &m) < 0)
        return -1;
    before = m;
    if (append(c, &m) < 0 || check_number(c) < 0 || (r = sl_blocks_arg(c, &blocks)) < 0 ||
        (with_metadata = sl_metadata_arg(c, &metadata)) < 0)
        return -1;
    if (blocks && m.blocks)
        m.blocks =
            arena_printf(c->tx.arena, "%.*s,%s", (int)strlen(m.blocks) - 1, m.blocks, blocks + 1);
    else if (blocks)
        m.blocks = blocks;
    if (with_metadata)
        m.metadata = metadata;
    m.flags &= ~(int64_t)CHAT_STREAMING;
    if (!*m.text && !m.blocks)
        return slack_fail(c, "no_text");
    if (chat_message_save(&c->tx, &m, &before) < 0)
        return -1;
    return sl_answer_posted(c, &ch, &m, true);
}

static const struct param start_params[] = {
    SL_NEEDED("channel"),        SL_ARG("thread_ts"),
    SL_ARG("markdown_text"),     SL_ARG("chunks"),
    SL_ARG("recipient_user_id"), SL_ARG("recipient_team_id"),
    SL_ARG("task_display_mode"), SL_ARG("icon_emoji"),
    SL_ARG("icon_url"),          SL_ARG("username")};
static const struct param append_params[] = {SL_NEEDED("channel"), SL_NEEDED("ts"),
                                             SL_ARG("markdown_text"), SL_ARG("chunks")};
static const struct param stop_params[] = {
    SL_NEEDED("channel"), SL_NEEDED("ts"),    SL_ARG("markdown_text"), SL_ARG("chunks"),
    SL_ARG("blocks"),     SL_ARG("metadata"), SL_ARG("session_status")};

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
