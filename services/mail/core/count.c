/* SPDX-License-Identifier: Apache-2.0 */
/* What folders messages have, and the counters that follow from it. */
#include "services/mail/core/mail_impl.h"
#include "engine/text/civil.h"

/* ---- rows ---- */

static int link_folder(struct tx *tx, int64_t folder, int64_t message, bool add)
{
    static struct sql_text q_add =
        SQL_TEXT("insert into mail_member (folder, message) values (:folder, :message)");
    static struct sql_text q_remove =
        SQL_TEXT("delete from mail_member where folder = :folder and message = :message");
    return TX_RUN(tx, add ? &q_add : &q_remove, folder, message);
}

static int link_own(struct tx *tx, int64_t message, int64_t folder, bool add)
{
    static struct sql_text q_add =
        SQL_TEXT("insert into mail_message_folder (message, folder) values (:message, :folder)");
    static struct sql_text q_remove =
        SQL_TEXT("delete from mail_message_folder where message = :message and folder = :folder");
    return TX_RUN(tx, add ? &q_add : &q_remove, message, folder);
}

/* ---- counters ---- */

struct counts {
    int64_t messages, unread;
};

static int thread_counts(struct tx *tx, int64_t thread, int64_t folder, struct counts *ret)
{
    static struct sql_text q = SQL_TEXT("select messages, unread from mail_thread_folder where "
                                        "thread = :thread and folder = :folder");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, thread, folder);
    *ret = (struct counts){0};
    if (r == 1) {
        ret->messages = sqlite3_column_int64(st, 0);
        ret->unread = sqlite3_column_int64(st, 1);
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}

static int set_thread_counts(struct tx *tx, int64_t thread, int64_t folder, const struct counts *c)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into mail_thread_folder (thread, folder, messages, unread) "
                 "values (:thread, :folder, :messages, :unread)");
    static struct sql_text q_delete =
        SQL_TEXT("delete from mail_thread_folder where thread = :thread and folder = :folder");
    return c->messages ? TX_RUN(tx, &q, thread, folder, c->messages, c->unread)
                       : TX_RUN(tx, &q_delete, thread, folder);
}

/* A folder has so many messages of a thread, and unread ones, more than before. */
static int count(struct tx *tx, int64_t thread, int64_t folder, int messages, int unread)
{
    static struct sql_text q = SQL_TEXT(
        "update mail_folder set messages = messages + :messages, unread = unread + :unread, "
        "threads = threads + :threads, unread_threads = unread_threads + :unread_threads "
        "where id = :folder");
    struct counts old, new;
    if (!messages && !unread)
        return 0;
    if (thread_counts(tx, thread, folder, &old) < 0)
        return -1;
    new = (struct counts){old.messages + messages, old.unread + unread};
    if (set_thread_counts(tx, thread, folder, &new) < 0)
        return -1;
    return TX_RUN(tx, &q, messages, unread, (new.messages > 0) - (old.messages > 0),
                  (new.unread > 0) - (old.unread > 0), folder);
}

/* ---- from one set to another ---- */

static bool has_own(const struct mail_folder_set *set, int64_t folder)
{
    for (size_t i = 0; set && i < set->n_own; i++)
        if (set->own[i] == folder)
            return true;
    return false;
}

static int move(struct tx *tx, const struct mail_message *m, int64_t folder, bool was, bool is,
                bool was_unread, bool is_unread)
{
    if (was != is && (link_folder(tx, folder, m->id, is) < 0 ||
                      (!mail_folder_is_fixed(folder) && link_own(tx, m->id, folder, is) < 0)))
        return -1;
    return count(tx, m->thread, folder, is - was, (is && is_unread) - (was && was_unread));
}

/* What is in the trash or in junk is deleted for good after some time, unless it is moved out. */
static int schedule_purge(struct tx *tx, const struct mail_vendor *v, const struct mail_message *m,
                          uint32_t old, uint32_t new)
{
    const uint32_t passing = FLAG(FOLDER_TRASH) | FLAG(FOLDER_JUNK);
    if (!v->keep_days || !(old & passing) == !(new &passing))
        return 0;
    return old & passing ? due_cancel(tx, MAIL_CORE, MAIL_DUE_PURGE, m->id)
                         : due_add(tx, tx->now_us + v->keep_days * US_PER_DAY, MAIL_CORE,
                                   MAIL_DUE_PURGE, m->id);
}

int mail_folders_move(struct tx *tx, const struct mail_vendor *v, const struct mail_message *m,
                      const struct mail_folder_set *from, const struct mail_folder_set *to)
{
    uint32_t old = from ? from->flags : 0, new = to ? to->flags : 0;
    bool was_unread = old & FLAG(KEYWORD_UNSEEN), is_unread = new &FLAG(KEYWORD_UNSEEN);
    for (uint32_t either = (old | new) & FLAGS_FIXED; either; either &= either - 1) {
        const int place = __builtin_ctz(either);
        if (move(tx, m, mail_folder_id(m->mailbox, place), old & FLAG(place), new &FLAG(place),
                 was_unread, is_unread) < 0)
            return -1;
    }
    for (size_t i = 0; from && i < from->n_own; i++)
        if (move(tx, m, from->own[i], true, has_own(to, from->own[i]), was_unread, is_unread) < 0)
            return -1;
    for (size_t i = 0; to && i < to->n_own; i++)
        if (!has_own(from, to->own[i]) &&
            move(tx, m, to->own[i], false, true, was_unread, is_unread) < 0)
            return -1;
    return schedule_purge(tx, v, m, old, new);
}

int mail_folders_insert(struct tx *tx, const struct mail_vendor *v, const struct mail_message *m,
                        const struct mail_folder_set *set)
{
    for (uint32_t places = set->flags & FLAGS_FIXED; places; places &= places - 1)
        if (link_folder(tx, mail_folder_id(m->mailbox, __builtin_ctz(places)), m->id, true) < 0)
            return -1;
    for (size_t i = 0; i < set->n_own; i++)
        if (link_folder(tx, set->own[i], m->id, true) < 0 ||
            link_own(tx, m->id, set->own[i], true) < 0)
            return -1;
    return schedule_purge(tx, v, m, 0, set->flags);
}

/* ---- all of a mailbox at once ---- */

static int run_on(struct tx *tx, struct sql_text *q, int64_t mailbox)
{
    return TX_RUN(tx, &*q, mailbox);
}

int mail_folders_recount(struct tx *tx, int64_t mailbox)
{
    /* A mailbox's folders are a range of numbers. UNREAD has the place 5. */
    static struct sql_text q_clear =
        SQL_TEXT("delete from mail_thread_folder where thread in "
                 "(select id from mail_thread where mailbox = :mailbox)");
    static struct sql_text q_threads =
        SQL_TEXT("insert into mail_thread_folder (thread, folder, messages, unread) "
                 "select m.thread, l.folder, count(*), sum(m.flags >> 5 & 1) from mail_member l "
                 "join mail_message m on m.id = l.message "
                 "where l.folder >= :mailbox << 24 and l.folder < (:mailbox + 1) << 24 "
                 "group by m.thread, l.folder");
    static struct sql_text q_none =
        SQL_TEXT("update mail_folder set messages = 0, unread = 0, threads = 0, unread_threads = 0 "
                 "where mailbox = :mailbox");
    static struct sql_text q_folders = SQL_TEXT(
        "update mail_folder set messages = t.messages, unread = t.unread, threads = t.threads, "
        "unread_threads = t.unread_threads from (select folder, sum(messages) as messages, "
        "sum(unread) as unread, count(*) as threads, sum(unread > 0) as unread_threads "
        "from mail_thread_folder where thread in "
        "(select id from mail_thread where mailbox = :mailbox) group by folder) t "
        "where mail_folder.id = t.folder");
    return run_on(tx, &q_clear, mailbox) < 0 || run_on(tx, &q_threads, mailbox) < 0 ||
                   run_on(tx, &q_none, mailbox) < 0 || run_on(tx, &q_folders, mailbox) < 0
               ? -1
               : 0;
}
