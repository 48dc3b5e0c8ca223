/* SPDX-License-Identifier: Apache-2.0 */
/* Invitations in messages: found (objects.c), and understood by the core that has calendars. */
#include "services/mail/core/mail_impl.h"

#define MAX_ANSWERED 20 /* messages that an answer names, and that are read */

/* Those of a message that is stored. */
static int objects_of_message(struct tx *tx, const struct mail_message *m, struct objects *ret)
{
    struct mail_message_body b;
    *ret = (struct objects){0};
    if (mail_message_open(tx, m, &b) < 0)
        return -1;
    for (int i = 0; i < b.mime.n; i++) {
        const char *data;
        size_t len;
        if (mail_object_is(&b.mime, i) &&
            (mail_message_part(tx, &b, i, &data, &len) < 0 ||
             mail_objects_add(tx, &b.mime.parts[i], data, len, ret) < 0))
            return -1;
    }
    return 0;
}

/* *how: what is true of all of them, but `missing`, which is set if it is true of any. */
static int take(struct tx *tx, const struct mailbox *mb, const struct objects *o,
                struct invitation *how)
{
    struct actor who;
    int r = o->n ? actor_by_id(tx, mb->actor, &who) : 0;
    for (int i = 0; r == 1 && i < o->n; i++) {
        how->text = o->list[i].text;
        how->len = o->list[i].len;
        if (invitation_take(tx, &who, how) < 0)
            return -1;
    }
    return r < 0 ? -1 : 0;
}

int mail_take_invitations(struct tx *tx, const struct mailbox *mb, const char *raw, size_t len)
{
    size_t head = mime_head_len(raw, len);
    struct invitation how = {.asked = true};
    struct objects o;
    struct mime m;
    mime_parse(tx->arena, raw, head, raw + head, len - head, &m);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    return mail_objects_in(tx, &m, raw + head, &o) < 0 ? -1 : take(tx, mb, &o, &how);
}

int mail_objects_arrived(struct tx *tx, const struct mailbox *mb, const char *sender,
                         const struct objects *o, struct objects_budget *budget)
{
    size_t bytes = 0;
    for (int i = 0; i < o->n; i++)
        bytes += o->list[i].len;
    if (!o->n || bytes > budget->bytes || budget->events <= 0)
        return 0;
    budget->bytes -= bytes;
    int known = mail_rules_knows(tx, mb, sender);
    struct invitation how = {.known = known == 1, .left = &budget->events};
    return known < 0 ? -1 : take(tx, mb, o, &how);
}

/* An event that is not in the person's calendar is added when they answer it: the answer names
 * the message that brought it. */
static int take_answered(struct tx *tx, const struct mailbox *mb,
                         const struct mail_letter_head *head)
{
    struct invitation how = {.asked = true};
    size_t looked = 0;
    for (size_t i = 0; i < head->n_refs && looked < MAX_ANSWERED; i++) {
        struct mail_message *list;
        size_t n;
        if (mail_message_by_message_id(tx, mb->id, head->refs[i], &list, &n) < 0)
            return -1;
        for (size_t k = 0; k < n && looked < MAX_ANSWERED; k++, looked++) {
            struct objects o;
            if (list[k].flags & (FLAG(FOLDER_SENT) | FLAG(FOLDER_DRAFTS)))
                continue;
            if (objects_of_message(tx, &list[k], &o) < 0 || take(tx, mb, &o, &how) < 0)
                return -1;
        }
    }
    return 0;
}

int mail_objects_sent(struct tx *tx, const struct mailbox *mb, const struct mail_letter_head *head,
                      const struct objects *o)
{
    struct invitation how = {.sent = true};
    int rc = take(tx, mb, o, &how);
    if (rc < 0 || !how.missing)
        return rc;
    return take_answered(tx, mb, head) < 0 ? -1 : take(tx, mb, o, &how);
}
