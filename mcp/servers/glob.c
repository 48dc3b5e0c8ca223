/* SPDX-License-Identifier: Apache-2.0 */
/* Globs: * and ? within a part of a path, ** for any parts, [classes], {alternatives}, a ! in
 * front. No pattern takes longer than its length times that of the path, but for alternatives, of
 * which there are at most MAX_ALTERNATIVES. */
#include "mcp/servers/files.h"

enum { MAX_ALTERNATIVES = 1000, MAX_PARTS = 256 };

/* A character at p: bytes, at least one. */
static size_t step_of(const char *p)
{
    size_t n = 1;
    while (((unsigned char)p[n] & 0xC0) == 0x80 && n < 4)
        n++;
    return n;
}

/* The end of a class that begins at p ("[a-z]"); NULL: it is not one. */
static const char *class_end(const char *p, const char *end)
{
    p++;
    p += p < end && (*p == '!' || *p == '^');
    if (p < end && *p == ']')
        p++;
    while (p < end && *p != ']')
        p++;
    return p < end ? p + 1 : NULL;
}

static bool in_class(const char *p, const char *end, const char *text, size_t n)
{
    bool not = *++p == '!' || *p == '^', found = false;
    p += not ;
    for (const char *from = p; p < end - 1 && (p == from || *p != ']');) {
        size_t len = step_of(p);
        if (p + len < end - 2 && p[len] == '-') {
            const char *high = p + len + 1;
            size_t high_len = step_of(high);
            found |=
                n == len && memcmp(text, p, n) >= 0 && n == high_len && memcmp(text, high, n) <= 0;
            p = high + high_len;
        } else {
            found |= n == len && memcmp(text, p, n) == 0;
            p += len;
        }
    }
    return found != not ;
}

/* Holds one step of a pattern against a character; *p goes behind the step. */
static bool one(const char **p, const char *end, const char *text, size_t n)
{
    const char *after = **p == '[' ? class_end(*p, end) : NULL;
    if (after) {
        bool in = in_class(*p, after, text, n);
        *p = after;
        return in;
    }
    if (**p == '?') {
        ++*p;
        return true;
    }
    if (**p == '\\' && *p + 1 < end)
        ++*p;
    if ((size_t)(end - *p) < n || memcmp(*p, text, n) != 0)
        return false;
    *p += n;
    return true;
}

/* A part of a pattern against a part of a path. */
static bool part_matches(const char *p, const char *end, const char *text, const char *text_end)
{
    const char *star = NULL, *from = NULL;
    while (text < text_end) {
        size_t n = step_of(text);
        n = n > (size_t)(text_end - text) ? (size_t)(text_end - text) : n;
        const char *next = p;
        if (p < end && *p == '*') {
            star = ++p;
            from = text;
        } else if (p < end && one(&next, end, text, n)) {
            p = next;
            text += n;
        } else if (star) {
            p = star;
            n = step_of(from);
            from += n;
            text = from > text_end ? text_end : from;
        } else {
            return false;
        }
    }
    while (p < end && *p == '*')
        p++;
    return p == end;
}

struct parts {
    const char *from[MAX_PARTS], *to[MAX_PARTS];
    size_t n;
};

static bool split(const char *text, struct parts *ret)
{
    ret->n = 0;
    for (;;) {
        size_t n = strcspn(text, "/");
        if (ret->n == MAX_PARTS)
            return false;
        if (n || !ret->n) {
            ret->from[ret->n] = text;
            ret->to[ret->n++] = text + n;
        }
        if (!text[n])
            return true;
        text += n + 1;
    }
}

static bool is_any(const struct parts *p, size_t i)
{
    return p->to[i] - p->from[i] == 2 && memcmp(p->from[i], "**", 2) == 0;
}

/* By the parts that are left of each: reach[k]: the pattern so far takes the first k of the path.
 */
static bool path_matches(const char *pattern, const char *path)
{
    struct parts p, t;
    bool reach[MAX_PARTS + 1] = {true};
    if (!split(pattern, &p) || !split(path, &t))
        return false;
    for (size_t i = 0; i < p.n; i++) {
        bool next[MAX_PARTS + 1] = {false}, open = false, last = i + 1 == p.n;
        for (size_t k = 0; k <= t.n; k++) {
            if (is_any(&p, i)) { /* any number of parts, at the end one at least */
                next[k] = open || (!last && reach[k]);
                open |= reach[k];
            } else if (k && reach[k - 1]) {
                next[k] = part_matches(p.from[i], p.to[i], t.from[k - 1], t.to[k - 1]);
            }
        }
        memcpy(reach, next, sizeof reach);
    }
    return reach[t.n];
}

/* ---- alternatives ---- */

/* The brace that closes the one at p; NULL: none does. */
static const char *closing(const char *p)
{
    int depth = 0;
    for (; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '{')
            depth++;
        else if (*p == '}' && --depth == 0)
            return p;
    }
    return NULL;
}

static bool any_alternative(struct arena *a, const char *pattern, const char *path, int *left);

/* Each of those between commas, of the innermost level. */
static bool try_each(struct arena *a, const char *pattern, const char *open, const char *close,
                     const char *path, int *left)
{
    int depth = 0;
    for (const char *from = open + 1, *p = from;; p++) {
        depth += (*p == '{') - (*p == '}' && p != close);
        if ((*p == ',' && !depth) || p == close) {
            const char *made = arena_printf(a, "%.*s%.*s%s", (int)(open - pattern), pattern,
                                            (int)(p - from), from, close + 1);
            if (any_alternative(a, made, path, left))
                return true;
            from = p + 1;
        }
        if (p == close)
            return false;
    }
}

static bool any_alternative(struct arena *a, const char *pattern, const char *path, int *left)
{
    const char *open = pattern, *close = NULL;
    if (--*left < 0 || arena_failed(a))
        return false;
    while ((open = strchr(open, '{')) && !(close = closing(open)))
        open++;
    if (!open || !memchr(open, ',', (size_t)(close - open)))
        return path_matches(pattern, path);
    return try_each(a, pattern, open, close, path, left);
}

bool glob_matches(struct arena *a, const char *pattern, const char *path)
{
    int left = MAX_ALTERNATIVES;
    bool not = false;
    if (*pattern == '#' || !*pattern)
        return !*pattern && !*path;
    for (; *pattern == '!'; pattern++)
        not = !not ;
    return any_alternative(a, pattern, path, &left) != not ;
}
