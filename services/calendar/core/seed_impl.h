/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars in seed documents, read and written. Format: docs/seed.md. */
#ifndef SOSIA_CALENDAR_SEED_IMPL_H
#define SOSIA_CALENDAR_SEED_IMPL_H

#include "engine/state/form.h"
#include "engine/world/core.h"
#include "services/calendar/core/event/event_impl.h"

/* The tables of their members. */
extern const struct form calendar_form, cal_access_form, cal_reminder_form, cal_event_form,
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

/* Of a member that is a list of reminders, kept as its text in normal form; "default" is NULL. */
int cal_read_reminders(const struct form_in *in, const struct member *m, void *row);

/* Rowids that a query with at most one parameter gives. 0, -1. */
int cal_dump_ids(struct tx *tx, struct sql_text *q, int64_t param, int64_t **ret, size_t *ret_n);
/* A member that is a list of what `one` writes for each rowid (1; 0: nothing); *ret_any is set if
 * there is any. 0, -1. */
int cal_dump_list(struct tx *tx, struct json_writer *w, const char *member, const int64_t *ids,
                  size_t n, int (*one)(struct tx *tx, int64_t rowid, struct json_writer *w),
                  bool *ret_any);

/* plain.c: struct entity, plain */
int event_plain(struct tx *tx, int64_t rowid, struct json_writer *w);

/* Entities, for diffs: see engine/world/core.h. */
#define CALENDAR_ENTITIES 3
extern const struct entity calendar_entities[CALENDAR_ENTITIES];

#endif
