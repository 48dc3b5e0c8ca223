/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of access. */
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/params.h"
#include "services/calendar/google/scopes.h"
#include <stdlib.h>

#define MAX_RULES 6000
#define EVERYBODY "__public_principal__@public.calendar.google.com"

static const char *const kinds[] = {NULL, "user", "group", "domain", "default"};

static const char *rule_id(struct call *c, const struct cal_access *rule)
{
    return rule->kind == ACCESS_ALL
               ? "default"
               : arena_printf(c->tx.arena, "%s:%s", kinds[rule->kind], rule->who);
}

static const char *rule_etag(struct call *c, const struct cal_access *rule)
{
    return gcal_etag_padded(c->tx.arena, rule->updated_us);
}

static void write_rule(struct call *c, const struct cal_access *rule)
{
    json_obj(c->out, NULL);
    json_str(c->out, "kind", "calendar#aclRule");
    json_str(c->out, "etag", rule_etag(c, rule));
    json_str(c->out, "id", rule_id(c, rule));
    json_obj(c->out, "scope");
    json_str(c->out, "type", kinds[rule->kind]);
    json_str(c->out, "value", rule->kind == ACCESS_ALL ? EVERYBODY : rule->who);
    json_end(c->out);
    json_str(c->out, "role", gcal_role(rule->role));
    json_end(c->out);
}

static int answer_rule(struct call *c, const struct cal_access *rule)
{
    c->etag = rule_etag(c, rule);
    write_rule(c, rule);
    return 0;
}

static int invalid(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
}

/* Kind and name of a rule from the word and the value of a scope. */
static int read_scope(struct call *c, const char *type, const char *value, struct cal_access *ret)
{
    for (int kind = ACCESS_PERSON; kind <= ACCESS_ALL; kind++)
        if (strcmp(kinds[kind], type) == 0)
            ret->kind = (enum cal_access_kind)kind;
    ret->who = "";
    if (ret->kind == ACCESS_ALL)
        return 0;
    if (!ret->kind || !value || !*value)
        return invalid(c);
    if (ret->kind == ACCESS_DOMAIN)
        ret->who = domain_normal(c->tx.arena, value);
    else
        ret->who = email_normal(c->tx.arena, value);
    return ret->who ? 0 : invalid(c);
}

/* The rule that the path names. */
static int find_rule(struct call *c, enum cal_role need, struct calendar *cal,
                     struct cal_access *ret)
{
    const char *id = param_str(c, "ruleId"), *colon = strchr(id, ':');
    struct cal_access want = {0};
    if (gcal_open(c, need, cal) < 0)
        return -1;
    const char *type = colon ? arena_memdup(c->tx.arena, id, (size_t)(colon - id)) : id;
    if (read_scope(c, type, colon ? colon + 1 : NULL, &want) < 0)
        return -1;
    int r = cal_access_find(&c->tx, cal, want.kind, want.who, ret);
    if (r == 1 && ret->role != CAL_NONE)
        return 0;
    return r < 0 ? -1 : call_fail(c, SOSIA_E_NOT_FOUND, "notFound", NULL, "Not Found");
}

static int acl_get(struct call *c)
{
    struct calendar cal;
    struct cal_access rule;
    return find_rule(c, CAL_WRITE, &cal, &rule) < 0 ? -1 : answer_rule(c, &rule);
}

static int acl_list(struct call *c)
{
    struct calendar cal;
    struct cal_access *rules;
    size_t limit = gcal_limit(c, 100, 250), n;
    int64_t since = 0, newest, changed;
    int64_t after = ACCESS_FIRST - 1;
    if (gcal_open(c, CAL_WRITE, &cal) < 0)
        return -1;
    int sync = gcal_since(c, &since);
    if (sync < 0 || cal_access_since(&c->tx, &cal, since, &newest, &changed) < 0)
        return -1;
    if (sync && param_given(c, "showDeleted") && !param_bool(c, "showDeleted"))
        return call_fail(c, SOSIA_E_INVALID, "badRequest", NULL, GCAL_SYNC_RESTRICTED);
    if (sync)
        after = changed;
    if (google_page_number(c, ACCESS_FIRST, &after) < 0 ||
        cal_access_list(&c->tx, &cal, after, sync || param_bool(c, "showDeleted"), limit + 1,
                        &rules, &n) < 0)
        return -1;
    bool more = n > limit;
    if (more)
        n = limit;
    int64_t last = n ? rules[n - 1].change : after > 0 ? after : 0;
    json_obj(c->out, NULL);
    json_str(c->out, "kind", "calendar#acl");
    json_str(c->out, "etag", gcal_etag_list(c->tx.arena, "acl", cal.id, last));
    if (more)
        google_next_page(c, last);
    else
        json_str(c->out, "nextSyncToken", gcal_since_token(c, newest));
    json_arr(c->out, "items");
    for (size_t i = 0; i < n; i++)
        write_rule(c, &rules[i]);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- changes ---- */

static int read_role(struct call *c, const struct json *body, bool needed, enum cal_role *ret)
{
    const char *name = json_get_str(body, "role");
    if (!name)
        return needed ? call_fail(c, SOSIA_E_INVALID, "required", NULL, "Missing role.") : 0;
    for (int role = CAL_NONE; role <= CAL_OWN; role++)
        if (strcmp(gcal_role((enum cal_role)role), name) == 0)
            *ret = (enum cal_role)role;
    return 0;
}

/* The owner's access can't be removed, nor can an owner lower their own. */
static int may_set(struct call *c, const struct calendar *cal, const struct cal_access *rule)
{
    struct actor owner;
    if (rule->kind != ACCESS_PERSON)
        return 0;
    if (!cal->main && strcmp(rule->who, cal->key) == 0)
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotChangeOwnerAcl", NULL,
                         "Cannot change the access level of the owner.");
    if (strcmp(rule->who, c->actor.email) == 0 && rule->role < CAL_OWN)
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotChangeOwnAcl", NULL,
                         "Cannot change your own access level.");
    int r = actor_by_id(&c->tx, cal->owner, &owner);
    if (r == 1 && strcmp(rule->who, owner.email) == 0)
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotChangeOwnerAcl", NULL,
                         "Cannot change the access level of the owner.");
    return r < 0 ? -1 : 0;
}

/* People who get access are notified by mail, unless the caller turns that off. */
static int notify(struct call *c, const struct calendar *cal, const struct cal_access *rule)
{
    if ((rule->kind != ACCESS_PERSON && rule->kind != ACCESS_GROUP) || rule->role == CAL_NONE ||
        (param_given(c, "sendNotifications") && !param_bool(c, "sendNotifications")))
        return 0;
    struct letter l = {
        .from = c->actor.email,
        .from_name = c->actor.name,
        .to = rule->who,
        .subject = arena_printf(c->tx.arena, "%s" LETTER_SHARE, c->actor.name),
        .text = arena_printf(c->tx.arena, "You have %s access to the calendar \"%s\" (%s).",
                             gcal_role(rule->role), cal->summary, cal->key),
    };
    return letter_send(&c->tx, &l);
}

static int has_room(struct call *c, const struct calendar *cal)
{
    int64_t n;
    if (cal_access_count(&c->tx, cal, &n) < 0)
        return -1;
    return n < MAX_RULES ? 0
                         : call_fail(c, SOSIA_E_FORBIDDEN, "quotaExceeded", NULL,
                                     "Calendar usage limits exceeded.");
}

static int acl_insert(struct call *c)
{
    struct calendar cal;
    struct cal_access rule = {0}, old;
    const struct json *body;
    if (gcal_open(c, CAL_OWN, &cal) < 0 || !(body = call_body(c)))
        return -1;
    const struct json *scope = json_get(body, "scope");
    const char *type = json_get_str(scope, "type");
    if (!type)
        return call_fail(c, SOSIA_E_INVALID, "required", NULL, "Missing scope type.");
    if (read_scope(c, type, json_get_str(scope, "value"), &rule) < 0 ||
        read_role(c, body, true, &rule.role) < 0)
        return -1;
    int r = cal_access_find(&c->tx, &cal, rule.kind, rule.who, &old);
    if (r < 0)
        return -1;
    if (r && old.role == rule.role)
        return answer_rule(c, &old);
    if ((!r || old.role == CAL_NONE) && has_room(c, &cal) < 0)
        return -1;
    if (may_set(c, &cal, &rule) < 0 || cal_access_set(&c->tx, &cal, &rule) < 0 ||
        notify(c, &cal, &rule) < 0)
        return -1;
    return answer_rule(c, &rule);
}

static int change_rule(struct call *c, bool needed)
{
    struct calendar cal;
    struct cal_access rule;
    if (find_rule(c, CAL_OWN, &cal, &rule) < 0 || google_if_match(c, rule_etag(c, &rule)) < 0)
        return -1;
    enum cal_role role = rule.role;
    const struct json *body = call_body(c);
    if (!body || read_role(c, body, needed, &role) < 0)
        return -1;
    if (role == rule.role)
        return answer_rule(c, &rule);
    rule.role = role;
    if (may_set(c, &cal, &rule) < 0 || cal_access_set(&c->tx, &cal, &rule) < 0 ||
        notify(c, &cal, &rule) < 0)
        return -1;
    return answer_rule(c, &rule);
}

static int acl_patch(struct call *c)
{
    return change_rule(c, false);
}

static int acl_update(struct call *c)
{
    return change_rule(c, true);
}

static int acl_delete(struct call *c)
{
    struct calendar cal;
    struct cal_access rule;
    if (find_rule(c, CAL_OWN, &cal, &rule) < 0 || google_if_match(c, rule_etag(c, &rule)) < 0)
        return -1;
    rule.role = CAL_NONE;
    if (may_set(c, &cal, &rule) < 0 || cal_access_set(&c->tx, &cal, &rule) < 0)
        return -1;
    c->status = 204;
    return 0;
}

static int acl_watch(struct call *c)
{
    struct calendar cal;
    int64_t since;
    if (gcal_open(c, CAL_WRITE, &cal) < 0 || gcal_since(c, &since) < 0)
        return -1;
    return google_channel_watch(c, CHANGED_ACCESS, cal.id);
}

/* ---- rows ---- */

static const struct param acl_delete_params[] = {
    CALENDAR_ID,
    {.name = "ruleId", .place = IN_PATH, .required = true},
};

static const struct param acl_insert_params[] = {
    CALENDAR_ID,
    {.name = "sendNotifications", .place = IN_QUERY, .type = PARAM_BOOL},
};

static const struct param acl_list_params[] = {
    CALENDAR_ID,
    MAX_RESULTS,
    {.name = "pageToken", .place = IN_QUERY},
    {.name = "showDeleted", .place = IN_QUERY, .type = PARAM_BOOL},
    {.name = "syncToken", .place = IN_QUERY},
};

static const struct param acl_patch_params[] = {
    CALENDAR_ID,
    {.name = "ruleId", .place = IN_PATH, .required = true},
    {.name = "sendNotifications", .place = IN_QUERY, .type = PARAM_BOOL},
};

static const struct route methods[] = {
    {ROUTE("calendar.acl.delete", DELETE, "/calendar/v3/calendars/{calendarId}/acl/{ruleId}"),
     .handler = acl_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = CALENDAR " " ACLS, PARAMS(acl_delete_params), .summary = "Remove a rule of access"},
    {ROUTE("calendar.acl.get", GET, "/calendar/v3/calendars/{calendarId}/acl/{ruleId}"),
     .handler = acl_get, .risk = RISK_READ,
     .scopes = CALENDAR " " ACLS " " ACLS_READONLY " " READONLY, PARAMS(acl_delete_params),
     .response = "AclRule", .summary = "One rule of access"},
    {ROUTE("calendar.acl.insert", POST, "/calendar/v3/calendars/{calendarId}/acl"),
     .handler = acl_insert, .risk = RISK_EXTERNAL, .body = BODY_JSON_OPTIONAL,
     .scopes = CALENDAR " " ACLS, PARAMS(acl_insert_params), .request = "AclRule",
     .response = "AclRule", .summary = "Grant access"},
    {ROUTE("calendar.acl.list", GET, "/calendar/v3/calendars/{calendarId}/acl"),
     .handler = acl_list, .risk = RISK_READ, .scopes = CALENDAR " " ACLS " " ACLS_READONLY,
     PARAMS(acl_list_params), .response = "Acl", .summary = "Who has access to a calendar"},
    {ROUTE("calendar.acl.patch", PATCH, "/calendar/v3/calendars/{calendarId}/acl/{ruleId}"),
     .handler = acl_patch, .risk = RISK_EXTERNAL, .idempotent = true, .body = BODY_JSON_OPTIONAL,
     .scopes = CALENDAR " " ACLS, PARAMS(acl_patch_params), .request = "AclRule",
     .response = "AclRule", .summary = "Change a rule of access"},
    {ROUTE("calendar.acl.update", PUT, "/calendar/v3/calendars/{calendarId}/acl/{ruleId}"),
     .handler = acl_update, .risk = RISK_EXTERNAL, .idempotent = true, .body = BODY_JSON_OPTIONAL,
     .scopes = CALENDAR " " ACLS, PARAMS(acl_patch_params), .request = "AclRule",
     .response = "AclRule", .summary = "Replace a rule of access"},
    {ROUTE("calendar.acl.watch", POST, "/calendar/v3/calendars/{calendarId}/acl/watch"),
     .handler = acl_watch, .risk = RISK_EXTERNAL, .needs_body = true, .body = BODY_JSON_OPTIONAL,
     .scopes = CALENDAR " " ACLS " " ACLS_READONLY, PARAMS(acl_list_params), .request = "Channel",
     .response = "Channel", .summary = "Watch for changes to access rules"},
};

const struct rows gcal_acl = ROWS(methods);
