/* SPDX-License-Identifier: Apache-2.0 */
/* What Drive's methods share: the viewer, failures, opening files, media types. */
#include "services/drive/google/gdrive.h"
#include "engine/base/codec.h"
#include <xxhash.h>

const char *const gdrive_roles[] = {
    NULL, NULL, "reader", "commenter", "writer", "fileOrganizer", "organizer", "owner"};
const char *const gdrive_grantees[] = {NULL, "user", "group", "domain", "anyone"};

/* Labels are named, and the one view is that of what is published. */
static int check_included(struct call *c)
{
    const char *labels = param_str(c, "includeLabels");
    const char *view = param_str(c, "includePermissionsForView");
    static const char star[] = "includeLabels";
    const char *bad = labels && strchr(labels, '*') ? star
                      : view && *view && strcmp(view, "published") != 0
                          ? "includePermissionsForView"
                          : NULL;
    return bad ? call_fail(c, SOSIA_E_INVALID, bad == star ? "badRequest" : "invalid", bad,
                           "Invalid Value")
               : 0;
}

int gdrive_view(struct call *c, struct gdrive_view *ret)
{
    *ret = (struct gdrive_view){.c = c, .all = call_query_item(c, "fields") != NULL};
    if (!c->actor.id)
        c->actor.email = c->actor.kind = c->actor.name = "";
    drive_viewer(&c->tx, &c->actor, &ret->viewer);
    return check_included(c);
}

bool gdrive_flag(const struct call *c, const char *name)
{
    const char *text = call_query_item(c, name);
    return text && str_eq_nocase(text, "true");
}

bool gdrive_all_drives(const struct call *c)
{
    return gdrive_flag(c, "supportsAllDrives") || gdrive_flag(c, "supportsTeamDrives");
}

int gdrive_need_fields(struct call *c)
{
    const char *fields = call_query_item(c, "fields");
    if (fields && fields[strspn(fields, " ")])
        return 0;
    return call_fail(c, SOSIA_E_INVALID, "required", "fields",
                     "The 'fields' parameter is required for this method.");
}

/* ---- failures ---- */

int gdrive_no_file(struct call *c, const char *key)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "fileId", "File not found: %s.", key);
}

static int insufficient_role(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "insufficientFilePermissions", NULL,
                     "The user does not have sufficient permissions for this file.");
}

int gdrive_refused(struct call *c, const char *key)
{
    struct sosia_err *e = c->tx.err;
    const char *reason = e->reason ? e->reason : "";
    if (e->code == SOSIA_E_NOT_FOUND && strcmp(reason, "notFound") == 0)
        return gdrive_no_file(c, key);
    if (e->code == SOSIA_E_FORBIDDEN && strcmp(reason, "role") == 0)
        return insufficient_role(c);
    if (e->code == SOSIA_E_CONFLICT && strcmp(reason, "keyInUse") == 0)
        return call_fail(c, SOSIA_E_CONFLICT, "fileIdInUse", NULL,
                         "A file already exists with the provided ID.");
    return -1;
}

/* ---- files ---- */

static int open_alias(struct gdrive_view *v, const char *key, struct drive_item *ret)
{
    struct call *c = v->c;
    if (strcmp(key, "root") == 0)
        return drive_root(&c->tx, c->actor.id, ret);
    if (strcmp(key, "appDataFolder") == 0)
        return drive_app_data(&c->tx, c->actor.id, c->app, ret);
    return 0;
}

int gdrive_not_for_app_data(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "notSupportedForAppDataFolderFiles", NULL,
                     "Method not supported for files within the Application Data folder.");
}

int gdrive_not_writable(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "fieldNotWritable", NULL,
                     "The resource body includes fields which are not directly writable.");
}

/* 1: what the key names, 0: a file of that key is not to be spoken of, -1. */
static int find_named(struct gdrive_view *v, const char *key, bool any_drive,
                      struct drive_item *ret, struct drive_access *ret_access)
{
    struct call *c = v->c;
    int r = open_alias(v, key, ret);
    if (r) {
        *ret_access = (struct drive_access){.role = ROLE_OWNER};
        return r;
    }
    if (drive_open(&v->viewer, key, ROLE_SEES, ret, ret_access) < 0)
        return gdrive_refused(c, key);
    if (ret->drive && !any_drive && !gdrive_all_drives(c))
        return 0;
    return gdrive_link_opens(v, ret, ret_access);
}

/* What the scopes don't show is not there, whatever the role. */
static int open_checked(struct gdrive_view *v, const char *key, enum drive_role need,
                        bool any_drive, struct drive_item *ret, struct drive_access *ret_access)
{
    struct call *c = v->c;
    int r = find_named(v, key, any_drive, ret, ret_access);
    if (r == 1 && ret_access->role < need) {
        r = gdrive_seen(c, ret);
        return r == 1 ? insufficient_role(c) : r < 0 ? -1 : gdrive_no_file(c, key);
    }
    if (r == 1)
        r = gdrive_reached(c, ret, NULL);
    return r == 1 ? 0 : r < 0 ? -1 : gdrive_no_file(c, key);
}

int gdrive_open_named(struct gdrive_view *v, const char *key, struct drive_item *ret,
                      struct drive_access *ret_access)
{
    int r = find_named(v, key, false, ret, ret_access);
    return r == 1 ? 0 : r < 0 ? -1 : gdrive_no_file(v->c, key);
}

int gdrive_open(struct gdrive_view *v, const char *key, enum drive_role need,
                struct drive_item *ret, struct drive_access *ret_access)
{
    return open_checked(v, key, need, false, ret, ret_access);
}

int gdrive_open_any(struct gdrive_view *v, const char *key, enum drive_role need,
                    struct drive_item *ret, struct drive_access *ret_access)
{
    return open_checked(v, key, need, true, ret, ret_access);
}

int gdrive_open_file(struct gdrive_view *v, enum drive_role need, struct drive_item *ret,
                     struct drive_access *ret_access)
{
    return gdrive_open(v, param_str(v->c, "fileId"), need, ret, ret_access);
}

struct sharing {
    struct gdrive_view *v;
    const struct drive_item *it;
    bool found, failed;
};

/* Is anything granted there but what is published? */
static bool grants_to_others(struct sharing *s, const struct drive_item *at)
{
    int r = drive_is_granted(&s->v->c->tx, at);
    s->failed |= r < 0;
    return r == 1;
}

/* Grants at a folder, or an owner who is not the item's; what is above a limit does not count. */
static int is_shared_at(void *arg, const struct drive_item *folder)
{
    struct sharing *s = arg;
    if (grants_to_others(s, folder) || folder->owner != s->it->owner)
        s->found = true;
    return s->found || folder->flags & DRIVE_LIMITED;
}

int gdrive_is_shared(struct gdrive_view *v, const struct drive_item *it, bool *ret)
{
    struct sharing s = {.v = v, .it = it};
    s.found = grants_to_others(&s, it);
    if (!s.found && !(it->flags & DRIVE_LIMITED) &&
        drive_each_ancestor(&v->c->tx, it, is_shared_at, &s) < 0)
        return -1;
    *ret = s.found;
    return s.failed ? -1 : 0;
}

/* ---- permission ids ---- */

const char *gdrive_permission_id(struct arena *a, enum drive_grantee kind, const char *who,
                                 bool discoverable)
{
    if (kind == GRANT_ANYONE)
        return discoverable ? "anyone" : "anyoneWithLink";
    uint64_t hash = XXH3_64bits(who, strlen(who));
    return arena_printf(a, "%020llu", (unsigned long long)(hash % UINT64_C(18000000000000000000)));
}

/* ---- media types ---- */

static const char *const documents[] = {"document", "spreadsheet", "presentation", "drawing",
                                        "form",     "script",      "site",         "jam",
                                        "vid",      "map",         "mail-layout",  NULL};

const char *gdrive_document(const struct drive_item *it)
{
    return it->form == DRIVE_DOCUMENT ? it->mime : NULL;
}

const char *gdrive_type(struct arena *a, const struct drive_item *it)
{
    return strchr(it->mime, '/') ? it->mime : arena_printf(a, GDRIVE_TYPE "%s", it->mime);
}

enum drive_form gdrive_form(const char *type, const char **ret_mime)
{
    *ret_mime = type;
    if (!str_starts(type, GDRIVE_TYPE))
        return DRIVE_FILE;
    const char *word = type + strlen(GDRIVE_TYPE);
    if (!*word || strchr(word, '/'))
        return DRIVE_FILE;
    *ret_mime = word;
    if (strcmp(word, DRIVE_MIME_FOLDER) == 0)
        return DRIVE_FOLDER;
    if (strcmp(word, DRIVE_MIME_SHORTCUT) == 0)
        return DRIVE_SHORTCUT;
    for (const char *const *d = documents; *d; d++)
        if (strcmp(word, *d) == 0)
            return DRIVE_DOCUMENT;
    return DRIVE_FILE;
}
