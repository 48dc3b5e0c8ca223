/* SPDX-License-Identifier: Apache-2.0 */
/* Shared drives, and who administers all of them. */
#ifndef SOSIA_DRIVE_SHARED_H
#define SOSIA_DRIVE_SHARED_H

#include "services/drive/core/access/share.h"

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

/* Does somebody administer the drives of the world (section driveAdministrators)? 1, 0, -1. */
int drive_is_admin(struct tx *tx, int64_t actor);

struct doc;
int drive_admin_seed(struct tx *tx, struct doc *d, const struct json *item);
int drive_admins_dump(struct tx *tx, struct json_writer *w);
/* Of the entity driveAdministrator: 1, 0 (nobody is), -1. */
int drive_admin_key(struct tx *tx, int64_t rowid, struct json_writer *w);
int drive_admin_dump(struct tx *tx, int64_t rowid, struct json_writer *w);

#endif
