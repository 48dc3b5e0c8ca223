/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between two states of an event. */
#include "engine/base/codec.h"
#include "services/calendar/core/event/event_impl.h"

bool cal_attendee_same(const struct cal_attendee *a, const struct cal_attendee *b)
{
    return strcmp(a->email, b->email) == 0 && str_same(a->name, b->name) &&
           str_same(a->comment, b->comment) && a->response == b->response &&
           a->optional == b->optional && a->resource == b->resource && a->guests == b->guests &&
           a->proposed_us == b->proposed_us && a->proposed_end_us == b->proposed_end_us;
}

static bool same_attendees(const struct cal_event *a, const struct cal_event *b)
{
    if (a->attendees == b->attendees && a->n_attendees == b->n_attendees)
        return true;
    if (a->n_attendees != b->n_attendees)
        return false;
    for (int i = 0; i < a->n_attendees; i++)
        if (!cal_attendee_same(&a->attendees[i], &b->attendees[i]))
            return false;
    return true;
}

unsigned cal_event_compare(const struct cal_event *a, const struct cal_event *b)
{
    unsigned parts = 0;
    if (!str_same(a->summary, b->summary))
        parts |= PART_SUMMARY;
    if (!str_same(a->description, b->description))
        parts |= PART_DESCRIPTION;
    if (!str_same(a->location, b->location))
        parts |= PART_LOCATION;
    if (a->start_us != b->start_us || a->len_us != b->len_us || a->all_day != b->all_day ||
        !str_same(a->zone, b->zone) || !str_same(a->end_zone, b->end_zone))
        parts |= PART_TIME;
    if (!str_same(a->recurrence, b->recurrence))
        parts |= PART_RECURRENCE;
    if (a->status != b->status)
        parts |= PART_STATUS;
    if (a->visibility != b->visibility)
        parts |= PART_VISIBILITY;
    if (a->rights != b->rights)
        parts |= PART_RIGHTS;
    if (!str_same(a->props, b->props))
        parts |= PART_PROPS;
    if (!str_same(a->extra, b->extra) || a->decline != b->decline ||
        !str_same(a->decline_text, b->decline_text) || !str_same(a->place, b->place) ||
        !str_same(a->conference, b->conference))
        parts |= PART_EXTRA;
    if (a->importance != b->importance)
        parts |= PART_IMPORTANCE;
    if (!same_attendees(a, b))
        parts |= PART_ATTENDEES;
    if (a->sequence != b->sequence)
        parts |= PART_SEQUENCE;
    if (!str_same(a->organizer, b->organizer) || !str_same(a->organizer_name, b->organizer_name))
        parts |= PART_ORGANIZER;
    if (!str_same(a->color, b->color))
        parts |= PART_COLOR;
    if (!str_same(a->reminders, b->reminders))
        parts |= PART_REMINDERS;
    if (a->busy != b->busy)
        parts |= PART_BUSY;
    if (!str_same(a->categories, b->categories))
        parts |= PART_CATEGORIES;
    if (a->reminder_on != b->reminder_on || a->reminder_minutes != b->reminder_minutes)
        parts |= PART_REMINDER;
    if (!str_same(a->own_props, b->own_props))
        parts |= PART_OWN_PROPS;
    if (a->response != b->response)
        parts |= PART_RESPONSE;
    return parts;
}
