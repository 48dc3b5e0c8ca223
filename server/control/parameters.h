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
#define PLACE(title, most, says)                                                                   \
    {                                                                                              \
        .name = (title), .type = PARAM_STRING, .place = IN_PATH, .required = true, .max = (most),  \
        .summary = (says)                                                                          \
    }
/* Whose things are shown. */
#define WHOSE                                                                                      \
    PLACE("world", 200, "A world's key or name, or WORLD@STEP"),                                   \
        PLACE("actor", 254, "Handle or e-mail address of somebody in the world"),                  \
    {                                                                                              \
        .name = "vendor", .place = IN_QUERY, .type = PARAM_STRING, .max = 40,                      \
        .summary = "Of a person with accounts of several"                                          \
    }
#define TYPES(...) ((const char *const[]){__VA_ARGS__, NULL})

__attribute__((unused)) static const struct param world_only[] = {WORLD};
__attribute__((unused)) static const struct param whose_params[] = {WHOSE};

#endif
