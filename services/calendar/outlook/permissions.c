/* SPDX-License-Identifier: Apache-2.0 */
/* Permissions of calendars: whom a calendar is shared with, and how far (MG-85, MG-543). */
#include "engine/base/codec.h"
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/params.h"

/* What the service calls a role, and what goes with it. */
static const struct {
    const char *word;
    enum cal_role role;
    unsigned beyond;
} roles[] = {{"none", CAL_NONE, 0},
             {"freeBusyRead", CAL_FREEBUSY, 0},
             {"limitedRead", CAL_FREEBUSY, CAL_TITLES},
             {"read", CAL_READ, 0},
             {"write", CAL_WRITE, 0},
             {"delegateWithoutPrivateEventAccess", CAL_WRITE, CAL_DELEGATE},
             {"delegateWithPrivateEventAccess", CAL_WRITE, CAL_DELEGATE | CAL_PRIVATE}};

static const char *role_word(const struct cal_access *rule)
{
    for (size_t i = 0; i < SOSIA_LEN(roles); i++)
        if (roles[i].role == rule->role && roles[i].beyond == rule->beyond)
            return roles[i].word;
    return rule->role == CAL_OWN ? "write" : "custom";
}

#define OWN_DOMAIN "My Organization"

/* The rule of the organisation, whose id is that of the service's "Default". */
static struct cal_access organization(struct ocal_at *at)
{
    struct cal_access rule = {.kind = ACCESS_DOMAIN, .role = CAL_FREEBUSY};
    rule.who = email_domain(at->user.actor.email);
    return rule;
}

static const char *permission_id(struct arena *a, const struct cal_access *rule)
{
    struct buf b;
    const char *name = rule->kind == ACCESS_DOMAIN ? "Default" : rule->who;
    buf_init(&b, 0);
    base64_add(&b, name, strlen(name));
    return buf_keep(&b, a);
}

/* Those that somebody may get: delegates are people of the organisation. */
static void write_roles(struct json_writer *w, bool domain, bool inside)
{
    for (size_t i = domain ? 0 : 1; i < (inside && !domain ? SOSIA_LEN(roles) : 5); i++)
        json_word(w, NULL, roles[i].word);
}

static int write_permission(struct ocal_at *at, const struct cal_access *rule)
{
    struct json_writer *w = at->c->out;
    const bool domain = rule->kind == ACCESS_DOMAIN;
    const char *name = OWN_DOMAIN, *own = email_domain(at->user.actor.email);
    const bool inside = domain || strcmp(email_domain(rule->who), own ? own : "") == 0;
    if (!domain && ocal_name_of(&at->c->tx, rule->who, NULL, &name) < 0)
        return -1;
    json_str(w, "id", permission_id(at->c->tx.arena, rule));
    json_bool(w, "isRemovable", !domain);
    json_bool(w, "isInsideOrganization", inside);
    json_word(w, "role", role_word(rule));
    json_arr(w, "allowedRoles");
    write_roles(w, domain, inside);
    json_end(w);
    json_obj(w, "emailAddress");
    json_str(w, "name", name);
    json_str_opt(w, "address", domain ? NULL : rule->who);
    json_end(w);
    return 0;
}

/* For all with whom the calendar is shared, however little they see: they get an empty list. Who is
 * of the organization alone is refused. */
static int open_shared(struct call *c, struct ocal_at *at)
{
    struct cal_access rule;
    if (ocal_open(c, CAL_FREEBUSY, at) < 0)
        return -1;
    if (at->cal.role >= CAL_READ)
        return 0;
    int r = cal_access_find(&c->tx, &at->cal, ACCESS_PERSON, c->actor.email, &rule);
    if (r < 0)
        return -1;
    return r == 1 && rule.role != CAL_NONE ? 0 : graph_denied(c);
}

static int permissions_list(struct call *c)
{
    struct cal_access *list, own;
    struct ocal_at at;
    size_t n;
    if (open_shared(c, &at) < 0)
        return -1;
    const bool owns = at.cal.role == CAL_OWN; /* others get an empty list */
    own = organization(&at);
    int r = cal_access_find(&c->tx, &at.cal, ACCESS_DOMAIN, own.who, &own);
    if (r < 0 || cal_access_list(&c->tx, &at.cal, 0, false, 1000, &list, &n) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/calendarPermissions", at.base);
    json_arr(c->out, "value");
    for (size_t i = 0; owns && i <= n; i++) {
        const struct cal_access *rule = i ? &list[i - 1] : &own;
        if (i && rule->kind != ACCESS_PERSON)
            continue;
        json_obj(c->out, NULL);
        if (write_permission(&at, rule) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* The rule of the path. 0, -1. */
static int find_rule(struct ocal_at *at, struct cal_access *ret)
{
    struct call *c = at->c;
    const char *id = param_str(c, "id");
    uint8_t *data;
    size_t n;
    if (!id || base64_decode(c->tx.arena, id, strlen(id), &data, &n) < 0)
        return graph_bad_id(c);
    const char *who = arena_memdup(c->tx.arena, data, n);
    *ret = organization(at);
    if (strcmp(who, "Default") == 0)
        return cal_access_find(&c->tx, &at->cal, ACCESS_DOMAIN, ret->who, ret) < 0 ? -1 : 0;
    int r = cal_access_find(&c->tx, &at->cal, ACCESS_PERSON, who, ret);
    if (r == 1 && (!ret->id || ret->role == CAL_NONE))
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(c);
}

static int answer_rule(struct ocal_at *at, const struct cal_access *rule)
{
    struct call *c = at->c;
    json_obj(c->out, NULL);
    graph_context(c, "%s/calendarPermissions/$entity", at->base);
    int r = write_permission(at, rule);
    json_end(c->out);
    return r;
}

static int permissions_get(struct call *c)
{
    struct cal_access rule;
    struct ocal_at at;
    return ocal_open(c, CAL_OWN, &at) < 0 || find_rule(&at, &rule) < 0 ? -1
                                                                       : answer_rule(&at, &rule);
}

static int read_role(struct call *c, const struct json *body, struct cal_access *ret)
{
    const char *word = json_get_str(body, "role");
    for (size_t i = 0; word && i < SOSIA_LEN(roles); i++)
        if (str_eq_nocase(word, roles[i].word)) {
            ret->role = roles[i].role;
            ret->beyond = roles[i].beyond;
            return 0;
        }
    return ocal_invalid(c, "role", "one of the service's roles");
}

static int permissions_create(struct call *c)
{
    const struct json *body;
    struct cal_access rule = {.kind = ACCESS_PERSON};
    struct ocal_at at;
    if (ocal_open(c, CAL_OWN, &at) < 0 || !(body = call_body(c)) || read_role(c, body, &rule) < 0)
        return -1;
    const char *address = json_get_str(json_get(body, "emailAddress"), "address");
    rule.who = address ? email_normal(c->tx.arena, address) : NULL;
    if (!rule.who || rule.role == CAL_NONE || strcmp(rule.who, at.user.actor.email) == 0)
        return ocal_invalid(c, "emailAddress and role", "those of another person");
    if (cal_access_set(&c->tx, &at.cal, &rule) < 0)
        return ocal_refused(c);
    c->status = 201;
    return answer_rule(&at, &rule);
}

static int permissions_update(struct call *c)
{
    const struct json *body;
    struct cal_access rule;
    struct ocal_at at;
    if (ocal_open(c, CAL_OWN, &at) < 0 || find_rule(&at, &rule) < 0 || !(body = call_body(c)) ||
        read_role(c, body, &rule) < 0)
        return -1;
    if (cal_access_set(&c->tx, &at.cal, &rule) < 0)
        return ocal_refused(c);
    return answer_rule(&at, &rule);
}

static int permissions_delete(struct call *c)
{
    struct cal_access rule;
    struct ocal_at at;
    if (ocal_open(c, CAL_OWN, &at) < 0 || find_rule(&at, &rule) < 0)
        return -1;
    if (rule.kind == ACCESS_DOMAIN)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "The permission of the organization can't be removed.");
    rule.role = CAL_NONE;
    rule.beyond = 0;
    c->status = 204;
    return cal_access_set(&c->tx, &at.cal, &rule) < 0 ? ocal_refused(c) : 0;
}

/* allowedCalendarSharingRoles(User='ada@port.example') */
static int roles_list(struct call *c)
{
    const char *who = param_str(c, "User");
    struct ocal_at at;
    if (ocal_open(c, CAL_OWN, &at) < 0)
        return -1;
    const char *address = email_normal(c->tx.arena, who), *own = email_domain(at.user.actor.email);
    if (!address || strcmp(address, at.user.actor.email) == 0)
        return ocal_invalid(c, "User", "the address of another person");
    json_obj(c->out, NULL);
    graph_context(c, "Collection(microsoft.graph.calendarRoleType)");
    json_arr(c->out, "value");
    write_roles(c->out, false, strcmp(email_domain(address), own ? own : "") == 0);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static const struct param sharing_params[] = {
    USER_ID,
    CALENDAR_ID,
    GROUP_ID,
    {.name = "User", .place = IN_PATH, .required = true, .summary = "Address, in single quotes"}};

#define ONE OF_CALENDAR("/calendarPermissions/{id}")
static const struct route methods[] = {
    {ROUTE("outlook.calendarPermissions.list", GET, OF_CALENDAR("/calendarPermissions")),
     .handler = permissions_list, .risk = RISK_READ, .scopes = OCAL_READ, PARAMS(ocal_list_params),
     .response = "microsoft.graph.calendarPermissionCollectionResponse",
     .summary = "Whom a calendar is shared with"},
    {ROUTE("outlook.calendarPermissions.get", GET, ONE), .handler = permissions_get,
     .risk = RISK_READ, .scopes = OCAL_READ, PARAMS(ocal_path_params),
     .response = "microsoft.graph.calendarPermission", .summary = "One permission of a calendar"},
    {ROUTE("outlook.calendarPermissions.create", POST, OF_CALENDAR("/calendarPermissions")),
     .handler = permissions_create, .risk = RISK_WRITE, .body = BODY_JSON, .scopes = OCAL_WRITE,
     PARAMS(ocal_path_params), .status = 201, .request = "microsoft.graph.calendarPermission",
     .response = "microsoft.graph.calendarPermission", .summary = "Share a calendar with somebody"},
    {ROUTE("outlook.calendarPermissions.update", PATCH, ONE), .handler = permissions_update,
     .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON, .scopes = OCAL_WRITE,
     PARAMS(ocal_path_params), .request = "microsoft.graph.calendarPermission",
     .response = "microsoft.graph.calendarPermission",
     .summary = "Change how far a calendar is shared"},
    {ROUTE("outlook.calendarPermissions.delete", DELETE, ONE), .handler = permissions_delete,
     .risk = RISK_DESTRUCTIVE, .scopes = OCAL_WRITE, PARAMS(ocal_path_params), .status = 204,
     .summary = "Share a calendar with somebody no more"},
    {ROUTE("outlook.calendar.allowedCalendarSharingRoles", GET,
           OF_CALENDAR("/allowedCalendarSharingRoles(User={User})")),
     .handler = roles_list, .risk = RISK_READ, .scopes = OCAL_READ, PARAMS(sharing_params),
     .response = "microsoft.graph.calendarRoleTypeCollection",
     .summary = "How far a calendar may be shared with somebody"},
};

const struct rows ocal_permissions = ROWS(methods);
