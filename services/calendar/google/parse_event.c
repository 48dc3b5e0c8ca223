/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of events, read into events. Each member that can be written has a row in a table; members
 * that the service sets itself, and unknown ones, are passed over. A member that is null or absent
 * from an update has its default; one that is absent from a patch stays as it is.
 */
#include "engine/base/codec.h"
#include "services/calendar/google/parse.h"
#include <stdio.h>
#include <stdlib.h>

int parse_bad(struct body *b)
{
    return gcal_mute(b->c, b->at, json_get(b->json, b->at), "of the form that it has");
}

int parse_invalid(struct body *b, const char *text)
{
    return call_fail(b->c, SOSIA_E_INVALID, "invalid", NULL, "%s", text);
}

int parse_required(struct body *b, const char *text)
{
    return call_fail(b->c, SOSIA_E_INVALID, "required", NULL, "%s", text);
}

/* ---- simple values ---- */

int parse_word(const struct json *v, const char *const *words, int otherwise)
{
    for (int i = 0; !parse_null(v) && words[i]; i++)
        if (strcmp(words[i], v->str) == 0)
            return i;
    return otherwise;
}

static int read_bit(struct body *b, const struct json *v, bool otherwise, bool when, unsigned bit)
{
    bool set = parse_bool(v, otherwise) == when;
    b->ev->rights = set ? b->ev->rights | bit : b->ev->rights & ~bit;
    return 0;
}

const struct json *parse_value(struct body *b, const char *text)
{
    const struct json *v = NULL;
    struct sosia_err err;
    json_parse(b->c->tx.arena, text, strlen(text), NULL, &v, &err);
    return v;
}

/* ---- members ---- */

static int too_large(struct body *b)
{
    return parse_invalid(b, "A provided value exceeds the allowed size limit.");
}

static int read_long(struct body *b, const struct json *v, const char **ret)
{
    *ret = parse_text(v);
    int over = *ret ? gcal_option_over(b->c, GCAL_TEXT_BYTES, strlen(*ret)) : 0;
    return over == 1 ? too_large(b) : over;
}

static int read_summary(struct body *b, const struct json *v)
{
    return read_long(b, v, &b->ev->summary);
}

static int read_description(struct body *b, const struct json *v)
{
    return read_long(b, v, &b->ev->description);
}

static int read_location(struct body *b, const struct json *v)
{
    return read_long(b, v, &b->ev->location);
}

static int read_color(struct body *b, const struct json *v)
{
    b->ev->color = parse_text(v);
    if (b->ev->color && !gcal_event_color(b->ev->color))
        return parse_invalid(b, "Invalid Value");
    return 0;
}

static int read_status(struct body *b, const struct json *v)
{
    b->ev->status = (enum cal_event_status)parse_word(v, gcal_statuses, EVENT_CONFIRMED);
    return 0;
}

static int read_transparency(struct body *b, const struct json *v)
{
    static const char *const words[] = {"opaque", "transparent", NULL};
    b->ev->busy = parse_word(v, words, 0) ? BUSY_FREE : BUSY_BUSY;
    return 0;
}

static int read_visibility(struct body *b, const struct json *v)
{
    b->ev->visibility =
        (enum cal_event_visibility)parse_word(v, gcal_visibilities, VISIBLE_DEFAULT);
    return 0;
}

static int read_sequence(struct body *b, const struct json *v)
{
    int64_t sequence = 0;
    if (!parse_null(v))
        json_i64(v, &sequence);
    if (b->old && sequence < b->old->sequence)
        return parse_invalid(b, "Invalid sequence value.");
    b->ev->sequence = sequence;
    return 0;
}

/* A private copy that an update does not name is closed (reported). */
static int read_invite_others(struct body *b, const struct json *v)
{
    int64_t open;
    if (!v && b->mode == GCAL_UPDATE && b->old->rights & EVENT_PRIVATE_COPY &&
        !json_get(b->extra_old, GCAL_OWN_IMPORT)) {
        if (gcal_option(&b->c->tx, GCAL_PRIVATE_INVITES, &open) < 0)
            return -1;
        return read_bit(b, v, open, false, GUESTS_DONT_INVITE);
    }
    return read_bit(b, v, true, false, GUESTS_DONT_INVITE);
}

static int read_see_guests(struct body *b, const struct json *v)
{
    return read_bit(b, v, true, false, GUESTS_DONT_SEE_GUESTS);
}

static int read_modify(struct body *b, const struct json *v)
{
    return read_bit(b, v, false, true, GUESTS_MODIFY);
}

static int read_add_self(struct body *b, const struct json *v)
{
    return read_bit(b, v, false, true, ANYONE_ADDS_SELF);
}

static int read_no_end(struct body *b, const struct json *v)
{
    return read_bit(b, v, false, true, EVENT_NO_END);
}

static int read_private_copy(struct body *b, const struct json *v)
{
    return read_bit(b, v, false, true, EVENT_PRIVATE_COPY);
}

static int read_kind(struct body *b, const struct json *v)
{
    int kind = parse_word(v, gcal_kinds, KIND_DEFAULT);
    if (b->old && !parse_null(v) && kind != (int)b->old->kind)
        return call_fail(b->c, SOSIA_E_INVALID, "eventTypeRestriction", NULL,
                         "Event type cannot be changed.");
    if (!b->old)
        b->ev->kind = (enum cal_event_kind)kind;
    return 0;
}

static int read_uid(struct body *b, const struct json *v)
{
    const char *uid = parse_text(v);
    if (b->old || !uid)
        return 0;
    if (strlen(uid) > 600 || strpbrk(uid, "\r\n\t"))
        return parse_invalid(b, "Invalid iCalUID value.");
    b->ev->uid = uid;
    return 0;
}

static int read_id(struct body *b, const struct json *v)
{
    const char *id = parse_text(v);
    if (b->old || !id || b->mode == GCAL_IMPORT)
        return 0;
    size_t n = strlen(id);
    if (n < GCAL_MIN_KEY || n > GCAL_MAX_KEY || strspn(id, "0123456789abcdefghijklmnopqrstuv") != n)
        return parse_invalid(b, "Invalid resource id value.");
    b->ev->key = id;
    return 0;
}

/* ---- times ---- */

/* The members of a start or end: those of the body, over the present ones in a patch. */
struct when {
    const char *date, *date_time, *zone;
    bool has_date, has_time, has_zone;
};

static void read_when(const struct json *v, struct when *ret)
{
    const struct json *date = json_get(v, "date"), *time = json_get(v, "dateTime"),
                      *zone = json_get(v, "timeZone");
    *ret = (struct when){.date = parse_text(date),
                         .date_time = parse_text(time),
                         .zone = parse_text(zone),
                         .has_date = date,
                         .has_time = time,
                         .has_zone = zone};
}

/* A date, also without the zeros that pad it. */
static int read_date(struct body *b, const char *text, int64_t *ret)
{
    int64_t refused;
    int year, month, day, end = 0;
    size_t n = strlen(text);
    if (date_parse(text, n, ret) == 0)
        return 0;
    if (n < 8 || n > 10 || strspn(text, "0123456789-") != n || text[4] != '-' ||
        sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &end) != 3 || (size_t)end != n ||
        year < 0 || month < 0 || day < 0)
        return parse_bad(b);
    const char *padded = arena_printf(b->c->tx.arena, "%04d-%02d-%02d", year, month, day);
    if (gcal_option(&b->c->tx, GCAL_LOOSE_DATES, &refused) < 0)
        return -1;
    return refused || date_parse(padded, strlen(padded), ret) < 0 ? parse_bad(b) : 0;
}

#define NOT_ALIKE "Start and end times must either both be date or both be dateTime."

/* 1: the zone is none; 0; -1. */
static int has_bad_zone(struct body *b, const struct when *w)
{
    int64_t refused = 0;
    if (!w->zone || !tz_find(w->zone))
        return w->zone != NULL;
    if (str_starts(w->zone, "GMT") && strchr(w->zone, ':') &&
        gcal_option(&b->c->tx, GCAL_OFFSET_ZONES, &refused) < 0)
        return -1;
    return (int)refused;
}

/* Where the zones of both ends are wrong, both are named (recorded). */
static int check_zones(struct body *b, const struct when *start, const struct when *end)
{
    static const char bad_start[] = "Invalid time zone definition for start time.",
                      bad_end[] = "Invalid time zone definition for end time.";
    int at_start = has_bad_zone(b, start), at_end = has_bad_zone(b, end);
    if (at_start < 0 || at_end < 0)
        return -1;
    if (at_start && at_end)
        google_error_also(b->c, bad_end);
    b->at = at_start ? "start" : "end";
    return at_start ? parse_invalid(b, bad_start) : at_end ? parse_invalid(b, bad_end) : 0;
}

/* One end of the event, whose zone is valid. what: "start" or "end". was_us: its present time,
 * of a patch. */
static int resolve_when(struct body *b, struct when *w, const char *what, bool *day, int64_t *us,
                        const char **zone)
{
    struct arena *a = b->c->tx.arena;
    const struct tz *tz = NULL;
    struct stamp s;
    int64_t days;
    bool patch = b->mode == GCAL_PATCH && b->old;
    if (w->zone)
        tz = tz_find(w->zone);
    /* A patch that names only one form keeps the other one, and both together are invalid. */
    if (w->date && (w->date_time || (patch && !*day && !w->has_time)))
        return parse_invalid(b, arena_printf(a, "Invalid %s time.", what));
    if (w->date_time && patch && *day && !w->has_date)
        return parse_invalid(b, arena_printf(a, "Invalid %s time.", what));
    if (w->date) {
        if (read_date(b, w->date, &days) < 0)
            return -1;
        *day = true;
        *us = days * US_PER_DAY;
        *zone = NULL;
        return 0;
    }
    if (!w->date_time) {
        if (!patch || (*day ? w->has_date : w->has_time))
            return parse_invalid(b, NOT_ALIKE);
        if (w->has_zone && !*day)
            *zone = w->zone;
        return 0;
    }
    if (stamp_parse(w->date_time, strlen(w->date_time), true, &s) < 0)
        return gcal_mute(b->c, arena_printf(a, "%s.dateTime", what),
                         json_get(json_get(b->json, what), "dateTime"),
                         "a date and time as RFC 3339 has it");
    if (w->has_zone || !patch)
        *zone = w->zone;
    if (!tz && *zone)
        tz = tz_find(*zone);
    int64_t local = s.local_us / US_PER_SECOND - (s.local_us % US_PER_SECOND < 0);
    if (!s.has_offset && !tz)
        return parse_required(b,
                              arena_printf(a, "Missing time zone definition for %s time.", what));
    *day = false;
    *us = (s.has_offset ? local - s.offset : tz_to_utc(tz, local)) * US_PER_SECOND;
    return 0;
}

/* Start and end belong together, and to the recurrence. */
static int read_times(struct body *b)
{
    struct cal_event *ev = b->ev;
    const struct json *start = json_get(b->json, "start"), *end = json_get(b->json, "end");
    bool patch = b->mode == GCAL_PATCH, start_day = ev->all_day, end_day = ev->all_day;
    int64_t start_us = ev->start_us, end_us = event_end(ev);
    const char *end_zone = ev->end_zone ? ev->end_zone : ev->zone;
    struct when from = {0}, to = {0};
    if (patch && !start && !end)
        return 0;
    if (parse_null(end) && (end || !patch) && !(ev->rights & EVENT_NO_END))
        return parse_required(b, "Missing end time.");
    if (parse_null(start) && (start || !patch))
        return parse_required(b, "Missing start time.");
    b->at = "start";
    if (start)
        read_when(start, &from);
    if (!parse_null(end))
        read_when(end, &to);
    if (check_zones(b, &from, &to) < 0)
        return -1;
    b->at = "start";
    if (start && resolve_when(b, &from, "start", &start_day, &start_us, &ev->zone) < 0)
        return -1;
    b->at = "end";
    if (!parse_null(end)) {
        if (resolve_when(b, &to, "end", &end_day, &end_us, &end_zone) < 0)
            return -1;
    } else if (!end && !patch) {
        end_day = start_day;
        end_us = start_us + (start_day ? US_PER_DAY : 3600 * US_PER_SECOND);
        end_zone = ev->zone;
    }
    if (start_day != end_day)
        return parse_invalid(b, NOT_ALIKE);
    int64_t taken = 1;
    if (end_us == start_us && !start_day && gcal_option(&b->c->tx, GCAL_EMPTY_TIME, &taken) < 0)
        return -1;
    if (end_us < start_us || !taken)
        return call_fail(b->c, SOSIA_E_INVALID, "timeRangeEmpty", "timeMax",
                         "The specified time range is empty.");
    ev->all_day = start_day;
    ev->start_us = start_us;
    ev->len_us = end_us - start_us;
    if (ev->all_day && !ev->len_us)
        ev->len_us = US_PER_DAY;
    ev->end_zone = end_zone && (!ev->zone || strcmp(end_zone, ev->zone) != 0) ? end_zone : NULL;
    return 0;
}

static int read_recurrence(struct body *b, const struct json *v)
{
    struct buf buf;
    int rc = 0;
    if (b->old && b->old->form == EVENT_INSTANCE)
        return parse_null(v) || !v->n ? 0 : parse_invalid(b, "Invalid recurrence rule.");
    b->ev->recurrence = NULL;
    if (parse_null(v))
        return 0;
    int over = gcal_option_over(b->c, GCAL_RECURRENCE_LINES, v->n);
    if (over)
        return over < 0 ? -1 : too_large(b);
    buf_init(&buf, 0);
    for (uint32_t i = 0; rc == 0 && i < v->n; i++) {
        const struct json *line = &v->items[i];
        if (!line->n || strpbrk(line->str, "\r\n"))
            rc = parse_invalid(b, "Invalid recurrence rule.");
        else
            buf_printf(&buf, "%s%s", i ? "\n" : "", line->str);
    }
    if (rc == 0 && v->n)
        b->ev->recurrence = arena_strdup(b->c->tx.arena, buf_str(&buf));
    buf_done(&buf);
    return rc;
}

/* The rules of a timed series end at an instant, or with a day; a reading of the clock is refused.
 */
static int check_until(struct body *b)
{
    const char *text = b->ev->recurrence;
    if (!text || b->ev->all_day || !json_get(b->json, "recurrence"))
        return 0;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t n = strcspn(line, "\n");
        if (strncasecmp(line, "RRULE", 5) != 0 && strncasecmp(line, "EXRULE", 6) != 0)
            continue;
        for (size_t i = 0; i + 6 < n; i++) {
            if (strncasecmp(line + i, "UNTIL=", 6) != 0 ||
                (line[i - 1] != ';' && line[i - 1] != ':'))
                continue;
            size_t len = strcspn(line + i + 6, ";\n");
            const char *until = line + i + 6;
            if (memchr(until, 'T', len) && until[len - 1] != 'Z' && until[len - 1] != 'z')
                return parse_invalid(b, "Invalid recurrence rule.");
        }
    }
    return 0;
}

/* ---- the table ---- */

/* In the order of reading: the kind before its properties, the times before the reminders. */
static const struct {
    const char *name;
    int (*read)(struct body *b, const struct json *v);
    bool keep; /* an update that leaves it out keeps it */
} members[] = {
    {"id", read_id, true},
    {"iCalUID", read_uid, true},
    {"eventType", read_kind, true},
    {"privateCopy", read_private_copy, true},
    {"status", read_status, false},
    {"summary", read_summary, false},
    {"description", read_description, false},
    {"location", read_location, false},
    {"colorId", read_color, false},
    {"endTimeUnspecified", read_no_end, false},
    {"recurrence", read_recurrence, false},
    {"transparency", read_transparency, false},
    {"visibility", read_visibility, false},
    {"attendees", parse_attendees, false},
    {"extendedProperties", parse_properties, false},
    {"conferenceData", parse_conference, true},
    {"gadget", parse_gadget, false},
    {"anyoneCanAddSelf", read_add_self, false},
    {"guestsCanInviteOthers", read_invite_others, false},
    {"guestsCanModify", read_modify, false},
    {"guestsCanSeeOtherGuests", read_see_guests, false},
    {"source", parse_source, false},
    {"outOfOfficeProperties", parse_away, false},
    {"focusTimeProperties", parse_focus, false},
    {"workingLocationProperties", parse_place, false},
    {"birthdayProperties", parse_birthday, true},
    {"attachments", parse_attachments, true},
    {"eventLabelId", parse_label, true},
    {"sequence", read_sequence, false},
};

static int read_members(struct body *b)
{
    for (size_t i = 0; i < SOSIA_LEN(members); i++) {
        const struct json *v = json_get(b->json, members[i].name);
        if (!v && (b->mode == GCAL_PATCH || (members[i].keep && b->old)))
            continue;
        b->at = members[i].name;
        if (members[i].read(b, v) < 0)
            return -1;
    }
    return 0;
}

static int open_extra(struct body *b)
{
    const char *text = b->ev->extra;
    uint32_t n = 0;
    if (text)
        b->extra_old = parse_value(b, text);
    if (b->extra_old)
        n = b->extra_old->n;
    b->extra = arena_calloc(b->c->tx.arena, n + SOSIA_LEN(members) + 1, sizeof *b->extra);
    if (arena_failed(b->c->tx.arena))
        return sosia_fail_memory(b->c->tx.err);
    if (n)
        memcpy(b->extra, b->extra_old->members, n * sizeof *b->extra);
    b->n_extra = n;
    return 0;
}

static int by_name(const void *pa, const void *pb)
{
    const struct json_member *a = pa, *b = pb;
    return strcmp(a->key, b->key);
}

static void close_extra(struct body *b)
{
    struct buf buf;
    struct json_writer w;
    if (!b->n_extra) {
        b->ev->extra = NULL;
        return;
    }
    qsort(b->extra, b->n_extra, sizeof *b->extra, by_name);
    json_start(&w, &buf);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < b->n_extra; i++)
        json_value(&w, b->extra[i].key, &b->extra[i].value);
    json_end(&w);
    b->ev->extra = buf_keep(&buf, b->c->tx.arena);
}

/* ---- kinds ---- */

static const struct {
    const char *word, *members, *reason, *event;
} special[] = {
    [KIND_AWAY] = {"outOfOffice", "outOfOfficeProperties", "malformedOutOfOfficeEvent",
                   "An out of office event"},
    [KIND_FOCUS] = {"focusTime", "focusTimeProperties", "malformedFocusTimeEvent",
                    "A focus time event"},
    [KIND_PLACE] = {"workingLocation", "workingLocationProperties", "malformedWorkingLocationEvent",
                    "A working location event"},
};

static int malformed(struct body *b, enum cal_event_kind kind, const char *must)
{
    return call_fail(b->c, SOSIA_E_INVALID, special[kind].reason, NULL, "%s must %s.",
                     special[kind].event, must);
}

static const struct json *extra(const struct body *b, const char *name)
{
    for (uint32_t i = 0; i < b->n_extra; i++)
        if (strcmp(b->extra[i].key, name) == 0)
            return &b->extra[i].value;
    return NULL;
}

static int unpaired(struct body *b, enum cal_event_kind kind)
{
    return call_fail(b->c, SOSIA_E_INVALID, special[kind].reason, NULL,
                     "%s requires an event type of %s, and vice versa.", special[kind].members,
                     special[kind].word);
}

static bool given(const struct body *b, const char *name)
{
    const struct json *v = json_get(b->json, name);
    return !parse_null(v) && (v->type == JSON_OBJECT || v->n);
}

/* What no time of absence or focus and no place of work has. */
static int check_bare(struct body *b, enum cal_event_kind kind)
{
    if (given(b, "attendees"))
        return malformed(b, kind, "not have attendees");
    if (given(b, "conferenceData") && param_num(b->c, "conferenceDataVersion", 0) > 0)
        return malformed(b, kind, "not have a conference");
    if (kind != KIND_AWAY)
        return 0;
    if (given(b, "description"))
        return malformed(b, kind, "not have a description");
    return given(b, "location") ? malformed(b, kind, "not have a location") : 0;
}

static int check_special(struct body *b, enum cal_event_kind kind)
{
    struct cal_event *ev = b->ev;
    const char *name = special[kind].members;
    /* One that came without its properties, from a seed, may stay so. */
    if (!extra(b, name) && (!b->old || json_get(b->extra_old, name)))
        return unpaired(b, kind);
    if (check_bare(b, kind) < 0)
        return -1;
    if (kind != KIND_PLACE) {
        if (ev->all_day)
            return malformed(b, kind, "not be an all-day event");
        return !event_blocks(ev) ? malformed(b, kind, "have a transparency setting of opaque") : 0;
    }
    if (ev->visibility != VISIBLE_PUBLIC)
        return malformed(b, kind, "have a visibility setting of public");
    if (event_blocks(ev))
        return malformed(b, kind, "have a transparency setting of transparent");
    if (given(b, name) && !json_get(extra(b, name), "type"))
        return malformed(b, kind, "have a type of location");
    if (ev->all_day && ev->len_us != US_PER_DAY)
        return call_fail(b->c, SOSIA_E_INVALID, special[kind].reason, NULL,
                         "An all-day working location event must be exactly one day long.");
    return 0;
}

/* A day that comes back each year, seen by its owner alone, which takes no time. */
static int check_birthday(struct body *b)
{
    struct cal_event *ev = b->ev;
    const char *transparency = json_get_str(b->json, "transparency"), *bad = NULL;
    if (!ev->all_day || ev->len_us != US_PER_DAY)
        bad = "be all-day and one day long";
    else if (!ev->recurrence || !strstr(ev->recurrence, "FREQ=YEARLY"))
        bad = "recur every year";
    else if (ev->visibility != VISIBLE_DEFAULT && ev->visibility != VISIBLE_PRIVATE)
        bad = "have a visibility setting of private";
    else if (transparency && strcmp(transparency, "transparent") != 0)
        bad = "have a transparency setting of transparent";
    else if (given(b, "description") || given(b, "location") || given(b, "attendees"))
        bad = "not have a description, a location or attendees";
    if (ev->own_props)
        return call_fail(b->c, SOSIA_E_INVALID, "eventTypeRestriction", NULL,
                         "'birthday' event type must not have private extended properties.");
    if (bad && b->old)
        return call_fail(b->c, SOSIA_E_INVALID, "eventTypeRestriction", NULL,
                         "Attempt made to modify 'birthday' event in a way that is not valid for "
                         "this event type.");
    if (bad)
        return call_fail(b->c, SOSIA_E_INVALID, "malformedBirthdayEvent", NULL,
                         "A birthday event must %s.", bad);
    ev->visibility = VISIBLE_PRIVATE;
    ev->busy = BUSY_FREE;
    return 0;
}

/* What the kinds of events require. */
static int check_kind(struct body *b)
{
    struct cal_event *ev = b->ev;
    for (int kind = KIND_AWAY; kind <= KIND_PLACE; kind++)
        if (kind != (int)ev->kind && !parse_null(json_get(b->json, special[kind].members)))
            return unpaired(b, (enum cal_event_kind)kind);
    if (ev->kind == KIND_DEFAULT || (b->old && ev->kind == KIND_MAIL))
        return 0;
    if (ev->kind == KIND_MAIL || b->mode == GCAL_IMPORT)
        return call_fail(b->c, SOSIA_E_INVALID, "eventTypeRestriction", NULL,
                         "An event of this type cannot be created.");
    if (!b->cal->main)
        return call_fail(b->c, SOSIA_E_INVALID, "eventTypeRestriction", NULL,
                         "An event of this type can only be created on a primary calendar.");
    if (ev->kind == KIND_PLACE && b->c->part && b->c->batch)
        return call_fail(b->c, SOSIA_E_INVALID, "eventTypeRestriction", NULL,
                         "Working location events cannot be written in a batch.");
    return ev->kind == KIND_BIRTHDAY ? check_birthday(b) : check_special(b, ev->kind);
}

int gcal_read_event(struct call *c, const struct calendar *cal, enum gcal_mode mode,
                    const struct cal_event *old, struct cal_event *ev)
{
    const struct json *body = call_body(c);
    if (!body)
        return -1;
    struct body b = {.c = c, .cal = cal, .mode = mode, .old = old, .ev = ev, .json = body};
    *ev = old ? *old : (struct cal_event){0};
    bool was_day = ev->all_day;
    if (open_extra(&b) < 0 || read_members(&b) < 0 || read_times(&b) < 0)
        return -1;
    /* Events of a day have no reminders unless some are given, timed ones the calendar's. */
    const struct json *reminders = json_get(b.json, "reminders");
    b.at = "reminders";
    if (reminders ? parse_reminders(&b, reminders) < 0
                  : (mode != GCAL_PATCH || was_day != ev->all_day) && parse_reminders(&b, NULL) < 0)
        return -1;
    /* A series of a seed document may have its calendar's zone, and keeps it. */
    bool has_calendars = mode == GCAL_PATCH && old && old->recurrence && !old->zone;
    if (ev->recurrence && !ev->all_day && !ev->zone && !has_calendars)
        return parse_required(&b, "Missing time zone definition for start time.");
    if (check_until(&b) < 0)
        return -1;
    if (!old && ev->key && ev->uid) {
        if (strcmp(ev->uid, gcal_uid(&c->tx, ev->key)) != 0)
            return parse_invalid(&b, "Only one of id and iCalUID can be given.");
        ev->uid = NULL;
    }
    close_extra(&b);
    return check_kind(&b);
}
