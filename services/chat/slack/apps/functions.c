/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of apps as steps of workflows: functions.completeSuccess and functions.completeError
 * (docs.slack.dev, custom steps). */
#include "engine/text/civil.h"
#include "services/chat/slack/acts/act.h"
#include "services/chat/slack/web/compose.h"
#include "services/chat/slack/apps/parameters.h"

/* ---- the methods ---- */

/* The one that is named, of the caller's app, and its declaration (NULL: it is gone). */
static int execution_arg(struct call *c, struct chat_execution *ret, const struct json **ret_def)
{
    struct sl_party p;
    int r = chat_execution_find(&c->tx, param_str(c, "function_execution_id"), ret);
    if (r < 0)
        return -1;
    if (!r || ret->app != sl_me(c)->app || ret->workspace != sl_me(c)->workspace.id)
        return slack_fail(c, "function_execution_not_found");
    if (ret->state != CHAT_RUNNING)
        return slack_fail(c, "execution_not_in_running_state");
    if ((r = sl_party_of(c, ret->app, &p)) < 0)
        return -1;
    *ret_def = r ? json_get(json_get(p.settings.all, "functions"), ret->function) : NULL;
    return 0;
}

static int complete_success(struct call *c)
{
    struct chat_execution e;
    const struct json *outputs, *def;
    if (slack_value(c, "outputs", &outputs) < 0 || execution_arg(c, &e, &def) < 0 ||
        sl_check_parameters(c, json_get(def, "output_parameters"), outputs, "/outputs") < 0)
        return -1;
    e.state = CHAT_COMPLETED;
    e.outputs = json_to_text(c->tx.arena, outputs);
    return chat_execution_end(&c->tx, &e) < 0 ? -1 : slack_ok(c);
}

static int complete_error(struct call *c)
{
    struct chat_execution e;
    const struct json *def;
    if (execution_arg(c, &e, &def) < 0)
        return -1;
    e.state = CHAT_FAILED;
    e.error = param_str(c, "error");
    return chat_execution_end(&c->tx, &e) < 0 ? -1 : slack_ok(c);
}

/* ---- rows ---- */

static const struct param success_params[] = {
    SL_NEEDED("function_execution_id"),
    SL_NEEDED("outputs", SL_OBJECT, .fault = "must provide an object")};
static const struct param error_params[] = {
    SL_NEEDED("function_execution_id"),
    SL_NEEDED("error", .summary = "Reason of the failure, for people")};

static const struct route methods[] = {
    {SL_METHOD("functions.completeSuccess"), SL_PEOPLE, .handler = complete_success,
     .risk = RISK_WRITE, PARAMS(success_params), .rate = SLACK_TIER_3,
     .summary = "Say what came of a function"},
    {SL_METHOD("functions.completeError"), SL_PEOPLE, .handler = complete_error, .risk = RISK_WRITE,
     PARAMS(error_params), .rate = SLACK_TIER_3, .summary = "Say why a function failed"},
};

const struct rows sl_functions = ROWS(methods);
