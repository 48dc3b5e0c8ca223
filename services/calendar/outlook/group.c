/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars of groups: each group of Microsoft 365 has one, whose organizer it is. Its people write
 * there; of one that is public the tenant's others read (MG-546). */
#include "engine/base/codec.h"
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/params.h"
#include "vendors/microsoft/directory/directory.h"

/* ---- which group ---- */

static int find_group(struct call *c, struct ms_tenant *tenant, struct ms_group *ret)
{
    const char *id = param_str(c, "group-id");
    int64_t own;
    int r = graph_caller_tenant(c, &own);
    if (r == 1)
        r = ms_tenant_get(&c->tx, own, tenant);
    if (r == 1)
        r = ms_group_find(&c->tx, id, own, ret);
    if (r == 0)
        return call_fail(c, SOSIA_E_NOT_FOUND, "ErrorInvalidGroup", NULL,
                         "The requested group '%.200s' is invalid.", id);
    if (r == 1 && !ret->unified)
        return call_fail(c, SOSIA_E_NOT_FOUND, "MailboxNotEnabledForRESTAPI", NULL,
                         "The mailbox is either inactive, soft-deleted, or is hosted on-premise.");
    return r < 0 ? -1 : 0;
}

static int is_owner(struct call *c, const struct ms_group *group, const struct ms_user *user)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from ms_owner where team = :group and user = :user");
    int64_t one;
    return TX_INT(&c->tx, &q, &one, group->id, user->id);
}

/* 0, -1. */
static int read_role(struct call *c, const struct ms_group *group, enum cal_role *ret)
{
    struct ms_user user;
    const char *address;
    int r = ms_user_of_actor(&c->tx, c->actor.id, group->tenant, &user);
    *ret = CAL_NONE;
    if (r != 1)
        return r;
    if (!group->visibility || strcmp(group->visibility, "Public") == 0)
        *ret = CAL_READ;
    if (ms_user_address(&c->tx, &user, &address) < 0)
        return -1;
    r = group_has_member(&c->tx, group->addresses, address);
    if (r == 0)
        r = is_owner(c, group, &user);
    if (r == 1)
        *ret = CAL_WRITE;
    return r < 0 ? -1 : 0;
}

/* One that nothing was written to is not there yet. */
static int find_calendar(struct call *c, const struct ms_group *group, bool make,
                         struct calendar *ret)
{
    int r = calendar_of_group(&c->tx, group->email, ret);
    if (r)
        return r < 0 ? -1 : 0;
    *ret = (struct calendar){.key = group->email, .summary = "Calendar", .zone = "UTC"};
    if (make)
        return calendar_add_group(&c->tx, ocal_vendor.name, ret) < 0 ? ocal_refused(c) : 0;
    ret->address = ret->key;
    ret->vendor = &ocal_vendor;
    ret->tz = tz_find(ret->zone);
    return 0;
}

int ocal_open_group(struct call *c, enum cal_role need, struct ocal_at *ret)
{
    struct ms_tenant tenant;
    struct ms_group group;
    enum cal_role role;
    if (find_group(c, &tenant, &group) < 0 || read_role(c, &group, &role) < 0)
        return -1;
    const struct graph_user as = {.actor = {.email = group.email, .name = group.name},
                                  .oid = group.oid,
                                  .key = group.oid,
                                  .tenant = tenant.guid};
    if (role < need || role == CAL_NONE)
        return graph_denied(c);
    if (ocal_at_user(c, &as, ret) < 0 || find_calendar(c, &group, need >= CAL_WRITE, &ret->cal) < 0)
        return -1;
    ocal_read_body_type(ret);
    ret->no_links = true;
    ret->group_role = ret->cal.role = role;
    ret->base = arena_printf(c->tx.arena, "groups%s%s", graph_key(c->tx.arena, group.oid),
                             c->path && strstr(c->path, "/calendar/") ? "/calendar" : "");
    return 0;
}

/* ---- the methods ---- */

#define READ           "Group.Read.All Group.ReadWrite.All"
#define WRITE          "Group.ReadWrite.All"
#define OF_GROUP(path) GRAPH("/groups/{group-id}" path), GRAPH("/groups/{group-id}/calendar" path)

#define KEYS                                                                                       \
    {.name = "group-id", .place = IN_PATH, .required = true},                                      \
    {                                                                                              \
        .name = "event-id", .place = IN_PATH, .required = true                                     \
    }
#define OPTION(name_)                                                                              \
    {                                                                                              \
        .name = "$" name_, .place = IN_QUERY                                                       \
    }
#define SHAPE OPTION("select"), OPTION("expand")
#define LIST                                                                                       \
    SHAPE, OPTION("filter"), OPTION("orderby"),                                                    \
        {.name = "$top", .place = IN_QUERY, .type = PARAM_INT, .min = 1, .max = OCAL_MAX_PAGE},    \
        {.name = "$skip", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = INT32_MAX},       \
    {                                                                                              \
        .name = "$count", .place = IN_QUERY, .type = PARAM_BOOL                                    \
    }
static const struct param params[] = {KEYS}, get_params[] = {KEYS, SHAPE},
                          list_params[] = {KEYS, LIST},
                          window_params[] = {KEYS,
                                             LIST,
                                             {.name = "startDateTime", .place = IN_QUERY},
                                             {.name = "endDateTime", .place = IN_QUERY}};

/* People alone: apps have no access to what groups keep. */
#define USER_TOKENS .token_kinds = TOKEN_USER
#define ONE         PATHS(OF_GROUP("/events/{event-id}"))
#define EVENT       "microsoft.graph.event"
static const struct route methods[] = {
    {.id = "outlook.groups.calendar.get",
     .verbs = GET,
     .paths = PATHS(GRAPH("/groups/{group-id}/calendar")),
     .handler = ocal_calendars_get,
     .risk = RISK_READ,
     USER_TOKENS,
     .scopes = READ,
     PARAMS(get_params),
     .response = "microsoft.graph.calendar",
     .summary = "The calendar of a group"},
    {.id = "outlook.groups.events.list",
     .verbs = GET,
     .paths = PATHS(OF_GROUP("/events")),
     .handler = ocal_events_list,
     .risk = RISK_READ,
     USER_TOKENS,
     .scopes = READ,
     PARAMS(list_params),
     .response = EVENT "CollectionResponse",
     .summary = "Single events and series of a group's calendar"},
    {.id = "outlook.groups.events.create",
     .verbs = POST,
     .paths = PATHS(OF_GROUP("/events")),
     .handler = ocal_events_create,
     .risk = RISK_WRITE,
     .risk_of = ocal_event_risk,
     USER_TOKENS,
     .body = BODY_JSON,
     .scopes = WRITE,
     PARAMS(params),
     .status = 201,
     .request = EVENT,
     .response = EVENT,
     .summary = "Create an event that a group organizes; guests are invited"},
    {.id = "outlook.groups.events.get",
     .verbs = GET,
     .paths = ONE,
     .handler = ocal_events_get,
     .risk = RISK_READ,
     USER_TOKENS,
     .scopes = READ,
     PARAMS(get_params),
     .response = EVENT,
     .summary = "One event of a group"},
    {.id = "outlook.groups.events.update",
     .verbs = PATCH,
     .paths = ONE,
     .handler = ocal_events_update,
     .risk = RISK_WRITE,
     .idempotent = true,
     .risk_of = ocal_event_risk,
     USER_TOKENS,
     .body = BODY_JSON,
     .scopes = WRITE,
     PARAMS(params),
     .request = EVENT,
     .response = EVENT,
     .summary = "Change parts of a group's event"},
    {.id = "outlook.groups.events.delete",
     .verbs = DELETE,
     .paths = ONE,
     .handler = ocal_events_delete,
     .risk = RISK_DESTRUCTIVE,
     .risk_of = ocal_event_risk,
     USER_TOKENS,
     .scopes = WRITE,
     PARAMS(params),
     .status = 204,
     .summary = "Delete an event of a group; guests get a cancellation"},
    {.id = "outlook.groups.events.instances",
     .verbs = GET,
     .paths = PATHS(OF_GROUP("/events/{event-id}/instances")),
     .handler = ocal_events_instances,
     .risk = RISK_READ,
     USER_TOKENS,
     .scopes = READ,
     PARAMS(window_params),
     .response = EVENT "CollectionResponse",
     .summary = "The occurrences of a group's series in a stretch of time"},
    {.id = "outlook.groups.calendarView.list",
     .verbs = GET,
     .paths = PATHS(OF_GROUP("/calendarView")),
     .handler = ocal_view_list,
     .risk = RISK_READ,
     USER_TOKENS,
     .scopes = READ,
     PARAMS(window_params),
     .response = EVENT "CollectionResponse",
     .summary = "What takes place in a group's calendar in a stretch of time"},
};

const struct rows ocal_group_calendars = ROWS(methods);
