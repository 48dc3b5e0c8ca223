/* SPDX-License-Identifier: Apache-2.0 */
/* The File resource as the viewer sees it. */
#include "services/drive/google/gdrive.h"
#include "engine/base/codec.h"

int gdrive_write_user(struct gdrive_view *v, const char *key, int64_t actor)
{
    struct json_writer *w = v->c->out;
    struct actor who;
    if (!actor || !json_wants(w, key))
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
    json_end(w);
    return 0;
}

static int write_parents(struct gdrive_view *v, const struct drive_item *it)
{
    struct json_writer *w = v->c->out;
    struct drive_item parent;
    struct drive_access access;
    if (!it->parent || !json_wants(w, "parents"))
        return 0;
    int r = drive_item_by_id(&v->c->tx, it->parent, &parent);
    if (r != 1)
        return r;
    if (drive_role(&v->viewer, &parent, &access) < 0)
        return -1;
    if (access.role == ROLE_NONE)
        return 0; /* a folder that the viewer does not see */
    json_arr(w, "parents");
    json_str(w, NULL, parent.key);
    json_end(w);
    return 0;
}

static int write_all(struct gdrive_view *v, const struct drive_item *it,
                     const struct drive_access *access)
{
    struct json_writer *w = v->c->out;
    json_str_opt(w, "description", it->description);
    json_bool(w, "trashed", access->trashed);
    json_bool(w, "explicitlyTrashed", it->flags & DRIVE_TRASHED);
    if (write_parents(v, it) < 0)
        return -1;
    json_int_str(w, "version", it->version);
    json_time(w, "createdTime", it->created_us, JSON_TIME_MS_Z);
    json_time(w, "modifiedTime", it->modified_us, JSON_TIME_MS_Z);
    if (!it->drive)
        json_bool(w, "ownedByMe", it->owner == v->c->actor.id);
    if (it->size >= 0)
        json_int_str(w, "size", it->size);
    return gdrive_write_permissions(v, it, access) < 0 ? -1
                                                       : gdrive_write_capabilities(v, it, access);
}

int gdrive_write_file(struct gdrive_view *v, const char *key, const struct drive_item *it,
                      const struct drive_access *access)
{
    struct json_writer *w = v->c->out;
    struct drive_access own;
    if (v->all && !access) {
        if (drive_role(&v->viewer, it, &own) < 0)
            return -1;
        access = &own;
    }
    json_obj(w, key);
    json_word(w, "kind", "drive#file");
    json_str(w, "id", it->key);
    json_str(w, "name", it->name);
    json_str(w, "mimeType", gdrive_type(v->c->tx.arena, it));
    if (v->all && write_all(v, it, access) < 0)
        return -1;
    json_end(w);
    return 0;
}
