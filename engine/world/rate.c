/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/rate.h"
#include "engine/text/civil.h"
#include <inttypes.h>
#include <stdlib.h>

enum { MAX_BUCKETS = 1024 };
#define MAX_USED (INT64_MAX / 2) /* no limit's units times its period are as many */

struct rate_bucket {
    uint64_t key;
    int64_t used; /* units times the period: whole numbers, whatever the limit */
    int64_t at_us;
    bool unnoted; /* taken from by calls that have no entry */
};

struct rates {
    uint32_t n, cap;
    struct rate_bucket list[];
};

static struct rate_bucket *find(const struct world *w, uint64_t key)
{
    struct rates *r = w->extra ? w->extra->rates : NULL;
    for (uint32_t i = 0; r && i < r->n; i++)
        if (r->list[i].key == key)
            return &r->list[i];
    return NULL;
}

/* What is used now of what was used then. */
static int64_t used_now(const struct rate_bucket *b, int64_t limit, int64_t period_us,
                        int64_t now_us)
{
    if (!b || now_us < b->at_us) /* a clock that was set back begins anew */
        return 0;
    int64_t gone = now_us - b->at_us;
    if (gone >= period_us)
        return 0;
    return b->used > gone * limit ? b->used - gone * limit : 0;
}

int64_t rate_wait(const struct world *w, uint64_t key, int64_t limit, int64_t period_us,
                  int64_t cost, int64_t now_us)
{
    int64_t used = used_now(find(w, key), limit, period_us, now_us);
    if (cost > limit)
        return period_us;
    int64_t over = used + cost * period_us - limit * period_us;
    return over <= 0 ? 0 : (over + limit - 1) / limit;
}

static struct rates *grow(struct world_extra *x)
{
    uint32_t n = x->rates ? x->rates->n : 0, cap = n ? 2 * n : 8;
    struct rates *r = realloc(x->rates, sizeof *r + cap * sizeof *r->list);
    if (!r)
        return NULL;
    r->n = n;
    r->cap = cap;
    return x->rates = r;
}

/* A place for a new bucket; of too many, that of the least recently used one. */
static struct rate_bucket *place(struct world *w)
{
    struct world_extra *x = world_extra(w);
    struct rates *r = x ? x->rates : NULL;
    if (!x)
        return NULL;
    if (!r || (r->n == r->cap && r->n < MAX_BUCKETS))
        r = grow(x);
    if (!r)
        return NULL;
    if (r->n < r->cap && r->n < MAX_BUCKETS)
        return &r->list[r->n++];
    struct rate_bucket *oldest = &r->list[0];
    for (uint32_t i = 1; i < r->n; i++)
        if (r->list[i].at_us < oldest->at_us)
            oldest = &r->list[i];
    return oldest;
}

void rate_take(struct world *w, uint64_t key, int64_t limit, int64_t period_us, int64_t cost,
               int64_t now_us)
{
    struct rate_bucket *b = find(w, key);
    int64_t used = used_now(b, limit, period_us, now_us) + cost * period_us;
    if (!b)
        b = place(w);
    if (b)
        *b = (struct rate_bucket){.key = key, .used = used, .at_us = now_us, .unnoted = true};
}

void rate_copy(struct world *to, const struct world *from)
{
    const struct rates *r = from->extra ? from->extra->rates : NULL;
    struct world_extra *x = r ? world_extra(to) : NULL;
    if (!x)
        return;
    x->rates = malloc(sizeof *r + r->cap * sizeof *r->list);
    if (x->rates)
        memcpy(x->rates, r, sizeof *r + r->n * sizeof *r->list);
}

void rate_clear(struct world *w)
{
    if (w->extra) {
        free(w->extra->rates);
        w->extra->rates = NULL;
    }
}

void rate_begin(struct world *w)
{
    struct world_extra *x = world_extra(w);
    rate_clear(w);
    if (x)
        (void)grow(x);
}

static void write_bucket(struct buf *b, const struct rate_bucket *bucket)
{
    buf_printf(b, "%016" PRIx64 " %" PRId64 " %" PRId64 ";", bucket->key, bucket->used,
               bucket->at_us);
}

int rate_save(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into meta (key, value) values ('rates', :value)");
    const struct rates *r = tx->world->extra ? tx->world->extra->rates : NULL;
    struct buf b;
    if (!r || !r->n)
        return 0;
    buf_init(&b, 0);
    for (uint32_t i = 0; i < r->n; i++)
        write_bucket(&b, &r->list[i]);
    int rc = buf_failed(&b) ? sosia_fail_memory(tx->err) : TX_RUN(tx, &q, buf_str(&b));
    buf_done(&b);
    return rc;
}

/* As write_bucket() wrote it, in time by its own length; a world from a file may have others. */
static bool read_bucket(const char **p, struct rate_bucket *ret)
{
    char *at;
    ret->key = strtoull(*p, &at, 16);
    if (at == *p || *at != ' ')
        return false;
    ret->used = strtoll(at, &at, 10);
    if (*at != ' ')
        return false;
    ret->at_us = strtoll(at, &at, 10);
    if (*at != ';')
        return false;
    *p = at + 1;
    ret->unnoted = false;
    return ret->used >= 0 && ret->used <= MAX_USED && ret->at_us >= TIME_FIRST_US &&
           ret->at_us <= TIME_LAST_US;
}

void rate_set(struct world *w, const char *text)
{
    struct rate_bucket b;
    for (int i = 0; i < MAX_BUCKETS && read_bucket(&text, &b); i++) {
        struct rate_bucket *to = find(w, b.key);
        if (!to)
            to = place(w);
        if (to)
            *to = b;
    }
}

int rate_load(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select value from meta where key = 'rates'");
    struct world *w = tx->world;
    if (w->extra && w->extra->rates)
        return 0;
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    int r = TX_STEP(tx, st);
    if (r != 1)
        return r;
    const char *text = (const char *)sqlite3_column_text(st, 0);
    if (text)
        rate_set(w, text);
    sql_done(st);
    /* Which of them calls without entries have taken from is not kept. */
    struct rates *x = w->extra ? w->extra->rates : NULL;
    for (uint32_t i = 0; x && i < x->n; i++)
        x->list[i].unnoted = true;
    return 0;
}

/* ---- for the journal ---- */

const char *rate_unnoted(const struct world *w, struct arena *a)
{
    const struct rates *r = w->extra ? w->extra->rates : NULL;
    struct buf b;
    buf_init(&b, 0);
    for (uint32_t i = 0; r && i < r->n; i++)
        if (r->list[i].unnoted)
            write_bucket(&b, &r->list[i]);
    const char *text = b.len ? arena_strdup(a, buf_str(&b)) : "";
    buf_done(&b);
    return text;
}

void rate_noted(struct world *w)
{
    struct rates *r = w->extra ? w->extra->rates : NULL;
    for (uint32_t i = 0; r && i < r->n; i++)
        r->list[i].unnoted = false;
}
