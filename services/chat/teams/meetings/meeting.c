/* SPDX-License-Identifier: Apache-2.0 */
/* Online meetings as they are kept: each with a chat, which has an id of its own kind. */
#include "services/chat/teams/meetings/meeting.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/core/form.h"
#include "vendors/microsoft/meeting.h"

/* ---- look-ups ---- */

int teams_meeting_of_chat(struct tx *tx, int64_t channel, struct teams_meeting *ret)
{
    static struct sql_text q = SQL_TEXT("where channel = :channel");
    return STORED_ONE(tx, &teams_meeting_stored, &q, ret, channel);
}

int teams_meeting_by_external(struct tx *tx, int64_t user, const char *external,
                              struct teams_meeting *ret)
{
    static struct sql_text q = SQL_TEXT("where user = :user and external = :external");
    return STORED_ONE(tx, &teams_meeting_stored, &q, ret, user, external);
}

/* Addresses may have lost one layer of their encoding on the way. */
static const char *bare(struct arena *a, const char *url)
{
    char *text;
    size_t n;
    for (int i = 0; i < 3 && strchr(url, '%'); i++)
        if (percent_decode(a, url, strlen(url), false, &text, &n) == 0)
            url = text;
        else
            break;
    return url;
}

const char *teams_chat_of_url(struct arena *a, const char *url)
{
    static const char front[] = "/l/meetup-join/";
    const char *text = bare(a, url), *chat = text ? strstr(text, front) : NULL;
    if (!chat)
        return NULL;
    chat += sizeof front - 1;
    return arena_memdup(a, chat, strcspn(chat, "/"));
}

int teams_meeting_by_url(struct tx *tx, const char *url, struct teams_meeting *ret)
{
    static struct sql_text q = SQL_TEXT("where url = :url order by id limit 1");
    return STORED_ONE(tx, &teams_meeting_stored, &q, ret, url);
}

int teams_meeting_by_number(struct tx *tx, const char *number, struct teams_meeting *ret)
{
    static struct sql_text q = SQL_TEXT("where number = :number order by id limit 1");
    return STORED_ONE(tx, &teams_meeting_stored, &q, ret, number);
}

/* ---- making ---- */

const char *teams_join_url(struct arena *a, const char *chat, const char *tenant, const char *oid)
{
    const size_t n = strlen(chat);
    char *key = arena_alloc(a, 3 * n + 1);
    if (arena_failed(a))
        return "";
    *percent_put(key, chat, n) = '\0';
    for (char *p = key; *p; p++) /* %3a, as the service writes it */
        if (*p == '%')
            for (int i = 1; i < 3; i++)
                p[i] |= p[i] >= 'A' && p[i] <= 'F' ? 0x20 : 0;
    return arena_printf(a,
                        "https://teams.microsoft.com/l/meetup-join/%s/0?context=%%7b%%22Tid%%22%%"
                        "3a%%22%s%%22%%2c%%22Oid%%22%%3a%%22%s%%22%%7d",
                        key, tenant, oid);
}

void teams_meeting_codes(struct arena *a, const char *chat, struct teams_meeting *m)
{
    static const char signs[] = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
    uint8_t b[32];
    char number[14] = "2", passcode[7] = "";
    graph_guid_bytes("meeting number", chat, b);
    graph_guid_bytes("meeting passcode", chat, b + 16);
    for (size_t i = 1; i < 13; i++)
        number[i] = (char)('0' + b[i] % 10);
    number[13] = '\0';
    for (size_t i = 0; i < 6; i++)
        passcode[i] = signs[b[16 + i] % (sizeof signs - 1)];
    m->number = m->number ? m->number : arena_strdup(a, number);
    m->passcode = m->passcode ? m->passcode : arena_strdup(a, passcode);
}

static int make_chat(struct tx *tx, const struct chat_user *organizer, const char *key,
                     const struct teams_meeting *m, struct chat_channel *ret)
{
    const char *topic = m->subject ? m->subject : "";
    *ret = (struct chat_channel){.workspace = organizer->workspace,
                                 .key = key ? key : teams_new_chat_key(tx, true),
                                 .kind = CHAT_GROUP,
                                 .creator = organizer->id,
                                 .created_s = tx->now_us / US_PER_SECOND,
                                 .updated_us = tx->now_us,
                                 .topic = topic,
                                 .purpose = "",
                                 .posting = "all",
                                 .previous_names = "[]",
                                 .properties = "{\"meeting\":true}"};
    return !ret->key || chat_channel_add(tx, ret) < 0 ||
                   chat_member_add(tx, ret, organizer->id, organizer->id) < 0 ||
                   chat_member_part(tx, ret->id, organizer->id, CHAT_PART_OWNER) < 0
               ? -1
               : 0;
}

int teams_meeting_add(struct tx *tx, const struct chat_user *organizer, const char *tenant,
                      const char *key, struct teams_meeting *m)
{
    struct chat_channel ch;
    m->user = organizer->id;
    if (!m->channel) {
        if (make_chat(tx, organizer, key, m, &ch) < 0)
            return -1;
        m->channel = ch.id;
    } else if (chat_channel_get(tx, m->channel, &ch) != 1) {
        return -1;
    }
    if (!m->url)
        m->url = teams_join_url(tx->arena, ch.key, tenant, organizer->key);
    teams_meeting_codes(tx->arena, ch.key, m);
    return stored_new(tx, &teams_meeting_stored, m);
}

int teams_meeting_save(struct tx *tx, const struct teams_meeting *m)
{
    return stored_save(tx, &teams_meeting_stored, m->id, m);
}

int teams_meeting_drop(struct tx *tx, const struct teams_meeting *m)
{
    static struct sql_text q = SQL_TEXT("delete from teams_meeting where id = :id");
    static struct sql_text said = SQL_TEXT("delete from teams_transcript where channel = :channel");
    static struct sql_text seen = SQL_TEXT("delete from teams_recording where channel = :channel");
    static struct sql_text who = SQL_TEXT("delete from teams_attendance where channel = :channel");
    return TX_RUN(tx, &said, m->channel) < 0 || TX_RUN(tx, &seen, m->channel) < 0 ||
                   TX_RUN(tx, &who, m->channel) < 0
               ? -1
               : TX_RUN(tx, &q, m->id);
}

/* ---- of events ---- */

/* As it is in addresses: %3a and %40 in the places of ':' and '@'. */
static const char *in_url(struct arena *a, const char *chat)
{
    const char *at = strrchr(chat, '@');
    return arena_printf(a, "meetup-join/19%%3a%.*s%%40%s", (int)(at - chat - 3), chat + 3, at + 1);
}

/* Whose object id an address to join has. */
static int organizer_of(struct teams_at *at, const char *url, struct ms_user *ret)
{
    const char *text = bare(at->c->tx.arena, url), *oid = strstr(text, "\"Oid\":\"");
    return oid ? ms_user_find(&at->c->tx,
                              arena_memdup(at->c->tx.arena, oid + 7, strcspn(oid + 7, "\"")),
                              at->tenant.id, ret)
               : 0;
}

/* The event in the caller's calendar, if it is there. 1, 0, -1. */
static int find_event(struct teams_at *at, const char *chat, struct graph_online *ret)
{
    const struct graph_calendar *calendar = core_policy_nth(&at->c->tx, GRAPH_CALENDAR, 0);
    struct tx *tx = &at->c->tx;
    struct actor who;
    if (!calendar || !at->user.id || strncmp(chat, "19:meeting_", 11) != 0 || !strchr(chat, '@'))
        return 0;
    int r = actor_by_id(tx, at->user.actor, &who);
    if (r == 1)
        r = calendar->online(tx, &who, in_url(tx->arena, chat), ret);
    return r == 1 ? str_same(teams_chat_of_url(tx->arena, ret->url), chat) : r;
}

/* What the event says now is what the meeting says. 1, -1. */
static int as_event_says(struct teams_at *at, const char *chat, struct teams_meeting *m)
{
    struct graph_online event;
    int r = find_event(at, chat, &event);
    if (r == 1) {
        m->subject = event.subject;
        m->start_us = event.start_us;
        m->end_us = event.end_us;
    }
    return r < 0 ? -1 : 1;
}

int teams_meeting_reach(struct teams_at *at, const char *chat, struct teams_meeting *ret,
                        struct chat_user *ret_organizer, struct graph_online *ret_event)
{
    struct tx *tx = &at->c->tx;
    struct chat_channel ch;
    struct ms_user user;
    int r = at->workspace.id ? chat_channel_find(tx, at->workspace.id, chat, &ch) : 0;
    if (r == 1) {
        r = teams_meeting_of_chat(tx, ch.id, ret);
        if (r == 1 && ret->event)
            r = as_event_says(at, chat, ret);
        return r == 1 ? chat_user_get(tx, ret->user, ret_organizer) : r;
    }
    if (r == 0)
        r = find_event(at, chat, ret_event);
    if (r == 1)
        r = organizer_of(at, ret_event->url, &user);
    if (r != 1)
        return r;
    *ret = (struct teams_meeting){.subject = ret_event->subject,
                                  .start_us = ret_event->start_us,
                                  .end_us = ret_event->end_us,
                                  .created_us = ret_event->created_us,
                                  .url = ret_event->url,
                                  .event = ret_event->event};
    teams_meeting_codes(tx->arena, chat, ret);
    *ret_organizer = (struct chat_user){
        .key = user.oid, .actor = user.actor, .real_name = user.name, .email = user.mail};
    return 1;
}

int teams_meeting_settle(struct teams_at *at, const char *chat, const struct chat_user *organizer,
                         const struct graph_online *event, struct teams_meeting *m)
{
    struct tx *tx = &at->c->tx;
    struct chat_channel ch;
    struct ms_user user;
    struct chat_user u;
    int r = ms_user_find(tx, organizer->key, at->tenant.id, &user);
    if (r != 1 || teams_person(at, &user, &u) < 0 ||
        teams_meeting_add(tx, &u, at->tenant.guid, chat, m) < 0 ||
        chat_channel_get(tx, m->channel, &ch) != 1)
        return -1;
    for (size_t i = 0; i < event->n_guests; i++) {
        r = ms_user_find(tx, event->guests[i], at->tenant.id, &user);
        if (r < 0 || (r == 1 && (teams_person(at, &user, &u) < 0 ||
                                 (u.id != m->user && chat_member_add(tx, &ch, u.id, m->user) < 0))))
            return -1;
    }
    return 0;
}

/* ---- seed documents ---- */

static const struct member meeting_members[] = {
    CHAT_WORKSPACE_BY(struct teams_meeting, user, chat_write_workspace_of_user),
    STORED_ID(struct teams_meeting),
    {"user", "Who organizes it", CHAT_USER_AT(struct teams_meeting, user),
     .flags = MEMBER_REQUIRED},
    {"channel", "Its chat, by its id; one is made without it",
     CHAT_CHANNEL_AT(struct teams_meeting, channel)},
    {"subject", "What it is about", TEXT_AT(struct teams_meeting, subject)},
    {"start", "When it begins", CHAT_INSTANT_AT(struct teams_meeting, start_us)},
    {"end", "When it ends", CHAT_INSTANT_AT(struct teams_meeting, end_us)},
    {"created", "When it was made", CHAT_INSTANT_AT(struct teams_meeting, created_us)},
    {"external", "The id that a program knows it by", TEXT_AT(struct teams_meeting, external)},
    {"number", "That people type to join", TEXT_AT(struct teams_meeting, number)},
    {"passcode", "That they type then", TEXT_AT(struct teams_meeting, passcode)},
    {"url", "The address with which people join", TEXT_AT(struct teams_meeting, url)},
    {"settings", "What was said of it, as the API has it",
     KEPT_AT(struct teams_meeting, settings, JSON_OBJECT)},
    {"event", "The id of its event", TEXT_AT(struct teams_meeting, event)},
};

static int add_meeting(const struct form_in *in, void *row)
{
    struct teams_meeting *m = row;
    struct chat_workspace w;
    struct chat_user u;
    if (chat_user_get(in->tx, m->user, &u) != 1 || chat_workspace_get(in->tx, u.workspace, &w) != 1)
        return -1;
    if (strcmp(w.vendor, "microsoft") != 0)
        return doc_fail(in->d, in->value, "user", "must be of a tenant");
    if (!m->created_us)
        m->created_us = in->tx->now_us;
    if (!m->start_us)
        m->start_us = in->tx->now_us;
    if (!m->end_us)
        m->end_us = m->start_us + INT64_C(3600) * US_PER_SECOND;
    if (m->end_us < m->start_us)
        return doc_fail(in->d, json_get(in->value, "end"), "end", "must be behind start");
    return teams_meeting_add(in->tx, &u, w.key, NULL, m);
}

STORED(teams_meeting_stored, "An online meeting", struct teams_meeting, meeting_members, NULL,
       .table = "teams_meeting", .key = "url", .add = add_meeting);

static const struct member transcript_members[] = {
    CHAT_WORKSPACE_BY(struct teams_transcript, channel, chat_write_workspace_of_channel),
    STORED_ID(struct teams_transcript),
    {"channel", "The meeting's chat, by its id", CHAT_CHANNEL_AT(struct teams_transcript, channel),
     .flags = MEMBER_REQUIRED},
    {"id", "Its id", TEXT_AT(struct teams_transcript, key), .flags = MEMBER_REQUIRED},
    {"start", "When it begins", CHAT_INSTANT_AT(struct teams_transcript, start_us)},
    {"end", "When it ends", CHAT_INSTANT_AT(struct teams_transcript, end_us)},
    {"content", "What was said, as WebVTT", TEXT_AT(struct teams_transcript, content),
     .flags = MEMBER_REQUIRED},
};

static int check_transcript(const struct form_in *in, void *row)
{
    const struct teams_transcript *t = row;
    struct teams_meeting m;
    int r = teams_meeting_of_chat(in->tx, t->channel, &m);
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(in->d, json_get(in->value, "channel"), "channel",
                              "must be the chat of an online meeting");
}

STORED(teams_transcript_stored, "What was said in a meeting", struct teams_transcript,
       transcript_members, check_transcript, .table = "teams_transcript", .key = "channel id");
