/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/servers/words.h"
#include <stdbool.h>
#include <string.h>

/* Reads a word at *at into *to, and moves both behind it. False: it has no end. */
static bool read_word(const char **at, char **to, const char **ret_why)
{
    const char *p = *at;
    char *out = *to;
    for (char quote = 0; *p && (quote || !strchr(" \t\r\n", *p)); p++) {
        if (quote == '\'' || (*p != '\\' && *p != '\'' && *p != '"')) {
            if (*p == quote)
                quote = 0;
            else
                *out++ = *p;
        } else if (*p == '\\') {
            if (!p[1]) {
                *ret_why = "No escaped character";
                return false;
            }
            if (quote && p[1] != '"' && p[1] != '\\')
                *out++ = '\\';
            *out++ = *++p;
        } else if (!quote) {
            quote = *p;
        } else if (*p == quote) {
            quote = 0;
        } else {
            *out++ = *p;
        }
        if (quote && !p[1]) {
            *ret_why = "No closing quotation";
            return false;
        }
    }
    *out = 0;
    *to = out + 1;
    *at = p;
    return true;
}

const char *const *words_split(struct arena *a, const char *text, const char **ret_why)
{
    size_t most = strlen(text) / 2 + 2, n = 0;
    const char **words = arena_calloc(a, most, sizeof *words);
    char *out = arena_alloc(a, strlen(text) + 2); /* no word is longer than what it was */
    *ret_why = "no memory";
    if (arena_failed(a))
        return NULL;
    while (*(text += strspn(text, " \t\r\n"))) {
        words[n++] = out;
        if (!read_word(&text, &out, ret_why))
            return NULL;
    }
    return words;
}
