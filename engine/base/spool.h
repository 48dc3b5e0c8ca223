/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that are too many for memory, until they are needed: a file without a name, digested while
 * it is written. Several threads may end it and read it at once. When its owner lets go of it, or
 * the process ends in whatever way, it is gone.
 */
#ifndef SOSIA_BASE_SPOOL_H
#define SOSIA_BASE_SPOOL_H

#include "engine/base/err.h"

struct sosia_spool;

/* Bytes of memory that one has until its end. */
enum { SPOOL_ROOM = 128 << 10 };

/* An empty one in the directory. max: bytes that it takes. Fails with FULL, IO, NO_MEMORY. */
int spool_open(const char *dir, int64_t max, struct sosia_spool **ret, struct sosia_err *err);
/* More bytes, which are written when there are enough of them. Fails with TOO_LARGE "tooLarge",
 * FULL (the disk: some room is left for others), IO; then it is of no use any more. */
int spool_write(struct sosia_spool *s, const void *data, size_t n, struct sosia_err *err);
int64_t spool_length(const struct sosia_spool *s);
/* No more comes: what waits is written, and from now on it can be read. Again: nothing happens.
 * Fails like spool_write(). */
int spool_end(struct sosia_spool *s, struct sosia_err *err);
/* Of all bytes, after the end. */
const uint8_t *spool_sha256(const struct sosia_spool *s);
const uint8_t *spool_xxh3(const struct sosia_spool *s); /* 128 bits, canonical */
/* The n bytes from `at` on, which it must have. By any thread. */
int spool_read(const struct sosia_spool *s, int64_t at, void *to, size_t n, struct sosia_err *err);
/* All of them in one piece with a NUL behind, mapped and not in memory; good until it is freed. By
 * one thread at a time. */
int spool_view(struct sosia_spool *s, const char **ret, struct sosia_err *err);
void spool_free(struct sosia_spool *s); /* NULL is fine */

#endif
