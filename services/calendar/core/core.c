/* SPDX-License-Identifier: Apache-2.0 */
/* The calendar core, as the engine sees it. */
#include "engine/world/core.h"
#include "services/calendar/core/check.h"
#include "services/calendar/core/seed_impl.h"
#include "services/calendar/core/event/take.h"

extern const char calendar_sql[];

static const struct section sections[] = {
    {"calendars", calendars_seed, calendars_dump},
    {"calendarSettings", cal_settings_seed, cal_settings_dump},
};

const struct sosia_core calendar_core = {
    .name = "calendar",
    .schema = calendar_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = calendar_entities,
    .n_entities = CALENDAR_ENTITIES,
    .invitation = calendar_take,
    .rules = calendar_rules,
    .check = calendar_check,
};
