/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads: which one a message belongs to.
 *
 * A message that shall join a thread does if it has its subject and, if it names messages in
 * References or In-Reply-To, names one of the thread. One that names one of the mailbox's messages
 * and has the subject of its thread goes into it. One that comes in and has no References goes to a
 * message of the last week with the same subject that is from the same sender or to the same
 * recipients. A thread takes at most THREAD_MAX messages; the next one begins another.
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/world/take.h"
#include "services/mail/core/mail_impl.h"

#define THREAD_MAX 100
#define WEEK_S     (7 * SECONDS_PER_DAY)

/* Of threads with the same subject, and of messages in them, so many are looked at. */
#define MAX_THREADS   8
#define MAX_LOOKED_AT 32

#define COLUMNS "t.id, t.key, t.mailbox, t.newest, t.messages, t.change"

static int read_thread(struct tx *tx, sqlite3_stmt *st, struct mail_thread *ret)
{
    return TX_TAKE(tx, st, &ret->id, &ret->key, &ret->mailbox, &ret->newest, &ret->messages,
                   &ret->change);
}

int mail_thread_get(struct tx *tx, int64_t mailbox, int64_t key, struct mail_thread *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select " COLUMNS " from mail_thread t where t.key = :key and t.mailbox = :mailbox");
    return read_thread(tx, TX_QUERY(tx, &q, key, mailbox), ret);
}

int mail_thread_by_id(struct tx *tx, int64_t id, struct mail_thread *ret)
{
    static struct sql_text q = SQL_TEXT("select " COLUMNS " from mail_thread t where t.id = :id");
    return read_thread(tx, TX_QUERY(tx, &q, id), ret);
}

int mail_thread_messages(struct tx *tx, const struct mail_thread *t, struct mail_message **ret,
                         size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("select " MESSAGE_COLUMNS " from mail_message m "
                                        "where m.thread = :thread order by m.id");
    return mail_message_rows(tx, TX_QUERY(tx, &q, t->id), ret, ret_n);
}

/* ---- choosing ---- */

/* The thread with that subject of the newest message with that Message-ID. */
static int by_reference(struct tx *tx, int64_t mailbox, int64_t message_id, int64_t subject,
                        struct mail_thread *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from mail_message m join mail_thread t on t.id = m.thread "
                 "where m.message_id = :hash and m.mailbox = :mailbox and t.subject = :subject "
                 "and t.messages < :most order by m.id desc limit 1");
    return read_thread(tx, TX_QUERY(tx, &q, message_id, mailbox, subject, THREAD_MAX), ret);
}

static int by_references(struct tx *tx, int64_t mailbox, const struct mail_letter_head *head,
                         struct mail_thread *ret)
{
    int r = 0;
    for (size_t i = 0; i < head->n_refs && r == 0; i++)
        r = by_reference(tx, mailbox, mail_message_id_hash(head->refs[i]), head->subject, ret);
    return r;
}

/* Whether a message that shall join the thread fits into it. */
static int fits(struct tx *tx, const struct mail_thread *t, const struct mail_letter_head *head)
{
    static struct sql_text q_subject = SQL_TEXT(
        "select 1 from mail_thread where id = :id and subject = :subject and messages < :most");
    static struct sql_text q_named =
        SQL_TEXT("select 1 from mail_message where message_id = :hash and "
                 "mailbox = :mailbox and thread = :thread");
    int r = TX_ANY(tx, TX_QUERY(tx, &q_subject, t->id, head->subject, THREAD_MAX));
    if (r != 1 || !head->n_refs)
        return r;
    r = 0;
    for (size_t i = 0; i < head->n_refs && r == 0; i++)
        r = TX_ANY(tx,
                   TX_QUERY(tx, &q_named, mail_message_id_hash(head->refs[i]), t->mailbox, t->id));
    return r;
}

static bool in_list(const struct mime_address *list, size_t n, const char *email)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(list[i].email, email))
            return true;
    return false;
}

/* Do two heads have the same addresses in a field? */
static bool same_addresses(struct arena *a, const char *head, size_t len, const char *other,
                           size_t other_len, const char *field)
{
    struct mime_address *x, *y;
    size_t n, m;
    bool bad;
    mime_address_fields(a, head, len, field, &x, &n, &bad);
    mime_address_fields(a, other, other_len, field, &y, &m, &bad);
    if (n != m || n == 0 || n > 100)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!in_list(y, m, x[i].email))
            return false;
    return true;
}

/* Has the message with this id the same sender as a head, or the same recipients? */
static int same_people(struct tx *tx, int64_t id, const struct mail_letter_head *head)
{
    struct mail_message m;
    const char *other;
    size_t len;
    int r = mail_message_by_id(tx, id, &m);
    if (r == 1 && mail_message_head(tx, &m, &other, &len) < 0)
        r = -1;
    if (r != 1)
        return r;
    return same_addresses(tx->arena, head->head, head->len, other, len, "From") ||
           same_addresses(tx->arena, head->head, head->len, other, len, "To");
}

/* The threads with that subject are looked through, newest first, for a message of the week that
 * has the same people. */
static int by_subject(struct tx *tx, int64_t mailbox, int64_t at_s,
                      const struct mail_letter_head *head, struct mail_thread *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select t.id, m.id from (select id, newest from mail_thread where mailbox = :mailbox and "
        "subject = :subject and newest >= :from and messages < :most order by newest desc "
        "limit :threads) t join mail_message m on m.thread = t.id and m.id between :from and :to "
        "order by t.newest desc, m.id desc limit :messages");
    int64_t threads[MAX_LOOKED_AT], messages[MAX_LOOKED_AT];
    int n = 0, r;
    sqlite3_stmt *st = TX_QUERY(tx, &q, mailbox, head->subject,
                                mail_message_id_at(mailbox, at_s - WEEK_S), THREAD_MAX, MAX_THREADS,
                                mail_message_id_at(mailbox, at_s + WEEK_S + 1), MAX_LOOKED_AT);
    while ((r = TX_TAKE_NEXT(tx, st, &threads[n], &messages[n])) == 1)
        n++;
    for (int i = 0; i < n && r == 0; i++) {
        r = same_people(tx, messages[i], head);
        if (r == 1)
            return mail_thread_by_id(tx, threads[i], ret);
    }
    return r;
}

static int64_t at_of(const struct tx *tx, const struct mail_message_new *in)
{
    return in->at_s == INT64_MIN ? tx->now_us / US_PER_SECOND : in->at_s;
}

static int set_subject(struct tx *tx, int64_t thread, int64_t subject)
{
    static struct sql_text q = SQL_TEXT("update mail_thread set subject = :subject where id = :id");
    return TX_RUN(tx, &q, subject, thread);
}

int mail_thread_choose(struct tx *tx, const struct mail_message_new *in,
                       const struct mail_letter_head *head, struct mail_thread *ret)
{
    int64_t mailbox = in->mailbox->id;
    int r = 0;
    if (in->thread) {
        r = mail_thread_get(tx, mailbox, in->thread, ret);
        if (r < 0)
            return -1;
        if (r == 0 && !in->joins)
            return tx_fail(tx, SOSIA_E_NOT_FOUND, "thread", "thread", "there is no such thread");
        if (r == 0)
            *ret = (struct mail_thread){.key = in->thread, .mailbox = mailbox};
        if (in->joins)
            return in->renames ? set_subject(tx, ret->id, head->subject) : 0;
        r = fits(tx, ret, head);
    }
    if (r == 0 && !in->alone)
        r = by_references(tx, mailbox, head, ret);
    if (r == 0 && !head->has_refs && head->subject && !head->n_refs &&
        !(in->flags & (FLAG(FOLDER_SENT) | FLAG(FOLDER_DRAFTS))))
        r = by_subject(tx, mailbox, at_of(tx, in), head, ret);
    if (r == 0)
        *ret = (struct mail_thread){.mailbox = mailbox};
    return r < 0 ? -1 : 0;
}

/* ---- keeping ---- */

int mail_thread_add(struct tx *tx, struct mail_thread *t, int64_t subject)
{
    static struct sql_text q =
        SQL_TEXT("insert into mail_thread (key, mailbox, subject, newest, messages, change) "
                 "values (:key, :mailbox, :subject, 0, 0, 0)");
    static struct sql_text q_count =
        SQL_TEXT("update mail_mailbox set threads = threads + 1 where id = :mailbox");
    if (TX_RUN(tx, &q, t->key, t->mailbox, subject) < 0)
        return -1;
    t->id = tx_last_id(tx);
    return TX_RUN(tx, &q_count, t->mailbox);
}

int mail_thread_recount(struct tx *tx, int64_t thread, int64_t mailbox)
{
    static struct sql_text q =
        SQL_TEXT("select count(*), max(id), max(change) from mail_message where thread = :thread");
    static struct sql_text q_save =
        SQL_TEXT("update mail_thread set messages = :messages, newest = :newest, "
                 "change = max(change, :change) where id = :id");
    static struct sql_text q_delete = SQL_TEXT("delete from mail_thread where id = :id");
    static struct sql_text q_count =
        SQL_TEXT("update mail_mailbox set threads = threads - 1 where id = :mailbox");
    int64_t n, newest, change;
    if (TX_TAKE(tx, TX_QUERY(tx, &q, thread), &n, &newest, &change) != 1)
        return -1;
    if (n)
        return TX_RUN(tx, &q_save, n, newest, change, thread);
    if (TX_RUN(tx, &q_delete, thread) < 0)
        return -1;
    return TX_RUN(tx, &q_count, mailbox);
}
