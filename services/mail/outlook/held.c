/* SPDX-License-Identifier: Apache-2.0 */
/* What takes the place of a letter whose sending is held: a draft, unless it would not be kept. */
#include "services/drafts.h"

static bool has_draft(const struct json *body)
{
    const struct json *message = json_get(body, "message"),
                      *save = json_get(body, "saveToSentItems");
    return message && message->type == JSON_OBJECT &&
           (!save || json_get_true(body, "saveToSentItems"));
}

static void make_draft(struct draft *d)
{
    d->verb = "POST";
    d->target = arena_printf(d->arena, "%s/messages", d->head);
    d->text = json_to_text(d->arena, json_get(d->body, "message"));
}

static void commit_draft(struct draft *d, const char *id)
{
    d->verb = "POST";
    d->target = draft_path(d->arena, d->head, "/messages/", id, "/send");
    d->text = "";
}

const struct draft_kind outlook_held = {
    .method = "outlook.sendMail",
    .end = "/sendMail",
    .has = has_draft,
    .draft = make_draft,
    .commit = commit_draft,
};
