/* SPDX-License-Identifier: Apache-2.0 */
/* Google Drive API v3 on the drive core: what the files of this folder share. */
#ifndef SOSIA_DRIVE_GOOGLE_H
#define SOSIA_DRIVE_GOOGLE_H

#include "engine/service.h"
#include "services/drive/core/drive.h"
#include "vendors/google/google.h"

extern const struct dialect drive_google;
extern const struct dialect_tools gdrive_tools;
extern const struct sosia_core drive_google_core, drive_google_labels_core; /* core.c */
extern const struct entity_view gdrive_views[];                             /* diff_view.c */
extern const struct dialect gdrive_pages;                                   /* that links lead to */
extern const struct dialect gdrive_links; /* of documents in other formats */
extern const char drive_google_methods[]; /* methods.txt */

#define GDRIVE_TYPE   "application/vnd.google-apps." /* before the words of our own kinds */
#define GDRIVE_PHOTOS "https://lh3.googleusercontent.com/"

/* ---- changes.c: the section driveChannels, and what ends with a file ---- */

int gdrive_channel_seed(struct tx *tx, struct doc *d, const struct json *v);
extern const struct form gdrive_channel_form; /* its members */
int gdrive_channel_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int gdrive_channel_events(struct tx *tx, const struct world_event *first);

/* ---- common.c: what all methods need ---- */

/* Who looks at files, and how they are written. */
struct gdrive_view {
    struct call *c;
    struct drive_viewer viewer;
    bool all;  /* fields are selected: every member may be written, else the default ones */
    bool list; /* of a list: the default ones differ a little */
};
/* Fails for those who are no users of Drive. */
int gdrive_view(struct call *c, struct gdrive_view *ret);

/* The service's 403 for what can't be done with what an app keeps there. */
int gdrive_not_for_app_data(struct call *c);
/* The service's 403 for a member that can't be written, or not so. */
int gdrive_not_writable(struct call *c);
/* Is that flag given as "true", in any case? Other spellings are read, and do not count. */
bool gdrive_flag(const struct call *c, const char *name);
/* Either spelling of supportsAllDrives. */
bool gdrive_all_drives(const struct call *c);
/* For methods that need the parameter `fields`. */
int gdrive_need_fields(struct call *c);

/* ---- reach.c: what the token's scopes reach ---- */

/* Which app the caller is: whose appProperties they see, whose files drive.file is for. Never 0, as
 * a caller without an app has what others without an app made. */
int64_t gdrive_app(const struct call *c);
/* Does a scope of the token show the file, whether this method accepts the scope or not? 1, 0, -1:
 * of an app's own data with the service's 403. */
int gdrive_seen(struct call *c, const struct drive_item *it);
/* Does a scope that the method accepts reach the file? 1; 0: no scope of the token shows it, so
 * that it is not there; -1: with the service's 403. verb: "read" or "write", what the app is
 * refused; NULL: what the method does. */
int gdrive_reached(struct call *c, const struct drive_item *it, const char *verb);
/* Fail with the service's 403 unless, of a file that is reached, the content is too, and what
 * scopes for metadata don't change: content, place, trash, sharing, picture. */
int gdrive_content_reached(struct call *c, const struct drive_item *it);
int gdrive_change_reached(struct call *c, const struct drive_item *it);
/* Could another method give its content with this token? 1, 0, -1. */
int gdrive_content_seen(struct call *c, const struct drive_item *it);
/* As gdrive_reached(), of a folder that is named to put something into it or take it out: with
 * drive.file any will do. */
int gdrive_place_reached(struct call *c, const struct drive_item *folder);
/* Fails with the service's 403 if what is done to the folder would be done to something below it
 * that drive.file does not reach, and no other scope does. */
int gdrive_below_reached(struct call *c, const struct drive_item *it);

#define GDRIVE_NO_APP (-2) /* one that made nothing */
/* Whose files alone the scopes show in lists (struct drive_finder); a 0 first: everybody's. */
int gdrive_makers(struct call *c, int64_t ret[DRIVE_MAKERS]);
/* Fails with the service's 403 unless the token is for the app's own data. */
int gdrive_need_app_data(struct call *c);
/* The spaces that a list is of, by its parameter. Fails with the service's 403 if the scopes don't
 * open one of them. */
int gdrive_spaces(struct call *c, bool *ret_drive, bool *ret_app);

int gdrive_no_file(struct call *c, const char *key);
/* A failure of the core in Google's words; key: of the file it is about. */
int gdrive_refused(struct call *c, const char *key);
/* Opens a file for a role: an id or a name for one ("root", "appDataFolder"). What is in a shared
 * drive is not there unless the caller says that it supports them. Fails with the service's 404 or
 * 403. */
int gdrive_open(struct gdrive_view *v, const char *key, enum drive_role need,
                struct drive_item *ret, struct drive_access *ret_access);
/* The same for methods that ask nobody whether they support shared drives. */
int gdrive_open_any(struct gdrive_view *v, const char *key, enum drive_role need,
                    struct drive_item *ret, struct drive_access *ret_access);
/* The same of something that is only named, as a folder to put files into: who calls must see it,
 * the scopes are not asked. */
int gdrive_open_named(struct gdrive_view *v, const char *key, struct drive_item *ret,
                      struct drive_access *ret_access);
/* The same for the parameter fileId. */
int gdrive_open_file(struct gdrive_view *v, enum drive_role need, struct drive_item *ret,
                     struct drive_access *ret_access);

/* The id of a grantee's permissions: 20 digits made of the address, "anyoneWithLink", ... */
const char *gdrive_permission_id(struct arena *a, enum drive_grantee kind, const char *who,
                                 bool discoverable);
extern const char *const gdrive_roles[];    /* by enum drive_role; NULL where the API has none */
extern const char *const gdrive_grantees[]; /* by enum drive_grantee */

/* Media types: of an item as the API shows it; of a type as asked for, what the core has. */
const char *gdrive_type(struct arena *a, const struct drive_item *it);
enum drive_form gdrive_form(const char *type, const char **ret_mime);
/* The word of a document's kind in the core ("document"); NULL: it is none. */
const char *gdrive_document(const struct drive_item *it);

/* ---- about.c ---- */

/* Colours that folders can have ("Folder colours" of a live response); NULL-terminated. */
extern const char *const gdrive_palette[];
/* That which is nearest to "#rrggbb"; static. */
const char *gdrive_nearest_color(const char *color);

/* ---- user.c ---- */

/* Service accounts have no picture. */
bool gdrive_has_picture(const struct actor *a);
/* A user as members of files and revisions have them; actor 0: nothing is written. */
int gdrive_write_user(struct gdrive_view *v, const char *key, int64_t actor);

/* ---- file.c: the File resource ---- */

/* Writes a file with what the viewer may see of it; access NULL: it is asked for. */
int gdrive_write_file(struct gdrive_view *v, const char *key, const struct drive_item *it,
                      const struct drive_access *access);

bool gdrive_has_thumbnail(const struct drive_item *it);
/* Does anybody have it besides its owner (in a shared drive: are there members)? */
int gdrive_is_shared(struct gdrive_view *v, const struct drive_item *it, bool *ret);

/* ---- vendor.c ---- */

struct drive_vendor;
extern const struct drive_vendor gdrive_vendor;
int gdrive_item_drop(struct tx *tx, int64_t item, int64_t *rows); /* core.c */
/* A key as programs know them, from the world's stream; NULL: failed. */
const char *gdrive_new_key(struct tx *tx, enum drive_form form);
/* Was it made here, used or not, for shortcuts or for others? */
bool gdrive_key_ours(const char *key, bool of_shortcut);

/* ---- resource_key.c ---- */

/* Does a link give the viewer what they have, where it needs a key? 1, 0, -1. */
int gdrive_link_opens(struct gdrive_view *v, const struct drive_item *it,
                      const struct drive_access *access);

/* ---- permission_json.c: what a file says of who may do what ---- */

/* Its member capabilities; its members permissions and permissionIds, for who may share it. */
int gdrive_write_capabilities(struct gdrive_view *v, const struct drive_item *it,
                              const struct drive_access *access);
int gdrive_write_permissions(struct gdrive_view *v, const struct drive_item *it,
                             const struct drive_access *access);

/* ---- labels.c ---- */

/* The member labelInfo of a file; wanted: ids, separated by commas (the parameter includeLabels).
 */
int gdrive_write_label_info(struct gdrive_view *v, const struct drive_item *it, const char *wanted);

/* ---- parameters that many methods have ---- */

#define GDRIVE_FILE_ID                                                                             \
    {                                                                                              \
        .name = "fileId", .place = IN_PATH, .required = true                                       \
    }
#define GDRIVE_FLAG(param)                                                                         \
    {                                                                                              \
        .name = (param), .place = IN_QUERY, .type = PARAM_BOOL, .def = "false"                     \
    }
#define GDRIVE_OLD_FLAG(param)                                                                     \
    {                                                                                              \
        .name = (param), .place = IN_QUERY, .type = PARAM_BOOL, .def = "false", .deprecated = true \
    }
#define GDRIVE_ALL_DRIVES GDRIVE_FLAG("supportsAllDrives"), GDRIVE_OLD_FLAG("supportsTeamDrives")
#define GDRIVE_INCLUDE                                                                             \
    {.name = "includeLabels", .place = IN_QUERY},                                                  \
    {                                                                                              \
        .name = "includePermissionsForView", .place = IN_QUERY                                     \
    }

/* ---- methods: the rows of a resource, in the file of its handlers ---- */

extern const struct rows gdrive_about;
extern const struct rows gdrive_apps;
extern const struct rows gdrive_approvals;
extern const struct rows gdrive_changes;
extern const struct rows gdrive_drives;
extern const struct rows gdrive_files;
extern const struct rows gdrive_files_write;
extern const struct rows gdrive_files_list;
extern const struct rows gdrive_comments;
extern const struct rows gdrive_encryption;
extern const struct rows gdrive_export;
extern const struct rows gdrive_labels;
extern const struct rows gdrive_replies;
extern const struct rows gdrive_revisions;
extern const struct rows gdrive_operations;
extern const struct rows gdrive_permissions;
extern const struct rows gdrive_proposals;

#endif
