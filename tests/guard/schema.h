/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_TESTS_GUARD_SCHEMA_H
#define SOSIA_TESTS_GUARD_SCHEMA_H

#include "tests/support/answer.h"
#include <stdio.h>
#include <stdlib.h>

/* A schema of docs/ has these members, and no other ones, at a path. */
static inline void assert_schema(const char *file, const char *path, const char *const *names)
{
    const char *fixtures = getenv("SOSIA_FIXTURES");
    size_t n = 0;
    if (!fixtures)
        return;
    FILE *f = fopen(arena_printf(&test_arena, "%s/../docs/%s", fixtures, file), "r");
    assert_non_null(f);
    char *text = arena_alloc(&test_arena, 1 << 20);
    size_t len = fread(text, 1, 1 << 20, f);
    fclose(f);
    const struct json *at = value_at(parsed(text, len), path);
    assert_non_null(at);
    for (; *names; names++, n++)
        if (!json_get(at, *names))
            fail_msg("%s: %s has no \"%s\"", file, path, *names);
    assert_int_equal(at->n, n);
}

#endif
