/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the rows of imported worlds, which are hostile input: what must hold besides their
 * tables' constraints, and what is derived anew instead. */
#include "services/mail/core/check.h"
#include "engine/base/utf8.h"
#include "engine/blob/blob.h"
#include "services/mail/core/mail_impl.h"

#define MAILBOX_OF_MESSAGE(id) "(" id " >> 47)"
#define MAILBOX_OF_LABEL(id)   "(" id " >> 24)"
#define PLACE(id)              "(" id " & 16777215)"
#define NO_COUNT(column)       column " not between 0 and 1099511627776"
#define NO_COLOR(column)                                                                           \
    "case when " column " is null then 0 else " column " not glob '#[0-9a-fA-F][0-9a-fA-F]"        \
    "[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]' end"

const struct core_rule mail_rules[] = {
    {"mail_mailbox", "(select a.email from ident_actor a where a.id = actor) is null"},
    {"mail_mailbox", "labels not between 0 and 16777151"},
    {"mail_mailbox", NO_COUNT("change")},
    {"mail_mailbox", "floor not between 1 and change"},
    {"mail_label", MAILBOX_OF_LABEL("id") " <> mailbox"},
    {"mail_label", PLACE("id") " between 14 and 63"},
    {"mail_label", PLACE("id") " - 64 > (select labels from mail_mailbox b where b.id = mailbox)"},
    {"mail_label", "list_view not between 0 and 2"},
    {"mail_label", "message_view not between 0 and 1"},
    {"mail_label", NO_COLOR("color")},
    {"mail_label", NO_COLOR("background")},
    {"mail_content", NO_COUNT("size")},
    {"mail_thread", "key <= 0"},
    {"mail_thread", NO_COUNT("change")},
    {"mail_message", MAILBOX_OF_MESSAGE("id") " <> mailbox"},
    {"mail_message", "key <= 0"},
    {"mail_message", "at not between 0 and 8589934591"},
    {"mail_message", "has not between 0 and 127"},
    /* The roles and FLAG_OWN_LABELS. */
    {"mail_message", "flags not between 0 and 4294967295 or flags & ~2147500031"},
    {"mail_message", NO_COUNT("size")},
    {"mail_message", "change not between 1 and 1099511627776"},
    {"mail_message", "not exists (select 1 from mail_thread t where t.id = thread and "
                     "t.mailbox = mail_message.mailbox and t.key = thread_key)"},
    {"mail_message", "not exists (select 1 from mail_message_head h where h.id = mail_message.id)"},
    {"mail_message_label", MAILBOX_OF_MESSAGE("message") " <> " MAILBOX_OF_LABEL("label")},
    {"mail_message_label", PLACE("label") " < 64"},
    {"mail_message_label",
     "not exists (select 1 from mail_label l where l.id = mail_message_label.label)"},
    {"mail_message_label", "not exists (select 1 from mail_message m where m.id = message)"},
    {"mail_draft", "key = 0"},
    {"mail_draft", "not exists (select 1 from mail_message m where m.id = message and "
                   "m.mailbox = mail_draft.mailbox and m.flags & 4)"},
    {"mail_change", MAILBOX_OF_MESSAGE("id") " not in (select id from mail_mailbox)"},
    {"mail_change", "message <= 0 or thread <= 0"},
    {"mail_change", "flags & ~(16383 | 1048576)"},
    {"mail_answered", "instr(email, '@') = 0"},
    /* The years 1 to 9999. */
    {"mail_answered", "at_us not between -62135596800000000 and 253402300799999999"},
    {NULL, NULL},
};

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

static int count_labels(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select id from mail_mailbox order by id");
    int r;
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1)
        if (mail_labels_recount(tx, sqlite3_column_int64(st, 0)) < 0) {
            sql_done(st);
            return -1;
        }
    return r;
}

int mail_derive(struct tx *tx)
{
    if (run(tx, "update mail_message set flags = (flags & 2147483647) | (exists "
                "(select 1 from mail_message_label l where l.message = mail_message.id) << 31);"
                "delete from mail_labelled; delete from mail_thread_label;"
                "insert into mail_labelled (label, message) select label, message from "
                "mail_message_label;") < 0)
        return -1;
    for (int role = 0; role < N_LABEL_ROLES; role++)
        if (run(tx, arena_printf(
                        tx->arena,
                        "insert into mail_labelled (label, message) select mailbox << 24 | %d, "
                        "id from mail_message where flags >> %d & 1",
                        role, role)) < 0)
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
    if (count_labels(tx) < 0 || count_blobs(tx) < 0)
        return -1;
    return mail_index_derive(tx);
}
