/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bodies of Google Calendar API v3 (discovery revision 20251028, with what 20260826 added):
 * names, types and flags. Partial responses are checked against them and the discovery document is
 * made of them.
 */
#include "services/calendar/google/schema.h"

#define VALUES(...)   ((const char *const[]){__VA_ARGS__, NULL})
#define FIELDS(table) .fields = (table), .n_fields = SOSIA_LEN(table)

static const struct field acl[] = {
    {.name = "etag", .type = "string"},
    {.name = "items", .type = "AclRule", .list = true},
    {.name = "kind", .type = "string", .def = "calendar#acl"},
    {.name = "nextPageToken", .type = "string"},
    {.name = "nextSyncToken", .type = "string"},
};

static const struct field acl_rule_scope[] = {
    {.name = "type",
     .type = "string",
     .values = VALUES("default", "user", "group", "domain"),
     .required_for = "calendar.acl.insert calendar.acl.update"},
    {.name = "value", .type = "string"},
};

static const struct field acl_rule[] = {
    {.name = "etag", .type = "string"},
    {.name = "id", .type = "string"},
    {.name = "kind", .type = "string", .def = "calendar#aclRule"},
    {.name = "role",
     .type = "string",
     .values = VALUES("none", "freeBusyReader", "reader", "writer", "owner"),
     .required_for = "calendar.acl.insert"},
    {.name = "scope",
     .type = "object",
     .required_for = "calendar.acl.insert calendar.acl.update",
     FIELDS(acl_rule_scope)},
};

static const struct field calendar[] = {
    {.name = "conferenceProperties", .type = "ConferenceProperties"},
    {.name = "dataOwner", .type = "string", .read_only = true},
    {.name = "description", .type = "string"},
    {.name = "etag", .type = "string"},
    {.name = "id", .type = "string"},
    {.name = "kind", .type = "string", .def = "calendar#calendar"},
    {.name = "location", .type = "string"},
    {.name = "summary", .type = "string", .required_for = "calendar.calendars.insert"},
    {.name = "timeZone", .type = "string"},
    {.name = "autoAcceptInvitations", .type = "boolean"},
    {.name = "labelProperties", .type = "LabelProperties"},
};

static const struct field calendar_list[] = {
    {.name = "etag", .type = "string"},
    {.name = "items", .type = "CalendarListEntry", .list = true},
    {.name = "kind", .type = "string", .def = "calendar#calendarList"},
    {.name = "nextPageToken", .type = "string"},
    {.name = "nextSyncToken", .type = "string"},
};

static const struct field calendar_list_entry_notification_settings[] = {
    {.name = "notifications", .type = "CalendarNotification", .list = true},
};

static const struct field calendar_list_entry[] = {
    {.name = "accessRole",
     .type = "string",
     .read_only = true,
     .values = VALUES("freeBusyReader", "reader", "writer", "owner")},
    {.name = "backgroundColor", .type = "string"},
    {.name = "colorId", .type = "string"},
    {.name = "conferenceProperties", .type = "ConferenceProperties"},
    {.name = "dataOwner", .type = "string", .read_only = true},
    {.name = "defaultReminders", .type = "EventReminder", .list = true},
    {.name = "deleted", .type = "boolean", .read_only = true, .def = "false"},
    {.name = "description", .type = "string", .read_only = true},
    {.name = "etag", .type = "string"},
    {.name = "foregroundColor", .type = "string"},
    {.name = "hidden", .type = "boolean", .def = "false"},
    {.name = "id", .type = "string", .required_for = "calendar.calendarList.insert"},
    {.name = "kind", .type = "string", .def = "calendar#calendarListEntry"},
    {.name = "location", .type = "string", .read_only = true},
    {.name = "notificationSettings",
     .type = "object",
     FIELDS(calendar_list_entry_notification_settings)},
    {.name = "primary", .type = "boolean", .read_only = true, .def = "false"},
    {.name = "selected", .type = "boolean", .def = "false"},
    {.name = "summary", .type = "string", .read_only = true},
    {.name = "summaryOverride", .type = "string"},
    {.name = "timeZone", .type = "string", .read_only = true},
    {.name = "autoAcceptInvitations", .type = "boolean"},
};

static const struct field calendar_notification[] = {
    {.name = "method", .type = "string"},
    {.name = "type",
     .type = "string",
     .values =
         VALUES("eventCreation", "eventChange", "eventCancellation", "eventResponse", "agenda")},
};

static const struct field channel[] = {
    {.name = "address", .type = "string"},
    {.name = "expiration", .type = "string", .format = "int64"},
    {.name = "id", .type = "string"},
    {.name = "kind", .type = "string", .def = "api#channel"},
    {.name = "params", .type = "string", .map = true},
    {.name = "payload", .type = "boolean"},
    {.name = "resourceId", .type = "string"},
    {.name = "resourceUri", .type = "string"},
    {.name = "token", .type = "string"},
    {.name = "type", .type = "string"},
};

static const struct field color_definition[] = {
    {.name = "background", .type = "string"},
    {.name = "foreground", .type = "string"},
};

static const struct field colors[] = {
    {.name = "calendar", .type = "ColorDefinition", .map = true, .read_only = true},
    {.name = "event", .type = "ColorDefinition", .map = true, .read_only = true},
    {.name = "kind", .type = "string", .def = "calendar#colors"},
    {.name = "updated", .type = "string", .format = "date-time", .read_only = true},
};

static const struct field conference_data[] = {
    {.name = "conferenceId", .type = "string"},
    {.name = "conferenceSolution", .type = "ConferenceSolution"},
    {.name = "createRequest", .type = "CreateConferenceRequest"},
    {.name = "entryPoints", .type = "EntryPoint", .list = true},
    {.name = "notes", .type = "string"},
    {.name = "parameters", .type = "ConferenceParameters"},
    {.name = "signature", .type = "string"},
};

static const struct field conference_parameters[] = {
    {.name = "addOnParameters", .type = "ConferenceParametersAddOnParameters"},
};

static const struct field conference_parameters_add_on_parameters[] = {
    {.name = "parameters", .type = "string", .map = true},
};

static const struct field conference_properties[] = {
    {.name = "allowedConferenceSolutionTypes", .type = "string", .list = true},
};

static const struct field conference_request_status[] = {
    {.name = "statusCode", .type = "string", .read_only = true},
};

static const struct field conference_solution[] = {
    {.name = "iconUri", .type = "string"},
    {.name = "key", .type = "ConferenceSolutionKey"},
    {.name = "name", .type = "string"},
};

static const struct field conference_solution_key[] = {
    {.name = "type", .type = "string"},
};

static const struct field create_conference_request[] = {
    {.name = "conferenceSolutionKey", .type = "ConferenceSolutionKey"},
    {.name = "requestId", .type = "string"},
    {.name = "status", .type = "ConferenceRequestStatus"},
};

static const struct field entry_point[] = {
    {.name = "accessCode", .type = "string"},
    {.name = "entryPointFeatures", .type = "string", .list = true},
    {.name = "entryPointType", .type = "string", .values = VALUES("video", "phone", "sip", "more")},
    {.name = "label", .type = "string"},
    {.name = "meetingCode", .type = "string"},
    {.name = "passcode", .type = "string"},
    {.name = "password", .type = "string"},
    {.name = "pin", .type = "string"},
    {.name = "regionCode", .type = "string"},
    {.name = "uri", .type = "string"},
};

static const struct field error[] = {
    {.name = "domain", .type = "string"},
    {.name = "reason",
     .type = "string",
     .values = VALUES("groupTooBig", "tooManyCalendarsRequested", "notFound", "internalError")},
};

static const struct field event_creator[] = {
    {.name = "displayName", .type = "string"},
    {.name = "email", .type = "string"},
    {.name = "id", .type = "string"},
    {.name = "self", .type = "boolean", .read_only = true, .def = "false"},
};

static const struct field event_extended_properties[] = {
    {.name = "private", .type = "string", .map = true},
    {.name = "shared", .type = "string", .map = true},
};

static const struct field event_gadget[] = {
    {.name = "display", .type = "string", .deprecated = true, .values = VALUES("icon", "chip")},
    {.name = "height", .type = "integer", .format = "int32", .deprecated = true},
    {.name = "iconLink", .type = "string", .deprecated = true},
    {.name = "link", .type = "string", .deprecated = true},
    {.name = "preferences", .type = "string", .map = true},
    {.name = "title", .type = "string", .deprecated = true},
    {.name = "type", .type = "string", .deprecated = true},
    {.name = "width", .type = "integer", .format = "int32", .deprecated = true},
};

static const struct field event_organizer[] = {
    {.name = "displayName", .type = "string"},
    {.name = "email", .type = "string"},
    {.name = "id", .type = "string"},
    {.name = "self", .type = "boolean", .read_only = true, .def = "false"},
};

static const struct field event_reminders[] = {
    {.name = "overrides", .type = "EventReminder", .list = true},
    {.name = "useDefault", .type = "boolean"},
};

static const struct field event_source[] = {
    {.name = "title", .type = "string"},
    {.name = "url", .type = "string"},
};

static const struct field event[] = {
    {.name = "anyoneCanAddSelf", .type = "boolean", .deprecated = true, .def = "false"},
    {.name = "attachments", .type = "EventAttachment", .list = true},
    {.name = "attendees", .type = "EventAttendee", .list = true},
    {.name = "attendeesOmitted", .type = "boolean", .def = "false"},
    {.name = "birthdayProperties", .type = "EventBirthdayProperties", .immutable = true},
    {.name = "colorId", .type = "string"},
    {.name = "conferenceData", .type = "ConferenceData"},
    {.name = "created", .type = "string", .format = "date-time", .read_only = true},
    {.name = "creator", .type = "object", .read_only = true, FIELDS(event_creator)},
    {.name = "description", .type = "string"},
    {.name = "end",
     .type = "EventDateTime",
     .required_for = "calendar.events.import calendar.events.insert calendar.events.update"},
    {.name = "endTimeUnspecified", .type = "boolean", .def = "false"},
    {.name = "etag", .type = "string"},
    {.name = "eventType",
     .type = "string",
     .def = "default",
     .values =
         VALUES("birthday", "default", "focusTime", "fromGmail", "outOfOffice", "workingLocation")},
    {.name = "extendedProperties", .type = "object", FIELDS(event_extended_properties)},
    {.name = "focusTimeProperties", .type = "EventFocusTimeProperties"},
    {.name = "gadget", .type = "object", .deprecated = true, FIELDS(event_gadget)},
    {.name = "guestsCanInviteOthers", .type = "boolean", .def = "true"},
    {.name = "guestsCanModify", .type = "boolean", .def = "false"},
    {.name = "guestsCanSeeOtherGuests", .type = "boolean", .def = "true"},
    {.name = "hangoutLink", .type = "string", .read_only = true},
    {.name = "htmlLink", .type = "string", .read_only = true},
    {.name = "iCalUID", .type = "string", .required_for = "calendar.events.import"},
    {.name = "id", .type = "string"},
    {.name = "kind", .type = "string", .def = "calendar#event"},
    {.name = "location", .type = "string"},
    {.name = "locked", .type = "boolean", .read_only = true, .def = "false"},
    {.name = "organizer", .type = "object", .read_only = true, FIELDS(event_organizer)},
    {.name = "originalStartTime", .type = "EventDateTime", .immutable = true},
    {.name = "outOfOfficeProperties", .type = "EventOutOfOfficeProperties"},
    {.name = "privateCopy", .type = "boolean", .immutable = true, .def = "false"},
    {.name = "recurrence", .type = "string", .list = true},
    {.name = "recurringEventId", .type = "string", .immutable = true},
    {.name = "reminders", .type = "object", FIELDS(event_reminders)},
    {.name = "sequence",
     .type = "integer",
     .max = INT32_MAX,
     .format = "int32",
     .text = "Invalid sequence value."},
    {.name = "source", .type = "object", FIELDS(event_source)},
    {.name = "start",
     .type = "EventDateTime",
     .required_for = "calendar.events.import calendar.events.insert calendar.events.update"},
    {.name = "status", .type = "string", .values = VALUES("confirmed", "tentative", "cancelled")},
    {.name = "summary", .type = "string"},
    {.name = "transparency",
     .type = "string",
     .def = "opaque",
     .values = VALUES("opaque", "transparent")},
    {.name = "updated", .type = "string", .format = "date-time", .read_only = true},
    {.name = "visibility",
     .type = "string",
     .def = "default",
     .values = VALUES("default", "public", "private", "confidential")},
    {.name = "workingLocationProperties", .type = "EventWorkingLocationProperties"},
    {.name = "eventLabelId", .type = "string"},
};

static const struct field event_attachment[] = {
    {.name = "fileId", .type = "string", .read_only = true},
    {.name = "fileUrl", .type = "string"},
    {.name = "iconLink", .type = "string"},
    {.name = "mimeType", .type = "string"},
    {.name = "title", .type = "string"},
};

static const struct field event_attendee[] = {
    {.name = "additionalGuests",
     .type = "integer",
     .format = "int32",
     .def = "0",
     .max = INT32_MAX},
    {.name = "comment", .type = "string"},
    {.name = "displayName", .type = "string"},
    {.name = "email", .type = "string"},
    {.name = "id", .type = "string"},
    {.name = "optional", .type = "boolean", .def = "false"},
    {.name = "organizer", .type = "boolean", .read_only = true},
    {.name = "resource", .type = "boolean", .def = "false"},
    {.name = "responseStatus",
     .type = "string",
     .values = VALUES("needsAction", "declined", "tentative", "accepted")},
    {.name = "self", .type = "boolean", .read_only = true, .def = "false"},
    {.name = "asyncOperation", .type = "string"},
};

static const struct field event_birthday_properties[] = {
    {.name = "contact", .type = "string", .read_only = true},
    {.name = "customTypeName", .type = "string", .read_only = true},
    {.name = "type",
     .type = "string",
     .def = "birthday",
     .values = VALUES("anniversary", "birthday", "custom", "other", "self")},
};

static const struct field event_date_time[] = {
    {.name = "date", .type = "string", .format = "date"},
    {.name = "dateTime", .type = "string", .format = "date-time"},
    {.name = "timeZone", .type = "string"},
};

static const char *const decline_modes[] = {"declineNone", "declineAllConflictingInvitations",
                                            "declineOnlyNewConflictingInvitations", NULL};

static const struct field event_focus_time_properties[] = {
    {.name = "autoDeclineMode", .type = "string", .values = decline_modes},
    {.name = "chatStatus", .type = "string", .values = VALUES("available", "doNotDisturb")},
    {.name = "declineMessage", .type = "string"},
};

static const struct field event_label[] = {
    {.name = "backgroundColor", .type = "string"},
    {.name = "id", .type = "string"},
    {.name = "name", .type = "string"},
};

static const struct field event_out_of_office_properties[] = {
    {.name = "autoDeclineMode", .type = "string", .values = decline_modes},
    {.name = "declineMessage", .type = "string"},
};

/* Other members that are required are looked at by their handlers: there an empty string is as good
 * as none (a title, a calendar's id, an iCalUID), or something else of the same body is refused
 * first (times before guests, the value of a scope before the role, a bad `timeMin` before a
 * missing `timeMax`). */
#define INCOMPLETE_REMINDER "Missing reminder method or minutes."
static const struct field event_reminder[] = {
    {.name = "method",
     .type = "string",
     .values = VALUES("email", "popup"),
     .required = true,
     .missing = INCOMPLETE_REMINDER},
    {.name = "minutes",
     .type = "integer",
     .format = "int32",
     .max = 40320,
     .required = true,
     .missing = INCOMPLETE_REMINDER,
     .text = "Invalid reminder minutes."},
};

static const struct field event_working_location_properties_custom_location[] = {
    {.name = "label", .type = "string"},
};

static const struct field event_working_location_properties_office_location[] = {
    {.name = "buildingId", .type = "string"}, {.name = "deskId", .type = "string"},
    {.name = "floorId", .type = "string"},    {.name = "floorSectionId", .type = "string"},
    {.name = "label", .type = "string"},
};

static const struct field event_working_location_properties[] = {
    {.name = "customLocation",
     .type = "object",
     FIELDS(event_working_location_properties_custom_location)},
    {.name = "homeOffice", .type = "any"},
    {.name = "officeLocation",
     .type = "object",
     FIELDS(event_working_location_properties_office_location)},
    {.name = "type",
     .type = "string",
     .values = VALUES("homeOffice", "officeLocation", "customLocation")},
};

static const struct field events[] = {
    {.name = "accessRole",
     .type = "string",
     .read_only = true,
     .values = VALUES("none", "freeBusyReader", "reader", "writer", "owner")},
    {.name = "defaultReminders", .type = "EventReminder", .list = true},
    {.name = "description", .type = "string", .read_only = true},
    {.name = "etag", .type = "string"},
    {.name = "items", .type = "Event", .list = true},
    {.name = "kind", .type = "string", .def = "calendar#events"},
    {.name = "nextPageToken", .type = "string"},
    {.name = "nextSyncToken", .type = "string"},
    {.name = "summary", .type = "string", .read_only = true},
    {.name = "timeZone", .type = "string", .read_only = true},
    {.name = "updated", .type = "string", .format = "date-time", .read_only = true},
};

static const struct field free_busy_calendar[] = {
    {.name = "busy", .type = "TimePeriod", .list = true},
    {.name = "errors", .type = "Error", .list = true},
};

static const struct field free_busy_group[] = {
    {.name = "calendars", .type = "string", .list = true},
    {.name = "errors", .type = "Error", .list = true},
};

static const struct field free_busy_request[] = {
    {.name = "calendarExpansionMax",
     .type = "integer",
     .format = "int32",
     .min = 1,
     .max = 50,
     .text = "Invalid Value"},
    {.name = "groupExpansionMax",
     .type = "integer",
     .format = "int32",
     .min = 1,
     .max = 100,
     .text = "Invalid Value"},
    {.name = "items", .type = "FreeBusyRequestItem", .list = true},
    {.name = "timeMax", .type = "string", .format = "date-time"},
    {.name = "timeMin", .type = "string", .format = "date-time"},
    {.name = "timeZone", .type = "string", .def = "UTC"},
};

static const struct field free_busy_request_item[] = {
    {.name = "id", .type = "string"},
};

static const struct field free_busy_response[] = {
    {.name = "calendars", .type = "FreeBusyCalendar", .map = true},
    {.name = "groups", .type = "FreeBusyGroup", .map = true},
    {.name = "kind", .type = "string", .def = "calendar#freeBusy"},
    {.name = "timeMax", .type = "string", .format = "date-time"},
    {.name = "timeMin", .type = "string", .format = "date-time"},
};

static const struct field label_properties[] = {
    {.name = "eventLabels", .type = "EventLabel", .list = true},
};

static const struct field setting[] = {
    {.name = "etag", .type = "string"},
    {.name = "id", .type = "string"},
    {.name = "kind", .type = "string", .def = "calendar#setting"},
    {.name = "value", .type = "string"},
};

static const struct field settings[] = {
    {.name = "etag", .type = "string"},
    {.name = "items", .type = "Setting", .list = true},
    {.name = "kind", .type = "string", .def = "calendar#settings"},
    {.name = "nextPageToken", .type = "string"},
    {.name = "nextSyncToken", .type = "string"},
};

static const struct field time_period[] = {
    {.name = "end", .type = "string", .format = "date-time"},
    {.name = "start", .type = "string", .format = "date-time"},
};

const struct schema calendar_google_schemas[39] = {
    {.name = "Acl", FIELDS(acl), .summary = "One page of access rules"},
    {.name = "AclRule", FIELDS(acl_rule), .summary = "Who may do what with a calendar"},
    {.name = "Calendar", FIELDS(calendar), .summary = "A calendar"},
    {.name = "CalendarList",
     FIELDS(calendar_list),
     .summary = "One page of a person's list of calendars"},
    {.name = "CalendarListEntry",
     FIELDS(calendar_list_entry),
     .summary = "An entry of a person's calendar list"},
    {.name = "CalendarNotification",
     FIELDS(calendar_notification),
     .summary = "How a person is notified of changes"},
    {.name = "Channel", FIELDS(channel), .summary = "A channel for change messages"},
    {.name = "ColorDefinition", FIELDS(color_definition), .summary = "A pair of colours"},
    {.name = "Colors", FIELDS(colors), .summary = "The colours that ids stand for"},
    {.name = "ConferenceData", FIELDS(conference_data), .summary = "The conference of an event"},
    {.name = "ConferenceParameters",
     FIELDS(conference_parameters),
     .summary = "Parameters of an add-on"},
    {.name = "ConferenceParametersAddOnParameters",
     FIELDS(conference_parameters_add_on_parameters),
     .summary = "Free parameters of an add-on"},
    {.name = "ConferenceProperties",
     FIELDS(conference_properties),
     .summary = "Which conferences a calendar allows"},
    {.name = "ConferenceRequestStatus",
     FIELDS(conference_request_status),
     .summary = "The progress of creating a conference"},
    {.name = "ConferenceSolution",
     FIELDS(conference_solution),
     .summary = "The service that holds a conference"},
    {.name = "ConferenceSolutionKey",
     FIELDS(conference_solution_key),
     .summary = "Names a conference service"},
    {.name = "CreateConferenceRequest",
     FIELDS(create_conference_request),
     .summary = "Asks for a conference"},
    {.name = "EntryPoint", FIELDS(entry_point), .summary = "A way into a conference"},
    {.name = "Error", FIELDS(error), .summary = "Why a part of an answer is missing"},
    {.name = "Event", FIELDS(event), .summary = "An event, a series, or an instance of one"},
    {.name = "EventAttachment", FIELDS(event_attachment), .summary = "A file at an event"},
    {.name = "EventAttendee", FIELDS(event_attendee), .summary = "Somebody invited"},
    {.name = "EventBirthdayProperties",
     FIELDS(event_birthday_properties),
     .summary = "Of birthday events"},
    {.name = "EventDateTime", FIELDS(event_date_time), .summary = "A day, or a time in a zone"},
    {.name = "EventFocusTimeProperties",
     FIELDS(event_focus_time_properties),
     .summary = "Of focus time events"},
    {.name = "EventLabel", FIELDS(event_label), .summary = "A label for events"},
    {.name = "EventOutOfOfficeProperties",
     FIELDS(event_out_of_office_properties),
     .summary = "Of out-of-office events"},
    {.name = "EventReminder", FIELDS(event_reminder), .summary = "A reminder"},
    {.name = "EventWorkingLocationProperties",
     FIELDS(event_working_location_properties),
     .summary = "Of working location events"},
    {.name = "Events", FIELDS(events), .summary = "One page of events"},
    {.name = "FreeBusyCalendar", FIELDS(free_busy_calendar), .summary = "When a calendar is busy"},
    {.name = "FreeBusyGroup", FIELDS(free_busy_group), .summary = "The calendars of a group"},
    {.name = "FreeBusyRequest", FIELDS(free_busy_request), .summary = "What to look up"},
    {.name = "FreeBusyRequestItem",
     FIELDS(free_busy_request_item),
     .summary = "A calendar or a group"},
    {.name = "FreeBusyResponse", FIELDS(free_busy_response), .summary = "When calendars are busy"},
    {.name = "LabelProperties", FIELDS(label_properties), .summary = "A calendar's event labels"},
    {.name = "Setting", FIELDS(setting), .summary = "One of a person's settings"},
    {.name = "Settings", FIELDS(settings), .summary = "One page of settings"},
    {.name = "TimePeriod", FIELDS(time_period), .summary = "A span of time"},
};
