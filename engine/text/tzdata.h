/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that tools/tzgen.py writes at build time, for tz.c only. */
#ifndef SOSIA_TEXT_TZDATA_H
#define SOSIA_TEXT_TZDATA_H

#include <stdbool.h>
#include <stdint.h>

struct tz_type {
    int32_t offset; /* seconds east of UTC */
    bool dst;
    char abbreviation[11];
};

/* A day in a year, and the seconds from its midnight (they may be negative, or more than a day), in
 * UTC. */
struct tz_date {
    char kind; /* 'M': the week-th (5: last) weekday of a month; 'J': the day-th of a year without
                  29 February; 'N': day days after 1 January */
    uint8_t month, week;
    uint16_t day; /* M: weekday, 0 Sunday */
    int32_t seconds;
};

struct tz_turn {
    struct tz_date date;
    uint16_t kind; /* from then on: index in tzdata_types */
};

/* What is the same in zones that differ in name only. */
struct tz_data {
    uint32_t times; /* index of the first transition in tzdata_times and tzdata_kinds */
    uint16_t n_times;
    uint16_t first;          /* type before the first transition */
    bool ruled;              /* the turns go on every year after the last transition */
    struct tz_turn turns[2]; /* in the order of a year */
};

struct tz {
    const char *name;
    const struct tz_data *data;
};

#define TZDATA_SLOTS 2048
extern const char tzdata_version[];
extern const struct tz_type tzdata_types[];
extern const int64_t tzdata_times[];
extern const uint16_t tzdata_kinds[];
extern const struct tz tzdata_names[]; /* in order */
extern const char *const tzdata_name_list[];
extern const unsigned tzdata_n_names;
/* Open addressing by the FNV-1a hash of a name: index in tzdata_names plus 1, 0: empty. */
extern const uint16_t tzdata_slots[TZDATA_SLOTS];

#endif
