/* SPDX-License-Identifier: Apache-2.0 */
/* What rules may say of tainted values. */
#include "guard/taint/taint.h"

const char *const taint_members[] = {"values", "arguments", "authors", "rows",
                                     "read",   "reached",   NULL};

static bool has(const char *const *list, const char *path, size_t n)
{
    for (; *list; list++)
        if (strlen(*list) == n && memcmp(*list, path, n) == 0)
            return true;
    return false;
}

bool taint_has(const char *path)
{
    size_t n = strcspn(path, ".");
    return has(value_forms, path, n) || has(taint_members, path, n);
}
