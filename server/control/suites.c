/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suites that were read lately: a training loop sends the same text with each request. They are
 * found by their text and the name that their messages have, byte by byte.
 */
#include "server/control/suites.h"
#include "engine/base/codec.h"
#include "engine/base/err.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEPT = 16,
    MAX_TEXT = 256 << 10 /* of one that is kept */
};

struct kept_suite {
    struct sosia_suite *suite; /* NULL: the place is free */
    char *text, *name;         /* name NULL: it was given none */
    size_t len;
    uint64_t turn; /* when it was asked for last */
    unsigned users;
};

struct suites {
    pthread_mutex_t lock;
    struct kept_suite kept[KEPT];
    uint64_t turn;
};

struct suites *suites_new(void)
{
    struct suites *s = calloc(1, sizeof *s);
    if (s)
        pthread_mutex_init(&s->lock, NULL);
    return s;
}

static void clear(struct kept_suite *k)
{
    sosia_suite_close(k->suite);
    free(k->text);
    free(k->name);
    memset(k, 0, sizeof *k);
}

void suites_free(struct suites *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < KEPT; i++)
        clear(&s->kept[i]);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Under the lock. */
static struct sosia_suite *find(struct suites *s, const char *text, size_t len, const char *name)
{
    for (size_t i = 0; i < KEPT; i++) {
        struct kept_suite *k = &s->kept[i];
        if (k->suite && k->len == len && str_same(k->name, name) &&
            memcmp(k->text, text, len) == 0) {
            k->users++;
            k->turn = ++s->turn;
            return k->suite;
        }
    }
    return NULL;
}

/* Under the lock: a place that is free, or has the one that was asked for longest ago and nobody
 * uses; NULL: all are in use. */
static struct kept_suite *place(struct suites *s)
{
    struct kept_suite *best = NULL;
    for (size_t i = 0; i < KEPT; i++) {
        struct kept_suite *k = &s->kept[i];
        if (!k->suite)
            return k;
        if (!k->users && (!best || k->turn < best->turn))
            best = k;
    }
    return best;
}

/* Under the lock. Without memory it is not kept, and closed when it is given back. */
static void keep(struct suites *s, struct sosia_suite *suite, const char *text, size_t len,
                 const char *name)
{
    struct kept_suite *k = len <= MAX_TEXT ? place(s) : NULL;
    if (!k)
        return;
    clear(k);
    k->text = malloc(len + 1);
    k->name = name ? strdup(name) : NULL;
    if (!k->text || (name && !k->name)) {
        clear(k);
        return;
    }
    memcpy(k->text, text, len);
    k->suite = suite;
    k->len = len;
    k->turn = ++s->turn;
    k->users = 1;
}

struct sosia_suite *suites_kept(struct suites *s, const char *text, size_t len, const char *name)
{
    pthread_mutex_lock(&s->lock);
    struct sosia_suite *suite = find(s, text, len, name);
    pthread_mutex_unlock(&s->lock);
    return suite;
}

int suites_take(struct suites *s, const char *text, size_t len, const char *name,
                struct sosia_suite **ret, struct sosia_err *err)
{
    if ((*ret = suites_kept(s, text, len, name)))
        return 0;
    if (sosia_suite_open(text, len, name, ret, err) < 0)
        return -1;
    pthread_mutex_lock(&s->lock);
    struct sosia_suite *other = find(s, text, len, name);
    if (!other)
        keep(s, *ret, text, len, name);
    pthread_mutex_unlock(&s->lock);
    if (other) { /* another thread was faster */
        sosia_suite_close(*ret);
        *ret = other;
    }
    return 0;
}

void suites_give(struct suites *s, struct sosia_suite *suite)
{
    bool kept = false;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < KEPT && !kept; i++) {
        kept = s->kept[i].suite == suite;
        s->kept[i].users -= kept;
    }
    pthread_mutex_unlock(&s->lock);
    if (!kept)
        sosia_suite_close(suite);
}
