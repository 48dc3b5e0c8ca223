/* SPDX-License-Identifier: Apache-2.0 */
/* What models find of Google Drive: short arguments, resources, prompts. */
#include "identity/identity.h"
#include "services/drive/core/drive.h"
#include "services/drive/google/gdrive.h"

#define FILE "body.name body.mimeType body.parents body.description "

static const struct tool_common common[] = {
    {"drive.files.list", "q pageSize pageToken orderBy corpora driveId supportsAllDrives "
                         "includeItemsFromAllDrives"},
    {"drive.files.get", "supportsAllDrives"},
    {"drive.files.create", FILE "media supportsAllDrives"},
    {"drive.files.update",
     "media addParents removeParents supportsAllDrives body.name body.mimeType "
     "body.description body.trashed body.starred"},
    {"drive.files.copy", "supportsAllDrives body.name body.parents"},
    {"drive.files.export", ""},
    {"drive.files.delete", "supportsAllDrives"},
    {"drive.permissions.list", "supportsAllDrives"},
    {"drive.permissions.create", "sendNotificationEmail emailMessage supportsAllDrives body.type "
                                 "body.role body.emailAddress body.domain"},
    {"drive.permissions.update", "supportsAllDrives body.role"},
    {"drive.permissions.delete", "supportsAllDrives"},
    {"drive.comments.list", "pageSize pageToken"},
    {"drive.comments.create", "body.content"},
    {"drive.replies.create", "body.content body.action"},
    {"drive.drives.list", "pageSize pageToken"},
    {NULL},
};

/* ---- resources ---- */

static const char *const file[] = {CHANGED_FILE, NULL};
static const char *const feed[] = {CHANGED_FEED, NULL};

#define FILES "/drive/v3/files"
#define CHILDREN                                                                                   \
    FILES "?pageSize=1000&orderBy=folder,name&fields=files(id,name,mimeType,size)&"                \
          "supportsAllDrives=true&includeItemsFromAllDrives=true&q="

/* A folder is a list of what is in it, a file is its content; what the service's own editors work
 * on is exported as text. */
static const char *content_of(struct arena *a, const char *id, const struct json *looked)
{
    static const char *const exports[][2] = {
        {"application/vnd.google-apps.document", "text/markdown"},
        {"application/vnd.google-apps.spreadsheet", "text/csv"},
        {"application/vnd.google-apps.presentation", "text/plain"},
        {"application/vnd.google-apps.drawing", "image/svg%2Bxml"}};
    const char *type = json_get_str(looked, "mimeType");
    if (type && strcmp(type, DRIVE_MIME_FOLDER) == 0)
        return arena_printf(
            a, CHILDREN "%%27%s%%27%%20in%%20parents%%20and%%20trashed%%20%%3D%%20false", id);
    for (size_t i = 0; type && i < SOSIA_LEN(exports); i++)
        if (strcmp(type, exports[i][0]) == 0)
            return arena_printf(a, FILES "/%s/export?mimeType=%s", id, exports[i][1]);
    return arena_printf(a, FILES "/%s?alt=media&supportsAllDrives=true", id);
}

static int may_read_file(struct tx *tx, const struct watched *w, int64_t actor)
{
    struct drive_viewer viewer;
    struct drive_access access;
    struct drive_item it;
    struct actor who;
    int r = drive_item_by_id(tx, w->row, &it);
    if (r == 1)
        r = actor_by_id(tx, actor, &who);
    if (r != 1)
        return r;
    drive_viewer(tx, &who, &viewer);
    return drive_role(&viewer, &it, &access) < 0 ? -1 : access.role >= ROLE_READER;
}

/* What is in a folder is in the feed of those who see it. */
static int watch(struct tx *tx, const struct call *c, const char *const *values,
                 struct watched *ret)
{
    struct drive_item it;
    int r = drive_item_by_key(tx, values[0], &it);
    if (r == 1 && strcmp(it.mime, DRIVE_MIME_FOLDER) == 0)
        *ret = (struct watched){.kinds = feed, .scope = c->actor.id};
    else if (r == 1)
        *ret = (struct watched){.kinds = file, .scope = it.id};
    ret->may = may_read_file;
    ret->row = r == 1 ? it.id : 0;
    return r;
}

static int watch_list(struct tx *tx, const struct call *c, struct watched *ret)
{
    *ret = (struct watched){.kinds = feed, .scope = c->actor.id};
    return 1;
}

static const struct tool_resource resources[] = {
    {.name = "file",
     .uri = "gdrive:///{fileId}",
     .title = "A file",
     .summary = "The content of a file; documents as Markdown, sheets as CSV, slides as text; what "
                "is in a folder",
     .look = FILES "/{fileId}?fields=mimeType&supportsAllDrives=true",
     .target = content_of,
     .list = FILES "?pageSize=100&orderBy=modifiedTime%20desc&q=trashed%20%3D%20false&fields="
                   "nextPageToken,files(id,name)",
     .items = "files",
     .id = "id",
     .called = "name",
     .page = "pageToken",
     .next = "nextPageToken",
     .watch = watch},
    {NULL},
};

/* ---- prompts ---- */

static const struct tool_prompt prompts[] = {
    {"find_document",
     "Find a document",
     "Find the right file among those with similar names",
     {{"topic", "What it is about", true, NULL}},
     "Find the file about {topic}. Search names and content, open the likely ones, and compare "
     "their owners and dates. Say which file is the right one with its link, and why the others "
     "are not."},
    {"review_sharing",
     "Review who has access",
     "Who can see a file or folder, and what is wider than it need be",
     {{"file", "The file's or folder's id", true, "file"}},
     "List who has access to {file}, with their roles and where each access comes from. Name what "
     "is shared with anyone or outside of the company. Change nothing."},
    {NULL},
};

const struct dialect_tools gdrive_tools = {
    .name = "drive",
    .title = "Google Drive",
    .place = 3,
    .fields = "fields",
    .compact = "prettyPrint",
    .media = "uploadType=multipart",
    .by_address = true,
    .scope = "https://www.googleapis.com/auth/drive",
    .common = common,
    .resources = resources,
    .prompts = prompts,
    .watch_list = watch_list,
};
