/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much a test does that goes over generated cases, or for a time: all of it when SOSIA_FULL is
 * in the environment, as `script/test --all` has it, else what shows that it works. The thread
 * sanitizer looks for races, which more cases of one kind do not have, and takes ten times as long.
 */
#ifndef SOSIA_TESTS_DOSE_H
#define SOSIA_TESTS_DOSE_H

#include <stdlib.h>

static inline int dose(int full, int plain)
{
#ifdef __SANITIZE_THREAD__
    (void)full;
    return plain;
#else
    return getenv("SOSIA_FULL") ? full : plain;
#endif
}

#endif
