/* SPDX-License-Identifier: Apache-2.0 */
/* Attachments: files, items and links in a message. Those of drafts can be added and removed. */
#include "services/mail/outlook/letter.h"
#include "services/mail/outlook/rows.h"
#include "vendors/microsoft/enclosed.h"

#define MAX_POST ((size_t)3 << 20) /* bytes by POST (MG-50) */

/* ---- by id ---- */

static int attachment_gone(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "ErrorItemNotFound", NULL,
                     "The specified object was not found in the store., The process failed to get "
                     "the correct properties.");
}

static int open_with_body(struct call *c, enum outlook_need need, struct outlook_box *b,
                          struct outlook_item *i, struct mail_message_body *body)
{
    return outlook_open(c, need, b) < 0 || outlook_item_of_path(c, b, i) < 0 ||
                   mail_message_open(&c->tx, &i->message, body) < 0
               ? -1
               : 0;
}

static int part_of_path(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                        const struct mail_message_body *body)
{
    int64_t key;
    int part;
    int r = outlook_attachment_id_parse(c->tx.arena, b, param_str(c, "attachment-id"), &key, &part);
    if (r == 0)
        return graph_bad_id(c);
    if (r == 2 || key != i->key || part >= body->mime.n ||
        !outlook_is_attachment(&body->mime, part))
        return attachment_gone(c);
    return part;
}

static const char *attachments_path(struct call *c)
{
    return arena_printf(c->tx.arena, "messages%s/attachments",
                        graph_key(c->tx.arena, param_str(c, "message-id")));
}

/* ---- handlers ---- */

static int attachments_list(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    struct mail_message_body body;
    struct odata_query q;
    if (open_with_body(c, OUTLOOK_READ, &b, &i, &body) < 0 ||
        outlook_options(c, "attachment", &q) < 0 || outlook_select(c, &q, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/%s%s", outlook_root(c, &b), attachments_path(c),
                  odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    int r = outlook_write_attachments(c, &b, &i, &body, &q);
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int answer_attachment(struct call *c, const struct outlook_attached *at, int part,
                             const struct odata_query *q)
{
    json_obj(c->out, NULL);
    graph_context(c, "%s/%s%s/$entity", outlook_root(c, at->b), attachments_path(c),
                  q ? odata_context(c->tx.arena, q) : "");
    int r = outlook_write_attachment(at, part, q);
    json_end(c->out);
    return r;
}

static int attachments_get(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    struct mail_message_body body;
    struct odata_query q;
    int part;
    if (open_with_body(c, OUTLOOK_READ, &b, &i, &body) < 0 ||
        (part = part_of_path(c, &b, &i, &body)) < 0 || outlook_options(c, "attachment", &q) < 0 ||
        outlook_select(c, &q, false) < 0)
        return -1;
    const struct outlook_attached at = {c, &b, &i, &body};
    return answer_attachment(c, &at, part, &q);
}

static int attachments_value(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    struct mail_message_body body;
    const char *data;
    size_t n;
    int part;
    if (open_with_body(c, OUTLOOK_READ, &b, &i, &body) < 0 ||
        (part = part_of_path(c, &b, &i, &body)) < 0)
        return -1;
    const struct mime_part *p = &body.mime.parts[part];
    if (outlook_is_link(p))
        return graph_no_value(c);
    if (mail_message_part(&c->tx, &body, part, &data, &n) < 0)
        return -1;
    if (outlook_is_message(p)) /* an event and a contact without the message around them */
        outlook_enclosed_text(c->tx.arena, data, n, &data, &n);
    buf_clear(c->body_out);
    buf_add(c->body_out, data, n);
    call_header(c, "Content-Type", outlook_is_message(p) ? "text/plain" : p->type);
    return 0;
}

static int only_drafts(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidOperation", NULL,
                     "Attachments of a message that is not a draft can't be changed.");
}

static int attachments_create(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    struct mail_message_body body;
    struct outlook_letter l;
    const struct json *v;
    int part;
    if (open_with_body(c, OUTLOOK_WRITE, &b, &i, &body) < 0 || !(v = call_body(c)))
        return -1;
    if (!i.draft.id)
        return only_drafts(c);
    if (outlook_letter_of(c, &b, &i.message, &l) < 0 || outlook_letter_attach(c, &l, v) < 0)
        return -1;
    if (l.files[l.n_files - 1].len > MAX_POST)
        return call_fail(c, SOSIA_E_TOO_LARGE, "RequestEntityTooLarge", NULL,
                         "The attachment is larger than 3 MB: an upload session takes it.");
    if (outlook_attach(c, &b, &i, &l, &part) < 0 ||
        mail_message_open(&c->tx, &i.message, &body) < 0)
        return -1;
    const struct outlook_attached at = {c, &b, &i, &body};
    graph_created(
        c, arena_printf(c->tx.arena, "/users('%s')/messages('%s')/attachments('%s')", b.user.key,
                        outlook_item_id(c->tx.arena, &b, &i),
                        outlook_attachment_id(c->tx.arena, &b, i.key, i.message.folder, part)));
    return answer_attachment(c, &at, part, NULL);
}

static int attachments_delete(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    struct mail_message_body body;
    struct outlook_letter l;
    size_t at = 0, kept = 0;
    int part;
    if (open_with_body(c, OUTLOOK_WRITE, &b, &i, &body) < 0 ||
        (part = part_of_path(c, &b, &i, &body)) < 0)
        return -1;
    if (!i.draft.id)
        return only_drafts(c);
    if (outlook_letter_of(c, &b, &i.message, &l) < 0)
        return -1;
    for (int k = 0; k < part; k++)
        at += outlook_is_attachment(&body.mime, k);
    for (size_t k = 0; k < l.n_files; k++)
        if (k != at)
            l.files[kept++] = l.files[k];
    l.n_files = kept;
    c->status = 204;
    return outlook_draft_save(c, &b, &l, &i);
}

/* ---- the methods ---- */

#define ATTACHMENT "/attachments/{attachment-id}"

static const struct param params[] = {USER_PARAM, FOLDER_PARAMS, PATH_PARAM("message-id"),
                                      PATH_PARAM("attachment-id")};
static const struct route routes[] = {
    {ROUTE("outlook.messages.attachments.list", GET, MESSAGE_PATHS("/attachments")),
     .response = "microsoft.graph.attachmentCollection", .handler = attachments_list,
     .risk = RISK_READ, .scopes = READ SHARED, PARAMS(outlook_message_params),
     .summary = "Lists the attachments of a message"},
    {ROUTE("outlook.messages.attachments.create", POST, MESSAGE_PATHS("/attachments")),
     .response = "microsoft.graph.attachment", .handler = attachments_create, .risk = RISK_DRAFT,
     .body = BODY_JSON, .scopes = WRITE SHARED_WRITE, PARAMS(outlook_message_params), .status = 201,
     .request = "microsoft.graph.attachment", .summary = "Adds an attachment to a draft"},
    {ROUTE("outlook.messages.attachments.get", GET, MESSAGE_PATHS(ATTACHMENT)),
     .response = "microsoft.graph.attachment", .handler = attachments_get, .risk = RISK_READ,
     .scopes = READ SHARED, PARAMS(params), .summary = "An attachment of a message"},
    {ROUTE("outlook.messages.attachments.delete", DELETE, MESSAGE_PATHS(ATTACHMENT)),
     .handler = attachments_delete, .risk = RISK_DESTRUCTIVE, .scopes = WRITE SHARED_WRITE,
     PARAMS(params), .status = 204, .summary = "Removes an attachment from a draft"},
    {ROUTE("outlook.messages.attachments.value", GET, MESSAGE_PATHS(ATTACHMENT "/$value")),
     .handler = attachments_value, .risk = RISK_READ, .download = true,
     .gives = "application/octet-stream", .scopes = READ SHARED, PARAMS(params),
     .summary = "The bytes of an attachment"},
};
const struct rows outlook_attachment_rows = ROWS(routes);
