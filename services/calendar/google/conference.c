/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conferences. A request for one is served in the response, or later, by the world's setting
 * (GCAL_CONFERENCE): then the event has it as pending, and what is due at the same instant, before
 * the next call, makes the conference. Of the solutions only Meet is supported; others fail.
 */
#include "engine/state/own.h"
#include "engine/world/core.h"
#include "engine/world/take.h"
#include "identity/sql.h"
#include "services/calendar/google/gcal.h"
#include "vendors/google/sql.h"

#define CORE "calendar.google"
#define DUE  "conference"

static const struct json *conference_extra(struct tx *tx, const struct cal_event *ev)
{
    const struct json *extra = NULL;
    struct sosia_err err;
    if (ev->extra && json_parse(tx->arena, ev->extra, strlen(ev->extra), NULL, &extra, &err) < 0)
        return NULL;
    return extra;
}

/* NULL also for a request that lacks something: a seed or a client may have brought any form. */
static const struct json *pending_request(const struct json *extra)
{
    const struct json *request = json_get(json_get(extra, "conferenceData"), "createRequest");
    const char *status = json_get_str(json_get(request, "status"), "statusCode");
    bool whole = json_get_str(request, "requestId") &&
                 json_get_str(json_get(request, "conferenceSolutionKey"), "type");
    return whole && status && strcmp(status, "pending") == 0 ? request : NULL;
}

int gcal_ask_conference(struct call *c, const struct cal_event *ev)
{
    if (!ev->id || !pending_request(conference_extra(&c->tx, ev)))
        return 0;
    return due_add(&c->tx, c->tx.now_us, CORE, DUE, ev->id);
}

/* Ten letters as the service groups them, abc-defg-hij, that no conference of an event has, which a
 * dump may have brought. */
static int make_id(struct tx *tx, char ret[13])
{
    uint8_t bytes[10];
    int r;
    do {
        if (tx_id(tx, "conference", bytes, sizeof bytes) < 0)
            return -1;
        char *p = ret;
        for (int i = 0; i < 10; i++) {
            if (i == 3 || i == 7)
                *p++ = '-';
            *p++ = (char)('a' + bytes[i] % 26);
        }
        *p = 0;
    } while ((r = cal_conference_known(tx, ret)) == 1);
    return r;
}

static void write_request(struct json_writer *w, const struct json *request, const char *status)
{
    json_obj(w, "createRequest");
    json_str(w, "requestId", json_get_str(request, "requestId"));
    json_value(w, "conferenceSolutionKey", json_get(request, "conferenceSolutionKey"));
    json_obj(w, "status");
    json_str(w, "statusCode", status);
    json_end(w);
    json_end(w);
}

static void write_conference(struct json_writer *w, const struct json *request, const char *id)
{
    char uri[64], label[64];
    json_obj(w, "conferenceData");
    write_request(w, request, id ? "success" : "failure");
    if (id) {
        stpcpy(stpcpy(uri, "https://meet.google.com/"), id);
        stpcpy(stpcpy(label, "meet.google.com/"), id);
        json_arr(w, "entryPoints");
        json_obj(w, NULL);
        json_str(w, "entryPointType", "video");
        json_str(w, "uri", uri);
        json_str(w, "label", label);
        json_end(w);
        json_end(w);
        json_obj(w, "conferenceSolution");
        json_obj(w, "key");
        json_str(w, "type", "hangoutsMeet");
        json_end(w);
        json_str(w, "name", "Google Meet");
        json_str(w, "iconUri",
                 "https://fonts.gstatic.com/s/i/productlogos/meet_2020q4/v6/web-512dp/"
                 "logo_meet_2020q4_color_2x_web_512dp.png");
        json_end(w);
        json_str(w, "conferenceId", id);
    }
    json_end(w);
    if (id)
        json_str(w, "hangoutLink", uri);
}

const struct json *gcal_make_conference(struct tx *tx, const struct json *request)
{
    const char *type = json_get_str(json_get(request, "conferenceSolutionKey"), "type");
    bool meet = type && strcmp(type, "hangoutsMeet") == 0;
    const struct json *made = NULL;
    struct json_writer w;
    struct buf b;
    char id[13];
    if (meet && make_id(tx, id) < 0)
        return NULL;
    json_start(&w, &b);
    json_obj(&w, NULL);
    write_conference(&w, request, meet ? id : NULL);
    json_end(&w);
    const char *text = buf_keep(&b, tx->arena);
    return json_parse(tx->arena, text, strlen(text), NULL, &made, tx->err) < 0 ? NULL : made;
}

static int make_pending(struct tx *tx, int64_t ref)
{
    struct cal_event old, ev;
    struct calendar cal;
    struct json_writer w;
    struct buf b;
    int r = cal_event_by_id(tx, ref, &old);
    if (r == 1)
        r = calendar_by_id(tx, old.calendar, &cal);
    const struct json *extra = r == 1 ? conference_extra(tx, &old) : NULL, *made;
    const struct json *request = pending_request(extra);
    if (r != 1 || !request || old.status == EVENT_CANCELLED)
        return r < 0 ? -1 : 0;
    if (cal_event_load_attendees(tx, &old) < 0 || !(made = gcal_make_conference(tx, request)))
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < extra->n; i++)
        if (strcmp(extra->members[i].key, "conferenceData") != 0 &&
            strcmp(extra->members[i].key, "hangoutLink") != 0)
            json_value(&w, extra->members[i].key, &extra->members[i].value);
    for (uint32_t i = 0; i < made->n; i++)
        json_value(&w, made->members[i].key, &made->members[i].value);
    json_end(&w);
    ev = old;
    ev.extra = buf_keep(&b, tx->arena);
    return cal_event_save(tx, &(struct cal_event_by){0}, &cal, &old, &ev);
}

static int due(struct tx *tx, const char *kind, int64_t ref)
{
    (void)kind;
    return make_pending(tx, ref);
}

extern const char calendar_google_sql[], calendar_google_upgrade_sql[];

static const struct core_upgrade upgrades[] = {
    {.from = "sosia 2", .sql = calendar_google_upgrade_sql}, {0}};

static const struct member channel_members[] = {
    PART(&google_channel_form),
    OWN("calendar", "The calendar, of its events and of who may use it", "text"),
};
const struct form gcal_channel_form = FORM("A channel of calendars", channel_members);

static const struct section sections[] = {
    {.name = "calendarSettings",
     .seed_one = gcal_setting_seed,
     .dump = gcal_settings_dump,
     .schema = gcal_setting_schema},
    {.name = "googleCalendar",
     .seed = gcal_options_seed,
     .dump = gcal_options_dump,
     .schema = gcal_options_schema},
    {.name = "calendarChannels",
     .seed_one = gcal_channel_seed,
     .ids = SECTION_IDS("select c.id from " GOOGLE_SQL_CHANNELS
                        " c where c.kind glob 'calendar.*' order by c.name"),
     .dump_one = gcal_channel_dump,
     .form = &gcal_channel_form},
};

static const struct entity gcal_entities[] = {
    {"calendarListEntry", "gcal_listing", gcal_listing_key, gcal_listing_dump, NULL},
    {.name = "calendarSetting",
     .table = "gcal_setting",
     .named = ENTITY_NAMED("person setting",
                           "select " IDENT_SQL_EMAIL("s.actor") ", s.name from "
                                                                "gcal_setting s where s.id = ?1"),
     .dump = gcal_setting_dump,
     .members = GCAL_SETTING_NAMES},
    {.name = "googleCalendarOption",
     .table = "calendar_google_option",
     .named = ENTITY_NAMED("option", "select name from calendar_google_option where id = ?1"),
     .dump = gcal_option_dump,
     .members = GCAL_OPTION_NAMES},
};

/* Null is none. */
#define NO_LIST(column)                                                                            \
    "case when " column " is null then 0 when json_valid(" column ") then json_type(" column       \
    ") <> 'array' else 1 end"

static const struct core_rule rules[] = {
    {"calendar_google_option", "value not between 0 and 1048576"},
    {"gcal_listing", IDENT_SQL_EMAIL("actor") " is null"},
    {"gcal_listing", "hidden not in (0, 1) or selected not in (0, 1) or gone not in (0, 1)"},
    {"gcal_listing", NO_LIST("reminders")},
    {"gcal_listing", NO_LIST("notices")},
    {"gcal_listing", "updated_us not between -62135596800000000 and 253402300799999999"},
    {"gcal_listing", "change not between 0 and 1099511627776"},
    {"gcal_setting", IDENT_SQL_EMAIL("actor") " is null"},
    {"gcal_setting", "updated_us not between -62135596800000000 and 253402300799999999"},
    {"gcal_setting", "change not between 0 and 1099511627776"},
    {"google_channel",
     "kind glob 'calendar.*' and kind not in ('calendar.events', 'calendar.acl') and not (kind in "
     "('calendar.list', 'calendar.settings') and ref = actor)"},
    {0},
};

/* Rows that name calendars name some that are there. */
static int check(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select distinct c.ref from " GOOGLE_SQL_CHANNELS
                 " c where c.kind in ('calendar.events', 'calendar.acl') and c.ref <> 0");
    struct calendar cal;
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int64_t id;
    int r;
    while ((r = TX_TAKE_NEXT(tx, st, &id)) == 1) {
        int there = calendar_by_id(tx, id, &cal);
        if (there == 1)
            continue;
        sql_done(st);
        return there < 0 ? -1
                         : tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                                   "a row in google_channel names no calendar");
    }
    return r < 0 ? -1 : gcal_listing_check(tx);
}

static const struct core_policy policies[] = {{CALENDAR_CORE, "google", &gcal_vendor}, {0}};

const struct sosia_core calendar_google_core = {
    .name = CORE,
    .schema = calendar_google_sql,
    .upgrades = upgrades,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .provisions = gcal_provisions,
    .entities = gcal_entities,
    .n_entities = SOSIA_LEN(gcal_entities),
    .views = gcal_views,
    .tables = gcal_tables,
    .due = due,
    .policies = policies,
    .rules = rules,
    .check = check,
};
