/* SPDX-License-Identifier: Apache-2.0 */
/* Open extensions of events. */
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/params.h"

static int open_kept(struct call *c, enum cal_role need, struct ocal_at *at, struct cal_event *ev)
{
    return ocal_open(c, CAL_FREEBUSY, at) < 0 || ocal_event(at, need, ev) < 0 ? -1 : 0;
}

static int answer_extension(struct ocal_at *at, const struct cal_event *ev, const char *name)
{
    struct call *c = at->c;
    const struct json *v = ocal_extension(c->tx.arena, ev->own_props, name);
    if (!v)
        return graph_not_found(c);
    json_obj(c->out, NULL);
    graph_context(c, "%s/events%s/extensions/$entity", at->base,
                  graph_key(c->tx.arena, ocal_event_id(at, ev)));
    for (uint32_t i = 0; i < v->n; i++)
        json_value(c->out, v->members[i].key, &v->members[i].value);
    json_end(c->out);
    return 0;
}

static int save_kept(struct ocal_at *at, const struct cal_event *old, struct cal_event *ev)
{
    const struct cal_event_by by = {&at->c->actor, MAIL_NONE};
    return cal_event_save(&at->c->tx, &by, &at->cal, old, ev) < 0 ? ocal_refused(at->c) : 0;
}

static int extensions_get(struct call *c)
{
    struct cal_event ev;
    struct ocal_at at;
    return open_kept(c, CAL_READ, &at, &ev) < 0
               ? -1
               : answer_extension(&at, &ev, param_str(c, "extension-id"));
}

static int extensions_create(struct call *c)
{
    const struct json *body;
    struct cal_event old, ev;
    struct ocal_at at;
    const char *name;
    if (open_kept(c, CAL_WRITE, &at, &old) < 0 || !(body = call_body(c)) ||
        ocal_extension_name(c, body, &name) < 0)
        return -1;
    ev = old;
    if (ocal_put_extension(c, name, body, false, &ev.own_props) < 0 ||
        save_kept(&at, &old, &ev) < 0)
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/%s('%s')/events('%s')/extensions('%s')",
                                  ocal_set(&at), at.user.key, ocal_event_id(&at, &ev), name));
    return answer_extension(&at, &ev, name);
}

static int extensions_update(struct call *c)
{
    const char *name = param_str(c, "extension-id");
    const struct json *body, *had;
    struct cal_event old, ev;
    struct ocal_at at;
    if (open_kept(c, CAL_WRITE, &at, &old) < 0)
        return -1;
    if (!(had = ocal_extension(c->tx.arena, old.own_props, name)))
        return graph_not_found(c);
    if (!(body = call_body(c)))
        return -1;
    name = json_get_str(had, "extensionName");
    ev = old;
    if (ocal_put_extension(c, name, body, true, &ev.own_props) < 0 || save_kept(&at, &old, &ev) < 0)
        return -1;
    return answer_extension(&at, &ev, name);
}

static int extensions_delete(struct call *c)
{
    const char *name = param_str(c, "extension-id");
    struct cal_event old, ev;
    struct ocal_at at;
    if (open_kept(c, CAL_WRITE, &at, &old) < 0)
        return -1;
    if (!ocal_extension(c->tx.arena, old.own_props, name))
        return graph_not_found(c);
    ev = old;
    c->status = 204;
    return ocal_put_extension(c, name, NULL, false, &ev.own_props) < 0 ||
                   save_kept(&at, &old, &ev) < 0
               ? -1
               : 0;
}

static const struct param params[] = {
    USER_ID, CALENDAR_ID, EVENT_ID, {.name = "extension-id", .place = IN_PATH, .required = true}};

#define ROW(name, verb, path, function, how, allowed, ...)                                         \
    {                                                                                              \
        .id = "outlook.events.extensions." name, .verbs = verb, .paths = PATHS(OF_EVENT(path)),    \
        .handler = function, .risk = how, .scopes = allowed, PARAMS(params), __VA_ARGS__           \
    }
static const struct param group_params[] = {
    {.name = "group-id", .place = IN_PATH, .required = true},
    EVENT_ID,
    {.name = "extension-id", .place = IN_PATH, .required = true}};

#define GROUP_ROW(name, verb, path, function, how, allowed, ...)                                   \
    {                                                                                              \
        .id = "outlook.groups.events.extensions." name, .verbs = verb,                             \
        .paths = PATHS(OF_GROUP("/events/{event-id}" path)), .handler = function, .risk = how,     \
        .token_kinds = TOKEN_USER, .scopes = allowed, PARAMS(group_params), __VA_ARGS__            \
    }
#define ONE "/extensions/{extension-id}"
static const struct route methods[] = {
    ROW("create", POST, "/extensions", extensions_create, RISK_WRITE, OCAL_WRITE, .body = BODY_JSON,
        .status = 201, .summary = "Add an open extension to an event"),
    ROW("get", GET, ONE, extensions_get, RISK_READ, OCAL_READ_DATA,
        .summary = "An open extension of an event"),
    ROW("update", PATCH, ONE, extensions_update, RISK_WRITE, OCAL_WRITE, .idempotent = true,
        .body = BODY_JSON, .summary = "Change an open extension of an event"),
    ROW("delete", DELETE, ONE, extensions_delete, RISK_DESTRUCTIVE, OCAL_WRITE, .status = 204,
        .summary = "Remove an open extension of an event"),
    GROUP_ROW("create", POST, "/extensions", extensions_create, RISK_WRITE, OCAL_GROUP_WRITE,
              .body = BODY_JSON, .status = 201,
              .summary = "Add an open extension to a group's event"),
    GROUP_ROW("get", GET, ONE, extensions_get, RISK_READ, OCAL_GROUP_READ,
              .summary = "An open extension of a group's event"),
    GROUP_ROW("update", PATCH, ONE, extensions_update, RISK_WRITE, OCAL_GROUP_WRITE,
              .idempotent = true, .body = BODY_JSON,
              .summary = "Change an open extension of a group's event"),
    GROUP_ROW("delete", DELETE, ONE, extensions_delete, RISK_DESTRUCTIVE, OCAL_GROUP_WRITE,
              .status = 204, .summary = "Remove an open extension of a group's event"),
};

const struct rows ocal_extensions = ROWS(methods);
