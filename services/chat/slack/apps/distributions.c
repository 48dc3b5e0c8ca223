/* SPDX-License-Identifier: Apache-2.0 */
/* Who may use functions of apps in workflows: functions.distributions.permissions.*. Who calls has
 * a configuration token. */
#include "services/chat/slack/apps/platform.h"
#include "services/chat/slack/apps/manifest.h"
#include "services/chat/slack/apps/named.h"
#include "services/chat/slack/events/push.h"

/* ---- which function ---- */

/* The name of the app's function, by its id (or, id NULL, its callback_id). 1, 0, -1. */
static int function_of(struct call *c, const struct chat_app *a, const char *id, const char *name,
                       const char **ret)
{
    struct sl_settings s;
    if (sl_settings_of(&c->tx, a, &s) < 0)
        return -1;
    const struct json *all = json_get(s.all, "functions");
    for (uint32_t i = 0; all && all->type == JSON_OBJECT && i < all->n; i++) {
        const char *key = all->members[i].key;
        if (id ? strcmp(sl_function_id(c->tx.arena, a->key, key), id) == 0
               : name && strcmp(key, name) == 0) {
            *ret = key;
            return 1;
        }
    }
    return 0;
}

/* By its id it may be any app's. */
static int search_function(struct call *c, const char *id, struct chat_app *ret_app,
                           const char **ret)
{
    struct chat_app a = {0};
    int r, found = 0;
    while (!found && (r = chat_app_next(&c->tx, a.id, &a)) == 1)
        if (!a.deleted && (found = function_of(c, &a, id, NULL, ret)) < 0)
            return -1;
    *ret_app = a;
    return !found && r < 0 ? -1 : found;
}

static int function_arg(struct call *c, struct chat_app *ret_app, struct chat_distribution *ret)
{
    const char *id = param_str(c, "function_id"), *name = param_str(c, "function_callback_id");
    const char *app = param_str(c, "function_app_id"), *function;
    int r = 0;
    if (id && *id)
        r = search_function(c, id, ret_app, &function);
    if (r < 0 || (r && sl_kept_app(c, ret_app->key, ret_app) < 0))
        return -1;
    if (!r && !(id && *id) && name && *name) {
        if (!app || !*app)
            return slack_fail(c, "app_not_found");
        if (sl_kept_app(c, app, ret_app) < 0)
            return -1;
        r = function_of(c, ret_app, NULL, name, &function);
    }
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "function_not_found");
    return chat_distribution_of(&c->tx, ret_app->app, function, ret) < 0 ? -1 : 0;
}

/* ---- answers ---- */

static int write_named_user(struct call *c, const char *key)
{
    struct chat_user u;
    int r = sl_user_find(c, key, &u);
    if (r != 1)
        return r;
    json_obj(c->out, NULL);
    json_str(c->out, "user_id", u.key);
    json_str(c->out, "username", u.name);
    json_str_opt(c->out, "email", u.email);
    json_end(c->out);
    return 0;
}

static int answer_distribution(struct call *c, const struct chat_app *a,
                               const struct chat_distribution *d, const struct sl_named *named)
{
    slack_open(c);
    json_str(c->out, "permission_type", chat_permissions[d->permission]);
    if (d->permission != CHAT_EVERYONE)
        json_arr(c->out, "users");
    if (d->permission == CHAT_COLLABORATORS && a->owner &&
        write_named_user(c, sl_user_key(c, a->owner)) < 0)
        return -1;
    for (size_t i = 0; d->permission == CHAT_NAMED && i < named->n[SL_NAMED_USERS]; i++)
        if (write_named_user(c, named->ids[SL_NAMED_USERS][i]) < 0)
            return -1;
    if (d->permission != CHAT_EVERYONE)
        json_end(c->out);
    if (d->permission == CHAT_NAMED && named->n[SL_NAMED_TEAMS]) {
        json_arr(c->out, "team_ids");
        for (size_t i = 0; i < named->n[SL_NAMED_TEAMS]; i++)
            json_str(c->out, NULL, named->ids[SL_NAMED_TEAMS][i]);
        json_end(c->out);
    }
    slack_close(c);
    return 0;
}

static int save_distribution(struct call *c, const struct chat_app *a, struct chat_distribution *d,
                             const struct sl_named *named)
{
    d->entities = sl_named_json(c, named);
    return !d->entities || chat_distribution_set(&c->tx, d) < 0
               ? -1
               : answer_distribution(c, a, d, named);
}

/* ---- the methods ---- */

static int distribution_list(struct call *c)
{
    struct chat_distribution d;
    struct sl_named named;
    struct chat_app a;
    return function_arg(c, &a, &d) < 0 || sl_named_read(c, d.entities, &named) < 0
               ? -1
               : answer_distribution(c, &a, &d, &named);
}

static int distribution_set(struct call *c)
{
    const char *type = param_str(c, "permission_type");
    struct chat_distribution d;
    struct sl_named named;
    struct chat_app a;
    int permission;
    if (!type || !*type)
        return slack_fail(c, "permission_type_required");
    if ((permission = sl_permission_arg(c)) < 0 || function_arg(c, &a, &d) < 0)
        return -1;
    int n = sl_named_args(c, &named);
    if (n < 0)
        return -1;
    d.permission = (enum chat_permission)permission;
    if (d.permission == CHAT_NAMED && !n)
        return slack_fail(c, "invalid_named_entities");
    if (d.permission != CHAT_NAMED && n)
        return slack_fail(c, "invalid_permission_type");
    return save_distribution(c, &a, &d, &named);
}

/* A function that is for who is named, whom it names, and whom the arguments do. */
static int named_function(struct call *c, struct chat_app *a, struct chat_distribution *d,
                          struct sl_named *there, struct sl_named *given)
{
    if (function_arg(c, a, d) < 0 || sl_named_read(c, d->entities, there) < 0)
        return -1;
    if (d->permission != CHAT_NAMED)
        return slack_fail(c, "invalid_permission_type");
    int n = sl_named_args(c, given);
    return n ? (n < 0 ? -1 : 0) : slack_fail(c, "user_not_found");
}

static int distribution_add(struct call *c)
{
    struct chat_distribution d;
    struct sl_named there, given;
    struct chat_app a;
    if (named_function(c, &a, &d, &there, &given) < 0 || sl_named_add(c, &there, &given) < 0)
        return -1;
    return save_distribution(c, &a, &d, &there);
}

static int distribution_remove(struct call *c)
{
    struct chat_distribution d;
    struct sl_named there, given;
    struct chat_app a;
    if (named_function(c, &a, &d, &there, &given) < 0)
        return -1;
    sl_named_remove(&there, &given);
    return save_distribution(c, &a, &d, &there);
}

/* ---- rows ---- */

static const struct param function_params[] = {
    SL_ARG("function_id"), SL_ARG("function_callback_id"), SL_ARG("function_app_id")};
static const struct param people_params[] = {SL_ARG("function_id"), SL_ARG("function_callback_id"),
                                             SL_ARG("function_app_id"),
                                             SL_ARG("user_ids", SL_LIST)};
static const struct param distribution_params[] = {SL_ARG("function_id"),
                                                   SL_ARG("function_callback_id"),
                                                   SL_ARG("function_app_id"),
                                                   SL_ARG("permission_type", .type = PARAM_ENUM,
                                                          .values = chat_permissions,
                                                          .fault = "must be a valid enum value"),
                                                   SL_ARG("user_ids", SL_LIST),
                                                   SL_ARG("team_ids", SL_LIST),
                                                   SL_ARG("org_ids", SL_LIST)};

#define DISTRIBUTES                                                                                \
    SL_CONFIGURING("write"), .risk = RISK_WRITE, .rate = SLACK_TIER_3, .idempotent = true
static const struct route methods[] = {
    {SL_METHOD("functions.distributions.permissions.list"), SL_CONFIGURING("read"),
     .handler = distribution_list, .risk = RISK_READ, PARAMS(function_params), .rate = SLACK_TIER_3,
     .summary = "Who may use a function in workflows"},
    {SL_METHOD("functions.distributions.permissions.set"), DISTRIBUTES, .handler = distribution_set,
     PARAMS(distribution_params), .summary = "Say who may use a function in workflows"},
    {SL_METHOD("functions.distributions.permissions.add"), DISTRIBUTES, .handler = distribution_add,
     PARAMS(people_params), .summary = "Let more people use a function"},
    {SL_METHOD("functions.distributions.permissions.remove"), DISTRIBUTES,
     .handler = distribution_remove, PARAMS(people_params),
     .summary = "Let fewer people use a function"},
};

const struct rows sl_distributions = ROWS(methods);
