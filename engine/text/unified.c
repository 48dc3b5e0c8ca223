/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Among several shortest ways from one text to another the one is taken that removes first where
 * both ways are as far; what one change removes is written before what it adds.
 */
#include "engine/text/unified.h"
#include <stdint.h>
#include <string.h>

#define MAX_EDITS 3000 /* beyond that it is one change */

/* The lines of a text; the last one may be without its line feed. */
struct lines {
    struct unified_text *at;
    size_t n;
};

static int split(struct arena *a, struct unified_text text, struct lines *ret)
{
    const char *p = text.data, *end = text.data + text.len;
    size_t n = 0;
    for (const char *q = p; q < end; q++)
        n += *q == '\n';
    n += text.len && end[-1] != '\n';
    ret->at = arena_calloc(a, n + 1, sizeof *ret->at);
    ret->n = n;
    if (arena_failed(a))
        return -1;
    for (size_t i = 0; i < n; i++) {
        const char *feed = memchr(p, '\n', (size_t)(end - p));
        const char *next = feed ? feed + 1 : end;
        ret->at[i] = (struct unified_text){p, (size_t)(next - p)};
        p = next;
    }
    return 0;
}

static bool same(const struct unified_text *a, const struct unified_text *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* ---- the way ---- */

/* A way up to a diagonal: how it got there, as a list of steps, each with the lines that are the
 * same behind it. */
struct step {
    const struct step *before;
    bool added;
};

struct way {
    const struct step *last;
    int64_t from; /* lines of the first text that are behind it; -1: there is no such way */
};

struct search {
    struct arena *a;
    const struct lines *from, *to;
    size_t head, n, m;     /* lines that are the same in front; of each text behind these */
    int64_t most;          /* edits that are tried: no way has more than all lines */
    struct way *ways;      /* by diagonal, from -(most + 1) on */
    bool *removed, *added; /* of each line */
};

static struct way *way_at(const struct search *s, int64_t diagonal)
{
    return &s->ways[diagonal + s->most + 1];
}

/* Over the lines that are the same. */
static void slide(const struct search *s, struct way *w, int64_t diagonal)
{
    int64_t to = w->from - diagonal;
    while (w->from < (int64_t)s->n && to < (int64_t)s->m &&
           same(&s->from->at[s->head + (size_t)w->from], &s->to->at[s->head + (size_t)to])) {
        w->from++;
        to++;
    }
}

static struct way go(const struct search *s, const struct way *from, bool added)
{
    struct step *step = arena_alloc(s->a, sizeof *step);
    if (arena_failed(s->a))
        return *from;
    *step = (struct step){from->last, added};
    return (struct way){step, from->from + !added};
}

/* The steps of the whole way; what they don't touch is the same. */
static void mark(const struct search *s, const struct step *last)
{
    size_t n = 0, i = 0, k = 0;
    for (const struct step *p = last; p; p = p->before)
        n++;
    const struct step **steps = arena_calloc(s->a, n + 1, sizeof *steps);
    if (arena_failed(s->a))
        return;
    for (const struct step *p = last; p; p = p->before)
        steps[--n] = p;
    for (const struct step **p = steps; i < s->n || k < s->m;) {
        if (i < s->n && k < s->m && same(&s->from->at[s->head + i], &s->to->at[s->head + k])) {
            i++;
            k++;
        } else if (*p && (*p)->added) {
            s->added[s->head + k++] = true;
            p++;
        } else {
            s->removed[s->head + i++] = true;
            p += *p != NULL;
        }
    }
}

/* One edit more on each diagonal that can lead to the end. True: there it is. */
static bool extend(struct search *s, int64_t edits)
{
    for (int64_t d = -edits; d <= edits; d += 2) {
        struct way *less = way_at(s, d - 1), *more = way_at(s, d + 1), *w = way_at(s, d);
        bool can_add = more->from >= 0 && more->from - d <= (int64_t)s->m && more->from - d >= 0;
        bool can_remove = less->from >= 0 && less->from < (int64_t)s->n;
        w->from = -1;
        if (!can_add && !can_remove)
            continue;
        *w = !can_remove || (can_add && less->from < more->from) ? go(s, more, true)
                                                                 : go(s, less, false);
        slide(s, w, d);
        if (w->from >= (int64_t)s->n && w->from - d >= (int64_t)s->m) {
            mark(s, w->last);
            return true;
        }
    }
    return false;
}

static void compare(struct search *s)
{
    if (!s->most)
        return;
    for (int64_t d = -(s->most + 1); d <= s->most + 1; d++)
        way_at(s, d)->from = -1;
    *way_at(s, 0) = (struct way){NULL, 0};
    slide(s, way_at(s, 0), 0);
    if (way_at(s, 0)->from >= (int64_t)s->n && way_at(s, 0)->from >= (int64_t)s->m)
        return;
    for (int64_t edits = 1; edits <= s->most && !arena_failed(s->a); edits++)
        if (extend(s, edits))
            return;
    for (size_t i = 0; i < s->n; i++)
        s->removed[s->head + i] = true;
    for (size_t i = 0; i < s->m; i++)
        s->added[s->head + i] = true;
}

/* ---- hunks ---- */

static void put_line(struct buf *out, char sign, const struct unified_text *line)
{
    buf_byte(out, sign);
    buf_add(out, line->data, line->len);
    if (!line->len || line->data[line->len - 1] != '\n')
        buf_puts(out, "\n\\ No newline at end of file\n");
}

/* Where both are: lines of each that are behind. */
struct place {
    size_t i, k;
};

static bool differs(const struct search *s, struct place at)
{
    return (at.i < s->from->n && s->removed[at.i]) || (at.k < s->to->n && s->added[at.k]);
}

/* The end of the hunk that begins with a change: behind it are more equal lines than two contexts,
 * or nothing. */
static struct place hunk_end(const struct search *s, struct place at, size_t context)
{
    struct place end = at;
    size_t equal = 0;
    while (at.i < s->from->n || at.k < s->to->n) {
        if (differs(s, at)) {
            at.i += at.i < s->from->n && s->removed[at.i];
            at.k += at.k < s->to->n && s->added[at.k];
            end = at;
            equal = 0;
            continue;
        }
        if (++equal > 2 * context)
            break;
        at.i++;
        at.k++;
    }
    for (size_t n = 0; n < context && end.i < s->from->n && !differs(s, end); n++) {
        end.i++;
        end.k++;
    }
    return end;
}

static void put_hunk(const struct search *s, struct place from, struct place to, struct buf *out)
{
    size_t a = to.i - from.i, b = to.k - from.k;
    buf_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", from.i + (a > 0), a, from.k + (b > 0), b);
    for (struct place at = from; at.i < to.i || at.k < to.k;) {
        if (at.i < to.i && s->removed[at.i])
            put_line(out, '-', &s->from->at[at.i++]);
        else if (at.k < to.k && s->added[at.k])
            put_line(out, '+', &s->to->at[at.k++]);
        else
            put_line(out, ' ', &s->from->at[at.i]), at.i++, at.k++;
    }
}

static void put_hunks(const struct search *s, size_t context, struct buf *out)
{
    struct place at = {0, 0};
    while (at.i < s->from->n || at.k < s->to->n) {
        if (!differs(s, at)) {
            at.i++;
            at.k++;
            continue;
        }
        size_t before = at.i < at.k ? at.i : at.k;
        before = before < context ? before : context;
        struct place end = hunk_end(s, at, context);
        put_hunk(s, (struct place){at.i - before, at.k - before}, end, out);
        at = end;
    }
}

int unified_hunks(struct arena *a, struct unified_text from, struct unified_text to, size_t context,
                  struct buf *out)
{
    struct lines x, y;
    struct search s = {.a = a, .from = &x, .to = &y};
    if (split(a, from, &x) < 0 || split(a, to, &y) < 0)
        return -1;
    while (s.head < x.n && s.head < y.n && same(&x.at[s.head], &y.at[s.head]))
        s.head++;
    s.n = x.n - s.head;
    s.m = y.n - s.head;
    s.most = s.n + s.m < MAX_EDITS ? (int64_t)(s.n + s.m) : MAX_EDITS;
    s.ways = arena_calloc(a, 2 * (size_t)s.most + 3, sizeof *s.ways);
    s.removed = arena_calloc(a, x.n + 1, sizeof *s.removed);
    s.added = arena_calloc(a, y.n + 1, sizeof *s.added);
    if (arena_failed(a))
        return -1;
    compare(&s);
    put_hunks(&s, context, out);
    return arena_failed(a) || buf_failed(out) ? -1 : 0;
}
