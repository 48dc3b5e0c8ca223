/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/journal/journal.h"
#include "engine/base/lock.h"
#include "engine/base/populate.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct journal_chunk {
    struct journal_chunk *next, *prev;
    uint32_t used, cap;
    int64_t first; /* number of its first entry */
    /* Entries: uint32_t length, text. From its end on, backwards, what is known of each. */
    char data[];
};

/* Without chunks it is the one before up to its n, which is smaller than that one's. */
struct journal_past {
    _Atomic(uint32_t) refs;
    struct journal_past *before;
    struct journal_chunk *first;
    int64_t n; /* number of its last entry */
    uint64_t bytes;
    struct store *store;
    struct lock lock; /* over the steps, which are let go of like a world's own */
    struct steps steps;
    struct step begin;       /* the state that its first entry found, where a world began */
    struct journal_cut *cut; /* the entries before its own are gone; NULL: they are there */
};

/* What comes before it, as far as it is there. */
static const struct journal_past *before(const struct journal_past *p)
{
    return p->cut ? NULL : p->before;
}

/* The last of the entries before a journal's own chunks. */
static const struct journal_past *top_of(const struct journal_past *past, const struct journal *j)
{
    return j && j->cut ? NULL : j && j->frozen ? j->frozen : past;
}

/* ---- steps ---- */

void journal_keep_step(struct journal *j, struct step *step)
{
    struct tree now = step->tree;
    steps_add(&j->steps, step, &now, 0);
}

void journal_replaced(struct journal *j, uint64_t bytes)
{
    struct journal_past *p = j->steps.n ? NULL : j->frozen;
    struct steps *s = p ? &p->steps : &j->steps;
    if (p)
        lock_take(&p->lock);
    if (s->n && !s->open) {
        steps_newest(s)->bytes += bytes;
        s->bytes += bytes;
        j->frozen_step_bytes += p ? bytes : 0;
    }
    if (p)
        lock_drop(&p->lock);
}

uint64_t journal_step_bytes(const struct journal *j)
{
    return j->frozen_step_bytes + j->steps.bytes;
}

/* What the frozen steps that are its own come to, which forks may have let go of too. The oldest
 * entries that have some; NULL: none have. */
static struct journal_past *count_frozen_steps(struct journal *j)
{
    struct journal_past *oldest = NULL;
    j->frozen_steps = 0;
    j->frozen_step_bytes = 0;
    for (struct journal_past *p = j->frozen; p && p->n > j->base; p = p->before) {
        lock_take(&p->lock);
        j->frozen_steps += p->steps.n;
        j->frozen_step_bytes += p->steps.bytes;
        if (p->steps.n)
            oldest = p;
        lock_drop(&p->lock);
    }
    return oldest;
}

static bool too_many(const struct journal *j, uint32_t most, uint64_t bytes)
{
    return (uint64_t)j->frozen_steps + j->steps.n > most || journal_step_bytes(j) > bytes;
}

void journal_trim_steps(struct journal *j, uint32_t most, uint64_t bytes)
{
    struct journal_past *oldest;
    while (j->frozen && too_many(j, most, bytes) && (oldest = count_frozen_steps(j))) {
        lock_take(&oldest->lock);
        while (oldest->steps.n && too_many(j, most, bytes)) {
            j->frozen_steps--;
            /* Who looks back meanwhile may have added to it. */
            const uint64_t gone = oldest->steps.list[oldest->steps.first].bytes;
            j->frozen_step_bytes -= gone < j->frozen_step_bytes ? gone : j->frozen_step_bytes;
            steps_drop_oldest(&oldest->steps);
        }
        lock_drop(&oldest->lock);
    }
    while (j->steps.n && too_many(j, most, bytes))
        steps_drop_oldest(&j->steps);
}

static bool copy_begin(const struct step *begin, int64_t seq, struct step *ret, bool *known)
{
    *known = begin && begin->tree.base && begin->seq <= seq;
    if (*known)
        step_copy(begin, ret);
    return *known;
}

/* Of what is shared, whose steps others may let go of. */
static bool find_shared(const struct journal_past *shared, int64_t seq, struct step *ret,
                        bool *known)
{
    struct journal_past *p = (struct journal_past *)(uintptr_t)shared;
    lock_take(&p->lock);
    bool found = steps_find(&p->steps, seq, ret, known);
    if (!*known)
        found = copy_begin(&p->begin, seq, ret, known);
    lock_drop(&p->lock);
    return found;
}

bool journal_find_step(const struct journal_past *past, const struct journal *j,
                       const struct step *begin, int64_t seq, struct step *ret)
{
    bool known = false, found = false;
    if (j) /* trees that are made on the way stay with it */
        found = steps_find(&((struct journal *)(uintptr_t)j)->steps, seq, ret, &known);
    for (const struct journal_past *p = top_of(past, j); p && !known; p = before(p)) {
        if (p == past && begin && begin->seq <= seq)
            break;
        found = find_shared(p, seq, ret, &known);
    }
    return known ? found : copy_begin(begin, seq, ret, &known);
}

bool journal_next_step(const struct journal_past *past, int64_t seq, int64_t *ret)
{
    *ret = INT64_MAX;
    for (const struct journal_past *p = past; p && p->n >= seq; p = before(p)) {
        struct lock *lock = (struct lock *)(uintptr_t)&p->lock;
        lock_take(lock);
        for (uint32_t i = 0; i < p->steps.n; i++) {
            int64_t at = p->steps.list[p->steps.first + i].seq;
            if (at >= seq && at < *ret)
                *ret = at;
        }
        lock_drop(lock);
    }
    return *ret < INT64_MAX;
}

static void each_step(const struct steps *s, void (*fn)(void *arg, const struct step *step),
                      void *arg)
{
    for (uint32_t i = 0; i < s->n; i++)
        fn(arg, &s->list[s->first + i]);
}

int journal_each_step(const struct journal *j, void (*fn)(void *arg, const struct step *step),
                      void *arg)
{
    const struct journal_past *p;
    size_t n = 0;
    for (p = j->frozen; p && p->n > j->base; p = before(p))
        n++;
    const struct journal_past **list = n ? malloc(n * sizeof *list) : NULL;
    if (n && !list)
        return -1;
    size_t k = n;
    for (p = j->frozen; k; p = before(p))
        list[--k] = p;
    for (; k < n; k++) {
        struct lock *lock = (struct lock *)(uintptr_t)&list[k]->lock;
        lock_take(lock);
        each_step(&list[k]->steps, fn, arg);
        lock_drop(lock);
    }
    free(list);
    each_step(&j->steps, fn, arg);
    return 0;
}

/* ---- entries ---- */

/* What is known of its entry number i, from 0. */
static char *known_at(const struct journal_chunk *c, uint64_t i)
{
    return (char *)(uintptr_t)c->data + c->cap - (i + 1) * sizeof(struct journal_known);
}

/* For so many bytes, and what is known of its entry number i. */
static bool has_room(const struct journal_chunk *c, uint64_t i, size_t need)
{
    return c->used + need + (i + 1) * sizeof(struct journal_known) <= c->cap;
}

enum { CHUNK_MAX = 256 * 1024 }; /* bytes, but of an entry that is longer */

static struct journal_chunk *add_chunk(struct journal *j, size_t need)
{
    /* Chunks double, so that a world with three entries is small and one with many has few
     * chunks. */
    struct journal_chunk *last = j->last, *c;
    size_t cap = last ? (size_t)last->cap * 2 : 1024;
    if (cap > CHUNK_MAX)
        cap = CHUNK_MAX;
    if (cap < need)
        cap = need;
    c = malloc(sizeof *c + cap);
    if (!c)
        return NULL;
    if (last && last->cap >= CHUNK_MAX)
        populate(c, sizeof *c + cap);
    *c = (struct journal_chunk){.prev = last, .cap = (uint32_t)cap, .first = j->n + 1};
    if (last)
        last->next = c;
    else
        j->first = c;
    j->last = c;
    j->bytes += sizeof *c + cap;
    return c;
}

int journal_append_known(struct journal *j, const char *entry, size_t len,
                         const struct journal_known *known)
{
    static const struct journal_known nothing;
    const size_t need = len + sizeof(uint32_t);
    struct journal_chunk *c = j->last;
    if (len > UINT32_MAX / 2)
        return -1;
    if ((!c || !has_room(c, (uint64_t)(j->n + 1 - c->first), need)) &&
        !(c = add_chunk(j, need + sizeof *known)))
        return -1;
    uint32_t n = (uint32_t)len;
    memcpy(c->data + c->used, &n, sizeof n);
    memcpy(c->data + c->used + sizeof n, entry, len);
    memcpy(known_at(c, (uint64_t)(j->n + 1 - c->first)), known ? known : &nothing, sizeof *known);
    c->used += (uint32_t)need;
    j->n++;
    return 0;
}

int journal_append(struct journal *j, const char *entry, size_t len)
{
    return journal_append_known(j, entry, len, NULL);
}

static void chunks_free(struct journal_chunk *c)
{
    for (struct journal_chunk *next; c; c = next) {
        next = c->next;
        free(c);
    }
}

void journal_clear(struct journal *j)
{
    chunks_free(j->first);
    journal_past_unref(j->frozen);
    steps_done(&j->steps);
    free(j->cut);
    *j = (struct journal){
        .base = j->base, .n = j->base, .generation = j->generation + 1, .counted = j->counted};
}

static int append_copy(void *arg, int64_t seq, const char *entry, size_t len,
                       const struct journal_known *known)
{
    (void)seq;
    return journal_append_known(arg, entry, len, known);
}

struct keeping {
    struct journal *j;
    int64_t until;
};

static void keep_until(void *arg, const struct step *step)
{
    const struct keeping *k = arg;
    struct step copy;
    if (step->seq > k->until)
        return;
    step_copy(step, &copy);
    steps_append(&k->j->steps, &copy);
}

int journal_copy(const struct journal_past *past, const struct journal *from, int64_t after,
                 int64_t last, struct journal *to)
{
    const struct journal_cut *cut = journal_cut_of(past, from);
    if (cut && cut->first > after + 1) {
        if (journal_begin_cut(to, cut) < 0)
            return -1;
        after = cut->first - 1;
    }
    return journal_each_known(past, from, after, last, INT64_MAX, append_copy, to);
}

/* The last one that was copied gets its tree, as it was found. */
static void take_last(struct steps *s, struct step *found)
{
    struct step *last = steps_newest(s);
    if (!last)
        return;
    if (!last->tree.base && (!found || found->seq != last->seq)) {
        steps_done(s); /* there was no memory for it */
        return;
    }
    if (!last->tree.base) {
        last->tree = found->tree;
        found->tree = (struct tree){0};
    }
    steps_end(s);
}

/* Its frozen entries and those behind them are its own again, up to n. */
static int thaw(struct journal *j, int64_t n)
{
    struct journal own = {.base = j->base, .n = j->base, .generation = j->generation};
    struct keeping k = {.j = &own, .until = n};
    struct step last = {0};
    bool all = n == j->n, found = !all && journal_find_step(NULL, j, NULL, n, &last);
    own.counted = j->counted;
    if (journal_copy(NULL, j, j->base, n, &own) < 0 || journal_each_step(j, keep_until, &k) < 0) {
        own.counted = 0;
        journal_clear(&own);
        step_done(&last);
        return -1;
    }
    if (!all)
        take_last(&own.steps, found ? &last : NULL);
    else
        steps_go_on(&own.steps, &j->steps);
    step_done(&last);
    chunks_free(j->first);
    journal_past_unref(j->frozen);
    steps_done(&j->steps);
    free(j->cut);
    *j = own;
    journal_mark(j);
    return 0;
}

int journal_rewrite(struct journal *j, int64_t n)
{
    if (thaw(j, n < j->n ? n : j->n) < 0)
        return -1;
    j->marked = NULL;
    j->generation++;
    return 0;
}

int journal_truncate(struct journal *j, int64_t n)
{
    struct journal_chunk *c = j->first, *last = NULL;
    if (n >= j->n)
        return 0;
    if (j->frozen && n < j->frozen->n)
        return thaw(j, n);
    steps_cut(&j->steps, n);
    while (c && c->first <= n) {
        last = c;
        c = c->next;
    }
    for (struct journal_chunk *next; c; c = next) {
        next = c->next;
        j->bytes -= sizeof *c + c->cap;
        free(c);
    }
    j->n = n;
    j->last = last;
    if (!last) {
        j->first = NULL;
    } else {
        uint32_t at = 0, len;
        for (int64_t seq = last->first; seq <= n; seq++) {
            memcpy(&len, last->data + at, sizeof len);
            at += (uint32_t)sizeof len + len;
        }
        last->used = at;
        last->next = NULL;
    }
    journal_mark(j);
    return 0;
}

size_t journal_fresh(const struct journal *j, char *to)
{
    size_t sum = 0;
    if (j->cut && !j->marked) {
        if (to)
            journal_pack_cut(j->cut, to);
        sum = JOURNAL_PACKED_CUT;
    }
    for (const struct journal_chunk *c = j->marked ? j->marked : j->first; c; c = c->next) {
        uint32_t from = c == j->marked ? j->marked_at : 0;
        if (to)
            memcpy(to + sum, c->data + from, c->used - from);
        sum += c->used - from;
    }
    return sum;
}

void journal_mark(struct journal *j)
{
    j->marked = j->last;
    j->marked_at = j->last ? j->last->used : 0;
}

void journal_pack_cut(const struct journal_cut *cut, char to[JOURNAL_PACKED_CUT])
{
    /* As an entry whose first byte is none of an entry's. */
    uint32_t n = JOURNAL_PACKED_CUT - sizeof n;
    memcpy(to, &n, sizeof n);
    to[4] = 0;
    memcpy(to + 5, &cut->first, sizeof cut->first);
    memcpy(to + 5 + sizeof cut->first, cut->link, sizeof cut->link);
}

/* 0; 1: it is not well formed; -1. */
static int take_packed_cut(struct journal *j, const char *data, size_t len)
{
    struct journal_cut cut;
    if (len != JOURNAL_PACKED_CUT - sizeof(uint32_t))
        return 1;
    memcpy(&cut.first, data + 1, sizeof cut.first);
    memcpy(cut.link, data + 1 + sizeof cut.first, sizeof cut.link);
    if (j->first || j->frozen || cut.first <= j->base || cut.first == INT64_MAX)
        return 1;
    return journal_begin_cut(j, &cut);
}

int journal_append_packed(struct journal *j, const char *data, size_t len, int (*past)(void *arg),
                          void *arg)
{
    for (size_t at = 0; at < len;) {
        uint32_t n;
        if (len - at < sizeof n)
            return 1;
        memcpy(&n, data + at, sizeof n);
        at += sizeof n;
        if (n > len - at)
            return 1;
        int rc = !n         ? past ? past(arg) : 0
                 : data[at] ? journal_append(j, data + at, n)
                            : take_packed_cut(j, data + at, n);
        if (rc)
            return rc;
        at += n;
    }
    return 0;
}

/* ---- reading ---- */

struct reading {
    int64_t after, limit;
    journal_known_fn *fn;
    void *arg;
    bool enough;
};

static int read_chunks(struct reading *r, const struct journal_chunk *c, int64_t last)
{
    for (; c && c->first <= last; c = c->next) {
        if (c->next && c->next->first <= r->after + 1)
            continue;
        int64_t seq = c->first;
        for (uint32_t at = 0; at < c->used && seq <= last; seq++) {
            uint32_t len;
            memcpy(&len, c->data + at, sizeof len);
            if (seq > r->after) {
                if (r->limit-- <= 0) {
                    r->enough = true;
                    return 0;
                }
                struct journal_known known;
                memcpy(&known, known_at(c, (uint64_t)(seq - c->first)), sizeof known);
                int rc = r->fn(r->arg, seq, c->data + at + sizeof len, len, &known);
                if (rc)
                    return rc;
            }
            at += (uint32_t)sizeof len + len;
        }
    }
    return 0;
}

/* Of its own chunks one that is not behind the entry after `after`: what is asked for most are the
 * last ones. */
static const struct journal_chunk *begin_near(const struct journal *j, int64_t after)
{
    const struct journal_chunk *c = j->last;
    if (!c || j->n - after > after - j->first->first)
        return j->first;
    while (c->prev && c->first > after + 1)
        c = c->prev;
    return c;
}

int journal_each_known(const struct journal_past *past, const struct journal *j, int64_t after,
                       int64_t last, int64_t limit, journal_known_fn *fn, void *arg)
{
    struct reading r = {.after = after, .limit = limit, .fn = fn, .arg = arg};
    const struct journal_past *top = top_of(past, j), *p;
    size_t n = 0;
    int rc = 0;
    if (after >= last)
        return 0;
    for (p = top; p && (!n || p->n > after); p = before(p))
        n++;
    struct {
        const struct journal_past *past;
        int64_t last;
    } *list = n ? malloc(n * sizeof *list) : NULL;
    if (n && !list)
        return -1;
    size_t k = n;
    int64_t end = last;
    for (p = top; k; p = before(p)) {
        end = p->n < end ? p->n : end;
        list[--k].past = p;
        list[k].last = end;
    }
    for (; k < n && rc == 0 && !r.enough; k++)
        rc = read_chunks(&r, list[k].past->first, list[k].last);
    free(list);
    return rc || r.enough || !j ? rc : read_chunks(&r, begin_near(j, after), last);
}

struct without_known {
    int (*fn)(void *arg, int64_t seq, const char *entry, size_t len);
    void *arg;
};

static int call_without(void *arg, int64_t seq, const char *entry, size_t len,
                        const struct journal_known *known)
{
    const struct without_known *w = arg;
    (void)known;
    return w->fn(w->arg, seq, entry, len);
}

int journal_each_of(const struct journal_past *past, const struct journal *j, int64_t after,
                    int64_t last, int64_t limit,
                    int (*fn)(void *arg, int64_t seq, const char *entry, size_t len), void *arg)
{
    struct without_known w = {fn, arg};
    return journal_each_known(past, j, after, last, limit, call_without, &w);
}

int journal_each(const struct journal *j, int64_t after, int64_t limit,
                 int (*fn)(void *arg, int64_t seq, const char *entry, size_t len), void *arg)
{
    return journal_each_of(NULL, j, after > j->base ? after : j->base, INT64_MAX, limit, fn, arg);
}

/* ---- what is gone ---- */

uint64_t journal_size(const struct journal *j)
{
    return j->frozen_bytes + j->bytes;
}

const struct journal_cut *journal_cut_of(const struct journal_past *past, const struct journal *j)
{
    if (j && j->cut)
        return j->cut;
    const struct journal_past *p = top_of(past, j);
    while (p && !p->cut)
        p = p->before;
    return p ? p->cut : NULL;
}

int64_t journal_first(const struct journal_past *past, const struct journal *j)
{
    const struct journal_cut *cut = journal_cut_of(past, j);
    return cut ? cut->first : 1;
}

int journal_begin_cut(struct journal *j, const struct journal_cut *cut)
{
    struct journal_cut *own = malloc(sizeof *own);
    if (!own)
        return -1;
    *own = *cut;
    free(j->cut);
    j->cut = own;
    j->n = cut->first - 1;
    return 0;
}

static int chain_one(void *arg, int64_t seq, const char *entry, size_t len)
{
    (void)seq;
    chain_add(arg, entry, len);
    return 0;
}

/* The link of the chain before a chunk of its own. */
static int link_before(const struct journal *j, const struct journal_past *past,
                       const struct journal_chunk *c, uint8_t ret[CHAIN_LINK])
{
    const struct journal_cut *cut = journal_cut_of(past, j);
    struct chain chain;
    int rc = chain_open(&chain, NULL);
    if (rc == 0) {
        if (cut)
            memcpy(chain.link, cut->link, sizeof cut->link);
        rc = journal_each_of(past, j, 0, c->first - 1, INT64_MAX, chain_one, &chain);
        memcpy(ret, chain.link, sizeof chain.link);
    }
    chain_close(&chain);
    return rc < 0 ? -1 : 0;
}

int journal_cut_oldest(struct journal *j, const struct journal_past *past, uint64_t keep)
{
    struct journal_cut cut;
    struct journal_chunk *c;
    if (j->frozen && thaw(j, j->n) < 0)
        return -1;
    uint64_t left = j->bytes;
    for (c = j->first; c && c->next && left > keep; c = c->next)
        left -= sizeof *c + c->cap;
    if (c == j->first)
        return 0;
    cut.first = c->first;
    if (link_before(j, past, c, cut.link) < 0)
        return -1;
    int64_t n = j->n;
    if (journal_begin_cut(j, &cut) < 0)
        return -1;
    j->n = n;
    for (struct journal_chunk *next; j->first != c; j->first = next) {
        next = j->first->next;
        free(j->first);
    }
    c->prev = NULL;
    j->bytes = left;
    j->marked = NULL;
    j->generation++;
    return 0;
}

/* ---- what is shared ---- */

struct journal_past *journal_past_ref(struct journal_past *p)
{
    if (p)
        atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
    return p;
}

void journal_past_unref(struct journal_past *p)
{
    while (p && atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) == 1) {
        struct journal_past *before = p->before;
        chunks_free(p->first);
        steps_done(&p->steps);
        step_done(&p->begin);
        free(p->cut);
        store_count(p->store, -(int64_t)p->bytes);
        free(p);
        p = before;
    }
}

int64_t journal_past_n(const struct journal_past *p)
{
    return p ? p->n : 0;
}

int journal_freeze(struct journal *j, struct journal_past *past, const struct step *begin,
                   const struct step *now, struct store *store, struct journal_past **ret)
{
    if (!j || (!j->first && !j->cut)) {
        *ret = journal_past_ref(j && j->frozen ? j->frozen : past);
        return 0;
    }
    struct journal_past *p = malloc(sizeof *p);
    if (!p)
        return -1;
    const struct step *last = steps_newest(&j->steps);
    if (now->tree.base && (!last || last->seq < now->seq)) {
        struct step step;
        step_copy(now, &step);
        journal_keep_step(j, &step);
    }
    *p = (struct journal_past){.refs = 2, /* the journal's and the caller's */
                               .before = j->frozen ? j->frozen : journal_past_ref(past),
                               .first = j->first,
                               .n = j->n,
                               .bytes = j->bytes + sizeof *p,
                               .store = store,
                               .steps = j->steps,
                               .cut = j->cut};
    if (!j->frozen && begin)
        step_copy(begin, &p->begin);
    store_count(store, (int64_t)p->bytes);
    j->frozen = p;
    j->frozen_bytes += j->bytes;
    j->frozen_steps += j->steps.n;
    j->frozen_step_bytes += j->steps.bytes;
    j->cut = NULL;
    j->first = j->last = j->marked = NULL;
    j->bytes = 0;
    j->steps = (struct steps){0};
    *ret = p;
    return 0;
}

struct journal_past *journal_past_until(struct journal_past *past, int64_t seq, bool *failed)
{
    while (past && past->before && past->before->n >= seq)
        past = past->before;
    if (!past || seq <= 0)
        return NULL;
    if (past->n <= seq)
        return journal_past_ref(past);
    struct journal_past *p = malloc(sizeof *p);
    if (!p) {
        *failed = true;
        return NULL;
    }
    *p = (struct journal_past){
        .refs = 1, .before = journal_past_ref(past), .n = seq, .store = past->store};
    return p;
}
