/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the reader of iCalendar makes of each property, at its bounds; what files have beside what
 * mails have; and where it says that a text is none.
 */
#include "services/calendar/core/ical/ical_read.h"
#include "services/calendar/core/ical/ical_zone.h"
#include "tests/support/unit.h"

static struct arena arena;
static struct ical ical;
static struct ical_file file;
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

static int read_mail(const char *text)
{
    err = (struct sosia_err){0};
    return ical_read(&arena, text, strlen(text), tz_find("Europe/Rome"), &ical, &err);
}

static int read_file(const char *text)
{
    err = (struct sosia_err){0};
    file = (struct ical_file){.busy_name = "X-BUSY", .days_name = "X-DAYS", .line = 99};
    return ical_read_file(&arena, text, strlen(text), tz_find("Europe/Rome"), &file, &ical, &err);
}

/* The one event of a calendar with these components and an event of these lines; NULL: it makes no
 * sense. */
static const struct ical_event *event_of(int (*read)(const char *), const char *components,
                                         const char *lines)
{
    const char *text =
        arena_printf(&arena, "BEGIN:VCALENDAR\n%sBEGIN:VEVENT\n%sEND:VEVENT\nEND:VCALENDAR\n",
                     components, lines);
    if (read(text) < 0)
        fail_msg("%s: %s", lines, err.text);
    assert_int_equal(ical.n_events + ical.passed_over, 1);
    return ical.n_events ? ical.events : NULL;
}

static const struct ical_event *mailed(const char *lines)
{
    const struct ical_event *ev = event_of(read_mail, "", lines);
    if (!ev)
        fail_msg("no event: %s", lines);
    return ev;
}

static const struct ical_event *filed(const char *lines)
{
    const struct ical_event *ev = event_of(read_file, "", lines);
    if (!ev)
        fail_msg("no event: %s", lines);
    return ev;
}

static int64_t utc(int year, int month, int day, int hour, int minute, int second)
{
    struct civil c = {year, month, day, hour, minute, second, 0};
    return civil_to_seconds(&c) * US_PER_SECOND;
}

#define U "UID:u\n"

/* ---- words ---- */

static void words_and_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int status, visibility, importance, free, sequence;
    } all[] = {
        {"", 0, 0, 0, 0, -1},
        {"STATUS:CONFIRMED\n", EVENT_CONFIRMED, 0, 0, 0, -1},
        {"STATUS:tentative\n", EVENT_TENTATIVE, 0, 0, 0, -1},
        {"STATUS:CANCELLED\n", EVENT_CANCELLED, 0, 0, 0, -1},
        {"STATUS:CANCELLED\nSTATUS:X\n", EVENT_CONFIRMED, 0, 0, 0, -1},
        {"CLASS:PUBLIC\n", 0, VISIBLE_DEFAULT, 0, 0, -1},
        {"CLASS:private\n", 0, VISIBLE_PRIVATE, 0, 0, -1},
        {"CLASS:CONFIDENTIAL\n", 0, VISIBLE_CONFIDENTIAL, 0, 0, -1},
        {"CLASS:X-PERSONAL\n", 0, VISIBLE_PERSONAL, 0, 0, -1},
        {"TRANSP:TRANSPARENT\n", 0, 0, 0, 1, -1},
        {"TRANSP:OPAQUE\n", 0, 0, 0, 0, -1},
        {"PRIORITY:0\n", 0, 0, IMPORTANCE_NORMAL, 0, -1},
        {"PRIORITY:1\n", 0, 0, IMPORTANCE_HIGH, 0, -1},
        {"PRIORITY:4\n", 0, 0, IMPORTANCE_HIGH, 0, -1},
        {"PRIORITY:5\n", 0, 0, IMPORTANCE_NORMAL, 0, -1},
        {"PRIORITY:6\n", 0, 0, IMPORTANCE_LOW, 0, -1},
        {"PRIORITY:9\n", 0, 0, IMPORTANCE_LOW, 0, -1},
        {"PRIORITY:10\n", 0, 0, IMPORTANCE_NORMAL, 0, -1},
        {"PRIORITY:1\nPRIORITY:x\n", 0, 0, IMPORTANCE_HIGH, 0, -1},
        {"SEQUENCE:0\n", 0, 0, 0, 0, 0},
        {"SEQUENCE:2147483647\n", 0, 0, 0, 0, INT32_MAX},
        {"SEQUENCE:2147483648\n", 0, 0, 0, 0, -1},
        {"SEQUENCE:-1\n", 0, 0, 0, 0, -1},
        {"SEQUENCE:3\nSEQUENCE:-2\n", 0, 0, 0, 0, 3},
        {"SEQUENCE:3\nSEQUENCE:x\n", 0, 0, 0, 0, 3},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct ical_event *ev = mailed(arena_printf(&arena, U "%s", all[i].line));
        if (ev->status != (enum cal_event_status)all[i].status ||
            ev->visibility != (enum cal_event_visibility)all[i].visibility ||
            ev->importance != (enum cal_importance)all[i].importance ||
            ev->free != (bool)all[i].free || ev->sequence != all[i].sequence)
            fail_msg("%s", all[i].line);
        assert_false(ev->timed);
        assert_int_equal(ev->busy, BUSY_BUSY);
    }
}

static void which_uids_an_event_has(void **state)
{
    (void)state;
    char *longest = arena_calloc(&arena, ICAL_MAX_UID + 2, 1);
    memset(longest, 'u', ICAL_MAX_UID);
    assert_string_equal(mailed(arena_printf(&arena, "UID:%s\n", longest))->uid, longest);
    const char *none[] = {"UID:\n",         "UID:a\\nb\n",  "UID:a\tb\n",
                          "UID:a\nUID:a\n", "SUMMARY:no\n", NULL};
    none[5] = arena_printf(&arena, "UID:%su\n", longest);
    for (size_t i = 0; i < SOSIA_LEN(none); i++) {
        assert_null(event_of(read_mail, "", none[i]));
        assert_int_equal(ical.passed_over, 1);
        if (i != 4)
            assert_null(event_of(read_file, "", none[i]));
    }
    /* In files they may lack one. */
    assert_int_equal(read_file("BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\nBEGIN:VEVENT\nUID:\n"
                               "END:VEVENT\nBEGIN:VEVENT\nUID:a\nEND:VEVENT\nBEGIN:VEVENT\n"
                               "END:VEVENT\nEND:VCALENDAR\n"),
                     0);
    assert_int_equal(ical.n_events, 3);
    assert_int_equal(ical.passed_over, 1);
    assert_string_equal(ical.events[0].uid, "1");
    assert_string_equal(ical.events[1].uid, "a");
    assert_string_equal(ical.events[2].uid, "2");
}

/* ---- people ---- */

static void what_a_guest_is(void **state)
{
    (void)state;
    static const struct {
        const char *line, *email, *name, *comment;
        int response, optional, resource, guests;
    } all[] = {
        {":mailto:A@x.example", "a@x.example", NULL, NULL, 1, 0, 0, 0},
        {":a@x.example", "a@x.example", NULL, NULL, 1, 0, 0, 0},
        {":MailTo:a@x.example", "a@x.example", NULL, NULL, 1, 0, 0, 0},
        {";EMAIL=b@x.example:mailto:a@x.example", "a@x.example", NULL, NULL, 1, 0, 0, 0},
        {";EMAIL=b@x.example:mailto:nobody", "b@x.example", NULL, NULL, 1, 0, 0, 0},
        {";EMAIL=nobody:mailto:nobody", NULL, NULL, NULL, 0, 0, 0, 0},
        {":", NULL, NULL, NULL, 0, 0, 0, 0},
        {";CN=Ann:mailto:a@x.example", "a@x.example", "Ann", NULL, 1, 0, 0, 0},
        {";CN=A@X.example:mailto:a@x.example", "a@x.example", NULL, NULL, 1, 0, 0, 0},
        {";CN=\"\":mailto:a@x.example", "a@x.example", NULL, NULL, 1, 0, 0, 0},
        {";X-RESPONSE-COMMENT=\"so; so\":mailto:a@x.example", "a@x.example", NULL, "so; so", 1, 0,
         0, 0},
        {";PARTSTAT=ACCEPTED:mailto:a@x.example", "a@x.example", NULL, NULL, RESPONSE_ACCEPTED, 0,
         0, 0},
        {";PARTSTAT=declined:mailto:a@x.example", "a@x.example", NULL, NULL, RESPONSE_DECLINED, 0,
         0, 0},
        {";PARTSTAT=TENTATIVE:mailto:a@x.example", "a@x.example", NULL, NULL, RESPONSE_TENTATIVE, 0,
         0, 0},
        {";PARTSTAT=DELEGATED:mailto:a@x.example", "a@x.example", NULL, NULL, RESPONSE_NONE, 0, 0,
         0},
        {";ROLE=OPT-PARTICIPANT:mailto:a@x.example", "a@x.example", NULL, NULL, 1, 1, 0, 0},
        {";ROLE=NON-PARTICIPANT:mailto:a@x.example", "a@x.example", NULL, NULL, 1, 1, 0, 0},
        {";ROLE=CHAIR:mailto:a@x.example", "a@x.example", NULL, NULL, 1, 0, 0, 0},
        {";CUTYPE=ROOM:mailto:a@x.example", "a@x.example", NULL, NULL, 1, 0, 1, 0},
        {";CUTYPE=RESOURCE:mailto:a@x.example", "a@x.example", NULL, NULL, 1, 0, 1, 0},
        {";CUTYPE=GROUP:mailto:a@x.example", "a@x.example", NULL, NULL, 1, 0, 0, 0},
        {";X-NUM-GUESTS=1:mailto:a@x.example", "a@x.example", NULL, NULL, 1, 0, 0, 1},
        {";X-NUM-GUESTS=2147483647:mailto:a@x.example", "a@x.example", NULL, NULL, 1, 0, 0,
         INT32_MAX},
        {";X-NUM-GUESTS=2147483648:mailto:a@x.example", "a@x.example", NULL, NULL, 1, 0, 0, 0},
        {";X-NUM-GUESTS=-1:mailto:a@x.example", "a@x.example", NULL, NULL, 1, 0, 0, 0},
        {";X-NUM-GUESTS=x:mailto:a@x.example", "a@x.example", NULL, NULL, 1, 0, 0, 0},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct ical_event *ev = mailed(arena_printf(&arena, U "ATTENDEE%s\n", all[i].line));
        assert_int_equal(ev->n_guests, all[i].email ? 1 : 0);
        if (!all[i].email)
            continue;
        const struct cal_attendee *a = ev->guests;
        assert_string_equal(a->email, all[i].email);
        assert_string_equal(a->name ? a->name : "", all[i].name ? all[i].name : "");
        assert_string_equal(a->comment ? a->comment : "", all[i].comment ? all[i].comment : "");
        assert_int_equal(a->response, all[i].response);
        assert_int_equal(a->optional, all[i].optional);
        assert_int_equal(a->resource, all[i].resource);
        assert_int_equal(a->guests, all[i].guests);
    }
}

static void who_leads_an_event(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *organizer, *name;
    } all[] = {
        {"", "", ""},
        {"ORGANIZER;CN=Ann:mailto:a@x.example\n", "a@x.example", "Ann"},
        {"ORGANIZER;CN=a@X.example:mailto:a@x.example\n", "a@x.example", ""},
        {"ORGANIZER;CN=Ann:nobody\n", "", ""},
        {"ORGANIZER:mailto:a@x.example\nORGANIZER;CN=B:mailto:b@x.example\n", "a@x.example", ""},
        {"ORGANIZER;CN=Ann:nobody\nORGANIZER;CN=B:mailto:b@x.example\n", "b@x.example", "B"},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct ical_event *ev = mailed(arena_printf(&arena, U "%s", all[i].lines));
        assert_string_equal(ev->organizer ? ev->organizer : "", all[i].organizer);
        assert_string_equal(ev->organizer_name ? ev->organizer_name : "", all[i].name);
    }
}

/* ---- times ---- */

static void how_long_an_event_is(void **state)
{
    (void)state;
    enum { NONE = -1, H = 3600, D = 24 * H };
    static const struct {
        const char *line;
        int seconds; /* NONE: it makes no sense */
    } all[] = {
        {"DURATION:P1D", D},
        {"DURATION:+P1D", D},
        {"DURATION:P2W", 14 * D},
        {"DURATION:P1W1D", 8 * D},
        {"DURATION:P1DT1H", D + H},
        {"DURATION:PT1H2M3S", H + 123},
        {"DURATION:PT3S", 3},
        {"DURATION:PT90M", 5400},
        {"DURATION:P0D", 0},
        {"DURATION:PT0S", 0},
        {"DURATION:P", NONE},
        {"DURATION:PT", NONE},
        {"DURATION:P1", NONE},
        {"DURATION:1D", NONE},
        {"DURATION:", NONE},
        {"DURATION:PT1D", NONE},
        {"DURATION:PT1W", NONE},
        {"DURATION:P1H", NONE},
        {"DURATION:P1S", NONE},
        {"DURATION:P1D1W", NONE},
        {"DURATION:P1D1D", NONE},
        {"DURATION:PT1M1H", NONE},
        {"DURATION:P1DT", NONE},
        {"DURATION:PTT1H", NONE},
        {"DURATION:PT1HT1M", NONE},
        {"DURATION:PTH", NONE},
        {"DURATION:P1X", NONE},
        {"DURATION:++P1D", NONE},
        {"DURATION:-P1D", NONE},
        {"DURATION:PT999999999S", 999999999},
        {"DURATION:PT0999999999S", NONE},
        {"DTEND:20260710T090000Z", 0},
        {"DTEND:20260710T090001Z", 1},
        {"DTEND:20260710T085959Z", NONE},
        {"DTEND;VALUE=DATE:20260711", NONE},
        {"DTEND:20260710T100000Z\nDTEND:20260710T110000Z", H},
        {"DTEND:soon\nDTEND:20260710T110000Z", 2 * H},
        {"DTEND:20260710T100000Z\nDURATION:PT9H", H},
        {"DTSTART:20270101T000000Z\nDURATION:PT9H", 9 * H}, /* the first start */
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct ical_event *ev = event_of(
            read_mail, "", arena_printf(&arena, U "DTSTART:20260710T090000Z\n%s\n", all[i].line));
        if ((ev ? ev->len_us : NONE) !=
            (all[i].seconds == NONE ? NONE : all[i].seconds * US_PER_SECOND))
            fail_msg("%s: %lld", all[i].line, ev ? (long long)ev->len_us : -1);
        assert_true(!ev || (ev->timed && !ev->no_end && !ev->all_day));
    }
    static const struct {
        const char *line;
        int days;
    } days[] = {
        {"", 1},
        {"DTEND;VALUE=DATE:20260711", 1},
        {"DTEND;VALUE=DATE:20260710", 1},
        {"DTEND;VALUE=DATE:20260712", 2},
        {"DTEND;VALUE=DATE:20260709", NONE},
        {"DTEND:20260711T000000", NONE},
        {"DURATION:P1D", 1},
        {"DURATION:P3W", 21},
        {"DURATION:P0D", 1},
        {"DURATION:PT24H", NONE},
        {"DURATION:P1DT1S", NONE},
    };
    for (size_t i = 0; i < SOSIA_LEN(days); i++) {
        const struct ical_event *ev =
            event_of(read_mail, "",
                     arena_printf(&arena, U "DTSTART;VALUE=DATE:20260710\n%s\n", days[i].line));
        assert_int_equal(ev ? ev->len_us : NONE,
                         days[i].days == NONE ? NONE : days[i].days * US_PER_DAY);
        assert_true(!ev || (ev->all_day && !ev->no_end));
    }
}

static void times_at_the_ends_of_the_calendar(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        bool sense;
    } all[] = {
        {"DTSTART:00010101T000000Z\n", true},
        {"DTSTART;TZID=Asia/Tokyo:00010101T000000\n", false},
        {"DTSTART;TZID=America/New_York:00010101T000000\n", true},
        {"DTSTART:99991231T235959Z\n", true},
        {"DTSTART:99991231T235959Z\nDURATION:PT0S\n", true},
        {"DTSTART:99991231T235959Z\nDURATION:PT1S\n", false},
        {"DTSTART:99991231T225959Z\nDURATION:PT1H\n", true},
        {"DTSTART;TZID=America/New_York:99991231T235959\n", false},
        {"DTSTART;VALUE=DATE:99991231\n", false},
        {"RECURRENCE-ID:00010101T000000Z\n", true},
        {"RECURRENCE-ID;TZID=Asia/Tokyo:00010101T000000\n", false},
        {"RECURRENCE-ID:99991231T235959Z\n", true},
        {"RECURRENCE-ID;TZID=America/New_York:99991231T235959\n", false},
        {"RECURRENCE-ID;VALUE=DATE:99991231\n", true},
        {"RECURRENCE-ID:x\n", false},
        {"RECURRENCE-ID;RANGE=THISANDFUTURE:20260710T090000Z\n", false},
        {"RECURRENCE-ID;RANGE=THISANDFUTURE:20260710T090000Z\nRECURRENCE-ID:20260710T090000Z\n",
         false},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        if (!event_of(read_mail, "", arena_printf(&arena, U "%s", all[i].lines)) == all[i].sense)
            fail_msg("%s", all[i].lines);
}

static void instances_have_an_original_start(void **state)
{
    (void)state;
    const struct ical_event *ev = mailed(U "RECURRENCE-ID;VALUE=DATE:20260710\n");
    assert_true(ev->single && ev->original_day && !ev->timed);
    assert_null(ev->zone);
    assert_int_equal(ev->original_us, utc(2026, 7, 10, 0, 0, 0));
    ev = mailed(U "RECURRENCE-ID:20260710T090001\nDTSTART:20260711T090000\nRRULE:FREQ=DAILY\n");
    assert_true(ev->single && !ev->original_day && ev->timed);
    assert_int_equal(ev->original_us, utc(2026, 7, 10, 7, 0, 1));
    assert_string_equal(ev->zone, "Europe/Rome");
    assert_null(ev->recurrence);
    ev = mailed(U "RECURRENCE-ID:20260710T090001\nDTSTART;VALUE=DATE:20260711\n");
    assert_null(ev->zone);
    ev = mailed(U "RECURRENCE-ID:20260710T090001\n"
                  "DTSTART;TZID=Pacific Standard Time:20260711T090000\n");
    assert_string_equal(ev->zone, "America/Los_Angeles");
    assert_int_equal(ev->start_us, utc(2026, 7, 11, 16, 0, 0));
    ev = mailed(U "RECURRENCE-ID:20260710T090001\nRECURRENCE-ID:20260712T090001\n");
    assert_int_equal(ev->original_us, utc(2026, 7, 10, 7, 0, 1));
    assert_false(mailed(U "DTSTART:20260711T090000\n")->single);
    assert_null(mailed(U "RRULE:FREQ=DAILY\n")->recurrence);
}

static void rules_keep_their_order_and_kinds(void **state)
{
    (void)state;
    const struct ical_event *ev =
        mailed(U "EXDATE:20260713T090000Z\nDTSTART;TZID=W. Europe Standard Time:20260710T090000\n"
                 "rrule:FREQ=DAILY\nEXRULE:FREQ=WEEKLY\nRDATE;VALUE=PERIOD:20260801T090000/PT1H\n"
                 "RDATE;VALUE=DATE:20260802\nRDATE;VALUE=DATE-TIME;TZID=Nowhere:20260803T090000\n"
                 "EXDATE;TZID=W. Europe Standard Time:20260711T090000\n");
    assert_string_equal(ev->recurrence,
                        "EXDATE:20260713T090000Z\nRRULE:FREQ=DAILY\nEXRULE:FREQ=WEEKLY\n"
                        "RDATE;VALUE=PERIOD:20260801T090000/PT1H\nRDATE;VALUE=DATE:20260802\n"
                        "RDATE:20260803T090000\nEXDATE;TZID=Europe/Berlin:20260711T090000");
    assert_string_equal(ev->zone, "Europe/Berlin");
    ev = mailed(U "DTSTART;VALUE=DATE:20260710\nRRULE:FREQ=DAILY\n");
    assert_string_equal(ev->recurrence, "RRULE:FREQ=DAILY");
    assert_null(ev->zone);
}

/* ---- zones ---- */

static const char *zone_of(const char *id, const char *lines)
{
    return arena_printf(&arena, "BEGIN:VTIMEZONE\nTZID:%s\n%sEND:VTIMEZONE\n", id, lines);
}

static const char *standard(const char *lines)
{
    return arena_printf(&arena, "BEGIN:STANDARD\n%sEND:STANDARD\n", lines);
}

static void offsets_of_zones(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int seconds;
    } all[] = {
        {"+0100", 3600}, {"-0330", -12600}, {"+010203", 3723},  {"-010203", -3723},
        {"+0000", 0},    {"+2359", 86340},  {"+235959", 86399}, {"-092159", -33719},
        {"+2400", 0},    {"+0160", 0},      {"+010060", 0},     {"0100", 0},
        {"01000", 0},    {"+010", 0},       {"+01000", 0},      {"+01000000", 0},
        {"+01/0", 0},    {"+01:0", 0},      {"+0a00", 0},       {"", 0},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct ical_event *ev = event_of(
            read_mail, zone_of("Z", standard(arena_printf(&arena, "TZOFFSETTO:%s\n", all[i].text))),
            U "DTSTART;TZID=Z:20260710T090000\n");
        assert_non_null(ev);
        if (ev->start_us != utc(2026, 7, 10, 9, 0, 0) - all[i].seconds * US_PER_SECOND)
            fail_msg("%s", all[i].text);
    }
}

static void which_observance_counts(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        int minutes; /* behind UTC's clock, of 2026-07-10T09:00:00 */
    } all[] = {
        {"DTSTART:20200101T000000\nTZOFFSETTO:+0107\n", "", 67},
        {"DTSTART:20200101T000000\nTZOFFSETTO:+0107\n",
         "DTSTART:20260710T090000\nTZOFFSETTO:+0207\n", 127},
        {"DTSTART:20200101T000000\nTZOFFSETTO:+0107\n",
         "DTSTART:20260710T090001\nTZOFFSETTO:+0207\n", 67},
        {"DTSTART:20200101T000000\nTZOFFSETTO:+0107\n", "DTSTART:x\nTZOFFSETTO:+0207\n", 67},
        {"DTSTART:20250101T000000\nTZOFFSETTO:+0107\n",
         "DTSTART:20200709T000000\nTZOFFSETTO:+0207\nRRULE:FREQ=YEARLY\n", 127},
        /* Of several rules the first, and none but by years. */
        {"DTSTART:20250101T000000\nTZOFFSETTO:+0107\n",
         "DTSTART:20200709T000000\nTZOFFSETTO:+0207\nRRULE:FREQ=DAILY\n", 67},
        {"DTSTART:20250101T000000\nTZOFFSETTO:+0107\n",
         "DTSTART:20200709T000000\nTZOFFSETTO:+0207\nRRULE:FREQ=YEARLY;COUNT=2\n"
         "RRULE:FREQ=YEARLY\n",
         67},
        {"DTSTART:20250101T000000\nTZOFFSETTO:+0107\n",
         "DTSTART:20200709T000000\nTZOFFSETTO:+0207\nEXRULE:FREQ=YEARLY\n", 67},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const char *zone = zone_of("Z", arena_printf(&arena, "%sBEGIN:DAYLIGHT\n%sEND:DAYLIGHT\n",
                                                     standard(all[i].first), all[i].second));
        if (!*all[i].second)
            zone = zone_of("Z", standard(all[i].first));
        const struct ical_event *ev =
            event_of(read_mail, zone, U "DTSTART;TZID=Z:20260710T090000\n");
        assert_non_null(ev);
        if (ev->start_us != utc(2026, 7, 10, 9, 0, 0) - all[i].minutes * 60 * US_PER_SECOND)
            fail_msg("%zu", i);
        assert_string_equal(ev->zone, "UTC");
    }
}

static void what_the_name_of_a_zone_means(void **state)
{
    (void)state;
    const char *seven = standard("TZOFFSETTO:+0107\n"), *two = standard("TZOFFSETTO:+0200\n");
    const struct {
        const char *components, *zone;
        int minutes;
    } all[] = {
        {"", NULL, 120}, /* the reader's */
        {zone_of("Y", seven), NULL, 120},
        {zone_of("Z", ""), NULL, 120},
        {zone_of("Z", seven), "UTC", 67},
        {zone_of("Z", two), "Africa/Blantyre", 120},
        {arena_printf(&arena, "%s%s", zone_of("Y", two), zone_of("Z", seven)), "UTC", 67},
        {arena_printf(&arena, "%s%s", zone_of("Z", seven), zone_of("Z", two)), "UTC", 67},
        {zone_of("Z", arena_printf(&arena, "X-LIC-LOCATION:Asia/Tokyo\n%s", seven)), "Asia/Tokyo",
         540},
        {zone_of("Z", "X-LIC-LOCATION:Asia/Tokyo\n"), "Asia/Tokyo", 540},
        {zone_of("Z", arena_printf(&arena, "X-LIC-LOCATION:Nowhere\n%s", seven)), "UTC", 67},
        {arena_printf(&arena, "BEGIN:VTIMEZONE\n%sEND:VTIMEZONE\n", seven), NULL, 120},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct ical_event *ev =
            event_of(read_mail, all[i].components,
                     U "DTSTART;TZID=Z:20260710T090000\nDTEND;TZID=Z:20260710T093000\n");
        assert_non_null(ev);
        assert_int_equal(ev->start_us,
                         utc(2026, 7, 10, 9, 0, 0) - all[i].minutes * 60 * US_PER_SECOND);
        assert_int_equal(ev->len_us, 1800 * US_PER_SECOND);
        assert_string_equal(ev->zone ? ev->zone : "none", all[i].zone ? all[i].zone : "none");
    }
    /* A zone may come behind the events. */
    assert_int_equal(
        read_mail(arena_printf(&arena,
                               "BEGIN:VCALENDAR\nBEGIN:VEVENT\n" U
                               "DTSTART;TZID=Z:20260710T090000\nEND:VEVENT\n%sEND:VCALENDAR\n",
                               zone_of("Z", seven))),
        0);
    assert_int_equal(ical.events[0].start_us, utc(2026, 7, 10, 7, 53, 0));
}

static void zones_beyond_the_limits_are_passed_over(void **state)
{
    (void)state;
    const char *zones = "", *observances = standard("TZOFFSETTO:+0107\n");
    for (int i = 1; i <= ICAL_MAX_ZONES + 1; i++)
        zones = arena_printf(&arena, "%s%s", zones,
                             zone_of(arena_printf(&arena, "Z%d", i), observances));
    assert_int_equal(event_of(read_mail, zones, U "DTSTART;TZID=Z20:20260710T090000\n")->start_us,
                     utc(2026, 7, 10, 7, 53, 0));
    assert_int_equal(event_of(read_mail, zones, U "DTSTART;TZID=Z21:20260710T090000\n")->start_us,
                     utc(2026, 7, 10, 7, 0, 0));
    for (int beyond = 0; beyond < 2; beyond++) {
        observances = "";
        for (int i = 1; i < ICAL_MAX_OBSERVANCES + beyond; i++)
            observances = arena_printf(&arena, "%s%s", observances,
                                       standard("DTSTART:20200101T000000\nTZOFFSETTO:+0107\n"));
        observances = arena_printf(&arena, "%s%s", observances,
                                   standard("DTSTART:20210101T000000\nTZOFFSETTO:+0207\n"));
        assert_int_equal(
            event_of(read_mail, zone_of("Z", observances), U "DTSTART;TZID=Z:20260710T090000\n")
                ->start_us,
            utc(2026, 7, 10, beyond ? 7 : 6, 53, 0));
    }
}

/* ---- what files have besides ---- */

static void alarms_before_the_start(void **state)
{
    (void)state;
    enum { NONE = -1 };
    static const struct {
        const char *lines;
        int minutes;
        bool email;
    } all[] = {
        {"TRIGGER:-PT15M\n", 15, false},
        {"ACTION:DISPLAY\nTRIGGER:-PT15M\n", 15, false},
        {"ACTION:email\nTRIGGER:-PT15M\n", 15, true},
        {"TRIGGER:-PT15M\nACTION:EMAIL\n", 15, true},
        {"TRIGGER;RELATED=START:-PT1H\n", 60, false},
        {"TRIGGER:-PT90S\n", 1, false},
        {"TRIGGER:-P1D\n", 1440, false},
        {"TRIGGER:-P1DT2H\n", 1560, false},
        {"TRIGGER:-P4W\n", 40320, false},
        {"TRIGGER:-PT40321M\n", NONE, false},
        {"TRIGGER:PT0S\n", 0, false},
        {"TRIGGER:-PT0S\n", 0, false},
        {"TRIGGER:PT15M\n", NONE, false},
        {"TRIGGER:PT59S\n", 0, false},
        {"TRIGGER;RELATED=END:-PT15M\n", NONE, false},
        {"TRIGGER;VALUE=DATE-TIME:20260710T090000Z\n", NONE, false},
        {"TRIGGER:soon\n", NONE, false},
        {"ACTION:EMAIL\n", NONE, false},
        {"TRIGGER:-PT15M\nTRIGGER:PT15M\n", NONE, false},
        {"DURATION:-PT15M\n", NONE, false},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct ical_event *ev =
            filed(arena_printf(&arena, U "BEGIN:VALARM\n%sEND:VALARM\n", all[i].lines));
        if (ev->n_alarms != (all[i].minutes == NONE ? 0 : 1) ||
            (ev->n_alarms &&
             (ev->alarms[0].minutes != all[i].minutes || ev->alarms[0].email != all[i].email)))
            fail_msg("%s", all[i].lines);
    }
    /* Each says itself how it reminds. */
    const char *lines = U "BEGIN:VALARM\nACTION:EMAIL\nTRIGGER:-PT1M\nEND:VALARM\n";
    for (int i = 2; i <= ICAL_MAX_ALARMS + 1; i++)
        lines = arena_printf(&arena, "%sBEGIN:VALARM\n%s%d%sEND:VALARM\n", lines, "TRIGGER:-PT", i,
                             "M\n");
    const struct ical_event *ev = filed(lines);
    assert_int_equal(ev->n_alarms, ICAL_MAX_ALARMS);
    for (int i = 0; i < ev->n_alarms; i++) {
        assert_int_equal(ev->alarms[i].minutes, i + 1);
        assert_int_equal(ev->alarms[i].email, i == 0);
    }
    ev = filed(U "BEGIN:VALARM\nTRIGGER:-PT1M\nEND:VALARM\nBEGIN:VALARM\nEND:VALARM\n");
    assert_int_equal(ev->n_alarms, 1);
}

static void what_programs_have_added(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int busy;
    } all[] = {
        {"", BUSY_BUSY},
        {"X-BUSY:BUSY\n", BUSY_BUSY},
        {"X-BUSY:FREE\n", BUSY_FREE},
        {"x-busy:tentative\n", BUSY_TENTATIVE},
        {"X-BUSY:OOF\n", BUSY_AWAY},
        {"X-BUSY:WORKINGELSEWHERE\n", BUSY_ELSEWHERE},
        {"X-BUSY:OOF\nX-BUSY:else\n", BUSY_AWAY},
        {"X-OTHER:OOF\n", BUSY_BUSY},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        assert_int_equal(filed(arena_printf(&arena, U "%s", all[i].line))->busy, all[i].busy);
    assert_null(filed(U)->categories);
    assert_string_equal(filed(U "CATEGORIES:a\\,b\n")->categories, "a\\,b");
    assert_string_equal(filed(U "CATEGORIES:a,b\ncategories:c\n")->categories, "a,b,c");
    const struct ical_event *ev = mailed(U "CATEGORIES:a\nX-BUSY:OOF\n");
    assert_null(ev->categories);
    assert_int_equal(ev->busy, BUSY_BUSY);
}

static void midnights_that_are_days(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        bool day;
        int hours;
    } all[] = {
        {"X-DAYS:TRUE\nDTSTART:20260710T000000\nDTEND:20260712T000000\n", true, 48},
        {"X-DAYS:TRUE\nDTSTART;TZID=Asia/Tokyo:20260710T000000\nDTEND;TZID=Asia/Tokyo:"
         "20260711T000000\n",
         true, 24},
        {"X-DAYS:TRUE\nDTSTART:20260710T000000\n", true, 24},
        {"X-DAYS:FALSE\nDTSTART:20260710T000000\nDTEND:20260712T000000\n", false, 48},
        {"X-DAYS:TRUE\nX-DAYS:FALSE\nDTSTART:20260710T000000\nDTEND:20260712T000000\n", false, 48},
        {"X-DAYS:TRUE\nDTSTART:20260710T000000Z\nDTEND:20260712T000000Z\n", false, 48},
        {"X-DAYS:TRUE\nDTSTART:20260710T010000\nDTEND:20260711T000000\n", false, 23},
        {"X-DAYS:TRUE\nDTSTART:20260710T000000\nDTEND:20260711T010000\n", false, 25},
        {"X-DAYS:TRUE\nDTSTART:20260710T000000\nDTEND:20260711T000000\nRRULE:FREQ=DAILY\n", false,
         24},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct ical_event *ev = filed(arena_printf(&arena, U "%s", all[i].lines));
        if (ev->all_day != all[i].day || ev->len_us != all[i].hours * 3600 * US_PER_SECOND)
            fail_msg("%s", all[i].lines);
        if (all[i].day)
            assert_int_equal(ev->start_us, utc(2026, 7, 10, 0, 0, 0));
    }
    const struct ical_event *ev =
        filed(U "X-DAYS:TRUE\nDTSTART:20260710T000000\nRECURRENCE-ID:20260709T000000\n");
    assert_true(ev->all_day && ev->original_day);
    assert_int_equal(ev->original_us, utc(2026, 7, 9, 0, 0, 0));
    ev = filed(U "X-DAYS:TRUE\nDTSTART:20260710T000000\nRECURRENCE-ID:20260709T010000\n");
    assert_true(ev->all_day && !ev->original_day);
    ev = mailed(U "X-DAYS:TRUE\nDTSTART:20260710T000000\nDTEND:20260712T000000\n");
    assert_false(ev->all_day);
}

static void what_a_calendar_says_of_itself(void **state)
{
    (void)state;
    const char *head = "X-WR-CALNAME:Team\\, all\nX-WR-CALNAME:Other\nX-WR-TIMEZONE:Nowhere\n"
                       "X-WR-TIMEZONE:Asia/Tokyo\nX-WR-TIMEZONE:Nowhere\nMETHOD:PUBLISH\n";
    const char *lines = U "DTSTART:20260710T090000\nRRULE:FREQ=DAILY\n";
    const struct ical_event *ev = event_of(read_file, head, lines);
    assert_string_equal(ical.name, "Team, all");
    assert_int_equal(ical.method, ICAL_OTHER);
    assert_string_equal(ev->zone, "Asia/Tokyo");
    assert_int_equal(ev->start_us, utc(2026, 7, 10, 0, 0, 0));
    ev = event_of(read_mail, head, lines);
    assert_null(ical.name);
    assert_string_equal(ev->zone, "Europe/Rome");
    /* Neither of an event, nor of what else is in it. */
    ev = filed(arena_printf(&arena, "%s%s", head, lines));
    assert_null(ical.name);
    assert_int_equal(ical.method, ICAL_UNSAID);
    ev = event_of(read_file, "BEGIN:X\nX-WR-CALNAME:No\nEND:X\n", lines);
    assert_non_null(ev);
    assert_null(ical.name);
}

/* ---- texts as a whole ---- */

#define EVENT(lines) "BEGIN:VEVENT\n" lines "END:VEVENT\n"
#define CALENDAR(x)  "BEGIN:VCALENDAR\n" x "END:VCALENDAR\n"

static void which_texts_are_calendars(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int mail, file;    /* events; -1: it is none */
        size_t line;       /* where it is none, of a file */
        const char *error; /* part of what is said then */
    } all[] = {
        {CALENDAR(""), 0, 0, 0, NULL},
        {CALENDAR(EVENT(U) EVENT(U)), 2, 2, 0, NULL},
        {"\xef\xbb\xbf" CALENDAR(EVENT(U)), 1, 1, 0, NULL},
        {"begin:vcalendar\nbegin:vevent\nuid:u\nend:vevent\nend:vcalendar", 1, 1, 0, NULL},
        {"\n\n" CALENDAR(EVENT(U)), 1, 1, 0, NULL},
        {CALENDAR(EVENT(U)) CALENDAR(EVENT(U)), 1, 2, 0, NULL},
        {CALENDAR(EVENT(U)) "rest\n", 1, 1, 0, NULL},
        {CALENDAR(EVENT(U)) "A:b\n", 1, -1, 6, "begins with no calendar"},
        {CALENDAR(EVENT(U)) "BEGIN:VCALENDAR\n", 1, -1, 6, "does not end"},
        {CALENDAR(EVENT(U)) "END:VCALENDAR\n", 1, -1, 6, "did not begin"},
        {"", -1, -1, 0, "begins with no calendar"},
        {"hello", -1, -1, 1, "begins with no calendar"},
        {"A:b\n", -1, -1, 1, "begins with no calendar"},
        {"\nA:b\n", -1, -1, 2, "begins with no calendar"},
        {"BEGIN:X\nA:b\n", -1, -1, 2, "begins with no calendar"},
        {"BEGIN:X\nEND:X\n", -1, -1, 2, "did not begin"},
        {"BEGIN:VCALENDAR\nX:a\n b\n\tc\nEND:X\n", -1, -1, 5, "did not begin"},
        {"BEGIN:VCALENDAR\r\nX:a\r\n b\r\n\r\nEND:X\r\n", -1, -1, 5, "did not begin"},
        {"BEGIN:VCALENDAR\nBEGIN:VEVENT\n" U "END:VCALENDAR\n", -1, -1, 4, "did not begin"},
        {"BEGIN:VCALENDAR\nBEGIN:VEVENT\n" U, -1, -1, 3, "does not end"},
        {"BEGIN:VCALENDAR\nX:a\n b", -1, -1, 2, "does not end"},
        {"BEGIN:X\n" CALENDAR(EVENT(U)) "END:X\n", -1, -1, 6, "did not begin"},
        /* What is not in its place is not it. */
        {CALENDAR("BEGIN:X\n" EVENT(U) "END:X\n"), 0, 0, 0, NULL},
        {CALENDAR(EVENT(U EVENT("UID:v\n"))), 1, 1, 0, NULL},
        {CALENDAR("BEGIN:VALARM\nEND:VALARM\nBEGIN:STANDARD\nTZOFFSETTO:+0100\nEND:STANDARD\n"), 0,
         0, 0, NULL},
        {CALENDAR(EVENT("BEGIN:VTIMEZONE\nTZID:u\nUID:v\nEND:VTIMEZONE\n" U)), 1, 1, 0, NULL},
        {CALENDAR("BEGIN:VTIMEZONE\n" EVENT(U) "END:VTIMEZONE\n"), 0, 0, 0, NULL},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        if ((read_mail(all[i].text) < 0 ? -1 : ical.n_events) != all[i].mail)
            fail_msg("%s", all[i].text);
        if ((read_file(all[i].text) < 0 ? -1 : ical.n_events) != all[i].file)
            fail_msg("file: %s", all[i].text);
        if (file.line != all[i].line || (all[i].error && !strstr(err.text, all[i].error)))
            fail_msg("%s: line %zu: %s", all[i].text, file.line, err.text);
        if (all[i].error)
            assert_int_equal(err.code, SOSIA_E_INVALID);
    }
}

static const char *repeated(int n, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < n; i++)
        buf_puts(&b, text);
    const char *ret = arena_strdup(&arena, n ? buf_str(&b) : "");
    buf_done(&b);
    return ret;
}

static void how_much_a_text_may_have(void **state)
{
    (void)state;
    enum { DEEPEST = 16 };
    for (int beyond = 0; beyond < 2; beyond++) {
        const char *text = arena_printf(&arena, CALENDAR("%s"),
                                        repeated(ICAL_MAX_EVENTS + beyond, EVENT("UID:u\n")));
        assert_int_equal(read_mail(text), -beyond);
        assert_int_equal(read_file(text), 0);
        assert_int_equal(ical.n_events, ICAL_MAX_EVENTS + beyond);
        int n = DEEPEST - 1 + beyond;
        text = arena_printf(&arena, CALENDAR("%s%s"), repeated(n, "BEGIN:X\n"),
                            repeated(n, "END:X\n"));
        assert_int_equal(read_mail(text), -beyond);
        assert_int_equal(read_file(text), -beyond);
        size_t rest = ICAL_MAX_BYTES - strlen(CALENDAR("X:\n"));
        text = arena_printf(&arena, CALENDAR("X:%s\n"), repeated((int)rest + beyond, "x"));
        assert_int_equal(strlen(text), ICAL_MAX_BYTES + (size_t)beyond);
        assert_int_equal(read_mail(text), -beyond);
        assert_int_equal(read_file(text), 0);
    }
}

#define test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(words_and_numbers),
        test(which_uids_an_event_has),
        test(what_a_guest_is),
        test(who_leads_an_event),
        test(how_long_an_event_is),
        test(times_at_the_ends_of_the_calendar),
        test(instances_have_an_original_start),
        test(rules_keep_their_order_and_kinds),
        test(offsets_of_zones),
        test(which_observance_counts),
        test(what_the_name_of_a_zone_means),
        test(zones_beyond_the_limits_are_passed_over),
        test(alarms_before_the_start),
        test(what_programs_have_added),
        test(midnights_that_are_days),
        test(what_a_calendar_says_of_itself),
        test(which_texts_are_calendars),
        test(how_much_a_text_may_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
