/* SPDX-License-Identifier: Apache-2.0 */
/* The endpoint of Work IQ on a host of Microsoft's. */
#include "mcp/endpoint.h"
#include "mcp/sets/workiq/workiq.h"
#include "vendors/microsoft/graph.h"

static int post(struct call *c)
{
    return endpoint_serve(c, &workiq_face);
}

/* Programs find out where people sign in (RFC 9728). */
static int protected_resource(struct call *c)
{
    json_obj(c->out, NULL);
    json_str(c->out, "resource", "https://" WORKIQ_HOST "/mcp");
    json_arr(c->out, "authorization_servers");
    json_str(c->out, NULL, "https://login.microsoftonline.com/organizations/v2.0");
    json_end(c->out);
    json_arr(c->out, "scopes_supported");
    json_str(c->out, NULL, WORKIQ_API "/" WORKIQ_SCOPE);
    json_end(c->out);
    json_arr(c->out, "bearer_methods_supported");
    json_str(c->out, NULL, "header");
    json_end(c->out);
    json_end(c->out);
    call_header_const(c, "Content-Type", "application/json");
    return 0;
}

static int begin(struct call *c)
{
    return endpoint_begin(c) < 0 ? -1 : workiq_read_setting(c);
}

static const struct front front = {.credential = endpoint_credential,
                                   .begin = begin,
                                   .caller = workiq_caller,
                                   .error = endpoint_error};

static const struct route methods[] = {
    {ROUTE("workiq.message", POST, "/mcp"), .handler = post, .risk = RISK_WRITE, .outside = true,
     .brief = true, .body = BODY_RAW,
     .summary = "One message of a client, to the tools that take paths"},
    {ROUTE("workiq.protectedResource", GET, "/.well-known/oauth-protected-resource",
           "/.well-known/oauth-protected-resource/mcp"),
     .handler = protected_resource, .risk = RISK_READ, .anonymous = true,
     .summary = "Where programs sign people in for these tools"},
};

static const struct rows rows = ROWS(methods);
const struct dialect workiq_dialect = {.name = "workiq",
                                       .title = "Work IQ",
                                       .vendor = &microsoft_vendor,
                                       .front = &front,
                                       .tables = TABLES(&rows)};
