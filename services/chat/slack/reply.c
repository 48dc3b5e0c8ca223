/* SPDX-License-Identifier: Apache-2.0 */
/* What an app says to what somebody did: a message, or what becomes of the one that was acted on;
 * and the addresses at which it may say so later. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/slack/acts/act.h"
#include "services/chat/slack/web/compose.h"

static const struct param reply_params[] = {
    SL_ARG("text"),
    SL_BLOCKS_ARG,
    SL_ATTACHMENTS_ARG,
    SL_METADATA_ARG,
    SL_ARG("mrkdwn", SL_FLAG_ON),
    SL_ARG("parse", SL_WORDS("none", "full")),
    SL_ARG("link_names", SL_FLAG),
    SL_ARG("thread_ts"),
};

/* The members of the reply become arguments, as those of a posting method. */
static void take_reply(struct call *c, const struct json *reply)
{
    (void)slack_take_members(c, reply, reply_params,
                             SOSIA_LEN(reply_params)); /* none is required */
}

static bool says(const struct json *reply, const char *member, bool otherwise)
{
    const struct json *v = json_get(reply, member);
    if (v && v->type == JSON_STRING)
        return strcmp(v->str, "true") == 0;
    return v && v->type == JSON_BOOL ? v->truth : otherwise;
}

static const char *shown_content(struct call *c, const struct chat_message *m)
{
    struct sl_draft d;
    sl_draft_begin(&d, c);
    json_obj(&d.w, NULL);
    json_str(&d.w, "text", m->text);
    if (m->blocks)
        json_raw(&d.w, "blocks", m->blocks, strlen(m->blocks));
    if (m->attachments)
        json_raw(&d.w, "attachments", m->attachments, strlen(m->attachments));
    json_end(&d.w);
    return sl_draft_end(&d);
}

static int write_shown(struct call *c, const struct chat_channel *ch,
                       const struct chat_ephemeral *e)
{
    json_obj(c->out, "ephemeral");
    int rc = sl_write_ephemeral(c, ch, e);
    json_end(c->out);
    return rc;
}

static int replace_message(struct call *c, struct chat_message *m, const struct chat_message *with)
{
    struct chat_message before = *m;
    m->text = with->text;
    m->blocks = with->blocks;
    m->attachments = with->attachments;
    m->flags = (m->flags & ~(int64_t)CHAT_MADE_BLOCKS) | with->flags;
    m->edited_us = c->tx.now_us / US_PER_SECOND * US_PER_SECOND;
    m->editor = sl_me(c)->user.id;
    return chat_message_save(&c->tx, m, &before) < 0 ? -1 : sl_write_message(c, "message", m, 0);
}

/* What was acted on, if it is there yet: 1 one of the two, 0, -1. */
static int original_of(struct call *c, const struct chat_answer *a, struct chat_message *m,
                       struct chat_ephemeral *e)
{
    int r = a->message_us ? chat_message_find(&c->tx, a->channel, a->message_us, m) : 0;
    if (r == 1 && m->flags & CHAT_TOMBSTONE)
        r = 0;
    if (r != 1)
        m->id = 0;
    if (!r && a->ephemeral_us)
        r = chat_ephemeral_find(&c->tx, a->channel, a->user, a->ephemeral_us, e);
    if (r != 1)
        e->id = 0;
    return r;
}

static int delete_original(struct call *c, struct chat_channel *ch, struct chat_message *m,
                           const struct chat_ephemeral *e)
{
    bool tombstone;
    if (m->id)
        return chat_message_delete(&c->tx, ch, m, &tombstone);
    return e->id ? chat_ephemeral_delete(&c->tx, e->id) : 0;
}

static int say_reply(struct call *c, const struct chat_answer *a, struct chat_channel *ch,
                     const struct json *reply, struct chat_message *m)
{
    const char *type = json_get_str(reply, "response_type");
    struct chat_message root = {0};
    struct chat_ephemeral e;
    int64_t us, thread_us = a->thread_us;
    if (sl_thread_arg(c, ch, &root) < 0)
        return -1;
    if (root.id)
        thread_us = root.ts_us;
    if (type && strcmp(type, "in_channel") == 0) {
        if (ch->archived)
            return slack_fail(c, "is_archived");
        m->subtype = "bot_message";
        m->thread = root.id;
        return chat_post(&c->tx, ch, m) < 0 ? -1 : sl_write_message(c, "message", m, 0);
    }
    if (sl_show(&c->tx, ch, a->user, m, thread_us, &us) < 0)
        return -1;
    int r = chat_ephemeral_find(&c->tx, ch->id, a->user, us, &e);
    return r == 1 ? write_shown(c, ch, &e) : -1;
}

int sl_reply(struct call *c, const struct chat_answer *a, const struct json *reply, bool at_once)
{
    struct chat_channel ch;
    struct chat_message original, m = {.user = sl_me(c)->user.id, .app = sl_me(c)->app};
    struct chat_ephemeral only;
    if (chat_channel_get(&c->tx, a->channel, &ch) != 1)
        return -1;
    int r = original_of(c, a, &original, &only);
    if (r < 0)
        return -1;
    if (says(reply, "delete_original", false))
        return delete_original(c, &ch, &original, &only);
    take_reply(c, reply);
    if (sl_compose(c, &m, 0) < 0)
        return -1;
    /* At once, the buttons of attachments are answered with what replaces their message. */
    bool otherwise = at_once && !json_get(reply, "response_type");
    if (!r || !says(reply, "replace_original", otherwise))
        return say_reply(c, a, &ch, reply, &m);
    if (original.id)
        return replace_message(c, &original, &m);
    if (!(only.message = shown_content(c, &m)) || chat_ephemeral_save(&c->tx, &only) < 0)
        return -1;
    return write_shown(c, &ch, &only);
}
