/* SPDX-License-Identifier: Apache-2.0 */
/* The resource about: the caller, and what the service supports. */
#include "services/drive/google/sharing/access.h"
#include "services/drive/google/scopes.h"
#include "services/drive/google/org/themes.h"
#include "services/drive/google/types.h"

#define MAX_UPLOAD INT64_C(5242880000000)

static void write_themes(struct call *c, const char *member)
{
    struct json_writer *w = c->out;
    if (!json_wants(w, member))
        return;
    json_arr(w, member);
    for (const struct gdrive_theme *t = gdrive_themes; t->id; t++) {
        json_obj(w, NULL);
        json_str(w, "id", t->id);
        json_str(w, "backgroundImageLink", gdrive_theme_link(c->tx.arena, t->id));
        json_str(w, "colorRgb", t->color);
        json_end(w);
    }
    json_end(w);
}

/* Bytes that a person of an organisation may use are not counted against a limit. */
static int write_quota(struct call *c)
{
    struct json_writer *w = c->out;
    int64_t all, trash;
    if (!json_wants(w, "storageQuota"))
        return 0;
    if (drive_usage(&c->tx, c->actor.id, &all, &trash) < 0)
        return -1;
    json_obj(w, "storageQuota");
    if (!c->actor.org)
        json_int_str(w, "limit", INT64_C(16106127360));
    json_int_str(w, "usage", all);
    json_int_str(w, "usageInDrive", all);
    json_int_str(w, "usageInDriveTrash", trash);
    json_end(w);
    return 0;
}

static void write_imports(struct call *c)
{
    struct json_writer *w = c->out;
    json_obj(w, "importFormats");
    for (const struct gdrive_import *i = gdrive_imports; i->type; i++) {
        json_arr(w, i->type);
        json_str(w, NULL, arena_printf(c->tx.arena, GDRIVE_TYPE "%s", i->word));
        json_end(w);
    }
    json_end(w);
    json_obj(w, "exportFormats");
    for (const struct gdrive_kind *k = gdrive_kinds; k->word; k++) {
        if (!k->exports->type)
            continue;
        json_arr(w, arena_printf(c->tx.arena, GDRIVE_TYPE "%s", k->word));
        for (const struct gdrive_export *e = k->exports; e->type; e++)
            json_str(w, NULL, e->type);
        json_end(w);
    }
    json_end(w);
    json_obj(w, "maxImportSizes");
    for (const struct gdrive_kind *k = gdrive_kinds; k->word; k++)
        if (k->max_import)
            json_int_str(w, arena_printf(c->tx.arena, GDRIVE_TYPE "%s", k->word), k->max_import);
    json_end(w);
}

static int about_get(struct call *c)
{
    struct gdrive_view v;
    struct json_writer *w = c->out;
    if (gdrive_view(c, &v) < 0 || gdrive_need_fields(c) < 0)
        return -1;
    json_obj(w, NULL);
    json_word(w, "kind", "drive#about");
    if (gdrive_write_user(&v, "user", c->actor.id) < 0 || write_quota(c) < 0)
        return -1;
    write_imports(c);
    json_int_str(w, "maxUploadSize", MAX_UPLOAD);
    json_bool(w, "appInstalled", true);
    json_arr(w, "folderColorPalette");
    for (const char *const *p = gdrive_palette; *p; p++)
        json_str(w, NULL, *p);
    json_end(w);
    write_themes(c, "driveThemes");
    write_themes(c, "teamDriveThemes");
    json_bool(w, "canCreateDrives", gdrive_has_organisation(&c->actor));
    json_bool(w, "canCreateTeamDrives", gdrive_has_organisation(&c->actor));
    json_end(w);
    return 0;
}

static const struct route methods[] = {
    {ROUTE("drive.about.get", GET, "/drive/v3/about"), .handler = about_get, .risk = RISK_READ,
     .needs_fields = true,
     .scopes = DRIVE " " APPDATA " " FILE_SCOPE " " METADATA " " METADATA_READONLY
                     " " PHOTOS_READONLY " " READONLY,
     .response = "About", .summary = "The user, the storage, and what the service can do"},
};

const struct rows gdrive_about = ROWS(methods);
