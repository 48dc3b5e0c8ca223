/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attachments that are not files, in a message's bytes: items are message/rfc822, an event or a
 * contact with its iCalendar object or vCard as the only part; a link is message/external-body with
 * access-type URL (RFC 2017), whose head has what is said of the file.
 */
#include "vendors/microsoft/enclosed.h"
#include "engine/base/codec.h"
#include "services/mail/outlook/letter.h"

#define MAX_DEPTH 8 /* of messages in messages */

/* ---- items ---- */

/* An event or a contact as a message that has nothing else. */
static int wrap(struct call *c, enum graph_enclosed kind, const struct json *item,
                const char *subject, const char **ret, size_t *ret_n)
{
    struct arena *a = c->tx.arena;
    struct compose m = {.subject = outlook_one_line(a, subject),
                        .date_s = c->tx.now_us / 1000000,
                        .exchange = true,
                        .alternative = graph_enclosed_type(kind),
                        .alternative_data = graph_enclosed_text(a, kind, item)};
    struct buf raw;
    if (arena_failed(a))
        return sosia_fail_memory(c->tx.err);
    buf_init(&raw, OUTLOOK_MAX_MESSAGE);
    mime_compose(a, &m, &raw);
    *ret_n = raw.len;
    *ret = arena_memdup(a, raw.len ? raw.data : "", raw.len);
    const bool bad = buf_failed(&raw) || arena_failed(a);
    buf_done(&raw);
    return bad ? sosia_fail_memory(c->tx.err) : 0;
}

static int inner_letter(struct call *c, const struct outlook_letter *l, const struct json *item,
                        const char **ret_subject, const char **ret, size_t *ret_n)
{
    struct outlook_letter inner;
    if (l->depth >= MAX_DEPTH)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "Messages may be attached to each other %d deep.", MAX_DEPTH);
    outlook_letter_new(c, NULL, &inner);
    inner.depth = l->depth + 1;
    if (outlook_letter_read(c, item, &inner) < 0)
        return -1;
    *ret_subject = inner.subject;
    return outlook_letter_raw(c, NULL, &inner, 0, ret, ret_n);
}

int outlook_enclose_item(struct call *c, struct outlook_letter *l, const struct json *v)
{
    const struct json *item = json_get(v, "item");
    const char *name = json_get_str(v, "name"), *subject, *raw;
    enum graph_enclosed kind;
    size_t n;
    if (graph_enclosed_kind(c, item, &kind) < 0)
        return -1;
    subject = json_get_str(item, kind == ENCLOSED_CONTACT ? "displayName" : "subject");
    subject = subject ? subject : name ? name : "";
    if (kind == ENCLOSED_MESSAGE ? inner_letter(c, l, item, &subject, &raw, &n) < 0
                                 : wrap(c, kind, item, subject, &raw, &n) < 0)
        return -1;
    const struct compose_file f = {.type = "message/rfc822",
                                   .filename = outlook_one_line(c->tx.arena, name ? name : subject),
                                   .plain = true,
                                   .data = raw,
                                   .len = n};
    return outlook_letter_file(c, l, &f);
}

int outlook_enclosed_text(struct arena *a, const char *data, size_t len, const char **ret,
                          size_t *ret_n)
{
    const size_t head = mime_head_len(data, len);
    enum graph_enclosed kind;
    const struct json *item;
    struct mime inner;
    struct buf text;
    size_t n;
    mime_parse(a, data, head, data + head, len - head, &inner);
    const struct mime_part *p = &inner.parts[0];
    if (strcmp(p->type, "text/calendar") != 0 && strcmp(p->type, "text/vcard") != 0)
        return 0;
    buf_init(&text, 0);
    mime_decode(p->encoding, data + head + p->at, p->len, &text);
    const char *whole = mime_to_utf8(a, p->charset, buf_str(&text), text.len, &n);
    a->failed |= buf_failed(&text);
    buf_done(&text);
    if (!whole || graph_enclosed_item(a, whole, n, &kind, &item) != 1)
        return 0;
    *ret = whole;
    *ret_n = n;
    return 1;
}

/* ---- links ---- */

static void field(struct arena *a, struct buf *b, const char *name, const char *value)
{
    if (value)
        buf_printf(b, "%s: %s\r\n", name, mime_encode_words(a, outlook_one_line(a, value)));
}

int outlook_enclose_link(struct call *c, struct outlook_letter *l, const struct json *v)
{
    const char *name = json_get_str(v, "name"), *type = json_get_str(v, "contentType");
    struct arena *a = c->tx.arena;
    struct graph_reference r;
    struct buf b;
    if (graph_reference_read(c, v, &r) < 0)
        return -1;
    if (!name || !*name)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "The name of an attachment is required.");
    buf_init(&b, 0);
    field(a, &b, "Content-Type", type);
    field(a, &b, "Content-Location", r.source);
    field(a, &b, "X-Provider-Type", r.provider);
    field(a, &b, "X-Permission", r.permission);
    field(a, &b, "X-Thumbnail-Url", r.thumbnail);
    field(a, &b, "X-Preview-Url", r.preview);
    field(a, &b, "X-Is-Folder", r.folder < 0 ? NULL : r.folder ? "true" : "false");
    field(a, &b, "X-Is-Inline", json_get_true(v, "isInline") ? "true" : NULL);
    buf_puts(&b, "\r\n");
    const struct compose_file f = {.type = "message/external-body",
                                   .params = outlook_link_params(a, buf_str(&b), b.len),
                                   .filename = outlook_one_line(a, name),
                                   .plain = true,
                                   .data = arena_memdup(a, buf_str(&b), b.len),
                                   .len = b.len};
    const bool bad = buf_failed(&b) || arena_failed(a);
    buf_done(&b);
    return bad ? sosia_fail_memory(c->tx.err) : outlook_letter_file(c, l, &f);
}

void outlook_link_read(struct arena *a, const char *data, size_t len, struct graph_reference *ret,
                       const char **ret_type, bool *ret_inline)
{
    const char *folder = mime_header(a, data, len, "X-Is-Folder");
    const char *shown = mime_header(a, data, len, "X-Is-Inline");
    *ret = (struct graph_reference){.source = mime_header(a, data, len, "Content-Location"),
                                    .provider = mime_header(a, data, len, "X-Provider-Type"),
                                    .thumbnail = mime_header(a, data, len, "X-Thumbnail-Url"),
                                    .preview = mime_header(a, data, len, "X-Preview-Url"),
                                    .permission = mime_header(a, data, len, "X-Permission"),
                                    .folder = folder ? strcmp(folder, "true") == 0 : -1};
    *ret_type = mime_header(a, data, len, "Content-Type");
    *ret_inline = shown && strcmp(shown, "true") == 0;
}

const char *outlook_link_params(struct arena *a, const char *data, size_t len)
{
    static const char hex[] = "0123456789ABCDEF";
    const char *url = mime_header(a, data, len, "Content-Location");
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "access-type=URL; URL=\"");
    for (const char *p = url ? url : ""; *p; p++) {
        const unsigned char byte = (unsigned char)*p;
        if (byte <= ' ' || byte >= 127 || byte == '"' || byte == '\\')
            buf_printf(&b, "%%%c%c", hex[byte >> 4], hex[byte & 15]);
        else
            buf_byte(&b, *p);
    }
    buf_byte(&b, '"');
    const char *text = arena_strdup(a, buf_str(&b));
    a->failed |= buf_failed(&b);
    buf_done(&b);
    return text;
}
