/* SPDX-License-Identifier: Apache-2.0 */
/* How words get into an index, one document or many. */
#include "engine/search/index.h"
#include "engine/search/common.h"
#include "engine/search/words.h"
#include <stdlib.h>

/* ---- columns ---- */

void search_add_marked(struct buf *out, const char *words, size_t len, const char *mark)
{
    const char *end = len ? words + len : words;
    while (words < end) {
        const char *blank = memchr(words, ' ', (size_t)(end - words));
        size_t n = blank ? (size_t)(blank - words) + 1 : (size_t)(end - words);
        if (words[0] != SEARCH_STROKE[0])
            buf_puts(out, mark);
        buf_add(out, words, n);
        words += n;
    }
}

void search_add_words(struct buf *out, const char *text, size_t len, const char *mark)
{
    struct buf plain;
    size_t before;
    buf_init(&plain, 0);
    struct buf *to = *mark ? &plain : out;
    words_add(to, text, len);
    if (memchr(text, '@', len)) {
        before = to->len;
        buf_puts(to, SEARCH_STROKE);
        if (!words_add_wholes(to, text, len) && !buf_failed(to))
            to->len = before;
    }
    if (*mark)
        search_add_marked(out, plain.data, plain.len, mark);
    if (buf_failed(&plain))
        out->failed = true;
    buf_done(&plain);
}

void search_add_lines(struct buf *out, const char *lines, const char *mark)
{
    for (bool first = true; lines && *lines; first = false) {
        size_t n = strcspn(lines, "\n");
        if (!first)
            buf_puts(out, SEARCH_STROKE);
        search_add_words(out, lines, n, mark);
        lines += n + (lines[n] != 0);
    }
}

void search_add_has(struct buf *out, uint32_t has)
{
    for (uint32_t bit = 1; bit && bit <= has; bit <<= 1)
        if (has & bit)
            buf_printf(out, SEARCH_MARK_HAS "%u ", (unsigned)bit);
}

/* ---- documents ---- */

static int put(struct tx *tx, const struct corpus *corpus, struct sql_text *q, int64_t key,
               const struct search_text *text)
{
    sqlite3_stmt *st = TX_QUERY(tx, q, search_mirror(corpus, key));
    if (!st)
        return -1;
    for (unsigned i = 0; i < corpus->n_columns; i++)
        sql_bind_textn(st, (int)i + 2, text->columns[i], text->len[i]);
    return sql_run(tx->db, st, tx->err);
}

int search_add(struct tx *tx, const struct corpus *corpus, int64_t key,
               const struct search_text *text)
{
    if (put(tx, corpus, &corpus->sql->add, key, text) < 0)
        return -1;
    return corpus->common ? common_note(tx, corpus, key, false, text) : 0;
}

int search_remove(struct tx *tx, const struct corpus *corpus, int64_t key,
                  const struct search_text *text)
{
    if (put(tx, corpus, &corpus->sql->remove, key, text) < 0)
        return -1;
    return corpus->common ? common_note(tx, corpus, key, true, text) : 0;
}

/* ---- how many bulks are open ---- */

/* While one is, the index lacks documents. What is put off is a place to count them at: it has
 * nothing to do. */
static int count_bulks(struct tx *tx, void *arg)
{
    return 0;
}

static bool bulk_is_open(const struct tx *tx)
{
    const unsigned *n = tx_later_arg(tx, count_bulks);
    return n && *n;
}

/* ---- when the call is over ---- */

struct later {
    struct later *next;
    const struct corpus *corpus;
    int64_t key;
    bool remove;
    struct search_text text;
};

struct queue {
    struct later *first, **end;
    size_t n;
};

/* Corpus by corpus, group by group, from the greatest key to the least; of one document in the
 * order in which they came. */
static int by_number(const struct later *x, const struct later *y)
{
    if (x->corpus != y->corpus)
        return strcmp(x->corpus->name, y->corpus->name);
    int64_t m = x->key >> x->corpus->group_bits, n = y->key >> y->corpus->group_bits;
    if (m != n)
        return m < n ? -1 : 1;
    return x->key > y->key ? -1 : x->key < y->key;
}

static void merge_sort(const struct later **list, const struct later **spare, size_t n)
{
    size_t half = n / 2, i = 0, k = half, to = 0;
    if (n < 2)
        return;
    merge_sort(list, spare, half);
    merge_sort(list + half, spare, n - half);
    while (i < half && k < n)
        spare[to++] = by_number(list[k], list[i]) < 0 ? list[k++] : list[i++];
    while (i < half)
        spare[to++] = list[i++];
    while (k < n)
        spare[to++] = list[k++];
    memcpy(list, spare, n * sizeof *list);
}

static int write_queue(struct tx *tx, void *arg)
{
    struct queue *q = arg;
    const struct later **list = arena_alloc(tx->arena, 2 * q->n * sizeof *list);
    size_t n = 0;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (const struct later *l = q->first; l; l = l->next)
        list[n++] = l;
    merge_sort(list, list + n, n);
    for (size_t i = 0; i < n; i++) {
        const struct later *l = list[i];
        if ((l->remove ? search_remove : search_add)(tx, l->corpus, l->key, &l->text) < 0)
            return -1;
    }
    q->first = NULL;
    q->end = &q->first;
    q->n = 0;
    for (size_t i = 0; i < n && !bulk_is_open(tx); i++)
        if (!list[i]->remove && search_looks(list[i]->corpus, list[i]->key) &&
            search_look(tx, list[i]->corpus, list[i]->key, &list[i]->text) < 0)
            return -1;
    return 0;
}

static struct queue *queue_of(struct tx *tx)
{
    struct queue *q = tx_later_arg(tx, write_queue);
    if (!q) {
        q = arena_calloc(tx->arena, 1, sizeof *q);
        q->end = &q->first;
        tx_later(tx, write_queue, q);
    }
    return q;
}

static int put_off(struct tx *tx, const struct corpus *corpus, int64_t key, bool remove,
                   const struct search_text *text)
{
    struct queue *q = queue_of(tx);
    struct later *l = arena_alloc(tx->arena, sizeof *l);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    *l = (struct later){.corpus = corpus, .key = key, .remove = remove, .text = *text};
    *q->end = l;
    q->end = &l->next;
    q->n++;
    return 0;
}

int search_add_later(struct tx *tx, const struct corpus *corpus, int64_t key,
                     const struct search_text *text)
{
    return put_off(tx, corpus, key, false, text);
}

int search_remove_later(struct tx *tx, const struct corpus *corpus, int64_t key,
                        const struct search_text *text)
{
    return put_off(tx, corpus, key, true, text);
}

int search_settle(struct tx *tx)
{
    struct queue *q = queue_of(tx);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    return q->n ? write_queue(tx, q) : 0;
}

/* ---- many ---- */

/* FTS5 writes out what it has gathered whenever a number is lower than the one before, so the
 * numbers are sorted first. */
#define BULK_BYTES ((size_t)32 << 20)
#define BULK_LOOKS 64

struct search_bulk {
    const struct corpus *corpus;
    struct arena arena;
    struct waiting {
        int64_t number; /* of the index */
        struct search_text text;
    } * items;
    size_t n, room, bytes;
    /* Documents that make the index look for common words, when all are in it. */
    unsigned *open; /* in the transaction's arena */
    struct arena looks_arena;
    struct waiting looks[BULK_LOOKS];
    size_t n_looks;
};

int search_bulk_begin(struct tx *tx, const struct corpus *corpus, struct search_bulk **ret)
{
    unsigned *open = tx_later_arg(tx, count_bulks);
    struct search_bulk *bulk = calloc(1, sizeof *bulk);
    if (!open) {
        open = arena_calloc(tx->arena, 1, sizeof *open);
        tx_later(tx, count_bulks, open);
    }
    if (!bulk || arena_failed(tx->arena)) {
        free(bulk);
        return sosia_fail_memory(tx->err);
    }
    bulk->corpus = corpus;
    arena_init(&bulk->arena, 0);
    arena_init(&bulk->looks_arena, 0);
    bulk->open = open;
    ++*open;
    *ret = bulk;
    return 0;
}

static int by_mirror(const void *a, const void *b)
{
    int64_t x = ((const struct waiting *)a)->number, y = ((const struct waiting *)b)->number;
    return (x > y) - (x < y);
}

static int write_out(struct tx *tx, struct search_bulk *bulk)
{
    int rc = 0;
    if (bulk->n)
        qsort(bulk->items, bulk->n, sizeof *bulk->items, by_mirror);
    for (size_t i = 0; i < bulk->n && rc == 0; i++)
        rc = search_add(tx, bulk->corpus, search_mirror(bulk->corpus, bulk->items[i].number),
                        &bulk->items[i].text);
    arena_reset(&bulk->arena);
    bulk->n = bulk->bytes = 0;
    return rc;
}

static void copy_text(const struct search_bulk *bulk, struct arena *to, struct search_text *text)
{
    for (unsigned i = 0; i < bulk->corpus->n_columns; i++)
        text->columns[i] = arena_memdup(to, text->columns[i], text->len[i]);
}

int search_bulk_add(struct tx *tx, struct search_bulk *bulk, int64_t key,
                    const struct search_text *text)
{
    if (bulk->n == bulk->room) {
        size_t room = bulk->room ? 2 * bulk->room : 256;
        struct waiting *items = realloc(bulk->items, room * sizeof *items);
        if (!items)
            return sosia_fail_memory(tx->err);
        bulk->items = items;
        bulk->room = room;
    }
    struct waiting *w = &bulk->items[bulk->n];
    w->number = search_mirror(bulk->corpus, key);
    w->text = *text;
    copy_text(bulk, &bulk->arena, &w->text);
    for (unsigned i = 0; i < bulk->corpus->n_columns; i++)
        bulk->bytes += w->text.len[i];
    if (search_looks(bulk->corpus, key)) {
        struct waiting *look = &bulk->looks[bulk->n_looks++ % BULK_LOOKS]; /* the last ones */
        *look = (struct waiting){.number = key, .text = *text};
        copy_text(bulk, &bulk->looks_arena, &look->text);
    }
    if (arena_failed(&bulk->arena) || arena_failed(&bulk->looks_arena))
        return sosia_fail_memory(tx->err);
    bulk->n++;
    return bulk->bytes < BULK_BYTES ? 0 : write_out(tx, bulk);
}

int search_bulk_end(struct tx *tx, struct search_bulk *bulk, bool failed)
{
    struct sql_text *optimize = bulk ? &bulk->corpus->sql->optimize : NULL;
    int rc = 0;
    if (!bulk)
        return 0;
    --*bulk->open;
    if (!failed)
        rc = write_out(tx, bulk);
    for (size_t i = 0; !failed && rc == 0 && i < bulk->n_looks && i < BULK_LOOKS; i++)
        rc = search_look(tx, bulk->corpus, bulk->looks[i].number, &bulk->looks[i].text);
    arena_done(&bulk->arena);
    arena_done(&bulk->looks_arena);
    free(bulk->items);
    free(bulk);
    if (failed || rc < 0)
        return rc;
    sqlite3_stmt *st = sql_use(tx->db, optimize);
    return st ? sql_run(tx->db, st, tx->err) : slot_fail(tx->db, tx->err);
}
