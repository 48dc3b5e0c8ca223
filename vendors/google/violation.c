/* SPDX-License-Identifier: Apache-2.0 */
/* What the newer front end finds wrong (strict.c, body.c): the list, and how names and values read
 * in it. */
#include "vendors/google/internal.h"
#include "engine/base/codec.h"
#include <ctype.h>

#define MAX_SHOWN 200 /* bytes of a value */

/* "maxResults" as the front end names it: "max_results". */
const char *google_snake_case(struct arena *a, const char *name)
{
    size_t n = strlen(name);
    char *out = arena_alloc(a, 2 * n + 1), *p = out;
    if (arena_failed(a))
        return "";
    for (; *name; name++) {
        if (isupper((unsigned char)*name) && p != out)
            *p++ = '_';
        *p++ = (char)tolower((unsigned char)*name);
    }
    *p = 0;
    return out;
}

/* Is the one the other as the front end names it? */
bool google_is_snake_of(const char *name, const char *snake)
{
    for (const char *p = name; *p; p++) {
        if (isupper((unsigned char)*p) && p != name && *snake++ != '_')
            return false;
        if (*snake++ != tolower((unsigned char)*p))
            return false;
    }
    return !*snake;
}

/* "LABEL_SHOW", "labelshow" and "label-show" are "labelShow": protobuf's reader of JSON takes what
 * such enumerations are declared as, and looks at no case. */
static bool is_value(const char *text, const char *value)
{
    for (; *value; value++) {
        if (isupper((unsigned char)*value) && (*text == '_' || *text == '-'))
            text++;
        if (tolower((unsigned char)*text++) != tolower((unsigned char)*value))
            return false;
    }
    return !*text;
}

/* The value that a text stands for; NULL: none. */
const char *google_value_of(const char *const *values, const char *text)
{
    for (; *values; values++)
        if (is_value(text, *values))
            return *values;
    return NULL;
}

void google_add_violation(struct google_check *k, const char *field, const char *text)
{
    if (!k->list)
        k->list = arena_calloc(k->c->tx.arena, GOOGLE_VIOLATIONS, sizeof *k->list);
    if (k->n < GOOGLE_VIOLATIONS && !arena_failed(k->c->tx.arena))
        k->list[k->n++] = (struct google_violation){.field = field, .text = text};
}

/* At most so many bytes of a text, whole characters. */
const char *google_shown(struct google_check *k, const char *text, size_t n)
{
    if (n > MAX_SHOWN) {
        n = MAX_SHOWN;
        while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
    }
    return arena_memdup(k->c->tx.arena, text, n);
}

const char *google_enum_name(struct google_check *k, const char *name)
{
    const struct google_api *api = google_api_of(k->c);
    char *out = arena_strdup(k->c->tx.arena, name);
    *out = (char)toupper((unsigned char)*out);
    return arena_printf(k->c->tx.arena, "type.googleapis.com/%s%s",
                        api && api->type_prefix ? api->type_prefix : "", out);
}
