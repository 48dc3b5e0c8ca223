/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: lists, one message, drafts from JSON and MIME, changes, moves and copies. */
#include "engine/text/civil.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/letter.h"
#include "services/mail/outlook/rows.h"
#include "services/mail/outlook/folders/search_folder.h"

/* ---- lists ---- */

static int write_list(struct call *c, const struct outlook_box *b, const struct odata_query *q,
                      const struct outlook_list *list, const char *at)
{
    size_t from, page;
    if (outlook_page(c, q, OUTLOOK_PAGE, &from, &page) < 0 || outlook_select(c, q, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/%s%s", outlook_root(c, b), at, odata_context(c->tx.arena, q));
    if (list->count >= 0)
        json_int(c->out, "@odata.count", list->count);
    json_arr(c->out, "value");
    if (outlook_write_items(c, b, list->items, list->n, q) < 0)
        return -1;
    json_end(c->out);
    if (list->more)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skip", arena_printf(c->tx.arena, "%zu", from + list->n)));
    json_end(c->out);
    return 0;
}

static int messages_list(struct call *c)
{
    struct outlook_box b;
    struct odata_query q;
    struct outlook_list list;
    const char *folder = param_str(c, "mailFolder-id"), *at = "messages";
    struct mail_folder f = {.id = 0};
    if (outlook_open(c, OUTLOOK_READ, &b) < 0 || outlook_options(c, "message", &q) < 0 ||
        (folder && outlook_folder_of_path(c, &b, &f) < 0))
        return -1;
    if (folder)
        at = outlook_folder_at(c, "/messages");
    if (outlook_folder_list(c, &b, &f, &q, &list) < 0)
        return -1;
    return write_list(c, &b, &q, &list, at);
}

static int messages_count(struct call *c)
{
    struct outlook_box b;
    struct odata_query q;
    struct outlook_list list;
    const char *folder = param_str(c, "mailFolder-id");
    struct mail_folder f = {.id = 0};
    if (outlook_open(c, OUTLOOK_READ, &b) < 0 || outlook_options(c, "message", &q) < 0 ||
        (folder && outlook_folder_of_path(c, &b, &f) < 0))
        return -1;
    q.count = true;
    q.top = 1;
    if (outlook_folder_list(c, &b, &f, &q, &list) < 0)
        return -1;
    buf_clear(c->body_out);
    buf_i64(c->body_out, list.count);
    call_header_const(c, "Content-Type", "text/plain");
    return 0;
}

/* ---- one ---- */

static const char *list_path(struct call *c)
{
    return param_str(c, "mailFolder-id") ? outlook_folder_at(c, "/messages") : "messages";
}

static int messages_get(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    struct odata_query q;
    if (outlook_open(c, OUTLOOK_READ, &b) < 0 || outlook_options(c, "message", &q) < 0 ||
        outlook_item_of_path(c, &b, &i) < 0)
        return -1;
    return outlook_answer_item(c, &b, &i, &q, list_path(c));
}

static int messages_value(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    if (outlook_open(c, OUTLOOK_READ, &b) < 0 || outlook_item_of_path(c, &b, &i) < 0)
        return -1;
    buf_clear(c->body_out);
    call_header_const(c, "Content-Type", "text/plain");
    return mail_message_raw(&c->tx, &i.message, c->body_out);
}

static void say_made(struct call *c, const struct outlook_box *b, const struct outlook_item *i)
{
    graph_created(c, arena_printf(c->tx.arena, "/users('%s')/messages('%s')", b->user.key,
                                  outlook_item_id(c->tx.arena, b, i)));
}

/* ---- making ---- */

static int make_of_mime(struct call *c, const struct outlook_box *b, int64_t folder)
{
    struct outlook_item i;
    const char *raw;
    size_t n;
    if (outlook_mime_body(c, &raw, &n) < 0 ||
        outlook_draft_of_bytes(c, b, raw, n, 0, folder, &i) < 0)
        return -1;
    say_made(c, b, &i);
    return outlook_answer_item(c, b, &i, NULL, list_path(c));
}

static int messages_create(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    struct outlook_letter l;
    struct mail_folder f = {.id = 0};
    const struct json *body;
    const char *folder = param_str(c, "mailFolder-id");
    bool changed;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0 ||
        (folder && (outlook_folder_of_path(c, &b, &f) < 0 || outlook_folder_holds(c, &f) < 0)))
        return -1;
    if (graph_text_body(c))
        return make_of_mime(c, &b, f.id);
    if (!(body = call_body(c)))
        return -1;
    outlook_letter_new(c, &b, &l);
    if (outlook_letter_read(c, body, &l) < 0)
        return -1;
    if (l.people[LETTER_FROM].n && !l.people[LETTER_SENDER].n) /* MG-624 */
        l.people[LETTER_SENDER] = l.people[LETTER_FROM];
    if (outlook_draft_make(c, &b, &l, f.id, &i) < 0 ||
        outlook_mark(c, &b, body, &i, true, &changed) < 0)
        return -1;
    say_made(c, &b, &i);
    return outlook_answer_item(c, &b, &i, NULL, list_path(c));
}

/* ---- changing ---- */

static int not_a_draft(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidPropertySet", NULL,
                     "The property can't be set on a message that is not a draft.");
}

static int messages_update(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    struct outlook_letter l;
    const struct json *body;
    bool changed = false;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0 || outlook_item_of_path(c, &b, &i) < 0 ||
        graph_if_match(c, outlook_item_etag(c->tx.arena, &b, &i)) < 0 || !(body = call_body(c)))
        return -1;
    if (outlook_letter_given(body)) {
        if (!i.draft.id)
            return not_a_draft(c);
        if (outlook_letter_of(c, &b, &i.message, &l) < 0 || outlook_letter_read(c, body, &l) < 0 ||
            outlook_draft_save(c, &b, &l, &i) < 0)
            return -1;
    }
    if (outlook_mark(c, &b, body, &i, false, &changed) < 0)
        return -1;
    return outlook_answer_item(c, &b, &i, NULL, list_path(c));
}

static int delete_message(struct call *c, bool for_good)
{
    struct outlook_box b;
    struct outlook_item i;
    size_t left;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0 || outlook_item_of_path(c, &b, &i) < 0 ||
        graph_if_match(c, outlook_item_etag(c->tx.arena, &b, &i)) < 0)
        return -1;
    c->status = 204;
    return (for_good ? mail_message_delete(&c->tx, &i.message)
                     : mail_messages_discard(&c->tx, &i.message, 1, &left)) < 0
               ? outlook_refused(c)
               : 0;
}

static int messages_delete(struct call *c)
{
    return delete_message(c, false);
}

static int messages_permanent_delete(struct call *c)
{
    return delete_message(c, true);
}

/* ---- moving and copying ---- */

static int answer_there(struct call *c, const struct outlook_box *b, const struct mail_message *m)
{
    struct outlook_item i;
    if (outlook_item_of(&c->tx, m, &i) < 0)
        return -1;
    say_made(c, b, &i);
    return outlook_answer_item(c, b, &i, NULL, "messages");
}

static int open_with_destination(struct call *c, struct outlook_box *b, struct outlook_item *i,
                                 struct mail_folder *to)
{
    if (outlook_open(c, OUTLOOK_WRITE, b) < 0 || outlook_item_of_path(c, b, i) < 0 ||
        outlook_destination(c, b, to) < 0 || outlook_folder_holds(c, to) < 0)
        return -1;
    return to->id ? 0
                  : call_fail(c, SOSIA_E_INVALID, "ErrorMoveCopyFailed", NULL,
                              "The move or copy operation failed.");
}

static int messages_move(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    struct mail_folder to;
    if (open_with_destination(c, &b, &i, &to) < 0)
        return -1;
    if (mail_messages_move(&c->tx, &i.message, 1, to.id) < 0)
        return outlook_refused(c);
    return answer_there(c, &b, &i.message);
}

static int messages_copy(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    struct mail_folder to;
    struct mail_message copy;
    if (open_with_destination(c, &b, &i, &to) < 0)
        return -1;
    if (outlook_copy(&c->tx, &b, &i.message, to.id, &copy) < 0)
        return outlook_refused(c);
    return answer_there(c, &b, &copy);
}

/* ---- the methods ---- */

static const struct route routes[] = {
    {ROUTE("outlook.messages.list", GET, GRAPH_MY("/messages"), FOLDER_PATHS("/messages")),
     .response = "microsoft.graph.messageCollection", .handler = messages_list, .risk = RISK_READ,
     .scopes = READ_BASIC SHARED, PARAMS(outlook_list_params),
     .summary = "Lists messages, newest first"},
    {ROUTE("outlook.messages.count", GET, GRAPH_MY("/messages/$count"),
           FOLDER_PATHS("/messages/$count")),
     .handler = messages_count, .risk = RISK_READ, .gives = "text/plain",
     .scopes = READ_BASIC SHARED, PARAMS(outlook_list_params),
     .summary = "How many messages there are"},
    {ROUTE("outlook.messages.create", POST, GRAPH_MY("/messages"), FOLDER_PATHS("/messages")),
     .response = "microsoft.graph.message", .handler = messages_create, .risk = RISK_DRAFT,
     .body = BODY_JSON, .accepts = outlook_mime_types, .scopes = WRITE SHARED_WRITE,
     PARAMS(outlook_folder_params), .status = 201, .request = "microsoft.graph.message",
     .summary = "Makes a draft, of JSON or of MIME"},
    {ROUTE("outlook.messages.get", GET, MESSAGE_PATHS("")), .response = "microsoft.graph.message",
     .handler = messages_get, .risk = RISK_READ, .scopes = READ_BASIC SHARED,
     PARAMS(outlook_get_params), .summary = "A message"},
    {ROUTE("outlook.messages.value", GET, MESSAGE_PATHS("/$value")), .handler = messages_value,
     .risk = RISK_READ, .download = true, .gives = "text/plain", .scopes = READ SHARED,
     PARAMS(outlook_message_params), .summary = "A message as MIME"},
    {ROUTE("outlook.messages.update", PATCH, MESSAGE_PATHS("")),
     .response = "microsoft.graph.message", .handler = messages_update, .risk = RISK_WRITE,
     .idempotent = true, .body = BODY_JSON, .scopes = WRITE SHARED_WRITE,
     PARAMS(outlook_message_params), .request = "microsoft.graph.message",
     .summary = "Changes a draft, or marks a message"},
    {ROUTE("outlook.messages.delete", DELETE, MESSAGE_PATHS("")), .handler = messages_delete,
     .risk = RISK_DESTRUCTIVE, .scopes = WRITE SHARED_WRITE, PARAMS(outlook_message_params),
     .status = 204, .summary = "Puts a message into Deleted Items; one that is there already goes"},
    {ROUTE("outlook.messages.permanentDelete", POST, MESSAGE_PATHS("/permanentDelete")),
     .handler = messages_permanent_delete, .risk = RISK_DESTRUCTIVE, .scopes = WRITE SHARED_WRITE,
     PARAMS(outlook_message_params), .status = 204, .summary = "Deletes a message for good"},
    {ROUTE("outlook.messages.move", POST, MESSAGE_PATHS("/move")),
     .response = "microsoft.graph.message", .handler = messages_move, .risk = RISK_WRITE,
     .body = BODY_JSON, .request = "microsoft.graph.destination", .scopes = WRITE SHARED_WRITE,
     PARAMS(outlook_message_params), .status = 201,
     .summary = "Moves a message into another folder, where it has another id"},
    {ROUTE("outlook.messages.copy", POST, MESSAGE_PATHS("/copy")),
     .response = "microsoft.graph.message", .handler = messages_copy, .risk = RISK_WRITE,
     .body = BODY_JSON, .request = "microsoft.graph.destination", .scopes = WRITE SHARED_WRITE,
     PARAMS(outlook_message_params), .status = 201, .summary = "Copies a message into a folder"},
};

const struct rows outlook_message_rows = ROWS(routes);
