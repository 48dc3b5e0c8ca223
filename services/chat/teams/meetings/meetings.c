/* SPDX-License-Identifier: Apache-2.0 */
/* Online meetings by their methods: made, found by the address that people join with, changed,
 * deleted, and what was said in them. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/teams/meetings/meeting.h"
#include "services/chat/teams/rows.h"
#include "vendors/microsoft/meeting.h"
#include "vendors/microsoft/query.h"
#include <strings.h>

#define HOUR_US      (INT64_C(3600) * US_PER_SECOND)
#define MAX_SUBJECT  255
#define MAX_EXTERNAL 500

/* ---- what is said of a meeting beside its table ---- */

/* Members that a body may set, with what they are otherwise (JSON). */
static const struct {
    const char *name, *usual;
} settings[] = {
    {"isEntryExitAnnounced", "false"},
    {"allowedPresenters", "\"everyone\""},
    {"allowMeetingChat", "\"enabled\""},
    {"allowTeamworkReactions", "true"},
    {"allowAttendeeToEnableMic", "true"},
    {"allowAttendeeToEnableCamera", "true"},
    {"recordAutomatically", "false"},
    {"allowParticipantsToChangeName", "false"},
    {"allowTranscription", "true"},
    {"allowRecording", "true"},
    {"shareMeetingChatHistoryDefault", "\"none\""},
    {"lobbyBypassSettings", "{\"scope\":\"organization\",\"isDialInBypassEnabled\":false}"},
    {"watermarkProtection", "null"},
};

static int take_settings(struct teams_at *at, const struct json *body, struct teams_meeting *m)
{
    for (size_t i = 0; i < SOSIA_LEN(settings); i++) {
        const struct json *v = json_get(body, settings[i].name);
        if (!v)
            continue;
        m->settings = teams_with(at->c->tx.arena, m->settings ? m->settings : "{}",
                                 settings[i].name, v->type == JSON_NULL ? NULL : v);
        if (!m->settings)
            return sosia_fail_memory(at->c->tx.err);
    }
    return 0;
}

/* ---- ids: base64 of "1*ORGANIZER*0**CHAT" ---- */

/* ---- answers ---- */

static void write_identity(struct json_writer *w, const char *oid, const char *tenant)
{
    json_obj(w, "identity");
    json_null(w, "application");
    json_null(w, "device");
    json_obj(w, "user");
    json_str(w, "id", oid);
    json_null(w, "displayName");
    json_str(w, "tenantId", tenant);
    json_end(w);
    json_end(w);
}

static int write_participant(struct meeting_at *k, const char *name, const struct chat_user *u,
                             const char *role)
{
    struct json_writer *w = k->at.c->out;
    struct ms_user user;
    int r = u->key ? ms_user_find(&k->at.c->tx, u->key, k->at.tenant.id, &user) : 0;
    if (r < 0)
        return -1;
    json_obj(w, name);
    json_str(w, "upn", r ? user.upn : u->email);
    json_str(w, "role", role);
    if (u->key)
        write_identity(w, u->key, k->at.tenant.guid);
    else
        json_null(w, "identity");
    json_end(w);
    return 0;
}

/* Whom an event names. */
static int write_guests(struct meeting_at *k)
{
    for (size_t i = 0; i < k->event.n_guests; i++) {
        struct ms_user user;
        struct chat_user u = {.email = k->event.guests[i]};
        int r = ms_user_find(&k->at.c->tx, u.email, k->at.tenant.id, &user);
        if (r < 0)
            return -1;
        u.key = r ? user.oid : NULL;
        if (write_participant(k, NULL, &u, "attendee") < 0)
            return -1;
    }
    return 0;
}

static int write_participants(struct meeting_at *k)
{
    struct json_writer *w = k->at.c->out;
    struct tx *tx = &k->at.c->tx;
    struct chat_member in;
    struct chat_user u;
    int64_t *users = NULL;
    size_t n = 0;
    if (k->m.id && chat_members(tx, k->m.channel, NULL, -1, &users, &n) < 0)
        return -1;
    json_obj(w, "participants");
    if (write_participant(k, "organizer", &k->organizer, "presenter") < 0)
        return -1;
    json_arr(w, "attendees");
    if (!k->m.id && write_guests(k) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (users[i] == k->m.user)
            continue;
        if (chat_user_get(tx, users[i], &u) != 1 ||
            chat_member_of(tx, k->m.channel, users[i], &in) != 1 ||
            write_participant(k, NULL, &u, in.part == CHAT_PART_OWNER ? "presenter" : "attendee") <
                0)
            return -1;
    }
    json_end(w);
    json_end(w);
    return 0;
}

static void write_join(struct meeting_at *k)
{
    static const char text[] =
        "<div style=\"width:100%%;\"><div>Microsoft Teams meeting</div><div><a href=\"%s\">Join "
        "the "
        "meeting now</a></div><div>Meeting ID: %s</div><div>Passcode: %s</div></div>";
    struct json_writer *w = k->at.c->out;
    struct arena *a = k->at.c->tx.arena;
    const char *html = arena_printf(a, text, k->m.url, k->m.number, k->m.passcode);
    char *data = arena_alloc(a, 3 * strlen(html) + 1);
    if (!arena_failed(a))
        *percent_put(data, html, strlen(html)) = '\0';
    json_obj(w, "joinInformation");
    json_str(w, "content", arena_printf(a, "data:text/html,%s", arena_failed(a) ? "" : data));
    json_word(w, "contentType", "html");
    json_end(w);
    json_obj(w, "joinMeetingIdSettings");
    json_bool(w, "isPasscodeRequired", true);
    json_str(w, "joinMeetingId", k->m.number);
    json_str(w, "passcode", k->m.passcode);
    json_end(w);
}

static int write_meeting(struct meeting_at *k)
{
    struct json_writer *w = k->at.c->out;
    struct arena *a = k->at.c->tx.arena;
    const struct json *said = teams_properties(a, k->m.settings);
    json_str(w, "id", teams_meeting_id(a, k->organizer.key, k->at.channel.key));
    json_str(w, "creationDateTime", teams_meeting_time(a, k->m.created_us));
    json_str(w, "startDateTime", teams_meeting_time(a, k->m.start_us));
    json_str(w, "endDateTime", teams_meeting_time(a, k->m.end_us));
    json_str(w, "joinWebUrl", k->m.url);
    json_str(w, "subject", k->m.subject);
    json_bool(w, "isBroadcast", false);
    for (size_t i = 0; i < SOSIA_LEN(settings); i++) {
        const struct json *v = said ? json_get(said, settings[i].name) : NULL;
        if (v)
            json_value(w, settings[i].name, v);
        else
            json_raw(w, settings[i].name, settings[i].usual, strlen(settings[i].usual));
    }
    json_null(w, "videoTeleconferenceId");
    json_str(w, "externalId", k->m.external);
    json_null(w, "broadcastSettings");
    json_null(w, "audioConferencing");
    if (write_participants(k) < 0)
        return -1;
    json_obj(w, "chatInfo");
    json_str(w, "threadId", k->at.channel.key);
    json_word(w, "messageId", "0");
    json_null(w, "replyChainMessageId");
    json_end(w);
    write_join(k);
    return 0;
}

static int answer_meeting(struct meeting_at *k)
{
    struct call *c = k->at.c;
    json_obj(c->out, NULL);
    graph_context(c, "users('%s')/onlineMeetings/$entity",
                  k->at.user.id ? k->at.user.oid : k->organizer.key);
    int r = write_meeting(k);
    json_end(c->out);
    return r;
}

/* ---- bodies ---- */

static int bad_argument(struct call *c, const char *text)
{
    return call_fail(c, SOSIA_E_INVALID, "InvalidArgument", NULL, "%s", text);
}

/* The times of a body; what it does not say is now and an hour later, or stays. */
static int take_times(struct teams_at *at, const struct json *body, struct teams_meeting *m)
{
    const char *start = json_get_str(body, "startDateTime"),
               *end = json_get_str(body, "endDateTime");
    const int64_t length = m->end_us > m->start_us ? m->end_us - m->start_us : HOUR_US;
    if (start && teams_read_time(start, &m->start_us) < 0)
        return bad_argument(at->c, "StartTime is not a valid time.");
    if (!m->start_us)
        m->start_us = at->c->tx.now_us;
    if (end && teams_read_time(end, &m->end_us) < 0)
        return bad_argument(at->c, "EndTime is not a valid time.");
    if (!end && (!m->end_us || start))
        m->end_us = m->start_us + length;
    return m->end_us < m->start_us || m->start_us < 0 || m->end_us > CHAT_LAST_INSTANT
               ? bad_argument(at->c, "EndTime must be greater than or equal to StartTime.")
               : 0;
}

static int take_subject(struct teams_at *at, const struct json *body, struct teams_meeting *m)
{
    const struct json *v = json_get(body, "subject");
    if (!v)
        return 0;
    m->subject = v->type == JSON_STRING && *v->str ? v->str : NULL;
    return m->subject && strlen(m->subject) > MAX_SUBJECT
               ? bad_argument(at->c, "Subject is too long.")
               : 0;
}

/* Who is in a body's participants as an attendee; those that it does not name leave. 0, -1. */
static int take_attendees(struct meeting_at *k, const struct json *body)
{
    const struct json *list = json_get(json_get(body, "participants"), "attendees");
    struct tx *tx = &k->at.c->tx;
    struct chat_channel *ch = &k->at.channel;
    int64_t *before, *now;
    size_t n, n_now = 0;
    if (!list || list->type != JSON_ARRAY)
        return 0;
    if (list->n > TEAMS_ADDED)
        return bad_argument(k->at.c, "There are too many attendees.");
    now = arena_alloc(tx->arena, (list->n + 1) * sizeof *now);
    if (arena_failed(tx->arena) || chat_members(tx, ch->id, NULL, -1, &before, &n) < 0)
        return -1;
    for (uint32_t i = 0; i < list->n; i++) {
        const char *upn = json_get_str(&list->items[i], "upn"),
                   *role = json_get_str(&list->items[i], "role"),
                   *oid =
                       json_get_str(json_get(json_get(&list->items[i], "identity"), "user"), "id");
        struct ms_user user;
        struct chat_user u;
        int r = upn || oid ? ms_user_find(tx, oid ? oid : upn, k->at.tenant.id, &user) : 0;
        if (r < 0 || (r == 1 && teams_person(&k->at, &user, &u) < 0))
            return -1;
        if (r == 0 || u.id == k->m.user) /* people outside have the address alone */
            continue;
        if (chat_member_add(tx, ch, u.id, k->m.user) < 0 ||
            chat_member_part(tx, ch->id, u.id,
                             role && strcmp(role, "presenter") == 0 ? CHAT_PART_OWNER
                                                                    : CHAT_PART_MEMBER) < 0)
            return -1;
        now[n_now++] = u.id;
    }
    for (size_t i = 0; i < n; i++) {
        bool stays = before[i] == k->m.user;
        for (size_t j = 0; j < n_now; j++)
            stays |= now[j] == before[i];
        if (!stays && chat_member_remove(tx, ch, before[i], k->m.user) < 0)
            return -1;
    }
    return 0;
}

/* ---- methods ---- */

static int make(struct meeting_at *k, const struct json *body, const char *external)
{
    struct call *c = k->at.c;
    k->m = (struct teams_meeting){.external = external, .created_us = c->tx.now_us};
    k->organizer = k->at.me;
    if (!k->at.me.id)
        return graph_denied(c);
    if (take_subject(&k->at, body, &k->m) < 0 || take_times(&k->at, body, &k->m) < 0 ||
        take_settings(&k->at, body, &k->m) < 0 ||
        teams_meeting_add(&c->tx, &k->at.me, k->at.tenant.guid, NULL, &k->m) < 0 ||
        teams_meeting_complete(k) < 0 || take_attendees(k, body) < 0)
        return -1;
    c->status = 201;
    return answer_meeting(k);
}

static int meeting_create(struct call *c)
{
    struct meeting_at *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    const struct json *body;
    return !k || teams_open_write(c, &k->at) < 0 || !(body = call_body(c)) ? -1
                                                                           : make(k, body, NULL);
}

static int meeting_create_or_get(struct call *c)
{
    struct meeting_at *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    const struct json *body;
    if (!k || teams_open_write(c, &k->at) < 0 || !(body = call_body(c)))
        return -1;
    const char *external = json_get_str(body, "externalId");
    if (!external || !*external || strlen(external) > MAX_EXTERNAL)
        return bad_argument(c, "ExternalId must be specified.");
    int r = k->at.me.id ? teams_meeting_by_external(&c->tx, k->at.me.id, external, &k->m) : 0;
    if (r)
        return r < 0 || teams_meeting_complete(k) < 0 ? -1 : answer_meeting(k);
    return make(k, body, external);
}

static int meeting_get(struct call *c)
{
    struct meeting_at *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    struct odata_query q;
    return !k || teams_meeting_open(c, k, false) < 0 ||
                   teams_options(c, "onlineMeeting", "$select", &q) < 0 ||
                   graph_select(c, &q, ODATA_KEEP_ID, false) < 0
               ? -1
               : answer_meeting(k);
}

/* "JoinWebUrl eq 'X'", with names in any case: X; NULL: it is not about that member. */
static const char *compared(struct arena *a, const char *filter, const char *name)
{
    const size_t n = strlen(name);
    while (*filter == ' ')
        filter++;
    if (strncasecmp(filter, name, n) != 0 || strncasecmp(filter + n, " eq '", 5) != 0)
        return NULL;
    char *text = arena_strdup(a, filter + n + 5), *to = text;
    for (const char *p = text; *p && !arena_failed(a); p++) {
        if (*p == '\'' && p[1] != '\'')
            break;
        p += *p == '\'';
        *to++ = *p;
    }
    *to = '\0';
    return text;
}

static int meetings_list(struct call *c)
{
    struct meeting_at *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    const char *filter = graph_option(c, "$filter");
    if (!k || teams_open(c, &k->at) < 0)
        return -1;
    const char *url = filter ? compared(c->tx.arena, filter, "joinWebUrl") : NULL;
    const char *number = filter && !url
                             ? compared(c->tx.arena, filter, "joinMeetingIdSettings/joinMeetingId")
                             : NULL;
    if (!url && !number)
        return bad_argument(c, filter ? "Filter expression expected - /onlineMeetings?$filter="
                                        "JoinWebUrl eq '{joinWebUrl}'."
                                      : "Filter expression is expected.");
    const char *chat = url ? teams_chat_of_url(c->tx.arena, url) : NULL;
    int r = chat && strlen(chat) < 200 ? teams_meeting_at(k, chat)
            : url                      ? teams_meeting_by_url(&c->tx, url, &k->m)
                                       : teams_meeting_by_number(&c->tx, number, &k->m);
    if (r < 0 || (r == 1 && (teams_meeting_complete(k) < 0 || teams_meeting_may(k, false) < 0)))
        return -1;
    if (r == 0) /* so says the service of an address that it does not know */
        return call_fail(c, SOSIA_E_NOT_FOUND, "NotFound", NULL, "Meeting not found.");
    json_obj(c->out, NULL);
    graph_context(c, "users('%s')/onlineMeetings",
                  k->at.user.id ? k->at.user.oid : k->organizer.key);
    json_arr(c->out, "value");
    json_obj(c->out, NULL);
    r = write_meeting(k);
    json_end(c->out);
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int meeting_update(struct call *c)
{
    static const char *const changed[] = {"topic", NULL};
    struct meeting_at *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    const struct json *body;
    if (!k || teams_meeting_open(c, k, true) < 0 || !(body = call_body(c)) ||
        take_subject(&k->at, body, &k->m) < 0 || take_times(&k->at, body, &k->m) < 0 ||
        take_settings(&k->at, body, &k->m) < 0 || teams_meeting_save(&c->tx, &k->m) < 0 ||
        take_attendees(k, body) < 0)
        return -1;
    if (json_get(body, "subject")) {
        k->at.channel.topic = k->m.subject ? k->m.subject : "";
        if (chat_channel_save(&c->tx, &k->at.channel, changed) < 0)
            return -1;
    }
    return answer_meeting(k);
}

static int meeting_delete(struct call *c)
{
    struct meeting_at *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    if (!k || teams_meeting_open(c, k, true) < 0)
        return -1;
    c->status = 204;
    return teams_meeting_drop(&c->tx, &k->m);
}

/* ---- transcripts ---- */

static void write_transcript(struct meeting_at *k, const struct teams_transcript *t)
{
    teams_write_record(k, "transcript", t->key, t->start_us, t->end_us);
}

static int transcripts_list(struct call *c)
{
    static struct sql_text q = SQL_TEXT("where channel = :channel order by start_us, id");
    struct meeting_at *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    struct teams_transcript t;
    if (!k || teams_meeting_open(c, k, false) < 0)
        return -1;
    sqlite3_stmt *st = STORED_QUERY(&c->tx, &teams_transcript_stored, &q, k->m.channel);
    int64_t n = 0;
    int r;
    json_obj(c->out, NULL);
    graph_context(c, "%s", teams_meeting_place(k, "transcripts"));
    json_arr(c->out, "value");
    while ((r = stored_next(&c->tx, &teams_transcript_stored, st, &t)) == 1) {
        json_obj(c->out, NULL);
        write_transcript(k, &t);
        json_end(c->out);
        n++;
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int find_transcript(struct call *c, struct meeting_at *k, struct teams_transcript *ret)
{
    static struct sql_text q = SQL_TEXT("where channel = :channel and key = :key");
    if (teams_meeting_open(c, k, false) < 0)
        return -1;
    int r = STORED_ONE(&c->tx, &teams_transcript_stored, &q, ret, k->m.channel,
                       param_str(c, "callTranscript-id"));
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(c);
}

static int transcript_get(struct call *c)
{
    struct meeting_at *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    struct teams_transcript t;
    if (!k || find_transcript(c, k, &t) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/$entity", teams_meeting_place(k, "transcripts"));
    write_transcript(k, &t);
    json_end(c->out);
    return 0;
}

static int transcript_content(struct call *c)
{
    struct meeting_at *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    const char *format = graph_option(c, "$format");
    struct teams_transcript t;
    if (!k || find_transcript(c, k, &t) < 0)
        return -1;
    if (format && strcasecmp(format, "text/vtt") != 0)
        return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                         "The requested format is not supported.");
    call_header_const(c, "Content-Type", "text/vtt");
    buf_puts(c->body_out, t.content);
    return 0;
}

/* ---- rows ---- */

#define MEETINGS "/onlineMeetings"
#define MEETING  MEETINGS "/{onlineMeeting-id}"
#define SAID     MEETING "/transcripts"
#define TYPE     "microsoft.graph.onlineMeeting"
#define READ                                                                                       \
    "OnlineMeetings.Read OnlineMeetings.ReadWrite OnlineMeetings.Read.All "                        \
    "OnlineMeetings.ReadWrite.All"
#define WRITE    "OnlineMeetings.ReadWrite OnlineMeetings.ReadWrite.All"
#define READ_ALL "OnlineMeetingTranscript.Read.All"

static const struct param all_params[] = {USER_PARAM, OPTION("$filter")};
static const struct param make_params[] = {USER_PARAM};
static const struct param params[] = {PATH_PARAM("onlineMeeting-id"), USER_PARAM};
static const struct param get_params[] = {PATH_PARAM("onlineMeeting-id"), USER_PARAM,
                                          OPTION("$select")};
static const struct param one_params[] = {PATH_PARAM("onlineMeeting-id"),
                                          PATH_PARAM("callTranscript-id"), USER_PARAM};
static const struct param content_params[] = {
    PATH_PARAM("onlineMeeting-id"), PATH_PARAM("callTranscript-id"), USER_PARAM, OPTION("$format")};

static const struct route routes[] = {
    ROW("teams.onlineMeetings.list", GET, (GRAPH_MY(MEETINGS)), meetings_list, RISK_READ,
        .scopes = READ, PARAMS(all_params), .response = TYPE "CollectionResponse",
        .summary = "Finds an online meeting by the address that people join with"),
    ROW("teams.onlineMeetings.create", POST, (GRAPH_MY(MEETINGS)), meeting_create, RISK_WRITE,
        .scopes = WRITE, PARAMS(make_params), .body = BODY_JSON, .request = TYPE, .response = TYPE,
        .status = 201, .summary = "Makes an online meeting"),
    ROW("teams.onlineMeetings.createOrGet", POST, (GRAPH_MY(MEETINGS "/createOrGet")),
        meeting_create_or_get, RISK_WRITE, .scopes = WRITE, PARAMS(make_params), .body = BODY_JSON,
        .request = TYPE ".createOrGet", .response = TYPE, .status = 201, .idempotent = true,
        .summary = "Makes an online meeting with a program's own id, or finds it again"),
    ROW("teams.onlineMeetings.get", GET, (GRAPH_MY(MEETING)), meeting_get, RISK_READ,
        .scopes = READ, PARAMS(get_params), .response = TYPE, .summary = "An online meeting"),
    ROW("teams.onlineMeetings.update", PATCH, (GRAPH_MY(MEETING)), meeting_update, RISK_WRITE,
        .scopes = WRITE, PARAMS(params), .body = BODY_JSON, .request = TYPE, .response = TYPE,
        .idempotent = true, .summary = "Changes an online meeting"),
    ROW("teams.onlineMeetings.delete", DELETE, (GRAPH_MY(MEETING)), meeting_delete,
        RISK_DESTRUCTIVE, .scopes = WRITE, PARAMS(params), .status = 204,
        .summary = "Deletes an online meeting"),
    ROW("teams.onlineMeetings.transcripts.list", GET, (GRAPH_MY(SAID)), transcripts_list, RISK_READ,
        .scopes = READ_ALL, PARAMS(params),
        .response = "microsoft.graph.callTranscriptCollectionResponse",
        .summary = "Lists what was said in an online meeting"),
    ROW("teams.onlineMeetings.transcripts.get", GET, (GRAPH_MY(SAID "/{callTranscript-id}")),
        transcript_get, RISK_READ, .scopes = READ_ALL, PARAMS(one_params),
        .response = "microsoft.graph.callTranscript", .summary = "A transcript of a meeting"),
    ROW("teams.onlineMeetings.transcripts.content", GET,
        (GRAPH_MY(SAID "/{callTranscript-id}/content")), transcript_content, RISK_READ,
        .scopes = READ_ALL, PARAMS(content_params), .gives = "text/vtt",
        .summary = "The text of a transcript, as WebVTT"),
};
const struct rows teams_meeting_rows = ROWS(routes);
