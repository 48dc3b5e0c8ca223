/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of agents in threads: what the first message of one says of its title, its status and
 * the bots at work. */
#include "engine/text/civil.h"
#include "services/chat/slack/agents/agents.h"

#define WORK_US (120 * US_PER_SECOND) /* a status is shown no longer */

int sl_extra_set(struct call *c, struct chat_message *m, const char *member, const char *json)
{
    const struct json *had = NULL;
    struct chat_message before = *m;
    struct json_writer w;
    struct buf b;
    if (m->extra && json_parse(c->tx.arena, m->extra, strlen(m->extra), NULL, &had, c->tx.err) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; had && i < had->n; i++)
        if (strcmp(had->members[i].key, member) != 0)
            json_value(&w, had->members[i].key, &had->members[i].value);
    json_raw(&w, member, json, strlen(json));
    json_end(&w);
    m->extra = buf_keep(&b, c->tx.arena);
    return chat_message_save(&c->tx, m, &before);
}

int sl_session_had(struct call *c, const struct chat_message *m, const struct json **ret)
{
    const struct json *v;
    *ret = NULL;
    if (!m->extra)
        return 0;
    if (json_parse(c->tx.arena, m->extra, strlen(m->extra), NULL, &v, c->tx.err) < 0)
        return -1;
    *ret = json_get(v, "agent_session");
    return 0;
}

const char *sl_session_json(struct call *c, const char *title, const char *status)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "title", title);
    json_str(&w, "status", status);
    json_arr(&w, "agent_bot_user_ids");
    json_str(&w, NULL, sl_me(c)->user.key);
    json_end(&w);
    if (strcmp(status, "processing") == 0)
        json_int(&w, "date_status_processing_expire", (c->tx.now_us + WORK_US) / US_PER_SECOND);
    json_end(&w);
    return buf_keep(&b, c->tx.arena);
}

bool sl_is_session_status(const char *status)
{
    static const char *const known[] = {"active", "processing", "suspended", "closed"};
    for (size_t i = 0; i < SOSIA_LEN(known); i++)
        if (strcmp(status, known[i]) == 0)
            return true;
    return false;
}

bool sl_works_in(const struct chat_user *bot, const struct json *session)
{
    const struct json *bots = json_get(session, "agent_bot_user_ids");
    for (uint32_t i = 0; bots && bots->type == JSON_ARRAY && i < bots->n; i++)
        if (bots->items[i].type == JSON_STRING && strcmp(bots->items[i].str, bot->key) == 0)
            return true;
    return false;
}

int sl_session_go_on(struct call *c, const struct chat_channel *ch, int64_t thread)
{
    const char *given = param_str(c, "session_status"), *title;
    const char *status = given && *given ? given : "active";
    const struct json *had;
    struct chat_agent_channel a;
    struct chat_message m;
    if (!sl_is_session_status(status))
        return slack_fail(c, "invalid_arguments");
    int r = ch->properties ? chat_agent_channel_get(&c->tx, ch->id, &a) : 0;
    if (r == 1 && (r = chat_is_agent(&c->tx, ch->id, sl_me(c)->user.id)) == 1) {
        a.status = status;
        return chat_agent_channel_save(&c->tx, &a);
    }
    if (r < 0 || !thread || (r = chat_message_get(&c->tx, thread, &m)) != 1)
        return r < 0 ? -1 : 0;
    if (sl_session_had(c, &m, &had) < 0)
        return -1;
    if (!had || !sl_works_in(&sl_me(c)->user, had))
        return 0;
    title = json_get_str(had, "title");
    return sl_extra_set(c, &m, "agent_session", sl_session_json(c, title ? title : "", status));
}

int sl_session_works(struct call *c, const struct chat_channel *ch, int64_t thread,
                     const struct chat_user *bot)
{
    const struct json *had;
    struct chat_agent_channel a;
    struct chat_message m;
    int r = ch->properties ? chat_agent_channel_get(&c->tx, ch->id, &a) : 0;
    if (r == 1 && (r = chat_is_agent(&c->tx, ch->id, bot->id)) == 1)
        return strcmp(a.status, "processing") == 0;
    if (r < 0 || !thread || (r = chat_message_get(&c->tx, thread, &m)) != 1)
        return r < 0 ? -1 : 0;
    if (sl_session_had(c, &m, &had) < 0)
        return -1;
    const char *status = json_get_str(had, "status");
    return status && strcmp(status, "processing") == 0 && sl_works_in(bot, had);
}

/* The same with another title, in the arena. */
static const char *retitled(struct call *c, const struct json *session, const char *title)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "title", title);
    for (uint32_t i = 0; i < session->n; i++)
        if (strcmp(session->members[i].key, "title") != 0)
            json_value(&w, session->members[i].key, &session->members[i].value);
    json_end(&w);
    return buf_keep(&b, c->tx.arena);
}

int sl_session_retitle(struct call *c, struct chat_message *root, const char *title,
                       const char **ret_before, const char **ret_bot)
{
    const struct json *had;
    if (sl_session_had(c, root, &had) < 0)
        return -1;
    if (!had || had->type != JSON_OBJECT)
        return slack_fail(c, "session_not_found");
    if (!*title || sl_characters(title) > 255)
        return slack_fail(c, "invalid_name");
    const struct json *bots = json_get(had, "agent_bot_user_ids");
    const char *before = json_get_str(had, "title");
    *ret_before = before && *before ? before : NULL;
    *ret_bot = bots && bots->type == JSON_ARRAY && bots->n && bots->items[0].type == JSON_STRING
                   ? bots->items[0].str
                   : "";
    return sl_extra_set(c, root, "agent_session", retitled(c, had, title));
}
