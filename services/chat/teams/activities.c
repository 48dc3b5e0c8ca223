/* SPDX-License-Identifier: Apache-2.0 */
/* sendActivityNotification: of somebody, a chat, a team. */
#include "services/chat/teams/activity.h"
#include "services/chat/teams/rows.h"
#include <strings.h>

enum { MAX_PREVIEW = 150, MAX_RECIPIENTS = 10000 };

struct notice {
    struct teams_at at;
    struct teams_activity a;
    int64_t n;
    int rc;
};

static int notify_one(struct notice *k, int64_t user)
{
    if (user == k->at.me.id || k->n >= MAX_RECIPIENTS)
        return 0;
    k->n++;
    k->a.user = user;
    k->a.key = NULL;
    return teams_activity_add(&k->at.c->tx, &k->a);
}

static int notify_member(void *arg, const struct chat_team_member *m)
{
    struct notice *k = arg;
    k->rc = notify_one(k, m->user);
    return k->rc < 0;
}

/* All of the chat. */
static int notify_chat(struct notice *k)
{
    int64_t *users;
    size_t n;
    if (chat_members(&k->at.c->tx, k->at.channel.id, NULL, -1, &users, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (notify_one(k, users[i]) < 0)
            return -1;
    return 0;
}

static bool is_of_type(const struct json *v, const char *name)
{
    const char *type = json_get_str(v, "@odata.type"), *dot = type ? strrchr(type, '.') : NULL;
    return dot && strcmp(dot + 1, name) == 0;
}

/* A person of the place that the path names. */
static int notify_named(struct notice *k, const char *id)
{
    struct call *c = k->at.c;
    struct chat_team_member in_team;
    struct chat_member in_chat;
    struct ms_user user;
    struct chat_user u;
    int r = id ? teams_find_user(&k->at, id, &user) : 0;
    if (r == 1 && teams_person(&k->at, &user, &u) < 0)
        return -1;
    if (r == 1 && k->at.team.id)
        r = chat_team_member_of(&c->tx, k->at.team.id, u.id, &in_team);
    else if (r == 1 && k->at.channel.id)
        r = chat_member_of(&c->tx, k->at.channel.id, u.id, &in_chat);
    if (r != 1)
        return r < 0 ? -1 : teams_bad(c, "The recipient is not a member of the conversation.");
    return notify_one(k, u.id);
}

static int notify_all(struct notice *k, const struct json *to)
{
    if (!to || to->type != JSON_OBJECT)
        return teams_bad(k->at.c, "Recipient must be specified.");
    if (is_of_type(to, "aadUserNotificationRecipient"))
        return notify_named(k, json_get_str(to, "userId"));
    if (k->at.channel.id && is_of_type(to, "chatMembersNotificationRecipient"))
        return notify_chat(k);
    if (k->at.team.id && (is_of_type(to, "teamMembersNotificationRecipient") ||
                          is_of_type(to, "channelMembersNotificationRecipient")))
        return chat_team_members(&k->at.c->tx, k->at.team.id, notify_member, k) < 0 || k->rc < 0
                   ? -1
                   : 0;
    return teams_bad(k->at.c, "The type of the recipient is not supported.");
}

/* What is said of it. 0, -1. */
static int read_notice(struct notice *k, const struct json *body)
{
    struct call *c = k->at.c;
    const struct json *topic = json_get(body, "topic"), *all = json_get(body, "templateParameters");
    const char *source = json_get_str(topic, "source"), *value = json_get_str(topic, "value");
    const char *kind = json_get_str(body, "activityType"),
               *preview = json_get_str(json_get(body, "previewText"), "content");
    if (!source || !value || !*value)
        return teams_bad(c, "Topic must be specified, with its source and value.");
    if (strcmp(source, "text") == 0 && !json_get_str(topic, "webUrl"))
        return teams_bad(c, "The webUrl of the topic must be specified when its source is text.");
    if (!kind || !*kind)
        return teams_bad(c, "ActivityType must be specified.");
    if (preview && strlen(preview) > (size_t)4 * MAX_PREVIEW)
        return teams_bad(c, "PreviewText is too long.");
    k->a = (struct teams_activity){
        .sender = k->at.me.id,
        .kind = kind,
        .topic = json_to_text(c->tx.arena, topic),
        .preview = preview,
        .parameters = all && all->type == JSON_ARRAY ? json_to_text(c->tx.arena, all) : NULL,
        .at_us = c->tx.now_us};
    return 0;
}

static int send_to_place(struct call *c)
{
    struct notice k = {.rc = 0};
    const struct json *body;
    if (teams_open_write(c, &k.at) < 0 ||
        (param_str(c, "chat-id") ? teams_chat(&k.at) : teams_team(&k.at)) < 0 ||
        !(body = call_body(c)) || read_notice(&k, body) < 0)
        return -1;
    c->status = 204;
    return notify_all(&k, json_get(body, "recipient"));
}

static int send_to_user(struct call *c)
{
    struct notice k = {.rc = 0};
    const struct json *body;
    struct ms_user user;
    struct chat_user u;
    if (teams_open_any(c, &k.at, &user) < 0 || !(body = call_body(c)) || read_notice(&k, body) < 0)
        return -1;
    c->status = 204;
    if (!k.at.workspace.id) /* a tenant in which nobody has written yet */
        return graph_not_found(c);
    if (teams_person(&k.at, &user, &u) < 0)
        return -1;
    k.a.user = u.id;
    return teams_activity_add(&c->tx, &k.a);
}

#define SEND RISK_EXTERNAL, .scopes = "TeamsActivity.Send", .body = BODY_JSON, .status = 204

static const struct param chat_params[] = {PATH_PARAM("chat-id"), USER_PARAM};
static const struct param team_params[] = {PATH_PARAM("team-id")};
static const struct param user_params[] = {USER_PARAM};

static const struct route routes[] = {
    ROW("teams.chats.sendActivityNotification", POST, (CHAT_PATHS("/sendActivityNotification")),
        send_to_place, SEND, PARAMS(chat_params),
        .request = "microsoft.graph.chat.sendActivityNotification",
        .summary = "Puts a notice into the feeds of a chat's members"),
    ROW("teams.teams.sendActivityNotification", POST, (GRAPH(TEAM "/sendActivityNotification")),
        send_to_place, SEND, PARAMS(team_params),
        .request = "microsoft.graph.chat.sendActivityNotification",
        .summary = "Puts a notice into the feeds of a team's members"),
    ROW("teams.users.sendActivityNotification", POST,
        (GRAPH_MY("/teamwork/sendActivityNotification")), send_to_user, SEND, PARAMS(user_params),
        .request = "microsoft.graph.chat.sendActivityNotification",
        .summary = "Puts a notice into somebody's feed"),
};
const struct rows teams_activity_rows = ROWS(routes);
