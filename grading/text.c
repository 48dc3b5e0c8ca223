/* SPDX-License-Identifier: Apache-2.0 */
/* Texts compared as people compare them. */
#include "engine/text/utf8.h"
#include "grading/predicate.h"
#include <stdlib.h>

struct entity_name {
    const char *name, *text;
};
static const struct entity_name entities[] = {{"amp;", "&"},   {"lt;", "<"},  {"gt;", ">"},
                                              {"quot;", "\""}, {"#39;", "'"}, {"apos;", "'"},
                                              {"nbsp;", " "}};

/* "<b", "</b", "<!", as tags begin. */
static bool is_tag(const char *p)
{
    char c = p[1] == '/' ? p[2] : p[1];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || p[1] == '!';
}

static const char *without_html(struct arena *a, const char *text)
{
    struct buf b;
    bool ends = true; /* another tag may */
    if (!strchr(text, '<') && !strchr(text, '&'))
        return text;
    buf_init(&b, 0);
    for (const char *p = text; *p;) {
        bool tag = ends && *p == '<' && is_tag(p);
        const char *end = tag ? strchr(p, '>') : NULL;
        size_t i = 0;
        ends &= !tag || end;
        if (end) {
            buf_byte(&b, ' ');
            p = end + 1;
            continue;
        }
        while (*p == '&' && i < SOSIA_LEN(entities) &&
               strncmp(p + 1, entities[i].name, strlen(entities[i].name)) != 0)
            i++;
        if (*p == '&' && i < SOSIA_LEN(entities)) {
            buf_puts(&b, entities[i].text);
            p += 1 + strlen(entities[i].name);
        } else {
            buf_byte(&b, *p++);
        }
    }
    const char *out = arena_strdup(a, buf_str(&b));
    a->failed |= buf_failed(&b);
    buf_done(&b);
    return out;
}

static bool is_edge(char c)
{
    return c && strchr(" .,;:!?\"'()[]-", c);
}

const char *text_plain(struct arena *a, const char *text)
{
    const char *folded = utf8_fold(a, without_html(a, text));
    size_t n = strlen(folded), len = 0;
    char *out = arena_alloc(a, n + 1);
    if (arena_failed(a))
        return "";
    for (const char *p = folded; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == 0xc2 && (unsigned char)p[1] == 0xa0) { /* no-break space */
            p++;
            c = ' ';
        }
        if (c <= ' ')
            c = ' ';
        if (c != ' ' || (len && out[len - 1] != ' '))
            out[len++] = (char)c;
    }
    while (len && is_edge(out[len - 1]))
        len--;
    out[len] = 0;
    while (is_edge(*out))
        out++;
    return out;
}

static size_t letters(const char *text, uint32_t *to)
{
    size_t n = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p && n < TEXT_COMPARED;) {
        uint32_t c = *p++;
        while ((*p & 0xc0) == 0x80)
            c = c << 6 | (*p++ & 0x3f);
        to[n++] = c;
    }
    return n;
}

#define LETTERS_A_STEP 8 /* pairs of them */

bool text_is_similar(struct arena *a, const char *one, const char *other, double at_least,
                     struct predicate_work *work)
{
    double enough = at_least - 1e-9;
    uint32_t *x = arena_alloc(a, 3 * (TEXT_COMPARED + 1) * sizeof *x);
    uint32_t *y = x + TEXT_COMPARED, *row = y + TEXT_COMPARED;
    if (arena_failed(a))
        return false;
    size_t n = letters(one, x), m = letters(other, y), longer = n > m ? n : m;
    if (!n && !m)
        return true;
    if ((double)(n < m ? n : m) / (double)longer < enough) /* as many letters are too many */
        return false;
    if (work && (work->left -= (int64_t)(n * m / LETTERS_A_STEP)) < 0) {
        work->left = 0;
        work->cut = true;
        return false;
    }
    for (size_t j = 0; j <= m; j++)
        row[j] = (uint32_t)j;
    for (size_t i = 1; i <= n; i++) {
        uint32_t diagonal = row[0];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= m; j++) {
            uint32_t above = row[j], best = diagonal + (x[i - 1] != y[j - 1]);
            best = above + 1 < best ? above + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            row[j] = best;
            diagonal = above;
        }
    }
    return 1 - (double)row[m] / (double)longer >= enough;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

bool text_mentions(const char *plain, const char *what)
{
    size_t n = strlen(what);
    if (!n)
        return true;
    for (const char *p = plain; (p = strstr(p, what)); p++)
        if ((p == plain || !is_word(p[-1]) || !is_word(what[0])) &&
            (!is_word(p[n]) || !is_word(what[n - 1])))
            return true;
    return false;
}
