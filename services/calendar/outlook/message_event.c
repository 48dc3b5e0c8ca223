/* SPDX-License-Identifier: Apache-2.0 */
/* The event that a message about a meeting leads to. */
#include "services/calendar/outlook/ocal.h"
#include "vendors/microsoft/meeting.h"

static int event_get(struct call *c)
{
    const struct graph_mail *mail = core_policy_nth(&c->tx, GRAPH_MAIL, 0);
    struct graph_meeting m;
    struct graph_user user;
    struct odata_query q;
    struct cal_event ev;
    struct ocal_at at;
    int r = mail ? mail->meeting(c, &user, &m) : 0;
    if (r < 0 || ocal_options(c, "event", &q) < 0)
        return -1;
    if (r == 1)
        r = ocal_message_event(c, &user, &m, &q, &at, &ev);
    if (r != 1)
        return r < 0 ? -1 : graph_not_found(c);
    return ocal_select(c, &q, false) < 0 ? -1 : ocal_answer_event(&at, "/events", &ev);
}

/* ---- the method ---- */

/* Casts: callers write the name space in front. */
#define OF_MESSAGE(cast)                                                                           \
    GRAPH_MY("/messages/{message-id}/" cast "/event"),                                             \
        GRAPH_MY("/mailFolders/{mailFolder-id}/messages/{message-id}/" cast "/event")

static const struct param params[] = {
    USER_ID,
    {.name = "mailFolder-id",
     .place = IN_PATH,
     .required = true,
     .summary = "The id of a mail folder, or its well-known name"},
    {.name = "message-id",
     .place = IN_PATH,
     .required = true,
     .summary = "The id of a message about a meeting"},
    {.name = "$select", .place = IN_QUERY},
    {.name = "$expand", .place = IN_QUERY},
};
static const struct route methods[] = {
    {ROUTE("outlook.messages.event.get", GET, OF_MESSAGE("eventMessage"),
           OF_MESSAGE("eventMessageRequest"), OF_MESSAGE("eventMessageResponse")),
     .response = "microsoft.graph.event", .handler = event_get, .risk = RISK_READ,
     .scopes = "Mail.Read Mail.ReadWrite Mail.Read.Shared Mail.ReadWrite.Shared", PARAMS(params),
     .summary = "The event that a message about a meeting leads to"},
};
const struct rows ocal_messages = ROWS(methods);
