/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of Google's that belong to no API of its own: batches and discovery. */
#include "vendors/google/internal.h"

static const char *const prefixes[] = {"/batch",  "/discovery", "/$discovery", "/resumable/upload",
                                       "/upload", NULL};

const struct dialect google_dialect_common = {
    .name = "google",
    .title = "Google: batches and discovery",
    .vendor = &google_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&google_batches, &google_discovery),
};
