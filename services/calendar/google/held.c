/* SPDX-License-Identifier: Apache-2.0 */
/* What takes the place of an event with guests that is held: a tentative one without them. */
#include "services/drafts.h"

static bool has_draft(const struct json *body)
{
    const struct json *guests = json_get(body, "attendees");
    return guests && guests->type == JSON_ARRAY && guests->n;
}

static void make_draft(struct draft *d)
{
    const struct json tentative = draft_text("tentative");
    const struct draft_member set[] = {{"attendees", NULL}, {"status", &tentative}};
    d->verb = "POST";
    d->target = arena_printf(d->arena, "%s/events%s", d->head, d->query);
    d->text = draft_object(d->arena, d->body, set, SOSIA_LEN(set));
}

static void commit_draft(struct draft *d, const char *id)
{
    const struct json confirmed = draft_text("confirmed"), *status = json_get(d->body, "status");
    const struct draft_member set[] = {{"attendees", json_get(d->body, "attendees")},
                                       {"status", status ? status : &confirmed}};
    d->verb = "PATCH";
    d->target = draft_path(d->arena, d->head, "/events/", id, d->query);
    d->text = draft_object(d->arena, NULL, set, SOSIA_LEN(set));
}

const struct draft_kind gcal_held = {
    .method = "calendar.events.insert",
    .end = "/events",
    .has = has_draft,
    .draft = make_draft,
    .commit = commit_draft,
};
