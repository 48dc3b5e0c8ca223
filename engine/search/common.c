/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that nearly all documents of a group have, and lists of those without them.
 *
 * "The inbox, but not this word" would be found by going through all of the word's list where the
 * word is in everything. So for each of a group's most common words the index keeps a list of the
 * documents that lack it.
 *
 * Which words these are does not change a result, only how it is found. One document of LOOK_EVERY,
 * chosen by its key and so the same in every world that has it, makes the index look: words of it
 * that the newest documents have become common, those that they no longer have are dropped.
 */
#include "engine/search/common.h"
#include "engine/search/index.h"
#include "engine/search/walk.h"
#include "engine/search/words.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    WORDS_MOST = 24,    /* of a group */
    LOOK_EVERY = 1024,  /* documents, on average */
    GROUP_LEAST = 2048, /* documents that a group has before anything in it is common */
    NEWEST = 72,        /* documents that decide what is common: eight of nine have a word that
                           becomes so, and two of three one that stays so */
    CANDIDATES = 256    /* words of a document that are looked at */
};

struct word {
    int64_t id;
    size_t len;
    char text[WORD_MAX]; /* without the space behind it */
};

/* What common.c has, or a test. */
static int or_else(unsigned given, int own)
{
    return given ? (int)given : own;
}

static int64_t group_of(const struct corpus *corpus, int64_t key)
{
    return key >> corpus->group_bits;
}

/* Without the marked ones, which are not looked up this way. */
static bool has_word(const struct corpus *corpus, const struct search_text *text, const char *word,
                     size_t len)
{
    for (unsigned i = 0; i < corpus->n_columns; i++) {
        const char *at = text->columns[i], *end = at + text->len[i];
        while ((at = memmem(at, (size_t)(end - at), word, len))) {
            if ((at == text->columns[i] || at[-1] == ' ') && (at + len == end || at[len] == ' '))
                return true;
            at += len;
        }
    }
    return false;
}

/* How many the group has; -1 failed. */
static int words_of(struct tx *tx, const struct corpus *corpus, int64_t group,
                    struct word ret[WORDS_MOST])
{
    int n = 0, r;
    sqlite3_stmt *st = TX_QUERY(tx, &corpus->common->words, group, WORDS_MOST);
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1) {
        const char *text = (const char *)sqlite3_column_text(st, 1);
        size_t len = (size_t)sqlite3_column_bytes(st, 1);
        if (!text || !len || len > WORD_MAX)
            continue; /* none of ours */
        ret[n].id = sqlite3_column_int64(st, 0);
        ret[n].len = len;
        memcpy(ret[n++].text, text, len);
    }
    return r < 0 ? -1 : n;
}

int common_note(struct tx *tx, const struct corpus *corpus, int64_t key, bool remove,
                const struct search_text *text)
{
    struct word words[WORDS_MOST];
    int n = words_of(tx, corpus, group_of(corpus, key), words);
    for (int i = 0; i < n; i++)
        if (!has_word(corpus, text, words[i].text, words[i].len) &&
            TX_RUN(tx, remove ? &corpus->common->unlist : &corpus->common->enlist, words[i].id,
                   key) < 0)
            return -1;
    return n < 0 ? -1 : 0;
}

int common_find(struct tx *tx, const struct corpus *corpus, int64_t group, const char *word,
                size_t len, int64_t *ret_id)
{
    sqlite3_stmt *st = sql_plain(tx->db, tx->err, &corpus->common->find);
    if (!st)
        return -1;
    sql_bind_int(st, 1, group);
    sql_bind_textn(st, 2, word, len);
    return sql_first_int(tx->db, tx->err, st, ret_id);
}

bool search_looks(const struct corpus *corpus, int64_t key)
{
    const struct search_common *c = corpus->common;
    return c && XXH3_64bits(&key, sizeof key) % (unsigned)or_else(c->every, LOOK_EVERY) == 0;
}

/* ---- looking ---- */

/* How many rows a statement whose parameters are bound has; and the number of the last one of
 * `at` rows. */
static int count_rows(struct tx *tx, sqlite3_stmt *st, int at, int64_t *ret_number)
{
    int n = 0, r;
    while ((r = TX_STEP(tx, st)) == 1)
        if (++n == at)
            *ret_number = sqlite3_column_int64(st, 0);
    return r < 0 ? -1 : n;
}

static int give_up(struct tx *tx, const struct corpus *corpus, int64_t id)
{
    return TX_RUN(tx, &corpus->common->unlist_all, id) < 0 ||
                   TX_RUN(tx, &corpus->common->forget, id) < 0
               ? -1
               : 0;
}

/* Gives up those that many of the newest lack, down to the key `mark`. -1, or how many are left. */
static int review(struct tx *tx, const struct corpus *corpus, int64_t group, int64_t mark)
{
    struct word words[WORDS_MOST];
    int n = words_of(tx, corpus, group, words), left = 0;
    int newest = or_else(corpus->common->newest, NEWEST);
    int64_t unused;
    for (int i = 0; i < n; i++) {
        sqlite3_stmt *st = TX_QUERY(tx, &corpus->common->list.sql, words[i].id,
                                    (group + 1) << corpus->group_bits, mark, newest);
        int lack = st ? count_rows(tx, st, 0, &unused) : -1;
        if (lack < 0 || (lack > newest / 3 && give_up(tx, corpus, words[i].id) < 0))
            return -1;
        left += lack <= newest / 3;
    }
    return n < 0 ? -1 : left;
}

/* 1: so many of those down to the mark have it. */
static int is_common(struct tx *tx, const struct corpus *corpus, int64_t group, int64_t mark,
                     const char *word, size_t len)
{
    int have = or_else(corpus->common->newest, NEWEST) * 8 / 9;
    int64_t number = 0, bits = (INT64_C(1) << corpus->group_bits) - 1;
    struct buf match;
    buf_init(&match, 0);
    buf_byte(&match, '"');
    buf_add(&match, word, len);
    buf_byte(&match, '"');
    sqlite3_stmt *st = TX_QUERY(tx, &corpus->sql->match, buf_str(&match),
                                search_mirror(corpus, group << corpus->group_bits | bits), have);
    int n = st ? count_rows(tx, st, have, &number) : -1;
    buf_done(&match);
    return n < have ? (n < 0 ? -1 : 0) : number <= search_mirror(corpus, mark);
}

/* Lists those without the word, through the index first, since the list does not exist yet. */
static int make_common(struct tx *tx, const struct corpus *corpus, int64_t group, const char *word,
                       size_t len)
{
    struct search phrase = {
        .kind = SEARCH_PHRASE, .fields = corpus->any, .text = arena_memdup(tx->arena, word, len)};
    const struct search *kid = &phrase;
    struct search none = {.kind = SEARCH_NOT, .kids = &kid, .n_kids = 1};
    struct search_ask ask = {.corpus = corpus,
                             .query = &none,
                             .first = group << corpus->group_bits,
                             .last = ((group + 1) << corpus->group_bits) - 1};
    struct search_walk *w = search_open(tx, &ask);
    int64_t id, key;
    if (!w)
        return -1;
    sqlite3_stmt *st = sql_plain(tx->db, tx->err, &corpus->common->learn);
    if (!st)
        return -1;
    sql_bind_int(st, 1, group);
    sql_bind_textn(st, 2, word, len);
    if (sql_run(tx->db, st, tx->err) < 0)
        return -1;
    id = sqlite3_last_insert_rowid(slot_db(tx->db));
    for (int64_t from = ask.last; (key = search_next(w, from)); from = key - 1)
        if (TX_RUN(tx, &corpus->common->enlist, id, key) < 0)
            return -1;
    return search_failed(w) ? -1 : 0;
}

/* The next word of a column from *at on; false: there is none. Marked ones are passed over. */
static bool column_word(const struct search_text *text, unsigned column, size_t *at,
                        const char **ret_word, size_t *ret_len)
{
    const char *words = text->columns[column];
    while (*at < text->len[column]) {
        const char *word = words + *at, *end = memchr(word, ' ', text->len[column] - *at);
        size_t len = end ? (size_t)(end - word) : text->len[column] - *at;
        *at += len + 1;
        if (!len || len > WORD_MAX || memchr(word, ':', len) || word[0] == SEARCH_STROKE[0])
            continue;
        *ret_word = word;
        *ret_len = len;
        return true;
    }
    return false;
}

static bool seen(uint64_t *hashes, size_t *n, const char *word, size_t len)
{
    uint64_t h = XXH3_64bits(word, len);
    for (size_t i = 0; i < *n; i++)
        if (hashes[i] == h)
            return true;
    hashes[(*n)++] = h;
    return false;
}

int search_look(struct tx *tx, const struct corpus *corpus, int64_t key,
                const struct search_text *text)
{
    uint64_t hashes[CANDIDATES];
    size_t n = 0, at, len;
    int64_t group = group_of(corpus, key), mark = 0, id,
            last = ((group + 1) << corpus->group_bits) - 1;
    const char *word;
    int least = or_else(corpus->common->least, GROUP_LEAST);
    sqlite3_stmt *st = TX_QUERY(tx, &corpus->all->sql, last, group << corpus->group_bits, least);
    int left = st ? count_rows(tx, st, or_else(corpus->common->newest, NEWEST), &mark) : -1;
    if (left < least)
        return left < 0 ? -1 : 0;
    left = review(tx, corpus, group, mark);
    for (unsigned i = 0; i < corpus->n_columns && left >= 0; i++)
        for (at = 0;
             left < WORDS_MOST && n < CANDIDATES && column_word(text, i, &at, &word, &len);) {
            if (seen(hashes, &n, word, len))
                continue;
            int r = common_find(tx, corpus, group, word, len, &id);
            if (r == 1)
                continue;
            if (r == 0)
                r = is_common(tx, corpus, group, mark, word, len);
            if (r < 0 || (r && make_common(tx, corpus, group, word, len) < 0))
                return -1;
            left += r;
        }
    return left < 0 ? -1 : 0;
}
