/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the rows of imported worlds, which are hostile input: what must hold besides their
 * tables' constraints, and what is derived anew instead. */
#include "services/mail/core/check.h"
#include "engine/base/utf8.h"
#include "engine/blob/blob.h"
#include "identity/sql.h"
#include "services/mail/core/mail_impl.h"

#define MAILBOX_OF_MESSAGE(id) "(" id " >> 47)"
#define MAILBOX_OF_FOLDER(id)  "(" id " >> 24)"
#define PLACE(id)              "(" id " & 16777215)"
#define NO_COUNT(column)       column " not between 0 and 1099511627776"
/* The years 1 to 9999; null is none. */
#define NO_TIME(column)                                                                            \
    "coalesce(" column ", 0) not between -62135596800000000 and 253402300799999999"

const struct core_rule mail_rules[] = {
    {"mail_mailbox", IDENT_SQL_EMAIL("actor") " is null"},
    {"mail_mailbox", "not " IDENT_SQL_IS_ACCOUNT("mail_mailbox.account", "mail_mailbox.actor",
                                                 "mail_mailbox.vendor")},
    {"mail_mailbox", "folders not between 0 and 16777151"},
    {"mail_mailbox", NO_COUNT("change")},
    {"mail_mailbox", "floor not between 1 and change"},
    {"mail_folder", MAILBOX_OF_FOLDER("id") " <> mailbox"},
    {"mail_folder", PLACE("id") " between 18 and 63"},
    {"mail_folder",
     PLACE("id") " - 64 > (select folders from mail_mailbox b where b.id = mailbox)"},
    {"mail_folder", "kind not between 0 and 2 or hidden not between 0 and 1"},
    {"mail_folder", "parent <> 0 and not exists (select 1 from mail_folder p where p.id = "
                    "mail_folder.parent and p.mailbox = mail_folder.mailbox and p.kind = 1)"},
    {"mail_content", NO_COUNT("size")},
    {"mail_thread", "key <= 0"},
    {"mail_thread", NO_COUNT("change")},
    {"mail_message", MAILBOX_OF_MESSAGE("id") " <> mailbox"},
    {"mail_message", "key <= 0"},
    {"mail_message", "at not between 0 and 8589934591"},
    {"mail_message", "has not between 0 and 127"},
    /* The places and FLAG_OWN_FOLDERS. */
    {"mail_message", "flags not between 0 and 4294967295 or flags & ~2147745791"},
    {"mail_message", NO_COUNT("size")},
    {"mail_message", "change not between 1 and 1099511627776"},
    {"mail_message", "not exists (select 1 from mail_thread t where t.id = thread and "
                     "t.mailbox = mail_message.mailbox and t.key = thread_key)"},
    {"mail_message", "not exists (select 1 from mail_message_head h where h.id = mail_message.id)"},
    {"mail_message_folder", MAILBOX_OF_MESSAGE("message") " <> " MAILBOX_OF_FOLDER("folder")},
    {"mail_message_folder", PLACE("folder") " < 64"},
    {"mail_message_folder",
     "not exists (select 1 from mail_folder l where l.id = mail_message_folder.folder)"},
    {"mail_message_folder", "not exists (select 1 from mail_message m where m.id = message)"},
    {"mail_draft", "key = 0"},
    {"mail_draft", "not exists (select 1 from mail_message m where m.id = message and "
                   "m.mailbox = mail_draft.mailbox and m.flags & 32772)"},
    {"mail_change", MAILBOX_OF_MESSAGE("id") " not in (select id from mail_mailbox)"},
    {"mail_change", "message <= 0 or thread <= 0"},
    {"mail_change", "flags & ~(262143 | 1048576)"},
    {"mail_change",
     "folder not between 0 and 16777216 or folder_before not between 0 and 16777216"},
    {"mail_property", "not exists (select 1 from mail_message m where m.id = message)"},
    {"mail_property", "importance not between -1 and 1 or flag not between 0 and 2 or "
                      "inference not between 0 and 2 or receipts not between 0 and 3"},
    {"mail_property",
     NO_TIME("flag_from_us") " or " NO_TIME("flag_due_us") " or " NO_TIME("flag_done_us")},
    {"mail_answered", "instr(email, '@') = 0"},
    /* The years 1 to 9999. */
    {"mail_answered", "at_us not between -62135596800000000 and 253402300799999999"},
    {NULL, NULL},
};

/* ---- what rules do not say ---- */

static int refuse_row(struct tx *tx, int64_t mailbox, const char *what)
{
    return tx_fail(tx, SOSIA_E_INVALID, NULL, NULL, "mailbox %lld: %s", (long long)mailbox, what);
}

/* Every message has places that its vendor knows; of an exclusive one it is in one folder. */
static int check_messages(struct tx *tx, int64_t mailbox, const struct mail_vendor *v)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from mail_message where id between :first and :last and "
                 "(flags & :fixed & ~:places or (not :exclusive and folder <> 0))");
    static struct sql_text q_folder = SQL_TEXT(
        "select count(*) from (select m.id, m.flags & :folders as at, m.folder as place, "
        "m.mailbox << 24 as base, (select sum(f.id) from mail_message_folder x join mail_folder f "
        "on f.id = x.folder where x.message = m.id and f.kind = 1) as own "
        "from mail_message m where m.id between :first and :last) where "
        "case when own is null then at = 0 or at & (at - 1) or place - base not between 0 and 63 "
        "or at <> 1 << (place - base) else at <> 0 or place <> own end");
    const int64_t first = mail_message_id_at(mailbox, 0), last = mail_message_id_last(mailbox);
    int64_t n;
    if (TX_INT(tx, &q, &n, first, last, FLAGS_FIXED, mail_vendor_places(v), v->exclusive) < 0)
        return -1;
    if (n)
        return refuse_row(tx, mailbox, "a message is at a place that its vendor does not have");
    if (v->exclusive && TX_INT(tx, &q_folder, &n, mail_vendor_folders(v), first, last) < 0)
        return -1;
    return n ? refuse_row(tx, mailbox, "a message must be in exactly one folder") : 0;
}

/* The tree of folders ends at the top. */
static int check_folders(struct tx *tx, int64_t mailbox, const struct mail_vendor *v)
{
    struct mail_folder *list;
    size_t n;
    if (mail_folder_list(tx, mailbox, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int64_t up = list[i].parent;
        int depth = 0;
        if (mail_folder_is_fixed(list[i].id) &&
            !(mail_vendor_places(v) & FLAG(mail_folder_place(list[i].id))))
            return refuse_row(tx, mailbox, "a folder is at a place that its vendor does not have");
        if (up && mail_folder_is_fixed(list[i].id))
            return refuse_row(tx, mailbox, "a folder that every mailbox has is at the top");
        if (!v->tree && !mail_folder_is_fixed(list[i].id) &&
            (up || list[i].kind != KIND_LABEL || list[i].hidden))
            return refuse_row(tx, mailbox, "people have labels alone, which are in no tree");
        while (up && depth++ < FOLDER_DEPTH_MAX) {
            size_t k = 0;
            while (k < n && list[k].id != up)
                k++;
            up = k < n ? list[k].parent : 0;
        }
        if (up)
            return refuse_row(tx, mailbox, "a folder must be within the tree of folders");
    }
    return 0;
}

int mail_check(struct tx *tx)
{
    int64_t *ids;
    size_t n;
    if (mailbox_list(tx, &ids, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct mail_vendor *v = mail_vendor_of(tx, ids[i]);
        if (!v || check_messages(tx, ids[i], v) < 0 || check_folders(tx, ids[i], v) < 0)
            return -1;
    }
    return 0;
}

/* ---- made anew ---- */

static int run(struct tx *tx, const char *text)
{
    return sql_exec(tx->db, text, tx->err);
}

/* The parts of every content read as what they say, and its blobs are counted. */
static int count_blobs(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select id from mail_content order by id");
    struct arena *kept = tx->arena, own;
    int r;
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    arena_init(&own, 0);
    tx->arena = &own;
    while ((r = TX_STEP(tx, st)) == 1) {
        struct mail_message_body b = {0};
        arena_reset(&own);
        if (mail_content_open(tx, sqlite3_column_int64(st, 0), &b) < 0)
            r = -1;
        for (int i = 0; i < b.mime.n && r == 1; i++) {
            const struct mime_part *p = &b.mime.parts[i];
            const char *const texts[] = {p->type, p->charset, p->filename, p->cid};
            for (size_t k = 0; k < SOSIA_LEN(texts) && r == 1; k++)
                if (texts[k] && !utf8_valid(texts[k], strlen(texts[k])))
                    r = tx_fail(tx, SOSIA_E_INVALID, NULL, NULL, "a part's text is not UTF-8");
            if (p->blob && r == 1 && blob_ref(tx, p->blob) < 0)
                r = -1;
        }
        if (r < 0)
            break;
    }
    sql_done(st);
    tx->arena = kept;
    arena_done(&own);
    return r;
}

static int count_folders(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select id from mail_mailbox order by id");
    int r;
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1)
        if (mail_folders_recount(tx, sqlite3_column_int64(st, 0)) < 0) {
            sql_done(st);
            return -1;
        }
    return r;
}

int mail_derive(struct tx *tx)
{
    if (run(tx, "update mail_message set flags = (flags & 2147483647) | (exists "
                "(select 1 from mail_message_folder l where l.message = mail_message.id) << 31);"
                "delete from mail_member; delete from mail_thread_folder;"
                "insert into mail_member (folder, message) select folder, message from "
                "mail_message_folder;") < 0)
        return -1;
    for (int place = 0; place < N_PLACES; place++)
        if (run(tx,
                arena_printf(tx->arena,
                             "insert into mail_member (folder, message) select mailbox << 24 | %d, "
                             "id from mail_message where flags >> %d & 1",
                             place, place)) < 0)
            return -1;
    if (run(tx,
            "delete from mail_thread where id not in (select thread from mail_message);"
            "update mail_thread set (messages, newest, change) = (select count(*), max(m.id), "
            "max(m.change) from mail_message m where m.thread = mail_thread.id);"
            "update mail_mailbox set messages = (select count(*) from mail_message m where "
            "m.mailbox = "
            "mail_mailbox.id), threads = (select count(*) from mail_thread t where t.mailbox = "
            "mail_mailbox.id);"
            "delete from mail_content where id not in (select content from mail_message);"
            "update mail_content set refs = (select count(*) from mail_message m where m.content = "
            "mail_content.id);") < 0)
        return -1;
    if (count_folders(tx) < 0 || count_blobs(tx) < 0)
        return -1;
    return mail_index_derive(tx);
}
