/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of labels, of one message or many, and the trash: what methods of messages and threads
 * share. */
#include "services/mail/gmail/gmail.h"

#define MAX_CHANGE_LABELS 100

/* ---- the request ---- */

static bool has(const int64_t *list, size_t n, int64_t id)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == id)
            return true;
    return false;
}

static int check_change(struct call *c, const struct mailbox *mb, const struct gmail_change *ch)
{
    static const enum gmail_system_label places[] = {LABEL_INBOX, LABEL_SPAM, LABEL_TRASH};
    int n = 0;
    for (size_t i = 0; i < SOSIA_LEN(places); i++)
        n += has(ch->add, ch->n_add, mail_folder_id(mb->id, places[i]));
    if (n > 1)
        return gmail_invalid(c, "Can only add one of: INBOX, SPAM, TRASH");
    for (size_t i = 0; i < ch->n_add; i++)
        if (has(ch->remove, ch->n_remove, ch->add[i]))
            return gmail_invalid(c, "Cannot both add and remove the same label");
    return 0;
}

/* Classification labels are made by an organisation's administrators: here there are none. */
static int no_classification(struct call *c)
{
    const struct json *add = json_get(call_body(c), "addClassificationLabels");
    const char **gone, *id = NULL;
    size_t n;
    if (gmail_strings(c, call_body(c), "removeClassificationLabelIds", &gone, &n) < 0)
        return -1;
    if (add && add->n && add->items->type == JSON_OBJECT)
        id = json_get_str(add->items, "labelId") ? json_get_str(add->items, "labelId") : "";
    else if (n)
        id = gone[0];
    return id ? gmail_invalid(c, "Invalid classification label: %.100s", id) : 0;
}

static bool too_many(const struct json *list)
{
    return list && list->n > MAX_CHANGE_LABELS;
}

int gmail_read_change(struct call *c, const struct mailbox *mb, struct gmail_change *ret)
{
    *ret = (struct gmail_change){0};
    if (too_many(json_get(call_body(c), "addLabelIds")) ||
        too_many(json_get(call_body(c), "removeLabelIds")))
        return gmail_invalid(c, "Too many labels: at most %d may be added or removed",
                             MAX_CHANGE_LABELS);
    if (no_classification(c) < 0 ||
        gmail_label_list(c, mb, call_body(c), "addLabelIds", true, &ret->add, &ret->n_add) < 0 ||
        gmail_label_list(c, mb, call_body(c), "removeLabelIds", true, &ret->remove,
                         &ret->n_remove) < 0)
        return -1;
    if (!ret->n_add && !ret->n_remove)
        return gmail_invalid(c, "No label add or removes specified");
    return check_change(c, mb, ret);
}

int gmail_apply(struct call *c, struct mail_message *list, size_t n, const struct gmail_change *ch)
{
    if (mail_messages_modify(&c->tx, list, n, ch->add, ch->n_add, ch->remove, ch->n_remove) < 0)
        return gmail_refused(c);
    return 0;
}

int gmail_trash(struct call *c, struct mail_message *list, size_t n, bool in)
{
    if (!n)
        return 0;
    int64_t trash = mail_folder_id(list->mailbox, LABEL_TRASH);
    struct gmail_change ch = {.add = &trash, .remove = &trash, .n_add = in, .n_remove = !in};
    return gmail_apply(c, list, n, &ch);
}
