/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/codec.h"
#include "services/mail/core/label.h"
#include "engine/base/utf8.h"
#include "engine/world/event.h"
#include "services/mail/core/mail_impl.h"
#include <stdlib.h>
#include <utf8proc.h>

#define NAME_MAX_BYTES 1000

const char *const label_words[N_LABEL_ROLES + 1] = {
    [LABEL_INBOX] = "INBOX",
    [LABEL_SENT] = "SENT",
    [LABEL_DRAFT] = "DRAFT",
    [LABEL_TRASH] = "TRASH",
    [LABEL_SPAM] = "SPAM",
    [LABEL_UNREAD] = "UNREAD",
    [LABEL_STARRED] = "STARRED",
    [LABEL_IMPORTANT] = "IMPORTANT",
    [LABEL_CHAT] = "CHAT",
    [LABEL_PERSONAL] = "CATEGORY_PERSONAL",
    [LABEL_SOCIAL] = "CATEGORY_SOCIAL",
    [LABEL_PROMOTIONS] = "CATEGORY_PROMOTIONS",
    [LABEL_UPDATES] = "CATEGORY_UPDATES",
    [LABEL_FORUMS] = "CATEGORY_FORUMS",
};

/* What its owner may change, besides the name. */
#define LOOK(X)                                                                                    \
    X(list_view, list_view, NUMBER)                                                                \
    X(message_view, message_hidden, NUMBER)                                                        \
    X(color, color, STRING)                                                                        \
    X(background, background, STRING)
#define COUNTS(X)                                                                                  \
    X(messages, messages, NUMBER)                                                                  \
    X(unread, unread, NUMBER)                                                                      \
    X(threads, threads, NUMBER)                                                                    \
    X(unread_threads, unread_threads, NUMBER)
#define SELECT "select id, mailbox, name" LOOK(COLUMN_NAME) COUNTS(COLUMN_NAME) " from mail_label "

#define NAMES LOOK(COLUMN_NAME)
#define MARKS LOOK(COLUMN_MARK)
#define SETS  LOOK(COLUMN_SET)

static void read_label(struct tx *tx, sqlite3_stmt *st, struct mail_label *row)
{
    int at = 3;
    row->id = sqlite3_column_int64(st, 0);
    row->mailbox = sqlite3_column_int64(st, 1);
    row->name = tx_string(tx, st, 2);
    LOOK(COLUMN_READ)
    COUNTS(COLUMN_READ)
}

static int read_one_label(struct tx *tx, sqlite3_stmt *st, struct mail_label *ret)
{
    int r = TX_STEP(tx, st);
    if (r == 1) {
        read_label(tx, st, ret);
        sql_done(st);
    }
    return r;
}

int mail_label_get(struct tx *tx, int64_t mailbox, int64_t id, struct mail_label *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where id = :id and mailbox = :mailbox");
    return read_one_label(tx, TX_QUERY(tx, &q, id, mailbox), ret);
}

/* A name as names are compared: the accents are part of it, its case and the form of Unicode
 * are not. */
static const char *fold_name(struct arena *a, const char *name)
{
    utf8proc_uint8_t *out = NULL;
    utf8proc_ssize_t n = strlen(name) > NAME_MAX_BYTES
                             ? -1
                             : utf8proc_map((const utf8proc_uint8_t *)name, 0, &out,
                                            UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                                                UTF8PROC_CASEFOLD);
    const char *folded = arena_strdup(a, n < 0 ? name : (const char *)out);
    free(out);
    return folded;
}

int mail_label_by_name(struct tx *tx, int64_t mailbox, const char *name, struct mail_label *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where mailbox = :mailbox and fold = :fold");
    return read_one_label(tx, TX_QUERY(tx, &q, mailbox, fold_name(tx->arena, name)), ret);
}

int mail_label_list(struct tx *tx, int64_t mailbox, struct mail_label **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT(SELECT "where id >= :mailbox << 24 and "
                                               "id < (:mailbox + 1) << 24 order by id");
    size_t n = 0, cap = 0;
    struct mail_label *list = NULL;
    int r;
    sqlite3_stmt *st = TX_QUERY(tx, &q, mailbox);
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1) {
        if (!(list = arena_grow(tx->arena, list, n, &cap, sizeof *list))) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        read_label(tx, st, &list[n++]);
    }
    *ret = list;
    *ret_n = n;
    return r;
}

/* ---- changing ---- */

static int check_name(struct tx *tx, const char *name)
{
    if (!name || !*name)
        return tx_fail(tx, SOSIA_E_INVALID, "labelName", "name", "a label has a name");
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            return tx_fail(tx, SOSIA_E_INVALID, "labelName", "name",
                           "a label's name has no control characters");
    if (strlen(name) > NAME_MAX_BYTES)
        return tx_fail(tx, SOSIA_E_INVALID, "labelName", "name",
                       "a label's name has at most %d bytes", NAME_MAX_BYTES);
    if (!utf8_valid(name, strlen(name)))
        return tx_fail(tx, SOSIA_E_INVALID, "labelName", "name", "a label's name is UTF-8");
    return 0;
}

static int check_free(struct tx *tx, int64_t mailbox, int64_t id, const char *name)
{
    struct mail_label other;
    int r = mail_label_by_name(tx, mailbox, name, &other);
    if (r == 1 && other.id != id)
        return tx_fail(tx, SOSIA_E_CONFLICT, "labelExists", "name",
                       "there is a label \"%.80s\" already", other.name);
    return r < 0 ? -1 : 0;
}

static int next_number(struct tx *tx, int64_t mailbox, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select labels from mail_mailbox where id = :id");
    static struct sql_text q_set = SQL_TEXT("update mail_mailbox set labels = :n where id = :id");
    int64_t last;
    int r = TX_INT(tx, &q, &last, mailbox);
    if (r != 1)
        return r < 0 ? -1 : tx_fail(tx, SOSIA_E_NOT_FOUND, NULL, NULL, "there is no mailbox");
    if (tx_counted(tx, tx_numbered(tx, "mail.label", mailbox), last, ret) < 0)
        return -1;
    return TX_RUN(tx, &q_set, *ret, mailbox);
}

/* A number that a document has chosen is used up too. */
static int use_number(struct tx *tx, int64_t mailbox, int64_t number)
{
    static struct sql_text q =
        SQL_TEXT("update mail_mailbox set labels = max(labels, :number) where id = :id");
    return TX_RUN(tx, &q, number, mailbox);
}

/* As long as few numbers were given there is nothing to count. */
static int check_count(struct tx *tx, int64_t mailbox)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from mail_mailbox where id = :mailbox and labels >= :most and (select "
                 "count(*) from mail_label where id >= (:mailbox << 24) + 64 and "
                 "id < (:mailbox + 1) << 24) >= :most");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, mailbox, LABELS_MAX);
    if (r != 1)
        return r;
    sql_done(st);
    return tx_fail(tx, SOSIA_E_FULL, "tooManyLabels", NULL,
                   "a mailbox has at most %d labels of its own", LABELS_MAX);
}

int mail_label_add(struct tx *tx, struct mail_label *row)
{
    static struct sql_text q = SQL_TEXT("insert into mail_label (id, mailbox, name, fold" NAMES ") "
                                        "values (?, ?, ?, ?" MARKS ")");
    int64_t number = row->id ? mail_label_number(row->id) : 0;
    if (check_name(tx, row->name) < 0 || check_free(tx, row->mailbox, 0, row->name) < 0 ||
        check_count(tx, row->mailbox) < 0)
        return -1;
    if (row->id ? use_number(tx, row->mailbox, number) < 0
                : next_number(tx, row->mailbox, &number) < 0)
        return -1;
    if (number < 1 || number + LABEL_OWN > 0xffffff)
        return tx_fail(tx, SOSIA_E_FULL, "tooManyLabels", NULL,
                       "the numbers of labels are used up");
    row->id = mail_label_id(row->mailbox, LABEL_OWN + number);
    row->messages = row->unread = row->threads = row->unread_threads = 0;
    if (TX_RUN(tx, &q, row->id, row->mailbox, row->name,
               fold_name(tx->arena, row->name) LOOK(COLUMN_VALUE)) == 0) {
        event_note(tx, CHANGED_LABELS, OP_ADDED, row->mailbox, row->id);
        return 0;
    }
    return tx->err->code == SOSIA_E_CONFLICT
               ? tx_fail(tx, SOSIA_E_CONFLICT, "labelExists", "number",
                         "there is a label with the number %lld already", (long long)number)
               : -1;
}

int mail_label_save(struct tx *tx, const struct mail_label *old, struct mail_label *row)
{
    static struct sql_text q =
        SQL_TEXT("update mail_label set name = ?, fold = ?" SETS " where id = ?");
    if (str_same(old->name, row->name) LOOK(COLUMN_SAME))
        return 0;
    if (mail_label_is_role(row->id))
        row->name = old->name;
    if (check_name(tx, row->name) < 0 || check_free(tx, row->mailbox, row->id, row->name) < 0)
        return -1;
    event_note(tx, CHANGED_LABELS, OP_CHANGED, row->mailbox, row->id);
    return TX_RUN(tx, &q, row->name, fold_name(tx->arena, row->name) LOOK(COLUMN_VALUE), row->id);
}

int mail_label_delete(struct tx *tx, const struct mail_label *l)
{
    static struct sql_text q_messages = SQL_TEXT(
        "select " MESSAGE_COLUMNS " from mail_labelled l join mail_message m on m.id = l.message "
        "where l.label = :label order by m.id");
    static struct sql_text q = SQL_TEXT("delete from mail_label where id = :id");
    struct mail_message *list;
    size_t n;
    if (mail_label_is_role(l->id))
        return tx_fail(tx, SOSIA_E_INVALID, "label", NULL, "every mailbox has %s", l->name);
    sqlite3_stmt *messages = TX_QUERY(tx, &q_messages, l->id);
    if (!messages)
        return -1;
    if (mail_message_rows(tx, messages, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (mail_message_modify(tx, &list[i], NULL, 0, &l->id, 1) < 0)
            return -1;
    event_note(tx, CHANGED_LABELS, OP_REMOVED, l->mailbox, l->id);
    return TX_RUN(tx, &q, l->id);
}
