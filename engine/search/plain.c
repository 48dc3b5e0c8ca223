/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/search/plain.h"
#include <string.h>

#define MOST_WORDS 32

/* The next word, or what is between double quotes; n 0: there is none. */
static const char *next_part(const char **at, size_t *ret_n)
{
    const char *p = *at + strspn(*at, " \t\r\n");
    const bool quoted = *p == '"';
    p += quoted;
    *ret_n = strcspn(p, quoted ? "\"" : " \t\r\n");
    *at = p + *ret_n;
    if (quoted && **at)
        ++*at;
    return p;
}

const struct search *search_plain(struct arena *a, unsigned fields, const char *text)
{
    struct search *all = arena_calloc(a, 1, sizeof *all),
                  *parts = arena_calloc(a, MOST_WORDS, sizeof *parts);
    const struct search **kids = arena_calloc(a, MOST_WORDS, sizeof *kids);
    const char *at = text;
    size_t n = 0, len;
    if (arena_failed(a))
        return NULL;
    while (n < MOST_WORDS && (*at || n == 0)) {
        const char *part = next_part(&at, &len);
        if (len) {
            parts[n] = (struct search){
                .kind = SEARCH_PHRASE, .fields = fields, .text = arena_memdup(a, part, len)};
            kids[n] = &parts[n];
            n++;
        } else if (!*at) {
            break;
        }
    }
    *all = (struct search){.kind = SEARCH_AND, .kids = kids, .n_kids = n};
    return n && !arena_failed(a) ? all : NULL;
}

const char *search_like(struct arena *a, const char *text)
{
    char *like = arena_alloc(a, 2 * strlen(text) + 3), *p = like;
    if (arena_failed(a))
        return "";
    *p++ = '%';
    for (; *text; text++) {
        if (strchr("%_\\", *text))
            *p++ = '\\';
        *p++ = *text;
    }
    *p++ = '%';
    *p = 0;
    return like;
}
