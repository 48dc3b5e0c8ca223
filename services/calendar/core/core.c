/* SPDX-License-Identifier: Apache-2.0 */
/* The calendar core's interface to the engine. */
#include "engine/world/core.h"
#include "identity/sql.h"
#include "services/calendar/core/check.h"
#include "services/calendar/core/seed_impl.h"
#include "services/calendar/core/event/take.h"
#include "services/calendar/core/vendor.h"

extern const char calendar_sql[], calendar_upgrade_sql[];

static const struct core_upgrade upgrades[] = {{.from = "sosia 2", .sql = calendar_upgrade_sql},
                                               {0}};

static const struct section sections[] = {
    {.name = "calendars", .seed = calendars_seed, .dump = calendars_dump, .form = &calendar_form},
};

static const struct question_view questions[] = {
    {"calendars", "id, owner, summary, zone",
     "select c.key, coalesce(" IDENT_SQL_HANDLE(
         "c.owner") ", c.key), c.summary, c.zone from cal_calendar c where not c.gone"},
    {"events",
     "id, calendar, summary, description, location, start, end, all_day, status, organizer, copy",
     "select e.key, c.key, e.summary, e.description, e.location, e.start_us / 1000000, "
     "(e.start_us + e.len_us) / 1000000, e.all_day, case e.status when 0 then 'confirmed' when 1 "
     "then 'tentative' else 'cancelled' end, coalesce(e.organizer, c.address, c.key), e.origin is "
     "not null "
     "from cal_event e join cal_calendar c on c.id = e.calendar where not c.gone and e.status < 2 "
     "and not e.removed"},
    {"attendees", "event, organizer, email, response",
     "select e.key, coalesce(e.organizer, c.address, c.key), a.email, case a.response when 2 then "
     "'declined' "
     "when 3 then 'tentative' when 4 then 'accepted' else 'needsAction' end from cal_attendee a "
     "join cal_event e on e.id = a.event join cal_calendar c on c.id = e.calendar where "
     "e.status < 2"},
    {NULL, NULL, NULL},
};

const struct sosia_core calendar_core = {
    .name = CALENDAR_CORE,
    .schema = calendar_sql,
    .upgrades = upgrades,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = calendar_entities,
    .n_entities = CALENDAR_ENTITIES,
    .questions = questions,
    .invitation = calendar_take,
    .rules = calendar_rules,
    .check = calendar_check,
};
