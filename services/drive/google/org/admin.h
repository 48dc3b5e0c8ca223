/* SPDX-License-Identifier: Apache-2.0 */
/* Who administers the shared drives of the world. */
#ifndef SOSIA_DRIVE_GOOGLE_ADMIN_H
#define SOSIA_DRIVE_GOOGLE_ADMIN_H

#include "services/drive/core/drive.h"

/* Does somebody administer the drives of the world (section driveAdministrators)? 1, 0, -1. */
int gdrive_is_admin(struct tx *tx, int64_t actor);

struct doc;
int gdrive_admin_seed(struct tx *tx, struct doc *d, const struct json *item);
int gdrive_admins_dump(struct tx *tx, struct json_writer *w);
void gdrive_admins_schema(struct json_writer *w);
/* Of the entity driveAdministrator: 1, 0 (nobody is), -1. */
int gdrive_admin_key(struct tx *tx, int64_t rowid, struct json_writer *w);
int gdrive_admin_dump(struct tx *tx, int64_t rowid, struct json_writer *w);

#endif
