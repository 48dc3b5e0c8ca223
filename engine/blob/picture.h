/* SPDX-License-Identifier: Apache-2.0 */
/* What the bytes of a picture say of it, which is found out when they come: nothing here decodes
 * one. */
#ifndef SOSIA_BLOB_PICTURE_H
#define SOSIA_BLOB_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a PNG, a GIF or a JPEG says of itself, in pixels. */
struct picture {
    unsigned width, height; /* 0: not a picture, or an unknown one */
    unsigned frames;        /* of a GIF; more than one: it moves */
    bool dense;             /* two of its pixels to a point of a screen */
};
/* False: not one of these pictures. A side beyond 65,535 is given as 65,536. */
bool picture_read(const void *data, size_t n, struct picture *ret);
/* "image/png" of bytes that picture_read() takes. */
const char *picture_type(const void *data);

#endif
