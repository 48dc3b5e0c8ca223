/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of Gmail, for the dialect's row in services/list.c. */
#ifndef SOSIA_MAIL_GMAIL_SCHEMA_H
#define SOSIA_MAIL_GMAIL_SCHEMA_H

#include "engine/api/vendor.h"

extern const struct schema gmail_schemas[56];

#endif
