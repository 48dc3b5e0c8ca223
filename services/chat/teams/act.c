/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People: what somebody does in a tenant's channels and chats with the client. An act is an object
 * with one member, its name:
 *
 *     {"post": {"channel": "Cargo", "text": "Late"}}
 *
 * It is done for the control interface, and for those who answer by rules, by one function. What
 * refuses it is a word, as of Slack's acts.
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/core/doc.h"
#include "services/chat/teams/act.h"

static int refuse(struct teams_deed *d, const char *why)
{
    d->refused = why;
    return 0;
}

/* ---- what the act names ---- */

/* A chat of the person's by its topic, or a channel of one of the teams that it is in. */
struct named {
    struct teams_deed *d;
    const char *name;
    bool found;
    int rc;
};

static int take_named(void *arg, const struct chat_channel *ch)
{
    struct named *n = arg;
    const char *name = ch->kind >= CHAT_DIRECT ? ch->topic : ch->name;
    if (ch->workspace != n->d->me->workspace || teams_is_deleted(ch) || !name ||
        strcmp(name, n->name) != 0)
        return 0;
    n->rc = chat_can_see(n->d->tx, ch, n->d->me);
    if (n->rc == 1) {
        n->d->channel = *ch;
        n->found = true;
    }
    return n->rc != 0;
}

static int take_of_team(void *arg, const struct chat_team *t)
{
    struct named *n = arg;
    if (chat_team_channels(n->d->tx, t->id, take_named, n) < 0)
        n->rc = -1;
    return n->found || n->rc < 0;
}

/* The one-on-one chat with somebody, who is named by an address or an id. 1, 0, -1. */
static int chat_with(struct teams_deed *d, const char *who)
{
    struct chat_user other;
    int r = chat_doc_find(d->tx, d->me->workspace, who, &other);
    if (r != 1)
        return r;
    int64_t users[] = {d->me->id, other.id};
    const char *pair = chat_pair(d->tx, users, other.id == d->me->id ? 1 : 2);
    if (!pair)
        return sosia_fail_memory(d->tx->err);
    r = chat_channel_by_pair(d->tx, d->me->workspace, pair, &d->channel);
    if (r)
        return r;
    d->channel = (struct chat_channel){.workspace = d->me->workspace,
                                       .kind = CHAT_DIRECT,
                                       .pair = pair,
                                       .creator = d->me->id,
                                       .created_s = d->tx->now_us / US_PER_SECOND,
                                       .updated_us = d->tx->now_us,
                                       .topic = "",
                                       .purpose = "",
                                       .posting = "all",
                                       .previous_names = "[]"};
    if (chat_channel_add(d->tx, &d->channel) < 0 ||
        chat_member_add(d->tx, &d->channel, d->me->id, d->me->id) < 0 ||
        (other.id != d->me->id && chat_member_add(d->tx, &d->channel, other.id, d->me->id) < 0))
        return -1;
    return 1;
}

/* "channel": an id, the name of a team's channel, or the topic of a chat; "to": a person. 1; 0
 * refused; -1. */
static int find_place(struct teams_deed *d)
{
    const char *name = json_get_str(d->args, "channel"), *to = json_get_str(d->args, "to");
    struct named n = {.d = d, .name = name};
    int r = name ? chat_channel_find(d->tx, d->me->workspace, name, &d->channel)
            : to ? chat_with(d, to)
                 : 0;
    if (r == 1 && name)
        r = teams_is_deleted(&d->channel) ? 0 : chat_can_see(d->tx, &d->channel, d->me);
    if (r == 0 && name && *name) {
        if (chat_teams(d->tx, d->me->workspace, d->me->id, take_of_team, &n) < 0 || n.rc < 0)
            return -1;
        if (!n.found &&
            (chat_channels(d->tx, d->me->workspace, d->me->id, NULL, take_named, &n) < 0 ||
             n.rc < 0))
            return -1;
        r = n.found;
    }
    return r < 0 ? -1 : r ? 1 : refuse(d, "channel_not_found");
}

/* Nobody writes where the team or the channel is archived. 1, 0 refused, -1. */
static int is_writable(struct teams_deed *d)
{
    struct chat_team t = {.archived = false};
    if (d->channel.team && chat_team_get(d->tx, d->channel.team, &t) != 1)
        return -1;
    return t.archived || d->channel.archived ? refuse(d, "is_archived") : 1;
}

/* A message by a member: "1771185600.000000", or its id in milliseconds. 1, 0 refused, -1. */
static int find_message(struct teams_deed *d, const char *member, struct chat_message *ret)
{
    const char *text = json_get_str(d->args, member);
    int64_t us = -1, ms;
    if (text && strchr(text, '.'))
        us = chat_ts_read(text, &us) < 0 ? -1 : us;
    else if (text && parse_i64(text, strlen(text), &ms) == 0 && ms > 0 &&
             ms <= CHAT_LAST_INSTANT / 1000)
        us = ms * 1000;
    int r = us < 0 ? 0 : chat_message_find(d->tx, d->channel.id, us, ret);
    return r ? r : refuse(d, "message_not_found");
}

/* ---- the acts ---- */

/* The first message of the thread that is answered; chats have no threads. 1, 0 refused, -1. */
static int find_thread(struct teams_deed *d, int64_t *ret)
{
    struct chat_message root;
    *ret = 0;
    if (!json_get_str(d->args, "thread_ts"))
        return 1;
    int r = find_message(d, "thread_ts", &root);
    if (r == 1 && d->channel.team)
        *ret = root.thread ? root.thread : root.id;
    return r;
}

static int do_post(struct teams_deed *d)
{
    const char *text = json_get_str(d->args, "text"), *html = json_get_str(d->args, "html");
    int64_t thread;
    if (!text == !html || !*(text ? text : html))
        return refuse(d, "no_text");
    if (strlen(text ? text : html) > TEAMS_MAX_BODY)
        return refuse(d, "msg_too_long");
    int r = is_writable(d);
    if (r == 1)
        r = find_thread(d, &thread);
    if (r != 1)
        return r;
    d->message = (struct chat_message){
        .user = d->me->id,
        .thread = thread,
        .subject = json_get_str(d->args, "subject"),
        .format = text ? "text" : NULL,
        .text = text ? text : teams_clean_html(d->tx->arena, html, strlen(html)),
        .importance = CHAT_NORMAL};
    if (!d->message.text)
        return sosia_fail_memory(d->tx->err);
    return chat_post(d->tx, &d->channel, &d->message) < 0 ||
                   teams_message_came(d->tx, &d->channel, &d->message) < 0
               ? -1
               : 1;
}

static int reply(struct teams_deed *d)
{
    return json_get_str(d->args, "thread_ts") ? do_post(d) : refuse(d, "message_not_found");
}

static int put_reaction(struct teams_deed *d, bool on)
{
    const char *name = json_get_str(d->args, "name");
    int r = find_message(d, "timestamp", &d->message);
    if (r == 1)
        r = is_writable(d);
    if (r != 1)
        return r;
    if (!name || !teams_emoji(name))
        return refuse(d, "invalid_name");
    if (!teams_takes_reactions(&d->message))
        return refuse(d, "message_not_found");
    const int64_t us = d->tx->now_us - d->tx->now_us % 1000;
    if (teams_touched(d->tx, &d->message, us) < 0)
        return -1;
    r = on ? chat_react(d->tx, &d->message, teams_emoji(name), d->me, us / US_PER_SECOND)
           : chat_unreact(d->tx, &d->message, teams_emoji(name), d->me);
    return r == 0 ? refuse(d, on ? "already_reacted" : "no_reaction") : r;
}

static int react(struct teams_deed *d)
{
    return put_reaction(d, true);
}

static int unreact(struct teams_deed *d)
{
    return put_reaction(d, false);
}

static const struct {
    const char *name;
    int (*act)(struct teams_deed *d);
} acts[] = {{"post", do_post}, {"reply", reply}, {"react", react}, {"unreact", unreact}};

bool teams_act_is(const char *name)
{
    for (size_t i = 0; i < SOSIA_LEN(acts); i++)
        if (strcmp(acts[i].name, name) == 0)
            return true;
    return false;
}

int teams_deed(struct teams_deed *d, const struct json *act)
{
    if (!act || act->type != JSON_OBJECT || act->n != 1 ||
        act->members[0].value.type != JSON_OBJECT)
        return refuse(d, "invalid_arguments");
    d->args = &act->members[0].value;
    for (size_t i = 0; i < SOSIA_LEN(acts); i++)
        if (strcmp(acts[i].name, act->members[0].key) == 0) {
            int r = find_place(d);
            return r == 1 ? acts[i].act(d) : r;
        }
    return refuse(d, "unknown_act");
}

int teams_act(struct tx *tx, const struct chat_user *who, const struct json *act,
              const char **ret_refused)
{
    struct teams_deed d = {.tx = tx, .me = who};
    int r = teams_deed(&d, act);
    *ret_refused = d.refused;
    return r;
}
