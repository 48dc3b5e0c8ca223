/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions on worlds: begin, end in memory, and the ids that belong to them. */
#include "engine/world/number.h"
#include "engine/store/scan.h"
#include "engine/world/engine.h"
#include "engine/world/places.h"
#define XXH_INLINE_ALL
#include <gnutls/crypto.h>
#include <stdlib.h>
#include <xxhash.h>

const char *tx_string(struct tx *tx, sqlite3_stmt *st, int at)
{
    const char *s = (const char *)sqlite3_column_text(st, at);
    return s ? arena_memdup(tx->arena, s, (size_t)sqlite3_column_bytes(st, at)) : NULL;
}

void tx_remember(struct tx *tx, const void *kind, int64_t id, const void *value, size_t size)
{
    struct tx_memo *m = tx->memo;
    if (!m || m->arena != tx->arena || tx->write)
        return;
    unsigned i = m->n % SOSIA_LEN(m->known);
    if (m->known[i].size < size) {
        void *room = arena_alloc(tx->arena, size);
        if (arena_failed(tx->arena))
            return;
        m->known[i].value = room;
        m->known[i].size = size;
    }
    memcpy(m->known[i].value, value, size);
    m->known[i].kind = kind;
    m->known[i].id = id;
    m->n++;
}

const char *tx_numbered(struct tx *tx, const char *word, int64_t n)
{
    char digits[24], *p = digits + sizeof digits - 1;
    uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    *p = 0;
    do {
        *--p = (char)('0' + left % 10);
    } while (left /= 10);
    if (n < 0)
        *--p = '-';
    return tx_named(tx, word, p);
}

const char *tx_named(struct tx *tx, const char *word, const char *name)
{
    size_t len = strlen(word), size = strlen(name) + 1;
    char *text = arena_alloc(tx->arena, len + 1 + size);
    memcpy(text, word, len);
    text[len] = ' ';
    memcpy(text + len + 1, name, size);
    return text;
}

int tx_begin(struct tx *tx, struct sosia_engine *e, struct world *w, struct worker *k, bool write,
             int64_t now_us, struct sosia_err *err)
{
    *tx = (struct tx){.engine = e,
                      .world = w,
                      .db = k->slot,
                      .arena = &k->arena,
                      .now_us = now_us,
                      .err = err,
                      .write = write,
                      .taken = &k->taken,
                      .n_short = buf_short()};
    k->taken.n = 0;
    k->taken.follows = write && k->taken.last.world == w->id && k->taken.last.version == w->version;
    if (w->flags & WORLD_BROKEN)
        return tx_fail(tx, SOSIA_E_IO, NULL, NULL, "the world's store has failed");
    stop_in_world(w->id);
    if (stop_wanted())
        return stop_fail(err);
    slot_point(k->slot, &w->now, w->id, &w->version);
    slot_set_time(k->slot, now_us);
    slot_want_sum(k->slot, write && world_journal_mode(w) != SOSIA_JOURNAL_NONE);
    slot_want_back(k->slot, write && world_wants_back(w));
    if (slot_begin(k->slot, write, err) < 0) {
        slot_leave(k->slot);
        return -1;
    }
    return 0;
}

/* The next transaction of this worker is mostly one on the same world, and asks for the same kinds
 * of numbers: it need not ask the table, as long as nobody else has made another version. */
static void keep_taken(struct tx *tx)
{
    struct tx_taken *t = tx->taken;
    struct tx_place *list = t->last.list;
    uint32_t cap = t->last.cap;
    t->last.list = t->list;
    t->last.n = t->n;
    t->last.cap = t->cap;
    t->last.world = tx->world->id;
    t->last.version = tx->world->version;
    t->list = list;
    t->cap = cap;
    t->n = 0;
}

/* What the world is notified of behind a commit. */
static void world_wrote(struct tx *tx, uint64_t before)
{
    struct world *w = tx->world;
    world_step_back(w, tx->db, before);
    w->written += slot_sum(tx->db);
    world_set_replaced(w, world_replaced(w) + slot_replaced(tx->db));
    if (tx->taken->n && !tx->undone && world_journal_mode(w) != SOSIA_JOURNAL_NONE)
        places_took(w, tx->fired, tx->taken->list, tx->taken->n);
    keep_taken(tx);
}

int tx_publish(struct tx *tx)
{
    int rc = tx_do_later(tx);
    uint64_t before = tx->world->version;
    if (rc == 0 && tx->write && !tx->undone && tx_is_short(tx))
        rc = sosia_fail_memory(tx->err);
    if (rc == 0 && tx->write && stop_wanted())
        rc = stop_fail(tx->err);
    if (rc == 0)
        rc = slot_commit(tx->db, tx->err);
    if (rc < 0)
        slot_rollback(tx->db);
    else if (tx->write)
        world_wrote(tx, before);
    slot_leave(tx->db);
    return rc;
}

void tx_rollback(struct tx *tx)
{
    slot_rollback(tx->db);
    slot_leave(tx->db);
}

/* What it has taken of a kind, perhaps nothing yet. -1 without memory; *ret NULL: nothing is kept
 * of the kind. */
static int taken_of(struct tx *tx, const char *kind, struct tx_place **ret)
{
    struct tx_taken *t = tx->taken;
    size_t len = strlen(kind);
    *ret = NULL;
    for (uint32_t i = 0; i < t->n; i++)
        if (strcmp(t->list[i].kind, kind) == 0) {
            *ret = &t->list[i];
            return 0;
        }
    if (len > PLACE_KIND_MAX)
        return 0;
    if (t->n == t->cap) {
        uint32_t cap = t->cap ? t->cap * 2 : 8;
        struct tx_place *list = realloc(t->list, cap * sizeof *list);
        if (!list)
            return sosia_fail_memory(tx->err);
        t->list = list;
        t->cap = cap;
    }
    struct tx_place *new = &t->list[t->n++];
    *new = (struct tx_place){0};
    memcpy(new->kind, kind, len + 1);
    for (uint32_t i = 0; t->follows && i < t->last.n; i++) {
        const struct tx_place *p = &t->last.list[i];
        if (!p->known || strcmp(p->kind, kind) != 0)
            continue;
        new->known = true;
        new->last = p->last;
        new->stored = p->stored;
        break;
    }
    *ret = new;
    return 0;
}

struct tx_mark {
    struct tx tx;
    struct tx_place *list;
    uint32_t n;
};

struct tx_mark *tx_mark(struct tx *tx)
{
    struct tx_mark *mark = arena_alloc(tx->arena, sizeof *mark);
    uint32_t n = tx->taken->n;
    *mark = (struct tx_mark){*tx, arena_alloc(tx->arena, (n + 1) * sizeof *mark->list), n};
    if (n && !arena_failed(tx->arena))
        memcpy(mark->list, tx->taken->list, n * sizeof *mark->list);
    return mark;
}

void tx_back(struct tx *tx, const struct tx_mark *mark)
{
    *tx = mark->tx;
    tx->taken->n = mark->n;
    if (mark->n)
        memcpy(tx->taken->list, mark->list, mark->n * sizeof *mark->list);
    tx->taken->follows = false; /* the table may have got numbers since */
    if (tx->last_event)
        tx->last_event->next = NULL;
}

/* 0; 1: the entry that runs again has no number of the kind left. */
static int number_behind(struct tx *tx, struct tx_place *p, bool ordered, int64_t last,
                         int64_t *ret)
{
    *ret = last + 1;
    if (p && tx->world->flags & WORLD_REPLAY &&
        !places_number(tx->world, tx->fired, p->kind, ordered, last, p->n, ret))
        return 1;
    if (p && !p->n++)
        p->from = *ret - 1;
    return 0;
}

int tx_counted(struct tx *tx, const char *kind, int64_t last, int64_t *ret)
{
    struct tx_place *p;
    return taken_of(tx, kind, &p) < 0 ? -1 : number_behind(tx, p, true, last, ret);
}

/* The last number that the table has: 1, 0 none, -1. */
static int stored_number(struct tx *tx, const char *kind, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select n from id_stream where kind = :kind");
    static struct record_text table = INDEX_TEXT("id_stream", "n");
    struct scan s;
    int r = TX_SCAN(tx, &table, SCAN_FROM, 1, &s, kind) == 1 ? scan_next(&s) : -1;
    if (r < 0)
        return TX_INT(tx, &q, ret, kind);
    if (r)
        *ret = record_int(&s.entry, 0);
    return r;
}

/* In a table without rowids and other indexes the row is written over in its place, without being
 * looked for before. */
static int store_number(struct tx *tx, const char *kind, int64_t n)
{
    static struct sql_text q = SQL_TEXT("replace into id_stream (kind, n) values (:kind, :n)");
    return TX_RUN(tx, &q, kind, n);
}

/* A statement for all numbers of a kind, in the order in which they were first asked for. */
static int store_numbers(struct tx *tx)
{
    for (uint32_t i = 0; i < tx->taken->n; i++) {
        struct tx_place *p = &tx->taken->list[i];
        /* Of a kind that was asked for and has no number (0) there is no row. */
        if (!p->known || p->last == p->stored || !p->last)
            continue;
        if (store_number(tx, p->kind, p->last) < 0)
            return -1;
        p->stored = p->last;
    }
    return 0;
}

/* Asks the table, if it was not asked before. */
static int know_number(struct tx *tx, struct tx_place *p)
{
    int64_t last = 0;
    int r = p->known ? 0 : stored_number(tx, p->kind, &last);
    if (p->known || r < 0)
        return r;
    p->known = true;
    p->last = last;
    p->stored = r ? last : -1;
    return 0;
}

int tx_savepoint(struct tx *tx)
{
    return store_numbers(tx) < 0 ? -1 : slot_savepoint(tx->db, tx->err);
}

int tx_rollback_to(struct tx *tx, struct sosia_err *err)
{
    for (uint32_t i = 0; i < tx->taken->n; i++)
        tx->taken->list[i].known = false;
    tx->taken->follows = false;
    return slot_rollback_to(tx->db, err);
}

int tx_last_number(struct tx *tx, const char *kind, int64_t *ret)
{
    for (uint32_t i = 0; i < tx->taken->n; i++) {
        const struct tx_place *p = &tx->taken->list[i];
        if (strcmp(p->kind, kind) != 0 || !p->known)
            continue;
        if (p->stored < 0 && !p->last)
            return 0;
        *ret = p->last;
        return 1;
    }
    return stored_number(tx, kind, ret);
}

/* 0; 1: as above. */
static int next_number(struct tx *tx, const char *kind, bool ordered, int64_t *ret)
{
    struct tx_place *p;
    int64_t number;
    if (taken_of(tx, kind, &p) < 0)
        return -1;
    if (!p) {
        int64_t last = 0;
        int r = stored_number(tx, kind, &last);
        number = last + 1;
        *ret = number;
        return r < 0 || store_number(tx, kind, number) < 0 ? -1 : 0;
    }
    if (know_number(tx, p) < 0)
        return -1;
    if (number_behind(tx, p, ordered, p->last, &number))
        return 1;
    if (number > p->last)
        p->last = number;
    *ret = number;
    return 0;
}

int tx_number(struct tx *tx, const char *kind, int64_t *ret)
{
    return next_number(tx, kind, true, ret);
}

/* Where the numbers begin that no entry has. */
#define BEYOND (INT64_C(1) << 56)

/* The number that an id is made of. */
static int id_number(struct tx *tx, const char *kind, int64_t *ret)
{
    int r = next_number(tx, kind, false, ret);
    if (r <= 0)
        return r;
    if (next_number(tx, tx_named(tx, "beyond", kind), true, ret) < 0)
        return -1;
    *ret += BEYOND;
    return 0;
}

int tx_id_within(struct tx *tx, const char *kind, const char *whole, void *ret_bytes, size_t n)
{
    int64_t number;
    if (id_number(tx, kind, &number) < 0)
        return -1;
    uint64_t key = XXH3_64bits_withSeed(kind, strlen(kind), tx->world->seed);
    if (whole)
        key = XXH3_64bits_withSeed(whole, strlen(whole), key);
    for (size_t done = 0; done < n; number += INT64_C(1) << 32) {
        XXH128_hash_t h = XXH3_128bits_withSeed(&number, sizeof number, key);
        size_t take = n - done < sizeof h ? n - done : sizeof h;
        memcpy((char *)ret_bytes + done, &h, take);
        done += take;
    }
    return 0;
}

int tx_id(struct tx *tx, const char *kind, void *ret_bytes, size_t n)
{
    return tx_id_within(tx, kind, NULL, ret_bytes, n);
}

/* What a secret is made of besides the world's: how much of it is behind this, and where in the
 * stream of its kind it is (0: in none). */
struct secret_head {
    int64_t number;
    uint64_t seed, block, kind_len, name_len;
};

static int make_secret(struct tx *tx, const char *kind, const char *name, int64_t number,
                       void *ret_bytes, size_t n)
{
    const struct world_secret *secret = world_secret_own(tx->world);
    struct secret_head head = {.number = number,
                               .seed = number ? tx->world->seed : 0,
                               .kind_len = strlen(kind),
                               .name_len = name ? strlen(name) : 0};
    size_t len = sizeof head + head.kind_len + head.name_len;
    uint8_t *text = arena_alloc(tx->arena, len), digest[32];
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    memcpy(text + sizeof head, kind, head.kind_len);
    if (name)
        memcpy(text + sizeof head + head.kind_len, name, head.name_len);
    for (size_t done = 0; done < n; head.block++) {
        size_t take = n - done < sizeof digest ? n - done : sizeof digest;
        memcpy(text, &head, sizeof head);
        if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, secret->key, sizeof secret->key, text, len,
                             digest) < 0)
            return sosia_fail_memory(tx->err);
        memcpy((char *)ret_bytes + done, digest, take);
        done += take;
    }
    return 0;
}

int tx_secret_within(struct tx *tx, const char *kind, const char *whole, void *ret_bytes, size_t n)
{
    int64_t number;
    return tx_number(tx, kind, &number) < 0 ? -1
                                            : make_secret(tx, kind, whole, number, ret_bytes, n);
}

int tx_secret_of(struct tx *tx, const char *kind, const char *name, void *ret_bytes, size_t n)
{
    return make_secret(tx, kind, name, 0, ret_bytes, n);
}

int tx_secret(struct tx *tx, const char *kind, void *ret_bytes, size_t n)
{
    return tx_secret_within(tx, kind, NULL, ret_bytes, n);
}

/* ---- what was put off ---- */

struct later {
    struct later *next;
    int (*fn)(struct tx *tx, void *arg);
    void *arg;
};

void tx_later(struct tx *tx, int (*fn)(struct tx *tx, void *arg), void *arg)
{
    struct later *new = arena_alloc(tx->arena, sizeof *new);
    if (arena_failed(tx->arena))
        return; /* the call fails for it */
    *new = (struct later){.next = tx->later, .fn = fn, .arg = arg};
    tx->later = new;
}

void *tx_later_arg(const struct tx *tx, int (*fn)(struct tx *tx, void *arg))
{
    const struct later *l = tx->later;
    while (l && l->fn != fn)
        l = l->next;
    return l ? l->arg : NULL;
}

int tx_do_later(struct tx *tx)
{
    while (tx->later) {
        struct later **oldest = &tx->later;
        while ((*oldest)->next)
            oldest = &(*oldest)->next;
        struct later *l = *oldest;
        *oldest = NULL;
        if (l->fn(tx, l->arg) < 0)
            return -1;
    }
    return tx->write ? store_numbers(tx) : 0; /* a call of calls has no transaction */
}
