/* SPDX-License-Identifier: Apache-2.0 */
/* Messages from JSON, and messages taken apart so that they can be changed and made again. */
#include "services/mail/outlook/letter.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/outlook/text.h"
#include <strings.h>

#define MAX_OWN_HEADERS 5 /* MG-379 */
#define MAX_FILES       500

static const char *const field_names[LETTER_FIELDS] = {"From", "Sender", "To",
                                                       "Cc",   "Bcc",    "Reply-To"};
static const char *const field_members[LETTER_FIELDS] = {
    "from", "sender", "toRecipients", "ccRecipients", "bccRecipients", "replyTo"};

/* A member of any case: actions' parameters come in Pascal's too (MG-414). */
static int failed(struct call *c)
{
    return sosia_fail_memory(c->tx.err);
}

void outlook_letter_new(struct call *c, const struct outlook_box *b, struct outlook_letter *ret)
{
    (void)b;
    *ret = (struct outlook_letter){.subject = "", .date_s = c->tx.now_us / US_PER_SECOND};
}

/* ---- taking apart ---- */

static bool is_made_again(const struct mime_field *f)
{
    static const char *const names[] = {"From",
                                        "Sender",
                                        "To",
                                        "Cc",
                                        "Bcc",
                                        "Reply-To",
                                        "Subject",
                                        "Thread-Topic",
                                        "Thread-Index",
                                        "Date",
                                        "Message-ID",
                                        "In-Reply-To",
                                        "References",
                                        "Importance",
                                        "X-Priority",
                                        "Priority",
                                        "Disposition-Notification-To",
                                        "Return-Receipt-To",
                                        "Content-Language",
                                        "Content-Type",
                                        "Content-Transfer-Encoding",
                                        "Content-Disposition",
                                        "Content-ID",
                                        "MIME-Version",
                                        "X-MS-Has-Attach",
                                        "X-MS-TNEF-Correlator",
                                        MENTION_FIELD,
                                        "X-MS-Exchange-Organization-RecordReviewCfmType",
                                        "X-MS-Exchange-MessageSentRepresentingType"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (str_is_nocase(f->name, f->name_len, names[i]))
            return true;
    return false;
}

static int take_headers(struct call *c, const struct mail_message_body *body,
                        struct outlook_letter *l)
{
    struct arena *a = c->tx.arena;
    struct mime_field f;
    size_t n = 0, cap = 0;
    for (size_t pos = 0; mime_field_next(body->head, body->head_len, &pos, &f);) {
        if (is_made_again(&f))
            continue;
        if (!(l->headers = arena_grow(a, l->headers, n, &cap, sizeof *l->headers)))
            return failed(c);
        l->headers[n++] = (struct compose_header){.name = arena_memdup(a, f.name, f.name_len),
                                                  .value = mime_value_decoded(a, &f)};
    }
    l->n_headers = n;
    return 0;
}

static int take_files(struct call *c, const struct mail_message_body *body,
                      struct outlook_letter *l)
{
    struct arena *a = c->tx.arena;
    l->files = arena_calloc(a, (size_t)body->mime.n + 1, sizeof *l->files);
    for (int i = 0; i < body->mime.n && !arena_failed(a); i++) {
        const struct mime_part *p = &body->mime.parts[i];
        struct compose_file *f = &l->files[l->n_files];
        bool inside = false;
        for (int up = p->parent; up >= 0; up = body->mime.parts[up].parent)
            inside |= strcmp(body->mime.parts[up].type, "message/rfc822") == 0;
        if (inside || !mime_is_file(&body->mime, i))
            continue;
        *f = (struct compose_file){.type = p->type,
                                   .filename = p->filename,
                                   .cid = p->cid,
                                   .plain = outlook_is_message(p) || outlook_is_link(p)};
        f->inlined = outlook_is_inline(&body->mime, i);
        if (mail_message_part(&c->tx, body, i, &f->data, &f->len) < 0)
            return -1;
        if (outlook_is_link(p))
            f->params = outlook_link_params(a, f->data, f->len);
        l->n_files++;
    }
    return arena_failed(a) ? failed(c) : 0;
}

int outlook_letter_of_body(struct call *c, const struct mail_message_body *body, int64_t at_s,
                           struct outlook_letter *ret)
{
    struct arena *a = c->tx.arena;
    const char *text, *html, **ids, *date;
    size_t text_n, html_n;
    if (mail_message_texts(&c->tx, body, OUTLOOK_MAX_MESSAGE, &text, &text_n, &html, &html_n) < 0)
        return -1;
    *ret = (struct outlook_letter){
        .subject = mime_header(a, body->head, body->head_len, "Subject"),
        .topic = mime_header(a, body->head, body->head_len, "Thread-Topic"),
        .text = text && !html ? arena_memdup(a, text, text_n) : NULL,
        .html = html ? arena_memdup(a, html, html_n) : NULL,
        .message_id = mime_header(a, body->head, body->head_len, "Message-ID"),
        .in_reply_to = mime_header(a, body->head, body->head_len, "In-Reply-To"),
        .references = mime_header(a, body->head, body->head_len, "References"),
        .date_s = at_s};
    if (!ret->subject)
        ret->subject = "";
    date = mime_header(a, body->head, body->head_len, "Date");
    if (date)
        mime_date(date, &ret->date_s, NULL);
    if (ret->references || ret->in_reply_to) {
        size_t n;
        mime_ids(a, ret->references ? ret->references : ret->in_reply_to, &ids, &n);
        ret->replies = (int)n;
    }
    for (int i = 0; i < LETTER_FIELDS; i++) {
        bool bad;
        mime_address_fields(a, body->head, body->head_len, field_names[i], &ret->people[i].list,
                            &ret->people[i].n, &bad);
    }
    return take_headers(c, body, ret) < 0 || take_files(c, body, ret) < 0 ||
                   outlook_mentions_of(&c->tx, body->head, body->head_len, &ret->mentions,
                                       &ret->n_mentions) < 0
               ? -1
               : 0;
}

int outlook_letter_of(struct call *c, const struct outlook_box *b, const struct mail_message *m,
                      struct outlook_letter *ret)
{
    struct mail_message_body body;
    struct mail_property p;
    (void)b;
    if (mail_message_open(&c->tx, m, &body) < 0 || mail_property_get(&c->tx, m, &p) < 0 ||
        outlook_letter_of_body(c, &body, m->at_s, ret) < 0)
        return -1;
    ret->importance = p.importance;
    ret->receipts = p.receipts;
    ret->thread = m->thread_key;
    ret->began_s = m->at_s;
    return 0;
}

/* ---- reading ---- */

static int read_person(struct call *c, const struct json *v, struct mime_address *ret)
{
    const struct json *e = json_get(v, "emailAddress");
    const char *email = json_get_str(e, "address"), *name = json_get_str(e, "name");
    (void)c;
    *ret = (struct mime_address){.name = name, .email = email ? email : ""};
    return email && *email ? 1 : 0;
}

static int read_people(struct call *c, const struct json *v, struct outlook_people *ret)
{
    const bool many = v->type == JSON_ARRAY;
    const uint32_t n = many ? v->n : v->type == JSON_OBJECT;
    if (n > MAIL_MAX_RECIPIENTS)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRecipients", NULL,
                         "The message has more than %d recipients.", MAIL_MAX_RECIPIENTS);
    *ret = (struct outlook_people){.list = arena_calloc(c->tx.arena, n + 1, sizeof *ret->list)};
    if (arena_failed(c->tx.arena))
        return failed(c);
    for (uint32_t i = 0; i < n; i++)
        ret->n += (size_t)read_person(c, many ? &v->items[i] : v, &ret->list[ret->n]);
    return 0;
}

static int read_body(struct call *c, const struct json *v, struct outlook_letter *l)
{
    const char *type = json_get_str(v, "contentType"), *content = json_get_str(v, "content");
    const bool html = type && str_eq_nocase(type, "html");
    if (type && !html && !str_eq_nocase(type, "text"))
        return call_fail(c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                         "Requested value '%.100s' was not found.", type);
    l->html = html ? (content ? content : "") : NULL;
    l->text = html ? NULL : (content ? content : "");
    return 0;
}

static int bad_header(struct call *c, const char *name)
{
    return call_fail(c, SOSIA_E_INVALID, "InvalidInternetMessageHeader", NULL,
                     "The internet message header name '%.100s' should start with 'x-' or 'X-'.",
                     name ? name : "");
}

/* Names that begin with "x-" alone, five at most (MG-379). */
static int read_headers(struct call *c, const struct json *v, struct outlook_letter *l)
{
    const uint32_t n = v->type == JSON_ARRAY ? v->n : 0;
    if (n > MAX_OWN_HEADERS)
        return call_fail(c, SOSIA_E_INVALID, "InvalidInternetMessageHeaderCollection", NULL,
                         "Maximum number of headers in one message should be less than or equal to "
                         "%d.",
                         MAX_OWN_HEADERS);
    l->headers = arena_calloc(c->tx.arena, n + 1, sizeof *l->headers);
    l->n_headers = 0;
    if (arena_failed(c->tx.arena))
        return failed(c);
    for (uint32_t i = 0; i < n; i++) {
        const char *name = json_get_str(&v->items[i], "name");
        const char *value = json_get_str(&v->items[i], "value");
        if (!name || strncasecmp(name, "x-", 2) != 0 || strlen(name) > 100)
            return bad_header(c, name);
        for (const char *p = name; *p; p++)
            if (*p <= ' ' || *p >= 127 || *p == ':')
                return bad_header(c, name);
        l->headers[l->n_headers++] =
            (struct compose_header){.name = name, .value = value ? value : ""};
    }
    return 0;
}

bool outlook_letter_given(const struct json *message)
{
    static const char *const members[] = {"subject",
                                          "body",
                                          "internetMessageId",
                                          "internetMessageHeaders",
                                          "mentions",
                                          "isReadReceiptRequested",
                                          "isDeliveryReceiptRequested"};
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        if (json_get(message, members[i]))
            return true;
    for (int i = 0; i < LETTER_FIELDS; i++)
        if (json_get(message, field_members[i]))
            return true;
    return false;
}

static void read_receipt(const struct json *message, const char *member, unsigned bit,
                         struct outlook_letter *l)
{
    if (json_get(message, member))
        l->receipts = (l->receipts & ~bit) | (json_get_true(message, member) ? bit : 0);
}

int outlook_letter_read(struct call *c, const struct json *message, struct outlook_letter *l)
{
    static const char *const words[] = {"low", "normal", "high", NULL};
    const struct json *v, *files = json_get(message, "attachments");
    const char *importance = json_get_str(message, "importance");
    if (graph_check_version(c, message, "message") < 0)
        return -1;
    for (int i = 0; i < LETTER_FIELDS; i++)
        if ((v = json_get(message, field_members[i])) && read_people(c, v, &l->people[i]) < 0)
            return -1;
    if ((v = json_get(message, "subject")))
        l->subject = v->type == JSON_STRING ? v->str : "";
    if ((v = json_get(message, "body")) && v->type == JSON_OBJECT && read_body(c, v, l) < 0)
        return -1;
    if ((v = json_get(message, "internetMessageHeaders")) && read_headers(c, v, l) < 0)
        return -1;
    if ((v = json_get(message, "mentions")) && outlook_mentions_read(c, v, l) < 0)
        return -1;
    if (json_get_str(message, "internetMessageId"))
        l->message_id = json_get_str(message, "internetMessageId");
    if (importance)
        for (int i = 0; words[i]; i++)
            if (str_eq_nocase(words[i], importance))
                l->importance = i - 1;
    read_receipt(message, "isReadReceiptRequested", RECEIPT_READ, l);
    read_receipt(message, "isDeliveryReceiptRequested", RECEIPT_DELIVERED, l);
    if (l->people[LETTER_FROM].n && !json_get(message, "sender")) /* MG-624 */
        l->people[LETTER_SENDER].n = 0;
    for (uint32_t i = 0; files && files->type == JSON_ARRAY && i < files->n; i++)
        if (outlook_letter_attach(c, l, &files->items[i]) < 0)
            return -1;
    return 0;
}

/* ---- attachments ---- */

int outlook_letter_file(struct call *c, struct outlook_letter *l, const struct compose_file *f)
{
    if (l->n_files >= MAX_FILES)
        return call_fail(c, SOSIA_E_INVALID, "ErrorQuotaExceeded", NULL,
                         "A message has at most %d attachments.", MAX_FILES);
    struct compose_file *list = arena_calloc(c->tx.arena, l->n_files + 1, sizeof *list);
    if (arena_failed(c->tx.arena))
        return failed(c);
    if (l->n_files)
        memcpy(list, l->files, l->n_files * sizeof *list);
    list[l->n_files++] = *f;
    l->files = list;
    return 0;
}

const char *outlook_one_line(struct arena *a, const char *text)
{
    char *copy = text ? arena_strdup(a, text) : NULL;
    for (char *p = copy; p && *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = ' ';
    return copy;
}

/* A media type with nothing that a head could not have. */
static const char *type_of(struct arena *a, const char *text)
{
    const char *slash = text ? strchr(text, '/') : NULL;
    if (!slash || slash == text || !slash[1] || strlen(text) > 200)
        return "application/octet-stream";
    for (const char *p = text; *p; p++)
        if (*p <= ' ' || *p >= 127 || strchr("()<>@,;:\\\"[]?=", *p))
            return "application/octet-stream";
    if (strncasecmp(text, "multipart/", 10) == 0 || strncasecmp(text, "message/", 8) == 0)
        return "application/octet-stream";
    return arena_strdup(a, text);
}

int outlook_letter_plain(struct call *c, struct outlook_letter *l,
                         const struct outlook_plain_file *file)
{
    const char *cid = file->content_id;
    struct compose_file f = {.type = type_of(c->tx.arena, file->type),
                             .filename = outlook_one_line(c->tx.arena, file->name),
                             .cid = cid && *cid && !strpbrk(cid, "<>\r\n") ? cid : NULL,
                             .inlined = file->inlined,
                             .data = file->data,
                             .len = file->len};
    return outlook_letter_file(c, l, &f);
}

int outlook_letter_attach(struct call *c, struct outlook_letter *l, const struct json *v)
{
    struct arena *a = c->tx.arena;
    const char *kind = json_get_str(v, "@odata.type"), *bytes = json_get_str(v, "contentBytes");
    const char *name = json_get_str(v, "name"), *cid = json_get_str(v, "contentId");
    uint8_t *data = NULL;
    size_t n = 0;
    if (!kind || v->type != JSON_OBJECT)
        return call_fail(c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                         "The annotation '@odata.type' must be on an attachment, which has no type "
                         "otherwise.");
    if (strcasestr(kind, "itemAttachment"))
        return outlook_enclose_item(c, l, v);
    if (strcasestr(kind, "referenceAttachment"))
        return outlook_enclose_link(c, l, v);
    if (!strcasestr(kind, "fileAttachment"))
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "An attachment of the type '%.100s' can't be added to a message.", kind);
    if (!name || !*name)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "The name of an attachment is required.");
    if (bytes && base64_decode(a, bytes, strlen(bytes), &data, &n) < 0)
        return call_fail(c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                         "Cannot convert the literal of 'contentBytes' to the expected type "
                         "'Edm.Binary'.");
    const struct outlook_plain_file file = {.name = name,
                                            .type = json_get_str(v, "contentType"),
                                            .content_id = cid,
                                            .inlined = json_get_true(v, "isInline"),
                                            .data = n ? (const char *)data : "",
                                            .len = n};
    return outlook_letter_plain(c, l, &file);
}

/* ---- bytes ---- */

struct fields {
    struct arena *a;
    struct compose_header list[64 + MAX_MENTIONS];
    size_t n;
};

static void add_field(struct fields *f, const char *name, const char *value)
{
    if (value && f->n < SOSIA_LEN(f->list))
        f->list[f->n++] = (struct compose_header){name, value};
}

static void add_people(struct fields *f, const char *name, const struct outlook_people *p)
{
    struct buf b;
    if (!p->n)
        return;
    buf_init(&b, 0);
    for (size_t i = 0; i < p->n; i++) {
        const char *email = outlook_one_line(f->a, p->list[i].email);
        const char *shown = p->list[i].name && *p->list[i].name ? p->list[i].name : email;
        buf_printf(&b, "%s%s", i ? ", " : "",
                   mime_address_text(f->a, outlook_one_line(f->a, shown), email));
    }
    add_field(f, name, arena_strdup(f->a, buf_str(&b)));
    buf_done(&b);
}

/* The sender is who it is from: the head doesn't say so again (MG-632). */
static bool sent_by_itself(const struct outlook_letter *l)
{
    const struct outlook_people *from = &l->people[LETTER_FROM], *by = &l->people[LETTER_SENDER];
    return from->n && by->n && str_eq_nocase(from->list[0].email, by->list[0].email);
}

static void add_fields(struct fields *f, const struct outlook_box *b,
                       const struct outlook_letter *l, int64_t key)
{
    static const char *const importances[] = {"low", NULL, "high"};
    const struct outlook_people *from = &l->people[LETTER_FROM];
    const char *const asks = from->n ? from->list[0].email : b ? b->mailbox.email : NULL;
    const int64_t thread = l->thread ? l->thread : key;
    char date[MIME_DATE];
    mime_date_text(date, l->date_s, 0);
    for (int i = 0; i < LETTER_FIELDS; i++)
        if (i != LETTER_SENDER || !sent_by_itself(l))
            add_people(f, field_names[i], &l->people[i]);
    add_field(f, "Subject", outlook_one_line(f->a, l->subject));
    add_field(f, "Thread-Topic",
              outlook_one_line(f->a, l->topic && *l->topic ? l->topic : l->subject));
    if (b && thread)
        add_field(f, "Thread-Index",
                  outlook_conversation_index(f->a, b, thread, l->thread ? l->began_s : l->date_s,
                                             l->replies));
    if (from->n)
        add_field(f, "X-MS-Exchange-MessageSentRepresentingType", "1");
    add_field(f, "Date", arena_strdup(f->a, date));
    add_field(f, "Message-ID", outlook_one_line(f->a, l->message_id));
    add_field(f, "References", outlook_one_line(f->a, l->references));
    add_field(f, "In-Reply-To", outlook_one_line(f->a, l->in_reply_to));
    add_field(f, "Importance", importances[l->importance + 1]);
    if (l->receipts & RECEIPT_READ)
        add_field(f, "Disposition-Notification-To", outlook_one_line(f->a, asks));
    if (l->receipts & RECEIPT_DELIVERED)
        add_field(f, "Return-Receipt-To", outlook_one_line(f->a, asks));
    for (size_t i = 0; i < l->n_headers; i++)
        add_field(f, l->headers[i].name, outlook_one_line(f->a, l->headers[i].value));
    for (size_t i = 0; b && i < l->n_mentions; i++)
        add_field(f, MENTION_FIELD, outlook_mention_text(f->a, b, &l->mentions[i]));
    add_field(f, "Content-Language", "en-US");
    add_field(f, "X-MS-Has-Attach", l->n_files ? "yes" : "");
    add_field(f, "X-MS-TNEF-Correlator", "");
    add_field(f, "X-MS-Exchange-Organization-RecordReviewCfmType", "0");
}

int outlook_letter_raw(struct call *c, const struct outlook_box *b, const struct outlook_letter *l,
                       int64_t key, const char **ret, size_t *ret_n)
{
    struct arena *a = c->tx.arena;
    struct fields *f = arena_calloc(a, 1, sizeof *f);
    struct buf raw;
    if (arena_failed(a))
        return failed(c);
    f->a = a;
    add_fields(f, b, l, key);
    struct compose parts = {.headers = f->list,
                            .n_headers = f->n,
                            .exchange = true,
                            .text = l->html ? outlook_html_text(a, l->html) : l->text,
                            .html = l->html,
                            .files = l->files,
                            .n_files = l->n_files};
    buf_init(&raw, OUTLOOK_MAX_MESSAGE);
    mime_compose(a, &parts, &raw);
    /* The composer's own Date comes first, and is not that of the fields. */
    const char *text = buf_str(&raw), *line = strstr(text, "\r\n");
    const size_t skip = line ? (size_t)(line + 2 - text) : 0;
    *ret_n = raw.len - skip;
    *ret = raw.full ? NULL : arena_memdup(a, text + skip, *ret_n);
    const bool full = raw.full, bad = buf_failed(&raw) || arena_failed(a);
    buf_done(&raw);
    if (full)
        return call_fail(c, SOSIA_E_TOO_LARGE, "ErrorMessageSizeExceeded", NULL,
                         "The message exceeds the maximum supported size.");
    return bad ? failed(c) : 0;
}

int outlook_mime_body(struct call *c, const char **ret, size_t *ret_n)
{
    const char *text;
    uint8_t *data;
    if (c->content.len > (int64_t)OUTLOOK_MAX_MESSAGE * 2)
        return call_fail(c, SOSIA_E_TOO_LARGE, NULL, NULL, "the message is too large");
    if (bytes_view(&c->tx, &c->content, (int64_t)OUTLOOK_MAX_MESSAGE * 2, &text) < 0)
        return -1;
    size_t n = (size_t)c->content.len, kept = 0;
    char *plain = arena_alloc(c->tx.arena, n + 1);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < n; i++) /* lines of base64 */
        if (text[i] != '\r' && text[i] != '\n' && text[i] != ' ')
            plain[kept++] = text[i];
    if (!kept || base64_decode(c->tx.arena, plain, kept, &data, ret_n) < 0)
        return call_fail(c, SOSIA_E_INVALID, "ErrorMimeContentInvalidBase64String", NULL,
                         "Invalid base64 string for MIME content.");
    if (!*ret_n || memchr(data, ':', *ret_n) == NULL)
        return call_fail(c, SOSIA_E_INVALID, "ErrorMimeContentInvalid", NULL,
                         "MIME content is invalid.");
    *ret = (const char *)data;
    return 0;
}
