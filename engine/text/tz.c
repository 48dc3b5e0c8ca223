/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up offsets in the compiled-in tables (tzdata.h): transitions up to the last one that tzdata
 * lists, and from then on the two turns of each year. */
#include "engine/text/tz.h"
#include "engine/text/civil.h"
#include "engine/text/tzdata.h"
#include "sosia.h"
#include <stdio.h>
#include <string.h>

/* 0000-01-01 and 10001-01-01. */
#define EARLIEST INT64_C(-62167219200)
#define LATEST   INT64_C(253433923200)
/* More than any offset, and more than any two offsets are apart. */
#define FAR (INT64_C(48) * 3600)

static const struct tz *find(const char *name)
{
    uint32_t h = 2166136261u;
    for (const char *p = name; *p; p++) {
        h = (h ^ (uint8_t)*p) * 16777619u;
        if (p - name > 64) /* longer than any name */
            return NULL;
    }
    for (h %= TZDATA_SLOTS; tzdata_slots[h]; h = (h + 1) % TZDATA_SLOTS) {
        const struct tz *z = &tzdata_names[tzdata_slots[h] - 1];
        if (!strcmp(z->name, name))
            return z;
    }
    return NULL;
}

/* "GMT+03:00" is what tzdata calls "Etc/GMT-3". */
static const struct tz *find_offset(const char *name)
{
    char other[16];
    int hours = 0;
    if (strncmp(name, "GMT", 3) != 0 || (name[3] != '+' && name[3] != '-') || strlen(name) != 9 ||
        strcmp(name + 6, ":00") != 0)
        return NULL;
    for (int i = 4; i < 6; i++) {
        if (name[i] < '0' || name[i] > '9')
            return NULL;
        hours = hours * 10 + name[i] - '0';
    }
    snprintf(other, sizeof other, hours ? "Etc/GMT%c%d" : "Etc/GMT", name[3] == '+' ? '-' : '+',
             hours);
    return find(other);
}

const struct tz *tz_find(const char *name)
{
    const struct tz *z = find(name);
    return z ? z : find_offset(name);
}

const char *tz_name(const struct tz *z)
{
    return z->name;
}

const char *sosia_tzdata_version(void)
{
    return tzdata_version;
}

const char *const *tz_names(unsigned *ret_n)
{
    *ret_n = tzdata_n_names;
    return tzdata_name_list;
}

static int64_t clamp(int64_t t)
{
    return t < EARLIEST ? EARLIEST : t > LATEST ? LATEST : t;
}

/* The instant of a turn in a year. */
static int64_t turn_in(const struct tz_date *d, int year)
{
    int64_t day;
    if (d->kind == 'M') {
        day = days_from_civil(year, d->month, 1);
        int ahead = d->day - weekday_from_days(day);
        int in_month = (ahead < 0 ? ahead + 7 : ahead) + 7 * (d->week - 1);
        if (d->week == 5 && in_month >= days_in_month(year, d->month))
            in_month -= 7;
        day += in_month;
    } else {
        day = days_from_civil(year, 1, 1) + d->day;
        if (d->kind == 'J' && (d->day < 60 || days_in_month(year, 2) == 28))
            day--;
    }
    return day * SECONDS_PER_DAY + d->seconds;
}

/* The k-th turn of all years: two a year. */
static int64_t turn_at(const struct tz_data *d, int k)
{
    return turn_in(&d->turns[k & 1].date, k >> 1);
}

static const struct tz_type *by_rule(const struct tz_data *d, int64_t utc, struct tz_range *ret)
{
    int year, month, day;
    civil_from_days((utc - (utc < 0 ? SECONDS_PER_DAY - 1 : 0)) / SECONDS_PER_DAY, &year, &month,
                    &day);
    int k = 2 * year - 1 + (month > d->turns[0].date.month) + (month > d->turns[1].date.month);
    int64_t from = turn_at(d, k), to = turn_at(d, k + 1);
    while (from > utc) {
        to = from;
        from = turn_at(d, --k);
    }
    while (to <= utc) {
        from = to;
        to = turn_at(d, ++k + 1);
    }
    ret->from = from;
    ret->to = to;
    return &tzdata_types[d->turns[k & 1].kind];
}

static void find_range(const struct tz *z, int64_t utc, struct tz_range *ret)
{
    const struct tz_data *d = z->data;
    const int64_t *times = tzdata_times + d->times;
    const struct tz_type *type;
    unsigned n = d->n_times;
    if (n && utc >= times[n - 1]) {
        if (d->ruled) {
            type = by_rule(d, utc, ret);
            if (ret->from < times[n - 1])
                ret->from = times[n - 1];
        } else {
            type = &tzdata_types[tzdata_kinds[d->times + n - 1]];
            ret->from = times[n - 1];
            ret->to = INT64_MAX;
        }
    } else {
        unsigned low = 0, high = n; /* transitions up to utc: between low and high */
        while (low < high) {
            unsigned mid = (low + high) / 2;
            if (times[mid] <= utc)
                low = mid + 1;
            else
                high = mid;
        }
        type = &tzdata_types[low ? tzdata_kinds[d->times + low - 1] : d->first];
        ret->from = low ? times[low - 1] : INT64_MIN;
        ret->to = low < n ? times[low] : INT64_MAX;
    }
    if (ret->to > LATEST)
        ret->to = INT64_MAX;
    ret->offset = type->offset;
    ret->dst = type->dst;
    ret->abbreviation = type->abbreviation;
}

/* Most look-ups of a thread are for the zone of its last ones, at about the same time. */
void tz_range(const struct tz *z, int64_t utc, struct tz_range *ret)
{
    static _Thread_local struct {
        const struct tz *zone;
        struct tz_range range;
    } recent[16];
    utc = clamp(utc);
    /* Half a year has one or two places. */
    unsigned at = ((unsigned)((uintptr_t)z / sizeof *z) + (unsigned)(utc >> 24)) % 16;
    if (recent[at].zone != z || utc < recent[at].range.from || utc >= recent[at].range.to) {
        find_range(z, utc, &recent[at].range);
        recent[at].zone = z;
    }
    *ret = recent[at].range;
}

int32_t tz_offset(const struct tz *z, int64_t utc)
{
    struct tz_range r;
    tz_range(z, utc, &r);
    return r.offset;
}

int64_t tz_next_change(const struct tz *z, int64_t utc)
{
    struct tz_range r;
    tz_range(z, utc, &r);
    int32_t offset = r.offset;
    while (r.to != INT64_MAX) {
        int64_t at = r.to;
        tz_range(z, at, &r);
        if (r.offset != offset)
            return at;
    }
    return INT64_MAX;
}

/* Whether a local time, with the range's offset, is in the range and so far from its start that
 * no earlier range can have the same local time. */
static bool surely_in(const struct tz_range *r, int64_t local)
{
    int64_t utc = local - r->offset;
    return utc < r->to && (r->from == INT64_MIN || utc - r->from >= FAR);
}

int64_t tz_to_utc_near(const struct tz *z, int64_t local, struct tz_range *last)
{
    local = clamp(local);
    if (last->abbreviation && surely_in(last, local))
        return local - last->offset;
    tz_range(z, local, last);
    if (surely_in(last, local))
        return local - last->offset;
    /* Any reading is this close to its instant, so the first range that has it comes at or after
     * this. */
    tz_range(z, local - FAR, last);
    int32_t before = last->offset;
    while (local - last->offset >= last->to) {
        before = last->offset;
        tz_range(z, last->to, last);
    }
    /* In a gap the first range that does not end before the reading starts after it. */
    int32_t offset = local - last->offset >= last->from ? last->offset : before;
    return local - offset;
}

int64_t tz_to_utc(const struct tz *z, int64_t local)
{
    struct tz_range r = {0};
    return tz_to_utc_near(z, local, &r);
}
