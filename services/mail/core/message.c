/* SPDX-License-Identifier: Apache-2.0 */
/* Reading messages. */
#include "engine/world/ids.h"
#include "engine/base/utf8.h"
#include "engine/blob/blob.h"
#include "engine/store/scan.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/core/mime/mime_impl.h"
#include "engine/base/codec.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

int64_t mail_message_id_hash(const char *id)
{
    int64_t hash = (int64_t)XXH3_64bits(id, strlen(id));
    return hash ? hash : 1;
}

int mail_message_read(sqlite3_stmt *st, struct mail_message *row)
{
    int at = 1;
    row->id = sqlite3_column_int64(st, 0);
    MESSAGE(COLUMN_READ)
    return at;
}

static struct record_text message_record = RECORD_TEXT("mail_message", MESSAGE_COLUMNS);

#define FROM_RECORD(column, member, kind) row->member = record_int(rec, at++);

static void message_of_record(const struct record *rec, struct mail_message *row)
{
    unsigned at = 1;
    row->id = record_int(rec, 0);
    MESSAGE(FROM_RECORD)
}

static int read_one_message(struct tx *tx, sqlite3_stmt *st, struct mail_message *ret)
{
    int r = TX_STEP(tx, st);
    if (r == 1) {
        mail_message_read(st, ret);
        sql_done(st);
    }
    return r;
}

int mail_message_rows(struct tx *tx, sqlite3_stmt *st, struct mail_message **ret, size_t *ret_n)
{
    size_t n = 0, cap = 0;
    struct mail_message *list = NULL;
    int r;
    while ((r = TX_STEP(tx, st)) == 1) {
        if (!(list = arena_grow(tx->arena, list, n, &cap, sizeof *list))) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        mail_message_read(st, &list[n++]);
    }
    *ret = list;
    *ret_n = n;
    return r;
}

int mail_message_get(struct tx *tx, int64_t mailbox, int64_t key, struct mail_message *ret)
{
    static struct sql_text q = SQL_TEXT("select " MESSAGE_COLUMNS " from mail_message m "
                                        "where m.key = :key and m.mailbox = :mailbox");
    static struct record_text index = INDEX_TEXT("sqlite_autoindex_mail_message_1", "rowid");
    struct record rec = {.arena = tx->arena};
    int r = TX_SCAN_ROW(tx, &index, &message_record, &rec, key, mailbox);
    if (r == 1)
        message_of_record(&rec, ret);
    if (r != RECORD_STATEMENT)
        return r;
    return read_one_message(tx, TX_QUERY(tx, &q, key, mailbox), ret);
}

int mail_message_row_get(struct tx *tx, int64_t id, struct record *rec, struct mail_message *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " MESSAGE_COLUMNS " from mail_message m where m.id = :id");
    int r = record_find(tx->db, &message_record, id, rec);
    if (r == 1)
        message_of_record(rec, ret);
    if (r != RECORD_STATEMENT)
        return r;
    return read_one_message(tx, TX_QUERY(tx, &q, id), ret);
}

int mail_message_by_id(struct tx *tx, int64_t id, struct mail_message *ret)
{
    struct record rec = {.arena = tx->arena};
    return mail_message_row_get(tx, id, &rec, ret);
}

int mail_message_id_taken(struct tx *tx, const char *message_id)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from mail_message where message_id = :hash limit 1");
    const char **ids;
    int64_t one;
    size_t n;
    mime_ids(tx->arena, message_id, &ids, &n);
    return n ? TX_INT(tx, &q, &one, mail_message_id_hash(ids[0])) : 0;
}

int mail_message_by_message_id(struct tx *tx, int64_t mailbox, const char *message_id,
                               struct mail_message **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select " MESSAGE_COLUMNS " from mail_message m where m.message_id = :hash "
                 "and m.mailbox = :mailbox order by m.id");
    const char **ids;
    size_t n;
    mime_ids(tx->arena, message_id, &ids, &n);
    *ret = NULL;
    *ret_n = 0;
    if (!n)
        return 0;
    return mail_message_rows(tx, TX_QUERY(tx, &q, mail_message_id_hash(ids[0]), mailbox), ret,
                             ret_n);
}

/* ---- folders ---- */

int mail_message_own_folders(struct tx *tx, const struct mail_message *m, int64_t **ret,
                             size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select folder from mail_message_folder where message = :message order by folder");
    *ret = NULL;
    *ret_n = 0;
    return m->flags & FLAG_OWN_FOLDERS ? ids_all(tx, TX_QUERY(tx, &q, m->id), ret, ret_n) : 0;
}

int mail_message_folders(struct tx *tx, const struct mail_message *m, int64_t **ret, size_t *ret_n)
{
    int64_t *own;
    size_t n_own, n = 0;
    if (mail_message_own_folders(tx, m, &own, &n_own) < 0)
        return -1;
    int64_t *list = arena_alloc(tx->arena, (n_own + N_PLACES) * sizeof *list);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (uint32_t places = m->flags & FLAGS_FIXED; places; places &= places - 1)
        list[n++] = mail_folder_id(m->mailbox, __builtin_ctz(places));
    for (size_t i = 0; i < n_own; i++)
        list[n++] = own[i];
    *ret = list;
    *ret_n = n;
    return 0;
}

/* ---- texts and bytes ---- */

static int broken(struct tx *tx)
{
    return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "a message's rows make no sense");
}

int mail_message_snippet(struct tx *tx, const struct mail_message *m, const char **ret)
{
    const struct mail_vendor *v = mail_vendor_of(tx, m->mailbox);
    if (!v || v->snippet)
        return v ? v->snippet(tx, m, ret) : -1;

    static struct sql_text q = SQL_TEXT("select snippet from mail_content where id = :id");
    static struct record_text record = RECORD_TEXT("mail_content", "snippet");
    struct record row = {.arena = tx->arena};
    int r = record_find(tx->db, &record, m->content, &row);
    if (r == 1 && (*ret = record_text(&row, 0)))
        return 0;
    sqlite3_stmt *st;
    r = TX_ROW(tx, &q, &st, m->content);
    if (r != 1)
        return r < 0 ? -1 : broken(tx);
    *ret = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 0));
    sql_done(st);
    return 0;
}

/* A blob column in the arena, with a NUL behind it. */
static const char *blob_of(struct tx *tx, sqlite3_stmt *st, int column, size_t *ret_len)
{
    const void *data = sqlite3_column_blob(st, column);
    *ret_len = (size_t)sqlite3_column_bytes(st, column);
    return arena_memdup(tx->arena, data ? data : "", *ret_len);
}

int mail_message_head(struct tx *tx, const struct mail_message *m, const char **ret,
                      size_t *ret_len)
{
    static struct sql_text q = SQL_TEXT("select head from mail_message_head where id = :id");
    static struct record_text record = RECORD_TEXT("mail_message_head", "head");
    struct record row = {.arena = tx->arena};
    int r = record_find(tx->db, &record, m->id, &row);
    if (r == 1 && (*ret = record_blob(&row, 0, ret_len)))
        return 0;
    sqlite3_stmt *st;
    r = TX_ROW(tx, &q, &st, m->id);
    if (r != 1)
        return r < 0 ? -1 : broken(tx);
    *ret = blob_of(tx, st, 0, ret_len);
    sql_done(st);
    return 0;
}

int mail_message_open(struct tx *tx, const struct mail_message *m, struct mail_message_body *ret)
{
    if (mail_content_open(tx, m->content, ret) < 0)
        return -1;
    return mail_message_head(tx, m, &ret->head, &ret->head_len);
}

/* The columns of a content: 0, -1. */
static int read_content(struct tx *tx, int64_t id, struct mail_message_body *ret, const char **tree,
                        size_t *tree_len)
{
    static struct sql_text q =
        SQL_TEXT("select size, snippet, tree, own from mail_content where id = :id");
    static struct record_text record = RECORD_TEXT("mail_content", "size, snippet, tree, own");
    struct record row = {.arena = tx->arena};
    int r = record_find(tx->db, &record, id, &row);
    if (r == 1) {
        ret->len = (size_t)record_int(&row, 0);
        ret->snippet = record_text(&row, 1);
        *tree = record_blob(&row, 2, tree_len);
        ret->own = record_blob(&row, 3, &ret->own_len);
        if (ret->snippet && *tree && ret->own)
            return 0;
    }
    sqlite3_stmt *st;
    r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r < 0 ? -1 : broken(tx);
    ret->len = (size_t)sqlite3_column_int64(st, 0);
    ret->snippet = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 1));
    *tree = blob_of(tx, st, 2, tree_len);
    ret->own = blob_of(tx, st, 3, &ret->own_len);
    sql_done(st);
    return 0;
}

int mail_content_open(struct tx *tx, int64_t id, struct mail_message_body *ret)
{
    const char *tree;
    size_t tree_len;
    *ret = (struct mail_message_body){.head = ""};
    if (read_content(tx, id, ret, &tree, &tree_len) < 0)
        return -1;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    return mime_unpack(tx->arena, tree, tree_len, ret->len, ret->own_len, &ret->mime) < 0
               ? broken(tx)
               : 0;
}

void mail_message_part_head(const struct mail_message_body *b, int part, const char **ret,
                            size_t *ret_len)
{
    const struct mime_part *p = &b->mime.parts[part];
    *ret = part ? b->own + p->own - p->head_len : b->head;
    *ret_len = part ? p->head_len : b->head_len;
}

int mail_message_part(struct tx *tx, const struct mail_message_body *b, int part, const char **ret,
                      size_t *ret_len)
{
    const struct mime_part *p = &b->mime.parts[part];
    struct buf out;
    int rc = 0;
    if (p->blob && p->lines)
        return blob_load(tx, p->blob, ret, ret_len);
    if (!p->blob && p->first < 0 && p->encoding <= MIME_BINARY) {
        *ret = b->own + p->own;
        *ret_len = p->len;
        return 0;
    }
    buf_init(&out, 0);
    if (p->first >= 0) { /* as it is: a message, or a multipart */
        rc = mail_content_range(tx, b, p->at, p->at + p->len, &out);
    } else {
        const char *data = b->own + p->own;
        size_t len = p->len;
        if (p->blob)
            rc = blob_load(tx, p->blob, &data, &len);
        if (rc == 0)
            mime_decode(p->encoding, data, len, &out);
    }
    if (rc == 0 && buf_failed(&out))
        rc = sosia_fail_memory(tx->err);
    if (rc == 0) {
        *ret = arena_memdup(tx->arena, out.data ? out.data : "", out.len);
        *ret_len = out.len;
    }
    buf_done(&out);
    return rc < 0 ? -1 : arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

int mail_message_part_text(struct tx *tx, const struct mail_message_body *b, int part,
                           const char **ret, size_t *ret_len)
{
    const char *data;
    size_t len;
    if (mail_message_part(tx, b, part, &data, &len) < 0)
        return -1;
    *ret = mime_to_utf8(tx->arena, b->mime.parts[part].charset, data, len, ret_len);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

/* The first part of a type that is not a file. 1; 0: there is none; -1. */
static int find_text(struct tx *tx, const struct mail_message_body *b, const char *type,
                     size_t most, const char **ret, size_t *ret_n)
{
    for (int i = 0; i < b->mime.n; i++)
        if (strcmp(b->mime.parts[i].type, type) == 0 && !mime_is_file(&b->mime, i)) {
            if (mail_message_part_text(tx, b, i, ret, ret_n) < 0)
                return -1;
            *ret_n = *ret_n > most ? utf8_truncate(*ret, *ret_n, most) : *ret_n;
            return 1;
        }
    return 0;
}

int mail_message_texts(struct tx *tx, const struct mail_message_body *b, size_t most,
                       const char **ret_text, size_t *ret_n, const char **ret_html,
                       size_t *ret_html_n)
{
    *ret_text = *ret_html = NULL;
    *ret_n = *ret_html_n = 0;
    int plain = find_text(tx, b, "text/plain", most, ret_text, ret_n),
        page = plain < 0 ? -1 : find_text(tx, b, "text/html", most, ret_html, ret_html_n);
    if (page < 0)
        return -1;
    if (page && !plain) {
        *ret_text = mime_html_text(tx->arena, *ret_html, *ret_html_n, ret_n);
        *ret_n = *ret_n > most ? utf8_truncate(*ret_text, *ret_n, most) : *ret_n;
    }
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

int mail_message_raw(struct tx *tx, const struct mail_message *m, struct buf *out)
{
    struct mail_message_body b;
    if (mail_message_open(tx, m, &b) < 0)
        return -1;
    buf_add(out, b.head, b.head_len);
    if (mail_content_range(tx, &b, 0, b.len, out) < 0)
        return -1;
    return buf_failed(out) ? sosia_fail_memory(tx->err) : 0;
}

int mail_message_id(struct tx *tx, const char *email, const char **ret)
{
    uint8_t bytes[16];
    char hex[2 * sizeof bytes + 1];
    int r;
    do {
        if (tx_id(tx, "Message-ID", bytes, sizeof bytes) < 0)
            return -1;
        hex_encode(hex, bytes, sizeof bytes);
        *ret = arena_printf(tx->arena, "<%s@%s>", hex, email_domain(email));
    } while ((r = mail_message_id_taken(tx, *ret)) == 1);
    return r;
}
