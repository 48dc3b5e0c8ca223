/* SPDX-License-Identifier: Apache-2.0 */
#include "grading/copies.h"
#include "grading/sql.h"
#include <string.h>

struct sql_word {
    const char *text; /* lower case, without quotation marks; a sign is a word of its own */
    bool whole;       /* a name that is neither in front of a point nor behind one */
};

static bool in_name(char c)
{
    return (unsigned)((c | 32) - 'a') < 26 || (unsigned)(c - '0') < 10 || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

/* Where the word that begins at p ends. A quotation mark that is doubled ends nothing. */
static const char *word_end(const char *p)
{
    static const char open[] = "'\"`[", shut[] = "'\"`]";
    const char *mark = strchr(open, *p);
    if (!mark) {
        bool name = in_name(*p++);
        while (name && in_name(*p))
            p++;
        return p;
    }
    char end = shut[mark - open];
    for (p++; *p; p++) {
        if (*p != end)
            continue;
        if (end == ']' || p[1] != end)
            return p + 1;
        p++;
    }
    return p;
}

struct sql_words sql_words_read(struct arena *a, const char *sql)
{
    struct sql_words w = {.n = 0};
    size_t cap = 0;
    for (const char *p = sql_skip(sql), *end; *p && !arena_failed(a); p = sql_skip(end)) {
        end = word_end(p);
        char *text = arena_memdup(a, p, (size_t)(end - p)), *to = text;
        for (const char *from = text; *from; from++)
            if (!strchr("'\"`[]", *from))
                *to++ = (char)(*from >= 'A' && *from <= 'Z' ? *from + 32 : *from);
        *to = 0;
        if (!(w.list = arena_grow(a, w.list, w.n, &cap, sizeof *w.list)))
            break;
        bool sign = to == text + 1 && !in_name(*text);
        w.list[w.n] = (struct sql_word){
            .text = text, .whole = !sign && !(w.n && strcmp(w.list[w.n - 1].text, ".") == 0)};
        if (w.n && strcmp(text, ".") == 0)
            w.list[w.n - 1].whole = false;
        w.n++;
    }
    if (!w.list)
        w.n = 0;
    return w;
}

static bool is(const struct sql_words *w, size_t i, const char *text)
{
    return i < w->n && strcmp(w->list[i].text, text) == 0;
}

/* What the "as" at i names: name [(columns)] as [not] [materialized] (...). NULL: nothing. */
static const char *defined_at(const struct sql_words *w, size_t i)
{
    size_t next = i + 1, name = i;
    next += is(w, next, "not");
    next += is(w, next, "materialized");
    if (!i || !is(w, i, "as") || !is(w, next, "("))
        return NULL;
    if (is(w, i - 1, ")"))
        while (name && !is(w, name, "("))
            name--;
    return name ? w->list[name - 1].text : NULL;
}

double copies_of(const struct sql_words *w, const char *name)
{
    double n = 0;
    for (size_t i = 0; i < w->n; i++)
        n += w->list[i].whole && strcmp(w->list[i].text, name) == 0;
    return n > 1 ? n : 1;
}

double copies_of_own(const struct sql_words *w)
{
    double n = 1;
    int expressions = 0;
    for (size_t i = 0; i < w->n; i++) {
        const char *name = defined_at(w, i);
        if (!name)
            continue;
        if (++expressions > COPIES_EXPRESSIONS)
            return -1;
        double named = copies_of(w, name) - 1; /* and there */
        n *= named > 1 ? named : 1;
    }
    return n;
}
