/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/journal.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <stdatomic.h>
#include <stdlib.h>

struct journal_chunk {
    struct journal_chunk *next;
    uint32_t used, cap;
    int64_t first; /* number of its first entry */
    char data[];   /* entries: uint32_t length, text */
};

/* Without chunks it is the one before up to its n, which is smaller than that one's. */
struct journal_past {
    _Atomic(uint32_t) refs;
    struct journal_past *before;
    struct journal_chunk *first;
    int64_t n; /* number of its last entry */
    uint64_t bytes;
    struct store *store;
    struct steps steps;
    struct step begin; /* the state that its first entry found, where a world began */
};

/* ---- steps ---- */

void step_done(struct step *s)
{
    tree_done(&s->tree);
}

void step_copy(const struct step *from, struct step *ret)
{
    *ret = *from;
    if (from->tree.base)
        tree_fork(&from->tree, &ret->tree);
}

static void steps_done(struct steps *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        step_done(&s->list[s->first + i]);
    free(s->list);
    *s = (struct steps){0};
}

static bool steps_room(struct steps *s)
{
    if (s->first + s->n < s->cap)
        return true;
    if (s->first > s->cap / 2) {
        memmove(s->list, s->list + s->first, s->n * sizeof *s->list);
        s->first = 0;
        return true;
    }
    uint32_t cap = s->cap ? s->cap * 2 : 8;
    struct step *list = realloc(s->list, cap * sizeof *list);
    if (!list)
        return false;
    s->list = list;
    s->cap = cap;
    return true;
}

static void drop_oldest(struct steps *s)
{
    step_done(&s->list[s->first]);
    s->first = --s->n ? s->first + 1 : 0;
}

void journal_keep_step(struct journal *j, struct step *step, uint32_t max)
{
    struct steps *s = &j->steps;
    while (s->n && s->n >= max)
        drop_oldest(s);
    if (!max || !steps_room(s)) {
        step_done(step);
        return;
    }
    s->list[s->first + s->n++] = *step;
}

void journal_drop_steps(struct journal *j)
{
    steps_done(&j->steps);
}

/* The latest one at or before an entry; NULL. */
static const struct step *steps_find(const struct steps *s, int64_t seq)
{
    if (!s->n)
        return NULL;
    const struct step *list = s->list + s->first;
    uint32_t from = 0, to = s->n;
    while (from < to) {
        uint32_t mid = from + (to - from) / 2;
        if (list[mid].seq <= seq)
            from = mid + 1;
        else
            to = mid;
    }
    return from ? &list[from - 1] : NULL;
}

bool journal_find_step(const struct journal_past *past, const struct journal *j,
                       const struct step *begin, int64_t seq, struct step *ret)
{
    const struct step *found = j ? steps_find(&j->steps, seq) : NULL;
    for (const struct journal_past *p = j && j->frozen ? j->frozen : past; !found && p;
         p = p->before) {
        if (p == past && begin && begin->seq <= seq)
            found = begin;
        else if (!(found = steps_find(&p->steps, seq)) && p->begin.tree.base && p->begin.seq <= seq)
            found = &p->begin;
    }
    if (!found && begin && begin->seq <= seq)
        found = begin;
    if (!found || !found->tree.base)
        return false;
    step_copy(found, ret);
    return true;
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
    for (p = j->frozen; p && p->n > j->base; p = p->before)
        n++;
    const struct journal_past **list = n ? malloc(n * sizeof *list) : NULL;
    if (n && !list)
        return -1;
    size_t k = n;
    for (p = j->frozen; k; p = p->before)
        list[--k] = p;
    for (; k < n; k++)
        each_step(&list[k]->steps, fn, arg);
    free(list);
    each_step(&j->steps, fn, arg);
    return 0;
}

/* ---- entries ---- */

int journal_append(struct journal *j, const char *entry, size_t len)
{
    size_t need = len + sizeof(uint32_t);
    struct journal_chunk *c = j->last;
    if (len > UINT32_MAX / 2)
        return -1;
    if (!c || c->cap - c->used < need) {
        /* Chunks double, so that a world with three entries is small and one with many has few
         * chunks. */
        size_t cap = c ? (size_t)c->cap * 2 : 1024;
        if (cap > 256 * 1024)
            cap = 256 * 1024;
        if (cap < need)
            cap = need;
        c = malloc(sizeof *c + cap);
        if (!c)
            return -1;
        *c = (struct journal_chunk){.cap = (uint32_t)cap, .first = j->n + 1};
        if (j->last)
            j->last->next = c;
        else
            j->first = c;
        j->last = c;
        j->bytes += sizeof *c + cap;
    }
    uint32_t n = (uint32_t)len;
    memcpy(c->data + c->used, &n, sizeof n);
    memcpy(c->data + c->used + sizeof n, entry, len);
    c->used += (uint32_t)need;
    j->n++;
    return 0;
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
    *j = (struct journal){
        .base = j->base, .n = j->base, .generation = j->generation + 1, .counted = j->counted};
}

static int append_copy(void *arg, int64_t seq, const char *entry, size_t len)
{
    (void)seq;
    return journal_append(arg, entry, len);
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
    journal_keep_step(k->j, &copy, UINT32_MAX);
}

/* Its frozen entries and those behind them are its own again, up to n. */
static int thaw(struct journal *j, int64_t n)
{
    struct journal own = {.base = j->base, .n = j->base, .generation = j->generation};
    struct keeping k = {.j = &own, .until = n};
    own.counted = j->counted;
    if (journal_each(j, j->base, n - j->base, append_copy, &own) < 0 ||
        journal_each_step(j, keep_until, &k) < 0) {
        own.counted = 0;
        journal_clear(&own);
        return -1;
    }
    chunks_free(j->first);
    journal_past_unref(j->frozen);
    steps_done(&j->steps);
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

static void cut_steps(struct journal *j, int64_t n)
{
    struct steps *s = &j->steps;
    while (s->n && s->list[s->first + s->n - 1].seq > n)
        step_done(&s->list[s->first + --s->n]);
}

int journal_truncate(struct journal *j, int64_t n)
{
    struct journal_chunk *c = j->first, *last = NULL;
    if (n >= j->n)
        return 0;
    if (j->frozen && n < j->frozen->n)
        return thaw(j, n);
    cut_steps(j, n);
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
        if ((n ? journal_append(j, data + at, n) : past ? past(arg) : 0) < 0)
            return -1;
        at += n;
    }
    return 0;
}

/* ---- reading ---- */

struct reading {
    int64_t after, limit;
    int (*fn)(void *arg, int64_t seq, const char *entry, size_t len);
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
                int rc = r->fn(r->arg, seq, c->data + at + sizeof len, len);
                if (rc)
                    return rc;
            }
            at += (uint32_t)sizeof len + len;
        }
    }
    return 0;
}

int journal_each_of(const struct journal_past *past, const struct journal *j, int64_t after,
                    int64_t last, int64_t limit,
                    int (*fn)(void *arg, int64_t seq, const char *entry, size_t len), void *arg)
{
    struct reading r = {.after = after, .limit = limit, .fn = fn, .arg = arg};
    const struct journal_past *top = j && j->frozen ? j->frozen : past, *p;
    size_t n = 0;
    int rc = 0;
    for (p = top; p && (!n || p->n > after); p = p->before)
        n++;
    struct {
        const struct journal_past *past;
        int64_t last;
    } *list = n ? malloc(n * sizeof *list) : NULL;
    if (n && !list)
        return -1;
    size_t k = n;
    int64_t end = last;
    for (p = top; k; p = p->before) {
        end = p->n < end ? p->n : end;
        list[--k].past = p;
        list[k].last = end;
    }
    for (; k < n && rc == 0 && !r.enough; k++)
        rc = read_chunks(&r, list[k].past->first, list[k].last);
    free(list);
    return rc || r.enough || !j ? rc : read_chunks(&r, j->first, last);
}

int journal_each(const struct journal *j, int64_t after, int64_t limit,
                 int (*fn)(void *arg, int64_t seq, const char *entry, size_t len), void *arg)
{
    return journal_each_of(NULL, j, after > j->base ? after : j->base, INT64_MAX, limit, fn, arg);
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
    struct journal_past *top = j && j->frozen ? j->frozen : past;
    if (!j || !j->first) {
        *ret = journal_past_ref(top);
        return 0;
    }
    struct journal_past *p = malloc(sizeof *p);
    if (!p)
        return -1;
    const struct step *newest = j->steps.n ? &j->steps.list[j->steps.first + j->steps.n - 1] : NULL;
    if (now->tree.base && (!newest || newest->seq < now->seq)) {
        struct step step;
        step_copy(now, &step);
        journal_keep_step(j, &step, UINT32_MAX);
    }
    *p = (struct journal_past){.refs = 2, /* the journal's and the caller's */
                               .before = j->frozen ? j->frozen : journal_past_ref(past),
                               .first = j->first,
                               .n = j->n,
                               .bytes = j->bytes + sizeof *p,
                               .store = store,
                               .steps = j->steps};
    if (!j->frozen && begin)
        step_copy(begin, &p->begin);
    store_count(store, (int64_t)p->bytes);
    j->frozen = p;
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

/* ---- bodies ---- */

void journal_digest(struct json_writer *w, const char *name, int64_t len, const char *kind,
                    const uint8_t *bytes, size_t n)
{
    char hex[65];
    hex_encode(hex, bytes, n);
    json_obj(w, name);
    json_int(w, "length", len);
    json_str(w, kind, hex);
    json_end(w);
}

const char *const journal_keeps[] = {"redacted", "full", "hashes", NULL};

void journal_write_keep(struct json_writer *w, enum journal_keep keep)
{
    if (keep != KEEP_REDACTED)
        json_str(w, "keep", journal_keeps[keep]);
}

void journal_body(struct json_writer *w, const char *name, const char *data, size_t len,
                  bool secret, enum journal_keep keep)
{
    if (!len)
        return;
    if (secret && keep != KEEP_FULL) {
        json_obj(w, name);
        json_int(w, "length", (int64_t)len);
        json_end(w);
        return;
    }
    if (len > (keep == KEEP_FULL ? JOURNAL_FULL_MAX : JOURNAL_BODY_MAX) || keep == KEEP_HASHES) {
        XXH128_canonical_t h;
        XXH128_canonicalFromHash(&h, XXH3_128bits(data, len));
        journal_digest(w, name, (int64_t)len, "xxh3", h.digest, sizeof h.digest);
    } else if (utf8_valid(data, len) && !memchr(data, 0, len)) { /* entries are read without NULs */
        json_strn(w, name, data, len);
    } else {
        struct buf b;
        buf_init(&b, 0);
        base64_add(&b, data, len);
        json_obj(w, name);
        json_strn(w, "base64", b.data ? b.data : "", b.len);
        json_end(w);
        buf_done(&b);
    }
}
