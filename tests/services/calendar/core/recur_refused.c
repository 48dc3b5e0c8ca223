/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrence: the words of each refusal, the bounds of each part, and the forms of times. */
#include "tests/services/calendar/core/recur_check.h"

#define F40 "abcdefghijklmnopqrstuvwxyzabcdefghijklmn" /* 40 characters */

static const char *const refusals[][2] = {
    {"RRULE", "Invalid recurrence: \"RRULE\" has no colon."},
    {"", "Invalid recurrence: \"\" has no colon."},
    {F40 "xyz", "Invalid recurrence: \"" F40 "\" has no colon."},
    {"RRULE;X", "Invalid recurrence: a parameter of \"RRULE;X\" is broken."},
    {"RRULE;X=y", "Invalid recurrence: a parameter of \"RRULE;X=y\" is broken."},
    {"RRULE;X:FREQ=DAILY", "Invalid recurrence: a parameter of \"RRULE;X:FREQ=DAILY\" is broken."},
    {"RRULE;X;Y=1:FREQ=DAILY",
     "Invalid recurrence: a parameter of \"RRULE;X;Y=1:FREQ=DAILY\" is broken."},
    {"RRULE;" F40 "=\"x", "Invalid recurrence: a parameter of "
                          "\"RRULE;abcdefghijklmnopqrstuvwxyzabcdefgh\" is broken."},
    {"DTSTART:20260101T000000Z",
     "Invalid recurrence: \"DTSTART\" is not RRULE, EXRULE, RDATE or EXDATE."},
    {F40 "xyz:1", "Invalid recurrence: \"" F40 "\" is not RRULE, EXRULE, RDATE or EXDATE."},
    {"EXDATE;TZID=Mars/Base:20260101T090000",
     "Invalid recurrence: there is no time zone \"Mars/Base\"."},
    {"EXDATE;TZID=" F40 "abcdefghijklmnopqrstuvwxyzabcde:20260101T090000",
     "Invalid recurrence: there is no time zone \"" F40 "abcdefghijklmnopqrstuvwxyzabcde\"."},
    {"EXDATE;TZID=" F40 "abcdefghijklmnopqrstuvwxyzabcdef:20260101T090000",
     "Invalid recurrence: the TZID is too long."},
    {"RDATE;VALUE=TEXT:20260101", "Invalid recurrence: VALUE can't be \"TEXT\"."},
    {"RDATE;VALUE=" F40 "x:20260101", "Invalid recurrence: VALUE can't be \"" F40 "\"."},
    {"EXDATE;VALUE=PERIOD:20260101T000000Z/PT1H", "Invalid recurrence: VALUE can't be \"PERIOD\"."},
    {"EXDATE:20260101T000000Z/PT1H", "Invalid recurrence: EXDATE can't have periods."},
    {"EXDATE;VALUE=DATE:20260101T090000",
     "Invalid recurrence: \"20260101T090000\" is not of the type VALUE says."},
    {"EXDATE;VALUE=DATE-TIME:20260101",
     "Invalid recurrence: \"20260101\" is not of the type VALUE says."},
    {"RDATE;VALUE=DATE:20260101T090000Z/20260101T100000Z",
     "Invalid recurrence: \"20260101T090000Z/20260101T100000Z\" is not of the type VALUE "
     "says."},
    {"EXDATE:", "Invalid recurrence: \"\" is not a time."},
    {"EXDATE:20260101,", "Invalid recurrence: \"\" is not a time."},
    {"EXDATE:20260101,soon,20260102", "Invalid recurrence: \"soon\" is not a time."},
    {"EXDATE:" F40 "x", "Invalid recurrence: \"" F40 "\" is not a time."},
    {"RDATE:20260101/PT1H", "Invalid recurrence: \"20260101/PT1H\" is not a time."},
    {"RRULE:", "Invalid recurrence rule: FREQ is missing."},
    {"RRULE:COUNT=3", "Invalid recurrence rule: FREQ is missing."},
    {"RRULE:FREQ", "Invalid recurrence rule: \"FREQ\" is not a part."},
    {"RRULE:FREQ=DAILY;;COUNT=3", "Invalid recurrence rule: \"\" is not a part."},
    {"RRULE:FREQ=DAILY;" F40 "x", "Invalid recurrence rule: \"" F40 "\" is not a part."},
    {"RRULE:FREQ=DAILY;" F40 "x=1", "Invalid recurrence rule: \"" F40 "\" is not a part."},
    {"RRULE:FREQ=DAILY;X=1", "Invalid recurrence rule: \"X\" is not a part."},
    {"RRULE:FREQ=DAILY;X-=1", "Invalid recurrence rule: \"X-\" is not a part."},
    {"RRULE:FREQ=DAILY;XYZ=1", "Invalid recurrence rule: \"XYZ\" is not a part."},
    {"RRULE:FREQ=DAILY;=1", "Invalid recurrence rule: \"\" is not a part."},
    {"RRULE:FREQ=DAILY;FREQ=DAILY", "Invalid recurrence rule: FREQ is given twice."},
    {"RRULE:FREQ=DAILY;BYHOUR=1;BYHOUR=2", "Invalid recurrence rule: BYHOUR is given twice."},
    {"RRULE:FREQ=", "Invalid recurrence rule: FREQ can't be \"\"."},
    {"RRULE:FREQ=FORTNIGHTLY", "Invalid recurrence rule: FREQ can't be \"FORTNIGHTLY\"."},
    {"RRULE:FREQ=" F40 "x", "Invalid recurrence rule: FREQ can't be \"" F40 "\"."},
    {"RRULE:FREQ=DAILY;WKST=1", "Invalid recurrence rule: WKST can't be \"1\"."},
    {"RRULE:FREQ=DAILY;UNTIL=soon", "Invalid recurrence rule: UNTIL can't be \"soon\"."},
    {"RRULE:FREQ=DAILY;COUNT=3;UNTIL=20260101",
     "Invalid recurrence rule: COUNT and UNTIL exclude each other."},
    {"RRULE:FREQ=DAILY;BYDAY=1MO",
     "Invalid recurrence rule: BYDAY can't have numbers in a DAILY rule."},
    {"RRULE:FREQ=WEEKLY;BYDAY=-1MO",
     "Invalid recurrence rule: BYDAY can't have numbers in a WEEKLY rule."},
    {"RRULE:FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO",
     "Invalid recurrence rule: BYDAY can't have numbers beside BYWEEKNO."},
    {"RRULE:FREQ=WEEKLY;BYMONTHDAY=1",
     "Invalid recurrence rule: BYMONTHDAY can't be in a WEEKLY rule."},
    {"RRULE:FREQ=DAILY;BYYEARDAY=1",
     "Invalid recurrence rule: BYYEARDAY can't be in a DAILY rule."},
    {"RRULE:FREQ=MONTHLY;BYYEARDAY=1",
     "Invalid recurrence rule: BYYEARDAY can't be in a MONTHLY rule."},
    {"RRULE:FREQ=MONTHLY;BYWEEKNO=1",
     "Invalid recurrence rule: BYWEEKNO can only be in a YEARLY rule."},
    {"RRULE:FREQ=HOURLY;BYWEEKNO=1",
     "Invalid recurrence rule: BYWEEKNO can only be in a YEARLY rule."},
    {"RRULE:FREQ=DAILY;BYSETPOS=1", "Invalid recurrence rule: BYSETPOS needs another BY part."},
};

static void each_refusal_says_what_is_wrong(void **state)
{
    for (size_t i = 0; i < SOSIA_LEN(refusals); i++) {
        struct sosia_err err = {.code = SOSIA_E_OK};
        struct recur_start s = {.local_s = reading("20260101T090000")};
        const struct recur *r = NULL;
        if (recur_parse(&arena, &refusals[i][0], 1, &s, &r, &err) == 0)
            fail_msg("\"%s\" was taken", refusals[i][0]);
        assert_int_equal(err.code, SOSIA_E_INVALID);
        assert_string_equal(err.reason, "invalid");
        assert_string_equal(err.where, "recurrence");
        assert_string_equal(err.text, refusals[i][1]);
    }
}

/* ---- numbers ---- */

static const struct {
    const char *rule, *part;
    int low, high;
    bool sign; /* and as far below 0 */
} bounds[] = {
    {"FREQ=DAILY", "BYSECOND", 0, 60, false},
    {"FREQ=DAILY", "BYMINUTE", 0, 59, false},
    {"FREQ=DAILY", "BYHOUR", 0, 23, false},
    {"FREQ=DAILY", "BYMONTHDAY", 1, 31, true},
    {"FREQ=YEARLY", "BYYEARDAY", 1, 366, true},
    {"FREQ=HOURLY", "BYYEARDAY", 1, 366, true},
    {"FREQ=YEARLY", "BYWEEKNO", 1, 53, true},
    {"FREQ=DAILY", "BYMONTH", 1, 12, false},
    {"FREQ=DAILY;BYHOUR=1", "BYSETPOS", 1, 366, true},
};

static void takes(bool want, const char *rule, const char *part, const char *value)
{
    struct sosia_err err;
    const char *line = arena_printf(&arena, "RRULE:%s;%s=%s", rule, part, value);
    bool taken = parse("20260101T090000", NULL, line, &err);
    if (taken != want)
        fail_msg("%s is %s", line, taken ? "taken" : "refused");
    char text[120];
    snprintf(text, sizeof text, "Invalid recurrence rule: %s can't be \"%s\".", part, value);
    if (!taken)
        assert_string_equal(err.text, text);
}

static void numbers_have_bounds(void **state)
{
    for (size_t i = 0; i < SOSIA_LEN(bounds); i++) {
        const char *rule = bounds[i].rule, *part = bounds[i].part;
        for (int n = -1001; n <= 1001; n++) {
            int size = n < 0 ? -n : n;
            bool in = size >= bounds[i].low && size <= bounds[i].high && (n >= 0 || bounds[i].sign);
            if (size < 70 || size % 50 < 2 || (size > 360 && size < 370))
                takes(in, rule, part, arena_printf(&arena, "%d", n));
        }
        takes(bounds[i].sign, rule, part, "+1");
        takes(true, rule, part, "01");
        takes(true, rule, part, "001");
        takes(false, rule, part, "0001");
        takes(false, rule, part, "");
        takes(false, rule, part, "+");
        takes(false, rule, part, "-");
        takes(false, rule, part, "1:");
        takes(false, rule, part, "1/");
        takes(false, rule, part, "1x");
    }
    static const char *const days[] = {"1MO", "53MO", "-53SU", "+1TU", "SA", "mo", "001FR"};
    static const char *const no_days[] = {"0MO", "54MO", "-54MO", "M",     "",
                                          "1",   "MOO",  "-MO",   "0001FR"};
    for (size_t i = 0; i < SOSIA_LEN(days); i++)
        takes(true, "FREQ=YEARLY", "BYDAY", days[i]);
    for (size_t i = 0; i < SOSIA_LEN(no_days); i++)
        takes(false, "FREQ=YEARLY", "BYDAY", no_days[i]);
    static const char *const parts[] = {"COUNT", "INTERVAL"};
    for (size_t i = 0; i < SOSIA_LEN(parts); i++) {
        takes(true, "FREQ=DAILY", parts[i], "1");
        takes(true, "FREQ=DAILY", parts[i], "2147483647");
        takes(false, "FREQ=DAILY", parts[i], "2147483648");
        takes(false, "FREQ=DAILY", parts[i], "0");
        takes(false, "FREQ=DAILY", parts[i], "-0");
        takes(false, "FREQ=DAILY", parts[i], "-1");
        takes(false, "FREQ=DAILY", parts[i], "-");
        takes(false, "FREQ=DAILY", parts[i], "");
        takes(false, "FREQ=DAILY", parts[i], "1.5");
        takes(false, "FREQ=DAILY", parts[i], "99999999999999999999");
    }
}

/* ---- times ---- */

static void times_have_three_forms(void **state)
{
    static const struct {
        const char *text;
        enum rrule_form form;
        int64_t s;
    } good[] = {
        {"19700101", RRULE_FORM_DATE, 0},
        {"19700102", RRULE_FORM_DATE, 86400},
        {"19700101T000000", RRULE_FORM_LOCAL, 0},
        {"19700101T000000Z", RRULE_FORM_UTC, 0},
        {"19700101T235959Z", RRULE_FORM_UTC, 86399},
        {"19700101T010203", RRULE_FORM_LOCAL, 3723},
        {"19700101T235960", RRULE_FORM_LOCAL, 86399},
        {"19700101T000060", RRULE_FORM_LOCAL, 59},
        {"19691231T235959Z", RRULE_FORM_UTC, -1},
        {"20000229", RRULE_FORM_DATE, INT64_C(951782400)},
        {"20261231", RRULE_FORM_DATE, INT64_C(1798675200)},
        {"00010101", RRULE_FORM_DATE, RRULE_START},
        {"99991231T235959", RRULE_FORM_LOCAL, RRULE_END},
    };
    static const char *const bad[] = {
        "",
        "1970010",
        "197001011",
        "19700001",
        "19701301",
        "19700100",
        "19700132",
        "19000229",
        "20260431",
        "00000101",
        "1970010a",
        "1970010:",
        "1970010/",
        "19700101T",
        "19700101T00000",
        "19700101t000000",
        "19700101T240000",
        "19700101T006000",
        "19700101T000061",
        "19700101T000000z",
        "19700101T0000000",
        "19700101T000000ZZ",
        "19700101T00000Z",
        "197001 1T000000",
    };
    for (size_t i = 0; i < SOSIA_LEN(good); i++) {
        enum rrule_form form;
        int64_t s = 5;
        assert_int_equal(rrule_time(good[i].text, strlen(good[i].text), &form, &s), 0);
        assert_int_equal(form, good[i].form);
        assert_int_equal(s, good[i].s);
    }
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        enum rrule_form form = RRULE_FORM_UTC;
        int64_t s = 5;
        if (rrule_time(bad[i], strlen(bad[i]), &form, &s) != -1)
            fail_msg("\"%s\" was taken", bad[i]);
        assert_int_equal(s, 5);
    }
}

static void periods_end_in_times_or_durations(void **state)
{
    static const char *const good[] = {
        "PT1H",           "P1D", "P2W", "+PT30M", "-PT5S", "P1DT2H3M4S", "20260107T100000Z",
        "20260107T100000"};
    static const char *const bad[] = {"",    "P",    "P1",  "PT",    "+P",          "T1H", "1H",
                                      "PT1", "PT1X", "+PT", "*PT1H", "20260107T10", "+1D2"};
    struct sosia_err err;
    for (size_t i = 0; i < SOSIA_LEN(good); i++) {
        check("20260105T090000", NULL,
              arena_printf(&arena, "RDATE;VALUE=PERIOD:20260107T090000Z/%s", good[i]),
              "2026 Jan 5 7 .");
        check("20260105T090000", NULL,
              arena_printf(&arena, "RDATE:20260107T090000Z/%s,20260106T090000Z", good[i]),
              "2026 Jan 5 6 7 .");
    }
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        if (parse("20260105T090000", NULL,
                  arena_printf(&arena, "RDATE:20260107T090000Z/%s", bad[i]), &err))
            fail_msg("\"%s\" was taken", bad[i]);
}

/* ---- lines ---- */

static void a_line_is_a_name_parameters_and_a_value(void **state)
{
    static const char *const cases[][2] = {
        {"RRULE:FREQ=DAILY", "FREQ=DAILY"},
        {"rdate;VALUE=DATE:20260101", "20260101"},
        {"EXDATE;X=\"a;b:c\";Y=1:2:3", "2:3"},
        {"X;A=:", ""},
        {"NAME:", ""},
        {":x", "x"},
        {"X;A=\"\":1", "1"},
        {"X;A=\":1", NULL},
        {"NAME", NULL},
        {"X;A", NULL},
        {"X;A:1", NULL},
        {"X;A=1", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *value = recur_value(cases[i][0]);
        if (!cases[i][1])
            assert_null(value);
        else
            assert_string_equal(value, cases[i][1]);
    }
    /* A value in quotes is the same as without them. */
    check("20260105T090000", NULL, "RDATE;TZID=\"America/New_York\":20260106T040000",
          "2026 Jan 5 6 .");
    check("20260105T090000", NULL, "RDATE;tzid=America/New_York;value=date-time:20260106T040000",
          "2026 Jan 5 6 .");
    struct sosia_err err;
    assert_null(parse("20260105T090000", NULL, "RDATE;TZID=\":20260106T040000", &err));
    assert_null(
        parse("20260105T090000", NULL, "RDATE;TZID=\"America/New_York:20260106T040000", &err));
    assert_null(
        parse("20260105T090000", NULL, "RDATE;TZID=America/New_York\":20260106T040000", &err));
    assert_null(parse("20260105T090000", NULL, "RDATE;VALUE=\"\":20260106T040000", &err));
}

/* ---- sizes ---- */

static const struct recur *of_lines(const char *const *lines, size_t n, struct sosia_err *err)
{
    struct recur_start s = {.local_s = reading("20260101T090000")};
    const struct recur *r;
    return recur_parse(&arena, lines, n, &s, &r, err) < 0 ? NULL : r;
}

static void sizes_are_bounded_exactly(void **state)
{
    static const char *lines[RECUR_MAX_LINES + 1];
    struct sosia_err err;
    for (size_t i = 0; i < SOSIA_LEN(lines); i++)
        lines[i] = "RDATE:20260101";
    assert_non_null(of_lines(lines, RECUR_MAX_LINES, &err));
    assert_null(of_lines(lines, RECUR_MAX_LINES + 1, &err));
    assert_string_equal(err.text, "Invalid recurrence: there are more than 10000 lines.");
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i <= RECUR_MAX_RULES; i++)
            lines[i] = k ? "EXRULE:FREQ=DAILY" : "RRULE:FREQ=DAILY";
        assert_non_null(of_lines(lines, RECUR_MAX_RULES, &err));
        assert_null(of_lines(lines, RECUR_MAX_RULES + 1, &err));
        assert_string_equal(err.text, "Invalid recurrence: there are more than 8 rules.");
    }
    for (size_t i = 0; i < 2 * RECUR_MAX_RULES; i++)
        lines[i] = i % 2 ? "EXRULE:FREQ=DAILY" : "RRULE:FREQ=DAILY";
    assert_non_null(of_lines(lines, (size_t)2 * RECUR_MAX_RULES, &err));
    struct buf dates, values, rule;
    buf_init(&dates, 0);
    buf_init(&values, 0);
    buf_init(&rule, 0);
    buf_puts(&dates, "EXDATE:20260101");
    for (int i = 2; i < RECUR_MAX_DATES; i++)
        buf_puts(&dates, ",20260101");
    lines[0] = buf_str(&dates);
    lines[1] = "RDATE:20260105";
    assert_non_null(of_lines(lines, 2, &err));
    lines[1] = "RDATE:20260105,20260106";
    assert_null(of_lines(lines, 2, &err));
    assert_string_equal(err.text, "Invalid recurrence: there are more than 100000 dates.");
    buf_puts(&values, "RRULE:FREQ=DAILY;BYHOUR=1");
    for (int i = 1; i < 800; i++)
        buf_puts(&values, ",1");
    lines[0] = buf_str(&values);
    assert_non_null(of_lines(lines, 1, &err));
    buf_puts(&values, ",1");
    lines[0] = buf_str(&values);
    assert_null(of_lines(lines, 1, &err));
    assert_string_equal(err.text, "Invalid recurrence rule: BYHOUR has too many values.");
    buf_puts(&rule, "RRULE:FREQ=DAILY;X-A=");
    while (rule.len < 16384 + 6)
        buf_puts(&rule, "x");
    lines[0] = buf_str(&rule);
    assert_non_null(of_lines(lines, 1, &err));
    buf_puts(&rule, "x");
    lines[0] = buf_str(&rule);
    assert_null(of_lines(lines, 1, &err));
    assert_string_equal(err.text, "Invalid recurrence rule: it is longer than 16384 characters.");
    buf_done(&dates);
    buf_done(&values);
    buf_done(&rule);
}

static void starts_are_in_the_years_1_to_9999(void **state)
{
    const char *line = "RRULE:FREQ=DAILY";
    const int64_t at[] = {RRULE_START - 1, RRULE_START, RRULE_END, RRULE_END + 1};
    for (size_t i = 0; i < SOSIA_LEN(at); i++) {
        struct recur_start s = {.local_s = at[i]};
        struct sosia_err err;
        const struct recur *r;
        bool in = i == 1 || i == 2;
        assert_int_equal(recur_parse(&arena, &line, 1, &s, &r, &err), in ? 0 : -1);
        if (!in)
            assert_string_equal(err.text,
                                "Invalid recurrence: the start is not in the years 1 to 9999.");
    }
    check("00010101T000000", NULL, "RRULE:FREQ=DAILY;COUNT=2", "0001 Jan 1 2 .");
    check("99991231T235900", NULL, "RRULE:FREQ=MINUTELY", "9999 Dec 31 .");
    check("99991201", NULL, "RRULE:FREQ=WEEKLY", "9999 Dec 1 8 15 22 29 .");
    check("99971231", NULL, "RRULE:FREQ=YEARLY", "9997 Dec 31 9998 Dec 31 9999 Dec 31 .");
    check("99991001", NULL, "RRULE:FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1",
          "9999 Oct 1 29 Nov 26 Dec 31 .");
    check("99971231", NULL, "RRULE:FREQ=YEARLY;COUNT=4", "9997 Dec 31 9998 Dec 31 9999 Dec 31 .");
    check("99991230", NULL, "RRULE:FREQ=DAILY;COUNT=4", "9999 Dec 30 31 .");
    check("99991231T220000", NULL, "RRULE:FREQ=HOURLY;COUNT=4", "9999 Dec 31 31@2300 .");
    check("99991231T220000", NULL, "RRULE:FREQ=HOURLY;BYHOUR=22,23;COUNT=4",
          "9999 Dec 31 31@2300 .");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_refusal_says_what_is_wrong),
        TEST(numbers_have_bounds),
        TEST(times_have_three_forms),
        TEST(periods_end_in_times_or_durations),
        TEST(a_line_is_a_name_parameters_and_a_value),
        TEST(sizes_are_bounded_exactly),
        TEST(starts_are_in_the_years_1_to_9999),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
