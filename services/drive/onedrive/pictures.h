/* SPDX-License-Identifier: Apache-2.0 */
/* Thumbnails and previews. */
#ifndef SOSIA_ONEDRIVE_PICTURES_H
#define SOSIA_ONEDRIVE_PICTURES_H

#include "services/drive/onedrive/onedrive.h"

/* The member "thumbnails" of an item in its three usual sizes: empty where there is no picture. 0,
 * -1.
 */
int onedrive_write_thumbnails(struct onedrive_at *at, const struct drive_item *it);
/* Addresses that need no token, for an hour: of the bytes of a thumbnail, and of a file as a
 * browser shows it (content.c). NULL: failed. */
const char *onedrive_thumbnail_url(struct onedrive_at *at, const struct drive_item *it);
const char *onedrive_preview_url(struct onedrive_at *at, const struct drive_item *it);

#endif
