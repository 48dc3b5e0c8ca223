/* SPDX-License-Identifier: Apache-2.0 */
/* What takes the place of a letter whose sending is held: a draft. */
#include "services/drafts.h"

static void make_draft(struct draft *d)
{
    const struct draft_member message = {"message", d->body};
    d->verb = "POST";
    d->target = arena_printf(d->arena, "%s/drafts", d->head);
    d->text = draft_object(d->arena, NULL, &message, 1);
}

static void commit_draft(struct draft *d, const char *id)
{
    const struct json value = draft_text(id);
    const struct draft_member named = {"id", &value};
    d->verb = "POST";
    d->target = arena_printf(d->arena, "%s/drafts/send", d->head);
    d->text = draft_object(d->arena, NULL, &named, 1);
}

const struct draft_kind gmail_held = {
    .method = "gmail.users.messages.send",
    .end = "/messages/send",
    .draft = make_draft,
    .commit = commit_draft,
};
