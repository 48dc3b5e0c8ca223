/* SPDX-License-Identifier: Apache-2.0 */
/* How the index of messages keeps what search.h says. */
#ifndef SOSIA_MAIL_INDEX_H
#define SOSIA_MAIL_INDEX_H

#include "engine/search/index.h"
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

/* In front of words in the column "extra", beside SEARCH_MARK_HAS. */
#define MARK_DELIVERED "d:"
#define MARK_REPLY     "r:"
#define MARK_LIST      "l:"
#define MARK_SIZE      "z:" /* and mail_index_class() of the size */

/* Sizes from 2^n up to 2^(n+1) are of class n. */
int mail_index_class(int64_t size);

#endif
