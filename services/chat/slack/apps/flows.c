/* SPDX-License-Identifier: Apache-2.0 */
/* Triggers of workflows: who may use them (workflows.triggers.permissions.*), and which ones a
 * channel shows (workflows.featured.*). Triggers come from seed documents. */
#include "services/chat/slack/apps/platform.h"
#include "services/chat/slack/apps/named.h"

/* ---- who may use one ---- */

/* The one that is named, of the caller's app. */
static int flow_trigger_arg(struct call *c, struct chat_flow_trigger *ret)
{
    const struct sl_caller *me = sl_me(c);
    int r = chat_flow_trigger_find(&c->tx, param_str(c, "trigger_id"), ret);
    if (r < 0)
        return -1;
    return r && ret->workspace == me->workspace.id && ret->app == me->app
               ? 0
               : slack_fail(c, "trigger_not_found");
}

static void write_ids(struct call *c, const char *key, const struct sl_named *named, int kind)
{
    if (!named->n[kind])
        return;
    json_arr(c->out, key);
    for (size_t i = 0; i < named->n[kind]; i++)
        json_str(c->out, NULL, named->ids[kind][i]);
    json_end(c->out);
}

/* With who is named, or who works on the app. */
static int answer_permission(struct call *c, const struct chat_flow_trigger *t,
                             const struct sl_named *named)
{
    struct sl_named owner = {0};
    int64_t user = sl_me(c)->chat_app.owner;
    if (t->permission == CHAT_COLLABORATORS && user) {
        owner.ids[SL_NAMED_USERS][0] = sl_user_key(c, user);
        owner.n[SL_NAMED_USERS] = 1;
    }
    if (t->permission != CHAT_NAMED)
        named = &owner;
    slack_open(c);
    json_str(c->out, "permission_type", chat_permissions[t->permission]);
    write_ids(c, "user_ids", named, SL_NAMED_USERS);
    write_ids(c, "channel_ids", named, SL_NAMED_CHANNELS);
    write_ids(c, "team_ids", named, SL_NAMED_TEAMS);
    slack_close(c);
    return 0;
}

static int save_permission(struct call *c, struct chat_flow_trigger *t,
                           const struct sl_named *named)
{
    t->entities = sl_named_json(c, named);
    return !t->entities || chat_flow_trigger_save(&c->tx, t) < 0 ? -1
                                                                 : answer_permission(c, t, named);
}

static int trigger_permissions_list(struct call *c)
{
    struct chat_flow_trigger t;
    struct sl_named named;
    return flow_trigger_arg(c, &t) < 0 || sl_named_read(c, t.entities, &named) < 0
               ? -1
               : answer_permission(c, &t, &named);
}

static int trigger_permissions_set(struct call *c)
{
    struct chat_flow_trigger t;
    struct sl_named named;
    int permission = sl_permission_arg(c);
    if (permission < 0 || flow_trigger_arg(c, &t) < 0)
        return -1;
    int n = sl_named_args(c, &named);
    if (n < 0)
        return -1;
    t.permission = (enum chat_permission)permission;
    if (t.permission == CHAT_NAMED && !n)
        return slack_fail(c, "named_entities_cannot_be_empty");
    if (t.permission != CHAT_NAMED && n)
        return slack_fail(c, "invalid_permission_type");
    return save_permission(c, &t, &named);
}

/* A trigger that is for who is named, whom it names, and whom the arguments do. */
static int named_trigger(struct call *c, struct chat_flow_trigger *t, struct sl_named *there,
                         struct sl_named *given)
{
    if (flow_trigger_arg(c, t) < 0 || sl_named_read(c, t->entities, there) < 0)
        return -1;
    if (t->permission != CHAT_NAMED)
        return slack_fail(c, "invalid_permission_type");
    int n = sl_named_args(c, given);
    return n ? (n < 0 ? -1 : 0) : slack_fail(c, "no_valid_named_entities");
}

static int trigger_permissions_add(struct call *c)
{
    struct chat_flow_trigger t;
    struct sl_named there, given;
    if (named_trigger(c, &t, &there, &given) < 0 || sl_named_add(c, &there, &given) < 0)
        return -1;
    return save_permission(c, &t, &there);
}

static int trigger_permissions_remove(struct call *c)
{
    struct chat_flow_trigger t;
    struct sl_named there, given;
    if (named_trigger(c, &t, &there, &given) < 0)
        return -1;
    sl_named_remove(&there, &given);
    return sl_named_any(&there) ? save_permission(c, &t, &there)
                                : slack_fail(c, "named_entities_cannot_be_empty");
}

/* ---- featured ---- */

#define MAX_LISTED 100 /* channels */

/* The channel, in which the caller must be. */
static int featuring_channel(struct call *c, struct chat_channel *ret)
{
    if (sl_channel_arg(c, "channel_id", false, ret) < 0)
        return -1;
    int r = sl_is_member(c, ret);
    if (r < 0)
        return -1;
    return r && sl_me(c)->user.role < CHAT_GUEST ? 0 : slack_fail(c, "restricted_action");
}

/* The rowids of the triggers; -1: refused. */
static int triggers_arg(struct call *c, int64_t ids[CHAT_FEATURED_MAX], size_t *ret_n)
{
    struct chat_flow_trigger t;
    const char **keys = slack_list_arg(c, "trigger_ids", ret_n);
    if (!*ret_n || *ret_n > CHAT_FEATURED_MAX)
        return slack_invalid_arguments(c, "/trigger_ids",
                                       *ret_n ? "no more than 15 items allowed"
                                              : "no less than 1 items allowed");
    for (size_t i = 0; i < *ret_n; i++) {
        int r = chat_flow_trigger_find(&c->tx, keys[i], &t);
        if (r != 1 || t.workspace != sl_me(c)->workspace.id)
            return r < 0 ? -1 : slack_fail(c, "error_modifying_workflows");
        ids[i] = t.id;
    }
    return 0;
}

/* Shows them in the place of what is there, or (more) beside it. */
static int feature(struct call *c, bool more)
{
    int64_t ids[CHAT_FEATURED_MAX], there;
    struct chat_channel ch;
    size_t n;
    if (featuring_channel(c, &ch) < 0 || triggers_arg(c, ids, &n) < 0 ||
        (!more && chat_unfeature(&c->tx, ch.id, 0) < 0))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (chat_feature(&c->tx, ch.id, ids[i]) < 0)
            return -1;
    if (chat_featured_count(&c->tx, ch.id, &there) < 0)
        return -1;
    return there > CHAT_FEATURED_MAX ? slack_fail(c, "error_modifying_workflows") : slack_ok(c);
}

static int featured_add(struct call *c)
{
    return feature(c, true);
}

static int featured_set(struct call *c)
{
    return feature(c, false);
}

static int featured_remove(struct call *c)
{
    int64_t ids[CHAT_FEATURED_MAX];
    struct chat_channel ch;
    size_t n;
    if (featuring_channel(c, &ch) < 0 || triggers_arg(c, ids, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (chat_unfeature(&c->tx, ch.id, ids[i]) < 0)
            return -1;
    return slack_ok(c);
}

static int write_featured(void *arg, const char *key, const char *title)
{
    struct call *c = arg;
    json_obj(c->out, NULL);
    json_str(c->out, "id", key);
    json_str(c->out, "title", title);
    json_end(c->out);
    return 0;
}

/* A channel that the caller sees: 1, 0, -1. */
static int listed_channel(struct call *c, const char *key, struct chat_channel *ret)
{
    int r = chat_channel_find(&c->tx, sl_me(c)->workspace.id, key, ret);
    if (r != 1)
        return r;
    bool open = ret->kind == CHAT_PUBLIC && sl_me(c)->user.role < CHAT_GUEST;
    return open ? 1 : sl_is_member(c, ret);
}

static int featured_list(struct call *c)
{
    struct chat_channel channels[MAX_LISTED];
    size_t n;
    const char **keys = slack_list_arg(c, "channel_ids", &n);
    if (!n || n > MAX_LISTED)
        return slack_fail(c, "error_invalid_channels");
    for (size_t i = 0; i < n; i++) {
        int r = listed_channel(c, keys[i], &channels[i]);
        if (r != 1)
            return r < 0 ? -1 : slack_fail(c, "channel_not_found");
    }
    slack_open(c);
    json_arr(c->out, "featured_workflows");
    for (size_t i = 0; i < n; i++) {
        json_obj(c->out, NULL);
        json_str(c->out, "channel_id", channels[i].key);
        json_arr(c->out, "triggers");
        if (chat_featured(&c->tx, channels[i].id, write_featured, c) < 0)
            return -1;
        json_end(c->out);
        json_end(c->out);
    }
    json_end(c->out);
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param trigger_params[] = {SL_NEEDED("trigger_id")};
static const struct param named_params[] = {
    SL_NEEDED("trigger_id"), SL_ARG("user_ids", SL_LIST), SL_ARG("channel_ids", SL_LIST),
    SL_ARG("team_ids", SL_LIST), SL_ARG("org_ids", SL_LIST)};
static const struct param set_params[] = {SL_NEEDED("trigger_id"),
                                          SL_NEEDED("permission_type", .type = PARAM_ENUM,
                                                    .values = chat_permissions,
                                                    .fault = "must be a valid enum value"),
                                          SL_ARG("user_ids", SL_LIST),
                                          SL_ARG("channel_ids", SL_LIST),
                                          SL_ARG("team_ids", SL_LIST),
                                          SL_ARG("org_ids", SL_LIST)};
static const struct param feature_params[] = {SL_NEEDED("channel_id"),
                                              SL_NEEDED("trigger_ids", SL_LIST)};
static const struct param featured_params[] = {SL_NEEDED("channel_ids", SL_LIST)};

#define PERMITS                                                                                    \
    .token_kinds = TOKEN_BOT, .risk = RISK_WRITE, .scopes = "triggers:write",                      \
    .rate = SLACK_TIER_3, .idempotent = true
#define FEATURES                                                                                   \
    SL_PEOPLE, .risk = RISK_WRITE, .scopes = "bookmarks:write", .rate = SLACK_TIER_2,              \
               .idempotent = true, PARAMS(feature_params)
static const struct route methods[] = {
    {SL_METHOD("workflows.triggers.permissions.list"), .token_kinds = TOKEN_BOT,
     .handler = trigger_permissions_list, .risk = RISK_READ, .scopes = "triggers:read",
     PARAMS(trigger_params), .rate = SLACK_TIER_3, .summary = "Who may start a workflow"},
    {SL_METHOD("workflows.triggers.permissions.set"), PERMITS, .handler = trigger_permissions_set,
     PARAMS(set_params), .summary = "Say who may start a workflow"},
    {SL_METHOD("workflows.triggers.permissions.add"), PERMITS, .handler = trigger_permissions_add,
     PARAMS(named_params), .summary = "Let more people start a workflow"},
    {SL_METHOD("workflows.triggers.permissions.remove"), PERMITS,
     .handler = trigger_permissions_remove, PARAMS(named_params),
     .summary = "Let fewer people start a workflow"},
    {SL_METHOD("workflows.featured.list"), SL_PEOPLE, .handler = featured_list, .risk = RISK_READ,
     .scopes = "bookmarks:read", PARAMS(featured_params), .rate = SLACK_TIER_2,
     .summary = "Workflows that channels show"},
    {SL_METHOD("workflows.featured.add"), FEATURES, .handler = featured_add,
     .summary = "Show workflows in a channel"},
    {SL_METHOD("workflows.featured.set"), FEATURES, .handler = featured_set,
     .summary = "Show these workflows in a channel and no others"},
    {SL_METHOD("workflows.featured.remove"), FEATURES, .handler = featured_remove,
     .summary = "Show workflows in a channel no more"},
};

const struct rows sl_flows = ROWS(methods);
