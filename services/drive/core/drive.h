/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files without a vendor: items in trees, who may do what with them, and the feed of changes. Times
 * are microseconds since 1970; texts that are given out live in the transaction's arena. Functions
 * give 0 (or what is said) and -1 with tx->err filled. Reasons of failures are plain words that
 * dialects put into their own.
 */
#ifndef SOSIA_DRIVE_H
#define SOSIA_DRIVE_H

#include "engine/blob/blob.h"
#include "engine/world/event.h"
#include "identity/identity.h"

extern const struct sosia_core drive_core;
#define DRIVE_CORE "drive" /* its name, for due_add() */

enum drive_form { DRIVE_FILE, DRIVE_FOLDER, DRIVE_SHORTCUT, DRIVE_DOCUMENT };
/* What has no parent because nothing is above it. */
enum drive_top { DRIVE_NO_TOP, DRIVE_ROOT, DRIVE_SHARED, DRIVE_APP_DATA };

enum drive_flag {
    DRIVE_TRASHED = 1,    /* itself, not through a folder */
    DRIVE_LIMITED = 2,    /* a folder: what is granted above does not count */
    DRIVE_GRANTED = 4,    /* there are rows of drive_grant; kept by drive_grants_note() */
    DRIVE_COPY_LIMIT = 8, /* readers and commenters may not copy, print or download */
    DRIVE_WRITERS_DONT_SHARE = 16,
    DRIVE_ABUSIVE = 32,   /* identified as malware */
    DRIVE_LOCKED = 64,    /* a content restriction makes it read-only */
    DRIVE_NEEDS_KEY = 128 /* links need its resource key */
};

/* Items of our own kinds have a word for a media type ("folder", "shortcut", "document",
 * "spreadsheet", ...), all others a media type with its slash; dialects show the words as their
 * vendor's types. */
#define DRIVE_MIME_FOLDER   "folder"
#define DRIVE_MIME_SHORTCUT "shortcut"

/* Each includes those before it. An owner there is of what a person has only, the two organizers of
 * shared drives only. */
enum drive_role {
    ROLE_NONE,
    ROLE_SEES, /* its name and nothing in it: a folder with limited access below one that is shared
                */
    ROLE_READER,
    ROLE_COMMENTER,
    ROLE_WRITER,
    ROLE_FILE_ORGANIZER,
    ROLE_ORGANIZER,
    ROLE_OWNER,
    N_ROLES
};

enum drive_grantee { GRANT_PERSON = 1, GRANT_GROUP, GRANT_DOMAIN, GRANT_ANYONE };

/* Kinds of events (engine/world/event.h). Scopes: an item; a person whose feed has more; the top of
 * a shared drive whose feed has more. */
#define CHANGED_FILE       "drive.file"
#define CHANGED_FEED       "drive.feed"
#define CHANGED_DRIVE_FEED "drive.driveFeed"

struct drive_item {
    int64_t id, parent, owner, drive; /* 0: none */
    unsigned flags;                   /* enum drive_flag */
    enum drive_form form;
    enum drive_top top;
    int64_t space;
    const char *key, *name, *mime;
    int64_t size; /* -1: none */
    int64_t created_us, modified_us, modifier, version;
    int64_t blob, head;
    const char *md5, *sha1, *sha256; /* hexadecimal; NULL: none, as the texts below */
    int64_t target;
    const char *target_key, *target_mime;
    int64_t trashed_us, trasher;
    const char *description, *original, *extension, *color, *resource_key;
    const char *restrictions, *download_rules, *media, *index_text;
    int64_t thumbnail;
    const char *thumbnail_mime;
    int64_t creator_app;
    const char *extra;
    int64_t account; /* of a new item: whose drive it comes into, where its place does not say */
};

/* ---- items (item.c) ---- */

/* 1 found, 0 not. By key: whatever the viewer may see. What was deleted is not found, though it may
 * have rows for a while. */
int drive_item_by_key(struct tx *tx, const char *key, struct drive_item *ret);
int drive_item_by_id(struct tx *tx, int64_t id, struct drive_item *ret);
/* The key of an item, also of one that was deleted and has a row yet. */
int drive_item_key(struct tx *tx, int64_t id, const char **ret);
/* Questions for tables of others: an item's number by its key, that of the top of a shared drive,
 * and a key by its number. */
extern struct sql_text drive_id_of_key, drive_top_of_key, drive_key_of_id;
/* Numbers of what a folder has that is not itself in the trash, oldest first. 0, -1. */
int drive_children(struct tx *tx, int64_t folder, int64_t **ret, size_t *ret_n);
/* All that is below a folder and not in the trash, each folder before what is in it: a page of
 * numbers behind a place, which is then the last one's; {-1, 0}: the folder itself is the first.
 * 1 there is more, 0, -1. */
struct drive_walk {
    int64_t depth, item;
};
int drive_walk(struct tx *tx, int64_t folder, struct drive_walk *at, size_t limit, int64_t **ret,
               size_t *ret_n);
/* How many they are; and the bytes of all files below a folder, of what is not in the trash. 0, -1.
 */
int drive_child_count(struct tx *tx, int64_t folder, int64_t *ret);
int drive_size_below(struct tx *tx, int64_t folder, int64_t *ret);
/* Someone's own folder at the top, and that for the data of an app (0: of no app), which is made if
 * the transaction may write: 1, 0 there is none. Of the account to which their address leads, or of
 * another one of theirs. */
struct account;
int drive_root(struct tx *tx, int64_t actor, struct drive_item *ret);
int drive_root_of(struct tx *tx, const struct account *account, struct drive_item *ret);
int drive_app_data(struct tx *tx, int64_t actor, int64_t app, struct drive_item *ret);
/* Stores a new item: all members but id and version; key NULL: one is made, created_us 0: now,
 * modified_us 0: created_us. Fails with CONFLICT "keyInUse", "nameInUse" (names.h). It is in the
 * feed. */
int drive_item_add(struct tx *tx, struct drive_item *it);
/* Stores all members of an item that is there; its version rises, and it is in the feed. Times and
 * modifier are the caller's. Fails with CONFLICT "nameInUse". */
int drive_item_save(struct tx *tx, struct drive_item *it);
/* Is `above` the item itself or one of the folders it is in? 1, 0, -1. */
int drive_is_under(struct tx *tx, int64_t item, int64_t above);
/* Did one of these apps make it? A 0 first: any program, or nobody; a 0 second: there is one. */
#define DRIVE_MAKERS 2
bool drive_is_made_by(const struct drive_item *it, const int64_t apps[DRIVE_MAKERS]);
/* The key of something below a folder, in the trash or not, that the app did not make: 1, 0 it made
 * all of it, -1. */
int drive_made_elsewhere(struct tx *tx, int64_t folder, int64_t app, const char **ret_key);
/* Calls fn for each folder above the item, the nearest first, until it gives non-zero. */
int drive_each_ancestor(struct tx *tx, const struct drive_item *it,
                        int (*fn)(void *arg, const struct drive_item *folder), void *arg);

/* ---- content (content.c) ---- */

#define DRIVE_DIGESTS (BLOB_MD5 | BLOB_SHA1) /* beside SHA-256, for the blobs that files have */
/* What changes with the content alone, where the version changes with everything; 0: it has none.
 */
static inline int64_t drive_content_version(const struct drive_item *it)
{
    return it->head;
}
/* The digests of a file's content, with those that its vendor adds: 1, 0 it has no bytes, -1. */
int drive_content_digests(struct tx *tx, const struct drive_item *it, struct blob *ret);
/* New content of a file: a revision, whose reference of the blob is the caller's until then (blob:
 * with DRIVE_DIGESTS). In: mime, modified_us, modifier, original of the item, which is saved. */
int drive_content_set(struct tx *tx, struct drive_item *it, const struct blob *blob);
/* What the bytes of a picture say of it (picture.c), into the item, which is not saved. */
int drive_read_picture(struct tx *tx, struct drive_item *it, const struct blob *blob);
int drive_content_put(struct tx *tx, struct drive_item *it, const void *data, size_t len);
/* A revision of the item as it is now, which becomes its head; the item is not saved. */
int drive_revision_add(struct tx *tx, struct drive_item *it);

/* The content of another item's head, for a new item; which is saved. */
int drive_copy_content(struct tx *tx, const struct drive_item *from, struct drive_item *it);

/* ---- trees (tree.c, delete.c) ---- */

#define DUE_TRASH "trash" /* kind of what falls due: an item has been in the trash for so long */
/* May the folder hold the item (id 0: a new one)? Fails with INVALID "cycle", FORBIDDEN "tooDeep".
 */
int drive_may_hold(struct tx *tx, const struct drive_item *folder, const struct drive_item *it);
/* Puts an item, which is not saved, into a folder. What is below it is touched only when it comes
 * into another drive; owner: of what leaves a shared drive. Fails as drive_may_hold(). */
int drive_move(struct tx *tx, struct drive_item *it, const struct drive_item *folder,
               int64_t owner);
/* Into the trash and out of it, with what is below; the item is not saved. */
int drive_trash(struct tx *tx, struct drive_item *it, int64_t who);
int drive_untrash(struct tx *tx, struct drive_item *it);
/* Deletes an item and what is below it; what others own there goes to their own folders. It is gone
 * at once, however much it is; rows go with this call and later ones. */
int drive_delete(struct tx *tx, const struct drive_item *it);
/* Deletes what is in the trash: somebody's own, or a shared drive's. */
int drive_empty_trash(struct tx *tx, int64_t owner, int64_t drive);
/* Bytes that somebody's files take with revisions that are kept for ever, and those of them that
 * are in the trash, or in a folder of theirs that is. */
int drive_usage(struct tx *tx, int64_t owner, int64_t *ret_all, int64_t *ret_trash);

/* ---- who may do what (access.c) ---- */

/* Somebody who looks at items, with what was found out about folders and groups on the way: for as
 * long as no grant and no place changes. */
struct drive_place;
struct drive_viewer {
    struct tx *tx;
    const struct actor *who; /* id 0: nobody, who has what anyone has */
    const char *domain;
    struct drive_place **places; /* by item */
    size_t n_places, n_buckets;
    struct drive_group *groups;
    const struct drive_opened *opened; /* links */
    bool used;                         /* those that they have opened for good are among them */
    bool only_direct; /* what anyone with the link has does not count, nor what a link gives */
};
void drive_viewer(struct tx *tx, const struct actor *who, struct drive_viewer *ret);
/* What a viewer has at an item. */
struct drive_access {
    enum drive_role role;
    bool trashed; /* it or a folder above it */
    bool link;    /* the viewer has it by the domain or by the link, and would have none without */
    bool inherited;   /* the role comes from a folder above */
    bool expires;     /* what gives it ends by itself */
    bool no_download; /* it comes from a link that says so */
};
/* Is the viewer one of those that a grant is for? 1, 0, -1. */
int drive_is_meant(struct drive_viewer *v, enum drive_grantee kind, const char *who);
int drive_role(struct drive_viewer *v, const struct drive_item *it, struct drive_access *ret);
/* An item for somebody who needs a role: fails with NOT_FOUND "notFound" when there is none or none
 * that the viewer may see anything of, and with FORBIDDEN "role" when they may not do it. */
int drive_open(struct drive_viewer *v, const char *key, enum drive_role need,
               struct drive_item *ret, struct drive_access *ret_access);

struct drive_grant {
    int64_t id, item;
    enum drive_grantee kind;
    const char *who;
    enum drive_role role;
    bool lowers, discoverable, pending;
    const char *view;
    int64_t expires_us, created_us;
};
/* The grants at an item itself, oldest first (grant.c). */
int drive_grants(struct tx *tx, int64_t item, struct drive_grant **ret, size_t *ret_n);
/* Stores a grant (id 0: a new one), or takes it away, and keeps the item's flag DRIVE_GRANTED; who
 * gains or loses sight of the item has it in the feed. */
int drive_grant_set(struct tx *tx, struct drive_item *it, struct drive_grant *g);
int drive_grant_remove(struct tx *tx, struct drive_item *it, const struct drive_grant *g);
/* Is anything granted at the item but a view of it? 1, 0, -1. */
int drive_is_granted(struct tx *tx, const struct drive_item *it);
/* Is somebody offered to own it? 1, 0, -1. */
int drive_is_offered(struct tx *tx, const struct drive_item *it, const char *email);

/* ---- what an item is to a person (mine.c) ---- */

struct drive_mine {
    bool starred, hidden;
    int64_t viewed_us, modified_us, shared_us, sharer; /* 0: never, nobody */
};
/* A time where 0 is never: what was as 1970 began was a microsecond later. */
static inline int64_t drive_when(int64_t us)
{
    return us ? us : 1;
}
int drive_mine(struct tx *tx, const struct drive_item *it, int64_t actor, struct drive_mine *ret);
int drive_mine_save(struct tx *tx, int64_t item, int64_t actor, const struct drive_mine *m);
/* The next actor behind `after` (0: the first) to whom it is something: 1, 0, -1. */
int drive_mine_next(struct tx *tx, int64_t item, int64_t after, int64_t *ret);

/* ---- properties (mine.c) ---- */

struct drive_property {
    const char *name, *value; /* value NULL: takes it away */
};
int drive_properties(struct tx *tx, int64_t item, int64_t app, struct drive_property **ret,
                     size_t *ret_n);
int drive_property_set(struct tx *tx, int64_t item, int64_t app, const struct drive_property *p);
/* How many it has, of all apps. */
int drive_property_count(struct tx *tx, int64_t item, int64_t *ret);
/* The member "properties" of a dump, with those that every app sees; nothing if there are none. */
int drive_dump_properties(struct tx *tx, struct json_writer *w, const struct drive_item *it);

/* ---- the feed of changes (change.c) ---- */

/* The item changed: it is in the feed of all who see it, once a call. */
int drive_changed(struct tx *tx, const struct drive_item *it);
/* The same of a shared drive itself (its name, its settings). */
int drive_drive_changed(struct tx *tx, const struct drive_item *top);
/* Somebody becomes a member of a shared drive, or gets another role there: in their own feed. */
int drive_member_changed(struct tx *tx, const struct drive_item *top, enum drive_grantee kind,
                         const char *who);
/* It goes, or goes out of sight of one grantee (NULL: of all who see it). Before it is done. */
int drive_removed(struct tx *tx, const struct drive_item *it, enum drive_grantee kind,
                  const char *who);
/* Notifies who watches the item: what was done, and the members that changed ("content", "parents",
 * "permissions", "trash", "untrash"; static). */
void drive_raise(struct tx *tx, const struct drive_item *it, enum event_operation operation,
                 const char *const *members);
/* The number of the last change; that of the first one since a time, or behind the last. */
int drive_change_newest(struct tx *tx, int64_t *ret);
int drive_change_since(struct tx *tx, int64_t us, int64_t *ret);

#endif
