/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages as JSON, in the four formats. What a format leaves out is not read. Header values are
 * unfolded and decoded, texts are UTF-8 whatever charset they came in, attachments have ids that
 * hold the message's key and the part's number.
 */
#include "services/mail/gmail/gmail.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include <ctype.h>
#include <strings.h>
#include <xxhash.h>

#define MAX_INLINE (1 << 20) /* bytes of a text that is in the message itself */

int gmail_format(struct call *c, enum gmail_format *ret)
{
    static const char *const names[] = {"minimal", "full", "raw", "metadata", NULL};
    const char *text = param_str(c, "format");
    *ret = GMAIL_FULL;
    for (int i = 0; text && names[i]; i++)
        if (strcmp(names[i], text) == 0)
            *ret = (enum gmail_format)i;
    if ((*ret == GMAIL_FULL || *ret == GMAIL_RAW) && gmail_metadata_only(c))
        return call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", NULL,
                         "Metadata scope doesn't allow format %s",
                         *ret == GMAIL_FULL ? "FULL" : "RAW");
    return 0;
}

/* ---- labels ---- */

/* The order in which recordings have them, as far as they show one. */
static const enum gmail_system_label role_order[N_SYSTEM_LABELS] = {
    LABEL_UNREAD, LABEL_STARRED,    LABEL_IMPORTANT, LABEL_TRASH,    LABEL_SPAM,
    LABEL_SENT,   LABEL_DRAFT,      LABEL_CHAT,      LABEL_PERSONAL, LABEL_SOCIAL,
    LABEL_FORUMS, LABEL_PROMOTIONS, LABEL_UPDATES,   LABEL_INBOX,
};

static void write_roles(struct json_writer *w, uint32_t flags)
{
    for (int i = 0; i < N_SYSTEM_LABELS; i++)
        if (flags & FLAG(role_order[i]))
            json_str(w, NULL, label_words[role_order[i]]);
}

void gmail_write_labels(struct call *c, const char *key, const int64_t *labels, size_t n)
{
    uint32_t roles = 0;
    if (!n)
        return;
    json_arr(c->out, key);
    for (size_t i = 0; i < n; i++) {
        if (mail_folder_is_fixed(labels[i]))
            roles |= FLAG(mail_folder_place(labels[i]));
        else
            json_str(c->out, NULL, gmail_label_id(c->tx.arena, labels[i]));
    }
    write_roles(c->out, roles);
    json_end(c->out);
}

/* labelIds of a message; nothing when it has none. */
static int write_message_labels(struct call *c, const struct mail_message *m)
{
    int64_t *labels;
    size_t n;
    if (!json_wants(c->out, "labelIds"))
        return 0;
    if (!(m->flags & FLAG_OWN_FOLDERS)) {
        if (!(m->flags & FLAGS_FIXED))
            return 0;
        json_arr(c->out, "labelIds");
        write_roles(c->out, m->flags);
        json_end(c->out);
        return 0;
    }
    if (mail_message_folders(&c->tx, m, &labels, &n) < 0)
        return -1;
    gmail_write_labels(c, "labelIds", labels, n);
    return 0;
}

/* ---- ids and snippets ---- */

static void write_keys(struct call *c, const struct mail_message *m)
{
    json_str(c->out, "id", gmail_key(c->tx.arena, m->key));
    json_str(c->out, "threadId", gmail_key(c->tx.arena, m->thread_key));
}

void gmail_write_ids(struct call *c, const char *key, const struct mail_message *m)
{
    json_obj(c->out, key);
    write_keys(c, m);
    json_end(c->out);
}

int gmail_write_stub(struct call *c, const char *key, const struct mail_message *m)
{
    json_obj(c->out, key);
    write_keys(c, m);
    if (write_message_labels(c, m) < 0)
        return -1;
    json_end(c->out);
    return 0;
}

const char *gmail_snippet(struct arena *a, const char *text)
{
    struct buf b;
    if (!strpbrk(text, "&<>\"'"))
        return text;
    buf_init(&b, 1 << 20);
    html_escape(&b, text, strlen(text), "\"'");
    return buf_keep(&b, a);
}

static void write_tail(struct call *c, const struct mail_message *m)
{
    json_int_str(c->out, "historyId", gmail_history(m->change));
    json_int_str(c->out, "internalDate", m->at_s * 1000);
}

int gmail_write_changed(struct call *c, const struct mail_message *m)
{
    const char *snippet;
    json_obj(c->out, NULL);
    write_keys(c, m);
    if (write_message_labels(c, m) < 0 || mail_message_snippet(&c->tx, m, &snippet) < 0)
        return -1;
    json_str(c->out, "snippet", gmail_snippet(c->tx.arena, snippet));
    json_int(c->out, "sizeEstimate", m->size);
    write_tail(c, m);
    json_end(c->out);
    return 0;
}

/* ---- attachment ids ---- */

#define ATTACHMENT_BYTES 246
#define ATTACHMENT_START "\x00\xd1\xa3\x74" /* "ANGjdJ..." */
#define ATTACHMENT_MAX   400

/* Bytes of an attachment's id: a start that all have, then a stream that message and part give, in
 * whose beginning the part's number is hidden. */
static void attachment_bytes(const struct mail_message *m, int part, uint8_t ret[ATTACHMENT_BYTES])
{
    uint64_t h = 0;
    memcpy(ret, ATTACHMENT_START, 4);
    ret[4] = 0x90;
    for (size_t i = 0; i < ATTACHMENT_BYTES - 5; i++) {
        if (i % 8 == 0) {
            int64_t seed[3] = {m->key, part, (int64_t)i};
            h = XXH3_64bits(seed, sizeof seed);
        }
        ret[5 + i] = (uint8_t)(h >> (i % 8 * 8));
    }
    uint64_t hide = XXH3_64bits_withSeed(ret + 7, 8, (uint64_t)m->key);
    ret[5] = (uint8_t)((unsigned)part ^ hide);
    ret[6] = (uint8_t)((unsigned)part >> 8 ^ hide >> 8);
}

static void write_attachment(struct call *c, const struct mail_message *m, int part)
{
    uint8_t bytes[ATTACHMENT_BYTES];
    struct buf b;
    attachment_bytes(m, part, bytes);
    buf_init(&b, ATTACHMENT_MAX);
    base64url_add(&b, bytes, sizeof bytes, false);
    json_strn(c->out, "attachmentId", b.data, b.len);
    buf_done(&b);
}

int gmail_attachment_part(struct arena *a, const struct mail_message *m, const struct mime *mime,
                          const char *id)
{
    uint8_t *bytes, want[ATTACHMENT_BYTES];
    size_t len = strlen(id), n;
    if (len > ATTACHMENT_MAX || base64_decode(a, id, len, &bytes, &n) < 0 || n != ATTACHMENT_BYTES)
        return -1;
    uint64_t hide = XXH3_64bits_withSeed(bytes + 7, 8, (uint64_t)m->key);
    int part = (uint8_t)(bytes[5] ^ hide) | (uint8_t)(bytes[6] ^ hide >> 8) << 8;
    if (part >= mime->n)
        return -1;
    attachment_bytes(m, part, want);
    return memcmp(want, bytes, sizeof want) == 0 ? part : -1;
}

/* ---- payload ---- */

struct view {
    struct call *c;
    const struct mail_message *m;
    const struct mail_message_body *body;
    enum gmail_format format;
    const struct param_value **headers; /* metadataHeaders */
    size_t n_headers;
};

/* Whether the header is requested: in the format metadata, metadataHeaders may name those that
 * are. */
static bool wants_header(const struct view *v, const struct mime_field *f)
{
    for (size_t i = 0; i < v->n_headers; i++)
        if (v->headers[i]->len == f->name_len &&
            strncasecmp(v->headers[i]->text, f->name, f->name_len) == 0)
            return true;
    return !v->n_headers;
}

/* The names are looked at for each header: what is said twice is one. */
static int read_wanted_headers(struct view *v)
{
    struct arena *a = v->c->tx.arena;
    const struct param_value *p;
    size_t n = 0;
    while (v->format == GMAIL_METADATA && param_nth(v->c, "metadataHeaders", n))
        n++;
    v->headers = arena_alloc(a, (n + 1) * sizeof *v->headers);
    if (arena_failed(a))
        return sosia_fail_memory(v->c->tx.err);
    for (size_t i = 0; i < n; i++) {
        bool again = false;
        p = param_nth(v->c, "metadataHeaders", i);
        for (size_t k = 0; k < v->n_headers && !again; k++)
            again = v->headers[k]->len == p->len &&
                    strncasecmp(v->headers[k]->text, p->text, p->len) == 0;
        if (!again)
            v->headers[v->n_headers++] = p;
    }
    return 0;
}

/* The end of a parameter: the next ';' that is in no quotes. */
static const char *parameter_end(const char *p)
{
    bool quoted = false;
    for (; *p && (quoted || *p != ';'); p++) {
        if (quoted && *p == '\\' && p[1])
            p++;
        else if (*p == '"')
            quoted = !quoted;
    }
    return p;
}

/* A name in pieces (RFC 2231, filename*0=...; filename*1=...) is shown as one, in the place of the
 * first piece. name: what the pieces say together; NULL: there is none. */
static const char *joined(struct arena *a, const struct mime_field *f, const char *value,
                          const char *name)
{
    static const struct {
        const char *field, *piece;
    } table[] = {{"Content-Disposition", "filename*"}, {"Content-Type", "name*"}};
    const char *piece = NULL;
    struct buf b;
    bool done = false;
    for (size_t i = 0; i < SOSIA_LEN(table); i++)
        if (f->name_len == strlen(table[i].field) &&
            strncasecmp(f->name, table[i].field, f->name_len) == 0)
            piece = table[i].piece;
    if (!name || !piece || !strcasestr(value, arena_printf(a, "%s0", piece)))
        return value;
    buf_init(&b, 0);
    for (const char *p = value, *end; *p; p = *end ? end + 1 : end) {
        size_t blank = strspn(p, " \t"), n = strlen(piece);
        end = parameter_end(p);
        bool is_piece = strncasecmp(p + blank, piece, n) == 0 && isdigit((uint8_t)p[blank + n]);
        if (is_piece && done)
            continue;
        buf_puts(&b, p == value ? "" : "; ");
        if (is_piece) {
            buf_printf(&b, "%.*s=\"", (int)n - 1, piece);
            for (const char *c = name; *c; c++)
                buf_printf(&b, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
            buf_byte(&b, '"');
        } else {
            buf_add(&b, p + blank, (size_t)(end - p) - blank);
        }
        done |= is_piece;
    }
    return buf_keep(&b, a);
}

/* filename: of the part; NULL: none. */
static void write_headers(const struct view *v, const char *head, size_t len, const char *filename)
{
    struct json_writer *w = v->c->out;
    struct arena *a = v->c->tx.arena;
    struct mime_field f;
    size_t pos = 0;
    bool open = false;
    while (mime_field_next(head, len, &pos, &f)) {
        if (!wants_header(v, &f))
            continue;
        if (!open)
            json_arr(w, "headers");
        open = true;
        json_obj(w, NULL);
        json_strn(w, "name", f.name, f.name_len);
        json_str(w, "value", joined(a, &f, mime_value_decoded(a, &f), filename));
        json_end(w);
    }
    if (open)
        json_end(w);
}

void gmail_write_bytes(struct json_writer *w, const char *key, const char *data, size_t len)
{
    struct buf b;
    buf_init(&b, 0);
    base64url_add(&b, data, len, true);
    if (buf_failed(&b))
        w->out->failed = true;
    else
        json_strn(w, key, b.data ? b.data : "", b.len);
    buf_done(&b);
}

/* Text in the message itself: no file, and not too long. */
static bool is_shown_inline(const struct mime *mime, int part)
{
    const struct mime_part *p = &mime->parts[part];
    if (p->size > MAX_INLINE || p->first >= 0)
        return false;
    return !mime_is_file(mime, part) ||
           (str_starts(p->type, "message/") && strcmp(p->type, "message/rfc822") != 0 &&
            !p->filename && p->disposition != MIME_ATTACHMENT);
}

static int write_body(const struct view *v, int part)
{
    struct json_writer *w = v->c->out;
    const struct mime *mime = &v->body->mime;
    const struct mime_part *p = &mime->parts[part];
    const char *data;
    size_t len;
    if (mime_is_multipart(p)) {
        json_obj(w, "body");
        json_int(w, "size", 0);
        json_end(w);
        return 0;
    }
    if (!GMAIL_UNNAMED_MESSAGE_IS_FILE && p->first >= 0 && !p->filename) {
        json_obj(w, "body");
        json_int(w, "size", 0);
        json_end(w);
        return 0;
    }
    if (!is_shown_inline(mime, part)) {
        json_obj(w, "body");
        write_attachment(v->c, v->m, part);
        json_int(w, "size", (int64_t)(p->first >= 0 ? p->len : p->size));
        json_end(w);
        return 0;
    }
    if (mail_message_part_text(&v->c->tx, v->body, part, &data, &len) < 0)
        return -1;
    json_obj(w, "body");
    json_int(w, "size", (int64_t)(GMAIL_SIZE_AS_SENT ? p->size : len));
    if ((len || GMAIL_EMPTY_DATA) && json_wants(w, "data"))
        gmail_write_bytes(w, "data", data, len);
    json_end(w);
    return 0;
}

/* "0.1": the places of the part and of those above it, the root's left out. */
static const char *part_id(struct arena *a, const struct mime *mime, int part)
{
    char text[MIME_MAX_DEPTH * 6 + 8];
    size_t at = sizeof text - 1;
    text[at] = 0;
    for (; part > 0; part = mime->parts[part].parent) {
        int n = mime->parts[part].place;
        if (at < 8)
            break;
        if (text[at])
            text[--at] = '.';
        do
            text[--at] = (char)('0' + n % 10);
        while (n /= 10);
    }
    return arena_strdup(a, text + at);
}

static void open_part(const struct view *v, const char *key, int part)
{
    struct json_writer *w = v->c->out;
    const struct mime_part *p = &v->body->mime.parts[part];
    const char *head;
    size_t len;
    json_obj(w, key);
    json_str(w, "partId", part_id(v->c->tx.arena, &v->body->mime, part));
    json_str(w, "mimeType", p->type);
    json_str(w, "filename", p->filename ? p->filename : "");
    if (json_wants(w, "headers")) {
        mail_message_part_head(v->body, part, &head, &len);
        write_headers(v, head, len, p->filename);
    }
}

/* All parts, without going deeper into our own stack than one level. The writer's depth is
 * limited: what is deeper than it can nest is left out. */
#define MAX_LEVELS ((JSON_DEPTH - 16) / 2)

static int write_parts(const struct view *v)
{
    const struct mime_part *parts = v->body->mime.parts;
    struct json_writer *w = v->c->out;
    int part = 0;
    open_part(v, "payload", 0);
    for (;;) {
        if (json_wants(w, "body") && write_body(v, part) < 0)
            return -1;
        if (parts[part].first >= 0 && parts[part].depth < MAX_LEVELS) {
            part = parts[part].first;
            json_arr(w, "parts");
            open_part(v, NULL, part);
            continue;
        }
        json_end(w);
        while (part > 0 && parts[part].next < 0) {
            part = parts[part].parent;
            json_end(w); /* the list */
            json_end(w); /* the part above */
        }
        if (part <= 0)
            return 0;
        part = parts[part].next;
        open_part(v, NULL, part);
    }
}

/* ---- messages ---- */

static int write_raw(struct call *c, const struct mail_message *m)
{
    struct buf raw;
    buf_init(&raw, MAIL_MAX_SIZE + 1);
    int rc = mail_message_raw(&c->tx, m, &raw);
    if (rc == 0 && buf_failed(&raw))
        rc = sosia_fail_memory(c->tx.err);
    if (rc == 0)
        gmail_write_bytes(c->out, "raw", raw.data ? raw.data : "", raw.len);
    buf_done(&raw);
    return rc;
}

static int write_payload(struct call *c, const struct mail_message *m, enum gmail_format format,
                         const struct mail_message_body *body)
{
    struct view v = {.c = c, .m = m, .body = body, .format = format};
    if (format == GMAIL_FULL)
        return write_parts(&v);
    if (read_wanted_headers(&v) < 0)
        return -1;
    json_obj(c->out, "payload");
    json_str(c->out, "mimeType", body->mime.parts[0].type);
    write_headers(&v, body->head, body->head_len, NULL);
    json_end(c->out);
    return 0;
}

int gmail_write_message(struct call *c, const char *key, const struct mail_message *m,
                        enum gmail_format format)
{
    struct json_writer *w = c->out;
    struct mail_message_body body = {.snippet = ""};
    bool parsed = format == GMAIL_FULL || format == GMAIL_METADATA;
    json_obj(w, key);
    parsed = parsed && (json_wants(w, "payload") || json_wants(w, "snippet"));
    write_keys(c, m);
    if (write_message_labels(c, m) < 0 || (parsed && mail_message_open(&c->tx, m, &body) < 0))
        return -1;
    if (format == GMAIL_RAW && mail_message_snippet(&c->tx, m, &body.snippet) < 0)
        return -1;
    if (format == GMAIL_MINIMAL) {
        json_obj(w, "payload");
        json_str(w, "partId", "");
        json_end(w);
    } else {
        json_str(w, "snippet", gmail_snippet(c->tx.arena, body.snippet));
    }
    if (parsed && json_wants(w, "payload") && write_payload(c, m, format, &body) < 0)
        return -1;
    json_int(w, "sizeEstimate", m->size);
    write_tail(c, m);
    if (format == GMAIL_RAW && json_wants(w, "raw") && write_raw(c, m) < 0)
        return -1;
    json_end(w);
    return 0;
}
