/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of Google Drive, for the dialect's row in services/list.c. */
#ifndef SOSIA_DRIVE_GOOGLE_SCHEMA_H
#define SOSIA_DRIVE_GOOGLE_SCHEMA_H

#include "engine/api/vendor.h"

#define DRIVE_SCHEMAS 54
extern const struct schema drive_google_schemas[DRIVE_SCHEMAS];

#endif
