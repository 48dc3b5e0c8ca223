/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in the index. A column has the words of its text and, behind a stroke that no phrase
 * crosses, the whole addresses in it. The column "extra" has what a word without a field must not
 * find, each with a mark in front: addresses of delivery, Reply-To, List-Id; and what makes rare
 * things quick to find: files, kinds of links, the size's class.
 */
#include "services/mail/core/index.h"
#include "services/mail/core/words.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#define HOST_MAX 253

const char *const index_columns[INDEX_COLUMNS] = {"sender",  "recipient", "cc",   "bcc",
                                                  "subject", "body",      "file", "extra"};

const struct index_field index_fields[N_INDEX_FIELDS] = {
    {FIELD_FROM, COLUMN_SENDER, ""},
    {FIELD_TO, COLUMN_RECIPIENT, ""},
    {FIELD_CC, COLUMN_CC, ""},
    {FIELD_BCC, COLUMN_BCC, ""},
    {FIELD_SUBJECT, COLUMN_SUBJECT, ""},
    {FIELD_BODY, COLUMN_BODY, ""},
    {FIELD_FILE, COLUMN_FILE, ""},
    {FIELD_DELIVERED, COLUMN_EXTRA, MARK_DELIVERED},
    {FIELD_REPLY, COLUMN_EXTRA, MARK_REPLY},
    {FIELD_LIST, COLUMN_EXTRA, MARK_LIST},
};

/* ---- texts ---- */

void index_mark(struct buf *out, const char *words, size_t len, const char *mark)
{
    const char *end = len ? words + len : words;
    while (words < end) {
        const char *blank = memchr(words, ' ', (size_t)(end - words));
        size_t n = blank ? (size_t)(blank - words) + 1 : (size_t)(end - words);
        if (words[0] != STROKE[0])
            buf_puts(out, mark);
        buf_add(out, words, n);
        words += n;
    }
}

static void add_words(struct buf *out, const char *text, size_t len, const char *mark)
{
    struct buf plain;
    size_t before;
    buf_init(&plain, 0);
    struct buf *to = *mark ? &plain : out;
    words_add(to, text, len);
    if (memchr(text, '@', len)) {
        before = to->len;
        buf_puts(to, STROKE);
        if (!words_add_wholes(to, text, len) && !buf_failed(to))
            to->len = before;
    }
    if (*mark)
        index_mark(out, plain.data, plain.len, mark);
    if (buf_failed(&plain))
        out->failed = true;
    buf_done(&plain);
}

/* The same for a list, one a line: no phrase crosses from one to the next. */
static void add_lines(struct buf *out, const char *text, const char *mark)
{
    for (bool first = true; text && *text; first = false) {
        size_t n = strcspn(text, "\n");
        if (!first)
            buf_puts(out, STROKE);
        add_words(out, text, n, mark);
        text += n + (text[n] != 0);
    }
}

/* ---- links ---- */

/* Is the host this one, or one below it? */
static bool is_host(const char *host, size_t n, const char *name)
{
    size_t m = strlen(name);
    return n >= m && strncasecmp(host + n - m, name, m) == 0 && (n == m || host[n - m - 1] == '.');
}

static uint32_t has_docs(const char *path, const char *end)
{
    static const struct {
        const char *path;
        uint32_t has;
    } kinds[] = {{"/document", HAS_DOCUMENT},
                 {"/spreadsheets", HAS_SPREADSHEET},
                 {"/presentation", HAS_PRESENTATION}};
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++) {
        size_t n = strlen(kinds[i].path);
        if ((size_t)(end - path) >= n && strncasecmp(path, kinds[i].path, n) == 0)
            return HAS_DRIVE | kinds[i].has;
    }
    return HAS_DRIVE;
}

static uint32_t find_links(const char *text, size_t len)
{
    const char *p = text, *end = text + len;
    uint32_t has = 0;
    while (p < end && (p = memmem(p, (size_t)(end - p), "://", 3))) {
        const char *host = p += 3;
        while (p < end && p - host < HOST_MAX &&
               (*p == '-' || *p == '.' || isalnum((unsigned char)*p)))
            p++;
        size_t n = (size_t)(p - host);
        if (is_host(host, n, "youtube.com") || is_host(host, n, "youtu.be"))
            has |= HAS_VIDEO;
        else if (is_host(host, n, "drive.google.com"))
            has |= HAS_DRIVE;
        else if (is_host(host, n, "docs.google.com"))
            has |= has_docs(p, end);
    }
    return has;
}

/* ---- a message ---- */

int index_class(int64_t size)
{
    int class = 0;
    while (size > 1) {
        size >>= 1;
        class ++;
    }
    return class;
}

static void add_extra(struct buf *out, const struct search_doc *doc, uint32_t has)
{
    add_lines(out, doc->reply, MARK_REPLY);
    buf_puts(out, STROKE);
    add_lines(out, doc->list, MARK_LIST);
    for (uint32_t bit = 1; bit && bit <= has; bit <<= 1)
        if (has & bit)
            buf_printf(out, MARK_HAS "%u ", (unsigned)bit);
    buf_printf(out, MARK_SIZE "%d " STROKE, index_class(doc->size));
}

/* Makes the columns that the bits of `which` say. */
static int make_columns(struct tx *tx, const struct search_doc *doc, unsigned which,
                        struct search_text *ret)
{
    const char *lists[] = {doc->from, doc->to, doc->cc, doc->bcc, doc->subject};
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < INDEX_COLUMNS; i++) {
        if (!(which >> i & 1))
            continue;
        buf_clear(&b);
        if (i < COLUMN_BODY)
            add_lines(&b, lists[i], "");
        else if (i == COLUMN_BODY && doc->body)
            add_words(&b, doc->body,
                      doc->body_len < SEARCH_TEXT_MAX ? doc->body_len : SEARCH_TEXT_MAX, "");
        else if (i == COLUMN_FILE)
            add_lines(&b, doc->files, "");
        else if (i == COLUMN_EXTRA)
            add_extra(&b, doc, ret->has);
        ret->len[i] = b.len;
        ret->columns[i] = arena_memdup(tx->arena, b.len ? b.data : "", b.len);
    }
    bool failed = buf_failed(&b) || arena_failed(tx->arena);
    buf_done(&b);
    return failed ? sosia_fail_memory(tx->err) : 0;
}

int search_text(struct tx *tx, const struct search_doc *doc, struct search_text *ret)
{
    *ret = (struct search_text){.has = doc->has};
    if (doc->body)
        ret->has |= find_links(doc->body, doc->body_len);
    if (doc->html)
        ret->has |= find_links(doc->html, doc->html_len);
    return make_columns(tx, doc, (1u << INDEX_COLUMNS) - 1, ret);
}

int search_text_head(struct tx *tx, const struct search_doc *doc, const struct search_text *other,
                     struct search_text *ret)
{
    *ret = *other;
    return make_columns(
        tx, doc, ((1u << INDEX_COLUMNS) - 1) & ~(1u << COLUMN_BODY | 1u << COLUMN_FILE), ret);
}

int index_extra(struct arena *a, const struct search_text *text, const char *delivered,
                const char **ret, size_t *ret_len)
{
    struct buf b;
    *ret = text->columns[COLUMN_EXTRA];
    *ret_len = text->len[COLUMN_EXTRA];
    if (!delivered || !*delivered)
        return 0;
    buf_init(&b, 0);
    buf_add(&b, *ret, *ret_len);
    add_lines(&b, delivered, MARK_DELIVERED);
    *ret = arena_memdup(a, b.data, b.len);
    *ret_len = b.len;
    bool failed = buf_failed(&b) || arena_failed(a);
    buf_done(&b);
    return failed ? -1 : 0;
}

static int put(struct tx *tx, struct sql_text *q, int64_t message, const struct search_text *text)
{
    sqlite3_stmt *st = sql_use(tx->db, q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    sql_bind_int(st, 1, index_mirror(message));
    for (int i = 0; i < INDEX_COLUMNS; i++)
        sql_bind_textn(st, i + 2, text->columns[i], text->len[i]);
    return sql_run(tx->db, st, tx->err);
}

/* The text with what only this copy has. */
static int copy_text(struct tx *tx, const struct search_text *text, const char *delivered,
                     struct search_text *ret)
{
    *ret = *text;
    return index_extra(tx->arena, text, delivered, &ret->columns[COLUMN_EXTRA],
                       &ret->len[COLUMN_EXTRA]) < 0
               ? sosia_fail_memory(tx->err)
               : 0;
}

static int insert(struct tx *tx, int64_t message, const struct search_text *text)
{
    static struct sql_text q =
        SQL_TEXT("insert into mail_index (rowid, sender, recipient, cc, bcc, subject, body, file, "
                 "extra) values (:id, :sender, :recipient, :cc, :bcc, :subject, :body, :file, "
                 ":extra)");
    return put(tx, &q, message, text);
}

int search_add(struct tx *tx, int64_t message, const struct search_text *text,
               const char *delivered)
{
    struct search_text copy;
    return copy_text(tx, text, delivered, &copy) < 0 ? -1 : insert(tx, message, &copy);
}

int search_remove(struct tx *tx, int64_t message, const struct search_text *text,
                  const char *delivered)
{
    static struct sql_text q =
        SQL_TEXT("insert into mail_index (mail_index, rowid, sender, recipient, cc, bcc, subject, "
                 "body, file, extra) values ('delete', :id, :sender, :recipient, :cc, :bcc, "
                 ":subject, :body, :file, :extra)");
    struct search_text copy;
    return copy_text(tx, text, delivered, &copy) < 0 ? -1 : put(tx, &q, message, &copy);
}

/* ---- many ---- */

/* FTS5 writes out what it has gathered whenever a number is lower than the one before, so the
 * numbers are sorted first. */
#define BULK_BYTES ((size_t)32 << 20)

struct search_bulk {
    struct arena arena;
    struct waiting {
        int64_t message;
        struct search_text text;
    } * items;
    size_t n, room, bytes;
};

int search_bulk_begin(struct tx *tx, struct search_bulk **ret)
{
    struct search_bulk *bulk = calloc(1, sizeof *bulk);
    if (!bulk)
        return sosia_fail_memory(tx->err);
    arena_init(&bulk->arena, 0);
    *ret = bulk;
    return 0;
}

/* From the newest to the oldest, mailbox by mailbox. */
static int by_mirror(const void *a, const void *b)
{
    int64_t x = index_mirror(((const struct waiting *)a)->message);
    int64_t y = index_mirror(((const struct waiting *)b)->message);
    return (x > y) - (x < y);
}

static int write_out(struct tx *tx, struct search_bulk *bulk)
{
    int rc = 0;
    if (bulk->n)
        qsort(bulk->items, bulk->n, sizeof *bulk->items, by_mirror);
    for (size_t i = 0; i < bulk->n && rc == 0; i++)
        rc = insert(tx, bulk->items[i].message, &bulk->items[i].text);
    arena_reset(&bulk->arena);
    bulk->n = bulk->bytes = 0;
    return rc;
}

int search_bulk_add(struct tx *tx, struct search_bulk *bulk, int64_t message,
                    const struct search_text *text, const char *delivered)
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
    w->message = message;
    if (copy_text(tx, text, delivered, &w->text) < 0)
        return -1;
    for (int i = 0; i < INDEX_COLUMNS; i++) {
        w->text.columns[i] = arena_memdup(&bulk->arena, w->text.columns[i], w->text.len[i]);
        bulk->bytes += w->text.len[i];
    }
    if (arena_failed(&bulk->arena))
        return sosia_fail_memory(tx->err);
    bulk->n++;
    return bulk->bytes < BULK_BYTES ? 0 : write_out(tx, bulk);
}

int search_bulk_end(struct tx *tx, struct search_bulk *bulk, bool failed)
{
    static struct sql_text q = SQL_TEXT("insert into mail_index (mail_index) values ('optimize')");
    int rc = 0;
    if (!bulk)
        return 0;
    if (!failed)
        rc = write_out(tx, bulk);
    arena_done(&bulk->arena);
    free(bulk->items);
    free(bulk);
    if (failed || rc < 0)
        return rc;
    sqlite3_stmt *st = sql_use(tx->db, &q);
    return st ? sql_run(tx->db, st, tx->err) : slot_fail(tx->db, tx->err);
}
