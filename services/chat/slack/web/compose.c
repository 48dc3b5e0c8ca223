/* SPDX-License-Identifier: Apache-2.0 */
/* From arguments to a message. */
#include "services/chat/slack/web/compose.h"
#include "engine/base/codec.h"
#include "services/chat/slack/apps/entity.h"
#include "services/chat/slack/apps/parameters.h"

#define MAX_TEXT     40000
#define MAX_METADATA (16 * 1024)

/* An app whose messages are switched off does not write to people directly. */
static int check_tab(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    int r = me->is_bot && me->app ? sl_has_tab(c, me->app, false) : 1;
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "messages_tab_disabled");
}

int sl_check_posting(struct call *c, const struct chat_channel *ch, bool reply)
{
    bool admin = sl_me(c)->user.role <= CHAT_ADMIN;
    if (ch->kind == CHAT_DIRECT && check_tab(c) < 0)
        return -1;
    if (ch->general && !sl_may_post_general(c))
        return slack_fail(c, "restricted_action");
    if (!admin && strcmp(ch->posting, "read_only") == 0)
        return slack_fail(c, "restricted_action_read_only_channel");
    if (!admin && !reply && strcmp(ch->posting, "thread_only") == 0)
        return slack_fail(c, "restricted_action_thread_only_channel");
    if (reply && strcmp(ch->posting, "no_threads") == 0)
        return slack_fail(c, "restricted_action_non_threadable_channel");
    return 0;
}

/* Does the app write under another name, as its scope lets it? */
static bool is_renamed(struct call *c)
{
    static const char *const names[] = {"username", "icon_url", "icon_emoji"};
    bool renamed = false;
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        const char *text = param_str(c, names[i]);
        renamed |= text && *text;
    }
    return renamed && slack_has_scope(c, "chat:write.customize");
}

/* To somebody, in the channel with the caller; under another name it is the one with Slackbot. */
static int direct_target(struct call *c, bool renamed, const struct chat_user *u,
                         struct chat_channel *ret)
{
    struct chat_user slackbot;
    if (check_tab(c) < 0)
        return -1;
    if (!renamed || !sl_me(c)->is_bot || !is_renamed(c))
        return sl_direct_with(c, u, ret);
    int r = sl_user_find(c, SLACKBOT, &slackbot);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "channel_not_found");
    return sl_direct_of(&c->tx, u->workspace, slackbot.id, u->id, ret);
}

int sl_post_target(struct call *c, bool renamed, struct chat_channel *ret)
{
    const struct sl_caller *me = sl_me(c);
    const char *text = param_str(c, "channel");
    struct chat_user u;
    if (text && (*text == 'U' || *text == 'W')) {
        int r = sl_user_find(c, text, &u);
        if (r == 1)
            r = sl_sees(c, &u);
        if (r < 0)
            return -1;
        if (!r || u.deleted || !u.actor || (me->is_bot && u.bot && u.id != me->user.id))
            return slack_fail(c, "channel_not_found");
        return direct_target(c, renamed, &u, ret);
    }
    if (sl_channel_arg(c, "channel", true, ret) < 0)
        return -1;
    if (ret->archived)
        return slack_fail(c, "is_archived");
    int r = sl_is_member(c, ret);
    if (r < 0)
        return -1;
    if (!r && !(me->is_bot && ret->kind == CHAT_PUBLIC && slack_has_scope(c, "chat:write.public")))
        return slack_fail(c, "not_in_channel");
    const char *thread = param_str(c, "thread_ts");
    return sl_check_posting(c, ret, thread && *thread);
}

int sl_thread_arg(struct call *c, const struct chat_channel *ch, struct chat_message *ret)
{
    int64_t us;
    int r = sl_ts_arg(c, "thread_ts", &us);
    ret->id = 0;
    if (r == 0)
        return 0;
    r = r < 0 ? 0 : chat_message_find(&c->tx, ch->id, us, ret);
    if (r == 1 && ret->thread && ret->thread != ret->id)
        r = chat_message_get(&c->tx, ret->thread, ret);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "thread_not_found");
    if (ret->flags & CHAT_SYSTEM)
        return slack_fail(c, "cannot_reply_to_message");
    if (ret->flags & CHAT_LOCKED)
        return slack_fail(c, "restricted_action_thread_locked");
    return 0;
}

int sl_message_arg(struct call *c, const struct chat_channel *ch, const char *name,
                   const char *error, struct chat_message *ret)
{
    int64_t us;
    int r = sl_ts_arg(c, name, &us) == 1 ? chat_message_find(&c->tx, ch->id, us, ret) : 0;
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, error);
}

/* ---- texts ---- */

int sl_metadata_arg(struct call *c, const char **ret)
{
    const struct json *v;
    int r = slack_value(c, "metadata", &v);
    *ret = NULL;
    if (r <= 0)
        return r;
    if (!v->n)
        return 1; /* takes away what there is */
    const struct json *payload = json_get(v, "event_payload"), *entities = json_get(v, "entities");
    bool none = entities && entities->type == JSON_ARRAY && !entities->n;
    bool event = json_get(v, "event_type") || payload || !entities;
    if (event && (!json_get_str(v, "event_type") || !payload || payload->type != JSON_OBJECT))
        return slack_fail(c, "invalid_metadata_schema");
    if (none && !event)
        return 1;
    if (!sl_me(c)->app)
        return slack_fail(c, "metadata_must_be_sent_from_app");
    if (entities && !none && sl_entities_are_faulty(c, entities)) {
        slack_warn(c, "invalid_metadata_format"); /* the message is posted without it */
        return 0;
    }
    r = event ? sl_event_fits(c, json_get_str(v, "event_type"), payload) : 1;
    if (r <= 0) {
        if (r == 0)
            slack_warn(c, "invalid_metadata_schema"); /* as above */
        return r;
    }
    *ret = json_to_text(c->tx.arena, v);
    return strlen(*ret) > MAX_METADATA ? slack_fail(c, "metadata_too_large") : 1;
}

int sl_sender_arg(struct call *c, struct chat_message *m)
{
    const char *name = param_str(c, "username"), *url = param_str(c, "icon_url");
    const char *emoji = param_str(c, "icon_emoji");
    struct buf b;
    struct json_writer w;
    bool named = name && *name, drawn = (url && *url) || (emoji && *emoji);
    if (!named && !drawn)
        return 0;
    if (!slack_has_scope(c, "chat:write.customize"))
        return slack_missing_scope(c, "chat:write.customize");
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "username", named ? name : sl_me(c)->user.real_name);
    if (drawn) {
        json_obj(&w, "icons");
        if (emoji && *emoji)
            json_str(&w, "emoji", emoji);
        else
            json_str(&w, "image_48", url);
        json_end(&w);
    }
    json_end(&w);
    m->extra = buf_keep(&b, c->tx.arena);
    m->subtype = "bot_message";
    return 0;
}

int sl_compose(struct call *c, struct chat_message *m, size_t max)
{
    const char *text = param_str(c, "text"), *markdown = param_str(c, "markdown_text");
    int with_blocks = sl_blocks_arg(c, &m->blocks);
    if (with_blocks < 0 || sl_attachments_arg(c, &m->attachments) < 0 ||
        sl_metadata_arg(c, &m->metadata) < 0 || sl_sender_arg(c, m) < 0)
        return -1;
    if (markdown && *markdown) {
        if ((text && *text) || with_blocks)
            return slack_fail(c, "markdown_text_conflict");
        if (sl_characters(markdown) > SL_MARKDOWN)
            return slack_fail(c, "msg_too_long");
        text = sl_markdown(c, markdown);
    }
    if (!text)
        text = "";
    if (sl_is_blank(text) && !m->blocks && !m->attachments)
        return slack_fail(c, "no_text");
    if (sl_characters(text) > MAX_TEXT || (max && sl_characters(text) > max)) {
        if (max)
            return slack_fail(c, "msg_too_long");
        text = sl_text_cut(c, text);
        slack_warn_with(c, "message_truncated",
                        "Your message was truncated but still posted. The `text` field accepts up "
                        "to 40,000 characters.");
    }
    m->text = m->blocks && !*text ? sl_blocks_text(c, m->blocks) : sl_text_given(c, text);
    if (!m->text)
        return -1;
    if (sl_is_unmarked(c))
        m->flags |= CHAT_PLAIN;
    if (!m->blocks && *m->text) {
        m->flags |= CHAT_MADE_BLOCKS;
        m->blocks = sl_text_blocks(c, m->text, m->flags);
        if (!m->blocks)
            return -1;
    }
    return 0;
}

int sl_answer_posted(struct call *c, const struct chat_channel *ch, const struct chat_message *m,
                     bool with_message)
{
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, m->ts_us);
    slack_open(c);
    json_str(c->out, "channel", ch->key);
    json_str(c->out, "ts", ts);
    if (with_message && sl_write_message(c, "message", m, SL_POSTED | SL_METADATA) < 0)
        return -1;
    slack_close(c);
    return 0;
}
