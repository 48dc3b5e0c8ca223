/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that are posted later, by the world's clock. */
#include "engine/text/civil.h"
#include "services/chat/slack/store.h"

int chat_schedule(struct tx *tx, struct chat_scheduled *s)
{
    if (!s->key && !(s->key = chat_key(tx, 'Q')))
        return -1;
    if (!s->created_s)
        s->created_s = tx->now_us / US_PER_SECOND;
    return stored_new(tx, &slack_scheduled_stored, s) < 0
               ? -1
               : due_add(tx, s->at_s * US_PER_SECOND, SLACK_CORE, SL_SCHEDULED, s->id);
}

int chat_scheduled_find(struct tx *tx, const char *key, struct chat_scheduled *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key");
    struct stored *t = &slack_scheduled_stored;
    return stored_only(tx, t, STORED_QUERY(tx, t, &q, key), ret);
}

int chat_scheduled_next(struct tx *tx, int64_t user, int64_t channel, int64_t after_s,
                        int64_t after, struct chat_scheduled *ret)
{
    static struct sql_text q =
        SQL_TEXT("where user = :user and (:channel = 0 or "
                 "channel = :channel) and (at_s, id) > (:after_s, :after) order by at_s, id "
                 "limit 1");
    struct stored *t = &slack_scheduled_stored;
    return stored_only(tx, t, STORED_QUERY(tx, t, &q, user, channel, after_s, after), ret);
}

int chat_scheduled_count(struct tx *tx, int64_t channel, int64_t from_s, int64_t to_s, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select count(*) from slack_scheduled where "
                                        "channel = :channel and at_s between :from and :to");
    return TX_INT(tx, &q, ret, channel, from_s, to_s) < 0 ? -1 : 0;
}

static int forget(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from slack_scheduled where id = :id");
    return TX_RUN(tx, &q, id);
}

int chat_scheduled_delete(struct tx *tx, const struct chat_scheduled *s)
{
    return due_cancel(tx, SLACK_CORE, SL_SCHEDULED, s->id) < 0 ? -1 : forget(tx, s->id);
}

static const char *text_of_member(struct tx *tx, const struct json *v, const char *member)
{
    const struct json *value = json_get(v, member);
    return value && value->type != JSON_NULL ? json_to_text(tx->arena, value) : NULL;
}

/* May its author post it now? Bots write in public channels that they are not in. 1, 0, -1. */
static int can_post(struct tx *tx, const struct chat_scheduled *s, const struct chat_channel *ch)
{
    struct chat_member in;
    struct chat_user u;
    int r = chat_user_get(tx, s->user, &u);
    if (r != 1 || u.deleted || ch->archived)
        return r < 0 ? -1 : 0;
    return u.bot && ch->kind == CHAT_PUBLIC ? 1 : chat_member_of(tx, ch->id, u.id, &in);
}

/* What its author can't post any more is dropped, and an answer to what is gone. */
int chat_scheduled_post(struct tx *tx, int64_t id)
{
    struct chat_scheduled s;
    struct chat_channel ch;
    struct chat_message root;
    const struct json *v;
    int64_t thread_us = 0;
    int r = stored_get(tx, &slack_scheduled_stored, id, &s);
    if (r == 1)
        r = forget(tx, id) < 0 ? -1 : chat_channel_get(tx, s.channel, &ch);
    if (r == 1)
        r = can_post(tx, &s, &ch);
    if (r != 1)
        return r;
    if (json_parse(tx->arena, s.message, strlen(s.message), NULL, &v, tx->err) < 0)
        return -1;
    struct chat_message m = {.user = s.user,
                             .app = s.app,
                             .text = json_get_str(v, "text"),
                             .subtype = json_get_str(v, "subtype"),
                             .blocks = text_of_member(tx, v, "blocks"),
                             .attachments = text_of_member(tx, v, "attachments"),
                             .metadata = text_of_member(tx, v, "metadata"),
                             .extra = text_of_member(tx, v, "extra")};
    json_i64(json_get(v, "flags"), &m.flags);
    json_i64(json_get(v, "thread"), &thread_us);
    if (thread_us && (r = chat_message_find(tx, ch.id, thread_us, &root)) == 1)
        m.thread = root.id;
    if (!m.text)
        m.text = "";
    return r == 1 ? chat_post(tx, &ch, &m) : r;
}
