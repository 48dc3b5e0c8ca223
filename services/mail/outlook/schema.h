/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_OUTLOOK_SCHEMA_H
#define SOSIA_OUTLOOK_SCHEMA_H

#include "engine/api/schema.h"
#include "engine/base/err.h"

#define OUTLOOK_SCHEMAS 54
extern const struct schema outlook_schemas[OUTLOOK_SCHEMAS];

#endif
