/* SPDX-License-Identifier: Apache-2.0 */
/* What apps are sent about channels that several workspaces have, and invitations into them
 * (docs.slack.dev, shared_channel_invite_accepted and its like; the types of Slack's own SDK). */
#include "services/chat/slack/team/invite.h"
#include "services/chat/slack/events/news.h"
#include <string.h>

static void write_partner(struct sl_notice *t, const char *key, const struct chat_workspace *team)
{
    struct json_writer *w = &t->writer;
    json_obj(w, key);
    json_str(w, "id", team->key);
    json_str(w, "name", team->name);
    sl_write_team_icon(&t->stage);
    json_bool(w, "is_verified", false);
    json_str(w, "domain", team->domain);
    json_int(w, "date_created", team->created_s);
    json_end(w);
}

/* 1, 0: he is not there any more, -1. */
static int write_partner_user(struct sl_notice *t, const char *key, int64_t user)
{
    struct json_writer *w = &t->writer;
    struct chat_workspace team;
    struct chat_user u;
    int r = chat_user_get(t->tx, user, &u);
    if (r == 1)
        r = chat_workspace_get(t->tx, u.workspace, &team);
    if (r != 1)
        return r;
    json_obj(w, key);
    json_str(w, "id", u.key);
    json_str(w, "team_id", team.key);
    json_str(w, "name", u.name);
    json_int(w, "updated", u.updated_s);
    json_obj(w, "profile");
    json_str(w, "real_name", u.real_name);
    json_str(w, "display_name", u.display_name);
    json_str(w, "real_name_normalized", u.real_name);
    json_str(w, "display_name_normalized", u.display_name);
    json_str(w, "team", team.key);
    json_str_opt(w, "email", u.email);
    sl_write_pictures(&t->stage, &u);
    json_end(w);
    json_end(w);
    return 1;
}

static int write_invite(struct sl_notice *t, const struct chat_invite *i,
                        const struct chat_workspace *host)
{
    struct json_writer *w = &t->writer;
    struct chat_user u;
    json_obj(w, "invite");
    json_str(w, "id", i->key);
    json_int(w, "date_created", i->created_s);
    json_int(w, "date_invalid", i->expires_s);
    write_partner(t, "inviting_team", host);
    int r = write_partner_user(t, "inviting_user", i->inviter);
    json_str_opt(w, "recipient_email", i->email);
    if (r >= 0 && i->user && (r = chat_user_get(t->tx, i->user, &u)) == 1)
        json_str(w, "recipient_user_id", u.key);
    json_end(w);
    json_obj(w, "channel");
    json_str(w, "id", t->channel.key);
    json_bool(w, "is_private", t->channel.kind != CHAT_PUBLIC);
    json_bool(w, "is_im", false);
    json_str(w, "name", t->channel.name ? t->channel.name : "");
    json_end(w);
    return r < 0 ? -1 : 0;
}

static int write_one_partner(void *arg, const struct chat_workspace *team)
{
    write_partner(arg, NULL, team);
    return 0;
}

static int write_partners(struct sl_notice *t, const struct chat_workspace *host)
{
    json_arr(&t->writer, "teams_in_channel");
    write_partner(t, NULL, host);
    int r = chat_connects(t->tx, t->channel.id, write_one_partner, t);
    json_end(&t->writer);
    return r < 0 ? -1 : 0;
}

/* A bot that is invited gets it itself. */
static int tell_received(struct sl_notice *t, const struct chat_invite *i)
{
    struct chat_install install;
    int r = i->user ? chat_install_by_user(t->tx, i->user, &install) : 0;
    if (r != 1 || install.deleted)
        return r < 0 ? -1 : 0;
    t->workspace = t->source = install.workspace;
    t->channel.id = 0; /* it is in none yet */
    return sl_event_to_app(t, "shared_channel_invite_received", "shared_channel_invite_received",
                           install.app, sl_event_close(t));
}

static int tell_invite(struct sl_notice *t, const struct chat_invite *i,
                       const struct chat_workspace *host, const char *word)
{
    const char *type = arena_printf(t->tx->arena, "shared_channel_invite_%s", word);
    const char *who = strcmp(word, "accepted") == 0   ? "accepting"
                      : strcmp(word, "approved") == 0 ? "approving"
                                                      : "declining";
    struct chat_workspace by;
    struct chat_user u;
    int r = chat_user_get(t->tx, t->news->by, &u);
    if (r == 1)
        r = chat_workspace_get(t->tx, u.workspace, &by);
    if (r != 1)
        return r;
    sl_event_open(t, type);
    if (strcmp(word, "accepted") == 0)
        json_bool(&t->writer, "approval_required", i->state == CHAT_INVITE_ACCEPTED);
    if (write_invite(t, i, host) < 0)
        return -1;
    if (strcmp(word, "accepted") != 0)
        json_str(&t->writer, arena_printf(t->tx->arena, "%s_team_id", who), by.key);
    if (write_partners(t, host) < 0 ||
        write_partner_user(t, arena_printf(t->tx->arena, "%s_user", who), u.id) < 0)
        return -1;
    t->channel.id = 0;
    return sl_event_to(t, type, type, SL_TO_WORKSPACE, 0, sl_event_close(t));
}

int sl_events_of_invite(struct sl_notice *t)
{
    static const char *const words[] = {"accepted", "approved", "declined"};
    struct chat_workspace host;
    struct chat_invite i;
    int r = t->news->name ? chat_invite_find(t->tx, t->news->name, &i) : 0;
    if (r == 1)
        r = chat_channel_get(t->tx, i.channel, &t->channel);
    if (r == 1)
        r = chat_workspace_get(t->tx, t->channel.workspace, &host);
    if (r != 1)
        return r;
    if (t->news->operation == OP_ADDED) {
        sl_event_open(t, "shared_channel_invite_received");
        return write_invite(t, &i, &host) < 0 ? -1 : tell_received(t, &i);
    }
    for (size_t k = 0; k < SOSIA_LEN(words); k++)
        if (strstr(t->news->members, words[k]))
            return tell_invite(t, &i, &host, words[k]);
    return 0;
}

/* A workspace has the channel from now on, or no more. */
int sl_events_of_connect(struct sl_notice *t)
{
    bool here = t->news->operation == OP_ADDED;
    const char *type = here ? "channel_shared" : "channel_unshared";
    struct chat_workspace team;
    int r = chat_workspace_get(t->tx, t->news->entity, &team);
    if (r != 1)
        return r;
    sl_event_open(t, type);
    json_str(&t->writer, here ? "connected_team_id" : "previously_connected_team_id", team.key);
    json_str(&t->writer, "channel", t->channel.key);
    if (!here)
        json_bool(&t->writer, "is_ext_shared", t->shared);
    return sl_event_to(t, type, type,
                       t->channel.kind == CHAT_PUBLIC ? SL_TO_WORKSPACE : SL_TO_MEMBERS, 0,
                       sl_event_close(t));
}
