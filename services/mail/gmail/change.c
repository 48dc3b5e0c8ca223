/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of labels: of one message, of many, of threads; the trash; deletion for good. */
#include "services/mail/gmail/gmail.h"

#define MAX_CHANGE_LABELS 100
#define MAX_BATCH         1000

/* ---- what is asked for ---- */

static bool has(const int64_t *list, size_t n, int64_t id)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == id)
            return true;
    return false;
}

static int check_change(struct call *c, const struct mailbox *mb, const struct gmail_change *ch)
{
    static const enum label_role places[] = {LABEL_INBOX, LABEL_SPAM, LABEL_TRASH};
    int n = 0;
    for (size_t i = 0; i < SOSIA_LEN(places); i++)
        n += has(ch->add, ch->n_add, label_id(mb->id, places[i]));
    if (n > 1)
        return gmail_invalid(c, "Can only add one of: INBOX, SPAM, TRASH");
    for (size_t i = 0; i < ch->n_add; i++)
        if (has(ch->remove, ch->n_remove, ch->add[i]))
            return gmail_invalid(c, "Cannot both add and remove the same label");
    return 0;
}

/* Classification labels are made by an organisation's administrators: here nobody has made any. */
static int no_classification(struct call *c)
{
    const struct json *add = json_get(c->body, "addClassificationLabels");
    const char **gone, *id = NULL;
    size_t n;
    if (gmail_strings(c, c->body, "removeClassificationLabelIds", &gone, &n) < 0)
        return -1;
    if (add && add->type == JSON_ARRAY)
        add = add->n ? add->items : NULL;
    if (add && add->type == JSON_OBJECT)
        id = json_get_str(add, "labelId") ? json_get_str(add, "labelId") : "";
    else if (n)
        id = gone[0];
    return id ? gmail_invalid(c, "Invalid classification label: %.100s", id) : 0;
}

static bool too_many(const struct json *list)
{
    return list && list->type == JSON_ARRAY && list->n > MAX_CHANGE_LABELS;
}

int gmail_read_change(struct call *c, const struct mailbox *mb, struct gmail_change *ret)
{
    *ret = (struct gmail_change){0};
    if (too_many(json_get(c->body, "addLabelIds")) || too_many(json_get(c->body, "removeLabelIds")))
        return gmail_invalid(c, "Too many labels: at most %d may be added or removed",
                             MAX_CHANGE_LABELS);
    if (no_classification(c) < 0 ||
        gmail_label_list(c, mb, c->body, "addLabelIds", true, &ret->add, &ret->n_add) < 0 ||
        gmail_label_list(c, mb, c->body, "removeLabelIds", true, &ret->remove, &ret->n_remove) < 0)
        return -1;
    if (!ret->n_add && !ret->n_remove)
        return gmail_invalid(c, "No label add or removes specified");
    return check_change(c, mb, ret);
}

int gmail_apply(struct call *c, struct message *list, size_t n, const struct gmail_change *ch)
{
    if (messages_modify(&c->tx, list, n, ch->add, ch->n_add, ch->remove, ch->n_remove) < 0)
        return gmail_refused(c);
    return 0;
}

int gmail_trash(struct call *c, struct message *list, size_t n, bool in)
{
    if (!n)
        return 0;
    int64_t trash = label_id(list->mailbox, LABEL_TRASH);
    struct gmail_change ch = {.add = &trash, .remove = &trash, .n_add = in, .n_remove = !in};
    return gmail_apply(c, list, n, &ch);
}

/* ---- one message ---- */

int gmail_messages_modify(struct call *c)
{
    struct mailbox mb;
    struct message m;
    struct gmail_change ch;
    if (gmail_open(c, &mb) < 0 || gmail_message(c, &mb, &m) < 0 ||
        gmail_read_change(c, &mb, &ch) < 0 || gmail_apply(c, &m, 1, &ch) < 0)
        return -1;
    return gmail_write_changed(c, &m);
}

int gmail_messages_trash(struct call *c)
{
    struct mailbox mb;
    struct message m;
    if (gmail_open(c, &mb) < 0 || gmail_message(c, &mb, &m) < 0 || gmail_trash(c, &m, 1, true) < 0)
        return -1;
    return gmail_write_stub(c, NULL, &m);
}

int gmail_messages_untrash(struct call *c)
{
    struct mailbox mb;
    struct message m;
    if (gmail_open(c, &mb) < 0 || gmail_message(c, &mb, &m) < 0 || gmail_trash(c, &m, 1, false) < 0)
        return -1;
    return gmail_write_changed(c, &m);
}

int gmail_messages_delete(struct call *c)
{
    struct mailbox mb;
    struct message m;
    if (gmail_open(c, &mb) < 0 || gmail_message(c, &mb, &m) < 0)
        return -1;
    if (message_delete(&c->tx, &m) < 0)
        return gmail_refused(c);
    c->status = 204;
    return 0;
}

/* ---- many ---- */

/* The keys that a batch names. */
static int batch(struct call *c, int64_t **ret, size_t *ret_n)
{
    const char **ids;
    size_t n;
    if (gmail_strings(c, c->body, "ids", &ids, &n) < 0)
        return -1;
    if (!n)
        return gmail_invalid(c, "No message ids specified");
    if (n > MAX_BATCH)
        return gmail_invalid(c, "Number of ids cannot exceed %d", MAX_BATCH);
    *ret = arena_calloc(c->tx.arena, n + 1, sizeof **ret);
    *ret_n = n;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < n; i++)
        if (gmail_key_parse(ids[i], &(*ret)[i]) < 0)
            return gmail_invalid(c, "Invalid ids value");
    return 0;
}

/* Messages that are not there are passed over; one may be named twice. */
int gmail_messages_batch_modify(struct call *c)
{
    struct mailbox mb;
    struct message m;
    struct gmail_change ch;
    int64_t *keys;
    size_t n;
    if (gmail_open(c, &mb) < 0 || batch(c, &keys, &n) < 0 || gmail_read_change(c, &mb, &ch) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = message_get(&c->tx, mb.id, keys[i], &m);
        if (r < 0 || (r && gmail_apply(c, &m, 1, &ch) < 0))
            return -1;
    }
    c->status = 204;
    return 0;
}

int gmail_messages_batch_delete(struct call *c)
{
    struct mailbox mb;
    struct message m;
    int64_t *keys;
    size_t n;
    if (gmail_open(c, &mb) < 0 || batch(c, &keys, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = message_get(&c->tx, mb.id, keys[i], &m);
        if (r < 0 || (r && message_delete(&c->tx, &m) < 0))
            return gmail_refused(c);
    }
    c->status = 204;
    return 0;
}
