/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blobs: bytes of any length in a world, which cores refer to by id (attachments, the content of
 * files, pictures). They are in the world's pages, so forks share them; equal ones are there once
 * in a world, found by SHA-256 and length, and counted: whoever keeps an id has a reference, and
 * the last one that goes takes the bytes along. A blob never changes, unless who has the only
 * reference exchanges its bytes (exchange.h): nothing may be kept by its id without a reference.
 *
 * Bytes come through a writer and are digested on their way; they are read by range through a
 * reader, which may outlive transaction and lock. Neither needs more memory than a chunk, however
 * long the blob is.
 */
#ifndef SOSIA_BLOB_BLOB_H
#define SOSIA_BLOB_BLOB_H

#include "engine/base/buf.h"
#include "engine/world/tx.h"

#define BLOB_CHUNK ((size_t)65536)    /* bytes that are written, and at most read, at once */
#define BLOB_MAX   (INT64_C(5) << 40) /* bytes of a blob */

enum blob_digest {
    BLOB_SHA256 = 1,
    BLOB_MD5 = 2,
    BLOB_SHA1 = 4,
    BLOB_QUICKXOR = 8, /* quickXorHash */
    BLOB_CRC32C = 16   /* its bytes in network order */
};

struct blob {
    int64_t id, length;
    unsigned digests; /* those that are known: enum blob_digest; always SHA-256 */
    uint8_t sha256[32], md5[16], sha1[20], quickxor[20], crc32c[4];
};

/* ---- blobs ---- */

/* 1 found, 0: there is none, or it is not finished. */
int blob_get(struct tx *tx, int64_t id, struct blob *ret);
/* The same with these digests too: those that are not known are computed, which reads all of it. */
int blob_digests(struct tx *tx, int64_t id, unsigned digests, struct blob *ret);
/* The one with this content: who knows the digest before need not write. No reference is added. */
int blob_find(struct tx *tx, const uint8_t sha256[32], int64_t length, struct blob *ret);
/* One reference more or less; with the last one the blob goes, finished or not. Fails with
 * NOT_FOUND. */
int blob_ref(struct tx *tx, int64_t id);
int blob_unref(struct tx *tx, int64_t id);

/* Bytes that are in memory anyway: the blob has one reference more. */
int blob_put(struct tx *tx, const void *data, size_t len, int64_t *ret);
/* All of one that is known to be small, in the arena of the transaction with a NUL behind it.
 * Fails with INTERNAL if there is none: a core's row names it. */
int blob_load(struct tx *tx, int64_t id, const char **ret, size_t *ret_len);
/* Adds the bytes [from, to) to out; the blob must have them. */
int blob_load_range(struct tx *tx, int64_t id, int64_t from, int64_t to, struct buf *out);

/* ---- writing ---- */

struct blob_writer;

#define BLOB_UNKNOWN (-1) /* length */

/* A writer for the length of a write transaction. expected: bytes that will come, or BLOB_UNKNOWN;
 * digests: what is wanted beside SHA-256. It is ended by one of finish, suspend and abort, which
 * must be called in the same transaction. Fails with TOO_LARGE "tooLarge". */
int blob_writer_begin(struct tx *tx, int64_t expected, unsigned digests, struct blob_writer **ret);
/* The SHA-256 of what will be written is known already: it is not computed again. After begin. */
void blob_writer_knows(struct blob_writer *w, const uint8_t sha256[32]);
/* Any number of bytes at a time; the best is BLOB_CHUNK. Fails with INVALID "length" when there are
 * more than were expected, TOO_LARGE "tooLarge", FULL. */
int blob_writer_write(struct blob_writer *w, const void *data, size_t n);
/* Bytes so far. */
int64_t blob_writer_length(const struct blob_writer *w);
/* The blob, which the caller has one reference of; another one with the same bytes if there is
 * one. Fails with INVALID "length" when there are fewer bytes than were expected. Ends the writer
 * in any case. */
int blob_writer_finish(struct blob_writer *w, struct blob *ret);
/* Ends the writer but not the blob, which other calls go on with (resumable uploads): its id, of
 * which the caller has one reference. It can't be read yet. */
int blob_writer_suspend(struct blob_writer *w, int64_t *ret);
/* Goes on with it. Its bytes are digested when it is finished, all at once. Fails with NOT_FOUND
 * when there is no such blob or it is finished. */
int blob_writer_resume(struct tx *tx, int64_t id, int64_t expected, unsigned digests,
                       struct blob_writer **ret);
/* Ends it and takes back what was written, of a resumed one all; NULL is fine. */
void blob_writer_abort(struct blob_writer *w);

/* ---- reading ---- */

struct blob_reader;

/*
 * A reader of a finished blob. Opened in a transaction that only reads, it holds the world's state
 * as it is now and can be used after the transaction, without the world's lock and by any one
 * thread at a time, while the engine is open; later calls don't change what it gives. In a
 * transaction that writes it is good until the end of that. Fails with NOT_FOUND.
 */
int blob_reader_open(struct tx *tx, int64_t id, struct blob_reader **ret);
/* The same for a state, which is shared, not taken over (tree_fork()). */
int blob_reader_open_tree(const struct tree *tree, int64_t id, struct blob_reader **ret,
                          struct sosia_err *err);
/* Can it be used after the transaction? */
bool blob_reader_lasts(const struct blob_reader *r);
int64_t blob_reader_length(const struct blob_reader *r);
/*
 * The bytes from `at` on: *ret, len of them, or what is left if that is less (at its end: 0), at
 * most BLOB_CHUNK. Good until the next read. Bytes on one page (at most 2,044) are given where they
 * are; others are copied together, into memory of the reader. Reading on from where the last one
 * ended is quickest. 0, -1 and err.
 */
int blob_reader_read(struct blob_reader *r, int64_t at, size_t len, const void **ret,
                     size_t *ret_len, struct sosia_err *err);
/* The n bytes from `at` on, which it must have, into memory of the caller. 0, -1 and err. */
int blob_reader_copy(struct blob_reader *r, int64_t at, size_t n, void *to, struct sosia_err *err);
/* Without any copy: as many as are in one piece there, at least one before the end. */
int blob_reader_peek(struct blob_reader *r, int64_t at, const void **ret, size_t *ret_len,
                     struct sosia_err *err);
void blob_reader_close(struct blob_reader *r); /* NULL is fine */

/* ---- imported worlds ---- */

/* Do the rows have the chunks, lengths and digests that they claim? INVALID if not. */
int blobs_check(struct tx *tx);
/* The counts of references in an imported world are not trusted: blobs_forget() sets them to 0,
 * cores add their own (derive() of struct sosia_core), and blobs_collect() deletes what nobody
 * refers to. */
int blobs_forget(struct tx *tx);
int blobs_collect(struct tx *tx);

#endif
