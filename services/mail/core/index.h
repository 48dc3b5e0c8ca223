/* SPDX-License-Identifier: Apache-2.0 */
/* How the index keeps what search.h says. Between the files of the search only. */
#ifndef SOSIA_MAIL_INDEX_H
#define SOSIA_MAIL_INDEX_H

#include "services/mail/core/search.h"

enum {
    COLUMN_SENDER,
    COLUMN_RECIPIENT,
    COLUMN_CC,
    COLUMN_BCC,
    COLUMN_SUBJECT,
    COLUMN_BODY,
    COLUMN_FILE,
    COLUMN_EXTRA,
    INDEX_COLUMNS
};
extern const char *const index_columns[INDEX_COLUMNS]; /* of mail_index */

/* In front of words in the column "extra". A ':' is in no word. */
#define MARK_DELIVERED "d:"
#define MARK_REPLY     "r:"
#define MARK_LIST      "l:"
#define MARK_HAS       "h:" /* and a bit of enum search_has */
#define MARK_SIZE      "z:" /* and index_class() of the size */

/* Where a field of a question stands. */
#define N_INDEX_FIELDS 10
extern const struct index_field {
    unsigned field; /* enum search_field */
    int column;
    const char *mark;
} index_fields[N_INDEX_FIELDS];

#define STROKE "| " /* between texts that have nothing to do with each other */

/* Adds words ("w1 w2 ") with a mark in front of each. */
void index_mark(struct buf *out, const char *words, size_t len, const char *mark);
/* The index's number for a message: those of a mailbox run backwards, since FTS5 goes through its
 * lists from their lower end far more quickly than from the other, and the newest is wanted first.
 * Its own inverse. */
static inline int64_t index_mirror(int64_t message)
{
    return message ^ ((INT64_C(1) << 47) - 1);
}
/* Sizes from 2^n up to 2^(n+1) are of class n. */
int index_class(int64_t size);
/* The column "extra" of a copy. */
int index_extra(struct arena *a, const struct search_text *text, const char *delivered,
                const char **ret, size_t *ret_len);

#endif
