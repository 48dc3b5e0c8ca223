/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is in the index of a corpus: making the words of its columns, putting documents in and
 * taking them out.
 *
 * The index keeps no texts: a document is taken out with the words that it was put in with.
 */
#ifndef SOSIA_SEARCH_INDEX_H
#define SOSIA_SEARCH_INDEX_H

#include "engine/search/corpus.h"

/* Bytes of a long text whose words are worth indexing. */
#define SEARCH_TEXT_MAX ((size_t)4 << 20)

/* ---- columns ---- */

/* Adds a text's words to a column and, behind a stroke that no phrase crosses, the whole addresses
 * in it, each with the mark in front ("": none). */
void search_add_words(struct buf *out, const char *text, size_t len, const char *mark);
/* The same for a list, one a line (NULL: none): no phrase crosses from one to the next. */
void search_add_lines(struct buf *out, const char *lines, const char *mark);
/* The marks of what it has, for SEARCH_HAS. */
void search_add_has(struct buf *out, uint32_t has);
/* Adds words ("w1 w2 ") with a mark in front of each. */
void search_add_marked(struct buf *out, const char *words, size_t len, const char *mark);

/* ---- documents ---- */

/* Puts one in, takes one out, now. */
int search_add(struct tx *tx, const struct corpus *corpus, int64_t key,
               const struct search_text *text);
int search_remove(struct tx *tx, const struct corpus *corpus, int64_t key,
                  const struct search_text *text);

/*
 * The same when the call is over, in the order that suits the index: FTS5 writes out all that it
 * has gathered at every savepoint, also those that SQLite makes for single statements, and whenever
 * a number is lower than the one before. So a message to a thousand people is written out once, not
 * a thousand times. The words live in the arena of the transaction.
 */
int search_add_later(struct tx *tx, const struct corpus *corpus, int64_t key,
                     const struct search_text *text);
int search_remove_later(struct tx *tx, const struct corpus *corpus, int64_t key,
                        const struct search_text *text);
/* Now, since the index is about to be asked. */
int search_settle(struct tx *tx);

/*
 * For very many at once (seeds): they are kept until there are enough of them, and go into the
 * index in the order that suits it. What is kept is not found yet, and must not be removed.
 */
struct search_bulk;
int search_bulk_begin(struct tx *tx, const struct corpus *corpus, struct search_bulk **ret);
int search_bulk_add(struct tx *tx, struct search_bulk *bulk, int64_t key,
                    const struct search_text *text); /* copied */
/* Frees it, in any case; failed: what it has is given up, with the transaction. */
int search_bulk_end(struct tx *tx, struct search_bulk *bulk, bool failed);

/* Some documents make the index look for words that nearly all have (common.c), when all documents
 * are in it: those above by themselves; who fills an index with search_add() does it afterwards.
 * Does this one? */
bool search_looks(const struct corpus *corpus, int64_t key);
int search_look(struct tx *tx, const struct corpus *corpus, int64_t key,
                const struct search_text *text);

/* The index's number for a key: those of a group run backwards, since FTS5 goes through its lists
 * from their lower end far more quickly than from the other, and the newest is wanted first. Its
 * own inverse. */
static inline int64_t search_mirror(const struct corpus *corpus, int64_t key)
{
    return key ^ ((INT64_C(1) << corpus->group_bits) - 1);
}

#endif
