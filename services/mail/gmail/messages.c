/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: reading, listing, changing and deleting them, their attachments, and the three ways of
 * bringing one. */
#include "services/mail/gmail/rows.h"
#include "engine/base/codec.h"

#define MAX_BATCH 1000

static int gmail_messages_get(struct call *c)
{
    struct mailbox mb;
    struct mail_message m;
    enum gmail_format format;
    if (gmail_open(c, &mb) < 0 || gmail_format(c, &format) < 0 || gmail_message(c, &mb, &m) < 0)
        return -1;
    return gmail_write_message(c, NULL, &m, format);
}

static int gmail_messages_attachments_get(struct call *c)
{
    struct mailbox mb;
    struct mail_message m;
    struct mail_message_body body;
    const char *data;
    size_t len;
    if (gmail_open(c, &mb) < 0 || gmail_message(c, &mb, &m) < 0 ||
        mail_message_open(&c->tx, &m, &body) < 0)
        return -1;
    int part = gmail_attachment_part(c->tx.arena, &m, &body.mime, param_str(c, "id"));
    if (part < 0)
        return gmail_invalid(c, "Invalid attachment token");
    if (mail_message_part(&c->tx, &body, part, &data, &len) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_int(c->out, "size", (int64_t)len);
    gmail_write_bytes(c->out, "data", data, len);
    json_end(c->out);
    return 0;
}

/* ---- sending ---- */

static int gmail_messages_send(struct call *c)
{
    struct mailbox mb;
    struct mail_message m;
    struct mail_send in = {.alone = true, .daemon = GMAIL_DAEMON};
    const char *raw;
    size_t len;
    if (gmail_open(c, &mb) < 0 || gmail_raw(c, call_body(c), GMAIL_MAX_SEND, &raw, &len) < 0 ||
        gmail_wanted_thread(c, &mb, call_body(c), &in.thread) < 0 ||
        gmail_prepare(c, &mb, raw, len, GMAIL_SEND, &in) < 0)
        return -1;
    in.from = &mb;
    if (mail_send(&c->tx, &in, &m) < 0)
        return gmail_refused(c);
    return gmail_write_stub(c, NULL, &m);
}

/* ---- putting into the mailbox ---- */

/* The date of the message: now, or that of its Date field. */
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

static int read_new(struct call *c, const struct mailbox *mb, struct mail_message_new *ret)
{
    int64_t *labels;
    size_t n;
    *ret = (struct mail_message_new){.mailbox = mb};
    if (gmail_raw(c, call_body(c), GMAIL_MAX_INSERT, &ret->raw, &ret->len) < 0 ||
        gmail_wanted_thread(c, mb, call_body(c), &ret->thread) < 0 ||
        gmail_label_list(c, mb, call_body(c), "labelIds", false, &labels, &n) < 0)
        return -1;
    /* The first ones are the roles. */
    size_t own = 0;
    for (size_t i = 0; i < n; i++) {
        if (GMAIL_CHAT_REFUSED && labels[i] == mail_folder_id(mb->id, LABEL_CHAT))
            return gmail_invalid(c, "Invalid label: %s", label_words[LABEL_CHAT]);
        if (mail_folder_is_fixed(labels[i]))
            ret->flags |= FLAG(mail_folder_place(labels[i]));
        else
            labels[own++] = labels[i];
    }
    ret->folders = labels;
    ret->n_folders = own;
    ret->at_s = internal_date(c, ret->raw, ret->len);
    return 0;
}

/* Was it written by the mailbox's person? */
static int is_own(struct call *c, const struct mailbox *mb, const struct mail_message_new *in,
                  bool *ret)
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

/* A message that is deleted at once is not visible: it only gets an id. */
static int write_deleted(struct call *c)
{
    const int64_t most = INT64_MAX >> 20;
    struct mail_message m = {0};
    uint32_t random;
    if (tx_id(&c->tx, "mail.deleted", &random, sizeof random) < 0)
        return -1;
    int64_t ms = c->tx.now_us / 1000;
    m.key = (ms < 1 ? 1 : ms > most ? most : ms) << 20 | (random & 0xfffff);
    m.thread_key = m.key;
    return gmail_write_stub(c, NULL, &m);
}

static int add(struct call *c, struct mail_message_new *in)
{
    struct mail_draft d;
    struct mail_message m;
    if (param_bool(c, "deleted"))
        return write_deleted(c);
    if (in->flags & FLAG(LABEL_DRAFT)) {
        if (mail_draft_add(&c->tx, in, 0, &d) < 0)
            return gmail_refused(c);
        m = d.message;
    } else if (mail_message_add(&c->tx, in, &m) < 0) {
        return gmail_refused(c);
    }
    return gmail_write_stub(c, NULL, &m);
}

static int gmail_messages_insert(struct call *c)
{
    struct mailbox mb;
    struct mail_message_new in;
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

static int gmail_messages_import(struct call *c)
{
    struct mailbox mb;
    struct mail_message_new in;
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

static int gmail_messages_list(struct call *c)
{
    struct mailbox mb;
    struct gmail_list list;
    if (gmail_open(c, &mb) < 0 || gmail_list(c, &mb, false, false, &list) < 0)
        return -1;
    json_obj(c->out, NULL);
    if (list.n)
        json_arr(c->out, "messages");
    for (size_t i = 0; i < list.n; i++)
        gmail_write_ids(c, NULL, &list.messages[i]);
    if (list.n)
        json_end(c->out);
    gmail_write_page(c, &list);
    json_end(c->out);
    return 0;
}

/* ---- one message ---- */

static int gmail_messages_modify(struct call *c)
{
    struct mailbox mb;
    struct mail_message m;
    struct gmail_change ch;
    if (gmail_open(c, &mb) < 0 || gmail_message(c, &mb, &m) < 0 ||
        gmail_read_change(c, &mb, &ch) < 0 || gmail_apply(c, &m, 1, &ch) < 0)
        return -1;
    return gmail_write_changed(c, &m);
}

static int gmail_messages_trash(struct call *c)
{
    struct mailbox mb;
    struct mail_message m;
    if (gmail_open(c, &mb) < 0 || gmail_message(c, &mb, &m) < 0 || gmail_trash(c, &m, 1, true) < 0)
        return -1;
    return gmail_write_stub(c, NULL, &m);
}

static int gmail_messages_untrash(struct call *c)
{
    struct mailbox mb;
    struct mail_message m;
    if (gmail_open(c, &mb) < 0 || gmail_message(c, &mb, &m) < 0 || gmail_trash(c, &m, 1, false) < 0)
        return -1;
    return gmail_write_changed(c, &m);
}

static int gmail_messages_delete(struct call *c)
{
    struct mailbox mb;
    struct mail_message m;
    if (gmail_open(c, &mb) < 0 || gmail_message(c, &mb, &m) < 0)
        return -1;
    if (mail_message_delete(&c->tx, &m) < 0)
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
    if (gmail_strings(c, call_body(c), "ids", &ids, &n) < 0)
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
static int gmail_messages_batch_modify(struct call *c)
{
    struct mailbox mb;
    struct mail_message m;
    struct gmail_change ch;
    int64_t *keys;
    size_t n;
    if (gmail_open(c, &mb) < 0 || batch(c, &keys, &n) < 0 || gmail_read_change(c, &mb, &ch) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = mail_message_get(&c->tx, mb.id, keys[i], &m);
        if (r < 0 || (r && gmail_apply(c, &m, 1, &ch) < 0))
            return -1;
    }
    c->status = 204;
    return 0;
}

static int gmail_messages_batch_delete(struct call *c)
{
    struct mailbox mb;
    struct mail_message m;
    int64_t *keys;
    size_t n;
    if (gmail_open(c, &mb) < 0 || batch(c, &keys, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = mail_message_get(&c->tx, mb.id, keys[i], &m);
        if (r < 0 || (r && mail_message_delete(&c->tx, &m) < 0))
            return gmail_refused(c);
    }
    c->status = 204;
    return 0;
}

/* ---- the methods ---- */

static const char *const formats[] = {"minimal", "full", "raw", "metadata", NULL};
static const char *const internal_date_sources[] = {"receivedTime", "dateHeader", NULL};

static const struct param messages_attachments_get_params[] = {
    USER_ID,
    {.name = "messageId", .place = IN_PATH, .required = true},
    {.name = "id", .place = IN_PATH, .required = true},
};

static const struct param messages_get_params[] = {
    USER_ID,
    {.name = "id", .place = IN_PATH, .required = true},
    {.name = "format", .place = IN_QUERY, .type = PARAM_ENUM, .def = "full", .values = formats},
    {.name = "metadataHeaders", .place = IN_QUERY, .repeated = true},
};

static const struct param messages_import_params[] = {
    USER_ID,
    {.name = "deleted", .place = IN_QUERY, .type = PARAM_BOOL, .def = "false"},
    {.name = "internalDateSource",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .def = "dateHeader",
     .values = internal_date_sources},
    {.name = "neverMarkSpam", .place = IN_QUERY, .type = PARAM_BOOL, .def = "false"},
    {.name = "processForCalendar", .place = IN_QUERY, .type = PARAM_BOOL, .def = "false"},
};

static const struct param messages_insert_params[] = {
    USER_ID,
    {.name = "deleted", .place = IN_QUERY, .type = PARAM_BOOL, .def = "false"},
    {.name = "internalDateSource",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .def = "receivedTime",
     .values = internal_date_sources},
};

static const struct route routes[] = {
    {ROUTE("gmail.users.messages.attachments.get", GET,
           "/gmail/v1/users/{userId}/messages/{messageId}/attachments/{id}"),
     .cost = 5, .handler = gmail_messages_attachments_get, .risk = RISK_READ,
     .scopes = MAIL " " ADDON_ACTION " " ADDON_READONLY " " MODIFY " " READONLY,
     PARAMS(messages_attachments_get_params), .response = "MessagePartBody",
     .summary = "The content of an attachment"},
    {ROUTE("gmail.users.messages.batchDelete", POST,
           "/gmail/v1/users/{userId}/messages/batchDelete"),
     .cost = 50, .handler = gmail_messages_batch_delete, .risk = RISK_DESTRUCTIVE,
     .idempotent = true, .body = BODY_JSON, .scopes = MAIL, PARAMS(gmail_user_params),
     .request = "BatchDeleteMessagesRequest", .summary = "Deletes messages for good"},
    {ROUTE("gmail.users.messages.batchModify", POST,
           "/gmail/v1/users/{userId}/messages/batchModify"),
     .cost = 50, .handler = gmail_messages_batch_modify, .risk = RISK_WRITE, .idempotent = true,
     .body = BODY_JSON, .scopes = MAIL " " MODIFY, PARAMS(gmail_user_params),
     .request = "BatchModifyMessagesRequest", .summary = "Changes the labels of messages"},
    {ROUTE("gmail.users.messages.delete", DELETE, "/gmail/v1/users/{userId}/messages/{id}"),
     .cost = 10, .handler = gmail_messages_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = MAIL, PARAMS(gmail_id_params), .summary = "Deletes a message for good"},
    {ROUTE("gmail.users.messages.get", GET, "/gmail/v1/users/{userId}/messages/{id}"), .cost = 5,
     .handler = gmail_messages_get, .risk = RISK_READ,
     .scopes = MAIL " " ADDON_ACTION " " ADDON_METADATA " " ADDON_READONLY " " METADATA " " MODIFY
                    " " READONLY,
     PARAMS(messages_get_params), .response = "Message", .summary = "A message"},
    {ROUTE("gmail.users.messages.import", POST, "/gmail/v1/users/{userId}/messages/import"),
     .cost = 25, .handler = gmail_messages_import, .risk = RISK_WRITE, .body = BODY_JSON,
     .scopes = MAIL " " INSERT " " MODIFY, PARAMS(messages_import_params), .request = "Message",
     .response = "Message", .media = &gmail_stored_medium,
     .summary = "Imports a message as if it came by mail"},
    {ROUTE("gmail.users.messages.insert", POST, "/gmail/v1/users/{userId}/messages"), .cost = 25,
     .handler = gmail_messages_insert, .risk = RISK_WRITE, .body = BODY_JSON,
     .scopes = MAIL " " INSERT " " MODIFY, PARAMS(messages_insert_params), .request = "Message",
     .response = "Message", .media = &gmail_stored_medium,
     .summary = "Inserts a message into the mailbox"},
    {ROUTE("gmail.users.messages.list", GET, "/gmail/v1/users/{userId}/messages"), .cost = 5,
     .handler = gmail_messages_list, .risk = RISK_READ,
     .scopes = MAIL " " METADATA " " MODIFY " " READONLY, PARAMS(gmail_list_params),
     .response = "ListMessagesResponse", .summary = "Lists messages"},
    {ROUTE("gmail.users.messages.modify", POST, "/gmail/v1/users/{userId}/messages/{id}/modify"),
     .cost = 5, .handler = gmail_messages_modify, .risk = RISK_WRITE, .idempotent = true,
     .body = BODY_JSON, .scopes = MAIL " " MODIFY, PARAMS(gmail_id_params),
     .request = "ModifyMessageRequest", .response = "Message",
     .summary = "Changes the labels of a message"},
    {ROUTE("gmail.users.messages.send", POST, "/gmail/v1/users/{userId}/messages/send"),
     .cost = 100, .handler = gmail_messages_send, .risk = RISK_EXTERNAL, .body = BODY_JSON,
     .scopes = MAIL " " ADDON_COMPOSE " " COMPOSE " " MODIFY " " SEND, PARAMS(gmail_user_params),
     .request = "Message", .response = "Message", .media = &gmail_sent_medium,
     .summary = "Sends a message"},
    {ROUTE("gmail.users.messages.trash", POST, "/gmail/v1/users/{userId}/messages/{id}/trash"),
     .cost = 5, .handler = gmail_messages_trash, .risk = RISK_WRITE, .idempotent = true,
     .scopes = MAIL " " MODIFY, PARAMS(gmail_id_params), .response = "Message",
     .summary = "Moves a message to the trash"},
    {ROUTE("gmail.users.messages.untrash", POST, "/gmail/v1/users/{userId}/messages/{id}/untrash"),
     .cost = 5, .handler = gmail_messages_untrash, .risk = RISK_WRITE, .idempotent = true,
     .scopes = MAIL " " MODIFY, PARAMS(gmail_id_params), .response = "Message",
     .summary = "Restores a message from the trash"},
};
const struct rows gmail_messages_rows = ROWS(routes);
