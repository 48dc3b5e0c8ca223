/* SPDX-License-Identifier: Apache-2.0 */
/* Blobs: written in pieces, there once, read by range, shared by forks, and none of it in memory.
 */
#include "engine/blob/exchange.h"
#include "engine/base/codec.h"
#include "engine/store/page_impl.h"
#include "engine/world/engine.h"
#include "tests/support/unit.h"
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct sosia_engine *engine;
static struct sosia_err err;
static struct worker *worker;
static struct world *world;
static struct tx tx;
static uint64_t id;

static void begin(bool write)
{
    worker = worker_take(engine, &err);
    world = world_take(engine, id, &err);
    assert_true(worker && world);
    assert_int_equal(tx_begin(&tx, engine, world, worker, write, world_now(world), &err), 0);
}

static void end(bool keep)
{
    if (keep && tx.write)
        assert_int_equal(tx_commit(&tx), 0);
    else
        tx_rollback(&tx);
    world_drop(world);
    worker_drop(worker);
}

static int open_world(void **state)
{
    static const char doc[] = "{\"sosia\":1,\"people\":[{\"email\":\"ada@acme.example\"}]}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    (void)state;
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        return -1;
    return sosia_world_create(engine, &opt, &id, &err);
}

static int close_world(void **state)
{
    (void)state;
    sosia_engine_close(engine);
    return 0;
}

static int64_t number(const char *text)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(slot_db(tx.db), text, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

/* Bytes that no two places share, and that are quick to make. */
static void fill(uint8_t *to, int64_t at, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint64_t place = (uint64_t)at + i, x = place / 8 * UINT64_C(0x9E3779B97F4A7C15);
        size_t skip = place % 8, k = n - i < 8 - skip ? n - i : 8 - skip;
        x >>= 8 * skip;
        memcpy(to + i, &x, k);
        i += k;
    }
}

static void write_filled(struct blob_writer *w, int64_t from, int64_t to, size_t step)
{
    uint8_t *piece = malloc(step);
    for (int64_t at = from; at < to; at += (int64_t)step) {
        size_t n = to - at < (int64_t)step ? (size_t)(to - at) : step;
        fill(piece, at, n);
        assert_int_equal(blob_writer_write(w, piece, n), 0);
    }
    free(piece);
}

static struct blob make(int64_t length, size_t step, unsigned digests)
{
    struct blob_writer *w;
    struct blob b;
    assert_int_equal(blob_writer_begin(&tx, BLOB_UNKNOWN, digests, &w), 0);
    write_filled(w, 0, length, step);
    assert_int_equal(blob_writer_length(w), length);
    assert_int_equal(blob_writer_finish(w, &b), 0);
    assert_int_equal(b.length, length);
    return b;
}

static void check_range(struct blob_reader *r, int64_t at, size_t len, size_t want)
{
    static uint8_t expected[BLOB_CHUNK];
    const void *data;
    size_t n;
    assert_int_equal(blob_reader_read(r, at, len, &data, &n, &err), 0);
    assert_int_equal(n, want);
    fill(expected, at, n);
    assert_memory_equal(data, expected, n);
}

static void assert_hex(const uint8_t *digest, size_t n, const char *want)
{
    char text[65];
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, want);
}

/* ---- rows ---- */

static void equal_bytes_are_there_once(void **state)
{
    int64_t a, b, c;
    struct blob blob;
    (void)state;
    begin(true);
    assert_int_equal(blob_put(&tx, "abc", 3, &a), 0);
    assert_int_equal(blob_put(&tx, "abc", 3, &b), 0);
    assert_int_equal(blob_put(&tx, "abd", 3, &c), 0);
    assert_int_equal(a, b);
    assert_int_not_equal(a, c);
    assert_int_equal(number("select refs from blob where id = 1"), 2);
    assert_int_equal(number("select count(*) from chunk"), 2);
    assert_int_equal(blob_get(&tx, a, &blob), 1);
    assert_int_equal(blob.digests, BLOB_SHA256);
    assert_hex(blob.sha256, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_int_equal(blob_find(&tx, blob.sha256, 3, &blob), 1);
    assert_int_equal(blob.id, a);
    assert_int_equal(blob_find(&tx, blob.sha256, 4, &blob), 0);
    assert_int_equal(blob_unref(&tx, a), 0);
    assert_int_equal(number("select count(*) from blob"), 2);
    assert_int_equal(blob_unref(&tx, a), 0);
    assert_int_equal(blob_unref(&tx, c), 0);
    assert_int_equal(number("select count(*) from blob"), 0);
    assert_int_equal(number("select count(*) from chunk"), 0);
    assert_int_equal(blob_unref(&tx, a), -1);
    assert_int_equal(err.code, SOSIA_E_NOT_FOUND);
    end(true);
}

/* The only reference takes the blob itself along; one of two leaves it to the other. */
static void a_reference_becomes_one_to_other_bytes(void **state)
{
    static uint8_t large[BLOB_CHUNK + 1];
    int64_t a;
    struct blob blob;
    (void)state;
    begin(true);
    assert_int_equal(blob_put(&tx, "abc", 3, &a), 0);
    assert_int_equal(blob_digests(&tx, a, BLOB_MD5, &blob), 1);
    assert_int_equal(blob_exchange(&tx, a, "abc", 3, &blob), 0);
    assert_int_equal(blob.id, a);
    assert_int_equal(number("select refs from blob"), 1);
    assert_int_equal(blob_exchange(&tx, a, "abcd", 4, &blob), 0);
    assert_int_equal(blob.id, a);
    assert_int_equal(blob_get(&tx, a, &blob), 1);
    assert_int_equal(blob.length, 4);
    assert_int_equal(blob.digests, BLOB_SHA256);
    assert_hex(blob.sha256, 32, "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589");
    assert_int_equal(number("select data = cast('abcd' as blob) from chunk"), 1);
    assert_int_equal(blobs_check(&tx), 0);
    /* Somebody else has it. */
    assert_int_equal(blob_ref(&tx, a), 0);
    assert_int_equal(blob_exchange(&tx, a, "abe", 3, &blob), 0);
    assert_int_not_equal(blob.id, a);
    assert_int_equal(number("select refs from blob where length = 4"), 1);
    assert_int_equal(blob_exchange(&tx, blob.id, "abcd", 4, &blob), 0); /* which is there */
    assert_int_equal(blob.id, a);
    assert_int_equal(number("select refs from blob"), 2);
    assert_int_equal(blob_unref(&tx, a), 0);
    /* More than a chunk, and back. */
    assert_int_equal(blob_exchange(&tx, a, large, sizeof large, &blob), 0);
    assert_int_equal(number("select count(*) from chunk"), 2);
    assert_int_equal(blob_exchange(&tx, blob.id, "x", 1, &blob), 0);
    assert_int_equal(number("select count(*) from chunk"), 1);
    assert_int_equal(blobs_check(&tx), 0);
    assert_int_equal(blob_unref(&tx, blob.id), 0);
    assert_int_equal(number("select count(*) from blob"), 0);
    assert_int_equal(blob_exchange(&tx, a, "abc", 3, &blob), -1);
    assert_int_equal(err.code, SOSIA_E_NOT_FOUND);
    end(true);
}

/* Published values of both sums: of no bytes, within the ring of 160, around it. */
static void sums_are_as_published(void **state)
{
    static const struct {
        const char *bytes, *quickxor, *crc32c; /* in base64; NULL: not published */
    } known[] = {
        {"", "AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "AAAAAA=="},
        {"Sg==", "SgAAAAAAAAAAAAAAAQAAAAAAAAA=", NULL},
        {"2fuxhBJXtpWFe8dOfdGeHw==", "O9tHLAghgSvYohKFyMMxnNCHaHg=", NULL},
        {"ikwCorI7PKWz17EI50jZCGbV9JU2E8bXVfxNMg5zdmqSZ2NlsQPp0kqYIPjzwTg1MBtfWPg53k0h0P2naJNEVgrqp"
         "oHT"
         "fV2b3pJ4m0zYPTJmUX4Bg/lOxcnCxAYKU29Y5F0U8Quz7ZXFBEweftXxJ7RS4r6N7BzJrPsLhY7hgck=",
         "imAoFvCWlDn4yVw3/oq1PDbbm6U=", NULL},
        {"MTIzNDU2Nzg5", NULL, "4waSgw=="}, /* 123456789: 0xe3069283 */
        {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", NULL, "ipE2qg=="}, /* RFC 3720, B.4 */
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(known); i++) {
        uint8_t *bytes, *sum;
        size_t n, len;
        struct blob b;
        begin(true);
        assert_int_equal(
            base64_decode(tx.arena, known[i].bytes, strlen(known[i].bytes), &bytes, &n), 0);
        for (size_t piece = 1; piece < 4; piece++) {
            struct blob_writer *w;
            assert_int_equal(blob_writer_begin(&tx, BLOB_UNKNOWN, BLOB_QUICKXOR | BLOB_CRC32C, &w),
                             0);
            for (size_t at = 0; at < n; at += piece)
                assert_int_equal(blob_writer_write(w, bytes + at, n - at < piece ? n - at : piece),
                                 0);
            assert_int_equal(blob_writer_finish(w, &b), 0);
            const char *want[] = {known[i].quickxor, known[i].crc32c};
            const uint8_t *got[] = {b.quickxor, b.crc32c};
            for (size_t k = 0; k < 2; k++) {
                if (!want[k])
                    continue;
                assert_int_equal(base64_decode(tx.arena, want[k], strlen(want[k]), &sum, &len), 0);
                assert_memory_equal(got[k], sum, len);
            }
        }
        end(true);
    }
}

/* Sums that were not asked for when the bytes came are computed when they are. */
static void digests_are_learned(void **state)
{
    struct blob b, more;
    (void)state;
    begin(true);
    b = make(200000, 7000, 0);
    assert_int_equal(b.digests, BLOB_SHA256);
    assert_int_equal(blob_digests(&tx, b.id, BLOB_MD5 | BLOB_QUICKXOR, &more), 1);
    assert_int_equal(more.digests, BLOB_SHA256 | BLOB_MD5 | BLOB_QUICKXOR);
    assert_int_equal(blob_digests(&tx, b.id, BLOB_CRC32C, &more), 1);
    assert_int_equal(more.digests, BLOB_SHA256 | BLOB_MD5 | BLOB_QUICKXOR | BLOB_CRC32C);
    assert_int_equal(blob_get(&tx, b.id, &b), 1);
    assert_int_equal(b.digests, more.digests);
    assert_memory_equal(b.quickxor, more.quickxor, sizeof b.quickxor);
    assert_int_equal(blob_digests(&tx, b.id + 1, BLOB_MD5, &more), 0);
    end(true);
}

static void no_bytes_are_a_blob_too(void **state)
{
    struct blob_reader *r;
    const char *text;
    size_t n;
    int64_t other;
    (void)state;
    begin(true);
    struct blob b = make(0, 1, BLOB_MD5 | BLOB_SHA1);
    assert_hex(b.md5, 16, "d41d8cd98f00b204e9800998ecf8427e");
    assert_hex(b.sha1, 20, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    assert_int_equal(blob_put(&tx, NULL, 0, &other), 0);
    assert_int_equal(other, b.id);
    assert_int_equal(blob_load(&tx, b.id, &text, &n), 0);
    assert_int_equal(n, 0);
    assert_string_equal(text, "");
    end(true);
    begin(false);
    assert_int_equal(blob_reader_open(&tx, b.id, &r), 0);
    assert_int_equal(blob_reader_length(r), 0);
    check_range(r, 0, 10, 0);
    blob_reader_close(r);
    end(false);
}

/* What says that it is one: nothing looks at its bytes before. */
static void a_blob_beyond_memory_is_not_loaded(void **state)
{
    const char *text;
    size_t n;
    int64_t blob;
    (void)state;
    begin(true);
    assert_int_equal(blob_put(&tx, "x", 1, &blob), 0);
    assert_int_equal(
        sqlite3_exec(slot_db(tx.db), "update blob set length = 5368709120", NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(blob_load(&tx, blob, &text, &n), -1);
    assert_int_equal(err.code, SOSIA_E_NO_MEMORY);
    end(false);
}

static void a_digest_can_be_asked_for_later(void **state)
{
    struct blob b;
    (void)state;
    begin(true);
    struct blob first = make(100000, 7000, 0), second = make(100000, 100000, BLOB_MD5);
    assert_int_equal(first.id, second.id);
    assert_int_equal(first.digests, BLOB_SHA256);
    assert_int_equal(number("select count(*) from chunk"), 2);
    assert_int_equal(number("select refs from blob"), 2);
    assert_int_equal(blob_get(&tx, first.id, &b), 1);
    assert_int_equal(b.digests, BLOB_SHA256 | BLOB_MD5);
    assert_memory_equal(b.md5, second.md5, 16);
    end(true);
}

/* ---- writing ---- */

static void pieces_of_any_size_make_the_same_blob(void **state)
{
    static const int64_t lengths[] = {1, 2043, 65535, 65536, 65537, 131072, 200001};
    static const size_t steps[] = {1, 4096, 65536, 70000};
    (void)state;
    begin(true);
    for (size_t i = 0; i < SOSIA_LEN(lengths); i++) {
        int64_t first = 0;
        for (size_t k = 0; k < SOSIA_LEN(steps); k++) {
            struct blob b = make(lengths[i], steps[k], 0);
            assert_true(!first || first == b.id);
            first = b.id;
        }
        uint8_t *all = malloc((size_t)lengths[i]);
        int64_t put;
        fill(all, 0, (size_t)lengths[i]);
        assert_int_equal(blob_put(&tx, all, (size_t)lengths[i], &put), 0);
        assert_int_equal(put, first);
        const char *loaded;
        size_t n;
        assert_int_equal(blob_load(&tx, first, &loaded, &n), 0);
        assert_int_equal(n, lengths[i]);
        assert_memory_equal(loaded, all, n);
        free(all);
    }
    assert_int_equal(number("select count(*) from blob"), SOSIA_LEN(lengths));
    assert_int_equal(number("select sum(length(data)) from chunk"),
                     number("select sum(length) from blob"));
    end(true);
}

/* From 1 MiB on MD5 is computed by another thread, which gets the bytes in pieces of 64 KiB. */
static void digests_of_many_bytes_are_those_of_all_of_them(void **state)
{
    static const int64_t lengths[] = {(1 << 20) - 1, 1 << 20, (1 << 20) + 1, (1 << 20) + 65537,
                                      (9 << 20) + 7};
    static const size_t steps[] = {2044, 65536, 1000003};
    (void)state;
    begin(true);
    for (size_t i = 0; i < SOSIA_LEN(lengths); i++) {
        size_t n = (size_t)lengths[i];
        uint8_t *all = malloc(n), md5[16], sha1[20], sha256[32];
        fill(all, 0, n);
        assert_int_equal(gnutls_hash_fast(GNUTLS_DIG_MD5, all, n, md5), 0);
        assert_int_equal(gnutls_hash_fast(GNUTLS_DIG_SHA1, all, n, sha1), 0);
        assert_int_equal(gnutls_hash_fast(GNUTLS_DIG_SHA256, all, n, sha256), 0);
        free(all);
        for (size_t k = 0; k < SOSIA_LEN(steps); k++) {
            struct blob b = make(lengths[i], steps[k], BLOB_MD5 | BLOB_SHA1);
            assert_memory_equal(b.md5, md5, sizeof md5);
            assert_memory_equal(b.sha1, sha1, sizeof sha1);
            assert_memory_equal(b.sha256, sha256, sizeof sha256);
            assert_int_equal(blob_unref(&tx, b.id), 0); /* so that none is there already */
        }
    }
    end(true);
}

static void many_bytes_can_be_given_up(void **state)
{
    struct blob_writer *w;
    (void)state;
    begin(true);
    for (int64_t n = (1 << 20) - 65536; n < (3 << 20); n += 100000) {
        assert_int_equal(blob_writer_begin(&tx, BLOB_UNKNOWN, BLOB_MD5, &w), 0);
        write_filled(w, 0, n, 65536);
        blob_writer_abort(w);
    }
    assert_int_equal(number("select count(*) from blob"), 0);
    assert_int_equal(number("select count(*) from chunk"), 0);
    end(true);
}

static void the_length_that_was_said_must_come(void **state)
{
    struct blob_writer *w;
    struct blob b;
    (void)state;
    begin(true);
    assert_int_equal(blob_writer_begin(&tx, 70000, 0, &w), 0);
    write_filled(w, 0, 70000, 1000);
    assert_int_equal(blob_writer_write(w, "x", 1), -1);
    assert_int_equal(err.code, SOSIA_E_INVALID);
    assert_string_equal(err.reason, "length");
    blob_writer_abort(w);
    assert_int_equal(number("select count(*) from blob"), 0);
    assert_int_equal(number("select count(*) from chunk"), 0);
    assert_int_equal(blob_writer_begin(&tx, 70000, 0, &w), 0);
    write_filled(w, 0, 69999, 1000);
    assert_int_equal(blob_writer_finish(w, &b), -1);
    assert_string_equal(err.reason, "length");
    assert_int_equal(number("select count(*) from chunk"), 0);
    assert_int_equal(blob_writer_begin(&tx, 70000, 0, &w), 0);
    write_filled(w, 0, 70000, 1000);
    assert_int_equal(blob_writer_finish(w, &b), 0);
    assert_int_equal(blob_writer_begin(&tx, BLOB_MAX + 1, 0, &w), -1);
    assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
    end(true);
}

static void other_calls_go_on_with_a_blob(void **state)
{
    static const int64_t stops[] = {0, 10, 65536, 65540, 65541, 300000};
    struct blob_writer *w;
    struct blob_reader *r;
    struct blob b;
    int64_t open;
    (void)state;
    begin(true);
    assert_int_equal(blob_writer_begin(&tx, BLOB_UNKNOWN, 0, &w), 0);
    assert_int_equal(blob_writer_suspend(w, &open), 0);
    end(true);
    for (size_t i = 1; i < SOSIA_LEN(stops); i++) {
        begin(true);
        assert_int_equal(blob_get(&tx, open, &b), 0);
        assert_int_equal(blob_reader_open(&tx, open, &r), -1);
        assert_int_equal(err.code, SOSIA_E_NOT_FOUND);
        assert_int_equal(blob_writer_resume(&tx, open, 300000, BLOB_MD5, &w), 0);
        assert_int_equal(blob_writer_length(w), stops[i - 1]);
        write_filled(w, stops[i - 1], stops[i], 5000);
        if (i + 1 < SOSIA_LEN(stops))
            assert_int_equal(blob_writer_suspend(w, &open), 0);
        else
            assert_int_equal(blob_writer_finish(w, &b), 0);
        end(true);
    }
    begin(true);
    struct blob same = make(300000, 65536, BLOB_MD5);
    assert_int_equal(same.id, b.id);
    assert_memory_equal(same.md5, b.md5, 16);
    assert_int_equal(number("select sum(length(data)) from chunk"), 300000);
    assert_int_equal(blob_writer_resume(&tx, b.id, BLOB_UNKNOWN, 0, &w), -1);
    assert_int_equal(err.code, SOSIA_E_NOT_FOUND);
    /* One that is given up in the end. */
    assert_int_equal(blob_writer_begin(&tx, BLOB_UNKNOWN, 0, &w), 0);
    write_filled(w, 7, 200000, 5000);
    assert_int_equal(blob_writer_suspend(w, &open), 0);
    assert_int_equal(blob_unref(&tx, open), 0);
    assert_int_equal(number("select sum(length(data)) from chunk"), 300000);
    end(true);
}

/* ---- reading ---- */

static void any_range_can_be_read(void **state)
{
    enum { LENGTH = 200001 };
    struct blob_reader *r;
    uint64_t seed = 1;
    (void)state;
    begin(true);
    struct blob b = make(LENGTH, 65536, 0);
    for (int pass = 0; pass < 2; pass++) { /* from a statement, from the pages */
        assert_int_equal(blob_reader_open(&tx, b.id, &r), 0);
        assert_int_equal(blob_reader_lasts(r), pass);
        assert_int_equal(blob_reader_length(r), LENGTH);
        for (int i = 0; i < 3000; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            int64_t at = (int64_t)((seed >> 33) % (LENGTH + 1));
            size_t len = (seed >> 20) % (i % 2 ? 100 : BLOB_CHUNK + 1);
            check_range(r, at, len, at + (int64_t)len > LENGTH ? (size_t)(LENGTH - at) : len);
        }
        check_range(r, 0, SIZE_MAX, BLOB_CHUNK);
        check_range(r, LENGTH + 5, 10, 0);
        check_range(r, -1, 10, 0);
        blob_reader_close(r);
        end(true);
        begin(false);
    }
    end(false);
}

static void bytes_on_a_page_are_given_where_they_are(void **state)
{
    struct blob_reader *r;
    const void *a, *b, *all;
    size_t n, m, runs = 0;
    (void)state;
    begin(true);
    struct blob blob = make(100000, 65536, 0);
    end(true);
    begin(false);
    assert_int_equal(blob_reader_open(&tx, blob.id, &r), 0);
    for (int64_t at = 0; at < 100000; at += (int64_t)n, runs++) {
        uint8_t expected[STORE_PAGE_SIZE];
        assert_int_equal(blob_reader_peek(r, at, &a, &n, &err), 0);
        assert_in_range(n, 1, STORE_PAGE_SIZE - 4);
        fill(expected, at, n);
        assert_memory_equal(a, expected, n);
        assert_int_equal(blob_reader_read(r, at, n, &all, &m, &err), 0);
        assert_ptr_equal(a, all);
        assert_int_equal(blob_reader_peek(r, at + (int64_t)n - 1, &b, &m, &err), 0);
        assert_ptr_equal(b, (const uint8_t *)a + n - 1);
        assert_int_equal(m, 1);
    }
    assert_in_range(runs, 48, 55);
    blob_reader_close(r);
    end(false);
}

static void a_reader_outlives_the_transaction_and_the_blob(void **state)
{
    struct blob_reader *r, *other;
    (void)state;
    begin(true);
    struct blob b = make(500000, 65536, 0);
    end(true);
    begin(false);
    assert_int_equal(blob_reader_open(&tx, b.id, &r), 0);
    end(false);
    world = world_take(engine, id, &err);
    assert_int_equal(blob_reader_open_tree(&world->now, b.id, &other, &err), 0);
    struct blob_reader *none;
    assert_int_equal(blob_reader_open_tree(&world->now, b.id + 1, &none, &err), -1);
    assert_int_equal(err.code, SOSIA_E_NOT_FOUND);
    world_drop(world);
    begin(true);
    assert_int_equal(blob_unref(&tx, b.id), 0);
    make(600000, 4000, 0); /* takes the free pages */
    end(true);
    assert_int_equal(sosia_world_drop(engine, id, &err), 0);
    for (int64_t at = 0; at < 500000; at += 40000) {
        check_range(r, at, 40000, at + 40000 > 500000 ? 20000 : 40000);
        check_range(other, at, 40000, at + 40000 > 500000 ? 20000 : 40000);
    }
    blob_reader_close(r);
    blob_reader_close(other);
}

/* ---- much ---- */

static int64_t resident(void)
{
    long long size, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lld %lld", &size, &pages), 2);
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

static void a_large_blob_needs_no_memory_but_its_pages(void **state)
{
    const int64_t length = INT64_C(200) << 20, room = INT64_C(16) << 20;
    struct blob_reader *r;
    uint64_t fork;
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* its allocator keeps what is freed */
#endif
    int64_t stored = (int64_t)store_size(engine->store), before = resident();
    begin(true);
    struct blob b = make(length, BLOB_CHUNK, BLOB_MD5);
    end(true);
    int64_t pages = (int64_t)store_size(engine->store) - stored;
    assert_in_range(pages, length, length + length / 20);
    assert_in_range(resident() - before, 0, pages + room);
    before = resident();
    begin(false);
    assert_int_equal(blob_reader_open(&tx, b.id, &r), 0);
    end(false);
    for (int64_t at = 0; at < length; at += (int64_t)BLOB_CHUNK)
        check_range(r, at, BLOB_CHUNK, BLOB_CHUNK);
    check_range(r, length / 2 + 12345, 777, 777);
    assert_in_range(resident() - before + room, 0, 2 * room);

    /* A fork has a reference to all of it and nothing of its own. */
    stored = (int64_t)store_size(engine->store);
    assert_int_equal(sosia_world_fork(engine, id, NULL, &fork, &err), 0);
    assert_int_equal((int64_t)store_size(engine->store), stored);
    assert_int_equal(sosia_world_drop(engine, id, &err), 0);
    check_range(r, length - 100, 1000, 100);
    blob_reader_close(r);
    id = fork;
    begin(true);
    make(length, BLOB_CHUNK, 0); /* again: it is there once */
    assert_int_equal(number("select refs from blob"), 2);
    end(true);
    stored = (int64_t)store_size(engine->store) - stored;
    assert_in_range(stored + length, 0, 2 * length);
    assert_in_range(stored, 0, length / 10);
}

/* ---- failures ---- */

static void nothing_is_left_of_what_failed(void **state)
{
    (void)state;
    bool done = false;
    for (int64_t n = 1; !done && n < 2000; n += 7) {
        struct blob_writer *w;
        struct blob b;
        uint8_t piece[5000];
        begin(true);
        store_fail_after(engine->store, n);
        int rc = blob_writer_begin(&tx, BLOB_UNKNOWN, 0, &w);
        assert_int_equal(rc, 0);
        for (int64_t at = 0; at < 900000 && rc == 0; at += (int64_t)sizeof piece) {
            fill(piece, at, sizeof piece);
            rc = blob_writer_write(w, piece, sizeof piece);
        }
        if (rc < 0)
            blob_writer_abort(w);
        else
            rc = blob_writer_finish(w, &b);
        store_fail_after(engine->store, 0);
        done = rc == 0;
        end(false);
        begin(false);
        assert_int_equal(number("select count(*) from chunk"), 0);
        end(false);
    }
    assert_true(done);
}

/* ---- imported worlds ---- */

static char path[] = "/tmp/sosia-blob-XXXXXX";

static int import_changed(const char *change)
{
    uint64_t copy;
    sqlite3 *db;
    assert_int_equal(sosia_world_export(engine, id, path, &err), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, change, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    int rc = sosia_world_import(engine, path, NULL, &copy, &err);
    if (rc < 0)
        return -1;
    uint64_t kept = id;
    id = copy;
    begin(false);
    assert_int_equal(number("select (select count(*) from blob) + (select count(*) from chunk)"),
                     0);
    end(false);
    id = kept;
    return 0;
}

static void an_imported_blob_is_what_it_says(void **state)
{
    static const char *const changes[] = {
        "update chunk set data = zeroblob(length(data)) where id = (select max(id) from chunk)",
        "update chunk set data = zeroblob(5) where id = (select min(id) from chunk)",
        "delete from chunk where id = (select min(id) from chunk)",
        "update chunk set id = id + 1 where id = (select max(id) from chunk)",
        "insert into chunk (id, data) values (5 << 28, x'00')",
        "update blob set length = length + 1",
        "update blob set length = -1",
        "update blob set sha256 = zeroblob(32)",
        "update blob set sha256 = x'00'",
        "update blob set md5 = zeroblob(16)",
        "update blob set sha256 = null",
    };
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    begin(true);
    make(100000, 65536, BLOB_MD5);
    end(true);
    for (size_t i = 0; i < SOSIA_LEN(changes); i++) {
        assert_int_equal(import_changed(changes[i]), -1);
        assert_int_equal(err.code, SOSIA_E_INVALID);
    }
    /* As it is; and it has no reference, whatever its count is. */
    assert_int_equal(import_changed("update blob set refs = 7"), 0);
    unlink(path);
}

#define blob_test(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        blob_test(equal_bytes_are_there_once),
        blob_test(a_reference_becomes_one_to_other_bytes),
        blob_test(sums_are_as_published),
        blob_test(digests_are_learned),
        blob_test(no_bytes_are_a_blob_too),
        blob_test(a_blob_beyond_memory_is_not_loaded),
        blob_test(a_digest_can_be_asked_for_later),
        blob_test(pieces_of_any_size_make_the_same_blob),
        blob_test(digests_of_many_bytes_are_those_of_all_of_them),
        blob_test(many_bytes_can_be_given_up),
        blob_test(the_length_that_was_said_must_come),
        blob_test(other_calls_go_on_with_a_blob),
        blob_test(any_range_can_be_read),
        blob_test(bytes_on_a_page_are_given_where_they_are),
        blob_test(a_reader_outlives_the_transaction_and_the_blob),
        blob_test(a_large_blob_needs_no_memory_but_its_pages),
        blob_test(nothing_is_left_of_what_failed),
        blob_test(an_imported_blob_is_what_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
