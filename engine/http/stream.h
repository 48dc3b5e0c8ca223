/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: answers that go on. A handler makes one, gives it to its call and keeps a reference;
 * whoever has that puts text into it later, from any thread, until it ends the stream or its reader
 * goes. What was put waits in memory until the reader takes it (sosia_stream_take()). A stream is
 * not a part of its world, as a session is not: it holds no lock, no transaction and no thread.
 */
#ifndef SOSIA_HTTP_STREAM_H
#define SOSIA_HTTP_STREAM_H

#include "sosia.h"
#include <stdbool.h>

struct call;

/* Whoever puts text into streams of a kind. The functions run without a lock of the stream. */
struct stream_owner {
    const char *idle; /* what is put where nothing was for long, so that a reader who has gone is
                         noticed */
    int64_t life_ms;  /* of a stream into which nothing is put; 0: no end */
    /* The stream's reader has gone, or was too slow. NULL: the owner looks (stream_is_read()). */
    void (*gone)(void *arg, struct sosia_stream *s);
    /* Its life is over: the owner ends it. NULL: it has no end. */
    void (*expired)(void *arg, struct sosia_stream *s);
};

/* A stream, with a reference of the caller's own and one of the answer to be. NULL without memory.
 */
struct sosia_stream *stream_new(const struct stream_owner *owner, void *arg);
/* The call's answer is the stream, whose head the handler has filled (status, headers). */
void call_stream(struct call *c, struct sosia_stream *s);
/* Adds text. False: the reader has gone, or is too slow, or there is no memory. */
bool stream_put(struct sosia_stream *s, const char *text, size_t len);
/* Whether its reader is there. */
bool stream_is_read(struct sosia_stream *s);
/* Bytes that were put and that its reader has not taken. */
size_t stream_waiting(struct sosia_stream *s);
/* Nothing more comes. */
void stream_end(struct sosia_stream *s);
/* What the owner has to do with it; guarded by whatever guards the owner. */
void stream_set_data(struct sosia_stream *s, void *data);
void *stream_data(const struct sosia_stream *s);
struct sosia_stream *stream_ref(struct sosia_stream *s);
/* Lets the owner's reference go; gone() is not called for it any more, but may be running. */
void stream_unref(struct sosia_stream *s);

/* It has ended before all was taken, since its reader was too slow. */
bool stream_is_cut(struct sosia_stream *s);

/* For the door: the answer is freed. */
void stream_close(struct sosia_stream *s);

#endif
