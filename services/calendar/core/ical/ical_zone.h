/* SPDX-License-Identifier: Apache-2.0 */
/* The time zones of iCalendar texts: what their names mean, and what a VTIMEZONE that has a name of
 * its own says (RFC 5545, 3.6.5). */
#ifndef SOSIA_CALENDAR_ICAL_ZONE_H
#define SOSIA_CALENDAR_ICAL_ZONE_H

#include "engine/base/arena.h"
#include "engine/text/tz.h"
#include <stddef.h>

#define ICAL_MAX_OBSERVANCES 32 /* of a zone; further ones are passed over */

struct ical_observance {
    int64_t start_s;  /* the first onset's reading */
    int32_t offset;   /* TZOFFSETTO, seconds east of UTC */
    const char *rule; /* "RRULE:..."; NULL: it begins once */
    /* The onsets near the times that are asked for; see ical_zone_prepare(). */
    int64_t onsets[4];
    int n_onsets;
};

struct ical_zone {
    const char *name;     /* TZID */
    const char *location; /* X-LIC-LOCATION; NULL: not said */
    struct ical_observance observances[ICAL_MAX_OBSERVANCES];
    int n;
};

/* A name as programs write it: of tzdata, the same behind a path ("/mozilla.org/1/Europe/Rome"), or
 * Windows' own ("W. Europe Standard Time"). NULL: none of them. */
const struct tz *ical_zone_named(const char *name);
/* Reads the rules for the readings of the year from local_s on. */
void ical_zone_prepare(struct arena *a, struct ical_zone *z, int64_t local_s);
/* The offset at a reading of that year; 0 for a zone without observances. */
int32_t ical_zone_offset(const struct ical_zone *z, int64_t local_s);
/* A zone of tzdata that has the same offsets in that year: home (may be NULL) if it has, else the
 * first by name; NULL: there is none. */
const struct tz *ical_zone_match(const struct ical_zone *z, int64_t local_s, const struct tz *home);

#endif
