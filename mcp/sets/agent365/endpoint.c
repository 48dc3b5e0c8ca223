/* SPDX-License-Identifier: Apache-2.0 */
/* The endpoints of Microsoft's tooling servers, on a host of Microsoft's: one for each server, with
 * a tenant in the path or without. */
#include "mcp/endpoint.h"
#include "mcp/sets/agent365/agent365.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/signin/signin.h"

#define AGENT365_ID "ea9ffc3e-8a23-4a7d-836d-234d7c7565c1"

/* ---- who asks ---- */

/* The scope that the token of a server needs: of mcp_MailTools "McpServers.Mail.All". */
static const char *scope_of(const char *server)
{
    static const char *const scopes[][2] = {{"mcp_MailTools", "McpServers.Mail.All"},
                                            {"mcp_CalendarTools", "McpServers.Calendar.All"},
                                            {"mcp_MeServer", "McpServers.Me.All"}};
    for (size_t i = 0; i < SOSIA_LEN(scopes); i++)
        if (strcmp(scopes[i][0], server) == 0)
            return scopes[i][1];
    return "";
}

/* A segment of the path behind another, in the arena; NULL: it is not there. */
static const char *segment(const struct call *c, const char *before)
{
    size_t n = strlen(before);
    const char *at = memmem(c->path, c->path_len, before, n), *end = c->path + c->path_len;
    if (!at)
        return NULL;
    const char *slash = memchr(at + n, '/', (size_t)(end - at) - n);
    return arena_memdup(c->tx.arena, at + n, (size_t)((slash ? slash : end) - at) - n);
}

/* The tenant of the path is the caller's own. */
static int check_tenant(struct call *c)
{
    const char *name = segment(c, "/tenants/");
    struct ms_tenant tenant;
    struct ms_user user;
    if (!name)
        return 0;
    int r = ms_tenant_find(&c->tx, name, &tenant);
    if (r == 1)
        r = ms_user_of_actor(&c->tx, c->actor.id, tenant.id, &user);
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(c, SOSIA_E_FORBIDDEN, "tenant", NULL,
                               "the tenant must be the caller's own, not %.100s", name);
}

static int caller(struct call *c)
{
    static const char *const names[] = {AGENT365_ID, "api://" AGENT365_ID,
                                        "https://agent365.svc.cloud.microsoft", NULL};
    const char *server = segment(c, "/servers/");
    const struct authority_service service = {names, scope_of(server ? server : "")};
    if (authority_serve(c, &service) < 0 || check_tenant(c) < 0)
        return -1;
    return endpoint_read_accounts(c);
}

static int begin(struct call *c)
{
    return endpoint_begin(c) < 0 ? -1 : endpoint_read_setting(c);
}

static const struct front front = {
    .credential = endpoint_credential, .begin = begin, .caller = caller, .error = endpoint_error};

/* ---- the methods ---- */

static int at_server(struct call *c, int (*fn)(struct mcp_call *m))
{
    const char *name = param_str(c, "server");
    if (!name || !sets_have_server(SET_AGENT365, name))
        return call_fail(c, SOSIA_E_NOT_FOUND, NULL, NULL, "there is no server \"%.100s\" here",
                         name ? name : "");
    return endpoint_of_server(c, name, fn);
}

static int post(struct call *c)
{
    return at_server(c, NULL);
}

static int listen(struct call *c)
{
    return at_server(c, endpoint_listen);
}

static int end_session(struct call *c)
{
    return at_server(c, endpoint_end);
}

static const struct param params[] = {
    {.name = "server", .place = IN_PATH, .required = true, .summary = "Name of the server"},
    {.name = "tenant", .place = IN_PATH, .required = true, .summary = "The caller's tenant"},
};

#define ENDPOINT PATHS("/agents/servers/{server}", "/agents/tenants/{tenant}/servers/{server}")

static const struct route methods[] = {
    {.id = "agent365.message",
     .verbs = POST,
     .paths = ENDPOINT,
     .handler = post,
     .risk = RISK_WRITE,
     .outside = true,
     .brief = true,
     .body = BODY_RAW,
     PARAMS(params),
     .summary = "One message of a client, to the tools of one server"},
    {.id = "agent365.listen",
     .verbs = GET,
     .paths = ENDPOINT,
     .handler = listen,
     .risk = RISK_READ,
     .outside = true,
     PARAMS(params),
     .summary = "The stream of a session with it"},
    {.id = "agent365.endSession",
     .verbs = DELETE,
     .paths = ENDPOINT,
     .handler = end_session,
     .risk = RISK_WRITE,
     .outside = true,
     PARAMS(params),
     .summary = "End a session with it"},
};
static const struct rows rows = ROWS(methods);

const struct dialect agent365_dialect = {.name = "agent365",
                                         .title = "Agent 365 tooling servers",
                                         .vendor = &microsoft_vendor,
                                         .front = &front,
                                         .tables = TABLES(&rows)};
