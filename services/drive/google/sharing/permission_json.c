/* SPDX-License-Identifier: Apache-2.0 */
/* Permissions and capabilities in responses. */
#include "identity/sql.h"
#include "services/drive/google/sharing/access.h"

#define PHOTO "https://lh3.googleusercontent.com/a/default-user=s64"

/* In the order of responses. Some have a second, older name, in shared drives. */
static const struct {
    enum gdrive_can can;
    const char *name;
    bool shared;
} capabilities[] = {
    {CAN_CHANGE_VIEWERS_COPY, "canChangeViewersCanCopyContent"},
    {CAN_MOVE_CHILDREN_OUT, "canMoveChildrenOutOfDrive"},
    {CAN_READ_DRIVE, "canReadDrive"},
    {CAN_EDIT, "canEdit"},
    {CAN_COPY, "canCopy"},
    {CAN_COMMENT, "canComment"},
    {CAN_ADD_CHILDREN, "canAddChildren"},
    {CAN_DELETE, "canDelete"},
    {CAN_DOWNLOAD, "canDownload"},
    {CAN_LIST_CHILDREN, "canListChildren"},
    {CAN_REMOVE_CHILDREN, "canRemoveChildren"},
    {CAN_RENAME, "canRename"},
    {CAN_TRASH, "canTrash"},
    {CAN_READ_REVISIONS, "canReadRevisions"},
    {CAN_READ_DRIVE, "canReadTeamDrive", true},
    {CAN_MOVE_WITHIN, "canMoveTeamDriveItem", true},
    {CAN_CHANGE_COPY_RESTRICTION, "canChangeCopyRequiresWriterPermission"},
    {CAN_MOVE_INTO_SHARED, "canMoveItemIntoTeamDrive"},
    {CAN_UNTRASH, "canUntrash"},
    {CAN_MODIFY_CONTENT, "canModifyContent"},
    {CAN_MOVE_WITHIN, "canMoveItemWithinTeamDrive", true},
    {CAN_MOVE_OUT, "canMoveItemOutOfTeamDrive", true},
    {CAN_DELETE_CHILDREN, "canDeleteChildren"},
    {CAN_MOVE_CHILDREN_OUT, "canMoveChildrenOutOfTeamDrive", true},
    {CAN_MOVE_CHILDREN_WITHIN, "canMoveChildrenWithinTeamDrive", true},
    {CAN_TRASH_CHILDREN, "canTrashChildren"},
    {CAN_MOVE_OUT, "canMoveItemOutOfDrive"},
    {CAN_ADD_PARENT, "canAddMyDriveParent"},
    {CAN_REMOVE_PARENT, "canRemoveMyDriveParent"},
    {CAN_MOVE_WITHIN, "canMoveItemWithinDrive"},
    {CAN_SHARE, "canShare"},
    {CAN_MOVE_CHILDREN_WITHIN, "canMoveChildrenWithinDrive"},
    {CAN_RESTRICT_CONTENT, "canModifyContentRestriction"},
    {CAN_ADD_FOLDER_FROM_ELSEWHERE, "canAddFolderFromAnotherDrive"},
    {CAN_CHANGE_SECURITY_UPDATE, "canChangeSecurityUpdateEnabled"},
    {CAN_ACCEPT_OWNERSHIP, "canAcceptOwnership"},
    {CAN_READ_LABELS, "canReadLabels"},
    {CAN_MODIFY_LABELS, "canModifyLabels"},
    {CAN_RESTRICT_AS_EDITOR, "canModifyEditorContentRestriction"},
    {CAN_RESTRICT_AS_OWNER, "canModifyOwnerContentRestriction"},
    {CAN_LIFT_RESTRICTION, "canRemoveContentRestriction"},
    {CAN_LIMIT_ACCESS, "canDisableInheritedPermissions"},
    {CAN_UNLIMIT_ACCESS, "canEnableInheritedPermissions"},
    {CAN_CHANGE_DOWNLOAD_RESTRICTION, "canChangeItemDownloadRestriction"},
};

int gdrive_write_capabilities(struct gdrive_view *v, const struct drive_item *it,
                              const struct drive_access *access)
{
    struct json_writer *w = v->c->out;
    struct gdrive_cans cans;
    if (!json_wants(w, "capabilities"))
        return 0;
    if (gdrive_may(&v->viewer, it, access, &cans) < 0)
        return -1;
    json_obj(w, "capabilities");
    for (size_t i = 0; i < SOSIA_LEN(capabilities); i++)
        if (cans.known & CAN(capabilities[i].can) && (!capabilities[i].shared || it->drive))
            json_bool(w, capabilities[i].name, can(&cans, capabilities[i].can));
    json_end(w);
    return 0;
}

enum drive_role gdrive_role_of(const char *word)
{
    for (int r = ROLE_READER; word && r <= ROLE_OWNER; r++)
        if (strcmp(gdrive_roles[r], word) == 0)
            return (enum drive_role)r;
    return ROLE_NONE;
}

/* A person who only sees that there is a folder is a reader of a view that has nothing but its
 * name. */
static const char *role_word(enum drive_role role)
{
    return gdrive_roles[role == ROLE_SEES ? ROLE_READER : role];
}

static const char *view_word(const struct drive_share *s)
{
    return s->role == ROLE_SEES ? "metadata" : s->view;
}

/* The details of each place that a role comes from: in a shared drive which, and how much. */
static int write_details(struct gdrive_view *v, const struct drive_item *it,
                         const struct drive_share *s, bool deprecated)
{
    struct json_writer *w = v->c->out;
    const char *name = deprecated ? "teamDrivePermissionDetails" : "permissionDetails";
    if (!json_wants(w, name))
        return 0;
    json_arr(w, name);
    for (const struct drive_share_from *f = s->role == ROLE_SEES ? s->beyond : s->from; f;
         f = f->next) {
        struct drive_item from;
        bool inherited = f->item != it->id;
        json_obj(w, NULL);
        json_word(w, deprecated ? "teamDrivePermissionType" : "permissionType",
                  f->top ? "member" : "file");
        json_word(w, "role", role_word(f->role));
        if (it->drive) {
            int r = inherited ? drive_item_by_id(&v->c->tx, f->item, &from) : 0;
            if (r < 0)
                return -1;
            if (r)
                json_str(w, "inheritedFrom", from.key);
        }
        json_bool(w, "inherited", inherited);
        json_end(w);
    }
    json_end(w);
    return 0;
}

/* The name of a grantee, and whether there is a picture: of a person outside of the world only the
 * address is known. */
static int name_of(struct gdrive_view *v, const struct drive_share *s, const char **ret,
                   bool *ret_picture)
{
    static struct sql_text q_org =
        SQL_TEXT("select o.name from " IDENT_SQL_ORGS " o where o.domain = :domain");
    struct tx *tx = &v->c->tx;
    struct actor who;
    struct group g;
    sqlite3_stmt *st;
    int r = 0;
    *ret = *s->who ? s->who : NULL;
    *ret_picture = s->kind == GRANT_PERSON;
    if (s->kind == GRANT_PERSON && (r = actor_by_email(tx, s->who, &who)) == 1) {
        *ret = who.name;
        *ret_picture = gdrive_has_picture(&who);
    } else if (s->kind == GRANT_GROUP && (r = group_by_email(tx, s->who, &g)) == 1) {
        *ret = g.name;
    } else if (s->kind == GRANT_DOMAIN && (r = TX_ROW(tx, &q_org, &st, s->who)) == 1) {
        *ret = tx_string(tx, st, 0);
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}

int gdrive_write_permission(struct gdrive_view *v, const char *key, const struct drive_item *it,
                            const struct drive_share *s)
{
    struct json_writer *w = v->c->out;
    const char *name;
    bool picture, person = s->kind == GRANT_PERSON, group = s->kind == GRANT_GROUP;
    if (v->all && name_of(v, s, &name, &picture) < 0)
        return -1;
    json_obj(w, key);
    json_word(w, "kind", "drive#permission");
    json_str(w, "id", gdrive_permission_id(v->c->tx.arena, s->kind, s->who, s->discoverable));
    json_word(w, "type", gdrive_grantees[s->kind]);
    if (v->all && (person || group))
        json_str(w, "emailAddress", s->who);
    if (v->all && s->kind == GRANT_DOMAIN)
        json_str(w, "domain", s->who);
    json_word(w, "role", role_word(s->role));
    if (v->all ? !person && !group : s->kind == GRANT_ANYONE && !v->list)
        json_bool(w, "allowFileDiscovery", s->discoverable);
    if (!v->all) {
        json_end(w);
        return 0;
    }
    json_str_opt(w, "displayName", name);
    if (picture)
        json_word(w, "photoLink", PHOTO);
    if (s->expires_us)
        json_time(w, "expirationTime", s->expires_us, JSON_TIME_MS_Z);
    if (person || group)
        json_bool(w, "deleted", false);
    json_str_opt(w, "view", view_word(s));
    if (person && !it->drive)
        json_bool(w, "pendingOwner", s->pending);
    if (write_details(v, it, s, false) < 0 || (it->drive && write_details(v, it, s, true) < 0))
        return -1;
    if (it->form == DRIVE_FOLDER)
        json_bool(w, "inheritedPermissionsDisabled", it->flags & DRIVE_LIMITED);
    json_end(w);
    return 0;
}

int gdrive_write_permissions(struct gdrive_view *v, const struct drive_item *it,
                             const struct drive_access *access)
{
    struct json_writer *w = v->c->out;
    struct drive_share *list;
    struct gdrive_cans cans;
    size_t n;
    bool whole = json_wants(w, "permissions");
    if (it->drive || (!whole && !json_wants(w, "permissionIds")))
        return 0;
    if (gdrive_may(&v->viewer, it, access, &cans) < 0)
        return -1;
    if (!can(&cans, CAN_SHARE))
        return 0;
    if (drive_shares(&v->c->tx, it, false, &list, &n) < 0)
        return -1;
    if (whole) {
        json_arr(w, "permissions");
        for (size_t i = 0; i < n; i++)
            if (gdrive_write_permission(v, NULL, it, &list[i]) < 0)
                return -1;
        json_end(w);
    }
    json_arr(w, "permissionIds");
    for (size_t i = 0; i < n; i++)
        json_str(
            w, NULL,
            gdrive_permission_id(v->c->tx.arena, list[i].kind, list[i].who, list[i].discoverable));
    json_end(w);
    return 0;
}
