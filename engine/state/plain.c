/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/state/plain.h"
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

void plain_text(struct json_writer *w, struct arena *a, const char *member, const char *text)
{
    size_t len = text ? strlen(text) : 0, n = 0;
    char *out = arena_alloc(a, len + 1);
    if (arena_failed(a))
        return;
    for (size_t i = 0; i < len; i++) {
        while (text[i] == '\n' && n && is_blank(out[n - 1]))
            n--;
        const bool blank = is_blank(text[i]);
        const bool at_start = !n || out[n - 1] == '\n';
        if (blank ? !at_start && !is_blank(out[n - 1]) : !at_start || text[i] != '\n')
            out[n++] = blank ? ' ' : text[i];
    }
    while (n && (is_blank(out[n - 1]) || out[n - 1] == '\n'))
        n--;
    if (n)
        json_strn(w, member, out, n);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void plain_list(struct json_writer *w, const char *member, const char **list, size_t n)
{
    if (!n)
        return;
    qsort(list, n, sizeof *list, by_bytes);
    json_arr(w, member);
    for (size_t i = 0; i < n; i++)
        if (!i || strcmp(list[i - 1], list[i]) != 0)
            json_str(w, NULL, list[i]);
    json_end(w);
}
