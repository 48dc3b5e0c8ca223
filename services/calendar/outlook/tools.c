/* SPDX-License-Identifier: Apache-2.0 */
/* What models find of Outlook Calendar: short arguments. */
#include "services/calendar/outlook/ocal.h"

#define EVENT                                                                                      \
    "body.subject body.body body.start body.end body.location body.attendees body.recurrence "     \
    "body.isAllDay body.showAs body.sensitivity body.importance body.categories "                  \
    "body.isOnlineMeeting body.reminderMinutesBeforeStart "
#define PAGE "$top $skip $select $filter $orderby "

static const struct tool_common common[] = {
    {"events.list", PAGE},
    {"calendarView.list", PAGE "startDateTime endDateTime"},
    {"events.get", "$select"},
    {"events.create", EVENT},
    {"events.update", EVENT},
    {"events.delete", ""},
    {"events.cancel", "body.comment"},
    {"events.accept", "body.comment body.sendResponse"},
    {"events.decline", "body.comment body.sendResponse body.proposedNewTime"},
    {"events.tentativelyAccept", "body.comment body.sendResponse body.proposedNewTime"},
    {"calendars.list", PAGE},
    {"calendar.getSchedule", "body.schedules body.startTime body.endTime"},
    {NULL},
};

const struct dialect_tools ocal_tools = {
    .name = "outlook_calendar",
    .title = "Outlook Calendar",
    .place = 6,
    .fields = "$select",
    .by_address = true,
    .common = common,
};
