/* SPDX-License-Identifier: Apache-2.0 */
/* What people do with meetings: accept, decline, tentativelyAccept, cancel, forward. */
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/params.h"
#include "services/calendar/core/event/event_impl.h"
#include "vendors/microsoft/meeting.h"

static int accepted(struct call *c)
{
    c->status = 202;
    return 0;
}

/* A member of an action's body, in any case (MG-414). */
static const struct json *argument(struct call *c, const char *name)
{
    const struct json *body = c->body;
    for (uint32_t i = 0; body && body->type == JSON_OBJECT && i < body->n; i++)
        if (strcasecmp(body->members[i].key, name) == 0 && body->members[i].value.type != JSON_NULL)
            return &body->members[i].value;
    return NULL;
}

static const char *text_argument(struct call *c, const char *name)
{
    const struct json *v = argument(c, name);
    return v && v->type == JSON_STRING ? v->str : NULL;
}

/* ---- answers ---- */

static struct cal_attendee *own_entry(struct ocal_at *at, const struct cal_event *old,
                                      struct cal_event *ev)
{
    int self = cal_event_self(&at->cal, old);
    if (self < 0)
        return NULL;
    ev->attendees = arena_calloc(at->c->tx.arena, (size_t)old->n_attendees, sizeof *ev->attendees);
    if (arena_failed(at->c->tx.arena))
        return NULL;
    memcpy(ev->attendees, old->attendees, (size_t)old->n_attendees * sizeof *ev->attendees);
    return &ev->attendees[self];
}

static int read_proposal(struct ocal_at *at, const struct cal_event *ev, bool sends,
                         struct cal_attendee *self)
{
    struct call *c = at->c;
    const struct json *v = argument(c, "proposedNewTime");
    const char *zone, *name;
    self->proposed_us = self->proposed_end_us = 0;
    if (!v)
        return 0;
    if (!sends || json_is_false(json_get(ocal_extra(c->tx.arena, ev), "allowNewTimeProposals")))
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL, /* MG-72 */
                         "Your request can't be completed. The meeting organizer doesn't allow new "
                         "time proposals, or the response isn't sent.");
    if (ocal_read_time(c, json_get(v, "start"), "start", false, &self->proposed_us, &zone, &name) <
            0 ||
        ocal_read_time(c, json_get(v, "end"), "end", false, &self->proposed_end_us, &zone, &name) <
            0)
        return -1;
    return self->proposed_end_us < self->proposed_us ? ocal_invalid(c, "end", "behind the start")
                                                     : 0;
}

/* For the dialect that keeps the messages (MG-646). */
static int requests_answered(struct ocal_at *at, const struct cal_event *ev)
{
    struct tx *tx = &at->c->tx;
    const struct graph_mail *mail = core_policy_nth(tx, GRAPH_MAIL, 0);
    const bool single = ev->form == EVENT_INSTANCE && ev->master;
    return mail ? mail->answered(tx, at->user.account.id, ev->uid, single,
                                 single ? ev->original_us : 0)
                : 0;
}

static int respond(struct call *c, enum cal_response response)
{
    struct cal_event old, ev;
    struct ocal_at at;
    if (ocal_open(c, CAL_FREEBUSY, &at) < 0 || ocal_event(&at, CAL_WRITE, &old) < 0 ||
        (c->content.len && !call_body(c)))
        return -1;
    if (!old.organizer) /* MG-73 */
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "Your request can't be completed. You can't respond to this meeting "
                         "because you're the meeting organizer.");
    const bool sends = !json_is_false(argument(c, "sendResponse"));
    const char *comment = text_argument(c, "comment");
    if (!sends && comment && !*comment) /* MG-537 */
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "The comment must be absent where no response is sent.");
    ev = old;
    struct cal_attendee *self = own_entry(&at, &old, &ev);
    if (!self)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "Your request can't be completed. You aren't an attendee of this "
                         "meeting.");
    self->response = response;
    self->comment = comment && *comment ? comment : NULL;
    if (read_proposal(&at, &old, sends, self) < 0 || ocal_reaches(c, NULL, &old) < 0)
        return -1;
    struct cal_event_by by = {&c->actor, sends ? MAIL_ALL : MAIL_NONE, comment};
    if (cal_event_save(&c->tx, &by, &at.cal, &old, &ev) < 0)
        return ocal_refused(c);
    if (response == RESPONSE_DECLINED) { /* the copy goes (MG-76) */
        int r = cal_event_find(&c->tx, &at.cal, old.key, &ev);
        by.mail = MAIL_NONE;
        if (r < 0 || (r == 1 && ev.status != EVENT_CANCELLED &&
                      cal_event_cancel(&c->tx, &by, &at.cal, &ev) < 0))
            return ocal_refused(c);
    }
    return requests_answered(&at, &old) < 0 ? -1 : accepted(c);
}

static int events_accept(struct call *c)
{
    return respond(c, RESPONSE_ACCEPTED);
}

static int events_decline(struct call *c)
{
    return respond(c, RESPONSE_DECLINED);
}

static int events_tentatively(struct call *c)
{
    return respond(c, RESPONSE_TENTATIVE);
}

/* ---- cancelling ---- */

static const char *comment_of(struct call *c)
{
    const struct json *v = argument(c, "comment");
    return v && v->type == JSON_STRING ? v->str : NULL;
}

static int events_cancel(struct call *c)
{
    struct cal_event ev;
    struct ocal_at at;
    if (ocal_open(c, CAL_FREEBUSY, &at) < 0 || ocal_event(&at, CAL_WRITE, &ev) < 0 ||
        (c->content.len && !call_body(c)))
        return -1;
    if (ev.organizer) /* MG-74 */
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "Your request can't be completed. You need to be an organizer to cancel "
                         "a meeting.");
    if (!ev.n_attendees)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "Your request can't be completed. The event has no attendees.");
    if (ocal_reaches(c, NULL, &ev) < 0 || ocal_remove(&at, &ev, comment_of(c)) < 0)
        return -1;
    return accepted(c);
}

/* ---- forwarding ---- */

/* Whom it goes to is on the organizer's list from then on (MG-414). */
static int events_forward(struct call *c)
{
    struct cal_event old, ev;
    struct calendar leader;
    struct ocal_at at;
    if (ocal_open(c, CAL_FREEBUSY, &at) < 0 || ocal_event(&at, CAL_WRITE, &old) < 0 ||
        !call_body(c))
        return -1;
    const struct json *to = argument(c, "toRecipients");
    if (!to || to->type != JSON_ARRAY || !to->n)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRecipients", NULL,
                         "At least one recipient is not valid., A message can't be sent because it "
                         "contains no recipients.");
    leader = at.cal;
    if (old.origin) {
        int r = cal_event_by_id(&c->tx, old.origin, &old);
        if (r == 1)
            r = calendar_by_id(&c->tx, old.calendar, &leader);
        if (r != 1 || cal_event_load_attendees(&c->tx, &old) < 0)
            return r < 0 ? -1 : graph_not_found(c);
    }
    ev = old;
    ev.attendees = arena_calloc(c->tx.arena, (size_t)old.n_attendees + to->n, sizeof *ev.attendees);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (int i = 0; i < old.n_attendees; i++)
        ev.attendees[i] = old.attendees[i];
    for (uint32_t i = 0; i < to->n; i++) {
        const struct json *who = json_get(&to->items[i], "emailAddress");
        const char *address = json_get_str(who, "address");
        const char *email = address ? email_normal(c->tx.arena, address) : NULL;
        bool known = false;
        if (!email)
            return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRecipients", NULL,
                             "At least one recipient is not valid.");
        for (int k = 0; k < ev.n_attendees; k++)
            known |= strcmp(ev.attendees[k].email, email) == 0;
        if (!known && strcmp(email, leader.address) != 0)
            ev.attendees[ev.n_attendees++] = (struct cal_attendee){
                .email = email, .name = json_get_str(who, "name"), .response = RESPONSE_NONE};
    }
    if (ev.n_attendees > OCAL_MAX_GUESTS)
        return ocal_invalid(c, "toRecipients", "no more than the event has room for");
    if (ocal_reaches(c, NULL, &ev) < 0)
        return -1;
    struct cal_event_by by = {&c->actor, MAIL_ALL};
    if (cal_event_save(&c->tx, &by, &leader, &old, &ev) < 0)
        return ocal_refused(c);
    return accepted(c);
}

/* ---- rows ---- */

#define ANSWER(name, path, function, shape, words)                                                 \
    {                                                                                              \
        .id = name, .verbs = POST, .paths = PATHS(OF_EVENT(path)), .handler = function,            \
        .risk = RISK_WRITE, .risk_of = ocal_event_risk, .body = BODY_JSON_OPTIONAL,                \
        .scopes = OCAL_WRITE, PARAMS(ocal_path_params), .status = 202,                             \
        .request = "microsoft.graph.event." shape, .summary = words                                \
    }
static const struct route methods[] = {
    ANSWER("outlook.events.accept", "/accept", events_accept, "accept", "Accept an invitation"),
    ANSWER("outlook.events.decline", "/decline", events_decline, "answer", "Decline an invitation"),
    ANSWER("outlook.events.tentativelyAccept", "/tentativelyAccept", events_tentatively, "answer",
           "Accept an invitation tentatively, or propose another time"),
    ANSWER("outlook.events.cancel", "/cancel", events_cancel, "cancel",
           "Cancel a meeting of one's own, with a message to all guests"),
    ANSWER("outlook.events.forward", "/forward", events_forward, "forward",
           "Forward a meeting to more people"),
};

const struct rows ocal_answers = ROWS(methods);
