/* SPDX-License-Identifier: Apache-2.0 */
#include "services/calendar/google/quickadd/quickadd.h"
#include "engine/base/err.h"
#include "engine/text/civil.h"
#include "services/calendar/core/recur/recur.h"
#include "tests/support/unit.h"

static struct arena arena;

static int set_up(void **state)
{
    arena_init(&arena, 0);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

struct phrase {
    const char *text, *summary;
    const char *start, *end; /* local: 03-12 15:00 in 2026, 2027-01-05 09:00, or without a time */
    const char *location, *recurrence;
};

/* What a text gives, as "summary | start | end | location | recurrence"; times on the wall clock.
 */
static const char *given(const char *text, const char *zone, int64_t now,
                         const struct quickadd_how *how)
{
    const struct tz *tz = tz_find(zone);
    struct quickadd q;
    char start[STAMP_TEXT], end[STAMP_TEXT];
    quickadd_parse(&arena, text, strlen(text), now, tz, how, &q);
    stamp_format(start, (q.start_s + (q.all_day ? 0 : tz_offset(tz, q.start_s))) * US_PER_SECOND, 0,
                 0, true);
    stamp_format(end, (q.end_s + (q.all_day ? 0 : tz_offset(tz, q.end_s))) * US_PER_SECOND, 0, 0,
                 true);
    start[q.all_day ? 10 : 16] = 0;
    end[q.all_day ? 10 : 16] = 0;
    return arena_printf(&arena, "%s | %s | %s | %s | %s", q.summary, start, end,
                        q.location ? q.location : "", q.recurrence ? q.recurrence : "");
}

static const char *stamp(const char *text)
{
    const char *full = text[2] == '-' ? arena_printf(&arena, "2026-%s", text) : text;
    char *copy = arena_strdup(&arena, full);
    if (strlen(copy) > 10)
        copy[10] = 'T';
    return copy;
}

/* Thursday, 12 March 2026, 10:00 in New York. */
#define NOW INT64_C(1773324000)

/* Weekdays are ahead, series start at their first match; and as the service is reported. */
static const struct quickadd_how ahead = {.minutes = 60, .ahead = true, .from_match = true},
                                 short_ahead = {.minutes = 30, .ahead = true, .from_match = true},
                                 reported = {.minutes = 60};

static void check_how(const struct phrase *phrases, size_t n, const struct quickadd_how *how)
{
    for (size_t i = 0; i < n; i++) {
        const struct phrase *p = &phrases[i];
        const char *want = arena_printf(
            &arena, "%s | %s | %s | %s | %s", p->summary, stamp(p->start), stamp(p->end),
            p->location ? p->location : "", p->recurrence ? p->recurrence : "");
        const char *got = given(p->text, "America/New_York", NOW, how);
        if (strcmp(got, want))
            fail_msg("\"%s\"\n  gives    %s\n  and not  %s", p->text, got, want);
    }
}

static void check(const struct phrase *phrases, size_t n)
{
    check_how(phrases, n, &ahead);
}

static void times_of_day_are_understood(void **state)
{
    static const struct phrase phrases[] = {
        {"Quick meeting test tomorrow at 3pm", "Quick meeting test", "03-13 15:00", "03-13 16:00"},
        {"Dinner with Michael 7 p.m. tomorrow", "Dinner with Michael", "03-13 19:00",
         "03-13 20:00"},
        {"Coffee 11am", "Coffee", "03-12 11:00", "03-12 12:00"},
        {"Coffee 9am", "Coffee", "03-13 09:00", "03-13 10:00"}, /* past today */
        {"Call Bob at 3", "Call Bob", "03-12 15:00", "03-12 16:00"},
        {"Call Bob tomorrow at 7", "Call Bob", "03-13 07:00", "03-13 08:00"},
        {"Call Bob at 12", "Call Bob", "03-12 12:00", "03-12 13:00"},
        {"Call Bob at 11:15", "Call Bob", "03-12 11:15", "03-12 12:15"},
        {"Call Bob at 5:45 today", "Call Bob", "03-12 17:45", "03-12 18:45"},
        {"Train 05:45 tomorrow", "Train", "03-13 05:45", "03-13 06:45"},
        {"Train at 17:20", "Train", "03-12 17:20", "03-12 18:20"},
        {"Lunch noon", "Lunch", "03-12 12:00", "03-12 13:00"},
        {"Release at midnight", "Release", "03-13 00:00", "03-13 01:00"},
        {"Movie tonight", "Movie", "03-12 20:00", "03-12 21:00"},
        {"Movie tonight at 8", "Movie", "03-12 20:00", "03-12 21:00"},
        {"Movie at 9 tonight", "Movie", "03-12 21:00", "03-12 22:00"},
        {"Run tomorrow morning", "Run", "03-13 08:00", "03-13 09:00"},
        {"Run tomorrow morning at 6:30", "Run", "03-13 06:30", "03-13 07:30"},
        {"Run tomorrow at 6:30 in the morning", "Run", "03-13 06:30", "03-13 07:30"},
        {"Review this afternoon", "Review", "03-12 13:00", "03-12 14:00"},
        {"Yoga Friday evening at 7", "Yoga", "03-13 19:00", "03-13 20:00"},
        {"Tea at 4 o'clock", "Tea", "03-12 16:00", "03-12 17:00"},
        {"Standup @ 11am", "Standup", "03-12 11:00", "03-12 12:00"},
        {"Standup @11am", "Standup", "03-12 11:00", "03-12 12:00"},
        {"3pm Dentist", "Dentist", "03-12 15:00", "03-12 16:00"},
        {"18:00 10/31 Trick or Treat", "Trick or Treat", "10-31 18:00", "10-31 19:00"},
        {"Sync 3p", "Sync", "03-12 15:00", "03-12 16:00"},
    };
    check(phrases, SOSIA_LEN(phrases));
}

static void ranges_and_lengths_give_the_end(void **state)
{
    static const struct phrase phrases[] = {
        {"Tennis with John April 11 3pm-3:30pm", "Tennis with John", "04-11 15:00", "04-11 15:30"},
        {"Workshop tomorrow 3-4pm", "Workshop", "03-13 15:00", "03-13 16:00"},
        {"Workshop tomorrow 11-1pm", "Workshop", "03-13 11:00", "03-13 13:00"},
        {"Workshop tomorrow 9:30-11am", "Workshop", "03-13 09:30", "03-13 11:00"},
        {"Workshop tomorrow from 10 to 11:30", "Workshop", "03-13 10:00", "03-13 11:30"},
        {"Work tomorrow from 9 to 5", "Work", "03-13 09:00", "03-13 17:00"},
        {"Work tomorrow 9am - 5", "Work", "03-13 09:00", "03-13 17:00"},
        {"Work tomorrow 10am until noon", "Work", "03-13 10:00", "03-13 12:00"},
        {"Party Saturday 10pm-2am", "Party", "03-14 22:00", "03-15 02:00"},
        {"Interview between 1 and 2 on Monday", "Interview", "03-16 13:00", "03-16 14:00"},
        {"Interview 13:00\xE2\x80\x93"
         "14:15 on Monday",
         "Interview", "03-16 13:00", "03-16 14:15"},
        {"Focus time at 2pm for 90 minutes", "Focus time", "03-12 14:00", "03-12 15:30"},
        {"Focus time at 2pm for 1.5 hours", "Focus time", "03-12 14:00", "03-12 15:30"},
        {"Focus time at 2pm for an hour and a half", "Focus time", "03-12 14:00", "03-12 15:30"},
        {"Focus time at 2pm for half an hour", "Focus time", "03-12 14:00", "03-12 14:30"},
        {"Focus time at 2pm for 1 hour 45 minutes", "Focus time", "03-12 14:00", "03-12 15:45"},
        {"Focus time at 2pm for 1h30m", "Focus time", "03-12 14:00", "03-12 15:30"},
        {"Focus time for 2 hours", "Focus time", "03-12 10:00", "03-12 12:00"},
        {"Call in 2 hours", "Call", "03-12 12:00", "03-12 13:00"},
        {"Call in half an hour for 15 min", "Call", "03-12 10:30", "03-12 10:45"},
        {"Call in an hour", "Call", "03-12 11:00", "03-12 12:00"},
        {"Flight in 20 hours", "Flight", "03-13 06:00", "03-13 07:00"},
    };
    check(phrases, SOSIA_LEN(phrases));
}

static void dates_are_understood(void **state)
{
    static const struct phrase phrases[] = {
        {"Pay rent on April 1", "Pay rent", "04-01", "04-02"},
        {"Pay rent on the 1st", "Pay rent", "04-01", "04-02"},
        {"Birthday 7 May", "Birthday", "05-07", "05-08"},
        {"Birthday 7th of May", "Birthday", "05-07", "05-08"},
        {"Birthday January 5th", "Birthday", "2027-01-05", "2027-01-06"},
        {"Birthday Jan 5, 2028", "Birthday", "2028-01-05", "2028-01-06"},
        {"Leap party Feb 29", "Leap party", "2028-02-29", "2028-03-01"},
        {"Pi day 3/14", "Pi day", "03-14", "03-15"},
        {"New year 31/12", "New year", "12-31", "2027-01-01"},
        {"Deadline 7/12/2026", "Deadline", "07-12", "07-13"},
        {"Deadline 7/12/26 at 5pm", "Deadline", "07-12 17:00", "07-12 18:00"},
        {"Deadline 2026-04-30", "Deadline", "04-30", "05-01"},
        {"Deadline 2026-04-30T15:30", "Deadline", "04-30 15:30", "04-30 16:30"},
        {"Standup today", "Standup", "03-12", "03-13"},
        {"Gym day after tomorrow", "Gym", "03-14", "03-15"},
        {"Gym Thursday", "Gym", "03-12", "03-13"},
        {"Gym Thursday 9am", "Gym", "03-19 09:00", "03-19 10:00"}, /* nine is past today */
        {"Gym Thursday 11am", "Gym", "03-12 11:00", "03-12 12:00"},
        {"Coffee 11am Monday, Fred", "Coffee Fred", "03-16 11:00", "03-16 12:00"},
        {"Gym Fri", "Gym", "03-13", "03-14"},
        {"Gym this Friday", "Gym", "03-13", "03-14"},
        {"Gym next Friday", "Gym", "03-20", "03-21"},
        {"Gym next Mon at 8", "Gym", "03-16 08:00", "03-16 09:00"},
        {"Planning next week", "Planning", "03-16", "03-17"},
        {"Planning in 3 days", "Planning", "03-15", "03-16"},
        {"Planning in two weeks at 4pm", "Planning", "03-26 16:00", "03-26 17:00"},
        {"Hiking this weekend", "Hiking", "03-14", "03-16"},
        {"Hiking next weekend", "Hiking", "03-21", "03-23"},
    };
    check(phrases, SOSIA_LEN(phrases));
}

/* A Thursday: Monday is over, and so is nine o'clock. */
static void weekdays_of_this_week_may_be_over(void **state)
{
    static const struct phrase phrases[] = {
        {"Visit grandma Monday at noon", "Visit grandma", "03-09 12:00", "03-09 13:00"},
        {"Coffee with Joe 3pm Tuesday", "Coffee with Joe", "03-10 15:00", "03-10 16:00"},
        {"Gym Wed", "Gym", "03-11", "03-12"},
        {"Gym Thursday 9am", "Gym", "03-12 09:00", "03-12 10:00"},
        {"Gym Friday", "Gym", "03-13", "03-14"},
        {"Gym on Sunday at 5pm", "Gym", "03-15 17:00", "03-15 18:00"},
        {"Gym next Monday", "Gym", "03-16", "03-17"},
        {"Gym tomorrow", "Gym", "03-13", "03-14"},
        {"Trip tomorrow until Monday", "Trip", "03-13", "03-17"},
        {"Hiking this weekend", "Hiking", "03-14", "03-16"},
    };
    check_how(phrases, SOSIA_LEN(phrases), &reported);
    /* the week ends with Sunday, 15 March */
    assert_string_equal(
        given("Dinner Wednesday 6:30pm", "America/New_York", NOW + 3 * SECONDS_PER_DAY, &reported),
        "Dinner | 2026-03-11T18:30 | 2026-03-11T19:30 |  | ");
    assert_string_equal(
        given("Dinner Sunday", "America/New_York", NOW + 3 * SECONDS_PER_DAY, &reported),
        "Dinner | 2026-03-15 | 2026-03-16 |  | ");
    assert_string_equal(
        given("Dinner Sunday", "America/New_York", NOW + 4 * SECONDS_PER_DAY, &reported),
        "Dinner | 2026-03-22 | 2026-03-23 |  | ");
}

static void series_of_weekdays_start_today(void **state)
{
    static const struct phrase phrases[] = {
        {"Important meeting at Office 11am-11:25am every Fri with John",
         "Important meeting at Office with John", "03-12 11:00", "03-12 11:25", "Office",
         "RRULE:FREQ=WEEKLY;BYDAY=FR"},
        {"Test Tuesday at 6am weekly", "Test", "03-12 06:00", "03-12 07:00", NULL,
         "RRULE:FREQ=WEEKLY;BYDAY=TU"},
        {"Gardening Monday at 10 am repeats weekly for 8 weeks", "Gardening", "03-12 10:00",
         "03-12 11:00", NULL, "RRULE:FREQ=WEEKLY;UNTIL=20260507T035959Z;BYDAY=MO"},
        {"Class on Tuesdays", "Class", "03-12", "03-13", NULL, "RRULE:FREQ=WEEKLY;BYDAY=TU"},
        {"Review weekly", "Review", "03-12", "03-13", NULL, "RRULE:FREQ=WEEKLY;BYDAY=TH"},
        {"1:1 every Tuesday starting March 20 at 10am", "1:1", "03-24 10:00", "03-24 11:00", NULL,
         "RRULE:FREQ=WEEKLY;BYDAY=TU"},
        {"Rent every month on the 5th", "Rent", "04-05", "04-06", NULL,
         "RRULE:FREQ=MONTHLY;BYMONTHDAY=5"},
        {"Meds every day at 8am", "Meds", "03-13 08:00", "03-13 09:00", NULL, "RRULE:FREQ=DAILY"},
    };
    check_how(phrases, SOSIA_LEN(phrases), &reported);
}

static void ranges_of_days_are_whole_days(void **state)
{
    static const struct phrase phrases[] = {
        {"Conference June 3-5", "Conference", "06-03", "06-06"},
        {"Conference June 3 - 5, 2027", "Conference", "2027-06-03", "2027-06-06"},
        {"Vacation June 30 - July 2", "Vacation", "06-30", "07-03"},
        {"Vacation from Dec 28 to Jan 3", "Vacation", "12-28", "2027-01-04"},
        {"Vacation 7/12-7/15", "Vacation", "07-12", "07-16"},
        {"Vacation 2026-07-12 to 2026-07-15", "Vacation", "07-12", "07-16"},
        {"Offsite Monday to Wednesday", "Offsite", "03-16", "03-19"},
        {"Trip tomorrow for 3 days", "Trip", "03-13", "03-16"},
        {"Trip tomorrow until Sunday", "Trip", "03-13", "03-16"},
        {"Retreat June 3 9am for 2 days", "Retreat", "06-03 09:00", "06-04 10:00"},
    };
    check(phrases, SOSIA_LEN(phrases));
}

static void places_are_the_location_and_stay_in_the_title(void **state)
{
    static const struct phrase phrases[] = {
        {"movie tomorrow 23:00 at AMC Van Ness", "movie at AMC Van Ness", "03-13 23:00",
         "03-14 00:00", "AMC Van Ness"},
        {"Appointment at Somewhere on June 3rd 10am-10:25am", "Appointment at Somewhere",
         "06-03 10:00", "06-03 10:25", "Somewhere"},
        {"Lunch with Ann tomorrow 1-2pm at Cafe Roma", "Lunch with Ann at Cafe Roma", "03-13 13:00",
         "03-13 14:00", "Cafe Roma"},
        {"Lunch at Cafe Roma with Ann tomorrow at noon", "Lunch at Cafe Roma with Ann",
         "03-13 12:00", "03-13 13:00", "Cafe Roma"},
        {"Standup in Room 5 tomorrow 9am", "Standup in Room 5", "03-13 09:00", "03-13 10:00",
         "Room 5"},
        {"Seminar at 5 Main Street tomorrow at 4pm", "Seminar at 5 Main Street", "03-13 16:00",
         "03-13 17:00", "5 Main Street"},
        {"Drinks @ Joe's tonight", "Drinks @ Joe's", "03-12 20:00", "03-12 21:00", "Joe's"},
        {"Interest in sports tomorrow", "Interest in sports", "03-13", "03-14"},
        {"Meet at 3 in Berlin", "Meet in Berlin", "03-12 15:00", "03-12 16:00", "Berlin"},
        {"Baseball: LINWOOD - HIGHLAND at HIGHLAND PARK on May 17, 2026 at 4:15 PM for 2 hours",
         "Baseball: LINWOOD - HIGHLAND at HIGHLAND PARK", "05-17 16:15", "05-17 18:15",
         "HIGHLAND PARK"},
    };
    check(phrases, SOSIA_LEN(phrases));
}

/* The addresses of a text, with a space between. */
static const char *guests(const char *text)
{
    struct quickadd q;
    const char *all = "";
    quickadd_parse(&arena, text, strlen(text), NOW, tz_find("UTC"), &reported, &q);
    for (size_t i = 0; i < q.n_guests; i++)
        all = arena_printf(&arena, "%s%s%s", all, i ? " " : "", q.guests[i]);
    return all;
}

static void addresses_behind_with_are_guests(void **state)
{
    static const struct phrase phrases[] = {
        {"Lunch with bob@acme.example tomorrow at noon", "Lunch with bob@acme.example",
         "03-13 12:00", "03-13 13:00"},
        {"Lunch with bob@acme.example at Cafe Roma", "Lunch with bob@acme.example at Cafe Roma",
         "03-12", "03-13", "Cafe Roma"},
    };
    check(phrases, SOSIA_LEN(phrases));
    assert_string_equal(guests("Lunch with bob@acme.example tomorrow"), "bob@acme.example");
    assert_string_equal(guests("x with Ann@Acme.example, b@y.example and c@z.example at 3."),
                        "ann@acme.example b@y.example c@z.example");
    assert_string_equal(guests("with a@b.example & c@d.example, a@b.example."),
                        "a@b.example c@d.example");
    assert_string_equal(guests("with a@b.example tomorrow with c@d.example"),
                        "a@b.example c@d.example");
    assert_string_equal(guests("Lunch with Ann, mail bob@acme.example, with @ and a@ and @b"), "");
    assert_string_equal(guests("with"), "");
    assert_string_equal(guests("with a@b.example,"), "a@b.example");
    assert_string_equal(guests("herewith a@b.example"), "");
}

static void guests_have_a_limit(void **state)
{
    struct quickadd q;
    const char *text = "with a@b.example";
    for (int i = 0; i < QUICKADD_GUESTS; i++)
        text = arena_printf(&arena, "%s, a%d@b.example", text, i);
    quickadd_parse(&arena, text, strlen(text), NOW, tz_find("UTC"), &reported, &q);
    assert_int_equal(q.n_guests, QUICKADD_GUESTS);
    assert_string_equal(q.summary, text);
}

static void repetition_becomes_a_rule(void **state)
{
    static const struct phrase phrases[] = {
        {"Yoga every Tuesday at 3pm", "Yoga", "03-17 15:00", "03-17 16:00", NULL,
         "RRULE:FREQ=WEEKLY;BYDAY=TU"},
        {"Important meeting at Office 11am-11:25am every Fri with John",
         "Important meeting at Office with John", "03-13 11:00", "03-13 11:25", "Office",
         "RRULE:FREQ=WEEKLY;BYDAY=FR"},
        {"Yoga every Mon, Wed and Fri at 6pm", "Yoga", "03-13 18:00", "03-13 19:00", NULL,
         "RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR"},
        {"Standup every weekday at 9:30 for 15 minutes", "Standup", "03-13 09:30", "03-13 09:45",
         NULL, "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"},
        {"Standup weekdays 11am", "Standup", "03-12 11:00", "03-12 12:00", NULL,
         "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"},
        {"Water plants daily", "Water plants", "03-12", "03-13", NULL, "RRULE:FREQ=DAILY"},
        {"Pills 9pm repeat daily for 2 weeks", "Pills", "03-12 21:00", "03-12 22:00", NULL,
         "RRULE:FREQ=DAILY;UNTIL=20260326T035959Z"},
        {"Pills every day for 10 times", "Pills", "03-12", "03-13", NULL,
         "RRULE:FREQ=DAILY;COUNT=10"},
        {"Review weekly on Friday at 2pm", "Review", "03-13 14:00", "03-13 15:00", NULL,
         "RRULE:FREQ=WEEKLY;BYDAY=FR"},
        {"Review weekly", "Review", "03-12", "03-13", NULL, "RRULE:FREQ=WEEKLY;BYDAY=TH"},
        {"1:1 every other week on Tuesday at 10am", "1:1", "03-17 10:00", "03-17 11:00", NULL,
         "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"},
        {"1:1 every 3 weeks starting March 20 at 10am", "1:1", "03-20 10:00", "03-20 11:00", NULL,
         "RRULE:FREQ=WEEKLY;INTERVAL=3;BYDAY=FR"},
        {"Rent every month on the 5th", "Rent", "04-05", "04-06", NULL,
         "RRULE:FREQ=MONTHLY;BYMONTHDAY=5"},
        {"Rent monthly on the 15th", "Rent", "03-15", "03-16", NULL,
         "RRULE:FREQ=MONTHLY;BYMONTHDAY=15"},
        {"Pay rent on 4/1/2026 every month", "Pay rent", "04-01", "04-02", NULL,
         "RRULE:FREQ=MONTHLY"},
        {"Board the first Monday of every month at 4pm", "Board", "04-06 16:00", "04-06 17:00",
         NULL, "RRULE:FREQ=MONTHLY;BYDAY=1MO"},
        {"Board every last Friday of the month", "Board", "03-27", "03-28", NULL,
         "RRULE:FREQ=MONTHLY;BYDAY=-1FR"},
        {"Board every 2nd Tuesday", "Board", "04-14", "04-15", NULL,
         "RRULE:FREQ=MONTHLY;BYDAY=2TU"},
        {"Birthday Manu 7 May repeats yearly", "Birthday Manu", "05-07", "05-08", NULL,
         "RRULE:FREQ=YEARLY"},
        {"Lisa's birthday every April 4", "Lisa's birthday", "04-04", "04-05", NULL,
         "RRULE:FREQ=YEARLY"},
        {"Class Mondays and Wednesdays 5pm until May 6", "Class", "03-16 17:00", "03-16 18:00",
         NULL, "RRULE:FREQ=WEEKLY;UNTIL=20260507T035959Z;BYDAY=MO,WE"},
        {"Class on Tuesdays", "Class", "03-17", "03-18", NULL, "RRULE:FREQ=WEEKLY;BYDAY=TU"},
        {"Cleaning every weekend", "Cleaning", "03-14", "03-15", NULL,
         "RRULE:FREQ=WEEKLY;BYDAY=SU,SA"},
        {"Meds every other day at 8am", "Meds", "03-13 08:00", "03-13 09:00", NULL,
         "RRULE:FREQ=DAILY;INTERVAL=2"},
    };
    check(phrases, SOSIA_LEN(phrases));
}

static void other_words_stay_in_the_title(void **state)
{
    static const struct phrase phrases[] = {
        {"Buy milk", "Buy milk", "03-12", "03-13"},
        {"", "", "03-12", "03-13"},
        {"tomorrow at 3pm", "", "03-13 15:00", "03-13 16:00"},
        {"2026 budget review tomorrow", "2026 budget review", "03-13", "03-14"},
        {"May the force be with you on 5/4", "May the force be with you", "05-04", "05-05"},
        {"Watch Sunday Times tomorrow 4pm", "Watch Times tomorrow", "03-15 16:00", "03-15 17:00"},
        {"sat with the team tomorrow", "sat with the team", "03-13", "03-14"},
        {"Plan for 2027 tomorrow", "Plan for 2027", "03-13", "03-14"},
        {"Chapter 3 and 4 tomorrow", "Chapter 3 and 4", "03-13", "03-14"},
        {"Call (tomorrow 3pm) Bob", "Call Bob", "03-13 15:00", "03-13 16:00"},
        {"  Spaced \t out \n tomorrow,  3pm ", "Spaced out", "03-13 15:00", "03-13 16:00"},
        {"Mondayish afternoon", "Mondayish afternoon", "03-12", "03-13"},
        {"Ratio 99:99 and 13pm and 25:00", "Ratio 99:99 and 13pm and 25:00", "03-12", "03-13"},
        {"Fix 2026-13-45 and 13/32", "Fix 2026-13-45 and 13/32", "03-12", "03-13"},
        {"Caf\xC3\xA9 tomorrow", "Caf\xC3\xA9", "03-13", "03-14"},
        {"first second last of in for every", "first second last of in for every", "03-12",
         "03-13"},
    };
    check(phrases, SOSIA_LEN(phrases));
}

static void the_zone_and_the_default_length_are_the_callers(void **state)
{
    /* 23:30 in New York is already tomorrow in Rome. */
    assert_string_equal(given("Call at 3pm", "Europe/Rome", INT64_C(1773372600), &short_ahead),
                        "Call | 2026-03-13T15:00 | 2026-03-13T15:30 |  | ");
    assert_string_equal(given("Call today", "America/New_York", INT64_C(1773372600), &short_ahead),
                        "Call | 2026-03-12 | 2026-03-13 |  | ");
    /* 02:30 does not exist on 8 March: it is 03:30, and still takes an hour. */
    assert_string_equal(
        given("Night shift 2026-03-08 02:30", "America/New_York", INT64_C(1772800000), &ahead),
        "Night shift | 2026-03-08T03:30 | 2026-03-08T04:30 |  | ");
    assert_string_equal(given("Before the epoch tomorrow 3pm", "UTC", -100000000, &ahead),
                        "Before the epoch | 1966-11-01T15:00 | 1966-11-01T16:00 |  | ");
}

static void every_rule_it_writes_can_be_read(void **state)
{
    static const char *const texts[] = {
        "x every Tuesday",
        "x daily for 3 weeks",
        "x every 2nd Tuesday of the month until June 1 at 3pm",
        "x every 15th at noon",
        "x weekdays 9am until 12/31",
        "x every 3 months",
        "x yearly for 5 times",
        "x every other Monday and Friday 4pm for 2 months",
    };
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        struct quickadd q;
        const struct recur *recur;
        struct sosia_err err;
        const struct tz *tz = tz_find("America/New_York");
        quickadd_parse(&arena, texts[i], strlen(texts[i]), NOW, tz, &ahead, &q);
        assert_non_null(q.recurrence);
        struct recur_start start = {.all_day = q.all_day,
                                    .tz = tz,
                                    .local_s =
                                        q.start_s + (q.all_day ? 0 : tz_offset(tz, q.start_s))};
        if (recur_parse(&arena, &q.recurrence, 1, &start, &recur, &err) < 0)
            fail_msg("%s: %s: %s", texts[i], q.recurrence, err.text);
        /* the start is one that the rule itself gives */
        struct rrule rule;
        struct rrule_walk w;
        assert_int_equal(rrule_parse(&arena, q.recurrence + 6, strlen(q.recurrence + 6),
                                     start.local_s, q.all_day, &rule, &err),
                         0);
        rrule_walk_init(&w, &rule);
        assert_int_equal(rrule_next(&w, start.local_s), start.local_s);
    }
}

static void long_texts_are_kept_whole(void **state)
{
    static char text[200000];
    struct quickadd q;
    for (size_t i = 0; i + 4 < sizeof text; i += 3)
        memcpy(text + i, "at ", 4);
    quickadd_parse(&arena, text, strlen(text), NOW, tz_find("UTC"), &ahead, &q);
    assert_null(q.location);
    memset(text, 'x', sizeof text - 1);
    memcpy(text + sizeof text - 30, " tomorrow 3pm", 13);
    quickadd_parse(&arena, text, sizeof text - 1, NOW, tz_find("UTC"), &ahead, &q);
    assert_int_equal(strlen(q.summary), sizeof text - 1);
    assert_true(q.all_day);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(times_of_day_are_understood),
        TEST(ranges_and_lengths_give_the_end),
        TEST(dates_are_understood),
        TEST(weekdays_of_this_week_may_be_over),
        TEST(series_of_weekdays_start_today),
        TEST(ranges_of_days_are_whole_days),
        TEST(places_are_the_location_and_stay_in_the_title),
        TEST(addresses_behind_with_are_guests),
        TEST(guests_have_a_limit),
        TEST(repetition_becomes_a_rule),
        TEST(other_words_stay_in_the_title),
        TEST(the_zone_and_the_default_length_are_the_callers),
        TEST(every_rule_it_writes_can_be_read),
        TEST(long_texts_are_kept_whole),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
