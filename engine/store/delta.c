/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/store/delta.h"
#include <stdlib.h>
#include <string.h>
#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>
#endif

/* A page's record: its number, how many runs, and of each where it begins, how long it is, and the
 * bytes. One of a page that the later tree does not have is a run of all of it; one of a page that
 * the earlier tree had no other content of than the base says so and has none. */
struct page_head {
    uint32_t page, n_runs;
};
#define OF_BASE UINT32_MAX
struct run_head {
    uint16_t at, len;
};

struct delta {
    _Atomic(uint32_t) refs;
    uint32_t n_pages; /* of the earlier tree */
    struct store *store;
    struct delta *next; /* leads on from `from` */
    size_t len;
    char data[];
};

enum {
    WORD = sizeof(uint64_t),
    WORDS = STORE_PAGE_SIZE / WORD,
    BITS = 64,
    BLOCK = 32, /* words that are compared at once, as most of a page does not differ */
    GAP = 2,    /* equal words that a run goes over: a head costs less than they do */
    STEP = 4    /* words that are copied at once */
};

/* Most are short, and made in no memory but the stack's. */
struct recording {
    const struct tree *from, *to;
    uint64_t tag; /* as of delta_new() */
    char *out;    /* room, or on the heap */
    size_t len, cap;
    bool failed; /* there is no memory for it */
    char room[6 * 1024];
};

/* Room for so many bytes behind what is there. */
static bool can_add(struct recording *r, size_t need)
{
    if (__builtin_expect(need <= r->cap - r->len, 1))
        return !r->failed;
    size_t cap = (r->len + need) * 2;
    char *wider = r->failed ? NULL : malloc(cap);
    r->failed = !wider;
    if (!wider)
        return false;
    memcpy(wider, r->out, r->len);
    if (r->out != r->room)
        free(r->out);
    r->out = wider;
    r->cap = cap;
    return true;
}

static uint64_t word(const uint8_t *p, unsigned i)
{
    uint64_t v;
    memcpy(&v, p + (size_t)i * WORD, sizeof v);
    return v;
}

/* Which words of two pages differ, a bit each. */
struct changes {
    uint64_t bits[WORDS / BITS];
};

static void compare_words(const uint8_t *a, const uint8_t *b, struct changes *ret)
{
    *ret = (struct changes){0};
    for (unsigned from = 0; from < WORDS; from += BLOCK) {
        if (memcmp(a + (size_t)from * WORD, b + (size_t)from * WORD, BLOCK * WORD) == 0)
            continue;
        for (unsigned i = from; i < from + BLOCK; i++)
            ret->bits[i / BITS] |= (uint64_t)(word(a, i) != word(b, i)) << i % BITS;
    }
}

#if defined __x86_64__ && defined __GNUC__
#define WIDE
/* The same four words at a time and without a branch: where a page differs nobody foresees. */
__attribute__((target("avx2"))) static void compare_wide(const uint8_t *a, const uint8_t *b,
                                                         struct changes *ret)
{
    for (unsigned at = 0; at < WORDS / BITS; at++) {
        uint64_t same = 0;
        for (unsigned i = 0; i < BITS; i += 4, a += 4 * WORD, b += 4 * WORD) {
            __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)a),
                    y = _mm256_loadu_si256((const __m256i *)(const void *)b);
            int four = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(x, y)));
            same |= (uint64_t)(unsigned)four << i;
        }
        ret->bits[at] = ~same;
    }
}
#endif

static void compare_pages(const uint8_t *a, const uint8_t *b, struct changes *ret)
{
#ifdef WIDE
    if (__builtin_cpu_supports("avx2")) {
        compare_wide(a, b, ret);
        return;
    }
#endif
    compare_words(a, b, ret);
}

/* The first word from i on that differs, or (flip has all bits) that does not; WORDS: none. */
static unsigned next_word(const struct changes *c, unsigned i, uint64_t flip)
{
    for (; i < WORDS; i = (i / BITS + 1) * BITS) {
        uint64_t left = (c->bits[i / BITS] ^ flip) >> i % BITS;
        if (left)
            return i + (unsigned)__builtin_ctzll(left);
    }
    return WORDS;
}

/* Behind the run that begins at i. */
static unsigned run_end(const struct changes *c, unsigned i)
{
    for (;;) {
        unsigned end = next_word(c, i, UINT64_MAX);
        i = next_word(c, end, 0);
        if (i == WORDS || i - end > GAP)
            return end;
    }
}

/* A record at most: each run but the last is followed by more than GAP equal words; and what is
 * copied beyond its end. */
#define RECORD_MAX                                                                                 \
    (sizeof(struct page_head) + STORE_PAGE_SIZE +                                                  \
     (WORDS / (GAP + 2) + 1) * sizeof(struct run_head) + STEP * WORD)

/* Words from..to of a page, behind what was written so far. */
static char *put_run(char *out, const uint8_t *page, unsigned from, unsigned to)
{
    struct run_head h = {.at = (uint16_t)(from * WORD), .len = (uint16_t)((to - from) * WORD)};
    memcpy(out, &h, sizeof h);
    out += sizeof h;
    char *end = out + h.len;
    unsigned i = from;
    /* Several at a time, of which those behind the run's end are written over. */
    for (; i < to && i + STEP <= WORDS; i += STEP, out += STEP * WORD)
        memcpy(out, page + (size_t)i * WORD, STEP * WORD);
    for (; i < to; i++, out += WORD)
        memcpy(out, page + (size_t)i * WORD, WORD);
    return end;
}

/* is NULL: beyond the later tree's end. */
static void record_page(struct recording *r, uint32_t page, const uint8_t *was, const uint8_t *is)
{
    struct page_head h = {.page = page};
    if (!can_add(r, RECORD_MAX))
        return;
    char *out = r->out + r->len + sizeof h;
    struct changes c;
    if (is)
        compare_pages(was, is, &c);
    else
        memset(&c, 0xFF, sizeof c);
    for (unsigned i = next_word(&c, 0, 0), end; i < WORDS; i = next_word(&c, end, 0), h.n_runs++) {
        end = run_end(&c, i);
        out = put_run(out, was, i, end);
    }
    if (!h.n_runs)
        return;
    memcpy(r->out + r->len, &h, sizeof h);
    r->len = (size_t)(out - r->out);
}

static void record_drop(struct recording *r, uint32_t page)
{
    const struct page_head h = {.page = page, .n_runs = OF_BASE};
    if (!can_add(r, sizeof h))
        return;
    memcpy(r->out + r->len, &h, sizeof h);
    r->len += sizeof h;
}

/* A page of a tree whose map has this one, or NULL, in its place. */
static const uint8_t *page_at(const struct tree *t, const struct page *p, uint32_t page)
{
    return page >= t->n_pages ? NULL : p ? p->data : page_find(t->base, NULL, page);
}

static void record_nodes(struct recording *r, const struct node *a, const struct node *b,
                         unsigned level, uint64_t first);

/* A child that is another one in each map, or in one of them alone. */
static void record_child(struct recording *r, const void *x, const void *y, unsigned level,
                         uint64_t at)
{
    if (at >= r->from->n_pages)
        return;
    if (level)
        record_nodes(r, x, y, level - 1, at);
    else if (x)
        record_page(r, (uint32_t)at, ((const struct page *)x)->data,
                    page_at(r->to, y, (uint32_t)at));
    else
        record_drop(r, (uint32_t)at);
}

/* Children by their index, in maps of one level, one of which may be missing. */
static void record_nodes(struct recording *r, const struct node *a, const struct node *b,
                         unsigned level, uint64_t first)
{
    uint64_t m = (a ? a->mask : 0) | (b ? b->mask : 0);
    if (b && r->tag && b->tag == r->tag)
        m &= b->touched;
    for (; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctzll(m);
        const void *x = node_child(a, level, i), *y = node_child(b, level, i);
        if (x != y)
            record_child(r, x, y, level, first + ((uint64_t)i << (6 * level)));
    }
}

/* The same where one map is higher than the other, which is its child 0 then. */
static void record_maps(struct recording *r, const struct node *a, const struct node *b)
{
    if (a && b && a->level != b->level) {
        const struct node *high = a->level > b->level ? a : b, *low = high == a ? b : a;
        for (uint64_t m = high->mask & ~UINT64_C(1); m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctzll(m);
            const struct node *child = high->child[node_rank(high->mask, i)];
            uint64_t at = (uint64_t)i << (6 * high->level);
            record_nodes(r, high == a ? child : NULL, high == a ? NULL : child, high->level - 1u,
                         at);
        }
        high = node_child(high, high->level, 0);
        record_maps(r, low == b ? high : low, low == b ? low : high);
        return;
    }
    if (a != b)
        record_nodes(r, a, b, a ? a->level : b->level, 0);
}

static size_t own_size(const struct delta *d)
{
    return sizeof *d + d->len;
}

struct delta *delta_new(struct store *s, const struct tree *from, const struct tree *to,
                        uint64_t tag)
{
    struct recording r;
    r.from = from;
    r.to = to;
    r.tag = tag;
    r.out = r.room;
    r.len = 0;
    r.cap = sizeof r.room;
    r.failed = false;
    if (from->base != to->base)
        return NULL;
    record_maps(&r, from->root, to->root);
    struct delta *d = r.failed ? NULL : malloc(sizeof *d + r.len);
    if (d) {
        *d = (struct delta){.refs = 1, .n_pages = from->n_pages, .store = s, .len = r.len};
        if (r.len)
            memcpy(d->data, r.out, r.len);
        store_count(s, (int64_t)own_size(d));
    }
    if (r.out != r.room)
        free(r.out);
    return d;
}

struct delta *delta_ref(struct delta *d)
{
    if (d)
        atomic_fetch_add_explicit(&d->refs, 1, memory_order_relaxed);
    return d;
}

void delta_unref(struct delta *d)
{
    while (d && atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel) == 1) {
        struct delta *next = d->next;
        store_count(d->store, -(int64_t)own_size(d));
        free(d);
        d = next;
    }
}

void delta_link(struct delta *d, struct delta *next)
{
    while (d->next)
        d = d->next;
    d->next = next;
}

size_t delta_size(const struct delta *d)
{
    size_t sum = 0;
    for (; d; d = d->next)
        sum += own_size(d);
    return sum;
}

void rewind_begin(struct rewind *r, struct store *s, const struct tree *from)
{
    struct tree t;
    tree_fork(from, &t);
    r->w = (struct writer){.store = s,
                           .base = t.base,
                           .root = t.root,
                           .n_pages = t.n_pages,
                           .n_private = t.n_private,
                           .tag = tag_new(s, page_cache(s)),
                           .any_size = true};
    r->shard = t.shard;
}

static enum sosia_code rewind_one(struct rewind *r, const struct delta *d)
{
    enum sosia_code code = SOSIA_E_OK;
    bool cut = d->n_pages < r->w.n_pages;
    uint8_t *to;
    r->w.n_pages = d->n_pages;
    if (cut)
        code = writer_truncate(&r->w);
    for (size_t at = 0; at < d->len && !code;) {
        struct page_head h;
        memcpy(&h, d->data + at, sizeof h);
        at += sizeof h;
        if (h.n_runs == OF_BASE) {
            code = writer_drop(&r->w, h.page);
            continue;
        }
        code = writer_page(&r->w, h.page, false, &to);
        for (uint32_t i = 0; i < h.n_runs && !code; i++) {
            struct run_head run;
            memcpy(&run, d->data + at, sizeof run);
            at += sizeof run;
            memcpy(to + run.at, d->data + at, run.len);
            at += run.len;
        }
    }
    return code;
}

enum sosia_code rewind_by(struct rewind *r, const struct delta *d)
{
    enum sosia_code code = SOSIA_E_OK;
    for (; d && !code; d = d->next)
        code = rewind_one(r, d);
    return code;
}

void rewind_end(struct rewind *r, struct tree *ret)
{
    if (r->w.root && !r->w.n_private) {
        node_unref(r->w.store, page_cache(r->w.store), r->w.root);
        r->w.root = NULL;
    }
    *ret = (struct tree){.base = r->w.base,
                         .root = r->w.root,
                         .n_pages = r->w.n_pages,
                         .n_private = r->w.n_private,
                         .shard = r->shard};
}
