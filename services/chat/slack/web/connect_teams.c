/* SPDX-License-Identifier: Apache-2.0 */
/* team.externalTeams.*: workspaces that channels are shared with. */
#include "engine/base/codec.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/connect.h"
#include "services/chat/slack/sl.h"
#include <stdlib.h>
#include <strings.h>

#define MAX_OTHERS 1000

struct others {
    struct call *c;
    struct chat_workspace *all;
    size_t n;
};

static int keep_other(void *arg, const struct chat_workspace *w)
{
    struct others *o = arg;
    if (o->n == MAX_OTHERS)
        return 1;
    o->all[o->n++] = *w;
    return 0;
}

static int by_team_name(const void *a, const void *b)
{
    const struct chat_workspace *x = a, *y = b;
    int r = strcasecmp(x->name, y->name);
    return r ? r : strcmp(x->key, y->key);
}

/* Channels of a kind that both have. */
static int write_organization(struct call *c, const struct chat_workspace *w)
{
    static const char *const counts[] = {"public_channel_count", "private_channel_count",
                                         "im_channel_count", "mpim_channel_count"};
    struct json_writer *out = c->out;
    int64_t n, active;
    json_obj(out, NULL);
    json_str(out, "team_id", w->key);
    json_str(out, "team_name", w->name);
    json_str(out, "team_domain", w->domain);
    for (int kind = CHAT_PUBLIC; kind <= CHAT_GROUP; kind++) {
        n = 0;
        if (kind < CHAT_DIRECT &&
            chat_channels_between(&c->tx, kind, sl_me(c)->workspace.id, w->id, &n) < 0)
            return -1;
        json_int(out, counts[kind], n);
    }
    json_arr(out, "connected_workspaces");
    json_obj(out, NULL);
    json_str(out, "workspace_id", sl_me(c)->workspace.key);
    json_str(out, "workspace_name", sl_me(c)->workspace.name);
    json_end(out);
    json_end(out);
    json_obj(out, "slack_connect_prefs");
    json_end(out);
    json_str(out, "connection_status", "CONNECTED");
    if (chat_active_between(&c->tx, sl_me(c)->workspace.id, w->id, &active) < 0)
        return -1;
    json_int(out, "last_active_timestamp", active);
    json_bool(out, "is_sponsored", false);
    json_end(out);
    return 0;
}

static bool filtered(struct call *c, const char **ret_bad)
{
    static const char *const states[] = {"CONNECTED", "DISCONNECTED", "BLOCKED", "IN_REVIEW"};
    const char *status = param_str(c, "connection_status_filter");
    *ret_bad = NULL;
    if (!status || !*status)
        return false;
    if (!str_in_nocase(status, states, SOSIA_LEN(states)))
        *ret_bad = "connection_status_filter";
    return strcmp(status, "CONNECTED") != 0; /* those that are not are not kept */
}

static int check_sort(struct call *c, bool *ret_down)
{
    static const char *const fields[] = {"team_name", "last_active_timestamp", "connection_status"};
    static const char *const ways[] = {"asc", "desc"};
    const char *field = param_str(c, "sort_field"), *way = param_str(c, "sort_direction");
    if (field && *field && !str_in_nocase(field, fields, SOSIA_LEN(fields)))
        return slack_invalid_arguments(
            c, "/sort_field",
            "must be one of: team_name, last_active_timestamp, connection_status");
    if (way && *way && !str_in_nocase(way, ways, SOSIA_LEN(ways)))
        return slack_invalid_arguments(c, "/sort_direction", "must be one of: asc, desc");
    *ret_down = way && strcmp(way, "desc") == 0;
    return 0;
}

static int external_list(struct call *c)
{
    struct others o = {.c = c, .all = arena_calloc(c->tx.arena, MAX_OTHERS, sizeof *o.all)};
    const char *bad, *from = NULL, *next = NULL;
    size_t n_wanted, at = 0;
    const char **wanted = slack_list_arg(c, "workspace_filter", &n_wanted);
    int64_t limit;
    bool down;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    bool none = filtered(c, &bad);
    if (bad)
        return slack_invalid_arguments(
            c, "/connection_status_filter",
            "must be one of: CONNECTED, DISCONNECTED, BLOCKED, IN_REVIEW");
    for (size_t i = 0; i < n_wanted; i++)
        if (strcmp(wanted[i], sl_me(c)->workspace.key) != 0)
            return slack_fail(c, "invalid_workspace_filter");
    if (check_sort(c, &down) < 0 || slack_limit(c, &limit) < 0 ||
        slack_cursor(c, "team", &from) < 0 ||
        (!none && chat_connected_with(&c->tx, sl_me(c)->workspace.id, keep_other, &o) < 0))
        return -1;
    qsort(o.all, o.n, sizeof *o.all, by_team_name);
    while (from && at < o.n && strcmp(o.all[down ? o.n - 1 - at : at].key, from) != 0)
        at++;
    slack_open(c);
    json_arr(c->out, "organizations");
    for (int64_t k = 0; at < o.n; at++, k++) {
        const struct chat_workspace *w = &o.all[down ? o.n - 1 - at : at];
        if (k == limit) {
            next = w->key;
            break;
        }
        if (write_organization(c, w) < 0)
            return -1;
    }
    json_end(c->out);
    json_int(c->out, "total_count", (int64_t)o.n);
    slack_next(c, "team", next);
    slack_close(c);
    return 0;
}

static int end_channel(struct call *c, int64_t id, int64_t workspace)
{
    struct chat_channel ch;
    if (chat_channel_get(&c->tx, id, &ch) != 1)
        return -1;
    chat_notify(&c->tx, CHAT_EV_CONNECT, OP_REMOVED, id, workspace, NULL,
                &(struct chat_change){.by = sl_me(c)->user.id});
    return chat_connect_end(&c->tx, &ch, workspace) < 0 || chat_channel_save(&c->tx, &ch, NULL) < 0
               ? -1
               : 0;
}

/* Every channel that both have stays with whose it is. */
static int external_disconnect(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_workspace w;
    int64_t channel, with;
    int r = chat_workspace_find(&c->tx, param_str(c, "target_team"), &w);
    if (r == 1)
        r = w.id == me->workspace.id ? 0 : chat_connected(&c->tx, me->workspace.id, w.id);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invalid_target_team");
    while ((r = chat_connect_between(&c->tx, me->workspace.id, w.id, &channel, &with)) == 1)
        if (end_channel(c, channel, with) < 0)
            return -1;
    if (r < 0)
        return -1;
    slack_open(c);
    json_bool(c->out, "job_enqueued", true);
    slack_close(c);
    return 0;
}

static const struct param list_params[] = {
    SL_ARG("limit", SL_WHOLE(0, 25), .def = "20"),
    SL_ARG("cursor"),
    SL_ARG("sort_field", SL_WORDS("team_name", "last_active_timestamp", "connection_status"),
           .def = "team_name"),
    SL_ARG("sort_direction", SL_WORDS("asc", "desc"), .def = "asc"),
    SL_ARG("slack_connect_pref_filter", SL_LIST),
    SL_ARG("workspace_filter", SL_LIST),
    SL_ARG("connection_status_filter",
           SL_WORDS("CONNECTED", "DISCONNECTED", "BLOCKED", "IN_REVIEW"))};
static const struct param end_params[] = {SL_NEEDED("target_team")};

static const struct route methods[] = {
    {SL_METHOD("team.externalTeams.disconnect"), .token_kinds = TOKEN_BOT,
     .handler = external_disconnect, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .accepts = slack_form_only, .scopes = "conversations.connect:manage", PARAMS(end_params),
     .rate = SLACK_TIER_1, .summary = "Share channels with a workspace no more"},
    {SL_METHOD("team.externalTeams.list"), .token_kinds = TOKEN_BOT, .handler = external_list,
     .risk = RISK_READ, .accepts = slack_form_only,
     .scopes = "conversations.connect:manage team:read", PARAMS(list_params), .rate = SLACK_TIER_2,
     .summary = "Workspaces that channels are shared with"},
};

const struct rows sl_connect_teams = ROWS(methods);
