/* SPDX-License-Identifier: Apache-2.0 */
/* The documents of fixtures/, embedded by tools/fixtures.py. */
#ifndef SOSIA_CLI_FIXTURES_H
#define SOSIA_CLI_FIXTURES_H

#include <stddef.h>

struct built_in_fixture {
    const char *name, *file, *text;
};
extern const struct built_in_fixture built_in_fixtures[];
extern const size_t n_built_in_fixtures;

#endif
