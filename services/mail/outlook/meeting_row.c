/* SPDX-License-Identifier: Apache-2.0 */
/* What messages about meetings say, as it was read when they came: rows. */
#include "vendors/microsoft/meeting.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/meeting.h"

const struct graph_calendar *outlook_calendar(const struct tx *tx)
{
    return core_policy_nth(tx, GRAPH_CALENDAR, 0);
}

/* ---- rows ---- */

#define NO_TIME INT64_MIN /* of a column that is null */

static int keep(struct tx *tx, const struct mail_message *m, const struct graph_meeting *g)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into outlook_meeting (message, mailbox, uid, kind, "
                 "original_us, original_day, sequence, start_us, end_us, all_day, zone, "
                 "recurrence, location, asks, proposals, proposed_us, proposed_end_us) values "
                 "(:message, :mailbox, :uid, :kind, :original, :day, :sequence, :start, :end, "
                 ":all_day, :zone, :recurrence, :location, :asks, :proposals, :proposed, "
                 ":proposed_end)");
    const int64_t none = NO_TIME;
    return TX_RUN(tx, &q, m->id, m->mailbox, g->uid, g->kind,
                  sql_int_or_null(g->single ? g->original_us : none, none),
                  (int64_t)g->original_day, g->sequence,
                  sql_int_or_null(g->timed ? g->start_us : none, none),
                  sql_int_or_null(g->timed ? g->end_us : none, none), (int64_t)g->all_day, g->zone,
                  g->recurrence, g->location, (int64_t)g->asks, g->proposals,
                  sql_int_or_null(g->proposed_us, 0),
                  sql_int_or_null(g->proposed_us ? g->proposed_end_us : 0, 0));
}

#define COLUMNS                                                                                    \
    "uid, kind, original_us, original_day, sequence, start_us, end_us, all_day, zone, "            \
    "recurrence, location, asks, proposals, proposed_us, proposed_end_us"

static void read_meeting(struct tx *tx, sqlite3_stmt *st, struct graph_meeting *ret)
{
    *ret = (struct graph_meeting){
        .uid = tx_string(tx, st, 0),
        .kind = (enum graph_meeting_kind)sqlite3_column_int(st, 1),
        .single = sqlite3_column_type(st, 2) != SQLITE_NULL,
        .original_us = sqlite3_column_int64(st, 2),
        .original_day = sqlite3_column_int(st, 3),
        .sequence = sqlite3_column_int64(st, 4),
        .timed = sqlite3_column_type(st, 5) != SQLITE_NULL,
        .start_us = sqlite3_column_int64(st, 5),
        .end_us = sqlite3_column_int64(st, 6),
        .all_day = sqlite3_column_int(st, 7),
        .zone = tx_string(tx, st, 8),
        .recurrence = tx_string(tx, st, 9),
        .location = tx_string(tx, st, 10),
        .asks = sqlite3_column_int(st, 11),
        .proposals = sqlite3_column_int(st, 12),
        .proposed_us = sqlite3_column_int64(st, 13),
        .proposed_end_us = sqlite3_column_int64(st, 14),
    };
    sql_done(st);
}

int outlook_meeting_get(struct tx *tx, int64_t message, struct graph_meeting *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from outlook_meeting where message = :message");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, message);
    if (r == 1)
        read_meeting(tx, st, ret);
    return r;
}

int outlook_meeting_before(struct tx *tx, const struct mail_message *m,
                           const struct graph_meeting *of, struct graph_meeting *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from outlook_meeting where mailbox = :mailbox and uid = :uid "
                 "and kind = 1 and message < :message and original_us is :original order by "
                 "message desc limit 1");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, m->mailbox, of->uid, m->id,
                   sql_int_or_null(of->single ? of->original_us : NO_TIME, NO_TIME));
    if (r == 1)
        read_meeting(tx, st, ret);
    return r;
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
