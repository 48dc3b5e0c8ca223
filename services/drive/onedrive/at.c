/* SPDX-License-Identifier: Apache-2.0 */
/* Whose drive a call is about, and which item in it. */
#include "engine/base/codec.h"
#include "services/drive/core/access/link.h"
#include "services/drive/onedrive/sharing/app_rights.h"
#include "services/drive/onedrive/onedrive.h"
#include "vendors/microsoft/directory/directory.h"

/* ---- the drive ---- */

const char *onedrive_site_of(struct arena *a, const char *upn)
{
    char *name = arena_strdup(a, upn);
    for (char *p = name; p && *p; p++)
        if (!(*p >= 'a' && *p <= 'z') && !(*p >= '0' && *p <= '9'))
            *p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : '_';
    return arena_printf(a, "/personal/%s", name);
}

/* What contexts begin with, of a library. */
static const char *base_of(struct call *c, const struct onedrive_at *at)
{
    struct arena *a = c->tx.arena;
    if (param_given(c, "group-id"))
        return ARENA_JOIN(a, "groups", graph_key(a, param_str(c, "group-id")), "/drive");
    if (!param_given(c, "drive-id") && param_given(c, "site-id"))
        return ARENA_JOIN(a, site_context(c, &at->place), "/drive");
    const char *drive = ARENA_JOIN(a, "drives", graph_key(a, at->drive));
    return param_given(c, "site-id") ? ARENA_JOIN(a, site_context(c, &at->place), "/", drive)
                                     : drive;
}

/* What a consumer's drive has in the place of a business one's. 0, -1. */
static int open_personal_drive(struct onedrive_at *at)
{
    struct call *c = at->c;
    struct arena *a = c->tx.arena;
    at->type = "personal";
    at->personal = true;
    at->quota = ONEDRIVE_PERSONAL;
    at->folder = "/Documents";
    at->drive = onedrive_personal_id(a, at->user.oid);
    at->host = "my.microsoftpersonalcontent.com";
    at->site = ARENA_JOIN(a, "/personal/", at->drive);
    at->base = param_given(c, "drive-id")
                   ? ARENA_JOIN(a, "drives", graph_key(a, at->drive))
                   : ARENA_JOIN(a, "users",
                                graph_key(a, param_given(c, "user-id") ? param_str(c, "user-id")
                                                                       : at->user.oid),
                                "/drive");
    return arena_failed(a) ? sosia_fail_memory(c->tx.err) : 0;
}

/* Does nothing but Sites.Selected let the call in? It opens libraries of sites that it was given
 * for. */
static bool is_selected_alone(const struct call *c)
{
    return !c->scopes.all && call_uses_scope(c, "Sites.Selected") &&
           !call_uses_scope(c, "Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All "
                               "Sites.Read.All Sites.ReadWrite.All");
}

int onedrive_open_of(struct call *c, const struct graph_user *user, struct onedrive_at *ret)
{
    struct arena *a = c->tx.arena;
    struct ms_tenant tenant;
    *ret = (struct onedrive_at){.c = c, .user = *user, .owner = user->actor};
    ret->quota = ONEDRIVE_QUOTA;
    ret->who = ret->by = graph_app_only(c) ? ret->owner : c->actor;
    drive_viewer(&c->tx, &ret->who, &ret->viewer);
    int r = ms_tenant_find(&c->tx, user->tenant, &tenant);
    if (r == 1)
        r = drive_root_of(&c->tx, &user->account, &ret->root);
    if (r != 1)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_NOT_FOUND, "ResourceNotFound", NULL,
                                 "User's mysite not found.");
    struct ms_library library;
    r = ms_library_of_account(&c->tx, user->account.id, &library);
    if (r == 1) {
        if (onedrive_library_open(ret, &library) < 0)
            return -1;
        r = 0;
        drive_viewer(&c->tx, &ret->who, &ret->viewer);
        ret->base = base_of(c, ret);
    }
    if (r == 0 && ret->role == SITE_NONE && is_selected_alone(c))
        return graph_denied(c);
    if (r < 0 || ret->library.id)
        return r < 0 ? -1 : arena_failed(a) ? sosia_fail_memory(c->tx.err) : 0;
    if (tenant.consumer)
        return open_personal_drive(ret);
    ret->type = "business";
    ret->folder = "/Documents";
    ret->drive = onedrive_drive_id(a, user->oid);
    ret->host = arena_printf(a, "%.*s-my.sharepoint.com", (int)strcspn(tenant.initial, "."),
                             tenant.initial);
    ret->site = onedrive_site_of(a, user->upn);
    ret->base = param_given(c, "drive-id")
                    ? arena_printf(a, "drives%s", graph_key(a, ret->drive))
                    : arena_printf(a, "users%s/drive",
                                   graph_key(a, param_given(c, "user-id") ? param_str(c, "user-id")
                                                                          : user->oid));
    return arena_failed(a) ? sosia_fail_memory(c->tx.err) : 0;
}

/* A consumer's. 1, 0, -1. */
static int personal_user(struct call *c, const char *id, struct graph_user *ret)
{
    struct ms_user user;
    int r = ms_user_of_consumer(&c->tx, id, &user);
    return r == 1 ? graph_user_with(c, user.oid, ACCOUNT_DRIVE, ret) : r;
}

int onedrive_user_of_drive(struct call *c, const char *id, struct graph_user *ret)
{
    const char *oid = onedrive_drive_owner(c->tx.arena, id);
    struct ms_library library;
    if (onedrive_is_personal_id(id))
        return personal_user(c, id, ret);
    int r = onedrive_library_of_drive(c, id, &library);
    if (r == 1)
        return onedrive_library_user(&c->tx, &library, ret);
    if (r == 0 && oid)
        r = graph_user_with(c, oid, ACCOUNT_DRIVE, ret);
    return r == 1 ? strcmp(onedrive_drive_id(c->tx.arena, ret->oid), id) == 0 : r;
}

/* That of an id. 0, -1. */
static int find_drive(struct call *c, const char *id, struct graph_user *ret)
{
    if (!onedrive_is_personal_id(id) && !onedrive_drive_owner(c->tx.arena, id))
        return onedrive_invalid(c, "The provided drive id appears to be malformed, or does not "
                                   "represent a valid drive.");
    int r = onedrive_user_of_drive(c, id, ret);
    return r == 1 ? 0 : r < 0 ? -1 : onedrive_not_found(c);
}

int onedrive_open(struct call *c, struct onedrive_at *ret)
{
    const char *id = param_str(c, "drive-id");
    const bool in_site = param_given(c, "site-id") || param_given(c, "group-id");
    struct ms_library library;
    struct graph_user user;
    int r = in_site ? (onedrive_library_of_path(c, &library) < 0 ? -1 : 1)
            : id    ? onedrive_library_of_drive(c, id, &library)
                    : 0;
    if (r == 1)
        r = onedrive_library_user(&c->tx, &library, &user) == 1 ? 1 : -1;
    if (r < 0 || (!r && (id ? find_drive(c, id, &user) : graph_whose(c, ACCOUNT_DRIVE, &user)) < 0))
        return -1;
    return onedrive_open_of(c, &user, ret);
}

/* ---- items ---- */

/* What is shared with the caller themselves in a library, where that is more than the site gives.
 * 0, -1. */
static int own_role(struct onedrive_at *at, const struct drive_item *it, struct drive_access *ret)
{
    struct drive_viewer caller;
    struct drive_access access;
    if (graph_app_only(at->c))
        return 0;
    drive_viewer(&at->c->tx, &at->c->actor, &caller);
    if (drive_role(&caller, it, &access) < 0)
        return -1;
    if (access.role > ret->role)
        ret->role = access.role;
    return 0;
}

/* What links give that the caller has opened for good. 0, -1. */
static int used_links(struct onedrive_at *at, const struct drive_item *it, struct drive_access *ret)
{
    struct drive_access access;
    struct drive_viewer caller, *v = &at->viewer;
    if (graph_app_only(at->c))
        return 0;
    if (at->who.id != at->c->actor.id) { /* a library is looked at by itself */
        drive_viewer(&at->c->tx, &at->c->actor, &caller);
        v = &caller;
    }
    int r = drive_links_used(v);
    if (r < 1)
        return r;
    if (drive_role(v, it, &access) < 0)
        return -1;
    if (access.role > ret->role)
        ret->role = access.role;
    return 0;
}

int onedrive_may(struct onedrive_at *at, const struct drive_item *it, enum drive_role need)
{
    static const enum drive_role most[] = {ROLE_NONE, ROLE_READER, ROLE_WRITER, ROLE_OWNER};
    struct drive_access access;
    if (drive_role(&at->viewer, it, &access) < 0)
        return -1;
    if (at->role && access.role > most[at->role])
        access.role = most[at->role];
    if (at->role && access.role < need && own_role(at, it, &access) < 0)
        return -1;
    if (access.role < need && used_links(at, it, &access) < 0)
        return -1;
    if (onedrive_items_alone(at->c)) {
        enum drive_role given;
        if (onedrive_app_role(at, it, &given) < 0)
            return -1;
        access.role = given < access.role ? given : access.role;
    }
    if (access.trashed)
        return onedrive_not_found(at->c);
    if (access.role < ROLE_READER)
        return it->top ? graph_denied(at->c) : onedrive_not_found(at->c);
    return access.role < need ? graph_denied(at->c) : 0;
}

/* The item with an id, whatever may be done with it. */
int onedrive_find(struct onedrive_at *at, const char *id, struct drive_item *ret)
{
    struct call *c = at->c;
    if (str_eq_nocase(id, "root")) {
        *ret = at->root;
        return 0;
    }
    int r = drive_item_by_key(&c->tx, id, ret);
    if (r == 1 && ret->id != at->root.id)
        r = drive_is_under(&c->tx, ret->id, at->root.id);
    return r == 1 ? 0 : r < 0 ? -1 : onedrive_not_found(c);
}

int onedrive_by_id(struct onedrive_at *at, const char *id, enum drive_role need,
                   struct drive_item *ret)
{
    return onedrive_find(at, id, ret) < 0 ? -1 : onedrive_may(at, ret, need);
}
