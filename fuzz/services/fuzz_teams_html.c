/* SPDX-License-Identifier: Apache-2.0 */
/* HTML of messages, cleaned: what is cleaned stays as it is when it is cleaned again, and each '<'
 * of it begins a tag of the plain form that every reader takes for the same one, is not of those
 * that are kept out, and has no attribute of an event. */
#include "fuzz/fuzz.h"
#include "services/chat/teams/teams.h"
#include <ctype.h>
#include <strings.h>

/* Goes over a name and gives its length. */
static size_t name_at(const char **p)
{
    const size_t n =
        strspn(*p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:");
    *p += n;
    return n;
}

/* name and name="value" behind single spaces, until the tag's end. */
static const char *check_attributes(const char *p)
{
    while (*p == ' ') {
        const char *name = ++p;
        CHECK(name_at(&p) && strncasecmp(name, "on", 2) != 0);
        if (*p == '=') {
            CHECK(p[1] == '"');
            for (p += 2; *p != '"'; p++)
                CHECK(*p && *p != '<' && *p != '>');
            p++;
        }
    }
    return p;
}

static void check_tags(const char *text)
{
    static const char *const out[] = {"script", "style",    "iframe",    "object", "embed", "head",
                                      "svg",    "template", "noscript",  "math",   "form",  "input",
                                      "link",   "meta",     "plaintext", "base"};
    for (const char *p = text; (p = strchr(p, '<'));) {
        const char *name = p + 1 + (p[1] == '/');
        p = name;
        const size_t n = name_at(&p);
        CHECK(n && isalpha((unsigned char)*name));
        for (size_t i = 0; i < SOSIA_LEN(out); i++)
            CHECK(strlen(out[i]) != n || strncasecmp(out[i], name, n) != 0);
        p = check_attributes(p);
        p += *p == '/';
        CHECK(*p == '>');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    if (size > 20000 || memchr(data, 0, size))
        return 0;
    arena_init(&a, 0);
    const char *once = teams_clean_html(&a, (const char *)data, size);
    CHECK(once);
    check_tags(once);
    const char *twice = teams_clean_html(&a, once, strlen(once));
    CHECK(twice && strcmp(once, twice) == 0);
    arena_done(&a);
    return 0;
}
