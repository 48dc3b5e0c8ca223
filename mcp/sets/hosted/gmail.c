/* SPDX-License-Identifier: Apache-2.0 */
/* The hosted tools of a mailbox. Source of names, arguments and shapes: the published server of a
 * hosted sandbox. What searches contacts is left out: there is no address book here. */
#include "mcp/sets/hosted/hosted.h"
#include "engine/json/bytes.h"
#include "mcp/sets/hosted/mail.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/drive/core/document/format.h"
#include <strings.h>

/* ---- letters ---- */

#define BOUNDARY "=_sosia_alternative"
#define MIXED    "=_sosia_mixed"

/* A line break would begin another header. */
static bool is_line(const char *text)
{
    return !text[strcspn(text, "\r\n")];
}

static bool is_address(const char *text)
{
    const char *at = strrchr(text, '@');
    return at && at != text && at[1] && is_line(text);
}

static int add_addresses(struct set_run *r, struct buf *b, const char *header, const char *name)
{
    const struct json *list = json_get(r->args, name);
    for (uint32_t i = 0; list && i < list->n; i++) {
        if (!is_address(list->items[i].str))
            return set_refuse(r, "%s must have addresses, not \"%s\"", name, list->items[i].str);
        buf_printf(b, "%s%s", i ? ", " : header, list->items[i].str);
    }
    if (list && list->n)
        buf_puts(b, "\r\n");
    return 1;
}

static bool is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80)
            return false;
    return true;
}

/* An encoded word has at most 75 characters (RFC 2047): 45 bytes of text, cut between letters. */
static void add_words(struct buf *b, const char *text)
{
    for (size_t n; *text; text += n) {
        n = strlen(text) < 45 ? strlen(text) : 45;
        while (text[n] && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
        buf_puts(b, "=?UTF-8?B?");
        base64_add(b, text, n);
        buf_puts(b, text[n] ? "?=\r\n " : "?=");
    }
}

static int add_subject(struct set_run *r, struct buf *b)
{
    const char *subject = json_get_str(r->args, "subject");
    if (!is_line(subject))
        return set_refuse(r, "subject must be one line");
    buf_puts(b, "Subject: ");
    if (is_ascii(subject))
        buf_puts(b, subject);
    else
        add_words(b, subject);
    buf_puts(b, "\r\n");
    return 1;
}

/* What it answers, and the messages before that: the one that is answered, unless others are said.
 */
static int add_reply(struct set_run *r, struct buf *b)
{
    const char *id = json_get_str(r->args, "inReplyTo");
    const char *before = json_get_str(r->args, "_references");
    if (!before)
        before = id;
    if (id && !is_line(id))
        return set_refuse(r, "inReplyTo must be the Message-ID of a message");
    if (before && !is_line(before))
        return set_refuse(r, "references must be Message-IDs on one line");
    if (id && *id)
        buf_printf(b, "In-Reply-To: %s\r\n", id);
    if (before && *before)
        buf_printf(b, "References: %s\r\n", before);
    return 1;
}

/* A text without control characters. */
static const char *clean(struct arena *a, const char *text)
{
    char *copy = arena_strdup(a, text), *to = copy;
    for (const char *p = copy; *p; p++)
        if ((unsigned char)*p >= 0x20 && *p != 0x7f)
            *to++ = *p;
    *to = 0;
    return copy;
}

static void add_quoted(struct buf *b, const char *text)
{
    buf_byte(b, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            buf_byte(b, '\\');
        buf_byte(b, *text);
    }
    buf_byte(b, '"');
}

static int add_sender(struct set_run *r, struct buf *b)
{
    const char *from = json_get_str(r->args, "_from");
    const char *name = clean(r->arena, value_words(r->arena, json_get(r->args, "_name")));
    if (!from)
        return 1;
    if (!is_address(from))
        return set_refuse(r, "from_email must be an address, not %s",
                          call_quote(r->m->c, json_get(r->args, "_from")));
    buf_puts(b, "From: ");
    if (!is_ascii(name))
        add_words(b, name);
    else if (*name)
        add_quoted(b, name);
    buf_printf(b, *name ? " <%s>\r\n" : "%s\r\n", from);
    return 1;
}

/* The end of a part's header, and its content. */
static void add_coded(struct buf *b, const void *data, size_t len)
{
    struct buf coded;
    buf_puts(b, "Content-Transfer-Encoding: base64\r\n\r\n");
    buf_init(&coded, 0);
    base64_add(&coded, data, len);
    const char *at = buf_str(&coded);
    for (size_t n; *at; at += n) {
        n = strlen(at) < 76 ? strlen(at) : 76;
        buf_add(b, at, n);
        buf_puts(b, "\r\n");
    }
    if (buf_failed(&coded))
        b->failed = true;
    buf_done(&coded);
}

static void add_part(struct buf *b, const char *type, const char *text)
{
    buf_printf(b, "Content-Type: %s; charset=UTF-8\r\n", type);
    add_coded(b, text, strlen(text));
}

static void add_bodies(struct set_run *r, struct buf *b)
{
    const char *type = json_get_str(r->args, "mimeType"), *text = json_get_str(r->args, "body");
    const char *html = json_get_str(r->args, "htmlBody");
    if (!html)
        html = text;
    if (strcmp(type, "text/html") == 0 && !json_get(r->args, "htmlBody")) {
        add_part(b, type, html);
    } else if (strcmp(type, "text/plain") == 0) {
        add_part(b, type, text);
    } else {
        buf_puts(b, "Content-Type: multipart/alternative; boundary=\"" BOUNDARY "\"\r\n\r\n");
        buf_puts(b, "--" BOUNDARY "\r\n");
        add_part(b, "text/plain", text);
        buf_puts(b, "--" BOUNDARY "\r\n");
        add_part(b, "text/html", html);
        buf_puts(b, "--" BOUNDARY "--\r\n");
    }
}

/* A file that comes with it; a name that is not ASCII as RFC 2231 has it. */
static void add_attached(struct set_run *r, struct buf *b, const struct json *file)
{
    const char *name = clean(r->arena, json_get_str(file, "filename"));
    const char *data = json_get_str(file, "content");
    uint8_t *bytes;
    size_t n;
    if (base64_decode(r->arena, data, strlen(data), &bytes, &n) < 0)
        return;
    buf_printf(b, "--" MIXED "\r\nContent-Type: %s\r\n", json_get_str(file, "mimeType"));
    buf_puts(b, "Content-Disposition: attachment; ");
    if (is_ascii(name)) {
        buf_puts(b, "filename=");
        add_quoted(b, *name ? name : "attachment");
    } else {
        buf_puts(b, "filename*=utf-8''");
        percent_add(b, name, strlen(name));
    }
    buf_puts(b, "\r\n");
    add_coded(b, bytes, n);
}

static void add_content(struct set_run *r, struct buf *b)
{
    const struct json *files = json_get(r->args, "_files");
    buf_puts(b, "MIME-Version: 1.0\r\n");
    if (!files || !files->n) {
        add_bodies(r, b);
        return;
    }
    buf_puts(b, "Content-Type: multipart/mixed; boundary=\"" MIXED "\"\r\n\r\n--" MIXED "\r\n");
    add_bodies(r, b);
    for (uint32_t i = 0; i < files->n; i++)
        add_attached(r, b, &files->items[i]);
    buf_puts(b, "--" MIXED "--\r\n");
}

const struct json *set_mail_letter(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item)
{
    struct buf b, coded;
    const struct json *raw = NULL;
    buf_init(&b, 64 << 20);
    buf_init(&coded, 128 << 20);
    if (!arg && !value_holds(json_get(r->args, "to")))
        set_refuse(r, "to must have an address");
    else if (add_sender(r, &b) && add_addresses(r, &b, "To: ", "to") &&
             add_addresses(r, &b, "Cc: ", "cc") && add_addresses(r, &b, "Bcc: ", "bcc") &&
             add_subject(r, &b) && add_reply(r, &b)) {
        add_content(r, &b);
        base64url_add(&coded, buf_str(&b), b.len, false);
        raw = value_text(r->arena, arena_strdup(r->arena, buf_str(&coded)));
        if (buf_failed(&b) || buf_failed(&coded))
            set_refuse(r, "the message is too large");
    }
    buf_done(&b);
    buf_done(&coded);
    return raw;
}

/* ---- parts ---- */

/* Calls fn for a part and those in it, from the outside; as deep as the reader of JSON goes. */
static void each_part(const struct json *part, void (*fn)(void *arg, const struct json *part),
                      void *arg)
{
    const struct json *parts = json_get(part, "parts");
    fn(arg, part);
    for (uint32_t i = 0; parts && parts->type == JSON_ARRAY && i < parts->n; i++)
        each_part(&parts->items[i], fn, arg);
}

struct bodies {
    struct arena *arena;
    struct buf text, html;
};

static void add_body(void *arg, const struct json *part)
{
    struct bodies *all = arg;
    const char *type = json_get_str(part, "mimeType");
    const char *data = json_get_str(json_get(part, "body"), "data");
    const char *name = json_get_str(part, "filename");
    uint8_t *bytes;
    size_t n;
    bool plain = type && strcasecmp(type, "text/plain") == 0;
    if (!data || (name && *name) || !type || (!plain && strcasecmp(type, "text/html") != 0) ||
        base64_decode(all->arena, data, strlen(data), &bytes, &n) < 0 ||
        !utf8_valid((const char *)bytes, n))
        return;
    buf_add(plain ? &all->text : &all->html, bytes, n);
}

const struct json *set_mail_bodies(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item)
{
    struct value_object o = {.arena = r->arena};
    struct bodies all = {.arena = r->arena};
    buf_init(&all.text, 64 << 20);
    buf_init(&all.html, 64 << 20);
    each_part(v, add_body, &all);
    const char *preferred = all.text.len ? "text/plain" : all.html.len ? "text/html" : NULL;
    object_put(&o, "text", set_text(r, &all.text));
    object_put(&o, "html", set_text(r, &all.html));
    object_put(&o, "preferredFormat", preferred ? value_text(r->arena, preferred) : &value_null);
    return object_value(&o);
}

struct files {
    struct value_list list;
    const char *id; /* what a file's id is called */
};

static void add_file(void *arg, const struct json *part)
{
    struct files *all = arg;
    struct arena *a = all->list.arena;
    struct value_object o = {.arena = a};
    const struct json *body = json_get(part, "body"), *id = json_get(body, "attachmentId");
    const char *name = json_get_str(part, "filename");
    if (!id || id->type != JSON_STRING)
        return;
    object_put(&o, all->id, id);
    object_put(&o, "filename",
               value_text(a, name && *name ? name : arena_printf(a, "attachment-%s", id->str)));
    object_put(&o, "mimeType", json_get(part, "mimeType"));
    object_put(&o, "size", json_get(body, "size"));
    list_add(&all->list, object_value(&o));
}

const struct json *set_mail_files(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    struct files all = {.list = {.arena = r->arena}, .id = arg ? arg : "id"};
    each_part(v, add_file, &all);
    return all.list.n ? list_value(&all.list) : NULL;
}

/* ---- attachments ---- */

struct file {
    const struct json *about;
    const char *data; /* in base64url */
};

struct contents {
    struct file *files;
    size_t n;
};

/* A document of an office program as text. False: it is none that can be read. */
static bool add_document(struct set_run *r, const char *type, const uint8_t *bytes, size_t n,
                         const char *name, struct buf *b)
{
    const struct format *f = format_find(type);
    struct document *d;
    struct sosia_err err;
    bool sheet = f && f->reads & 1u << DOCUMENT_SHEETS;
    if (!f || !strcmp(f->type, FORMAT_TEXT) || !(sheet || f->reads & 1u << DOCUMENT_TEXT))
        return false;
    return format_read(r->arena, sheet ? DOCUMENT_SHEETS : DOCUMENT_TEXT, type, (const char *)bytes,
                       n, name, &d, &err) == 0 &&
           format_write(r->arena, d, sheet ? FORMAT_CSV : FORMAT_TEXT, b, &err) == 0;
}

static bool is_textual(const char *type)
{
    static const char *const types[] = {"application/json", "application/xml",
                                        "application/javascript", "application/typescript"};
    return str_starts(type, "text/") || str_in_nocase(type, types, SOSIA_LEN(types));
}

static void write_bytes(struct json_writer *w, const char *kind, const char *type,
                        const uint8_t *bytes, size_t n)
{
    json_obj(w, NULL);
    json_str(w, "type", kind);
    json_base64(w, "data", bytes, n);
    json_str(w, "mimeType", type);
    json_end(w);
}

static void write_file(struct set_run *r, struct json_writer *w, const struct file *file)
{
    const char *type = json_get_str(file->about, "mimeType");
    const char *name = json_get_str(file->about, "filename");
    uint8_t *bytes;
    size_t n;
    struct buf b;
    if (!type)
        type = "application/octet-stream";
    if (base64_decode(r->arena, file->data, strlen(file->data), &bytes, &n) < 0)
        n = 0;
    buf_init(&b, 64 << 20);
    if (is_textual(type) && utf8_valid((const char *)bytes, n)) {
        tool_text(w, (const char *)bytes, n);
    } else if (str_starts(type, "image/") || str_starts(type, "audio/")) {
        write_bytes(w, *type == 'i' ? "image" : "audio", type, bytes, n);
    } else if (add_document(r, type, bytes, n, name, &b) && utf8_valid(b.data, b.len)) {
        tool_text(w, buf_str(&b), b.len);
    } else {
        buf_clear(&b);
        buf_printf(&b, "%s (%s, %zu bytes)\ndata:%s;base64,", name, type, n, type);
        base64_add(&b, bytes, n);
        tool_text(w, buf_str(&b), b.len);
    }
    if (buf_failed(&b))
        w->out->failed = true;
    buf_done(&b);
}

static void write_files(struct set_run *r, struct json_writer *w)
{
    const struct contents *all = r->extra;
    for (size_t i = 0; i < all->n; i++)
        write_file(r, w, &all->files[i]);
}

static int get_file(struct set_run *r, const struct json *about, struct file *ret)
{
    struct value_object o = {.arena = r->arena};
    const struct json *response;
    object_put(&o, "userId", value_text(r->arena, "me"));
    object_put(&o, "messageId", json_get(r->args, "messageId"));
    object_put(&o, "id", json_get(about, "attachmentId"));
    int rc = set_call(r, 1, object_value(&o), &response);
    const char *data = json_get_str(response, "data");
    *ret = (struct file){about, data ? data : ""};
    return rc;
}

int hosted_attachments(struct set_run *r, const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    struct contents *all = arena_calloc(r->arena, 1, sizeof *all);
    const char *id = json_get_str(r->args, "messageId");
    int rc = set_call(r, 0, template_eval(r, r->row->arguments[0], NULL), &r->responses[0]);
    if (rc <= 0)
        return rc;
    const struct json *list = template_ref(r, "0.payload|files:attachmentId", NULL);
    object_put(&o, "message",
               value_text(r->arena, arena_printf(r->arena,
                                                 list ? "The files of the message %s"
                                                      : "The message %s has no files",
                                                 id)));
    object_put(&o, "messageId", json_get(r->args, "messageId"));
    object_put(&o, "attachmentCount", value_int(r->arena, list ? list->n : 0));
    object_put(&o, "attachments", list);
    if (list)
        all->files = arena_calloc(r->arena, list->n, sizeof *all->files);
    for (; list && all->n < list->n; all->n++)
        if ((rc = get_file(r, &list->items[all->n], &all->files[all->n])) <= 0)
            return rc;
    r->extra = all;
    r->write = write_files;
    *ret = object_value(&o);
    return 1;
}

const struct set_filter hosted_gmail_filters[] = {{"letter", set_mail_letter},
                                                  {"bodies", set_mail_bodies},
                                                  {"files", set_mail_files},
                                                  {NULL, NULL}};
