/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of events, read into events. Each member that can be written has a row in a table; members
 * that the service sets itself, and unknown ones, are passed over. A member that is null or absent
 * from an update has its default; one that is absent from a patch stays as it is.
 */
#include "services/calendar/google/gcal.h"
#include "engine/base/codec.h"
#include "engine/base/map.h"
#include <stdlib.h>

#define MAX_ATTENDEES   1000
#define MAX_ATTACHMENTS 25
#define MAX_PROPERTIES  300
#define MAX_PROP_BYTES  (32 * 1024)
#define MAX_PROP_KEY    44
#define MAX_PROP_VALUE  1024
#define MAX_REMINDERS   5
#define MAX_MINUTES     40320

struct body {
    struct call *c;
    const struct calendar *cal;
    enum gcal_mode mode;
    const struct event *old; /* NULL: there is none */
    struct event *ev;
    const struct json *json;
    const struct json *extra_old; /* of ev before, parsed */
    struct json_member *extra;    /* what becomes of it */
    uint32_t n_extra;
};

static int bad(struct body *b)
{
    return call_fail(b->c, SOSIA_E_INVALID, "badRequest", NULL, "Bad Request");
}

static int invalid(struct body *b, const char *text)
{
    return call_fail(b->c, SOSIA_E_INVALID, "invalid", NULL, "%s", text);
}

static int required(struct body *b, const char *text)
{
    return call_fail(b->c, SOSIA_E_INVALID, "required", NULL, "%s", text);
}

static bool is_null(const struct json *v)
{
    return !v || v->type == JSON_NULL;
}

/* ---- simple values ---- */

static int read_text(struct body *b, const struct json *v, const char **ret)
{
    if (is_null(v) || (v->type == JSON_STRING && !v->n)) {
        *ret = NULL;
        return 0;
    }
    if (v->type != JSON_STRING)
        return bad(b);
    *ret = v->str;
    return 0;
}

static int read_bool(struct body *b, const struct json *v, bool otherwise, bool *ret)
{
    if (!is_null(v) && v->type != JSON_BOOL)
        return bad(b);
    *ret = is_null(v) ? otherwise : v->truth;
    return 0;
}

static int read_word(struct body *b, const struct json *v, const char *const *words, int otherwise,
                     int *ret)
{
    *ret = otherwise;
    if (is_null(v))
        return 0;
    for (int i = 0; v->type == JSON_STRING && words[i]; i++) {
        if (strcmp(words[i], v->str) == 0) {
            *ret = i;
            return 0;
        }
    }
    return v->type == JSON_STRING ? invalid(b, "Invalid Value") : bad(b);
}

static int read_bit(struct body *b, const struct json *v, bool otherwise, bool when, unsigned bit)
{
    bool truth = false;
    if (read_bool(b, v, otherwise, &truth) < 0)
        return -1;
    b->ev->rights = truth == when ? b->ev->rights | bit : b->ev->rights & ~bit;
    return 0;
}

/* ---- members ---- */

static int read_summary(struct body *b, const struct json *v)
{
    return read_text(b, v, &b->ev->summary);
}

static int read_description(struct body *b, const struct json *v)
{
    return read_text(b, v, &b->ev->description);
}

static int read_location(struct body *b, const struct json *v)
{
    return read_text(b, v, &b->ev->location);
}

static int read_color(struct body *b, const struct json *v)
{
    if (read_text(b, v, &b->ev->color) < 0)
        return -1;
    if (b->ev->color && !gcal_event_color(b->ev->color))
        return invalid(b, "Invalid color id.");
    return 0;
}

static int read_status(struct body *b, const struct json *v)
{
    int status;
    if (read_word(b, v, gcal_statuses, EVENT_CONFIRMED, &status) < 0)
        return -1;
    b->ev->status = (enum event_status)status;
    return 0;
}

static int read_transparency(struct body *b, const struct json *v)
{
    static const char *const words[] = {"opaque", "transparent", NULL};
    int word;
    if (read_word(b, v, words, 0, &word) < 0)
        return -1;
    b->ev->free = word;
    return 0;
}

static int read_visibility(struct body *b, const struct json *v)
{
    int visibility;
    if (read_word(b, v, gcal_visibilities, VISIBLE_DEFAULT, &visibility) < 0)
        return -1;
    b->ev->visibility = (enum event_visibility)visibility;
    return 0;
}

static int read_sequence(struct body *b, const struct json *v)
{
    int64_t sequence = 0;
    if (!is_null(v) && json_i64(v, &sequence) < 0)
        return bad(b);
    if (sequence < 0 || sequence > INT32_MAX || (b->old && sequence < b->old->sequence))
        return invalid(b, "Invalid sequence value.");
    b->ev->sequence = sequence;
    return 0;
}

static int read_invite_others(struct body *b, const struct json *v)
{
    return read_bit(b, v, true, false, GUESTS_DONT_INVITE);
}

static int read_see_guests(struct body *b, const struct json *v)
{
    return read_bit(b, v, true, false, GUESTS_DONT_SEE_GUESTS);
}

static int read_modify(struct body *b, const struct json *v)
{
    return read_bit(b, v, false, true, GUESTS_MODIFY);
}

static int read_add_self(struct body *b, const struct json *v)
{
    return read_bit(b, v, false, true, ANYONE_ADDS_SELF);
}

static int read_no_end(struct body *b, const struct json *v)
{
    return read_bit(b, v, false, true, EVENT_NO_END);
}

/* Immutable: counts when the event is made. */
static int read_private_copy(struct body *b, const struct json *v)
{
    return b->old ? 0 : read_bit(b, v, false, true, EVENT_PRIVATE_COPY);
}

static int read_kind(struct body *b, const struct json *v)
{
    int kind;
    if (read_word(b, v, gcal_kinds, KIND_DEFAULT, &kind) < 0)
        return -1;
    if (b->old && !is_null(v) && kind != (int)b->old->kind)
        return call_fail(b->c, SOSIA_E_INVALID, "eventTypeRestriction", NULL,
                         "Event type cannot be changed.");
    if (!b->old)
        b->ev->kind = (enum event_kind)kind;
    return 0;
}

static int read_uid(struct body *b, const struct json *v)
{
    const char *uid = NULL;
    if (read_text(b, v, &uid) < 0)
        return -1;
    if (b->old || !uid)
        return 0;
    if (strlen(uid) > 600 || strpbrk(uid, "\r\n\t"))
        return invalid(b, "Invalid iCalUID value.");
    b->ev->uid = uid;
    return 0;
}

static int read_id(struct body *b, const struct json *v)
{
    const char *id = NULL;
    if (read_text(b, v, &id) < 0)
        return -1;
    if (b->old || !id || b->mode == GCAL_IMPORT)
        return 0;
    size_t n = strlen(id);
    if (n < 5 || n > 1024 || strspn(id, "0123456789abcdefghijklmnopqrstuv") != n)
        return invalid(b, "Invalid resource id value.");
    b->ev->key = id;
    return 0;
}

/* ---- times ---- */

/* The members of a start or end: what the body says, on top of what there was in a patch. */
struct when {
    const char *date, *date_time, *zone;
    bool has_date, has_time, has_zone;
};

static int read_when(struct body *b, const struct json *v, struct when *ret)
{
    static const char *const names[] = {"date", "dateTime", "timeZone"};
    const char **texts[] = {&ret->date, &ret->date_time, &ret->zone};
    bool *has[] = {&ret->has_date, &ret->has_time, &ret->has_zone};
    *ret = (struct when){0};
    if (v->type != JSON_OBJECT)
        return bad(b);
    for (int i = 0; i < 3; i++) {
        const struct json *m = json_get(v, names[i]);
        if (!m)
            continue;
        *has[i] = true;
        if (read_text(b, m, texts[i]) < 0)
            return -1;
    }
    return 0;
}

/* One end of the event. what: "start" or "end". was_us: where it is now, of a patch. */
static int resolve_when(struct body *b, struct when *w, const char *what, bool *day, int64_t *us,
                        const char **zone)
{
    struct arena *a = b->c->tx.arena;
    const struct tz *tz = NULL;
    struct stamp s;
    int64_t days;
    bool patch = b->mode == GCAL_PATCH && b->old;
    if (w->zone && !(tz = tz_find(w->zone)))
        return invalid(b, arena_printf(a, "Invalid time zone definition for %s time.", what));
    /* A patch that names only one form leaves the other one standing, and both is none. */
    if (w->date && (w->date_time || (patch && !*day && !w->has_time)))
        return bad(b);
    if (w->date_time && patch && *day && !w->has_date)
        return bad(b);
    if (w->date) {
        if (date_parse(w->date, strlen(w->date), &days) < 0)
            return bad(b);
        *day = true;
        *us = days * US_PER_DAY;
        *zone = NULL;
        return 0;
    }
    if (!w->date_time) {
        if (!patch || (*day ? w->has_date : w->has_time))
            return required(b, arena_printf(a, "Missing %s time.", what));
        if (w->has_zone && !*day)
            *zone = w->zone;
        return 0;
    }
    if (stamp_parse(w->date_time, strlen(w->date_time), true, &s) < 0)
        return bad(b);
    if (w->has_zone || !patch)
        *zone = w->zone;
    if (!tz && *zone)
        tz = tz_find(*zone);
    int64_t local = s.local_us / US_PER_SECOND - (s.local_us % US_PER_SECOND < 0);
    if (!s.has_offset && !tz)
        return required(b, arena_printf(a, "Missing time zone definition for %s time.", what));
    *day = false;
    *us = (s.has_offset ? local - s.offset : tz_to_utc(tz, local)) * US_PER_SECOND;
    return 0;
}

/* Start and end belong together, and to the recurrence. */
static int read_times(struct body *b)
{
    struct event *ev = b->ev;
    const struct json *start = json_get(b->json, "start"), *end = json_get(b->json, "end");
    bool patch = b->mode == GCAL_PATCH, start_day = ev->all_day, end_day = ev->all_day;
    int64_t start_us = ev->start_us, end_us = event_end(ev);
    const char *end_zone = ev->end_zone ? ev->end_zone : ev->zone;
    struct when w;
    if (patch && !start && !end)
        return 0;
    if (is_null(start) && (start || !patch))
        return required(b, "Missing start time.");
    if (is_null(end) && (end || !patch) && !(ev->rights & EVENT_NO_END))
        return required(b, "Missing end time.");
    if (start && (read_when(b, start, &w) < 0 ||
                  resolve_when(b, &w, "start", &start_day, &start_us, &ev->zone) < 0))
        return -1;
    if (!is_null(end)) {
        if (read_when(b, end, &w) < 0 ||
            resolve_when(b, &w, "end", &end_day, &end_us, &end_zone) < 0)
            return -1;
    } else if (!end && !patch) {
        end_day = start_day;
        end_us = start_us + (start_day ? US_PER_DAY : 3600 * US_PER_SECOND);
        end_zone = ev->zone;
    }
    if (start_day != end_day)
        return bad(b);
    if (end_us < start_us)
        return call_fail(b->c, SOSIA_E_INVALID, "timeRangeEmpty", "timeMax",
                         "The specified time range is empty.");
    ev->all_day = start_day;
    ev->start_us = start_us;
    ev->len_us = end_us - start_us;
    if (ev->all_day && !ev->len_us)
        ev->len_us = US_PER_DAY;
    ev->end_zone = end_zone && (!ev->zone || strcmp(end_zone, ev->zone) != 0) ? end_zone : NULL;
    return 0;
}

static int read_recurrence(struct body *b, const struct json *v)
{
    struct buf buf;
    int rc = 0;
    if (b->old && b->old->form == EVENT_INSTANCE)
        return is_null(v) || (v->type == JSON_ARRAY && !v->n)
                   ? 0
                   : invalid(b, "Invalid recurrence rule.");
    b->ev->recurrence = NULL;
    if (is_null(v))
        return 0;
    if (v->type != JSON_ARRAY)
        return bad(b);
    buf_init(&buf, 0);
    for (uint32_t i = 0; rc == 0 && i < v->n; i++) {
        const struct json *line = &v->items[i];
        if (line->type != JSON_STRING)
            rc = bad(b);
        else if (!line->n || strpbrk(line->str, "\r\n"))
            rc = invalid(b, "Invalid recurrence rule.");
        else
            buf_printf(&buf, "%s%s", i ? "\n" : "", line->str);
    }
    if (rc == 0 && v->n)
        b->ev->recurrence = arena_strdup(b->c->tx.arena, buf_str(&buf));
    buf_done(&buf);
    return rc;
}

/* ---- guests ---- */

static const struct attendee *find_guest(const struct event *ev, const char *email)
{
    for (int i = 0; ev && ev->attendees && i < ev->n_attendees; i++)
        if (strcmp(ev->attendees[i].email, email) == 0)
            return &ev->attendees[i];
    return NULL;
}

static int read_guest(struct body *b, const struct json *v, struct attendee *ret)
{
    const char *email = NULL;
    int response;
    int64_t guests = 0;
    if (v->type != JSON_OBJECT)
        return bad(b);
    if (read_text(b, json_get(v, "email"), &email) < 0)
        return -1;
    if (!email)
        return required(b, "Missing attendee email.");
    email = email_normal(b->c->tx.arena, email);
    if (!email)
        return invalid(b, "Invalid attendee email.");
    /* Another name of somebody here is that person. */
    if (alias_open(&b->c->tx, &email) < 0)
        return -1;
    const struct attendee *was = find_guest(b->old, email);
    const struct json *more = json_get(v, "additionalGuests");
    if (read_text(b, json_get(v, "displayName"), &ret->name) < 0 ||
        read_text(b, json_get(v, "comment"), &ret->comment) < 0 ||
        read_bool(b, json_get(v, "optional"), false, &ret->optional) < 0 ||
        read_bool(b, json_get(v, "resource"), false, &ret->resource) < 0 ||
        read_word(b, json_get(v, "responseStatus"), gcal_responses + 1, -1, &response) < 0)
        return -1;
    if (!is_null(more) && (json_i64(more, &guests) < 0 || guests < 0 || guests > INT32_MAX))
        return bad(b);
    ret->email = email;
    ret->guests = (int)guests;
    ret->response = response >= 0 ? (enum response)(response + RESPONSE_NONE)
                    : was         ? was->response
                                  : RESPONSE_NONE;
    if (was && !json_get(v, "comment"))
        ret->comment = was->comment;
    if (was && !json_get(v, "displayName"))
        ret->name = was->name;
    if (was && !json_get(v, "resource"))
        ret->resource = was->resource;
    return 0;
}

/* The guests as they were, with the caller's own answer replaced: what a list that leaves others
 * out means. */
static void only_own(struct body *b, const struct attendee *list, int n)
{
    const struct event *old = b->old;
    struct attendee *all = arena_calloc(b->c->tx.arena, (size_t)old->n_attendees + 1, sizeof *all);
    for (int i = 0; i < old->n_attendees; i++) {
        all[i] = old->attendees[i];
        for (int k = 0; k < n; k++)
            if (strcmp(list[k].email, all[i].email) == 0 && strcmp(all[i].email, b->cal->key) == 0)
                all[i] = list[k];
    }
    b->ev->attendees = all;
    b->ev->n_attendees = old->n_attendees;
}

static int read_attendees(struct body *b, const struct json *v)
{
    bool omitted = false;
    int n = 0;
    if (read_bool(b, json_get(b->json, "attendeesOmitted"), false, &omitted) < 0)
        return -1;
    if (is_null(v) || v->type != JSON_ARRAY || !v->n) {
        if (!is_null(v) && v->type != JSON_ARRAY)
            return bad(b);
        b->ev->attendees = arena_calloc(b->c->tx.arena, 1, sizeof *b->ev->attendees);
        b->ev->n_attendees = 0;
        if (omitted && b->old)
            only_own(b, NULL, 0);
        return 0;
    }
    if (v->n > MAX_ATTENDEES)
        return invalid(b, "Too many attendees.");
    struct attendee *list = arena_calloc(b->c->tx.arena, v->n, sizeof *list);
    struct map seen;
    int rc = 0;
    map_init(&seen);
    for (uint32_t i = 0; rc == 0 && i < v->n; i++) {
        rc = read_guest(b, &v->items[i], &list[n]);
        if (rc < 0 || map_get(&seen, list[n].email))
            continue; /* named twice: the first one counts */
        rc = map_set(&seen, list[n].email, &list[n]) < 0 ? sosia_fail_memory(b->c->tx.err) : 0;
        n++;
    }
    map_done(&seen);
    if (rc < 0)
        return -1;
    if (strcmp(b->c->actor.kind, "service") == 0 && b->mode != GCAL_IMPORT)
        return call_fail(b->c, SOSIA_E_FORBIDDEN, "forbiddenForServiceAccounts", NULL,
                         "Service accounts cannot invite attendees without Domain-Wide Delegation "
                         "of Authority.");
    if (omitted && b->old) {
        only_own(b, list, n);
        return 0;
    }
    b->ev->attendees = list;
    b->ev->n_attendees = n;
    return 0;
}

/* ---- reminders ---- */

int gcal_read_reminders(struct call *c, const struct json *list, const char **ret)
{
    static const char *const methods[] = {"email", "popup", NULL};
    struct body b = {.c = c};
    struct buf buf;
    int rc = 0;
    *ret = "[]";
    if (is_null(list))
        return 0;
    if (list->type != JSON_ARRAY)
        return bad(&b);
    if (list->n > MAX_REMINDERS)
        return invalid(&b, "Too many reminders.");
    buf_init(&buf, 0);
    buf_byte(&buf, '[');
    for (uint32_t i = 0; rc == 0 && i < list->n; i++) {
        const struct json *v = &list->items[i], *m = json_get(v, "minutes");
        int method;
        int64_t minutes;
        if (v->type != JSON_OBJECT)
            rc = bad(&b);
        else if (is_null(json_get(v, "method")) || is_null(m))
            rc = required(&b, "Missing reminder method or minutes.");
        else if (read_word(&b, json_get(v, "method"), methods, 0, &method) < 0)
            rc = -1;
        else if (json_i64(m, &minutes) < 0 || minutes < 0 || minutes > MAX_MINUTES)
            rc = invalid(&b, "Invalid reminder minutes.");
        else
            buf_printf(&buf, "%s{\"method\":\"%s\",\"minutes\":%d}", i ? "," : "", methods[method],
                       (int)minutes);
    }
    buf_byte(&buf, ']');
    if (rc == 0)
        *ret = arena_strdup(c->tx.arena, buf_str(&buf));
    buf_done(&buf);
    return rc;
}

/* Set before the times are known, so the default for the kind of event is put in afterwards. */
static int read_reminders(struct body *b, const struct json *v)
{
    bool use_default = false;
    const struct json *overrides = json_get(v, "overrides");
    if (is_null(v)) {
        b->ev->reminders = b->ev->all_day ? "[]" : NULL;
        return 0;
    }
    if (v->type != JSON_OBJECT)
        return bad(b);
    if (read_bool(b, json_get(v, "useDefault"), is_null(overrides) && b->old && !b->old->reminders,
                  &use_default) < 0)
        return -1;
    if (use_default && !is_null(overrides) && overrides->n)
        return call_fail(b->c, SOSIA_E_INVALID, "cannotUseDefaultRemindersAndSpecifyOverride", NULL,
                         "Cannot specify both default reminders and overrides at the same time.");
    if (use_default) {
        b->ev->reminders = NULL;
        return 0;
    }
    if (!overrides && b->mode == GCAL_PATCH && b->old->reminders)
        return 0;
    return gcal_read_reminders(b->c, overrides, &b->ev->reminders);
}

/* ---- extended properties ---- */

static size_t cut_utf8(const char *text, size_t n, size_t max)
{
    if (n <= max)
        return n;
    while (max && ((unsigned char)text[max] & 0xc0) == 0x80)
        max--;
    return max;
}

/* One of the two maps: what the body says on top of what there is (of a patch). Keys that are too
 * long are dropped, values cut. */
static int read_map(struct body *b, const struct json *v, const char **at)
{
    const struct json *old = NULL;
    struct sosia_err err;
    struct json_writer w;
    struct buf buf;
    size_t n = 0;
    if (v->type == JSON_NULL) {
        *at = NULL;
        return 0;
    }
    if (v->type != JSON_OBJECT)
        return bad(b);
    if (b->mode == GCAL_PATCH && *at)
        json_parse(b->c->tx.arena, *at, strlen(*at), NULL, &old, &err);
    for (uint32_t i = 0; i < v->n; i++)
        if (v->members[i].value.type != JSON_STRING && v->members[i].value.type != JSON_NULL)
            return bad(b);
    buf_init(&buf, 0);
    json_init(&w, &buf, false, NULL);
    json_obj(&w, NULL);
    for (uint32_t i = 0; old && i < old->n; i++) {
        if (json_get(v, old->members[i].key))
            continue;
        json_value(&w, old->members[i].key, &old->members[i].value);
        n++;
    }
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        if (m->value.type != JSON_STRING || m->key_len > MAX_PROP_KEY ||
            json_get(v, m->key) != &m->value)
            continue;
        json_strn(&w, m->key, m->value.str, cut_utf8(m->value.str, m->value.n, MAX_PROP_VALUE));
        n++;
    }
    json_end(&w);
    bool fits = n <= MAX_PROPERTIES && buf.len <= MAX_PROP_BYTES;
    *at = n ? arena_strdup(b->c->tx.arena, buf_str(&buf)) : NULL;
    buf_done(&buf);
    return fits ? 0 : invalid(b, "Too many extended properties.");
}

static int read_properties(struct body *b, const struct json *v)
{
    const struct json *own = json_get(v, "private"), *shared = json_get(v, "shared");
    if (b->mode != GCAL_PATCH || is_null(v))
        b->ev->own_props = b->ev->props = NULL;
    if (is_null(v))
        return 0;
    if (v->type != JSON_OBJECT)
        return bad(b);
    if (own && read_map(b, own, &b->ev->own_props) < 0)
        return -1;
    return shared ? read_map(b, shared, &b->ev->props) : 0;
}

/* ---- what is kept as it comes ---- */

static void set_extra(struct body *b, const char *name, const struct json *value)
{
    uint32_t i = 0;
    while (i < b->n_extra && strcmp(b->extra[i].key, name) != 0)
        i++;
    if (is_null(value)) {
        if (i < b->n_extra) {
            memmove(&b->extra[i], &b->extra[i + 1], (b->n_extra - i - 1) * sizeof *b->extra);
            b->n_extra--;
        }
        return;
    }
    b->extra[i] =
        (struct json_member){.key = name, .key_len = (uint32_t)strlen(name), .value = *value};
    if (i == b->n_extra)
        b->n_extra++;
}

/* A JSON text as a value. */
static const struct json *value_of(struct body *b, const char *text)
{
    const struct json *v = NULL;
    struct sosia_err err;
    json_parse(b->c->tx.arena, text, strlen(text), NULL, &v, &err);
    return v;
}

static int read_object(struct body *b, const struct json *v, const char *name)
{
    if (!is_null(v) && v->type != JSON_OBJECT)
        return bad(b);
    set_extra(b, name, v);
    return 0;
}

static int read_source(struct body *b, const struct json *v)
{
    const char *url = json_get_str(v, "url");
    if (!is_null(v) && (!url || (!str_starts(url, "http://") && !str_starts(url, "https://"))))
        return invalid(b, "Invalid source url.");
    return read_object(b, v, "source");
}

static int read_gadget(struct body *b, const struct json *v)
{
    return read_object(b, v, "gadget");
}

static int read_label(struct body *b, const struct json *v)
{
    if (!is_null(v) && v->type != JSON_STRING)
        return bad(b);
    set_extra(b, "eventLabelId", v);
    return 0;
}

static int read_away(struct body *b, const struct json *v)
{
    return b->ev->kind == KIND_AWAY ? read_object(b, v, "outOfOfficeProperties") : 0;
}

static int read_focus(struct body *b, const struct json *v)
{
    return b->ev->kind == KIND_FOCUS ? read_object(b, v, "focusTimeProperties") : 0;
}

static int read_place(struct body *b, const struct json *v)
{
    return b->ev->kind == KIND_PLACE ? read_object(b, v, "workingLocationProperties") : 0;
}

static int read_birthday(struct body *b, const struct json *v)
{
    return b->ev->kind == KIND_BIRTHDAY && !b->old ? read_object(b, v, "birthdayProperties") : 0;
}

static int read_attachments(struct body *b, const struct json *v)
{
    if (!param_bool(b->c, "supportsAttachments"))
        return 0;
    if (is_null(v) || (v->type == JSON_ARRAY && !v->n)) {
        set_extra(b, "attachments", NULL);
        return 0;
    }
    if (v->type != JSON_ARRAY)
        return bad(b);
    if (v->n > MAX_ATTACHMENTS)
        return invalid(b, "Too many attachments.");
    for (uint32_t i = 0; i < v->n; i++)
        if (v->items[i].type != JSON_OBJECT || !json_get_str(&v->items[i], "fileUrl"))
            return required(b, "Missing attachment file url.");
    set_extra(b, "attachments", v);
    return 0;
}

/* A request for a conference; one that was served before (same requestId) is passed over. */
static int request_conference(struct body *b, const struct json *request)
{
    const struct json *old = json_get(json_get(b->extra_old, "conferenceData"), "createRequest");
    const char *id = json_get_str(request, "requestId"), *was = json_get_str(old, "requestId");
    const char *type = json_get_str(json_get(request, "conferenceSolutionKey"), "type");
    struct buf buf;
    struct json_writer w;
    if (!id)
        return required(b, "Missing conference request id.");
    if (type && strcmp(type, "hangoutsMeet") != 0 && strcmp(type, "addOn") != 0)
        return invalid(b, "Invalid conference type value.");
    if (was && strcmp(was, id) == 0) {
        set_extra(b, "conferenceData", json_get(b->extra_old, "conferenceData"));
        return 0;
    }
    buf_init(&buf, 0);
    json_init(&w, &buf, false, NULL);
    json_obj(&w, NULL);
    json_obj(&w, "createRequest");
    json_str(&w, "requestId", id);
    json_obj(&w, "conferenceSolutionKey");
    json_str(&w, "type", type ? type : "hangoutsMeet");
    json_end(&w);
    json_obj(&w, "status");
    json_str(&w, "statusCode", "pending");
    json_end(&w);
    json_end(&w);
    json_end(&w);
    set_extra(b, "conferenceData", value_of(b, arena_strdup(b->c->tx.arena, buf_str(&buf))));
    set_extra(b, "hangoutLink", NULL);
    buf_done(&buf);
    return 0;
}

static int read_conference(struct body *b, const struct json *v)
{
    if (param_num(b->c, "conferenceDataVersion", 0) < 1)
        return 0;
    if (is_null(v)) {
        set_extra(b, "conferenceData", NULL);
        set_extra(b, "hangoutLink", NULL);
        return 0;
    }
    if (v->type != JSON_OBJECT)
        return bad(b);
    const struct json *request = json_get(v, "createRequest");
    if (!is_null(request) && is_null(json_get(v, "conferenceId")))
        return request_conference(b, request);
    set_extra(b, "conferenceData", v);
    return 0;
}

/* ---- the table ---- */

/* In the order of reading: the kind before its properties, the times before the reminders. */
static const struct {
    const char *name;
    int (*read)(struct body *b, const struct json *v);
    bool keep; /* an update that leaves it out keeps it */
} members[] = {
    {"id", read_id, true},
    {"iCalUID", read_uid, true},
    {"eventType", read_kind, true},
    {"privateCopy", read_private_copy, true},
    {"status", read_status, false},
    {"summary", read_summary, false},
    {"description", read_description, false},
    {"location", read_location, false},
    {"colorId", read_color, false},
    {"endTimeUnspecified", read_no_end, false},
    {"recurrence", read_recurrence, false},
    {"transparency", read_transparency, false},
    {"visibility", read_visibility, false},
    {"attendees", read_attendees, false},
    {"extendedProperties", read_properties, false},
    {"conferenceData", read_conference, true},
    {"gadget", read_gadget, false},
    {"anyoneCanAddSelf", read_add_self, false},
    {"guestsCanInviteOthers", read_invite_others, false},
    {"guestsCanModify", read_modify, false},
    {"guestsCanSeeOtherGuests", read_see_guests, false},
    {"source", read_source, false},
    {"outOfOfficeProperties", read_away, false},
    {"focusTimeProperties", read_focus, false},
    {"workingLocationProperties", read_place, false},
    {"birthdayProperties", read_birthday, true},
    {"attachments", read_attachments, true},
    {"eventLabelId", read_label, true},
    {"sequence", read_sequence, false},
};

static int read_members(struct body *b)
{
    for (size_t i = 0; i < SOSIA_LEN(members); i++) {
        const struct json *v = json_get(b->json, members[i].name);
        if (!v && (b->mode == GCAL_PATCH || members[i].keep))
            continue;
        if (members[i].read(b, v) < 0)
            return -1;
    }
    return 0;
}

static int open_extra(struct body *b)
{
    const char *text = b->ev->extra;
    uint32_t n = 0;
    if (text)
        b->extra_old = value_of(b, text);
    if (b->extra_old)
        n = b->extra_old->n;
    b->extra = arena_calloc(b->c->tx.arena, n + SOSIA_LEN(members) + 1, sizeof *b->extra);
    if (arena_failed(b->c->tx.arena))
        return sosia_fail_memory(b->c->tx.err);
    if (n)
        memcpy(b->extra, b->extra_old->members, n * sizeof *b->extra);
    b->n_extra = n;
    return 0;
}

static int by_name(const void *pa, const void *pb)
{
    const struct json_member *a = pa, *b = pb;
    return strcmp(a->key, b->key);
}

static void close_extra(struct body *b)
{
    struct buf buf;
    struct json_writer w;
    if (!b->n_extra) {
        b->ev->extra = NULL;
        return;
    }
    qsort(b->extra, b->n_extra, sizeof *b->extra, by_name);
    buf_init(&buf, 0);
    json_init(&w, &buf, false, NULL);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < b->n_extra; i++)
        json_value(&w, b->extra[i].key, &b->extra[i].value);
    json_end(&w);
    b->ev->extra = arena_strdup(b->c->tx.arena, buf_str(&buf));
    buf_done(&buf);
}

/* What the kinds of events ask for. */
static int check_kind(struct body *b)
{
    struct event *ev = b->ev;
    static const char *const reasons[] = {
        NULL, "malformedOutOfOfficeEvent", "malformedFocusTimeEvent",
        "malformedWorkingLocationEvent", "malformedBirthdayEvent"};
    const char *reason = ev->kind < KIND_MAIL ? reasons[ev->kind] : NULL;
    if (ev->kind == KIND_DEFAULT || (b->old && ev->kind == KIND_MAIL))
        return 0;
    if (ev->kind == KIND_MAIL || b->mode == GCAL_IMPORT)
        return call_fail(b->c, SOSIA_E_INVALID, "eventTypeRestriction", NULL,
                         "An event of this type cannot be created.");
    if (!b->cal->main)
        return call_fail(b->c, SOSIA_E_INVALID, "eventTypeRestriction", NULL,
                         "An event of this type can only be created on a primary calendar.");
    if (ev->kind == KIND_AWAY || ev->kind == KIND_FOCUS) {
        if (ev->all_day)
            return call_fail(b->c, SOSIA_E_INVALID, reason, NULL,
                             "An event of this type must be timed.");
        if (ev->free)
            return call_fail(b->c, SOSIA_E_INVALID, reason, NULL,
                             "An event of this type must be opaque.");
        return 0;
    }
    if (ev->kind == KIND_BIRTHDAY) {
        if (!ev->all_day || ev->len_us != US_PER_DAY)
            return call_fail(b->c, SOSIA_E_INVALID, reason, NULL,
                             "A birthday event must be all-day and one day long.");
        return 0;
    }
    if (!json_get(b->json, "workingLocationProperties") && !b->old)
        return call_fail(b->c, SOSIA_E_INVALID, reason, NULL,
                         "A working location event must have working location properties.");
    if (ev->visibility != VISIBLE_PUBLIC || !ev->free)
        return call_fail(b->c, SOSIA_E_INVALID, reason, NULL,
                         "A working location event must be public and transparent.");
    if (ev->all_day && ev->len_us != US_PER_DAY)
        return call_fail(b->c, SOSIA_E_INVALID, reason, NULL,
                         "An all-day working location event must be exactly one day long.");
    return 0;
}

int gcal_read_event(struct call *c, const struct calendar *cal, enum gcal_mode mode,
                    const struct event *old, struct event *ev)
{
    struct body b = {.c = c, .cal = cal, .mode = mode, .old = old, .ev = ev, .json = c->body};
    if (!c->body || c->body->type != JSON_OBJECT)
        return bad(&b);
    *ev = old ? *old : (struct event){0};
    bool was_day = ev->all_day;
    if (open_extra(&b) < 0 || read_members(&b) < 0 || read_times(&b) < 0)
        return -1;
    /* Events of a day have no reminders unless some are asked for, timed ones the calendar's. */
    const struct json *reminders = json_get(c->body, "reminders");
    if (reminders ? read_reminders(&b, reminders) < 0
                  : (mode != GCAL_PATCH || was_day != ev->all_day) && read_reminders(&b, NULL) < 0)
        return -1;
    if (ev->recurrence && !ev->all_day && !ev->zone)
        return required(&b, "Missing time zone definition for start time.");
    if (!old && ev->key && ev->uid) {
        if (strcmp(ev->uid, arena_printf(c->tx.arena, "%s@google.com", ev->key)) != 0)
            return invalid(&b, "Only one of id and iCalUID can be given.");
        ev->uid = NULL;
    }
    close_extra(&b);
    return check_kind(&b);
}
