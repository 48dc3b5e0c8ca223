/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that keep blobs. */
#ifndef SOSIA_BLOB_IMPL_H
#define SOSIA_BLOB_IMPL_H

#include "engine/store/btree.h"
#include "engine/blob/blob.h"
#include <gnutls/crypto.h>

/* The rowid of a chunk: its number in the low bits, the id of its blob above them. */
#define CHUNK_BITS 28
#define BLOB_LAST  ((INT64_C(1) << (63 - CHUNK_BITS)) - 1) /* id */

static inline int64_t chunk_id(int64_t blob, int64_t number)
{
    return blob << CHUNK_BITS | number;
}
/* Chunks of so many bytes. */
static inline int64_t chunk_count(int64_t length)
{
    return (length + (int64_t)BLOB_CHUNK - 1) / (int64_t)BLOB_CHUNK;
}

/* ---- digests ---- */

struct quickxor {
    uint64_t length;
    uint8_t lanes[160];
};
void quickxor_add(struct quickxor *q, const uint8_t *data, size_t n);
void quickxor_end(const struct quickxor *q, uint8_t ret[20]);
/* Of what came before, 0 at first, and more bytes. */
uint32_t crc32c_add(uint32_t sum, const void *data, size_t n);

struct digest_aside; /* a thread that computes one of them */

struct digester {
    gnutls_hash_hd_t handles[3]; /* in the order of enum blob_digest; NULL: not wanted, or aside */
    struct digest_aside *aside;  /* NULL: none */
    uint64_t before_aside;       /* bytes that came before it was begun */
    unsigned sums;               /* BLOB_QUICKXOR, BLOB_CRC32C, if they are wanted */
    struct quickxor quickxor;
    uint32_t crc32c;
};
/* digests: bits; SHA-256 is wanted always. */
int digester_init(struct digester *d, unsigned digests, struct sosia_err *err);
void digester_add(struct digester *d, const void *data, size_t n);
/* One of them is not computed after all. */
void digester_leave(struct digester *d, unsigned digest);
/* Fills in what was wanted, if ret is not NULL, and ends it. */
void digester_end(struct digester *d, struct blob *ret);

/* ---- rows ---- */

/* Adds a row: *ret_id. sha256 of `blob` is stored if it says that it knows it. */
int blob_insert(struct tx *tx, const struct blob *blob, int64_t *ret_id);
int blob_insert_chunk(struct tx *tx, int64_t id, const void *data, size_t n);
/* Notes digests that were not known before. */
int blob_learn(struct tx *tx, const struct blob *known, const struct blob *found);
int blob_delete(struct tx *tx, int64_t id, int64_t length);

/* ---- where chunks are read ---- */

struct chunk_source {
    struct tx *tx;    /* NULL: from the tree */
    struct tree tree; /* not its own */
    uint32_t root;    /* of the table of chunks */
    int64_t blob, length;
    int64_t chunk; /* that was found last; -1: none */
    /* In the tree: its cell, where its data begin in the row, and a page of it: the one whose data
     * begin at page_from in the row. */
    struct btree_cell cell;
    size_t begin;
    uint32_t page;
    size_t page_from;
    /* From a statement: all of it. */
    uint8_t *copy;
};
/* In a transaction. Fails like blob_reader_open(). Nothing to free but copy. */
int chunk_source_open(struct chunk_source *s, struct tx *tx, int64_t id);
/* The longest run of bytes that is in one piece there. 0, -1. */
int chunk_source_peek(struct chunk_source *s, int64_t at, const uint8_t **ret, size_t *ret_n,
                      struct sosia_err *err);
/* n bytes, which it has, into memory of the caller. */
int chunk_source_copy(struct chunk_source *s, int64_t at, size_t n, uint8_t *to,
                      struct sosia_err *err);

#endif
