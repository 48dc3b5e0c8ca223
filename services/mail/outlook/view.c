/* SPDX-License-Identifier: Apache-2.0 */
/* Messages and folders as diffs and assertions see them, in Graph's terms. */
#include "engine/text/civil.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/flagged.h"
#include "services/mail/outlook/internal.h"

#define TEXT_SHOWN (64 * 1024) /* bytes of a body */

struct view {
    struct tx *tx;
    struct json_writer *w;
    const struct mail_message *m;
    const struct mailbox *mb;
    struct outlook_box box;
    struct mail_message_body body;
};

static const char *view_header(const struct view *v, const char *name)
{
    return mime_header(v->tx->arena, v->body.head, v->body.head_len, name);
}

static void view_people(const struct view *v, const char *member, const char *field, bool one)
{
    struct mime_address *list;
    size_t n;
    bool bad;
    mime_address_fields(v->tx->arena, v->body.head, v->body.head_len, field, &list, &n, &bad);
    if (!n)
        return;
    if (!one)
        json_arr(v->w, member);
    for (size_t i = 0; i < n && (!one || !i); i++) {
        const char *email = email_normal(v->tx->arena, list[i].email);
        json_str(v->w, one ? member : NULL, email ? email : list[i].email);
    }
    if (!one)
        json_end(v->w);
}

/* "Inbox/Plans" */
static int folder_path(struct tx *tx, int64_t mailbox, int64_t id, const char **ret)
{
    const char *path = NULL;
    for (int depth = 0; id && depth <= FOLDER_DEPTH_MAX; depth++) {
        struct mail_folder f;
        int r = mail_folder_get(tx, mailbox, id, &f);
        if (r != 1)
            return r;
        path = path ? arena_printf(tx->arena, "%s/%s", f.name, path) : f.name;
        id = f.parent;
    }
    *ret = path ? path : "";
    return 0;
}

static int write_texts(const struct view *v)
{
    const char *text, *html;
    size_t n, html_n;
    if (mail_message_texts(v->tx, &v->body, TEXT_SHOWN, &text, &n, &html, &html_n) < 0)
        return -1;
    if (text)
        json_strn(v->w, "text", text, n);
    return 0;
}

static void write_files(const struct view *v)
{
    int n = 0;
    for (int i = 0; i < v->body.mime.n; i++) {
        const struct mime_part *p = &v->body.mime.parts[i];
        if (!mime_is_file(&v->body.mime, i) || !p->filename)
            continue;
        if (!n++)
            json_arr(v->w, "attachments");
        json_obj(v->w, NULL);
        json_str(v->w, "name", p->filename);
        json_str(v->w, "contentType", p->type);
        json_int(v->w, "size", (int64_t)p->size);
        json_end(v->w);
    }
    if (n)
        json_end(v->w);
}

static int write_state(const struct view *v, struct entity_about *about)
{
    static const char *const flags[] = {"notFlagged", "flagged", "complete"},
                             *const importances[] = {"low", "normal", "high"};
    struct mail_property p;
    const char **names, *path;
    size_t n;
    if (mail_property_get(v->tx, v->m, &p) < 0 || outlook_categories(v->tx, v->m, &names, &n) < 0 ||
        folder_path(v->tx, v->m->mailbox, v->m->folder, &path) < 0)
        return -1;
    if (p.flag != FLAG_NONE)
        about->is[3] = outlook_flag_name(v->tx, v->mb->email, 0);
    json_str(v->w, "folder", path);
    json_bool(v->w, "isRead", !(v->m->flags & FLAG(KEYWORD_UNSEEN)));
    json_bool(v->w, "isDraft", (v->m->flags & FLAG(KEYWORD_DRAFT)) != 0);
    json_str(v->w, "importance", importances[p.importance + 1]);
    json_str(v->w, "flagStatus", flags[p.flag]);
    if (n)
        json_arr(v->w, "categories");
    for (size_t i = 0; i < n; i++)
        json_str(v->w, NULL, names[i]);
    if (n)
        json_end(v->w);
    return 0;
}

/* A letter by who sent it and its subject, as what it is about names it. */
static const char *letter_name(const struct view *v, const char *title)
{
    struct mime_address *from;
    bool bad;
    size_t n;
    mime_address_fields(v->tx->arena, v->body.head, v->body.head_len, "From", &from, &n, &bad);
    return arena_printf(v->tx->arena, "letter %s %s", n ? from[0].email : v->mb->email,
                        title ? title : "");
}

/* Copies of recipients follow from the sender's, as what leaves the world does; what is sent about
 * a meeting from its event, about a file from that. */
static int describe(const struct view *v, struct entity_about *about)
{
    const char *id = view_header(v, "Message-ID"), *uid;
    about->person = v->mb->email;
    about->title = view_header(v, "Subject");
    if (v->m->flags & (FLAG(FOLDER_SENT) | FLAG(KEYWORD_DRAFT))) {
        about->is[0] = id ? tx_named(v->tx, "message", id) : NULL;
        about->is[1] = letter_name(v, about->title);
        return 0;
    }
    about->follows[0] = id ? tx_named(v->tx, "message", id) : NULL;
    about->part = view_header(v, "Auto-Submitted") != NULL;
    if (!about->part)
        return 0;
    if (mail_message_event_uid(v->tx, &v->body, &uid) < 0)
        return -1;
    about->follows[1] = uid ? tx_named(v->tx, "uid", uid) : letter_name(v, about->title);
    return 0;
}

static int write_message(struct view *v, struct entity_about *about)
{
    struct outlook_item item;
    if (mail_message_open(v->tx, v->m, &v->body) < 0 || outlook_item_of(v->tx, v->m, &item) < 0 ||
        outlook_box_of(v->tx, v->mb, &v->box) < 0 || describe(v, about) < 0)
        return -1;
    about->is[2] = outlook_flag_name(v->tx, v->mb->email, item.key);
    json_str(v->w, "id", outlook_message_id(v->tx->arena, &v->box, item.key, v->m->folder));
    json_str(v->w, "conversationId",
             outlook_conversation_id(v->tx->arena, &v->box, v->m->thread_key));
    json_str(v->w, "mailbox", v->mb->email);
    if (write_state(v, about) < 0)
        return -1;
    view_people(v, "from", "From", true);
    view_people(v, "toRecipients", "To", false);
    view_people(v, "ccRecipients", "Cc", false);
    view_people(v, "bccRecipients", "Bcc", false);
    view_people(v, "replyTo", "Reply-To", false);
    json_str_opt(v->w, "subject", about->title);
    if (write_texts(v) < 0)
        return -1;
    write_files(v);
    if (about->all) {
        json_str_opt(v->w, "internetMessageId", view_header(v, "Message-ID"));
        json_time(v->w, "receivedDateTime", v->m->at_s * US_PER_SECOND, JSON_TIME_S_Z);
        json_time(v->w, "lastModifiedDateTime", item.modified_us, JSON_TIME_US_Z);
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
    if (r != 1)
        return r;
    struct view v = {.tx = tx, .w = w, .m = &m, .mb = &mb};
    return write_message(&v, about);
}

static int folder_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                       struct entity_about *about)
{
    struct mail_folder f;
    struct mailbox mb;
    const char *path;
    int r = mail_folder_get(tx, rowid >> 24, rowid, &f);
    if (r == 1)
        r = mailbox_by_id(tx, f.mailbox, &mb);
    if (r != 1 || f.kind == KIND_KEYWORD)
        return r < 0 ? -1 : 0;
    if (folder_path(tx, f.mailbox, f.id, &path) < 0)
        return -1;
    about->person = mb.email;
    about->title = f.name;
    json_str(w, "mailbox", mb.email);
    json_str(w, "displayName", f.name);
    json_str(w, "path", path);
    json_bool(w, "isHidden", f.hidden);
    if (about->all) {
        json_int(w, "totalItemCount", f.messages);
        json_int(w, "unreadItemCount", f.unread);
    }
    return 1;
}

const struct entity_view outlook_views[] = {
    {"message", "outlook", message_view, NULL, .timeless = true, .vendor = "microsoft",
     .members = "id conversationId mailbox folder isRead isDraft importance flagStatus "
                "categories.* from toRecipients.* ccRecipients.* bccRecipients.* replyTo.* subject "
                "text attachments.*.name attachments.*.contentType attachments.*.size"},
    {"mailLabel", "outlook", folder_view, NULL, .timeless = true, .vendor = "microsoft",
     .members = "mailbox displayName path isHidden"},
    {NULL, NULL, NULL, NULL},
};
