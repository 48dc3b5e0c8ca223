/* SPDX-License-Identifier: Apache-2.0 */
/* Thumbnails and previews. */
#ifndef SOSIA_ONEDRIVE_PICTURES_H
#define SOSIA_ONEDRIVE_PICTURES_H

#include "services/drive/onedrive/onedrive.h"

/* Of addresses and in their stamps, in the place of a revision: what the bytes are translated to.
 */
#define AS_PDF       "Translate=pdf"
#define AS_THUMBNAIL "Translate=thumbnail"
#define SHOWN        "Translate=preview"

/* What a size is called, with its longest side or both, and whether it is cut to that. */
struct thumb_frame {
    const char *name;
    unsigned width, height;
    bool cut;
};
/* By its name: large, medium, small, one of the squares, "source", or a size of the caller's own,
 * "c300x400" and "c300x400_crop". false: there is no such size. */
bool thumb_frame_of(const char *name, struct thumb_frame *ret);
/* The size of an item's picture in pixels; false: there is none. */
bool thumb_picture(struct call *c, const struct drive_item *it, unsigned *ret_width,
                   unsigned *ret_height);
/* {"height", "url", "width"} of a size, as a member, or into the open object (key NULL). 0, -1. */
int thumb_write(struct onedrive_at *at, const struct drive_item *it, const char *key,
                const struct thumb_frame *f);

/* Sizes that a call asks for: the usual ones, or those of $select, among which may be sizes that no
 * type has. */
struct thumb_sizes {
    struct thumb_frame list[16];
    size_t n;
    const char *context; /* what contexts say of them */
};
/* Those of a call, of a list of sets or of one. 0, -1 refused. */
int thumb_sizes_open(struct call *c, bool list, struct thumb_sizes *ret);
/* The one set of an item, into the open object; its sets, as a list. 0, -1. */
int thumb_write_set(struct onedrive_at *at, const struct drive_item *it,
                    const struct thumb_sizes *sizes);
int thumb_write_sets(struct onedrive_at *at, const struct drive_item *it, const char *key,
                     const struct thumb_sizes *sizes);
/* The member "thumbnails" of an item in its three usual sizes: empty where there is no picture. 0,
 * -1.
 */
int onedrive_write_thumbnails(struct onedrive_at *at, const struct drive_item *it);
/* Addresses that need no token, for an hour: of the bytes of a thumbnail, and of a file as a
 * browser shows it (content.c). NULL: failed. */
const char *onedrive_thumbnail_url(struct onedrive_at *at, const struct drive_item *it);
const char *onedrive_translated_url(struct onedrive_at *at, const struct drive_item *it,
                                    const char *page, const char *purpose);
const char *onedrive_preview_url(struct onedrive_at *at, const struct drive_item *it);

#endif
