/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes of a token: bits by number of scope (scope_number()), or everything. */
#ifndef SOSIA_WORLD_SCOPES_H
#define SOSIA_WORLD_SCOPES_H

#include <stdbool.h>
#include <stdint.h>

#define SCOPE_WORDS 8

struct scopes {
    uint64_t bits[SCOPE_WORDS];
    bool all;
};

#endif
