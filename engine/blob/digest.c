/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests of bytes as they come. MD5 takes longer than all else that is done with bytes that come
 * in: of many bytes it is computed by a thread of its own, which gets a copy of them piece by
 * piece, where the caller may use another processor beside its own.
 */
#include "engine/blob/impl.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

enum {
    ASIDE_FROM = 1 << 20, /* bytes after which a thread is worth its making */
    SLOTS = 8,            /* pieces that wait for it at most */
    MD5 = 1               /* its place in handles */
};

static const struct {
    unsigned bit;
    gnutls_digest_algorithm_t algorithm;
} digest_kinds[3] = {
    {BLOB_SHA256, GNUTLS_DIG_SHA256}, {BLOB_MD5, GNUTLS_DIG_MD5}, {BLOB_SHA1, GNUTLS_DIG_SHA1}};

/* ---- aside ---- */

struct digest_aside {
    pthread_t thread;
    gnutls_hash_hd_t hash; /* the thread's until it has ended */
    pthread_mutex_t lock;
    pthread_cond_t more, room;
    uint64_t put, taken; /* slots, under the lock */
    bool ended;          /* no more come; the same */
    bool full;           /* somebody waits for room; the same */
    size_t filled;       /* bytes in the slot after those that were put; the caller's */
    size_t n[SLOTS];
    uint8_t slots[SLOTS][BLOB_CHUNK];
};

static void *digest_slots(void *arg)
{
    struct digest_aside *a = arg;
    pthread_mutex_lock(&a->lock);
    for (;;) {
        while (a->taken == a->put && !a->ended)
            pthread_cond_wait(&a->more, &a->lock);
        if (a->taken == a->put)
            break;
        size_t slot = a->taken % SLOTS;
        pthread_mutex_unlock(&a->lock);
        gnutls_hash(a->hash, a->slots[slot], a->n[slot]);
        pthread_mutex_lock(&a->lock);
        a->taken++;
        if (a->full && a->put - a->taken <= SLOTS / 2) { /* not for each slot */
            a->full = false;
            pthread_cond_signal(&a->room);
        }
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

/* May this thread run on more than one processor? */
static bool has_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

static bool begin_thread(struct digest_aside *a)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's own threads */
    bool begun = pthread_create(&a->thread, NULL, digest_slots, a) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return begun;
}

static void free_aside(struct digest_aside *a)
{
    pthread_cond_destroy(&a->room);
    pthread_cond_destroy(&a->more);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

/* From here on MD5 is computed aside, if that can be. */
static void begin_aside(struct digester *d)
{
    struct digest_aside *a = has_processors() ? malloc(sizeof *a) : NULL;
    if (!a)
        return;
    a->hash = d->handles[MD5];
    a->put = a->taken = a->filled = 0;
    a->ended = a->full = false;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->more, NULL);
    pthread_cond_init(&a->room, NULL);
    if (begin_thread(a)) {
        d->aside = a;
        d->handles[MD5] = NULL;
    } else {
        free_aside(a);
    }
}

/* The slot that was filled is the thread's; the next one is free when this returns. */
static void put_slot(struct digest_aside *a)
{
    pthread_mutex_lock(&a->lock);
    a->n[a->put % SLOTS] = a->filled;
    if (a->put == a->taken)
        pthread_cond_signal(&a->more);
    a->put++;
    if (a->put - a->taken == SLOTS) {
        a->full = true;
        while (a->full)
            pthread_cond_wait(&a->room, &a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    a->filled = 0;
}

static void add_aside(struct digest_aside *a, const uint8_t *data, size_t n)
{
    while (n) {
        size_t part = BLOB_CHUNK - a->filled < n ? BLOB_CHUNK - a->filled : n;
        memcpy(a->slots[a->put % SLOTS] + a->filled, data, part);
        a->filled += part;
        data += part;
        n -= part;
        if (a->filled == BLOB_CHUNK)
            put_slot(a);
    }
}

/* Waits for the thread. The digester has its handle again. */
static void end_aside(struct digester *d)
{
    struct digest_aside *a = d->aside;
    if (a->filled)
        put_slot(a);
    pthread_mutex_lock(&a->lock);
    a->ended = true;
    pthread_cond_signal(&a->more);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    d->handles[MD5] = a->hash;
    d->aside = NULL;
    free_aside(a);
}

/* ---- all of them ---- */

int digester_init(struct digester *d, unsigned digests, struct sosia_err *err)
{
    *d = (struct digester){.sums = digests & (BLOB_QUICKXOR | BLOB_CRC32C)};
    for (size_t i = 0; i < SOSIA_LEN(digest_kinds); i++)
        if (((digests | BLOB_SHA256) & digest_kinds[i].bit) &&
            gnutls_hash_init(&d->handles[i], digest_kinds[i].algorithm) < 0) {
            d->handles[i] = NULL;
            digester_end(d, NULL);
            return sosia_fail_memory(err);
        }
    return 0;
}

void digester_add(struct digester *d, const void *data, size_t n)
{
    if (d->handles[MD5] && d->before_aside <= ASIDE_FROM) {
        d->before_aside += n;
        if (d->before_aside > ASIDE_FROM)
            begin_aside(d);
    }
    if (d->aside)
        add_aside(d->aside, data, n);
    for (size_t i = 0; i < SOSIA_LEN(digest_kinds); i++)
        if (d->handles[i])
            gnutls_hash(d->handles[i], data, n);
    if (d->sums & BLOB_QUICKXOR)
        quickxor_add(&d->quickxor, data, n);
    if (d->sums & BLOB_CRC32C)
        d->crc32c = crc32c_add(d->crc32c, data, n);
}

void digester_leave(struct digester *d, unsigned digest)
{
    uint8_t unused[64];
    if (d->aside && digest == BLOB_MD5)
        end_aside(d);
    for (size_t i = 0; i < SOSIA_LEN(digest_kinds); i++)
        if (digest_kinds[i].bit == digest && d->handles[i]) {
            gnutls_hash_deinit(d->handles[i], unused);
            d->handles[i] = NULL;
        }
}

void digester_end(struct digester *d, struct blob *ret)
{
    uint8_t unused[64];
    uint8_t *to[3] = {unused, unused, unused};
    if (d->aside)
        end_aside(d);
    if (ret) {
        to[0] = ret->sha256;
        to[1] = ret->md5;
        to[2] = ret->sha1;
    }
    for (size_t i = 0; i < SOSIA_LEN(digest_kinds); i++) {
        if (!d->handles[i])
            continue;
        gnutls_hash_deinit(d->handles[i], to[i]);
        d->handles[i] = NULL;
        if (ret)
            ret->digests |= digest_kinds[i].bit;
    }
    if (!ret)
        return;
    ret->digests |= d->sums;
    if (d->sums & BLOB_QUICKXOR)
        quickxor_end(&d->quickxor, ret->quickxor);
    for (int i = 0; i < 4; i++)
        ret->crc32c[i] = (uint8_t)(d->crc32c >> (24 - 8 * i));
}
