/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrence: what is refused, and rules that are made to hang. */
#include "tests/services/calendar/core/recur_check.h"

/* ---- what is refused ---- */

static void broken_lines_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "RRULE",
        "RRULE:",
        "RRULE:FREQ",
        "RRULE:FREQ=",
        "RRULE:FREQ=FORTNIGHTLY",
        "RRULE=WEEKLY",
        "RRULE:COUNT=3",
        "FREQ=DAILY",
        "DTSTART:20260101T000000Z",
        "RRULE:FREQ=DAILY;FREQ=DAILY",
        "RRULE:FREQ=DAILY;;COUNT=3",
        "RRULE:FREQ=DAILY;COUNT=0",
        "RRULE:FREQ=DAILY;COUNT=-1",
        "RRULE:FREQ=DAILY;COUNT=2147483648",
        "RRULE:FREQ=DAILY;COUNT=1x",
        "RRULE:FREQ=DAILY;COUNT=",
        "RRULE:FREQ=DAILY;INTERVAL=0",
        "RRULE:FREQ=DAILY;INTERVAL=+1",
        "RRULE:FREQ=DAILY;COUNT=3;UNTIL=20260101T000000Z",
        "RRULE:FREQ=DAILY;UNTIL=2026-01-01",
        "RRULE:FREQ=DAILY;UNTIL=20260230",
        "RRULE:FREQ=DAILY;UNTIL=20260101T000000+0100",
        "RRULE:FREQ=DAILY;UNTIL=20260101T250000Z",
        "RRULE:FREQ=DAILY;UNTIL=00000101",
        "RRULE:FREQ=DAILY;BYHOUR=24",
        "RRULE:FREQ=DAILY;BYHOUR=-1",
        "RRULE:FREQ=DAILY;BYMINUTE=60",
        "RRULE:FREQ=DAILY;BYSECOND=61",
        "RRULE:FREQ=DAILY;BYMONTH=13",
        "RRULE:FREQ=DAILY;BYMONTH=0",
        "RRULE:FREQ=DAILY;BYMONTHDAY=32",
        "RRULE:FREQ=DAILY;BYMONTHDAY=0",
        "RRULE:FREQ=DAILY;BYHOUR=1,,2",
        "RRULE:FREQ=DAILY;BYHOUR=1,",
        "RRULE:FREQ=DAILY;BYDAY=XX",
        "RRULE:FREQ=DAILY;BYDAY=1MO",
        "RRULE:FREQ=MONTHLY;BYDAY=0MO",
        "RRULE:FREQ=MONTHLY;BYDAY=54MO",
        "RRULE:FREQ=MONTHLY;BYDAY=1 MO",
        "RRULE:FREQ=MONTHLY;BYDAY=--1MO",
        "RRULE:FREQ=WEEKLY;BYDAY=1MO",
        "RRULE:FREQ=WEEKLY;BYMONTHDAY=1",
        "RRULE:FREQ=WEEKLY;BYYEARDAY=1",
        "RRULE:FREQ=MONTHLY;BYYEARDAY=1",
        "RRULE:FREQ=MONTHLY;BYWEEKNO=1",
        "RRULE:FREQ=YEARLY;BYWEEKNO=54",
        "RRULE:FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO",
        "RRULE:FREQ=YEARLY;BYYEARDAY=367",
        "RRULE:FREQ=DAILY;BYSETPOS=1",
        "RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0",
        "RRULE:FREQ=DAILY;WKST=1",
        "RRULE:FREQ=DAILY;BYFOO=1",
        "RRULE:FREQ=DAILY;X=1",
        "EXDATE:",
        "EXDATE:20260101T0900",
        "EXDATE:20260101,",
        "EXDATE;TZID=Mars/Base:20260101T090000",
        "EXDATE;TZID:20260101T090000",
        "EXDATE;VALUE=TEXT:20260101",
        "EXDATE;VALUE=DATE:20260101T090000",
        "EXDATE;VALUE=DATE-TIME:20260101",
        "EXDATE:20260101T000000Z/PT1H",
        "RDATE:20260101/PT1H",
        "RDATE;VALUE=PERIOD:20260101T000000Z/soon",
        "EXDATE;TZID=\"Europe/Rome:20260101T090000",
        "RRULE;X=\":FREQ=DAILY",
    };
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        struct recur_start s = {.local_s = reading("20260101T090000")};
        struct sosia_err err = {.code = SOSIA_E_OK};
        const struct recur *r = NULL;
        if (recur_parse(&arena, &bad[i], 1, &s, &r, &err) == 0)
            fail_msg("\"%s\" was taken", bad[i]);
        assert_int_equal(err.code, SOSIA_E_INVALID);
        assert_string_equal(err.where, "recurrence");
        assert_true(strlen(err.text) > 10);
        assert_null(r);
    }
    struct sosia_err err;
    assert_null(parse("20260101", NULL, "RRULE:FREQ=HOURLY", &err));
    assert_string_equal(err.text, "Invalid recurrence rule: days can't recur HOURLY.");
}

static void usual_variants_are_accepted(void **state)
{
    check("20260105T090000", NULL, "rrule:freq=weekly;byday=mo;count=2;", "2026 Jan 5 12 .");
    check("20260105T090000", NULL, "RRULE;X-NOTE=\"a;b:c\":FREQ=WEEKLY;X-THING=1;COUNT=2",
          "2026 Jan 5 12 .");
    check("20260105T090000", NULL, "RRULE:FREQ=MONTHLY;BYDAY=+1MO;COUNT=2", "2026 Jan 5 Feb 2 .");
    check("20260105T090000", NULL, "RRULE:COUNT=02;BYMONTHDAY=+05,5,05;FREQ=MONTHLY",
          "2026 Jan 5 Feb 5 .");
    check("20260105T090059", NULL, "RRULE:FREQ=DAILY;BYSECOND=60;COUNT=2", "2026 Jan 5 6 .");
    check("20260105", NULL, "RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=30;COUNT=2", "2026 Jan 5 6 .");
}

static void sizes_have_limits(void **state)
{
    struct recur_start s = {.local_s = reading("20260101T090000")};
    struct sosia_err err;
    const struct recur *r;
    const char *rules[RECUR_MAX_RULES + 1];
    for (size_t i = 0; i < SOSIA_LEN(rules); i++)
        rules[i] = "RRULE:FREQ=DAILY";
    assert_int_equal(recur_parse(&arena, rules, RECUR_MAX_RULES, &s, &r, &err), 0);
    assert_int_equal(recur_parse(&arena, rules, RECUR_MAX_RULES + 1, &s, &r, &err), -1);
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "EXDATE:20260101T090000Z");
    for (int i = 1; i < 20000; i++)
        buf_printf(&b, ",%04d%02d%02dT090000Z", 2026 + i / 336, i / 28 % 12 + 1, i % 28 + 1);
    const char *lines[] = {"RRULE:FREQ=DAILY", buf_str(&b)};
    struct recur_iter it;
    struct recur_instance got;
    assert_int_equal(recur_parse(&arena, lines, 2, &s, &r, &err), 0);
    recur_iter_init(&it, r, RECUR_BEGINNING);
    assert_true(recur_next(&it, &got));
    assert_int_equal(got.local_s, reading("20260129T090000"));
    for (int i = 0; i < 90000; i++)
        buf_puts(&b, ",20260101T090000Z");
    lines[1] = buf_str(&b);
    assert_int_equal(recur_parse(&arena, lines, 2, &s, &r, &err), -1);
    buf_clear(&b);
    buf_puts(&b, "RRULE:FREQ=DAILY;BYHOUR=1");
    for (int i = 0; i < 1000; i++)
        buf_puts(&b, ",1");
    lines[0] = buf_str(&b);
    assert_int_equal(recur_parse(&arena, lines, 1, &s, &r, &err), -1);
    buf_done(&b);
}

/* ---- rules made to hang ---- */

static uint32_t steps_of(const struct recur_iter *it)
{
    uint32_t steps = 0;
    for (unsigned i = 0; i < 2 * RECUR_MAX_RULES; i++)
        steps += it->rules[i].walk.steps;
    return steps;
}

static void rules_that_never_match_end_at_once(void **state)
{
    static const char *const never[] = {
        "RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30",
        "RRULE:FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30",
        "RRULE:FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
        "RRULE:FREQ=DAILY;BYMONTH=4;BYMONTHDAY=31",
        "RRULE:FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30",
        "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "RRULE:FREQ=YEARLY;BYYEARDAY=1;BYMONTH=2",
        "RRULE:FREQ=YEARLY;BYWEEKNO=30;BYMONTH=1",
        "RRULE:FREQ=MONTHLY;BYDAY=6MO",
        "RRULE:FREQ=SECONDLY;BYYEARDAY=366;BYMONTHDAY=1",
        "RRULE:FREQ=DAILY;BYHOUR=1,2;BYSETPOS=3",
        "RRULE:FREQ=SECONDLY;BYSECOND=1;BYSETPOS=2",
        "RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30;COUNT=2147483647",
        "EXRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30",
    };
    for (size_t i = 0; i < SOSIA_LEN(never); i++) {
        struct recur_iter it;
        struct recur_instance got;
        memset(&it, 0, sizeof it);
        recur_iter_init(&it, set("20260105T090000", NULL, never[i]), RECUR_BEGINNING);
        assert_true(recur_next(&it, &got));
        assert_int_equal(got.utc_s, reading("20260105T090000"));
        if (recur_next(&it, &got))
            fail_msg("%s", never[i]);
        assert_true(steps_of(&it) < 10);
        assert_false(it.gave_up);
    }
}

static void rules_whose_interval_misses_its_days_end_within_bounds(void **state)
{
    static const char *const never[] = {
        "RRULE:FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29",
        "RRULE:FREQ=YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29",
        "RRULE:FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=30;BYMONTH=3",
        "RRULE:FREQ=WEEKLY;INTERVAL=20871;BYMONTH=9",
        "RRULE:FREQ=DAILY;INTERVAL=7;BYDAY=TU",
        "RRULE:FREQ=DAILY;INTERVAL=146097;BYMONTH=9",
        "RRULE:FREQ=HOURLY;INTERVAL=24;BYHOUR=3",
        "RRULE:FREQ=MINUTELY;INTERVAL=1440;BYHOUR=3",
        "RRULE:FREQ=SECONDLY;INTERVAL=86400;BYHOUR=3",
        "RRULE:FREQ=SECONDLY;INTERVAL=3600;BYMINUTE=7",
        "RRULE:FREQ=SECONDLY;INTERVAL=60;BYSECOND=7",
        "RRULE:FREQ=SECONDLY;INTERVAL=2;BYSECOND=1,3,5,7,59",
        "RRULE:FREQ=MINUTELY;INTERVAL=10080;BYDAY=TU",
        "RRULE:FREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=2",
        "RRULE:FREQ=YEARLY;BYDAY=MO;BYSETPOS=366",
        "RRULE:FREQ=WEEKLY;BYDAY=MO;BYSETPOS=-2",
        "RRULE:FREQ=YEARLY;INTERVAL=2147483647",
        "RRULE:FREQ=SECONDLY;INTERVAL=2147483647;BYHOUR=3;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU",
        "RRULE:FREQ=MONTHLY;INTERVAL=2147483647;BYMONTHDAY=1",
        "RRULE:FREQ=WEEKLY;INTERVAL=2147483647",
    };
    for (size_t i = 0; i < SOSIA_LEN(never); i++) {
        struct recur_iter it;
        struct recur_instance got;
        memset(&it, 0, sizeof it);
        recur_iter_init(&it, set("20260105T090000", NY, never[i]), RECUR_BEGINNING);
        uint32_t steps = steps_of(&it);
        assert_true(recur_next(&it, &got));
        if (recur_next(&it, &got))
            fail_msg("%s", never[i]);
        if (steps + steps_of(&it) > 2 * RRULE_STEPS + 100)
            fail_msg("%s took %u steps", never[i], steps + steps_of(&it));
    }
}

static void what_excludes_everything_is_given_up(void **state)
{
    struct recur_iter it;
    struct recur_instance got;
    recur_iter_init(&it, set("20260105T090000", NY, "RRULE:FREQ=SECONDLY EXRULE:FREQ=SECONDLY"),
                    RECUR_BEGINNING);
    assert_false(recur_next(&it, &got));
    assert_true(it.gave_up);
}

/* Every seventh day, which is a Monday for ever, but a Tuesday by the rule. */
static void a_rule_that_searches_for_long_is_given_up(void **state)
{
    struct recur_iter it;
    struct recur_instance got;
    recur_iter_init(&it,
                    set("20260105T090000", NULL, "RRULE:FREQ=MINUTELY;INTERVAL=10080;BYDAY=TU"),
                    RECUR_BEGINNING);
    assert_true(recur_next(&it, &got));
    assert_false(recur_next(&it, &got));
    assert_true(it.gave_up);
    recur_iter_init(&it,
                    set("20260105T090000", NULL, "RRULE:FREQ=MINUTELY;INTERVAL=10080;BYDAY=MO"),
                    RECUR_BEGINNING);
    assert_true(recur_next(&it, &got));
    assert_true(recur_next(&it, &got));
    assert_false(it.gave_up);
}

/* The steps are those of one search: an iterator goes on for as long as it is asked. */
static void many_instances_are_not_many_steps(void **state)
{
    struct recur_iter it;
    struct recur_instance got;
    recur_iter_init(&it,
                    set("20260103T090000", NULL,
                        "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=1,2,3,4,5,6,7 "
                        "EXRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,2,3,4,5"),
                    RECUR_BEGINNING);
    int64_t start = reading("20260103T090000");
    for (int i = 0; i < 30000; i++) {
        assert_true(recur_next(&it, &got));
        assert_int_equal(got.utc_s, start + (INT64_C(7) * (i / 2) + i % 2) * 86400);
    }
    assert_false(it.gave_up);
}

static void ordinary_rules_take_few_steps_wherever_the_window_is(void **state)
{
    static const char *const rules[] = {
        "RRULE:FREQ=DAILY",
        "RRULE:FREQ=DAILY;COUNT=20000",
        "RRULE:FREQ=WEEKLY;BYDAY=MO,WE;INTERVAL=2",
        "RRULE:FREQ=MONTHLY;BYDAY=-1FR",
        "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
        "RRULE:FREQ=YEARLY",
        "RRULE:FREQ=HOURLY;INTERVAL=5",
        "RRULE:FREQ=MINUTELY;INTERVAL=15;BYHOUR=9,10,11;BYDAY=MO",
        "RRULE:FREQ=SECONDLY;INTERVAL=7;BYHOUR=3;BYMINUTE=0",
    };
    for (size_t i = 0; i < SOSIA_LEN(rules); i++) {
        struct recur_iter it;
        struct recur_instance got;
        memset(&it, 0, sizeof it);
        recur_iter_init(&it, set("20000103T090000", NY, rules[i]), reading("20300601T000000"));
        uint32_t steps = steps_of(&it);
        assert_true(recur_next(&it, &got));
        if (steps + steps_of(&it) > 60)
            fail_msg("%s took %u steps", rules[i], steps + steps_of(&it));
    }
}

/* ---- ends ---- */

/* A start that matches is the first, so that the end is so many seconds behind it. */
static void a_count_ends_far_ahead(void **state)
{
    static const struct {
        const char *start, *rule;
        int64_t count, after; /* seconds; -1: the calendar ends before */
    } cases[] = {
        {"20260105T090000", "FREQ=HOURLY;INTERVAL=5", 3000000, INT64_C(2999999) * 5 * 3600},
        {"20260105T090000", "FREQ=MINUTELY;INTERVAL=7", 100000000, INT64_C(99999999) * 7 * 60},
        {"20260105T090000", "FREQ=SECONDLY;INTERVAL=59", 1000000000, INT64_C(999999999) * 59},
        {"20260105T090000", "FREQ=SECONDLY;INTERVAL=591", 1000000000, -1},
        {"20260105T090000", "FREQ=HOURLY;INTERVAL=6;BYHOUR=9,15", 1000000,
         INT64_C(499999) * 86400 + 6 * 3600},
        {"20260105T090000", "FREQ=HOURLY;INTERVAL=6;BYHOUR=9,15", 1000001, INT64_C(500000) * 86400},
        {"20260105T090000", "FREQ=HOURLY;INTERVAL=6;BYHOUR=9,15", 10000000, -1},
        /* Once in seven days; counted for a thousand years. */
        {"20260105T090000", "FREQ=HOURLY;INTERVAL=7;BYHOUR=9", 52178, INT64_C(52177) * 7 * 86400},
        {"20260105T090000", "FREQ=HOURLY;INTERVAL=7;BYHOUR=9", 52179, -1},
        {"20260105T090000", "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=1", 52179, INT64_C(52178) * 7 * 86400},
        {"20260105T090000", "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=1", 52180, -1},
        {"20260105T090000", "FREQ=DAILY", 2000000, INT64_C(1999999) * 86400},
        {"20260105T090000", "FREQ=DAILY", 3000000, -1},
        {"20260105T090000", "FREQ=DAILY;INTERVAL=3;BYHOUR=9,10", 1000000,
         INT64_C(499999) * 3 * 86400 + 3600},
        {"20260105T090000", "FREQ=WEEKLY", 400000, INT64_C(399999) * 7 * 86400},
        {"20260105T090000", "FREQ=WEEKLY", 500000, -1},
        {"20260105T090000", "FREQ=YEARLY", 9000, -1},
        {"20260105T000000", "FREQ=HOURLY;INTERVAL=5;BYHOUR=0", 100, INT64_C(99) * 5 * 86400},
        {"20260105T230000", "FREQ=HOURLY;INTERVAL=5;BYHOUR=23", 100, INT64_C(99) * 5 * 86400},
        {"99991231T220000", "FREQ=HOURLY", 2, 3600},
        {"99991231T220000", "FREQ=HOURLY", 3, -1},
        {"99991230T000000", "FREQ=DAILY", 2, 86400},
        {"99991230T000000", "FREQ=DAILY", 3, -1},
        {"99980701T000000", "FREQ=YEARLY", 2, INT64_C(365) * 86400},
        {"99980701T000000", "FREQ=YEARLY", 3, -1},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct recur *r = set(
            cases[i].start, NULL,
            arena_printf(&arena, "RRULE:%s;COUNT=%lld", cases[i].rule, (long long)cases[i].count));
        int64_t want = cases[i].after < 0 ? RRULE_END : reading(cases[i].start) + cases[i].after;
        if (recur_last(r) != want)
            fail_msg("%s;COUNT=%lld ends at %lld, not %lld", cases[i].rule,
                     (long long)cases[i].count, (long long)recur_last(r), (long long)want);
    }
    /* On twelve days of a year, with and without the first. */
    assert_int_equal(recur_last(set("20260101T000000", NULL,
                                    "RRULE:FREQ=HOURLY;INTERVAL=6;BYMONTHDAY=1;COUNT=480")),
                     reading("20351201T180000"));
    assert_int_equal(recur_last(set("20260102T000000", NULL,
                                    "RRULE:FREQ=HOURLY;INTERVAL=6;BYMONTHDAY=2;COUNT=481")),
                     reading("20360102T000000"));
    /* Twice in each of twenty months. */
    assert_int_equal(recur_last(set("20260105", NULL,
                                    "RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1,1,-1,-1;COUNT=40")),
                     reading("20270830"));
    assert_int_equal(recur_last(set("20260101", NULL,
                                    "RRULE:FREQ=MONTHLY;BYMONTHDAY=1,15;BYSETPOS=-2;COUNT=24")),
                     reading("20271201"));
    assert_int_equal(recur_last(set("20260101", NULL,
                                    "RRULE:FREQ=MONTHLY;BYMONTHDAY=1,15;BYSETPOS=-2,1,2;COUNT=24")),
                     reading("20261215"));
}

static void the_first_and_the_last_day_of_a_year_count(void **state)
{
    check("20260101T090000", NULL, "RRULE:FREQ=YEARLY;UNTIL=20270101T090000",
          "2026 Jan 1 2027 Jan 1 .");
    check("20260101T090000", NULL, "RRULE:FREQ=YEARLY;UNTIL=20270101T085959", "2026 Jan 1 .");
    check("20261231T090000", NULL, "RRULE:FREQ=YEARLY;UNTIL=20271231T090000",
          "2026 Dec 31 2027 Dec 31 .");
    check("99970701T090000", NULL, "RRULE:FREQ=YEARLY", "9997 Jul 1 9998 Jul 1 9999 Jul 1 .");
    check("99980601T090000", NULL, "RRULE:FREQ=MONTHLY;BYMONTH=6", "9998 Jun 1 9999 Jun 1 .");
    check("20270101", NULL, "RRULE:FREQ=YEARLY;INTERVAL=3;BYWEEKNO=1;BYDAY=FR",
          "2027 Jan 1 2029 Jan 5 2032 Jan 2");
    check("20241230", NULL, "RRULE:FREQ=YEARLY;INTERVAL=3;BYWEEKNO=1;BYDAY=MO",
          "2024 Dec 30 2028 Jan 3 2030 Dec 30");
    check("20260105", NULL, "RRULE:FREQ=YEARLY;INTERVAL=3;BYWEEKNO=2;BYDAY=MO",
          "2026 Jan 5 2029 Jan 8 2032 Jan 5");
}

/* The 29th of February falls on each weekday once in 28 years. */
static void a_leap_day_comes_on_each_weekday(void **state)
{
    static const char *const days[][2] = {
        {"TU", "2028"}, {"SU", "2032"}, {"FR", "2036"}, {"WE", "2040"},
        {"MO", "2044"}, {"SA", "2048"}, {"TH", "2052"},
    };
    for (size_t i = 0; i < SOSIA_LEN(days); i++) {
        const char *then = arena_printf(&arena, "2026 Jan 5 %s Feb 29", days[i][1]);
        check(
            "20260105T090000", NULL,
            arena_printf(&arena, "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=%s", days[i][0]),
            then);
        check("20260105T090000", NULL,
              arena_printf(&arena, "RRULE:FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=%s;BYHOUR=9",
                           days[i][0]),
              then);
    }
}

/* Intervals that lead to a match, within the years that the calendar takes to repeat for them. */
static void a_position_may_come_first_after_centuries(void **state)
{
    check("20260105", NULL, "RRULE:FREQ=WEEKLY;INTERVAL=2609;BYMONTH=2;BYDAY=MO;BYSETPOS=1",
          "2026 Jan 5 3526 Feb 1");
    check("20250105", NULL, "RRULE:FREQ=YEARLY;INTERVAL=401;BYMONTH=2;BYMONTHDAY=29;BYSETPOS=1",
          "2025 Jan 5 3228 Feb 29");
}

/* One time of those that BYSETPOS numbers is taken, the ones beside it are not. */
static void positions_within_a_day_begin_at_midnight(void **state)
{
    static const char *const cases[][3] = {
        {"FREQ=DAILY;BYHOUR=0,12;BYSETPOS=2", "20260102T120000", "20260102T000000"},
        {"FREQ=DAILY;BYHOUR=0,12;BYSETPOS=-2", "20260102T000000", "20260102T120000"},
        {"FREQ=DAILY;BYHOUR=0,1,2,23;BYSETPOS=3", "20260102T020000", "20260102T010000"},
        {"FREQ=DAILY;BYMINUTE=0,1,59;BYSETPOS=2", "20260102T000100", "20260102T000000"},
        {"FREQ=DAILY;BYSECOND=0,30,59;BYSETPOS=2", "20260102T000030", "20260102T000000"},
        {"FREQ=DAILY;BYSECOND=0,30,59;BYSETPOS=3", "20260102T000059", "20260102T000030"},
        {"FREQ=HOURLY;BYMINUTE=0,30;BYSECOND=0,30;BYSETPOS=3", "20260102T003000",
         "20260102T000030"},
        {"FREQ=MINUTELY;BYSECOND=0,30;BYSETPOS=-1", "20260102T000030", "20260102T000000"},
        {"FREQ=WEEKLY;BYDAY=FR,SA;BYHOUR=0,12;BYSECOND=0,30;BYSETPOS=7", "20260103T120000",
         "20260103T000030"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct recur *r =
            set("20260101T000000", NULL, arena_printf(&arena, "RRULE:%s", cases[i][0]));
        if (!recur_contains(r, reading(cases[i][1])) || recur_contains(r, reading(cases[i][2])))
            fail_msg("%s", cases[i][0]);
    }
}

static void a_search_through_the_whole_calendar_is_not_given_up(void **state)
{
    static const char *const never[] = {
        "RRULE:FREQ=WEEKLY;BYDAY=MO;BYSETPOS=-2",
        "RRULE:FREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=2",
        "RRULE:FREQ=YEARLY;BYDAY=MO;BYSETPOS=366",
        "RRULE:FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29",
    };
    for (size_t i = 0; i < SOSIA_LEN(never); i++) {
        struct recur_iter it;
        struct recur_instance got;
        recur_iter_init(&it, set("20260105T090000", NULL, never[i]), RECUR_BEGINNING);
        assert_true(recur_next(&it, &got));
        assert_false(recur_next(&it, &got));
        assert_false(it.gave_up);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(broken_lines_are_refused),
        TEST(usual_variants_are_accepted),
        TEST(sizes_have_limits),
        TEST(rules_that_never_match_end_at_once),
        TEST(rules_whose_interval_misses_its_days_end_within_bounds),
        TEST(what_excludes_everything_is_given_up),
        TEST(a_rule_that_searches_for_long_is_given_up),
        TEST(many_instances_are_not_many_steps),
        TEST(ordinary_rules_take_few_steps_wherever_the_window_is),
        TEST(a_count_ends_far_ahead),
        TEST(the_first_and_the_last_day_of_a_year_count),
        TEST(a_leap_day_comes_on_each_weekday),
        TEST(a_position_may_come_first_after_centuries),
        TEST(positions_within_a_day_begin_at_midnight),
        TEST(a_search_through_the_whole_calendar_is_not_given_up),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
