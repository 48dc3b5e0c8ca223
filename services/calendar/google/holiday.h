/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calendars of public holidays, which are there in every world without being stored: everybody may
 * read them and put them on a list. Their ids are negative, and nobody owns them (owner 0). What is
 * in them follows from the year of the world's clock.
 */
#ifndef SOSIA_CALENDAR_GOOGLE_HOLIDAY_H
#define SOSIA_CALENDAR_GOOGLE_HOLIDAY_H

#include "services/calendar/core/vendor.h"

extern const struct cal_made gcal_holidays;

#endif
