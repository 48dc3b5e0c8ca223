/* SPDX-License-Identifier: Apache-2.0 */
/* Files as diffs and assertions see them: the members of Drive's resource, with what each person
 * has of the file in one place, and the text of what has one. */
#include "engine/base/codec.h"
#include "identity/shown.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/revision.h"
#include "services/drive/google/sharing/ask.h"
#include "services/drive/google/org/label.h"
#include "services/drive/core/comment.h"
#include "services/drive/core/model.h"
#include "services/drive/google/sharing/access.h"

#define COMMENTS_SHOWN 1000 /* of a file, and replies to one */

/* A grant that has ended does not count, whether the change feed has it or not. */
static int write_permissions(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct drive_grant *list;
    size_t n, written = 0;
    if (!(it->flags & DRIVE_GRANTED))
        return 0;
    if (drive_grants(tx, it->id, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct drive_grant *g = &list[i];
        if (g->expires_us && g->expires_us <= tx->now_us)
            continue;
        if (!written++)
            json_arr(w, "permissions");
        json_obj(w, NULL);
        json_str(w, "type", gdrive_grantees[g->kind]);
        if (g->kind != GRANT_ANYONE)
            json_str(w, g->kind == GRANT_DOMAIN ? "domain" : "emailAddress", g->who);
        json_str(w, "role", gdrive_roles[g->role] ? gdrive_roles[g->role] : "none");
        json_bool_opt(w, "allowFileDiscovery", g->discoverable);
        json_bool_opt(w, "pendingOwner", g->pending);
        if (g->expires_us)
            json_time(w, "expirationTime", g->expires_us, JSON_TIME_MS_Z);
        json_end(w);
    }
    if (written)
        json_end(w);
    return 0;
}

static int write_starred(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct drive_item plain = *it;
    int64_t actor = 0;
    int r, n = 0;
    plain.modifier = 0;
    while ((r = drive_mine_next(tx, it->id, actor, &actor)) == 1) {
        struct drive_mine m;
        const char *who;
        if (drive_mine(tx, &plain, actor, &m) < 0 || actor_shown(tx, actor, &who) < 0)
            return -1;
        if (m.starred && !n++)
            json_arr(w, "starredBy");
        if (m.starred)
            json_str(w, NULL, who);
    }
    if (n)
        json_end(w);
    return r;
}

/* Who said what: of a comment, or a reply. */
static int view_said(struct tx *tx, struct json_writer *w, const struct drive_comment *c)
{
    json_str(w, "id", c->key);
    json_str_opt(w, "content", c->content);
    return actor_write(tx, w, "author", c->author);
}

static int view_replies(struct tx *tx, struct json_writer *w, const struct drive_comment *c)
{
    struct drive_comment *list;
    size_t n;
    if (drive_replies(tx, c->id, false, 0, COMMENTS_SHOWN, &list, &n) < 0)
        return -1;
    if (n)
        json_arr(w, "replies");
    for (size_t i = 0; i < n; i++) {
        json_obj(w, NULL);
        if (view_said(tx, w, &list[i]) < 0)
            return -1;
        if (list[i].action)
            json_str(w, "action", list[i].action == ACTION_RESOLVE ? "resolve" : "reopen");
        json_end(w);
    }
    if (n)
        json_end(w);
    return 0;
}

/* Those that are not deleted, oldest first. */
static int view_comments(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct drive_comment *list;
    size_t n, written = 0;
    if (drive_comments_all(tx, it->id, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n && written < COMMENTS_SHOWN; i++) {
        const struct drive_comment *c = &list[i];
        if (c->deleted)
            continue;
        if (!written++)
            json_arr(w, "comments");
        json_obj(w, NULL);
        if (view_said(tx, w, c) < 0)
            return -1;
        if (c->quoted) {
            json_obj(w, "quotedFileContent");
            json_str(w, "value", c->quoted);
            json_end(w);
        }
        json_bool_opt(w, "resolved", c->resolved == COMMENT_RESOLVED);
        if (view_replies(tx, w, c) < 0)
            return -1;
        json_end(w);
    }
    if (written)
        json_end(w);
    return 0;
}

/* What a shared drive is like: its look, and the restrictions that it has. */
static int view_shared_drive(struct tx *tx, struct json_writer *w, const struct drive_item *top)
{
    struct drive_settings s;
    int r = drive_settings(tx, top->id, &s);
    if (r != 1)
        return r;
    json_str_opt(w, "themeId", s.theme);
    json_str_opt(w, "colorRgb", s.color);
    json_obj(w, "restrictions");
    json_bool_opt(w, "copyRequiresWriterPermission", s.copy_writers);
    json_bool_opt(w, "domainUsersOnly", s.domain_only);
    json_bool_opt(w, "driveMembersOnly", s.members_only);
    json_bool_opt(w, "adminManagedRestrictions", s.admin_managed);
    json_bool_opt(w, "sharingFoldersRequiresOrganizerPermission", s.folders_organizer);
    json_bool_opt(w, "readersMayNotDownload", s.readers_no_download);
    json_bool_opt(w, "writersMayNotDownload", s.writers_no_download);
    json_end(w);
    return 0;
}

/* Revisions that are kept, or that everybody may read. */
static int view_revisions(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct drive_revision *list;
    size_t n;
    if (drive_revisions_marked(tx, it->id, &list, &n) < 0)
        return -1;
    if (n)
        json_arr(w, "revisions");
    for (size_t i = 0; i < n; i++) {
        json_obj(w, NULL);
        json_str(w, "id", list[i].key);
        json_bool_opt(w, "keepForever", list[i].keep);
        json_bool_opt(w, "published", list[i].published);
        json_end(w);
    }
    if (n)
        json_end(w);
    return 0;
}

static int write_bytes(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    if (it->form == DRIVE_FILE) {
        json_int(w, "size", it->size);
        json_str_opt(w, "md5Checksum", it->md5);
    }
    return drive_view_text(tx, w, it);
}

static int write_file(struct tx *tx, struct json_writer *w, const struct drive_item *it,
                      struct entity_about *about)
{
    const char *owner = NULL, *parent;
    about->title = it->name;
    about->is[0] = tx_named(tx, "file", it->key);
    about->is[1] = arena_printf(tx->arena, "letter " GDRIVE_SHARES " %s",
                                gdrive_shared_subject(tx->arena, it));
    json_str(w, "id", it->key);
    json_str(w, "name", it->name);
    json_str(w, "mimeType", gdrive_type(tx->arena, it));
    if (actor_shown(tx, it->owner, &owner) < 0)
        return -1;
    json_str_opt(w, "owner", owner);
    about->person = owner;
    if (it->parent) {
        int r = drive_item_key(tx, it->parent, &parent);
        if (r < 0)
            return -1;
        if (r) {
            json_arr(w, "parents");
            json_str(w, NULL, parent);
            json_end(w);
        }
    }
    json_bool_opt(w, "trashed", it->flags & DRIVE_TRASHED);
    json_str_opt(w, "description", it->description);
    json_str_opt(w, "folderColorRgb", it->color);
    json_str_opt(w, "originalFilename", it->original);
    json_bool_opt(w, "copyRequiresWriterPermission", it->flags & DRIVE_COPY_LIMIT);
    if (it->flags & DRIVE_WRITERS_DONT_SHARE)
        json_bool(w, "writersCanShare", false);
    if (it->target_key) {
        json_obj(w, "shortcutDetails");
        json_str(w, "targetId", it->target_key);
        json_end(w);
    }
    if (it->restrictions)
        json_raw(w, "contentRestrictions", it->restrictions, strlen(it->restrictions));
    if (it->download_rules)
        json_raw(w, "downloadRestrictions", it->download_rules, strlen(it->download_rules));
    json_bool_opt(w, "inheritedPermissionsDisabled", it->flags & DRIVE_LIMITED);
    if (it->top == DRIVE_SHARED && view_shared_drive(tx, w, it) < 0)
        return -1;
    if (gdrive_labelled_dump(tx, w, it) < 0 || write_permissions(tx, w, it) < 0 ||
        write_starred(tx, w, it) < 0 || drive_dump_properties(tx, w, it) < 0 ||
        view_comments(tx, w, it) < 0 || view_revisions(tx, w, it) < 0 || write_bytes(tx, w, it) < 0)
        return -1;
    if (about->all) {
        json_time(w, "createdTime", it->created_us, JSON_TIME_MS_Z);
        json_time(w, "modifiedTime", it->modified_us, JSON_TIME_MS_Z);
        json_int(w, "version", it->version);
        if (actor_write(tx, w, "lastModifyingUser", it->modifier) < 0)
            return -1;
    }
    return 1;
}

static int file_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                     struct entity_about *about)
{
    struct drive_item it;
    int r = drive_item_by_id(tx, rowid, &it);
    if (r != 1 || it.top == DRIVE_ROOT || it.top == DRIVE_APP_DATA)
        return r < 0 ? -1 : 0;
    return write_file(tx, w, &it, about);
}

/* What people ask of each other about a file is its owner's, and letters say it. */
static int about_asked(struct tx *tx, const struct entity *entity, int64_t rowid,
                       struct entity_about *about)
{
    static const char *const said[] = {[APPROVAL_APPROVED] = "Approved",
                                       [APPROVAL_CANCELLED] = "Approval cancelled",
                                       [APPROVAL_DECLINED] = "Declined"};
    bool asks = strcmp(entity->table, "gdrive_proposal") == 0;
    const char *what = asks ? "Request for access denied" : "Approval requested", *then;
    struct gdrive_proposal p;
    struct gdrive_approval a;
    struct drive_item it;
    int r = asks ? gdrive_proposal_by_id(tx, rowid, &p) : gdrive_approval_by_id(tx, rowid, &a);
    if (r == 1)
        r = drive_item_by_id(tx, asks ? p.item : a.item, &it);
    if (r != 1)
        return r;
    about->title = it.name;
    then = asks ? NULL : said[a.status];
    about->is[0] =
        arena_printf(tx->arena, "letter " GDRIVE_SHARES " %s: \"%s\"", what, about->title);
    if (then)
        about->is[1] =
            arena_printf(tx->arena, "letter " GDRIVE_SHARES " %s: \"%s\"", then, about->title);
    return actor_shown(tx, it.owner, &about->person);
}

static const char *const times[] = {"created", "modified", "completed", NULL};

const struct entity_view gdrive_views[] = {
    {"file", "drive", file_view, NULL, .timeless = false, .vendor = "google",
     .members = "id name mimeType owner parents.* trashed description folderColorRgb "
                "originalFilename copyRequiresWriterPermission writersCanShare "
                "shortcutDetails.targetId contentRestrictions.*.** downloadRestrictions.** "
                "inheritedPermissionsDisabled themeId colorRgb "
                "restrictions.copyRequiresWriterPermission restrictions.domainUsersOnly "
                "restrictions.driveMembersOnly restrictions.adminManagedRestrictions "
                "restrictions.sharingFoldersRequiresOrganizerPermission "
                "restrictions.readersMayNotDownload restrictions.writersMayNotDownload "
                "labels.*.id labels.*.fields.** permissions.*.type permissions.*.domain "
                "permissions.*.emailAddress permissions.*.role permissions.*.allowFileDiscovery "
                "permissions.*.pendingOwner permissions.*.expirationTime starredBy.* "
                "properties.** comments.*.id comments.*.content comments.*.author "
                "comments.*.quotedFileContent.value comments.*.resolved comments.*.replies.*.id "
                "comments.*.replies.*.content comments.*.replies.*.author "
                "comments.*.replies.*.action revisions.*.id revisions.*.keepForever "
                "revisions.*.published size md5Checksum text textHash"}, /* grants end */
    {"accessProposal", "drive", .timeless = true, .noise = times, .about = about_asked},
    {"driveApproval", "drive", .timeless = true, .noise = times, .about = about_asked},
    {NULL, NULL, NULL, NULL},
};
