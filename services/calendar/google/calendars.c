/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars themselves. */
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/params.h"
#include "services/calendar/google/scopes.h"

static const char *calendar_etag(struct call *c, const struct calendar *cal)
{
    return gcal_etag_hash(c->tx.arena, "calendar", cal->id, cal->updated_us);
}

static int write_calendar(struct call *c, const struct calendar *cal)
{
    struct json_writer *w = c->out;
    const struct json *extra = NULL;
    struct actor owner = {0};
    struct sosia_err err;
    if (actor_by_id(&c->tx, cal->owner, &owner) < 0)
        return -1;
    if (cal->extra &&
        json_parse(c->tx.arena, cal->extra, strlen(cal->extra), NULL, &extra, &err) < 0)
        extra = NULL;
    c->etag = calendar_etag(c, cal);
    json_obj(w, NULL);
    json_str(w, "kind", "calendar#calendar");
    json_str(w, "etag", c->etag);
    json_str(w, "id", cal->key);
    json_str(w, "summary", cal->summary);
    json_str_opt(w, "description", cal->description);
    json_str_opt(w, "location", cal->location);
    json_str(w, "timeZone", cal->zone);
    if (!cal->main)
        json_str_opt(w, "dataOwner", owner.email);
    gcal_write_conference_properties(w);
    json_bool_opt(w, "autoAcceptInvitations", gcal_accepts(extra));
    if (json_get(extra, "labelProperties"))
        json_value(w, "labelProperties", json_get(extra, "labelProperties"));
    json_end(w);
    return 0;
}

static int calendars_get(struct call *c)
{
    struct calendar cal;
    return gcal_open(c, CAL_FREEBUSY, &cal) < 0 ? -1 : write_calendar(c, &cal);
}

/* ---- changes ---- */

/* A string that is to be set; absent: unchanged unless clear. */
static void read_calendar_text(const struct json *body, const char *name, bool clear,
                               const char **ret)
{
    const struct json *v = json_get(body, name);
    if (v || clear)
        *ret = v && v->type != JSON_NULL && v->n ? v->str : NULL;
}

/* Writes v without what its schema does not name, which is passed over; of a name that is there
 * more than once, the last one counts. */
static void write_known(struct call *c, struct json_writer *w, const char *name, const char *type,
                        const struct json *v)
{
    const struct schema *s = dialect_schema(c->dialect, type);
    if (!s || v->type != JSON_OBJECT) {
        json_value(w, name, v);
        return;
    }
    json_obj(w, name);
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        const struct field *f = s->fields, *end = s->fields + s->n_fields;
        while (f < end && strcmp(f->name, m->key) != 0)
            f++;
        if (f == end || json_get(v, m->key) != &m->value)
            continue;
        if (!f->list || m->value.type != JSON_ARRAY) {
            write_known(c, w, m->key, f->type, &m->value);
            continue;
        }
        json_arr(w, m->key);
        for (uint32_t k = 0; k < m->value.n; k++)
            write_known(c, w, NULL, f->type, &m->value.items[k]);
        json_end(w);
    }
    json_end(w);
}

/* autoAcceptInvitations and labelProperties are kept as they come. */
static void read_extra(struct call *c, const struct json *body, bool clear, struct calendar *cal)
{
    static const char *const names[] = {"autoAcceptInvitations", "labelProperties"};
    const struct json *old = NULL;
    struct sosia_err err;
    struct json_writer w;
    struct buf b;
    bool any = false;
    if (cal->extra)
        json_parse(c->tx.arena, cal->extra, strlen(cal->extra), NULL, &old, &err);
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        const struct json *v = json_get(body, names[i]);
        if (!v && !clear)
            v = json_get(old, names[i]);
        if (v && v->type != JSON_NULL) {
            write_known(c, &w, names[i], i ? "LabelProperties" : "", v);
            any = true;
        }
    }
    json_end(&w);
    cal->extra = any ? arena_strdup(c->tx.arena, buf_str(&b)) : NULL;
    buf_done(&b);
}

/* clear: what is absent is taken away. */
static int read_calendar(struct call *c, bool clear, struct calendar *cal)
{
    const char *zone = cal->zone;
    const struct json *body = call_body(c);
    if (!body)
        return -1;
    read_calendar_text(body, "summary", clear, &cal->summary);
    read_calendar_text(body, "description", clear, &cal->description);
    read_calendar_text(body, "location", clear, &cal->location);
    read_calendar_text(body, "timeZone", false, &zone);
    read_extra(c, body, clear, cal);
    if (!cal->summary)
        return call_fail(c, SOSIA_E_INVALID, "required", NULL, "Missing title.");
    if (zone && !tz_find(zone))
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid time zone definition.");
    if (zone)
        cal->zone = zone;
    return 0;
}

static int calendars_insert(struct call *c)
{
    struct calendar cal = {.owner = c->actor.id, .app = gcal_app(c)};
    if (gcal_user(c) < 0 || read_calendar(c, true, &cal) < 0)
        return -1;
    if (calendar_add(&c->tx, &cal) < 0)
        return gcal_refused(c);
    return write_calendar(c, &cal);
}

static int change_calendar(struct call *c, bool clear)
{
    struct calendar old, cal;
    if (gcal_open(c, CAL_OWN, &old) < 0 || google_if_match(c, calendar_etag(c, &old)) < 0)
        return -1;
    cal = old;
    if (read_calendar(c, clear, &cal) < 0 || calendar_save(&c->tx, &old, &cal) < 0)
        return -1;
    return write_calendar(c, &cal);
}

static int calendars_patch(struct call *c)
{
    return change_calendar(c, false);
}

static int calendars_update(struct call *c)
{
    return change_calendar(c, true);
}

static int calendars_delete(struct call *c)
{
    struct calendar cal;
    if (gcal_open(c, CAL_OWN, &cal) < 0)
        return -1;
    if (cal.main)
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotDeletePrimaryCalendar", NULL,
                         "The primary calendar cannot be deleted.");
    if (google_if_match(c, calendar_etag(c, &cal)) < 0 || calendar_delete(&c->tx, &cal) < 0)
        return -1;
    c->status = 204;
    return 0;
}

static int calendars_clear(struct call *c)
{
    struct calendar cal;
    if (gcal_open(c, CAL_OWN, &cal) < 0)
        return -1;
    if (!cal.main) /* in these words, though it is a secondary one that is not cleared (reported) */
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Cannot clear primary calendar.");
    if (calendar_clear(&c->tx, &cal) < 0)
        return -1;
    c->status = 204;
    return 0;
}

/* The old owner stays on with full rights, as a rule. */
static int calendars_transfer_ownership(struct call *c)
{
    struct calendar old, cal;
    struct actor owner;
    if (gcal_open(c, CAL_OWN, &old) < 0)
        return -1;
    if (!param_bool(c, "useAdminAccess") || old.owner != c->actor.id)
        return call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", NULL, "Forbidden");
    if (old.main)
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
    int r = actor_by_email(&c->tx, param_str(c, "newDataOwner"), &owner);
    if (r < 0)
        return -1;
    if (!r || strcmp(owner.kind, "person") != 0)
        return call_fail(c, SOSIA_E_INVALID, "invalid", "newDataOwner", "Invalid Value");
    cal = old;
    cal.owner = owner.id;
    struct cal_access rule = {.kind = ACCESS_PERSON, .who = c->actor.email, .role = CAL_OWN};
    struct gcal_listing l = {.actor = owner.id, .cal = cal, .selected = true};
    if (owner.id != old.owner) {
        struct gcal_listing there;
        if (calendar_save(&c->tx, &old, &cal) < 0 || cal_access_drop_owner(&c->tx, &cal) < 0 ||
            cal_access_set(&c->tx, &cal, &rule) < 0)
            return -1;
        r = gcal_listing_find(&c->tx, &owner, &cal, &there);
        if (r < 0 || ((!r || there.gone) && gcal_listing_add(&c->tx, &l) < 0))
            return -1;
    }
    c->status = 204;
    return 0;
}

/* ---- rows ---- */

static const struct param calendar_params[] = {
    CALENDAR_ID,
};

static const struct param calendars_transfer_ownership_params[] = {
    CALENDAR_ID,
    {.name = "newDataOwner", .place = IN_QUERY, .required = true},
    {.name = "useAdminAccess", .place = IN_QUERY, .type = PARAM_BOOL, .required = true},
};

static const struct route methods[] = {
    {ROUTE("calendar.calendars.clear", POST, "/calendar/v3/calendars/{calendarId}/clear"),
     .handler = calendars_clear, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = CALENDAR " " CALENDARS, PARAMS(calendar_params),
     .summary = "Delete all events of the primary calendar"},
    {ROUTE("calendar.calendars.delete", DELETE, "/calendar/v3/calendars/{calendarId}"),
     .handler = calendars_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = CALENDAR " " APP_CREATED " " CALENDARS, PARAMS(calendar_params),
     .summary = "Delete a secondary calendar"},
    {ROUTE("calendar.calendars.get", GET, "/calendar/v3/calendars/{calendarId}"),
     .handler = calendars_get, .risk = RISK_READ,
     .scopes = CALENDAR " " APP_CREATED " " CALENDARS " " CALENDARS_READONLY " " READONLY,
     PARAMS(calendar_params), .response = "Calendar", .summary = "The properties of a calendar"},
    {ROUTE("calendar.calendars.insert", POST, "/calendar/v3/calendars"),
     .handler = calendars_insert, .risk = RISK_WRITE, .body = BODY_JSON,
     .scopes = CALENDAR " " APP_CREATED " " CALENDARS, .request = "Calendar",
     .response = "Calendar", .summary = "Create a secondary calendar"},
    {ROUTE("calendar.calendars.patch", PATCH, "/calendar/v3/calendars/{calendarId}"),
     .handler = calendars_patch, .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON,
     .scopes = CALENDAR " " APP_CREATED " " CALENDARS, PARAMS(calendar_params),
     .request = "Calendar", .response = "Calendar", .summary = "Change properties of a calendar"},
    {ROUTE("calendar.calendars.transferOwnership", POST,
           "/calendar/v3/calendars/{calendarId}/transferOwnership"),
     .handler = calendars_transfer_ownership, .risk = RISK_EXTERNAL,
     .scopes = CALENDAR " " CALENDARS, PARAMS(calendars_transfer_ownership_params),
     .summary = "Transfer a calendar to another owner"},
    {ROUTE("calendar.calendars.update", PUT, "/calendar/v3/calendars/{calendarId}"),
     .handler = calendars_update, .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON,
     .scopes = CALENDAR " " APP_CREATED " " CALENDARS, PARAMS(calendar_params),
     .request = "Calendar", .response = "Calendar",
     .summary = "Replace the properties of a calendar"},
};

const struct rows gcal_calendars = ROWS(methods);
