/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading blobs. In a state that is not being written, chunks are read from the pages, as the file
 * format describes them (sqlite.org/fileformat2.html): a row begins on a leaf of its table and
 * continues on pages of its own, each with the number of the next one in front. In a transaction
 * that writes, pages may be in SQLite's cache alone, so chunks come from a statement there.
 */
#include "engine/store/record.h"
#include "engine/blob/impl.h"
#include <stdlib.h>

enum { NEXT = 4, PER_PAGE = STORE_PAGE_SIZE - NEXT }; /* of a page on which a row continues */

static int broken_rows(struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "a blob's rows make no sense");
}

static int no_such_blob(struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_NOT_FOUND, NULL, NULL, "there is no such blob");
}

/* ---- chunks in pages ---- */

/* The bytes [0, n) of a row whose beginning is in memory, as the columns that it has: where the
 * data of the last one begin, and how many they are; 0: not such a row. */
static size_t last_column(const struct btree_cell *c, unsigned n_columns, uint64_t *ret_len)
{
    const uint8_t *p = c->payload, *end = p + c->local;
    uint64_t header, type = 0, at;
    unsigned k = btree_varint(p, end, &header);
    if (!k || header > c->local)
        return 0;
    end = p + header;
    p += k;
    at = header;
    for (unsigned i = 0; i < n_columns; i++) {
        static const uint8_t sizes[12] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
        at += i == 0 ? 0 : type < 12 ? sizes[type] : (type - 12) / 2;
        if (!(k = btree_varint(p, end, &type)))
            return 0;
        p += k;
    }
    if (type < 12 || type & 1) /* it is not a blob */
        return 0;
    *ret_len = (type - 12) / 2;
    return at + *ret_len == c->size ? (size_t)at : 0;
}

/* Bytes of the chunk with that number. */
static size_t chunk_len(const struct chunk_source *s, int64_t number)
{
    int64_t left = s->length - number * (int64_t)BLOB_CHUNK;
    return left < (int64_t)BLOB_CHUNK ? (size_t)left : BLOB_CHUNK;
}

static int find_in_tree(struct chunk_source *s, int64_t number, struct sosia_err *err)
{
    uint64_t len;
    if (btree_find_row(&s->tree, s->root, chunk_id(s->blob, number), NULL, &s->cell) != 1 ||
        !(s->begin = last_column(&s->cell, 2, &len)) || len != chunk_len(s, number) ||
        (s->cell.local < s->cell.size && !s->cell.overflow))
        return broken_rows(err);
    s->page = s->cell.overflow;
    s->page_from = s->cell.local;
    s->chunk = number;
    return 0;
}

/* The run at a place of the row. */
static int peek_row(struct chunk_source *s, size_t at, const uint8_t **ret, size_t *ret_n,
                    struct sosia_err *err)
{
    if (at < s->cell.local) {
        *ret = s->cell.payload + at;
        *ret_n = s->cell.local - at;
        return 0;
    }
    if (at < s->page_from) { /* backwards: from the beginning */
        s->page = s->cell.overflow;
        s->page_from = s->cell.local;
    }
    const uint8_t *page = btree_data(&s->tree, s->page);
    while (page && at - s->page_from >= PER_PAGE) {
        s->page = get4(page);
        s->page_from += PER_PAGE;
        page = btree_data(&s->tree, s->page);
    }
    if (!page)
        return broken_rows(err);
    size_t off = at - s->page_from, end = s->cell.size - s->page_from;
    *ret = page + NEXT + off;
    *ret_n = (end < PER_PAGE ? end : PER_PAGE) - off;
    return 0;
}

/* ---- chunks from a statement ---- */

static int find_by_statement(struct chunk_source *s, int64_t number, struct sosia_err *err)
{
    static struct sql_text q = SQL_TEXT("select data from chunk where id = :id");
    size_t len = chunk_len(s, number);
    if (!s->copy && !(s->copy = malloc(BLOB_CHUNK)))
        return sosia_fail_memory(err);
    sqlite3_stmt *st;
    int r = TX_ROW(s->tx, &q, &st, chunk_id(s->blob, number));
    if (r < 0) {
        *err = *s->tx->err;
        return -1;
    }
    if (!r)
        return broken_rows(err);
    const void *data = sqlite3_column_blob(st, 0);
    bool good = data && (size_t)sqlite3_column_bytes(st, 0) == len;
    if (good)
        memcpy(s->copy, data, len);
    sql_done(st);
    s->chunk = good ? number : -1;
    return good ? 0 : broken_rows(err);
}

/* ---- sources ---- */

int chunk_source_open(struct chunk_source *s, struct tx *tx, int64_t id)
{
    static struct sql_text q =
        SQL_TEXT("select length from blob where id = :id and sha256 is not null");
    static struct record_text q_chunk = RECORD_TEXT("chunk", "id, data");
    *s = (struct chunk_source){.tx = tx, .blob = id, .chunk = -1};
    int r = TX_INT(tx, &q, &s->length, id);
    if (r != 1)
        return r < 0 ? -1 : no_such_blob(tx->err);
    if (!tx->write && record_can(tx->db) && (s->root = record_root(tx->db, &q_chunk))) {
        s->tree = *slot_tree(tx->db);
        s->tx = NULL;
    }
    return 0;
}

int chunk_source_peek(struct chunk_source *s, int64_t at, const uint8_t **ret, size_t *ret_n,
                      struct sosia_err *err)
{
    int64_t number = at / (int64_t)BLOB_CHUNK;
    size_t off = (size_t)(at % (int64_t)BLOB_CHUNK);
    if (s->chunk != number && (s->tx ? find_by_statement : find_in_tree)(s, number, err) < 0)
        return -1;
    if (!s->tx)
        return peek_row(s, s->begin + off, ret, ret_n, err);
    *ret = s->copy + off;
    *ret_n = chunk_len(s, number) - off;
    return 0;
}

int chunk_source_copy(struct chunk_source *s, int64_t at, size_t n, uint8_t *to,
                      struct sosia_err *err)
{
    const uint8_t *data;
    size_t part;
    while (n) {
        if (chunk_source_peek(s, at, &data, &part, err) < 0)
            return -1;
        part = part < n ? part : n;
        memcpy(to, data, part);
        to += part;
        at += (int64_t)part;
        n -= part;
    }
    return 0;
}

/* ---- at once ---- */

/* Core's rows name it, so that it is there. */
static int open_named(struct chunk_source *s, struct tx *tx, int64_t id)
{
    if (chunk_source_open(s, tx, id) == 0)
        return 0;
    return tx->err->code == SOSIA_E_NOT_FOUND ? broken_rows(tx->err) : -1;
}

int blob_load(struct tx *tx, int64_t id, const char **ret, size_t *ret_len)
{
    struct chunk_source s;
    if (open_named(&s, tx, id) < 0)
        return -1;
    if (s.length >= (int64_t)tx->arena->limit) /* an upload may be larger than any memory */
        return sosia_fail_memory(tx->err);
    char *data = arena_alloc(tx->arena, (size_t)s.length + 1);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    int rc = chunk_source_copy(&s, 0, (size_t)s.length, (uint8_t *)data, tx->err);
    free(s.copy);
    data[s.length] = 0;
    *ret = data;
    *ret_len = (size_t)s.length;
    return rc;
}

int blob_load_range(struct tx *tx, int64_t id, int64_t from, int64_t to, struct buf *out)
{
    struct chunk_source s;
    const uint8_t *data;
    size_t n;
    int rc = 0;
    if (open_named(&s, tx, id) < 0)
        return -1;
    if (from < 0 || to > s.length)
        return broken_rows(tx->err);
    for (int64_t at = from; at < to && rc == 0; at += (int64_t)n)
        if ((rc = chunk_source_peek(&s, at, &data, &n, tx->err)) == 0) {
            n = (int64_t)n < to - at ? n : (size_t)(to - at);
            buf_add(out, (const char *)data, n);
        }
    free(s.copy);
    return rc < 0 ? -1 : buf_failed(out) ? sosia_fail_memory(tx->err) : 0;
}

/* ---- readers ---- */

struct blob_reader {
    struct chunk_source source;
    struct tree tree; /* its own; base NULL: it is good for the transaction only */
    uint8_t *room;    /* bytes that are in several places; NULL: not needed yet */
};

int blob_reader_open(struct tx *tx, int64_t id, struct blob_reader **ret)
{
    struct blob_reader *r = calloc(1, sizeof *r);
    if (!r)
        return sosia_fail_memory(tx->err);
    if (chunk_source_open(&r->source, tx, id) < 0) {
        free(r);
        return -1;
    }
    if (!r->source.tx) {
        tree_fork(&r->source.tree, &r->tree);
        r->source.tree = r->tree;
    }
    *ret = r;
    return 0;
}

/* The blob's length in a tree: 1, 0: there is none, -1. */
static int length_in(const struct tree *t, uint32_t root, int64_t id, int64_t *ret)
{
    struct btree_cell c;
    uint64_t header, type[4] = {0};
    int found = btree_find_row(t, root, id, NULL, &c);
    if (found != 1)
        return found;
    const uint8_t *p = c.payload, *end = p + c.local;
    unsigned k = btree_varint(p, end, &header);
    if (!k || header > c.local)
        return -1;
    const uint8_t *data = p + header;
    p += k;
    for (unsigned i = 0; i < 4; i++) { /* id, length, refs, sha256 */
        if (!(k = btree_varint(p, c.payload + header, &type[i])))
            return -1;
        p += k;
    }
    static const uint8_t sizes[10] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
    size_t n = type[1] < 10 ? sizes[type[1]] : 9;
    if (type[0] || !type[1] || n > 8 || type[1] == 7 || (size_t)(end - data) < n)
        return -1;
    uint64_t v = type[1] == 9;
    for (size_t i = 0; i < n; i++)
        v = v << 8 | data[i];
    *ret = (int64_t)v;
    return type[3] != 0;
}

int blob_reader_open_tree(const struct tree *tree, int64_t id, struct blob_reader **ret,
                          struct sosia_err *err)
{
    struct table_list tables;
    uint32_t blobs = 0, chunks = 0;
    int64_t length = 0;
    if (table_list_read(tree, &tables, err) < 0)
        return -1;
    for (size_t i = 0; i < tables.n; i++) {
        if (strcmp(tables.tables[i].name, "blob") == 0)
            blobs = tables.tables[i].root;
        else if (strcmp(tables.tables[i].name, "chunk") == 0)
            chunks = tables.tables[i].root;
    }
    table_list_done(&tables);
    int found = blobs && chunks ? length_in(tree, blobs, id, &length) : -1;
    if (found != 1)
        return found < 0 ? broken_rows(err) : no_such_blob(err);
    struct blob_reader *r = calloc(1, sizeof *r);
    if (!r)
        return sosia_fail_memory(err);
    tree_fork(tree, &r->tree);
    r->source = (struct chunk_source){
        .tree = r->tree, .root = chunks, .blob = id, .length = length, .chunk = -1};
    *ret = r;
    return 0;
}

bool blob_reader_lasts(const struct blob_reader *r)
{
    return !r->source.tx;
}

int64_t blob_reader_length(const struct blob_reader *r)
{
    return r->source.length;
}

int blob_reader_copy(struct blob_reader *r, int64_t at, size_t n, void *to, struct sosia_err *err)
{
    if (at < 0 || at > r->source.length || n > (uint64_t)(r->source.length - at))
        return broken_rows(err);
    return chunk_source_copy(&r->source, at, n, to, err);
}

int blob_reader_peek(struct blob_reader *r, int64_t at, const void **ret, size_t *ret_len,
                     struct sosia_err *err)
{
    const uint8_t *data = (const uint8_t *)"";
    *ret_len = 0;
    if (at >= 0 && at < r->source.length &&
        chunk_source_peek(&r->source, at, &data, ret_len, err) < 0)
        return -1;
    *ret = data;
    return 0;
}

int blob_reader_read(struct blob_reader *r, int64_t at, size_t len, const void **ret,
                     size_t *ret_len, struct sosia_err *err)
{
    size_t n;
    if (blob_reader_peek(r, at, ret, &n, err) < 0)
        return -1;
    if (n) { /* it has some there */
        int64_t left = r->source.length - at;
        len = len < BLOB_CHUNK ? len : BLOB_CHUNK;
        len = (int64_t)len < left ? len : (size_t)left;
    }
    if (len <= n || !n) {
        *ret_len = n ? len : 0;
        return 0;
    }
    if (!r->room && !(r->room = malloc(BLOB_CHUNK)))
        return sosia_fail_memory(err);
    if (chunk_source_copy(&r->source, at, len, r->room, err) < 0)
        return -1;
    *ret = r->room;
    *ret_len = len;
    return 0;
}

void blob_reader_close(struct blob_reader *r)
{
    if (!r)
        return;
    if (r->tree.base)
        tree_done(&r->tree);
    free(r->source.copy);
    free(r->room);
    free(r);
}
