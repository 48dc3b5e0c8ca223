/* SPDX-License-Identifier: Apache-2.0 */
/* The palettes: numbers that calendars and events have, and their colours. */
#include "engine/base/codec.h"
#include "services/calendar/google/gcal.h"
#include <limits.h>
#include <stdlib.h>

#define DARK "#1d1d1d"

static const struct gcal_color calendar_colors[] = {
    {"#ac725e", DARK}, {"#d06b64", DARK}, {"#f83a22", DARK}, {"#fa573c", DARK}, {"#ff7537", DARK},
    {"#ffad46", DARK}, {"#42d692", DARK}, {"#16a765", DARK}, {"#7bd148", DARK}, {"#b3dc6c", DARK},
    {"#fbe983", DARK}, {"#fad165", DARK}, {"#92e1c0", DARK}, {"#9fe1e7", DARK}, {"#9fc6e7", DARK},
    {"#4986e7", DARK}, {"#9a9cff", DARK}, {"#b99aff", DARK}, {"#c2c2c2", DARK}, {"#cabdbf", DARK},
    {"#cca6ac", DARK}, {"#f691b2", DARK}, {"#cd74e6", DARK}, {"#a47ae2", DARK},
};

static const struct gcal_color event_colors[] = {
    {"#a4bdfc", DARK}, {"#7ae7bf", DARK}, {"#dbadff", DARK}, {"#ff887c", DARK},
    {"#fbd75b", DARK}, {"#ffb878", DARK}, {"#46d6db", DARK}, {"#e1e1e1", DARK},
    {"#5484ed", DARK}, {"#51b749", DARK}, {"#dc2127", DARK},
};

static const struct gcal_color *by_id(const struct gcal_color *table, size_t n, const char *id)
{
    int64_t i;
    if (parse_i64(id, strlen(id), &i) < 0 || i < 1 || i > (int64_t)n || id[0] == '0')
        return NULL;
    return &table[i - 1];
}

const struct gcal_color *gcal_calendar_color(const char *id)
{
    return by_id(calendar_colors, SOSIA_LEN(calendar_colors), id);
}

const struct gcal_color *gcal_event_color(const char *id)
{
    return by_id(event_colors, SOSIA_LEN(event_colors), id);
}

static long distance(long a, long b)
{
    long d = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        long x = (a >> shift & 255) - (b >> shift & 255);
        d += x * x;
    }
    return d;
}

const char *gcal_nearest_color(const char *background)
{
    static const char *const ids[] = {"1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",
                                      "9",  "10", "11", "12", "13", "14", "15", "16",
                                      "17", "18", "19", "20", "21", "22", "23", "24"};
    long rgb = strtol(background + 1, NULL, 16), best = LONG_MAX;
    size_t at = 0;
    for (size_t i = 0; i < SOSIA_LEN(calendar_colors); i++) {
        long d = distance(rgb, strtol(calendar_colors[i].background + 1, NULL, 16));
        if (d < best) {
            best = d;
            at = i;
        }
    }
    return ids[at];
}
