/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/bytes.h"
#include "engine/base/codec.h"
#include "engine/http/call.h"
#include <stdlib.h>

/* ---- what came ---- */

static int read_blob(struct tx *tx, int64_t id, int64_t at, char *to, size_t n)
{
    struct blob_reader *r;
    if (blob_reader_open(tx, id, &r) < 0)
        return -1;
    int rc = blob_reader_copy(r, at, n, to, tx->err);
    blob_reader_close(r);
    return rc;
}

int bytes_read(struct tx *tx, const struct bytes *b, int64_t at, void *to, size_t n)
{
    if (b->data)
        memcpy(to, b->data + at, n);
    else if (b->spool)
        return spool_read(b->spool, b->at + at, to, n, tx->err);
    else if (n)
        return read_blob(tx, b->blob, at, to, n);
    return 0;
}

int bytes_view(struct tx *tx, const struct bytes *b, int64_t max, const char **ret)
{
    size_t len;
    if (b->len > max)
        return tx_fail(tx, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                       "at most %lld bytes are taken here, these are %lld", (long long)max,
                       (long long)b->len);
    if (b->data) {
        *ret = b->data;
        return 0;
    }
    if (!b->spool && b->blob)
        return blob_load(tx, b->blob, ret, &len);
    *ret = "";
    if (!b->spool)
        return 0;
    if (spool_view(b->spool, ret, tx->err) < 0)
        return -1;
    *ret += b->at;
    return 0;
}

int bytes_write(struct tx *tx, const struct bytes *b, int64_t at, int64_t n, struct blob_writer *w)
{
    if (b->data)
        return blob_writer_write(w, b->data + at, (size_t)n);
    uint8_t *room = n ? malloc(BLOB_CHUNK) : NULL;
    int rc = n && !room ? sosia_fail_memory(tx->err) : 0;
    while (n && rc == 0) {
        size_t part = n < (int64_t)BLOB_CHUNK ? (size_t)n : BLOB_CHUNK;
        rc = bytes_read(tx, b, at, room, part);
        if (rc == 0)
            rc = blob_writer_write(w, room, part);
        at += (int64_t)part;
        n -= (int64_t)part;
    }
    free(room);
    return rc;
}

/* A spool as it came, whose digest is known. */
static bool is_whole_spool(const struct bytes *b)
{
    return !b->data && b->spool && !b->at && b->len == spool_length(b->spool);
}

/* One that is there already: 1 found and referred to. */
static int same_blob(struct tx *tx, const struct bytes *b, unsigned digests, struct blob *ret)
{
    int found = 0;
    if (!b->data && !b->spool && b->blob)
        found = blob_get(tx, b->blob, ret);
    else if (is_whole_spool(b))
        found = blob_find(tx, spool_sha256(b->spool), b->len, ret);
    if (found != 1 || (digests & ~ret->digests))
        return found < 0 ? -1 : 0;
    return blob_ref(tx, ret->id) < 0 ? -1 : 1;
}

int bytes_blob(struct tx *tx, const struct bytes *b, unsigned digests, struct blob *ret)
{
    struct blob_writer *w;
    int found = same_blob(tx, b, digests, ret);
    if (found)
        return found < 0 ? -1 : 0;
    if (blob_writer_begin(tx, b->len, digests, &w) < 0)
        return -1;
    if (is_whole_spool(b))
        blob_writer_knows(w, spool_sha256(b->spool));
    if (bytes_write(tx, b, 0, b->len, w) < 0) {
        blob_writer_abort(w);
        return -1;
    }
    return blob_writer_finish(w, ret);
}

int64_t route_body_max(const struct route *r, bool upload)
{
    /* Around a medium there may be metadata and the borders of a body of several parts, in which it
     * may be base64 in lines. */
    const int64_t around = 1 << 20;
    if (!r)
        return 0;
    if (!upload || !r->media)
        return r->max_body;
    return r->media->max / 72 * 100 + around;
}

/* ---- ranges ---- */

/* "bytes=0-99", "bytes=100-", "bytes=-100"; as range_read(). */
static int parse_range(const char *text, int64_t len, int64_t *ret_first, int64_t *ret_n)
{
    uint64_t first = 0, last = UINT64_MAX, end = (uint64_t)len;
    if (!text || strncasecmp(text, "bytes=", 6) != 0)
        return 0;
    text += 6;
    size_t n = strspn(text, "0123456789"), m = text[n] == '-' ? strlen(text + n + 1) : 0;
    if (text[n] != '-' || n + m == 0 || (n && parse_u64(text, n, &first) < 0) ||
        (m && parse_u64(text + n + 1, m, &last) < 0))
        return 0;
    if (!n) { /* so many from the end */
        first = last < end ? end - last : 0;
        last = last ? UINT64_MAX : 0;
        if (!last)
            return -1;
    }
    if (last < first)
        return 0;
    if (first >= end)
        return -1;
    *ret_first = (int64_t)first;
    *ret_n = (int64_t)((last < end ? last + 1 : end) - first);
    return 1;
}

int range_read(const struct call *c, int64_t len, const char *etag, const char *modified,
               int64_t *ret_first, int64_t *ret_n)
{
    const char *unless = call_request_header(c, "If-Range");
    /* A weak etag is never the same for this. */
    if (unless && !(etag && etag[0] == '"' && strcmp(unless, etag) == 0) &&
        !(modified && strcmp(unless, modified) == 0))
        return 0;
    return parse_range(call_request_header(c, "Range"), len, ret_first, ret_n);
}

int64_t call_range(struct call *c, int64_t len, const char *etag, const char *modified,
                   int64_t *ret_first)
{
    struct arena *a = c->tx.arena;
    int64_t first = 0, n = len;
    int r = range_read(c, len, etag, modified, &first, &n);
    *ret_first = first;
    if (r < 0) {
        c->status = 416;
        call_header(c, "Content-Range", arena_printf(a, "bytes */%lld", (long long)len));
        return 0;
    }
    if (r > 0) {
        c->status = 206;
        call_header(c, "Content-Range",
                    arena_printf(a, "bytes %lld-%lld/%lld", (long long)first,
                                 (long long)(first + n - 1), (long long)len));
    }
    return n;
}

int call_send_blob(struct call *c, int64_t id, const char *etag, const char *modified)
{
    struct blob b;
    int found = blob_get(&c->tx, id, &b);
    if (found != 1)
        return found < 0 ? -1
                         : call_fail(c, SOSIA_E_NOT_FOUND, NULL, NULL, "there is no such blob");
    buf_clear(c->body_out);
    c->status = 200;
    c->sent = (struct sent){.blob = b};
    c->sent.n = call_range(c, b.length, etag, modified, &c->sent.first);
    return 0;
}
