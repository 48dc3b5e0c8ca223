/* SPDX-License-Identifier: Apache-2.0 */
/* What models find of Outlook Calendar: short arguments. */
#include "services/calendar/outlook/ocal.h"

#define EVENT                                                                                      \
    "body.subject body.body body.start body.end body.location body.attendees body.recurrence "     \
    "body.isAllDay body.showAs body.sensitivity body.importance body.categories "                  \
    "body.isOnlineMeeting body.reminderMinutesBeforeStart "
#define PAGE "$top $skip $select $filter $orderby "

static const struct tool_common common[] = {
    {"outlook.events.list", PAGE},
    {"outlook.calendarView.list", PAGE "startDateTime endDateTime"},
    {"outlook.events.get", "$select"},
    {"outlook.events.create", EVENT},
    {"outlook.events.update", EVENT},
    {"outlook.events.delete", ""},
    {"outlook.events.cancel", "body.comment"},
    {"outlook.events.accept", "body.comment body.sendResponse"},
    {"outlook.events.decline", "body.comment body.sendResponse body.proposedNewTime"},
    {"outlook.events.tentativelyAccept", "body.comment body.sendResponse body.proposedNewTime"},
    {"outlook.calendars.list", PAGE},
    {"outlook.calendar.getSchedule", "body.schedules body.startTime body.endTime"},
    {NULL},
};

const struct dialect_tools ocal_tools = {
    .name = "outlook_calendar",
    .title = "Outlook Calendar",
    .place = 6,
    .fields = "$select",
    .by_address = true,
    .services = ACCOUNT_CALENDAR,
    .common = common,
};
