/* SPDX-License-Identifier: Apache-2.0 */
/* What tables of operations on worlds have in common. */
#ifndef SOSIA_SERVER_CONTROL_PARAMETERS_H
#define SOSIA_SERVER_CONTROL_PARAMETERS_H

#include "server/control/operation.h"

#define WORLD                                                                                      \
    {                                                                                              \
        .name = "world", .type = PARAM_STRING, .place = IN_PATH, .required = true,                 \
        .summary = "A world's key or name"                                                         \
    }
#define LIMIT                                                                                      \
    {                                                                                              \
        .name = "limit", .place = IN_QUERY, .type = PARAM_INT, .min = 1, .max = 1000,              \
        .summary = "How many at most; 100 without it"                                              \
    }
#define TYPES(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct param world_only[] = {WORLD};

#endif
