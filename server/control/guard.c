/* SPDX-License-Identifier: Apache-2.0 */
/* Rules on the calls of worlds: policies. */
#include "server/control/operation.h"
#include "server/control/parameters.h"
#include "guard/simulate.h"

static int policy_set(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob json;
    if (sosia_policy_set(c->engine, c->world, c->request->body, c->request->body_len,
                         control_text(c, "document_name"), &json, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

static int policy_list(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob json;
    if (sosia_policy_list(c->engine, c->world, control_text(c, "policy"), &json, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

static int policy_try(struct call *call)
{
    struct control_call *c = control_of(call);
    const char *name = control_text(c, "document_name");
    struct sosia_blob json;
    if (policy_simulate(c->engine, c->world, c->request->body, c->request->body_len,
                        name ? name : "policy", &json, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

static int policy_make(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob json;
    if (policy_derive(c->engine, c->world, &json, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

static int policy_remove(struct call *call)
{
    struct control_call *c = control_of(call);
    if (sosia_policy_remove(c->engine, c->world, control_text(c, "policy"), &c->err) < 0)
        return -1;
    return control_answer_empty(c);
}

static int approval_list(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob json;
    if (sosia_approval_list(c->engine, c->world, control_text(c, "action"),
                            control_text(c, "state"), &json, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

/* As sosia_approval_decide() takes it. */
static const char *handed_to(struct call *call, const char *to)
{
    const struct json name = {.type = JSON_STRING, .n = (uint32_t)strlen(to), .str = to};
    return arena_printf(call->tx.arena, "{\"to\":%s}", json_to_text(call->tx.arena, &name));
}

static int approval_decide(struct call *call)
{
    struct control_call *c = control_of(call);
    const char *action = control_text(c, "action"), *to = control_text(c, "to");
    const char *arguments = control_text(c, "arguments");
    struct sosia_blob json;
    if (to && !arguments)
        arguments = handed_to(call, to);
    if (sosia_approval_decide(c->engine, c->world, action, control_text(c, "decision"), arguments,
                              control_text(c, "by"), control_text(c, "comment"), &c->err) < 0 ||
        sosia_approval_list(c->engine, c->world, action, NULL, &json, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

/* ---- rows ---- */

#define POLICY                                                                                     \
    {                                                                                              \
        .name = "policy", .type = PARAM_STRING, .place = IN_PATH, .required = true, .max = 80,     \
        .summary = "Its name"                                                                      \
    }
static const struct param set_params[] = {WORLD,
                                          {.name = "document_name",
                                           .place = IN_QUERY,
                                           .type = PARAM_STRING,
                                           .max = 80,
                                           .summary = "What messages call the document, and the "
                                                      "policy if it has no name"}};
static const struct param policy_params[] = {WORLD, POLICY};

static const char *const states[] = {"drafted", "held", "approved", "rejected", "executed", NULL};
#define ACTION                                                                                     \
    {                                                                                              \
        .name = "action", .type = PARAM_STRING, .place = IN_PATH, .required = true, .max = 40,     \
        .summary = "Its name, as refusals give it"                                                 \
    }
static const struct param approvals_params[] = {WORLD,
                                                {.name = "state",
                                                 .place = IN_QUERY,
                                                 .type = PARAM_ENUM,
                                                 .values = states,
                                                 .summary = "Only those; without it all"}};
static const struct param action_params[] = {WORLD, ACTION};

static const struct route routes[] = {
    {ROUTE("policies.list", GET, "/worlds/{world}/policies"), .outside = true, .risk = RISK_READ,
     .summary = "The policies of a world", .handler = policy_list, .pace = PACE_SLOW,
     PARAMS(world_only), .status = 200, .response = "Policies"},
    {ROUTE("policies.set", POST, "/worlds/{world}/policies"), .outside = true, .risk = RISK_WRITE,
     .summary = "Puts a policy (JSON or YAML) into a world, in the place of one of the same name",
     .handler = policy_set, .pace = PACE_SLOW, PARAMS(set_params), .body = BODY_RAW,
     .max_body = 1 << 20,
     .accepts = (const char *const[]){"application/json", "application/yaml", NULL}, .status = 200,
     .response = "Policy"},
    {ROUTE("policies.simulate", POST, "/worlds/{world}/policies/simulate"), .outside = true,
     .risk = RISK_READ,
     .summary = "What a policy would have decided on the calls of the world's journal",
     .handler = policy_try, .pace = PACE_SLOW, PARAMS(set_params), .body = BODY_RAW,
     .max_body = 1 << 20,
     .accepts = (const char *const[]){"application/json", "application/yaml", NULL}, .status = 200,
     .response = "Simulation"},
    {ROUTE("policies.derive", POST, "/worlds/{world}/policies/derive"), .outside = true,
     .risk = RISK_READ,
     .summary = "The least policy with which the world's journal passes, and scopes that were used",
     .handler = policy_make, .pace = PACE_SLOW, PARAMS(world_only), .status = 200,
     .response = "DerivedPolicy"},
    {ROUTE("policies.get", GET, "/worlds/{world}/policies/{policy}"), .outside = true,
     .risk = RISK_READ, .summary = "One of them, with its document", .handler = policy_list,
     .pace = PACE_SLOW, PARAMS(policy_params), .status = 200, .response = "Policies"},
    {ROUTE("policies.remove", DELETE, "/worlds/{world}/policies/{policy}"), .outside = true,
     .risk = RISK_WRITE, .summary = "Takes a policy out of a world", .handler = policy_remove,
     .pace = PACE_SLOW, PARAMS(policy_params), .status = 204},
    {ROUTE("approvals.list", GET, "/worlds/{world}/approvals"), .outside = true, .risk = RISK_READ,
     .summary = "Calls that policies hold, or held, until somebody decides",
     .handler = approval_list, .pace = PACE_SLOW, PARAMS(approvals_params), .status = 200,
     .response = "Approvals"},
    {ROUTE("approvals.get", GET, "/worlds/{world}/approvals/{action}"), .outside = true,
     .risk = RISK_READ, .summary = "One of them, with what it would do", .handler = approval_list,
     .pace = PACE_SLOW, PARAMS(action_params), .status = 200, .response = "Approvals"},
    {ROUTE("approvals.decide", POST, "/worlds/{world}/approvals/{action}"), .outside = true,
     .risk = RISK_WRITE, .summary = "Decides on one, once", .handler = approval_decide,
     .pace = PACE_SLOW, PARAMS(action_params), .body = BODY_JSON, .request = "Decide",
     .status = 200, .response = "Approvals"},
};

const struct rows control_guard_rows = ROWS(routes);
