/* SPDX-License-Identifier: Apache-2.0 */
/* Blobs as rows, their references, and the clean-up after an import. */
#include "engine/blob/impl.h"
#include "engine/blob/blob.h"
#include "engine/store/row.h"
#include <stdlib.h>

/* ---- rows ---- */

#define BLOB_COLUMNS "b.id, b.length, b.sha256, b.md5, b.sha1, b.quickxor, b.crc32c"

/* Of a row with all digests: nothing of it stays in the arena. */
enum { ROW_ROOM = 256 };

static void read_digest(struct record *row, unsigned column, unsigned bit, size_t n, uint8_t *to,
                        struct blob *ret)
{
    size_t len;
    const char *bytes = record_blob(row, column, &len);
    if (len != n || !bytes)
        return;
    memcpy(to, bytes, n);
    ret->digests |= bit;
}

static struct blob read_blob(struct record *row)
{
    struct blob b = {.id = record_int(row, 0), .length = record_int(row, 1)};
    read_digest(row, 2, BLOB_SHA256, sizeof b.sha256, b.sha256, &b);
    read_digest(row, 3, BLOB_MD5, sizeof b.md5, b.md5, &b);
    read_digest(row, 4, BLOB_SHA1, sizeof b.sha1, b.sha1, &b);
    read_digest(row, 5, BLOB_QUICKXOR, sizeof b.quickxor, b.quickxor, &b);
    read_digest(row, 6, BLOB_CRC32C, sizeof b.crc32c, b.crc32c, &b);
    return b;
}

int blob_get(struct tx *tx, int64_t id, struct blob *ret)
{
    static struct row_table blobs = ROW_TABLE("blob", "b", BLOB_COLUMNS);
    char room[ROW_ROOM];
    struct record row = {.arena = tx->arena, .room = room, .room_size = sizeof room};
    int r = ROW_BY_ID(tx, &blobs, id, &row);
    if (r == 1 && record_is_null(&row, 2)) /* it is still being written */
        return 0;
    if (r == 1)
        *ret = read_blob(&row);
    return r;
}

int blob_find(struct tx *tx, const uint8_t sha256[32], int64_t length, struct blob *ret)
{
    static struct row_key by_content =
        ROW_KEY("blob", "b", BLOB_COLUMNS, "sha256 = ?1 and length = ?2");
    char room[ROW_ROOM];
    struct record row = {.arena = tx->arena, .room = room, .room_size = sizeof room};
    int r = ROW_BY_KEY(tx, &by_content, &row, sql_blob(sha256, 32), length);
    if (r == 1)
        *ret = read_blob(&row);
    return r;
}

/* NULL where it is not known. */
static struct sql_value digest(const struct blob *b, unsigned bit, const uint8_t *bytes, size_t n)
{
    return b->digests & bit ? sql_blob(bytes, n) : sql_null();
}
#define DIGESTS(b)                                                                                 \
    digest(b, BLOB_SHA256, (b)->sha256, sizeof(b)->sha256),                                        \
        digest(b, BLOB_MD5, (b)->md5, sizeof(b)->md5),                                             \
        digest(b, BLOB_SHA1, (b)->sha1, sizeof(b)->sha1),                                          \
        digest(b, BLOB_QUICKXOR, (b)->quickxor, sizeof(b)->quickxor),                              \
        digest(b, BLOB_CRC32C, (b)->crc32c, sizeof(b)->crc32c)

int blob_insert(struct tx *tx, const struct blob *blob, int64_t *ret_id)
{
    static struct sql_text q = SQL_TEXT(
        "insert into blob (refs, length, sha256, md5, sha1, quickxor, crc32c) values (1, :length, "
        ":sha256, :md5, :sha1, :quickxor, :crc32c)");
    if (TX_RUN(tx, &q, blob->length, DIGESTS(blob)) < 0)
        return -1;
    *ret_id = tx_last_id(tx);
    return 0;
}

int blob_insert_chunk(struct tx *tx, int64_t id, const void *data, size_t n)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into chunk (id, data) values (:id, :data)");
    return TX_RUN(tx, &q, id, sql_blob(data, n));
}

int blob_learn(struct tx *tx, const struct blob *known, const struct blob *found)
{
    static struct sql_text q =
        SQL_TEXT("update blob set length = :length, sha256 = coalesce(:sha256, sha256), "
                 "md5 = coalesce(:md5, md5), sha1 = coalesce(:sha1, sha1), quickxor = "
                 "coalesce(:quickxor, quickxor), crc32c = coalesce(:crc32c, crc32c) where id = "
                 ":id");
    if (!(found->digests & ~known->digests) && found->length == known->length)
        return 0;
    return TX_RUN(tx, &q, found->length, DIGESTS(found), known->id);
}

int blob_delete(struct tx *tx, int64_t id, int64_t length)
{
    static struct sql_text q = SQL_TEXT("delete from chunk where id >= :from and id < :to");
    static struct sql_text q_one = SQL_TEXT("delete from chunk where id = :id");
    static struct sql_text q_blob = SQL_TEXT("delete from blob where id = :id");
    int64_t from = chunk_id(id, 0), to = chunk_id(id, chunk_count(length));
    int rc = to == from + 1 ? TX_RUN(tx, &q_one, from) : TX_RUN(tx, &q, from, to);
    return rc < 0 ? -1 : TX_RUN(tx, &q_blob, id);
}

/* ---- references ---- */

/* How many references a blob has, and how long it is. */
static int refs_of(struct tx *tx, int64_t id, int64_t *ret_refs, int64_t *ret_length)
{
    static struct row_table blobs = ROW_TABLE("blob", "b", "b.refs, b.length");
    char room[ROW_ROOM];
    struct record row = {.arena = tx->arena, .room = room, .room_size = sizeof room};
    int r = ROW_BY_ID(tx, &blobs, id, &row);
    if (r != 1)
        return r < 0 ? -1 : tx_fail(tx, SOSIA_E_NOT_FOUND, NULL, NULL, "there is no such blob");
    *ret_refs = record_int(&row, 0);
    *ret_length = record_int(&row, 1);
    return 0;
}

/* To ask first and then to write is a third of the work of one statement with "returning", for
 * which SQLite makes a table of its own. */
static int add_refs(struct tx *tx, int64_t id, int64_t n, int64_t *ret_refs, int64_t *ret_length)
{
    static struct sql_text q = SQL_TEXT("update blob set refs = :refs where id = :id");
    if (refs_of(tx, id, ret_refs, ret_length) < 0)
        return -1;
    *ret_refs += n;
    return *ret_refs > 0 ? TX_RUN(tx, &q, *ret_refs, id) : 0;
}

int blob_ref(struct tx *tx, int64_t id)
{
    int64_t refs, length;
    return add_refs(tx, id, 1, &refs, &length);
}

int blob_unref(struct tx *tx, int64_t id)
{
    int64_t refs, length;
    if (add_refs(tx, id, -1, &refs, &length) < 0)
        return -1;
    return refs > 0 ? 0 : blob_delete(tx, id, length);
}

/* ---- imported worlds ---- */

static int refuse_blob(struct tx *tx, const char *what)
{
    return tx_fail(tx, SOSIA_E_INVALID, NULL, NULL, "a blob's %s", what);
}

/* Of every blob the chunks are there, each as long as it must be, and no others are. */
static int check_chunks(struct tx *tx)
{
    static const char *const queries[] = {
        "select 1 from blob where id not between 1 and 34359738367 or "
        "length not between 0 and 5497558138880 or length(sha256) <> 32 or length(md5) <> 16 or "
        "length(sha1) <> 20 or length(quickxor) <> 20 or length(crc32c) <> 4 or (sha256 is null "
        "and coalesce(md5, sha1, quickxor, crc32c) is not null) limit 1",
        "select 1 from blob where (select count(*) from chunk c where c.id >= blob.id << 28 and "
        "c.id < (blob.id + 1) << 28) <> (length + 65535) / 65536 limit 1",
        "select 1 from chunk where length(data) <> coalesce((select min(65536, b.length - "
        "((chunk.id & 268435455) << 16)) from blob b where b.id = chunk.id >> 28), -1) limit 1",
    };
    for (size_t i = 0; i < SOSIA_LEN(queries); i++) {
        sqlite3_stmt *st = NULL;
        if (sqlite3_prepare_v2(slot_db(tx->db), queries[i], -1, &st, NULL) != SQLITE_OK)
            return slot_fail(tx->db, tx->err);
        int r = sqlite3_step(st);
        sqlite3_finalize(st);
        if (r == SQLITE_ROW)
            return refuse_blob(tx, "chunks are not all there");
        if (r != SQLITE_DONE)
            return slot_fail(tx->db, tx->err);
    }
    return 0;
}

/* What the bytes of a blob are. */
static int digest_all(struct tx *tx, const struct blob *b, unsigned digests, struct blob *ret)
{
    struct chunk_source s;
    struct digester d;
    const uint8_t *data;
    size_t n;
    int rc = chunk_source_open(&s, tx, b->id);
    if (rc < 0)
        return -1;
    rc = digester_init(&d, digests, tx->err);
    for (int64_t at = 0; at < b->length && rc == 0; at += (int64_t)n)
        if ((rc = chunk_source_peek(&s, at, &data, &n, tx->err)) == 0)
            digester_add(&d, data, n);
    digester_end(&d, ret);
    free(s.copy);
    return rc;
}

int blob_digests(struct tx *tx, int64_t id, unsigned digests, struct blob *ret)
{
    struct blob all = {0};
    int r = blob_get(tx, id, ret);
    if (r != 1 || !(digests & ~ret->digests))
        return r;
    if (digest_all(tx, ret, digests | ret->digests, &all) < 0)
        return -1;
    all.id = ret->id;
    all.length = ret->length;
    if (tx->write && blob_learn(tx, ret, &all) < 0)
        return -1;
    *ret = all;
    return 1;
}

static int check_digests(struct tx *tx, const struct blob *b)
{
    struct blob is = {0};
    if (digest_all(tx, b, b->digests, &is) < 0)
        return -1;
    if (memcmp(is.sha256, b->sha256, sizeof is.sha256) != 0 ||
        ((b->digests & BLOB_MD5) && memcmp(is.md5, b->md5, sizeof is.md5) != 0) ||
        ((b->digests & BLOB_SHA1) && memcmp(is.sha1, b->sha1, sizeof is.sha1) != 0) ||
        ((b->digests & BLOB_QUICKXOR) &&
         memcmp(is.quickxor, b->quickxor, sizeof is.quickxor) != 0) ||
        ((b->digests & BLOB_CRC32C) && memcmp(is.crc32c, b->crc32c, sizeof is.crc32c) != 0))
        return refuse_blob(tx, "digest is not that of its bytes");
    return 0;
}

int blobs_check(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select id from blob where id > :id order by id limit 1");
    struct blob b;
    int rc = check_chunks(tx), found = rc == 0;
    for (int64_t id = 0; rc == 0 && (found = TX_INT(tx, &q, &id, id)) == 1;)
        if ((rc = blob_get(tx, id, &b)) == 1)
            rc = check_digests(tx, &b);
    return found < 0 ? -1 : rc;
}

int blobs_forget(struct tx *tx)
{
    return sql_exec(tx->db, "update blob set refs = 0", tx->err);
}

int blobs_collect(struct tx *tx)
{
    return sql_exec(tx->db,
                    "delete from chunk where id >> 28 in (select id from blob where refs <= 0);"
                    "delete from blob where refs <= 0",
                    tx->err);
}
