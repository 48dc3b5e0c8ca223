/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: reading one, its attachments, and the three ways of bringing one. */
#include "services/mail/gmail/gmail.h"
#include "engine/base/codec.h"

int gmail_messages_get(struct call *c)
{
    struct mailbox mb;
    struct message m;
    enum gmail_format format;
    if (gmail_open(c, &mb) < 0 || gmail_format(c, &format) < 0 || gmail_message(c, &mb, &m) < 0)
        return -1;
    return gmail_write_message(c, NULL, &m, format);
}

int gmail_messages_attachments_get(struct call *c)
{
    struct mailbox mb;
    struct message m;
    struct message_body body;
    const char *data;
    size_t len;
    if (gmail_open(c, &mb) < 0 || gmail_message(c, &mb, &m) < 0 ||
        message_open(&c->tx, &m, &body) < 0)
        return -1;
    int part = gmail_attachment_part(c->tx.arena, &m, &body.mime, param_str(c, "id"));
    if (part < 0)
        return gmail_invalid(c, "Invalid attachment token");
    if (message_part(&c->tx, &body, part, &data, &len) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_int(c->out, "size", (int64_t)len);
    gmail_write_bytes(c->out, "data", data, len);
    json_end(c->out);
    return 0;
}

/* ---- sending ---- */

int gmail_messages_send(struct call *c)
{
    struct mailbox mb;
    struct message m;
    struct mail_send in = {.alone = true, .daemon = GMAIL_DAEMON};
    const char *raw;
    size_t len;
    if (gmail_open(c, &mb) < 0 || gmail_raw(c, c->body, GMAIL_MAX_SEND, &raw, &len) < 0 ||
        gmail_wanted_thread(c, &mb, c->body, &in.thread) < 0 ||
        gmail_prepare(c, &mb, raw, len, GMAIL_SEND, &in) < 0)
        return -1;
    in.from = &mb;
    if (mail_send(&c->tx, &in, &m) < 0)
        return gmail_refused(c);
    return gmail_write_stub(c, NULL, &m);
}

/* ---- putting into the mailbox ---- */

/* When the message came: now, or when it says that it was written. */
static int64_t internal_date(struct call *c, const char *raw, size_t len)
{
    const char *source = param_str(c, "internalDateSource");
    int64_t now = c->tx.now_us / 1000000, s;
    if (source && strcmp(source, "dateHeader") == 0) {
        const char *date = mime_header(c->tx.arena, raw, mime_head_len(raw, len), "Date");
        if (date && mime_date(date, &s, NULL) && s >= 0)
            return s;
    }
    return now;
}

static int read_new(struct call *c, const struct mailbox *mb, struct message_new *ret)
{
    int64_t *labels;
    size_t n;
    *ret = (struct message_new){.mailbox = mb};
    if (gmail_raw(c, c->body, GMAIL_MAX_INSERT, &ret->raw, &ret->len) < 0 ||
        gmail_wanted_thread(c, mb, c->body, &ret->thread) < 0 ||
        gmail_label_list(c, mb, c->body, "labelIds", false, &labels, &n) < 0)
        return -1;
    /* The first ones are the roles. */
    size_t own = 0;
    for (size_t i = 0; i < n; i++) {
        if (GMAIL_CHAT_REFUSED && labels[i] == label_id(mb->id, LABEL_CHAT))
            return gmail_invalid(c, "Invalid label: %s", label_words[LABEL_CHAT]);
        if (label_is_role(labels[i]))
            ret->flags |= FLAG(label_place(labels[i]));
        else
            labels[own++] = labels[i];
    }
    ret->labels = labels;
    ret->n_labels = own;
    ret->at_s = internal_date(c, ret->raw, ret->len);
    return 0;
}

/* Was it written by the mailbox's person? */
static int is_own(struct call *c, const struct mailbox *mb, const struct message_new *in, bool *ret)
{
    struct mime_address *from;
    const char **own;
    size_t n, n_own;
    bool bad;
    mime_address_fields(c->tx.arena, in->raw, mime_head_len(in->raw, in->len), "From", &from, &n,
                        &bad);
    if (mailbox_addresses(&c->tx, mb, &own, &n_own) < 0)
        return -1;
    *ret = false;
    for (size_t i = 0; n && i < n_own; i++)
        *ret = *ret || str_eq_nocase(own[i], from[0].email);
    return 0;
}

/* A message that is deleted as it comes is seen by nobody: it only gets an id. */
static int write_deleted(struct call *c)
{
    struct message m = {0};
    uint32_t random;
    if (tx_id(&c->tx, "mail.deleted", &random, sizeof random) < 0)
        return -1;
    m.key = c->tx.now_us / 1000 << 20 | (random & 0xfffff);
    m.thread_key = m.key;
    return gmail_write_stub(c, NULL, &m);
}

static int add(struct call *c, struct message_new *in)
{
    struct draft d;
    struct message m;
    if (param_bool(c, "deleted"))
        return write_deleted(c);
    if (in->flags & FLAG(LABEL_DRAFT)) {
        if (draft_add(&c->tx, in, 0, &d) < 0)
            return gmail_refused(c);
        m = d.message;
    } else if (message_add(&c->tx, in, &m) < 0) {
        return gmail_refused(c);
    }
    return gmail_write_stub(c, NULL, &m);
}

int gmail_messages_insert(struct call *c)
{
    struct mailbox mb;
    struct message_new in;
    bool own;
    if (gmail_open(c, &mb) < 0 || read_new(c, &mb, &in) < 0 || is_own(c, &mb, &in, &own) < 0)
        return -1;
    if (own && !(in.flags & FLAG(LABEL_DRAFT)))
        in.flags |= FLAG(LABEL_SENT);
    return add(c, &in);
}

static int count_fields(const char *raw, size_t len, const char *name)
{
    struct mime_field f;
    size_t head = mime_head_len(raw, len);
    int n = 0;
    while (n < 2 && mime_field_find(raw, head, name, (size_t)n, &f))
        n++;
    return n;
}

int gmail_messages_import(struct call *c)
{
    struct mailbox mb;
    struct message_new in;
    if (gmail_open(c, &mb) < 0 || read_new(c, &mb, &in) < 0)
        return -1;
    if (count_fields(in.raw, in.len, "From") != 1)
        return gmail_invalid(c, "Expected a single 'From' header");
    in.incoming = true;
    if (param_bool(c, "processForCalendar") &&
        mail_take_invitations(&c->tx, &mb, in.raw, in.len) < 0)
        return gmail_refused(c);
    return add(c, &in);
}
