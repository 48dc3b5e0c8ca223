/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of users, groups and contacts: the rows behind the dialects, for them and for documents.
 */
#ifndef SOSIA_MICROSOFT_PHOTO_H
#define SOSIA_MICROSOFT_PHOTO_H

#include "engine/blob/blob.h"

enum { PHOTO_BYTES = 4 << 20 };

struct ms_photo {
    int64_t id, user, team, contact; /* whose it is: one of the three, the others are 0 */
    int64_t blob;
    const char *type; /* "image/jpeg" */
    int64_t width, height;
};

/* Of its owner, which is filled. 1, 0, -1. */
int ms_photo_of(struct tx *tx, struct ms_photo *photo);
/* Gives the owner this picture in the place of the one that is there. 1, 0 it is not a picture that
 * is taken, -1. */
int ms_photo_put(struct tx *tx, struct ms_photo *photo, const void *data, size_t len);
/* 1, 0 there is none, -1. */
int ms_photo_drop(struct tx *tx, const struct ms_photo *owner);

extern const struct sosia_core microsoft_photos_core;

#endif
