/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzz targets share. A target ends the process where a promise is broken. */
#ifndef SOSIA_FUZZ_H
#define SOSIA_FUZZ_H

#include "engine/base/err.h"
#include "sosia.h"
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

static struct sosia_engine *fuzz_opened;

static inline void fuzz_close(void)
{
    sosia_engine_close(fuzz_opened);
}

/* The target's engine, closed at the end of the process: what worlds own is in memory that a search
 * for leaks doesn't look through. NULL: the options of an engine without any. */
static inline struct sosia_engine *fuzz_engine(const struct sosia_engine_options *options)
{
    MUST(sosia_engine_open(options, &fuzz_opened, &why));
    CHECK(atexit(fuzz_close) == 0);
    return fuzz_opened;
}

/* What takes longer than the rest is done for one input in n, and always for the same: so what is
 * found is found again. */
static inline bool fuzz_turn(const uint8_t *data, size_t size, uint64_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        h = (h ^ data[i]) * UINT64_C(0x100000001b3);
    return (h ^ h >> 29) % n == 0;
}

#endif
