/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that a server serves beside services: it is not part of what is fuzzed, and has none. */
#include "engine/api/route.h"
#include "engine/api/vendor.h"
#include "hosted/hosted.h"

static const struct rows none = {.rows = NULL};
const struct dialect hosted_dialect = {.name = "sosia.hosted", .tables = TABLES(&none)};
const struct dialect e2b_api_dialect = {.name = "sosia.e2b", .tables = TABLES(&none)};
