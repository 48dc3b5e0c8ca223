/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of Google's that belong to no API of its own: batches and discovery. */
#include "vendors/google/internal.h"

static const struct param api_params[] = {
    {.name = "api", .place = IN_PATH, .required = true},
    {.name = "version", .place = IN_PATH, .required = true},
};

static const struct param list_params[] = {
    {.name = "name", .place = IN_QUERY},
    {.name = "preferred", .place = IN_QUERY, .type = PARAM_BOOL},
};

static const struct param host_params[] = {
    {.name = "version", .place = IN_QUERY},
};

static const struct route routes[] = {
    {.id = "google.batch",
     .verbs = POST,
     .paths = PATHS("/batch"),
     .handler = google_batch,
     .risk = RISK_WRITE,
     .anonymous = true,
     .outside = true,
     .body = BODY_RAW,
     .summary = "Many calls in one request"},
    {.id = "google.batchApi",
     .verbs = POST,
     .paths = PATHS("/batch/{api}/{version}"),
     .handler = google_batch,
     .risk = RISK_WRITE,
     .anonymous = true,
     .outside = true,
     .body = BODY_RAW,
     PARAMS(api_params),
     .summary = "Many calls to one API in one request"},
    {.id = "discovery.apis.list",
     .verbs = GET,
     .paths = PATHS("/discovery/v1/apis"),
     .handler = google_discovery_list,
     .risk = RISK_READ,
     .anonymous = true,
     PARAMS(list_params),
     .summary = "The APIs that can be described"},
    {.id = "discovery.apis.getRest",
     .verbs = GET,
     .paths = PATHS("/discovery/v1/apis/{api}/{version}/rest"),
     .handler = google_discovery_get,
     .risk = RISK_READ,
     .anonymous = true,
     PARAMS(api_params),
     .summary = "The description of an API"},
    {.id = "discovery.host.getRest",
     .verbs = GET,
     .paths = PATHS("/$discovery/rest"),
     .handler = google_discovery_host,
     .risk = RISK_READ,
     .anonymous = true,
     PARAMS(host_params),
     .summary = "The description of the API that the host name stands for"},
};
static const struct rows all_rows = ROWS(routes);

static const char *const prefixes[] = {"/batch",  "/discovery", "/$discovery", "/resumable/upload",
                                       "/upload", NULL};

const struct dialect google_dialect_common = {
    .name = "google",
    .title = "Google: batches and discovery",
    .vendor = &google_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&all_rows),
};
