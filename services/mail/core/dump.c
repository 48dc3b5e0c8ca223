/* SPDX-License-Identifier: Apache-2.0 */
/* Mailboxes in the form of seed documents: the section of dumps, and entities of diffs. */
#include "engine/json/bytes.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "services/mail/core/seed_impl.h"
#include <stdio.h>

/* ---- messages ---- */

static void write_key(struct json_writer *w, const char *member, int64_t key)
{
    char hex[17];
    for (int i = 15; i >= 0; i--, key >>= 4)
        hex[i] = "0123456789abcdef"[key & 15];
    json_strn(w, member, hex, 16);
}

int mail_dump_folders(struct tx *tx, struct json_writer *w, const struct mail_message *m)
{
    int64_t *ids;
    size_t n;
    if (mail_message_folders(tx, m, &ids, &n) < 0)
        return -1;
    json_arr(w, "labels");
    for (size_t i = 0; i < n; i++) {
        struct mail_folder l;
        int r = mail_folder_get(tx, m->mailbox, ids[i], &l);
        if (r < 0)
            return -1;
        if (r && l.parent)
            json_int(w, NULL, mail_folder_number(l.id));
        else if (r)
            json_str(w, NULL, l.name);
    }
    json_end(w);
    return 0;
}

/* base: what a reader would take it for; with its bytes, where it has no pieces. */
static int write_said(const struct form_out *out, struct seed_message *said, const char *bytes,
                      size_t len, bool whole)
{
    const struct mail_message *m = out->of;
    struct mail_draft d = {0};
    int r = mail_draft_of_message(out->tx, m, &d);
    if (r < 0)
        return -1;
    said->key = m->key;
    said->at_s = m->at_s;
    said->draft = r ? d.key : 0;
    said->thread = arena_printf(out->tx->arena, "%016llx", (unsigned long long)m->thread_key);
    if (form_write(out, &mail_state_form, said) < 0)
        return -1;
    if (!whole)
        return form_write(&(struct form_out){out->tx, out->w}, &mail_piece_form, &said->pieces);
    if (mail_seed_is_string(bytes, len))
        json_strn(out->w, "raw", bytes, len);
    else
        json_base64(out->w, "rawBase64", bytes, len);
    return 0;
}

static int write_message(struct tx *tx, struct json_writer *w, const struct mail_message *m)
{
    struct seed_message said = {0}, base = {0};
    struct buf raw;
    int64_t date_s;
    buf_init(&raw, 0);
    int rc = mail_message_raw(tx, m, &raw);
    if (rc == 0)
        rc = mail_property_said(tx, m, &said.property, &base.property);
    if (rc < 0) {
        buf_done(&raw);
        return -1;
    }
    const char *bytes = raw.len ? raw.data : "";
    const bool pieces = mail_seed_pieces(tx->arena, bytes, raw.len, &said.pieces);
    const char *date =
        pieces ? NULL : mime_header(tx->arena, bytes, mime_head_len(bytes, raw.len), "Date");
    base.at_s = pieces                                   ? said.pieces.date_s
                : date && mime_date(date, &date_s, NULL) ? date_s
                                                         : INT64_MIN;
    rc = write_said(&(struct form_out){tx, w, &base, m}, &said, bytes, raw.len, !pieces);
    buf_done(&raw);
    return rc < 0 ? -1 : arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}

/* In an arena of its own. */
static int write_one(struct tx *tx, struct json_writer *w, const struct mail_message *m)
{
    struct arena *kept = tx->arena, own;
    arena_init(&own, 0);
    tx->arena = &own;
    int rc = write_message(tx, w, m);
    tx->arena = kept;
    arena_done(&own);
    return rc;
}

/* ---- the section ---- */

static int write_messages(struct tx *tx, struct json_writer *w, const struct mailbox *mb)
{
    static struct sql_text q = SQL_TEXT("select " MESSAGE_COLUMNS " from mail_message m "
                                        "where m.id >= :from and m.id <= :to order by m.id");
    int r, n = 0;
    sqlite3_stmt *st =
        TX_QUERY(tx, &q, mail_message_id_at(mb->id, 0), mail_message_id_last(mb->id));
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1) {
        struct mail_message m;
        mail_message_read(st, &m);
        if (!n++)
            json_arr(w, "messages");
        json_obj(w, NULL);
        int rc = write_one(tx, w, &m);
        json_end(w);
        if (rc < 0) {
            sql_done(st);
            return -1;
        }
    }
    if (n)
        json_end(w);
    return r;
}

/* Senders who have had the automatic answer. */
static int write_answered(struct tx *tx, struct json_writer *w, const struct mailbox *mb)
{
    static struct sql_text q =
        SQL_TEXT("select email, at_us from mail_answered where mailbox = :mailbox order by email");
    int r, n = 0;
    sqlite3_stmt *st = TX_QUERY(tx, &q, mb->id);
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1) {
        const struct seed_answered a = {(const char *)sqlite3_column_text(st, 0),
                                        sqlite3_column_int64(st, 1)};
        if (!n++)
            json_arr(w, "answered");
        json_obj(w, NULL);
        form_write(&(struct form_out){tx, w}, &mail_answered_form, &a);
        json_end(w);
    }
    if (n)
        json_end(w);
    return r;
}

static int write_folders(struct tx *tx, struct json_writer *w, const struct mailbox *mb,
                         const struct mail_vendor *v)
{
    struct mail_folder *folders;
    size_t n, written = 0;
    int r = 0;
    if (mail_folder_list(tx, mb->id, &folders, &n) < 0)
        return -1;
    for (size_t i = 0; i < n && r >= 0; i++) {
        if ((r = mail_folder_said(tx, v, &folders[i])) != 1)
            continue;
        if (!written++)
            json_arr(w, "labels");
        json_obj(w, NULL);
        r = mail_folder_write(tx, w, v, &folders[i]);
        json_end(w);
    }
    if (written)
        json_end(w);
    return r < 0 ? -1 : 0;
}

/* A mailbox that differs from a new one. 1, 0, -1. */
static int is_used(struct tx *tx, const struct mailbox *mb, const struct mail_vendor *v)
{
    static struct sql_text q =
        SQL_TEXT("select exists (select 1 from mail_answered where mailbox = :mailbox)");
    struct mail_folder *folders;
    int64_t answered;
    size_t n;
    int r = 0;
    if (mb->messages)
        return 1;
    if (TX_INT(tx, &q, &answered, mb->id) < 0 || mail_folder_list(tx, mb->id, &folders, &n) < 0)
        return -1;
    for (size_t i = 0; i < n && r == 0; i++)
        r = mail_folder_said(tx, v, &folders[i]);
    return r < 0 ? -1 : r || answered;
}

/* Whose it is; of a person with several also the vendor, unless the address leads to it. */
static int write_owner(struct tx *tx, struct json_writer *w, const struct mailbox *mb,
                       const struct mail_vendor *v)
{
    struct mailbox first;
    int r = mailbox_of(tx, mb->actor, &first);
    if (r < 0)
        return -1;
    const struct seed_mailbox said = {mb->email, r == 0 || first.id != mb->id ? v->name : NULL};
    return form_write(&(struct form_out){tx, w}, &mail_mailbox_form, &said);
}

int mailboxes_dump(struct tx *tx, struct json_writer *w)
{
    int64_t *ids;
    size_t n, written = 0;
    int rc = 0;
    if (mailbox_list(tx, &ids, &n) < 0)
        return -1;
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct mailbox mb;
        const struct mail_vendor *v = mail_vendor_of(tx, ids[i]);
        if (!v || mailbox_by_id(tx, ids[i], &mb) < 0 || (rc = is_used(tx, &mb, v)) < 0)
            rc = -1;
        if (rc != 1)
            continue;
        if (!written++)
            json_arr(w, "mailboxes");
        json_obj(w, NULL);
        rc = write_owner(tx, w, &mb, v) < 0 || write_folders(tx, w, &mb, v) < 0 ||
                     write_messages(tx, w, &mb) < 0 || write_answered(tx, w, &mb) < 0
                 ? -1
                 : 0;
        json_end(w);
    }
    if (written)
        json_end(w);
    return rc;
}

/* ---- entities ---- */

static int folder_row(struct tx *tx, int64_t rowid, struct mail_folder *ret)
{
    return mail_folder_get(tx, rowid >> 24, rowid, ret);
}

static int write_person(struct tx *tx, int64_t mailbox, struct json_writer *w)
{
    struct mailbox mb;
    int r = mailbox_by_id(tx, mailbox, &mb);
    if (r == 1)
        json_str(w, "mailbox", mb.email);
    return r < 0 ? -1 : 0;
}

static int folder_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct mail_folder l;
    int r = folder_row(tx, rowid, &l);
    if (r != 1)
        return r < 0 ? -1 : 0;
    if (write_person(tx, l.mailbox, w) < 0)
        return -1;
    json_str(w, "name", l.name);
    return 0;
}

static int folder_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct mail_folder f;
    int r = folder_row(tx, rowid, &f);
    const struct mail_vendor *v = r == 1 ? mail_vendor_of(tx, f.mailbox) : NULL;
    if (r == 1)
        r = v ? mail_folder_said(tx, v, &f) : -1;
    return r == 1 && mail_folder_write(tx, w, v, &f) < 0 ? -1 : r;
}

#define SUBJECT_SHOWN 200 /* bytes of a subject that names a message in a diff */

static int message_key_of(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct mail_message m;
    const char *head;
    size_t len;
    int r = mail_message_by_id(tx, rowid, &m);
    if (r != 1)
        return r < 0 ? -1 : 0;
    if (write_person(tx, m.mailbox, w) < 0 || mail_message_head(tx, &m, &head, &len) < 0)
        return -1;
    write_key(w, "id", m.key);
    char *subject = mime_header(tx->arena, head, len, "Subject");
    if (subject)
        json_strn(w, "subject", subject, utf8_truncate(subject, strlen(subject), SUBJECT_SHOWN));
    return 0;
}

static int message_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct mail_message m;
    int r = mail_message_by_id(tx, rowid, &m);
    return r == 1 ? write_one(tx, w, &m) : r;
}

/* Whose terms show a row of a mailbox. */
static int vendor_named(struct tx *tx, int64_t mailbox, const char **ret)
{
    const struct mail_vendor *v = mail_vendor_of(tx, mailbox);
    *ret = v ? v->name : NULL;
    return v ? 1 : -1;
}

static int folder_vendor(struct tx *tx, int64_t rowid, const char **ret)
{
    return vendor_named(tx, rowid >> 24, ret);
}

static int message_vendor(struct tx *tx, int64_t rowid, const char **ret)
{
    return vendor_named(tx, rowid >> (AT_BITS + SEQ_BITS), ret);
}

const struct entity mail_entities[MAIL_ENTITIES] = {
    {.name = "mailLabel",
     .table = "mail_folder",
     .key = folder_key,
     .dump = folder_dump,
     .plain = folder_plain,
     .vendor = folder_vendor},
    {.name = "message",
     .table = "mail_message",
     .key = message_key_of,
     .vendor = message_vendor,
     .dump = message_dump,
     .plain = message_plain,
     .parts =
         (const struct entity_part[]){
             {"mail_draft", ENTITY_OWNER("select message from mail_draft where id = ?1")},
             {"mail_property", ENTITY_OWNER("select ?1")},
             {NULL, NULL}}},
};
