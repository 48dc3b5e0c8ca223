/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that come with a call or go with its answer, of any length: in memory, in a spool
 * (engine/base/spool.h), or in a blob of the world (engine/blob/blob.h).
 */
#ifndef SOSIA_HTTP_BYTES_H
#define SOSIA_HTTP_BYTES_H

#include "engine/base/spool.h"
#include "engine/blob/blob.h"

struct call;

/* The most that any method takes in one piece: 64 MiB. A body that a row allows more for is in
 * memory only as long as it is small. */
#define BYTES_VIEW ((int64_t)64 << 20)

struct bytes {
    int64_t len;
    const char *data;          /* in memory; NULL: not */
    struct sosia_spool *spool; /* else in a spool that has ended, from `at` on; NULL: not */
    int64_t at;
    int64_t blob; /* else all of a blob of the world; 0: there are none */
};

/* The n bytes from `at` on, which there must be. */
int bytes_read(struct tx *tx, const struct bytes *b, int64_t at, void *to, size_t n);
/* All in one piece, as long as the transaction lasts. Fails with TOO_LARGE "tooLarge" beyond max.
 */
int bytes_view(struct tx *tx, const struct bytes *b, int64_t max, const char **ret);
/* Adds them to a writer, n from `at` on. */
int bytes_write(struct tx *tx, const struct bytes *b, int64_t at, int64_t n, struct blob_writer *w);
/* All as a blob of the world, of which the caller has one reference. digests: what is wanted beside
 * SHA-256. Nothing is written if the world has the same bytes and this is known from the spool, or
 * if they are a blob already. */
int bytes_blob(struct tx *tx, const struct bytes *b, unsigned digests, struct blob *ret);

/* How many bytes the body of a request for this row may have; 0: as many as servers take.
 */
struct route;
int64_t route_body_max(const struct route *r, bool upload);

/* ---- answers ---- */

/* Which of `len` bytes the request asks for (RFC 9110, 14). 1: *ret_n bytes from *ret_first on; 0:
 * all, because it names no range, several, or none that can be read, or its If-Range is neither
 * this etag (which may be NULL) nor this date (HTTP's form; NULL); -1: a range that lies outside.
 */
int range_read(const struct call *c, int64_t len, const char *etag, const char *modified,
               int64_t *ret_first, int64_t *ret_n);
/* The same, and sets the answer's status (200, 206, 416) and header accordingly: gives how many
 * bytes are to be sent, and from where. */
int64_t call_range(struct call *c, int64_t len, const char *etag, const char *modified,
                   int64_t *ret_first);
/* The answer's body is this blob, or the range of it that the request names; the caller adds
 * Content-Type and what else it likes. It is pulled when the call is over: as it is in the world
 * then. etag, modified: as above. Fails with NOT_FOUND. */
int call_send_blob(struct call *c, int64_t blob, const char *etag, const char *modified);

#endif
