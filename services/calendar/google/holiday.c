/* SPDX-License-Identifier: Apache-2.0 */
#include "services/calendar/google/holiday.h"
#include "services/calendar/core/list_impl.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <stdio.h>
#include <stdlib.h>
#include "services/calendar/google/gcal.h"
#include <xxhash.h>

#define YEARS 5 /* before and behind the present one */

enum region {
    USA,
    UK,
    CANADA,
    GERMANY,
    FRANCE,
    ITALY,
    SPAIN,
    DUTCH,
    AUSTRIA,
    IRELAND,
    AUSTRALIA,
    POLAND,
    CHRISTIAN, /* of no country */
    REGIONS
};

/* The words of keys, and names as summaries have them. */
static const struct {
    const char *word, *name;
} regions[REGIONS] = {
    [USA] = {"usa", "United States"},
    [UK] = {"uk", "United Kingdom"},
    [CANADA] = {"canadian", "Canada"},
    [GERMANY] = {"german", "Germany"},
    [FRANCE] = {"french", "France"},
    [ITALY] = {"italian", "Italy"},
    [SPAIN] = {"spain", "Spain"},
    [DUTCH] = {"dutch", "Netherlands"},
    [AUSTRIA] = {"austrian", "Austria"},
    [IRELAND] = {"irish", "Ireland"},
    [AUSTRALIA] = {"australian", "Australia"},
    [POLAND] = {"polish", "Poland"},
    [CHRISTIAN] = {"christian", "Christian Holidays"},
};

#define IN(region) (1u << (region))
#define ALL        (IN(CHRISTIAN) - 1)

/* A day of a month; the nth weekday of it (from its end: negative); or days from Easter Sunday. */
static const struct holiday {
    unsigned in;
    const char *name;
    int month;   /* 0: Easter */
    int day;     /* of the month, or from Easter; 0: a weekday */
    int weekday; /* 0 Sunday */
    int nth;
    bool observance; /* no day off */
} holidays[] = {
    {ALL, "New Year's Day", 1, 1},
    {IN(ITALY) | IN(SPAIN) | IN(AUSTRIA) | IN(POLAND) | IN(CHRISTIAN), "Epiphany", 1, 6},
    {IN(USA), "Martin Luther King Jr. Day", 1, 0, 1, 3},
    {IN(AUSTRALIA), "Australia Day", 1, 26},
    {IN(USA), "Valentine's Day", 2, 14, .observance = true},
    {IN(USA), "Presidents' Day", 2, 0, 1, 3},
    {IN(IRELAND), "St. Patrick's Day", 3, 17},
    {IN(USA), "St. Patrick's Day", 3, 17, .observance = true},
    {IN(CHRISTIAN), "Ash Wednesday", 0, -46},
    {IN(CHRISTIAN), "Palm Sunday", 0, -7},
    {IN(CHRISTIAN), "Maundy Thursday", 0, -3},
    {IN(UK) | IN(CANADA) | IN(GERMANY) | IN(SPAIN) | IN(AUSTRALIA) | IN(CHRISTIAN), "Good Friday",
     0, -2},
    {IN(CHRISTIAN), "Holy Saturday", 0, -1},
    {IN(ITALY) | IN(DUTCH) | IN(POLAND) | IN(CHRISTIAN), "Easter Sunday", 0, 0},
    {IN(USA), "Easter Sunday", 0, 0, .observance = true},
    {IN(UK) | IN(GERMANY) | IN(FRANCE) | IN(ITALY) | IN(DUTCH) | IN(AUSTRIA) | IN(IRELAND) |
         IN(AUSTRALIA) | IN(POLAND) | IN(CHRISTIAN),
     "Easter Monday", 0, 1},
    {IN(ITALY), "Liberation Day", 4, 25},
    {IN(AUSTRALIA), "ANZAC Day", 4, 25},
    {IN(DUTCH), "King's Day", 4, 27},
    {IN(GERMANY) | IN(FRANCE) | IN(ITALY) | IN(SPAIN) | IN(AUSTRIA) | IN(POLAND), "Labour Day", 5,
     1},
    {IN(POLAND), "Constitution Day", 5, 3},
    {IN(UK), "Early May Bank Holiday", 5, 0, 1, 1},
    {IN(IRELAND), "May Day", 5, 0, 1, 1},
    {IN(FRANCE), "Victory Day", 5, 8},
    {IN(USA), "Mother's Day", 5, 0, 0, 2, .observance = true},
    {IN(UK), "Spring Bank Holiday", 5, 0, 1, -1},
    {IN(USA), "Memorial Day", 5, 0, 1, -1},
    {IN(GERMANY) | IN(FRANCE) | IN(DUTCH) | IN(AUSTRIA) | IN(CHRISTIAN), "Ascension Day", 0, 39},
    {IN(DUTCH) | IN(POLAND), "Whit Sunday", 0, 49},
    {IN(CHRISTIAN), "Pentecost", 0, 49},
    {IN(GERMANY) | IN(FRANCE) | IN(DUTCH) | IN(AUSTRIA) | IN(CHRISTIAN), "Whit Monday", 0, 50},
    {IN(CHRISTIAN), "Trinity Sunday", 0, 56},
    {IN(AUSTRIA) | IN(POLAND) | IN(CHRISTIAN), "Corpus Christi", 0, 60},
    {IN(ITALY), "Republic Day", 6, 2},
    {IN(IRELAND), "June Bank Holiday", 6, 0, 1, 1},
    {IN(USA), "Juneteenth", 6, 19},
    {IN(USA), "Father's Day", 6, 0, 0, 3, .observance = true},
    {IN(CANADA), "Canada Day", 7, 1},
    {IN(USA), "Independence Day", 7, 4},
    {IN(FRANCE), "Bastille Day", 7, 14},
    {IN(IRELAND), "August Bank Holiday", 8, 0, 1, 1},
    {IN(FRANCE) | IN(ITALY) | IN(SPAIN) | IN(AUSTRIA) | IN(POLAND) | IN(CHRISTIAN),
     "Assumption of Mary", 8, 15},
    {IN(UK), "Summer Bank Holiday", 8, 0, 1, -1},
    {IN(USA), "Labor Day", 9, 0, 1, 1},
    {IN(CANADA), "Labour Day", 9, 0, 1, 1},
    {IN(CANADA), "National Day for Truth and Reconciliation", 9, 30},
    {IN(GERMANY), "Day of German Unity", 10, 3},
    {IN(USA), "Columbus Day", 10, 0, 1, 2},
    {IN(CANADA), "Thanksgiving Day", 10, 0, 1, 2},
    {IN(SPAIN), "Hispanic Day", 10, 12},
    {IN(AUSTRIA), "National Day", 10, 26},
    {IN(IRELAND), "October Bank Holiday", 10, 0, 1, -1},
    {IN(USA), "Halloween", 10, 31, .observance = true},
    {IN(FRANCE) | IN(ITALY) | IN(SPAIN) | IN(AUSTRIA) | IN(POLAND) | IN(CHRISTIAN),
     "All Saints' Day", 11, 1},
    {IN(CHRISTIAN), "All Souls' Day", 11, 2},
    {IN(USA), "Veterans Day", 11, 11},
    {IN(CANADA), "Remembrance Day", 11, 11},
    {IN(FRANCE), "Armistice Day", 11, 11},
    {IN(POLAND), "Independence Day", 11, 11},
    {IN(USA), "Thanksgiving Day", 11, 0, 4, 4},
    {IN(SPAIN), "Constitution Day", 12, 6},
    {IN(ITALY) | IN(SPAIN) | IN(AUSTRIA) | IN(CHRISTIAN), "Immaculate Conception", 12, 8},
    {IN(USA), "Christmas Eve", 12, 24, .observance = true},
    {IN(CHRISTIAN), "Christmas Eve", 12, 24},
    {ALL | IN(CHRISTIAN), "Christmas Day", 12, 25},
    {IN(UK) | IN(CANADA) | IN(AUSTRALIA), "Boxing Day", 12, 26},
    {IN(GERMANY) | IN(DUTCH) | IN(POLAND), "Second Day of Christmas", 12, 26},
    {IN(ITALY) | IN(AUSTRIA) | IN(IRELAND), "St. Stephen's Day", 12, 26},
    {IN(USA), "New Year's Eve", 12, 31, .observance = true},
};

/* ---- calendars ---- */

static void make_calendar(struct tx *tx, int64_t region, struct calendar *ret)
{
    const char *name = regions[region].name;
    struct civil c;
    civil_from_seconds(tx->now_us / US_PER_SECOND, &c);
    int64_t year_us = days_from_civil(c.year, 1, 1) * US_PER_DAY;
    *ret = (struct calendar){
        .id = -1 - region,
        .key = arena_printf(tx->arena, "en.%s#holiday@group.v.calendar.google.com",
                            regions[region].word),
        .summary = region == CHRISTIAN ? name : arena_printf(tx->arena, "Holidays in %s", name),
        .description = region == CHRISTIAN
                           ? name
                           : arena_printf(tx->arena, "Holidays and Observances in %s", name),
        .zone = "UTC",
        .tz = tz_find("UTC"),
        .created_us = year_us,
        .updated_us = year_us,
        .newest_us = year_us,
    };
}

static int holidays_by_id(struct tx *tx, int64_t id, struct calendar *ret)
{
    if (id >= 0 || id < -REGIONS)
        return 0;
    make_calendar(tx, -1 - id, ret);
    return 1;
}

static int holidays_by_key(struct tx *tx, const char *key, struct calendar *ret)
{
    static const char end[] = "#holiday@group.v.calendar.google.com";
    const char *at = strchr(key, '#');
    if (!at || strcmp(at, end) != 0 || strncmp(key, "en.", 3) != 0)
        return 0;
    for (int i = 0; i < REGIONS; i++)
        if (strlen(regions[i].word) == (size_t)(at - key - 3) &&
            strncmp(regions[i].word, key + 3, (size_t)(at - key - 3)) == 0)
            return holidays_by_id(tx, -1 - i, ret);
    return 0;
}

static int holidays_seen_by(struct tx *tx, struct calendar *cal, const struct actor *who)
{
    struct calendar own;
    if (!who->id)
        return 0;
    int r = calendar_of(tx, who->id, &own);
    if (r == 1) {
        cal->zone = own.zone;
        cal->tz = own.tz;
    }
    return r < 0 ? -1 : 0;
}

/* ---- days ---- */

/* Of the Gregorian calendar (Meeus, Jones and Butcher). */
static int64_t easter(int year)
{
    int a = year % 19, b = year / 100, c = year % 100;
    int h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    int l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    int m = (a + 11 * h + 22 * l) / 451, n = h + l - 7 * m + 114;
    return days_from_civil(year, n / 31, n % 31 + 1);
}

static int64_t day_of(const struct holiday *h, int year)
{
    if (!h->month)
        return easter(year) + h->day;
    if (h->day)
        return days_from_civil(year, h->month, h->day);
    if (h->nth > 0) {
        int64_t first = days_from_civil(year, h->month, 1);
        return first + (h->weekday - weekday_from_days(first) + 7) % 7 + 7 * (h->nth - 1);
    }
    int64_t last = days_from_civil(year, h->month, days_in_month(year, h->month));
    return last - (weekday_from_days(last) - h->weekday + 7) % 7;
}

struct day {
    int64_t days;
    const struct holiday *what;
    const char *key;
};

static const char *key_of(struct tx *tx, const struct calendar *cal, const struct holiday *h,
                          int64_t days)
{
    const struct {
        int64_t calendar, day;
    } what = {cal->id, days};
    XXH128_hash_t hash =
        XXH3_128bits_withSeed(&what, sizeof what, XXH3_64bits(h->name, strlen(h->name)));
    char date[DATE_TEXT];
    struct buf b;
    buf_init(&b, 64);
    date_format(date, days);
    buf_printf(&b, "%.4s%.2s%.2s_", date, date + 5, date + 8);
    base32hex_add(&b, &hash, sizeof hash);
    return buf_keep(&b, tx->arena);
}

static int by_key(const void *pa, const void *pb)
{
    return strcmp(((const struct day *)pa)->key, ((const struct day *)pb)->key);
}

/* All of a year, by day. */
static size_t days_of_year(struct tx *tx, const struct calendar *cal, int year,
                           struct day ret[SOSIA_LEN(holidays)])
{
    size_t n = 0;
    for (size_t i = 0; i < SOSIA_LEN(holidays); i++) {
        if (!(holidays[i].in & IN(-1 - cal->id)))
            continue;
        int64_t days = day_of(&holidays[i], year);
        ret[n++] = (struct day){days, &holidays[i], key_of(tx, cal, &holidays[i], days)};
    }
    if (!arena_failed(tx->arena))
        qsort(ret, n, sizeof *ret, by_key);
    return n;
}

static void make_event(struct tx *tx, const struct calendar *cal, const struct day *d,
                       struct cal_event *ret)
{
    static const char hide[] = "Observance\nTo hide observances, go to Google Calendar Settings > ";
    *ret = (struct cal_event){
        .calendar = cal->id,
        .key = d->key,
        .uid = gcal_uid(tx, d->key),
        .visibility = VISIBLE_PUBLIC,
        .all_day = true,
        .busy = BUSY_FREE,
        .start_us = d->days * US_PER_DAY,
        .len_us = US_PER_DAY,
        .last_us = (d->days + 1) * US_PER_DAY,
        .created_us = cal->created_us,
        .updated_us = cal->updated_us,
        .summary = d->what->name,
        .description = d->what->observance ? arena_printf(tx->arena, "%s%s", hide, cal->summary)
                       : cal->id == -1 - CHRISTIAN ? cal->summary
                                                   : "Public holiday",
        .reminders = "[]",
    };
}

static int present_year(const struct tx *tx)
{
    struct civil c;
    civil_from_seconds(tx->now_us / US_PER_SECOND, &c);
    return c.year;
}

static int holiday_find(struct tx *tx, const struct calendar *cal, const char *key,
                        struct cal_event *ret)
{
    struct day days[SOSIA_LEN(holidays)];
    int now = present_year(tx), year;
    if (sscanf(key, "%4d", &year) != 1 || year < now - YEARS || year > now + YEARS)
        return 0;
    size_t n = days_of_year(tx, cal, year, days);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n; i++)
        if (strcmp(days[i].key, key) == 0) {
            make_event(tx, cal, &days[i], ret);
            return 1;
        }
    return 0;
}

static int holiday_list(struct lister *l)
{
    const struct cal_event_query *q = l->q;
    const char *from = q->position ? q->position : "", *last = from;
    int now = present_year(l->tx);
    if (q->changed >= 0) /* nothing ever does */
        return 0;
    for (int year = now - YEARS; year <= now + YEARS; year++) {
        struct day days[SOSIA_LEN(holidays)];
        size_t n = days_of_year(l->tx, l->cal, year, days);
        if (arena_failed(l->tx->arena))
            return sosia_fail_memory(l->tx->err);
        for (size_t i = 0; i < n; i++) {
            struct cal_event ev;
            if (strcmp(days[i].key, from) <= 0)
                continue;
            make_event(l->tx, l->cal, &days[i], &ev);
            int r = cal_list_in_time(l, &ev) ? cal_list_wanted(l, &ev) : 0;
            if (r == 1) {
                r = cal_list_give(l, &ev);
                if (r == 1) {
                    l->position = last;
                    return 0;
                }
            }
            if (r < 0)
                return -1;
            last = days[i].key;
        }
    }
    return 0;
}

const struct cal_made gcal_holidays = {holidays_by_key, holidays_by_id, holidays_seen_by,
                                       holiday_find, holiday_list};
