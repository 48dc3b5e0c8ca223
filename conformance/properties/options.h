/* SPDX-License-Identifier: Apache-2.0 */
/* The options of programs that make sequences of calls. */
#ifndef SOSIA_PROPERTIES_OPTIONS_H
#define SOSIA_PROPERTIES_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct sequence_options {
    uint64_t seed, sequences;
    unsigned steps; /* of each sequence */
    bool control;   /* what must hold does not: it must be caught */
};

/* What is not said stays. 0, -1: there is something else. */
static inline int sequence_options(int argc, char **argv, struct sequence_options *o)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--control") == 0)
            o->control = true;
        else if (strcmp(argv[i], "--seed") == 0)
            o->seed = strtoull(value, NULL, 10), i++;
        else if (strcmp(argv[i], "--sequences") == 0)
            o->sequences = strtoull(value, NULL, 10), i++;
        else if (strcmp(argv[i], "--steps") == 0)
            o->steps = (unsigned)strtoul(value, NULL, 10), i++;
        else
            return -1;
    }
    return 0;
}

#endif
