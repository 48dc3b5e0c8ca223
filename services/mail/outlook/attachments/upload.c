/* SPDX-License-Identifier: Apache-2.0 */
/* Large attachments of drafts, which come in pieces (vendors/microsoft/attach.h). */
#include "vendors/microsoft/attach.h"
#include "services/mail/outlook/letter.h"
#include "services/mail/outlook/rows.h"

static int made(struct call *c, const struct graph_upload *up, const char **ret_id)
{
    const struct bytes content = {.len = up->total, .blob = up->blob};
    struct outlook_letter l;
    struct outlook_item i;
    struct outlook_box b;
    struct mailbox mb;
    const char *data;
    int part, r = mailbox_of_account(&c->tx, up->account, &mb);
    if (r == 1)
        r = outlook_item_get(&c->tx, mb.id, up->owner, &i);
    if (r != 1 || !i.draft.id)
        return r < 0 ? -1 : graph_not_found(c);
    if (up->total > (int64_t)OUTLOOK_MAX_MESSAGE)
        return call_fail(c, SOSIA_E_TOO_LARGE, "ErrorMessageSizeExceeded", NULL,
                         "The message exceeds the maximum supported size.");
    if (outlook_box_of(&c->tx, &mb, &b) < 0 || outlook_letter_of(c, &b, &i.message, &l) < 0 ||
        bytes_view(&c->tx, &content, (int64_t)OUTLOOK_MAX_MESSAGE, &data) < 0)
        return -1;
    const struct outlook_plain_file file = {.name = up->name,
                                            .type = up->type,
                                            .content_id = up->content_id,
                                            .inlined = up->inlined,
                                            .data = data,
                                            .len = (size_t)up->total};
    if (outlook_letter_plain(c, &l, &file) < 0 || outlook_attach(c, &b, &i, &l, &part) < 0)
        return -1;
    *ret_id = outlook_attachment_id(c->tx.arena, &b, i.key, i.message.folder, part);
    return 0;
}

static const struct graph_attach attach = {.kind = "Messages", .made = made};

/* ---- handlers ---- */

/* MG-577: not in the mailbox of another person. */
static int sessions_create(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0)
        return -1;
    if (b.shared)
        return graph_denied(c);
    if (outlook_item_of_path(c, &b, &i) < 0)
        return -1;
    if (!i.draft.id)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidOperation", NULL,
                         "Attachments of a message that is not a draft can't be changed.");
    return graph_attach_begin(c, &attach, &b.user, i.key, outlook_item_id(c->tx.arena, &b, &i));
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
    .id = "outlook.messages.attachmentSessions." name, .verbs = verb,                              \
    .paths = PATHS(GRAPH_ATTACH_PATH("Messages")), .handler = function, .anonymous = true,         \
    PARAMS(session_params), .summary = words

static const struct route routes[] = {
    {ROUTE("outlook.messages.attachments.createUploadSession", POST,
           MESSAGE_PATHS("/attachments/createUploadSession")),
     .response = "microsoft.graph.uploadSession", .handler = sessions_create, .risk = RISK_DRAFT,
     .body = BODY_JSON, .request = "microsoft.graph.attachment.createUploadSession",
     .scopes = WRITE, PARAMS(outlook_message_params), .status = 201,
     .summary = "Begins to add a file of 3 to 150 MB to a draft"},
    {SESSION("put", PUT, sessions_put, "The next bytes of a large attachment"), .risk = RISK_DRAFT,
     .body = BODY_RAW, .content = true, .max_body = GRAPH_ATTACH_RANGE,
     .response = "microsoft.graph.attachmentSession"},
    {SESSION("get", GET, sessions_get, "How much of a large attachment has come"),
     .risk = RISK_READ, .response = "microsoft.graph.attachmentSession"},
    {SESSION("delete", DELETE, sessions_delete, "Lets a large attachment that is under way go"),
     .risk = RISK_DESTRUCTIVE, .status = 204},
};
const struct rows outlook_upload_rows = ROWS(routes);
