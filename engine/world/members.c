/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/members.h"
#include <string.h>

const char *members_next(const char **list, size_t *ret_n)
{
    const char *path = *list + strspn(*list, " ");
    *ret_n = strcspn(path, " ");
    *list = path + *ret_n;
    return path;
}

/* Whether a step of a path may be that of a list. */
static bool is_step(const char *has, size_t n, const char *step, size_t len)
{
    if (len == 1 && *step == '*')
        return true;
    if (n == 1 && *has == '*')
        return len && strspn(step, "0123456789") >= len;
    return n == len && memcmp(has, step, n) == 0;
}

/* has: n bytes of a list, a path of its own. */
static bool leads_to(const char *has, size_t n, const char *path)
{
    const char *end = has + n;
    while (*path) {
        const char *dot = memchr(has, '.', (size_t)(end - has));
        size_t step = (size_t)((dot ? dot : end) - has), len = strcspn(path, ".");
        if (step == 2 && memcmp(has, "**", 2) == 0)
            return true;
        if (!is_step(has, step, path, len) || (path[len] && !path[len + 1]))
            return false;
        path += len + (path[len] == '.');
        if (!dot)
            return !*path;
        has = dot + 1;
    }
    return true;
}

const char *members_find(const char *list, const char *path)
{
    size_t n;
    for (const char *p; (p = members_next(&list, &n)), n;)
        if (leads_to(p, n, path))
            return p;
    return NULL;
}
