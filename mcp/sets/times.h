/* SPDX-License-Identifier: Apache-2.0 */
/* Times as tools take and show them: on the clock of a zone, or with an offset. */
#ifndef SOSIA_MCP_TIMES_H
#define SOSIA_MCP_TIMES_H

#include "engine/base/arena.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"

/* An instant, of a wall-clock reading in the zone if the text has no offset; days are their first
 * instant; seconds may be absent. 0, -1. */
int time_read(struct arena *a, const char *text, const struct tz *z, int64_t *ret_us);
/* The instant on the clock of the zone, with its offset: "2026-03-12T09:30:00+01:00". */
const char *time_text(struct arena *a, int64_t us, const struct tz *z);
/* The instant in UTC: "2026-03-12T08:30:00Z"; millis: with three digits behind the seconds. */
const char *time_utc(struct arena *a, int64_t us, bool millis);
/* Whole seconds, towards the past. */
int64_t time_seconds(int64_t us);
/* "Monday", of days since 1970. */
const char *time_weekday(int64_t days);

#endif
