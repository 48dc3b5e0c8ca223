/* SPDX-License-Identifier: Apache-2.0 */
#include "vendors/microsoft/words.h"
#include "engine/base/codec.h"
#include <string.h>
#include <strings.h>

enum { DEEPEST = 50, MOST_TERMS = 500 };

struct reading {
    struct arena *a;
    const char *p;
    int depth, terms;
    bool failed;
};

static const struct graph_words *read_all(struct reading *r);

static void skip_space(struct reading *r)
{
    r->p += strspn(r->p, " \t\r\n");
}

/* Is the next word that operator? Then it is passed. */
static bool take_word(struct reading *r, const char *word)
{
    const size_t n = strlen(word);
    skip_space(r);
    if (strncmp(r->p, word, n) != 0 || (r->p[n] && !strchr(" \t\r\n()\"", r->p[n])))
        return false;
    r->p += n;
    return true;
}

static const struct graph_words *node(struct reading *r, enum graph_words_kind kind,
                                      const struct graph_words *left,
                                      const struct graph_words *right)
{
    struct graph_words *w = arena_calloc(r->a, 1, sizeof *w);
    if (!w) {
        r->failed = true;
        return NULL;
    }
    w->kind = kind;
    w->left = left;
    w->right = right;
    return w;
}

static const char *in_small(struct arena *a, const char *text, size_t n)
{
    char *s = arena_memdup(a, text, n);
    for (size_t i = 0; s && i < n; i++)
        if (s[i] >= 'A' && s[i] <= 'Z')
            s[i] = (char)(s[i] + 32);
    return s;
}

/* A word, a phrase, or a property with either behind : = <> and the like. */
static const struct graph_words *read_term(struct reading *r)
{
    const char *property = NULL;
    char op = 0;
    const size_t n = strcspn(r->p, " \t\r\n()\":=<>");
    if (n && strchr(":=<>", r->p[n]) && r->p[n]) {
        property = in_small(r->a, r->p, n);
        op = r->p[n];
        r->p += n + strspn(r->p + n, ":=<>");
    }
    struct graph_words *w = arena_calloc(r->a, 1, sizeof *w);
    if (!w || ++r->terms > MOST_TERMS) {
        r->failed = true;
        return NULL;
    }
    w->kind = WORDS_TERM;
    w->property = property;
    w->op = op;
    if (*r->p == '"') {
        const size_t len = strcspn(++r->p, "\"");
        w->text = arena_memdup(r->a, r->p, len);
        w->phrase = true;
        r->p += len + (r->p[len] == '"');
    } else {
        size_t len = strcspn(r->p, " \t\r\n()\"");
        const char *text = r->p;
        r->p += len;
        while (len && text[len - 1] == '*') {
            w->begins = true;
            len--;
        }
        w->text = arena_memdup(r->a, text, len);
    }
    r->failed |= !w->text;
    return w;
}

/* Does the term ask for nothing? */
static bool is_empty(const struct graph_words *w)
{
    return w && w->kind == WORDS_TERM && !w->property && w->text && !*w->text;
}

/* One of what is joined; NULL: it asks for nothing, as brackets with nothing in them. */
static const struct graph_words *read_one(struct reading *r)
{
    const bool not = take_word(r, "NOT") || (*r->p == '-' && r->p++);
    const struct graph_words *w;
    skip_space(r);
    if (*r->p == '(') {
        r->p++;
        if (++r->depth > DEEPEST) {
            r->failed = true;
            return NULL;
        }
        w = read_all(r);
        r->depth--;
        skip_space(r);
        r->p += *r->p == ')';
    } else {
        r->p += *r->p == '+';
        w = read_term(r);
        w = is_empty(w) ? NULL : w;
    }
    return not &&w ? node(r, WORDS_NOT, w, NULL) : w;
}

static const struct graph_words *both(struct reading *r, enum graph_words_kind kind,
                                      const struct graph_words *left,
                                      const struct graph_words *right)
{
    return !left ? right : !right ? left : node(r, kind, left, right);
}

static const struct graph_words *read_all(struct reading *r)
{
    const struct graph_words *all = NULL;
    for (skip_space(r); *r->p && *r->p != ')' && !r->failed; skip_space(r)) {
        const char *was = r->p;
        take_word(r, "AND");
        const struct graph_words *one = read_one(r);
        while (!r->failed && take_word(r, "OR"))
            one = both(r, WORDS_OR, one, read_one(r));
        all = both(r, WORDS_AND, all, one);
        r->p += r->p == was; /* nothing that could be read */
    }
    return all;
}

int graph_words_read(struct arena *a, const char *text, const struct graph_words **ret)
{
    struct reading r = {.a = a, .p = text};
    const struct graph_words *all = NULL;
    while (*r.p && !r.failed) {
        all = both(&r, WORDS_AND, all, read_all(&r));
        r.p += *r.p == ')'; /* one that closes nothing */
    }
    *ret = all;
    return r.failed ? -1 : 0;
}

bool graph_words_hold(const struct graph_words *w,
                      bool (*is)(void *arg, const struct graph_words *term), void *arg)
{
    return !w                      ? true
           : w->kind == WORDS_TERM ? is(arg, w)
           : w->kind == WORDS_NOT  ? !graph_words_hold(w->left, is, arg)
           : w->kind == WORDS_AND
               ? graph_words_hold(w->left, is, arg) && graph_words_hold(w->right, is, arg)
               : graph_words_hold(w->left, is, arg) || graph_words_hold(w->right, is, arg);
}

static bool is_of_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (unsigned char)c >= 0x80;
}

bool graph_words_in(const char *text, const char *word)
{
    const size_t n = strlen(word);
    if (!text)
        return false;
    for (const char *p = text; *p; p++)
        if ((p == text || !is_of_word(p[-1]) || !is_of_word(*word)) && strncasecmp(p, word, n) == 0)
            return true;
    return !n;
}
