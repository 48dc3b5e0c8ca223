/* SPDX-License-Identifier: Apache-2.0 */
/* The calendars on the caller's list. */
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/params.h"
#include "services/calendar/google/scopes.h"
#include <stdio.h>
#include <stdlib.h>

/* The color of a calendar without a chosen one: always the same one, most calendars of a list
 * with different ones. */
static const char *default_color(const struct calendar *cal)
{
    static const char *const ids[] = {"14", "24", "17", "16", "7", "22",
                                      "21", "8",  "12", "4",  "9", "18"};
    if (calendar_is_made(cal))
        return "8";
    return ids[cal->main ? 0 : 1 + cal->id % (int64_t)(SOSIA_LEN(ids) - 1)];
}

static int write_listing(struct call *c, const char *key, const struct gcal_listing *l)
{
    struct json_writer *w = c->out;
    const struct calendar *cal = &l->cal;
    const char *color = l->color ? l->color : default_color(cal);
    const struct gcal_color *look = gcal_calendar_color(color);
    struct actor owner = {0};
    json_obj(w, key);
    json_str(w, "kind", "calendar#calendarListEntry");
    json_str(w, "etag", gcal_etag_number(c->tx.arena, l->updated_us));
    json_str(w, "id", cal->key);
    if (l->gone) {
        gcal_write_reminders(w, "defaultReminders", NULL);
        json_bool(w, "deleted", true);
        json_end(w);
        return 0;
    }
    if (actor_by_id(&c->tx, cal->owner, &owner) < 0)
        return -1;
    json_str(w, "summary", cal->summary);
    json_str_opt(w, "description", cal->description);
    json_str_opt(w, "location", cal->location);
    json_str(w, "timeZone", cal->zone);
    if (!cal->main)
        json_str_opt(w, "dataOwner", owner.email);
    json_str_opt(w, "summaryOverride", l->name);
    json_str(w, "colorId", color);
    json_str(w, "backgroundColor",
             l->background ? l->background
             : look        ? look->background
                           : "#9fe1e7");
    json_str(w, "foregroundColor", l->foreground ? l->foreground : "#000000");
    json_bool_opt(w, "hidden", l->hidden);
    json_bool_opt(w, "selected", l->selected && !l->hidden);
    json_str(w, "accessRole", gcal_role(cal->role));
    gcal_write_reminders(w, "defaultReminders", l->reminders);
    if (l->notices) {
        json_obj(w, "notificationSettings");
        json_raw(w, "notifications", l->notices, strlen(l->notices));
        json_end(w);
    }
    json_bool_opt(w, "primary", cal->main && cal->owner == c->actor.id);
    gcal_write_conference_properties(w);
    const struct json *extra = NULL;
    struct sosia_err err;
    if (cal->extra &&
        json_parse(c->tx.arena, cal->extra, strlen(cal->extra), NULL, &extra, &err) < 0)
        extra = NULL;
    json_bool_opt(w, "autoAcceptInvitations", gcal_accepts(extra));
    json_end(w);
    return 0;
}

/* The entry that the path names. */
static int find_entry(struct call *c, struct gcal_listing *ret)
{
    struct calendar cal;
    if (gcal_open(c, CAL_FREEBUSY, &cal) < 0)
        return -1;
    int r = gcal_listing_find(&c->tx, &c->actor, &cal, ret);
    if (r == 1 && !ret->gone)
        return 0;
    return r < 0 ? -1 : call_fail(c, SOSIA_E_NOT_FOUND, "notFound", NULL, "Not Found");
}

static int answer_entry(struct call *c, const struct gcal_listing *l)
{
    c->etag = gcal_etag_number(c->tx.arena, l->updated_us);
    return write_listing(c, NULL, l);
}

static int calendar_list_get(struct call *c)
{
    struct gcal_listing l;
    return find_entry(c, &l) < 0 ? -1 : answer_entry(c, &l);
}

/* ---- the list ---- */

static enum cal_role min_role(const struct call *c)
{
    const char *name = param_str(c, "minAccessRole");
    for (int role = CAL_FREEBUSY; name && role <= CAL_OWN; role++)
        if (strcmp(gcal_role((enum cal_role)role), name) == 0)
            return (enum cal_role)role;
    return CAL_NONE;
}

/* Newest change of any entry of the list. */
static int newest(struct call *c, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select max(change) from gcal_listing where actor = :actor");
    return TX_INT(&c->tx, &q, ret, c->actor.id) < 0 ? -1 : 0;
}

static bool shown(const struct call *c, const struct gcal_listing *l, bool sync)
{
    if (l->cal.role < min_role(c) && !l->gone)
        return false;
    if (sync)
        return true;
    if (l->gone)
        return param_bool(c, "showDeleted") && min_role(c) == CAL_NONE;
    return !l->hidden || param_bool(c, "showHidden");
}

/* Gives up to limit entries that changed after this, in the service's order: that of their changes.
 * *ret_after: the change of the last one looked at, -1 when there are no more. */
static int collect(struct call *c, int64_t after, bool sync, size_t limit,
                   struct gcal_listing **ret, size_t *ret_n, int64_t *ret_after)
{
    size_t n = 0, room = 0, got;
    struct gcal_listing *some, *list = NULL;
    for (;;) {
        if (gcal_listing_list(&c->tx, &c->actor, after, limit + 1, &some, &got) < 0)
            return -1;
        for (size_t i = 0; i < got; i++) {
            if (shown(c, &some[i], sync)) {
                if (n == limit) {
                    *ret = list;
                    *ret_after = after;
                    *ret_n = n;
                    return 0;
                }
                if (!(list = arena_grow(c->tx.arena, list, n, &room, sizeof *list)))
                    return sosia_fail_memory(c->tx.err);
                list[n++] = some[i];
            }
            after = some[i].change;
        }
        if (got < limit + 1)
            break;
    }
    *ret = list;
    *ret_after = -1;
    *ret_n = n;
    return 0;
}

static int calendar_list_list(struct call *c)
{
    static const char *const forbidden[] = {"minAccessRole", NULL};
    const char *position, *next = NULL;
    long long after = -1, snapshot = 0;
    int64_t changed = -1, change = 0, last = -1;
    size_t limit = gcal_limit(c, 100, 250), n = 0;
    struct gcal_listing *list;
    if (gcal_user(c) < 0 || newest(c, &change) < 0)
        return -1;
    int sync = gcal_sync_from(c, "calendarList", 0, &changed);
    if (sync < 0 || (sync && gcal_sync_alone(c, forbidden) < 0))
        return -1;
    if (sync && ((param_given(c, "showDeleted") && !param_bool(c, "showDeleted")) ||
                 (param_given(c, "showHidden") && !param_bool(c, "showHidden"))))
        return call_fail(c, SOSIA_E_INVALID, "badRequest", NULL, GCAL_SYNC_RESTRICTED);
    int paged = google_page_position(c, &position);
    if (paged < 0)
        return -1;
    if (sync)
        after = changed;
    snapshot = change;
    if (paged && sscanf(position, "%lld %lld", &snapshot, &after) != 2)
        return call_fail(c, SOSIA_E_INVALID, "invalid", "pageToken", "Invalid Value");
    if (collect(c, after, sync, limit, &list, &n, &last) < 0)
        return -1;
    if (last >= 0)
        next =
            google_page_token(c, arena_printf(c->tx.arena, "%lld %lld", snapshot, (long long)last));
    json_obj(c->out, NULL);
    json_str(c->out, "kind", "calendar#calendarList");
    json_str(c->out, "etag", gcal_etag_list(c->tx.arena, "calendarList", c->actor.id, change));
    if (next)
        json_str(c->out, "nextPageToken", next);
    else
        json_str(c->out, "nextSyncToken", gcal_sync_token(c, "calendarList", snapshot, 0));
    json_arr(c->out, "items");
    for (size_t i = 0; i < n; i++)
        if (write_listing(c, NULL, &list[i]) < 0)
            return -1;
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- changes ---- */

static void read_bool(const struct json *body, const char *name, bool clear, bool *ret)
{
    const struct json *v = json_get(body, name);
    if (v || clear)
        *ret = v && v->truth;
}

static void read_entry_text(const struct json *body, const char *name, bool clear, const char **ret)
{
    const struct json *v = json_get(body, name);
    if (v || clear)
        *ret = v && v->type == JSON_STRING && v->n ? v->str : NULL;
}

static int read_rgb(struct call *c, const struct json *body, const char *name, const char **ret)
{
    read_entry_text(body, name, false, ret);
    if (*ret &&
        (strlen(*ret) != 7 || (*ret)[0] != '#' || strspn(*ret + 1, "0123456789abcdefABCDEF") != 6))
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
    return 0;
}

/* Either a number of the palette or, if the caller selects that, the colors themselves. */
static int read_colors(struct call *c, const struct json *body, struct gcal_listing *l)
{
    const char *id = NULL;
    if (param_bool(c, "colorRgbFormat") &&
        (json_get(body, "backgroundColor") || json_get(body, "foregroundColor"))) {
        if (read_rgb(c, body, "backgroundColor", &l->background) < 0 ||
            read_rgb(c, body, "foregroundColor", &l->foreground) < 0)
            return -1;
        if (l->background)
            l->color = gcal_nearest_color(l->background);
        return 0;
    }
    if (!json_get(body, "colorId"))
        return 0;
    read_entry_text(body, "colorId", true, &id);
    if (id && !gcal_calendar_color(id))
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
    if (l->color || !id || strcmp(id, default_color(&l->cal)) != 0) /* its present value is not a
                                                                       change */
        l->color = id;
    l->background = l->foreground = NULL;
    return 0;
}

static int read_notices(struct call *c, const struct json *body, bool clear, const char **ret)
{
    const struct json *settings = json_get(body, "notificationSettings");
    const struct json *list = json_get(settings, "notifications");
    struct buf b;
    int rc = 0;
    int64_t cleared;
    if (!settings && clear) {
        if (gcal_option(&c->tx, GCAL_UPDATE_NOTICES, &cleared) < 0)
            return -1;
        clear = cleared;
    }
    if (!settings && !clear)
        return 0;
    *ret = NULL;
    if (!list || !list->n)
        return 0;
    buf_init(&b, 0);
    buf_byte(&b, '[');
    for (uint32_t i = 0; rc == 0 && i < list->n; i++) {
        const char *type = json_get_str(&list->items[i], "type");
        const char *method = json_get_str(&list->items[i], "method");
        if (!type || !method || strcmp(method, "email") != 0)
            rc = call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
        else
            buf_printf(&b, "%s{\"type\":\"%s\",\"method\":\"email\"}", i ? "," : "", type);
    }
    buf_byte(&b, ']');
    if (rc == 0)
        *ret = arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    return rc;
}

static int read_entry(struct call *c, bool clear, struct gcal_listing *l)
{
    const struct json *body = call_body(c);
    bool selected = l->selected;
    if (!body)
        return -1;
    read_entry_text(body, "summaryOverride", clear, &l->name);
    read_bool(body, "hidden", clear, &l->hidden);
    read_bool(body, "selected", clear, &l->selected);
    if (l->hidden) /* what is not shown among the others is as it was when it is shown again */
        l->selected = selected;
    if (read_colors(c, body, l) < 0 || read_notices(c, body, clear, &l->notices) < 0)
        return -1;
    if (clear || json_get(body, "defaultReminders")) {
        if (gcal_read_reminders(c, json_get(body, "defaultReminders"), &l->reminders) < 0)
            return -1;
        if (strcmp(l->reminders, "[]") == 0)
            l->reminders = NULL;
    }
    return 0;
}

static int calendar_list_insert(struct call *c)
{
    struct gcal_listing l = {.actor = c->actor.id}, there;
    const struct json *body;
    if (gcal_user(c) < 0 || !(body = call_body(c)))
        return -1;
    const char *id = json_get_str(body, "id");
    if (!id || !*id)
        return call_fail(c, SOSIA_E_INVALID, "required", NULL, "Missing calendar id.");
    if (gcal_open_key(c, id, CAL_FREEBUSY, &l.cal) < 0)
        return -1;
    int r = gcal_listing_find(&c->tx, &c->actor, &l.cal, &there);
    if (r < 0)
        return -1;
    bool is_there = r && !there.gone;
    if (is_there)
        l = there;
    if (read_entry(c, false, &l) < 0 ||
        (is_there ? gcal_listing_save(&c->tx, &there, &l) : gcal_listing_add(&c->tx, &l)) < 0)
        return -1;
    return answer_entry(c, &l);
}

static int change_entry(struct call *c, bool clear)
{
    struct gcal_listing old, l;
    if (find_entry(c, &old) < 0 ||
        google_if_match(c, gcal_etag_number(c->tx.arena, old.updated_us)) < 0)
        return -1;
    l = old;
    if (read_entry(c, clear, &l) < 0 || gcal_listing_save(&c->tx, &old, &l) < 0)
        return -1;
    return answer_entry(c, &l);
}

static int calendar_list_patch(struct call *c)
{
    return change_entry(c, false);
}

/* The alias of the primary calendar is refused here, and nowhere else (reported). */
static int calendar_list_update(struct call *c)
{
    int64_t taken = 1;
    if (strcmp(param_str(c, "calendarId"), "primary") == 0 &&
        gcal_option(&c->tx, GCAL_UPDATE_PRIMARY, &taken) < 0)
        return -1;
    if (!taken)
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid resource id value.");
    return change_entry(c, true);
}

static int calendar_list_delete(struct call *c)
{
    struct gcal_listing l;
    if (find_entry(c, &l) < 0)
        return -1;
    if (l.cal.owner == c->actor.id)
        return l.cal.main ? call_fail(c, SOSIA_E_FORBIDDEN, "cannotChangeOwnPrimarySubscription",
                                      NULL, "The own primary calendar cannot be unsubscribed.")
                          : call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", NULL, "Forbidden");
    if (google_if_match(c, gcal_etag_number(c->tx.arena, l.updated_us)) < 0 ||
        gcal_listing_remove(&c->tx, &l) < 0)
        return -1;
    c->status = 204;
    return 0;
}

static int calendar_list_watch(struct call *c)
{
    int64_t changed;
    if (gcal_user(c) < 0 || gcal_sync_from(c, "calendarList", 0, &changed) < 0)
        return -1;
    return google_channel_watch(c, GCAL_CHANGED_LIST, c->actor.id);
}

/* ---- rows ---- */

static const char *const access_roles[] = {"freeBusyReader", "owner", "reader", "writer", NULL};

static const struct param calendar_list_delete_params[] = {
    CALENDAR_ID,
};

static const struct param calendar_list_insert_params[] = {
    {.name = "colorRgbFormat", .place = IN_QUERY, .type = PARAM_BOOL},
};

static const struct param calendar_list_list_params[] = {
    MAX_RESULTS,
    {.name = "minAccessRole", .place = IN_QUERY, .type = PARAM_ENUM, .values = access_roles},
    {.name = "pageToken", .place = IN_QUERY},
    {.name = "showDeleted", .place = IN_QUERY, .type = PARAM_BOOL},
    {.name = "showHidden", .place = IN_QUERY, .type = PARAM_BOOL},
    {.name = "syncToken", .place = IN_QUERY},
    {.name = "showOwnOrganizationOnly", .place = IN_QUERY, .type = PARAM_BOOL},
};

static const struct param calendar_list_patch_params[] = {
    CALENDAR_ID,
    {.name = "colorRgbFormat", .place = IN_QUERY, .type = PARAM_BOOL},
};

static const struct route methods[] = {
    {ROUTE("calendar.calendarList.delete", DELETE,
           "/calendar/v3/users/me/calendarList/{calendarId}"),
     .handler = calendar_list_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = CALENDAR " " APP_CREATED " " CALENDARLIST, PARAMS(calendar_list_delete_params),
     .summary = "Remove a calendar from the list"},
    {ROUTE("calendar.calendarList.get", GET, "/calendar/v3/users/me/calendarList/{calendarId}"),
     .handler = calendar_list_get, .risk = RISK_READ,
     .scopes = CALENDAR " " APP_CREATED " " CALENDARLIST " " CALENDARLIST_READONLY " " READONLY,
     PARAMS(calendar_list_delete_params), .response = "CalendarListEntry",
     .summary = "An entry of the calendar list"},
    {ROUTE("calendar.calendarList.insert", POST, "/calendar/v3/users/me/calendarList"),
     .handler = calendar_list_insert, .risk = RISK_WRITE, .idempotent = true,
     .body = BODY_JSON_OPTIONAL, .scopes = CALENDAR " " CALENDARLIST,
     PARAMS(calendar_list_insert_params), .request = "CalendarListEntry",
     .response = "CalendarListEntry", .summary = "Add a calendar to the list"},
    {ROUTE("calendar.calendarList.list", GET, "/calendar/v3/users/me/calendarList"),
     .handler = calendar_list_list, .risk = RISK_READ,
     .scopes = CALENDAR " " CALENDARLIST " " CALENDARLIST_READONLY " " READONLY,
     PARAMS(calendar_list_list_params), .response = "CalendarList",
     .summary = "The calendars on the list"},
    {ROUTE("calendar.calendarList.patch", PATCH, "/calendar/v3/users/me/calendarList/{calendarId}"),
     .handler = calendar_list_patch, .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON,
     .scopes = CALENDAR " " APP_CREATED " " CALENDARLIST, PARAMS(calendar_list_patch_params),
     .request = "CalendarListEntry", .response = "CalendarListEntry",
     .summary = "Change an entry of the calendar list"},
    {ROUTE("calendar.calendarList.update", PUT, "/calendar/v3/users/me/calendarList/{calendarId}"),
     .handler = calendar_list_update, .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON,
     .scopes = CALENDAR " " APP_CREATED " " CALENDARLIST, PARAMS(calendar_list_patch_params),
     .request = "CalendarListEntry", .response = "CalendarListEntry",
     .summary = "Replace an entry of the calendar list"},
    {ROUTE("calendar.calendarList.watch", POST, "/calendar/v3/users/me/calendarList/watch"),
     .handler = calendar_list_watch, .risk = RISK_EXTERNAL, .needs_body = true,
     .body = BODY_JSON_OPTIONAL,
     .scopes = CALENDAR " " CALENDARLIST " " CALENDARLIST_READONLY " " READONLY,
     PARAMS(calendar_list_list_params), .request = "Channel", .response = "Channel",
     .summary = "Watch for changes to the calendar list"},
};

const struct rows gcal_calendar_list = ROWS(methods);
