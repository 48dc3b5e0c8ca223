/* SPDX-License-Identifier: Apache-2.0 */
/* What an app's functions did, as its developers see it: apps.activities.list. */
#include "engine/base/codec.h"
#include "services/chat/slack/acts/interact.h"
#include "services/chat/slack/apps/manifest.h"
#include "services/chat/slack/events/push.h"
#include <stdio.h>

#define LAST_US (CHAT_LAST_SECOND * 1000000)

static const char *const levels[] = {"trace", "debug", "info", "warn", "error", "fatal", NULL};
static const char *const components[] = {"events_api", "workflows", "functions", "tables", NULL};
static const char *const sources[] = {"slack", "developer", NULL};
static const char *const directions[] = {"asc", "desc", NULL};

enum { INFO = 2, ERROR = 4, FUNCTIONS = 2 }; /* of these lists */

struct activities {
    struct call *c;
    struct chat_app app;
    const struct json *functions;          /* of the app's settings */
    int level;                             /* and what is worse */
    bool others;                           /* what is asked for is not of functions */
    const char *event, *component, *trace; /* NULL: any */
    int64_t limit, n;
    int64_t last_us, last; /* the last one that was written */
    bool more;
};

static const char *text_filter(struct call *c, const char *name)
{
    const char *text = param_str(c, name);
    return text && *text ? text : NULL;
}

/* The app, which is in the workspace and the caller's to develop. */
static int developed_app(struct call *c, struct activities *l)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_install install;
    struct sl_settings s;
    int r = chat_app_find(&c->tx, param_str(c, "app_id"), &l->app);
    if (r != 1 || l->app.deleted)
        return r < 0 ? -1 : slack_fail(c, "invalid_app_id");
    r = chat_install_of(&c->tx, me->workspace.id, l->app.app, &install);
    if (r < 0)
        return -1;
    if (!r || install.deleted || (l->app.owner && l->app.owner != me->user.id))
        return slack_fail(c, "invalid_app");
    if (sl_settings_of(&c->tx, &l->app, &s) < 0)
        return -1;
    l->functions = json_get(s.all, "functions");
    return 0;
}

static int read_filters(struct call *c, struct activities *l, struct chat_activity_ask *ask)
{
    const char *team = text_filter(c, "team_id"), *at;
    int source = 0, component = FUNCTIONS, direction = 1;
    long long from, number;
    if (team && strcmp(team, sl_me(c)->workspace.key) != 0)
        return slack_fail(c, "invalid_args");
    if (slack_word(c, "min_log_level", &l->level) < 0 || slack_word(c, "source", &source) < 0 ||
        slack_word(c, "component_type", &component) < 0 ||
        slack_word(c, "sort_direction", &direction) < 0 ||
        slack_number(c, "min_date_created", &ask->min_us) < 0 ||
        slack_number(c, "max_date_created", &ask->max_us) < 0 || slack_limit(c, &l->limit) < 0)
        return -1;
    l->others = source != 0 || component != FUNCTIONS;
    l->event = text_filter(c, "log_event_type");
    l->component = text_filter(c, "component_id");
    l->trace = text_filter(c, "trace_id");
    ask->ascending = direction == 0;
    int r = slack_cursor(c, "log_id", &at);
    if (r <= 0)
        return r;
    if (sscanf(at, "%18lld.%18lld", &from, &number) != 2 || from <= 0 || number < 0)
        return slack_fail(c, "invalid_cursor");
    ask->at_us = from;
    ask->number = number;
    return 0;
}

static bool differs(const char *wanted, const char *is)
{
    return wanted && strcmp(wanted, is) != 0;
}

static int write_activity(void *arg, const struct chat_activity *a)
{
    struct activities *l = arg;
    struct json_writer *w = l->c->out;
    struct arena *arena = l->c->tx.arena;
    bool failed = a->end && a->of.state == CHAT_FAILED;
    const char *event = a->end ? "function_execution_result" : "function_execution_started";
    const char *id = sl_function_id(arena, l->app.key, a->of.function);
    const char *trace = arena_printf(arena, "Tr%s", a->of.workflow + 2);
    const char *title = json_get_str(json_get(l->functions, a->of.function), "title");
    if (l->others || (failed ? ERROR : INFO) < l->level || differs(l->event, event) ||
        differs(l->component, id) || differs(l->trace, trace))
        return 0;
    if (l->n == l->limit) {
        l->more = true;
        return 1;
    }
    l->n++;
    l->last_us = a->at_us;
    l->last = a->number;
    json_obj(w, NULL);
    json_str(w, "level", levels[failed ? ERROR : INFO]);
    json_str(w, "event_type", event);
    json_str(w, "source", "slack");
    json_str(w, "component_type", components[FUNCTIONS]);
    json_str(w, "component_id", id);
    json_obj(w, "payload");
    json_str(w, "function_name", title ? title : a->of.function);
    json_str(w, "function_type", "app");
    if (failed)
        json_str_opt(w, "error", a->of.error);
    json_end(w);
    json_int(w, "created", a->at_us);
    json_str(w, "trace_id", trace);
    json_end(w);
    return 0;
}

static int activities_list(struct call *c)
{
    struct activities l = {.c = c, .level = INFO};
    struct chat_activity_ask ask = {.workspace = sl_me(c)->workspace.id, .max_us = LAST_US};
    if (strcmp(sl_me(c)->workspace.plan, "free") == 0)
        return slack_fail(c, "free_team_not_allowed");
    if (developed_app(c, &l) < 0 || read_filters(c, &l, &ask) < 0)
        return -1;
    ask.app = l.app.app;
    slack_open(c);
    json_arr(c->out, "activities");
    if (chat_activities(&c->tx, &ask, write_activity, &l) < 0)
        return -1;
    json_end(c->out);
    slack_next(c, "log_id",
               l.more
                   ? arena_printf(c->tx.arena, "%lld.%lld", (long long)l.last_us, (long long)l.last)
                   : NULL);
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param activities_params[] = {
    SL_NEEDED("app_id"),
    SL_ARG("team_id"),
    SL_ARG("cursor"),
    SL_ARG("limit", SL_WHOLE(0, 1000), .def = "100"),
    SL_ARG("min_log_level", .type = PARAM_ENUM, .values = levels, .def = "info",
           .fault = "invalid_args"),
    SL_ARG("log_event_type"),
    SL_ARG("source", .type = PARAM_ENUM, .values = sources, .def = "slack", .fault = "invalid_args",
           .summary = "Whether entries of the service or of the developer's code are given"),
    SL_ARG("component_type", .type = PARAM_ENUM, .values = components, .def = "functions",
           .fault = "invalid_args"),
    SL_ARG("component_id"),
    SL_ARG("trace_id"),
    SL_ARG("min_date_created", SL_WHOLE(0, INT64_MAX), .fault = "invalid_args"),
    SL_ARG("max_date_created", SL_WHOLE(0, INT64_MAX), .fault = "invalid_args"),
    SL_ARG("sort_direction", .type = PARAM_ENUM, .values = directions, .def = "desc",
           .fault = "invalid_args")};

static const struct route methods[] = {
    {SL_METHOD("apps.activities.list"), .token_kinds = TOKEN_USER, .handler = activities_list,
     .risk = RISK_READ, .accepts = slack_form_only, .scopes = "hosting:read",
     PARAMS(activities_params), .rate = SLACK_TIER_3, .summary = "What an app's functions did"},
};

const struct rows sl_activities = ROWS(methods);
