/* SPDX-License-Identifier: Apache-2.0 */
/* The dialects of the authority: its own host's, and what Graph's host has of it. */
#include "vendors/microsoft/signin/internal.h"

static const char *const prefixes[] = {"/common", "/organizations", "/consumers", NULL};

const struct dialect authority_dialect = {
    .name = "authority.microsoft",
    .title = "Microsoft identity platform: OAuth 2.0 and OpenID Connect",
    .vendor = &microsoft_vendor,
    .front = &authority_front,
    .prefixes = prefixes,
    .tables = TABLES(&authority_auth_rows, &authority_token_rows, &authority_device_rows,
                     &authority_admin_rows, &authority_info_rows),
};

static const struct graph_api api = {.workload = GRAPH_GATEWAY};

const struct dialect authority_userinfo_dialect = {
    .name = "userinfo.microsoft",
    .title = "Microsoft identity platform: who a token's user is",
    .vendor = &microsoft_vendor,
    .tables = TABLES(&authority_userinfo_rows),
    .facts = &api,
};
