/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing blobs. Chunks are written when they are full, under the number of a new blob; whether the
 * world has the same bytes already is known only after the last one, and then what was written is
 * deleted. What fits into one chunk waits until then.
 */
#include "engine/blob/exchange.h"
#include "engine/blob/impl.h"
#include <stdlib.h>

struct blob_writer {
    struct tx *tx;
    int64_t id; /* 0: no row yet */
    int64_t length, expected;
    unsigned digests;
    bool digested; /* as it comes; a resumed one is at its end */
    struct digester digester;
    const uint8_t *sha256; /* known before; NULL: not */
    uint8_t known[32];
    size_t n; /* bytes that wait */
    uint8_t waiting[BLOB_CHUNK];
};

static int too_large(struct tx *tx)
{
    return tx_fail(tx, SOSIA_E_TOO_LARGE, "tooLarge", NULL, "a blob has at most %lld bytes",
                   (long long)BLOB_MAX);
}

static int bad_length(const struct blob_writer *w, int64_t came)
{
    return tx_fail(w->tx, SOSIA_E_INVALID, "length", NULL, "%lld bytes were expected, %s %lld came",
                   (long long)w->expected, came > w->expected ? "at least" : "only",
                   (long long)came);
}

static struct blob_writer *make_writer(struct tx *tx, int64_t expected, unsigned digests)
{
    struct blob_writer *w = expected > BLOB_MAX ? NULL : malloc(sizeof *w);
    if (!w) {
        if (expected > BLOB_MAX)
            too_large(tx);
        else
            sosia_fail_memory(tx->err);
        return NULL;
    }
    w->tx = tx;
    w->id = w->length = 0;
    w->expected = expected;
    w->digests = digests | BLOB_SHA256;
    w->digested = false;
    w->digester = (struct digester){0};
    w->sha256 = NULL;
    w->n = 0;
    return w;
}

int blob_writer_begin(struct tx *tx, int64_t expected, unsigned digests, struct blob_writer **ret)
{
    struct blob_writer *w = make_writer(tx, expected, digests);
    if (!w || digester_init(&w->digester, w->digests, tx->err) < 0) {
        free(w);
        return -1;
    }
    w->digested = true;
    *ret = w;
    return 0;
}

void blob_writer_knows(struct blob_writer *w, const uint8_t sha256[32])
{
    memcpy(w->known, sha256, sizeof w->known);
    w->sha256 = w->known;
    digester_leave(&w->digester, BLOB_SHA256);
}

static void end(struct blob_writer *w)
{
    digester_end(&w->digester, NULL);
    free(w);
}

/* ---- writing ---- */

/* The row of a blob that is not finished. */
static int begin_row(struct blob_writer *w)
{
    const struct blob open = {0};
    if (w->id)
        return 0;
    if (blob_insert(w->tx, &open, &w->id) < 0)
        return -1;
    return w->id <= BLOB_LAST ? 0
                              : tx_fail(w->tx, SOSIA_E_FULL, NULL, NULL, "there are no more blobs");
}

/* The chunk that ends at w->length. */
static int write_chunk(struct blob_writer *w, const void *data, size_t n)
{
    int64_t number = (w->length - 1) / (int64_t)BLOB_CHUNK;
    return begin_row(w) < 0 ? -1 : blob_insert_chunk(w->tx, chunk_id(w->id, number), data, n);
}

/* As many bytes as the present chunk takes, at most n. Gives how many, 0: failed. */
static size_t write_part(struct blob_writer *w, const uint8_t *data, size_t n)
{
    if (!w->n && n >= BLOB_CHUNK) { /* a whole one, from where it is */
        w->length += (int64_t)BLOB_CHUNK;
        return write_chunk(w, data, BLOB_CHUNK) < 0 ? 0 : BLOB_CHUNK;
    }
    size_t part = BLOB_CHUNK - w->n < n ? BLOB_CHUNK - w->n : n;
    memcpy(w->waiting + w->n, data, part);
    w->n += part;
    w->length += (int64_t)part;
    if (w->n < BLOB_CHUNK)
        return part;
    w->n = 0;
    return write_chunk(w, w->waiting, BLOB_CHUNK) < 0 ? 0 : part;
}

int blob_writer_write(struct blob_writer *w, const void *data, size_t n)
{
    const uint8_t *p = data;
    if (n > (uint64_t)(BLOB_MAX - w->length))
        return too_large(w->tx);
    if (w->expected >= 0 && (int64_t)n > w->expected - w->length)
        return bad_length(w, w->length + (int64_t)n);
    while (n) {
        size_t part = write_part(w, p, n);
        if (!part)
            return -1;
        if (w->digested)
            digester_add(&w->digester, p, part);
        p += part;
        n -= part;
    }
    return 0;
}

int64_t blob_writer_length(const struct blob_writer *w)
{
    return w->length;
}

/* ---- the end ---- */

/* Another one has the same bytes: what was written is deleted. */
static int use_other(struct blob_writer *w, struct blob *mine, struct blob *other)
{
    if (w->id && blob_delete(w->tx, w->id, w->length) < 0)
        return -1;
    if (blob_learn(w->tx, other, mine) < 0 || blob_ref(w->tx, other->id) < 0)
        return -1;
    mine->id = other->id;
    return 0;
}

/* What came in other calls. */
static int digest_again(struct blob_writer *w)
{
    struct chunk_source s = {.tx = w->tx, .blob = w->id, .length = w->length, .chunk = -1};
    const uint8_t *data;
    size_t n;
    int rc = digester_init(&w->digester, w->digests, w->tx->err);
    for (int64_t at = 0; at < w->length && rc == 0; at += (int64_t)n)
        if ((rc = chunk_source_peek(&s, at, &data, &n, w->tx->err)) == 0)
            digester_add(&w->digester, data, n);
    free(s.copy);
    return rc;
}

static int finish_blob(struct blob_writer *w, struct blob *ret)
{
    struct blob mine = {.length = w->length}, other;
    const struct blob open = {.id = w->id, .length = -1};
    if (w->expected >= 0 && w->length < w->expected)
        return bad_length(w, w->length);
    if (w->n && w->id && write_chunk(w, w->waiting, w->n) < 0)
        return -1;
    if (!w->digested && digest_again(w) < 0)
        return -1;
    digester_end(&w->digester, &mine);
    if (w->sha256) {
        memcpy(mine.sha256, w->sha256, sizeof mine.sha256);
        mine.digests |= BLOB_SHA256;
    }
    int found = blob_find(w->tx, mine.sha256, mine.length, &other);
    if (found < 0 || (found && use_other(w, &mine, &other) < 0))
        return -1;
    if (!found && w->id) {
        if (blob_learn(w->tx, &open, &mine) < 0)
            return -1;
        mine.id = w->id;
    } else if (!found) {
        if (blob_insert(w->tx, &mine, &w->id) < 0 || (w->n && write_chunk(w, w->waiting, w->n) < 0))
            return -1;
        mine.id = w->id;
    }
    *ret = mine;
    return 0;
}

int blob_writer_finish(struct blob_writer *w, struct blob *ret)
{
    int rc = finish_blob(w, ret);
    if (rc < 0)
        blob_writer_abort(w);
    else
        end(w);
    return rc;
}

void blob_writer_abort(struct blob_writer *w)
{
    struct sosia_err unused, *err;
    if (!w)
        return;
    err = w->tx->err; /* why it is given up */
    w->tx->err = &unused;
    if (w->id)
        blob_delete(w->tx, w->id, w->length);
    w->tx->err = err;
    end(w);
}

/* ---- in several calls ---- */

int blob_writer_suspend(struct blob_writer *w, int64_t *ret)
{
    const struct blob now = {.length = w->length};
    struct blob open = {.length = -1};
    int rc = begin_row(w);
    open.id = w->id;
    if (rc == 0 && w->n)
        rc = write_chunk(w, w->waiting, w->n);
    if (rc == 0)
        rc = blob_learn(w->tx, &open, &now);
    if (rc < 0) {
        blob_writer_abort(w);
        return -1;
    }
    *ret = w->id;
    end(w);
    return 0;
}

int blob_writer_resume(struct tx *tx, int64_t id, int64_t expected, unsigned digests,
                       struct blob_writer **ret)
{
    static struct sql_text q =
        SQL_TEXT("select length from blob where id = :id and sha256 is null");
    int64_t length;
    int r = TX_INT(tx, &q, &length, id);
    if (r != 1)
        return r < 0 ? -1
                     : tx_fail(tx, SOSIA_E_NOT_FOUND, NULL, NULL, "there is no such open blob");
    struct blob_writer *w = make_writer(tx, expected, digests);
    if (!w)
        return -1;
    w->id = id;
    w->length = length;
    w->n = (size_t)(length % (int64_t)BLOB_CHUNK); /* the last chunk is written again */
    struct chunk_source s = {.tx = tx, .blob = id, .length = length, .chunk = -1};
    int rc = w->n ? chunk_source_copy(&s, length - (int64_t)w->n, w->n, w->waiting, tx->err) : 0;
    free(s.copy);
    if (rc < 0) {
        free(w);
        return -1;
    }
    *ret = w;
    return 0;
}

/* ---- at once ---- */

/* What these bytes are, and the blob that has them: 1, 0: there is none, ret has no id; -1. */
static int find_bytes(struct tx *tx, const void *data, size_t len, struct blob *ret)
{
    struct blob mine = {.length = (int64_t)len, .digests = BLOB_SHA256};
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, data, len, mine.sha256) < 0)
        return sosia_fail_memory(tx->err);
    int found = blob_find(tx, mine.sha256, mine.length, ret);
    if (!found)
        *ret = mine;
    return found;
}

/* A new one, of what find_bytes() has not found. */
static int add_bytes(struct tx *tx, const void *data, size_t len, struct blob *ret)
{
    const char *p = data;
    if (blob_insert(tx, ret, &ret->id) < 0)
        return -1;
    for (size_t at = 0; at < len; at += BLOB_CHUNK) {
        size_t n = len - at < BLOB_CHUNK ? len - at : BLOB_CHUNK;
        int64_t number = (int64_t)(at / BLOB_CHUNK);
        if (blob_insert_chunk(tx, chunk_id(ret->id, number), p + at, n) < 0)
            return -1;
    }
    return 0;
}

/* The rows of a blob that nobody else has become those of other bytes, which are in one chunk as
 * its own: 1; 0: somebody has it, or it has more. */
static int write_over(struct tx *tx, int64_t id, const void *data, size_t len,
                      const struct blob *blob)
{
    static struct sql_text q = SQL_TEXT(
        "update blob set length = :length, sha256 = :sha256, md5 = null, sha1 = null, quickxor = "
        "null, crc32c = null where id = :id and refs = 1 and length between 1 and :chunk");
    if (!len || len > BLOB_CHUNK)
        return 0;
    if (TX_RUN(tx, &q, blob->length, sql_blob(blob->sha256, sizeof blob->sha256), id,
               (int64_t)BLOB_CHUNK) < 0)
        return -1;
    if (!sqlite3_changes(slot_db(tx->db)))
        return 0;
    return blob_insert_chunk(tx, chunk_id(id, 0), data, len) < 0 ? -1 : 1;
}

int blob_exchange(struct tx *tx, int64_t id, const void *data, size_t len, struct blob *ret)
{
    int found = find_bytes(tx, data, len, ret);
    if (found < 0 || (found && ret->id == id))
        return found < 0 ? -1 : 0;
    int over = found ? 0 : write_over(tx, id, data, len, ret);
    if (over) {
        ret->id = id;
        return over < 0 ? -1 : 0;
    }
    if (blob_unref(tx, id) < 0)
        return -1;
    return found ? blob_ref(tx, ret->id) : add_bytes(tx, data, len, ret);
}

int blob_put(struct tx *tx, const void *data, size_t len, int64_t *ret)
{
    struct blob blob;
    int found = find_bytes(tx, data, len, &blob);
    if (found < 0 || (found ? blob_ref(tx, blob.id) : add_bytes(tx, data, len, &blob)) < 0)
        return -1;
    *ret = blob.id;
    return 0;
}
