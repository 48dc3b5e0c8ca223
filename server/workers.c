/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads for what takes long, so that neither the serving threads nor the loop wait: most of them
 * wait, for the disk or for a world. Who has work wakes a worker himself: on the way there and
 * back no other thread has to run. They are made when they are wanted, and only where all that
 * there are have something to do, so that a client alone keeps to one of them, whose memory is
 * warm.
 */
#include "server/internal.h"
#include <stdlib.h>

#define MOST_DEFAULT 16
#define MOST         1024 /* as libuv's */

static void *run(void *arg)
{
    struct workers *w = arg;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        struct work *work = w->first;
        if (work) {
            w->first = work->next;
            w->n_waiting--;
            pthread_mutex_unlock(&w->lock);
            work->fn(work->arg);
            pthread_mutex_lock(&w->lock);
        } else if (w->ending) {
            break;
        } else {
            w->n_idle++;
            pthread_cond_wait(&w->wanted, &w->lock);
            w->n_idle--;
        }
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* One more than all that there are, as far as may be. Under the lock. */
static void begin_one(struct workers *w)
{
    if (!w->ending && w->n < w->most && pthread_create(&w->threads[w->n], NULL, run, w) == 0)
        w->n++;
}

int workers_init(struct workers *w)
{
    const char *most = getenv("UV_THREADPOOL_SIZE");
    long n = most ? strtol(most, NULL, 10) : MOST_DEFAULT;
    w->most = n < 1 ? 1 : n > MOST ? MOST : (unsigned)n;
    w->threads = calloc(w->most, sizeof *w->threads);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wanted, NULL);
    return w->threads ? 0 : -1;
}

int workers_add(struct workers *w, struct work *work)
{
    pthread_mutex_lock(&w->lock);
    if (w->n_waiting + 1 > w->n_idle)
        begin_one(w);
    int rc = w->n && !w->ending ? 0 : -1;
    if (rc == 0) {
        work->next = NULL;
        *(w->first ? &w->last->next : &w->first) = work;
        w->last = work;
        w->n_waiting++;
        if (w->n_idle)
            pthread_cond_signal(&w->wanted);
    }
    pthread_mutex_unlock(&w->lock);
    return rc;
}

void workers_end(struct workers *w)
{
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_broadcast(&w->wanted);
    pthread_mutex_unlock(&w->lock);
    for (unsigned i = 0; i < w->n; i++)
        pthread_join(w->threads[i], NULL);
    w->n = 0;
}

void workers_free(struct workers *w)
{
    free(w->threads);
    pthread_cond_destroy(&w->wanted);
    pthread_mutex_destroy(&w->lock);
}
