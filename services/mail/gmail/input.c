/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of requests: their bytes, the thread they name, and what the service adds to the head of
 * a message before it keeps it.
 */
#include "services/mail/gmail/gmail.h"
#include "engine/base/codec.h"
#include "engine/text/tz.h"
#include "services/mail/gmail/settings/setting.h"
#include <stdio.h>

#define PROJECT "813947042716" /* in the trace, as the number of the program's project */

/* ---- bytes ---- */

static int too_large(struct call *c)
{
    return call_fail(c, SOSIA_E_TOO_LARGE, "uploadTooLarge", NULL, "Request Entity Too Large");
}

int gmail_raw(struct call *c, const struct json *message, size_t max, const char **ret,
              size_t *ret_len)
{
    const struct json *raw = json_get(message, "raw"); /* base64 */
    uint8_t *data;
    if (c->medium) {
        *ret = c->medium->data;
        *ret_len = c->medium->len;
        return 0;
    }
    if (c->request->body_len > GMAIL_MAX_JSON)
        return too_large(c);
    if (!raw || !raw->n)
        return gmail_invalid(c, "'raw' RFC822 payload message string or uploading message via "
                                "/upload/* URL required");
    if (base64_decode(c->tx.arena, raw->str, raw->n, &data, ret_len) < 0)
        return gmail_invalid(c, "Invalid value for ByteString");
    if (*ret_len > max)
        return too_large(c);
    *ret = (const char *)data;
    return 0;
}

int gmail_wanted_thread(struct call *c, const struct mailbox *mb, const struct json *message,
                        int64_t *ret)
{
    const char *text = json_get_str(message, "threadId");
    struct mail_thread t;
    *ret = 0;
    if (!text || !*text)
        return 0;
    if (gmail_key_parse(text, ret) < 0)
        return gmail_invalid(c, "Invalid thread_id value");
    int r = mail_thread_get(&c->tx, mb->id, *ret, &t);
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

/* ---- the head ---- */

#define HEAD_ROOM 4096 /* for what is added to a head: the message stays within MAIL_MAX_SIZE */

/* Which of its person's addresses this is; NULL: none. */
static const char *own_address(const char *const *own, size_t n, const char *email)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(own[i], email))
            return own[i];
    return NULL;
}

/* May the mailbox send from an address that is none of its person's? 1, 0, -1. */
static int is_sender(struct call *c, const struct mailbox *mb, const char *text)
{
    struct gmail_sender s;
    const char *email = email_normal(c->tx.arena, text);
    int r = email ? gmail_sender_get(&c->tx, mb, email, &s) : 0;
    return r == 1 ? !s.pending : r;
}

/* The value that From gets: the bare address that new mail is sent from. NULL: it names the person
 * and stays as it was written. */
static int from_value(struct call *c, const struct mailbox *mb, const char *head, size_t len,
                      const char **ret)
{
    struct arena *a = c->tx.arena;
    struct mime_address *list;
    struct gmail_sender chosen;
    const char **own;
    size_t n, n_own;
    bool bad;
    mime_address_fields(a, head, len, "From", &list, &n, &bad);
    if (mailbox_addresses(&c->tx, mb, &own, &n_own) < 0)
        return -1;
    *ret = NULL;
    if (n && own_address(own, n_own, list[0].email))
        return 0;
    int r = n ? is_sender(c, mb, list[0].email) : 0;
    if (r)
        return r < 0 ? -1 : 0;
    if (gmail_sender_chosen(&c->tx, mb, &chosen) < 0)
        return -1;
    *ret = chosen.email;
    return 0;
}

/* "Wed, 29 Apr 2026 10:45:27 -0700": the service's machines show Pacific time. */
static void pacific_date(char ret[MIME_DATE], int64_t s)
{
    const struct tz *zone = tz_find("America/Los_Angeles");
    mime_date_text(ret, s, zone ? tz_offset(zone, s) : -8 * 3600);
}

/* The text of a head that gets so many replacements, one after the other. */
struct head {
    struct arena *a;
    const char *text;
    size_t len;
};

/* A field that is there keeps its name as the program spelled it. */
static void set(struct head *h, const char *name, const char *value)
{
    struct mime_field f;
    struct buf b;
    if (mime_field_find(h->text, h->len, name, 0, &f))
        name = arena_memdup(h->a, f.name, f.name_len);
    buf_init(&b, MAIL_MAX_SIZE);
    mime_head_set(&b, h->text, h->len, name, value);
    h->text = arena_memdup(h->a, b.data ? b.data : "", b.len);
    h->len = b.len;
    if (buf_failed(&b))
        h->a->failed = true;
    buf_done(&b);
}

/* A Message-ID as the service makes them. */
static int new_message_id(struct call *c, const char **ret)
{
    uint8_t bytes[36];
    struct buf b;
    int r;
    do {
        if (tx_id(&c->tx, "mail.message_id", bytes, sizeof bytes) < 0)
            return -1;
        buf_init(&b, 64);
        base64url_add(&b, bytes, sizeof bytes, false);
        *ret = arena_printf(c->tx.arena, "<CA%s@mail.gmail.com>", buf_str(&b));
        buf_done(&b);
    } while ((r = mail_message_id_taken(&c->tx, *ret)) == 1);
    return r;
}

/* Bytes beyond ASCII that are in a head without encoding count as Latin-1 there, which is what
 * makes "caf\xc3\xa9" of them. rest: bytes behind it. */
static int widen(struct call *c, struct head *h, size_t rest)
{
    struct buf b;
    size_t high = 0;
    for (size_t i = 0; i < h->len; i++)
        high += (unsigned char)h->text[i] >= 0x80;
    if (h->len + rest + high > MAIL_MAX_SIZE - HEAD_ROOM)
        return too_large(c);
    if (!high)
        return 0;
    buf_init(&b, MAIL_MAX_SIZE);
    for (size_t i = 0; i < h->len; i++) {
        unsigned char byte = (unsigned char)h->text[i];
        if (byte >= 0x80) {
            buf_byte(&b, (char)(0xc0 | byte >> 6));
            byte = 0x80 | (byte & 0x3f);
        }
        buf_byte(&b, (char)byte);
    }
    h->text = arena_memdup(h->a, b.data ? b.data : "", b.len);
    h->len = b.len;
    if (buf_failed(&b))
        h->a->failed = true;
    buf_done(&b);
    return 0;
}

/* Lines end in CRLF, as they do on the way: programs also end them with a LF alone. */
static int end_lines(struct call *c, const char **raw, size_t *len)
{
    const char *from = *raw, *end = from + *len;
    size_t bare = 0;
    for (const char *p = from; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        bare += p == from || p[-1] != '\r';
    if (!bare)
        return 0;
    if (*len + bare > MAIL_MAX_SIZE)
        return too_large(c);
    char *out = arena_alloc(c->tx.arena, *len + bare + 1), *to = out;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (const char *p = from; p < end; p++) {
        if (*p == '\n' && (p == from || p[-1] != '\r'))
            *to++ = '\r';
        *to++ = *p;
    }
    *raw = out;
    *len = (size_t)(to - out);
    return 0;
}

/* ---- what others get ---- */

/* These leave last, in this order and under these names, wherever and however a program wrote them:
 * so it is in the archives of public lists. */
static const char *const last_fields[] = {
    "Date", "Message-ID", "Subject", "To", "Cc", "Content-Type", "Content-Transfer-Encoding",
};

static int last_place(const struct mime_field *f)
{
    for (size_t i = 0; i < SOSIA_LEN(last_fields); i++)
        if (f->name_len == strlen(last_fields[i]) &&
            strncasecmp(f->name, last_fields[i], f->name_len) == 0)
            return (int)i;
    return -1;
}

/* The head of what leaves. */
static void write_outgoing(struct buf *b, const char *head, size_t len)
{
    struct mime_field f;
    size_t end = len, copied = 0;
    if (end >= 2 && memcmp(head + end - 2, "\r\n", 2) == 0 &&
        (end == 2 || (end >= 4 && memcmp(head + end - 4, "\r\n", 2) == 0)))
        end -= 2; /* the empty line */
    for (size_t pos = 0; mime_field_next(head, end, &pos, &f);) {
        size_t at = (size_t)(f.line - head);
        if (last_place(&f) < 0)
            continue;
        buf_add(b, head + copied, at - copied);
        copied = at + f.line_len;
    }
    buf_add(b, head + copied, end - copied);
    for (int i = 0; i < (int)SOSIA_LEN(last_fields); i++)
        for (size_t pos = 0; mime_field_next(head, end, &pos, &f);)
            if (last_place(&f) == i) {
                if (b->len && b->data[b->len - 1] != '\n')
                    buf_puts(b, "\r\n");
                buf_printf(b, "%s:", last_fields[i]);
                buf_add(b, f.value, f.value_len);
                buf_puts(b, "\r\n");
            }
    buf_add(b, head + end, len - end);
}

static int take(struct call *c, struct buf *b, const char **ret, size_t *ret_len)
{
    *ret = arena_memdup(c->tx.arena, b->data ? b->data : "", b->len);
    *ret_len = b->len;
    bool failed = buf_failed(b) || arena_failed(c->tx.arena);
    buf_done(b);
    return failed ? sosia_fail_memory(c->tx.err) : 0;
}

/* Nothing is sent to a domain that is not the world's and can't exist elsewhere. */
static int check_domains(struct call *c, const char *head, size_t len)
{
    static const char *const names[] = {"To", "Cc", "Bcc"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        struct mime_address *list;
        size_t n;
        bool bad;
        mime_address_fields(c->tx.arena, head, len, names[i], &list, &n, &bad);
        for (size_t k = 0; k < n; k++) {
            const char *email = email_normal(c->tx.arena, list[k].email);
            if (!email || strchr(email_domain(email), '.'))
                continue;
            int r = identity_is_local(&c->tx, email);
            if (r != 1)
                return r < 0 ? -1 : gmail_invalid(c, "Invalid %s header", names[i]);
        }
    }
    return 0;
}

int gmail_prepare(struct call *c, const struct mailbox *mb, const char *raw, size_t len,
                  enum gmail_way way, struct mail_send *ret)
{
    struct mime_field f;
    if (end_lines(c, &raw, &len) < 0)
        return -1;
    struct head h = {.a = c->tx.arena, .text = raw, .len = mime_head_len(raw, len)};
    size_t head_len = h.len;
    char date[MIME_DATE];
    const char *from, *id;
    struct buf b;
    if (GMAIL_DOMAIN_HAS_DOT && way != GMAIL_SAVE && check_domains(c, h.text, h.len) < 0)
        return -1;
    if (way != GMAIL_SEND_SAVED && widen(c, &h, len - head_len) < 0)
        return -1;
    if (from_value(c, mb, h.text, h.len, &from) < 0)
        return -1;
    if (from)
        set(&h, "From", from);
    pacific_date(date, c->tx.now_us / 1000000);
    if (way != GMAIL_SAVE || !mime_field_find(h.text, h.len, "Date", 0, &f))
        set(&h, "Date", date);
    if (way != GMAIL_SEND_SAVED) {
        if (new_message_id(c, &id) < 0)
            return -1;
        set(&h, "Message-Id", id); /* so the service spells it */
    }
    buf_init(&b, MAIL_MAX_SIZE);
    buf_printf(&b, "Received: from %s named unknown by gmailapi.google.com with HTTPREST; %s\r\n",
               PROJECT, date);
    buf_add(&b, h.text, h.len);
    size_t own_len = b.len;
    buf_add(&b, raw + head_len, len - head_len);
    if (take(c, &b, &ret->raw, &ret->len) < 0)
        return -1;
    if (way == GMAIL_SAVE)
        return 0;
    buf_init(&b, MAIL_MAX_SIZE);
    write_outgoing(&b, ret->raw, own_len);
    return take(c, &b, &ret->head, &ret->head_len);
}
