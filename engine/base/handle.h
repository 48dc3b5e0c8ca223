/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that callers hold by pointer, and whether a pointer is one of them.
 *
 * They lie in blocks that are never given back to the system, and a block knows of each of its
 * places whether it is out, so that any pointer can be asked about without being read from: a
 * foreign one is in no block, one that was freed is not out. A place is used again only behind many
 * others, so that a stale pointer mostly finds it free. What was out when the process was forked is
 * not out in the child.
 */
#ifndef SOSIA_BASE_HANDLE_H
#define SOSIA_BASE_HANDLE_H

#include "engine/base/err.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum handle_kind {
    HANDLE_ENGINE,
    HANDLE_RESPONSE,
    HANDLE_STREAM,
    HANDLE_SESSION,
    HANDLE_SPOOL,
    HANDLE_SUITE,
    HANDLE_KINDS
};

/* A place that is out, all zero but for a response's; size: the same for all of a kind. NULL: no
 * memory. */
void *handle_new(enum handle_kind kind, size_t size);
bool handle_is_out(enum handle_kind kind, const void *p);
/* The same as an error; kinds have a word for messages. */
int handle_check(enum handle_kind kind, const void *p, struct sosia_err *err);
/* It is not out any more, but its memory is still in use. -1: it was not; one of two threads that
 * do it at once gets 0. */
int handle_end(enum handle_kind kind, const void *p);
/* Gives a place back whose content is gone; whether it is still out does not matter. NULL: nothing
 * to do. */
void handle_free(enum handle_kind kind, void *p);

/* Held over a fork, so that the child finds what they protect whole. */
void handle_lock_over_fork(pthread_mutex_t *lock);
/* The same of locks that a library below has, which are taken behind those. */
void handle_over_fork(void (*take)(void), void (*give)(void));

#endif
