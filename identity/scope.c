/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/scope.h"
#include <string.h>

#define MAX_LIST 16384

bool scopes_have(const char *list, const char *scope, size_t len)
{
    while (*list) {
        size_t n = strcspn(list, " ");
        if (n == len && memcmp(list, scope, n) == 0)
            return true;
        list += n + strspn(list + n, " ");
    }
    return false;
}

bool scopes_cover(const char *list, const char *wanted)
{
    while (*wanted) {
        size_t n = strcspn(wanted, " ");
        if (n && !scopes_have(list, wanted, n))
            return false;
        wanted += n + strspn(wanted + n, " ");
    }
    return true;
}

void scopes_add(struct buf *list, const char *scope, size_t len)
{
    if (scopes_have(buf_str(list), scope, len))
        return;
    if (list->len)
        buf_byte(list, ' ');
    buf_add(list, scope, len);
}

const char *scopes_written(struct arena *a, const char *text)
{
    static const char between[] = " ,\t\r\n";
    char *list = arena_strdup(a, text), *end = list;
    for (const char *p = text + strspn(text, between); *p && !arena_failed(a);) {
        size_t n = strcspn(p, between);
        if (end > list)
            *end++ = ' ';
        memcpy(end, p, n);
        end += n;
        p += n + strspn(p + n, between);
    }
    *end = 0;
    return list;
}

const char *scopes_union(struct arena *a, const char *list, const char *more)
{
    struct buf b;
    buf_init(&b, MAX_LIST);
    buf_puts(&b, list);
    while (*more) {
        size_t n = strcspn(more, " ");
        if (n)
            scopes_add(&b, more, n);
        more += n + strspn(more + n, " ");
    }
    const char *text = buf_failed(&b) ? NULL : arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return text;
}
