/* SPDX-License-Identifier: Apache-2.0 */
#include "services/calendar/core/ical/ical_read.h"
#include "services/calendar/core/ical/ical_zone.h"
#include "tests/support/unit.h"

static struct arena arena;
static struct ical ical;
static struct sosia_err err;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static int try(const char *text)
{
    err = (struct sosia_err){0};
    return ical_read(&arena, text, strlen(text), tz_find("Europe/Rome"), &ical, &err);
}

/* The one event with these lines, and further components before it. */
static const struct ical_event *event_in(const char *components, const char *lines)
{
    if (try(arena_printf(&arena,
                         "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\n%sBEGIN:VEVENT\r\nUID:u\r\n%s"
                         "END:VEVENT\r\nEND:VCALENDAR\r\n",
                         components, lines)) < 0)
        fail_msg("%s", err.text);
    return ical.n_events == 1 ? ical.events : NULL;
}

static const struct ical_event *event(const char *lines)
{
    const struct ical_event *ev = event_in("", lines);
    if (!ev)
        fail_msg("no event: %s", lines);
    return ev;
}

static void assert_no_event(const char *lines)
{
    if (event_in("", lines))
        fail_msg("an event: %s", lines);
}

static void assert_refused(const char *text)
{
    if (try(text) == 0)
        fail_msg("taken: %s", text);
    assert_int_equal(err.code, SOSIA_E_INVALID);
}

static int64_t utc(int year, int month, int day, int hour, int minute)
{
    struct civil c = {year, month, day, hour, minute, 0, 0};
    return civil_to_seconds(&c) * US_PER_SECOND;
}

/* ---- lines ---- */

static void folded_lines_are_joined(void **state)
{
    (void)state;
    const struct ical_event *ev = event("SUMMARY:one\r\n  two\r\n\tthree\n four\r\n"
                                        "LOCATION:caf\xc3\r\n \xa9\r\n");
    assert_string_equal(ev->summary, "one twothreefour");
    assert_string_equal(ev->location, "caf\xc3\xa9");
}

static void escapes_are_undone(void **state)
{
    (void)state;
    const struct ical_event *ev = event("DESCRIPTION:a\\, b\\; c\\\\n\\nd\\Ne\\:f\r\n");
    assert_string_equal(ev->description, "a, b; c\\n\nd\ne:f");
}

static void names_are_known_in_any_case(void **state)
{
    (void)state;
    const struct ical_event *ev = event("Summary;Language=en:x\r\nstatus:tentative\r\n");
    assert_string_equal(ev->summary, "x");
    assert_int_equal(ev->status, EVENT_TENTATIVE);
}

static void the_first_of_several_texts_counts(void **state)
{
    (void)state;
    assert_string_equal(event("SUMMARY:a\r\nSUMMARY:b\r\n")->summary, "a");
}

static void what_is_no_utf8_is_left_out(void **state)
{
    (void)state;
    assert_string_equal(event("SUMMARY:a\xff\x01z\r\n")->summary, "az");
}

static void lines_without_meaning_are_passed_over(void **state)
{
    (void)state;
    const struct ical_event *ev = event("\r\nnothing\r\n:\r\nX;A:\r\nX;A=\"b:c\r\nSUMMARY:s\r\n");
    assert_string_equal(ev->summary, "s");
}

static void other_components_are_passed_over(void **state)
{
    (void)state;
    const struct ical_event *ev =
        event("BEGIN:VALARM\r\nSUMMARY:alarm\r\nUID:other\r\nEND:VALARM\r\nSUMMARY:s\r\n");
    assert_string_equal(ev->summary, "s");
    assert_string_equal(ev->uid, "u");
}

/* ---- people ---- */

static void guests_are_read_with_their_parameters(void **state)
{
    (void)state;
    const struct ical_event *ev = event(
        "ORGANIZER;CN=\"Doe; Dave: boss\":MAILTO:Dave@Else.example\r\n"
        "ATTENDEE;PARTSTAT=ACCEPTED;ROLE=OPT-PARTICIPANT;CN=Ada ^'A^':mailto:ada@x.example\r\n"
        "ATTENDEE;CUTYPE=ROOM;X-NUM-GUESTS=2;CN=r@x.example:mailto:r@x.example\r\n"
        "ATTENDEE;EMAIL=\"e@x.example\":urn:uuid:1-2\r\n"
        "ATTENDEE;PARTSTAT=DECLINED:mailto:ADA@x.example\r\n"
        "ATTENDEE:mailto:nobody\r\n");
    assert_string_equal(ev->organizer, "dave@else.example");
    assert_string_equal(ev->organizer_name, "Doe; Dave: boss");
    assert_int_equal(ev->n_guests, 3);
    assert_string_equal(ev->guests[0].email, "ada@x.example");
    assert_string_equal(ev->guests[0].name, "Ada \"A\"");
    assert_int_equal(ev->guests[0].response, RESPONSE_ACCEPTED);
    assert_true(ev->guests[0].optional);
    assert_true(ev->guests[1].resource);
    assert_int_equal(ev->guests[1].guests, 2);
    assert_null(ev->guests[1].name);
    assert_int_equal(ev->guests[1].response, RESPONSE_NONE);
    assert_string_equal(ev->guests[2].email, "e@x.example");
}

static void guests_beyond_the_limit_are_left_out(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < ICAL_MAX_GUESTS + 5; i++)
        buf_printf(&b, "ATTENDEE:mailto:g%d@x.example\r\n", i);
    assert_int_equal(event(arena_strdup(&arena, buf_str(&b)))->n_guests, ICAL_MAX_GUESTS);
    buf_done(&b);
}

/* ---- times ---- */

static void times_are_in_utc_in_a_zone_or_the_readers(void **state)
{
    (void)state;
    const struct ical_event *ev = event("DTSTART:20260710T090000Z\r\nDTEND:20260710T100000Z\r\n");
    assert_int_equal(ev->start_us, utc(2026, 7, 10, 9, 0));
    assert_int_equal(ev->len_us, 3600 * US_PER_SECOND);
    assert_string_equal(ev->zone, "UTC");
    ev = event("DTSTART;TZID=America/New_York:20260710T090000\r\n");
    assert_int_equal(ev->start_us, utc(2026, 7, 10, 13, 0));
    assert_string_equal(ev->zone, "America/New_York");
    assert_true(ev->no_end);
    assert_int_equal(ev->len_us, 0);
    ev = event("DTSTART:20260710T090000\r\n");
    assert_int_equal(ev->start_us, utc(2026, 7, 10, 7, 0));
    assert_null(ev->zone);
}

static void dates_are_days(void **state)
{
    (void)state;
    const struct ical_event *ev = event("DTSTART;VALUE=DATE:20260710\r\n");
    assert_true(ev->all_day);
    assert_int_equal(ev->start_us, utc(2026, 7, 10, 0, 0));
    assert_int_equal(ev->len_us, US_PER_DAY);
    ev = event("DTSTART;VALUE=DATE:20260710\r\nDTEND;VALUE=DATE:20260713\r\n");
    assert_int_equal(ev->len_us, 3 * US_PER_DAY);
    ev = event("DTSTART;VALUE=DATE:20260710\r\nDURATION:P1W\r\n");
    assert_int_equal(ev->len_us, 7 * US_PER_DAY);
}

static void durations_keep_the_clock_over_days(void **state)
{
    (void)state;
    /* The night in which Rome's clock is put forward. */
    const char *start = "DTSTART;TZID=Europe/Rome:20260328T120000\r\n";
    assert_int_equal(event(arena_printf(&arena, "%sDURATION:P1D\r\n", start))->len_us,
                     23 * 3600 * US_PER_SECOND);
    assert_int_equal(event(arena_printf(&arena, "%sDURATION:PT24H\r\n", start))->len_us,
                     24 * 3600 * US_PER_SECOND);
    assert_int_equal(event(arena_printf(&arena, "%sDURATION:P1DT1H2M3S\r\n", start))->len_us,
                     (24 * 3600 + 123) * US_PER_SECOND);
}

static void events_that_make_no_sense_are_passed_over(void **state)
{
    (void)state;
    assert_no_event("DTSTART:20260710T100000Z\r\nDTEND:20260710T090000Z\r\n");
    assert_no_event("DTSTART:20260710T100000Z\r\nDTEND;VALUE=DATE:20260711\r\n");
    assert_no_event("DTSTART:20260710T100000Z\r\nDURATION:-PT1H\r\n");
    assert_no_event("DTSTART:20260710T100000Z\r\nDURATION:P\r\n");
    assert_no_event("DTSTART:20260710T100000Z\r\nDURATION:PT1H1H\r\n");
    assert_no_event("DTSTART:20260710T100000Z\r\nDURATION:P999999999W\r\n");
    assert_no_event("DTSTART:99991231T100000Z\r\nDURATION:P9D\r\n");
    assert_no_event("RECURRENCE-ID;RANGE=THISANDFUTURE:20260710T100000Z\r\n");
    assert_no_event("RECURRENCE-ID:soon\r\n");
    assert_no_event("UID:another\r\n");
}

static void windows_names_of_zones_are_known(void **state)
{
    (void)state;
    const struct ical_event *ev =
        event("DTSTART;TZID=\"W. Europe Standard Time\":20260710T090000\r\n");
    assert_string_equal(ev->zone, "Europe/Berlin");
    assert_int_equal(ev->start_us, utc(2026, 7, 10, 7, 0));
    assert_string_equal(tz_name(ical_zone_named("eastern standard time")), "America/New_York");
    assert_string_equal(tz_name(ical_zone_named("/mozilla.org/1/America/Argentina/Salta")),
                        "America/Argentina/Salta");
    assert_null(ical_zone_named("Middle-earth"));
    assert_null(ical_zone_named(""));
    assert_null(ical_zone_named("/"));
}

static const char own_zone[] =
    "BEGIN:VTIMEZONE\r\nTZID:Ours\r\n"
    "BEGIN:STANDARD\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:-0400\r\nTZOFFSETTO:-0500\r\n"
    "RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11\r\nEND:STANDARD\r\n"
    "BEGIN:DAYLIGHT\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:-0500\r\nTZOFFSETTO:-0400\r\n"
    "RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n";

static void a_zone_of_its_own_is_known_by_its_rules(void **state)
{
    (void)state;
    const struct ical_event *ev = event_in(own_zone, "DTSTART;TZID=Ours:20260710T090000\r\n"
                                                     "RRULE:FREQ=DAILY\r\n"
                                                     "EXDATE;TZID=Ours:20260711T090000\r\n");
    assert_non_null(ev);
    assert_int_equal(ev->start_us, utc(2026, 7, 10, 13, 0));
    const struct tz *tz = tz_find(ev->zone);
    assert_non_null(tz);
    assert_int_equal(tz_offset(tz, ev->start_us / US_PER_SECOND), -4 * 3600);
    assert_int_equal(tz_offset(tz, utc(2026, 12, 10, 9, 0) / US_PER_SECOND), -5 * 3600);
    assert_string_equal(
        ev->recurrence,
        arena_printf(&arena, "RRULE:FREQ=DAILY\nEXDATE;TZID=%s:20260711T090000", ev->zone));
}

static void a_zone_like_no_other_counts_by_its_offset(void **state)
{
    (void)state;
    const struct ical_event *ev =
        event_in("BEGIN:VTIMEZONE\r\nTZID:Odd\r\nBEGIN:STANDARD\r\nDTSTART:20000101T000000\r\n"
                 "TZOFFSETTO:+010700\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n",
                 "DTSTART;TZID=Odd:20260710T090000\r\nRRULE:FREQ=DAILY\r\n"
                 "EXDATE;TZID=Odd:20260711T090000,20260713T003000\r\n"
                 "RDATE;VALUE=DATE;TZID=Odd:20260801\r\n"
                 "RDATE;VALUE=PERIOD;TZID=Odd:20260802T090000/PT1H,20260803T090000/20260803T100000,"
                 "20260804T090000/20260804T090000Z\r\n");
    assert_non_null(ev);
    assert_int_equal(ev->start_us, utc(2026, 7, 10, 7, 53));
    assert_string_equal(ev->zone, "UTC");
    assert_string_equal(ev->recurrence,
                        "RRULE:FREQ=DAILY\nEXDATE:20260711T075300Z,20260712T232300Z\n"
                        "RDATE;VALUE=DATE:20260801\nRDATE;VALUE=PERIOD:20260802T075300Z/PT1H,"
                        "20260803T075300Z/20260803T085300Z,20260804T075300Z/20260804T090000Z");
}

static void dates_of_such_a_zone_are_of_the_series_in_winter_too(void **state)
{
    (void)state;
    const struct ical_event *ev = event_in(
        "BEGIN:VTIMEZONE\r\nTZID:Odd\r\nBEGIN:STANDARD\r\nDTSTART:20001001T000000\r\n"
        "RRULE:FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=1\r\nTZOFFSETTO:+010700\r\nEND:STANDARD\r\n"
        "BEGIN:DAYLIGHT\r\nDTSTART:20000401T000000\r\n"
        "RRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=1\r\nTZOFFSETTO:+020700\r\nEND:DAYLIGHT\r\n"
        "END:VTIMEZONE\r\n",
        "DTSTART;TZID=Odd:20260710T090000\r\nRRULE:FREQ=DAILY\r\n"
        "EXDATE;TZID=Odd:20260711T090000,20261211T090000,20280711T090000\r\n");
    assert_non_null(ev);
    assert_int_equal(ev->start_us, utc(2026, 7, 10, 6, 53));
    assert_string_equal(
        ev->recurrence,
        "RRULE:FREQ=DAILY\nEXDATE:20260711T065300Z,20261211T065300Z,20280711T065300Z");
}

static void a_zone_that_is_nowhere_is_the_readers(void **state)
{
    (void)state;
    const struct ical_event *ev = event("DTSTART;TZID=Nowhere:20260710T090000\r\n");
    assert_int_equal(ev->start_us, utc(2026, 7, 10, 7, 0));
}

static void series_and_instances_are_distinguished(void **state)
{
    (void)state;
    const struct ical_event *ev = event("DTSTART:20260710T090000\r\nRRULE:FREQ=DAILY\r\n"
                                        "RDATE;VALUE=DATE:20270101\r\n");
    assert_string_equal(ev->recurrence, "RRULE:FREQ=DAILY\nRDATE;VALUE=DATE:20270101");
    assert_string_equal(ev->zone, "Europe/Rome");
    assert_false(ev->single);
    ev = event("DTSTART:20260710T090000Z\r\nRRULE:FREQ=DAILY\r\n"
               "RECURRENCE-ID;TZID=Europe/Rome:20260710T100000\r\nSEQUENCE:3\r\n");
    assert_null(ev->recurrence);
    assert_true(ev->single);
    assert_int_equal(ev->original_us, utc(2026, 7, 10, 8, 0));
    assert_int_equal(ev->sequence, 3);
    assert_int_equal(event("SEQUENCE:-1\r\n")->sequence, -1);
    assert_int_equal(event("SEQUENCE:99999999999\r\n")->sequence, -1);
}

/* ---- objects ---- */

static void methods_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum ical_method method;
    } cases[] = {{"METHOD:REQUEST\n", ICAL_REQUEST},
                 {"method:cancel\n", ICAL_CANCEL},
                 {"METHOD:REPLY\n", ICAL_REPLY},
                 {"METHOD:PUBLISH\n", ICAL_OTHER},
                 {"", ICAL_UNSAID}};
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        assert_int_equal(
            try(arena_printf(&arena, "BEGIN:VCALENDAR\n%sEND:VCALENDAR\n", cases[i].line)), 0);
        assert_int_equal(ical.method, cases[i].method);
    }
}

static void what_is_no_calendar_is_refused(void **state)
{
    (void)state;
    assert_refused("");
    assert_refused("hello");
    assert_refused("BEGIN:VEVENT\nUID:u\nEND:VEVENT\n");
    assert_refused("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:u\n");
    assert_refused("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:u\nEND:VCALENDAR\n");
    assert_refused("END:VCALENDAR\n");
    assert_refused("METHOD:REQUEST\nBEGIN:VCALENDAR\nEND:VCALENDAR\n");
}

static void sizes_have_limits(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "BEGIN:VCALENDAR\n");
    for (int i = 0; i < ICAL_MAX_EVENTS + 1; i++)
        buf_puts(&b, "BEGIN:VEVENT\nUID:u\nEND:VEVENT\n");
    buf_puts(&b, "END:VCALENDAR\n");
    assert_refused(buf_str(&b));
    buf_clear(&b);
    buf_puts(&b, "BEGIN:VCALENDAR\n");
    for (int i = 0; i < 20; i++)
        buf_puts(&b, "BEGIN:X\n");
    assert_refused(buf_str(&b));
    buf_clear(&b);
    buf_puts(&b, "BEGIN:VCALENDAR\nX:");
    for (size_t i = 0; i < ICAL_MAX_BYTES; i++)
        buf_byte(&b, 'x');
    buf_puts(&b, "\nEND:VCALENDAR\n");
    assert_refused(buf_str(&b));
    buf_done(&b);
}

#define read_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        read_test(folded_lines_are_joined),
        read_test(escapes_are_undone),
        read_test(names_are_known_in_any_case),
        read_test(the_first_of_several_texts_counts),
        read_test(what_is_no_utf8_is_left_out),
        read_test(lines_without_meaning_are_passed_over),
        read_test(other_components_are_passed_over),
        read_test(guests_are_read_with_their_parameters),
        read_test(guests_beyond_the_limit_are_left_out),
        read_test(times_are_in_utc_in_a_zone_or_the_readers),
        read_test(dates_are_days),
        read_test(durations_keep_the_clock_over_days),
        read_test(events_that_make_no_sense_are_passed_over),
        read_test(windows_names_of_zones_are_known),
        read_test(a_zone_of_its_own_is_known_by_its_rules),
        read_test(a_zone_like_no_other_counts_by_its_offset),
        read_test(dates_of_such_a_zone_are_of_the_series_in_winter_too),
        read_test(a_zone_that_is_nowhere_is_the_readers),
        read_test(series_and_instances_are_distinguished),
        read_test(methods_are_read),
        read_test(what_is_no_calendar_is_refused),
        read_test(sizes_have_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
