/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contents: bytes that messages share. A content is found again by its hash and its bytes; the body
 * of a large part, which forwards have in other contents, is a blob of the engine's. Base64 that
 * can be made again to the letter is kept decoded: it is smaller, and read without work.
 */
#include "engine/base/codec.h"
#include "engine/blob/blob.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/core/mime/mime_impl.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

#define FILE_MIN 2048  /* bytes of a file's body that are in a blob */
#define TEXT_MIN 65536 /* of other parts */

#define LINE_LONGEST 200000 /* of base64 that is kept decoded */

/* ---- base64 that can be made again ---- */

enum { LINES_LF = 1, LINES_LAST = 2 };

static void write_lines(uint32_t lines, const char *data, size_t len, struct buf *out)
{
    size_t step = (lines >> 2) / 4 * 3;
    const char *end = lines & LINES_LF ? "\n" : "\r\n";
    for (size_t at = 0; at < len; at += step) {
        size_t n = len - at < step ? len - at : step;
        base64_add(out, data + at, n);
        if (at + n < len || lines & LINES_LAST)
            buf_puts(out, end);
    }
}

/* Of a part in base64: how its lines are, and its bytes decoded. 0: it can't be made again. */
static uint32_t lines_of(const char *data, size_t len, struct buf *decoded)
{
    struct buf again;
    const char *end = memchr(data, '\n', len);
    size_t line = end ? (size_t)(end - data) : len;
    bool lf = end && (line == 0 || data[line - 1] != '\r');
    if (end && !lf)
        line--;
    if (line < 4 || line % 4 || line > LINE_LONGEST)
        return 0;
    uint32_t lines =
        (uint32_t)line << 2 | (lf ? LINES_LF : 0) | (data[len - 1] == '\n' ? LINES_LAST : 0);
    mime_decode(MIME_BASE64, data, len, decoded);
    buf_init(&again, 0);
    write_lines(lines, decoded->data, decoded->len, &again);
    bool same = !buf_failed(&again) && !buf_failed(decoded) && decoded->len && again.len == len &&
                memcmp(again.data, data, len) == 0;
    buf_done(&again);
    return same ? lines : 0;
}

/* ---- contents ---- */

/* Puts large bodies into blobs and gathers the rest. */
static int split(struct tx *tx, struct mail_letter_text *text, struct buf *own)
{
    struct mime *m = &text->mime;
    size_t copied = 0;
    for (int i = 0; i < m->n; i++) {
        struct mime_part *p = &m->parts[i];
        const char *data = text->content + p->at;
        struct buf decoded;
        if (p->first >= 0 || p->len < (mime_is_file(m, i) ? FILE_MIN : TEXT_MIN))
            continue;
        buf_init(&decoded, 0);
        p->lines = p->encoding == MIME_BASE64 ? lines_of(data, p->len, &decoded) : 0;
        int rc = p->lines ? blob_put(tx, decoded.data, decoded.len, &p->blob)
                          : blob_put(tx, data, p->len, &p->blob);
        buf_done(&decoded);
        if (rc < 0)
            return -1;
        buf_add(own, text->content + copied, p->at - copied);
        copied = p->at + p->len;
    }
    buf_add(own, text->content + copied, text->content_len - copied);
    return buf_failed(own) ? sosia_fail_memory(tx->err) : 0;
}

/* Is this stored content the same bytes? 1, 0, -1. */
static int same_content(struct tx *tx, int64_t id, const struct mail_letter_text *text)
{
    struct mail_message_body b;
    struct buf out;
    if (mail_content_open(tx, id, &b) < 0)
        return -1;
    if (b.len != text->content_len)
        return 0;
    buf_init(&out, 0);
    int r = mail_content_range(tx, &b, 0, b.len, &out);
    if (r == 0)
        r = !buf_failed(&out) && out.len == b.len &&
            (b.len == 0 || memcmp(out.data, text->content, b.len) == 0);
    buf_done(&out);
    return r;
}

static int find_content(struct tx *tx, int64_t hash, const struct mail_letter_text *text,
                        int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select id from mail_content where hash = :hash");
    int64_t found[8];
    size_t n = 0;
    int r;
    sqlite3_stmt *st = TX_QUERY(tx, &q, hash);
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1 && n < SOSIA_LEN(found))
        found[n++] = sqlite3_column_int64(st, 0);
    if (r == 1)
        sql_done(st);
    if (r < 0)
        return -1;
    *ret = 0;
    for (size_t i = 0; i < n && !*ret; i++) {
        r = same_content(tx, found[i], text);
        if (r < 0)
            return -1;
        if (r)
            *ret = found[i];
    }
    return 0;
}

static int add_ref(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("update mail_content set refs = refs + 1 where id = :id");
    return TX_RUN(tx, &q, id);
}

static int insert_content(struct tx *tx, int64_t hash, const struct mail_letter_text *text,
                          const struct buf *tree, const struct buf *own)
{
    static struct sql_text q =
        SQL_TEXT("insert into mail_content (hash, size, refs, snippet, tree, own) "
                 "values (:hash, :size, 1, :snippet, :tree, :own)");
    return TX_RUN(tx, &q, hash, (int64_t)text->content_len, text->snippet,
                  sql_blob(tree->data, tree->len), sql_blob(own->data ? own->data : "", own->len));
}

int mail_content_store(struct tx *tx, struct mail_letter_text *text)
{
    struct buf own, tree;
    if (text->stored)
        return add_ref(tx, text->stored);
    int64_t hash = (int64_t)XXH3_64bits(text->content, text->content_len);
    if (find_content(tx, hash, text, &text->stored) < 0)
        return -1;
    if (text->stored)
        return add_ref(tx, text->stored);
    buf_init(&own, 0);
    buf_init(&tree, 0);
    int rc = split(tx, text, &own);
    if (rc == 0) {
        mime_pack(&text->mime, &tree);
        rc = buf_failed(&tree) ? sosia_fail_memory(tx->err)
                               : insert_content(tx, hash, text, &tree, &own);
    }
    buf_done(&own);
    buf_done(&tree);
    if (rc == 0)
        text->stored = tx_last_id(tx);
    return rc;
}

int mail_content_release(struct tx *tx, int64_t id)
{
    static struct sql_text q =
        SQL_TEXT("update mail_content set refs = refs - 1 where id = :id returning refs");
    static struct sql_text q_delete = SQL_TEXT("delete from mail_content where id = :id");
    struct mail_message_body b;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    bool last = r == 1 && sqlite3_column_int64(st, 0) <= 0;
    if (r == 1)
        sql_done(st);
    if (r < 0 || !last)
        return r < 0 ? -1 : 0;
    if (mail_content_open(tx, id, &b) < 0)
        return -1;
    for (int i = 0; i < b.mime.n; i++)
        if (b.mime.parts[i].blob && blob_unref(tx, b.mime.parts[i].blob) < 0)
            return -1;
    return TX_RUN(tx, &q_delete, id);
}

/* The bytes [from, to) of a body in base64 that is kept decoded. */
static int write_encoded(struct tx *tx, const struct mime_part *p, size_t from, size_t to,
                         struct buf *out)
{
    const char *data;
    size_t len;
    struct buf whole;
    int rc = 0;
    if (blob_load(tx, p->blob, &data, &len) < 0)
        return -1;
    buf_init(&whole, 0);
    write_lines(p->lines, data, len, &whole);
    if (buf_failed(&whole))
        rc = sosia_fail_memory(tx->err);
    else if (whole.len != p->len)
        rc = tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "a message's rows make no sense");
    else
        buf_add(out, whole.data + from, to - from);
    buf_done(&whole);
    return rc;
}

/* A part's body that is a blob, as it was. */
static int write_blob(struct tx *tx, const struct mime_part *p, size_t from, size_t to,
                      struct buf *out)
{
    return p->lines ? write_encoded(tx, p, from, to, out)
                    : blob_load_range(tx, p->blob, (int64_t)from, (int64_t)to, out);
}

int mail_content_range(struct tx *tx, const struct mail_message_body *b, size_t from, size_t to,
                       struct buf *out)
{
    size_t at = from, blobs = 0; /* bytes that are in blobs before `at` */
    for (int i = 0; i < b->mime.n && at < to; i++) {
        const struct mime_part *p = &b->mime.parts[i];
        if (!p->blob)
            continue;
        if (p->at + p->len <= at) {
            blobs += p->len;
            continue;
        }
        if (p->at >= to)
            break;
        if (p->at > at) {
            buf_add(out, b->own + (at - blobs), p->at - at);
            at = p->at;
        }
        size_t end = p->at + p->len < to ? p->at + p->len : to;
        if (write_blob(tx, p, at - p->at, end - p->at, out) < 0)
            return -1;
        at = end;
        blobs += p->len;
    }
    if (at < to)
        buf_add(out, b->own + (at - blobs), to - at);
    return buf_failed(out) ? sosia_fail_memory(tx->err) : 0;
}
