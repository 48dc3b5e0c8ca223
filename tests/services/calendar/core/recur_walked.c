/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrence compared with a walk over every day or unit from the start on: generated rules (a
 * fixed seed) with all parts, from the start and from the middle, ended by COUNT, in zones, with
 * dates and rules that add and leave out.
 */
#include "tests/model/rules.h"
#include "tests/support/dose.h"
#include "tests/support/unit.h"
#include "engine/text/civil.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arena arena;

static int set_up(void **state)
{
    rule_random = 20260312;
    return 0;
}

static const struct recur *parsed(const struct rule *r, const char *const *lines, size_t n)
{
    struct recur_start s = {
        .all_day = r->all_day, .local_s = r->dtstart, .tz = r->zone ? tz_find(r->zone) : NULL};
    const struct recur *recur;
    struct sosia_err err;
    if (recur_parse(&arena, lines, n, &s, &recur, &err) < 0)
        fail_msg("%s: %s", lines[0], err.text);
    return recur;
}

static const struct recur *of_rule(const struct rule *r)
{
    const char *line = arena_printf(&arena, "RRULE:%s", r->text);
    return parsed(r, &line, 1);
}

/* The starts of a set from an instant on are those of a list, which n of are known. */
static void hold(const struct rule *r, const struct recur *recur, int64_t from, const int64_t *at,
                 int n, bool ended)
{
    struct recur_iter it;
    struct recur_instance got;
    recur_iter_init(&it, recur, from);
    for (int i = 0; i < n; i++) {
        if (!recur_next(&it, &got))
            fail_msg("%lld %s: ends before no. %d", (long long)r->dtstart, r->text, i + 1);
        if (got.utc_s != at[i])
            fail_msg("%lld %s from %lld: no. %d is %lld, not %lld", (long long)r->dtstart, r->text,
                     (long long)from, i + 1, (long long)got.utc_s, (long long)at[i]);
        int64_t offset = r->zone && !r->all_day ? tz_offset(tz_find(r->zone), got.utc_s) : 0;
        if (!r->all_day || !r->zone)
            assert_int_equal(got.local_s, got.utc_s + offset);
    }
    if (ended && recur_next(&it, &got))
        fail_msg("%lld %s from %lld: %lld is one too many", (long long)r->dtstart, r->text,
                 (long long)from, (long long)got.utc_s);
    assert_false(it.gave_up && ended && n > 1);
}

/* The next generated rule that a walk has an answer to. */
static void next_walked(struct rule *r, struct answer *ret)
{
    do {
        rule_generate(r);
        r->zone = NULL;
        rule_write(r);
    } while (!rule_walked(r, ret));
}

static void a_rule_gives_what_a_walk_finds(void **state)
{
    for (int i = 0, n = dose(3000, 700); i < n; i++) {
        struct rule r;
        struct answer a;
        arena_init(&arena, 0);
        next_walked(&r, &a);
        const struct recur *recur = of_rule(&r);
        hold(&r, recur, RECUR_BEGINNING, a.at, a.n, a.ended);
        for (int k = 1; k < a.n; k += 3) {
            int64_t gap = a.at[k] - a.at[k - 1];
            hold(&r, recur, a.at[k], a.at + k, a.n - k, a.ended);
            hold(&r, recur, a.at[k - 1] + 1 + (int64_t)(random_below(1u << 30) % (uint64_t)gap),
                 a.at + k, a.n - k, a.ended);
            assert_true(recur_contains(recur, a.at[k]));
            assert_true(gap == 1 || !recur_contains(recur, a.at[k] - 1));
        }
        if (r.count || r.until)
            assert_true(recur_last(recur) >= a.at[a.n - 1]);
        arena_done(&arena);
    }
}

static void a_count_ends_at_the_nth_that_a_walk_finds(void **state)
{
    for (int i = 0, n = dose(3000, 900); i < n; i++) {
        struct rule r;
        struct answer a;
        next_walked(&r, &a);
        if (r.count || r.until)
            continue;
        arena_init(&arena, 0);
        for (int k = 1; k - a.matches < a.n; k += k < 6 ? 1 : 5) {
            r.count = k;
            rule_write(&r);
            const struct recur *recur = of_rule(&r);
            int end = k - a.matches;
            if (recur_last(recur) != a.at[end])
                fail_msg("%lld %s ends at %lld, not %lld", (long long)r.dtstart, r.text,
                         (long long)recur_last(recur), (long long)a.at[end]);
            hold(&r, recur, a.at[end], a.at + end, 1, true);
        }
        arena_done(&arena);
    }
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int unique(int64_t *at, int n)
{
    int kept = 0;
    qsort(at, (size_t)n, sizeof *at, compare);
    for (int i = 0; i < n; i++)
        if (!i || at[i] != at[i - 1])
            at[kept++] = at[i];
    return kept;
}

static void in_a_zone_each_reading_is_its_instant(void **state)
{
    static const char *const zones[] = {"America/New_York", "Australia/Lord_Howe", "Pacific/Apia",
                                        "Africa/Casablanca", "Asia/Kolkata"};
    for (int i = 0, n = dose(2000, 500); i < n; i++) {
        struct rule r;
        struct answer a;
        next_walked(&r, &a);
        if (r.until || r.all_day)
            continue;
        arena_init(&arena, 0);
        r.zone = zones[random_below(SOSIA_LEN(zones))];
        int64_t end = a.at[a.n - 1] - 2 * 86400;
        for (int k = 0; k < a.n; k++)
            a.at[k] = tz_to_utc(tz_find(r.zone), a.at[k]);
        a.n = unique(a.at, a.n);
        if (!a.ended)
            while (a.n && a.at[a.n - 1] >= end)
                a.n--;
        const struct recur *recur = of_rule(&r);
        for (int k = 0; k < a.n; k += 4)
            hold(&r, recur, a.at[k], a.at + k, a.n - k, a.ended);
        arena_done(&arena);
    }
}

static bool among(const int64_t *at, int n, int64_t value)
{
    return bsearch(&value, at, (size_t)n, sizeof *at, compare);
}

static const char *written(int64_t at)
{
    struct civil c;
    civil_from_seconds(at, &c);
    return arena_printf(&arena, "%04d%02d%02dT%02d%02d%02dZ", c.year, c.month, c.day, c.hour,
                        c.minute, c.second);
}

/* Two rules, added and left out, up to where both are known; and dates, in no order and twice. */
static void rules_and_dates_make_sets(void **state)
{
    for (int i = 0, n = dose(2000, 500); i < n; i++) {
        struct rule r, x;
        struct answer a, b;
        int64_t at[2 * INSTANCES + 4];
        int m = 0;
        next_walked(&r, &a);
        do {
            rule_generate(&x);
            x.zone = NULL;
            x.all_day = r.all_day;
            x.dtstart = r.dtstart;
            if (x.all_day &&
                (x.freq < RRULE_DAILY || x.by[BYHOUR].n || x.by[BYMINUTE].n || x.by[BYSECOND].n))
                x.freq = RRULE_DAILY, memset(x.by, 0, sizeof x.by);
            if (x.until && x.until < x.dtstart)
                x.until = 0;
            rule_write(&x);
        } while (!rule_walked(&x, &b));
        arena_init(&arena, 0);
        int64_t known = INT64_MAX;
        if (!a.ended)
            known = a.at[a.n - 1];
        if (!b.ended && b.at[b.n - 1] < known)
            known = b.at[b.n - 1];
        int64_t day = 86400, added[3], left[3];
        for (int k = 0; k < 3; k++) {
            added[k] = a.at[0] + ((int64_t)random_below(40) - 5) * day;
            left[k] = a.at[random_below((uint32_t)a.n)];
        }
        const char *lines[] = {
            arena_printf(&arena, "RRULE:%s", r.text),
            arena_printf(&arena, "%s:%s", i % 2 ? "RRULE" : "EXRULE", x.text),
            arena_printf(&arena, "RDATE:%s,%s", written(added[0]), written(added[1])),
            arena_printf(&arena, "EXDATE:%s,%s", written(left[2]), written(left[0])),
            arena_printf(&arena, "RDATE:%s,%s", written(added[2]), written(added[0])),
            arena_printf(&arena, "EXDATE:%s", written(left[1]))};
        memcpy(at, a.at, (size_t)a.n * sizeof *at);
        m = a.n;
        if (i % 2) {
            memcpy(at + m, b.at, (size_t)b.n * sizeof *at);
            m += b.n;
        }
        memcpy(at + m, added, sizeof added);
        m = unique(at, m + 3);
        int kept = 0;
        unique(left, 3);
        for (int k = 0; k < m && at[k] < known; k++) {
            bool out = at[k] == left[0] || at[k] == left[1] || at[k] == left[2];
            if (!(i % 2) && among(b.at + !b.matches, b.n - !b.matches, at[k]))
                out = true;
            if (!out)
                at[kept++] = at[k];
        }
        const struct recur *recur = parsed(&r, lines, SOSIA_LEN(lines));
        hold(&r, recur, RECUR_BEGINNING, at, kept, known == INT64_MAX);
        for (int k = 1; k < kept; k += 7)
            hold(&r, recur, at[k - 1] + 1, at + k, kept - k, known == INT64_MAX);
        arena_done(&arena);
    }
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_rule_gives_what_a_walk_finds),
        TEST(a_count_ends_at_the_nth_that_a_walk_finds),
        TEST(in_a_zone_each_reading_is_its_instant),
        TEST(rules_and_dates_make_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
