/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as Graph answers them, member by member in the order that recordings have (MG-365). */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/base/utf8.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/again.h"
#include "services/mail/outlook/rows.h"
#include "services/mail/outlook/text.h"
#include <strings.h>

#define PREVIEW_MAX 255 /* characters */
#define BODY_MAX    ((size_t)8 << 20)

/* Members that a selection may leave out. */
#define MEMBERS(X)                                                                                 \
    X(M_CREATED_DATE_TIME, "createdDateTime")                                                      \
    X(M_LAST_MODIFIED_DATE_TIME, "lastModifiedDateTime")                                           \
    X(M_CHANGE_KEY, "changeKey")                                                                   \
    X(M_CATEGORIES, "categories")                                                                  \
    X(M_RECEIVED_DATE_TIME, "receivedDateTime")                                                    \
    X(M_SENT_DATE_TIME, "sentDateTime")                                                            \
    X(M_HAS_ATTACHMENTS, "hasAttachments")                                                         \
    X(M_INTERNET_MESSAGE_ID, "internetMessageId")                                                  \
    X(M_SUBJECT, "subject")                                                                        \
    X(M_BODY_PREVIEW, "bodyPreview")                                                               \
    X(M_IMPORTANCE, "importance")                                                                  \
    X(M_PARENT_FOLDER_ID, "parentFolderId")                                                        \
    X(M_CONVERSATION_ID, "conversationId")                                                         \
    X(M_CONVERSATION_INDEX, "conversationIndex")                                                   \
    X(M_IS_DELIVERY_RECEIPT_REQUESTED, "isDeliveryReceiptRequested")                               \
    X(M_IS_READ_RECEIPT_REQUESTED, "isReadReceiptRequested")                                       \
    X(M_IS_READ, "isRead")                                                                         \
    X(M_IS_DRAFT, "isDraft")                                                                       \
    X(M_WEB_LINK, "webLink")                                                                       \
    X(M_INFERENCE_CLASSIFICATION, "inferenceClassification")                                       \
    X(M_BODY, "body")                                                                              \
    X(M_SENDER, "sender")                                                                          \
    X(M_FROM, "from")                                                                              \
    X(M_TO_RECIPIENTS, "toRecipients")                                                             \
    X(M_CC_RECIPIENTS, "ccRecipients")                                                             \
    X(M_BCC_RECIPIENTS, "bccRecipients")                                                           \
    X(M_REPLY_TO, "replyTo")                                                                       \
    X(M_MENTIONS_PREVIEW, "mentionsPreview")                                                       \
    X(M_FLAG, "flag")                                                                              \
    X(M_UNIQUE_BODY, "uniqueBody")                                                                 \
    X(M_INTERNET_MESSAGE_HEADERS, "internetMessageHeaders")
#define MEMBER_NAME(member, name)  name,
#define MEMBER_PLACE(member, name) member,
enum member { MEMBERS(MEMBER_PLACE) N_MEMBERS };
static const char *const member_names[N_MEMBERS] = {MEMBERS(MEMBER_NAME)};
#define BIT(member) (UINT32_C(1) << (member))

enum head_field {
    HEAD_SUBJECT,
    HEAD_DATE,
    HEAD_MESSAGE_ID,
    HEAD_REFERENCES,
    HEAD_IN_REPLY_TO,
    HEAD_SENDER,
    HEAD_FROM,
    HEAD_TO,
    HEAD_CC,
    HEAD_BCC,
    HEAD_REPLY_TO,
    HEAD_FIELDS
};
static const char *const fields[HEAD_FIELDS] = {"Subject",     "Date",   "Message-ID", "References",
                                                "In-Reply-To", "Sender", "From",       "To",
                                                "Cc",          "Bcc",    "Reply-To"};

/* A message that is being written. */
struct view {
    struct call *c;
    const struct outlook_box *b;
    const struct outlook_item *i;
    const struct odata_query *q;
    struct mail_message_body body; /* opened: all of it; else its head at most */
    bool opened;
    struct mail_property property;
    const char *text, *html; /* of the body; NULL: none */
    size_t text_n, html_n;
    /* The first fields of each name; line NULL: there is none. */
    struct mime_field first[HEAD_FIELDS];
    bool again[HEAD_FIELDS]; /* there are others */
    uint32_t wanted;         /* bits of enum member */
};

static void read_head(struct view *v)
{
    struct mime_field f;
    for (size_t pos = 0; mime_field_next(v->body.head, v->body.head_len, &pos, &f);)
        for (int i = 0; i < HEAD_FIELDS; i++)
            if (f.name_len == strlen(fields[i]) &&
                strncasecmp(f.name, fields[i], f.name_len) == 0) {
                v->again[i] = v->first[i].line != NULL;
                if (!v->again[i])
                    v->first[i] = f;
                break;
            }
}

static const char *header_of(const struct view *v, enum head_field field)
{
    const struct mime_field *f = &v->first[field];
    return f->line ? mime_value_decoded(v->c->tx.arena, f) : NULL;
}

/* The members that are written; those that have to be asked for are known by $select alone. */
static uint32_t members_of(const struct odata_query *q, bool beta)
{
    const uint32_t asked =
        BIT(M_UNIQUE_BODY) | BIT(M_INTERNET_MESSAGE_HEADERS) | (beta ? 0 : BIT(M_MENTIONS_PREVIEW));
    const uint32_t usual = (BIT(N_MEMBERS) - 1) & ~asked;
    uint32_t wanted = 0;
    if (!q || !q->has_select)
        return usual;
    for (size_t i = 0; i < q->n_select; i++) {
        const char *name = q->select[i].text;
        const size_t n = strcspn(name, "/");
        if (strcmp(name, "*") == 0)
            wanted |= usual;
        for (int k = 0; k < N_MEMBERS; k++)
            if (*member_names[k] == *name && strncmp(member_names[k], name, n) == 0 &&
                !member_names[k][n])
                wanted |= BIT(k);
    }
    return wanted;
}

static bool wants(const struct view *v, enum member member)
{
    return v->wanted & BIT(member);
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

static void people_of(const struct view *v, enum head_field field, struct mime_address **ret,
                      size_t *ret_n)
{
    const struct mime_field *f = &v->first[field];
    const bool one = !v->again[field];
    bool bad;
    *ret_n = 0;
    if (f->line)
        mime_address_fields(v->c->tx.arena, one ? f->line : v->body.head,
                            one ? f->line_len : v->body.head_len, fields[field], ret, ret_n, &bad);
}

static void write_people(const struct view *v, enum member member, enum head_field field)
{
    struct mime_address *list;
    size_t n;
    if (!wants(v, member))
        return;
    people_of(v, field, &list, &n);
    json_arr(v->c->out, member_names[member]);
    for (size_t i = 0; i < n; i++)
        outlook_write_person(v->c->out, NULL, list[i].name, list[i].email);
    json_end(v->c->out);
}

/* The first of a field, else of From. */
static void write_first(const struct view *v, enum member member, enum head_field field)
{
    struct mime_address *list;
    size_t n;
    if (!wants(v, member))
        return;
    people_of(v, field, &list, &n);
    if (!n && field != HEAD_FROM)
        people_of(v, HEAD_FROM, &list, &n);
    if (n)
        outlook_write_person(v->c->out, member_names[member], list[0].name, list[0].email);
    else if (!v->i->draft.id)
        json_null(v->c->out, member_names[member]);
}

/* ---- bodies ---- */

static int load_texts(struct view *v)
{
    if (!(v->wanted & (BIT(M_BODY) | BIT(M_BODY_PREVIEW) | BIT(M_UNIQUE_BODY))))
        return 0;
    return mail_message_texts(&v->c->tx, &v->body, BODY_MAX, &v->text, &v->text_n, &v->html,
                              &v->html_n);
}

/* Has it an HTML part, or text alone? */
static void write_body(const struct view *v, enum member member)
{
    struct json_writer *w = v->c->out;
    struct arena *a = v->c->tx.arena;
    const bool shown_as_text =
        v->b->text || (!v->html && !v->b->html && v->i->message.flags & FLAG(KEYWORD_DRAFT));
    const char *content;
    if (!wants(v, member))
        return;
    if (shown_as_text)
        content = outlook_text_lines(a, v->text ? v->text : "", v->text_n);
    else if (v->html)
        content = outlook_html_page(a, v->html, v->html_n);
    else
        content = outlook_html_of_text(a, v->text ? v->text : "", v->text_n);
    if (member == M_UNIQUE_BODY)
        content = shown_as_text ? outlook_unique_text(a, content) : outlook_unique_html(a, content);
    json_obj(w, member_names[member]);
    json_str(w, "contentType", shown_as_text ? "text" : "html");
    json_str(w, "content", content);
    json_end(w);
}

static void write_preview(const struct view *v)
{
    if (wants(v, M_BODY_PREVIEW))
        json_str(v->c->out, "bodyPreview",
                 outlook_preview(v->c->tx.arena, v->text ? v->text : "", v->text_n, PREVIEW_MAX));
}

/* ---- other members ---- */

static void write_date(const struct view *v, enum member member, int64_t us)
{
    if (wants(v, member))
        json_str(v->c->out, member_names[member], graph_date(v->c->tx.arena, us, 0));
}

static int64_t sent_us(const struct view *v)
{
    const char *date = v->i->draft.id ? NULL : header_of(v, HEAD_DATE);
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
    if (!wants(v, M_FLAG))
        return;
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
    if (!wants(v, M_CATEGORIES))
        return 0;
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
    const char *refs = header_of(v, HEAD_REFERENCES), *to = header_of(v, HEAD_IN_REPLY_TO), **ids;
    size_t n = 0;
    if (refs || to)
        mime_ids(v->c->tx.arena, refs ? refs : to, &ids, &n);
    return (int)(n > 1000 ? 1000 : n);
}

int outlook_began_s(struct tx *tx, const struct mail_message *m, int64_t *ret)
{
    struct mail_message first;
    *ret = m->at_s;
    if (m->thread_key == m->key)
        return 0;
    int r = mail_message_get(tx, m->mailbox, m->thread_key, &first);
    if (r == 1)
        *ret = first.at_s;
    return r < 0 ? -1 : 0;
}

static int write_conversation(const struct view *v)
{
    struct arena *a = v->c->tx.arena;
    const int64_t thread = v->i->message.thread_key;
    int64_t began = 0;
    if (wants(v, M_CONVERSATION_ID))
        json_str(v->c->out, "conversationId", outlook_conversation_id(a, v->b, thread));
    if (!wants(v, M_CONVERSATION_INDEX))
        return 0;
    if (outlook_began_s(&v->c->tx, &v->i->message, &began) < 0)
        return -1;
    json_str(v->c->out, "conversationIndex",
             outlook_conversation_index(a, v->b, thread, began, replies_of(v)));
    return 0;
}

/* Only for those who ask, and a draft has none (MG-629). */
static void write_headers(const struct view *v)
{
    struct mime_field f;
    if (v->i->draft.id || !wants(v, M_INTERNET_MESSAGE_HEADERS))
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
    struct kept *list;
    size_t n;
    const struct odata_expand *e = v->q ? odata_expands(v->q, member) : NULL;
    struct odata_ctx ctx = {
        .arena = v->c->tx.arena, .get = odata_get_json, .now_us = v->c->tx.now_us};
    if (!e)
        return 0;
    if (mail_kept_list(&v->c->tx, &outlook_extras, v->i->message.id, kind, &list, &n) < 0)
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
    if ((e = odata_expands(v->q, "mentions")) && graph_is_beta(v->c) &&
        outlook_write_mentions(v->c, v->i, "mentions") < 0)
        return -1;
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
    const int64_t came_us = i->message.at_s * US_PER_SECOND;
    write_date(v, M_CREATED_DATE_TIME, came_us);
    write_date(v, M_LAST_MODIFIED_DATE_TIME, i->modified_us);
    if (wants(v, M_CHANGE_KEY))
        json_str(w, "changeKey", outlook_item_change_key(a, v->b, i));
    if (write_categories(v) < 0)
        return -1;
    write_date(v, M_RECEIVED_DATE_TIME, came_us);
    if (wants(v, M_SENT_DATE_TIME))
        write_date(v, M_SENT_DATE_TIME, sent_us(v));
    if (wants(v, M_HAS_ATTACHMENTS))
        json_bool(w, "hasAttachments", outlook_has_attachments(&v->body.mime));
    if (wants(v, M_INTERNET_MESSAGE_ID))
        json_str(w, "internetMessageId", header_of(v, HEAD_MESSAGE_ID));
    if (wants(v, M_SUBJECT)) {
        const char *subject = header_of(v, HEAD_SUBJECT);
        json_str(w, "subject", subject ? subject : "");
    }
    write_preview(v);
    if (wants(v, M_IMPORTANCE))
        json_str(w, "importance", importances[v->property.importance + 1]);
    if (wants(v, M_PARENT_FOLDER_ID))
        json_str(w, "parentFolderId", outlook_folder_text(a, v->b, i->message.folder));
    if (write_conversation(v) < 0)
        return -1;
    if (v->wanted & (BIT(M_IS_DELIVERY_RECEIPT_REQUESTED) | BIT(M_IS_READ_RECEIPT_REQUESTED)))
        write_receipts(v);
    if (wants(v, M_IS_READ))
        json_bool(w, "isRead", !(i->message.flags & FLAG(KEYWORD_UNSEEN)));
    if (wants(v, M_IS_DRAFT))
        json_bool(w, "isDraft", (i->message.flags & FLAG(KEYWORD_DRAFT)) != 0);
    if (wants(v, M_WEB_LINK))
        json_str(w, "webLink", outlook_web_link(a, id));
    if (wants(v, M_INFERENCE_CLASSIFICATION))
        json_str(w, "inferenceClassification",
                 v->property.inference == INFERENCE_OTHER && i->message.flags & FLAG(FOLDER_INBOX)
                     ? "other"
                     : "focused");
    return outlook_write_meeting_state(v->c, i);
}

unsigned outlook_needs(const struct odata_query *q, bool beta)
{
    const uint32_t whole = BIT(M_HAS_ATTACHMENTS) | BIT(M_BODY_PREVIEW) | BIT(M_BODY) |
                           BIT(M_UNIQUE_BODY),
                   head = BIT(M_SENT_DATE_TIME) | BIT(M_INTERNET_MESSAGE_ID) | BIT(M_SUBJECT) |
                          BIT(M_CONVERSATION_INDEX) | BIT(M_SENDER) | BIT(M_FROM) |
                          BIT(M_TO_RECIPIENTS) | BIT(M_CC_RECIPIENTS) | BIT(M_BCC_RECIPIENTS) |
                          BIT(M_REPLY_TO) | BIT(M_MENTIONS_PREVIEW) |
                          BIT(M_INTERNET_MESSAGE_HEADERS),
                   marks = BIT(M_IMPORTANCE) | BIT(M_IS_DELIVERY_RECEIPT_REQUESTED) |
                           BIT(M_IS_READ_RECEIPT_REQUESTED) | BIT(M_INFERENCE_CLASSIFICATION) |
                           BIT(M_FLAG);
    const uint32_t wanted = members_of(q, beta);
    return (wanted & head ? OUTLOOK_HEAD : 0U) | (wanted & whole ? OUTLOOK_BODY : 0U) |
           (wanted & marks ? OUTLOOK_MARKS : 0U) |
           (wanted & BIT(M_CATEGORIES) ? OUTLOOK_CATEGORIES : 0U) |
           (wanted & BIT(M_CONVERSATION_INDEX) ? OUTLOOK_THREAD : 0U);
}

/* Reads what the members that are written need. */
static int read_parts(struct view *v)
{
    const unsigned needs = outlook_needs(v->q, graph_is_beta(v->c));
    const struct mail_message *m = &v->i->message;
    struct tx *tx = &v->c->tx;
    v->wanted = members_of(v->q, graph_is_beta(v->c));
    if (v->b->basic)
        v->wanted &= ~(BIT(M_BODY) | BIT(M_BODY_PREVIEW) | BIT(M_UNIQUE_BODY));
    v->opened = needs & OUTLOOK_BODY || (v->q && odata_expands(v->q, "attachments"));
    if (v->opened ? mail_message_open(tx, m, &v->body) < 0
                  : needs & OUTLOOK_HEAD &&
                        mail_message_head(tx, m, &v->body.head, &v->body.head_len) < 0)
        return -1;
    if (v->body.head)
        read_head(v);
    if (needs & OUTLOOK_MARKS && mail_property_get(tx, m, &v->property) < 0)
        return -1;
    return v->opened ? load_texts(v) : 0;
}

int outlook_write_members(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                          const struct odata_query *q)
{
    struct view v = {.c = c, .b = b, .i = i, .q = q};
    const char *id = outlook_item_id(c->tx.arena, b, i);
    if (read_parts(&v) < 0)
        return -1;
    json_str(c->out, "@odata.etag", outlook_item_etag(c->tx.arena, b, i));
    json_str(c->out, "id", id);
    if (write_first_half(&v, id) < 0)
        return -1;
    write_body(&v, M_BODY);
    write_first(&v, M_SENDER, HEAD_SENDER);
    write_first(&v, M_FROM, HEAD_FROM);
    write_people(&v, M_TO_RECIPIENTS, HEAD_TO);
    write_people(&v, M_CC_RECIPIENTS, HEAD_CC);
    write_people(&v, M_BCC_RECIPIENTS, HEAD_BCC);
    write_people(&v, M_REPLY_TO, HEAD_REPLY_TO);
    if (wants(&v, M_MENTIONS_PREVIEW) && outlook_write_mentioned(c, b, i) < 0)
        return -1;
    write_body(&v, M_UNIQUE_BODY);
    write_flag(&v);
    if (outlook_write_meeting(c, b, i, q) < 0)
        return -1;
    write_headers(&v);
    return write_expansions(&v);
}

static int write_item(struct call *c, const char *member, const struct outlook_box *b,
                      const struct outlook_item *i, const struct odata_query *q, bool type)
{
    json_obj(c->out, member);
    if (type || i->meeting)
        json_str(c->out, "@odata.type", outlook_item_type(i));
    int r = outlook_write_members(c, b, i, q);
    json_end(c->out);
    return r;
}

/* An item of a list, by the bytes of its rows, which are gathered anew. */
static int write_in_list(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                         const struct odata_query *q, bool type, struct buf *rows)
{
    const struct buf *out = c->out->out;
    size_t from = out->len, n;
    const char *text;
    buf_clear(rows);
    int r =
        outlook_again_find(c, b, i, q, type ? OUTLOOK_TYPED_ITEM : OUTLOOK_ITEM, rows, &text, &n);
    if (r == 1)
        json_item_again(c->out, text, n);
    if (r == 0 && (r = write_item(c, NULL, b, i, q, type)) == 0) {
        while (from < out->len && out->data[from] != '{') /* separators between items */
            from++;
        outlook_again_keep(c, b, rows, from);
    }
    return r < 0 ? -1 : 0;
}

int outlook_write_item(struct call *c, const char *member, const struct outlook_box *b,
                       const struct outlook_item *i, const struct odata_query *q, bool type)
{
    struct buf rows;
    if (member)
        return write_item(c, member, b, i, q, type);
    buf_init(&rows, 0);
    int r = write_in_list(c, b, i, q, type, &rows);
    buf_done(&rows);
    return r;
}

int outlook_write_items(struct call *c, const struct outlook_box *b,
                        const struct outlook_item *list, size_t n, const struct odata_query *q)
{
    struct buf rows;
    int r = 0;
    buf_init(&rows, 0);
    for (size_t i = 0; i < n && r == 0; i++)
        r = write_in_list(c, b, &list[i], q, false, &rows);
    buf_done(&rows);
    return r;
}

/* The members of an answer, behind others. */
static int write_again(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                       const struct odata_query *q)
{
    const size_t from = c->out->out->len;
    const char *text;
    struct buf rows;
    size_t n;
    buf_init(&rows, 0);
    int r = outlook_again_find(c, b, i, q, OUTLOOK_MEMBERS, &rows, &text, &n);
    if (r == 1)
        json_again(c->out, text, n);
    if (r == 0 && (r = outlook_write_members(c, b, i, q)) == 0)
        outlook_again_keep(c, b, &rows, from);
    buf_done(&rows);
    return r < 0 ? -1 : 0;
}

int outlook_answer_item(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                        const struct odata_query *q, const char *context)
{
    if (q && outlook_select(c, q, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context_of(c, ARENA_JOIN(c->tx.arena, outlook_root(c, b), "/", context,
                                   q ? odata_context(c->tx.arena, q) : "", "/$entity"));
    if (i->meeting)
        json_str(c->out, "@odata.type", outlook_item_type(i));
    int r = json_is_first(c->out) ? outlook_write_members(c, b, i, q) : write_again(c, b, i, q);
    json_end(c->out);
    return r;
}
