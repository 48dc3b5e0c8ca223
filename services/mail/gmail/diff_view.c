/* SPDX-License-Identifier: Apache-2.0 */
/* Messages and labels as diffs and assertions see them: what Gmail shows of a message, with its
 * headers and its text at hand instead of a tree of parts. Labels are named as people name them. */
#include "engine/base/utf8.h"
#include "services/mail/gmail/gmail.h"
#include "services/mail/gmail/internal.h"

#define TEXT_SHOWN (64 * 1024)  /* bytes of a body */
#define NOTICE_MAX (256 * 1024) /* bytes of a part that may say what a notice is about */

static void write_key(struct json_writer *w, const char *member, int64_t key)
{
    char hex[17];
    for (int i = 15; i >= 0; i--, key >>= 4)
        hex[i] = "0123456789abcdef"[key & 15];
    json_strn(w, member, hex, 16);
}

/* The bare addresses of a header, in lower case. */
static void write_addresses(struct tx *tx, struct json_writer *w, const char *member,
                            const struct mail_message_body *b, const char *header, bool one)
{
    struct mime_address *list;
    size_t n;
    bool bad;
    mime_address_fields(tx->arena, b->head, b->head_len, header, &list, &n, &bad);
    if (!n)
        return;
    if (!one)
        json_arr(w, member);
    for (size_t i = 0; i < n && (!one || !i); i++) {
        char *email = arena_strdup(tx->arena, list[i].email);
        for (char *p = email; *p; p++)
            if (*p >= 'A' && *p <= 'Z')
                *p = (char)(*p + 32);
        json_str(w, one ? member : NULL, email);
    }
    if (!one)
        json_end(w);
}

static bool is_type(const struct mime_part *p, const char *type)
{
    return strcmp(p->type, type) == 0;
}

/* With plain newlines. */
static void write_text(struct tx *tx, struct json_writer *w, const char *member, const char *text,
                       size_t n)
{
    char *plain = arena_alloc(tx->arena, n + 1);
    size_t len = 0;
    for (size_t i = 0; !arena_failed(tx->arena) && i < n; i++)
        if (text[i] != '\r' || i + 1 == n || text[i + 1] != '\n')
            plain[len++] = text[i];
    json_strn(w, member, plain, len);
}

static int write_texts(struct tx *tx, struct json_writer *w, const struct mail_message_body *b)
{
    const char *text, *html;
    size_t n, html_n;
    if (mail_message_texts(tx, b, TEXT_SHOWN, &text, &n, &html, &html_n) < 0)
        return -1;
    if (text)
        write_text(tx, w, "text", text, n);
    if (html)
        write_text(tx, w, "html", html, html_n);
    return 0;
}

static void write_files(struct json_writer *w, const struct mime *m)
{
    int n = 0;
    for (int i = 0; i < m->n; i++) {
        const struct mime_part *p = &m->parts[i];
        if (!p->filename || !*p->filename || mime_is_multipart(p))
            continue;
        if (!n++)
            json_arr(w, "attachments");
        json_obj(w, NULL);
        json_str(w, "filename", p->filename);
        json_str(w, "mimeType", p->type);
        json_int(w, "size", (int64_t)p->size);
        json_end(w);
    }
    if (n)
        json_end(w);
}

/* Whether a part of a notice is of that type, and no larger than those that services write. */
static bool may_say(const struct mime_part *p, const char *type)
{
    return is_type(p, type) && p->size <= NOTICE_MAX;
}

/* What a notice of a shared file links to: "/d/ID" or "/folders/ID". */
static int notice_file(struct tx *tx, const struct mail_message_body *b, const char **ret)
{
    *ret = NULL;
    for (int i = 0; i < b->mime.n; i++) {
        const char *text, *p = NULL;
        size_t n;
        if (!may_say(&b->mime.parts[i], "text/plain") && !may_say(&b->mime.parts[i], "text/html"))
            continue;
        if (mail_message_part_text(tx, b, i, &text, &n) < 0)
            return -1;
        if ((p = strstr(text, "/folders/")))
            p += strlen("/folders/");
        else if ((p = strstr(text, "/d/")))
            p += strlen("/d/");
        size_t len =
            p ? strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") : 0;
        if (len) {
            *ret = arena_printf(tx->arena, "file %.*s", (int)len, p);
            return 0;
        }
    }
    return 0;
}

/* What a notice of a shared calendar follows from, unless *ret says already what it does. */
static int notice_share(struct tx *tx, const struct mail_message_body *b, const char *subject,
                        const char **ret)
{
    struct mime_address *to;
    bool bad;
    size_t n;
    mime_address_fields(tx->arena, b->head, b->head_len, "To", &to, &n, &bad);
    for (int i = 0; n == 1 && !*ret && i < b->mime.n; i++) {
        const char *text;
        size_t len;
        if (!may_say(&b->mime.parts[i], "text/plain"))
            continue;
        if (mail_message_part_text(tx, b, i, &text, &len) < 0)
            return -1;
        *ret = letter_share_of(tx->arena, subject, text, len, to[0].email);
    }
    return 0;
}

/* The recipients' copies follow from the sender's; a notice follows from what it is about. */
static int describe(struct tx *tx, const struct mail_message *m, const struct mail_message_body *b,
                    const char *sender, struct entity_about *about)
{
    struct arena *a = tx->arena;
    const char *id = mime_header(a, b->head, b->head_len, "Message-ID"), *uid;
    const char *automatic = mime_header(a, b->head, b->head_len, "Auto-Submitted");
    bool own = m->flags & (FLAG(LABEL_SENT) | FLAG(LABEL_DRAFT));
    if (own && id) {
        about->is[0] = tx_named(tx, "message", id);
        about->is[1] = arena_printf(a, "letter %s %s", sender, about->title ? about->title : "");
    }
    if (own)
        return 0;
    about->follows[0] = id ? tx_named(tx, "message", id) : NULL;
    if (!automatic)
        return 0;
    about->part = true; /* an answer to an invitation goes to the event's organizer */
    if (mail_message_event_uid(tx, b, &uid) < 0)
        return -1;
    if (uid)
        about->follows[1] = tx_named(tx, "uid", uid);
    else if (notice_file(tx, b, &about->follows[1]) < 0 ||
             notice_share(tx, b, about->title, &about->follows[1]) < 0)
        return -1;
    if (!about->follows[1])
        about->follows[1] =
            arena_printf(a, "letter %s %s", sender, about->title ? about->title : "");
    return 0;
}

static int write_message(struct tx *tx, struct json_writer *w, const struct mail_message *m,
                         const struct mailbox *mb, struct entity_about *about)
{
    struct mail_message_body b;
    struct mime_address *from;
    size_t n;
    bool bad;
    if (mail_message_open(tx, m, &b) < 0)
        return -1;
    mime_address_fields(tx->arena, b.head, b.head_len, "From", &from, &n, &bad);
    about->person = mb->email;
    about->title = mime_header(tx->arena, b.head, b.head_len, "Subject");
    if (describe(tx, m, &b, n ? from[0].email : "", about) < 0)
        return -1;
    write_key(w, "id", m->key);
    write_key(w, "threadId", m->thread_key);
    json_str(w, "mailbox", mb->email);
    if (mail_dump_folders(tx, w, m) < 0)
        return -1;
    write_addresses(tx, w, "from", &b, "From", true);
    write_addresses(tx, w, "to", &b, "To", false);
    write_addresses(tx, w, "cc", &b, "Cc", false);
    write_addresses(tx, w, "bcc", &b, "Bcc", false);
    write_addresses(tx, w, "replyTo", &b, "Reply-To", false);
    json_str_opt(w, "subject", about->title);
    json_str_opt(w, "inReplyTo", mime_header(tx->arena, b.head, b.head_len, "In-Reply-To"));
    if (write_texts(tx, w, &b) < 0)
        return -1;
    write_files(w, &b.mime);
    if (about->all) {
        json_str_opt(w, "messageId", mime_header(tx->arena, b.head, b.head_len, "Message-ID"));
        json_time(w, "internalDate", m->at_s * 1000000, JSON_TIME_S_Z);
        json_int(w, "sizeEstimate", m->size);
        json_int(w, "historyId", gmail_history(m->change));
    }
    return 1;
}

static int message_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                        struct entity_about *about)
{
    struct mail_message m;
    struct mailbox mb;
    int r = mail_message_by_id(tx, rowid, &m);
    if (r == 1)
        r = mailbox_by_id(tx, m.mailbox, &mb);
    return r == 1 ? write_message(tx, w, &m, &mb, about) : r;
}

static int label_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                      struct entity_about *about)
{
    static const char *const shown[] = {"labelShow", "labelShowIfUnread", "labelHide"};
    struct gmail_label l;
    struct mailbox mb;
    int r = gmail_label_get(tx, rowid >> 24, rowid, &l);
    if (r == 1)
        r = mailbox_by_id(tx, l.folder.mailbox, &mb);
    if (r != 1)
        return r;
    about->person = mb.email;
    about->title = l.folder.name;
    json_str(w, "mailbox", mb.email);
    if (mail_folder_is_fixed(l.folder.id))
        json_str(w, "id", l.folder.name);
    else
        json_str(w, "id",
                 arena_printf(tx->arena, "Label_%lld", (long long)mail_folder_number(l.folder.id)));
    json_str(w, "name", l.folder.name);
    json_str(w, "labelListVisibility", shown[l.list_view]);
    json_str(w, "messageListVisibility", l.message_hidden ? "hide" : "show");
    if (l.color) {
        json_obj(w, "color");
        json_str(w, "textColor", l.color);
        json_str_opt(w, "backgroundColor", l.background);
        json_end(w);
    }
    if (about->all) {
        json_int(w, "messagesTotal", l.folder.messages);
        json_int(w, "messagesUnread", l.folder.unread);
    }
    return 1;
}

const struct entity_view gmail_views[] = {
    {"message", "gmail", message_view, NULL, .timeless = true, .vendor = "google",
     .members = "id threadId mailbox labels.* from to.* cc.* bcc.* replyTo.* subject inReplyTo "
                "text html attachments.*.filename attachments.*.mimeType attachments.*.size"},
    {"mailLabel", "gmail", label_view, NULL, .timeless = true, .vendor = "google",
     .members = "mailbox id name labelListVisibility messageListVisibility color.textColor "
                "color.backgroundColor"},
    {NULL, NULL, NULL, NULL},
};
