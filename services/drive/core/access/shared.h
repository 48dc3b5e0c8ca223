/* SPDX-License-Identifier: Apache-2.0 */
/* Shared drives. */
#ifndef SOSIA_DRIVE_SHARED_H
#define SOSIA_DRIVE_SHARED_H

#include "services/drive/core/access/share.h"

/* The settings of a shared drive. */
struct drive_settings {
    int64_t item;
    const char *request;
    int64_t creator, org;
    bool admin_managed, copy_writers, domain_only, members_only, folders_organizer;
    bool readers_no_download, writers_no_download;
    const char *theme, *color, *background; /* NULL: none */
};
int drive_settings(struct tx *tx, int64_t top, struct drive_settings *ret); /* 1, 0, -1 */
int drive_settings_save(struct tx *tx, const struct drive_settings *s);

/* Makes a drive; key NULL: one is made. creator becomes its organizer; NULL: nobody. s: its
 * settings, of which item, creator and org are filled in. */
int drive_shared_make(struct tx *tx, const struct actor *creator, const char *key, const char *name,
                      struct drive_settings *s, struct drive_item *ret);
/* The drive that somebody has made with such a request: 1, 0, -1. */
int drive_shared_asked(struct tx *tx, int64_t creator, const char *request, int64_t *ret);
/* The top of the drive that was made after another one (0: of the first): 1, 0, -1. */
int drive_shared_next(struct tx *tx, int64_t after, int64_t *ret);
/* People and groups that are members of it, and organizers among them. */
int drive_shared_count(struct tx *tx, int64_t top, int64_t *ret_members, int64_t *ret_organizers);
/* Is there anything in it that is not in the trash? 1, 0, -1. */
int drive_shared_in_use(struct tx *tx, int64_t top);
/* Deletes it with all that is in it. */
int drive_shared_delete(struct tx *tx, const struct drive_item *top);

#endif
