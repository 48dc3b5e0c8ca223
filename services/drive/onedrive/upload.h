/* SPDX-License-Identifier: Apache-2.0 */
/* Upload sessions as the core's record names them. */
#ifndef SOSIA_ONEDRIVE_UPLOAD_H
#define SOSIA_ONEDRIVE_UPLOAD_H

#include "services/drive/onedrive/onedrive.h"

#define ONEDRIVE_CORE       "onedrive"
#define ONEDRIVE_DUE_UPLOAD "upload" /* kind of what falls due: then a session is dropped */

int onedrive_upload_due(struct tx *tx, int64_t id);
int onedrive_uploads_derive(struct tx *tx);

#endif
