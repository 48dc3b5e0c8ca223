/* SPDX-License-Identifier: Apache-2.0 */
/* What the tools of a community server for calendars have in common. */
#ifndef SOSIA_MCP_CCAL_H
#define SOSIA_MCP_CCAL_H

#include "mcp/sets/set.h"

/* The account that an argument names must be the only one that there is. 1, 0. */
int ccal_account(struct set_run *r);
/* The calendars of the person: a list. 1, 0, -1. */
int ccal_list(struct set_run *r, const struct json **ret);
/* The id of a calendar that is said by its id or its name. 1; 0: refused; -1. */
int ccal_resolve(struct set_run *r, const struct json *name, bool writes, const struct json **ret);
/* That of the argument "calendarId", of the account that is meant. 1, 0: refused, -1. */
int ccal_calendar(struct set_run *r, bool writes, const struct json **ret);
/* The zone in the arguments, else that of a calendar; "UTC" where it is not known. 1, 0, -1. */
int ccal_zone(struct set_run *r, const struct json *calendar, const char **ret);
/* A bound of a list, in UTC if the text has no offset. */
const struct json *ccal_bound(struct set_run *r, const char *text, const char *zone);
/* Is it as 2026-03-12T09:30:00, with or without an offset? */
bool ccal_is_time(const char *text, bool *ret_offset);
/* A begin or an end: a time, a day, or an object as a text. NULL: refused. */
const struct json *ccal_moment(struct set_run *r, const char *name, const struct json *v,
                               const char *zone);
/* An event as the tools show it, by the row's template. */
const struct json *ccal_event(struct set_run *r, const struct json *event,
                              const struct json *calendar);

/* A filter: the day of the week of a begin or an end, on the event's own clock. */
const struct json *ccal_day(struct set_run *r, const struct json *v, const char *arg,
                            const struct json *item);

#define CCAL_ACCOUNT "normal" /* the original's name for an account that has none */

/* ---- what the rows run ---- */

int ccal_all_calendars(struct set_run *r, const struct json **ret);
int ccal_current_time(struct set_run *r, const struct json **ret);
int ccal_delete_event(struct set_run *r, const struct json **ret);
int ccal_free_busy(struct set_run *r, const struct json **ret);
int ccal_get_event(struct set_run *r, const struct json **ret);
int ccal_list_colors(struct set_run *r, const struct json **ret);
int ccal_list_events(struct set_run *r, const struct json **ret);
int ccal_search_events(struct set_run *r, const struct json **ret);
int ccal_create(struct set_run *r, const struct json **ret);
int ccal_create_many(struct set_run *r, const struct json **ret);
int ccal_update(struct set_run *r, const struct json **ret);
int ccal_respond(struct set_run *r, const struct json **ret);

/* Other events at the time of one: {"conflicts": [...], "duplicates": [...], "warnings": [...]},
 * each absent if it is empty; *ret_twin: the title of one that is the same, NULL: none is. start,
 * end: as ccal_moment() gives them; id: of the event itself, NULL: it has none yet; least: how
 * similar duplicates are at least, from 0 to 1, above 1: none are looked for. 1, -1. */
int ccal_conflicts(struct set_run *r, const struct json *calendar, const struct json *event,
                   double least, const struct json **ret, const char **ret_twin);

#endif
