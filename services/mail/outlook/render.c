/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as Graph answers them, member by member in the order that recordings have (MG-365). */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/base/utf8.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/rows.h"
#include "services/mail/outlook/text.h"

#define PREVIEW_MAX 255 /* characters */
#define BODY_MAX    ((size_t)8 << 20)

/* A message that is being written. */
struct view {
    struct call *c;
    const struct outlook_box *b;
    const struct outlook_item *i;
    const struct odata_query *q;
    struct mail_message_body body;
    struct mail_property property;
    const char *text, *html; /* of the body; NULL: none */
    size_t text_n, html_n;
};

static const char *header_of(const struct view *v, const char *name)
{
    return mime_header(v->c->tx.arena, v->body.head, v->body.head_len, name);
}

/* ---- people ---- */

void outlook_write_person(struct json_writer *w, const char *member, const char *name,
                          const char *email)
{
    json_obj(w, member);
    json_obj(w, "emailAddress");
    json_str(w, "name", name && *name ? name : email);
    json_str(w, "address", email);
    json_end(w);
    json_end(w);
}

static void write_people(const struct view *v, const char *member, const char *field)
{
    struct mime_address *list;
    size_t n;
    bool bad;
    if (!json_wants(v->c->out, member))
        return;
    mime_address_fields(v->c->tx.arena, v->body.head, v->body.head_len, field, &list, &n, &bad);
    json_arr(v->c->out, member);
    for (size_t i = 0; i < n; i++)
        outlook_write_person(v->c->out, NULL, list[i].name, list[i].email);
    json_end(v->c->out);
}

/* The first of a field, else of another one. */
static void write_first(const struct view *v, const char *member, const char *field,
                        const char *other)
{
    struct mime_address *list;
    size_t n;
    bool bad;
    mime_address_fields(v->c->tx.arena, v->body.head, v->body.head_len, field, &list, &n, &bad);
    if (!n && other)
        mime_address_fields(v->c->tx.arena, v->body.head, v->body.head_len, other, &list, &n, &bad);
    if (n)
        outlook_write_person(v->c->out, member, list[0].name, list[0].email);
    else if (!v->i->draft.id)
        json_null(v->c->out, member);
}

/* ---- bodies ---- */

static int load_texts(struct view *v)
{
    struct json_writer *w = v->c->out;
    if (!json_wants(w, "body") && !json_wants(w, "bodyPreview") && !json_wants(w, "uniqueBody"))
        return 0;
    return mail_message_texts(&v->c->tx, &v->body, BODY_MAX, &v->text, &v->text_n, &v->html,
                              &v->html_n);
}

/* Has it an HTML part, or text alone? */
static void write_body(const struct view *v, const char *member, bool unique)
{
    struct json_writer *w = v->c->out;
    struct arena *a = v->c->tx.arena;
    const bool shown_as_text =
        v->b->text || (!v->html && !v->b->html && v->i->message.flags & FLAG(KEYWORD_DRAFT));
    const char *content;
    if (!json_wants(w, member))
        return;
    if (shown_as_text)
        content = outlook_text_lines(a, v->text ? v->text : "", v->text_n);
    else if (v->html)
        content = outlook_html_page(a, v->html, v->html_n);
    else
        content = outlook_html_of_text(a, v->text ? v->text : "", v->text_n);
    if (unique)
        content = shown_as_text ? outlook_unique_text(a, content) : outlook_unique_html(a, content);
    json_obj(w, member);
    json_str(w, "contentType", shown_as_text ? "text" : "html");
    json_str(w, "content", content);
    json_end(w);
}

static void write_preview(const struct view *v)
{
    if (json_wants(v->c->out, "bodyPreview"))
        json_str(v->c->out, "bodyPreview",
                 outlook_preview(v->c->tx.arena, v->text ? v->text : "", v->text_n, PREVIEW_MAX));
}

/* ---- other members ---- */

static void write_date(const struct view *v, const char *member, int64_t us)
{
    json_str(v->c->out, member, graph_date(v->c->tx.arena, us, 0));
}

static int64_t sent_us(const struct view *v)
{
    const char *date = v->i->draft.id ? NULL : header_of(v, "Date");
    int64_t s;
    return (date && mime_date(date, &s, NULL) ? s : v->i->message.at_s) * US_PER_SECOND;
}

static void write_flag_date(const struct view *v, const char *member, int64_t us)
{
    struct arena *a = v->c->tx.arena;
    if (us == MAIL_NO_TIME)
        return;
    const char *date = graph_date(a, us, 7);
    json_obj(v->c->out, member);
    json_strn(v->c->out, "dateTime", date, strlen(date) - 1);
    json_str(v->c->out, "timeZone", "UTC");
    json_end(v->c->out);
}

static void write_flag(const struct view *v)
{
    static const char *const words[] = {"notFlagged", "flagged", "complete"};
    json_obj(v->c->out, "flag");
    json_str(v->c->out, "flagStatus", words[v->property.flag]);
    write_flag_date(v, "completedDateTime", v->property.flag_done_us);
    write_flag_date(v, "dueDateTime", v->property.flag_due_us);
    write_flag_date(v, "startDateTime", v->property.flag_from_us);
    json_end(v->c->out);
}

static int write_categories(const struct view *v)
{
    const char **names;
    size_t n;
    if (outlook_categories(&v->c->tx, &v->i->message, &names, &n) < 0)
        return -1;
    json_arr(v->c->out, "categories");
    for (size_t i = 0; i < n; i++)
        json_str(v->c->out, NULL, names[i]);
    json_end(v->c->out);
    return 0;
}

/* How many messages it answers, one by one. */
static int replies_of(const struct view *v)
{
    const char *refs = header_of(v, "References"), *to = header_of(v, "In-Reply-To"), **ids;
    size_t n = 0;
    if (refs || to)
        mime_ids(v->c->tx.arena, refs ? refs : to, &ids, &n);
    return (int)(n > 1000 ? 1000 : n);
}

/* When its conversation began, as far as the mailbox knows. */
static int began_s(const struct view *v, int64_t *ret)
{
    const struct mail_message *m = &v->i->message;
    struct mail_message first;
    *ret = m->at_s;
    if (m->thread_key == m->key)
        return 0;
    int r = mail_message_get(&v->c->tx, m->mailbox, m->thread_key, &first);
    if (r == 1)
        *ret = first.at_s;
    return r < 0 ? -1 : 0;
}

static int write_conversation(const struct view *v)
{
    struct arena *a = v->c->tx.arena;
    const int64_t thread = v->i->message.thread_key;
    int64_t began = 0;
    json_str(v->c->out, "conversationId", outlook_conversation_id(a, v->b, thread));
    if (!json_wants(v->c->out, "conversationIndex"))
        return 0;
    if (began_s(v, &began) < 0)
        return -1;
    json_str(v->c->out, "conversationIndex",
             outlook_conversation_index(a, v->b, thread, began, replies_of(v)));
    return 0;
}

/* Only for those who ask, and a draft has none (MG-629). */
static void write_headers(const struct view *v)
{
    struct mime_field f;
    if (v->i->draft.id || !v->q || !v->q->has_select ||
        !odata_selects(v->q, "internetMessageHeaders"))
        return;
    json_arr(v->c->out, "internetMessageHeaders");
    for (size_t pos = 0; mime_field_next(v->body.head, v->body.head_len, &pos, &f);) {
        json_obj(v->c->out, NULL);
        json_strn(v->c->out, "name", f.name, f.name_len);
        json_str(v->c->out, "value", mime_value(v->c->tx.arena, &f));
        json_end(v->c->out);
    }
    json_end(v->c->out);
}

static void write_receipts(const struct view *v)
{
    const bool delivered = v->property.receipts & RECEIPT_DELIVERED;
    const bool own = v->i->message.flags & (FLAG(KEYWORD_DRAFT) | FLAG(FOLDER_SENT));
    if (delivered || own)
        json_bool(v->c->out, "isDeliveryReceiptRequested", delivered);
    else
        json_null(v->c->out, "isDeliveryReceiptRequested");
    json_bool(v->c->out, "isReadReceiptRequested", v->property.receipts & RECEIPT_READ);
}

/* ---- expansions ---- */

static int write_extras(const struct view *v, const char *kind, const char *member)
{
    struct outlook_extra *list;
    size_t n;
    const struct odata_expand *e = v->q ? odata_expands(v->q, member) : NULL;
    struct odata_ctx ctx = {
        .arena = v->c->tx.arena, .get = odata_get_json, .now_us = v->c->tx.now_us};
    if (!e)
        return 0;
    if (outlook_extras(&v->c->tx, v->i->message.id, kind, &list, &n) < 0)
        return -1;
    json_arr(v->c->out, member);
    for (size_t i = 0; i < n; i++) {
        int r = odata_matches(&ctx, e->query->filter, list[i].value);
        if (r < 0)
            return -1;
        if (r)
            json_raw(v->c->out, NULL, list[i].text, strlen(list[i].text));
    }
    json_end(v->c->out);
    return 0;
}

/* The size is a property that every message has (MG-630). */
static int write_single(const struct view *v)
{
    const struct odata_expand *e =
        v->q ? odata_expands(v->q, "singleValueExtendedProperties") : NULL;
    const struct odata_value *id = e ? odata_equal(e->query->filter, "id") : NULL;
    const char *text = id && id->text ? graph_property_id(v->c->tx.arena, id->text) : NULL;
    if (!text || !str_eq_nocase(text, "Long 0xe08"))
        return write_extras(v, "single", "singleValueExtendedProperties");
    json_arr(v->c->out, "singleValueExtendedProperties");
    json_obj(v->c->out, NULL);
    json_str(v->c->out, "id", text);
    json_str(v->c->out, "value",
             arena_printf(v->c->tx.arena, "%lld", (long long)v->i->message.size));
    json_end(v->c->out);
    json_end(v->c->out);
    return 0;
}

static int write_expansions(const struct view *v)
{
    const struct odata_expand *e = v->q ? odata_expands(v->q, "attachments") : NULL;
    if (!v->q || !v->q->n_expand)
        return 0;
    if (e) {
        json_arr(v->c->out, "attachments");
        if (outlook_write_attachments(v->c, v->b, v->i, &v->body, e->query) < 0)
            return -1;
        json_end(v->c->out);
    }
    return write_single(v) < 0 || write_extras(v, "multi", "multiValueExtendedProperties") < 0 ||
                   write_extras(v, "extension", "extensions") < 0
               ? -1
               : 0;
}

/* ---- all of it ---- */

static int write_first_half(const struct view *v, const char *id)
{
    static const char *const importances[] = {"low", "normal", "high"};
    struct json_writer *w = v->c->out;
    struct arena *a = v->c->tx.arena;
    const struct outlook_item *i = v->i;
    const char *subject = header_of(v, "Subject");
    json_str(w, "createdDateTime", graph_date(a, i->message.at_s * US_PER_SECOND, 0));
    write_date(v, "lastModifiedDateTime", i->modified_us);
    json_str(w, "changeKey", outlook_item_change_key(a, v->b, i));
    if (write_categories(v) < 0)
        return -1;
    write_date(v, "receivedDateTime", i->message.at_s * US_PER_SECOND);
    write_date(v, "sentDateTime", sent_us(v));
    json_bool(w, "hasAttachments", outlook_has_attachments(&v->body.mime));
    json_str(w, "internetMessageId", header_of(v, "Message-ID"));
    json_str(w, "subject", subject ? subject : "");
    write_preview(v);
    json_str(w, "importance", importances[v->property.importance + 1]);
    json_str(w, "parentFolderId", outlook_folder_text(a, v->b, i->message.folder));
    if (write_conversation(v) < 0)
        return -1;
    write_receipts(v);
    json_bool(w, "isRead", !(i->message.flags & FLAG(KEYWORD_UNSEEN)));
    json_bool(w, "isDraft", (i->message.flags & FLAG(KEYWORD_DRAFT)) != 0);
    if (json_wants(w, "webLink"))
        json_str(w, "webLink", outlook_web_link(a, id));
    json_str(w, "inferenceClassification",
             v->property.inference == INFERENCE_OTHER && i->message.flags & FLAG(FOLDER_INBOX)
                 ? "other"
                 : "focused");
    return 0;
}

int outlook_write_members(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                          const struct odata_query *q)
{
    struct view v = {.c = c, .b = b, .i = i, .q = q};
    struct arena *a = c->tx.arena;
    const char *id = outlook_item_id(a, b, i);
    if (mail_message_open(&c->tx, &i->message, &v.body) < 0 ||
        mail_property_get(&c->tx, &i->message, &v.property) < 0 || load_texts(&v) < 0)
        return -1;
    json_str(c->out, "@odata.etag", outlook_item_etag(a, b, i));
    json_str(c->out, "id", id);
    if (write_first_half(&v, id) < 0)
        return -1;
    write_body(&v, "body", false);
    write_first(&v, "sender", "Sender", "From");
    write_first(&v, "from", "From", NULL);
    write_people(&v, "toRecipients", "To");
    write_people(&v, "ccRecipients", "Cc");
    write_people(&v, "bccRecipients", "Bcc");
    write_people(&v, "replyTo", "Reply-To");
    if (q && q->has_select && odata_selects(q, "uniqueBody"))
        write_body(&v, "uniqueBody", true);
    write_flag(&v);
    write_headers(&v);
    return write_expansions(&v);
}

int outlook_write_item(struct call *c, const char *member, const struct outlook_box *b,
                       const struct outlook_item *i, const struct odata_query *q, bool type)
{
    json_obj(c->out, member);
    if (type)
        json_str(c->out, "@odata.type", "#microsoft.graph.message");
    int r = outlook_write_members(c, b, i, q);
    json_end(c->out);
    return r;
}

int outlook_answer_item(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                        const struct odata_query *q, const char *context)
{
    if (q && outlook_select(c, q, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/%s%s/$entity", outlook_root(c, b), context,
                  q ? odata_context(c->tx.arena, q) : "");
    int r = outlook_write_members(c, b, i, q);
    json_end(c->out);
    return r;
}
