/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that are put into a mailbox; those that come in meet its rules. */
#include "services/mail/core/deliver/rules.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/core/mime/mime.h"

/* Of whom the message is, lower case; "": nobody says. */
static const char *sender_of(struct tx *tx, const struct mail_letter_head *head)
{
    struct mime_address *from;
    size_t n;
    bool bad;
    mime_address_fields(tx->arena, head->head, head->len, "From", &from, &n, &bad);
    const char *sender = n ? email_normal(tx->arena, from[0].email) : NULL;
    return sender ? sender : "";
}

int mail_message_add(struct tx *tx, const struct mail_message_new *in, struct mail_message *ret)
{
    struct mail_letter_head head;
    struct mail_letter_text text;
    struct mail_message_new new = *in;
    int forwards = MAIL_MAX_FORWARDS;
    if (!in->incoming)
        return mail_message_keep(tx, in, ret);
    if (mail_letter_read(tx, in->raw, in->len, &head, &text) < 0)
        return -1;
    const struct mail_vendor *v = mail_vendor_of(tx, in->mailbox->id);
    if (!v)
        return -1;
    struct mail_incoming incoming = {.sender = sender_of(tx, &head),
                                     .recipient = in->mailbox->email,
                                     .forwards = &forwards,
                                     .decide = mail_rules_incoming};
    if (v->marks && !(new.flags & v->marked))
        new.flags |= v->marks(tx->arena, incoming.sender, head.head, head.len);
    const struct put put = {.in = &new, .head = &head, .text = &text, .incoming = &incoming};
    if (mail_message_put(tx, &put, ret) < 0)
        return -1;
    incoming.message = ret;
    return mail_rules_after(tx, &incoming);
}
