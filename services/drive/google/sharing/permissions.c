/* SPDX-License-Identifier: Apache-2.0 */
/* Permissions of a file: reading and changing them. */
#include "services/drive/google/sharing/permission.h"
#include "services/drive/google/scopes.h"

enum { MAX_GRANTS = 600 };

/* All permissions are visible to those who may share, and in a shared drive to those who may
 * write. */
static int may_list(struct gdrive_subject *s)
{
    if (can(&s->cans, CAN_SHARE) || (s->item.drive && s->access.role >= ROLE_WRITER))
        return 0;
    return gdrive_insufficient(s->view.c);
}

static int no_permission(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "permissionId", "Permission not found: %s.",
                     param_str(c, "permissionId"));
}

/* The permission of the parameter permissionId among those that the file has. A caller who sees
 * the file may get their own. */
static int find_permission(struct gdrive_subject *s, struct drive_share **ret)
{
    struct call *c = s->view.c;
    const char *id = param_str(c, "permissionId");
    struct drive_share *list;
    size_t n;
    if (drive_shares(&c->tx, &s->item, true, &list, &n) < 0)
        return -1;
    const char *own = gdrive_permission_id(c->tx.arena, GRANT_PERSON,
                                           c->actor.email ? c->actor.email : "", false);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(id, gdrive_permission_id(c->tx.arena, list[i].kind, list[i].who,
                                            list[i].discoverable)) != 0)
            continue;
        *ret = &list[i];
        return strcmp(id, own) == 0 ? 0 : may_list(s);
    }
    return may_list(s) < 0 ? -1 : no_permission(c);
}

static int permissions_get(struct call *c)
{
    struct gdrive_subject s;
    struct drive_share *share;
    if (gdrive_subject(c, &s) < 0 || find_permission(&s, &share) < 0)
        return -1;
    return gdrive_write_permission(&s.view, NULL, &s.item, share);
}

/* Whether permissions of a view are requested: "published" is the only one. */
static int read_view(struct call *c, bool *ret)
{
    const char *view = param_str(c, "includePermissionsForView");
    *ret = view && strcmp(view, "published") == 0;
    if (view && *view && !*ret)
        return call_fail(c, SOSIA_E_INVALID, "invalid", "includePermissionsForView",
                         "Invalid Value");
    return 0;
}

static int permissions_list(struct call *c)
{
    struct gdrive_subject s;
    struct drive_share *list;
    const char *token = call_query_item(c, "pageToken");
    int64_t first = 0;
    size_t n;
    bool published;
    if (gdrive_subject(c, &s) < 0 || may_list(&s) < 0 || read_view(c, &published) < 0)
        return -1;
    if (token && !*token)
        return call_fail(c, SOSIA_E_FORBIDDEN, "pageTokenExpired", "pageToken",
                         "The specified page token has expired, and can no longer be used.");
    if (google_page_number(c, 0, &first) < 0 ||
        drive_shares(&c->tx, &s.item, published, &list, &n) < 0)
        return -1;
    int64_t limit = param_num(c, "pageSize", s.item.drive ? 100 : (int64_t)n);
    int64_t all = (int64_t)n, end = first > all ? all : all - first > limit ? first + limit : all;
    json_obj(c->out, NULL);
    s.view.list = true;
    json_arr(c->out, "permissions");
    for (int64_t i = first; i < end; i++)
        if (gdrive_write_permission(&s.view, NULL, &s.item, &list[i]) < 0)
            return -1;
    json_end(c->out);
    json_word(c->out, "kind", "drive#permissionList");
    if (end < all)
        google_next_page(c, end);
    json_end(c->out);
    return 0;
}

/* ---- changes ---- */

static int answer_permission(struct gdrive_subject *s, enum drive_grantee kind, const char *who)
{
    struct drive_share *list;
    size_t n;
    if (drive_shares(&s->view.c->tx, &s->item, true, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (list[i].kind == kind && strcmp(list[i].who, who) == 0)
            return gdrive_write_permission(&s->view, NULL, &s->item, &list[i]);
    return tx_fail(&s->view.c->tx, SOSIA_E_INTERNAL, NULL, NULL, "a permission is not there");
}

static const struct drive_share *share_of(const struct drive_share *list, size_t n,
                                          const struct drive_grant *g)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].kind == g->kind && strcmp(list[i].who, g->who) == 0)
            return &list[i];
    return NULL;
}

static int no_room(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "sharingRateLimitExceeded", NULL,
                     "Rate limit exceeded. User message: \"You have reached the maximum number of "
                     "people that this item can be shared with.\"");
}

static int give_ownership(struct gdrive_subject *s, const struct gdrive_wanted *w)
{
    return w->person.id == s->item.owner
               ? 0
               : drive_share_give(&s->view.c->tx, &s->item, &w->person,
                                  param_bool(s->view.c, "moveToNewOwnersRoot"));
}

static int permissions_create(struct call *c)
{
    struct gdrive_subject s;
    struct gdrive_wanted w = {0};
    struct drive_share *list;
    size_t n, here = 0;
    if (gdrive_subject(c, &s) < 0)
        return -1;
    if (s.item.space)
        return gdrive_not_for_app_data(c);
    if (gdrive_read_wanted(c, true, &w) < 0)
        return -1;
    bool accepts = w.grant.role == ROLE_OWNER && can(&s.cans, CAN_ACCEPT_OWNERSHIP);
    if (!accepts && gdrive_must(&s, CAN_SHARE) < 0)
        return -1;
    if (gdrive_check_wanted(&s, &w, true) < 0 || gdrive_below_reached(c, &s.item) < 0 ||
        drive_shares(&c->tx, &s.item, true, &list, &n) < 0)
        return -1;
    const struct drive_share *had = share_of(list, n, &w.grant);
    for (size_t i = 0; i < n; i++)
        here += list[i].grant != 0;
    if (!had && here >= MAX_GRANTS)
        return no_room(c);
    if (w.grant.role == ROLE_OWNER) {
        if (give_ownership(&s, &w) < 0)
            return -1;
    } else if (had && had->owns) {
        return gdrive_write_permission(&s.view, NULL, &s.item, had);
    } else {
        /* Of what comes from above a lower one is nothing new. */
        if (!(had && w.grant.role < had->above && !had->grant) &&
            drive_share_set(&c->tx, &s.item, had, &w.grant, c->actor.id) < 0)
            return -1;
    }
    if (gdrive_wants_letter(c, &w.grant) &&
        gdrive_notify_shared(&s, w.grant.who, w.grant.role, param_str(c, "emailMessage")) < 0)
        return -1;
    return answer_permission(&s, w.grant.kind, w.grant.who);
}

/* Access only grows on the way down: what comes from above is not lowered at the item. In shared
 * drives the refusal has the text that it had before the reason was renamed. */
static int check_inherited(struct gdrive_subject *s, const struct drive_share *share,
                           enum drive_role role)
{
    if (role >= share->above)
        return 0;
    return call_fail(
        s->view.c, SOSIA_E_FORBIDDEN, "cannotModifyInheritedPermission", NULL, "%s",
        s->item.drive
            ? "Cannot update or delete an inherited permission on a shared drive item."
            : "Cannot modify a permission on an item to be less than the inherited access from a "
              "direct or indirect parent. Leverage limited access (https://developers.google.com/"
              "workspace/drive/api/guides/limited-expansive-access).");
}

static bool is_own(const struct call *c, const struct drive_share *share)
{
    return share->kind == GRANT_PERSON && c->actor.id && strcmp(share->who, c->actor.email) == 0;
}

static int owner_stays(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "cannotRemoveOwner", NULL,
                     "The owner of a file cannot be removed.");
}

static int permissions_update(struct call *c)
{
    struct gdrive_subject s;
    struct drive_share *share;
    if (gdrive_subject(c, &s) < 0 || find_permission(&s, &share) < 0 || !call_body(c))
        return -1;
    struct gdrive_wanted w = {.grant = {.kind = share->kind,
                                        .who = share->who,
                                        .role = share->direct ? share->direct : share->role,
                                        .discoverable = share->discoverable,
                                        .view = share->view,
                                        .pending = share->pending,
                                        .expires_us = share->expires_us}};
    if (share->kind == GRANT_PERSON && actor_by_email(&c->tx, share->who, &w.person) < 0)
        return -1;
    if (gdrive_read_wanted(c, false, &w) < 0)
        return -1;
    bool stays = param_bool(c, "removeExpiration") && w.grant.expires_us;
    if (stays)
        w.grant.expires_us = 0;
    bool lowers_own = is_own(c, share) && w.grant.role <= share->role && !w.has_expiry && !stays;
    bool accepts = w.grant.role == ROLE_OWNER && can(&s.cans, CAN_ACCEPT_OWNERSHIP);
    if (!lowers_own && !accepts && gdrive_must(&s, CAN_SHARE) < 0)
        return -1;
    if (share->owns && w.grant.role != ROLE_OWNER)
        return s.access.role == ROLE_OWNER ? owner_stays(c) : gdrive_insufficient(c);
    if (gdrive_check_wanted(&s, &w, false) < 0)
        return -1;
    /* A caller can't lower a higher role. */
    if (share->role > s.access.role)
        return gdrive_insufficient(c);
    if (gdrive_below_reached(c, &s.item) < 0)
        return -1;
    if (w.grant.role == ROLE_OWNER) {
        if (give_ownership(&s, &w) < 0)
            return -1;
    } else if (check_inherited(&s, share, w.grant.role) < 0 ||
               drive_share_set(&c->tx, &s.item, share, &w.grant, c->actor.id) < 0) {
        return -1;
    }
    return answer_permission(&s, share->kind, share->who);
}

static int permissions_delete(struct call *c)
{
    struct gdrive_subject s;
    struct drive_share *share;
    if (gdrive_subject(c, &s) < 0 || find_permission(&s, &share) < 0)
        return -1;
    if (share->owns)
        return s.access.role == ROLE_OWNER ? owner_stays(c) : gdrive_insufficient(c);
    if (!is_own(c, share) && (!can(&s.cans, CAN_SHARE) || share->role > s.access.role))
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotDeletePermission", NULL,
                         "The authenticated user cannot delete the permission.");
    /* What comes from above is taken away there, and not here. */
    if (!share->grant || share->role < share->above)
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotDeletePermission", NULL,
                         "The authenticated user cannot delete the permission. If the permission "
                         "is inherited, limited access must be leveraged.");
    struct drive_grant none = {.kind = share->kind, .who = share->who};
    if (gdrive_below_reached(c, &s.item) < 0 ||
        drive_share_set(&c->tx, &s.item, share, &none, c->actor.id) < 0)
        return -1;
    c->status = 204;
    return 0;
}

/* ---- rows ---- */

#define PERMISSION_ID                                                                              \
    {                                                                                              \
        .name = "permissionId", .place = IN_PATH, .required = true                                 \
    }

static const struct param create_params[] = {
    {.name = "emailMessage", .place = IN_QUERY},
    GDRIVE_FLAG("enforceExpansiveAccess"),
    GDRIVE_OLD_FLAG("enforceSingleParent"),
    GDRIVE_FILE_ID,
    GDRIVE_FLAG("moveToNewOwnersRoot"),
    {.name = "sendNotificationEmail", .place = IN_QUERY, .type = PARAM_BOOL},
    GDRIVE_FLAG("supportsAllDrives"),
    GDRIVE_OLD_FLAG("supportsTeamDrives"),
    GDRIVE_FLAG("transferOwnership"),
    GDRIVE_FLAG("useDomainAdminAccess"),
};

static const struct param delete_params[] = {
    GDRIVE_FLAG("enforceExpansiveAccess"),
    GDRIVE_FILE_ID,
    PERMISSION_ID,
    GDRIVE_FLAG("supportsAllDrives"),
    GDRIVE_OLD_FLAG("supportsTeamDrives"),
    GDRIVE_FLAG("useDomainAdminAccess"),
};

static const struct param get_params[] = {
    GDRIVE_FILE_ID,
    PERMISSION_ID,
    GDRIVE_FLAG("supportsAllDrives"),
    GDRIVE_OLD_FLAG("supportsTeamDrives"),
    GDRIVE_FLAG("useDomainAdminAccess"),
};

static const struct param list_params[] = {
    GDRIVE_FILE_ID,
    {.name = "includePermissionsForView", .place = IN_QUERY},
    {.name = "pageSize", .place = IN_QUERY, .type = PARAM_INT, .min = 1, .max = 100},
    {.name = "pageToken", .place = IN_QUERY},
    GDRIVE_FLAG("supportsAllDrives"),
    GDRIVE_OLD_FLAG("supportsTeamDrives"),
    GDRIVE_FLAG("useDomainAdminAccess"),
};

static const struct param update_params[] = {
    GDRIVE_FLAG("enforceExpansiveAccess"),
    GDRIVE_FILE_ID,
    PERMISSION_ID,
    GDRIVE_FLAG("removeExpiration"),
    GDRIVE_FLAG("supportsAllDrives"),
    GDRIVE_OLD_FLAG("supportsTeamDrives"),
    GDRIVE_FLAG("transferOwnership"),
    GDRIVE_FLAG("useDomainAdminAccess"),
};

#define READERS                                                                                    \
    DRIVE " " FILE_SCOPE " " MEET_READONLY " " METADATA " " METADATA_READONLY " " PHOTOS_READONLY  \
          " " READONLY

static const struct route methods[] = {
    {ROUTE("drive.permissions.create", POST, "/drive/v3/files/{fileId}/permissions"),
     .handler = permissions_create, .risk = RISK_EXTERNAL, .body = BODY_JSON,
     .scopes = DRIVE " " FILE_SCOPE, PARAMS(create_params), .request = "Permission",
     .response = "Permission",
     .summary = "Share a file, or make somebody a member of a shared drive"},
    {ROUTE("drive.permissions.delete", DELETE,
           "/drive/v3/files/{fileId}/permissions/{permissionId}"),
     .handler = permissions_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = DRIVE " " FILE_SCOPE, PARAMS(delete_params), .summary = "Take a permission away"},
    {ROUTE("drive.permissions.get", GET, "/drive/v3/files/{fileId}/permissions/{permissionId}"),
     .handler = permissions_get, .risk = RISK_READ, .scopes = READERS, PARAMS(get_params),
     .response = "Permission", .summary = "One permission"},
    {ROUTE("drive.permissions.list", GET, "/drive/v3/files/{fileId}/permissions"),
     .handler = permissions_list, .risk = RISK_READ, .scopes = READERS, PARAMS(list_params),
     .response = "PermissionList",
     .summary = "Who has access to a file, or is a member of a shared drive"},
    {ROUTE("drive.permissions.update", PATCH,
           "/drive/v3/files/{fileId}/permissions/{permissionId}"),
     .handler = permissions_update, .risk = RISK_EXTERNAL, .idempotent = true, .body = BODY_JSON,
     .scopes = DRIVE " " FILE_SCOPE, PARAMS(update_params), .request = "Permission",
     .response = "Permission", .summary = "Change a permission"},
};

const struct rows gdrive_permissions = ROWS(methods);
