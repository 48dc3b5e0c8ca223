/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/given.h"
#include "engine/base/handle.h"
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* By the address; linear probing. */
static struct given {
    const void *data; /* NULL: free */
    size_t len;
} * list;
static size_t n, cap; /* cap is a power of two, or 0 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t given_place(const void *data)
{
    return (size_t)((uint64_t)(uintptr_t)data * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (cap - 1);
}

static void given_put(const struct given *g)
{
    size_t i = given_place(g->data);
    while (list[i].data)
        i = (i + 1) & (cap - 1);
    list[i] = *g;
}

/* Under the lock. */
static int given_grow(void)
{
    struct given *old = list;
    size_t old_cap = cap;
    struct given *new = calloc(cap ? cap * 2 : 64, sizeof *new);
    if (!new)
        return -1;
    list = new;
    cap = cap ? cap * 2 : 64;
    for (size_t i = 0; i < old_cap; i++)
        if (old[i].data)
            given_put(&old[i]);
    free(old);
    return 0;
}

static void watch_lock(void)
{
    handle_lock_over_fork(&lock);
}

int given_add(const void *data, size_t len)
{
    int rc = 0;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_lock);
    pthread_mutex_lock(&lock);
    if (n >= cap / 2)
        rc = given_grow();
    if (rc == 0) {
        given_put(&(struct given){.data = data, .len = len});
        n++;
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

/* What is behind a free place moves up, so that it is found. */
static void close_gap(size_t gap)
{
    for (size_t i = (gap + 1) & (cap - 1); list[i].data; i = (i + 1) & (cap - 1)) {
        size_t home = given_place(list[i].data);
        if (((i - home) & (cap - 1)) < ((i - gap) & (cap - 1)))
            continue;
        list[gap] = list[i];
        list[i].data = NULL;
        gap = i;
    }
}

int given_take(const void *data, size_t len)
{
    int rc = -1;
    pthread_mutex_lock(&lock);
    size_t i = cap ? given_place(data) : 0;
    while (cap && list[i].data && list[i].data != data)
        i = (i + 1) & (cap - 1);
    if (cap && list[i].data == data && list[i].len == len) {
        list[i].data = NULL;
        close_gap(i);
        n--;
        rc = 0;
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

int sosia_blob_free(struct sosia_blob *blob)
{
    if (!blob || !blob->data)
        return 0;
    int rc = given_take(blob->data, blob->len);
    if (rc == 0)
        free(blob->data);
    *blob = (struct sosia_blob){0};
    return rc;
}
