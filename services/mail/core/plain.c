/* SPDX-License-Identifier: Apache-2.0 */
/* Messages in the core's own terms, which mailboxes of all vendors have in common. */
#include "engine/state/plain.h"
#include "services/mail/core/seed_impl.h"
#include <stdio.h>

#define TEXT_SHOWN (1 << 20) /* bytes of a text */

static void plain_addresses(struct tx *tx, struct json_writer *w, const char *member,
                            const struct mail_message_body *b, const char *head)
{
    struct mime_address *list;
    bool bad;
    size_t n;
    mime_address_fields(tx->arena, b->head, b->head_len, head, &list, &n, &bad);
    const char **emails = arena_calloc(tx->arena, n + 1, sizeof *emails);
    if (arena_failed(tx->arena))
        return;
    for (size_t i = 0; i < n; i++)
        emails[i] = list[i].email;
    plain_list(w, member, emails, n);
}

/* The folder by what it is for, else its path by names; NULL: a mark that is not shown here. */
static int plain_place(struct tx *tx, const struct mailbox *mb, int64_t id, const char **ret)
{
    static const char *const roles[N_PLACES] = {
        [FOLDER_INBOX] = "inbox", [FOLDER_SENT] = "sent", [FOLDER_DRAFTS] = "drafts",
        [FOLDER_TRASH] = "trash", [FOLDER_JUNK] = "junk", [FOLDER_ARCHIVE] = "archive"};
    struct mail_folder f;
    if (mail_folder_is_fixed(id)) {
        *ret = mail_folder_place(id) < N_PLACES ? roles[mail_folder_place(id)] : NULL;
        return 0;
    }
    int r = mail_folder_get(tx, mb->id, id, &f);
    *ret = r == 1 ? f.name : NULL;
    for (int depth = 0; r == 1 && f.parent && depth < FOLDER_DEPTH_MAX; depth++) {
        if (mail_folder_is_fixed(f.parent))
            break;
        r = mail_folder_get(tx, mb->id, f.parent, &f);
        if (r == 1)
            *ret = arena_printf(tx->arena, "%s/%s", f.name, *ret);
    }
    return r < 0 ? -1 : 0;
}

/* What is in no folder is archived, as others have a folder for it. */
static int write_places(struct tx *tx, struct json_writer *w, const struct mailbox *mb,
                        const struct mail_message *m)
{
    int64_t *ids;
    size_t n, used = 0;
    if (mail_message_folders(tx, m, &ids, &n) < 0)
        return -1;
    const char **names = arena_calloc(tx->arena, n + 1, sizeof *names);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n; i++) {
        if (plain_place(tx, mb, ids[i], &names[used]) < 0)
            return -1;
        used += names[used] != NULL;
    }
    if (!used)
        names[used++] = "archive";
    plain_list(w, "in", names, used);
    return 0;
}

static void write_files(struct tx *tx, struct json_writer *w, const struct mime *m)
{
    const char **names = arena_calloc(tx->arena, (size_t)m->n + 1, sizeof *names);
    size_t n = 0;
    for (int i = 0; !arena_failed(tx->arena) && i < m->n; i++)
        if (m->parts[i].filename && *m->parts[i].filename && !mime_is_multipart(&m->parts[i]))
            names[n++] = m->parts[i].filename;
    plain_list(w, "files", names, n);
}

int message_plain(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct mail_message m;
    struct mail_message_body b;
    struct mailbox mb;
    const char *text, *html;
    size_t n, html_n;
    int r = mail_message_by_id(tx, rowid, &m);
    if (r == 1)
        r = mailbox_by_id(tx, m.mailbox, &mb);
    if (r != 1)
        return r;
    if (mail_message_open(tx, &m, &b) < 0 ||
        mail_message_texts(tx, &b, TEXT_SHOWN, &text, &n, &html, &html_n) < 0)
        return -1;
    json_str(w, "person", mb.email);
    plain_text(w, tx->arena, "title", mime_header(tx->arena, b.head, b.head_len, "Subject"));
    if (write_places(tx, w, &mb, &m) < 0)
        return -1;
    json_bool_opt(w, "unread", m.flags & FLAG(KEYWORD_UNSEEN));
    json_bool_opt(w, "flagged", m.flags & FLAG(KEYWORD_FLAGGED));
    plain_addresses(tx, w, "from", &b, "From");
    plain_addresses(tx, w, "to", &b, "To");
    plain_addresses(tx, w, "cc", &b, "Cc");
    plain_addresses(tx, w, "bcc", &b, "Bcc");
    if (text)
        plain_text(w, tx->arena, "text", arena_memdup(tx->arena, text, n));
    write_files(tx, w, &b.mime);
    return 1;
}

/* Of its owner's alone: the others are there from the start. */
int folder_plain(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    const char *path;
    struct mailbox mb;
    if (mail_folder_is_fixed(rowid))
        return 0;
    int r = mailbox_by_id(tx, rowid >> 24, &mb);
    if (r == 1)
        r = plain_place(tx, &mb, rowid, &path) < 0 ? -1 : path != NULL;
    if (r != 1)
        return r;
    json_str(w, "person", mb.email);
    json_str(w, "title", path);
    return 1;
}
