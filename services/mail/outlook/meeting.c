/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages about meetings: invitations, answers and cancellations (MG-387, MG-539, MG-643, MG-646).
 * What the iCalendar object of one says is kept beside it when it comes; the dialect of calendars
 * reads it, and knows the event (vendors/microsoft/meeting.h).
 */
#include "vendors/microsoft/meeting.h"
#include "engine/base/codec.h"
#include "services/mail/outlook/meeting.h"
#include "services/mail/outlook/rows.h"

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
    int r = outlook_meeting_get(tx, i->message.id, &ret->now);
    if (r != 1)
        return r < 0 ? -1 : sosia_fail(tx->err, SOSIA_E_NOT_FOUND, NULL, NULL, "a meeting is gone");
    r = outlook_meeting_outdated(tx, &i->message, &ret->now);
    ret->out_of_date = r == 1;
    if (r >= 0 && ret->now.kind == MEETING_REQUEST)
        r = outlook_meeting_before(tx, &i->message, &ret->now, &ret->before);
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
                ? outlook_calendar(&c->tx)->event(c, &b->user, m, "event", e->query)
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
    const struct graph_calendar *calendar = i->meeting ? outlook_calendar(&c->tx) : NULL;
    struct seen s;
    if (!calendar)
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
