/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of messages, and what is made of them: the snippet, and the words of the index. The
 * index keeps no texts, so what is taken out of it is made again from the message, which never
 * changes.
 */
#include "services/mail/core/index.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/core/mime/snippet.h"
#include <strings.h>

/* ---- the texts of a message ---- */

/* The parts whose text a reader sees, in their order: of alternatives the last one that is text. */
struct seen {
    const struct mime *m;
    int *parts;
    int n;
};

/* What a program reads (invitations, the head that a report brings back) is nothing to see. */
static bool is_text(const struct mime *m, int part)
{
    const char *type = m->parts[part].type;
    return !mime_is_multipart(&m->parts[part]) && !mime_is_file(m, part) &&
           strcmp(type, "text/calendar") != 0 && strcmp(type, "text/rfc822-headers") != 0;
}

/* Is there something to read below? Depth is bounded by the tree's. */
static bool has_text(const struct mime *m, int part)
{
    const struct mime_part *p = &m->parts[part];
    if (!mime_is_multipart(p))
        return p->first < 0 && is_text(m, part);
    for (int i = p->first; i >= 0; i = m->parts[i].next)
        if (has_text(m, i))
            return true;
    return false;
}

static void collect(struct seen *s, int part)
{
    const struct mime_part *p = &s->m->parts[part];
    if (!mime_is_multipart(p)) {
        if (p->first < 0 && is_text(s->m, part))
            s->parts[s->n++] = part;
        return;
    }
    bool one = strcmp(p->type, "multipart/alternative") == 0;
    int best = -1;
    for (int i = p->first; i >= 0; i = s->m->parts[i].next) {
        if (!one)
            collect(s, i);
        else if (has_text(s->m, i))
            best = i;
    }
    if (best >= 0)
        collect(s, best);
}

/* ---- what it is found by ---- */

/* A part's text, in UTF-8, added to body without tags, and to html with them. */
static int add_text(struct tx *tx, const struct mail_letter_text *t, int part,
                    struct mail_snippet *snippet, struct buf *body, struct buf *html)
{
    const struct mime_part *p = &t->mime.parts[part];
    const char *data = t->content + p->at, *text;
    size_t len = p->len;
    struct arena a; /* texts can be large, and are needed here only */
    struct buf b;
    arena_init(&a, 0);
    buf_init(&b, 0);
    if (p->encoding > MIME_BINARY) {
        mime_decode(p->encoding, data, len, &b);
        data = buf_str(&b);
        len = b.len;
    }
    text = mime_to_utf8(&a, p->charset, data, len, &len);
    if (strcmp(p->type, "text/html") == 0) {
        buf_add(html, text, len);
        buf_byte(html, '\n');
        text = mime_html_text(&a, text, len, &len);
    }
    bool failed = arena_failed(&a) || buf_failed(&b);
    if (!failed) {
        buf_add(body, text, len);
        buf_byte(body, '\n');
        mail_snippet_add(snippet, text, len);
    }
    buf_done(&b);
    arena_done(&a);
    return failed ? sosia_fail_memory(tx->err) : 0;
}

static uint32_t look_at_parts(const struct mail_letter_text *t, struct buf *files)
{
    uint32_t has = 0;
    for (int i = 0; i < t->mime.n; i++) {
        const struct mime_part *p = &t->mime.parts[i];
        /* The message in a report is not an attachment. */
        bool report = strncmp(p->type, "message/", 8) == 0 && p->disposition != MIME_ATTACHMENT;
        if (mime_is_file(&t->mime, i) && (p->filename || !report))
            has |= HAS_FILE;
        if (strcmp(p->type, "text/calendar") == 0)
            has |= HAS_INVITE;
        if (p->filename)
            buf_printf(files, "%s\n", p->filename);
    }
    return has;
}

int mail_letter_look(struct tx *tx, struct mail_letter_text *t)
{
    struct mail_snippet *snippet = arena_calloc(tx->arena, 1, sizeof *snippet);
    struct seen seen = {.m = &t->mime,
                        .parts = arena_alloc(tx->arena, (size_t)t->mime.n * sizeof(int))};
    struct search_doc doc = {0};
    struct buf files, body, html;
    int rc = 0;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    buf_init(&files, 0);
    buf_init(&body, 0);
    buf_init(&html, 0);
    doc.has = look_at_parts(t, &files);
    collect(&seen, 0);
    for (int i = 0; i < seen.n && rc == 0; i++)
        rc = add_text(tx, t, seen.parts[i], snippet, &body, &html);
    if (rc == 0 && (buf_failed(&files) || buf_failed(&body) || buf_failed(&html)))
        rc = sosia_fail_memory(tx->err);
    if (rc == 0) {
        snippet->text[snippet->len] = 0;
        t->snippet = snippet->text;
        doc.files = buf_str(&files);
        doc.body = buf_str(&body);
        doc.body_len = body.len;
        doc.html = buf_str(&html);
        doc.html_len = html.len;
        rc = mail_links(tx, &doc, &t->links);
        doc.has |= t->links.has;
        if (rc == 0)
            rc = mail_text(tx, &doc, &t->words);
    }
    buf_done(&files);
    buf_done(&body);
    buf_done(&html);
    return rc;
}

/* Values of all fields of these names, which begin with one letter, decoded, one a line; NULL:
 * none. */
static const char *values(struct arena *a, const char *head, size_t len, const char *name,
                          const char *other)
{
    struct mime_field f;
    struct buf b;
    size_t pos = 0, n = strlen(name), m = other ? strlen(other) : 0;
    buf_init(&b, 0);
    while (mime_field_next_with(head, len, &pos, *name, &f))
        if ((f.name_len == n && strncasecmp(f.name, name, n) == 0) ||
            (other && f.name_len == m && strncasecmp(f.name, other, m) == 0)) {
            buf_puts(&b, mime_value_decoded(a, &f));
            buf_byte(&b, '\n');
        }
    const char *text = b.len ? arena_memdup(a, b.data, b.len - 1) : NULL;
    if (buf_failed(&b))
        a->failed = true;
    buf_done(&b);
    return text;
}

int mail_letter_words(struct tx *tx, const struct mail_letter_head *head,
                      const struct mail_letter_text *text, struct search_text *ret,
                      const char **ret_delivered)
{
    struct arena *a = tx->arena;
    const char *h = head->head;
    size_t n = head->len;
    int64_t size = (int64_t)(n + text->content_len);
    *ret_delivered = values(a, h, n, "Delivered-To", NULL);
    if (head->words && mail_index_class(size) == head->words_class) {
        *ret = *head->words;
        return arena_failed(a) ? sosia_fail_memory(tx->err) : 0;
    }
    struct search_doc doc = {
        .from = values(a, h, n, "From", NULL),
        .to = values(a, h, n, "To", NULL),
        .cc = values(a, h, n, "Cc", NULL),
        .bcc = values(a, h, n, "Bcc", NULL),
        .reply = values(a, h, n, "Reply-To", NULL),
        .list = values(a, h, n, "List-ID", "List-Post"),
        .subject = values(a, h, n, "Subject", NULL),
        .size = size,
    };
    if (arena_failed(a))
        return sosia_fail_memory(tx->err);
    return mail_text_head(tx, &doc, &text->words, ret);
}

/* ---- messages that are stored ---- */

static int read_again(struct tx *tx, const struct mail_message *m, struct mail_letter_head *head,
                      struct mail_letter_text *text)
{
    struct buf raw;
    size_t len;
    const char *h;
    buf_init(&raw, 0);
    int rc = mail_message_raw(tx, m, &raw);
    if (rc == 0)
        rc = mail_message_head(tx, m, &h, &len);
    if (rc == 0) {
        /* Its head ends where it ended when it came, whatever its content looks like. */
        *head = (struct mail_letter_head){.head = h, .len = len};
        *text = (struct mail_letter_text){.content = raw.len ? raw.data + len : "",
                                          .content_len = raw.len - len};
        mime_parse(tx->arena, h, len, text->content, text->content_len, &text->mime);
        rc = arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : mail_letter_look(tx, text);
    }
    buf_done(&raw);
    return rc;
}

/* In an arena of its own: a message can be large, and there can be many. */
static int with_words(struct tx *tx, const struct mail_message *m,
                      int (*fn)(struct tx *tx, int64_t message, const struct search_text *text,
                                struct arena *kept))
{
    struct arena *kept = tx->arena, own;
    struct mail_letter_head head;
    struct mail_letter_text text;
    struct search_text words;
    const char *delivered;
    arena_init(&own, 0);
    tx->arena = &own;
    int rc = read_again(tx, m, &head, &text);
    if (rc == 0)
        rc = mail_letter_words(tx, &head, &text, &words, &delivered);
    if (rc == 0)
        rc = mail_text_delivered(tx, &words, delivered, m->has & HAS_FILES, &words);
    if (rc == 0)
        rc = fn(tx, m->id, &words, kept);
    tx->arena = kept;
    arena_done(&own);
    return rc;
}

/* ---- the index ---- */

static int remove_later(struct tx *tx, int64_t message, const struct search_text *text,
                        struct arena *kept)
{
    struct search_text copy = *text;
    struct arena *own = tx->arena;
    for (size_t i = 0; i < SOSIA_LEN(copy.columns); i++)
        copy.columns[i] = arena_memdup(kept, copy.columns[i], copy.len[i]);
    tx->arena = kept;
    int rc = search_remove_later(tx, &mail_corpus, message, &copy);
    tx->arena = own;
    return rc;
}

int mail_index_remove(struct tx *tx, const struct mail_message *m)
{
    return with_words(tx, m, remove_later);
}

static int add_now(struct tx *tx, int64_t message, const struct search_text *text,
                   struct arena *kept)
{
    (void)kept;
    return search_add(tx, &mail_corpus, message, text);
}

static int look_now(struct tx *tx, int64_t message, const struct search_text *text,
                    struct arena *kept)
{
    (void)kept;
    return search_look(tx, &mail_corpus, message, text);
}

int mail_index_derive(struct tx *tx)
{
    /* In the order that suits the index: it runs backwards in a mailbox. */
    static struct sql_text q =
        SQL_TEXT("select " MESSAGE_COLUMNS " from mail_message m order by m.id >> 47, m.id desc");
    struct mail_message m;
    int64_t *looks = NULL;
    size_t n_looks = 0, room = 0;
    int r;
    if (sql_exec(tx->db, "delete from mail_lacking; delete from mail_common", tx->err) < 0)
        return -1;
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1) {
        mail_message_read(st, &m);
        if (with_words(tx, &m, add_now) < 0) {
            sql_done(st);
            return -1;
        }
        if (search_looks(&mail_corpus, m.id) &&
            (looks = arena_grow(tx->arena, looks, n_looks, &room, sizeof *looks)))
            looks[n_looks++] = m.id;
    }
    for (size_t i = 0; i < n_looks && r == 0; i++)
        if ((r = mail_message_by_id(tx, looks[i], &m)) == 1)
            r = with_words(tx, &m, look_now);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : r;
}
