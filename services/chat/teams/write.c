/* SPDX-License-Identifier: Apache-2.0 */
/* Teams, channels, members and chats as they are answered. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/teams/meetings/meeting.h"

#define BEGIN_OF_TIME "0001-01-01T00:00:00Z"

void teams_time(struct json_writer *w, const char *name, int64_t us)
{
    json_time(w, name, us, JSON_TIME_MS_Z);
}

static const char *encoded(struct arena *a, const char *key)
{
    struct buf b;
    buf_init(&b, 0);
    percent_add(&b, key, strlen(key));
    return buf_keep(&b, a);
}

const char *teams_place(struct teams_at *at)
{
    struct arena *a = at->c->tx.arena;
    if (!at->channel.team)
        return arena_printf(a, "chats%s/messages", graph_key(a, at->channel.key));
    return arena_printf(a, "teams('%s')/channels%s/messages", at->team.key,
                        graph_key(a, at->channel.key));
}

void teams_write_user(struct json_writer *w, const char *name, const char *oid, const char *shown,
                      const char *tenant)
{
    json_obj(w, name);
    json_word(w, "@odata.type", "#microsoft.graph.teamworkUserIdentity");
    json_str(w, "id", oid);
    json_str(w, "displayName", shown);
    json_word(w, "userIdentityType", "aadUser");
    json_str(w, "tenantId", tenant);
    json_end(w);
}

/* ---- teams ---- */

struct usual {
    const char *group, *name;
    bool value;
};
static const struct usual settings[] = {
    {"memberSettings", "allowCreateUpdateChannels", true},
    {"memberSettings", "allowCreatePrivateChannels", true},
    {"memberSettings", "allowDeleteChannels", true},
    {"memberSettings", "allowAddRemoveApps", true},
    {"memberSettings", "allowCreateUpdateRemoveTabs", true},
    {"memberSettings", "allowCreateUpdateRemoveConnectors", true},
    {"guestSettings", "allowCreateUpdateChannels", false},
    {"guestSettings", "allowDeleteChannels", false},
    {"messagingSettings", "allowUserEditMessages", true},
    {"messagingSettings", "allowUserDeleteMessages", true},
    {"messagingSettings", "allowOwnerDeleteMessages", true},
    {"messagingSettings", "allowTeamMentions", true},
    {"messagingSettings", "allowChannelMentions", true},
    {"funSettings", "allowGiphy", true},
    {"funSettings", "allowStickersAndMemes", true},
    {"funSettings", "allowCustomMemes", true},
};

static void write_settings(struct teams_at *at, const struct chat_team *t)
{
    static const char *const groups[] = {"memberSettings", "guestSettings", "messagingSettings",
                                         "funSettings"};
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const struct json *all = teams_properties(a, t->properties);
    for (size_t g = 0; g < SOSIA_LEN(groups); g++) {
        const struct json *of = all ? json_get(all, groups[g]) : NULL;
        const char *rating = of ? json_get_str(of, "giphyContentRating") : NULL;
        json_obj(w, groups[g]);
        for (size_t i = 0; i < SOSIA_LEN(settings); i++) {
            const struct json *v = of ? json_get(of, settings[i].name) : NULL;
            if (strcmp(settings[i].group, groups[g]) != 0)
                continue;
            json_bool(w, settings[i].name,
                      v && v->type == JSON_BOOL ? v->truth : settings[i].value);
            if (strcmp(settings[i].name, "allowGiphy") == 0)
                json_str(w, "giphyContentRating", rating ? rating : "moderate");
        }
        json_end(w);
    }
}

struct counts {
    int64_t owners, members, guests;
};

static int count_member(void *arg, const struct chat_team_member *m)
{
    struct counts *n = arg;
    n->owners += m->part == CHAT_PART_OWNER;
    n->guests += m->part == CHAT_PART_GUEST;
    n->members += m->part != CHAT_PART_GUEST;
    return 0;
}

/* The members that a list of somebody's teams leaves out. */
static void write_short(struct json_writer *w, const struct chat_team *t)
{
    static const char *const before[] = {"internalId", "classification", "specialization",
                                         "visibility", "webUrl"};
    static const char *const behind[] = {"isMembershipLimitedToOwners",
                                         "discoverySettings",
                                         "tagSettings",
                                         "memberSettings",
                                         "guestSettings",
                                         "messagingSettings",
                                         "funSettings",
                                         "summary"};
    json_str(w, "id", t->key);
    json_null(w, "createdDateTime");
    json_str(w, "displayName", t->name);
    json_str(w, "description", t->description);
    for (size_t i = 0; i < SOSIA_LEN(before); i++)
        json_null(w, before[i]);
    json_bool(w, "isArchived", t->archived);
    for (size_t i = 0; i < SOSIA_LEN(behind); i++)
        json_null(w, behind[i]);
}

static const char *visibility_of(const struct ms_group *g)
{
    return !g->visibility                            ? "public"
           : str_eq_nocase(g->visibility, "Private") ? "private"
           : str_eq_nocase(g->visibility, "Public")  ? "public"
                                                     : "hiddenMembership";
}

int teams_write_team(struct teams_at *at, const struct chat_team *t, bool whole)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    struct chat_channel primary = {.key = ""};
    struct ms_group group = {.id = 0};
    struct counts n = {0};
    if (!whole) {
        write_short(w, t);
        return 0;
    }
    if (chat_team_general(&at->c->tx, t->id, &primary) < 0 ||
        ms_group_find(&at->c->tx, t->key, at->tenant.id, &group) < 0 ||
        chat_team_members(&at->c->tx, t->id, count_member, &n) < 0)
        return -1;
    json_str(w, "id", t->key);
    teams_time(w, "createdDateTime", t->created_s * US_PER_SECOND);
    json_str(w, "displayName", t->name);
    json_str(w, "description", t->description);
    json_str(w, "internalId", primary.key);
    json_null(w, "classification");
    json_word(w, "specialization", "none");
    json_word(w, "visibility", visibility_of(&group));
    json_str(w, "webUrl",
             arena_printf(a,
                          "https://teams.microsoft.com/l/team/%s/conversations?groupId=%s&"
                          "tenantId=%s",
                          encoded(a, primary.key), t->key, at->tenant.guid));
    json_bool(w, "isArchived", t->archived);
    json_bool(w, "isMembershipLimitedToOwners", false);
    json_obj(w, "discoverySettings");
    json_bool(w, "showInTeamsSearchAndSuggestions",
              teams_setting(t, a, "discoverySettings", "showInTeamsSearchAndSuggestions", true));
    json_end(w);
    json_null(w, "tagSettings");
    write_settings(at, t);
    if (at->app) { /* MG-674 */
        json_null(w, "summary");
        return 0;
    }
    json_obj(w, "summary");
    json_int(w, "ownersCount", n.owners);
    json_int(w, "membersCount", n.members);
    json_int(w, "guestsCount", n.guests);
    json_end(w);
    return 0;
}

/* ---- channels ---- */

int teams_write_channel(struct teams_at *at, const struct chat_team *t,
                        const struct chat_channel *ch)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const bool private = ch->kind == CHAT_PRIVATE;
    json_str(w, "id", ch->key);
    teams_time(w, "createdDateTime", ch->created_s * US_PER_SECOND);
    json_str(w, "displayName", ch->name);
    json_str(w, "description", *ch->purpose ? ch->purpose : NULL);
    json_null(w, "isFavoriteByDefault");
    json_null(w, "email");
    json_str(w, "tenantId", at->tenant.guid);
    json_str(w, "webUrl",
             arena_printf(a,
                          "https://teams.cloud.microsoft/l/channel/%s/%s?groupId=%s&tenantId=%s&"
                          "allowXTenantAccess=False%s",
                          encoded(a, ch->key), encoded(a, ch->general ? t->name : ch->name), t->key,
                          at->tenant.guid, private ? "&ngc=True" : ""));
    json_str(w, "membershipType", teams_membership(ch));
    json_null(w, "layoutType");
    json_bool(w, "isArchived", ch->archived);
    return 0;
}

/* ---- members ---- */

int teams_write_member(struct teams_at *at, const struct chat_user *u, enum chat_part part,
                       const char *id, int64_t history_us)
{
    struct json_writer *w = at->c->out;
    json_word(w, "@odata.type", "#microsoft.graph.aadUserConversationMember");
    json_str(w, "id", id);
    json_arr(w, "roles");
    if (part != CHAT_PART_MEMBER)
        json_word(w, NULL, part == CHAT_PART_OWNER ? "owner" : "guest");
    json_end(w);
    json_str(w, "displayName", u->real_name);
    if (history_us)
        teams_time(w, "visibleHistoryStartDateTime", history_us);
    else
        json_word(w, "visibleHistoryStartDateTime", BEGIN_OF_TIME);
    json_str(w, "userId", u->key);
    json_str(w, "email", u->email);
    json_str(w, "tenantId", at->tenant.guid);
    return 0;
}

/* ---- chats ---- */

static int write_chat_members(struct teams_at *at, const struct chat_channel *ch)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    int64_t *users;
    size_t n;
    if (chat_members(&at->c->tx, ch->id, NULL, -1, &users, &n) < 0)
        return -1;
    json_arr(w, "members");
    for (size_t i = 0; i < n; i++) {
        struct chat_member m;
        struct chat_user u;
        if (chat_user_get(&at->c->tx, users[i], &u) != 1 ||
            chat_member_of(&at->c->tx, ch->id, users[i], &m) != 1)
            return -1;
        json_obj(w, NULL);
        teams_write_member(at, &u, m.part ? m.part : CHAT_PART_OWNER,
                           teams_member_id(a, 2, at->tenant.guid, ch->key, u.key),
                           teams_history(a, ch, &u));
        json_end(w);
    }
    json_end(w);
    return 0;
}

static int take_last(void *arg, const struct chat_message *m, const struct record *row)
{
    struct chat_message *last = arg;
    (void)row;
    *last = *m;
    last->extra = m->extra;
    return 1;
}

static int write_preview(struct teams_at *at, const struct chat_channel *ch)
{
    struct chat_range range = {.channel = ch->id, .latest_us = INT64_MAX};
    struct json_writer *w = at->c->out;
    struct chat_message m = {.id = 0};
    struct chat_user u;
    if (chat_messages(&at->c->tx, &range, take_last, &m) < 0)
        return -1;
    if (!m.id || !teams_is_shown(at, ch, &m) || chat_message_get(&at->c->tx, m.id, &m) != 1) {
        json_null(w, "lastMessagePreview");
        return 0;
    }
    const bool deleted = m.extra && strstr(m.extra, "\"deletedDateTime\"");
    json_obj(w, "lastMessagePreview");
    json_str(w, "id", arena_printf(at->c->tx.arena, "%lld", (long long)teams_message_ms(m.ts_us)));
    teams_time(w, "createdDateTime", m.ts_us);
    json_bool(w, "isDeleted", deleted);
    json_word(w, "messageType", m.subtype ? "unknownFutureValue" : "message");
    json_null(w, "eventDetail");
    json_obj(w, "body");
    json_word(w, "contentType", m.format ? "text" : "html");
    json_str(w, "content", deleted ? "" : m.text);
    json_end(w);
    if (m.user && !m.subtype) {
        if (chat_user_get(&at->c->tx, m.user, &u) != 1)
            return -1;
        json_obj(w, "from");
        json_null(w, "application");
        json_null(w, "device");
        teams_write_user(w, "user", u.key, u.real_name, at->tenant.guid);
        json_end(w);
    } else {
        json_null(w, "from");
    }
    json_end(w);
    return 0;
}

/* Of a chat of a meeting what the meeting is. */
static int write_meeting_info(struct teams_at *at, const struct chat_channel *ch)
{
    struct json_writer *w = at->c->out;
    struct teams_meeting m;
    struct chat_user u;
    int r = strcmp(teams_chat_type(ch), "meeting") == 0
                ? teams_meeting_of_chat(&at->c->tx, ch->id, &m)
                : 0;
    if (r == 1)
        r = chat_user_get(&at->c->tx, m.user, &u);
    if (r < 0)
        return -1;
    if (r == 0) {
        json_null(w, "onlineMeetingInfo");
        return 0;
    }
    json_obj(w, "onlineMeetingInfo");
    json_str(w, "calendarEventId", m.event);
    json_str(w, "joinWebUrl", m.url);
    teams_write_user(w, "organizer", u.key, u.real_name, at->tenant.guid);
    json_end(w);
    return 0;
}

int teams_write_chat(struct teams_at *at, const struct chat_channel *ch,
                     const struct odata_query *q)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const int64_t updated = ch->updated_us > ch->last_us ? ch->updated_us : ch->last_us;
    struct chat_member m = {.open = true};
    if (at->me.id && chat_member_of(&at->c->tx, ch->id, at->me.id, &m) < 0)
        return -1;
    json_str(w, "id", ch->key);
    json_str(w, "topic", *ch->topic ? ch->topic : NULL);
    json_str(w, "createdDateTime", graph_date(a, ch->created_s * US_PER_SECOND, 0));
    teams_time(w, "lastUpdatedDateTime", updated);
    json_word(w, "chatType", teams_chat_type(ch));
    json_str(w, "webUrl",
             arena_printf(a, "https://teams.microsoft.com/l/chat/%s/0?tenantId=%s",
                          encoded(a, ch->key), at->tenant.guid));
    json_str(w, "tenantId", at->tenant.guid);
    json_bool(w, "isHiddenForAllMembers", false);
    if (write_meeting_info(at, ch) < 0)
        return -1;
    if (at->me.id) {
        json_obj(w, "viewpoint");
        json_bool(w, "isHidden", !m.open);
        if (m.read_us)
            teams_time(w, "lastMessageReadDateTime", m.read_us);
        else
            json_word(w, "lastMessageReadDateTime", BEGIN_OF_TIME);
        json_end(w);
    } else {
        json_null(w, "viewpoint");
    }
    if (q && odata_expands(q, "members") && write_chat_members(at, ch) < 0)
        return -1;
    return q && odata_expands(q, "lastMessagePreview") ? write_preview(at, ch) : 0;
}
