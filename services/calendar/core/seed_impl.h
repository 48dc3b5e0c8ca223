/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars in seed documents, read and written. Format: docs/seed.md. */
#ifndef SOSIA_CALENDAR_SEED_IMPL_H
#define SOSIA_CALENDAR_SEED_IMPL_H

#include "engine/state/form.h"
#include "engine/world/core.h"
#include "services/calendar/core/event/event_impl.h"

/* The tables of their members. */
extern const struct form calendar_form, cal_access_form, cal_listing_form, cal_event_form,
    cal_instance_form, cal_copy_form, cal_shared_form;

/* What readers and writers of events know besides (struct form_in, struct form_out). */
struct cal_event_at {
    const struct calendar *cal;
    const struct cal_event *series; /* of an instance */
    bool fresh;                     /* it is new, and not a change: it has a start */
};

/* A time: with an offset, on the wall clock of a zone, or a date. */
int cal_doc_time(struct doc *d, const struct json *v, const char *member, const struct tz *tz,
                 bool *ret_day, int64_t *ret_us);
void cal_dump_time(struct json_writer *w, const char *member, bool all_day, const struct tz *tz,
                   int64_t us);
/* The zone of an event's start. */
const struct tz *cal_event_tz(const struct calendar *cal, const struct cal_event *ev);
/* The member that says whose access it is. */
void cal_dump_who(struct json_writer *w, const struct cal_access *rule);

/* Sections of the seed document: see struct section. */
int calendars_seed(struct tx *tx, struct doc *d, const struct json *value);
int calendars_dump(struct tx *tx, struct json_writer *w);
int cal_setting_seed(struct tx *tx, struct doc *d, const struct json *item);
int cal_settings_dump(struct tx *tx, struct json_writer *w);

/* How a person has a calendar on the list if nothing else is said: the owner's own. */
void cal_listing_default(const struct calendar *cal, struct cal_listing *ret);

/* Entities, for diffs: see engine/world/core.h. */
#define CALENDAR_ENTITIES 5
extern const struct entity calendar_entities[CALENDAR_ENTITIES];

#endif
