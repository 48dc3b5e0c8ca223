/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts: an id that stays, around messages that take each other's place until one is sent. */
#include "services/mail/gmail/rows.h"

static void write_draft_ids(struct call *c, const struct mail_draft *d)
{
    json_obj(c->out, NULL);
    json_str(c->out, "id", gmail_draft_key(c->tx.arena, d->key));
    gmail_write_ids(c, "message", &d->message);
    json_end(c->out);
}

static int write_draft(struct call *c, const struct mail_draft *d)
{
    json_obj(c->out, NULL);
    json_str(c->out, "id", gmail_draft_key(c->tx.arena, d->key));
    if (gmail_write_stub(c, "message", &d->message) < 0)
        return -1;
    json_end(c->out);
    return 0;
}

static int gmail_drafts_list(struct call *c)
{
    struct mailbox mb;
    struct gmail_list list;
    if (gmail_open(c, &mb) < 0 || gmail_list(c, &mb, false, true, &list) < 0)
        return -1;
    json_obj(c->out, NULL);
    if (list.n)
        json_arr(c->out, "drafts");
    for (size_t i = 0; i < list.n; i++) {
        struct mail_draft d;
        int r = mail_draft_of_message(&c->tx, &list.messages[i], &d);
        if (r < 0)
            return -1;
        if (r)
            write_draft_ids(c, &d);
    }
    if (list.n)
        json_end(c->out);
    gmail_write_page(c, &list);
    json_end(c->out);
    return 0;
}

static int gmail_drafts_get(struct call *c)
{
    struct mailbox mb;
    struct mail_draft d;
    enum gmail_format format;
    if (gmail_open(c, &mb) < 0 || gmail_format(c, &format) < 0 || gmail_draft(c, &mb, &d) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_str(c->out, "id", gmail_draft_key(c->tx.arena, d.key));
    if (json_wants(c->out, "message") && gmail_write_message(c, "message", &d.message, format) < 0)
        return -1;
    json_end(c->out);
    return 0;
}

/* ---- saving ---- */

/* A draft may have no recipients, but what is there must be addresses. */
static int check_recipients(struct call *c, const char *raw, size_t len)
{
    static const char *const names[] = {"To", "Cc", "Bcc"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        struct mime_address *list;
        size_t n;
        bool bad;
        mime_address_fields(c->tx.arena, raw, mime_head_len(raw, len), names[i], &list, &n, &bad);
        if (bad)
            return gmail_invalid(c, "Invalid %s header", names[i]);
    }
    return 0;
}

/* The message of the body, as it is kept. */
static int read_draft(struct call *c, const struct mailbox *mb, struct mail_message_new *ret)
{
    const struct json *message = json_get(call_body(c), "message");
    struct mail_send saved = {0};
    const char *raw;
    size_t len;
    *ret = (struct mail_message_new){.mailbox = mb, .at_s = INT64_MIN, .alone = true};
    if ((!message || message->type != JSON_OBJECT) && !c->medium)
        return gmail_invalid(c, "Missing draft message");
    if (gmail_raw(c, message, GMAIL_MAX_SEND, &raw, &len) < 0 ||
        check_recipients(c, raw, len) < 0 ||
        gmail_wanted_thread(c, mb, message, &ret->thread) < 0 ||
        gmail_prepare(c, mb, raw, len, GMAIL_SAVE, &saved) < 0)
        return -1;
    ret->raw = saved.raw;
    ret->len = saved.len;
    return 0;
}

static int gmail_drafts_create(struct call *c)
{
    struct mailbox mb;
    struct mail_message_new in;
    struct mail_draft d;
    if (gmail_open(c, &mb) < 0 || read_draft(c, &mb, &in) < 0)
        return -1;
    if (mail_draft_add(&c->tx, &in, 0, &d) < 0)
        return gmail_refused(c);
    return write_draft(c, &d);
}

static int gmail_drafts_update(struct call *c)
{
    struct mailbox mb;
    struct mail_message_new in;
    struct mail_draft d;
    if (gmail_open(c, &mb) < 0 || gmail_draft(c, &mb, &d) < 0 || read_draft(c, &mb, &in) < 0)
        return -1;
    if (mail_draft_save(&c->tx, &d, &in) < 0)
        return gmail_refused(c);
    return write_draft(c, &d);
}

static int gmail_drafts_delete(struct call *c)
{
    struct mailbox mb;
    struct mail_draft d;
    if (gmail_open(c, &mb) < 0 || gmail_draft(c, &mb, &d) < 0)
        return -1;
    if (mail_draft_delete(&c->tx, &d) < 0)
        return gmail_refused(c);
    c->status = 204;
    return 0;
}

/* ---- sending ---- */

/* The draft that the body names. */
static int named_draft(struct call *c, const struct mailbox *mb, struct mail_draft *ret)
{
    const char *id = json_get_str(call_body(c), "id");
    int64_t key;
    if (!id || !*id)
        return gmail_invalid(c, "Missing draft id");
    if (gmail_draft_key_parse(id, &key) < 0)
        return gmail_not_found(c);
    int r = mail_draft_get(&c->tx, mb->id, key, ret);
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

/* What is sent: the message that comes with the request, else the one that was kept. */
static int outgoing(struct call *c, const struct mailbox *mb, const struct mail_draft *d,
                    struct mail_send *in)
{
    const struct json *message = json_get(call_body(c), "message");
    const struct json *given = json_get(message, "raw");
    const char *raw;
    size_t len;
    struct buf kept;
    if (c->medium || (given && given->n)) {
        if (gmail_raw(c, message, GMAIL_MAX_SEND, &raw, &len) < 0)
            return -1;
        return gmail_prepare(c, mb, raw, len, GMAIL_SEND, in);
    }
    buf_init(&kept, MAIL_MAX_SIZE + 1);
    int rc = mail_message_raw(&c->tx, &d->message, &kept);
    if (rc == 0 && buf_failed(&kept))
        rc = sosia_fail_memory(c->tx.err);
    if (rc == 0)
        rc = gmail_prepare(c, mb, kept.data ? kept.data : "", kept.len, GMAIL_SEND_SAVED, in);
    buf_done(&kept);
    return rc;
}

static int gmail_drafts_send(struct call *c)
{
    struct mailbox mb;
    struct mail_draft d;
    struct mail_message m;
    struct mail_send in = {.joins = true, .daemon = GMAIL_DAEMON};
    if (gmail_open(c, &mb) < 0 || named_draft(c, &mb, &d) < 0 || outgoing(c, &mb, &d, &in) < 0)
        return -1;
    in.from = &mb;
    in.draft = &d;
    in.thread = d.message.thread_key;
    if (mail_send(&c->tx, &in, &m) < 0)
        return gmail_refused(c);
    return gmail_write_stub(c, NULL, &m);
}

/* ---- the methods ---- */

static const char *const formats[] = {"minimal", "full", "raw", "metadata", NULL};

static const struct param drafts_get_params[] = {
    USER_ID,
    {.name = "id", .place = IN_PATH, .required = true},
    {.name = "format", .place = IN_QUERY, .type = PARAM_ENUM, .def = "full", .values = formats},
};

static const struct param drafts_list_params[] = {
    USER_ID,
    {.name = "includeSpamTrash", .place = IN_QUERY, .type = PARAM_BOOL, .def = "false"},
    MAX_RESULTS,
    {.name = "pageToken", .place = IN_QUERY},
    {.name = "q", .place = IN_QUERY},
};

static const struct route routes[] = {
    {ROUTE("gmail.users.drafts.create", POST, "/gmail/v1/users/{userId}/drafts"), .cost = 10,
     .handler = gmail_drafts_create, .risk = RISK_DRAFT, .body = BODY_JSON,
     .scopes = MAIL " " ADDON_COMPOSE " " COMPOSE " " MODIFY, PARAMS(gmail_user_params),
     .request = "Draft", .response = "Draft", .media = &gmail_sent_medium,
     .summary = "Creates a draft"},
    {ROUTE("gmail.users.drafts.delete", DELETE, "/gmail/v1/users/{userId}/drafts/{id}"), .cost = 10,
     .handler = gmail_drafts_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = MAIL " " ADDON_COMPOSE " " COMPOSE " " MODIFY, PARAMS(gmail_id_params),
     .summary = "Deletes a draft for good"},
    {ROUTE("gmail.users.drafts.get", GET, "/gmail/v1/users/{userId}/drafts/{id}"), .cost = 5,
     .handler = gmail_drafts_get, .risk = RISK_READ,
     .scopes = MAIL " " COMPOSE " " MODIFY " " READONLY, PARAMS(drafts_get_params),
     .response = "Draft", .summary = "A draft"},
    {ROUTE("gmail.users.drafts.list", GET, "/gmail/v1/users/{userId}/drafts"), .cost = 5,
     .handler = gmail_drafts_list, .risk = RISK_READ,
     .scopes = MAIL " " COMPOSE " " MODIFY " " READONLY, PARAMS(drafts_list_params),
     .response = "ListDraftsResponse", .summary = "Lists drafts"},
    {ROUTE("gmail.users.drafts.send", POST, "/gmail/v1/users/{userId}/drafts/send"), .cost = 100,
     .handler = gmail_drafts_send, .risk = RISK_EXTERNAL, .body = BODY_JSON,
     .scopes = MAIL " " ADDON_COMPOSE " " COMPOSE " " MODIFY, PARAMS(gmail_user_params),
     .request = "Draft", .response = "Message", .media = &gmail_sent_medium,
     .summary = "Sends a draft"},
    {ROUTE("gmail.users.drafts.update", PUT, "/gmail/v1/users/{userId}/drafts/{id}"), .cost = 15,
     .handler = gmail_drafts_update, .risk = RISK_DRAFT, .body = BODY_JSON,
     .scopes = MAIL " " ADDON_COMPOSE " " COMPOSE " " MODIFY, PARAMS(gmail_id_params),
     .request = "Draft", .response = "Draft", .media = &gmail_sent_medium,
     .summary = "Replaces the message of a draft"},
};
const struct rows gmail_drafts_rows = ROWS(routes);
