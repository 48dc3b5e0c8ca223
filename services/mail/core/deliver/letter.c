/* SPDX-License-Identifier: Apache-2.0 */
/* An incoming message: what mailboxes need of its head, and what all its copies share. */
#include "engine/base/codec.h"
#include "services/mail/core/mail_impl.h"

#define MAX_REFS 200 /* ids that are looked up to find a thread: the last ones */

/* The last ids of References, the nearest first, then those of In-Reply-To. */
static void read_refs(struct arena *a, struct mail_letter_head *h)
{
    const char **refs, **replies = NULL;
    size_t n = 0, n_replies = 0;
    char *references = mime_header(a, h->head, h->len, "References");
    char *reply = mime_header(a, h->head, h->len, "In-Reply-To");
    h->has_refs = references && *references;
    if (references)
        mime_ids(a, references, &refs, &n);
    if (reply)
        mime_ids(a, reply, &replies, &n_replies);
    if (n_replies > MAX_REFS)
        n_replies = MAX_REFS;
    size_t take = n < MAX_REFS ? n : MAX_REFS;
    h->refs = arena_alloc(a, (take + n_replies + 1) * sizeof *h->refs);
    h->n_refs = 0;
    if (arena_failed(a))
        return;
    for (size_t i = 0; i < take; i++)
        h->refs[h->n_refs++] = refs[n - 1 - i];
    for (size_t i = 0; i < n_replies; i++)
        h->refs[h->n_refs++] = replies[i];
}

int mail_letter_read_head(struct tx *tx, const char *head, size_t len, struct mail_letter_head *ret)
{
    struct arena *a = tx->arena;
    const char **ids;
    size_t n = 0;
    *ret = (struct mail_letter_head){.head = head, .len = len};
    char *id = mime_header(a, head, len, "Message-ID");
    if (id)
        mime_ids(a, id, &ids, &n);
    if (n) {
        ret->id = ids[0];
        ret->message_id = mail_message_id_hash(ids[0]);
    }
    char *subject = mime_header(a, head, len, "Subject");
    char *base = subject ? mime_subject_base(a, subject) : NULL;
    if (base && *base)
        ret->subject = mail_message_id_hash(base);
    read_refs(a, ret);
    mail_property_read(a, head, len, &ret->property);
    return arena_failed(a) ? sosia_fail_memory(tx->err) : 0;
}

int mail_letter_read(struct tx *tx, const char *raw, size_t len, struct mail_letter_head *head,
                     struct mail_letter_text *text)
{
    if (len > MAIL_MAX_SIZE)
        return tx_fail(tx, SOSIA_E_TOO_LARGE, "tooLarge", NULL, "a message has at most %zu bytes",
                       MAIL_MAX_SIZE);
    size_t head_len = mime_head_len(raw, len);
    if (mail_letter_read_head(tx, raw, head_len, head) < 0)
        return -1;
    *text = (struct mail_letter_text){.content = raw + head_len, .content_len = len - head_len};
    mime_parse(tx->arena, raw, head_len, text->content, text->content_len, &text->mime);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    return mail_letter_look(tx, text);
}

bool mail_letter_is_from(struct tx *tx, const char *head, size_t len, const char *const *addresses,
                         size_t n)
{
    struct mime_address *list;
    size_t n_list;
    bool bad;
    mime_address_fields(tx->arena, head, len, "From", &list, &n_list, &bad);
    for (size_t i = 0; i < n_list; i++)
        for (size_t k = 0; k < n; k++)
            if (str_eq_nocase(list[i].email, addresses[k]))
                return true;
    return false;
}
