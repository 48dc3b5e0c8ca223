/* SPDX-License-Identifier: Apache-2.0 */
/* Content on its way out, and what is read of it on its way in. */
#ifndef SOSIA_DRIVE_GOOGLE_MEDIA_H
#define SOSIA_DRIVE_GOOGLE_MEDIA_H

#include "services/drive/google/gdrive.h"
#include "services/drive/google/scopes.h"

/* The file's bytes as the answer, or the range of them that was asked for. Fails with the service's
 * refusals. */
int gdrive_send_content(struct gdrive_view *v, const struct drive_item *it,
                        const struct drive_access *access);
/* May the caller have its bytes? Fails with the service's refusals. */
int gdrive_must_download(struct gdrive_view *v, const struct drive_item *it,
                         const struct drive_access *access);
/* Keeps the content that a file has now, if keepRevisionForever is given. Fails with the service's
 * 403 if too many are kept. */
int gdrive_keep_head(struct call *c, const struct drive_item *it);
/* A failure to keep a revision in the service's words. */
int gdrive_not_kept(struct call *c);
/* Nothing turns the one into the other. */
int gdrive_no_conversion(struct call *c);

#endif
