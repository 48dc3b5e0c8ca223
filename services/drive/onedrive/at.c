/* SPDX-License-Identifier: Apache-2.0 */
/* Whose drive a call is about, and which item in it. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "identity/app.h"
#include "services/drive/onedrive/onedrive.h"
#include "vendors/microsoft/directory/directory.h"

/* ---- failures ---- */

int onedrive_not_found(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "itemNotFound", NULL,
                     "The resource could not be found.");
}

int onedrive_invalid(struct call *c, const char *message)
{
    return call_fail(c, SOSIA_E_INVALID, "invalidRequest", NULL, "%s", message);
}

int onedrive_refused(struct call *c)
{
    const struct sosia_err *e = c->tx.err;
    const char *reason = e->reason ? e->reason : "";
    switch (e->code) {
    case SOSIA_E_NOT_FOUND:
        return strcmp(reason, "itemNotFound") == 0 ? -1 : onedrive_not_found(c);
    case SOSIA_E_FORBIDDEN:
        if (strcmp(reason, "tooDeep") == 0)
            return onedrive_invalid(c, "The folder is nested too deeply.");
        return graph_denied(c);
    case SOSIA_E_CONFLICT:
        return strcmp(reason, "nameInUse") == 0
                   ? call_fail(c, SOSIA_E_CONFLICT, "nameAlreadyExists", NULL,
                               "Name already exists")
                   : -1;
    case SOSIA_E_INVALID:
        return strcmp(reason, "cycle") == 0 ? onedrive_invalid(c, "Invalid request") : -1;
    default:
        return -1;
    }
}

/* ---- the drive ---- */

/* "ada_port_example", of a user principal name. */
static const char *site_of(struct arena *a, const char *upn)
{
    char *name = arena_strdup(a, upn);
    for (char *p = name; p && *p; p++)
        if (!(*p >= 'a' && *p <= 'z') && !(*p >= '0' && *p <= '9'))
            *p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : '_';
    return arena_printf(a, "/personal/%s", name);
}

int onedrive_open_of(struct call *c, const struct graph_user *user, struct onedrive_at *ret)
{
    struct arena *a = c->tx.arena;
    struct ms_tenant tenant;
    *ret = (struct onedrive_at){.c = c, .user = *user, .owner = user->actor};
    ret->who = graph_app_only(c) ? ret->owner : c->actor;
    drive_viewer(&c->tx, &ret->who, &ret->viewer);
    int r = ms_tenant_find(&c->tx, user->tenant, &tenant);
    if (r == 1)
        r = drive_root_of(&c->tx, &user->account, &ret->root);
    if (r != 1)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_NOT_FOUND, "ResourceNotFound", NULL,
                                 "User's mysite not found.");
    ret->drive = onedrive_drive_id(a, user->oid);
    ret->host = arena_printf(a, "%.*s-my.sharepoint.com", (int)strcspn(tenant.initial, "."),
                             tenant.initial);
    ret->site = site_of(a, user->upn);
    ret->base = param_given(c, "drive-id")
                    ? arena_printf(a, "drives%s", graph_key(a, ret->drive))
                    : arena_printf(a, "users%s/drive",
                                   graph_key(a, param_given(c, "user-id") ? param_str(c, "user-id")
                                                                          : user->oid));
    return arena_failed(a) ? sosia_fail_memory(c->tx.err) : 0;
}

/* That of an id. 0, -1. */
static int find_drive(struct call *c, const char *id, struct graph_user *ret)
{
    const char *oid = onedrive_drive_owner(c->tx.arena, id);
    if (!oid)
        return onedrive_invalid(c, "The provided drive id appears to be malformed, or does not "
                                   "represent a valid drive.");
    int r = graph_user_with(c, oid, ACCOUNT_DRIVE, ret);
    if (r == 1 && strcmp(onedrive_drive_id(c->tx.arena, ret->oid), id) != 0)
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : onedrive_not_found(c);
}

int onedrive_open(struct call *c, struct onedrive_at *ret)
{
    const char *id = param_str(c, "drive-id");
    struct graph_user user;
    if ((id ? find_drive(c, id, &user) : graph_whose(c, ACCOUNT_DRIVE, &user)) < 0)
        return -1;
    return onedrive_open_of(c, &user, ret);
}

/* ---- items ---- */

int onedrive_may(struct onedrive_at *at, const struct drive_item *it, enum drive_role need)
{
    struct drive_access access;
    if (drive_role(&at->viewer, it, &access) < 0)
        return -1;
    if (access.trashed)
        return onedrive_not_found(at->c);
    if (access.role < ROLE_READER)
        return it->top ? graph_denied(at->c) : onedrive_not_found(at->c);
    return access.role < need ? graph_denied(at->c) : 0;
}

/* The item with an id, whatever may be done with it. */
static int find_id(struct onedrive_at *at, const char *id, struct drive_item *ret)
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
    return find_id(at, id, ret) < 0 ? -1 : onedrive_may(at, ret, need);
}

/* What the path begins at: an id, a special folder, or the root. */
static int find_start(struct onedrive_at *at, struct drive_item *ret)
{
    const char *id = param_str(at->c, "driveItem-id");
    if (id)
        return find_id(at, id, ret);
    if (param_given(at->c, "special-id"))
        return onedrive_special(at, ret);
    *ret = at->root;
    return 0;
}

static int check_path(struct call *c, const char *path)
{
    return utf8_count(path, strlen(path)) > ONEDRIVE_PATH
               ? onedrive_invalid(c, "The specified path is too long.")
               : 0;
}

int onedrive_item(struct onedrive_at *at, enum drive_role need, struct drive_item *ret)
{
    const char *path = param_str(at->c, "item-path");
    struct drive_item start;
    if (!path)
        return find_start(at, ret) < 0 ? -1 : onedrive_may(at, ret, need);
    if (check_path(at->c, path) < 0 || find_start(at, &start) < 0)
        return -1;
    int r = drive_item_by_path(&at->c->tx, &start, path, ret, NULL);
    return r == 1 ? onedrive_may(at, ret, need) : r < 0 ? -1 : onedrive_not_found(at->c);
}

/* Folders on the way that are not there are made, as the service does. 0, -1. */
static int make_way(struct onedrive_at *at, struct drive_item *folder, const char **rest)
{
    const char *slash;
    while ((slash = strchr(*rest, '/')) && slash[strspn(slash, "/")]) {
        const char *name = arena_memdup(at->c->tx.arena, *rest, (size_t)(slash - *rest));
        if (onedrive_make_folder(at, folder, name, folder) < 0)
            return -1;
        *rest = slash + strspn(slash, "/");
    }
    return 0;
}

int onedrive_place(struct onedrive_at *at, struct drive_item *ret_folder, const char **ret_name,
                   struct drive_item *ret_item)
{
    const char *path = param_str(at->c, "item-path"), *rest;
    struct drive_item start, found;
    if (find_start(at, &start) < 0)
        return -1;
    if (!path) {
        *ret_item = start;
        return onedrive_may(at, ret_item, ROLE_WRITER) < 0 ? -1 : 1;
    }
    if (check_path(at->c, path) < 0)
        return -1;
    int r = drive_item_by_path(&at->c->tx, &start, path, &found, &rest);
    if (r == 1)
        *ret_item = found;
    if (r < 0 || onedrive_may(at, &found, ROLE_WRITER) < 0)
        return -1;
    if (r == 1)
        return 1;
    if (found.form != DRIVE_FOLDER)
        return onedrive_not_found(at->c);
    *ret_folder = found;
    if (make_way(at, ret_folder, &rest) < 0)
        return -1;
    *ret_name = arena_memdup(at->c->tx.arena, rest, strcspn(rest, "/"));
    return arena_failed(at->c->tx.arena) ? sosia_fail_memory(at->c->tx.err) : 0;
}

/* ---- special folders ---- */

/* Their names in the root; cameraroll is not there on business (MG-109). */
static const struct {
    const char *name, *folder;
} specials[] = {
    {"documents", "Documents"}, {"photos", "Pictures"},         {"music", "Music"},
    {"approot", "Apps"},        {"attachments", "Attachments"}, {"recordings", "Recordings"}};

const char *onedrive_special_name(const struct onedrive_at *at, const struct drive_item *it)
{
    for (size_t i = 0; it->parent == at->root.id && i < SOSIA_LEN(specials); i++)
        if (it->form == DRIVE_FOLDER && strcmp(it->name, specials[i].folder) == 0)
            return specials[i].name;
    return NULL;
}

/* A folder below one, which is made by a call that writes. */
static int get_folder(struct onedrive_at *at, const struct drive_item *above, const char *name,
                      struct drive_item *ret)
{
    int r = drive_child_by_name(&at->c->tx, above, name, ret);
    if (r == 0 && at->c->tx.write)
        return onedrive_may(at, above, ROLE_WRITER) < 0
                   ? -1
                   : onedrive_make_folder(at, above, name, ret);
    return r == 1 ? 0 : r < 0 ? -1 : onedrive_not_found(at->c);
}

int onedrive_special(struct onedrive_at *at, struct drive_item *ret)
{
    const char *name = param_str(at->c, "special-id");
    struct drive_item apps;
    struct ident_app app;
    size_t i = 0;
    while (i < SOSIA_LEN(specials) && !str_eq_nocase(specials[i].name, name))
        i++;
    if (i == SOSIA_LEN(specials))
        return onedrive_not_found(at->c);
    if (strcmp(specials[i].name, "approot") != 0)
        return get_folder(at, &at->root, specials[i].folder, ret);
    int r = at->c->app ? app_get(&at->c->tx, at->c->app, &app) : 0;
    if (r < 0 || get_folder(at, &at->root, specials[i].folder, &apps) < 0)
        return -1;
    return get_folder(at, &apps, r && *app.name ? app.name : "Graph", ret);
}

/* ---- preconditions and options ---- */

/* Lists of tags; both that of the item and that of its content will do. */
int onedrive_if_match(struct onedrive_at *at, const struct drive_item *it)
{
    struct call *c = at->c;
    const char *header = call_request_header(c, "If-Match");
    const char *unless = call_request_header(c, "If-None-Match");
    const char *etag = onedrive_etag(c->tx.arena, it), *ctag = onedrive_ctag(c->tx.arena, it);
    if (unless && (strstr(unless, etag) || strstr(unless, ctag)))
        return call_fail(c, SOSIA_E_PRECONDITION, "notAllowed", NULL,
                         "ETag does not match current item's value");
    if (!header || *header == '*' || strstr(header, etag) || strstr(header, ctag))
        return 0;
    return call_fail(c, SOSIA_E_PRECONDITION, "notAllowed", NULL,
                     "ETag does not match current item's value");
}

int onedrive_options(struct call *c, const char *type, struct odata_query *ret)
{
    return graph_query(c, type, NULL, ret);
}

int onedrive_conflict(struct call *c, const struct json *body, enum drive_conflict otherwise,
                      enum drive_conflict *ret)
{
    static const char *const words[] = {"fail", "replace", "rename", NULL};
    const char *text = json_get_str(body, ONEDRIVE_CONFLICT);
    if (!text)
        text = call_query_item(c, ONEDRIVE_CONFLICT);
    if (!text)
        text = param_str(c, ONEDRIVE_CONFLICT);
    *ret = otherwise;
    if (!text)
        return 0;
    for (int i = 0; words[i]; i++)
        if (str_eq_nocase(words[i], text)) {
            *ret = (enum drive_conflict)i;
            return 0;
        }
    return onedrive_invalid(c, "The conflictBehavior must be fail, replace or rename.");
}

/* ---- names ---- */

/* MG-580, in any case. */
static bool is_reserved(const char *name)
{
    static const char *const words[] = {".lock", "desktop.ini", "CON", "PRN", "AUX", "NUL"};
    static const char *const numbered[] = {"COM", "LPT"};
    if (str_in_nocase(name, words, SOSIA_LEN(words)))
        return true;
    return str_starts_in_nocase(name, numbered, SOSIA_LEN(numbered)) && name[3] >= '0' &&
           name[3] <= '9' && !name[4];
}

static bool has_vti(const char *name)
{
    for (; *name; name++)
        if (strncasecmp(name, "_vti_", 5) == 0)
            return true;
    return false;
}

int onedrive_check_name(struct call *c, const char *name, bool at_root)
{
    const size_t n = strlen(name);
    bool bad = !n || is_reserved(name) || has_vti(name) || str_starts(name, "~$") ||
               strpbrk(name, "\"*:<>?/\\|") || *name == ' ' || (n && strchr(" .", name[n - 1])) ||
               (at_root && str_eq_nocase(name, "forms"));
    for (const char *p = name; *p; p++)
        bad = bad || (unsigned char)*p < ' ' || *p == 0x7f;
    if (bad)
        return onedrive_invalid(c, "The provided name cannot contain any illegal characters.");
    return utf8_count(name, n) > ONEDRIVE_NAME
               ? onedrive_invalid(c, "The provided name is too long.")
               : 0;
}
