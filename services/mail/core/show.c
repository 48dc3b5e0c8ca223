/* SPDX-License-Identifier: Apache-2.0 */
#include "services/mail/core/show.h"
#include "engine/base/utf8.h"
#include "engine/http/principal.h"
#include "engine/search/plain.h"
#include "engine/text/civil.h"
#include "engine/world/engine.h"
#include "identity/account.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/core/search.h"
#include <stdio.h>

#define TEXT_SHOWN    (1 << 20) /* bytes of a text or of HTML */
#define FIELD_SHOWN   1000      /* bytes of a field in a row */
#define FIELDS_SHOWN  200
#define PARTS_SHOWN   1000
#define VENDORS_SHOWN 8
#define MOST_FOUND    10000

static int find_mailbox(struct tx *tx, const struct mail_shown *s, struct mailbox *ret)
{
    const struct resolver *resolver = resolver_of(tx);
    struct actor actor;
    int r = resolver ? resolver->find(tx, s->actor, &actor) : -1;
    if (r == 1)
        r = s->vendor ? mailbox_at(tx, actor.id, s->vendor, ret) : mailbox_of(tx, actor.id, ret);
    if (r)
        return r < 0 ? -1 : 0;
    return tx_fail(tx, SOSIA_E_NOT_FOUND, "mailboxNotFound", "actor",
                   "actor must be somebody with a mailbox%s%.40s, \"%.80s\" is not",
                   s->vendor ? " of " : "", s->vendor ? s->vendor : "", s->actor);
}

static void write_id(struct json_writer *w, const char *name, int64_t id)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)id);
    json_str(w, name, text);
}

static void show_key(struct json_writer *w, const char *name, int64_t key)
{
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)key);
    json_str(w, name, text);
}

/* ---- folders ---- */

/* Whose service the mailbox is of, and with whom its person has others. */
static int write_vendors(struct tx *tx, struct json_writer *w, const struct mailbox *mb)
{
    const char *vendors[VENDORS_SHOWN];
    struct account account;
    int r = account_get(tx, mb->account, &account);
    int n = r < 0 ? -1 : account_vendors(tx, mb->actor, ACCOUNT_MAIL, vendors, VENDORS_SHOWN);
    if (n < 0)
        return -1;
    if (r == 1)
        json_str(w, "vendor", account.vendor);
    json_arr(w, "vendors");
    for (int i = 0; i < n; i++)
        json_str(w, NULL, vendors[i]);
    json_end(w);
    return 0;
}

static int show_folders(struct tx *tx, struct json_writer *w, void *arg)
{
    static const char *const kinds[] = {
        [KIND_LABEL] = "label", [KIND_FOLDER] = "folder", [KIND_KEYWORD] = "keyword"};
    struct mail_folder *list;
    struct mailbox mb;
    size_t n;
    if (find_mailbox(tx, arg, &mb) < 0 || mail_folder_list(tx, mb.id, &list, &n) < 0)
        return -1;
    json_obj(w, NULL);
    if (write_vendors(tx, w, &mb) < 0)
        return -1;
    json_arr(w, "folders");
    for (size_t i = 0; i < n; i++) {
        json_obj(w, NULL);
        write_id(w, "id", list[i].id);
        json_str(w, "name", list[i].name);
        json_str(w, "kind", kinds[list[i].kind]);
        json_int(w, "total", list[i].messages);
        json_int(w, "unread", list[i].unread);
        if (list[i].parent)
            write_id(w, "parent", list[i].parent);
        json_bool_opt(w, "hidden", list[i].hidden);
        json_end(w);
    }
    json_end(w);
    json_end(w);
    return 0;
}

int mail_show_folders(struct sosia_engine *e, uint64_t world, const struct mail_shown *shown,
                      struct sosia_blob *ret_json, struct sosia_err *err)
{
    return world_read(e, world, false, show_folders, (void *)(uintptr_t)shown, ret_json, err);
}

/* ---- rows ---- */

static void write_field(struct tx *tx, struct json_writer *w, const char *member, const char *head,
                        size_t len, const char *name)
{
    const char *text = mime_header(tx->arena, head, len, name);
    if (text)
        json_strn(w, member, text, utf8_truncate(text, strlen(text), FIELD_SHOWN));
}

/* Members of a row, into an open object. */
static int write_members(struct tx *tx, struct json_writer *w, const struct mail_message *m)
{
    const char *head, *snippet;
    int64_t *folders;
    size_t len, n;
    if (mail_message_head(tx, m, &head, &len) < 0 || mail_message_snippet(tx, m, &snippet) < 0 ||
        mail_message_folders(tx, m, &folders, &n) < 0)
        return -1;
    show_key(w, "id", m->key);
    show_key(w, "thread", m->thread_key);
    json_time(w, "at", m->at_s * US_PER_SECOND, JSON_TIME_US_Z);
    write_field(tx, w, "from", head, len, "From");
    write_field(tx, w, "to", head, len, "To");
    write_field(tx, w, "subject", head, len, "Subject");
    json_str_opt(w, "snippet", snippet);
    json_arr(w, "folders");
    for (size_t i = 0; i < n; i++)
        write_id(w, NULL, folders[i]);
    json_end(w);
    json_bool(w, "unread", m->flags & FLAG(KEYWORD_UNSEEN));
    json_bool(w, "files", m->has & HAS_FILE);
    json_int(w, "size", m->size);
    return 0;
}

/* The message before which a page begins; 0: it begins with the newest. It is counted to from the
 * nearer end. 1 found, 0: there are not as many, -1. */
static int message_at(struct tx *tx, const struct mail_folder *folder, int64_t offset, int64_t *ret)
{
    static struct sql_text q_newest =
        SQL_TEXT("select message from mail_member where folder = :folder order by message desc "
                 "limit 1 offset :offset");
    static struct sql_text q_oldest =
        SQL_TEXT("select message from mail_member where folder = :folder order by message "
                 "limit 1 offset :offset");
    *ret = 0;
    if (!offset)
        return 1;
    if (offset > folder->messages)
        return 0;
    const bool back = offset > folder->messages / 2;
    sqlite3_stmt *st = TX_QUERY(tx, back ? &q_oldest : &q_newest, folder->id,
                                back ? folder->messages - offset : offset - 1);
    if (!st)
        return -1;
    int r = TX_STEP(tx, st);
    if (r == 1)
        *ret = sqlite3_column_int64(st, 0);
    sql_done(st);
    return r;
}

struct page {
    struct mail_message *list;
    size_t n;
    bool more;
};

/* Messages with words are had from the newest on: none is known to be at a place. */
static int read_found(struct tx *tx, const struct mail_shown *s, const struct mail_folder *folder,
                      struct page *ret)
{
    const struct mail_list asked = {.mailbox = folder->mailbox,
                                    .query = search_plain(tx->arena, FIELDS_ANY, s->text),
                                    .folders = &folder->id,
                                    .n_folders = 1,
                                    .limit = (size_t)(s->offset + s->limit)};
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (s->offset + s->limit > MOST_FOUND)
        return tx_fail(tx, SOSIA_E_INVALID, "tooManyFound", "offset",
                       "offset and limit must be at most %d together where there is q", MOST_FOUND);
    if (mail_list(tx, &asked, &ret->list, &ret->n, &ret->more) < 0)
        return -1;
    size_t left_out = (size_t)s->offset < ret->n ? (size_t)s->offset : ret->n;
    ret->list += left_out;
    ret->n -= left_out;
    return 0;
}

static int read_page(struct tx *tx, const struct mail_shown *s, const struct mail_folder *folder,
                     struct page *ret)
{
    int64_t before;
    int r = message_at(tx, folder, s->offset, &before);
    const struct mail_list asked = {.mailbox = folder->mailbox,
                                    .folders = &folder->id,
                                    .n_folders = 1,
                                    .before = before,
                                    .limit = (size_t)s->limit};
    return r < 1 ? r : mail_list(tx, &asked, &ret->list, &ret->n, &ret->more);
}

static int write_rows(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct mail_shown *s = arg;
    struct page page = {0};
    struct mail_folder folder;
    struct mailbox mb;
    if (find_mailbox(tx, s, &mb) < 0)
        return -1;
    int r = mail_folder_get(tx, mb.id, s->folder, &folder);
    if (r <= 0)
        return r < 0 ? -1
                     : tx_fail(tx, SOSIA_E_NOT_FOUND, "folderNotFound", "folder",
                               "folder must be the id of a folder of the mailbox, not %lld",
                               (long long)s->folder);
    if ((s->text ? read_found(tx, s, &folder, &page) : read_page(tx, s, &folder, &page)) < 0)
        return -1;
    json_obj(w, NULL);
    json_int(w, "total",
             s->text ? s->offset + (int64_t)page.n + (page.more ? 1 : 0) : folder.messages);
    json_arr(w, "rows");
    for (size_t i = 0; i < page.n; i++) {
        json_obj(w, NULL);
        if (write_members(tx, w, &page.list[i]) < 0)
            return -1;
        json_end(w);
    }
    json_end(w);
    if (page.more)
        json_int(w, "next", s->offset + (int64_t)page.n);
    json_end(w);
    return 0;
}

int mail_show_messages(struct sosia_engine *e, uint64_t world, const struct mail_shown *shown,
                       struct sosia_blob *ret_json, struct sosia_err *err)
{
    return world_read(e, world, false, write_rows, (void *)(uintptr_t)shown, ret_json, err);
}

/* ---- a message ---- */

static int open_message(struct tx *tx, const struct mail_shown *s, struct mail_message *ret,
                        struct mail_message_body *ret_body)
{
    struct mailbox mb;
    if (find_mailbox(tx, s, &mb) < 0)
        return -1;
    int r = mail_message_get(tx, mb.id, s->key, ret);
    if (r <= 0)
        return r < 0 ? -1
                     : tx_fail(tx, SOSIA_E_NOT_FOUND, "messageNotFound", "message",
                               "message must be the id of a message of the mailbox, not %016llx",
                               (unsigned long long)s->key);
    return mail_message_open(tx, ret, ret_body);
}

static void write_head(struct tx *tx, struct json_writer *w, const struct mail_message_body *b)
{
    struct mime_field f;
    size_t pos = 0;
    json_arr(w, "headers");
    for (int i = 0; i < FIELDS_SHOWN && mime_field_next(b->head, b->head_len, &pos, &f); i++) {
        const char *value = mime_value_decoded(tx->arena, &f);
        json_obj(w, NULL);
        json_strn(w, "name", f.name, f.name_len);
        json_str_opt(w, "value", value);
        json_end(w);
    }
    json_end(w);
}

static void write_parts(struct json_writer *w, const struct mime *m)
{
    json_arr(w, "parts");
    for (int i = 0; i < m->n && i < PARTS_SHOWN; i++) {
        const struct mime_part *p = &m->parts[i];
        if (mime_is_multipart(p))
            continue;
        json_obj(w, NULL);
        json_int(w, "n", i);
        json_str(w, "type", p->type);
        json_str_opt(w, "name", p->filename);
        json_int(w, "size", (int64_t)p->size);
        json_str_opt(w, "cid", p->cid);
        json_end(w);
    }
    json_end(w);
}

static int show_message(struct tx *tx, struct json_writer *w, void *arg)
{
    struct mail_message_body b;
    struct mail_message m;
    const char *text, *html;
    size_t n, html_n;
    if (open_message(tx, arg, &m, &b) < 0 ||
        mail_message_texts(tx, &b, TEXT_SHOWN, &text, &n, &html, &html_n) < 0)
        return -1;
    json_obj(w, NULL);
    if (write_members(tx, w, &m) < 0)
        return -1;
    write_head(tx, w, &b);
    if (text)
        json_strn(w, "text", text, n);
    if (html)
        json_strn(w, "html", html, html_n);
    write_parts(w, &b.mime);
    json_end(w);
    return 0;
}

int mail_show_message(struct sosia_engine *e, uint64_t world, const struct mail_shown *shown,
                      struct sosia_blob *ret_json, struct sosia_err *err)
{
    return world_read(e, world, false, show_message, (void *)(uintptr_t)shown, ret_json, err);
}

struct part_asked {
    const struct mail_shown *shown;
    struct buf *out;
};

static int read_part(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct part_asked *p = arg;
    struct mail_message_body b;
    struct mail_message m;
    const char *data;
    size_t n;
    if (open_message(tx, p->shown, &m, &b) < 0)
        return -1;
    if (p->shown->part >= b.mime.n || mime_is_multipart(&b.mime.parts[p->shown->part]))
        return tx_fail(tx, SOSIA_E_NOT_FOUND, "partNotFound", "part",
                       "part must be one of the message's with a body, not %d", p->shown->part);
    if (mail_message_part(tx, &b, p->shown->part, &data, &n) < 0)
        return -1;
    buf_add(p->out, data, n);
    json_null(w, NULL);
    return 0;
}

int mail_show_part(struct sosia_engine *e, uint64_t world, const struct mail_shown *shown,
                   struct buf *out, struct sosia_err *err)
{
    struct part_asked asked = {shown, out};
    struct sosia_blob nothing;
    if (world_read(e, world, false, read_part, &asked, &nothing, err) < 0)
        return -1;
    sosia_blob_free(&nothing);
    return 0;
}
