/* SPDX-License-Identifier: Apache-2.0 */
#include "services/calendar/core/ical/ical.h"

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

int ical_add(struct tx *tx, const struct calendar *cal, const struct cal_event *ev,
             const char *method, const char *only, struct buf *out)
{
    static const char *const status[] = {"CONFIRMED", "TENTATIVE", "CANCELLED"};
    static const char *const classes[] = {NULL, "CLASS:PUBLIC", "CLASS:PRIVATE",
                                          "CLASS:CONFIDENTIAL", "CLASS:X-PERSONAL"};
    static const char *const priorities[] = {NULL, "PRIORITY:9", "PRIORITY:1"};
    const struct tz *tz = NULL;
    if (!ev->all_day && (ev->recurrence || ev->form == EVENT_INSTANCE))
        tz = ev->zone && tz_find(ev->zone) ? tz_find(ev->zone) : cal->tz;
    line(out, "BEGIN:VCALENDAR");
    line(out, "PRODID:-//sosia//calendar//EN");
    line(out, "VERSION:2.0");
    line(out, "CALSCALE:GREGORIAN");
    line(out, arena_printf(tx->arena, "METHOD:%s", method));
    if (tz)
        zone_lines(tx, out, tz, ev->start_us / US_PER_SECOND);
    line(out, "BEGIN:VEVENT");
    time_line(tx, out, "DTSTART", ev->all_day, tz, ev->start_us);
    time_line(tx, out, "DTEND", ev->all_day, tz, event_end(ev));
    if (ev->form == EVENT_INSTANCE)
        time_line(tx, out, "RECURRENCE-ID", ev->original_day, tz, ev->original_us);
    for (const char *p = ev->recurrence; p && *p; p += strcspn(p, "\n"), p += *p == '\n')
        line(out, arena_memdup(tx->arena, p, strcspn(p, "\n")));
    time_line(tx, out, "DTSTAMP", false, NULL, tx->now_us);
    if (organizer_line(tx, out, cal, ev) < 0)
        return -1;
    line(out, arena_printf(tx->arena, "UID:%s", ev->uid));
    for (int i = 0; i < ev->n_attendees; i++)
        if (!only || strcmp(ev->attendees[i].email, only) == 0)
            attendee_line(tx, out, &ev->attendees[i]);
    if (classes[ev->visibility])
        line(out, classes[ev->visibility]);
    time_line(tx, out, "CREATED", false, NULL, ev->created_us);
    time_line(tx, out, "LAST-MODIFIED", false, NULL, ev->updated_us);
    text_line(tx, out, "SUMMARY", ev->summary);
    text_line(tx, out, "DESCRIPTION", ev->description);
    text_line(tx, out, "LOCATION", ev->location);
    line(out, arena_printf(tx->arena, "SEQUENCE:%lld", (long long)ev->sequence));
    line(out, arena_printf(tx->arena, "STATUS:%s",
                           strcmp(method, "CANCEL") == 0 ? "CANCELLED" : status[ev->status]));
    if (priorities[ev->importance])
        line(out, priorities[ev->importance]);
    line(out, event_blocks(ev) ? "TRANSP:OPAQUE" : "TRANSP:TRANSPARENT");
    line(out, "END:VEVENT");
    line(out, "END:VCALENDAR");
    return buf_failed(out) ? sosia_fail_memory(tx->err) : 0;
}
