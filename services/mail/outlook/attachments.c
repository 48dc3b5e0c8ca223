/* SPDX-License-Identifier: Apache-2.0 */
/* Attachments: files and messages in a message. Those of drafts can be added and removed. */
#include "engine/base/codec.h"
#include "services/mail/outlook/letter.h"
#include "services/mail/outlook/rows.h"
#include <strings.h>

#define MAX_POST ((size_t)3 << 20) /* bytes by POST (MG-50) */

/* ---- which parts they are ---- */

bool outlook_is_inline(const struct mime *m, int part)
{
    const struct mime_part *p = &m->parts[part];
    return p->disposition == MIME_INLINE ||
           (p->cid && p->parent >= 0 && strcmp(m->parts[p->parent].type, "multipart/related") == 0);
}

/* Parts of a message in it are that one's own. */
static bool is_attachment(const struct mime *m, int part)
{
    if (!mime_is_file(m, part))
        return false;
    for (int up = m->parts[part].parent; up >= 0; up = m->parts[up].parent)
        if (strcmp(m->parts[up].type, "message/rfc822") == 0)
            return false;
    return true;
}

bool outlook_has_attachments(const struct mime *m)
{
    for (int i = 0; i < m->n; i++)
        if (is_attachment(m, i) && !outlook_is_inline(m, i))
            return true;
    return false;
}

static bool is_message(const struct mime_part *p)
{
    return strcmp(p->type, "message/rfc822") == 0;
}

/* ---- writing ---- */

struct attached {
    struct call *c;
    const struct outlook_box *b;
    const struct outlook_item *i;
    const struct mail_message_body *body;
};

static int write_bytes(const struct attached *at, int part)
{
    const char *data;
    struct buf text;
    size_t n;
    if (!json_wants(at->c->out, "contentBytes"))
        return 0;
    if (mail_message_part(&at->c->tx, at->body, part, &data, &n) < 0)
        return -1;
    buf_init(&text, 0);
    base64_add(&text, data, n);
    if (buf_failed(&text))
        at->c->out->out->failed = true;
    json_strn(at->c->out, "contentBytes", text.len ? text.data : "", text.len);
    buf_done(&text);
    return 0;
}

/* The message in an itemAttachment: it has no id of its own (MG-386). */
static int write_inner(const struct attached *at, int part)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    struct mime_address *from;
    const char *data, *subject, *date;
    size_t n, n_from;
    int64_t s;
    bool bad;
    if (mail_message_part(&at->c->tx, at->body, part, &data, &n) < 0)
        return -1;
    const size_t head = mime_head_len(data, n);
    subject = mime_header(a, data, head, "Subject");
    date = mime_header(a, data, head, "Date");
    mime_address_fields(a, data, head, "From", &from, &n_from, &bad);
    const char *none =
        graph_url(at->c, arena_printf(a, "/users('%s')/messages('')", at->b->user.key));
    json_str(w, "item@odata.associationLink", arena_printf(a, "%s/$ref", none));
    json_str(w, "item@odata.navigationLink", none);
    json_obj(w, "item");
    json_str(w, "@odata.type", "#microsoft.graph.message");
    json_str(w, "id", "");
    if (date && mime_date(date, &s, NULL)) {
        json_str(w, "createdDateTime", graph_date(a, s * 1000000, 0));
        json_str(w, "sentDateTime", graph_date(a, s * 1000000, 0));
    }
    json_str(w, "internetMessageId", mime_header(a, data, head, "Message-ID"));
    json_str(w, "subject", subject ? subject : "");
    if (n_from)
        outlook_write_person(w, "from", from[0].name, from[0].email);
    json_obj(w, "body");
    struct mime inner;
    mime_parse(a, data, head, data + head, n - head, &inner);
    for (int i = 0; i < inner.n; i++) {
        const struct mime_part *p = &inner.parts[i];
        struct buf text;
        if (strncmp(p->type, "text/", 5) != 0 || mime_is_file(&inner, i))
            continue;
        buf_init(&text, 0);
        mime_decode(p->encoding, data + head + p->at, p->len, &text);
        json_str(w, "contentType", strcmp(p->type, "text/html") == 0 ? "html" : "text");
        json_str(w, "content", mime_to_utf8(a, p->charset, buf_str(&text), text.len, NULL));
        buf_done(&text);
        break;
    }
    json_end(w);
    json_end(w);
    return 0;
}

static int write_attachment(const struct attached *at, int part, const struct odata_query *q)
{
    const struct mime_part *p = &at->body->mime.parts[part];
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const bool message = is_message(p);
    json_str(w, "@odata.type",
             message ? "#microsoft.graph.itemAttachment" : "#microsoft.graph.fileAttachment");
    if (!message)
        json_str(w, "@odata.mediaContentType", p->type);
    json_str(w, "id", outlook_attachment_id(a, at->b, at->i->key, at->i->message.folder, part));
    json_str(w, "lastModifiedDateTime", graph_date(a, at->i->modified_us, 0));
    json_str(w, "name", p->filename ? p->filename : message ? "Message" : "attachment");
    json_str(w, "contentType", message ? NULL : p->type);
    json_int(w, "size", (int64_t)(message ? p->len : p->size));
    json_bool(w, "isInline", outlook_is_inline(&at->body->mime, part));
    if (message)
        return q && odata_expands(q, "item") ? write_inner(at, part) : 0;
    json_str(w, "contentId", p->cid);
    json_null(w, "contentLocation");
    return write_bytes(at, part);
}

int outlook_write_attachments(struct call *c, const struct outlook_box *b,
                              const struct outlook_item *i, const struct mail_message_body *body,
                              const struct odata_query *q)
{
    const struct attached at = {c, b, i, body};
    for (int part = 0; part < body->mime.n; part++) {
        if (!is_attachment(&body->mime, part))
            continue;
        json_obj(c->out, NULL);
        if (write_attachment(&at, part, q) < 0)
            return -1;
        json_end(c->out);
    }
    return 0;
}

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
    if (r == 2 || key != i->key || part >= body->mime.n || !is_attachment(&body->mime, part))
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

static int answer_attachment(struct call *c, const struct attached *at, int part,
                             const struct odata_query *q)
{
    json_obj(c->out, NULL);
    graph_context(c, "%s/%s%s/$entity", outlook_root(c, at->b), attachments_path(c),
                  q ? odata_context(c->tx.arena, q) : "");
    int r = write_attachment(at, part, q);
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
    const struct attached at = {c, &b, &i, &body};
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
        (part = part_of_path(c, &b, &i, &body)) < 0 ||
        mail_message_part(&c->tx, &body, part, &data, &n) < 0)
        return -1;
    buf_clear(c->body_out);
    buf_add(c->body_out, data, n);
    call_header(c, "Content-Type",
                is_message(&body.mime.parts[part]) ? "text/plain" : body.mime.parts[part].type);
    return 0;
}

static int only_drafts(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidOperation", NULL,
                     "Attachments of a message that is not a draft can't be changed.");
}

/* The draft again with one attachment more, which is the last one. */
int outlook_attach(struct call *c, const struct outlook_box *b, struct outlook_item *i,
                   const struct outlook_letter *l, int *ret_part)
{
    struct mail_message_body body;
    *ret_part = -1;
    if (outlook_draft_save(c, b, l, i) < 0 || mail_message_open(&c->tx, &i->message, &body) < 0)
        return -1;
    const char *name = l->files[l->n_files - 1].filename;
    for (int part = 0; part < body.mime.n; part++)
        if (is_attachment(&body.mime, part) && body.mime.parts[part].filename && name &&
            strcmp(body.mime.parts[part].filename, name) == 0)
            *ret_part = part;
    for (int part = body.mime.n - 1; part >= 0 && *ret_part < 0; part--)
        if (is_attachment(&body.mime, part))
            *ret_part = part;
    return 0;
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
    const struct attached at = {c, &b, &i, &body};
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
        at += is_attachment(&body.mime, k);
    for (size_t k = 0; k < l.n_files; k++)
        if (k != at)
            l.files[kept++] = l.files[k];
    l.n_files = kept;
    c->status = 204;
    return outlook_draft_save(c, &b, &l, &i);
}

/* ---- the methods ---- */

#define ATTACHMENT "/attachments/{attachment-id}"

static const struct param params[] = {USER_PARAM, PATH_PARAM("mailFolder-id"),
                                      PATH_PARAM("message-id"), PATH_PARAM("attachment-id")};
static const struct route routes[] = {
    {.id = "outlook.messages.attachments.list",
     .response = "microsoft.graph.attachmentCollection",
     .verbs = GET,
     .paths = PATHS(MESSAGE_PATHS("/attachments")),
     .handler = attachments_list,
     .risk = RISK_READ,
     .scopes = READ SHARED,
     PARAMS(outlook_message_params),
     .summary = "Lists the attachments of a message"},
    {.id = "outlook.messages.attachments.create",
     .response = "microsoft.graph.attachment",
     .verbs = POST,
     .paths = PATHS(MESSAGE_PATHS("/attachments")),
     .handler = attachments_create,
     .risk = RISK_DRAFT,
     .body = BODY_JSON,
     .max_body = OUTLOOK_MAX_BODY,
     .scopes = WRITE SHARED_WRITE,
     PARAMS(outlook_message_params),
     .status = 201,
     .request = "microsoft.graph.attachment",
     .summary = "Adds an attachment to a draft"},
    {.id = "outlook.messages.attachments.get",
     .response = "microsoft.graph.attachment",
     .verbs = GET,
     .paths = PATHS(MESSAGE_PATHS(ATTACHMENT)),
     .handler = attachments_get,
     .risk = RISK_READ,
     .scopes = READ SHARED,
     PARAMS(params),
     .summary = "An attachment of a message"},
    {.id = "outlook.messages.attachments.delete",
     .verbs = DELETE,
     .paths = PATHS(MESSAGE_PATHS(ATTACHMENT)),
     .handler = attachments_delete,
     .risk = RISK_DESTRUCTIVE,
     .scopes = WRITE SHARED_WRITE,
     PARAMS(params),
     .status = 204,
     .summary = "Removes an attachment from a draft"},
    {.id = "outlook.messages.attachments.value",
     .verbs = GET,
     .paths = PATHS(MESSAGE_PATHS(ATTACHMENT "/$value")),
     .handler = attachments_value,
     .risk = RISK_READ,
     .download = true,
     .gives = "application/octet-stream",
     .scopes = READ SHARED,
     PARAMS(params),
     .summary = "The bytes of an attachment"},
};
const struct rows outlook_attachment_rows = ROWS(routes);
