/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/stream.h"
#include "engine/base/buf.h"
#include "engine/base/handle.h"
#include "engine/http/call.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MOST ((size_t)1 << 20) /* bytes that wait for a reader, unless it says otherwise */

struct sosia_stream {
    pthread_mutex_t lock;
    const struct stream_owner *owner;
    void *owner_arg, *owner_data;
    void (*wake)(void *arg);
    void *wake_arg;
    struct buf queue;
    size_t taken; /* of the queue */
    size_t most;
    bool ended, slow, closed;
    _Atomic int refs;
};

struct sosia_stream *stream_new(const struct stream_owner *owner, void *arg)
{
    struct sosia_stream *s = handle_new(HANDLE_STREAM, sizeof *s);
    if (!s)
        return NULL;
    pthread_mutex_init(&s->lock, NULL);
    s->owner = owner;
    s->owner_arg = arg;
    s->most = MOST;
    buf_init(&s->queue, 0);
    atomic_init(&s->refs, 2);
    return s;
}

void stream_unref(struct sosia_stream *s)
{
    if (!s || atomic_fetch_sub(&s->refs, 1) != 1)
        return;
    pthread_mutex_destroy(&s->lock);
    buf_done(&s->queue);
    handle_free(HANDLE_STREAM, s);
}

struct sosia_stream *stream_ref(struct sosia_stream *s)
{
    atomic_fetch_add(&s->refs, 1);
    return s;
}

void stream_set_data(struct sosia_stream *s, void *data)
{
    s->owner_data = data;
}

void *stream_data(const struct sosia_stream *s)
{
    return s->owner_data;
}

void call_stream(struct call *c, struct sosia_stream *s)
{
    c->stream = s;
}

/* ---- the owner's side ---- */

/* Under the lock. */
static void notify_reader(struct sosia_stream *s)
{
    if (s->wake)
        s->wake(s->wake_arg);
}

/* A reader who takes all the time, and never all, keeps no more than what waits. */
static void let_go_taken(struct sosia_stream *s)
{
    if (s->taken <= s->queue.len / 2)
        return;
    memmove(s->queue.data, s->queue.data + s->taken, s->queue.len - s->taken);
    s->queue.len -= s->taken;
    s->taken = 0;
}

bool stream_put(struct sosia_stream *s, const char *text, size_t len)
{
    pthread_mutex_lock(&s->lock);
    bool good = !s->closed && !s->slow && !s->ended;
    if (good) {
        /* one text may have any length */
        s->slow = s->queue.len - s->taken > s->most;
        let_go_taken(s);
        if (!s->slow)
            buf_add(&s->queue, text, len);
        s->slow |= buf_failed(&s->queue);
        good = !s->slow;
        notify_reader(s);
    }
    pthread_mutex_unlock(&s->lock);
    return good;
}

bool stream_is_read(struct sosia_stream *s)
{
    pthread_mutex_lock(&s->lock);
    bool read = !s->closed && !s->slow;
    pthread_mutex_unlock(&s->lock);
    return read;
}

size_t stream_waiting(struct sosia_stream *s)
{
    pthread_mutex_lock(&s->lock);
    size_t n = s->queue.len - s->taken;
    pthread_mutex_unlock(&s->lock);
    return n;
}

void stream_end(struct sosia_stream *s)
{
    pthread_mutex_lock(&s->lock);
    if (!s->ended) {
        s->ended = true;
        notify_reader(s);
    }
    pthread_mutex_unlock(&s->lock);
}

/* ---- the reader's side ---- */

int sosia_stream_wake(struct sosia_stream *s, size_t most, void (*wake)(void *arg), void *arg)
{
    if (!handle_is_out(HANDLE_STREAM, s))
        return -1;
    pthread_mutex_lock(&s->lock);
    s->wake = wake;
    s->wake_arg = arg;
    if (most)
        s->most = most;
    pthread_mutex_unlock(&s->lock);
    return 0;
}

int64_t sosia_stream_take(struct sosia_stream *s, char *to, size_t size)
{
    if (!handle_is_out(HANDLE_STREAM, s) || (size && !to))
        return -1;
    pthread_mutex_lock(&s->lock);
    size_t n = s->slow ? 0 : s->queue.len - s->taken;
    int64_t result = (int64_t)(n < size ? n : size);
    if (n > size)
        n = size;
    if (n)
        memcpy(to, s->queue.data + s->taken, n);
    s->taken += n;
    if (s->slow || (!n && s->ended))
        result = -1;
    if (s->taken == s->queue.len && s->queue.cap) { /* most of the time nothing waits */
        buf_done(&s->queue);
        buf_init(&s->queue, 0);
        s->taken = 0;
    }
    pthread_mutex_unlock(&s->lock);
    return result;
}

bool stream_is_cut(struct sosia_stream *s)
{
    pthread_mutex_lock(&s->lock);
    bool cut = s->slow;
    pthread_mutex_unlock(&s->lock);
    return cut;
}

int sosia_stream_idle(struct sosia_stream *s, int64_t silent_ms)
{
    if (!handle_is_out(HANDLE_STREAM, s))
        return -1;
    const struct stream_owner *o = s->owner;
    if (o->life_ms && silent_ms >= o->life_ms && o->expired)
        o->expired(s->owner_arg, s);
    else if (o->idle)
        stream_put(s, o->idle, strlen(o->idle));
    return 0;
}

void stream_close(struct sosia_stream *s)
{
    if (!s)
        return;
    handle_end(HANDLE_STREAM, s);
    pthread_mutex_lock(&s->lock);
    s->closed = true;
    s->wake = NULL;
    buf_done(&s->queue);
    buf_init(&s->queue, 0);
    s->taken = 0;
    pthread_mutex_unlock(&s->lock);
    if (s->owner->gone)
        s->owner->gone(s->owner_arg, s);
    stream_unref(s);
}
