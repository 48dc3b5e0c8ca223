/* SPDX-License-Identifier: Apache-2.0 */
/* The online meeting of a call, and what is said of all that belongs to one. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/teams/meetings/meeting.h"

const char *teams_meeting_id(struct arena *a, const char *oid, const char *chat)
{
    const char *text = arena_printf(a, "1*%s*0**%s", oid, chat);
    return base64_text(a, NULL, text, strlen(text));
}

/* Its chat and its organizer. 0, -1. */
int teams_meeting_complete(struct meeting_at *k)
{
    struct tx *tx = &k->at.c->tx;
    if (!k->m.id)
        return 0;
    return chat_channel_get(tx, k->m.channel, &k->at.channel) == 1 &&
                   chat_user_get(tx, k->m.user, &k->organizer) == 1
               ? 0
               : -1;
}

/* By the id of its chat. 1, 0, -1. */
int teams_meeting_at(struct meeting_at *k, const char *chat)
{
    int r = teams_meeting_reach(&k->at, chat, &k->m, &k->organizer, &k->event);
    if (r != 1)
        return r;
    k->at.channel = (struct chat_channel){.key = chat};
    return teams_meeting_complete(k) < 0 ? -1 : 1;
}

/* Organizers and those who were asked see a meeting; organizers alone change it. 0, -1. */
int teams_meeting_may(struct meeting_at *k, bool change)
{
    struct chat_member in;
    const int64_t me = k->at.me.id;
    int r = k->m.id
                ? me && me == k->m.user
                : !change || strcmp(k->organizer.key, k->at.user.oid) == 0; /* it is in theirs */
    if (!r && me && !change)
        r = chat_member_of(&k->at.c->tx, k->m.channel, me, &in);
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(k->at.c);
}

/* One of an event gets its row. */
static int settle(struct meeting_at *k)
{
    const char *chat = k->at.channel.key;
    return teams_meeting_settle(&k->at, chat, &k->organizer, &k->event, &k->m) < 0
               ? -1
               : teams_meeting_complete(k);
}

int teams_meeting_open(struct call *c, struct meeting_at *k, bool change)
{
    const char *id = param_str(c, "onlineMeeting-id");
    uint8_t *bytes;
    size_t n;
    if ((change ? teams_open_write(c, &k->at) : teams_open(c, &k->at)) < 0)
        return -1;
    if (base64_decode(c->tx.arena, id, strlen(id), &bytes, &n) < 0 || n < 4 ||
        memcmp(bytes, "1*", 2) != 0)
        return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL, "Meeting Id is corrupted.");
    const char *text = arena_memdup(c->tx.arena, (const char *)bytes, n),
               *chat = text ? strstr(text, "*0**") : NULL;
    int r = chat ? teams_meeting_at(k, chat + 4) : 0;
    if (r != 1)
        return r < 0 ? -1 : call_fail(c, SOSIA_E_NOT_FOUND, "NotFound", NULL, "Meeting not found.");
    if (teams_meeting_may(k, change) < 0)
        return -1;
    return change && !k->m.id ? settle(k) : 0;
}

/* A fraction is said where there is one. */
const char *teams_meeting_time(struct arena *a, int64_t us)
{
    return graph_date(a, us, us % US_PER_SECOND ? 7 : 0);
}

static void write_organizer(struct meeting_at *k)
{
    struct json_writer *w = k->at.c->out;
    json_obj(w, "meetingOrganizer");
    json_null(w, "application");
    json_null(w, "device");
    teams_write_user(w, "user", k->organizer.key, NULL, k->at.tenant.guid);
    json_end(w);
}

void teams_write_record(struct meeting_at *k, const char *kind, const char *key, int64_t start_us,
                        int64_t end_us)
{
    struct json_writer *w = k->at.c->out;
    struct arena *a = k->at.c->tx.arena;
    const char *meeting = teams_meeting_id(a, k->organizer.key, k->at.channel.key);
    json_str(w, "id", key);
    json_str(w, "meetingId", meeting);
    json_str(w, "callId", graph_guid(a, "call", key));
    json_str(w, "contentCorrelationId", graph_guid(a, "correlation", key));
    json_str(w, ARENA_JOIN(a, kind, "ContentUrl"),
             arena_printf(a,
                          "https://" GRAPH_HOST "/v1.0/users/%s/onlineMeetings/%s/%ss/%s/content",
                          k->organizer.key, meeting, kind, key));
    json_str(w, "createdDateTime", teams_meeting_time(a, start_us));
    json_str(w, "endDateTime", teams_meeting_time(a, end_us));
    write_organizer(k);
}

const char *teams_meeting_place(struct meeting_at *k, const char *what)
{
    struct arena *a = k->at.c->tx.arena;
    return arena_printf(a, "users('%s')/onlineMeetings%s/%s", k->organizer.key,
                        graph_key(a, teams_meeting_id(a, k->organizer.key, k->at.channel.key)),
                        what);
}
