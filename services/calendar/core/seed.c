/* SPDX-License-Identifier: Apache-2.0 */
/* The sections calendars and calendarSettings of seed documents, applied. Events are made in the
 * way in which people make them, so that guests have their copies; what is personal about a copy is
 * applied last. */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "identity/app.h"
#include "services/calendar/core/seed_impl.h"
#include "services/calendar/core/vendor.h"

/* A failure of the core, with its place in the document. */
static int refuse_again(struct tx *tx, struct doc *d, const struct json *at, const char *member)
{
    if (tx->err->code != SOSIA_E_INVALID && tx->err->code != SOSIA_E_CONFLICT &&
        tx->err->code != SOSIA_E_GONE)
        return -1;
    char text[sizeof tx->err->text];
    memcpy(text, tx->err->text, sizeof text);
    return doc_fail(d, at, member, "%s", text);
}

static int each(struct tx *tx, struct doc *d, const struct json *value, const char *member,
                int (*one)(struct tx *tx, struct doc *d, void *arg, const struct json *v),
                void *arg)
{
    struct doc_items it;
    if (doc_items(d, value, member, &it) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (one(tx, d, arg, item) < 0)
            return -1;
    return 0;
}

/* An address of a person of the world. */
static int person(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                  struct actor *ret)
{
    const char *email;
    if (doc_str(d, v, member, true, &email) < 0)
        return -1;
    int r = actor_by_email(tx, email, ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(d, json_get(v, member), member, "there is nobody \"%.80s\"", email);
}

static int zone_of(struct doc *d, const struct json *v, const char *member, const char **ret)
{
    const char *zone;
    if (doc_str(d, v, member, false, &zone) < 0)
        return -1;
    if (zone && !tz_find(zone))
        return doc_fail(d, json_get(v, member), member, "unknown time zone \"%.40s\"", zone);
    if (zone)
        *ret = zone;
    return 0;
}

/* A zone that replaces another one; "" removes it: an instance may be on a date. */
static int event_zone_of(struct doc *d, const struct json *v, const char *member, const char **ret)
{
    const char *zone = json_get_str(v, member);
    if (!zone || *zone)
        return zone_of(d, v, member, ret);
    *ret = NULL;
    return 0;
}

/* A text that replaces another one; "" takes it away. */
static int text_of(struct doc *d, const struct json *v, const char *member, const char **ret)
{
    const char *text;
    if (doc_str(d, v, member, false, &text) < 0)
        return -1;
    if (text)
        *ret = *text ? text : NULL;
    return 0;
}

/* An object that is kept as it is; empty: none. */
static int object_of(struct doc *d, const struct json *v, const char *member, bool texts,
                     const char **ret)
{
    const struct json *o = json_get(v, member);
    if (!o || o->type == JSON_NULL)
        return 0;
    if (o->type != JSON_OBJECT)
        return doc_fail(d, o, member, "must be an object");
    for (uint32_t i = 0; texts && i < o->n; i++)
        if (o->members[i].value.type != JSON_STRING)
            return doc_fail(d, &o->members[i].value, member, "may hold texts only");
    *ret = o->n ? json_to_text(d->arena, o) : NULL;
    return 0;
}

static int reminder_check(struct doc *d, const struct json *v)
{
    static const char *const members[] = {"method", "minutes", NULL};
    static const char *const methods[] = {"email", "popup", NULL};
    int method;
    int64_t minutes;
    return doc_object(d, v, members) < 0 || doc_enum(d, v, "method", methods, 0, &method) < 0 ||
                   doc_int(d, v, "minutes", 0, 40320, 0, &minutes) < 0
               ? -1
               : 0;
}

/* A list of reminders as the text that is stored, in normal form; "default" is NULL. */
static int reminders_of(struct doc *d, const struct json *v, const char *member, const char **ret)
{
    const struct json *r = json_get(v, member);
    struct buf b;
    int rc = 0;
    if (!r || r->type == JSON_NULL)
        return 0;
    if (r->type == JSON_STRING && strcmp(r->str, "default") == 0) {
        *ret = NULL;
        return 0;
    }
    if (r->type != JSON_ARRAY)
        return doc_fail(d, r, member, "must be a list, or \"default\"");
    buf_init(&b, 0);
    buf_byte(&b, '[');
    for (uint32_t i = 0; rc == 0 && i < r->n; i++) {
        size_t mark = doc_push(d, member, i);
        rc = reminder_check(d, &r->items[i]);
        if (rc < 0)
            break;
        int64_t minutes = 0;
        const struct json *m = json_get(&r->items[i], "minutes");
        const char *method = json_get_str(&r->items[i], "method");
        if (m)
            json_i64(m, &minutes);
        buf_printf(&b, "%s{\"method\":\"%s\",\"minutes\":%lld}", i ? "," : "",
                   method ? method : "email", (long long)minutes);
        doc_pop(d, mark);
    }
    buf_byte(&b, ']');
    if (rc == 0)
        *ret = arena_strdup(d->arena, buf_str(&b));
    buf_done(&b);
    return rc;
}

/* ---- calendars ---- */

static const char *const calendar_members[] = {
    "id",  "owner", "primary", "summary", "description", "location", "zone",
    "app", "extra", "access",  "lists",   "events",      "copies",   NULL};

static int seed_access(struct tx *tx, struct doc *d, void *arg, const struct json *v)
{
    static const char *const members[] = {"role", "person", "group", "domain", "public", NULL};
    static const char *const roles[] = CAL_ROLE_NAMES;
    const struct calendar *cal = arg;
    struct cal_access rule = {0}, known;
    int role, n = 0;
    bool all;
    if (doc_object(d, v, members) < 0 || doc_enum(d, v, "role", roles, CAL_READ, &role) < 0 ||
        doc_bool(d, v, "public", false, &all) < 0)
        return -1;
    for (int i = 0; i < 3; i++) {
        const char *who;
        if (doc_str(d, v, members[i + 1], false, &who) < 0)
            return -1;
        if (!who)
            continue;
        n++;
        rule.kind = (enum cal_access_kind)(ACCESS_PERSON + i);
        rule.who = i == 2 ? domain_normal(d->arena, who) : email_normal(d->arena, who);
        if (!rule.who)
            return doc_fail(d, json_get(v, members[i + 1]), members[i + 1], "\"%.80s\" is not %s",
                            who, i == 2 ? "a domain" : "an e-mail address");
    }
    if (all) {
        n++;
        rule.kind = ACCESS_ALL;
        rule.who = "";
    }
    if (n != 1)
        return doc_fail(d, v, NULL, "needs one of person, group, domain and public");
    rule.role = (enum cal_role)role;
    int r = cal_access_find(tx, cal, rule.kind, rule.who, &known);
    if (r == 1 && !known.id) /* the owner's, which is nowhere stored */
        return rule.role == CAL_OWN ? 0 : doc_fail(d, v, "role", "the owner has all rights");
    return r < 0 ? -1 : cal_access_set(tx, cal, &rule);
}

void cal_listing_default(const struct calendar *cal, struct cal_listing *ret)
{
    *ret = (struct cal_listing){.actor = cal->owner, .cal = *cal, .selected = true};
    if (!cal->main)
        return;
    ret->reminders = "[{\"method\":\"popup\",\"minutes\":10}]";
    ret->notices = "[{\"type\":\"eventCreation\",\"method\":\"email\"},"
                   "{\"type\":\"eventChange\",\"method\":\"email\"},"
                   "{\"type\":\"eventCancellation\",\"method\":\"email\"},"
                   "{\"type\":\"eventResponse\",\"method\":\"email\"}]";
}

/* "#16a766". */
static int rgb_of(struct doc *d, const struct json *v, const char *member, const char **ret)
{
    if (text_of(d, v, member, ret) < 0)
        return -1;
    if (*ret &&
        (strlen(*ret) != 7 || **ret != '#' || strspn(*ret + 1, "0123456789abcdefABCDEF") != 6))
        return doc_fail(d, json_get(v, member), member, "must be a color such as \"#16a766\"");
    return 0;
}

static int notice_check(struct doc *d, const struct json *v, const char **ret_type)
{
    static const char *const members[] = {"method", "type", NULL};
    static const char *const methods[] = {"email", NULL};
    static const char *const types[] = {"eventCreation", "eventChange", "eventCancellation",
                                        "eventResponse", "agenda",      NULL};
    int type, method;
    if (doc_object(d, v, members) < 0 || doc_enum(d, v, "method", methods, 0, &method) < 0 ||
        doc_enum(d, v, "type", types, -1, &type) < 0)
        return -1;
    if (type < 0)
        return doc_fail(d, v, "type", "is missing");
    *ret_type = types[type];
    return 0;
}

/* A list of notices as the text that is stored, in normal form. */
static int notices_of(struct doc *d, const struct json *v, const char **ret)
{
    const struct json *list;
    struct buf b;
    int rc = 0;
    if (doc_list(d, v, "notices", &list) < 0)
        return -1;
    if (!list)
        return 0;
    buf_init(&b, 0);
    buf_byte(&b, '[');
    for (uint32_t i = 0; rc == 0 && i < list->n; i++) {
        const char *type = NULL;
        size_t mark = doc_push(d, "notices", i);
        rc = notice_check(d, &list->items[i], &type);
        if (rc < 0)
            break;
        buf_printf(&b, "%s{\"type\":\"%s\",\"method\":\"email\"}", i ? "," : "", type);
        doc_pop(d, mark);
    }
    buf_byte(&b, ']');
    if (rc == 0)
        *ret = list->n ? arena_strdup(d->arena, buf_str(&b)) : NULL;
    buf_done(&b);
    return rc;
}

static int seed_listing(struct tx *tx, struct doc *d, void *arg, const struct json *v)
{
    static const char *const members[] = {"person",     "name",   "color",    "background",
                                          "foreground", "hidden", "selected", "reminders",
                                          "notices",    NULL};
    const struct calendar *cal = arg;
    struct cal_listing l;
    struct actor who;
    if (doc_object(d, v, members) < 0 || person(tx, d, v, "person", &who) < 0)
        return -1;
    cal_listing_default(cal, &l);
    if (who.id != cal->owner)
        l.reminders = l.notices = NULL;
    l.actor = who.id;
    if (text_of(d, v, "name", &l.name) < 0 || text_of(d, v, "color", &l.color) < 0 ||
        rgb_of(d, v, "background", &l.background) < 0 ||
        rgb_of(d, v, "foreground", &l.foreground) < 0 ||
        doc_bool(d, v, "hidden", false, &l.hidden) < 0 ||
        doc_bool(d, v, "selected", true, &l.selected) < 0 ||
        reminders_of(d, v, "reminders", &l.reminders) < 0 || notices_of(d, v, &l.notices) < 0)
        return -1;
    if (l.reminders && strcmp(l.reminders, "[]") == 0)
        l.reminders = NULL;
    return cal_listing_add(tx, &l);
}

static int new_calendar(struct tx *tx, struct doc *d, const struct json *v, const char *id,
                        struct calendar *ret)
{
    struct actor owner;
    if (person(tx, d, v, "owner", &owner) < 0)
        return -1;
    *ret = (struct calendar){.owner = owner.id, .key = id};
    ret->summary = json_get_str(v, "summary");
    if (!ret->summary)
        return doc_fail(d, v, "summary", "is missing");
    if (zone_of(d, v, "zone", &ret->zone) < 0)
        return -1;
    if (!ret->zone)
        ret->zone = owner.zone;
    return calendar_add(tx, ret) < 0 ? refuse_again(tx, d, json_get(v, "id"), "id") : 0;
}

/* First pass: the calendars themselves. *ret_id: for the next passes. */
static int seed_calendar(struct tx *tx, struct doc *d, const struct json *v, int64_t *ret_id)
{
    const char *id;
    struct calendar cal, old;
    bool primary;
    int r = 0;
    if (doc_object(d, v, calendar_members) < 0 || doc_str(d, v, "id", false, &id) < 0 ||
        doc_bool(d, v, "primary", false, &primary) < 0)
        return -1;
    if (id && (!*id || strlen(id) > 254))
        return doc_fail(d, json_get(v, "id"), "id", "must have 1 to 254 bytes");
    if (primary || !id) {
        struct actor owner;
        if (primary) {
            if (person(tx, d, v, json_get(v, "owner") ? "owner" : "id", &owner) < 0)
                return -1;
            r = calendar_of(tx, owner.id, &cal);
        }
    } else {
        r = calendar_by_key(tx, id, &cal);
    }
    if (r < 0 || (r == 0 && new_calendar(tx, d, v, id, &cal) < 0))
        return -1;
    for (uint32_t i = 0; calendar_is_made(&cal) && i < v->n; i++)
        if (strcmp(v->members[i].key, "id") != 0 && strcmp(v->members[i].key, "lists") != 0)
            return doc_fail(d, &v->members[i].value, v->members[i].key,
                            "can't be said of a calendar of public holidays");
    old = cal;
    if (doc_str(d, v, "summary", false, &id) < 0)
        return -1;
    if (id)
        cal.summary = id;
    if (text_of(d, v, "description", &cal.description) < 0 ||
        app_doc_member(tx, d, v, "app", &cal.app) < 0 ||
        text_of(d, v, "location", &cal.location) < 0 || zone_of(d, v, "zone", &cal.zone) < 0 ||
        object_of(d, v, "extra", false, &cal.extra) < 0 || calendar_save(tx, &old, &cal) < 0)
        return -1;
    *ret_id = cal.id;
    return each(tx, d, v, "access", seed_access, &cal) < 0 ||
                   each(tx, d, v, "lists", seed_listing, &cal) < 0
               ? -1
               : 0;
}

/* ---- events ---- */

/* A time: with an offset, on the wall clock of a zone, or a date. */
static int time_of(struct doc *d, const struct json *v, const char *member, const struct tz *tz,
                   bool *ret_day, int64_t *ret_us)
{
    const char *text;
    struct stamp s;
    int64_t days;
    if (doc_str(d, v, member, true, &text) < 0)
        return -1;
    size_t n = strlen(text);
    if (date_parse(text, n, &days) == 0) {
        *ret_day = true;
        *ret_us = days * US_PER_DAY;
        return 0;
    }
    /* Seconds may be left out. */
    if (n == 16 && text[10] == 'T') {
        text = arena_printf(d->arena, "%s:00", text);
        n += 3;
    }
    if (stamp_parse(text, n, true, &s) < 0)
        return doc_fail(d, json_get(v, member), member,
                        "\"%.40s\" is neither a time such as 2026-11-23T10:00 nor a date", text);
    int64_t local = s.local_us / US_PER_SECOND - (s.local_us % US_PER_SECOND < 0);
    *ret_day = false;
    *ret_us = (s.has_offset ? local - s.offset : tz_to_utc(tz, local)) * US_PER_SECOND;
    return 0;
}

static int rights_of(struct doc *d, const struct json *v, unsigned *ret)
{
    static const char *const names[] = SEED_RIGHTS;
    const char **list;
    size_t n;
    if (!json_get(v, "rights"))
        return 0;
    if (doc_strings(d, v, "rights", &list, &n) < 0)
        return -1;
    *ret = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned bit = 0;
        while (names[bit] && strcmp(names[bit], list[i]) != 0)
            bit++;
        if (!names[bit])
            return doc_fail(d, json_get(v, "rights"), "rights", "there is no right \"%.40s\"",
                            list[i]);
        *ret |= 1u << bit;
    }
    return 0;
}

static int attendees_of(struct doc *d, const struct json *v, struct cal_event *ev)
{
    static const char *const members[] = {"email",    "name",   "response", "optional",
                                          "resource", "guests", "comment",  NULL};
    static const char *const responses[] = SEED_RESPONSE;
    const struct json *list;
    if (doc_list(d, v, "attendees", &list) < 0)
        return -1;
    if (!list)
        return 0;
    ev->attendees = arena_calloc(d->arena, list->n ? list->n : 1, sizeof *ev->attendees);
    ev->n_attendees = (int)list->n;
    for (uint32_t i = 0; i < list->n; i++) {
        struct cal_attendee *a = &ev->attendees[i];
        const struct json *item = &list->items[i];
        const char *email;
        int response;
        int64_t guests;
        size_t mark = doc_push(d, "attendees", i);
        if (item->type == JSON_STRING) {
            email = item->str;
            *a = (struct cal_attendee){.response = RESPONSE_NONE};
        } else {
            if (doc_object(d, item, members) < 0 || doc_str(d, item, "email", true, &email) < 0 ||
                text_of(d, item, "name", &a->name) < 0 ||
                text_of(d, item, "comment", &a->comment) < 0 ||
                doc_enum(d, item, "response", responses, RESPONSE_NONE, &response) < 0 ||
                doc_bool(d, item, "optional", false, &a->optional) < 0 ||
                doc_bool(d, item, "resource", false, &a->resource) < 0 ||
                doc_int(d, item, "guests", 0, INT32_MAX, 0, &guests) < 0)
                return -1;
            a->response = response ? (enum cal_response)response : RESPONSE_NONE;
            a->guests = (int)guests;
        }
        a->email = email_normal(d->arena, email);
        if (!a->email)
            return doc_fail(d, item, NULL, "\"%.80s\" is not an e-mail address", email);
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(ev->attendees[k].email, a->email) == 0)
                return doc_fail(d, item, NULL, "%.80s is here twice", a->email);
        doc_pop(d, mark);
    }
    return 0;
}

static int times_of(struct doc *d, const struct json *v, const struct calendar *cal,
                    struct cal_event *ev)
{
    bool day, end_day;
    int64_t end;
    if (event_zone_of(d, v, "zone", &ev->zone) < 0 ||
        event_zone_of(d, v, "endZone", &ev->end_zone) < 0)
        return -1;
    const struct tz *tz = ev->zone ? tz_find(ev->zone) : cal->tz;
    if (json_get(v, "start")) {
        if (time_of(d, v, "start", tz, &day, &ev->start_us) < 0)
            return -1;
        if (!ev->len_us || day != ev->all_day)
            ev->len_us = day ? US_PER_DAY : 3600 * US_PER_SECOND;
        ev->all_day = day;
    }
    if (!json_get(v, "end"))
        return 0;
    if (time_of(d, v, "end", ev->end_zone ? tz_find(ev->end_zone) : tz, &end_day, &end) < 0)
        return -1;
    if (end_day != ev->all_day)
        return doc_fail(d, json_get(v, "end"), "end",
                        "start and end must both be dates or both be times");
    if (end < ev->start_us)
        return doc_fail(d, json_get(v, "end"), "end", "the end is before the start");
    ev->len_us = end - ev->start_us;
    return 0;
}

/* The fields that events, changed instances and changed copies share; what is absent stays as it
 * is. */
static int fields_of(struct tx *tx, struct doc *d, const struct json *v, const struct calendar *cal,
                     struct cal_event *ev)
{
    static const char *const statuses[] = SEED_STATUS;
    static const char *const visibilities[] = SEED_VISIBILITY;
    int status, visibility;
    bool was_day = ev->all_day, free;
    if (text_of(d, v, "summary", &ev->summary) < 0 ||
        text_of(d, v, "description", &ev->description) < 0 ||
        text_of(d, v, "location", &ev->location) < 0 || text_of(d, v, "color", &ev->color) < 0 ||
        doc_enum(d, v, "status", statuses, ev->status, &status) < 0 ||
        doc_enum(d, v, "visibility", visibilities, ev->visibility, &visibility) < 0 ||
        doc_bool(d, v, "free", ev->busy == BUSY_FREE, &free) < 0 ||
        doc_int(d, v, "sequence", 0, INT32_MAX, ev->sequence, &ev->sequence) < 0 ||
        rights_of(d, v, &ev->rights) < 0 || times_of(d, v, cal, ev) < 0)
        return -1;
    ev->status = (enum cal_event_status)status;
    ev->visibility = (enum cal_event_visibility)visibility;
    if (free != (ev->busy == BUSY_FREE))
        ev->busy = free ? BUSY_FREE : BUSY_BUSY;
    if (was_day != ev->all_day)
        ev->reminders = ev->all_day ? "[]" : NULL;
    if (reminders_of(d, v, "reminders", &ev->reminders) < 0 ||
        object_of(d, v, "ownProperties", true, &ev->own_props) < 0 ||
        object_of(d, v, "properties", true, &ev->props) < 0 ||
        object_of(d, v, "extra", false, &ev->extra) < 0 || attendees_of(d, v, ev) < 0)
        return -1;
    (void)tx;
    return 0;
}

#define SHARED_MEMBERS                                                                             \
    "summary", "start", "end", "zone", "endZone", "description", "location", "color", "status",    \
        "visibility", "free", "sequence", "rights", "attendees", "reminders", "ownProperties",     \
        "properties", "extra"

struct series_at {
    const struct calendar *cal;
    const struct cal_event *series;
};

static int seed_instance(struct tx *tx, struct doc *d, void *arg, const struct json *v)
{
    static const char *const members[] = {"originalStart", SHARED_MEMBERS, NULL};
    const struct series_at *at = arg;
    struct cal_event old, ev;
    bool day;
    int64_t us;
    const struct tz *tz = at->series->zone ? tz_find(at->series->zone) : at->cal->tz;
    if (doc_object(d, v, members) < 0 || time_of(d, v, "originalStart", tz, &day, &us) < 0)
        return -1;
    const char *key = cal_event_instance_key(tx, at->series->key, day, us);
    int r = day == at->series->all_day ? cal_event_find(tx, at->cal, key, &old) : 0;
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "originalStart"), "originalStart",
                                "the series has no instance then");
    if (cal_event_load_attendees(tx, &old) < 0)
        return -1;
    ev = old;
    int64_t sequence = old.sequence;
    if (fields_of(tx, d, v, at->cal, &ev) < 0)
        return -1;
    if (!json_get(v, "end") && json_get(v, "start"))
        ev.len_us = at->series->len_us;
    if (cal_event_save(tx, &(struct cal_event_by){0}, at->cal, &old, &ev) < 0)
        return refuse_again(tx, d, v, NULL);
    /* Moving it has increased it; the document has its value. */
    if (ev.sequence != sequence && !json_get(v, "sequence")) {
        old = ev;
        ev.sequence = sequence;
        return cal_event_save(tx, &(struct cal_event_by){0}, at->cal, &old, &ev);
    }
    return 0;
}

static int event_id(struct doc *d, const struct json *v, const char **ret)
{
    const char *id;
    if (doc_str(d, v, "id", false, &id) < 0)
        return -1;
    size_t n = id ? strlen(id) : 1;
    if (n < 1 || n > 1024 || (id && strpbrk(id, " /?#%\t\r\n")))
        return doc_fail(d, json_get(v, "id"), "id", "is not an event id");
    *ret = id;
    return 0;
}

static int recurrence_of(struct doc *d, const struct json *v, const char **ret)
{
    const char **lines;
    size_t n;
    struct buf b;
    if (doc_strings(d, v, "recurrence", &lines, &n) < 0)
        return -1;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++) {
        if (!*lines[i] || strpbrk(lines[i], "\r\n")) {
            buf_done(&b);
            return doc_fail(d, json_get(v, "recurrence"), "recurrence",
                            "a line must not be empty or broken");
        }
        buf_printf(&b, "%s%s", i ? "\n" : "", lines[i]);
    }
    *ret = n ? arena_strdup(d->arena, buf_str(&b)) : NULL;
    buf_done(&b);
    return 0;
}

/* Of an instance whose series is not in the calendar: a guest's, who was invited to it alone. */
static int original_of(struct doc *d, const struct json *v, const struct calendar *cal,
                       struct cal_event *ev)
{
    const struct tz *tz = ev->zone && tz_find(ev->zone) ? tz_find(ev->zone) : cal->tz;
    if (!json_get(v, "originalStart"))
        return 0;
    if (!ev->key)
        return doc_fail(d, v, "id", "is missing: an instance has its series' id in it");
    if (ev->recurrence)
        return doc_fail(d, json_get(v, "recurrence"), "recurrence",
                        "an instance has an originalStart, a series has not");
    ev->form = EVENT_INSTANCE;
    return time_of(d, v, "originalStart", tz, &ev->original_day, &ev->original_us);
}

static int seed_event(struct tx *tx, struct doc *d, void *arg, const struct json *v)
{
    static const char *const members[] = {"id",           "uid",     "originalStart", "kind",
                                          SHARED_MEMBERS, "creator", "organizer",     "recurrence",
                                          "instances",    NULL};
    static const char *const kinds[] = SEED_KIND;
    const struct calendar *cal = arg;
    struct cal_event ev = {0};
    int kind;
    if (doc_object(d, v, members) < 0 || event_id(d, v, &ev.key) < 0 ||
        text_of(d, v, "uid", &ev.uid) < 0 || doc_enum(d, v, "kind", kinds, 0, &kind) < 0 ||
        text_of(d, v, "creator", &ev.creator) < 0 ||
        text_of(d, v, "organizer", &ev.organizer) < 0 || recurrence_of(d, v, &ev.recurrence) < 0)
        return -1;
    if (!json_get(v, "start"))
        return doc_fail(d, v, "start", "is missing");
    ev.kind = (enum cal_event_kind)kind;
    if (fields_of(tx, d, v, cal, &ev) < 0 || original_of(d, v, cal, &ev) < 0)
        return -1;
    if (cal_event_add(tx, &(struct cal_event_by){0}, cal, &ev) < 0)
        return refuse_again(
            tx, d, v, ev.recurrence && tx->err->code == SOSIA_E_INVALID ? "recurrence" : "id");
    struct series_at at = {cal, &ev};
    if (!json_get(v, "instances"))
        return 0;
    if (ev.form != EVENT_SERIES)
        return doc_fail(d, json_get(v, "instances"), "instances", "only a series has instances");
    return each(tx, d, v, "instances", seed_instance, &at);
}

/* What is personal about a guest's copy, or was changed in it. */
static int seed_copy(struct tx *tx, struct doc *d, void *arg, const struct json *v)
{
    static const char *const members[] = {"id", "removed", SHARED_MEMBERS, NULL};
    const struct calendar *cal = arg;
    struct cal_event old, ev;
    const char *id;
    bool removed;
    if (doc_object(d, v, members) < 0 || doc_str(d, v, "id", true, &id) < 0 ||
        doc_bool(d, v, "removed", false, &removed) < 0)
        return -1;
    int r = cal_event_find(tx, cal, id, &old);
    if (r < 0)
        return -1;
    if (r == 0 || !old.origin)
        return doc_fail(d, json_get(v, "id"), "id",
                        "there is no copy of an invitation with this id");
    if (removed)
        return cal_event_cancel(tx, &(struct cal_event_by){0}, cal, &old) < 0
                   ? refuse_again(tx, d, v, "removed")
                   : 0;
    if (json_get(v, "attendees") || json_get(v, "rights"))
        return doc_fail(d, v, NULL, "guests and rights are the organizer's");
    if (cal_event_load_attendees(tx, &old) < 0)
        return -1;
    ev = old;
    int64_t sequence = old.sequence;
    if (fields_of(tx, d, v, cal, &ev) < 0)
        return -1;
    if (cal_event_save(tx, &(struct cal_event_by){0}, cal, &old, &ev) < 0)
        return refuse_again(tx, d, v, NULL);
    if (ev.sequence != sequence && !json_get(v, "sequence")) {
        old = ev;
        ev.sequence = sequence;
        return cal_event_save(tx, &(struct cal_event_by){0}, cal, &old, &ev);
    }
    return 0;
}

int calendars_seed(struct tx *tx, struct doc *d, const struct json *value)
{
    if (!value || value->type == JSON_NULL)
        return 0;
    if (value->type != JSON_ARRAY)
        return doc_fail(d, value, NULL, "must be a list");
    int64_t *ids = arena_calloc(tx->arena, value->n ? value->n : 1, sizeof *ids);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < value->n; i++) {
            struct calendar cal;
            const struct json *v = &value->items[i];
            doc_pop(d, 0);
            doc_push(d, "calendars", i);
            int rc =
                pass == 0 ? seed_calendar(tx, d, v, &ids[i]) : calendar_by_id(tx, ids[i], &cal);
            if (rc >= 0 && pass == 1)
                rc = each(tx, d, v, "events", seed_event, &cal);
            if (rc >= 0 && pass == 2)
                rc = each(tx, d, v, "copies", seed_copy, &cal);
            if (rc < 0)
                return -1;
        }
    }
    return 0;
}
