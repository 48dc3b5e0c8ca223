/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The searchable text of a message. The column "extra" has what a word without a field must not
 * find, each with a mark in front: addresses of delivery, Reply-To, List-Id; and what makes rare
 * things quick to find: files, kinds of links, the size's class.
 */
#include "services/mail/core/index.h"

/* ---- a message ---- */

int mail_index_class(int64_t size)
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
    search_add_lines(out, doc->reply, MARK_REPLY);
    buf_puts(out, SEARCH_STROKE);
    search_add_lines(out, doc->list, MARK_LIST);
    search_add_has(out, has);
    buf_printf(out, MARK_SIZE "%d " SEARCH_STROKE, mail_index_class(doc->size));
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
            search_add_lines(&b, lists[i], "");
        else if (i == COLUMN_BODY && doc->body)
            search_add_words(&b, doc->body,
                             doc->body_len < SEARCH_TEXT_MAX ? doc->body_len : SEARCH_TEXT_MAX, "");
        else if (i == COLUMN_FILE)
            search_add_lines(&b, doc->files, "");
        else if (i == COLUMN_EXTRA)
            add_extra(&b, doc, ret->has);
        ret->len[i] = b.len;
        ret->columns[i] = arena_memdup(tx->arena, b.len ? b.data : "", b.len);
    }
    bool failed = buf_failed(&b) || arena_failed(tx->arena);
    buf_done(&b);
    return failed ? sosia_fail_memory(tx->err) : 0;
}

int mail_text(struct tx *tx, const struct search_doc *doc, struct search_text *ret)
{
    *ret = (struct search_text){.has = doc->has};
    return make_columns(tx, doc, (1u << INDEX_COLUMNS) - 1, ret);
}

int mail_text_head(struct tx *tx, const struct search_doc *doc, const struct search_text *other,
                   struct search_text *ret)
{
    *ret = *other;
    return make_columns(
        tx, doc, ((1u << INDEX_COLUMNS) - 1) & ~(1u << COLUMN_BODY | 1u << COLUMN_FILE), ret);
}

int mail_text_delivered(struct tx *tx, const struct search_text *other, const char *delivered,
                        uint32_t files, struct search_text *ret)
{
    struct buf b;
    *ret = *other;
    ret->has |= files;
    if ((!delivered || !*delivered) && !files)
        return 0;
    buf_init(&b, 0);
    buf_add(&b, other->columns[COLUMN_EXTRA], other->len[COLUMN_EXTRA]);
    if (delivered)
        search_add_lines(&b, delivered, MARK_DELIVERED);
    search_add_has(&b, files);
    ret->columns[COLUMN_EXTRA] = arena_memdup(tx->arena, b.len ? b.data : "", b.len);
    ret->len[COLUMN_EXTRA] = b.len;
    bool failed = buf_failed(&b) || arena_failed(tx->arena);
    buf_done(&b);
    return failed ? sosia_fail_memory(tx->err) : 0;
}
