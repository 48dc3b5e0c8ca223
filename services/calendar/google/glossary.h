/* SPDX-License-Identifier: Apache-2.0 */
/* What parameters of the API are, by their names. */
#ifndef SOSIA_GCAL_GLOSSARY_H
#define SOSIA_GCAL_GLOSSARY_H

#include "engine/api/vendor.h"

static const struct gloss glossary[] = {
    {"alwaysIncludeEmail", "Deprecated: has no effect"},
    {"calendarId", "Id of the calendar; primary is the caller's own"},
    {"colorRgbFormat",
     "Whether colours are given as foregroundColor and backgroundColor in the place of colorId"},
    {"conferenceDataVersion",
     "Whether the caller knows conference data: 0 leaves them alone, 1 makes and copies them"},
    {"destination", "Id of the calendar that the event moves to"},
    {"eventId", "Id of the event, or of one instance of a series"},
    {"eventLabelVersion",
     "Whether the caller knows labels of events: 0 leaves them alone, 1 reads and writes them"},
    {"eventTypes", "Only events of these types; may be given several times"},
    {"iCalUID", "Only the event with this iCalendar UID"},
    {"maxAttendees", "How many attendees an event shows at most; if there are more, the caller's "
                     "own entry is there"},
    {"maxResults", "How many items a page has at most"},
    {"minAccessRole", "Only calendars of which the caller has this role or more"},
    {"newDataOwner", "Address of the person who owns the calendar's data from now on"},
    {"orderBy", "Order of the events: by start (for single events), or by when they were changed"},
    {"originalStart", "When the instance would have begun by the series' rule"},
    {"pageToken", "nextPageToken of the page before"},
    {"privateExtendedProperty",
     "Only events with this private extended property, as name=value; may be given several times"},
    {"q",
     "Words that are in the summary, description, location, or names and addresses of attendees"},
    {"ruleId", "Id of the rule, such as user:ann@example.com"},
    {"sendNotifications", "Deprecated for sendUpdates: whether guests get mail"},
    {"sendUpdates", "Which guests get mail of the change"},
    {"setting", "Id of the setting"},
    {"sharedExtendedProperty",
     "Only events with this shared extended property, as name=value; may be given several times"},
    {"showDeleted", "Whether what was deleted or cancelled is listed too"},
    {"showHidden", "Whether calendars that are hidden are listed too"},
    {"showHiddenInvitations", "Whether invitations that the calendar does not show are listed too"},
    {"showOwnOrganizationOnly", "Whether calendars of other organisations are left out"},
    {"singleEvents", "Whether series are given as their instances"},
    {"supportsAttachments",
     "Whether the caller knows attachments: else those that are there stay as they are"},
    {"syncToken", "nextSyncToken of an earlier list: only what has changed since"},
    {"text", "Sentence that says what is when: Lunch with Ann tomorrow 12:30"},
    {"timeMax", "Only events that begin before this time"},
    {"timeMin", "Only events that end after this time"},
    {"timeZone", "Zone in which times of the response are given; without it the calendar's"},
    {"updatedMin", "Only events that were changed since this time"},
    {"useAdminAccess", "Whether the caller acts as an administrator of the organisation"},
};

#endif
