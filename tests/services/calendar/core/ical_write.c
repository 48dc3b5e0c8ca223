/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as iCalendar objects and files: exactly which lines an event becomes, in which order, and
 * how they are folded and escaped.
 */
#include "services/calendar/core/ical/ical.h"
#include "engine/service.h"
#include "services/calendar/core/ical/ical_read.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

#define DAY  (24 * HOUR)
#define HEAD "BEGIN:VCALENDAR\nPRODID:-//sosia//calendar//EN\nVERSION:2.0\nCALSCALE:GREGORIAN\n"
/* Between the times and the UID, and behind it. */
#define BY_ADA  "DTSTAMP:20260312T080000Z\nORGANIZER;CN=ada:mailto:ada@acme.example\n"
#define UID_    "UID:u@port.example\n"
#define CHANGED "CREATED:20260320T100000Z\nLAST-MODIFIED:20260320T110000Z\n"
#define AT_NOON "DTSTART:20260320T120000Z\nDTEND:20260320T130000Z\n"
#define PLAIN   "SEQUENCE:0\nSTATUS:CONFIRMED\nTRANSP:OPAQUE\n"

static struct cal_event filled(const struct cal_event *ev)
{
    struct cal_event ret = *ev;
    ret.uid = ret.uid ? ret.uid : "u@port.example";
    ret.start_us = ret.start_us ? ret.start_us : NOON;
    ret.len_us = ret.len_us ? ret.len_us : HOUR;
    ret.created_us = NOON - 2 * HOUR;
    ret.updated_us = NOON - HOUR;
    return ret;
}

/* The text with plain ends of lines; each must have been that of iCalendar. */
static const char *lines_of(struct buf *b)
{
    const char *from = buf_str(b);
    char *text = arena_alloc(tx.arena, strlen(from) + 1), *to = text;
    for (const char *p = from; *p; p++) {
        if (*p == '\r')
            assert_int_equal(p[1], '\n');
        else if (*p == '\n')
            assert_int_equal(p > from ? p[-1] : 0, '\r');
        if (*p != '\r')
            *to++ = *p;
    }
    *to = 0;
    return text;
}

static const char *written_in(const struct calendar *cal, const struct cal_event *ev,
                              const char *method, const char *only)
{
    const struct cal_event full = filled(ev);
    struct buf b;
    buf_init(&b, 0);
    OK(ical_add(&tx, cal, &full, method, only, &b));
    const char *text = lines_of(&b);
    buf_done(&b);
    return text;
}

static const char *written(const struct cal_event *ev, const char *method, const char *only)
{
    return written_in(&ada, ev, method, only);
}

static void assert_event(const struct cal_event *ev, const char *lines)
{
    assert_string_equal(written(ev, "REQUEST", NULL),
                        arena_printf(tx.arena,
                                     HEAD "METHOD:REQUEST\nBEGIN:VEVENT\n%sEND:VEVENT\n"
                                          "END:VCALENDAR\n",
                                     lines));
}

/* ---- invitations ---- */

static void what_an_event_is_as_an_object(void **state)
{
    (void)state;
    static const struct {
        struct cal_event ev;
        const char *lines;
    } all[] = {
        {{0}, AT_NOON BY_ADA UID_ CHANGED PLAIN},
        {{.start_us = NOON + 61 * US_PER_SECOND, .len_us = 2 * US_PER_SECOND},
         "DTSTART:20260320T120101Z\nDTEND:20260320T120103Z\n" BY_ADA UID_ CHANGED PLAIN},
        {{.all_day = true, .start_us = NOON - DAY / 2, .len_us = 2 * DAY, .zone = "Europe/Rome"},
         "DTSTART;VALUE=DATE:20260320\nDTEND;VALUE=DATE:20260322\n" BY_ADA UID_ CHANGED PLAIN},
        {{.all_day = true, .start_us = NOON - DAY / 2, .len_us = DAY, .recurrence = "RRULE:X"},
         "DTSTART;VALUE=DATE:20260320\nDTEND;VALUE=DATE:20260321\nRRULE:X\n" BY_ADA UID_ CHANGED
             PLAIN},
        {{.summary = "Lunch", .description = "a\r\nb; c, d\\e", .location = "There"},
         AT_NOON BY_ADA UID_ CHANGED "SUMMARY:Lunch\nDESCRIPTION:a\\nb\\; c\\, d\\\\e\n"
                                     "LOCATION:There\n" PLAIN},
        {{.summary = "", .description = "", .location = ""}, AT_NOON BY_ADA UID_ CHANGED PLAIN},
        {{.visibility = VISIBLE_PUBLIC}, AT_NOON BY_ADA UID_ "CLASS:PUBLIC\n" CHANGED PLAIN},
        {{.visibility = VISIBLE_PRIVATE}, AT_NOON BY_ADA UID_ "CLASS:PRIVATE\n" CHANGED PLAIN},
        {{.visibility = VISIBLE_CONFIDENTIAL},
         AT_NOON BY_ADA UID_ "CLASS:CONFIDENTIAL\n" CHANGED PLAIN},
        {{.visibility = VISIBLE_PERSONAL}, AT_NOON BY_ADA UID_ "CLASS:X-PERSONAL\n" CHANGED PLAIN},
        {{.sequence = INT64_C(5000000000), .status = EVENT_TENTATIVE, .busy = BUSY_FREE},
         AT_NOON BY_ADA UID_ CHANGED "SEQUENCE:5000000000\nSTATUS:TENTATIVE\nTRANSP:TRANSPARENT\n"},
        {{.status = EVENT_CANCELLED, .importance = IMPORTANCE_LOW, .busy = BUSY_ELSEWHERE},
         AT_NOON BY_ADA UID_ CHANGED
         "SEQUENCE:0\nSTATUS:CANCELLED\nPRIORITY:9\nTRANSP:TRANSPARENT\n"},
        {{.importance = IMPORTANCE_HIGH, .busy = BUSY_AWAY},
         AT_NOON BY_ADA UID_ CHANGED "SEQUENCE:0\nSTATUS:CONFIRMED\nPRIORITY:1\nTRANSP:OPAQUE\n"},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        assert_event(&all[i].ev, all[i].lines);
    /* What says that it is over is cancelled, whatever the event is. */
    assert_string_equal(written(&(struct cal_event){.status = EVENT_TENTATIVE}, "CANCEL", NULL),
                        HEAD "METHOD:CANCEL\nBEGIN:VEVENT\n" AT_NOON BY_ADA UID_ CHANGED
                             "SEQUENCE:0\nSTATUS:CANCELLED\nTRANSP:OPAQUE\nEND:VEVENT\n"
                             "END:VCALENDAR\n");
}

static void who_leads_an_event(void **state)
{
    (void)state;
    struct calendar team = {.owner = ada.owner, .key = "team@port.example", .summary = "A, team"};
    OK(calendar_add(&tx, &team));
    static const struct {
        const char *organizer, *line;
    } all[] = {
        {"bob@acme.example", "ORGANIZER;CN=bob:mailto:bob@acme.example\n"},
        {"room@acme.example", "ORGANIZER;CN=Aula:mailto:room@acme.example\n"},
        {"team@port.example", "ORGANIZER;CN=\"A, team\":mailto:team@port.example\n"},
        {"far@port.example", "ORGANIZER;CN=far@port.example:mailto:far@port.example\n"},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        assert_event(&(struct cal_event){.organizer = all[i].organizer},
                     arena_printf(tx.arena,
                                  AT_NOON "DTSTAMP:20260312T080000Z\n%s" UID_ CHANGED PLAIN,
                                  all[i].line));
}

static void how_guests_are_written(void **state)
{
    (void)state;
    struct cal_attendee guests[] = {
        {.email = "a@port.example"},
        {.email = "b@port.example", .name = "Bea", .response = RESPONSE_NONE, .optional = true},
        {.email = "c@port.example", .name = "C: \"x\"\n", .response = RESPONSE_DECLINED},
        {.email = "d@port.example", .response = RESPONSE_TENTATIVE, .guests = 2, .name = "D,d"},
        {.email = "e@port.example",
         .response = RESPONSE_ACCEPTED,
         .resource = true,
         .comment = "so; so",
         .name = "E \"e\""},
    };
    static const char *const lines[] = {
        "ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=\n"
        " TRUE;CN=a@port.example;X-NUM-GUESTS=0:mailto:a@port.example\n",
        "ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=OPT-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=\n"
        " TRUE;CN=Bea;X-NUM-GUESTS=0:mailto:b@port.example\n",
        "ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=DECLINED;RSVP=TRUE\n"
        " ;CN=\"C: x\";X-NUM-GUESTS=0:mailto:c@port.example\n",
        "ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=TENTATIVE;RSVP=TRU\n"
        " E;CN=\"D,d\";X-NUM-GUESTS=2:mailto:d@port.example\n",
        "ATTENDEE;CUTYPE=RESOURCE;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=TRUE;C\n"
        " N=E e;X-NUM-GUESTS=0;X-RESPONSE-COMMENT=\"so; so\":mailto:e@port.example\n",
    };
    const struct cal_event ev = {.attendees = guests, .n_attendees = SOSIA_LEN(guests)};
    const char *all = AT_NOON BY_ADA UID_;
    for (size_t i = 0; i < SOSIA_LEN(lines); i++)
        all = arena_printf(tx.arena, "%s%s", all, lines[i]);
    assert_event(&ev, arena_printf(tx.arena, "%s" CHANGED PLAIN, all));
    /* An answer names its own guest alone. */
    assert_string_equal(written(&ev, "REPLY", "d@port.example"),
                        arena_printf(tx.arena,
                                     HEAD "METHOD:REPLY\nBEGIN:VEVENT\n" AT_NOON BY_ADA UID_
                                          "%s" CHANGED PLAIN "END:VEVENT\nEND:VCALENDAR\n",
                                     lines[3]));
}

static void long_lines_are_folded_between_characters(void **state)
{
    (void)state;
    /* "SUMMARY:" has 8 bytes of the first 75. */
    static const struct {
        size_t before;
        const char *text, *folded; /* behind so many times 'x' */
    } all[] = {
        {67, "", "\n"},
        {67, "y", "\n y\n"},
        {66, "\xc3\xa9y", "\n \xc3\xa9y\n"},
        {65, "\xc3\xa9y", "\xc3\xa9\n y\n"},
        {66, "\xe2\x82\xac", "\n \xe2\x82\xac\n"},
        {65, "\xe2\x82\xac", "\n \xe2\x82\xac\n"},
        {64, "\xf0\x9f\x98\x80", "\n \xf0\x9f\x98\x80\n"},
        {63, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80\n"},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        char *xs = arena_calloc(tx.arena, all[i].before + 1, 1);
        memset(xs, 'x', all[i].before);
        assert_event(
            &(struct cal_event){.summary = arena_printf(tx.arena, "%s%s", xs, all[i].text)},
            arena_printf(tx.arena, AT_NOON BY_ADA UID_ CHANGED "SUMMARY:%s%s" PLAIN, xs,
                         all[i].folded));
    }
    /* Further lines have a space in front of 74. */
    char *xs = arena_calloc(tx.arena, 67 + 74 + 74 + 2, 1);
    memset(xs, 'x', 67 + 74 + 74 + 1);
    assert_event(&(struct cal_event){.summary = xs},
                 arena_printf(tx.arena,
                              AT_NOON BY_ADA UID_ CHANGED
                              "SUMMARY:%.67s\n %.74s\n %.74s\n x\n" PLAIN,
                              xs, xs, xs));
}

/* ---- zones ---- */

#define OBSERVANCE(kind, start, from, to, name)                                                    \
    "BEGIN:" kind "\nDTSTART:" start "\nTZOFFSETFROM:" from "\nTZOFFSETTO:" to "\nTZNAME:" name    \
    "\nEND:" kind "\n"
#define WINTER(start) OBSERVANCE("STANDARD", start, "+0200", "+0100", "CET")
#define SUMMER(start) OBSERVANCE("DAYLIGHT", start, "+0100", "+0200", "CEST")
#define ROME                                                                                       \
    "BEGIN:VTIMEZONE\nTZID:Europe/Rome\n" OBSERVANCE("STANDARD", "20251026T020000", "+0100",       \
                                                     "+0100", "CET") SUMMER("20260329T020000")     \
        WINTER("20261025T030000") SUMMER("20270328T020000") WINTER("20271031T030000")              \
            SUMMER("20280326T020000") WINTER("20281029T030000")                                    \
                SUMMER("20290325T020000") "END:VTIMEZONE\n"
#define INDIA                                                                                      \
    "BEGIN:VTIMEZONE\nTZID:Asia/Kolkata\n" OBSERVANCE("STANDARD", "19451014T230000", "+0530",      \
                                                      "+0530", "IST") "END:VTIMEZONE\n"

static void assert_series(const struct calendar *cal, const struct cal_event *ev, const char *zone,
                          const char *times)
{
    assert_string_equal(written_in(cal, ev, "REQUEST", NULL),
                        arena_printf(tx.arena,
                                     HEAD
                                     "METHOD:REQUEST\n%sBEGIN:VEVENT\n%s" BY_ADA UID_ CHANGED PLAIN
                                     "END:VEVENT\nEND:VCALENDAR\n",
                                     zone, times));
}

static void series_and_their_instances_have_a_zone(void **state)
{
    (void)state;
    struct calendar indian = ada;
    indian.zone = "Asia/Kolkata";
    indian.tz = tz_find(indian.zone);
    struct cal_event ev = {.zone = "Europe/Rome",
                           .recurrence = "RRULE:FREQ=DAILY\nEXDATE;TZID=Europe/Rome:X"};
    assert_series(&indian, &ev, ROME,
                  "DTSTART;TZID=Europe/Rome:20260320T130000\n"
                  "DTEND;TZID=Europe/Rome:20260320T140000\n"
                  "RRULE:FREQ=DAILY\nEXDATE;TZID=Europe/Rome:X\n");
    /* Without one, or with one that is none, it has its calendar's. */
    for (int i = 0; i < 2; i++) {
        ev = (struct cal_event){.zone = i ? "Nowhere" : NULL, .recurrence = "RRULE:FREQ=DAILY"};
        assert_series(&indian, &ev, INDIA,
                      "DTSTART;TZID=Asia/Kolkata:20260320T173000\n"
                      "DTEND;TZID=Asia/Kolkata:20260320T183000\nRRULE:FREQ=DAILY\n");
    }
    ev = (struct cal_event){
        .zone = "Europe/Rome", .form = EVENT_INSTANCE, .original_us = NOON - HOUR};
    assert_series(&indian, &ev, ROME,
                  "DTSTART;TZID=Europe/Rome:20260320T130000\n"
                  "DTEND;TZID=Europe/Rome:20260320T140000\n"
                  "RECURRENCE-ID;TZID=Europe/Rome:20260320T120000\n");
    ev = (struct cal_event){.zone = "Europe/Rome",
                            .form = EVENT_INSTANCE,
                            .original_day = true,
                            .original_us = NOON + DAY / 2};
    assert_series(&indian, &ev, ROME,
                  "DTSTART;TZID=Europe/Rome:20260320T130000\n"
                  "DTEND;TZID=Europe/Rome:20260320T140000\n"
                  "RECURRENCE-ID;VALUE=DATE:20260321\n");
    /* One that has always had one offset. */
    ev = (struct cal_event){.zone = "Etc/GMT-3", .recurrence = "RRULE:FREQ=DAILY"};
    assert_series(&ada, &ev,
                  "BEGIN:VTIMEZONE\nTZID:Etc/GMT-3\n" OBSERVANCE(
                      "STANDARD", "19700101T030000", "+0300", "+0300", "+03") "END:VTIMEZONE\n",
                  "DTSTART;TZID=Etc/GMT-3:20260320T150000\n"
                  "DTEND;TZID=Etc/GMT-3:20260320T160000\nRRULE:FREQ=DAILY\n");
    /* In the west, with half hours. */
    ev = (struct cal_event){.zone = "America/St_Johns", .recurrence = "RRULE:FREQ=DAILY"};
    assert_non_null(strstr(written(&ev, "REQUEST", NULL),
                           OBSERVANCE("DAYLIGHT", "20260308T030000", "-0230", "-0230", "NDT")
                               OBSERVANCE("STANDARD", "20261101T020000", "-0230", "-0330", "NST")));
    /* A single event needs none. */
    assert_event(&(struct cal_event){.zone = "Europe/Rome"}, AT_NOON BY_ADA UID_ CHANGED PLAIN);
}

/* ---- files ---- */

static const char *file_of(const struct calendar *cal)
{
    struct buf b;
    buf_init(&b, 0);
    OK(ical_add_file(&tx, cal, "X-BUSY", &b));
    const char *text = lines_of(&b);
    buf_done(&b);
    return text;
}

#define NOW "CREATED:20260312T080000Z\nLAST-MODIFIED:20260312T080000Z\n"

static void assert_file(const struct calendar *cal, const char *name, const char *zone,
                        const char *rest)
{
    assert_string_equal(
        file_of(cal),
        arena_printf(tx.arena, HEAD "%sX-WR-TIMEZONE:%s\n%sEND:VCALENDAR\n", name, zone, rest));
}

static struct cal_event own(const char *uid, int day)
{
    struct cal_event ev = draft(uid, "");
    ev.uid = uid;
    ev.start_us += day * DAY;
    ev.reminders = "[]";
    ev.zone = NULL;
    return ev;
}

static void what_a_file_has_of_a_calendar(void **state)
{
    (void)state;
    struct calendar cal = ada;
    assert_file(&cal, "X-WR-CALNAME:ada\n", "UTC", "");
    cal.summary = "";
    cal.zone = "Nowhere"; /* then times are in UTC */
    assert_file(&cal, "", "Nowhere", "");
    struct cal_event ev = own("one", 0);
    ev.busy = BUSY_AWAY;
    ev.categories = "[\"Red, green\",\"Blue\",\"c\"]";
    ev.rights = EVENT_NO_END;
    added(ev);
    assert_file(&cal, "", "Nowhere",
                "BEGIN:VEVENT\nDTSTART:20260320T120000Z\nDTSTAMP:20260312T080000Z\nUID:one\n" NOW
                "SUMMARY:one\n" PLAIN "X-BUSY:OOF\nCATEGORIES:Red\\, green,Blue,c\nEND:VEVENT\n");
    ev = own("two", 1);
    ev.busy = BUSY_FREE;
    ev.zone = "Europe/Rome";
    ev.end_zone = "Asia/Kolkata";
    added(ev);
    /* The calendar's zone, of which each is written once, before all events. */
    cal.zone = "Europe/Rome";
    cal.tz = tz_find(cal.zone);
    assert_file(&cal, "", "Europe/Rome",
                ROME INDIA
                "BEGIN:VEVENT\nDTSTART;TZID=Europe/Rome:20260320T130000\n"
                "DTSTAMP:20260312T080000Z\nUID:one\n" NOW "SUMMARY:one\n" PLAIN
                "X-BUSY:OOF\nCATEGORIES:Red\\, green,Blue,c\nEND:VEVENT\n"
                "BEGIN:VEVENT\nDTSTART;TZID=Europe/Rome:20260321T130000\n"
                "DTEND;TZID=Asia/Kolkata:20260321T183000\n"
                "DTSTAMP:20260312T080000Z\nUID:two\n" NOW
                "SUMMARY:two\nSEQUENCE:0\nSTATUS:CONFIRMED\nTRANSP:TRANSPARENT\nEND:VEVENT\n");
}

static void reminders_of_either_kind_of_vendor(void **state)
{
    (void)state;
    struct cal_vendor vendor = *subject;
    struct calendar cal = ada;
    const char *start = "BEGIN:VEVENT\nDTSTART;VALUE=DATE:20260320\n"
                        "DTEND;VALUE=DATE:20260321\nDTSTAMP:20260312T080000Z\n"
                        "UID:day\n" NOW "SUMMARY:day\n" PLAIN;
    struct cal_event ev = own("day", 0), old;
    ev.all_day = true;
    ev.start_us = NOON - DAY / 2;
    ev.len_us = DAY;
    ev.reminders = "[{\"method\":\"email\",\"minutes\":15},{\"method\":\"popup\",\"minutes\":0},"
                   "{\"method\":\"popup\"}]";
    ev.reminder_on = true;
    ev.reminder_minutes = 30;
    ev = added(ev);
    cal.vendor = &vendor;
    vendor.reminds = false;
    assert_file(&cal, "X-WR-CALNAME:ada\n", "UTC",
                arena_printf(tx.arena,
                             "%sBEGIN:VALARM\nACTION:EMAIL\nDESCRIPTION:day\nTRIGGER:-PT15M\n"
                             "END:VALARM\nBEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:day\n"
                             "TRIGGER:-PT0M\nEND:VALARM\nBEGIN:VALARM\nACTION:DISPLAY\n"
                             "DESCRIPTION:day\nTRIGGER:-PT0M\nEND:VALARM\nEND:VEVENT\n",
                             start));
    vendor.reminds = true;
    assert_file(&cal, "X-WR-CALNAME:ada\n", "UTC",
                arena_printf(tx.arena,
                             "%sBEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:day\nTRIGGER:-PT30M\n"
                             "END:VALARM\nEND:VEVENT\n",
                             start));
    old = ev = again(&ev);
    ev.summary = "";
    OK(saved(&ada, &old, &ev));
    const char *text = file_of(&cal);
    assert_non_null(strstr(text, "TRANSP:OPAQUE\nBEGIN:VALARM\nACTION:DISPLAY\n"
                                 "DESCRIPTION:Reminder\nTRIGGER:-PT30M\nEND:VALARM\n"));
    old = ev = again(&ev);
    ev.reminder_on = false;
    ev.reminders = NULL;
    OK(saved(&ada, &old, &ev));
    assert_null(strstr(file_of(&cal), "VALARM"));
    vendor.reminds = false;
    assert_null(strstr(file_of(&cal), "VALARM"));
}

static int times_in(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static void which_events_a_file_has(void **state)
{
    (void)state;
    struct cal_event gone = added(own("gone", 0)), series = own("series", 1), ev, old, is;
    OK(cal_event_cancel(&tx, ALL, &ada, &gone));
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=5";
    series = added(series);
    assert_int_equal(cal_event_instance(&tx, &ada, &series, false, NOON + 2 * DAY, &is), 1);
    OK(cal_event_cancel(&tx, ALL, &ada, &is));
    assert_int_equal(cal_event_instance(&tx, &ada, &series, false, NOON + 3 * DAY, &is), 1);
    OK(cal_event_load_attendees(&tx, &is));
    old = is;
    is.summary = "other";
    OK(saved(&ada, &old, &is));
    added(own("with", 9));
    ev = draft("guests", "bob");
    ev.uid = "guests";
    added(ev);
    const char *text = file_of(&ada);
    assert_int_equal(times_in(text, "BEGIN:VEVENT\n"), 5);
    assert_int_equal(times_in(text, "END:VEVENT\n"), 5);
    assert_int_equal(times_in(text, "UID:gone\n"), 0);
    assert_int_equal(times_in(text, "UID:series\n"), 3);
    assert_int_equal(times_in(text, "STATUS:CANCELLED\n"), 1);
    assert_int_equal(times_in(text, "RECURRENCE-ID;TZID=UTC:20260322T120000\n"), 1);
    assert_int_equal(times_in(text, "RECURRENCE-ID;TZID=UTC:20260323T120000\n"), 1);
    assert_int_equal(times_in(text, "SUMMARY:other\n"), 1);
    assert_int_equal(times_in(text, "TZID:UTC\n"), 1);
    /* Those with guests have an organizer; so have those of somebody else. */
    assert_int_equal(times_in(text, "ORGANIZER;CN=ada:mailto:ada@acme.example\n"), 1);
    assert_int_equal(times_in(text, ":mailto:bob@acme.example\n"), 1);
    assert_int_equal(times_in(file_of(&bob), "ORGANIZER;CN=ada:mailto:ada@acme.example\n"), 1);
    /* A series that does not take place has no instances. */
    series = again(&series);
    OK(cal_event_cancel(&tx, ALL, &ada, &series));
    text = file_of(&ada);
    assert_int_equal(times_in(text, "BEGIN:VEVENT\n"), 2);
    assert_int_equal(times_in(text, "UID:series\n"), 0);
}

/* ---- round trips ---- */

static unsigned seed;

static unsigned random_below(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return seed >> 8 & 0xffff ? (seed >> 8) % n : 0;
}

static const char *random_text(void)
{
    static const char *const pieces[] = {"a",  ",",        ";",      "\\", "\n", "n",  ":",
                                         "\"", "\xc3\xa9", " word ", "^",  "=",  "\t", "\\n"};
    const char *text = "x";
    for (unsigned n = random_below(60); n; n--)
        text = arena_printf(tx.arena, "%s%s", text, pieces[random_below(SOSIA_LEN(pieces))]);
    return text;
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        seed = (unsigned)i;
        struct cal_attendee guest = {.email = "g@port.example",
                                     .response = RESPONSE_NONE + random_below(4),
                                     .optional = random_below(2),
                                     .resource = random_below(2),
                                     .guests = (int)random_below(9)};
        bool day = random_below(2), series = random_below(2);
        int64_t unit = day ? DAY : 60 * US_PER_SECOND;
        const struct cal_event ev = filled(&(struct cal_event){
            .summary = random_text(),
            .description = random_text(),
            .location = random_text(),
            .all_day = day,
            .start_us = NOON / DAY * DAY + unit * random_below(3000),
            .len_us = unit * (1 + random_below(100)),
            .zone = random_below(2) ? "Europe/Rome" : "America/St_Johns",
            .recurrence = series ? "RRULE:FREQ=DAILY" : NULL,
            .status = random_below(3),
            .importance = random_below(3),
            .visibility = random_below(2) ? VISIBLE_DEFAULT : VISIBLE_PRIVATE + random_below(3),
            .busy = random_below(2) ? BUSY_FREE : BUSY_BUSY,
            .sequence = random_below(50),
            .attendees = &guest,
            .n_attendees = 1,
        });
        struct buf b;
        struct ical got;
        buf_init(&b, 0);
        OK(ical_add(&tx, &ada, &ev, "REQUEST", NULL, &b));
        OK(ical_read(tx.arena, b.data, b.len, tz_find("Asia/Kolkata"), &got, tx.err));
        buf_done(&b);
        assert_int_equal(got.method, ICAL_REQUEST);
        assert_int_equal(got.n_events, 1);
        const struct ical_event *is = got.events;
        assert_string_equal(is->uid, ev.uid);
        assert_string_equal(is->summary, ev.summary);
        assert_string_equal(is->description, ev.description);
        assert_string_equal(is->location, ev.location);
        assert_int_equal(is->all_day, day);
        assert_int_equal(is->start_us, ev.start_us);
        assert_int_equal(is->len_us, ev.len_us);
        assert_int_equal(is->status, ev.status);
        assert_int_equal(is->importance, ev.importance);
        assert_int_equal(is->visibility, ev.visibility);
        assert_int_equal(is->free, ev.busy == BUSY_FREE);
        assert_int_equal(is->sequence, ev.sequence);
        if (series)
            assert_string_equal(is->recurrence, ev.recurrence);
        else
            assert_null(is->recurrence);
        if (series && !day)
            assert_string_equal(is->zone, ev.zone);
        assert_string_equal(is->organizer, "ada@acme.example");
        assert_int_equal(is->n_guests, 1);
        assert_string_equal(is->guests->email, guest.email);
        assert_int_equal(is->guests->response, guest.response);
        assert_int_equal(is->guests->optional, guest.optional);
        assert_int_equal(is->guests->resource, guest.resource);
        assert_int_equal(is->guests->guests, guest.guests);
    }
}

static int open_engine(void **state)
{
    (void)state;
    subject = &acme;
    other = &globex;
    return test_open_engine_of(services);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_an_event_is_as_an_object, begin, end),
        cmocka_unit_test_setup_teardown(who_leads_an_event, begin, end),
        cmocka_unit_test_setup_teardown(how_guests_are_written, begin, end),
        cmocka_unit_test_setup_teardown(long_lines_are_folded_between_characters, begin, end),
        cmocka_unit_test_setup_teardown(series_and_their_instances_have_a_zone, begin, end),
        cmocka_unit_test_setup_teardown(what_a_file_has_of_a_calendar, begin, end),
        cmocka_unit_test_setup_teardown(reminders_of_either_kind_of_vendor, begin, end),
        cmocka_unit_test_setup_teardown(which_events_a_file_has, begin, end),
        cmocka_unit_test_setup_teardown(what_is_written_is_read_again, begin, end),
    };
    return cmocka_run_group_tests(tests, open_engine, test_close_engine);
}
