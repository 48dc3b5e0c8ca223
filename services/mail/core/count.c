/* SPDX-License-Identifier: Apache-2.0 */
/* What labels messages have, and the counters that follow from it. */
#include "services/mail/core/mail_impl.h"
#include "engine/text/civil.h"

uint32_t mail_flags_settle(uint32_t flags, uint32_t add)
{
    static const uint32_t one_of[] = {FLAG(LABEL_INBOX) | FLAG(LABEL_SPAM) | FLAG(LABEL_TRASH),
                                      FLAGS_CATEGORY};
    flags |= add;
    for (size_t i = 0; i < SOSIA_LEN(one_of); i++) {
        uint32_t among = add & one_of[i] ? add & one_of[i] : flags & one_of[i];
        if (!among)
            continue;
        /* TRASH before SPAM before INBOX, should several be added. */
        uint32_t last = UINT32_C(1) << (31 - __builtin_clz(among));
        if (i == 0 && among & FLAG(LABEL_TRASH))
            last = FLAG(LABEL_TRASH);
        flags = (flags & ~one_of[i]) | last;
    }
    return flags;
}

/* ---- rows ---- */

static int link_label(struct tx *tx, int64_t label, int64_t message, bool add)
{
    static struct sql_text q_add =
        SQL_TEXT("insert into mail_labelled (label, message) values (:label, :message)");
    static struct sql_text q_remove =
        SQL_TEXT("delete from mail_labelled where label = :label and message = :message");
    return TX_RUN(tx, add ? &q_add : &q_remove, label, message);
}

static int link_own(struct tx *tx, int64_t message, int64_t label, bool add)
{
    static struct sql_text q_add =
        SQL_TEXT("insert into mail_message_label (message, label) values (:message, :label)");
    static struct sql_text q_remove =
        SQL_TEXT("delete from mail_message_label where message = :message and label = :label");
    return TX_RUN(tx, add ? &q_add : &q_remove, message, label);
}

/* ---- counters ---- */

struct counts {
    int64_t messages, unread;
};

static int thread_counts(struct tx *tx, int64_t thread, int64_t label, struct counts *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select messages, unread from mail_thread_label where thread = :thread and label = :label");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, thread, label);
    *ret = (struct counts){0};
    if (r == 1) {
        ret->messages = sqlite3_column_int64(st, 0);
        ret->unread = sqlite3_column_int64(st, 1);
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}

static int set_thread_counts(struct tx *tx, int64_t thread, int64_t label, const struct counts *c)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into mail_thread_label (thread, label, messages, unread) "
                 "values (:thread, :label, :messages, :unread)");
    static struct sql_text q_delete =
        SQL_TEXT("delete from mail_thread_label where thread = :thread and label = :label");
    return c->messages ? TX_RUN(tx, &q, thread, label, c->messages, c->unread)
                       : TX_RUN(tx, &q_delete, thread, label);
}

/* A label has so many messages of a thread, and unread ones, more than before. */
static int count(struct tx *tx, int64_t thread, int64_t label, int messages, int unread)
{
    static struct sql_text q = SQL_TEXT(
        "update mail_label set messages = messages + :messages, unread = unread + :unread, "
        "threads = threads + :threads, unread_threads = unread_threads + :unread_threads "
        "where id = :label");
    struct counts old, new;
    if (!messages && !unread)
        return 0;
    if (thread_counts(tx, thread, label, &old) < 0)
        return -1;
    new = (struct counts){old.messages + messages, old.unread + unread};
    if (set_thread_counts(tx, thread, label, &new) < 0)
        return -1;
    return TX_RUN(tx, &q, messages, unread, (new.messages > 0) - (old.messages > 0),
                  (new.unread > 0) - (old.unread > 0), label);
}

/* ---- from one set to another ---- */

static bool has_own(const struct mail_label_set *set, int64_t label)
{
    for (size_t i = 0; set && i < set->n_own; i++)
        if (set->own[i] == label)
            return true;
    return false;
}

static int move(struct tx *tx, const struct mail_message *m, int64_t label, bool was, bool is,
                bool was_unread, bool is_unread)
{
    if (was != is && (link_label(tx, label, m->id, is) < 0 ||
                      (!mail_label_is_role(label) && link_own(tx, m->id, label, is) < 0)))
        return -1;
    return count(tx, m->thread, label, is - was, (is && is_unread) - (was && was_unread));
}

/* What is trashed or spam is deleted for good after some time, unless it is moved out. */
static int schedule_purge(struct tx *tx, const struct mail_message *m, uint32_t old, uint32_t new)
{
    const uint32_t passing = FLAG(LABEL_TRASH) | FLAG(LABEL_SPAM);
    if (!(old & passing) == !(new &passing))
        return 0;
    return old & passing ? due_cancel(tx, MAIL_CORE, MAIL_DUE_PURGE, m->id)
                         : due_add(tx, tx->now_us + MAIL_KEEP_DAYS * US_PER_DAY, MAIL_CORE,
                                   MAIL_DUE_PURGE, m->id);
}

int mail_labels_move(struct tx *tx, const struct mail_message *m, const struct mail_label_set *from,
                     const struct mail_label_set *to)
{
    uint32_t old = from ? from->flags : 0, new = to ? to->flags : 0;
    bool was_unread = old & FLAG(LABEL_UNREAD), is_unread = new &FLAG(LABEL_UNREAD);
    for (int role = 0; role < N_LABEL_ROLES; role++) {
        bool was = old & FLAG(role), is = new &FLAG(role);
        if ((was || is) &&
            move(tx, m, mail_label_id(m->mailbox, role), was, is, was_unread, is_unread) < 0)
            return -1;
    }
    for (size_t i = 0; from && i < from->n_own; i++)
        if (move(tx, m, from->own[i], true, has_own(to, from->own[i]), was_unread, is_unread) < 0)
            return -1;
    for (size_t i = 0; to && i < to->n_own; i++)
        if (!has_own(from, to->own[i]) &&
            move(tx, m, to->own[i], false, true, was_unread, is_unread) < 0)
            return -1;
    return schedule_purge(tx, m, old, new);
}

int mail_labels_insert(struct tx *tx, const struct mail_message *m,
                       const struct mail_label_set *set)
{
    for (int role = 0; role < N_LABEL_ROLES; role++)
        if (set->flags & FLAG(role) &&
            link_label(tx, mail_label_id(m->mailbox, role), m->id, true) < 0)
            return -1;
    for (size_t i = 0; i < set->n_own; i++)
        if (link_label(tx, set->own[i], m->id, true) < 0 ||
            link_own(tx, m->id, set->own[i], true) < 0)
            return -1;
    return schedule_purge(tx, m, 0, set->flags);
}

/* ---- all of a mailbox at once ---- */

static int run_on(struct tx *tx, struct sql_text *q, int64_t mailbox)
{
    return TX_RUN(tx, &*q, mailbox);
}

int mail_labels_recount(struct tx *tx, int64_t mailbox)
{
    /* A mailbox's labels are a range of numbers. UNREAD has the place 5. */
    static struct sql_text q_clear =
        SQL_TEXT("delete from mail_thread_label where thread in "
                 "(select id from mail_thread where mailbox = :mailbox)");
    static struct sql_text q_threads =
        SQL_TEXT("insert into mail_thread_label (thread, label, messages, unread) "
                 "select m.thread, l.label, count(*), sum(m.flags >> 5 & 1) from mail_labelled l "
                 "join mail_message m on m.id = l.message "
                 "where l.label >= :mailbox << 24 and l.label < (:mailbox + 1) << 24 "
                 "group by m.thread, l.label");
    static struct sql_text q_none =
        SQL_TEXT("update mail_label set messages = 0, unread = 0, threads = 0, unread_threads = 0 "
                 "where mailbox = :mailbox");
    static struct sql_text q_labels = SQL_TEXT(
        "update mail_label set messages = t.messages, unread = t.unread, threads = t.threads, "
        "unread_threads = t.unread_threads from (select label, sum(messages) as messages, "
        "sum(unread) as unread, count(*) as threads, sum(unread > 0) as unread_threads "
        "from mail_thread_label where thread in "
        "(select id from mail_thread where mailbox = :mailbox) group by label) t "
        "where mail_label.id = t.label");
    return run_on(tx, &q_clear, mailbox) < 0 || run_on(tx, &q_threads, mailbox) < 0 ||
                   run_on(tx, &q_none, mailbox) < 0 || run_on(tx, &q_labels, mailbox) < 0
               ? -1
               : 0;
}
