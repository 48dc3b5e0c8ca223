/* SPDX-License-Identifier: Apache-2.0 */
/* Attachments of a message, as Graph answers them, and one more. */
#include "engine/json/bytes.h"
#include "engine/base/codec.h"
#include "services/mail/outlook/letter.h"
#include "services/mail/outlook/rows.h"
#include "vendors/microsoft/enclosed.h"

/* ---- writing ---- */

static int write_bytes(const struct outlook_attached *at, int part)
{
    const char *data;
    size_t n;
    if (!json_wants(at->c->out, "contentBytes"))
        return 0;
    if (mail_message_part(&at->c->tx, at->body, part, &data, &n) < 0)
        return -1;
    json_base64(at->c->out, "contentBytes", data, n);
    return 0;
}

/* The message in an itemAttachment: it has no id of its own (MG-386). */
static void write_inner(const struct outlook_attached *at, const char *data, size_t n)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    struct mime_address *from;
    const char *subject, *date;
    size_t n_from;
    int64_t s;
    bool bad;
    const size_t head = mime_head_len(data, n);
    subject = mime_header(a, data, head, "Subject");
    date = mime_header(a, data, head, "Date");
    mime_address_fields(a, data, head, "From", &from, &n_from, &bad);
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
}

/* What an itemAttachment holds. */
static int write_enclosed(const struct outlook_attached *at, int part)
{
    static const char *const sets[] = {"messages", "events", "contacts"};
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    enum graph_enclosed kind = ENCLOSED_MESSAGE;
    const struct json *item = NULL;
    const char *data, *text;
    size_t n, text_n;
    if (mail_message_part(&at->c->tx, at->body, part, &data, &n) < 0)
        return -1;
    if (outlook_enclosed_text(a, data, n, &text, &text_n) == 1)
        graph_enclosed_item(a, text, text_n, &kind, &item);
    const char *none =
        graph_url(at->c, arena_printf(a, "/users('%s')/%s('')", at->b->user.key, sets[kind]));
    json_str(w, "item@odata.associationLink", arena_printf(a, "%s/$ref", none));
    json_str(w, "item@odata.navigationLink", none);
    if (item)
        graph_enclosed_write(at->c, kind, item, at->i->modified_us);
    else
        write_inner(at, data, n);
    return 0;
}

/* A link to a file. */
static int write_link(const struct outlook_attached *at, int part)
{
    const struct mime_part *p = &at->body->mime.parts[part];
    struct json_writer *w = at->c->out;
    struct graph_reference r;
    const char *data, *type;
    bool shown;
    size_t n;
    if (mail_message_part(&at->c->tx, at->body, part, &data, &n) < 0)
        return -1;
    outlook_link_read(at->c->tx.arena, data, n, &r, &type, &shown);
    json_str(w, "contentType", type);
    json_int(w, "size", (int64_t)p->len);
    json_bool(w, "isInline", shown);
    graph_reference_write(at->c, &r);
    return 0;
}

int outlook_write_attachment(const struct outlook_attached *at, int part,
                             const struct odata_query *q)
{
    const struct mime_part *p = &at->body->mime.parts[part];
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const bool message = outlook_is_message(p), link = outlook_is_link(p);
    json_str(w, "@odata.type",
             message ? "#microsoft.graph.itemAttachment"
             : link  ? "#microsoft.graph.referenceAttachment"
                     : "#microsoft.graph.fileAttachment");
    if (!message && !link)
        json_str(w, "@odata.mediaContentType", p->type);
    json_str(w, "id", outlook_attachment_id(a, at->b, at->i->key, at->i->message.folder, part));
    json_str(w, "lastModifiedDateTime", graph_date(a, at->i->modified_us, 0));
    json_str(w, "name", p->filename ? p->filename : message ? "Message" : "attachment");
    if (link)
        return write_link(at, part);
    json_str(w, "contentType", message ? NULL : p->type);
    json_int(w, "size", (int64_t)(message ? p->len : p->size));
    json_bool(w, "isInline", outlook_is_inline(&at->body->mime, part));
    if (message)
        return q && odata_expands(q, "item") ? write_enclosed(at, part) : 0;
    json_str(w, "contentId", p->cid);
    json_null(w, "contentLocation");
    return write_bytes(at, part);
}

int outlook_write_attachments(struct call *c, const struct outlook_box *b,
                              const struct outlook_item *i, const struct mail_message_body *body,
                              const struct odata_query *q)
{
    const struct outlook_attached at = {c, b, i, body};
    for (int part = 0; part < body->mime.n; part++) {
        if (!outlook_is_attachment(&body->mime, part))
            continue;
        json_obj(c->out, NULL);
        if (outlook_write_attachment(&at, part, q) < 0)
            return -1;
        json_end(c->out);
    }
    return 0;
}

/* ---- adding ---- */

/* It is the last one. */
int outlook_attach(struct call *c, const struct outlook_box *b, struct outlook_item *i,
                   const struct outlook_letter *l, int *ret_part)
{
    struct mail_message_body body;
    *ret_part = -1;
    if (outlook_draft_save(c, b, l, i) < 0 || mail_message_open(&c->tx, &i->message, &body) < 0)
        return -1;
    const char *name = l->files[l->n_files - 1].filename;
    for (int part = 0; part < body.mime.n; part++)
        if (outlook_is_attachment(&body.mime, part) && body.mime.parts[part].filename && name &&
            strcmp(body.mime.parts[part].filename, name) == 0)
            *ret_part = part;
    for (int part = body.mime.n - 1; part >= 0 && *ret_part < 0; part--)
        if (outlook_is_attachment(&body.mime, part))
            *ret_part = part;
    return 0;
}
