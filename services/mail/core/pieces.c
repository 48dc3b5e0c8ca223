/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces that a message was made of, for dumps: they are looked for in a message that could
 * have been composed, and hold if they make the same bytes. */
#include "engine/base/utf8.h"
#include "services/mail/core/seed_impl.h"
#include <strings.h>

bool mail_seed_is_string(const char *data, size_t len)
{
    return !memchr(data, 0, len) && utf8_valid(data, len);
}

/* ---- head ---- */

/* An address as people write it: decoded, in quotes where it would be read otherwise. */
static const char *address_shown(struct arena *a, const struct mime_address *x)
{
    if (!x->name || !*x->name)
        return x->email;
    if (!strpbrk(x->name, "\"\\()<>[]:;@,.=?"))
        return arena_printf(a, "%s <%s>", x->name, x->email);
    char *quoted = arena_alloc(a, 2 * strlen(x->name) + 1), *q = quoted;
    for (const char *p = x->name; *p; p++) {
        if (*p == '"' || *p == '\\')
            *q++ = '\\';
        *q++ = *p;
    }
    *q = 0;
    return arena_printf(a, "\"%s\" <%s>", quoted, x->email);
}

void mail_seed_addresses_shown(struct arena *a, const char *header, const char ***ret,
                               size_t *ret_n)
{
    struct mime_address *list;
    size_t n;
    bool bad;
    mime_addresses(a, header, &list, &n, &bad);
    const char **shown = arena_alloc(a, (n + 1) * sizeof *shown);
    *ret = shown;
    *ret_n = 0;
    if (arena_failed(a))
        return;
    if (bad || !n)
        shown[(*ret_n)++] = mime_decode_words(a, header);
    for (size_t i = 0; !bad && i < n; i++)
        shown[(*ret_n)++] = address_shown(a, &list[i]);
}

static bool take_field(struct arena *a, const struct mime_field *f, struct compose *c,
                       struct compose_header *headers)
{
    const struct {
        const char *name;
        const char **to;
    } known[] = {{"From", &c->from},
                 {"To", &c->to},
                 {"Cc", &c->cc},
                 {"Bcc", &c->bcc},
                 {"Reply-To", &c->reply_to},
                 {"Message-ID", &c->message_id},
                 {"In-Reply-To", &c->in_reply_to},
                 {"References", &c->references},
                 {"Subject", &c->subject}};
    const char *value = mime_value(a, f);
    for (size_t i = 0; i < SOSIA_LEN(known); i++) {
        size_t n = strlen(known[i].name);
        if (f->name_len != n || memcmp(f->name, known[i].name, n) != 0)
            continue;
        if (*known[i].to)
            return false; /* twice */
        *known[i].to = known[i].to == &c->subject ? mime_decode_words(a, value) : value;
        return true;
    }
    if (f->name_len == 4 && memcmp(f->name, "Date", 4) == 0)
        return mime_date(value, &c->date_s, &c->date_offset);
    if (strncasecmp(f->name, "Content-", 8) == 0 ||
        (f->name_len == 12 && memcmp(f->name, "MIME-Version", 12) == 0))
        return true;
    headers[c->n_headers++] =
        (struct compose_header){arena_memdup(a, f->name, f->name_len), mime_decode_words(a, value)};
    return true;
}

static bool take_head(struct arena *a, const char *head, size_t len, struct compose *c)
{
    struct mime_field f;
    size_t pos = 0, n = 0;
    while (mime_field_next(head, len, &pos, &f))
        n++;
    struct compose_header *headers = arena_alloc(a, (n + 1) * sizeof *headers);
    if (arena_failed(a) || n > 1000)
        return false;
    c->headers = headers;
    for (pos = 0; mime_field_next(head, len, &pos, &f);)
        if (!take_field(a, &f, c, headers))
            return false;
    return true;
}

/* ---- body ---- */

struct taker {
    struct arena *arena;
    const char *content;
    const struct mime *m;
    struct compose *c;
    struct compose_file *files;
};

static const char *decoded(struct taker *t, int part, size_t *ret_len)
{
    const struct mime_part *p = &t->m->parts[part];
    struct buf b;
    buf_init(&b, 0);
    mime_decode(p->encoding, t->content + p->at, p->len, &b);
    const char *data = arena_memdup(t->arena, b.len ? b.data : "", b.len);
    *ret_len = b.len;
    if (buf_failed(&b))
        t->arena->failed = true;
    buf_done(&b);
    return data;
}

/* A text with its lines ended by \n. */
static bool take_text(struct taker *t, int part)
{
    const struct mime_part *p = &t->m->parts[part];
    const char **to = strcmp(p->type, "text/plain") == 0  ? &t->c->text
                      : strcmp(p->type, "text/html") == 0 ? &t->c->html
                                                          : NULL;
    size_t len, n = 0;
    if (!to || *to || p->filename || p->first >= 0)
        return false;
    const char *data = decoded(t, part, &len);
    if (!mail_seed_is_string(data, len))
        return false;
    char *text = arena_alloc(t->arena, len + 1);
    if (arena_failed(t->arena))
        return false;
    for (size_t i = 0; i < len; i++)
        if (data[i] != '\r' || i + 1 == len || data[i + 1] != '\n')
            text[n++] = data[i];
    text[n] = 0;
    *to = text;
    return true;
}

static bool take_texts(struct taker *t, int part)
{
    const struct mime_part *p = &t->m->parts[part];
    if (!mime_is_multipart(p))
        return take_text(t, part);
    if (strcmp(p->type, "multipart/alternative") != 0)
        return false;
    for (int i = p->first; i >= 0; i = t->m->parts[i].next)
        if (!take_text(t, i))
            return false;
    return true;
}

static bool take_file(struct taker *t, int part)
{
    const struct mime_part *p = &t->m->parts[part];
    if (p->first >= 0)
        return false;
    struct compose_file *f = &t->files[t->c->n_files++];
    *f = (struct compose_file){.type = p->type,
                               .filename = p->filename,
                               .cid = p->cid,
                               .inlined = p->disposition == MIME_INLINE};
    f->data = decoded(t, part, &f->len);
    return true;
}

/* The text, and the pictures beside it. */
static bool take_related(struct taker *t, int part)
{
    const struct mime_part *p = &t->m->parts[part];
    if (strcmp(p->type, "multipart/related") != 0)
        return take_texts(t, part);
    if (p->first < 0 || !take_texts(t, p->first))
        return false;
    for (int i = t->m->parts[p->first].next; i >= 0; i = t->m->parts[i].next)
        if (!take_file(t, i))
            return false;
    return true;
}

static bool take_body(struct taker *t)
{
    const struct mime_part *p = &t->m->parts[0];
    if (strcmp(p->type, "multipart/mixed") != 0)
        return take_related(t, 0);
    if (p->first < 0 || !take_related(t, p->first))
        return false;
    for (int i = t->m->parts[p->first].next; i >= 0; i = t->m->parts[i].next)
        if (!take_file(t, i))
            return false;
    return true;
}

static bool makes(struct arena *a, const struct compose *c, const char *raw, size_t len)
{
    struct buf b;
    buf_init(&b, 0);
    mime_compose(a, c, &b);
    bool same = !buf_failed(&b) && b.len == len && memcmp(b.data, raw, len) == 0;
    buf_done(&b);
    return same;
}

bool mail_seed_pieces(struct arena *a, const char *raw, size_t len, struct compose *ret)
{
    struct mime m;
    size_t head = mime_head_len(raw, len);
    *ret = (struct compose){.date_s = INT64_MIN};
    if (!take_head(a, raw, head, ret) || ret->date_s == INT64_MIN || !ret->message_id)
        return false;
    mime_parse(a, raw, head, raw + head, len - head, &m);
    if (arena_failed(a) || m.cut)
        return false;
    struct taker t = {.arena = a, .content = raw + head, .m = &m, .c = ret};
    ret->files = t.files = arena_alloc(a, (size_t)m.n * sizeof *t.files);
    if (arena_failed(a) || !take_body(&t))
        return false;
    if (ret->text && !*ret->text && !ret->html)
        ret->text = NULL;
    return makes(a, ret, raw, len);
}
