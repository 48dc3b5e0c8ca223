/* SPDX-License-Identifier: Apache-2.0 */
/* Time zones compiled in from the build machine's tzdata: the same answers on every machine with
 * this build. All of it is constant data: nothing is parsed or allocated, and any thread may ask
 * anything. Instants and wall-clock readings outside the years 0000 to 10000 are taken as the
 * nearest within. */
#ifndef SOSIA_TEXT_TZ_H
#define SOSIA_TEXT_TZ_H

#include <stdbool.h>
#include <stdint.h>

struct tz;

/* By IANA name (exact case, links included) or "UTC"; NULL when there is none. Never freed. */
const struct tz *tz_find(const char *name);
/* As it was asked for: the name of a link is not resolved. */
const char *tz_name(const struct tz *z);
/* Seconds east of UTC at an instant (seconds since 1970). */
int32_t tz_offset(const struct tz *z, int64_t utc);
/* The instant of a wall-clock reading (RFC 5545, 3.3.5): in a gap, with the offset before the gap;
 * when it occurs twice, the first. */
int64_t tz_to_utc(const struct tz *z, int64_t local);
/* The next instant after utc at which the offset changes; INT64_MAX when never. */
int64_t tz_next_change(const struct tz *z, int64_t utc);

/* A stretch of time, from <= t < to, in which a zone has one offset and one abbreviation. from is
 * INT64_MIN and to INT64_MAX where there is no end. Whoever converts many times keeps one, and asks
 * again only when a time lies outside it. */
struct tz_range {
    int64_t from, to;         /* UTC */
    int32_t offset;           /* seconds east of UTC */
    bool dst;                 /* as tzdata has it: Dublin's winter is "daylight time" */
    const char *abbreviation; /* static: "CET", "+03" */
};
void tz_range(const struct tz *z, int64_t utc, struct tz_range *ret);
/* tz_to_utc() with the last range in `last`, which is used and kept up to date; all zero bytes at
 * first. */
int64_t tz_to_utc_near(const struct tz *z, int64_t local, struct tz_range *last);

/* All names, in order; *ret_n of them. */
const char *const *tz_names(unsigned *ret_n);

#endif
