/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of large workspaces that worlds have in common, as directories that were written once: a
 * program of a world begins with the one that its files differ least from. Which rows differ is
 * known from pages, so that neither the files nor the rows that are alike are looked at.
 */
#ifndef SOSIA_SANDBOX_BASES_H
#define SOSIA_SANDBOX_BASES_H

#include "sandbox/sandbox.h"
#include "sandbox/tree.h"
#include <pthread.h>
#include <time.h>

struct base;

struct bases {
    pthread_mutex_t lock;
    pthread_cond_t made; /* one that was being written is complete, or could not be */
    struct base *list;   /* the one used last comes first */
    size_t n;
    int64_t room;                             /* bytes that all of them may take */
    _Atomic int64_t small_nodes, small_bytes; /* up to which a tree is copied */
};

void bases_init(struct bases *b);
/* Nobody has a reference any more. */
void bases_done(struct bases *b);

/* A base for the files of a world, made where there is none: a reference. 1; 0: a copy is better,
 * since there are few files, or more than limits allow; -1: IO, NO_MEMORY. limits: of the session,
 * without zeros. */
int bases_take(struct bases *b, struct sandbox *s, struct tx *tx,
               const struct sandbox_limits *limits, struct base **ret);
void bases_give(struct bases *b, struct base *base); /* NULL is fine */
/* Lets go of those that nobody has used for so many seconds, and of other sandboxes than s (NULL:
 * of none). */
void bases_sweep(struct bases *b, const struct sandbox *s, time_t idle);

const struct sandbox_base *base_directory(const struct base *base);
/* Bytes of its files. */
int64_t base_bytes(const struct base *base);
/* Brings a session with it to what the world's files are now. t: empty. 0, -1. */
int base_write(struct bases *b, const struct base *base, struct tree_copy *t, struct tx *tx,
               int top);

#endif
