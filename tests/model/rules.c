/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/rules.h"
#include "engine/text/civil.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t rule_random = 20260312;

uint32_t random_below(uint32_t n)
{
    rule_random ^= rule_random << 13;
    rule_random ^= rule_random >> 7;
    rule_random ^= rule_random << 17;
    return (uint32_t)((rule_random >> 16) % n);
}

bool chance(uint32_t percent)
{
    return random_below(100) < percent;
}

/* ---- rules ---- */

static const char *const part_names[] = {"BYSECOND", "BYMINUTE",   "BYHOUR",
                                         "BYDAY",    "BYMONTHDAY", "BYYEARDAY",
                                         "BYWEEKNO", "BYMONTH",    "BYSETPOS"};
static const char *const freqs[] = {"SECONDLY", "MINUTELY", "HOURLY", "DAILY",
                                    "WEEKLY",   "MONTHLY",  "YEARLY"};
static const char *const weekdays[] = {"SU", "MO", "TU", "WE", "TH", "FR", "SA"};

static void fill(struct rule *r, enum part part, int low, int high, int most, bool negative)
{
    struct list *l = &r->by[part];
    l->n = 1 + (int)random_below((uint32_t)most);
    for (int i = 0; i < l->n; i++) {
        l->at[i] = low + (int)random_below((uint32_t)(high - low + 1));
        if (negative && chance(35))
            l->at[i] = -l->at[i];
    }
}

static void fill_days(struct rule *r, bool nth)
{
    struct list *l = &r->by[BYDAY];
    fill(r, BYDAY, 0, 6, 4, false);
    for (int i = 0; i < l->n; i++) {
        int most = r->freq == RRULE_YEARLY && !r->by[BYMONTH].n ? 53 : 5;
        l->nth[i] = nth ? (int)random_below((uint32_t)(2 * most + 1)) - most : 0;
    }
}

void rule_write(struct rule *r)
{
    char *p = r->text, *end = r->text + sizeof r->text;
    p += snprintf(p, (size_t)(end - p), "FREQ=%s", freqs[r->freq]);
    if (r->interval > 1)
        p += snprintf(p, (size_t)(end - p), ";INTERVAL=%d", r->interval);
    if (r->count)
        p += snprintf(p, (size_t)(end - p), ";COUNT=%d", r->count);
    if (r->until) {
        struct civil c;
        civil_from_seconds(r->until, &c);
        p += snprintf(p, (size_t)(end - p), ";UNTIL=%04d%02d%02d", c.year, c.month, c.day);
        if (!r->all_day)
            p += snprintf(p, (size_t)(end - p), "T%02d%02d%02d%s", c.hour, c.minute, c.second,
                          r->zone ? "Z" : "");
    }
    for (int part = 0; part < N_PARTS; part++) {
        const struct list *l = &r->by[part];
        for (int i = 0; i < l->n; i++) {
            p += i ? snprintf(p, (size_t)(end - p), ",")
                   : snprintf(p, (size_t)(end - p), ";%s=", part_names[part]);
            if (part != BYDAY)
                p += snprintf(p, (size_t)(end - p), "%d", l->at[i]);
            else if (l->nth[i])
                p += snprintf(p, (size_t)(end - p), "%d%s", l->nth[i], weekdays[l->at[i]]);
            else
                p += snprintf(p, (size_t)(end - p), "%s", weekdays[l->at[i]]);
        }
    }
    if (r->week_start != 1)
        snprintf(p, (size_t)(end - p), ";WKST=%s", weekdays[r->week_start]);
}

static void generate_parts(struct rule *r)
{
    static const int intervals[] = {2,  2,  2,  3,  4,  5,  6,  7,  10,  12,
                                    13, 18, 24, 25, 36, 60, 90, 97, 100, 1440};
    if (chance(45))
        r->interval = intervals[random_below(SOSIA_LEN(intervals))];
    if (chance(30))
        fill(r, BYMONTH, 1, 12, 4, false);
    if (r->freq == RRULE_YEARLY && chance(20))
        fill(r, BYWEEKNO, 1, 53, 4, true);
    if ((r->freq == RRULE_YEARLY || r->freq < RRULE_DAILY) && chance(15))
        fill(r, BYYEARDAY, 1, 366, 10, true);
    if (r->freq != RRULE_WEEKLY && chance(25))
        fill(r, BYMONTHDAY, 1, 31, 6, true);
    if (chance(40))
        fill_days(r, r->freq >= RRULE_MONTHLY && !r->by[BYWEEKNO].n && chance(60));
    if (!r->all_day) {
        if (chance(25))
            fill(r, BYHOUR, 0, 23, 4, false);
        if (chance(25))
            fill(r, BYMINUTE, 0, 59, 4, false);
        if (chance(15))
            fill(r, BYSECOND, 0, 59, 4, false);
    }
    bool other = false;
    for (int part = 0; part < BYSETPOS; part++)
        other |= r->by[part].n > 0;
    if (other && chance(20))
        fill(r, BYSETPOS, 1, chance(50) ? 3 : 50, 3, true);
    if (chance(30))
        r->week_start = (int)random_below(7);
}

void rule_generate(struct rule *r)
{
    static const char *const zones[] = {"America/New_York",  "Europe/Dublin",
                                        "Australia/Sydney",  "Asia/Kolkata",
                                        "America/Sao_Paulo", "Pacific/Auckland"};
    memset(r, 0, sizeof *r);
    r->freq = (enum rrule_freq)random_below(7);
    r->interval = 1;
    r->week_start = 1;
    r->dtstart = 820454400 + (int64_t)random_below(1100000000);
    if (chance(80))
        r->dtstart -= r->dtstart % 900;
    r->all_day = r->freq >= RRULE_DAILY && chance(25);
    if (r->all_day)
        r->dtstart -= r->dtstart % 86400;
    else if (chance(50))
        r->zone = zones[random_below(SOSIA_LEN(zones))];
    generate_parts(r);
    if (chance(20))
        r->count = 1 + (int)random_below(30);
    else if (chance(20))
        r->until = r->dtstart + (int64_t)random_below(100000000);
    rule_write(r);
}

/* ---- our own answers ---- */

const struct recur *rule_parse(struct arena *a, const struct rule *r)
{
    const char *line = arena_printf(a, "RRULE:%s", r->text);
    struct recur_start s = {
        .all_day = r->all_day, .local_s = r->dtstart, .tz = r->zone ? tz_find(r->zone) : NULL};
    const struct recur *recur;
    struct sosia_err err;
    if (recur_parse(a, &line, 1, &s, &recur, &err) < 0) {
        printf("refused: %s: %s\n", line, err.text);
        exit(1);
    }
    return recur;
}

bool rule_ours(const struct recur *recur, int64_t from, struct answer *ret)
{
    struct recur_iter it;
    struct recur_instance got;
    recur_iter_init(&it, recur, from);
    ret->n = 0;
    while (ret->n < INSTANCES && recur_next(&it, &got))
        ret->at[ret->n++] = got.utc_s;
    ret->ended = ret->n < INSTANCES;
    return !it.gave_up;
}
