/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzz targets share. A target ends the process where a promise is broken. */
#ifndef SOSIA_FUZZ_H
#define SOSIA_FUZZ_H

#include "engine/base/err.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x))                                                                                  \
            abort();                                                                               \
    } while (0)

/* What the engine must do; it says why it does not. */
#define MUST(call)                                                                                 \
    do {                                                                                           \
        struct sosia_err why = {0};                                                                \
        if ((call) < 0) {                                                                          \
            fprintf(stderr, "%s: %s\n", #call, why.text);                                          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
