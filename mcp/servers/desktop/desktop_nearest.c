/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The place of a file that is most like a text which is not in it, for the tool that edits. It is
 * looked for by halves, of which the better one is kept while it is better than what it is in, and
 * then made shorter from its start and from its end while that makes it better. What is compared is
 * the number of changes from one to the other (G. Myers, A fast bit-vector algorithm for
 * approximate string matching, 1999, in H. Hyyro's form for many words), in units of UTF-16, as the
 * original counts them.
 */
#include "engine/base/utf8.h"
#include "mcp/servers/desktop/desktop.h"

enum { WORD = 64 };
#define MOST_WORK (1 << 26) /* words of bits that one search looks at: a few tenths of a second */
#define THRESHOLD 0.7       /* from here on they are called similar */

struct units {
    uint16_t *at;
    size_t n;
};

/* The text that is looked for, as bits: for each of its units where it is. */
struct pattern {
    struct arena *arena;
    struct units text;
    size_t words;
    uint16_t *kind_of;         /* of each unit; 0: it is not in the text */
    uint64_t *forth, *back;    /* per kind; back: of the text from its end on */
    uint64_t *added, *lacking; /* of a comparison: where the column below goes up, goes down */
};

/* ---- units ---- */

static int units_of(struct arena *a, const char *text, size_t n, struct units *ret)
{
    const char *end = text + n;
    ret->at = arena_alloc(a, (n + 1) * sizeof *ret->at);
    ret->n = 0;
    if (arena_failed(a))
        return -1;
    while (text < end) {
        unsigned len = utf8_sequence(text, (size_t)(end - text));
        unsigned c = len ? utf8_code_point(text, len) : 0xfffd;
        if (c >= 0x10000)
            ret->at[ret->n++] = (uint16_t)(0xd7c0 + (c >> 10));
        ret->at[ret->n++] = (uint16_t)(c < 0x10000 ? c : 0xdc00 + (c & 0x3ff));
        text += len ? len : 1;
    }
    return 0;
}

/* Half a pair is not a character. */
static void put_units(struct buf *b, const uint16_t *u, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char out[4];
        unsigned c = u[i];
        if ((c & 0xfc00) == 0xd800 && i + 1 < n && (u[i + 1] & 0xfc00) == 0xdc00)
            c = 0x10000 + ((c & 0x3ff) << 10) + (u[++i] & 0x3ffu);
        else if ((c & 0xf800) == 0xd800)
            c = 0xfffd;
        buf_add(b, out, (size_t)(utf8_put(out, c) - out));
    }
}

/* ---- comparing ---- */

static int pattern_init(struct pattern *p, struct arena *a, struct units text)
{
    uint16_t kinds = 0;
    *p = (struct pattern){.arena = a, .text = text, .words = (text.n + WORD - 1) / WORD};
    p->kind_of = arena_calloc(a, 1 << 16, sizeof *p->kind_of);
    if (arena_failed(a))
        return -1;
    for (size_t i = 0; i < text.n; i++)
        if (!p->kind_of[text.at[i]])
            p->kind_of[text.at[i]] = ++kinds;
    p->forth = arena_calloc(a, ((size_t)kinds + 1) * p->words, sizeof *p->forth);
    p->back = arena_calloc(a, ((size_t)kinds + 1) * p->words, sizeof *p->back);
    p->added = arena_calloc(a, p->words, sizeof *p->added);
    p->lacking = arena_calloc(a, p->words, sizeof *p->lacking);
    if (arena_failed(a))
        return -1;
    for (size_t i = 0; i < text.n; i++) {
        const size_t kind = p->kind_of[text.at[i]] * p->words, j = text.n - 1 - i;
        p->forth[kind + i / WORD] |= UINT64_C(1) << i % WORD;
        p->back[kind + j / WORD] |= UINT64_C(1) << j % WORD;
    }
    return 0;
}

/* One unit more of the other text: by how much the distance to the whole pattern changes. */
static int step(struct pattern *p, const uint64_t *is)
{
    int carry = 1; /* the empty pattern is one further away */
    for (size_t w = 0; w < p->words; w++) {
        const size_t last = w + 1 < p->words ? WORD - 1 : (p->text.n - 1) % WORD;
        const uint64_t up = p->added[w], down = p->lacking[w], same = is[w] | (carry < 0);
        const uint64_t zero = (((same & up) + up) ^ up) | same | down;
        uint64_t more = down | ~(zero | up), less = up & zero;
        const int out = (int)(more >> last & 1) - (int)(less >> last & 1);
        more = more << 1 | (carry > 0);
        less = less << 1 | (carry < 0);
        const uint64_t diagonal = is[w] | down;
        p->added[w] = less | ~(diagonal | more);
        p->lacking[w] = more & diagonal;
        carry = out;
    }
    return carry;
}

/* The distance of the n units at u; all: of each beginning of them, or NULL, n + 1 of them.
 * backwards: of each end. */
static size_t distance(struct pattern *p, const uint16_t *u, size_t n, bool backwards, size_t *all)
{
    const uint64_t *const is = backwards ? p->back : p->forth;
    size_t d = p->text.n;
    memset(p->added, 0xff, p->words * sizeof *p->added);
    memset(p->lacking, 0, p->words * sizeof *p->lacking);
    for (size_t i = 0; i < n; i++) {
        if (all)
            all[i] = d;
        d += (size_t)step(p, is + p->kind_of[u[backwards ? n - 1 - i : i]] * p->words);
    }
    if (all)
        all[n] = d;
    return d;
}

/* ---- looking ---- */

/* Makes the section shorter while it gets better. 0, -1. */
static int shorten(struct pattern *p, const uint16_t *u, size_t *from, size_t *to)
{
    size_t n = *to - *from, *all = arena_calloc(p->arena, n + 1, sizeof *all);
    if (arena_failed(p->arena))
        return -1;
    distance(p, u + *from, n, true, all);
    while (n && all[n - 1] < all[n])
        n--;
    *from = *to - n;
    distance(p, u + *from, n, false, all);
    while (n && all[n - 1] < all[n])
        n--;
    *to = *from + n;
    return 0;
}

static int find_nearest(struct pattern *p, struct units in, size_t *from, size_t *to)
{
    const size_t len = p->text.n;
    size_t best = SIZE_MAX;
    *from = 0;
    *to = in.n;
    while (*to - *from > 2 * len) {
        const size_t middle = *from + (*to - *from) / 2;
        const size_t end = middle + len < *to ? middle + len : *to,
                     begin = middle - *from > len ? middle - len : *from;
        const size_t left = distance(p, in.at + *from, end - *from, false, NULL),
                     right = distance(p, in.at + begin, *to - begin, false, NULL);
        if (left >= best && right >= best)
            break;
        best = left < right ? left : right;
        if (left < right)
            *to = end;
        else
            *from = begin;
    }
    return shorten(p, in.at, from, to);
}

/* ---- the answer ---- */

/* "{-what was looked for-}{+what is there+}", between what both have. */
static void put_differences(struct buf *b, struct units a, struct units is)
{
    const size_t least = a.n < is.n ? a.n : is.n;
    size_t head = 0, tail = 0;
    while (head < least && a.at[head] == is.at[head])
        head++;
    while (tail < least - head && a.at[a.n - 1 - tail] == is.at[is.n - 1 - tail])
        tail++;
    put_units(b, a.at, head);
    buf_puts(b, "{-");
    put_units(b, a.at + head, a.n - head - tail);
    buf_puts(b, "-}{+");
    put_units(b, is.at + head, is.n - head - tail);
    buf_puts(b, "+}");
    put_units(b, a.at + a.n - tail, tail);
}

static void put_nearest(struct buf *b, const char *path, struct pattern *p, struct units is)
{
    const size_t longer = is.n > p->text.n ? is.n : p->text.n;
    const double alike = 1 - (double)distance(p, is.at, is.n, false, NULL) / (double)longer;
    const int percent = (int)(alike * 100 + 0.5);
    if (alike >= THRESHOLD) {
        buf_printf(b,
                   "Exact match not found, but found a similar text with %d%% similarity "
                   "(found in 0.00ms):\n\nDifferences:\n",
                   percent);
        put_differences(b, p->text, is);
        buf_puts(b, "\n\nTo replace this text, use the exact text found in the file.");
        return;
    }
    buf_printf(b, "Search content not found in %s. The closest match was \"", path);
    put_units(b, is.at, is.n);
    buf_printf(b,
               "\" with only %d%% similarity, which is below the 70%% threshold. (Fuzzy search "
               "completed in 0.00ms)",
               percent);
}

int desktop_nearest(struct call *c, const char *path, const char *text, size_t n, const char *what,
                    size_t len)
{
    struct arena *a = c->tx.arena;
    struct units in, is;
    struct pattern p;
    struct buf b;
    size_t from = 0, to = 0;
    buf_init(&b, 0);
    if (!len || (n + 8 * len) * 4 > MOST_WORK / ((len + WORD - 1) / WORD)) {
        buf_printf(&b, "Search content not found in %s.", path);
    } else {
        if (units_of(a, text, n, &in) < 0 || units_of(a, what, len, &is) < 0 ||
            pattern_init(&p, a, is) < 0 || find_nearest(&p, in, &from, &to) < 0) {
            buf_done(&b);
            return sosia_fail_memory(c->tx.err);
        }
        put_nearest(&b, path, &p, (struct units){in.at + from, to - from});
    }
    int r = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return r;
}
