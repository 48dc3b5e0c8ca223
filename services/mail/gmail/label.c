/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How labels are shown: rows beside the core's folders. A label of the system has one where it is
 * not as it was made; one of the owner's always has, with its name as Gmail compares names.
 */
#include "services/mail/gmail/label.h"
#include "engine/json/doc.h"
#include "engine/state/form.h"
#include "engine/store/scan.h"
#include "engine/world/columns.h"

const char *const label_words[N_SYSTEM_LABELS + 1] = {
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

#define LOOK(X)                                                                                    \
    X(list_view, list_view, NUMBER)                                                                \
    X(message_view, message_hidden, NUMBER)                                                        \
    X(color, color, STRING)                                                                        \
    X(background, background, STRING)
#define NAMES    LOOK(COLUMN_NAME)
#define MARKS    LOOK(COLUMN_MARK)
#define EXCLUDED LOOK(COLUMN_EXCLUDED)
#define COLUMNS  "label, mailbox" LOOK(COLUMN_NAME)

static struct record_text label_record = RECORD_TEXT("gmail_label", COLUMNS);

/* As it is shown when nobody has changed it. */
static void usual(const struct mail_folder *f, struct gmail_label *ret)
{
    const int64_t place = mail_folder_place(f->id);
    const bool hidden = place == LABEL_TRASH || place == LABEL_SPAM ||
                        (place > LABEL_STARRED && mail_folder_is_fixed(f->id));
    *ret = (struct gmail_label){
        .folder = *f, .list_view = hidden ? LIST_HIDE : LIST_SHOW, .message_hidden = hidden};
}

static void read_look(struct tx *tx, sqlite3_stmt *st, struct gmail_label *row)
{
    int at = 2;
    LOOK(COLUMN_READ)
}

int gmail_label_of(struct tx *tx, const struct mail_folder *f, struct gmail_label *row)
{
    static struct sql_text q = SQL_TEXT("select " COLUMNS " from gmail_label where label = :label");
    struct record *rec = arena_calloc(tx->arena, 1, sizeof *rec);
    sqlite3_stmt *st;
    int at = 2;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    rec->arena = tx->arena;
    usual(f, row);
    int r = record_find(tx->db, &label_record, f->id, rec);
    if (r == 1) {
        LOOK(COLUMN_TAKE)
    }
    if (r == RECORD_STATEMENT && (r = TX_ROW(tx, &q, &st, f->id)) == 1) {
        read_look(tx, st, row);
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}

int gmail_label_get(struct tx *tx, int64_t mailbox, int64_t id, struct gmail_label *ret)
{
    struct mail_folder f;
    int r = mail_folder_get(tx, mailbox, id, &f);
    return r == 1 && gmail_label_of(tx, &f, ret) < 0 ? -1 : r;
}

int gmail_labels_of(struct tx *tx, int64_t mailbox, struct gmail_label **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from gmail_label where label >= :mailbox << 24 and "
                 "label < (:mailbox + 1) << 24 order by label");
    struct mail_folder *folders;
    size_t at = 0;
    int r;
    if (mail_folder_list(tx, mailbox, &folders, ret_n) < 0)
        return -1;
    struct gmail_label *list = *ret = arena_alloc(tx->arena, (*ret_n + 1) * sizeof *list);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < *ret_n; i++)
        usual(&folders[i], &list[i]);
    sqlite3_stmt *st = TX_QUERY(tx, &q, mailbox);
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1) {
        const int64_t id = sqlite3_column_int64(st, 0);
        while (at < *ret_n && list[at].folder.id < id)
            at++;
        if (at < *ret_n && list[at].folder.id == id)
            read_look(tx, st, &list[at]);
    }
    return r;
}

/* ---- names ---- */

/* A name as names are compared: without case, and with spaces, slashes and the like as dashes. */
static const char *compared(struct arena *a, const char *name)
{
    char *text = arena_strdup(a, name);
    for (char *p = text; *p; p++) {
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p + 32);
        else if (strchr(" &()\"|{}/", *p))
            *p = '-';
    }
    return text;
}

int gmail_label_taken(struct tx *tx, const struct gmail_label *l)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from gmail_label where mailbox = :mailbox and compared = :compared and "
                 "label & 16777215 >= 64 and label <> :id limit 1");
    sqlite3_stmt *st;
    int r =
        TX_ROW(tx, &q, &st, l->folder.mailbox, compared(tx->arena, l->folder.name), l->folder.id);
    if (r == 1)
        sql_done(st);
    return r;
}

/* ---- changing ---- */

static int put(struct tx *tx, const struct gmail_label *row)
{
    static struct sql_text q =
        SQL_TEXT("insert into gmail_label (label, mailbox, compared" NAMES ") values (?, ?, ?" MARKS
                 ") on conflict (label) do update set compared = excluded.compared" EXCLUDED);
    return TX_RUN(tx, &q, row->folder.id, row->folder.mailbox,
                  compared(tx->arena, row->folder.name) LOOK(COLUMN_VALUE));
}

int gmail_label_add(struct tx *tx, struct gmail_label *l)
{
    l->folder.kind = KIND_LABEL;
    return mail_folder_add(tx, &l->folder) < 0 ? -1 : put(tx, l);
}

static bool looks_same(const struct gmail_label *old, const struct gmail_label *row)
{
    return true LOOK(COLUMN_SAME);
}

int gmail_label_save(struct tx *tx, const struct gmail_label *old, struct gmail_label *l)
{
    const bool same = looks_same(old, l), named = str_same(old->folder.name, l->folder.name);
    if (mail_folder_save(tx, &old->folder, &l->folder, !same) < 0)
        return -1;
    return same && named ? 0 : put(tx, l);
}

int gmail_label_gone(struct tx *tx, const struct mail_folder *f)
{
    static struct sql_text q = SQL_TEXT("delete from gmail_label where label = :label");
    return TX_RUN(tx, &q, f->id);
}

/* ---- seed documents ---- */

static const char *const list_views[] = {"show", "showUnread", "hide", NULL};
static const char *const views[] = {"show", "hide", NULL};

static int check_color(const struct form_in *in, const struct member *m, void *row)
{
    const char *text = member_text(m, row);
    return text && (strlen(text) != 7 || text[0] != '#' ||
                    strspn(text + 1, "0123456789abcdefABCDEF") != 6)
               ? doc_refuse(in->d, in->value, m->name, "\"%.40s\" is not a color such as #16a766",
                            text)
               : 0;
}

static int check_colors(const struct form_in *in, void *row)
{
    const struct gmail_label *l = row;
    return !l->color != !l->background
               ? doc_fail(in->d, in->value, NULL, "a label has both colors or none")
               : 0;
}

#define COLOR_AT(field) .check = check_color, TEXT_AT(struct gmail_label, field)

static const struct member label_members[] = {
    {"listView", "Whether lists of labels show it",
     ENUM_AT(struct gmail_label, list_view, list_views)},
    {"messageView", "Whether lists of messages do",
     ENUM_AT(struct gmail_label, message_hidden, views)},
    {"color", "Of its name, as #16a766; both colors or none", COLOR_AT(color)},
    {"background", "Of what is behind it", COLOR_AT(background)},
};
const struct form gmail_label_form = {.about = "How Gmail shows a label",
                                      .members = label_members,
                                      .n = SOSIA_LEN(label_members),
                                      .size = sizeof(struct gmail_label),
                                      .check = check_colors};

void gmail_label_usual(const struct mail_folder *f, void *row)
{
    usual(f, row);
}

int gmail_label_look(struct tx *tx, const struct mail_folder *f, void *row)
{
    return gmail_label_of(tx, f, row);
}

int gmail_label_put(struct tx *tx, const struct mail_folder *f, const void *row, bool fresh)
{
    struct gmail_label old;
    (void)fresh;
    if (gmail_label_of(tx, f, &old) < 0)
        return -1;
    return mail_folder_is_fixed(f->id) && looks_same(&old, row) ? 0 : put(tx, row);
}

/* ---- imported rows ---- */

/* Each is of a label that is there, and has its name. */
int gmail_label_check(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select label, mailbox, compared from gmail_label order by label");
    int r;
    sqlite3_stmt *st = sql_use(tx->db, &q);
    if (!st)
        return slot_fail(tx->db, tx->err);
    while ((r = TX_STEP(tx, st)) == 1) {
        struct mail_folder f;
        int rc = mail_folder_get(tx, sqlite3_column_int64(st, 1), sqlite3_column_int64(st, 0), &f);
        if (rc == 0 || (rc == 1 && strcmp(compared(tx->arena, f.name),
                                          (const char *)sqlite3_column_text(st, 2)) != 0))
            rc = tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                         "a row of gmail_label must be of a label and have its name");
        if (rc < 0) {
            sql_done(st);
            return -1;
        }
    }
    return r;
}
