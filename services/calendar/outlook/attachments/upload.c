/* SPDX-License-Identifier: Apache-2.0 */
/* Large attachments of events, which come in pieces (vendors/microsoft/attach.h). */
#include "vendors/microsoft/attach.h"
#include "engine/base/codec.h"
#include "engine/base/made.h"
#include "identity/account.h"
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/params.h"
#include "services/calendar/outlook/seed.h"

/* The event's person, as an id of the attachment needs it; the event: 1, 0 it is gone, -1. */
static int open_owner(struct call *c, const struct graph_upload *up, struct ocal_at *at)
{
    struct graph_user user;
    struct account account;
    struct cal_event ev;
    int r = cal_event_by_id(&c->tx, up->owner, &ev);
    if (r != 1 || ev.status == EVENT_CANCELLED)
        return r < 0 ? -1 : 0;
    r = account_get(&c->tx, up->account, &account);
    if (r == 1)
        r = actor_by_id(&c->tx, account.actor, &user.actor);
    if (r != 1 || graph_user_of(&c->tx, &account, &user.actor, &user) < 0)
        return r == 0 ? 0 : -1;
    return ocal_at_user(c, &user, at) < 0 ? -1 : 1;
}

static const char *base64_of(struct call *c, const char *data, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    base64_add(&b, data, n);
    const char *text = buf_made(&b, c->tx.arena);
    if (!text)
        sosia_fail_memory(c->tx.err);
    return text;
}

static int made(struct call *c, const struct graph_upload *up, const char **ret_id)
{
    const struct bytes content = {.len = up->total, .blob = up->blob};
    struct ocal_at at;
    const char *data;
    int r = open_owner(c, up, &at);
    if (r != 1)
        return r < 0 ? -1 : graph_not_found(c);
    if (up->total > OCAL_MAX_ATTACHED)
        return call_fail(c, SOSIA_E_TOO_LARGE, "ErrorMessageSizeExceeded", NULL,
                         "The message exceeds the maximum supported size.");
    if (bytes_view(&c->tx, &content, OCAL_MAX_ATTACHED, &data) < 0)
        return -1;
    struct ocal_attachment row = {.event = up->owner,
                                  .name = up->name,
                                  .type = up->type ? up->type : OCAL_UNKNOWN_TYPE,
                                  .is_inline = up->inlined,
                                  .content_id = up->content_id,
                                  .size = up->total,
                                  .content = base64_of(c, data, (size_t)up->total),
                                  .updated_us = c->tx.now_us};
    if (!row.content || ocal_attachment_add(c, &row) < 0 || cal_event_touch(&c->tx, up->owner) < 0)
        return -1;
    *ret_id = ocal_attachment_id(&at, row.id);
    return 0;
}

static const struct graph_attach attach = {.kind = "Events", .made = made};

/* ---- handlers ---- */

/* MG-577: not in the calendar of another person. An occurrence is an exception from then on. */
static int sessions_create(struct call *c)
{
    struct cal_event ev;
    struct ocal_at at;
    if (ocal_open(c, CAL_FREEBUSY, &at) < 0 || ocal_event(&at, CAL_WRITE, &ev) < 0)
        return -1;
    if (ev.organizer || (!at.user.me && !graph_app_only(c)))
        return graph_denied(c);
    return cal_event_single_out(&c->tx, &ev) < 0
               ? -1
               : graph_attach_begin(c, &attach, &at.user, ocal_attached_to(&ev),
                                    ocal_event_id(&at, &ev));
}

static int sessions_put(struct call *c)
{
    return graph_attach_put(c, &attach);
}

static int sessions_get(struct call *c)
{
    return graph_attach_get(c, &attach);
}

static int sessions_delete(struct call *c)
{
    return graph_attach_delete(c, &attach);
}

/* ---- the methods ---- */

static const struct param session_params[] = {GRAPH_ATTACH_PARAMS};

#define SESSION(name, verb, function, words)                                                       \
    .id = "outlook.events.attachmentSessions." name, .verbs = verb,                                \
    .paths = PATHS(GRAPH_ATTACH_PATH("Events")), .handler = function, .anonymous = true,           \
    PARAMS(session_params), .summary = words

static const struct route methods[] = {
    {ROUTE("outlook.events.attachments.createUploadSession", POST,
           OF_EVENT("/attachments/createUploadSession")),
     .handler = sessions_create, .risk = RISK_WRITE, .body = BODY_JSON, .scopes = OCAL_WRITE,
     PARAMS(ocal_path_params), .status = 201,
     .request = "microsoft.graph.attachment.createUploadSession",
     .response = "microsoft.graph.uploadSession",
     .summary = "Begin to attach a file of 3 to 150 MB to an event"},
    {SESSION("put", PUT, sessions_put, "The next bytes of an event's large attachment"),
     .risk = RISK_WRITE, .body = BODY_RAW, .max_body = GRAPH_ATTACH_RANGE,
     .response = "microsoft.graph.attachmentSession"},
    {SESSION("get", GET, sessions_get, "How much of an event's large attachment has come"),
     .risk = RISK_READ, .response = "microsoft.graph.attachmentSession"},
    {SESSION("delete", DELETE, sessions_delete,
             "Let an event's large attachment that is under way go"),
     .risk = RISK_DESTRUCTIVE, .status = 204},
};

const struct rows ocal_uploads = ROWS(methods);
