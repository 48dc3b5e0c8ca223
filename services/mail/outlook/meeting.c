/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages about meetings: invitations, answers and cancellations (MG-387, MG-539, MG-643, MG-646).
 * What the iCalendar object of one says is kept beside it when it comes; the dialect of calendars
 * reads it, and knows the event (vendors/microsoft/meeting.h).
 */
#include "vendors/microsoft/meeting.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/rows.h"

static const struct graph_calendar *calendar_of_world(const struct tx *tx)
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

static void read_row(struct tx *tx, sqlite3_stmt *st, struct graph_meeting *ret)
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

/* Of a message that is about a meeting. 1, 0, -1. */
static int meeting_of(struct tx *tx, int64_t message, struct graph_meeting *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from outlook_meeting where message = :message");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, message);
    if (r == 1)
        read_row(tx, st, ret);
    return r;
}

/* The request of the same meeting that came into the mailbox before a message: 1, 0, -1. */
static int request_before(struct tx *tx, const struct mail_message *m,
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
        read_row(tx, st, ret);
    return r;
}

/* Has a request or a cancellation of the same meeting come since, that is not older than what the
 * message says? 1, 0, -1. */
static int is_out_of_date(struct tx *tx, const struct mail_message *m,
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
    const struct graph_calendar *calendar = calendar_of_world(tx);
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

/* ---- what it is ---- */

static const char *const types[] = {"message",
                                    "eventMessageRequest",
                                    "eventMessage",
                                    "eventMessageResponse",
                                    "eventMessageResponse",
                                    "eventMessageResponse"};
/* MG-643: the service's own spelling. */
static const char *const kinds[] = {"none",
                                    "meetingRequest",
                                    "meetingCancelled",
                                    "meetingDeclined",
                                    "meetingTenativelyAccepted",
                                    "meetingAccepted"};
static const char *const responses[] = {
    [MEETING_DECLINED] = "declined",
    [MEETING_TENTATIVE] = "tentativelyAccepted",
    [MEETING_ACCEPTED] = "accepted",
};

const char *outlook_item_type(const struct outlook_item *i)
{
    static const char *const names[] = {"#microsoft.graph.message",
                                        "#microsoft.graph.eventMessageRequest",
                                        "#microsoft.graph.eventMessage",
                                        "#microsoft.graph.eventMessageResponse",
                                        "#microsoft.graph.eventMessageResponse",
                                        "#microsoft.graph.eventMessageResponse"};
    return names[i->meeting];
}

const struct edm_type *outlook_item_edm(const struct outlook_item *i)
{
    return edm_type_find(types[i->meeting], strlen(types[i->meeting]));
}

/* A meeting in a message, beside what else is known of it. */
struct seen {
    struct graph_meeting now, before;
    bool changes; /* it changes what `before` says */
    bool out_of_date;
};

static int look(struct tx *tx, const struct outlook_item *i, struct seen *ret)
{
    *ret = (struct seen){.changes = false};
    int r = meeting_of(tx, i->message.id, &ret->now);
    if (r != 1)
        return r < 0 ? -1 : sosia_fail(tx->err, SOSIA_E_NOT_FOUND, NULL, NULL, "a meeting is gone");
    r = is_out_of_date(tx, &i->message, &ret->now);
    ret->out_of_date = r == 1;
    if (r >= 0 && ret->now.kind == MEETING_REQUEST)
        r = request_before(tx, &i->message, &ret->now, &ret->before);
    ret->changes = r == 1 && ret->now.kind == MEETING_REQUEST;
    return r < 0 ? -1 : 0;
}

/* Another time wants another answer. */
static bool moves(const struct seen *s)
{
    const struct graph_meeting *a = &s->before, *b = &s->now;
    return a->timed != b->timed || a->all_day != b->all_day || a->start_us != b->start_us ||
           a->end_us != b->end_us || !str_same(a->recurrence, b->recurrence);
}

static const char *request_type(const struct seen *s)
{
    return s->out_of_date ? "outdated"
           : !s->changes  ? "newMeetingRequest"
           : moves(s)     ? "fullUpdate"
                          : "informationalUpdate";
}

static const char *event_type(const struct graph_meeting *m)
{
    return m->single       ? m->kind == MEETING_REQUEST ? "exception" : "occurrence"
           : m->recurrence ? "seriesMaster"
                           : "singleInstance";
}

/* ---- in answers ---- */

int outlook_write_meeting_state(struct call *c, const struct outlook_item *i)
{
    struct json_writer *w = c->out;
    struct seen s;
    if (!i->meeting)
        return 0;
    if (look(&c->tx, i, &s) < 0)
        return -1;
    json_word(w, "meetingMessageType", kinds[i->meeting]);
    json_word(w, "type", event_type(&s.now));
    json_bool(w, "isOutOfDate", s.out_of_date);
    json_bool(w, "isAllDay", s.now.all_day);
    json_bool(w, "isDelegated", false);
    if (i->meeting == MEETING_REQUEST) {
        json_bool(w, "responseRequested", s.now.asks);
        if (s.now.proposals < 0)
            json_null(w, "allowNewTimeProposals");
        else
            json_bool(w, "allowNewTimeProposals", s.now.proposals);
        json_word(w, "meetingRequestType", request_type(&s));
    } else if (responses[i->meeting]) {
        json_word(w, "responseType", responses[i->meeting]);
    }
    return 0;
}

/* MG-646: an empty object where there is none to be shown. */
static int write_event(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                       const struct graph_meeting *m, const struct odata_query *q)
{
    const struct odata_expand *e = q ? odata_expands(q, "event") : NULL;
    if (!e)
        return 0;
    int r = i->meeting < MEETING_DECLINED
                ? calendar_of_world(&c->tx)->event(c, &b->user, m, "event", e->query)
                : 0;
    if (r == 0) {
        json_obj(c->out, "event");
        json_end(c->out);
    }
    return r < 0 ? -1 : 0;
}

int outlook_write_meeting(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                          const struct odata_query *q)
{
    const struct graph_calendar *calendar = calendar_of_world(&c->tx);
    struct seen s;
    if (!i->meeting || !calendar)
        return 0;
    return look(&c->tx, i, &s) < 0 ||
                   calendar->write(c, &b->user, &s.now, s.changes ? &s.before : NULL) < 0 ||
                   write_event(c, b, i, &s.now, q) < 0
               ? -1
               : 0;
}

/* ---- in questions ---- */

int outlook_meeting_value(struct tx *tx, const struct outlook_item *i,
                          const struct odata_path *path, struct odata_value *ret)
{
    const char *name = path->text;
    struct seen s;
    if (look(tx, i, &s) < 0)
        return -1;
    if (strcmp(name, "meetingMessageType") == 0)
        *ret = odata_enum(kinds[i->meeting]);
    else if (strcmp(name, "type") == 0)
        *ret = odata_enum(event_type(&s.now));
    else if (strcmp(name, "isOutOfDate") == 0)
        *ret = odata_bool(s.out_of_date);
    else if (strcmp(name, "isAllDay") == 0)
        *ret = odata_bool(s.now.all_day);
    else if (strcmp(name, "isDelegated") == 0)
        *ret = odata_bool(false);
    else if (i->meeting == MEETING_REQUEST && strcmp(name, "responseRequested") == 0)
        *ret = odata_bool(s.now.asks);
    else if (i->meeting == MEETING_REQUEST && strcmp(name, "allowNewTimeProposals") == 0 &&
             s.now.proposals >= 0)
        *ret = odata_bool(s.now.proposals);
    else if (i->meeting == MEETING_REQUEST && strcmp(name, "meetingRequestType") == 0)
        *ret = odata_enum(request_type(&s));
    else
        return 0;
    return 1;
}

/* ---- answers ---- */

/* The requests of a meeting that are in the Inbox go where deleted messages are (MG-646). */
static int answered(struct tx *tx, int64_t account, const char *uid, bool single,
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

const struct graph_mail outlook_mail_record = {.answered = answered};

/* ---- the method ---- */

static int event_get(struct call *c)
{
    const struct graph_calendar *calendar = calendar_of_world(&c->tx);
    struct graph_meeting m;
    struct outlook_box b;
    struct outlook_item i;
    struct odata_query q;
    if (outlook_open(c, OUTLOOK_READ, &b) < 0 || outlook_options(c, "event", &q) < 0 ||
        outlook_item_of_path(c, &b, &i) < 0)
        return -1;
    int r = i.meeting && calendar ? meeting_of(&c->tx, i.message.id, &m) : 0;
    if (r == 1)
        r = calendar->event(c, &b.user, &m, NULL, &q);
    return r < 0 ? -1 : r ? 0 : graph_not_found(c);
}

static const struct route routes[] = {
    {.id = "outlook.messages.event.get",
     .response = "microsoft.graph.event",
     .verbs = GET,
     /* Casts: callers write the name space in front. */
     .paths =
         PATHS(MESSAGE_PATHS("/eventMessage/event"), MESSAGE_PATHS("/eventMessageRequest/event"),
               MESSAGE_PATHS("/eventMessageResponse/event")),
     .handler = event_get,
     .risk = RISK_READ,
     .scopes = READ SHARED,
     PARAMS(outlook_get_params),
     .summary = "The event that a message about a meeting leads to"},
};
const struct rows outlook_meeting_rows = ROWS(routes);
