/* SPDX-License-Identifier: Apache-2.0 */
/* Between again.c, which finds what was written of messages before, and render.c, which writes. */
#ifndef SOSIA_OUTLOOK_AGAIN_H
#define SOSIA_OUTLOOK_AGAIN_H

#include "services/mail/outlook/outlook.h"

/* What was written: an item of a list, with or without its type in any case, or members of an
 * answer, not the first ones. */
enum outlook_form { OUTLOOK_ITEM, OUTLOOK_TYPED_ITEM, OUTLOOK_MEMBERS };

/* What the members that a query selects are made of, beside the message's row. */
enum outlook_needs {
    OUTLOOK_HEAD = 1,
    OUTLOOK_BODY = 2,
    OUTLOOK_MARKS = 4,
    OUTLOOK_CATEGORIES = 8,
    OUTLOOK_THREAD = 16
};

/* Of a mailbox in a call: how its messages were looked for last. */
struct outlook_again {
    const struct odata_query *q;
    enum outlook_form form;
    unsigned depth, needs;
    uint32_t view;
};

/* The text that was written of it: 1; 0: it is to be written, and kept by its rows unless there are
 * none; -1. */
int outlook_again_find(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                       const struct odata_query *q, enum outlook_form form, struct buf *rows,
                       const char **ret_text, size_t *ret_len);
/* What the writer wrote from a place on. */
void outlook_again_keep(struct call *c, const struct outlook_box *b, const struct buf *rows,
                        size_t from);

/* ---- render.c ---- */

unsigned outlook_needs(const struct odata_query *q, bool beta);
/* When its conversation began, as far as the mailbox knows. */
int outlook_began_s(struct tx *tx, const struct mail_message *m, int64_t *ret);

#endif
