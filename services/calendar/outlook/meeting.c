/* SPDX-License-Identifier: Apache-2.0 */
/* findMeetingTimes: when the people of a meeting could meet (MG-82, MG-83, MG-417). */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/calendar/outlook/params.h"
#include "services/calendar/outlook/place.h"
#include "services/calendar/outlook/schedule.h"
#include <math.h>
#include <stdlib.h>

#define MINUTE      (60 * US_PER_SECOND)
#define STEP        (30 * MINUTE)
#define MOST_SLOTS  50
#define MOST_DAYS   62
#define MOST_GUESTS 100
#define MOST_ROOMS  100

struct guest {
    const char *address;
    bool optional, resource, known;
    struct ocal_schedule schedule;
};

/* Where the people could meet. */
struct room {
    const char *name, *address;
    bool checked;   /* it must be free */
    bool suggested; /* one of the tenant's, if none of those asked for is free */
    bool known;
    struct ocal_schedule schedule;
};

struct slot {
    int64_t start_us, end_us;
};

struct suggestion {
    int64_t start_us;
    double confidence;
    enum cal_busy organizer;
};

struct search {
    struct ocal_at *at;
    const struct json *body;
    struct guest *guests;
    size_t n;
    struct room *rooms;
    size_t n_rooms, cap_rooms;
    bool room_required;
    struct ocal_schedule own;
    struct slot slots[MOST_SLOTS];
    size_t n_slots;
    int64_t length_us;
    double minimum; /* per cent */
    bool working, organizer_optional, reasons;
    int64_t most;
    struct suggestion *found;
    size_t n_found, cap;
    bool organizer_busy, guests_busy, rooms_busy; /* why there is nothing */
};

/* ---- reading ---- */

/* "PT1H30M". 0, -1. */
static int read_duration(const char *text, int64_t *ret_us)
{
    static const struct {
        char unit;
        int64_t us;
    } units[] = {{'H', 60 * MINUTE}, {'M', MINUTE}, {'S', US_PER_SECOND}};
    const char *p = text;
    *ret_us = 0;
    if (*p++ != 'P')
        return -1;
    for (bool clock = false; *p;) {
        char *end;
        if (*p == 'T' && !clock) {
            clock = true;
            p++;
            continue;
        }
        long n = strtol(p, &end, 10);
        if (end == p || n < 0 || n > 100000 || *ret_us > MOST_DAYS * US_PER_DAY)
            return -1;
        size_t i = 0;
        if (!clock && *end == 'D') {
            *ret_us += n * US_PER_DAY;
        } else {
            while (i < SOSIA_LEN(units) && units[i].unit != *end)
                i++;
            if (!clock || i == SOSIA_LEN(units))
                return -1;
            *ret_us += n * units[i].us;
        }
        p = end + 1;
    }
    return *ret_us > 0 && *ret_us <= MOST_DAYS * US_PER_DAY ? 0 : -1;
}

/* Some clients send numbers and truths as texts. */
static bool is_true(const struct json *v)
{
    return json_is_true(v) || (v && v->type == JSON_STRING && str_eq_nocase(v->str, "true"));
}

static double number_or(const struct json *v, double otherwise)
{
    double d;
    if (v && v->type == JSON_STRING && parse_double(v->str, strlen(v->str), &d) == 0)
        return d;
    return json_double(v, &d) == 0 ? d : otherwise;
}

static int read_guests(struct search *s)
{
    struct call *c = s->at->c;
    const struct json *list = json_get(s->body, "attendees");
    uint32_t n = list && list->type == JSON_ARRAY ? list->n : 0;
    if (n > MOST_GUESTS)
        return ocal_invalid(c, "attendees", "a list of no more than 100");
    s->guests = arena_calloc(c->tx.arena, n + 1, sizeof *s->guests);
    for (uint32_t i = 0; i < n && !arena_failed(c->tx.arena); i++) {
        const char *type = json_get_str(&list->items[i], "type");
        struct guest *g = &s->guests[s->n];
        g->address = json_get_str(json_get(&list->items[i], "emailAddress"), "address");
        const char *email = g->address ? email_normal(c->tx.arena, g->address) : NULL;
        if (!email)
            return ocal_invalid(c, "attendees", "people with addresses");
        g->optional = type && str_eq_nocase(type, "optional");
        g->resource = type && str_eq_nocase(type, "resource");
        int r = ocal_schedule_of(s->at, email, &g->schedule);
        if (r < 0)
            return -1;
        g->known = r == 1;
        s->n++;
    }
    return 0;
}

static int add_room(struct search *s, struct room room)
{
    struct arena *a = s->at->c->tx.arena;
    const char *email = room.address ? email_normal(a, room.address) : NULL;
    s->rooms = arena_grow(a, s->rooms, s->n_rooms, &s->cap_rooms, sizeof *s->rooms);
    if (!s->rooms)
        return sosia_fail_memory(s->at->c->tx.err);
    int r = room.checked && email ? ocal_schedule_of(s->at, email, &room.schedule) : 0;
    room.known = r == 1;
    s->rooms[s->n_rooms++] = room;
    return r < 0 ? -1 : 0;
}

/* Those that are asked for, and behind them the tenant's where one shall be suggested. */
static int read_rooms(struct search *s)
{
    struct call *c = s->at->c;
    const struct json *constraint = json_get(s->body, "locationConstraint");
    const struct json *list = json_get(constraint, "locations");
    struct ocal_place place = {.email = ""};
    int64_t tenant;
    uint32_t n = list && list->type == JSON_ARRAY ? list->n : 0;
    s->room_required = is_true(json_get(constraint, "isRequired"));
    if (n > MOST_ROOMS)
        return ocal_invalid(c, "locations", "a list of no more than 100");
    for (uint32_t i = 0; i < n; i++) {
        const char *name = json_get_str(&list->items[i], "displayName");
        const char *address = json_get_str(&list->items[i], "locationEmailAddress");
        const bool checked = is_true(json_get(&list->items[i], "resolveAvailability"));
        if (add_room(s, (struct room){name ? name : "", address, .checked = checked}) < 0)
            return -1;
    }
    if (!is_true(json_get(constraint, "suggestLocation")))
        return 0;
    int r = graph_caller_tenant(c, &tenant);
    while (r == 1 && s->n_rooms < n + MOST_ROOMS &&
           (r = ocal_place_next(&c->tx, tenant, PLACE_ROOM, 0, place.email, &place)) == 1)
        if (add_room(s, (struct room){place.name, place.email, true, true}) < 0)
            return -1;
    return r < 0 ? -1 : 0;
}

static int read_slots(struct search *s)
{
    struct call *c = s->at->c;
    const struct json *constraint = json_get(s->body, "timeConstraint");
    const struct json *list = json_get(constraint, "timeSlots");
    const char *domain = json_get_str(constraint, "activityDomain"), *zone, *name;
    int64_t total = 0;
    s->working = !domain || str_eq_nocase(domain, "work") || str_eq_nocase(domain, "unknown");
    if (domain && str_eq_nocase(domain, "personal"))
        s->working = false;
    if (list && list->type == JSON_ARRAY && list->n > MOST_SLOTS)
        return ocal_invalid(c, "timeSlots", "a list of no more than 50");
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        struct slot *slot = &s->slots[s->n_slots++];
        if (ocal_read_time(c, json_get(&list->items[i], "start"), "start", false, &slot->start_us,
                           &zone, &name) < 0 ||
            ocal_read_time(c, json_get(&list->items[i], "end"), "end", false, &slot->end_us, &zone,
                           &name) < 0)
            return -1;
        if (slot->end_us <= slot->start_us ||
            slot->end_us - slot->start_us > MOST_DAYS * US_PER_DAY)
            return ocal_invalid(c, "timeSlots", "stretches of up to 62 days");
        total += slot->end_us - slot->start_us;
    }
    if (total > MOST_DAYS * US_PER_DAY)
        return ocal_invalid(c, "timeSlots", "up to 62 days in all");
    if (!s->n_slots) { /* the coming two weeks */
        int64_t now = c->tx.now_us;
        s->slots[s->n_slots++] =
            (struct slot){(now / STEP + 1) * STEP, (now / STEP + 1) * STEP + 14 * US_PER_DAY};
    }
    return 0;
}

static int read_search(struct search *s)
{
    struct call *c = s->at->c;
    const char *length = json_get_str(s->body, "meetingDuration");
    s->length_us = 30 * MINUTE;
    if (length && read_duration(length, &s->length_us) < 0)
        return ocal_invalid(c, "meetingDuration", "a duration such as PT1H");
    s->minimum = number_or(json_get(s->body, "minimumAttendeePercentage"), 50);
    s->most = (int64_t)number_or(json_get(s->body, "maxCandidates"), 20);
    s->organizer_optional = is_true(json_get(s->body, "isOrganizerOptional"));
    s->reasons = is_true(json_get(s->body, "returnSuggestionReasons"));
    if (s->most < 1 || s->most > 100)
        s->most = 20;
    return read_guests(s) < 0 || read_rooms(s) < 0 || read_slots(s) < 0 ? -1 : 0;
}

/* ---- searching ---- */

static int read_schedules(struct search *s)
{
    int64_t from = INT64_MAX, to = INT64_MIN;
    for (size_t i = 0; i < s->n_slots; i++) {
        from = s->slots[i].start_us < from ? s->slots[i].start_us : from;
        to = s->slots[i].end_us > to ? s->slots[i].end_us : to;
    }
    if (to - from > 366 * US_PER_DAY)
        return ocal_invalid(s->at->c, "timeSlots", "within a year");
    for (size_t i = 0; i < s->n; i++) {
        struct guest *g = &s->guests[i];
        if (g->known && ocal_schedule_read(s->at, from, to, &g->schedule) < 0)
            return ocal_refused(s->at->c);
        g->known &= !g->schedule.too_many;
    }
    for (size_t i = 0; i < s->n_rooms; i++) {
        struct room *room = &s->rooms[i];
        if (room->known && ocal_schedule_read(s->at, from, to, &room->schedule) < 0)
            return ocal_refused(s->at->c);
        room->known &= !room->schedule.too_many;
    }
    return ocal_schedule_read(s->at, from, to, &s->own) < 0 ? ocal_refused(s->at->c) : 0;
}

/* From Monday to Friday, from 8 to 17, in the zone of whose calendar it is (MG-82). */
static bool in_hours(const struct calendar *cal, int64_t start_us, int64_t end_us)
{
    int64_t s = start_us / US_PER_SECOND, e = end_us / US_PER_SECOND;
    s += tz_offset(cal->tz, s);
    e += tz_offset(cal->tz, e);
    int64_t day = s / SECONDS_PER_DAY;
    int weekday = weekday_from_days(day);
    return weekday >= 1 && weekday <= 5 && s - day * SECONDS_PER_DAY >= 8 * 3600 &&
           e - day * SECONDS_PER_DAY <= 17 * 3600;
}

/* How sure it is that somebody comes: free 100, not known 49, busy 0 (MG-83). */
static double chance(const struct guest *g, int64_t start_us, int64_t end_us)
{
    enum cal_busy busy = g->known ? ocal_schedule_at(&g->schedule, start_us, end_us) : BUSY_UNKNOWN;
    return busy == BUSY_FREE || busy == BUSY_ELSEWHERE      ? 100
           : busy == BUSY_UNKNOWN || busy == BUSY_TENTATIVE ? 49
                                                            : 0;
}

/* The next place where the meeting could be; found: there is one already. NULL: none. */
static const struct room *next_room(const struct search *s, int64_t start_us, bool found,
                                    size_t *at)
{
    while (*at < s->n_rooms) {
        const struct room *room = &s->rooms[(*at)++];
        if (!room->checked ||
            (!(room->suggested && found) && room->known &&
             ocal_schedule_at(&room->schedule, start_us, start_us + s->length_us) == BUSY_FREE))
            return room;
    }
    return NULL;
}

static int try_time(struct search *s, int64_t start_us)
{
    size_t at = 0;
    int64_t end_us = start_us + s->length_us;
    enum cal_busy own = ocal_schedule_at(&s->own, start_us, end_us);
    double sum = 0;
    size_t counted = 0;
    if (s->working && !in_hours(&s->own.cal, start_us, end_us))
        return 0;
    if (!s->organizer_optional && (own == BUSY_BUSY || own == BUSY_AWAY)) {
        s->organizer_busy = true;
        return 0;
    }
    for (size_t i = 0; i < s->n; i++) {
        double c = chance(&s->guests[i], start_us, end_us);
        if (s->guests[i].optional && c < 100)
            continue; /* need not come */
        sum += c;
        counted++;
    }
    double confidence = counted ? sum / (double)counted : 100;
    if (confidence < s->minimum) {
        s->guests_busy = true;
        return 0;
    }
    if (s->room_required && !next_room(s, start_us, false, &at)) {
        s->rooms_busy = true;
        return 0;
    }
    s->found = arena_grow(s->at->c->tx.arena, s->found, s->n_found, &s->cap, sizeof *s->found);
    if (!s->found)
        return sosia_fail_memory(s->at->c->tx.err);
    s->found[s->n_found++] = (struct suggestion){start_us, confidence, own};
    return 0;
}

static int by_confidence(const void *pa, const void *pb)
{
    const struct suggestion *a = pa, *b = pb;
    if (a->confidence != b->confidence)
        return a->confidence > b->confidence ? -1 : 1;
    return a->start_us < b->start_us ? -1 : a->start_us > b->start_us;
}

static int look_for_times(struct search *s)
{
    for (size_t i = 0; i < s->n_slots; i++)
        for (int64_t t = s->slots[i].start_us; t + s->length_us <= s->slots[i].end_us; t += STEP)
            if (try_time(s, t) < 0)
                return -1;
    if (s->n_found)
        qsort(s->found, s->n_found, sizeof *s->found, by_confidence);
    return 0;
}

/* ---- answering ---- */

static void write_guest(struct search *s, const struct guest *g, const struct suggestion *at)
{
    struct json_writer *w = s->at->c->out;
    enum cal_busy busy =
        g->known ? ocal_schedule_at(&g->schedule, at->start_us, at->start_us + s->length_us)
                 : BUSY_UNKNOWN;
    json_obj(w, NULL);
    json_word(w, "availability", ocal_busy_words[busy]);
    json_obj(w, "attendee");
    json_word(w, "type", g->resource ? "resource" : g->optional ? "optional" : "required");
    json_obj(w, "emailAddress");
    json_str(w, "address", g->address);
    json_end(w);
    json_end(w);
    json_end(w);
}

static void write_meeting_places(struct search *s, int64_t start_us)
{
    struct json_writer *w = s->at->c->out;
    const struct room *room;
    size_t at = 0;
    json_arr(w, "locations");
    for (bool any = false; (room = next_room(s, start_us, any, &at)); any = true) {
        json_obj(w, NULL);
        json_str(w, "displayName", room->name);
        json_str_opt(w, "locationEmailAddress", room->address);
        json_end(w);
    }
    json_end(w);
}

static void write_suggestion(struct search *s, size_t i)
{
    struct json_writer *w = s->at->c->out;
    const struct suggestion *at = &s->found[i];
    const bool all = at->confidence >= 100;
    json_obj(w, NULL);
    if (at->confidence == floor(at->confidence))
        json_int(w, "confidence", (int64_t)at->confidence);
    else {
        const char *text = arena_printf(s->at->c->tx.arena, "%.10g", at->confidence);
        json_number(w, "confidence", text, strlen(text));
    }
    json_int(w, "order", (int64_t)i + 1);
    json_word(w, "organizerAvailability", ocal_busy_words[at->organizer]);
    if (s->reasons)
        json_str(w, "suggestionReason",
                 all ? "Suggested because it is one of the nearest times when all attendees are "
                       "available."
                     : "Suggested because it is one of the nearest times when most attendees are "
                       "available.");
    else
        json_null(w, "suggestionReason");
    json_arr(w, "attendeeAvailability");
    for (size_t k = 0; k < s->n; k++)
        write_guest(s, &s->guests[k], at);
    json_end(w);
    write_meeting_places(s, at->start_us);
    json_obj(w, "meetingTimeSlot");
    ocal_write_time(s->at, "start", false, at->start_us);
    ocal_write_time(s->at, "end", false, at->start_us + s->length_us);
    json_end(w);
    json_end(w);
}

static const char *empty_reason(const struct search *s)
{
    bool unknown = s->n > 0;
    for (size_t i = 0; i < s->n; i++)
        unknown &= !s->guests[i].known;
    return s->n_found          ? ""
           : s->organizer_busy ? "OrganizerUnavailable"
           : s->rooms_busy     ? "LocationsUnavailable"
           : !s->guests_busy   ? "Unknown"
           : unknown           ? "AttendeesUnavailableOrUnknown"
                               : "AttendeesUnavailable";
}

static int find_meeting_times(struct call *c)
{
    struct search s = {0};
    struct ocal_at at;
    if (ocal_open_user(c, &at) < 0 || (c->content.len && !(s.body = call_body(c))))
        return -1;
    s.at = &at;
    int r = calendar_of_account(&c->tx, at.user.account.id, &s.own.cal);
    if (r != 1)
        return r < 0 ? -1 : graph_not_found(c);
    if (ocal_may(&at, CAL_FREEBUSY, &s.own.cal) < 0 || read_search(&s) < 0 ||
        read_schedules(&s) < 0 || look_for_times(&s) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "microsoft.graph.meetingTimeSuggestionsResult");
    json_str(c->out, "emptySuggestionsReason", empty_reason(&s));
    json_arr(c->out, "meetingTimeSuggestions");
    for (size_t i = 0; i < s.n_found && (int64_t)i < s.most; i++)
        write_suggestion(&s, i);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static const struct route methods[] = {
    {ROUTE("outlook.user.findMeetingTimes", POST, GRAPH_MY("/findMeetingTimes")),
     .handler = find_meeting_times, .risk = RISK_READ, .body = BODY_JSON_OPTIONAL,
     .scopes = "Calendars.Read.Shared Calendars.ReadWrite.Shared Calendars.Read "
               "Calendars.ReadWrite",
     PARAMS(ocal_path_params), .request = "microsoft.graph.user.findMeetingTimes",
     .response = "microsoft.graph.meetingTimeSuggestionsResult",
     .summary = "Times when the people of a meeting could meet"},
};

const struct rows ocal_meetings = ROWS(methods);
