/* SPDX-License-Identifier: Apache-2.0 */
/* Microsoft for programs beside the library: its clients, the traces of its secrets. Its access
 * tokens are JSON web tokens, which are known anyhow. */
#include "engine/api/guide.h"
#include "vendors/microsoft/graph.h"

static const char *const clients[] = {
    "  Graph   Client.init({baseUrl: '${url}/', customHosts: new Set(['localhost']),\n"
    "                       authProvider: (done) => done(null, '${microsoft_token}')})\n",
    NULL,
};

static const char *const secrets[] = {"clientState", NULL};
static const char *const domains[] = {"outlook.com", "microsoft.com", NULL};
static const char *const programs[] = {"SdkVersion", NULL};
static const char *const unrecorded[] = {"client-request-id", "return-client-request-id", NULL};
static const char *const answers[] = {"OData-Version", NULL};

static const struct traces traces = {
    .secrets = secrets,
    .domains = domains,
    .programs = programs,
    .unrecorded = unrecorded,
    .answers = answers,
};

const struct guide microsoft_guide = {
    .origin = "https://graph.microsoft.com",
    .request = "/v1.0/me/events",
    .token = "microsoft_token",
    .clients = clients,
    .credential = "microsoft",
    .variables = "SOSIA_MICROSOFT_TOKEN, SOSIA_MICROSOFT_USER and SOSIA_MICROSOFT_TENANT",
    .traces = &traces,
};
