/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars and their groups. */
#include "engine/base/codec.h"
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/params.h"
#include "services/calendar/outlook/seed.h"

#define OWN_GROUP "0006f0b7-0000-0000-c000-000000000046" /* "My Calendars" */

static const char *const colors[] = {"auto",       "lightBlue",   "lightGreen", "lightOrange",
                                     "lightGray",  "lightYellow", "lightTeal",  "lightPink",
                                     "lightBrown", "lightRed",    "maxColor",   NULL};

/* ---- writing ---- */

static const struct json *extra_of(struct arena *a, const struct calendar *cal)
{
    const struct json *extra = NULL;
    struct sosia_err err;
    if (cal->extra && json_parse(a, cal->extra, strlen(cal->extra), NULL, &extra, &err) < 0)
        return NULL;
    return extra;
}

/* The key of a calendar's group; NULL: the first one. */
static const char *group_of(struct arena *a, const struct calendar *cal)
{
    return json_get_str(extra_of(a, cal), "group");
}

static const char *group_class(struct arena *a, const char *key)
{
    return key ? graph_guid(a, "calendar group", key) : OWN_GROUP;
}

static int write_members(struct ocal_at *at, const struct odata_query *q,
                         const struct calendar *cal)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const struct json *extra = extra_of(a, cal);
    const char *color = json_get_str(extra, "color"), *hex = json_get_str(extra, "hexColor");
    const struct actor *owner = &at->user.actor;
    const bool main = cal->main || at->group_role;
    json_str(w, "id", ocal_calendar_id(at, cal->id));
    json_str(w, "name", cal->summary);
    json_str(w, "color", color ? color : "auto");
    json_str(w, "hexColor", hex ? hex : "");
    json_str(w, "groupClassId", group_class(a, group_of(a, cal)));
    json_bool(w, "isDefaultCalendar", main);
    json_str(w, "changeKey", graph_change_key(a, &at->store, cal->change));
    json_bool(w, "canShare", cal->role == CAL_OWN);
    json_bool(w, "canViewPrivateItems",
              cal->role == CAL_OWN || (cal->role == CAL_WRITE && cal->beyond & CAL_PRIVATE));
    json_bool(w, "canEdit", cal->role >= CAL_WRITE);
    json_arr(w, "allowedOnlineMeetingProviders");
    json_word(w, NULL, "teamsForBusiness");
    json_end(w);
    json_word(w, "defaultOnlineMeetingProvider", "teamsForBusiness");
    json_bool(w, "isTallyingResponses", main);
    json_bool(w, "isRemovable", !main);
    json_obj(w, "owner");
    json_str(w, "name", owner->name && *owner->name ? owner->name : owner->email);
    json_str(w, "address", owner->email);
    json_end(w);
    return ocal_write_kept(at->c, q, false, cal->extra);
}

static int answer_one(struct ocal_at *at, const char *what, const struct odata_query *q)
{
    struct call *c = at->c;
    if (q && ocal_select(c, q, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/%s%s/$entity", ocal_set(at), graph_key(c->tx.arena, at->user.key), what,
                  q ? odata_context(c->tx.arena, q) : "");
    int r = write_members(at, q, &at->cal);
    json_end(c->out);
    return r;
}

/* ---- lists ---- */

/* The group of the path; the first one has no row. 0, -1. */
static int path_group(struct ocal_at *at, struct ocal_group *ret)
{
    const char *id = param_str(at->c, "calendarGroup-id");
    struct graph_item item;
    *ret = (struct ocal_group){.name = "My Calendars"};
    int r = graph_item_read(&at->store, id, &item);
    if (r < 0 || (r == 1 && item.folder != STORE_CALENDAR_GROUPS))
        return graph_bad_id(at->c);
    if (r == 1 && item.item)
        r = stored_get(&at->c->tx, &ocal_groups_stored, item.item, ret);
    if (r == 1 && item.item && ret->account != at->user.account.id)
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(at->c);
}

/* Whether a filter asks for the calendar: 1, 0, -1. */
static int is_asked_for(struct ocal_at *at, const struct odata_expr *filter,
                        const struct calendar *cal)
{
    struct call *c = at->c;
    const struct odata_ctx ctx = {
        .arena = c->tx.arena, .get = odata_get_json, .now_us = c->tx.now_us};
    struct json_writer *old = c->out, w;
    const struct json *v = NULL;
    struct buf b;
    if (!filter)
        return 1;
    json_start(&w, &b);
    c->out = &w;
    json_obj(&w, NULL);
    int r = write_members(at, NULL, cal);
    json_end(&w);
    c->out = old;
    r = r < 0 || buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                                : json_parse(c->tx.arena, b.data, b.len, NULL, &v, c->tx.err);
    buf_done(&b);
    return r < 0 ? -1 : odata_matches(&ctx, filter, v);
}

struct listing {
    struct odata_query q;
    struct ocal_at at;
    struct ocal_group group;
    bool grouped; /* of a group alone */
};

static int open_listing(struct call *c, struct listing *ret)
{
    ret->grouped = param_given(c, "calendarGroup-id");
    return ocal_open_user(c, &ret->at) < 0 || ocal_options(c, "calendar", &ret->q) < 0 ||
                   (ret->grouped && path_group(&ret->at, &ret->group) < 0)
               ? -1
               : 0;
}

/* The next calendar that is in it and that the caller may read. 1, 0, -1. */
static int next_listed(struct listing *l, struct calendar *cal)
{
    struct tx *tx = &l->at.c->tx;
    int r;
    while ((r = calendar_next(tx, &l->at.user.account, cal->id, cal)) == 1) {
        if (ocal_may(&l->at, CAL_NONE, cal) < 0)
            return -1;
        if (cal->role >= CAL_READ &&
            (!l->grouped || str_same(group_of(tx->arena, cal), l->group.key)) &&
            (r = is_asked_for(&l->at, l->q.filter, cal)))
            return r;
    }
    return r;
}

static int calendars_list(struct call *c)
{
    struct calendar cal = {.id = 0};
    int64_t seen = 0, written = 0;
    struct listing l;
    if (open_listing(c, &l) < 0 || ocal_select(c, &l.q, true) < 0)
        return -1;
    int64_t size = l.q.top >= 0 ? l.q.top : OCAL_PAGE;
    bool more = false;
    json_obj(c->out, NULL);
    if (l.grouped)
        graph_context(c, "%s/calendarGroups%s/calendars%s", l.at.base,
                      graph_key(c->tx.arena, param_str(c, "calendarGroup-id")),
                      odata_context(c->tx.arena, &l.q));
    else
        graph_context(c, "%s/calendars%s", l.at.base, odata_context(c->tx.arena, &l.q));
    json_arr(c->out, "value");
    int r;
    while ((r = next_listed(&l, &cal)) == 1) {
        if (seen++ < l.q.skip)
            continue;
        if ((more = written == size))
            break;
        json_obj(c->out, NULL);
        if (write_members(&l.at, &l.q, &cal) < 0)
            return -1;
        json_end(c->out);
        written++;
    }
    if (r < 0)
        return -1;
    json_end(c->out);
    if (more)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skip",
                            arena_printf(c->tx.arena, "%lld", (long long)(l.q.skip + written))));
    json_end(c->out);
    return 0;
}

static int calendars_count(struct call *c)
{
    struct calendar cal = {.id = 0};
    struct listing l;
    size_t n = 0;
    int r;
    if (open_listing(c, &l) < 0)
        return -1;
    while ((r = next_listed(&l, &cal)) == 1)
        n++;
    return r < 0 ? -1 : ocal_answer_count(c, n);
}

static int calendars_get(struct call *c)
{
    struct odata_query q;
    struct ocal_at at;
    if (ocal_open(c, CAL_READ, &at) < 0 || ocal_options(c, "calendar", &q) < 0)
        return -1;
    return answer_one(&at, param_str(c, "calendar-id") ? "calendars" : "calendar", &q);
}

/* That of an event. */
static int events_calendar(struct call *c)
{
    struct odata_query q;
    struct cal_event ev;
    struct ocal_at at;
    if (ocal_open(c, CAL_FREEBUSY, &at) < 0 || ocal_event(&at, CAL_READ, &ev) < 0 ||
        ocal_options(c, "calendar", &q) < 0)
        return -1;
    const char *id = graph_key(c->tx.arena, ocal_event_id(&at, &ev));
    return answer_one(&at, arena_printf(c->tx.arena, "events%s/calendar", id), &q);
}

/* ---- changes ---- */

static int read_members(struct ocal_at *at, const char *group, struct calendar *cal)
{
    struct call *c = at->c;
    const struct json *body = call_body(c);
    const char *name = body ? json_get_str(body, "name") : NULL;
    const char *color = body ? json_get_str(body, "color") : NULL;
    const char *hex = body ? json_get_str(body, "hexColor") : NULL;
    if (!body)
        return -1;
    if (json_get(body, "name") && (!name || !*name))
        return ocal_invalid(c, "name", "a text");
    if (name)
        cal->summary = name;
    int at_color = 0;
    while (color && colors[at_color] && !str_eq_nocase(colors[at_color], color))
        at_color++;
    if (color && !colors[at_color])
        return ocal_invalid(c, "color", "one of the service's colours");
    struct arena *a = c->tx.arena;
    if (color)
        ocal_object_set(a, &cal->extra, "color", ocal_quoted(a, colors[at_color]));
    if (hex)
        ocal_object_set(a, &cal->extra, "hexColor", ocal_quoted(a, hex));
    if (group)
        ocal_object_set(a, &cal->extra, "group", ocal_quoted(a, group));
    return ocal_read_properties(c, &cal->extra);
}

/* A name that the person has already: 409. 0, -1. */
static int check_name(struct ocal_at *at, const struct calendar *cal)
{
    struct calendar other = {.id = 0};
    int r;
    while ((r = calendar_next(&at->c->tx, &at->user.account, other.id, &other)) == 1)
        if (other.id != cal->id && strcmp(other.summary, cal->summary) == 0)
            return call_fail(at->c, SOSIA_E_CONFLICT, "ErrorFolderExists", NULL,
                             "A folder with the specified name already exists., Could not create "
                             "folder '%.100s'.",
                             cal->summary);
    return r;
}

static int calendars_create(struct call *c)
{
    struct ocal_at at;
    struct ocal_group group = {.id = 0};
    if (ocal_open_user(c, &at) < 0 ||
        (param_given(c, "calendarGroup-id") && path_group(&at, &group) < 0))
        return -1;
    if (!at.user.me && !graph_app_only(c))
        return graph_denied(c);
    at.cal = (struct calendar){
        .owner = at.user.actor.id, .account = at.user.account.id, .zone = at.user.actor.zone};
    if (read_members(&at, group.key, &at.cal) < 0)
        return -1;
    if (!at.cal.summary)
        return ocal_invalid(c, "name", "there");
    if (check_name(&at, &at.cal) < 0)
        return -1;
    if (calendar_add(&c->tx, &at.cal) < 0)
        return ocal_refused(c);
    at.cal.role = CAL_OWN;
    graph_created(c, arena_printf(c->tx.arena, "/users('%s')/calendars('%s')", at.user.key,
                                  ocal_calendar_id(&at, at.cal.id)));
    return answer_one(&at, "calendars", NULL);
}

static int calendars_update(struct call *c)
{
    struct calendar old;
    struct ocal_at at;
    if (ocal_open(c, CAL_OWN, &at) < 0)
        return -1;
    old = at.cal;
    if (read_members(&at, NULL, &at.cal) < 0 || check_name(&at, &at.cal) < 0)
        return -1;
    if (calendar_save(&c->tx, &old, &at.cal) < 0)
        return ocal_refused(c);
    return answer_one(&at, param_str(c, "calendar-id") ? "calendars" : "calendar", NULL);
}

static int calendars_delete(struct call *c)
{
    struct ocal_at at;
    if (ocal_open(c, CAL_OWN, &at) < 0)
        return -1;
    if (at.cal.main) /* MG-85 */
        return call_fail(c, SOSIA_E_INVALID, "ErrorDeleteDistinguishedFolder", NULL,
                         "Distinguished folders cannot be deleted.");
    c->status = 204;
    return calendar_delete(&c->tx, &at.cal) < 0 ? ocal_refused(c) : 0;
}

/* ---- groups ---- */

static const char *group_id(const struct ocal_at *at, const struct ocal_group *group)
{
    return graph_item_id(at->c->tx.arena, &at->store,
                         &(struct graph_item){.folder = STORE_CALENDAR_GROUPS, .item = group->id});
}

static void write_group(struct ocal_at *at, const struct ocal_group *group)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    json_str(w, "id", group_id(at, group));
    json_str(w, "name", group->name);
    json_str(w, "classId", group_class(a, group->key));
    json_str(w, "changeKey", graph_change_key(a, &at->store, group->change));
}

static int groups_list(struct call *c)
{
    static struct sql_text q = SQL_TEXT("where account = ?1 order by id");
    struct ocal_group group = {.name = "My Calendars"};
    struct odata_query options;
    struct ocal_at at;
    if (ocal_open(c, CAL_READ, &at) < 0 || ocal_options(c, "calendarGroup", &options) < 0 ||
        ocal_select(c, &options, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/calendarGroups%s", at.base, odata_context(c->tx.arena, &options));
    json_arr(c->out, "value");
    sqlite3_stmt *st = STORED_QUERY(&c->tx, &ocal_groups_stored, &q, at.user.account.id);
    int r;
    do {
        json_obj(c->out, NULL);
        write_group(&at, &group);
        json_end(c->out);
    } while ((r = st ? stored_next(&c->tx, &ocal_groups_stored, st, &group) : -1) == 1);
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int answer_group(struct ocal_at *at, const struct ocal_group *group)
{
    struct call *c = at->c;
    json_obj(c->out, NULL);
    graph_context(c, "%s/calendarGroups/$entity", at->base);
    write_group(at, group);
    json_end(c->out);
    return 0;
}

static int groups_get(struct call *c)
{
    struct ocal_group group;
    struct ocal_at at;
    return ocal_open(c, CAL_READ, &at) < 0 || path_group(&at, &group) < 0
               ? -1
               : answer_group(&at, &group);
}

/* The name of a body; NULL: the call has failed. */
static const char *group_name(struct call *c)
{
    const struct json *body = call_body(c);
    const char *name = body ? json_get_str(body, "name") : NULL;
    if (body && (!name || !*name || strlen(name) > 255))
        ocal_invalid(c, "name", "a text");
    return name && *name && strlen(name) <= 255 ? name : NULL;
}

static int groups_create(struct call *c)
{
    struct ocal_group group = {.id = 0};
    struct ocal_at at;
    if (ocal_open_user(c, &at) < 0 || !(group.name = group_name(c)))
        return -1;
    if (!at.user.me && !graph_app_only(c))
        return graph_denied(c);
    group.account = at.user.account.id;
    if (ocal_group_add(&c->tx, &group) < 0)
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/users('%s')/calendarGroups('%s')", at.user.key,
                                  group_id(&at, &group)));
    return answer_group(&at, &group);
}

/* The first group stays as it is. */
static int own_group(struct call *c, struct ocal_at *at, struct ocal_group *ret)
{
    if (ocal_open_user(c, at) < 0 || path_group(at, ret) < 0)
        return -1;
    if (!at->user.me && !graph_app_only(c))
        return graph_denied(c);
    return ret->id ? 0
                   : call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                               "The default calendar group can't be changed.");
}

static int groups_update(struct call *c)
{
    static struct sql_text q =
        SQL_TEXT("update ocal_group set name = :name, change = :change where id = :id");
    struct ocal_group group;
    struct ocal_at at;
    if (own_group(c, &at, &group) < 0 || !(group.name = group_name(c)) ||
        calendar_change(&c->tx, &group.change) < 0 ||
        TX_RUN(&c->tx, &q, group.name, group.change, group.id) < 0)
        return -1;
    return answer_group(&at, &group);
}

static int groups_delete(struct call *c)
{
    static struct sql_text q = SQL_TEXT("delete from ocal_group where id = :id");
    struct calendar cal = {.id = 0};
    struct ocal_group group;
    struct ocal_at at;
    int r;
    if (own_group(c, &at, &group) < 0)
        return -1;
    while ((r = calendar_next(&c->tx, &at.user.account, cal.id, &cal)) == 1)
        if (str_same(group_of(c->tx.arena, &cal), group.key))
            return call_fail(c, SOSIA_E_INVALID, "ErrorCalendarGroupIsNotEmpty", NULL,
                             "The calendar group isn't empty.");
    c->status = 204;
    return r < 0 ? -1 : TX_RUN(&c->tx, &q, group.id);
}

/* ---- rows ---- */

#define ONE PATHS(OF_CALENDAR(""))
#define ROW(name, verb, where, function, how, allowed, ...)                                        \
    {                                                                                              \
        .id = name, .verbs = verb, .paths = where, .handler = function, .risk = how,               \
        .scopes = allowed, __VA_ARGS__                                                             \
    }
static const struct route methods[] = {
    ROW("outlook.calendars.list", GET,
        PATHS(GRAPH_MY("/calendars"), GRAPH_MY("/calendarGroups/{calendarGroup-id}/calendars")),
        calendars_list, RISK_READ, OCAL_READ, PARAMS(ocal_list_params),
        .response = "microsoft.graph.calendarCollectionResponse",
        .summary = "A person's calendars"),
    ROW("outlook.calendars.count", GET,
        PATHS(GRAPH_MY("/calendars/$count"),
              GRAPH_MY("/calendarGroups/{calendarGroup-id}/calendars/$count")),
        calendars_count, RISK_READ, OCAL_READ, PARAMS(ocal_list_params), .gives = "text/plain",
        .summary = "How many calendars a person has"),
    ROW("outlook.calendars.get", GET, ONE, calendars_get, RISK_READ, OCAL_READ,
        PARAMS(ocal_get_params), .response = "microsoft.graph.calendar", .summary = "One calendar"),
    ROW("outlook.events.calendar", GET, PATHS(OF_EVENT("/calendar")), events_calendar, RISK_READ,
        OCAL_READ, PARAMS(ocal_get_params), .response = "microsoft.graph.calendar",
        .summary = "The calendar that an event is in"),
    ROW("outlook.groups.calendar.get", GET, PATHS(GRAPH("/groups/{group-id}/calendar")),
        calendars_get, RISK_READ, OCAL_GROUP_READ, PARAMS(ocal_group_get_params),
        .token_kinds = TOKEN_USER, .response = "microsoft.graph.calendar",
        .summary = "The calendar of a group"),
    ROW("outlook.calendars.create", POST,
        PATHS(GRAPH_MY("/calendars"), GRAPH_MY("/calendarGroups/{calendarGroup-id}/calendars")),
        calendars_create, RISK_WRITE, OCAL_WRITE, .body = BODY_JSON, PARAMS(ocal_path_params),
        .status = 201, .request = "microsoft.graph.calendar",
        .response = "microsoft.graph.calendar", .summary = "Make a calendar"),
    ROW("outlook.calendars.update", PATCH, ONE, calendars_update, RISK_WRITE, OCAL_WRITE,
        .body = BODY_JSON, PARAMS(ocal_path_params), .idempotent = true,
        .request = "microsoft.graph.calendar", .response = "microsoft.graph.calendar",
        .summary = "Change a calendar's name or colour"),
    ROW("outlook.calendars.delete", DELETE, ONE, calendars_delete, RISK_DESTRUCTIVE, OCAL_WRITE,
        PARAMS(ocal_path_params), .status = 204, .summary = "Delete a calendar"),
    ROW("outlook.calendars.permanentDelete", POST,
        PATHS(GRAPH_MY("/calendars/{calendar-id}/permanentDelete")), calendars_delete,
        RISK_DESTRUCTIVE, OCAL_WRITE, PARAMS(ocal_path_params), .status = 204,
        .summary = "Delete a calendar for good"),
    ROW("outlook.calendarGroups.list", GET, PATHS(GRAPH_MY("/calendarGroups")), groups_list,
        RISK_READ, OCAL_READ, PARAMS(ocal_list_params),
        .response = "microsoft.graph.calendarGroupCollectionResponse",
        .summary = "Groups of a person's calendars"),
    ROW("outlook.calendarGroups.get", GET, PATHS(GRAPH_MY("/calendarGroups/{calendarGroup-id}")),
        groups_get, RISK_READ, OCAL_READ, PARAMS(ocal_path_params),
        .response = "microsoft.graph.calendarGroup", .summary = "One group of calendars"),
    ROW("outlook.calendarGroups.create", POST, PATHS(GRAPH_MY("/calendarGroups")), groups_create,
        RISK_WRITE, OCAL_WRITE, .body = BODY_JSON, PARAMS(ocal_path_params), .status = 201,
        .request = "microsoft.graph.calendarGroup", .response = "microsoft.graph.calendarGroup",
        .summary = "Make a group of calendars"),
    ROW("outlook.calendarGroups.update", PATCH,
        PATHS(GRAPH_MY("/calendarGroups/{calendarGroup-id}")), groups_update, RISK_WRITE,
        OCAL_WRITE, .body = BODY_JSON, PARAMS(ocal_path_params), .idempotent = true,
        .request = "microsoft.graph.calendarGroup", .response = "microsoft.graph.calendarGroup",
        .summary = "Rename a group of calendars"),
    ROW("outlook.calendarGroups.delete", DELETE,
        PATHS(GRAPH_MY("/calendarGroups/{calendarGroup-id}")), groups_delete, RISK_DESTRUCTIVE,
        OCAL_WRITE, PARAMS(ocal_path_params), .status = 204,
        .summary = "Delete an empty group of calendars"),
};

const struct rows ocal_calendars = ROWS(methods);
