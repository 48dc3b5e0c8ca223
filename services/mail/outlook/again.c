/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that were written before, for the same rows and the same reader. */
#include "engine/store/record.h"
#include "engine/store/rendered.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/again.h"
#include "services/mail/outlook/settings/options.h"

/* All that a message's text depends on beside what is stored of it: whatever render.c reads of the
 * call, the mailbox, the query and the writer. */
static uint32_t view_of(struct call *c, const struct outlook_box *b, enum outlook_form form)
{
    const int64_t numbers[] = {form,    b->basic,  b->immutable,   b->text,
                               b->html, c->pretty, c->escape_html, c->out->depth};
    struct rendered_key k;
    k.n = 0;
    rendered_add_text(&k, "microsoft.graph.message");
    rendered_add(&k, numbers, sizeof numbers);
    rendered_add(&k, b->guid, sizeof b->guid);
    rendered_add(&k, b->provider, sizeof b->provider);
    rendered_add(&k, b->store, sizeof b->store);
    rendered_add_text(&k, b->user.key);
    rendered_add_text(&k, graph_option(c, "$select"));
    return rendered_view(c->tx.db, k.bytes, k.n);
}

static void add_bytes(struct buf *b, const char *data, size_t n)
{
    buf_add(b, (const char *)&n, sizeof n);
    buf_add(b, data, n);
}

/* The bytes of its parts; 0 where some of them are in blobs, or not to be had like this. */
static int add_content(struct tx *tx, int64_t id, struct buf *b)
{
    static struct record_text record = RECORD_TEXT("mail_content", "size, tree, own");
    struct record row = {.arena = tx->arena};
    if (record_find(tx->db, &record, id, &row) != 1)
        return 0;
    size_t n, n_own;
    const char *tree = record_blob(&row, 1, &n), *own = record_blob(&row, 2, &n_own);
    if (!tree || !own || n_own != (size_t)record_int(&row, 0))
        return 0;
    add_bytes(b, tree, n);
    add_bytes(b, own, n_own);
    return 1;
}

static int add_head(struct tx *tx, const struct mail_message *m, struct buf *b)
{
    const char *head;
    size_t n;
    if (mail_message_head(tx, m, &head, &n) < 0)
        return -1;
    add_bytes(b, head, n);
    return 1;
}

/* Categories have names, and messages about meetings their events. 1, 0, -1. */
static int add_rows(struct tx *tx, const struct outlook_item *i, unsigned needs, struct buf *b)
{
    const struct mail_message *m = &i->message;
    const int64_t numbers[] = {i->key,  i->version,    i->modified_us,  i->was,
                               m->key,  m->thread_key, m->flags,        m->at_s,
                               m->size, m->folder,     i->draft.id != 0};
    struct mail_property p;
    int64_t began = 0;
    int r = 1;
    if (i->meeting || (needs & OUTLOOK_CATEGORIES && m->flags & FLAG_OWN_FOLDERS))
        return 0;
    buf_add(b, (const char *)numbers, sizeof numbers);
    if (needs & OUTLOOK_MARKS) {
        if (mail_property_get(tx, m, &p) < 0)
            return -1;
        const int64_t marks[] = {p.importance,   p.flag,      p.flag_from_us, p.flag_due_us,
                                 p.flag_done_us, p.inference, p.receipts};
        buf_add(b, (const char *)marks, sizeof marks);
    }
    if (needs & OUTLOOK_THREAD) {
        if (outlook_began_s(tx, m, &began) < 0)
            return -1;
        buf_add(b, (const char *)&began, sizeof began);
    }
    if (needs & (OUTLOOK_HEAD | OUTLOOK_BODY))
        r = add_head(tx, m, b);
    return r == 1 && needs & OUTLOOK_BODY ? add_content(tx, m->content, b) : r;
}

int outlook_again_find(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                       const struct odata_query *q, enum outlook_form form, struct buf *rows,
                       const char **ret_text, size_t *ret_len)
{
    struct outlook_again *again = b->again;
    if (!again || !q || q->n_expand || c->out->skip || !record_can(c->tx.db) || graph_is_beta(c))
        return 0;
    if (again->q != q || again->form != form || again->depth != c->out->depth)
        *again = (struct outlook_again){.q = q,
                                        .form = form,
                                        .depth = c->out->depth,
                                        .needs = outlook_needs(q, false),
                                        .view = view_of(c, b, form)};
    int r = again->view ? add_rows(&c->tx, i, again->needs, rows) : 0;
    if (r == 1 && buf_failed(rows))
        return sosia_fail_memory(c->tx.err);
    if (r < 1) {
        buf_clear(rows);
        return r;
    }
    return rendered_find(c->tx.db, again->view, rows->data, rows->len, ret_text, ret_len);
}

void outlook_again_keep(struct call *c, const struct outlook_box *b, const struct buf *rows,
                        size_t from)
{
    const struct buf *out = c->out->out;
    if (rows->len && from < out->len && !buf_failed(out) && !buf_failed(rows))
        rendered_keep(c->tx.db, b->again->view, rows->data, rows->len, out->data + from,
                      out->len - from);
}
