/* SPDX-License-Identifier: Apache-2.0 */
/* The feed of changes: of a person's own files, or of a shared drive. */
#include "services/drive/core/feed.h"
#include "services/drive/google/gdrive.h"
#include "services/drive/google/scopes.h"
#include "engine/base/codec.h"

/* The feed that a call reads. */
struct feed {
    struct gdrive_view v;
    struct drive_item drive; /* id 0: the caller's own feed */
};

static int no_drive(struct call *c, const char *key)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "driveId", "Shared drive not found: %s",
                     key);
}

static int open_feed(struct call *c, struct feed *ret)
{
    const char *key = param_str(c, "driveId");
    struct drive_access access;
    *ret = (struct feed){0};
    if (gdrive_view(c, &ret->v) < 0)
        return -1;
    if (!key)
        key = param_str(c, "teamDriveId");
    if (!key || !*key)
        return 0;
    int r = drive_item_by_key(&c->tx, key, &ret->drive);
    if (r < 0 || (r && drive_role(&ret->v.viewer, &ret->drive, &access) < 0))
        return -1;
    if (!r || ret->drive.top != DRIVE_SHARED || !access.role || !gdrive_all_drives(c))
        return no_drive(c, key);
    return 0;
}

/* ---- page tokens ---- */

static int changes_get_start_page_token(struct call *c)
{
    struct feed f;
    struct json_writer *w = c->out;
    int64_t newest;
    if (open_feed(c, &f) < 0 || drive_change_newest(&c->tx, &newest) < 0)
        return -1;
    json_obj(w, NULL);
    json_word(w, "kind", "drive#startPageToken");
    json_int_str(w, "startPageToken", newest + 1);
    json_end(w);
    return 0;
}

static int read_token(struct call *c, int64_t *ret)
{
    const char *text = param_str(c, "pageToken");
    if (parse_i64(text, strlen(text), ret) == 0 && *ret > 0)
        return 0;
    return call_fail(c, SOSIA_E_INVALID, "invalid", "pageToken", "Invalid Value");
}

/* ---- list ---- */

static int write_change(struct gdrive_view *v, const struct drive_feed_entry *e)
{
    struct json_writer *w = v->c->out;
    json_obj(w, NULL);
    json_word(w, "kind", "drive#change");
    json_word(w, "type", e->is_drive ? "teamDrive" : "file");
    json_word(w, "changeType", e->is_drive ? "drive" : "file");
    json_time(w, "time", e->time_us, JSON_TIME_MS_Z);
    json_bool(w, "removed", e->removed);
    if (e->is_drive) {
        json_str(w, "teamDriveId", e->key);
        json_str(w, "driveId", e->key);
        if (!e->removed && json_wants(w, "drive")) {
            json_obj(w, "drive");
            json_word(w, "kind", "drive#drive");
            json_str(w, "id", e->key);
            json_str(w, "name", e->item.name);
            json_end(w);
        }
    } else {
        json_str(w, "fileId", e->key);
        if (!e->removed && json_wants(w, "file") &&
            gdrive_write_file(v, "file", &e->item, NULL) < 0)
            return -1;
    }
    json_end(w);
    return 0;
}

static int changes_list(struct call *c)
{
    struct feed f;
    struct json_writer *w = c->out;
    struct drive_feed_entry *list;
    size_t n;
    int64_t token, next, newest, limit = param_num(c, "pageSize", 100);
    bool in_drive, app_data;
    if (open_feed(c, &f) < 0 || read_token(c, &token) < 0 ||
        gdrive_spaces(c, &in_drive, &app_data) < 0)
        return -1;
    struct drive_feed q = {.viewer = &f.v.viewer,
                           .drive = f.drive.id,
                           .from = token,
                           .limit = (size_t)limit,
                           .app_space = app_data ? gdrive_app(c) : 0,
                           .own_only = param_bool(c, "restrictToMyDrive"),
                           .shared_too = gdrive_all_drives(c) &&
                                         (gdrive_flag(c, "includeItemsFromAllDrives") ||
                                          gdrive_flag(c, "includeTeamDriveItems")),
                           .removed = param_bool(c, "includeRemoved")};
    if (gdrive_makers(c, q.made_by) < 0 || drive_change_newest(&c->tx, &newest) < 0 ||
        drive_feed_read(&q, &list, &n, &next) < 0)
        return -1;
    json_obj(w, NULL);
    json_arr(w, "changes");
    for (size_t i = 0; i < n; i++)
        if (write_change(&f.v, &list[i]) < 0)
            return -1;
    json_end(w);
    json_word(w, "kind", "drive#changeList");
    if (next)
        json_int_str(w, "nextPageToken", next);
    else
        json_int_str(w, "newStartPageToken", newest + 1);
    json_end(w);
    return 0;
}

static int changes_watch(struct call *c)
{
    struct feed f;
    int64_t token;
    bool in_drive, app_data;
    if (open_feed(c, &f) < 0 || read_token(c, &token) < 0 ||
        gdrive_spaces(c, &in_drive, &app_data) < 0)
        return -1;
    if (f.drive.id)
        return google_channel_watch_for(c, CHANGED_DRIVE_FEED, f.drive.id, 3600, 604800);
    return google_channel_watch_for(c, CHANGED_FEED, c->actor.id, 3600, 604800);
}

/* ---- rows ---- */

static const struct param changes_get_start_page_token_params[] = {
    {.name = "driveId", .place = IN_QUERY},
    GDRIVE_ALL_DRIVES,
    {.name = "teamDriveId", .place = IN_QUERY, .deprecated = true},
};

static const struct param changes_list_params[] = {
    {.name = "driveId", .place = IN_QUERY},
    GDRIVE_FLAG("includeCorpusRemovals"),
    GDRIVE_FLAG("includeItemsFromAllDrives"),
    GDRIVE_INCLUDE,
    {.name = "includeRemoved", .place = IN_QUERY, .type = PARAM_BOOL, .def = "true"},
    GDRIVE_OLD_FLAG("includeTeamDriveItems"),
    {.name = "pageSize", .place = IN_QUERY, .type = PARAM_INT, .def = "100", .min = 1, .max = 1000},
    {.name = "pageToken", .place = IN_QUERY, .required = true},
    GDRIVE_FLAG("restrictToMyDrive"),
    {.name = "spaces", .place = IN_QUERY, .def = "drive"},
    GDRIVE_ALL_DRIVES,
    {.name = "teamDriveId", .place = IN_QUERY, .deprecated = true},
};

#define EVERY                                                                                      \
    DRIVE " " APPDATA " " FILE_SCOPE " " MEET_READONLY " " METADATA " " METADATA_READONLY          \
          " " PHOTOS_READONLY " " READONLY

static const struct route methods[] = {
    {ROUTE("drive.changes.getStartPageToken", GET, "/drive/v3/changes/startPageToken"),
     .handler = changes_get_start_page_token, .risk = RISK_READ, .scopes = EVERY,
     PARAMS(changes_get_start_page_token_params), .response = "StartPageToken",
     .summary = "Where the feed of changes is"},
    {ROUTE("drive.changes.list", GET, "/drive/v3/changes"), .handler = changes_list,
     .risk = RISK_READ, .scopes = EVERY, PARAMS(changes_list_params), .response = "ChangeList",
     .summary = "What changed since a token was given"},
    {ROUTE("drive.changes.watch", POST, "/drive/v3/changes/watch"), .handler = changes_watch,
     .risk = RISK_EXTERNAL, .body = BODY_JSON, .scopes = EVERY, PARAMS(changes_list_params),
     .request = "Channel", .response = "Channel",
     .summary = "Be notified when the feed of changes has more"},
    {ROUTE("drive.channels.stop", POST, "/drive/v3/channels/stop"), .handler = google_channel_stop,
     .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON, .scopes = EVERY,
     .request = "Channel", .summary = "Stop a channel"},
};

const struct rows gdrive_changes = ROWS(methods);
