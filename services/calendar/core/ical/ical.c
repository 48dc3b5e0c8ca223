/* SPDX-License-Identifier: Apache-2.0 */
#include "services/calendar/core/ical/ical.h"
#include "engine/base/codec.h"
#include "engine/base/map.h"
#include "engine/json/json.h"
#include "services/calendar/core/list.h"
#include "services/calendar/core/vendor.h"

/* A content line, folded so that none has more than 75 bytes, never within a character. */
static void line(struct buf *out, const char *text)
{
    size_t room = 75;
    while (*text) {
        size_t n = strlen(text);
        if (n > room) {
            n = room;
            while (n > 1 && ((unsigned char)text[n] & 0xc0) == 0x80)
                n--;
        }
        buf_add(out, text, n);
        text += n;
        buf_puts(out, "\r\n");
        if (*text)
            buf_byte(out, ' ');
        room = 74;
    }
}

static const char *escape(struct arena *a, const char *text)
{
    char *out = arena_alloc(a, 2 * strlen(text) + 1), *p = out;
    for (; *text; text++) {
        if (*text == '\r')
            continue;
        if (strchr("\\;,\n", *text))
            *p++ = '\\';
        *p++ = *text == '\n' ? 'n' : *text;
    }
    *p = 0;
    return out;
}

/* In a parameter, between quotes if it must be: what is not allowed there is left out. */
static const char *quote(struct arena *a, const char *text)
{
    char *out = arena_alloc(a, strlen(text) + 3), *p = out;
    bool quoted = strpbrk(text, ",;:") != NULL;
    if (arena_failed(a))
        return "";
    if (quoted)
        *p++ = '"';
    for (; *text; text++)
        if (*text != '"' && (unsigned char)*text >= ' ')
            *p++ = *text;
    if (quoted)
        *p++ = '"';
    *p = 0;
    return out;
}

static void text_line(struct tx *tx, struct buf *out, const char *name, const char *text)
{
    if (text && *text)
        line(out, arena_printf(tx->arena, "%s:%s", name, escape(tx->arena, text)));
}

static const char *stamp(struct tx *tx, int64_t seconds, bool day, bool utc)
{
    struct civil c;
    civil_from_seconds(seconds, &c);
    if (day)
        return arena_printf(tx->arena, "%04d%02d%02d", c.year, c.month, c.day);
    return arena_printf(tx->arena, "%04d%02d%02dT%02d%02d%02d%s", c.year, c.month, c.day, c.hour,
                        c.minute, c.second, utc ? "Z" : "");
}

static void time_line(struct tx *tx, struct buf *out, const char *name, bool all_day,
                      const struct tz *tz, int64_t us)
{
    int64_t s = us / US_PER_SECOND;
    if (all_day)
        line(out, arena_printf(tx->arena, "%s;VALUE=DATE:%s", name, stamp(tx, s, true, false)));
    else if (tz)
        line(out, arena_printf(tx->arena, "%s;TZID=%s:%s", name, tz_name(tz),
                               stamp(tx, s + tz_offset(tz, s), false, false)));
    else
        line(out, arena_printf(tx->arena, "%s:%s", name, stamp(tx, s, false, true)));
}

static const char *offset_text(struct tx *tx, int32_t offset)
{
    int32_t abs = offset < 0 ? -offset : offset;
    return arena_printf(tx->arena, "%c%02d%02d", offset < 0 ? '-' : '+', abs / 3600, abs / 60 % 60);
}

/* The zone's changes of the next years, one observance each: rules of a zone are not kept anywhere.
 */
static void zone_lines(struct tx *tx, struct buf *out, const struct tz *tz, int64_t from)
{
    struct tz_range range;
    line(out, "BEGIN:VTIMEZONE");
    line(out, arena_printf(tx->arena, "TZID:%s", tz_name(tz)));
    tz_range(tz, from, &range);
    int32_t offset_before = range.offset;
    int64_t at = range.from == INT64_MIN ? INT64_C(0) : range.from;
    for (int i = 0; i < 8; i++) {
        const char *kind = range.dst ? "DAYLIGHT" : "STANDARD";
        line(out, arena_printf(tx->arena, "BEGIN:%s", kind));
        line(out,
             arena_printf(tx->arena, "DTSTART:%s", stamp(tx, at + offset_before, false, false)));
        line(out, arena_printf(tx->arena, "TZOFFSETFROM:%s", offset_text(tx, offset_before)));
        line(out, arena_printf(tx->arena, "TZOFFSETTO:%s", offset_text(tx, range.offset)));
        line(out, arena_printf(tx->arena, "TZNAME:%s", range.abbreviation));
        line(out, arena_printf(tx->arena, "END:%s", kind));
        if (range.to == INT64_MAX)
            break;
        offset_before = range.offset;
        at = range.to;
        tz_range(tz, at, &range);
    }
    line(out, "END:VTIMEZONE");
}

static void attendee_line(struct tx *tx, struct buf *out, const struct cal_attendee *a)
{
    static const char *const partstat[] = {"NEEDS-ACTION", "NEEDS-ACTION", "DECLINED", "TENTATIVE",
                                           "ACCEPTED"};
    const char *comment =
        a->comment ? arena_printf(tx->arena, ";X-RESPONSE-COMMENT=%s", quote(tx->arena, a->comment))
                   : "";
    line(out, arena_printf(tx->arena,
                           "ATTENDEE;CUTYPE=%s;ROLE=%s;PARTSTAT=%s;RSVP=TRUE;CN=%s;"
                           "X-NUM-GUESTS=%d%s:mailto:%s",
                           a->resource ? "RESOURCE" : "INDIVIDUAL",
                           a->optional ? "OPT-PARTICIPANT" : "REQ-PARTICIPANT",
                           partstat[a->response], quote(tx->arena, a->name ? a->name : a->email),
                           a->guests, comment, a->email));
}

static int organizer_line(struct tx *tx, struct buf *out, const struct calendar *cal,
                          const struct cal_event *ev)
{
    const char *email = ev->organizer ? ev->organizer : cal->address, *name = email;
    struct calendar leader;
    struct actor who;
    int r = actor_by_email(tx, email, &who);
    if (r == 1) {
        name = who.name;
    } else if (r == 0) {
        r = calendar_by_address(tx, email, &leader);
        name = r == 1 ? leader.summary : email;
    }
    line(out, arena_printf(tx->arena, "ORGANIZER;CN=%s:mailto:%s", quote(tx->arena, name), email));
    return r < 0 ? -1 : 0;
}

/* How an event is written. */
struct style {
    const char *method; /* NULL: in a file */
    const char *only;   /* the one guest that is named; NULL: all */
};

static void head_lines(struct buf *out)
{
    line(out, "BEGIN:VCALENDAR");
    line(out, "PRODID:-//sosia//calendar//EN");
    line(out, "VERSION:2.0");
    line(out, "CALSCALE:GREGORIAN");
}

/* When it is; tz: the zone of its start, NULL: in UTC. */
static void start_lines(struct tx *tx, struct buf *out, const struct cal_event *ev, bool ends,
                        const struct tz *tz, const struct tz *end_tz)
{
    time_line(tx, out, "DTSTART", ev->all_day, tz, ev->start_us);
    if (ends)
        time_line(tx, out, "DTEND", ev->all_day, end_tz, event_end(ev));
    if (ev->form == EVENT_INSTANCE)
        time_line(tx, out, "RECURRENCE-ID", ev->original_day, tz, ev->original_us);
    for (const char *p = ev->recurrence; p && *p; p += strcspn(p, "\n"), p += *p == '\n')
        line(out, arena_memdup(tx->arena, p, strcspn(p, "\n")));
}

static int event_lines(struct tx *tx, const struct calendar *cal, const struct cal_event *ev,
                       const struct style *style, struct buf *out)
{
    static const char *const status[] = {"CONFIRMED", "TENTATIVE", "CANCELLED"};
    static const char *const classes[] = {NULL, "CLASS:PUBLIC", "CLASS:PRIVATE",
                                          "CLASS:CONFIDENTIAL", "CLASS:X-PERSONAL"};
    static const char *const priorities[] = {NULL, "PRIORITY:9", "PRIORITY:1"};
    const bool cancels = style->method && strcmp(style->method, "CANCEL") == 0;
    time_line(tx, out, "DTSTAMP", false, NULL, tx->now_us);
    if ((style->method || ev->organizer || ev->n_attendees) && organizer_line(tx, out, cal, ev) < 0)
        return -1;
    line(out, arena_printf(tx->arena, "UID:%s", ev->uid));
    for (int i = 0; i < ev->n_attendees; i++)
        if (!style->only || strcmp(ev->attendees[i].email, style->only) == 0)
            attendee_line(tx, out, &ev->attendees[i]);
    if (classes[ev->visibility])
        line(out, classes[ev->visibility]);
    time_line(tx, out, "CREATED", false, NULL, ev->created_us);
    time_line(tx, out, "LAST-MODIFIED", false, NULL, ev->updated_us);
    text_line(tx, out, "SUMMARY", ev->summary);
    text_line(tx, out, "DESCRIPTION", ev->description);
    text_line(tx, out, "LOCATION", ev->location);
    line(out, arena_printf(tx->arena, "SEQUENCE:%lld", (long long)ev->sequence));
    line(out, arena_printf(tx->arena, "STATUS:%s", cancels ? "CANCELLED" : status[ev->status]));
    if (priorities[ev->importance])
        line(out, priorities[ev->importance]);
    line(out, event_blocks(ev) ? "TRANSP:OPAQUE" : "TRANSP:TRANSPARENT");
    return 0;
}

int ical_add(struct tx *tx, const struct calendar *cal, const struct cal_event *ev,
             const char *method, const char *only, struct buf *out)
{
    const struct style style = {method, only};
    const struct tz *tz = NULL;
    if (!ev->all_day && (ev->recurrence || ev->form == EVENT_INSTANCE))
        tz = ev->zone && tz_find(ev->zone) ? tz_find(ev->zone) : cal->tz;
    head_lines(out);
    line(out, arena_printf(tx->arena, "METHOD:%s", method));
    if (tz)
        zone_lines(tx, out, tz, ev->start_us / US_PER_SECOND);
    line(out, "BEGIN:VEVENT");
    start_lines(tx, out, ev, true, tz, tz);
    if (event_lines(tx, cal, ev, &style, out) < 0)
        return -1;
    line(out, "END:VEVENT");
    line(out, "END:VCALENDAR");
    return buf_failed(out) ? sosia_fail_memory(tx->err) : 0;
}

/* ---- files ---- */

static void alarm_lines(struct tx *tx, struct buf *out, const char *summary, int64_t minutes,
                        bool email)
{
    line(out, "BEGIN:VALARM");
    line(out, email ? "ACTION:EMAIL" : "ACTION:DISPLAY");
    text_line(tx, out, "DESCRIPTION", summary && *summary ? summary : "Reminder");
    line(out, arena_printf(tx->arena, "TRIGGER:-PT%lldM", (long long)minutes));
    line(out, "END:VALARM");
}

/* What a calendar has of an event beside what an invitation says. */
static void own_lines(struct tx *tx, struct buf *out, const struct calendar *cal,
                      const struct cal_event *ev, const char *busy_name)
{
    static const char *const busy[] = ICAL_BUSY;
    const struct json *list = NULL;
    const char *names = "";
    if (ev->busy > BUSY_FREE && busy[ev->busy])
        line(out, arena_printf(tx->arena, "%s:%s", busy_name, busy[ev->busy]));
    if (ev->categories &&
        json_parse(tx->arena, ev->categories, strlen(ev->categories), NULL, &list, NULL) == 0) {
        for (uint32_t i = 0; i < list->n; i++)
            names = arena_printf(
                tx->arena, "%s%s%s", names, i ? "," : "",
                escape(tx->arena, list->items[i].type == JSON_STRING ? list->items[i].str : ""));
        line(out, arena_printf(tx->arena, "CATEGORIES:%s", names));
    }
    if (cal->vendor->reminds) {
        if (ev->reminder_on)
            alarm_lines(tx, out, ev->summary, ev->reminder_minutes, false);
    } else if (ev->reminders && json_parse(tx->arena, ev->reminders, strlen(ev->reminders), NULL,
                                           &list, NULL) == 0) {
        for (uint32_t i = 0; i < list->n; i++)
            alarm_lines(tx, out, ev->summary, json_get_int(&list->items[i], "minutes", 0),
                        str_same(json_get_str(&list->items[i], "method"), "email"));
    }
}

/* Zones are written once, in front of all events; until then these are apart. */
struct ical_going {
    struct tx *tx;
    const struct calendar *cal;
    struct buf *out, events;
    struct map zones;
    const char *busy_name;
};

/* The zone of a name; NULL: there is none, and times are in UTC. Its rules are those from the first
 * event that has it on. */
static const struct tz *zone_of(struct ical_going *g, const char *name, int64_t us)
{
    const struct tz *tz = name ? tz_find(name) : NULL;
    if (!tz || map_get(&g->zones, tz_name(tz)))
        return tz;
    zone_lines(g->tx, g->out, tz, us / US_PER_SECOND);
    if (map_set(&g->zones, tz_name(tz), g) < 0)
        g->out->failed = true;
    return tz;
}

static int file_event(struct ical_going *g, struct cal_event *ev)
{
    const struct style style = {NULL, NULL};
    struct buf *out = &g->events;
    const char *zone = ev->zone ? ev->zone : g->cal->zone;
    const struct tz *tz = ev->all_day ? NULL : zone_of(g, zone, ev->start_us),
                    *end_tz =
                        ev->all_day || !ev->end_zone ? tz : zone_of(g, ev->end_zone, ev->start_us);
    if (cal_event_load_attendees(g->tx, ev) < 0)
        return -1;
    line(out, "BEGIN:VEVENT");
    start_lines(g->tx, out, ev, !(ev->rights & EVENT_NO_END), tz, end_tz);
    if (event_lines(g->tx, g->cal, ev, &style, out) < 0)
        return -1;
    own_lines(g->tx, out, g->cal, ev, g->busy_name);
    line(out, "END:VEVENT");
    return 0;
}

/* Cancelled ones are not there, but for instances of a series that takes place. */
static int take_event(void *arg, struct cal_event *ev, const struct record *row)
{
    struct ical_going *g = arg;
    struct arena *kept = g->tx->arena, own;
    (void)row;
    if (ev->status == EVENT_CANCELLED && (ev->form != EVENT_INSTANCE || event_is_suspended(ev)))
        return 0;
    arena_init(&own, 0);
    g->tx->arena = &own;
    int rc = file_event(g, ev);
    if (rc == 0 && arena_failed(&own))
        rc = sosia_fail_memory(g->tx->err);
    g->tx->arena = kept;
    arena_done(&own);
    return rc;
}

int ical_add_file(struct tx *tx, const struct calendar *cal, const char *busy_name, struct buf *out)
{
    const struct cal_event_query all = {.min_us = INT64_MIN,
                                        .max_us = INT64_MAX,
                                        .updated_min_us = INT64_MIN,
                                        .changed = -1,
                                        .deleted = true,
                                        .limit = SIZE_MAX};
    struct ical_going g = {.tx = tx, .cal = cal, .out = out, .busy_name = busy_name};
    const char *position;
    buf_init(&g.events, 0);
    head_lines(out);
    text_line(tx, out, "X-WR-CALNAME", cal->summary);
    line(out, arena_printf(tx->arena, "X-WR-TIMEZONE:%s", cal->zone));
    int rc = cal_event_list(tx, cal, &all, take_event, &g, &position);
    if (rc == 0 && (buf_failed(&g.events) || buf_failed(out)))
        rc = sosia_fail_memory(tx->err);
    buf_add(out, g.events.len ? g.events.data : "", g.events.len);
    line(out, "END:VCALENDAR");
    buf_done(&g.events);
    map_done(&g.zones);
    return rc;
}
