/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calendars of public holidays, which are there in every world without being stored: everybody may
 * read them and put them on a list. Their ids are negative, and nobody owns them (owner 0). What is
 * in them follows from the year of the world's clock.
 */
#ifndef SOSIA_CALENDAR_HOLIDAY_H
#define SOSIA_CALENDAR_HOLIDAY_H

#include "services/calendar/core/list_impl.h"

static inline bool calendar_is_holidays(const struct calendar *cal)
{
    return cal->id < 0;
}
/* 1 found, 0 not. Their zone is UTC. */
int holidays_by_key(struct tx *tx, const char *key, struct calendar *ret);
int holidays_by_id(struct tx *tx, int64_t id, struct calendar *ret);
/* Puts such a calendar into the zone of whoever looks at it; others stay as they are. 0, -1. */
int holidays_seen_by(struct tx *tx, struct calendar *cal, const struct actor *who);

/* cal_event_find() and cal_event_list() of such a calendar. */
int holiday_find(struct tx *tx, const struct calendar *cal, const char *key, struct cal_event *ret);
int holiday_list(struct lister *l);

#endif
