/* SPDX-License-Identifier: Apache-2.0 */
#include "services/calendar/core/ical/ical_line.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include <string.h>

char *ical_unfold(struct arena *a, const char *text, size_t len)
{
    char *out = arena_alloc(a, len + 1), *to = out;
    if (arena_failed(a))
        return NULL;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n' && i + 1 < len && (text[i + 1] == ' ' || text[i + 1] == '\t'))
            i++;
        else if (text[i] && text[i] != '\r')
            *to++ = text[i];
    }
    *to = 0;
    utf8_scrub(out);
    return out;
}

/* Takes a line apart in its place: name *(;parameter=value) : value. */
bool ical_split(char *p, struct ical_line *ret)
{
    ret->name = p;
    ret->n = 0;
    p += strcspn(p, ";:");
    char end = *p;
    while (end == ';') {
        *p++ = 0;
        char *name = p, *value, *to;
        bool quoted = false;
        p += strcspn(p, "=;:");
        if (*p != '=') { /* it has no value */
            end = *p;
            continue;
        }
        *p++ = 0;
        value = to = p;
        for (; *p && (quoted || (*p != ';' && *p != ':')); p++) {
            if (*p == '"')
                quoted = !quoted;
            else
                *to++ = *p;
        }
        end = *p;
        *to = 0;
        if (ret->n < ICAL_MAX_PARAMS)
            ret->params[ret->n++] = (struct ical_param){name, value};
    }
    if (end != ':')
        return false;
    *p++ = 0;
    ret->value = p;
    return true;
}

const char *ical_param(const struct ical_line *l, const char *name)
{
    for (int i = 0; i < l->n; i++)
        if (str_eq_nocase(l->params[i].name, name))
            return l->params[i].value;
    return NULL;
}

bool ical_param_is(const struct ical_line *l, const char *name, const char *value)
{
    const char *v = ical_param(l, name);
    return v && str_eq_nocase(v, value);
}

const char *ical_plain(char *text)
{
    char *to = text;
    for (const char *p = text; *p; p++) {
        char c = *p;
        if (c == '\\' && p[1]) {
            c = *++p;
            if (c == 'n' || c == 'N')
                c = '\n';
        }
        if ((unsigned char)c >= ' ' || c == '\n' || c == '\t')
            *to++ = c;
    }
    *to = 0;
    return *text ? text : NULL;
}

const char *ical_plain_param(const char *value)
{
    char *text = (char *)value, *to = text;
    for (const char *p = text; p && *p; p++) {
        char c = *p;
        if (c == '^' && (p[1] == '^' || p[1] == '\'' || p[1] == 'n')) {
            p++;
            c = *p == '\'' ? '"' : *p == 'n' ? ' ' : '^';
        }
        if ((unsigned char)c >= ' ')
            *to++ = c;
    }
    if (to)
        *to = 0;
    return text && *text ? text : NULL;
}
