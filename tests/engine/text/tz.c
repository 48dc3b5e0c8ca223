/* SPDX-License-Identifier: Apache-2.0 */
/* Time zones: names, offsets, changes, against the C library in every zone. */
#include "engine/base/err.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "tests/support/unit.h"
#include "sosia.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct tz *zone(const char *name)
{
    const struct tz *z = tz_find(name);
    if (!z)
        fail_msg("no zone %s", name);
    return z;
}

/* Seconds since 1970 of a text with an offset, or of a reading as if in UTC. */
static int64_t at(const char *text)
{
    struct stamp s;
    if (stamp_parse(text, strlen(text), true, &s) < 0)
        fail_msg("bad time %s", text);
    return s.local_us / US_PER_SECOND - s.offset;
}

static void zones_are_found_by_their_exact_name(void **state)
{
    assert_string_equal(tz_name(zone("Europe/Rome")), "Europe/Rome");
    assert_string_equal(tz_name(zone("US/Eastern")),
                        "US/Eastern"); /* a link keeps the requested name */
    const char *some[] = {
        "UTC",         "GMT",           "Etc/UTC",      "Etc/GMT+12",
        "EST",         "Asia/Calcutta", "Asia/Kolkata", "America/Argentina/ComodRivadavia",
        "Europe/Kyiv", "Europe/Kiev",   "Zulu"};
    for (size_t i = 0; i < SOSIA_LEN(some); i++)
        zone(some[i]);
    const char *none[] = {
        "",
        "europe/rome",
        "Europe",
        "Europe/Rome ",
        "Mars/Base",
        "posix/Europe/Rome",
        "../etc/passwd",
        "Factory",
        "Europe/Romeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"};
    for (size_t i = 0; i < SOSIA_LEN(none); i++)
        assert_null(tz_find(none[i]));
}

static void whole_hours_from_gmt_are_zones(void **state)
{
    assert_string_equal(tz_name(zone("GMT+03:00")), "Etc/GMT-3");
    assert_string_equal(tz_name(zone("GMT-11:00")), "Etc/GMT+11");
    assert_int_equal(tz_offset(zone("GMT+03:00"), at("2017-07-01T00:00:00Z")), 3 * 3600);
    assert_int_equal(tz_offset(zone("GMT+00:00"), 0), 0);
    const char *none[] = {"GMT+3",     "GMT+03",    "GMT+03:30", "GMT+15:00",
                          "GMT+0a:00", "GMT 03:00", "UTC+03:00", "GMT+03:00 "};
    for (size_t i = 0; i < SOSIA_LEN(none); i++)
        assert_null(tz_find(none[i]));
}

static void every_listed_name_is_found_and_the_list_is_in_order(void **state)
{
    unsigned n;
    const char *const *names = tz_names(&n);
    assert_true(n > 500);
    for (unsigned i = 0; i < n; i++) {
        assert_string_equal(tz_name(zone(names[i])), names[i]);
        if (i)
            assert_true(strcmp(names[i - 1], names[i]) < 0);
    }
}

static void the_version_is_that_of_the_data(void **state)
{
    int year;
    char letter;
    assert_int_equal(sscanf(sosia_tzdata_version(), "%4d%c", &year, &letter), 2);
    assert_true(year >= 2023 && letter >= 'a' && letter <= 'z');
}

static void offsets_are_those_of_their_time(void **state)
{
    static const struct {
        const char *zone, *utc;
        int32_t offset;
        bool dst;
        const char *abbreviation;
    } known[] = {
        {"UTC", "2026-03-12T00:00:00Z", 0, false, "UTC"},
        {"America/New_York", "2026-01-15T12:00:00Z", -18000, false, "EST"},
        {"America/New_York", "2026-07-15T12:00:00Z", -14400, true, "EDT"},
        {"America/New_York", "1800-01-01T00:00:00Z", -17762, false, "LMT"},
        {"America/New_York", "1944-07-01T00:00:00Z", -14400, true, "EWT"},
        {"America/New_York", "2006-04-01T00:00:00Z", -18000, false,
         "EST"}, /* the rule before 2007 */
        {"America/New_York", "2007-04-01T00:00:00Z", -14400, true, "EDT"},
        {"America/New_York", "9999-07-15T12:00:00Z", -14400, true, "EDT"},
        {"Europe/Rome", "2026-03-29T00:59:59Z", 3600, false, "CET"},
        {"Europe/Rome", "2026-03-29T01:00:00Z", 7200, true, "CEST"},
        {"Europe/Rome", "2026-10-25T00:59:59Z", 7200, true, "CEST"},
        {"Europe/Rome", "2026-10-25T01:00:00Z", 3600, false, "CET"},
        {"Europe/Rome", "2500-07-01T00:00:00Z", 7200, true, "CEST"},
        {"Europe/Dublin", "2026-01-15T12:00:00Z", 0, true,
         "GMT"}, /* winter is the exception there */
        {"Europe/Dublin", "2026-07-15T12:00:00Z", 3600, false, "IST"},
        {"Australia/Sydney", "2026-01-15T12:00:00Z", 39600, true, "AEDT"},
        {"Australia/Sydney", "2026-07-15T12:00:00Z", 36000, false, "AEST"},
        {"Australia/Sydney", "2077-12-31T23:59:59Z", 39600, true, "AEDT"},
        {"Australia/Sydney", "2078-01-01T00:00:00Z", 39600, true, "AEDT"},
        {"Australia/Lord_Howe", "2026-01-15T12:00:00Z", 39600, true, "+11"},
        {"Australia/Lord_Howe", "2026-07-15T12:00:00Z", 37800, false, "+1030"},
        {"Asia/Kolkata", "2026-07-15T12:00:00Z", 19800, false, "IST"},
        {"Asia/Kathmandu", "2026-07-15T12:00:00Z", 20700, false, "+0545"},
        {"Pacific/Chatham", "2026-01-15T12:00:00Z", 49500, true, "+1345"},
        {"Asia/Tehran", "2026-07-15T12:00:00Z", 12600, false, "+0330"},
        {"Pacific/Apia", "2011-12-29T12:00:00Z", -36000, true, "-10"}, /* skipped 30 December */
        {"Pacific/Apia", "2011-12-31T12:00:00Z", 50400, true, "+14"},
        {"America/Nuuk", "2026-07-15T12:00:00Z", -3600, true, "-01"}, /* turns the evening before */
        {"America/Nuuk", "2050-03-27T00:59:59Z", -7200, false, "-02"},
        {"America/Nuuk", "2050-03-27T01:00:00Z", -3600, true, "-01"},
        {"Etc/GMT+5", "2026-07-15T12:00:00Z", -18000, false, "-05"},
    };
    for (size_t i = 0; i < SOSIA_LEN(known); i++) {
        struct tz_range r;
        tz_range(zone(known[i].zone), at(known[i].utc), &r);
        if (r.offset != known[i].offset || r.dst != known[i].dst ||
            strcmp(r.abbreviation, known[i].abbreviation))
            fail_msg("%s at %s: %d %d %s", known[i].zone, known[i].utc, r.offset, r.dst,
                     r.abbreviation);
        assert_int_equal(tz_offset(zone(known[i].zone), at(known[i].utc)), known[i].offset);
    }
}

static void a_reading_gives_the_instant_rfc_5545_says(void **state)
{
    static const struct {
        const char *zone, *local, *utc;
    } known[] = {
        {"America/New_York", "2007-03-11T01:59:59", "2007-03-11T06:59:59Z"},
        {"America/New_York", "2007-03-11T02:30:00", "2007-03-11T07:30:00Z"}, /* in the gap */
        {"America/New_York", "2007-03-11T03:00:00", "2007-03-11T07:00:00Z"},
        {"America/New_York", "2007-11-04T00:59:59", "2007-11-04T04:59:59Z"},
        {"America/New_York", "2007-11-04T01:30:00", "2007-11-04T05:30:00Z"}, /* the first of two */
        {"America/New_York", "2007-11-04T02:00:00", "2007-11-04T07:00:00Z"},
        {"America/New_York", "2040-03-11T02:30:00", "2040-03-11T07:30:00Z"},
        {"America/New_York", "2040-11-04T01:30:00", "2040-11-04T05:30:00Z"},
        {"America/New_York", "9999-12-31T23:59:59", "9999-12-31T23:59:59-05:00"},
        {"Europe/Dublin", "2026-03-29T01:30:00", "2026-03-29T01:30:00Z"},
        {"Europe/Dublin", "2026-10-25T01:30:00", "2026-10-25T00:30:00Z"},
        {"Australia/Lord_Howe", "2026-10-04T02:15:00", "2026-10-03T15:45:00Z"},
        {"Australia/Lord_Howe", "2026-04-05T01:45:00", "2026-04-04T14:45:00Z"},
        {"Pacific/Apia", "2011-12-30T12:00:00", "2011-12-30T22:00:00Z"}, /* a day that never was */
        {"Asia/Kolkata", "2026-03-12T05:30:00", "2026-03-12T00:00:00Z"},
        {"Europe/Rome", "0001-01-02T00:49:56", "0001-01-02T00:00:00Z"},
        {"UTC", "2026-03-12T05:30:00", "2026-03-12T05:30:00Z"},
    };
    struct tz_range last[SOSIA_LEN(known)] = {0};
    for (size_t i = 0; i < SOSIA_LEN(known); i++) {
        char text[STAMP_TEXT], want[STAMP_TEXT];
        int64_t expect = !strcmp(known[i].utc, "9999-12-31T23:59:59-05:00")
                             ? at("9999-12-31T23:59:59Z") + 18000
                             : at(known[i].utc);
        int64_t got = tz_to_utc(zone(known[i].zone), at(known[i].local));
        stamp_format(text, got * US_PER_SECOND, 0, 0, true);
        stamp_format(want, expect * US_PER_SECOND, 0, 0, true);
        if (got != expect)
            fail_msg("%s %s: %s, not %s", known[i].zone, known[i].local, text, want);
        for (int twice = 0; twice < 2; twice++)
            assert_int_equal(tz_to_utc_near(zone(known[i].zone), at(known[i].local), &last[i]),
                             expect);
    }
}

static void casablanca_turned_with_ramadan(void **state)
{
    const struct tz *z = zone("Africa/Casablanca");
    int64_t change = tz_next_change(z, at("2025-01-01T00:00:00Z"));
    assert_int_equal(change, at("2025-02-23T02:00:00Z"));
    assert_int_equal(tz_offset(z, change), 0);
    change = tz_next_change(z, change);
    assert_int_equal(change, at("2025-04-06T02:00:00Z"));
    assert_int_equal(tz_offset(z, change), 3600);
    assert_int_equal(tz_to_utc(z, at("2025-04-06T02:30:00")), at("2025-04-06T02:30:00Z"));
}

static void the_next_change_skips_what_changes_the_name_only(void **state)
{
    const struct tz *z = zone("America/New_York");
    assert_int_equal(tz_next_change(z, at("2026-03-08T06:59:59Z")), at("2026-03-08T07:00:00Z"));
    assert_int_equal(tz_next_change(z, at("2026-03-08T07:00:00Z")), at("2026-11-01T06:00:00Z"));
    assert_int_equal(tz_next_change(z, at("2300-12-01T00:00:00Z")), at("2301-03-10T07:00:00Z"));
    /* 14 August 1945 turned EWT into EPT at the same offset. */
    assert_int_equal(tz_next_change(z, at("1945-08-01T00:00:00Z")), at("1945-09-30T06:00:00Z"));
    assert_true(tz_next_change(z, INT64_MAX) == INT64_MAX);
    assert_int_equal(tz_next_change(z, INT64_MIN), at("1883-11-18T17:00:00Z"));
    assert_true(tz_next_change(zone("UTC"), 0) == INT64_MAX);
    assert_true(tz_next_change(zone("Asia/Kolkata"), 0) == INT64_MAX);
    int64_t t = at("9998-01-01T00:00:00Z");
    for (int i = 0; t != INT64_MAX; i++) {
        assert_true(i < 20);
        t = tz_next_change(z, t);
    }
}

static void ranges_follow_one_another_and_hold_what_they_say(void **state)
{
    unsigned n;
    const char *const *names = tz_names(&n);
    for (unsigned i = 0; i < n; i++) {
        const struct tz *z = zone(names[i]);
        struct tz_range r, again;
        tz_range(z, INT64_MIN, &r);
        assert_true(r.from == INT64_MIN);
        while (r.to != INT64_MAX && r.from < at("2200-01-01T00:00:00Z")) {
            int64_t to = r.to;
            tz_range(z, to - 1, &again);
            assert_memory_equal(&again.from, &r.from, 20);
            tz_range(z, to, &r);
            assert_int_equal(r.from, to);
        }
    }
}

static uint64_t random_next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

/* The first instant with a reading, by trying everything near; none: the offset before the gap. */
static int64_t slow_to_utc(const struct tz *z, int64_t local)
{
    int64_t t = local - 30 * 3600, best = INT64_MAX;
    int32_t offset = tz_offset(z, t);
    int64_t gap = INT64_MAX;
    for (;;) {
        int64_t to = tz_next_change(z, t), utc = local - offset;
        if (utc >= t && utc < to && utc < best)
            best = utc;
        if (to > local + 30 * 3600)
            break;
        int32_t next = tz_offset(z, to);
        if (local - offset >= to && local - next < to && gap == INT64_MAX)
            gap = local - offset;
        t = to;
        offset = next;
    }
    return best != INT64_MAX ? best : gap;
}

static void readings_near_every_change_agree_with_an_exhaustive_search(void **state)
{
    unsigned n;
    const char *const *names = tz_names(&n);
    uint64_t seed = 88172645463325252u;
    for (unsigned i = 0; i < n; i++) {
        const struct tz *z = zone(names[i]);
        struct tz_range last = {0};
        for (int64_t t = INT64_MIN; (t = tz_next_change(z, t)) < at("2100-01-01T00:00:00Z");)
            for (int k = 0; k < 6; k++) {
                int64_t local =
                    t + tz_offset(z, t - 1) + (int64_t)(random_next(&seed) % 14400) - 7200;
                int64_t expect = slow_to_utc(z, local), got = tz_to_utc(z, local);
                if (got != expect || tz_to_utc_near(z, local, &last) != expect)
                    fail_msg("%s reading %lld: %lld, not %lld", names[i], (long long)local,
                             (long long)got, (long long)expect);
            }
    }
}

/* libc reads the same files at run time; no comparison when they are of another version, or
 * absent. */
static bool libc_has_our_data(void)
{
    char line[64] = "", want[64];
    FILE *f = fopen("/usr/share/zoneinfo/tzdata.zi", "r");
    if (!f)
        return false;
    if (!fgets(line, sizeof line, f))
        line[0] = 0;
    fclose(f);
    snprintf(want, sizeof want, "# version %s\n", sosia_tzdata_version());
    return !strcmp(line, want);
}

static void offsets_agree_with_libc_in_every_zone(void **state)
{
    if (!libc_has_our_data())
        skip();
    unsigned n;
    const char *const *names = tz_names(&n);
    uint64_t seed = 4101842887655102017u;
    const int64_t from = at("1800-01-01T00:00:00Z"), to = at("2600-01-01T00:00:00Z");
    for (unsigned i = 0; i < n; i++) {
        const struct tz *z = zone(names[i]);
        int64_t change = INT64_MIN;
        setenv("TZ", names[i], 1);
        tzset();
        for (int k = 0; k < 1500; k++) {
            /* every third at a change or just before */
            int64_t t = from + (int64_t)(random_next(&seed) % (uint64_t)(to - from));
            if (k % 3 == 0 && (change = tz_next_change(z, change)) < to)
                t = change - k % 2;
            time_t when = t;
            struct tm tm;
            localtime_r(&when, &tm);
            struct tz_range r;
            tz_range(z, t, &r);
            if (r.offset != tm.tm_gmtoff || r.dst != (tm.tm_isdst > 0) ||
                strcmp(r.abbreviation, tm.tm_zone))
                fail_msg("%s at %lld: %d %d %s, not %ld %d %s", names[i], (long long)t, r.offset,
                         r.dst, r.abbreviation, tm.tm_gmtoff, tm.tm_isdst, tm.tm_zone);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_are_found_by_their_exact_name),
        cmocka_unit_test(whole_hours_from_gmt_are_zones),
        cmocka_unit_test(every_listed_name_is_found_and_the_list_is_in_order),
        cmocka_unit_test(the_version_is_that_of_the_data),
        cmocka_unit_test(offsets_are_those_of_their_time),
        cmocka_unit_test(a_reading_gives_the_instant_rfc_5545_says),
        cmocka_unit_test(casablanca_turned_with_ramadan),
        cmocka_unit_test(the_next_change_skips_what_changes_the_name_only),
        cmocka_unit_test(ranges_follow_one_another_and_hold_what_they_say),
        cmocka_unit_test(readings_near_every_change_agree_with_an_exhaustive_search),
        cmocka_unit_test(offsets_agree_with_libc_in_every_zone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
