/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Calendar's own tables, and its place in the engine. */
#include "services/calendar/outlook/ocal.h"
#include "vendors/microsoft/meeting.h"
#include "services/calendar/outlook/place.h"
#include "services/calendar/outlook/seed.h"
#include "vendors/microsoft/find.h"
#include "vendors/microsoft/subscription.h"

extern const char calendar_outlook_sql[];

static const struct core_rule rules[] = {
    {"ocal_group", "change not between 0 and 1099511627776"},
    {"ocal_attachment", "kind not between 0 and 2"},
    {"ocal_attachment", "is_inline not in (0, 1)"},
    {"ocal_attachment", "size not between 0 and 1099511627776"},
    {"ocal_place", "kind not between 0 and 1"},
    {"ocal_place", "case when details is null then 0 when json_valid(details) then "
                   "json_type(details) <> 'object' else 1 end"},
    {"ocal_attachment", "kind > 0 and case when json_valid(content) then json_type(content) <> "
                        "'object' else 1 end"},
    {"ocal_attachment", "updated_us not between -62135596800000000 and 253402300799999999"},
    {0},
};

static const struct core_policy policies[] = {{CALENDAR_CORE, "microsoft", &ocal_vendor},
                                              {GRAPH_CORE, "microsoft", &ocal_feed},
                                              {GRAPH_CALENDAR, "microsoft", &ocal_meeting_record},
                                              {GRAPH_FIND, "microsoft", &ocal_finder},
                                              {0}};

static const struct section sections[] = {
    {.name = "calendarGroups",
     .stored = &ocal_groups_stored,
     .ids = SECTION_IDS("select id from ocal_group order by id")},
    {.name = "eventAttachments", .stored = &ocal_attachments_stored, .dump = ocal_attachments_dump},
    {.name = "places",
     .stored = &ocal_places_stored,
     .ids = SECTION_IDS("select id from ocal_place order by kind = 0, email")},
};

static const struct entity entities[] = {
    {.name = "calendarGroup", .table = "ocal_group", .stored = &ocal_groups_stored},
    {.name = "eventAttachment",
     .table = "ocal_attachment",
     .stored = &ocal_attachments_stored,
     .dump = ocal_attachment_dump},
    {.name = "place", .table = "ocal_place", .stored = &ocal_places_stored},
};

const struct sosia_core calendar_outlook_core = {
    .name = "calendar_outlook",
    .schema = calendar_outlook_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .provisions = ocal_provisions,
    .views = ocal_views,
    .policies = policies,
    .rules = rules,
    .check = ocal_attachments_check,
};
