/* SPDX-License-Identifier: Apache-2.0 */
#include "services/mail/core/mime/compose.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/mail/core/mime/mime.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

#define MAX_LINE 998 /* bytes of a line, RFC 5322 */
#define FOLD_AT  78

struct composer {
    struct arena *arena;
    const struct compose *c;
    struct buf *out;
    uint64_t mark; /* of the content: boundaries are made of it */
    bool version;  /* MIME-Version is still to come, at the end of the head */
};

/* ---- heads ---- */

/* A value's text: line ends in it, which encoded words can bring along, end no line here. */
static void value_text(struct buf *out, const char *text, size_t len)
{
    const size_t from = out->len;
    buf_add(out, text, len);
    for (size_t i = from; i < out->len; i++)
        if (out->data[i] == '\r' || out->data[i] == '\n')
            out->data[i] = ' ';
}

/* A field, folded at spaces where it would be long; reading it gives the value back. */
static void field(struct buf *out, const char *name, const char *value)
{
    size_t column = strlen(name) + 2, left = strlen(value);
    buf_puts(out, name);
    buf_puts(out, ": ");
    for (const char *p = value; left;) {
        if (column + left <= FOLD_AT) {
            value_text(out, p, left);
            break;
        }
        size_t blanks = strspn(p, " "), word = strcspn(p + blanks, " ");
        if (blanks && p > value && column + blanks + word > FOLD_AT && word) {
            buf_puts(out, "\r\n");
            column = 0;
        }
        value_text(out, p, blanks + word);
        column += blanks + word;
        p += blanks + word;
        left -= blanks + word;
    }
    buf_puts(out, "\r\n");
}

static void field_opt(struct buf *out, const char *name, const char *value)
{
    if (value)
        field(out, name, value);
}

static bool is_ascii(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] & 0x80)
            return false;
    return true;
}

/* name="value", or in the form of RFC 2231. */
static void param(struct buf *out, const char *name, const char *value)
{
    size_t n = strlen(value);
    bool plain = is_ascii(value, n) && !strstr(value, "=?");
    for (const char *p = value; plain && *p; p++)
        plain = (unsigned char)*p >= ' ' && *p != 127;
    if (!plain || n > 200) {
        buf_printf(out, ";\r\n %s*=UTF-8''", name);
        percent_add(out, value, n);
        return;
    }
    buf_printf(out, ";\r\n %s=\"", name);
    for (const char *p = value; *p; p++) {
        if (*p == '"' || *p == '\\')
            buf_byte(out, '\\');
        buf_byte(out, *p);
    }
    buf_byte(out, '"');
}

static void end_head(struct composer *k)
{
    if (k->version)
        buf_puts(k->out, "MIME-Version: 1.0\r\n");
    k->version = false;
    buf_puts(k->out, "\r\n");
}

/* ---- bodies ---- */

static void base64_lines(struct buf *out, const char *data, size_t len)
{
    for (size_t at = 0; at < len; at += 57) {
        base64_add(out, data + at, len - at < 57 ? len - at : 57);
        buf_puts(out, "\r\n");
    }
}

/* Text with its lines ended by \n or \r\n. */
struct text_facts {
    size_t longest, high, odd; /* bytes of a line; beyond ASCII; that must be encoded */
};

static void look_at(const char *text, size_t len, struct text_facts *f)
{
    size_t line = 0;
    *f = (struct text_facts){0};
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n' || (c == '\r' && i + 1 < len && text[i + 1] == '\n')) {
            line = 0;
            continue;
        }
        f->high += c >= 128;
        f->odd += (c < ' ' && c != '\t') || c == 127;
        if (++line > f->longest)
            f->longest = line;
    }
}

static bool is_line_end(const char *text, size_t len, size_t i)
{
    return i == len || text[i] == '\n' || (text[i] == '\r' && i + 1 < len && text[i + 1] == '\n');
}

static void plain_lines(struct buf *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n')
            buf_puts(out, "\r\n");
        else if (text[i] != '\r' || !is_line_end(text, len, i))
            buf_byte(out, text[i]);
    }
}

static void quoted_printable(struct buf *out, const char *text, size_t len)
{
    size_t column = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (is_line_end(text, len, i)) {
            i += c == '\r';
            buf_puts(out, "\r\n");
            column = 0;
            continue;
        }
        bool last = is_line_end(text, len, i + 1);
        bool as_is =
            (c >= '!' && c <= '~' && c != '=') || ((c == ' ' || c == '\t') && !last && i + 1 < len);
        size_t n = as_is ? 1 : 3;
        if (column + n > (last ? 76u : 75u)) {
            buf_puts(out, "=\r\n");
            column = 0;
        }
        if (as_is)
            buf_byte(out, (char)c);
        else
            buf_printf(out, "=%02X", c);
        column += n;
    }
}

static void text_part(struct composer *k, const char *type, const char *text)
{
    struct text_facts f;
    size_t len = strlen(text);
    look_at(text, len, &f);
    bool coded = f.high || f.odd || f.longest > MAX_LINE;
    bool base64 = coded && f.high > len / 4;
    buf_printf(k->out, "Content-Type: %s; charset=%s\r\n", type,
               !k->c->exchange ? "UTF-8"
               : f.high        ? "\"utf-8\""
                               : "\"us-ascii\"");
    if (coded)
        buf_printf(k->out, "Content-Transfer-Encoding: %s\r\n",
                   base64 ? "base64" : "quoted-printable");
    end_head(k);
    if (base64) {
        struct buf lines;
        buf_init(&lines, 0);
        plain_lines(&lines, text, len);
        base64_lines(k->out, buf_str(&lines), lines.len);
        if (buf_failed(&lines))
            k->out->failed = true;
        buf_done(&lines);
    } else if (coded) {
        quoted_printable(k->out, text, len);
    } else {
        plain_lines(k->out, text, len);
    }
}

static void file_part(struct composer *k, const struct compose_file *f)
{
    buf_printf(k->out, "Content-Type: %s", f->type);
    if (f->params)
        buf_printf(k->out, "; %s", f->params);
    if (f->filename)
        param(k->out, "name", f->filename);
    buf_puts(k->out, "\r\n");
    if (f->filename || f->inlined) {
        buf_printf(k->out, "Content-Disposition: %s", f->inlined ? "inline" : "attachment");
        if (f->filename)
            param(k->out, "filename", f->filename);
        buf_puts(k->out, "\r\n");
    }
    if (f->cid)
        buf_printf(k->out, "Content-ID: <%s>\r\n", f->cid);
    if (!f->plain)
        buf_puts(k->out, "Content-Transfer-Encoding: base64\r\n");
    buf_puts(k->out, "\r\n");
    if (f->plain)
        plain_lines(k->out, f->data, f->len);
    else
        base64_lines(k->out, f->data, f->len);
}

/* ---- containers ---- */

enum container { ALTERNATIVE, RELATED, MIXED };

/* "=_" is in no quoted-printable and in no base64. */
static const char *boundary_of(struct composer *k, enum container which)
{
    return arena_printf(k->arena, "=_%016llx_%d", (unsigned long long)k->mark, (int)which);
}

static void container_head(struct composer *k, const char *type, const char *boundary)
{
    buf_printf(k->out, "Content-Type: %s; boundary=\"%s\"\r\n", type, boundary);
    end_head(k);
}

static void next_part(struct composer *k, const char *boundary, bool first)
{
    buf_printf(k->out, "%s--%s\r\n", first ? "" : "\r\n", boundary);
}

static void last_part(struct composer *k, const char *boundary)
{
    buf_printf(k->out, "\r\n--%s--\r\n", boundary);
}

static void texts(struct composer *k)
{
    const struct compose *c = k->c;
    int n = !!c->text + !!c->html + !!c->alternative;
    const char *boundary = boundary_of(k, ALTERNATIVE);
    if (n == 0) {
        text_part(k, "text/plain", "");
        return;
    }
    if (n > 1)
        container_head(k, "multipart/alternative", boundary);
    bool first = true;
    if (c->text) {
        if (n > 1)
            next_part(k, boundary, first);
        text_part(k, "text/plain", c->text);
        first = false;
    }
    if (c->html) {
        if (n > 1)
            next_part(k, boundary, first);
        text_part(k, "text/html", c->html);
        first = false;
    }
    if (c->alternative) {
        if (n > 1)
            next_part(k, boundary, first);
        text_part(k, c->alternative, c->alternative_data);
    }
    if (n > 1)
        last_part(k, boundary);
}

/* Pictures that the HTML shows are parts beside it. */
static bool is_related(const struct compose *c, const struct compose_file *f)
{
    return c->html && f->inlined && f->cid;
}

static void related(struct composer *k)
{
    const struct compose *c = k->c;
    const char *boundary = boundary_of(k, RELATED);
    bool any = false;
    for (int i = 0; i < c->n_files; i++)
        any |= is_related(c, &c->files[i]);
    if (!any) {
        texts(k);
        return;
    }
    container_head(k, "multipart/related", boundary);
    next_part(k, boundary, true);
    texts(k);
    for (int i = 0; i < c->n_files; i++) {
        if (!is_related(c, &c->files[i]))
            continue;
        next_part(k, boundary, false);
        file_part(k, &c->files[i]);
    }
    last_part(k, boundary);
}

static void mixed(struct composer *k)
{
    const struct compose *c = k->c;
    const char *boundary = boundary_of(k, MIXED);
    bool any = c->report != NULL;
    for (int i = 0; i < c->n_files; i++)
        any |= !is_related(c, &c->files[i]);
    if (!any) {
        related(k);
        return;
    }
    container_head(k,
                   c->report ? arena_printf(k->arena, "multipart/report; report-type=%s", c->report)
                             : "multipart/mixed",
                   boundary);
    next_part(k, boundary, true);
    related(k);
    for (int i = 0; i < c->n_files; i++) {
        if (is_related(c, &c->files[i]))
            continue;
        next_part(k, boundary, false);
        file_part(k, &c->files[i]);
    }
    last_part(k, boundary);
}

static uint64_t mark_of(const struct compose *c)
{
    uint64_t h = 0;
    const char *const all[] = {c->text, c->html, c->alternative_data};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i]) {
            /* However its lines end, it is the same text. */
            size_t len = strlen(all[i]), from = 0;
            for (size_t at = 0; at <= len; at++)
                if (is_line_end(all[i], len, at)) {
                    h = XXH3_64bits_withSeed(all[i] + from, at - from, h + i + 1);
                    at += at < len && all[i][at] == '\r';
                    from = at + 1;
                }
        }
    for (int i = 0; i < c->n_files; i++)
        h = XXH3_64bits_withSeed(c->files[i].data, c->files[i].len, h + i);
    return h;
}

void mime_compose(struct arena *a, const struct compose *c, struct buf *out)
{
    struct composer k = {
        .arena = a, .c = c, .out = out, .mark = mark_of(c), .version = c->exchange};
    char date[MIME_DATE];
    mime_date_text(date, c->date_s, c->date_offset);
    field_opt(out, "From", c->from);
    field_opt(out, "To", c->to);
    field_opt(out, "Cc", c->cc);
    field_opt(out, "Bcc", c->bcc);
    field_opt(out, "Reply-To", c->reply_to);
    field(out, "Date", date);
    field_opt(out, "Message-ID", c->message_id);
    field_opt(out, "In-Reply-To", c->in_reply_to);
    field_opt(out, "References", c->references);
    if (c->subject)
        field(out, "Subject", mime_encode_words(a, c->subject));
    for (int i = 0; i < c->n_headers; i++)
        if (c->exchange && !*c->headers[i].value)
            buf_printf(out, "%s:\r\n", c->headers[i].name);
        else if (c->exchange && strcmp(c->headers[i].name, "Message-ID") == 0)
            buf_printf(out, "Message-ID:\r\n\t%s\r\n", c->headers[i].value);
        else
            field(out, c->headers[i].name, mime_encode_words(a, c->headers[i].value));
    if (!c->exchange)
        buf_puts(out, "MIME-Version: 1.0\r\n");
    mixed(&k);
    if (arena_failed(a))
        out->failed = true;
}
