/* SPDX-License-Identifier: Apache-2.0 */
/* What messages about meetings say, as it was read when they came: rows. */
#include "vendors/microsoft/meeting.h"
#include "engine/world/columns.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/meeting.h"

const struct graph_calendar *outlook_calendar(const struct tx *tx)
{
    return core_policy_nth(tx, GRAPH_CALENDAR, 0);
}

/* ---- rows ---- */

#define NO_TIME INT64_MIN /* of a column that is null */

#define MEETING(X)                                                                                 \
    X(original_us, original_us, SINGLE)                                                            \
    X(start_us, start_us, TIMED)                                                                   \
    X(end_us, end_us, TIMED)                                                                       \
    X(uid, uid, STRING)                                                                            \
    X(kind, kind, NUMBER)                                                                          \
    X(original_day, original_day, NUMBER)                                                          \
    X(sequence, sequence, NUMBER)                                                                  \
    X(all_day, all_day, NUMBER)                                                                    \
    X(zone, zone, STRING)                                                                          \
    X(recurrence, recurrence, STRING)                                                              \
    X(location, location, STRING)                                                                  \
    X(asks, asks, NUMBER)                                                                          \
    X(proposals, proposals, NUMBER)                                                                \
    X(proposed_us, proposed_us, PROPOSED)                                                          \
    X(proposed_end_us, proposed_end_us, PROPOSED)
#define COLUMN_VALUE_SINGLE(v)           (row->single ? sql_of_int(v) : sql_null())
#define COLUMN_VALUE_TIMED(v)            (row->timed ? sql_of_int(v) : sql_null())
#define COLUMN_VALUE_PROPOSED(v)         sql_int_or_null(row->proposed_us ? (v) : 0, 0)
#define COLUMN_READ_SINGLE(tx, st, at)   sqlite3_column_int64(st, at)
#define COLUMN_READ_TIMED(tx, st, at)    sqlite3_column_int64(st, at)
#define COLUMN_READ_PROPOSED(tx, st, at) sqlite3_column_int64(st, at)

static int keep(struct tx *tx, const struct mail_message *m, const struct graph_meeting *row)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into outlook_meeting (message, mailbox" MEETING(
            COLUMN_NAME) ") values (?, ?" MEETING(COLUMN_MARK) ")");
    return TX_RUN(tx, &q, m->id, m->mailbox MEETING(COLUMN_VALUE));
}

/* The columns begin with the message. r: what the statement gave, which is passed on. */
static int read_meeting(int r, struct tx *tx, sqlite3_stmt *st, struct graph_meeting *row)
{
    int at = 1;
    if (r != 1)
        return r;
    MEETING(COLUMN_READ)
    row->single = sqlite3_column_type(st, 1) != SQLITE_NULL;
    row->timed = sqlite3_column_type(st, 2) != SQLITE_NULL;
    sql_done(st);
    return 1;
}

#define SELECTED "select message" MEETING(COLUMN_NAME) " from outlook_meeting "

int outlook_meeting_get(struct tx *tx, int64_t message, struct graph_meeting *ret)
{
    static struct sql_text q = SQL_TEXT(SELECTED "where message = :message");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, message);
    return read_meeting(r, tx, st, ret);
}

int outlook_meeting_before(struct tx *tx, const struct mail_message *m,
                           const struct graph_meeting *of, struct graph_meeting *ret)
{
    static struct sql_text q =
        SQL_TEXT(SELECTED "where mailbox = :mailbox and uid = :uid and kind = 1 and message < "
                          ":message and original_us is :original order by message desc limit 1");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, m->mailbox, of->uid, m->id,
                   sql_int_or_null(of->single ? of->original_us : NO_TIME, NO_TIME));
    return read_meeting(r, tx, st, ret);
}

int outlook_meeting_outdated(struct tx *tx, const struct mail_message *m,
                             const struct graph_meeting *of)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from outlook_meeting where mailbox = :mailbox and uid = :uid and "
                 "kind <= 2 "
                 "and message > :message and (original_us is null or original_us is :original) and "
                 "sequence >= :sequence");
    int64_t n = 0;
    int r = TX_INT(tx, &q, &n, m->mailbox, of->uid, m->id,
                   sql_int_or_null(of->single ? of->original_us : NO_TIME, NO_TIME), of->sequence);
    return r < 0 ? -1 : n > 0;
}

int outlook_object_came(struct tx *tx, const struct mail_message *m, const char *text, size_t len)
{
    const struct graph_calendar *calendar = outlook_calendar(tx);
    struct graph_meeting g;
    struct mailbox mb;
    struct actor who;
    if (!calendar)
        return 0;
    int r = mailbox_by_id(tx, m->mailbox, &mb);
    if (r == 1)
        r = actor_by_id(tx, mb.actor, &who);
    if (r == 1)
        r = calendar->read(tx, &who, text, len, &g);
    return r == 1 ? keep(tx, m, &g) : r;
}

int outlook_meeting_kind(struct tx *tx, const struct mail_message *m)
{
    static struct sql_text q =
        SQL_TEXT("select kind from outlook_meeting where message = :message");
    int64_t kind = MEETING_NONE;
    return TX_INT(tx, &q, &kind, m->id) < 0 ? -1 : (int)kind;
}

int outlook_meeting_gone(struct tx *tx, const struct mail_message *m)
{
    static struct sql_text q = SQL_TEXT("delete from outlook_meeting where message = :message");
    return TX_RUN(tx, &q, m->id);
}

/* ---- answers ---- */

/* The requests of a meeting that are in the Inbox go where deleted messages are (MG-646). */
int outlook_meeting_answered(struct tx *tx, int64_t account, const char *uid, bool single,
                             int64_t original_us)
{
    static struct sql_text q =
        SQL_TEXT("select message from outlook_meeting where mailbox = :mailbox and uid = :uid and "
                 "kind = 1 and message > :after and original_us is :original order by message "
                 "limit 1");
    struct mailbox mb;
    struct mail_message m;
    int64_t id = 0;
    int r = mailbox_of_account(tx, account, &mb);
    while (r == 1 && (r = TX_INT(tx, &q, &id, mb.id, uid, id,
                                 sql_int_or_null(single ? original_us : NO_TIME, NO_TIME))) == 1)
        if ((r = mail_message_by_id(tx, id, &m)) == 1 && m.flags & FLAG(FOLDER_INBOX) &&
            mail_messages_move(tx, &m, 1, mail_folder_id(mb.id, FOLDER_TRASH)) < 0)
            r = -1;
    return r < 0 ? -1 : 0;
}
