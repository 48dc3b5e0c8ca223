/* SPDX-License-Identifier: Apache-2.0 */
/* Events as Graph writes them: the members, their order and their defaults as recorded (MG-400 to
 * 408). */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/calendar/outlook/ocal.h"
#include "vendors/microsoft/zone.h"

#define NEVER "0001-01-01T00:00:00Z"

/* ---- people ---- */

int ocal_name_of(struct tx *tx, const char *address, const char *name, const char **ret)
{
    struct group group;
    struct actor who;
    *ret = name && *name ? name : address;
    if (name && *name)
        return 0;
    int r = actor_by_email(tx, address, &who);
    if (r == 1 && who.name && *who.name)
        *ret = who.name;
    if (r == 0 && (r = group_by_email(tx, address, &group)) == 1 && *group.name)
        *ret = group.name;
    return r < 0 ? -1 : 0;
}

void ocal_write_recipient(struct json_writer *w, const char *key, const char *name,
                          const char *address)
{
    json_obj(w, key);
    json_obj(w, "emailAddress");
    json_str(w, "name", name);
    json_str(w, "address", address);
    json_end(w);
    json_end(w);
}

/* The response of a guest, and when it came. */
static void write_response(struct json_writer *w, const char *key, const char *word,
                           const struct cal_attendee *a)
{
    json_obj(w, key);
    json_word(w, "response", word);
    if (a && a->answered_us)
        ocal_write_instant(w, "time", a->answered_us);
    else
        json_word(w, "time", NEVER);
    json_end(w);
}

static int write_attendees(struct ocal_at *at, struct cal_event *ev)
{
    struct json_writer *w = at->c->out;
    const bool hidden = ev->rights & GUESTS_DONT_SEE_GUESTS && !event_leads(ev);
    if (!json_wants(w, "attendees"))
        return 0;
    if (cal_event_load_attendees(&at->c->tx, ev) < 0)
        return -1;
    json_arr(w, "attendees");
    for (int i = 0; i < ev->n_attendees; i++) {
        const struct cal_attendee *a = &ev->attendees[i];
        const char *name;
        if (hidden && strcmp(a->email, at->cal.address) != 0)
            continue;
        if (ocal_name_of(&at->c->tx, a->email, a->name, &name) < 0)
            return -1;
        json_obj(w, NULL);
        json_word(w, "type", a->resource ? "resource" : a->optional ? "optional" : "required");
        write_response(w, "status", ocal_responses[a->response], a);
        if (a->proposed_us) {
            json_obj(w, "proposedNewTime");
            ocal_write_time(at, "start", false, a->proposed_us);
            ocal_write_time(at, "end", false, a->proposed_end_us);
            json_end(w);
        }
        json_obj(w, "emailAddress");
        json_str(w, "name", name);
        json_str(w, "address", a->email);
        json_end(w);
        json_end(w);
    }
    json_end(w);
    return 0;
}

static int write_organizer(struct ocal_at *at, const struct cal_event *ev)
{
    const char *address = ev->organizer ? ev->organizer : at->cal.address, *name;
    const struct actor *owner = &at->user.actor;
    if (!json_wants(at->c->out, "organizer"))
        return 0;
    if (!ev->organizer && !at->cal.main)
        address = at->user.actor.email;
    if (!ev->organizer_name && strcmp(address, owner->email) == 0)
        name = owner->name && *owner->name ? owner->name : address;
    else if (ocal_name_of(&at->c->tx, address, ev->organizer_name, &name) < 0)
        return -1;
    ocal_write_recipient(at->c->out, "organizer", name, address);
    return 0;
}

static int write_own_response(struct ocal_at *at, struct cal_event *ev)
{
    static const char *const words[] = {"none", "notResponded", "declined", "tentativelyAccepted",
                                        "accepted"};
    const struct cal_attendee *self = NULL;
    if (!json_wants(at->c->out, "responseStatus"))
        return 0;
    if (ev->organizer && cal_event_load_attendees(&at->c->tx, ev) < 0)
        return -1;
    for (int i = 0; ev->organizer && i < ev->n_attendees; i++)
        if (strcmp(ev->attendees[i].email, at->cal.address) == 0)
            self = &ev->attendees[i];
    write_response(at->c->out, "responseStatus", ev->organizer ? words[ev->response] : "organizer",
                   self);
    return 0;
}

/* ---- ids ---- */

/* The id that all copies have; of an instance with its day in it (MG-404). */
static const char *ical_uid(struct ocal_at *at, const struct cal_event *ev)
{
    static const char head[] = "040000008200E00074C5B7101A82E008";
    int year, month, day;
    if (ev->form != EVENT_INSTANCE || !str_starts(ev->uid, head) || strlen(ev->uid) != 112)
        return ev->uid;
    civil_from_days(ocal_original_day(at, ev), &year, &month, &day);
    return arena_printf(at->c->tx.arena, "%s%04X%02X%02X%s", head, (unsigned)year & 0xffff,
                        (unsigned)month & 0xff, (unsigned)day & 0xff, ev->uid + sizeof head + 7);
}

static const char *series_id(struct ocal_at *at, const struct cal_event *ev)
{
    if (!at->series_id || at->series != ev->master)
        at->series_id =
            graph_item_id(at->c->tx.arena, &at->store,
                          &(struct graph_item){.folder = STORE_EVENTS, .item = ev->master});
    at->series = ev->master;
    return at->series_id;
}

static const char *occurrence_id(struct ocal_at *at, const struct cal_event *ev)
{
    char day[DATE_TEXT];
    date_format(day, ocal_original_day(at, ev));
    return arena_printf(at->c->tx.arena, "OID.%s.%s", series_id(at, ev), day);
}

static const char *web_link(struct ocal_at *at, const char *id)
{
    return ARENA_JOIN(at->c->tx.arena, "https://outlook.office365.com/owa/?itemid=",
                      graph_item_linked(at->c->tx.arena, id), "&exvsurl=1&path=/calendar/item");
}

/* ---- places ---- */

static void write_place(struct json_writer *w, const char *key, const char *name)
{
    json_obj(w, key);
    json_str(w, "displayName", name ? name : "");
    json_word(w, "locationType", "default");
    if (name && *name) {
        json_str(w, "uniqueId", name);
        json_word(w, "uniqueIdType", "private");
    } else {
        json_word(w, "uniqueIdType", "unknown");
        json_obj(w, "address");
        json_end(w);
        json_obj(w, "coordinates");
        json_end(w);
    }
    json_end(w);
}

static void write_places(struct json_writer *w, const struct cal_event *ev,
                         const struct json *extra)
{
    const struct json *one = json_get(extra, "location"), *all = json_get(extra, "locations");
    const char *name = json_get_str(one, "displayName");
    if (one && str_same(name ? name : "", ev->location ? ev->location : ""))
        json_value(w, "location", one);
    else
        write_place(w, "location", ev->location);
    if (all) {
        json_value(w, "locations", all);
        return;
    }
    json_arr(w, "locations");
    if (ev->location && *ev->location)
        write_place(w, NULL, ev->location);
    json_end(w);
}

/* ---- recurrence ---- */

static void write_recurrence(struct ocal_at *at, const struct cal_event *ev)
{
    struct json_writer *w = at->c->out;
    struct ocal_rule rule;
    if (!json_wants(w, "recurrence"))
        return;
    if (ocal_rule_of(at->c->tx.arena, &at->cal, ev, &rule) != 1) {
        json_null(w, "recurrence");
        return;
    }
    json_obj(w, "recurrence");
    ocal_write_rule(w, &rule, ev->zone ? ev->zone : at->cal.zone);
    json_end(w);
}

/* ---- bodies ---- */

static void write_body(struct ocal_at *at, const struct cal_event *ev, const struct json *extra)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const char *html = json_get_str(extra, "html"), *text = ev->description;
    if (!json_wants(w, "body"))
        return;
    json_obj(w, "body");
    json_word(w, "contentType", at->text ? "text" : "html");
    if (at->text)
        json_str(w, "content", text ? text : "");
    else
        json_str(w, "content", html ? ocal_page_of_html(a, html) : ocal_page_of_text(a, text));
    json_end(w);
}

/* ---- the whole ---- */

void ocal_write_links(struct ocal_at *at)
{
    struct json_writer *w = at->c->out;
    if (!at->link)
        at->link =
            graph_url(at->c, ARENA_JOIN(at->c->tx.arena, "/users('", at->user.key, "')/calendars('",
                                        ocal_calendar_id(at, at->cal.id), "')"));
    json_str(w, "calendar@odata.associationLink", ARENA_JOIN(at->c->tx.arena, at->link, "/$ref"));
    json_str(w, "calendar@odata.navigationLink", at->link);
}

static void write_head(struct ocal_at *at, const struct cal_event *ev, const char *id,
                       const struct json *extra)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const char *key = graph_change_key(a, &at->store, ev->change);
    const char *zone = ev->zone ? ev->zone : at->cal.zone;
    const char *named = json_get_str(extra, "originalStartTimeZone");
    const char *end_named = json_get_str(extra, "originalEndTimeZone");
    named = named ? named : graph_zone_windows(zone);
    named = named ? named : zone;
    json_str(w, "@odata.etag", ARENA_JOIN(a, "W/\"", key, "\""));
    json_word(w, "id", id);
    ocal_write_instant(w, "createdDateTime", ev->created_us);
    ocal_write_instant(w, "lastModifiedDateTime", ev->updated_us);
    json_word(w, "changeKey", key);
    if (ev->categories) {
        json_raw(w, "categories", ev->categories, strlen(ev->categories));
    } else {
        json_arr(w, "categories");
        json_end(w);
    }
    json_str(w, "transactionId", ev->organizer ? NULL : json_get_str(extra, "transactionId"));
    json_str(w, "originalStartTimeZone", named);
    json_str(w, "originalEndTimeZone", end_named ? end_named : named);
    json_str(w, "iCalUId", ical_uid(at, ev));
    json_str(w, "uid", ev->uid);
    json_int(w, "reminderMinutesBeforeStart", ev->reminder_minutes);
    json_bool(w, "isReminderOn", ev->reminder_on);
}

static void write_state(struct ocal_at *at, const struct cal_event *ev, const char *id,
                        const struct json *extra)
{
    static const char *const types[] = {"singleInstance", "seriesMaster", "occurrence"};
    struct json_writer *w = at->c->out;
    const char *provider = json_get_str(extra, "onlineMeetingProvider");
    const bool instance = ev->form == EVENT_INSTANCE && ev->master;
    const bool cancelled = ev->status == EVENT_CANCELLED;
    json_word(w, "importance", ocal_importances[ev->importance]);
    json_word(w, "sensitivity", ocal_sensitivities[ev->visibility]);
    json_bool(w, "isAllDay", ev->all_day);
    json_bool(w, "isCancelled", cancelled);
    json_bool(w, "isOrganizer", !ev->organizer);
    json_bool(w, "responseRequested", !json_is_false(json_get(extra, "responseRequested")));
    json_str(w, "seriesMasterId", instance ? series_id(at, ev) : NULL);
    json_word(w, "showAs", ocal_busy_words[cancelled ? BUSY_FREE : ev->busy]);
    json_word(w, "type",
              ev->form == EVENT_INSTANCE && ev->id ? "exception"
              : ev->form == EVENT_INSTANCE         ? types[2]
                                                   : types[ev->form]);
    if (json_wants(w, "webLink"))
        json_str(w, "webLink", web_link(at, id));
    json_null(w, "onlineMeetingUrl");
    json_bool(w, "isOnlineMeeting", json_get(extra, "onlineMeeting") != NULL);
    json_str(w, "onlineMeetingProvider", provider ? provider : "unknown");
    json_bool(w, "allowNewTimeProposals", !json_is_false(json_get(extra, "allowNewTimeProposals")));
    json_str(w, "occurrenceId", instance ? occurrence_id(at, ev) : NULL);
    json_bool(w, "isDraft", false);
    json_bool(w, "hideAttendees", ev->rights & GUESTS_DONT_SEE_GUESTS);
}

/* Occurrences that a series has no more, by their ids (MG-531). */
static int write_cancelled(struct ocal_at *at, const struct cal_event *ev)
{
    struct json_writer *w = at->c->out;
    struct cal_event gone = {.original_us = INT64_MIN};
    int r;
    if (!at->query || !at->query->has_select || ev->form != EVENT_SERIES ||
        !json_wants(w, "cancelledOccurrences"))
        return 0;
    json_arr(w, "cancelledOccurrences");
    while ((r = cal_event_next_changed(&at->c->tx, ev->id, gone.original_us, &gone)) == 1)
        if (gone.status == EVENT_CANCELLED)
            json_str(w, NULL, occurrence_id(at, &gone));
    json_end(w);
    return r;
}

/* Occurrences that are changed: with all that they have, or what the expansion selects (MG-531). */
static int write_exceptions(struct ocal_at *at, const struct cal_event *ev)
{
    const struct odata_query *query = at->query;
    const struct odata_expand *x = query ? odata_expands(query, "exceptionOccurrences") : NULL;
    const bool links = at->no_links;
    struct cal_event one = {.original_us = INT64_MIN};
    int r;
    if (!x || ev->form != EVENT_SERIES)
        return 0;
    at->query = x->query;
    at->no_links = true;
    json_arr(at->c->out, "exceptionOccurrences");
    while ((r = cal_event_next_changed(&at->c->tx, ev->id, one.original_us, &one)) == 1)
        if (one.status != EVENT_CANCELLED && (r = ocal_write_event(at, NULL, &one)) < 0)
            break;
    json_end(at->c->out);
    at->query = query;
    at->no_links = links;
    return r;
}

static const char *subject_of(struct arena *a, const struct cal_event *ev)
{
    const char *subject = ev->summary ? ev->summary : "";
    return ev->status == EVENT_CANCELLED ? arena_printf(a, "Canceled: %s", subject) : subject;
}

/* Who may not see what it is sees when it is (MG-86, MG-543), or that and what it is called and
 * where (limitedRead). */
static void write_concealed(struct ocal_at *at, const struct cal_event *ev, const char *id)
{
    struct json_writer *w = at->c->out;
    json_str(w, "@odata.etag", ocal_etag(at, ev->change));
    json_word(w, "id", id);
    json_str(w, "changeKey", graph_change_key(at->c->tx.arena, &at->store, ev->change));
    const bool named = cal_event_named(&at->cal, ev);
    json_str(w, "subject",
             named                      ? subject_of(at->c->tx.arena, ev)
             : at->cal.role >= CAL_READ ? OCAL_CONCEALED
                                        : NULL);
    if (named)
        write_place(w, "location", ev->location);
    json_word(w, "sensitivity", ocal_sensitivities[ev->visibility]);
    json_bool(w, "isAllDay", ev->all_day);
    json_word(w, "showAs", ocal_busy_words[ev->busy]);
    ocal_write_time(at, "start", ev->all_day, ev->start_us);
    ocal_write_time(at, "end", ev->all_day, event_end(ev));
}

int ocal_write_members(struct ocal_at *at, struct cal_event *ev)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const struct json *extra = ocal_extra(a, ev);
    const char *id = at->made && at->made == ev->id ? at->made_id : ocal_event_id(at, ev);
    if (cal_event_concealed(&at->cal, ev)) {
        write_concealed(at, ev, id);
        return 0;
    }
    write_head(at, ev, id, extra);
    int attached = json_wants(w, "hasAttachments") ? ocal_has_attachments(at, ev) : 0;
    if (attached < 0)
        return -1;
    json_bool(w, "hasAttachments", attached);
    json_str(w, "subject", subject_of(a, ev));
    if (!at->basic && json_wants(w, "bodyPreview"))
        json_str(w, "bodyPreview", ocal_preview(a, ev->description));
    write_state(at, ev, id, extra);
    if (write_cancelled(at, ev) < 0)
        return -1;
    if (ev->form == EVENT_INSTANCE)
        ocal_write_instant(w, "originalStart", ev->original_us);
    if (write_own_response(at, ev) < 0)
        return -1;
    if (!at->basic)
        write_body(at, ev, extra);
    ocal_write_time(at, "start", ev->all_day, ev->start_us);
    ocal_write_time(at, "end", ev->all_day, event_end(ev));
    write_places(w, ev, extra);
    write_recurrence(at, ev);
    if (write_attendees(at, ev) < 0 || write_organizer(at, ev) < 0)
        return -1;
    if (json_get(extra, "onlineMeeting"))
        json_value(w, "onlineMeeting", json_get(extra, "onlineMeeting"));
    else
        json_null(w, "onlineMeeting");
    if (write_exceptions(at, ev) < 0 ||
        ocal_write_kept(at->c, at->query, at->all_kept, ev->own_props) < 0)
        return -1;
    const struct odata_expand *e = at->query ? odata_expands(at->query, "attachments") : NULL;
    return e ? ocal_write_attachments(at, ev, "attachments", e->query) : 0;
}

int ocal_write_event(struct ocal_at *at, const char *key, struct cal_event *ev)
{
    json_obj(at->c->out, key);
    if (at->bare_time)
        json_word(at->c->out, "@odata.type", "#microsoft.graph.event");
    int r = ocal_write_linked(at, ev, NULL);
    json_end(at->c->out);
    return r;
}

int ocal_answer_event(struct ocal_at *at, const char *what, struct cal_event *ev)
{
    return ocal_answer_row(at, what, ev, NULL);
}

int ocal_answer_row(struct ocal_at *at, const char *what, struct cal_event *ev,
                    const struct record *row)
{
    struct call *c = at->c;
    c->etag = ocal_etag(at, ev->change);
    json_obj(c->out, NULL);
    graph_context_of(c, ARENA_JOIN(c->tx.arena, at->base, what,
                                   at->query ? odata_context(c->tx.arena, at->query) : "",
                                   "/$entity"));
    int r = ocal_write_linked(at, ev, row);
    json_end(c->out);
    return r;
}
