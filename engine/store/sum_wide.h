/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_STORE_SUM_WIDE_H
#define SOSIA_STORE_SUM_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* XXH3 of 64 bits with a seed, by wide instructions, if sum_is_wide() says that they are there. */
uint64_t sum_wide(const uint8_t *data, size_t n, uint64_t seed);
bool sum_is_wide(void);

#endif
