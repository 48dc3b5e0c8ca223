/* SPDX-License-Identifier: Apache-2.0 */
/* The File resource, for a viewer. */
#include "services/drive/core/revision.h"
#include "services/drive/google/gdrive.h"
#include "engine/base/codec.h"
#include "services/drive/google/content/convert.h"
#include "services/drive/google/types.h"

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

/* ---- links ---- */

/* "?resourcekey=..." of an item whose links need it. */
static const char *key_of_link(struct gdrive_view *v, const struct drive_item *it, char first)
{
    return it->flags & DRIVE_NEEDS_KEY && it->resource_key
               ? arena_printf(v->c->tx.arena, "%cresourcekey=%s", first, it->resource_key)
               : "";
}

static void write_links(struct gdrive_view *v, const struct drive_item *it)
{
    struct json_writer *w = v->c->out;
    struct arena *a = v->c->tx.arena;
    const struct gdrive_kind *kind = gdrive_kind(gdrive_document(it));
    if (it->form == DRIVE_FILE && it->blob && json_wants(w, "webContentLink"))
        json_str(w, "webContentLink",
                 arena_printf(a, "https://drive.google.com/uc?id=%s&export=download%s", it->key,
                              key_of_link(v, it, '&')));
    if (json_wants(w, "webViewLink")) {
        const char *link;
        if (it->form == DRIVE_FOLDER)
            link = arena_printf(a, "https://drive.google.com/drive/folders/%s%s", it->key,
                                key_of_link(v, it, '?'));
        else if (kind && kind->link)
            link = arena_printf(a, "https://docs.google.com/%s/d/%s/edit?usp=drivesdk%s",
                                kind->link, it->key, key_of_link(v, it, '&'));
        else
            link = arena_printf(a, "https://drive.google.com/file/d/%s/view?usp=drivesdk%s",
                                it->key, key_of_link(v, it, '&'));
        json_str(w, "webViewLink", link);
    }
    if (json_wants(w, "iconLink"))
        json_str(w, "iconLink",
                 arena_printf(a, "https://drive-thirdparty.googleusercontent.com/16/type/%s",
                              gdrive_type(a, it)));
}

bool gdrive_has_thumbnail(const struct drive_item *it)
{
    return it->thumbnail || it->form == DRIVE_DOCUMENT ||
           (it->form == DRIVE_FILE && it->size > 0 && str_starts(it->mime, "image/"));
}

/* The link is there for programs that the content is for (ref/files). */
static int write_thumbnail(struct gdrive_view *v, const struct drive_item *it)
{
    struct json_writer *w = v->c->out;
    bool has = gdrive_has_thumbnail(it);
    int seen = has && json_wants(w, "thumbnailLink") ? gdrive_content_seen(v->c, it) : 0;
    json_bool(w, "hasThumbnail", has);
    if (seen == 1)
        json_str(w, "thumbnailLink",
                 arena_printf(v->c->tx.arena, GDRIVE_PHOTOS "drive-storage/%s=s220%s", it->key,
                              key_of_link(v, it, '?')));
    json_word(w, "thumbnailVersion",
              has ? arena_printf(v->c->tx.arena, "%lld", (long long)(it->head ? it->head : 1))
                  : "0");
    return seen < 0 ? -1 : 0;
}

/* ---- what it is to the viewer ---- */

static void write_time_opt(struct json_writer *w, const char *key, int64_t us)
{
    if (us)
        json_time(w, key, us, JSON_TIME_MS_Z);
}

static int write_mine(struct gdrive_view *v, const struct drive_item *it,
                      const struct drive_mine *m)
{
    struct json_writer *w = v->c->out;
    json_bool(w, "viewedByMe", m->viewed_us != 0);
    write_time_opt(w, "viewedByMeTime", m->viewed_us);
    json_time(w, "createdTime", it->created_us, JSON_TIME_MS_Z);
    json_time(w, "modifiedTime", it->modified_us, JSON_TIME_MS_Z);
    write_time_opt(w, "modifiedByMeTime", m->modified_us);
    json_bool(w, "modifiedByMe", m->modified_us != 0);
    write_time_opt(w, "sharedWithMeTime", it->owner == v->c->actor.id ? 0 : m->shared_us);
    return it->owner == v->c->actor.id ? 0 : gdrive_write_user(v, "sharingUser", m->sharer);
}

static int write_properties(struct gdrive_view *v, const char *member, int64_t item, int64_t app)
{
    struct json_writer *w = v->c->out;
    struct drive_property *list;
    size_t n;
    if (!json_wants(w, member))
        return 0;
    if (drive_properties(&v->c->tx, item, app, &list, &n) < 0)
        return -1;
    if (!n)
        return 0;
    json_obj(w, member);
    for (size_t i = 0; i < n; i++)
        json_str(w, list[i].name, list[i].value);
    json_end(w);
    return 0;
}

/* ---- the content ---- */

static int write_head(struct gdrive_view *v, const struct drive_item *it)
{
    struct json_writer *w = v->c->out;
    const char *key;
    if (!it->head || it->form != DRIVE_FILE || !json_wants(w, "headRevisionId"))
        return 0;
    int r = drive_revision_key(&v->c->tx, it->head, &key);
    if (r != 1)
        return r;
    json_str(w, "headRevisionId", key);
    return 0;
}

static int write_size(struct gdrive_view *v, const struct drive_item *it)
{
    struct json_writer *w = v->c->out;
    int64_t kept = 0;
    if (it->head && json_wants(w, "quotaBytesUsed") &&
        drive_revisions_size(&v->c->tx, it->id, it->head, &kept) < 0)
        return -1;
    if (it->size >= 0)
        json_int_str(w, "size", it->size);
    json_int_str(w, "quotaBytesUsed", (it->size > 0 ? it->size : 0) + kept);
    return 0;
}

static int write_content(struct gdrive_view *v, const struct drive_item *it)
{
    struct json_writer *w = v->c->out;
    if (it->form == DRIVE_FOLDER)
        json_str(w, "folderColorRgb", it->color ? it->color : "#8f8f8f");
    if (it->form == DRIVE_FILE && it->blob) {
        const char *dot = it->extension ? strrchr(it->extension, '.') : NULL;
        json_str(w, "originalFilename", it->original ? it->original : it->name);
        json_str(w, "fullFileExtension", it->extension ? it->extension : "");
        json_str(w, "fileExtension", dot ? dot + 1 : it->extension ? it->extension : "");
        json_str_opt(w, "md5Checksum", it->md5);
        json_str_opt(w, "sha1Checksum", it->sha1);
        json_str_opt(w, "sha256Checksum", it->sha256);
    }
    return write_size(v, it) < 0 ? -1 : write_head(v, it);
}

static void write_raw(struct json_writer *w, const char *key, const char *json)
{
    if (json)
        json_raw(w, key, json, strlen(json));
}

/* ---- all of it ---- */

static int write_shortcut(struct gdrive_view *v, const struct drive_item *it)
{
    struct json_writer *w = v->c->out;
    struct drive_item target = {.mime = it->target_mime ? it->target_mime : ""};
    if (it->form != DRIVE_SHORTCUT || !json_wants(w, "shortcutDetails"))
        return 0;
    json_obj(w, "shortcutDetails");
    json_str_opt(w, "targetId", it->target_key);
    json_str(w, "targetMimeType", gdrive_type(v->c->tx.arena, &target));
    json_end(w);
    return 0;
}

static int write_people(struct gdrive_view *v, const struct drive_item *it)
{
    struct json_writer *w = v->c->out;
    if (it->owner && json_wants(w, "owners")) {
        json_arr(w, "owners");
        if (gdrive_write_user(v, NULL, it->owner) < 0)
            return -1;
        json_end(w);
    }
    if (it->drive && (json_wants(w, "driveId") || json_wants(w, "teamDriveId"))) {
        const char *drive;
        int r = drive_item_key(&v->c->tx, it->drive, &drive);
        if (r < 0)
            return -1;
        if (r) {
            json_str(w, "teamDriveId", drive);
            json_str(w, "driveId", drive);
        }
    }
    return gdrive_write_user(v, "lastModifyingUser", it->modifier);
}

static int write_state(struct gdrive_view *v, const struct drive_item *it,
                       const struct drive_access *access, const struct drive_mine *m)
{
    struct json_writer *w = v->c->out;
    json_str_opt(w, "description", it->description);
    json_bool(w, "starred", m->starred);
    json_bool(w, "trashed", access->trashed);
    json_bool(w, "explicitlyTrashed", it->flags & DRIVE_TRASHED);
    if (it->drive && it->flags & DRIVE_TRASHED) {
        if (gdrive_write_user(v, "trashingUser", it->trasher) < 0)
            return -1;
        write_time_opt(w, "trashedTime", it->trashed_us);
    }
    if (write_parents(v, it) < 0 || write_properties(v, "properties", it->id, 0) < 0 ||
        write_properties(v, "appProperties", it->id, gdrive_app(v->c)) < 0)
        return -1;
    json_arr(w, "spaces");
    json_word(w, NULL, it->space ? "appDataFolder" : "drive");
    json_end(w);
    json_int_str(w, "version", it->version);
    return 0;
}

static void write_limit(struct json_writer *w, const char *key, bool readers, bool writers)
{
    json_obj(w, key);
    json_bool(w, "restrictedForReaders", readers);
    json_bool(w, "restrictedForWriters", writers);
    json_end(w);
}

/* The item's own restrictions, and those that hold with its drive's. */
static int write_download_limits(struct gdrive_view *v, const struct drive_item *it)
{
    struct json_writer *w = v->c->out;
    struct drive_item own = {.download_rules = it->download_rules,
                             .flags = it->flags & DRIVE_COPY_LIMIT};
    bool readers, writers, own_readers, own_writers;
    if (!json_wants(w, "downloadRestrictions"))
        return 0;
    if (gdrive_download_limits(&v->c->tx, it, &readers, &writers) < 0 ||
        gdrive_download_limits(&v->c->tx, &own, &own_readers, &own_writers) < 0)
        return -1;
    json_obj(w, "downloadRestrictions");
    write_limit(w, "itemDownloadRestriction", own_readers, own_writers);
    write_limit(w, "effectiveDownloadRestrictionWithContext", readers, writers);
    json_end(w);
    return 0;
}

static int write_sharing(struct gdrive_view *v, const struct drive_item *it,
                         const struct drive_access *access)
{
    struct json_writer *w = v->c->out;
    bool limited, writers;
    if (gdrive_download_limits(&v->c->tx, it, &limited, &writers) < 0)
        return -1;
    if (!it->drive && json_wants(w, "shared")) {
        bool shared;
        if (gdrive_is_shared(v, it, &shared) < 0)
            return -1;
        json_bool(w, "shared", shared);
    }
    if (!it->drive)
        json_bool(w, "ownedByMe", it->owner == v->c->actor.id);
    if (gdrive_write_capabilities(v, it, access) < 0)
        return -1;
    json_bool(w, "viewersCanCopyContent", !limited);
    json_bool(w, "copyRequiresWriterPermission", limited);
    if (!it->drive)
        json_bool(w, "writersCanShare", !(it->flags & DRIVE_WRITERS_DONT_SHARE));
    if (it->drive)
        json_bool(w, "hasAugmentedPermissions", it->flags & DRIVE_GRANTED);
    json_bool(w, "inheritedPermissionsDisabled", it->flags & DRIVE_LIMITED);
    if (write_download_limits(v, it) < 0)
        return -1;
    return gdrive_write_permissions(v, it, access);
}

static int write_all(struct gdrive_view *v, const struct drive_item *it,
                     const struct drive_access *access)
{
    struct json_writer *w = v->c->out;
    struct drive_mine mine;
    if (drive_mine(&v->c->tx, it, v->c->actor.id, &mine) < 0 ||
        write_state(v, it, access, &mine) < 0)
        return -1;
    write_links(v, it);
    if (write_thumbnail(v, it) < 0 || write_mine(v, it, &mine) < 0 || write_people(v, it) < 0 ||
        write_sharing(v, it, access) < 0 || write_content(v, it) < 0)
        return -1;
    if (it->media)
        write_raw(w, str_starts(it->mime, "video/") ? "videoMediaMetadata" : "imageMediaMetadata",
                  it->media);
    json_bool(w, "isAppAuthorized", it->creator_app == v->c->app);
    gdrive_write_export_links(v->c, it, NULL);
    if (write_shortcut(v, it) < 0)
        return -1;
    write_raw(w, "contentRestrictions", it->restrictions);
    json_obj(w, "linkShareMetadata");
    json_bool(w, "securityUpdateEligible", false);
    json_bool(w, "securityUpdateEnabled", true);
    json_end(w);
    const char *labels = param_str(v->c, "includeLabels");
    return labels && *labels ? gdrive_write_label_info(v, it, labels) : 0;
}

int gdrive_write_file(struct gdrive_view *v, const char *key, const struct drive_item *it,
                      const struct drive_access *access)
{
    struct json_writer *w = v->c->out;
    struct drive_access own;
    json_obj(w, key);
    json_word(w, "kind", "drive#file");
    json_str(w, "id", it->key);
    json_str(w, "name", it->top == DRIVE_SHARED ? "Drive" : it->name);
    json_str(w, "mimeType", gdrive_type(v->c->tx.arena, it));
    if (v->all) {
        if (!access) {
            if (drive_role(&v->viewer, it, &own) < 0)
                return -1;
            access = &own;
        }
        if (write_all(v, it, access) < 0)
            return -1;
    }
    if (it->flags & DRIVE_NEEDS_KEY && (v->all || v->list))
        json_str_opt(w, "resourceKey", it->resource_key);
    json_end(w);
    return 0;
}
