/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that list, read and search a person's mail. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/utf8.h"
#include "mcp/servers/email/email.h"

#define SEEN_MAX  ((size_t)16 << 20) /* bytes of a message's text that are looked at */
#define QUERY_MAX 1000               /* characters */

/* ---- a message ---- */

const char *email_addresses(struct arena *a, const struct mail_message_body *b, const char *field)
{
    struct mime_address *list;
    const char *all = "";
    size_t n;
    bool bad;
    mime_address_fields(a, b->head, b->head_len, field, &list, &n, &bad);
    for (size_t i = 0; i < n; i++)
        if (*list[i].email)
            all = *all ? arena_printf(a, "%s, %s", all, list[i].email) : list[i].email;
    return all;
}

static const char *field_of(struct arena *a, const struct mail_message_body *b, const char *name)
{
    const char *text = mime_header(a, b->head, b->head_len, name);
    return text ? text : "";
}

/* The first part of a type that is not a file, as UTF-8. 0, -1. */
static int text_of(struct call *c, const struct mail_message_body *b, const char *type,
                   const char **ret)
{
    size_t n;
    *ret = "";
    for (int i = 0; i < b->mime.n; i++) {
        const struct mime_part *p = &b->mime.parts[i];
        if (strcmp(p->type, type) == 0 && !mime_is_file(&b->mime, i)) {
            if (mail_message_part_text(&c->tx, b, i, ret, &n) < 0)
                return -1;
            *ret = file_lines(c->tx.arena, *ret, &n);
            return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
        }
    }
    return 0;
}

int email_view(struct call *c, const struct mail_message *m, struct email_view *ret)
{
    struct arena *a = c->tx.arena;
    const char *seen, *html;
    size_t n, html_n;
    if (mail_message_open(&c->tx, m, &ret->body) < 0 ||
        text_of(c, &ret->body, "text/plain", &ret->text) < 0 ||
        text_of(c, &ret->body, "text/html", &ret->html) < 0 ||
        mail_message_texts(&c->tx, &ret->body, SEEN_MAX, &seen, &n, &html, &html_n) < 0)
        return -1;
    ret->seen = *ret->text ? ret->text : seen ? file_lines(a, seen, &n) : "";
    ret->subject = field_of(a, &ret->body, "Subject");
    ret->from = email_addresses(a, &ret->body, "From");
    ret->to = email_addresses(a, &ret->body, "To");
    ret->cc = field_of(a, &ret->body, "Cc");
    ret->date = field_of(a, &ret->body, "Date");
    ret->message_id = field_of(a, &ret->body, "Message-ID");
    return arena_failed(a) ? sosia_fail_memory(c->tx.err) : 0;
}

bool email_attachment(const struct email_view *v, int *at, int *ret_part)
{
    const struct mime *m = &v->body.mime;
    while (*at < m->n) {
        int i = (*at)++;
        if (mime_is_file(m, i) && m->parts[i].filename && *m->parts[i].filename &&
            m->parts[i].disposition != MIME_INLINE) {
            *ret_part = i;
            return true;
        }
    }
    return false;
}

static int attachments(const struct email_view *v)
{
    int n = 0, part;
    for (int at = 0; email_attachment(v, &at, &part);)
        n++;
    return n;
}

/* ---- lists ---- */

void email_put_time(struct buf *b, int64_t seconds, bool name)
{
    const int64_t last = TIME_LAST_US / US_PER_SECOND;
    struct civil t;
    civil_from_seconds(seconds < 0 ? 0 : seconds > last ? last : seconds, &t);
    if (name)
        buf_printf(b, "%04d%02d%02d_%02d%02d%02d", t.year, t.month, t.day, t.hour, t.minute,
                   t.second);
    else
        buf_printf(b, "%04d-%02d-%02dT%02d:%02d:%02d", t.year, t.month, t.day, t.hour, t.minute,
                   t.second);
}

void email_page(struct call *c, int64_t total, struct email_page *ret)
{
    int64_t page = email_number(c, "page", 1), size = email_number(c, "page_size", 20);
    size = size < 1 ? 20 : size > EMAIL_PAGE ? EMAIL_PAGE : size;
    int64_t pages = (total + size - 1) / size;
    page = page < 1 ? 1 : page > pages ? pages : page;
    *ret = (struct email_page){.page = page, .size = size, .pages = pages, .total = total};
}

/* Those of the page, of messages that begin with the newest. */
static int write_page(struct call *c, const struct email_page *p, const struct email_item *items,
                      size_t n, bool with_files, struct buf *b)
{
    for (int64_t i = (p->page - 1) * p->size; i < (int64_t)n && i < p->page * p->size; i++) {
        struct email_view v;
        if (email_view(c, &items[i].message, &v) < 0)
            return -1;
        buf_printf(b, "%lld. ID: %lld\n   Subject: %s\n   From: %s\n   Date: %s\n",
                   (long long)i + 1, (long long)items[i].number, v.subject, v.from, v.date);
        int files = with_files ? attachments(&v) : 0;
        if (files)
            buf_printf(b, "   Attachments: %d files\n", files);
        buf_byte(b, '\n');
    }
    return 0;
}

/* The end of a list: its text, or what has failed. */
static int give(struct call *c, struct buf *b, int r)
{
    if (r == 0)
        return email_say(c, b);
    buf_done(b);
    return -1;
}

static int list_folder(struct call *c)
{
    struct email_box b;
    struct email_folder f;
    struct email_page p;
    struct email_item *items;
    struct buf out;
    size_t n;
    if (email_open(c, &b) < 0 || email_folder_of(c, &b, "folder", &f) < 0)
        return email_within(c, "Failed to get emails");
    email_page(c, f.messages, &p);
    if (!f.messages)
        return email_text(c, "Folder '%s' is empty or page %lld is out of range", f.name,
                          (long long)email_number(c, "page", 1));
    if (email_items(c, &b, &f, p.page * p.size, &items, &n) < 0)
        return -1;
    buf_init(&out, 0);
    buf_printf(&out, "Folder: %s\nPage: %lld/%lld\nTotal emails: %lld\n\n", f.name,
               (long long)p.page, (long long)p.pages, (long long)p.total);
    return give(c, &out, write_page(c, &p, items, n, true, &out));
}

int email_list(struct call *c)
{
    return email_end(c, "getting emails", list_folder(c));
}

/* ---- reading ---- */

/* Takes the mark of what is unread away, if the caller may. */
static int mark_seen(struct call *c, struct mail_message *m)
{
    const int64_t unseen = mail_folder_id(m->mailbox, KEYWORD_UNSEEN);
    if (!(m->flags & FLAG(KEYWORD_UNSEEN)) || !call_has_scope(c, "mail"))
        return 0;
    return mail_message_modify(&c->tx, m, NULL, 0, &unseen, 1);
}

static void write_attachments(const struct email_view *v, struct buf *b)
{
    int part, n = 0;
    for (int at = 0; email_attachment(v, &at, &part);) {
        const struct mime_part *p = &v->body.mime.parts[part];
        buf_printf(b, "%s%d. %s (%s, %zu bytes)\n", n ? "" : "Attachments:\n", n + 1, p->filename,
                   p->type, p->size);
        n++;
    }
}

static int read_one(struct call *c)
{
    struct email_box b;
    struct email_folder f;
    struct email_item item;
    struct email_view v;
    struct buf out;
    if (email_open(c, &b) < 0 || email_item_of(c, &b, "folder", &f, &item) < 0)
        return email_within(c, arena_printf(c->tx.arena, "Failed to read email %s",
                                            json_get_str(server_arguments(c), "email_id")));
    if (email_view(c, &item.message, &v) < 0 || mark_seen(c, &item.message) < 0)
        return -1;
    buf_init(&out, 0);
    buf_printf(&out, "Email ID: %lld\nSubject: %s\nFrom: %s\nTo: %s\n", (long long)item.number,
               v.subject, v.from, v.to);
    if (*v.cc)
        buf_printf(&out, "CC: %s\n", v.cc);
    buf_printf(&out, "Date: %s\nMessage-ID: %s\n\n", v.date, v.message_id);
    if (*v.text)
        buf_printf(&out, "Text Content:\n%s\n\n", v.text);
    if (*v.html)
        buf_printf(&out, "HTML Content:\n%s\n\n", v.html);
    write_attachments(&v, &out);
    return email_say(c, &out);
}

int email_read(struct call *c)
{
    return email_end(c, "reading email", read_one(c));
}

static int read_headers(struct call *c)
{
    struct email_box b;
    struct email_folder f;
    struct email_item item;
    struct mime_field field;
    struct buf out;
    const char *head;
    size_t len;
    if (email_open(c, &b) < 0 || email_item_of(c, &b, "folder", &f, &item) < 0 ||
        mail_message_head(&c->tx, &item.message, &head, &len) < 0)
        return -1;
    buf_init(&out, 0);
    buf_printf(&out, "Email Headers for ID: %lld\n", (long long)item.number);
    for (int i = 0; i < 50; i++)
        buf_byte(&out, '=');
    buf_byte(&out, '\n');
    for (size_t pos = 0; mime_field_next(head, len, &pos, &field);)
        buf_printf(&out, "%.*s: %s\n", (int)field.name_len, field.name,
                   mime_value(c->tx.arena, &field));
    return email_say(c, &out);
}

int email_headers(struct call *c)
{
    return email_end(c, "getting email headers", read_headers(c));
}

/* ---- searching ---- */

/* A message's head and texts, folded, without much that stays in the memory: 1 the query is in
 * them, 0, -1. */
static int has_text(struct call *c, const struct mail_message *m, const char *query)
{
    struct mail_message_body b;
    struct arena own, *before = c->tx.arena;
    int r = 0;
    size_t n;
    arena_init(&own, 0);
    c->tx.arena = &own; /* what is read of one message is not kept for the next */
    if (mail_message_open(&c->tx, m, &b) < 0)
        r = -1;
    if (r == 0) {
        const char *head = arena_memdup(&own, b.head, b.head_len);
        r = strstr(utf8_fold(&own, mime_decode_words(&own, head)), query) != NULL;
    }
    for (int i = 0; r == 0 && i < b.mime.n; i++) {
        const char *text;
        if (!str_starts(b.mime.parts[i].type, "text/"))
            continue;
        if (mail_message_part_text(&c->tx, &b, i, &text, &n) < 0)
            r = -1;
        else
            r = strstr(utf8_fold(&own, arena_memdup(&own, text, n)), query) != NULL;
    }
    if (arena_failed(&own))
        r = sosia_fail_memory(c->tx.err);
    c->tx.arena = before;
    arena_done(&own);
    return r;
}

static int find_all(struct call *c, const struct email_item *items, size_t n, const char *query,
                    struct email_item **ret, size_t *ret_n)
{
    const char *folded = utf8_fold(c->tx.arena, query);
    struct email_item *found = arena_calloc(c->tx.arena, n + 1, sizeof *found);
    size_t k = 0;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < n; i++) {
        int r = has_text(c, &items[i].message, folded);
        if (r < 0)
            return -1;
        if (r)
            found[k++] = items[i];
    }
    *ret = found;
    *ret_n = k;
    return 0;
}

static bool is_blank(const char *text)
{
    return !text[strspn(text, " \t\r\n\f\v")];
}

static int search_folder(struct call *c)
{
    const char *query = json_get_str(server_arguments(c), "query");
    struct email_box b;
    struct email_folder f;
    struct email_page p;
    struct email_item *items, *found;
    struct buf out;
    size_t n, k;
    if (is_blank(query) || utf8_count(query, strlen(query)) > QUERY_MAX)
        return email_refuse(c, SOSIA_E_INVALID,
                            is_blank(query)
                                ? "Failed to search emails: Search query cannot be empty"
                                : "Failed to search emails: Search query too long (max "
                                  "1000 characters)");
    if (email_open(c, &b) < 0 || email_folder_of(c, &b, "folder", &f) < 0)
        return email_within(c, "Failed to search emails");
    if (email_items(c, &b, &f, f.messages, &items, &n) < 0 ||
        find_all(c, items, n, query, &found, &k) < 0)
        return -1;
    if (!k)
        return email_text(c, "No emails found matching query: %s", query);
    email_page(c, (int64_t)k, &p);
    buf_init(&out, 0);
    buf_printf(&out, "Search query: %s\nFolder: %s\nPage: %lld/%lld\nTotal results: %lld\n\n",
               query, f.name, (long long)p.page, (long long)p.pages, (long long)p.total);
    return give(c, &out, write_page(c, &p, found, k, false, &out));
}

int email_search(struct call *c)
{
    return email_end(c, "searching emails", search_folder(c));
}
