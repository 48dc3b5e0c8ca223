/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of online meetings and reports of who was there, by their methods: what a seed
 * document gives. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/teams/meetings/meeting.h"
#include "services/chat/teams/rows.h"
#include "vendors/microsoft/query.h"

static struct meeting_at *open_meeting(struct call *c)
{
    struct meeting_at *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    return k && teams_meeting_open(c, k, false) == 0 ? k : NULL;
}

/* ---- recordings ---- */

static void write_recording(struct meeting_at *k, const struct teams_recording *t)
{
    teams_write_record(k, "recording", t->key, t->start_us, t->end_us);
}

static int recordings_list(struct call *c)
{
    static struct sql_text q = SQL_TEXT("where channel = :channel order by start_us, id");
    static struct sql_text count =
        SQL_TEXT("select count(*) from teams_recording where channel = :channel");
    struct meeting_at *k = open_meeting(c);
    struct teams_recording t;
    sqlite3_stmt *st;
    int64_t n;
    if (!k || TX_INT(&c->tx, &count, &n, k->m.channel) < 0 ||
        !(st = STORED_QUERY(&c->tx, &teams_recording_stored, &q, k->m.channel)))
        return -1;
    int r;
    json_obj(c->out, NULL);
    graph_context(c, "%s", teams_meeting_place(k, "recordings"));
    json_int(c->out, "@odata.count", n);
    json_arr(c->out, "value");
    while ((r = stored_next(&c->tx, &teams_recording_stored, st, &t)) == 1) {
        json_obj(c->out, NULL);
        write_recording(k, &t);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int find_recording(struct call *c, struct meeting_at *k, struct teams_recording *ret)
{
    static struct sql_text q = SQL_TEXT("where channel = :channel and key = :key");
    int r = STORED_ONE(&c->tx, &teams_recording_stored, &q, ret, k->m.channel,
                       param_str(c, "callRecording-id"));
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(c);
}

static int recording_get(struct call *c)
{
    struct meeting_at *k = open_meeting(c);
    struct teams_recording t;
    if (!k || find_recording(c, k, &t) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/$entity", teams_meeting_place(k, "recordings"));
    write_recording(k, &t);
    json_end(c->out);
    return 0;
}

static int recording_content(struct call *c)
{
    struct meeting_at *k = open_meeting(c);
    struct teams_recording t;
    uint8_t *bytes;
    size_t n;
    if (!k || find_recording(c, k, &t) < 0)
        return -1;
    if (base64_decode(c->tx.arena, t.content, strlen(t.content), &bytes, &n) < 0)
        return sosia_fail_memory(c->tx.err);
    call_header_const(c, "Content-Type", "video/mp4");
    buf_add(c->body_out, bytes, n);
    return 0;
}

/* ---- who was there ---- */

/* Organizers and those who were asked to come to that alone may see reports: the organizer. */
static struct meeting_at *open_reports(struct call *c)
{
    struct meeting_at *k = open_meeting(c);
    if (k && !k->at.app && k->organizer.id != k->at.me.id) {
        graph_denied(c);
        return NULL;
    }
    return k;
}

static int64_t instant_of(const struct json *v, const char *name)
{
    const char *text = json_get_str(v, name);
    int64_t us = 0;
    return text && teams_read_time(text, &us) == 0 ? us : 0;
}

static int64_t seconds_of(const struct json *stay)
{
    const int64_t us = instant_of(stay, "to") - instant_of(stay, "from");
    return us > 0 ? us / US_PER_SECOND : 0;
}

static int write_person(struct meeting_at *k, const struct teams_attendance *t, uint32_t i,
                        const struct json *person)
{
    struct json_writer *w = k->at.c->out;
    struct arena *a = k->at.c->tx.arena;
    const char *email = json_get_str(person, "email"), *name = json_get_str(person, "name"),
               *role = json_get_str(person, "role");
    const struct json *stays = json_get(person, "stays");
    struct ms_user user = {.oid = NULL};
    struct chat_user u = {.real_name = NULL};
    int64_t all = 0;
    int r = email ? ms_user_find(&k->at.c->tx, email, k->at.tenant.id, &user) : 0;
    if (r < 0 || (r == 1 && chat_user_find(&k->at.c->tx, k->at.workspace.id, user.oid, &u) < 0))
        return -1;
    for (uint32_t s = 0; s < stays->n; s++)
        all += seconds_of(&stays->items[s]);
    json_str(w, "id", graph_guid(a, "attendance", arena_printf(a, "%s %u", t->key, i)));
    json_str(w, "emailAddress", email);
    json_int(w, "totalAttendanceInSeconds", all);
    json_str(w, "role",
             role                                                  ? role
             : user.oid && strcmp(user.oid, k->organizer.key) == 0 ? "Organizer"
                                                                   : "Attendee");
    json_null(w, "registrationId");
    json_obj(w, "identity");
    json_str(w, "id", r == 1 ? user.oid : NULL);
    json_str(w, "displayName", name ? name : u.real_name);
    json_str(w, "tenantId", r == 1 ? k->at.tenant.guid : NULL);
    json_end(w);
    json_arr(w, "attendanceIntervals");
    for (uint32_t s = 0; s < stays->n; s++) {
        json_obj(w, NULL);
        json_str(w, "joinDateTime", teams_meeting_time(a, instant_of(&stays->items[s], "from")));
        json_str(w, "leaveDateTime", teams_meeting_time(a, instant_of(&stays->items[s], "to")));
        json_int(w, "durationInSeconds", seconds_of(&stays->items[s]));
        json_end(w);
    }
    json_end(w);
    return 0;
}

/* All of a report, as a list that is called so. 0, -1. */
static int write_people(struct meeting_at *k, const struct teams_attendance *t, const char *name)
{
    const struct json *people;
    struct json_writer *w = k->at.c->out;
    if (json_parse(k->at.c->tx.arena, t->people, strlen(t->people), NULL, &people,
                   k->at.c->tx.err) < 0)
        return -1;
    int r = 0;
    json_arr(w, name);
    for (uint32_t i = 0; r == 0 && i < people->n; i++) {
        json_obj(w, NULL);
        r = write_person(k, t, i, &people->items[i]);
        json_end(w);
    }
    json_end(w);
    return r;
}

static int write_report(struct meeting_at *k, const struct teams_attendance *t,
                        const struct odata_query *q)
{
    struct json_writer *w = k->at.c->out;
    struct arena *a = k->at.c->tx.arena;
    const struct json *people;
    if (json_parse(a, t->people, strlen(t->people), NULL, &people, k->at.c->tx.err) < 0)
        return -1;
    json_str(w, "id", t->key);
    json_int(w, "totalParticipantCount", people->n);
    json_str(w, "meetingStartDateTime", teams_meeting_time(a, t->start_us));
    json_str(w, "meetingEndDateTime", teams_meeting_time(a, t->end_us));
    return odata_expands(q, "attendanceRecords") ? write_people(k, t, "attendanceRecords") : 0;
}

static int reports_list(struct call *c)
{
    static struct sql_text q = SQL_TEXT("where channel = :channel order by start_us desc, id");
    struct meeting_at *k = open_reports(c);
    struct teams_attendance *list = NULL, t;
    struct odata_query options;
    sqlite3_stmt *st;
    size_t n = 0, cap = 0;
    int r;
    if (!k || teams_options(c, "meetingAttendanceReport", "$select $expand", &options) < 0 ||
        graph_select(c, &options, ODATA_KEEP_ID, true) < 0 ||
        !(st = STORED_QUERY(&c->tx, &teams_attendance_stored, &q, k->m.channel)))
        return -1;
    while ((r = stored_next(&c->tx, &teams_attendance_stored, st, &t)) == 1) {
        if (!(list = arena_grow(c->tx.arena, list, n, &cap, sizeof *list))) {
            sql_done(st);
            return sosia_fail_memory(c->tx.err);
        }
        list[n++] = t;
    }
    json_obj(c->out, NULL);
    graph_context(c, "%s%s", teams_meeting_place(k, "attendanceReports"),
                  odata_context(c->tx.arena, &options));
    json_arr(c->out, "value");
    for (size_t i = 0; r == 0 && i < n; i++) {
        json_obj(c->out, NULL);
        r = write_report(k, &list[i], &options);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static struct meeting_at *open_report(struct call *c, struct teams_attendance *ret)
{
    static struct sql_text q = SQL_TEXT("where channel = :channel and key = :key");
    struct meeting_at *k = open_reports(c);
    int r = k ? STORED_ONE(&c->tx, &teams_attendance_stored, &q, ret, k->m.channel,
                           param_str(c, "meetingAttendanceReport-id"))
              : -1;
    if (r == 0)
        graph_not_found(c);
    return r == 1 ? k : NULL;
}

static int report_get(struct call *c)
{
    struct odata_query q;
    struct teams_attendance t;
    struct meeting_at *k = open_report(c, &t);
    if (!k || teams_options(c, "meetingAttendanceReport", "$select $expand", &q) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ID, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/$entity", teams_meeting_place(k, "attendanceReports"),
                  odata_context(c->tx.arena, &q));
    int r = write_report(k, &t, &q);
    json_end(c->out);
    return r;
}

static int people_list(struct call *c)
{
    struct teams_attendance t;
    struct meeting_at *k = open_report(c, &t);
    if (!k)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s('%s')/attendanceRecords", teams_meeting_place(k, "attendanceReports"),
                  t.key);
    int r = write_people(k, &t, "value");
    json_end(c->out);
    return r;
}

/* ---- rows ---- */

#define MEETING    "/onlineMeetings/{onlineMeeting-id}"
#define RECORDINGS MEETING "/recordings"
#define REPORTS    MEETING "/attendanceReports"
#define REPORT     REPORTS "/{meetingAttendanceReport-id}"
#define SEEN       "OnlineMeetingRecording.Read.All"
#define ATTENDED   "OnlineMeetingArtifact.Read.All"

static const struct param params[] = {PATH_PARAM("onlineMeeting-id"), USER_PARAM};
static const struct param recording_params[] = {PATH_PARAM("onlineMeeting-id"),
                                                PATH_PARAM("callRecording-id"), USER_PARAM};
static const struct param reports_params[] = {PATH_PARAM("onlineMeeting-id"), USER_PARAM,
                                              OPTION("$select"), OPTION("$expand")};
static const struct param report_params[] = {PATH_PARAM("onlineMeeting-id"),
                                             PATH_PARAM("meetingAttendanceReport-id"), USER_PARAM,
                                             OPTION("$select"), OPTION("$expand")};
static const struct param people_params[] = {PATH_PARAM("onlineMeeting-id"),
                                             PATH_PARAM("meetingAttendanceReport-id"), USER_PARAM};

static const struct route routes[] = {
    ROW("teams.onlineMeetings.recordings.list", GET, (GRAPH_MY(RECORDINGS)), recordings_list,
        RISK_READ, .scopes = SEEN, PARAMS(params),
        .response = "microsoft.graph.callRecordingCollectionResponse",
        .summary = "Lists the recordings of an online meeting"),
    ROW("teams.onlineMeetings.recordings.get", GET, (GRAPH_MY(RECORDINGS "/{callRecording-id}")),
        recording_get, RISK_READ, .scopes = SEEN, PARAMS(recording_params),
        .response = "microsoft.graph.callRecording", .summary = "A recording of a meeting"),
    ROW("teams.onlineMeetings.recordings.content", GET,
        (GRAPH_MY(RECORDINGS "/{callRecording-id}/content")), recording_content, RISK_READ,
        .scopes = SEEN, PARAMS(recording_params), .gives = "video/mp4",
        .summary = "The video of a recording"),
    ROW("teams.onlineMeetings.attendanceReports.list", GET, (GRAPH_MY(REPORTS)), reports_list,
        RISK_READ, .scopes = ATTENDED, PARAMS(reports_params),
        .response = "microsoft.graph.meetingAttendanceReportCollectionResponse",
        .summary = "Lists the reports of who was in an online meeting"),
    ROW("teams.onlineMeetings.attendanceReports.get", GET, (GRAPH_MY(REPORT)), report_get,
        RISK_READ, .scopes = ATTENDED, PARAMS(report_params),
        .response = "microsoft.graph.meetingAttendanceReport",
        .summary = "How many were in an online meeting"),
    ROW("teams.onlineMeetings.attendanceRecords.list", GET, (GRAPH_MY(REPORT "/attendanceRecords")),
        people_list, RISK_READ, .scopes = ATTENDED, PARAMS(people_params),
        .response = "microsoft.graph.attendanceRecordCollectionResponse",
        .summary = "Who was in an online meeting, and when"),
};
const struct rows teams_record_rows = ROWS(routes);
