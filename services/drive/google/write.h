/* SPDX-License-Identifier: Apache-2.0 */
/* Making and changing files: what create, update and copy have in common. */
#ifndef SOSIA_DRIVE_GOOGLE_WRITE_H
#define SOSIA_DRIVE_GOOGLE_WRITE_H

#include "services/drive/core/access/share.h"
#include "services/drive/google/gdrive.h"

enum gdrive_mode { GDRIVE_CREATE, GDRIVE_UPDATE, GDRIVE_COPY };

/* What a body says beside the members of struct drive_item, which are changed in place. */
struct gdrive_change {
    struct gdrive_view *v;
    enum gdrive_mode mode;
    struct drive_item *it;
    const struct drive_item *old; /* of an update: as it was; NULL: a new one */
    bool touched;                 /* something of it changed that counts as a modification */
    bool renamed;
    bool owner_restricts; /* a new content restriction is one that its owner alone lifts */
    const char *type;     /* mimeType as asked for; NULL: not */
    const char *target;   /* of a new shortcut */
    int trashed, starred; /* -1: not said */
    int64_t viewed_us;    /* 0: not said */
    bool modified_given;  /* modifiedTime */
    const struct json *properties, *app_properties;
    const char *thumbnail, *thumbnail_type; /* base64url */
};

/* Reads the call's body. Fails with the service's errors for what may not be written, and for
 * values that can't be. Changes nothing but the item in memory. */
int gdrive_read_change(struct gdrive_change *ch);
/* Stores what is not in the item: properties, the star, the picture. After the item itself is
 * stored; it may change the item, which the caller saves. */
int gdrive_store_change(struct gdrive_change *ch);

/* Fails with the service's 400 for a type that content can't have: none of Google's own, and in an
 * update none of them that the file is to get. */
int gdrive_check_content(struct gdrive_change *ch);
/* The service's 400 for an id that was not given out for such a file. */
int gdrive_no_use(struct call *c);
/* The content of a new file, or a new one of an old file: c->medium, or nothing. The item is stored
 * already, and saved. */
int gdrive_take_content(struct gdrive_change *ch);
/* "tar.gz" of a name; NULL: it has none. */
const char *gdrive_extension(struct arena *a, const char *name);

/* A folder that files shall be put into. Fails with the service's errors. key: as sent. */
int gdrive_open_folder(struct gdrive_view *v, const char *key, struct drive_item *ret,
                       struct drive_access *ret_access);

#endif
