/* SPDX-License-Identifier: Apache-2.0 */
/* The scopes of Google Calendar, for rows. */
#ifndef SOSIA_CALENDAR_GOOGLE_SCOPES_H
#define SOSIA_CALENDAR_GOOGLE_SCOPES_H

#define CALENDAR               "https://www.googleapis.com/auth/calendar"
#define ACLS                   "https://www.googleapis.com/auth/calendar.acls"
#define ACLS_READONLY          "https://www.googleapis.com/auth/calendar.acls.readonly"
#define APP_CREATED            "https://www.googleapis.com/auth/calendar.app.created"
#define CALENDARLIST           "https://www.googleapis.com/auth/calendar.calendarlist"
#define CALENDARLIST_READONLY  "https://www.googleapis.com/auth/calendar.calendarlist.readonly"
#define CALENDARS              "https://www.googleapis.com/auth/calendar.calendars"
#define CALENDARS_READONLY     "https://www.googleapis.com/auth/calendar.calendars.readonly"
#define EVENTS                 "https://www.googleapis.com/auth/calendar.events"
#define EVENTS_FREEBUSY        "https://www.googleapis.com/auth/calendar.events.freebusy"
#define EVENTS_OWNED           "https://www.googleapis.com/auth/calendar.events.owned"
#define EVENTS_OWNED_READONLY  "https://www.googleapis.com/auth/calendar.events.owned.readonly"
#define EVENTS_PUBLIC_READONLY "https://www.googleapis.com/auth/calendar.events.public.readonly"
#define EVENTS_READONLY        "https://www.googleapis.com/auth/calendar.events.readonly"
#define FREEBUSY               "https://www.googleapis.com/auth/calendar.freebusy"
#define READONLY               "https://www.googleapis.com/auth/calendar.readonly"
#define SETTINGS_READONLY      "https://www.googleapis.com/auth/calendar.settings.readonly"

/* What most methods of events take. */
#define EVENTS_TO_READ                                                                             \
    CALENDAR " " APP_CREATED " " EVENTS " " EVENTS_FREEBUSY " " EVENTS_OWNED                       \
             " " EVENTS_OWNED_READONLY " " EVENTS_PUBLIC_READONLY " " EVENTS_READONLY " " READONLY
#define EVENTS_TO_WRITE CALENDAR " " APP_CREATED " " EVENTS " " EVENTS_OWNED

#endif
