/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: what is done to one is done to each of its messages. */
#include "services/mail/gmail/rows.h"

static int gmail_threads_list(struct call *c)
{
    struct mailbox mb;
    struct gmail_list list;
    if (gmail_open(c, &mb) < 0 || gmail_list(c, &mb, true, false, &list) < 0)
        return -1;
    json_obj(c->out, NULL);
    if (list.n)
        json_arr(c->out, "threads");
    for (size_t i = 0; i < list.n; i++) {
        struct mail_thread t;
        struct mail_message newest;
        const char *snippet;
        if (mail_thread_by_id(&c->tx, list.messages[i].thread, &t) < 0 ||
            mail_message_by_id(&c->tx, t.newest, &newest) < 0 ||
            mail_message_snippet(&c->tx, &newest, &snippet) < 0)
            return -1;
        json_obj(c->out, NULL);
        json_str(c->out, "id", gmail_key(c->tx.arena, t.key));
        json_str(c->out, "snippet", gmail_snippet(c->tx.arena, snippet));
        json_int_str(c->out, "historyId", gmail_history(t.change));
        json_end(c->out);
    }
    if (list.n)
        json_end(c->out);
    gmail_write_page(c, &list);
    json_end(c->out);
    return 0;
}

static int gmail_threads_get(struct call *c)
{
    struct mailbox mb;
    struct mail_thread t;
    struct mail_message *messages;
    size_t n;
    enum gmail_format format;
    if (gmail_open(c, &mb) < 0 || gmail_format(c, &format) < 0 || gmail_thread(c, &mb, &t) < 0 ||
        mail_thread_messages(&c->tx, &t, &messages, &n) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_str(c->out, "id", gmail_key(c->tx.arena, t.key));
    json_int_str(c->out, "historyId", gmail_history(t.change));
    if (json_wants(c->out, "messages")) {
        json_arr(c->out, "messages");
        for (size_t i = 0; i < n; i++)
            if (gmail_write_message(c, NULL, &messages[i], format) < 0)
                return -1;
        json_end(c->out);
    }
    json_end(c->out);
    return 0;
}

/* ---- changes ---- */

struct open_thread {
    struct mailbox mb;
    struct mail_thread thread;
    struct mail_message *messages;
    size_t n;
};

static int open_thread(struct call *c, struct open_thread *ret)
{
    if (gmail_open(c, &ret->mb) < 0 || gmail_thread(c, &ret->mb, &ret->thread) < 0)
        return -1;
    return mail_thread_messages(&c->tx, &ret->thread, &ret->messages, &ret->n);
}

/* The response of threads.trash; its siblings have more (recorded). */
static int write_stubs(struct call *c, const struct open_thread *t)
{
    json_obj(c->out, NULL);
    json_str(c->out, "id", gmail_key(c->tx.arena, t->thread.key));
    json_arr(c->out, "messages");
    for (size_t i = 0; i < t->n; i++)
        if (gmail_write_stub(c, NULL, &t->messages[i]) < 0)
            return -1;
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int write_changed(struct call *c, struct open_thread *t)
{
    if (mail_thread_by_id(&c->tx, t->thread.id, &t->thread) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_str(c->out, "id", gmail_key(c->tx.arena, t->thread.key));
    json_int_str(c->out, "historyId", gmail_history(t->thread.change));
    json_arr(c->out, "messages");
    for (size_t i = 0; i < t->n; i++)
        if (gmail_write_changed(c, &t->messages[i]) < 0)
            return -1;
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int gmail_threads_modify(struct call *c)
{
    struct open_thread t;
    struct gmail_change ch;
    if (open_thread(c, &t) < 0 || gmail_read_change(c, &t.mb, &ch) < 0 ||
        gmail_apply(c, t.messages, t.n, &ch) < 0)
        return -1;
    return write_changed(c, &t);
}

static int gmail_threads_trash(struct call *c)
{
    struct open_thread t;
    if (open_thread(c, &t) < 0 || gmail_trash(c, t.messages, t.n, true) < 0)
        return -1;
    return write_stubs(c, &t);
}

static int gmail_threads_untrash(struct call *c)
{
    struct open_thread t;
    if (open_thread(c, &t) < 0 || gmail_trash(c, t.messages, t.n, false) < 0)
        return -1;
    return write_changed(c, &t);
}

static int gmail_threads_delete(struct call *c)
{
    struct open_thread t;
    if (open_thread(c, &t) < 0)
        return -1;
    if (mail_messages_delete(&c->tx, t.messages, t.n) < 0)
        return gmail_refused(c);
    c->status = 204;
    return 0;
}

/* ---- the methods ---- */

static const char *const thread_formats[] = {"full", "metadata", "minimal", NULL};

static const struct param threads_get_params[] = {
    USER_ID,
    {.name = "id", .place = IN_PATH, .required = true},
    {.name = "format",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .def = "full",
     .values = thread_formats},
    {.name = "metadataHeaders", .place = IN_QUERY, .repeated = true},
};

static const struct route routes[] = {
    {ROUTE("gmail.users.threads.delete", DELETE, "/gmail/v1/users/{userId}/threads/{id}"),
     .cost = 20, .handler = gmail_threads_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = MAIL, PARAMS(gmail_id_params), .summary = "Deletes a thread for good"},
    {ROUTE("gmail.users.threads.get", GET, "/gmail/v1/users/{userId}/threads/{id}"), .cost = 10,
     .handler = gmail_threads_get, .risk = RISK_READ,
     .scopes = MAIL " " ADDON_ACTION " " ADDON_METADATA " " ADDON_READONLY " " METADATA " " MODIFY
                    " " READONLY,
     PARAMS(threads_get_params), .response = "Thread", .summary = "A thread"},
    {ROUTE("gmail.users.threads.list", GET, "/gmail/v1/users/{userId}/threads"), .cost = 10,
     .handler = gmail_threads_list, .risk = RISK_READ,
     .scopes = MAIL " " METADATA " " MODIFY " " READONLY, PARAMS(gmail_list_params),
     .response = "ListThreadsResponse", .summary = "Lists threads"},
    {ROUTE("gmail.users.threads.modify", POST, "/gmail/v1/users/{userId}/threads/{id}/modify"),
     .cost = 10, .handler = gmail_threads_modify, .risk = RISK_WRITE, .idempotent = true,
     .body = BODY_JSON, .scopes = MAIL " " MODIFY, PARAMS(gmail_id_params),
     .request = "ModifyThreadRequest", .response = "Thread",
     .summary = "Changes the labels of a thread"},
    {ROUTE("gmail.users.threads.trash", POST, "/gmail/v1/users/{userId}/threads/{id}/trash"),
     .cost = 10, .handler = gmail_threads_trash, .risk = RISK_WRITE, .idempotent = true,
     .scopes = MAIL " " MODIFY, PARAMS(gmail_id_params), .response = "Thread",
     .summary = "Moves a thread to the trash"},
    {ROUTE("gmail.users.threads.untrash", POST, "/gmail/v1/users/{userId}/threads/{id}/untrash"),
     .cost = 10, .handler = gmail_threads_untrash, .risk = RISK_WRITE, .idempotent = true,
     .scopes = MAIL " " MODIFY, PARAMS(gmail_id_params), .response = "Thread",
     .summary = "Restores a thread from the trash"},
};
const struct rows gmail_threads_rows = ROWS(routes);
