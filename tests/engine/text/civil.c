/* SPDX-License-Identifier: Apache-2.0 */
/* Dates and times of day: days, leap years, RFC 3339. */
#include "engine/base/err.h"
#include "engine/text/civil.h"
#include "tests/support/unit.h"

static void days_count_through_every_date_without_a_gap(void **state)
{
    int64_t expect = -719162;
    int weekday = 1; /* 0001-01-01 was a Monday */
    assert_int_equal(days_from_civil(1970, 1, 1), 0);
    for (int year = 1; year <= 9999; year++)
        for (int month = 1; month <= 12; month++) {
            int n = days_in_month(year, month);
            for (int day = 1; day <= n; day++, expect++, weekday = (weekday + 1) % 7) {
                int y, m, d;
                if (days_from_civil(year, month, day) != expect ||
                    weekday_from_days(expect) != weekday)
                    fail_msg("%04d-%02d-%02d", year, month, day);
                civil_from_days(expect, &y, &m, &d);
                if (y != year || m != month || d != day)
                    fail_msg("day %lld gives %d-%d-%d", (long long)expect, y, m, d);
            }
        }
    assert_int_equal(expect, 2932897);
}

static void months_have_their_days_in_leap_and_common_years(void **state)
{
    assert_int_equal(days_in_month(2000, 2), 29);
    assert_int_equal(days_in_month(1900, 2), 28);
    assert_int_equal(days_in_month(2024, 2), 29);
    assert_int_equal(days_in_month(2026, 2), 28);
    assert_int_equal(days_in_month(2026, 4), 30);
    assert_int_equal(days_in_month(2026, 12), 31);
}

static void seconds_go_both_ways_before_and_after_1970(void **state)
{
    const int64_t at[] = {0,      -1,        86399,        86400,       -86400,
                          -86401, 951782399, 253402300799, -62135596800};
    for (size_t i = 0; i < SOSIA_LEN(at); i++) {
        struct civil c;
        civil_from_seconds(at[i], &c);
        assert_int_equal(civil_to_seconds(&c), at[i]);
    }
    struct civil c;
    civil_from_seconds(-1, &c);
    assert_int_equal(c.year, 1969);
    assert_int_equal(c.month, 12);
    assert_int_equal(c.day, 31);
    assert_int_equal(c.hour, 23);
    assert_int_equal(c.second, 59);
}

static void a_date_time_is_read_with_its_offset(void **state)
{
    static const struct {
        const char *text;
        int64_t local_us;
        int32_t offset;
        bool has_offset;
    } good[] = {
        {"1970-01-01T00:00:00Z", 0, 0, true},
        {"1970-01-01t00:00:01z", 1000000, 0, true},
        {"2026-03-12T07:26:40.173439+01:00", 1773300400173439, 3600, true},
        {"2026-03-12T07:26:40.1-02:30", 1773300400100000, -9000, true},
        {"2026-03-12T07:26:40.1234569Z", 1773300400123456, 0, true},
        {"2016-12-31T23:59:60Z", 1483228799000000, 0, true},
        {"2026-03-12T07:26:40", 1773300400000000, 0, false},
        {"0001-01-01T00:00:00Z", -62135596800000000, 0, true},
        {"9999-12-31T23:59:59.999999Z", 253402300799999999, 0, true},
    };
    for (size_t i = 0; i < SOSIA_LEN(good); i++) {
        struct stamp s;
        if (stamp_parse(good[i].text, strlen(good[i].text), true, &s) < 0)
            fail_msg("%s", good[i].text);
        assert_int_equal(s.local_us, good[i].local_us);
        assert_int_equal(s.offset, good[i].offset);
        assert_int_equal(s.has_offset, good[i].has_offset);
    }
}

static void what_is_no_date_time_is_refused(void **state)
{
    static const char *bad[] = {
        "",
        "2026-03-12",
        "2026-03-12T",
        "2026-03-12 07:26:40Z",
        "2026-03-12T07:26Z",
        "2026-3-12T07:26:40Z",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00+1:00",
        "2026-01-01T00:00:00+0100",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+00:60",
        "2026-01-01T00:00:00Zx",
        "2026-01-01T00:00:00 Z",
        " 2026-01-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "-001-01-01T00:00:00Z",
        "2026-01-01T0x:00:00Z",
        "20260101T000000Z",
    };
    struct stamp s = {.local_us = 7};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        if (stamp_parse(bad[i], strlen(bad[i]), true, &s) == 0)
            fail_msg("%s", bad[i]);
    assert_int_equal(stamp_parse("2026-03-12T07:26:40", 19, false, &s), -1);
    assert_int_equal(s.local_us, 7);
    /* The length counts, not a NUL. */
    assert_int_equal(stamp_parse("2026-03-12T07:26:40Zrest", 20, false, &s), 0);
}

static void a_full_date_is_read_strictly(void **state)
{
    int64_t days;
    assert_int_equal(date_parse("2026-03-12", 10, &days), 0);
    assert_int_equal(days, 20524);
    const char *bad[] = {"",           "2026-03-1",  "2026-03-123", "2026-02-30",
                         "2026/03/12", "0000-01-01", "2026-03-1 "};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        assert_int_equal(date_parse(bad[i], strlen(bad[i]), &days), -1);
}

static void texts_are_written_as_the_wall_clock_shows(void **state)
{
    char text[STAMP_TEXT], date[DATE_TEXT];
    int64_t us = 1773300400173439;
    stamp_format(text, us, 0, 6, true);
    assert_string_equal(text, "2026-03-12T07:26:40.173439Z");
    stamp_format(text, us, 0, 3, false);
    assert_string_equal(text, "2026-03-12T07:26:40.173+00:00");
    stamp_format(text, us, 3600, 0, true);
    assert_string_equal(text, "2026-03-12T08:26:40+01:00");
    stamp_format(text, us, -12600, 0, true);
    assert_string_equal(text, "2026-03-12T03:56:40-03:30");
    stamp_format(text, us, 2996, 0, true); /* 00:49:56: cut to minutes, the same instant */
    assert_string_equal(text, "2026-03-12T08:15:40+00:49");
    stamp_format(text, -1, 0, 6, true);
    assert_string_equal(text, "1969-12-31T23:59:59.999999Z");
    stamp_format(text, INT64_MAX, 86399, 6, true);
    assert_string_equal(text, "9999-12-31T23:59:59.999999+23:59");
    stamp_format(text, INT64_MIN, -86399, 6, true);
    assert_string_equal(text, "0001-01-01T00:00:00.000000-23:59");
    date_format(date, 20524);
    assert_string_equal(date, "2026-03-12");
    date_format(date, INT64_MAX);
    assert_string_equal(date, "9999-12-31");
    date_format(date, INT64_MIN);
    assert_string_equal(date, "0001-01-01");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_count_through_every_date_without_a_gap),
        cmocka_unit_test(months_have_their_days_in_leap_and_common_years),
        cmocka_unit_test(seconds_go_both_ways_before_and_after_1970),
        cmocka_unit_test(a_date_time_is_read_with_its_offset),
        cmocka_unit_test(what_is_no_date_time_is_refused),
        cmocka_unit_test(a_full_date_is_read_strictly),
        cmocka_unit_test(texts_are_written_as_the_wall_clock_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
