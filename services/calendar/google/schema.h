/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of Google Calendar, for the dialect's row in services/list.c. */
#ifndef SOSIA_CALENDAR_GOOGLE_SCHEMA_H
#define SOSIA_CALENDAR_GOOGLE_SCHEMA_H

#include "engine/api/vendor.h"

extern const struct schema calendar_google_schemas[39];

#endif
