/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items as a corpus of the engine's search: the words of names, and those of descriptions and
 * content. All items of a world are one group, since who may see what changes by moving a folder;
 * find.c looks at that. What an item was put in with is in drive_words.
 */
#include "engine/base/utf8.h"
#include "engine/search/match.h"
#include "engine/search/walk.h"
#include "engine/world/take.h"
#include <stdlib.h>
#include "services/drive/core/model.h"
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/find/words.h"

enum {
    COLUMN_NAME,
    COLUMN_BODY,
    COLUMNS,
    FIELD_NAME = 1,
    FIELD_BODY = 2,
    QUESTION_BEGINS = SEARCH_OWN, /* a name has a word that begins so: text */
    TEXT_MAX = 1 << 20,           /* bytes of content that are found */
    READ_MAX = 16 << 20           /* of a file that is opened for it */
};

static struct search_sql statements = SEARCH_SQL("drive_index", "name, body", ":name, :body");
static struct search_list all = {
    .sql = SQL_TEXT("select id from drive_item where id <= :from and id >= :first "
                    "order by id desc limit :n")};
static const char *const columns[] = {"name", "body"};
static const struct search_field fields[] = {{FIELD_NAME, COLUMN_NAME, ""},
                                             {FIELD_BODY, COLUMN_BODY, ""}};
static const char *const kinds[] = {"begins", NULL};

static struct search_node *compile(struct search_compiler *k, const struct search *q, void *arg)
{
    (void)arg;
    return search_node_begins(k, FIELD_NAME, q->text);
}

static const struct corpus items = {
    .name = DRIVE_CORE,
    .columns = columns,
    .n_columns = COLUMNS,
    .fields = fields,
    .n_fields = SOSIA_LEN(fields),
    .any = FIELD_NAME | FIELD_BODY,
    .group_bits = 62,
    .sql = &statements,
    .all = &all,
    .kinds = kinds,
    .compile = compile,
};

/* ---- the words of an item ---- */

/* An underscore separates words, as a space does. */
static void add_words(struct arena *a, struct buf *out, const char *text)
{
    char *spaced = arena_strdup(a, text);
    for (char *p = spaced; (p = strchr(p, '_'));)
        *p = ' ';
    search_add_words(out, spaced, strlen(spaced), "");
    buf_puts(out, SEARCH_STROKE);
}

static int words_of(struct tx *tx, const char *name, const char *description, const char *body,
                    struct search_text *ret)
{
    struct buf b;
    *ret = (struct search_text){0};
    buf_init(&b, 0);
    for (unsigned i = 0; i < COLUMNS; i++) {
        buf_clear(&b);
        if (i == COLUMN_NAME)
            add_words(tx->arena, &b, name);
        if (i == COLUMN_BODY && description)
            add_words(tx->arena, &b, description);
        if (i == COLUMN_BODY && body)
            add_words(tx->arena, &b, body);
        ret->columns[i] = arena_memdup(tx->arena, b.len ? b.data : "", b.len);
        ret->len[i] = b.len;
    }
    bool failed = buf_failed(&b) || arena_failed(tx->arena);
    buf_done(&b);
    return failed ? sosia_fail_memory(tx->err) : 0;
}

/* ---- text of content ---- */

/* Adds the text of bytes in a format that can be read; of others nothing. */
static void add_read(struct arena *a, const char *type, const char *bytes, size_t len,
                     struct buf *out)
{
    const struct format *f = format_find(type);
    struct document *d;
    for (unsigned kind = 0; f && kind < DOCUMENT_KINDS; kind++) {
        if (!(f->reads & 1u << kind))
            continue;
        if (format_read(a, (enum document_kind)kind, type, bytes, len, "", &d, NULL) == 0)
            document_text(d, out);
        return;
    }
}

/* Texts that are not documents: programs, logs, data. */
static bool is_text_type(const char *mime)
{
    static const char *const types[] = {"application/json", "application/xml",
                                        "application/javascript", "application/x-yaml",
                                        "application/x-sh"};
    for (size_t i = 0; i < SOSIA_LEN(types); i++)
        if (strcmp(mime, types[i]) == 0)
            return true;
    return strncmp(mime, "text/", 5) == 0;
}

static int add_content(struct tx *tx, struct arena *a, const struct drive_item *it, struct buf *out)
{
    const char *bytes;
    size_t len;
    struct document *d;
    if (it->form == DRIVE_DOCUMENT) {
        int r = drive_document_load(tx, it, 0, &d);
        if (r == 1)
            document_text(d, out);
        return r < 0 ? -1 : 0;
    }
    if (!it->blob || it->size <= 0 || it->size > READ_MAX ||
        !(format_find(it->mime) || is_text_type(it->mime)))
        return 0;
    if (blob_load(tx, it->blob, &bytes, &len) < 0)
        return -1;
    if (format_find(it->mime) && strcmp(it->mime, FORMAT_TEXT) != 0)
        add_read(a, it->mime, bytes, len, out);
    else
        add_read(a, FORMAT_TEXT, bytes, len < TEXT_MAX ? len : TEXT_MAX, out);
    return 0;
}

/* The text of an item's content, with the one that its writer gave for searching, in the
 * transaction's arena; NULL: nothing. */
static int body_of(struct tx *tx, const struct drive_item *it, const char **ret)
{
    struct arena a;
    struct buf b;
    arena_init(&a, 256 << 20);
    buf_init(&b, 0);
    int r = add_content(tx, &a, it, &b);
    if (it->index_text) {
        buf_byte(&b, '\n');
        add_read(&a, FORMAT_HTML, it->index_text, strlen(it->index_text), &b);
    }
    b.len = b.len ? utf8_truncate(b.data, b.len, TEXT_MAX) : 0;
    *ret = b.len ? arena_memdup(tx->arena, b.data, b.len) : NULL;
    if (*ret)
        utf8_scrub((char *)(uintptr_t)*ret);
    buf_done(&b);
    arena_done(&a);
    return r;
}

/* ---- keeping the index ---- */

struct known {
    const char *name, *description, *body, *given;
    int64_t head;
};

static int known_words(struct tx *tx, int64_t item, struct known *ret)
{
    static struct sql_text q =
        SQL_TEXT("select name, description, body, given, head from drive_words where item = :item");
    return TX_TAKE(tx, TX_QUERY(tx, &q, item), &ret->name, &ret->description, &ret->body,
                   &ret->given, &ret->head);
}

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* bulk: of what is not in the index yet; NULL: none. */
static int put_words(struct tx *tx, const struct drive_item *it, const struct known *k,
                     struct search_bulk *bulk)
{
    static struct sql_text q = SQL_TEXT(
        "insert or replace into drive_words (item, name, description, body, given, head) values "
        "(:item, :name, :description, :body, :given, :head)");
    struct search_text text;
    return words_of(tx, k->name, k->description, k->body, &text) < 0 ||
                   (bulk ? search_bulk_add(tx, bulk, it->id, &text)
                         : search_add_later(tx, &items, it->id, &text)) < 0 ||
                   TX_RUN(tx, &q, it->id, k->name, k->description, k->body, k->given, k->head) < 0
               ? -1
               : 0;
}

/* Puts an item into the index as it is now, or takes it out. bulk: for one that is not in it; NULL:
 * none. */
static int index_item(struct tx *tx, int64_t id, struct search_bulk *bulk)
{
    static struct sql_text q_forget = SQL_TEXT("delete from drive_words where item = :item");
    struct drive_item it;
    struct known old, new;
    struct search_text text;
    int was = known_words(tx, id, &old), is = drive_item_row(tx, id, &it);
    if (was < 0 || is < 0)
        return -1;
    if (is && it.top)
        is = 0; /* it can't be searched for */
    if (is) {
        new =
            (struct known){it.name, it.description, was ? old.body : NULL, it.index_text, it.head};
        bool text_same = was && old.head == it.head && same(old.given, it.index_text);
        if (text_same && same(old.name, it.name) && same(old.description, it.description))
            return 0;
        if (!text_same && body_of(tx, &it, &new.body) < 0)
            return -1;
    }
    if (was &&
        (words_of(tx, old.name, old.description, old.body, &text) < 0 ||
         search_remove_later(tx, &items, id, &text) < 0 || (!is && TX_RUN(tx, &q_forget, id) < 0)))
        return -1;
    return is ? put_words(tx, &it, &new, bulk) : 0;
}

struct pending {
    int64_t *ids;
    size_t n, room;
};

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

#define MANY 64 /* items that come at once, as a seed document's do */

/* Those that are not in the index yet, without keeping the texts of all in memory. */
static int index_many(struct tx *tx, const struct pending *p)
{
    static struct sql_text q = SQL_TEXT("select 1 from drive_words where item = :item");
    struct arena own, *kept = tx->arena;
    struct search_bulk *bulk;
    int64_t known;
    int rc = 0;
    if (search_bulk_begin(tx, &items, &bulk) < 0)
        return -1;
    arena_init(&own, 0);
    for (size_t i = 0; i < p->n && rc == 0; i++) {
        if (i && p->ids[i] == p->ids[i - 1])
            continue;
        int was = TX_INT(tx, &q, &known, p->ids[i]);
        if (was == 0)
            tx->arena = &own;
        rc = was < 0 ? -1 : index_item(tx, p->ids[i], was ? NULL : bulk);
        if (rc == 0 && arena_failed(&own))
            rc = sosia_fail_memory(tx->err);
        tx->arena = kept;
        arena_reset(&own);
    }
    arena_done(&own);
    return search_bulk_end(tx, bulk, rc < 0) < 0 ? -1 : rc;
}

static int index_pending(struct tx *tx, void *arg)
{
    struct pending *p = arg;
    int rc = 0;
    qsort(p->ids, p->n, sizeof *p->ids, by_id);
    if (p->n >= MANY)
        rc = index_many(tx, p);
    for (size_t i = 0; p->n < MANY && i < p->n && rc == 0; i++)
        if (!i || p->ids[i] != p->ids[i - 1])
            rc = index_item(tx, p->ids[i], NULL);
    p->n = 0;
    return rc;
}

void drive_index_later(struct tx *tx, int64_t item)
{
    struct pending *p = tx_later_arg(tx, index_pending);
    if (!p) {
        p = arena_calloc(tx->arena, 1, sizeof *p);
        tx_later(tx, index_pending, p);
    }
    if (p->n && p->ids[p->n - 1] == item)
        return;
    int64_t *ids = arena_grow(tx->arena, p->ids, p->n, &p->room, sizeof *ids);
    if (!ids)
        return; /* the call fails for it */
    p->ids = ids;
    p->ids[p->n++] = item;
}

int drive_index_derive(struct tx *tx)
{
    static struct sql_text q_forget = SQL_TEXT("delete from drive_words");
    static struct sql_text q = SQL_TEXT("select id from drive_item where id > :after order by id "
                                        "limit 1");
    int64_t id = 0;
    sqlite3_stmt *st = TX_PLAIN(tx, &q_forget);
    if (!st || sql_finish(tx->db, tx->err, st) < 0)
        return -1;
    int r;
    while ((r = TX_INT(tx, &q, &id, id)) == 1)
        if (index_item(tx, id, NULL) < 0)
            return -1;
    return r;
}

/* ---- searching ---- */

/* Items that a tree finds, by rising id. limit: more are not looked for, and *ret_n is limit + 1;
 * 0: all. */
static int ask_index(struct tx *tx, const struct search *q, size_t limit, int64_t **ret,
                     size_t *ret_n)
{
    struct search_ask ask = {.corpus = &items,
                             .query = q,
                             .first = 1,
                             .last = (INT64_C(1) << 62) - 1,
                             .expect = limit ? limit + 1 : 0};
    struct pending *p = tx_later_arg(tx, index_pending);
    if (p && index_pending(tx, p) < 0)
        return -1;
    struct search_walk *w = search_open(tx, &ask);
    int64_t *ids = NULL, key;
    size_t n = 0, room = 0;
    if (!w)
        return -1;
    for (int64_t from = search_last(w); (key = search_next(w, from)); from = key - 1) {
        ids = arena_grow(tx->arena, ids, n, &room, sizeof *ids);
        if (!ids)
            return sosia_fail_memory(tx->err);
        ids[n++] = key;
        if (key == 1 || (limit && n > limit))
            break;
    }
    if (search_failed(w))
        return -1;
    for (size_t i = 0; i < n / 2; i++) {
        key = ids[i];
        ids[i] = ids[n - 1 - i];
        ids[n - 1 - i] = key;
    }
    *ret = ids;
    *ret_n = n;
    return 0;
}

static struct search *leaf(struct arena *a, unsigned kind, const char *text)
{
    struct search *s = arena_calloc(a, 1, sizeof *s);
    s->kind = kind;
    s->fields = FIELD_NAME | FIELD_BODY;
    s->text = text;
    return s;
}

enum { WORDS = 64 }; /* of a question */

static char *spaced(struct arena *a, const char *text, size_t n)
{
    char *out = arena_memdup(a, text, n);
    for (char *p = out; (p = strchr(p, '_'));)
        *p = ' ';
    return out;
}

/* A tree with one leaf for each word of the text, all of which must be found. */
static int each_word(struct tx *tx, unsigned kind, const char *text, const struct search **ret)
{
    const struct search **kids = arena_calloc(tx->arena, WORDS, sizeof *kids);
    struct search *both = leaf(tx->arena, SEARCH_AND, NULL);
    char *s = spaced(tx->arena, text, strlen(text)), *save = NULL;
    both->kids = kids;
    for (char *word = strtok_r(s, " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save)) {
        if (both->n_kids == WORDS)
            return tx_fail(tx, SOSIA_E_INVALID, "tooComplex", NULL, "more than %d words", WORDS);
        kids[both->n_kids++] = leaf(tx->arena, kind, word);
    }
    *ret = both;
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

/* Whole words, or in double quotes next to each other. */
static int whole_words(struct tx *tx, const char *text, const struct search **ret)
{
    size_t n = strlen(text);
    if (n < 2 || text[0] != '"' || text[n - 1] != '"')
        return each_word(tx, SEARCH_PHRASE, text, ret);
    *ret = leaf(tx->arena, SEARCH_PHRASE, spaced(tx->arena, text + 1, n - 2));
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

int drive_index_find(struct tx *tx, const char *text, size_t limit, int64_t **ret, size_t *ret_n)
{
    const struct search *q;
    return whole_words(tx, text, &q) < 0 ? -1 : ask_index(tx, q, limit, ret, ret_n);
}

int drive_index_names(struct tx *tx, const char *text, size_t limit, int64_t **ret, size_t *ret_n)
{
    const struct search *q;
    return each_word(tx, QUESTION_BEGINS, text, &q) < 0 ? -1 : ask_index(tx, q, limit, ret, ret_n);
}

int drive_index_has(struct tx *tx, const char *text, int64_t item)
{
    const struct search *q;
    struct search_text words;
    struct known k;
    int r = known_words(tx, item, &k);
    if (r != 1)
        return r;
    if (whole_words(tx, text, &q) < 0 || words_of(tx, k.name, k.description, k.body, &words) < 0)
        return -1;
    return search_matches(tx, &items, q, &(struct search_facts){.key = item, .text = &words});
}
