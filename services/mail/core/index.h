/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the index keeps a message. A column has the words of its text and, behind a stroke that no
 * phrase crosses, the whole addresses in it. The column "extra" has what a word without a field
 * must not find, each with a mark in front, and what makes rare things quick to find.
 */
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

#define STROKE "| " /* between texts that have nothing to do with each other */

/* In front of words in the column "extra". A ':' is in no word. */
#define MARK_DELIVERED "d:"
#define MARK_REPLY     "r:"
#define MARK_LIST      "l:"
#define MARK_HAS       "h:" /* and a bit of enum search_has */
#define MARK_SIZE      "z:" /* and index_class() of the size */

/* Sizes from 2^n up to 2^(n+1) are of class n. */
int index_class(int64_t size);

#endif
