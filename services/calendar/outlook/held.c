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
    const struct draft_member set[] = {{"attendees", NULL}, {"showAs", &tentative}};
    d->verb = "POST";
    d->target = arena_printf(d->arena, "%s/events%s", d->head, d->query);
    d->text = draft_object(d->arena, d->body, set, SOSIA_LEN(set));
}

static void commit_draft(struct draft *d, const char *id)
{
    const struct json busy = draft_text("busy"), *shown = json_get(d->body, "showAs");
    const struct draft_member set[] = {{"attendees", json_get(d->body, "attendees")},
                                       {"showAs", shown ? shown : &busy}};
    /* below a group of calendars events are made, and not changed */
    const char *group = strstr(d->head, "/calendarGroups/");
    const char *head =
        group ? arena_printf(d->arena, "%.*s", (int)(group - d->head), d->head) : d->head;
    d->verb = "PATCH";
    d->target = draft_path(d->arena, head, "/events/", id, d->query);
    d->text = draft_object(d->arena, NULL, set, SOSIA_LEN(set));
}

const struct draft_kind ocal_held = {
    .method = "outlook.events.create",
    .end = "/events",
    .has = has_draft,
    .draft = make_draft,
    .commit = commit_draft,
};
