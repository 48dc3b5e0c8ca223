/* SPDX-License-Identifier: Apache-2.0 */
/* People as files show them. */
#include "services/drive/google/gdrive.h"

bool gdrive_has_picture(const struct actor *a)
{
    return strcmp(a->kind, "service") != 0;
}

int gdrive_write_user(struct gdrive_view *v, const char *key, int64_t actor)
{
    struct json_writer *w = v->c->out;
    struct actor who;
    if (!actor || (key && !json_wants(w, key)))
        return 0;
    int r = actor == v->c->actor.id ? (who = v->c->actor, 1) : actor_by_id(&v->c->tx, actor, &who);
    if (r != 1)
        return r;
    json_obj(w, key);
    json_word(w, "kind", "drive#user");
    json_str(w, "displayName", who.name);
    json_bool(w, "me", actor == v->c->actor.id);
    json_str(w, "permissionId",
             gdrive_permission_id(v->c->tx.arena, GRANT_PERSON, who.email, false));
    json_str(w, "emailAddress", who.email);
    if (gdrive_has_picture(&who) && json_wants(w, "photoLink"))
        json_str(
            w, "photoLink",
            arena_printf(v->c->tx.arena, GDRIVE_PHOTOS "a/%s=s64",
                         gdrive_permission_id(v->c->tx.arena, GRANT_PERSON, who.email, false)));
    json_end(w);
    return 0;
}
