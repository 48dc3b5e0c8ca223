/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/codec.h"
#include "services/mail/core/folder.h"
#include "engine/base/utf8.h"
#include "engine/world/event.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/core/vendor.h"
#include <stdlib.h>
#include <utf8proc.h>

#define NAME_MAX_BYTES 1000

/* What its owner may change, besides the name. */
#define LOOK(X)                                                                                    \
    X(parent, parent, NUMBER)                                                                      \
    X(hidden, hidden, NUMBER)
#define COUNTS(X)                                                                                  \
    X(messages, messages, NUMBER)                                                                  \
    X(unread, unread, NUMBER)                                                                      \
    X(threads, threads, NUMBER)                                                                    \
    X(unread_threads, unread_threads, NUMBER)
#define SELECT                                                                                     \
    "select id, mailbox, name, kind" LOOK(COLUMN_NAME) COUNTS(COLUMN_NAME) " from mail_folder "

#define NAMES LOOK(COLUMN_NAME)
#define MARKS LOOK(COLUMN_MARK)
#define SETS  LOOK(COLUMN_SET)

static void read_folder(struct tx *tx, sqlite3_stmt *st, struct mail_folder *row)
{
    int at = 4;
    row->id = sqlite3_column_int64(st, 0);
    row->mailbox = sqlite3_column_int64(st, 1);
    row->name = tx_string(tx, st, 2);
    row->kind = (enum mail_folder_kind)sqlite3_column_int(st, 3);
    LOOK(COLUMN_READ)
    COUNTS(COLUMN_READ)
}

static int read_one_folder(struct tx *tx, sqlite3_stmt *st, struct mail_folder *ret)
{
    int r = TX_STEP(tx, st);
    if (r == 1) {
        read_folder(tx, st, ret);
        sql_done(st);
    }
    return r;
}

int mail_folder_get(struct tx *tx, int64_t mailbox, int64_t id, struct mail_folder *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where id = :id and mailbox = :mailbox");
    return read_one_folder(tx, TX_QUERY(tx, &q, id, mailbox), ret);
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

int mail_folder_by_name(struct tx *tx, int64_t mailbox, int64_t parent, const char *name,
                        struct mail_folder *ret)
{
    static struct sql_text q =
        SQL_TEXT(SELECT "where mailbox = :mailbox and parent = :parent and fold = :fold");
    return read_one_folder(tx, TX_QUERY(tx, &q, mailbox, parent, fold_name(tx->arena, name)), ret);
}

int mail_folder_list(struct tx *tx, int64_t mailbox, struct mail_folder **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT(SELECT "where id >= :mailbox << 24 and "
                                               "id < (:mailbox + 1) << 24 order by id");
    size_t n = 0, cap = 0;
    struct mail_folder *list = NULL;
    int r;
    sqlite3_stmt *st = TX_QUERY(tx, &q, mailbox);
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1) {
        if (!(list = arena_grow(tx->arena, list, n, &cap, sizeof *list))) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        read_folder(tx, st, &list[n++]);
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

static int check_free(struct tx *tx, const struct mail_folder *f)
{
    struct mail_folder other;
    int r = mail_folder_by_name(tx, f->mailbox, f->parent, f->name, &other);
    if (r == 1 && other.id != f->id)
        return tx_fail(tx, SOSIA_E_CONFLICT, "labelExists", "name",
                       "there is a label \"%.80s\" already", other.name);
    return r < 0 ? -1 : 0;
}

/* The parent is a folder of the mailbox, not far below its top, and not the folder itself or one
 * within it. */
static int check_parent(struct tx *tx, const struct mail_folder *f)
{
    const struct mail_vendor *v = f->parent ? mail_vendor_of(tx, f->mailbox) : NULL;
    int64_t id = f->parent;
    if (f->parent && !v)
        return -1;
    if (f->parent && !v->tree)
        return tx_fail(tx, SOSIA_E_INVALID, "parent", "parent",
                       "parent must be none, since labels are in no tree");
    for (int depth = 0; id; depth++) {
        struct mail_folder up;
        int r =
            id == f->id || depth == FOLDER_DEPTH_MAX ? 0 : mail_folder_get(tx, f->mailbox, id, &up);
        if (r < 0)
            return -1;
        if (!r || up.kind != KIND_FOLDER)
            return tx_fail(tx, SOSIA_E_INVALID, "parent", "parent",
                           "parent must be another folder of the mailbox, at most %d deep",
                           FOLDER_DEPTH_MAX);
        id = up.parent;
    }
    return 0;
}

static int next_number(struct tx *tx, int64_t mailbox, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select folders from mail_mailbox where id = :id");
    static struct sql_text q_set = SQL_TEXT("update mail_mailbox set folders = :n where id = :id");
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
        SQL_TEXT("update mail_mailbox set folders = max(folders, :number) where id = :id");
    return TX_RUN(tx, &q, number, mailbox);
}

/* As long as few numbers were given there is nothing to count. */
static int check_count(struct tx *tx, int64_t mailbox)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from mail_mailbox where id = :mailbox and folders >= :most and (select "
                 "count(*) from mail_folder where id >= (:mailbox << 24) + 64 and "
                 "id < (:mailbox + 1) << 24) >= :most");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, mailbox, FOLDERS_MAX);
    if (r != 1)
        return r;
    sql_done(st);
    return tx_fail(tx, SOSIA_E_FULL, "tooManyLabels", NULL,
                   "a mailbox has at most %d labels of its own", FOLDERS_MAX);
}

int mail_folder_fix(struct tx *tx, int64_t mailbox, const struct mail_fixed *f)
{
    static struct sql_text q =
        SQL_TEXT("insert into mail_folder (id, mailbox, name, fold, kind, hidden) values (:id, "
                 ":mailbox, :name, :fold, :kind, :hidden)");
    return TX_RUN(tx, &q, mail_folder_id(mailbox, f->place), mailbox, f->name,
                  fold_name(tx->arena, f->name), f->kind, f->hidden);
}

int mail_folder_add(struct tx *tx, struct mail_folder *row)
{
    static struct sql_text q =
        SQL_TEXT("insert into mail_folder (id, mailbox, name, fold, kind" NAMES ") "
                 "values (?, ?, ?, ?, ?" MARKS ")");
    int64_t id = row->id, number = id ? mail_folder_number(id) : 0;
    row->id = 0; /* nothing is itself yet */
    int bad = check_name(tx, row->name) < 0 || check_parent(tx, row) < 0 ||
              check_free(tx, row) < 0 || check_count(tx, row->mailbox) < 0;
    row->id = id;
    if (bad)
        return -1;
    if (row->id ? use_number(tx, row->mailbox, number) < 0
                : next_number(tx, row->mailbox, &number) < 0)
        return -1;
    if (number < 1 || number + FOLDER_OWN > 0xffffff)
        return tx_fail(tx, SOSIA_E_FULL, "tooManyLabels", NULL,
                       "the numbers of labels are used up");
    row->id = mail_folder_id(row->mailbox, FOLDER_OWN + number);
    row->messages = row->unread = row->threads = row->unread_threads = 0;
    if (TX_RUN(tx, &q, row->id, row->mailbox, row->name, fold_name(tx->arena, row->name),
               row->kind LOOK(COLUMN_VALUE)) == 0) {
        event_note(tx, CHANGED_FOLDERS, OP_ADDED, row->mailbox, row->id);
        return 0;
    }
    return tx->err->code == SOSIA_E_CONFLICT
               ? tx_fail(tx, SOSIA_E_CONFLICT, "labelExists", "number",
                         "there is a label with the number %lld already", (long long)number)
               : -1;
}

int mail_folder_save(struct tx *tx, const struct mail_folder *old, struct mail_folder *row,
                     bool changed)
{
    static struct sql_text q =
        SQL_TEXT("update mail_folder set name = ?, fold = ?" SETS " where id = ?");
    if (mail_folder_is_fixed(row->id)) {
        row->name = old->name;
        row->parent = old->parent;
    }
    bool same = str_same(old->name, row->name) LOOK(COLUMN_SAME);
    if (same && !changed)
        return 0;
    if (check_name(tx, row->name) < 0 || check_parent(tx, row) < 0 || check_free(tx, row) < 0)
        return -1;
    event_note(tx, CHANGED_FOLDERS, OP_CHANGED, row->mailbox, row->id);
    return same ? 0
                : TX_RUN(tx, &q, row->name, fold_name(tx->arena, row->name) LOOK(COLUMN_VALUE),
                         row->id);
}

int mail_folder_first_child(struct tx *tx, const struct mail_folder *f, struct mail_folder *ret)
{
    static struct sql_text q =
        SQL_TEXT(SELECT "where mailbox = :mailbox and parent = :parent order by id limit 1");
    return read_one_folder(tx, TX_QUERY(tx, &q, f->mailbox, f->id), ret);
}

int mail_folder_children(struct tx *tx, int64_t mailbox, int64_t parent, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from mail_folder where mailbox = :mailbox and parent = :parent "
                 "and kind = 1 and hidden = 0");
    return TX_INT(tx, &q, ret, mailbox, parent) < 0 ? -1 : 0;
}

int mail_folder_size(struct tx *tx, int64_t folder, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select coalesce(sum(m.size), 0) from mail_member x join "
                                        "mail_message m on m.id = x.message where x.folder = :id");
    return TX_INT(tx, &q, ret, folder) < 0 ? -1 : 0;
}
