/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns and ranges of Outlook as rules of iCalendar and back: what one writes and the other
 * reads is the same set of instances. Names of zones of Windows. */
#include "engine/text/civil.h"
#include "services/calendar/core/recur/recur.h"
#include "services/calendar/outlook/rule.h"
#include "tests/support/unit.h"
#include "vendors/microsoft/zone.h"
#include <stdio.h>
#include <stdlib.h>

static struct arena arena;

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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define CLOCK      (9 * 3600 + 1800) /* when everything begins */

/* ---- an oracle: a pattern by its definition, day after day ---- */

static bool is_day(const struct ocal_rule *r, int64_t day, int64_t first)
{
    int y, m, d, y0, m0, d0, hits = 0, after = 0;
    civil_from_days(day, &y, &m, &d);
    civil_from_days(first, &y0, &m0, &d0);
    int months = (y - y0) * 12 + m - m0, length = days_in_month(y, m);
    if (r->type == PATTERN_DAILY)
        return (day - first) % r->interval == 0;
    if (r->type == PATTERN_WEEKLY) {
        int64_t week = day - (weekday_from_days(day) - r->first_day + 7) % 7,
                week0 = first - (weekday_from_days(first) - r->first_day + 7) % 7;
        return r->days >> weekday_from_days(day) & 1 && (week - week0) / 7 % r->interval == 0;
    }
    bool yearly = r->type == PATTERN_ABSOLUTE_YEARLY || r->type == PATTERN_RELATIVE_YEARLY;
    if (yearly ? m != r->month || (y - y0) % r->interval : months % r->interval)
        return false;
    if (r->type == PATTERN_ABSOLUTE_MONTHLY || r->type == PATTERN_ABSOLUTE_YEARLY)
        return d == (r->day_of_month > length ? length : r->day_of_month);
    if (!(r->days >> weekday_from_days(day) & 1))
        return false;
    for (int i = 1; i <= length; i++) {
        bool hit = r->days >> weekday_from_days(days_from_civil(y, m, i)) & 1;
        hits += hit && i <= d;
        after += hit && i > d;
    }
    return r->index == INDEX_LAST ? after == 0 : hits == (int)r->index + 1;
}

/* The first n days. */
static size_t expected(const struct ocal_rule *r, int64_t *ret, size_t n)
{
    int64_t first = r->start_days;
    size_t k = 0;
    for (int64_t day = first; k < n && day < first + 400000; day++) {
        if (r->range == RANGE_END_DATE && day > r->end_days)
            break;
        if (r->range == RANGE_NUMBERED && (int64_t)k == r->count)
            break;
        if (is_day(r, day, first))
            ret[k++] = day;
    }
    return k;
}

static size_t instances(const char *line, const struct tz *tz, bool all_day, int64_t start,
                        int64_t *ret, size_t n)
{
    struct recur_start s = {.all_day = all_day, .local_s = start, .tz = tz};
    struct recur_instance i;
    struct recur_iter it;
    struct sosia_err err;
    const struct recur *recur;
    size_t k = 0;
    if (recur_parse(&arena, &line, 1, &s, &recur, &err) < 0)
        fail_msg("%s: %s", line, err.text);
    recur_iter_init(&it, recur, RECUR_BEGINNING);
    while (k < n && recur_next(&it, &i))
        ret[k++] = i.local_s / SECONDS_PER_DAY;
    return k;
}

/* ---- a source of patterns ---- */

static uint64_t seed;
static int below(int n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (unsigned)n);
}

static void make(struct ocal_rule *r)
{
    *r = (struct ocal_rule){.type = (enum ocal_pattern)below(6), .interval = 1 + below(4)};
    bool yearly = r->type == PATTERN_ABSOLUTE_YEARLY || r->type == PATTERN_RELATIVE_YEARLY;
    if (r->type == PATTERN_WEEKLY || r->type == PATTERN_RELATIVE_MONTHLY ||
        r->type == PATTERN_RELATIVE_YEARLY)
        r->days = below(3) ? 1u << below(7) : 1u + (unsigned)below(127);
    if (r->type == PATTERN_WEEKLY)
        r->first_day = below(7);
    else if (r->days)
        r->index = (enum ocal_index)below(5);
    if (yearly)
        r->month = 1 + below(12);
    if (r->type == PATTERN_ABSOLUTE_MONTHLY || r->type == PATTERN_ABSOLUTE_YEARLY)
        r->day_of_month = below(3) ? 1 + below(28) : 29 + below(3);
    if (yearly && r->day_of_month > days_in_month(2024, r->month))
        r->day_of_month = days_in_month(2024, r->month);
    r->start_days = days_from_civil(2026, 1, 1) + below(1200);
    r->start_days = ocal_rule_first(r);
    r->range = (enum ocal_range)below(3);
    r->count = r->range == RANGE_NUMBERED ? 1 + below(20) : 0;
    r->end_days = r->range == RANGE_END_DATE ? r->start_days + below(1500) : 0;
}

#define GENERATED 10000 /* rules of each kind */

static void a_pattern_is_the_same_set_as_its_rule_and_comes_back(void **state)
{
    static const char *const zones[] = {"UTC", "Europe/Rome", "America/New_York", "Asia/Kolkata"};
    int64_t want[24], got[24];
    (void)state;
    for (int i = 0; i < GENERATED; i++) {
        struct ocal_rule r, back;
        const struct tz *tz = tz_find(zones[i % 4]);
        bool all_day = below(4) == 0;
        make(&r);
        assert_true(ocal_rule_good(&r));
        int64_t start = r.start_days * SECONDS_PER_DAY + (all_day ? 0 : CLOCK);
        const char *line = ocal_rule_line(&arena, &r, tz, all_day);
        size_t n = expected(&r, want, 24), k = instances(line, tz, all_day, start, got, 24);
        if (n != k || memcmp(want, got, n * sizeof *got) != 0)
            fail_msg("%d: %s has other instances than its pattern (%zu, %zu)", i, line, k, n);
        if (ocal_rule_read(&arena, line, tz, all_day, start, &back) != 1)
            fail_msg("%d: %s is no pattern any more", i, line);
        if (memcmp(&r, &back, sizeof r) != 0)
            fail_msg("%d: %s came back as %s", i, line, ocal_rule_line(&arena, &back, tz, all_day));
        arena_reset(&arena);
    }
}

/* Rules as the other side writes them: of those that are read as patterns, the pattern's rule has
 * the same instances. */
static void a_rule_that_is_read_as_a_pattern_has_its_instances(void **state)
{
    static const char *const freq[] = {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"};
    static const char *const by_day[] = {
        "",           ";BYDAY=MO",     ";BYDAY=MO,WE,FR", ";BYDAY=2TU", ";BYDAY=-1FR",
        ";BYDAY=5MO", ";BYDAY=1MO,3MO"};
    static const char *const by_month_day[] = {"",
                                               ";BYMONTHDAY=15",
                                               ";BYMONTHDAY=31",
                                               ";BYMONTHDAY=-1",
                                               ";BYMONTHDAY=1,15",
                                               ";BYMONTHDAY=28,29,30;BYSETPOS=-1",
                                               ";BYMONTHDAY=29"};
    static const char *const rest[] = {"",         ";BYSETPOS=2", ";BYMONTH=2", ";BYMONTH=3,9",
                                       ";WKST=SU", ";BYHOUR=9"};
    int64_t want[24], got[24];
    int read = 0;
    (void)state;
    for (int i = 0; i < GENERATED; i++) {
        const struct tz *tz = tz_find(i % 2 ? "Europe/Rome" : "UTC");
        struct ocal_rule r;
        struct sosia_err err;
        const struct recur *recur;
        char line[200], end[40] = "";
        int64_t start = (days_from_civil(2026, 1, 1) + below(800)) * SECONDS_PER_DAY + CLOCK;
        const char *set_pos = rest[below(6)], *days = by_month_day[below(3) ? 0 : below(7)];
        if (strstr(days, "BYSETPOS") && strstr(set_pos, "BYSETPOS"))
            set_pos = "";
        if (below(2))
            snprintf(end, sizeof end, below(2) ? ";COUNT=%d" : ";UNTIL=203%d0301T093000Z",
                     1 + below(9));
        snprintf(line, sizeof line, "RRULE:FREQ=%s;INTERVAL=%d%s%s%s%s", freq[below(4)],
                 1 + below(3), by_day[below(2) ? 0 : below(7)], days, set_pos, end);
        const char *lines = line;
        struct recur_start s = {.local_s = start, .tz = tz};
        if (recur_parse(&arena, &lines, 1, &s, &recur, &err) == 0 &&
            ocal_rule_read(&arena, line, tz, false, start, &r) == 1) {
            const char *again = ocal_rule_line(&arena, &r, tz, false);
            size_t n = instances(line, tz, false, start, want, 24);
            size_t k = instances(again, tz, false, start, got, 24);
            if (n != k || memcmp(want, got, n * sizeof *got) != 0)
                fail_msg("%d: %s became %s", i, line, again);
            read++;
        }
        arena_reset(&arena);
    }
    assert_true(read > GENERATED / 8);
}

static void what_no_pattern_can_say_is_none(void **state)
{
    static const char *const lines[] = {
        "RRULE:FREQ=HOURLY;COUNT=3",
        "RRULE:FREQ=DAILY;BYMONTH=3",
        "RRULE:FREQ=MONTHLY;BYDAY=5TH",
        "RRULE:FREQ=MONTHLY;BYMONTHDAY=1,12",
        "RRULE:FREQ=MONTHLY;BYDAY=MO,TH",
        "RRULE:FREQ=YEARLY;BYDAY=11TH",
        "RRULE:FREQ=DAILY\nRDATE:20260401T093000Z",
        "RRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY",
        "RDATE:20260401T093000Z",
        "RRULE:FREQ=WEEKLY;BYDAY=MO", /* the start is a Thursday, and an instance */
        "RRULE:FREQ=MONTHLY;BYMONTHDAY=31",
    };
    int64_t start = days_from_civil(2026, 3, 12) * SECONDS_PER_DAY + CLOCK;
    struct ocal_rule r;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(lines); i++)
        if (ocal_rule_read(&arena, lines[i], tz_find("UTC"), false, start, &r))
            fail_msg("%s is read as a pattern", lines[i]);
    assert_int_equal(ocal_rule_read(&arena, "RRULE:FREQ=DAILY\nEXDATE:20260313T093000Z",
                                    tz_find("UTC"), false, start, &r),
                     1);
}

static void an_end_date_is_the_last_day_on_the_wall_clock(void **state)
{
    struct ocal_rule r = {.type = PATTERN_DAILY,
                          .interval = 1,
                          .range = RANGE_END_DATE,
                          .start_days = days_from_civil(2026, 3, 12),
                          .end_days = days_from_civil(2026, 3, 14)};
    const struct tz *tz = tz_find("America/New_York");
    int64_t start = r.start_days * SECONDS_PER_DAY + 23 * 3600;
    (void)state;
    assert_string_equal(ocal_rule_line(&arena, &r, tz, false),
                        "RRULE:FREQ=DAILY;UNTIL=20260315T035959Z");
    assert_string_equal(ocal_rule_line(&arena, &r, tz, true), "RRULE:FREQ=DAILY;UNTIL=20260314");
    /* An end before the time of the day: the day before is the last one. */
    assert_int_equal(
        ocal_rule_read(&arena, "RRULE:FREQ=DAILY;UNTIL=20260315T020000Z", tz, false, start, &r), 1);
    assert_int_equal(r.end_days, days_from_civil(2026, 3, 13));
}

static void windows_and_iana_zones_lead_to_each_other(void **state)
{
    (void)state;
    assert_string_equal(graph_zone_iana("W. Europe Standard Time"), "Europe/Berlin");
    assert_string_equal(graph_zone_iana("pacific standard time"), "America/Los_Angeles");
    assert_string_equal(graph_zone_iana("UTC"), "UTC");
    assert_string_equal(graph_zone_iana("tzone://Microsoft/Utc"), "UTC");
    assert_string_equal(graph_zone_iana("Africa/Nairobi"), "Africa/Nairobi");
    assert_null(graph_zone_iana("Middle Earth Standard Time"));
    assert_null(graph_zone_iana(""));
    assert_string_equal(graph_zone_windows("Africa/Nairobi"), "E. Africa Standard Time");
    assert_string_equal(graph_zone_windows("Asia/Kolkata"), "India Standard Time");
    assert_string_equal(graph_zone_windows("UTC"), "UTC");
    assert_null(graph_zone_windows("Mars/Olympus"));
    for (size_t i = 0; i < graph_n_zones; i++) {
        if (!tz_find(graph_zones[i].iana))
            fail_msg("no zone %s of %s", graph_zones[i].iana, graph_zones[i].name);
        if (strcmp(graph_zone_windows(graph_zones[i].iana), graph_zones[i].name) != 0)
            fail_msg("%s comes back as another zone", graph_zones[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_pattern_is_the_same_set_as_its_rule_and_comes_back),
        TEST(a_rule_that_is_read_as_a_pattern_has_its_instances),
        TEST(what_no_pattern_can_say_is_none),
        TEST(an_end_date_is_the_last_day_on_the_wall_clock),
        TEST(windows_and_iana_zones_lead_to_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
