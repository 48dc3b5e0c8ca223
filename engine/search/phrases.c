/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree of phrases, whose nodes are their beginnings. A node's `less` is the longest end of it
 * that begins a phrase too; at each word a text is in the node of the longest beginning that ends
 * there, so all others that end there are that node's less, its less, and so on.
 */
#include "engine/search/phrases.h"
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define NO_WORD UINT32_MAX

struct vocable {
    const char *text;
    uint32_t len, hash;
};
struct edge {
    uint32_t node, word, to; /* to 0: none */
};
/* Where a phrase ends in all texts, in words from the beginning of the first. */
struct places {
    uint32_t *at;
    uint32_t n;
    bool known;
};

struct phrase_set {
    uint32_t *ends; /* node of each phrase */
    uint64_t seed;  /* of both tables: it depends on all words, so words can't be chosen for
                       their hashes */

    struct vocable *vocables;
    uint32_t n_vocables;
    uint32_t *by_text; /* number + 1, by hash */
    struct edge *edges;
    uint32_t *first; /* of edges those of the root, by word */
    uint32_t mask;   /* of both tables */
    size_t looks;    /* at places of theirs */

    /* Of nodes; that of a longer beginning has the higher number; 0 is the root. */
    uint32_t *less, *last_word, *depth;
    uint16_t *seen;
    uint32_t n_nodes;

    /* Only with places. All that have a node as their less, or the less of it, ... have `from` from
     * its own to its own + size - 1. */
    uint32_t *from, *size;
    struct places *places;         /* of nodes */
    uint32_t *nodes;               /* in which the texts are behind each word */
    uint32_t begin[PHRASES_TEXTS]; /* of texts, in words */
    uint32_t end[PHRASES_TEXTS];
    uint32_t *ending, *ending_at; /* words of all texts, by vocable; where each begins */
    size_t near_steps;
};

void phrases_init(struct phrases *p, struct arena *a)
{
    *p = (struct phrases){.a = a};
    buf_init(&p->words, 0);
}

void phrases_done(struct phrases *p)
{
    buf_done(&p->words);
}

static uint32_t count_words(const char *words, size_t len)
{
    uint32_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += words[i] == ' ';
    return n;
}

uint32_t phrases_add(struct phrases *p, const char *words, size_t len)
{
    buf_add(&p->words, words, len);
    buf_byte(&p->words, '\0');
    p->n_words += count_words(words, len);
    return p->n++;
}

/* ---- the tree ---- */

/* The vocable, or NO_WORD; make: a new one in that case. */
static uint32_t vocable(struct phrase_set *s, const char *text, uint32_t len, bool make)
{
    uint32_t hash = (uint32_t)XXH3_64bits_withSeed(text, len, s->seed), at = hash & s->mask, n;
    for (; s->looks++, (n = s->by_text[at]); at = (at + 1) & s->mask) {
        const struct vocable *v = &s->vocables[n - 1];
        if (v->hash == hash && v->len == len && memcmp(v->text, text, len) == 0)
            return n - 1;
    }
    if (!make)
        return NO_WORD;
    s->vocables[s->n_vocables] = (struct vocable){.text = text, .len = len, .hash = hash};
    s->by_text[at] = ++s->n_vocables;
    return s->n_vocables - 1;
}

static struct edge *edge(struct phrase_set *s, uint32_t node, uint32_t word)
{
    const uint32_t key[] = {node, word};
    uint32_t at = (uint32_t)XXH3_64bits_withSeed(key, sizeof key, s->seed) & s->mask;
    while (s->looks++, s->edges[at].to && (s->edges[at].node != node || s->edges[at].word != word))
        at = (at + 1) & s->mask;
    return &s->edges[at];
}

static uint32_t child(struct phrase_set *s, uint32_t node, uint32_t word)
{
    return node ? edge(s, node, word)->to : s->first[word];
}

/* From a node over a word: to the longest beginning that ends there. */
static uint32_t follow(struct phrases *p, uint32_t node, uint32_t word)
{
    struct phrase_set *s = p->set;
    uint32_t to;
    while (p->steps++, !(to = child(s, node, word)) && node)
        node = s->less[node];
    return to;
}

static uint32_t grow(struct phrases *p, uint32_t node, uint32_t word)
{
    struct phrase_set *s = p->set;
    uint32_t to = child(s, node, word);
    p->steps++;
    if (to)
        return to;
    to = s->n_nodes++;
    s->less[to] = node ? follow(p, s->less[node], word) : 0;
    s->last_word[to] = word;
    s->depth[to] = s->depth[node] + 1;
    if (node)
        *edge(s, node, word) = (struct edge){.node = node, .word = word, .to = to};
    else
        s->first[word] = to;
    return to;
}

static bool make_set(struct phrases *p)
{
    struct arena *a = p->a;
    struct phrase_set *s = arena_calloc(a, 1, sizeof *s);
    size_t nodes = (size_t)p->n_words + 1, room = 16;
    while (room < 2 * nodes)
        room *= 2;
    if (arena_failed(a) || buf_failed(&p->words)) {
        a->failed = true;
        return false;
    }
    *s = (struct phrase_set){
        .seed = XXH3_64bits(p->words.data, p->words.len), .mask = (uint32_t)room - 1, .n_nodes = 1};
    s->ends = arena_calloc(a, p->n + 1, sizeof *s->ends);
    s->vocables = arena_alloc(a, nodes * sizeof *s->vocables);
    s->by_text = arena_calloc(a, room, sizeof *s->by_text);
    s->edges = arena_calloc(a, room, sizeof *s->edges);
    s->first = arena_calloc(a, nodes, sizeof *s->first);
    s->less = arena_calloc(a, nodes, sizeof *s->less);
    s->last_word = arena_calloc(a, nodes, sizeof *s->last_word);
    s->depth = arena_calloc(a, nodes, sizeof *s->depth);
    s->seen = arena_calloc(a, nodes, sizeof *s->seen);
    p->set = s;
    return !arena_failed(a);
}

/* The first words of all phrases, then the second ones, ...: the longest beginnings of what is
 * shorter are known then. */
static void build(struct phrases *p)
{
    struct phrase_set *s = p->set;
    const char **at = arena_alloc(p->a, (p->n + 1) * sizeof *at);
    uint32_t *open = arena_alloc(p->a, (p->n + 1) * sizeof *open), n = p->n;
    const char *words = p->words.data;
    if (arena_failed(p->a))
        return;
    for (uint32_t i = 0; i < p->n; i++, words += strlen(words) + 1) {
        at[i] = words;
        open[i] = i;
    }
    while (n) {
        uint32_t left = 0;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t i = open[k];
            const char *blank = strchr(at[i], ' ');
            if (!blank)
                continue;
            uint32_t word = vocable(s, at[i], (uint32_t)(blank - at[i]), true);
            s->ends[i] = grow(p, s->ends[i], word);
            at[i] = blank + 1;
            open[left++] = i;
        }
        n = left;
    }
}

/* ---- the texts ---- */

/* The next word of a text: its vocable, or NO_WORD. */
static uint32_t next_word(struct phrase_set *s, const struct phrases_text *t, const char **at)
{
    const char *end = t->words + t->len, *word = *at;
    const char *blank = memchr(word, ' ', (size_t)(end - word));
    size_t mark = strlen(t->mark), len = (size_t)((blank ? blank : end) - word);
    *at = blank ? blank + 1 : end;
    if (len <= mark || memcmp(word, t->mark, mark) != 0)
        return NO_WORD;
    return vocable(s, word + mark, (uint32_t)(len - mark), false);
}

static void look_in_field(struct phrases *p, const struct phrases_text *text, unsigned bit)
{
    struct phrase_set *s = p->set;
    const char *at = text->len ? text->words : "", *end = at + text->len;
    uint32_t node = 0, place = s->begin[bit];
    while (at < end) {
        uint32_t word = next_word(s, text, &at);
        node = word == NO_WORD ? 0 : follow(p, node, word);
        p->steps += word == NO_WORD;
        s->seen[node] |= (uint16_t)(1u << bit);
        if (s->nodes)
            s->nodes[place++] = node;
    }
}

/* The last words of all beginnings in the texts, sorted by vocable: a node gives its word. */
static void sort_endings(struct phrases *p, uint32_t n)
{
    struct phrase_set *s = p->set;
    uint32_t *at = s->ending_at = arena_calloc(p->a, s->n_vocables + 2, sizeof *at);
    s->ending = arena_alloc(p->a, (n + 1) * sizeof *s->ending);
    if (arena_failed(p->a))
        return;
    for (uint32_t i = 0; i < n; i++)
        if (s->nodes[i])
            at[s->last_word[s->nodes[i]] + 2]++;
    for (uint32_t v = 2; v < s->n_vocables + 2; v++)
        at[v] += at[v - 1];
    for (uint32_t i = 0; i < n; i++)
        if (s->nodes[i])
            s->ending[at[s->last_word[s->nodes[i]] + 1]++] = i;
    p->steps += 2 * (size_t)n + s->n_vocables;
}

static void number_nodes(struct phrases *p)
{
    struct phrase_set *s = p->set;
    uint32_t *next = arena_calloc(p->a, s->n_nodes, sizeof *next);
    s->from = arena_calloc(p->a, s->n_nodes, sizeof *s->from);
    s->size = arena_calloc(p->a, s->n_nodes, sizeof *s->size);
    s->places = arena_calloc(p->a, s->n_nodes, sizeof *s->places);
    if (arena_failed(p->a))
        return;
    for (uint32_t v = s->n_nodes; v-- > 1;)
        s->size[s->less[v]] += ++s->size[v];
    next[0] = 1;
    for (uint32_t v = 1; v < s->n_nodes; v++) {
        s->from[v] = next[s->less[v]];
        next[s->less[v]] += s->size[v];
        next[v] = s->from[v] + 1;
    }
}

void phrases_look(struct phrases *p, const struct phrases_text *texts, unsigned n)
{
    uint32_t all = 0;
    if (!make_set(p))
        return;
    struct phrase_set *s = p->set;
    build(p);
    for (unsigned i = 0; i < n && p->placed; i++) {
        s->begin[i] = all;
        all += count_words(texts[i].words, texts[i].len) + 1;
        s->end[i] = all;
    }
    if (p->placed)
        s->nodes = arena_calloc(p->a, all + 1, sizeof *s->nodes);
    if (arena_failed(p->a))
        return;
    for (unsigned i = 0; i < n; i++)
        look_in_field(p, &texts[i], i);
    for (uint32_t v = s->n_nodes; v-- > 1;)
        s->seen[s->less[v]] |= s->seen[v];
    p->steps += s->n_nodes + s->looks;
    if (p->placed) {
        number_nodes(p);
        sort_endings(p, all);
    }
}

unsigned phrases_seen(const struct phrases *p, uint32_t phrase)
{
    return p->set->seen[p->set->ends[phrase]];
}

/* ---- near each other ---- */

/* Counts towards the most that is done. */
static bool may_go_on(struct phrase_set *s, size_t steps)
{
    s->near_steps += steps;
    return s->near_steps <= PHRASES_NEAR_STEPS;
}

static const struct places *places(struct phrases *p, uint32_t node)
{
    struct phrase_set *s = p->set;
    struct places *l = &s->places[node];
    if (l->known)
        return l;
    const uint32_t word = s->last_word[node];
    uint32_t *all = s->ending + s->ending_at[word];
    const uint32_t n = s->ending_at[word + 1] - s->ending_at[word];
    if (s->depth[node] == 1) {
        *l = (struct places){.at = all, .n = n, .known = true};
        return l;
    }
    if (!may_go_on(s, n))
        return NULL;
    l->at = arena_alloc(p->a, (n + 1) * sizeof *l->at);
    if (arena_failed(p->a))
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (s->from[s->nodes[all[i]]] - s->from[node] < s->size[node])
            l->at[l->n++] = all[i];
    l->known = true;
    return l;
}

/* Where a phrase begins, in one text. */
struct starts {
    const uint32_t *at; /* its ends */
    uint32_t n;
    int64_t len;
};

static int64_t start(const struct starts *l, uint32_t i)
{
    return (int64_t)l->at[i] + 1 - l->len;
}

/* The first from `from` on that begins at a place or behind it. */
static uint32_t find(struct phrase_set *s, const struct starts *l, uint32_t from, int64_t place)
{
    uint32_t step = 1, low = from, high;
    size_t steps = 1;
    while (low < l->n && start(l, low) < place) {
        from = low + 1;
        low = step < l->n - low ? low + step : l->n;
        step *= 2;
        steps++;
    }
    high = low < l->n ? low : l->n;
    for (low = from; low < high; steps++) {
        uint32_t mid = low + (high - low) / 2;
        if (start(l, mid) < place)
            low = mid + 1;
        else
            high = mid;
    }
    may_go_on(s, steps);
    return low;
}

/* Whether there is a y at most `most` words behind an x. overlap: or in it. The shorter list is
 * walked. */
static bool follows(struct phrase_set *s, const struct starts *x, const struct starts *y,
                    int64_t most, bool overlap)
{
    uint32_t behind = 0, in = 0;
    for (uint32_t i = 0; x->n <= y->n && i < x->n && may_go_on(s, 0); i++) {
        int64_t at = start(x, i);
        behind = find(s, y, behind, at + x->len);
        if (behind < y->n && start(y, behind) - (at + x->len) <= most)
            return true;
        if (overlap && (in = find(s, y, in, at)) < behind)
            return true;
    }
    for (uint32_t i = 0; x->n > y->n && i < y->n && may_go_on(s, 0); i++) {
        int64_t at = start(y, i);
        behind = find(s, x, behind, at - x->len + 1);
        if (behind && at - (start(x, behind - 1) + x->len) <= most)
            return true;
        if (overlap && behind < x->n && start(x, behind) <= at)
            return true;
    }
    return false;
}

/* Those in a text. */
static struct starts starts(struct phrase_set *s, const struct places *l, uint32_t node,
                            unsigned text)
{
    struct starts all = {.at = l->at, .n = l->n, .len = 1};
    uint32_t from = find(s, &all, 0, s->begin[text]), to = find(s, &all, from, s->end[text]);
    return (struct starts){.at = l->at + from, .n = to - from, .len = s->depth[node]};
}

int phrases_near(struct phrases *p, uint32_t x, uint32_t y, unsigned text, int64_t most,
                 bool ordered)
{
    struct phrase_set *s = p->set;
    uint32_t a = s->ends[x], b = s->ends[y];
    if (!(s->seen[a] & s->seen[b] & 1u << text))
        return 0;
    const struct places *all_x = places(p, a), *all_y = all_x ? places(p, b) : NULL;
    if (!all_y)
        return -1;
    struct starts of_x = starts(s, all_x, a, text), of_y = starts(s, all_y, b, text);
    bool found = follows(s, &of_x, &of_y, most, !ordered) ||
                 (!ordered && follows(s, &of_y, &of_x, most, true));
    return found ? 1 : may_go_on(s, 0) ? 0 : -1;
}
