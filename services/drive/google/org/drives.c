/* SPDX-License-Identifier: Apache-2.0 */
/* Shared drives, and the same by the names that they had before: team drives. */
#include "services/drive/google/org/admin.h"
#include "services/drive/core/access/shared.h"
#include "engine/base/codec.h"
#include "services/drive/google/sharing/access.h"
#include "services/drive/google/lists/drive_query.h"
#include "services/drive/google/scopes.h"
#include "services/drive/google/org/themes.h"
#include <stdlib.h>

/* What differs between the two spellings. */
struct spelling {
    const char *kind, *list_kind, *list, *id;
    const char *members_only, *change_members_only, *change_background, *delete, *rename, *reset;
    bool hides; /* drives can be hidden */
};

static const struct spelling today = {"drive#drive",
                                      "drive#driveList",
                                      "drives",
                                      "driveId",
                                      "driveMembersOnly",
                                      "canChangeDriveMembersOnlyRestriction",
                                      "canChangeDriveBackground",
                                      "canDeleteDrive",
                                      "canRenameDrive",
                                      "canResetDriveRestrictions",
                                      true};
static const struct spelling before = {"drive#teamDrive",
                                       "drive#teamDriveList",
                                       "teamDrives",
                                       "teamDriveId",
                                       "teamMembersOnly",
                                       "canChangeTeamMembersOnlyRestriction",
                                       "canChangeTeamDriveBackground",
                                       "canDeleteTeamDrive",
                                       "canRenameTeamDrive",
                                       "canResetTeamDriveRestrictions",
                                       false};

/* A shared drive, and who looks at it. */
struct shared {
    struct gdrive_view view;
    const struct spelling *as;
    bool admin; /* looked at as an administrator */
    struct drive_item top;
    struct drive_settings set;
    struct drive_mine mine;
    enum drive_role role;
};

/* Are readers kept from copying and downloading, by either name? */
static bool held_readers(const struct shared *s)
{
    return s->set.copy_writers || s->set.readers_no_download;
}

static bool may_shared(const struct shared *s, enum shared_can what)
{
    return shared_cans(s->role, held_readers(s)) & (1u << what);
}

static int no_shared_drive(struct call *c, const struct spelling *as, const char *key)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "notFound", as->id, "Shared drive not found: %s", key);
}

/* A request for an administrator's access must be by one. */
static int begin_shared(struct call *c, const struct spelling *as, const char *reason,
                        const char *text, struct shared *ret)
{
    *ret = (struct shared){.as = as, .admin = gdrive_flag(c, "useDomainAdminAccess")};
    if (gdrive_view(c, &ret->view) < 0)
        return -1;
    int r = ret->admin ? gdrive_is_admin(&c->tx, c->actor.id) : 1;
    if (r < 0)
        return -1;
    return r ? 0 : call_fail(c, SOSIA_E_FORBIDDEN, reason, NULL, "%s", text);
}

/* Fills in what is known of the drive with that top: 1 the viewer sees it, 0, -1. */
static int look_at_shared(struct shared *s, int64_t top)
{
    struct tx *tx = &s->view.c->tx;
    struct drive_access at;
    int r = drive_item_by_id(tx, top, &s->top);
    if (r == 1)
        r = drive_settings(tx, top, &s->set);
    if (r < 1 || drive_role(&s->view.viewer, &s->top, &at) < 0 ||
        drive_mine(tx, &s->top, s->view.c->actor.id, &s->mine) < 0)
        return r < 1 ? r : -1;
    s->role = s->admin && at.role < ROLE_ORGANIZER ? ROLE_ORGANIZER : at.role;
    return s->role >= ROLE_READER;
}

static int open_shared(struct call *c, const struct spelling *as, struct shared *ret)
{
    const char *key = param_str(c, as->id);
    struct drive_item top;
    if (begin_shared(
            c, as, "noManageTeamDriveAdministratorPrivilege",
            "The requesting user does not have the administrator privilege required to manage "
            "shared drives.",
            ret) < 0)
        return -1;
    int r = drive_item_by_key(&c->tx, key, &top);
    if (r == 1)
        r = top.top == DRIVE_SHARED ? look_at_shared(ret, top.id) : 0;
    return r < 0 ? -1 : r ? 0 : no_shared_drive(c, as, key);
}

/* ---- writing ---- */

static void write_shared_capabilities(struct json_writer *w, const struct shared *s)
{
    const struct spelling *as = s->as;
    const struct {
        const char *name;
        enum shared_can can;
    } list[] = {
        {"canAddChildren", SHARED_ADD_CHILDREN},
        {"canComment", SHARED_COMMENT},
        {"canCopy", SHARED_COPY},
        {as->delete, SHARED_DELETE},
        {"canDownload", SHARED_DOWNLOAD},
        {"canEdit", SHARED_EDIT},
        {"canListChildren", SHARED_LIST_CHILDREN},
        {"canManageMembers", SHARED_MANAGE_MEMBERS},
        {"canReadRevisions", SHARED_READ_REVISIONS},
        {"canRename", SHARED_RENAME_ITEMS},
        {as->rename, SHARED_RENAME},
        {as->change_background, SHARED_CHANGE_BACKGROUND},
        {"canShare", SHARED_SHARE},
        {"canChangeCopyRequiresWriterPermissionRestriction", SHARED_CHANGE_RESTRICTIONS},
        {"canChangeDomainUsersOnlyRestriction", SHARED_CHANGE_RESTRICTIONS},
        {as->change_members_only, SHARED_CHANGE_RESTRICTIONS},
        {"canChangeSharingFoldersRequiresOrganizerPermissionRestriction",
         SHARED_CHANGE_RESTRICTIONS},
        {as->reset, SHARED_CHANGE_RESTRICTIONS},
        {"canDeleteChildren", SHARED_DELETE_CHILDREN},
        {"canTrashChildren", SHARED_TRASH_CHILDREN},
        {"canChangeDownloadRestriction", SHARED_CHANGE_RESTRICTIONS},
    };
    json_obj(w, "capabilities");
    for (size_t i = 0; i < SOSIA_LEN(list); i++)
        json_bool(w, list[i].name,
                  may_shared(s, list[i].can) && (list[i].can != SHARED_CHANGE_RESTRICTIONS ||
                                                 !s->set.admin_managed || s->admin));
    json_end(w);
}

static void write_restrictions(struct json_writer *w, const struct shared *s)
{
    json_obj(w, "restrictions");
    json_bool(w, "copyRequiresWriterPermission", held_readers(s));
    json_bool(w, "domainUsersOnly", s->set.domain_only);
    json_bool(w, s->as->members_only, s->set.members_only);
    json_bool(w, "adminManagedRestrictions", s->set.admin_managed);
    json_bool(w, "sharingFoldersRequiresOrganizerPermission", s->set.folders_organizer);
    json_obj(w, "downloadRestriction");
    json_bool(w, "restrictedForReaders", held_readers(s));
    json_bool(w, "restrictedForWriters", s->set.writers_no_download);
    json_end(w);
    json_end(w);
}

/* The picture of a theme, or one that was cut out of a file. */
static const char *background_of(const struct shared *s)
{
    struct call *c = s->view.c;
    struct sosia_err err;
    const struct json *v;
    if (s->set.background &&
        json_parse(c->tx.arena, s->set.background, strlen(s->set.background), NULL, &v, &err) ==
            0 &&
        json_get_str(v, "id"))
        return arena_printf(c->tx.arena, "https://drive.google.com/thumbnail?id=%s&sz=w1280",
                            json_get_str(v, "id"));
    return gdrive_theme_link(c->tx.arena, s->set.theme ? s->set.theme : gdrive_themes[0].id);
}

static const char *color_of(const struct shared *s)
{
    const struct gdrive_theme *theme = gdrive_theme(s->set.theme);
    return s->set.color ? s->set.color : theme ? theme->color : gdrive_themes[0].color;
}

static void write_shared(const struct shared *s)
{
    struct json_writer *w = s->view.c->out;
    json_obj(w, NULL);
    json_word(w, "kind", s->as->kind);
    json_str(w, "id", s->top.key);
    json_str(w, "name", s->top.name);
    if (s->view.all) {
        json_str(w, "colorRgb", color_of(s));
        json_str(w, "backgroundImageLink", background_of(s));
        write_shared_capabilities(w, s);
        json_time(w, "createdTime", s->top.created_us, JSON_TIME_MS_Z);
        if (s->as->hides)
            json_bool(w, "hidden", s->mine.hidden);
        write_restrictions(w, s);
    }
    json_end(w);
}

/* ---- reading bodies ---- */

static int bad_member(struct call *c, const char *member, const struct json *v,
                      const char *expected)
{
    call_why(c, "%s must be %s, not %s", member, expected, call_quote(c, v));
    return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
}

static const struct json *member_given(const struct json *body, const char *member)
{
    const struct json *v = json_get(body, member);
    return v && v->type != JSON_NULL ? v : NULL;
}

static int read_drive_name(struct shared *s, bool needed)
{
    struct call *c = s->view.c;
    const struct json *v = member_given(c->body, "name");
    if (!v)
        return needed ? call_fail(c, SOSIA_E_INVALID, "required", NULL,
                                  "The name of the shared drive is required.")
                      : 0;
    if (!*v->str)
        return bad_member(c, "name", v, "a name");
    s->top.name = v->str;
    return 0;
}

static bool is_drive_color(const char *text)
{
    return strlen(text) == 7 && *text == '#' && strspn(text + 1, "0123456789abcdefABCDEF") == 6;
}

static int read_picture(struct shared *s, const struct json *v)
{
    struct call *c = s->view.c;
    struct drive_item picture;
    struct drive_access at;
    const char *key = json_get_str(v, "id");
    if (!key)
        return bad_member(c, "backgroundImageFile", v, "an object with the id of a picture");
    if (drive_open(&s->view.viewer, key, ROLE_READER, &picture, &at) < 0)
        return gdrive_refused(c, key);
    if (!str_starts(picture.mime, "image/"))
        return bad_member(c, "backgroundImageFile", v, "a picture");
    s->set.background = json_to_text(c->tx.arena, v);
    s->set.theme = NULL;
    return 0;
}

static int read_look(struct shared *s, bool create)
{
    struct call *c = s->view.c;
    const struct json *theme = member_given(c->body, "themeId"),
                      *color = member_given(c->body, "colorRgb"),
                      *picture = member_given(c->body, "backgroundImageFile");
    if ((theme || color || picture) && !may_shared(s, SHARED_CHANGE_BACKGROUND))
        return gdrive_insufficient(c);
    if ((theme && (color || picture)) || (create && (color || picture)))
        return bad_member(c, "themeId", theme,
                          create ? "given alone" : "without colorRgb and picture");
    if (theme) {
        if (!gdrive_theme(theme->str))
            return bad_member(c, "themeId", theme, "the id of a theme");
        s->set.theme = theme->str;
        s->set.color = s->set.background = NULL;
    }
    if (color) {
        if (!is_drive_color(color->str))
            return bad_member(c, "colorRgb", color, "\"#rrggbb\"");
        s->set.color = color->str;
    }
    return picture ? read_picture(s, picture) : 0;
}

static void read_restriction(const struct json *v, const char *name, bool *ret)
{
    const struct json *flag = member_given(v, name);
    if (flag)
        *ret = flag->truth;
}

static int read_restrictions(struct shared *s)
{
    struct call *c = s->view.c;
    const struct json *v = member_given(c->body, "restrictions");
    bool managed = s->set.admin_managed;
    if (!v)
        return 0;
    if (!may_shared(s, SHARED_CHANGE_RESTRICTIONS) || (managed && !s->admin))
        return gdrive_insufficient(c);
    const struct json *download = member_given(v, "downloadRestriction");
    const struct json *needs_writer = member_given(v, "copyRequiresWriterPermission");
    if (needs_writer) {
        s->set.copy_writers = needs_writer->truth;
        s->set.readers_no_download &= needs_writer->truth;
        s->set.writers_no_download &= needs_writer->truth;
    }
    read_restriction(v, "domainUsersOnly", &s->set.domain_only);
    read_restriction(v, s->as->members_only, &s->set.members_only);
    read_restriction(v, "adminManagedRestrictions", &s->set.admin_managed);
    read_restriction(v, "sharingFoldersRequiresOrganizerPermission", &s->set.folders_organizer);
    if (member_given(download, "restrictedForReaders"))
        s->set.copy_writers = false; /* the same by another name */
    read_restriction(download, "restrictedForReaders", &s->set.readers_no_download);
    read_restriction(download, "restrictedForWriters", &s->set.writers_no_download);
    if (s->set.writers_no_download)
        s->set.readers_no_download = true;
    return s->set.admin_managed != managed && !s->admin ? gdrive_insufficient(c) : 0;
}

/* ---- methods ---- */

static int make_shared(struct call *c, const struct spelling *as)
{
    struct shared s = {.as = as, .role = ROLE_ORGANIZER};
    const char *request = param_str(c, "requestId");
    int64_t made;
    if (gdrive_view(c, &s.view) < 0)
        return -1;
    if (!c->actor.id || !gdrive_has_organisation(&c->actor))
        return call_fail(c, SOSIA_E_FORBIDDEN, "userCannotCreateTeamDrives", NULL,
                         "The user cannot create new shared drives.");
    if (!call_body(c))
        return -1;
    if (member_given(c->body, "restrictions"))
        return gdrive_not_writable(c);
    int r = drive_shared_asked(&c->tx, c->actor.id, request, &made);
    if (r)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_CONFLICT, "teamDriveAlreadyExists", NULL,
                                 "A shared drive with the provided request ID already exists.");
    s.set.request = request;
    s.set.theme = gdrive_themes[0].id;
    if (read_drive_name(&s, true) < 0 || read_look(&s, true) < 0 ||
        drive_shared_make(&c->tx, &c->actor, NULL, s.top.name, &s.set, &s.top) < 0)
        return -1;
    write_shared(&s);
    return 0;
}

static int show_shared(struct call *c, const struct spelling *as)
{
    struct shared s;
    if (open_shared(c, as, &s) < 0)
        return -1;
    write_shared(&s);
    return 0;
}

static int change_shared(struct call *c, const struct spelling *as)
{
    struct shared s;
    if (open_shared(c, as, &s) < 0 || !call_body(c))
        return -1;
    if (member_given(c->body, "name") && !may_shared(&s, SHARED_RENAME))
        return gdrive_insufficient(c);
    if (read_drive_name(&s, false) < 0 || read_look(&s, false) < 0 || read_restrictions(&s) < 0 ||
        drive_item_save(&c->tx, &s.top) < 0 || drive_settings_save(&c->tx, &s.set) < 0 ||
        drive_drive_changed(&c->tx, &s.top) < 0)
        return -1;
    write_shared(&s);
    return 0;
}

static int delete_shared(struct call *c, const struct spelling *as)
{
    struct shared s;
    bool with_items = gdrive_flag(c, "allowItemDeletion");
    if (open_shared(c, as, &s) < 0)
        return -1;
    if (!may_shared(&s, SHARED_DELETE))
        return gdrive_insufficient(c);
    if (with_items && !s.admin)
        return call_fail(c, SOSIA_E_INVALID, "badRequest", NULL,
                         "The allowItemDeletion parameter requires useDomainAdminAccess.");
    int used = with_items ? 0 : drive_shared_in_use(&c->tx, s.top.id);
    if (used)
        return used < 0 ? -1
                        : call_fail(c, SOSIA_E_FORBIDDEN, "cannotDeleteResourceWithChildren", NULL,
                                    "A shared drive that has items which are not in the trash "
                                    "cannot be deleted.");
    if (drive_shared_delete(&c->tx, &s.top) < 0)
        return -1;
    c->status = 204;
    return 0;
}

static int list_shared(struct call *c, const struct spelling *as)
{
    struct shared s;
    const char *q = param_str(c, "q");
    int64_t limit = param_num(c, "pageSize", 10), after = 0, id;
    int64_t from = 0;
    int r;
    if (begin_shared(
            c, as, "noListTeamDrivesAdministratorPrivilege",
            "The requesting user does not have the administrator privilege required to list or "
            "manage all shared drives.",
            &s) < 0)
        return -1;
    if (q && !*q)
        q = NULL;
    if (q && gdrive_drive_query(c, q, s.admin) < 0)
        return -1;
    if (google_page_number(c, 0, &from) < 0)
        return -1;
    struct json_writer *w = c->out;
    json_obj(w, NULL);
    json_arr(w, as->list);
    after = from;
    bool more = false;
    int64_t last = from;
    for (int64_t n = 0; !more && (r = drive_shared_next(&c->tx, after, &id)) == 1; after = id) {
        struct gdrive_drive_facts facts;
        if ((r = look_at_shared(&s, id)) < 0)
            break;
        if (!r)
            continue;
        facts = (struct gdrive_drive_facts){
            .name = s.top.name, .hidden = s.mine.hidden, .created_us = s.top.created_us};
        if (q && drive_shared_count(&c->tx, id, &facts.members, &facts.organizers) < 0)
            return -1;
        if (q && !gdrive_drive_matches(c, q, &facts))
            continue;
        more = n == limit;
        if (!more) {
            write_shared(&s);
            last = id;
            n++;
        }
    }
    json_end(w);
    json_word(w, "kind", as->list_kind);
    if (more)
        google_next_page(c, last);
    json_end(w);
    return r < 0 ? -1 : 0;
}

static int set_hidden(struct call *c, bool hidden)
{
    struct shared s;
    if (open_shared(c, &today, &s) < 0)
        return -1;
    s.mine.hidden = hidden;
    if (drive_mine_save(&c->tx, s.top.id, c->actor.id, &s.mine) < 0)
        return -1;
    write_shared(&s);
    return 0;
}

#define METHOD(name, does, as)                                                                     \
    static int name(struct call *c)                                                                \
    {                                                                                              \
        return does(c, as);                                                                        \
    }
METHOD(drives_create, make_shared, &today)
METHOD(drives_get, show_shared, &today)
METHOD(drives_list, list_shared, &today)
METHOD(drives_update, change_shared, &today)
METHOD(drives_delete, delete_shared, &today)
METHOD(drives_hide, set_hidden, true)
METHOD(drives_unhide, set_hidden, false)
METHOD(teamdrives_create, make_shared, &before)
METHOD(teamdrives_get, show_shared, &before)
METHOD(teamdrives_list, list_shared, &before)
METHOD(teamdrives_update, change_shared, &before)
METHOD(teamdrives_delete, delete_shared, &before)

/* ---- rows ---- */

#define ID(n)                                                                                      \
    {                                                                                              \
        .name = (n), .place = IN_PATH, .required = true                                            \
    }
#define REQUEST                                                                                    \
    {                                                                                              \
        .name = "requestId", .place = IN_QUERY, .required = true                                   \
    }

static const struct param create_params[] = {REQUEST};
static const struct param drive_params[] = {ID("driveId")};
static const struct param admin_params[] = {ID("driveId"), GDRIVE_FLAG("useDomainAdminAccess")};
static const struct param delete_params[] = {GDRIVE_FLAG("allowItemDeletion"), ID("driveId"),
                                             GDRIVE_FLAG("useDomainAdminAccess")};
static const struct param list_params[] = {
    {.name = "pageSize",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .def = "10",
     .min = 1,
     .max = 100,
     .format = "int32"},
    {.name = "pageToken", .place = IN_QUERY},
    {.name = "q", .place = IN_QUERY},
    GDRIVE_FLAG("useDomainAdminAccess"),
};
static const struct param team_params[] = {ID("teamDriveId")};
static const struct param team_admin_params[] = {ID("teamDriveId"),
                                                 GDRIVE_FLAG("useDomainAdminAccess")};

static const struct route methods[] = {
    {ROUTE("drive.drives.create", POST, "/drive/v3/drives"), .handler = drives_create,
     .risk = RISK_WRITE, .body = BODY_JSON, .scopes = DRIVE, PARAMS(create_params),
     .request = "Drive", .response = "Drive", .summary = "Make a shared drive"},
    {ROUTE("drive.drives.delete", DELETE, "/drive/v3/drives/{driveId}"), .handler = drives_delete,
     .risk = RISK_DESTRUCTIVE, .idempotent = true, .scopes = DRIVE, PARAMS(delete_params),
     .summary = "Delete a shared drive with nothing in it but trash"},
    {ROUTE("drive.drives.get", GET, "/drive/v3/drives/{driveId}"), .handler = drives_get,
     .risk = RISK_READ, .scopes = DRIVE " " READONLY, PARAMS(admin_params), .response = "Drive",
     .summary = "A shared drive"},
    {ROUTE("drive.drives.hide", POST, "/drive/v3/drives/{driveId}/hide"), .handler = drives_hide,
     .risk = RISK_WRITE, .idempotent = true, .scopes = DRIVE, PARAMS(drive_params),
     .response = "Drive", .summary = "Take a shared drive out of the caller's view"},
    {ROUTE("drive.drives.list", GET, "/drive/v3/drives"), .handler = drives_list, .risk = RISK_READ,
     .scopes = DRIVE " " READONLY, PARAMS(list_params), .response = "DriveList",
     .summary = "The caller's shared drives"},
    {ROUTE("drive.drives.unhide", POST, "/drive/v3/drives/{driveId}/unhide"),
     .handler = drives_unhide, .risk = RISK_WRITE, .idempotent = true, .scopes = DRIVE,
     PARAMS(drive_params), .response = "Drive",
     .summary = "Put a shared drive back into the caller's view"},
    {ROUTE("drive.drives.update", PATCH, "/drive/v3/drives/{driveId}"), .handler = drives_update,
     .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON, .scopes = DRIVE,
     PARAMS(admin_params), .request = "Drive", .response = "Drive",
     .summary = "Change a shared drive's name, look and restrictions"},
    {ROUTE("drive.teamdrives.create", POST, "/drive/v3/teamdrives"), .handler = teamdrives_create,
     .risk = RISK_WRITE, .body = BODY_JSON, .scopes = DRIVE, PARAMS(create_params),
     .request = "TeamDrive", .response = "TeamDrive",
     .summary = "Make a shared drive, by its former name"},
    {ROUTE("drive.teamdrives.delete", DELETE, "/drive/v3/teamdrives/{teamDriveId}"),
     .handler = teamdrives_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true, .scopes = DRIVE,
     PARAMS(team_params), .summary = "Delete a shared drive, by its former name"},
    {ROUTE("drive.teamdrives.get", GET, "/drive/v3/teamdrives/{teamDriveId}"),
     .handler = teamdrives_get, .risk = RISK_READ, .scopes = DRIVE " " READONLY,
     PARAMS(team_admin_params), .response = "TeamDrive",
     .summary = "A shared drive, by its former name"},
    {ROUTE("drive.teamdrives.list", GET, "/drive/v3/teamdrives"), .handler = teamdrives_list,
     .risk = RISK_READ, .scopes = DRIVE " " READONLY, PARAMS(list_params),
     .response = "TeamDriveList", .summary = "The caller's shared drives, by their former name"},
    {ROUTE("drive.teamdrives.update", PATCH, "/drive/v3/teamdrives/{teamDriveId}"),
     .handler = teamdrives_update, .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON,
     .scopes = DRIVE, PARAMS(team_admin_params), .request = "TeamDrive", .response = "TeamDrive",
     .summary = "Change a shared drive, by its former name"},
};

const struct rows gdrive_drives = ROWS(methods);
