/* SPDX-License-Identifier: Apache-2.0 */
/* Upload sessions as the core's record names them. */
#ifndef SOSIA_ONEDRIVE_UPLOAD_H
#define SOSIA_ONEDRIVE_UPLOAD_H

#include "engine/text/civil.h"
#include "services/drive/onedrive/onedrive.h"

#define ONEDRIVE_CORE       "onedrive"
#define ONEDRIVE_DUE_UPLOAD "upload" /* kind of what falls due: then a session is dropped */

/* From the last range on (MG-659). */
#define ONEDRIVE_UPLOAD_LIFE (15 * 60 * US_PER_SECOND)

struct onedrive_upload {
    int64_t id;
    const char *key, *secret;
    int64_t account, item, folder;
    const char *name;
    int64_t conflict, actor, app;
    const char *description;
    int64_t made_us, changed_us, deferred, total, size, blob, expires_us;
    const char *new_key;
};

/* By its key: 1, 0, -1. */
int onedrive_upload_find(struct tx *tx, const char *key, struct onedrive_upload *row);
int onedrive_upload_add(struct tx *tx, struct onedrive_upload *row);
/* What has come, and a new end of its life. */
int onedrive_upload_note(struct tx *tx, struct onedrive_upload *up);
/* blob: it goes too; 0: it does not. */
int onedrive_upload_drop(struct tx *tx, int64_t id, int64_t blob);
/* Bytes that the sessions of a drive have, but for one (0: of all). 0, -1. */
int onedrive_uploads_size(struct tx *tx, int64_t account, int64_t but, int64_t *ret);
int onedrive_upload_due(struct tx *tx, int64_t id);
int onedrive_uploads_derive(struct tx *tx);

#endif
