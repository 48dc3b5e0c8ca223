/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of schema.c have in common. */
#ifndef SOSIA_SERVER_CONTROL_SCHEMA_WORDS_H
#define SOSIA_SERVER_CONTROL_SCHEMA_WORDS_H

#include "server/control/operation.h"

/* Spans and times stay within what microseconds in 64 bits can hold. */
#define MAX_SECONDS INT64_C(1000000000000)
#define MAX_US      INT64_C(1000000000000000000)
#define MAX_STEP_MS INT64_C(1000000000000)

#define FIELDS(table) .fields = (table), .n_fields = SOSIA_LEN(table)
/* A member that answers always have. */
#define ALWAYS(...)                                                                                \
    {                                                                                              \
        .required = true, __VA_ARGS__                                                              \
    }

static const char *const expiries[] = {"real", "world", NULL};

#endif
