/* SPDX-License-Identifier: Apache-2.0 */
/* OneDrive, by Microsoft Graph, on the drive core: what the files of this folder share. */
#ifndef SOSIA_ONEDRIVE_H
#define SOSIA_ONEDRIVE_H

#include "engine/service.h"
#include "engine/base/utf8.h"
#include "identity/account.h"
#include "services/drive/core/document/format.h"
#include "services/drive/core/drive.h"
#include "services/drive/core/names.h"
#include "services/drive/core/vendor.h"
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/query.h"
#include "vendors/microsoft/sites/files.h"

extern const struct dialect onedrive_dialect;
extern const struct dialect_tools onedrive_tools;
extern const struct sosia_core onedrive_core;
extern const struct drive_vendor onedrive_vendor;

#define ONEDRIVE_PAGE     200
#define ONEDRIVE_MAX_PAGE 1000
#define ONEDRIVE_NAME     255 /* characters of a name */
#define ONEDRIVE_PATH     400 /* characters of a path below the drive */
#define ONEDRIVE_QUOTA    (INT64_C(1) << 40)
#define ONEDRIVE_PERSONAL (INT64_C(5) << 30)           /* the quota of a personal drive */
#define ONEDRIVE_PUT      (INT64_C(250) * 1000 * 1000) /* bytes of a file that one PUT brings */

/* ---- ids.c ---- */

/* The bytes of an id: four of the drive and a GUID as .NET has it (MG-432). */
enum { ONEDRIVE_ID = 34, ONEDRIVE_ID_DRIVE = 4, ONEDRIVE_ID_BYTES = 20 };
/* An id of these bytes, in the arena. */
const char *onedrive_id(struct arena *a, const uint8_t bytes[ONEDRIVE_ID_BYTES]);
/* The bytes of an id; false: it has another form, as documents may give it. */
bool onedrive_id_read(const char *id, uint8_t ret[ONEDRIVE_ID_BYTES]);
/* The GUID of an item, in upper case: that of its id, or one that follows from it. In the arena. */
const char *onedrive_guid(struct arena *a, const char *id);
/* The id of somebody's drive, the ids of its site, web and list, and whose drive an id names: the
 * object id; NULL: it is none. */
const char *onedrive_drive_id(struct arena *a, const char *oid);
const char *onedrive_site_id(struct arena *a, const char *drive);
const char *onedrive_web_id(struct arena *a, const char *drive);
const char *onedrive_list_id(struct arena *a, const char *drive);
const char *onedrive_drive_owner(struct arena *a, const char *drive);

/* The same of a consumer's drive: 16 hexadecimal digits, the end of the object id. Is an id one? */
const char *onedrive_personal_id(struct arena *a, const char *oid);
bool onedrive_is_personal_id(const char *id);

/* With their quotes: of all of an item, and of its content. */
const char *onedrive_etag(struct arena *a, const struct drive_item *it);
const char *onedrive_ctag(struct arena *a, const struct drive_item *it);

/* ---- at.c: what a call is about ---- */

struct onedrive_at {
    struct call *c;
    struct graph_user user;     /* whose drive */
    struct actor owner, who;    /* the same; who looks at it: the caller, or for an app the owner */
    struct actor by;            /* who does what is done: the caller, or for an app the owner */
    struct drive_viewer viewer; /* of who */
    struct drive_item root;
    const char *drive;               /* its id */
    const char *host;                /* "port-my.sharepoint.com" */
    const char *site;                /* "/personal/ada_port_example", percent-encoded */
    const char *folder;              /* of the library in the site: "/Documents", the same */
    const char *type;                /* "business", "documentLibrary", "personal" */
    bool personal;                   /* it is of a consumer's account */
    int64_t quota;                   /* bytes */
    struct ms_library library;       /* id 0: it is a person's drive */
    struct ms_site place;            /* of a library: its site */
    enum site_role role;             /* of a library: what the caller may do in the site */
    const char *base;                /* of contexts: "users('id')/drive", "drives('id')" */
    const struct odata_query *query; /* what of items is asked for; NULL: all */

    bool bare;      /* items have no address of their content: in deltas */
    int creators;   /* as links, of items that others have made than the owner */
    bool listed;    /* items are written in a list */
    int links;      /* are there sharing links in the world? 0 not known, 1, -1 none */
    int64_t person; /* the last that was written, and its object id (NULL: none) */
    const char *person_id, *person_email, *person_name;

    /* Of the folder that the last item was in: its path below the drive, percent-encoded. */
    int64_t parent;
    const char *parent_path, *parent_id, *parent_name;
    const char *parent_place; /* the path as parentReference has it */
    const char *site_id;      /* of the drive; NULL: not made yet */
};
/* The drive of the path. 0, -1 refused. */
int onedrive_open(struct call *c, struct onedrive_at *ret);
/* Whose drive an id names: of a library, a person, a consumer. 1, 0 there is none, -1. */
int onedrive_user_of_drive(struct call *c, const char *id, struct graph_user *ret);
/* The path of a person's site, of a user principal name: "/personal/ada_port_example". */
const char *onedrive_site_of(struct arena *a, const char *upn);
/* That of an account, for what others get than the caller. */
int onedrive_open_of(struct call *c, const struct graph_user *user, struct onedrive_at *ret);
/* An item of the drive by its id. 0, -1. */
int onedrive_by_id(struct onedrive_at *at, const char *id, enum drive_role need,
                   struct drive_item *ret);
/* The role of who looks at it; -1: failed. */
int onedrive_may(struct onedrive_at *at, const struct drive_item *it, enum drive_role need);
/* An item of the drive by its id, whatever may be done with it. 0, -1. */
int onedrive_find(struct onedrive_at *at, const char *id, struct drive_item *ret);

/* ---- library.c: libraries of sites ---- */

/* The id of a library's drive; NULL: failed. */
const char *onedrive_library_id(struct arena *a, const struct ms_site *site,
                                const struct ms_library *library);
/* The library whose drive an id names: 1, 0, -1; and of a call's own tenant. */
int onedrive_library_find(struct tx *tx, const char *drive, struct ms_library *ret);
int onedrive_library_of_drive(struct call *c, const char *id, struct ms_library *ret);
/* The library of a path of a site or a group: {drive-id}, {list-id} or the default one. 0, -1. */
int onedrive_library_of_path(struct call *c, struct ms_library *ret);
/* Its account, as those of users are. 1, 0, -1. */
int onedrive_library_user(struct tx *tx, const struct ms_library *library, struct graph_user *ret);
/* The same of any account with a drive: a person's or a library's. 0, -1. */
int onedrive_user_of(struct tx *tx, const struct account *account, const struct actor *actor,
                     struct graph_user *ret);
/* Fills what a library's drive has in the place of a person's. 0, -1. */
int onedrive_library_open(struct onedrive_at *at, const struct ms_library *library);
/* An item of the drive by its row, for who sees it. 1, 0, -1. */
int onedrive_item_of_row(struct onedrive_at *at, int64_t id, struct drive_item *ret);
/* The item of a library by its number in the list. 0, -1 refused. */
int onedrive_find_listed(struct onedrive_at *at, const char *number, struct drive_item *ret);
/* The member "owner" of the drive. */
void onedrive_write_library_owner(struct onedrive_at *at);

/* ---- place.c ---- */

/* The item of the path, for who needs a role at it. 0, -1 refused. */
int onedrive_item(struct onedrive_at *at, enum drive_role need, struct drive_item *ret);
/* The folder and the name that a path gives a new item: 0 there is none yet; 1 there is: *ret_item;
 * -1 refused. */
int onedrive_place(struct onedrive_at *at, struct drive_item *ret_folder, const char **ret_name,
                   struct drive_item *ret_item);

/* ---- listed.c ---- */

extern const struct ms_files onedrive_files;
/* Its search(): find.c. */
int onedrive_search(struct call *c, const struct graph_words *words,
                    int (*each)(void *arg, const struct ms_library *library, int64_t id),
                    void *arg);

/* ---- special.c ---- */

/* The folder in the root that a special one is; NULL: there is no such name. */
const char *onedrive_special_folder(const char *name);
/* What special folder an item is; NULL: none. */
const char *onedrive_special_name(const struct onedrive_at *at, const struct drive_item *it);

/* ---- refuse.c ---- */

/* A failure of the core in Graph's words. -1. */
int onedrive_refused(struct call *c);
int onedrive_not_found(struct call *c);
int onedrive_invalid(struct call *c, const char *message);
/* If-Match of the call against an item, and against its content too. 0, -1. */
int onedrive_if_match(struct onedrive_at *at, const struct drive_item *it);
/* May an item have the name? 0, -1 refused. */
int onedrive_check_name(struct call *c, const char *name, bool at_root);
/* Members and query options of the call. 0, -1 refused. */
int onedrive_options(struct call *c, const char *type, struct odata_query *ret);
int onedrive_conflict(struct call *c, const struct json *body, enum drive_conflict otherwise,
                      enum drive_conflict *ret);

/* ---- render.c ---- */

/* An item as a member or item of a list. 0, -1. */
int onedrive_write(struct onedrive_at *at, const char *key, const struct drive_item *it);
int onedrive_write_members(struct onedrive_at *at, const struct drive_item *it);
/* The size of a picture in pixels; false: it is none. */
bool onedrive_picture(struct call *c, const struct drive_item *it, unsigned *ret_width,
                      unsigned *ret_height);
/* As the call's answer, with its context: what is "/items", "/root". */
int onedrive_answer(struct onedrive_at *at, const struct drive_item *it, bool as_root);
/* A person as an identity. 0, -1. */
int onedrive_write_person(struct onedrive_at *at, const char *key, int64_t actor);
/* What $expand asks for beside an item (page.c). 0, -1. */
int onedrive_write_expanded(struct onedrive_at *at, const struct drive_item *it);
/* The path of an item below the drive, "/a/b" percent-encoded; "" of the root. NULL: failed. */
const char *onedrive_path(struct onedrive_at *at, const struct drive_item *it);
/* Where a browser finds it. */
const char *onedrive_web_url(struct onedrive_at *at, const struct drive_item *it);
/* What contexts say of an item: "/root" or "/items('id')". */
const char *onedrive_step(struct onedrive_at *at, const struct drive_item *it);

/* ---- bytes.c ---- */

/* What makes an address one of this world: an HMAC of all that it opens, the drive by its site
 * ("/personal/ada_port_example"), the item, its revision (NULL: now), and for how long. NULL:
 * failed.
 */
const char *onedrive_stamp(struct tx *tx, const char *site, const char *key, const char *revision,
                           int64_t until_us);

/* An address from which its content (or that of a revision by its key, NULL: now) comes without a
 * token. NULL: failed. */
const char *onedrive_download_url(struct onedrive_at *at, const struct drive_item *it,
                                  const char *revision);
/* Answers with 302 to that address. 0, -1. */
int onedrive_redirect(struct onedrive_at *at, const struct drive_item *it);
/* Is there room for so many bytes more? 0, -1 refused. */
int onedrive_room(struct onedrive_at *at, int64_t more);
/* What a file is read as where it is converted, by its name; false: it is not. */
bool onedrive_convertible(const char *name, enum document_kind *ret_kind, const char **ret_type);
/* The media type that the service gives a file by its name. */
const char *onedrive_type(const char *name);

/* ---- store.c ---- */

/* Sets the content of an item that has been made or is there already: the caller has one reference
 * of the blob. 0, -1. */
int onedrive_set_content(struct onedrive_at *at, struct drive_item *it, const struct blob *blob);

/* ---- kept.c: what is kept beside the core's members ---- */

/* Who made it. */
int64_t onedrive_creator(struct onedrive_at *at, const struct drive_item *it);
/* The same outside of calls. 0, -1. */
int onedrive_creator_of(struct tx *tx, const struct drive_item *it, int64_t *ret);
int onedrive_creator_set(struct tx *tx, const struct drive_item *it, int64_t creator);
extern const char *const onedrive_item_members[];
int onedrive_item_seed(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it);
int onedrive_item_dump(struct tx *tx, struct json_writer *w, const struct drive_item *it);
int onedrive_item_drop(struct tx *tx, int64_t item, int64_t *rows);

/* ---- checkout.c ---- */

/* Who has checked an item out; 0: nobody. 0, -1. */
int onedrive_holder(struct tx *tx, int64_t item, int64_t *ret);
/* May the caller change it, as far as that goes? 0, -1: 423. */
int onedrive_check_free(struct onedrive_at *at, const struct drive_item *it);

/* ---- found.c ---- */

/* The item whose address for browsers a URL is. 1, 0, -1. */
int onedrive_by_address(struct call *c, const char *url, struct onedrive_at *at,
                        struct drive_item *it);
/* The members of a drive, into the open object. 0, -1. */
int onedrive_write_drive(struct onedrive_at *at);
/* The drive that an item is in. 1, 0 it is in none of Microsoft's, -1. */
int onedrive_drive_of(struct onedrive_at *at, const struct drive_item *it, struct onedrive_at *ret);
/* An item of another drive, as one that is known by its place there (MG-448). 0, -1. */
int onedrive_write_remote(struct onedrive_at *own, const struct drive_item *it);

/* ---- make.c ---- */

/* Into the recycle bin. 0, -1. */
int onedrive_throw_away(struct onedrive_at *at, struct drive_item *it);
/* Settles the name of an item that is to be stored; what has it goes where it is to be replaced. 0,
 * -1. */
int onedrive_settle(struct onedrive_at *at, enum drive_conflict how, struct drive_item *it);

/* A key for a new item, with the drive's bytes. 0, -1. */
int onedrive_make_key(struct onedrive_at *at, struct drive_item *it);
/* A folder in another one. 0, -1. */
int onedrive_make_folder(struct onedrive_at *at, const struct drive_item *folder, const char *name,
                         struct drive_item *ret);
/* Puts a new item into a folder, with its owner and, where it has none, a key; how: where the name
 * is there already. Replacing puts what was there into the recycle bin. 0, -1. */
int onedrive_add(struct onedrive_at *at, const struct drive_item *folder, enum drive_conflict how,
                 struct drive_item *it);
/* Reads fileSystemInfo of a body into the item's times. 0, -1. */
int onedrive_read_times(struct call *c, const struct json *info, struct drive_item *it);

/* ---- rows ---- */

extern const struct rows onedrive_drives, onedrive_items, onedrive_changes, onedrive_contents,
    onedrive_uploads, onedrive_deltas, onedrive_permissions, onedrive_found, onedrive_versions,
    onedrive_mine, onedrive_checkouts, onedrive_shares, onedrive_pictures, onedrive_recycled;

#define ONEDRIVE_READ                                                                              \
    "Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All Sites.Read.All "                \
    "Sites.ReadWrite.All Sites.Selected " ONEDRIVE_SELECTED
#define ONEDRIVE_WRITE                                                                             \
    "Files.ReadWrite Files.ReadWrite.All Sites.ReadWrite.All Sites.Selected " ONEDRIVE_SELECTED
/* Of apps that were given single items (app_rights.h). */
#define ONEDRIVE_SELECTED "Files.SelectedOperations.Selected"
/* Does nothing but that let the call in? */
bool onedrive_items_alone(const struct call *c);

#define ONEDRIVE_PATH_PARAMS                                                                       \
    DRIVE_PATH_PARAMS, {.name = "list-id", .place = IN_PATH, .required = true},                    \
    {                                                                                              \
        .name = "listItem-id", .place = IN_PATH, .required = true                                  \
    }
#define ONEDRIVE_SHAPE_PARAMS                                                                      \
    {.name = "$select", .place = IN_QUERY},                                                        \
    {                                                                                              \
        .name = "$expand", .place = IN_QUERY                                                       \
    }
#define ONEDRIVE_CONFLICT "@microsoft.graph.conflictBehavior"

/* Paths on the hosts of sites: of a person's, of those below /sites and /teams, of the root. */
#define ON_SITES(path)                                                                             \
    "/personal/{site}" path, "/sites/{site}" path, "/sites/{site}/{web}" path,                     \
        "/teams/{site}" path, path
#define ON_SITES_WEB                                                                               \
    {                                                                                              \
        .name = "web", .place = IN_PATH, .required = true, .summary = "Its web, as the URL has it" \
    }

#endif
