/* SPDX-License-Identifier: Apache-2.0 */
/* The feed of changes. */
#include "engine/world/number.h"
#include "engine/text/civil.h"
#include "services/mail/core/mail_impl.h"
#include "engine/world/event.h"
#include <stdlib.h>

#define FEED_BITS 47
#define FEED_DAYS 30
/* In the flags of a row: the row behind it is of the same record. */
#define GOES_ON (INT64_C(1) << 20)

/* A row as it is; the numbers of mailbox and change are in its id. */
struct feed_row {
    int64_t id, at, kind, message, thread, flags, folder_before, folder;
    const char *own, *folders; /* read: as long as the statement is at the row */
};
#define FEED(X)                                                                                    \
    X(at, at, NUMBER)                                                                              \
    X(kind, kind, NUMBER)                                                                          \
    X(message, message, NUMBER)                                                                    \
    X(thread, thread, NUMBER)                                                                      \
    X(flags, flags, NUMBER)                                                                        \
    X(own, own, PLACES)                                                                            \
    X(folders, folders, PLACES)                                                                    \
    X(folder_before, folder_before, NUMBER)                                                        \
    X(folder, folder, NUMBER)
#define COLUMN_VALUE_PLACES(v)         (v)
#define COLUMN_READ_PLACES(tx, st, at) (const char *)sqlite3_column_text(st, at)

int mail_change_number(struct tx *tx, int64_t *ret)
{
    if (tx_number(tx, "mail.change", ret) < 0)
        return -1;
    ++*ret; /* mailboxes begin with 1 */
    return 0;
}

static void add_place(struct buf *b, int64_t folder)
{
    if (b->len)
        buf_byte(b, ' ');
    buf_i64(b, mail_folder_place(folder));
}

/* A folder as rows have it: its place and one; 0: none. */
static int64_t place_of(int64_t folder)
{
    return folder ? mail_folder_place(folder) + 1 : 0;
}

static int64_t folder_of(int64_t mailbox, int64_t place)
{
    return place ? mail_folder_id(mailbox, place - 1) : 0;
}

int mail_change_note(struct tx *tx, int64_t mailbox, int64_t number, bool quiet)
{
    static struct sql_text q =
        SQL_TEXT("update mail_mailbox set change = :number where id = :mailbox");
    static struct sql_text q_quiet =
        SQL_TEXT("update mail_mailbox set change = :number, floor = :number where id = :mailbox");
    if (TX_RUN(tx, quiet ? &q_quiet : &q, number, mailbox) < 0)
        return -1;
    return 0;
}

static int add_row(struct tx *tx, const struct feed_row *row)
{
    static struct sql_text q = SQL_TEXT(
        "insert into mail_change (id" FEED(COLUMN_NAME) ") values (?" FEED(COLUMN_MARK) ")");
    return TX_RUN(tx, &q, row->id FEED(COLUMN_VALUE));
}

/* What labelling changes. */
static const char *const only_folders[] = {"labels", NULL};

int mail_change_notify(struct tx *tx, const struct mail_message *m, enum mail_change_kind kind,
                       const int64_t *folders, size_t n, const struct mail_folder_set *now,
                       int64_t before, bool goes_on)
{
    struct buf own, changed;
    buf_init(&own, 0);
    buf_init(&changed, 0);
    for (size_t i = 0; now && i < now->n_own; i++)
        add_place(&own, now->own[i]);
    for (size_t i = 0; i < n; i++)
        add_place(&changed, folders[i]);
    const struct feed_row row = {
        .id = m->mailbox << FEED_BITS | m->change,
        .at = tx->now_us / US_PER_SECOND,
        .kind = kind,
        .message = m->key,
        .thread = m->thread_key,
        .flags = (now ? (int64_t)(now->flags & FLAGS_FIXED) : 0) | (goes_on ? GOES_ON : 0),
        .own = own.len ? buf_str(&own) : NULL,
        .folders = changed.len ? buf_str(&changed) : NULL,
        .folder_before = place_of(before),
        .folder = place_of(m->folder),
    };
    int rc =
        buf_failed(&own) || buf_failed(&changed) ? sosia_fail_memory(tx->err) : add_row(tx, &row);
    buf_done(&own);
    buf_done(&changed);
    if (rc < 0 || mail_change_note(tx, m->mailbox, m->change, false) < 0)
        return -1;
    event_raise(
        tx, &(struct world_event){
                .kind = CHANGED_MAIL,
                .operation = kind == MAIL_ADDED     ? OP_ADDED
                             : kind == MAIL_DELETED ? OP_REMOVED
                                                    : OP_CHANGED,
                .scope = m->mailbox,
                .entity = m->id,
                .members = kind == MAIL_LABELLED || kind == MAIL_UNLABELLED ? only_folders : NULL});
    return 0;
}

/* ---- reading ---- */

/* Ids of folders from their places; flags: roles that come first. */
static int read_folders(struct tx *tx, int64_t mailbox, uint32_t flags, const char *text,
                        const int64_t **ret, size_t *ret_n)
{
    size_t n = 0, cap = N_PLACES + 1;
    const uint32_t fixed = flags & FLAGS_FIXED;
    for (const char *p = text; p && *p; p++)
        cap += *p == ' ';
    int64_t *list = arena_alloc(tx->arena, cap * sizeof *list);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (uint32_t places = fixed; places; places &= places - 1)
        list[n++] = mail_folder_id(mailbox, __builtin_ctz(places));
    for (const char *p = text; p && *p && n < cap; p += *p == ' ') {
        char *end;
        long place = strtol(p, &end, 10);
        if (end == p)
            break;
        if ((place >= 0 && place < N_PLACES) || (place >= FOLDER_OWN && place <= 0xffffff))
            list[n++] = mail_folder_id(mailbox, place);
        p = end;
    }
    *ret = list;
    *ret_n = n;
    return 0;
}

static bool in_folders(const int64_t *folders, size_t n, int64_t folder)
{
    for (size_t i = 0; i < n; i++)
        if (folders[i] == folder)
            return true;
    return false;
}

static void read_row(sqlite3_stmt *st, struct feed_row *row)
{
    int at = 1;
    row->id = sqlite3_column_int64(st, 0);
    FEED(COLUMN_READ)
}

static int64_t number_of(const struct feed_row *row)
{
    return row->id & ((INT64_C(1) << FEED_BITS) - 1);
}

static int change_of(struct tx *tx, const struct feed_row *row, int64_t mailbox,
                     struct mail_change *ret)
{
    *ret = (struct mail_change){
        .number = number_of(row),
        .kind = (enum mail_change_kind)row->kind,
        .key = row->message,
        .thread_key = row->thread,
        .folder_before = folder_of(mailbox, row->folder_before),
        .folder = folder_of(mailbox, row->folder),
    };
    return read_folders(tx, mailbox, (uint32_t)row->flags, row->own, &ret->now, &ret->n_now) < 0
               ? -1
               : read_folders(tx, mailbox, 0, row->folders, &ret->folders, &ret->n_folders);
}

/* The newest change in the world. */
static int newest(struct tx *tx, int64_t *ret)
{
    *ret = 0;
    int r = tx_last_number(tx, "mail.change", ret);
    ++*ret;
    return r < 0 ? -1 : 0;
}

static int too_old(struct tx *tx, int64_t after)
{
    return tx_fail(tx, SOSIA_E_NOT_FOUND, "tooOld", NULL, "history before change %lld has expired",
                   (long long)after);
}

/* The list of changes that grows while the feed is read. */
struct changes {
    struct mail_change *list;
    size_t n, cap;
    size_t record;  /* where the record begins that is being read */
    size_t records; /* that are whole, and have something */
};

static int keep_change(struct tx *tx, struct changes *all, const struct mail_change *c)
{
    all->list = arena_grow(tx->arena, all->list, all->n, &all->cap, sizeof *all->list);
    if (!all->list)
        return sosia_fail_memory(tx->err);
    all->list[all->n++] = *c;
    return 0;
}

/* The row was the last one of its record: all of it has its number. */
static void end_record(struct changes *all, int64_t number)
{
    all->records += all->n > all->record;
    for (; all->record < all->n; all->record++)
        all->list[all->record].number = number;
}

int mail_changes(struct tx *tx, const struct mailbox *mb, int64_t after, unsigned kinds,
                 int64_t folder, size_t limit, struct mail_change **ret, size_t *ret_n,
                 bool *ret_more)
{
    static struct sql_text q = SQL_TEXT("select id" FEED(
        COLUMN_NAME) " from mail_change where id > :after and id < :end order by id");
    const int64_t oldest = tx->now_us / US_PER_SECOND - FEED_DAYS * SECONDS_PER_DAY;
    struct changes all = {.cap = 16};
    int64_t last;
    int r;
    *ret_more = false;
    if (newest(tx, &last) < 0)
        return -1;
    if (after < mb->floor || after > last)
        return too_old(tx, after);
    all.list = arena_alloc(tx->arena, all.cap * sizeof *all.list);
    sqlite3_stmt *st = TX_QUERY(tx, &q, mb->id << FEED_BITS | after,
                                (mb->id << FEED_BITS) + (INT64_C(1) << FEED_BITS));
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1) {
        struct feed_row row;
        struct mail_change c;
        read_row(st, &row);
        if (row.at < oldest) {
            sql_done(st);
            return too_old(tx, after);
        }
        if (!kinds || kinds >> row.kind & 1) {
            if (change_of(tx, &row, mb->id, &c) < 0) {
                r = -1;
                break;
            }
            if (!folder || in_folders(c.now, c.n_now, folder) ||
                in_folders(c.folders, c.n_folders, folder)) {
                *ret_more = all.records == limit;
                if (*ret_more || keep_change(tx, &all, &c) < 0) {
                    r = *ret_more ? 0 : -1;
                    break;
                }
            }
        }
        if (!(row.flags & GOES_ON))
            end_record(&all, number_of(&row));
    }
    sql_done(st);
    *ret = all.list;
    *ret_n = all.n;
    return r < 0 ? -1 : 0;
}
