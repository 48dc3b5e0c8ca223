/* SPDX-License-Identifier: Apache-2.0 */
/* What takes the place of a change of a file that is held: a comment on the file that says what is
 * asked for. It stays when the change is made. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/drafts.h"

#define PROPOSED  "Proposed, and waiting for approval: "
#define SHOWN_MAX 3000 /* bytes; the service takes 4,096 */

static bool has_draft(const struct json *body)
{
    return body->n > 0;
}

static void make_draft(struct draft *d)
{
    const char *all = json_to_text(d->arena, d->body);
    size_t n = utf8_truncate(all, strlen(all), SHOWN_MAX);
    const struct json content =
        draft_text(arena_printf(d->arena, PROPOSED "%.*s%s", (int)n, all, all[n] ? " ..." : ""));
    const struct draft_member set[] = {{"content", &content}};
    d->verb = "POST";
    d->target = arena_printf(d->arena, "%s/files/%s/comments?fields=*", d->head, d->id);
    d->text = draft_object(d->arena, NULL, set, SOSIA_LEN(set));
}

static void commit_draft(struct draft *d, const char *id)
{
    (void)id;
    d->verb = "PATCH";
    d->target = arena_printf(d->arena, "%s/files/%s%s", d->head, d->id, d->query);
    d->text = json_to_text(d->arena, d->body);
}

const struct draft_kind gdrive_held = {
    .method = "drive.files.update",
    .end = "/files/{}",
    .has = has_draft,
    .draft = make_draft,
    .commit = commit_draft,
};
