/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/blob/picture.h"
#include <string.h>

static unsigned big_endian(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

/* Four bytes; what is larger than two can hold is too large for any size. */
static unsigned long_big_endian(const uint8_t *p)
{
    return p[0] || p[1] ? UINT16_MAX + 1u : big_endian(p + 2);
}

/* The chunk pHYs in front of the picture's data: 144 dots an inch are two to a point of a screen.
 */
static bool png_is_dense(const uint8_t *p, size_t n)
{
    for (size_t at = 8; at + 21 <= n;) {
        unsigned len = long_big_endian(p + at);
        if (memcmp(p + at + 4, "IDAT", 4) == 0 || len > UINT16_MAX)
            return false;
        if (memcmp(p + at + 4, "pHYs", 4) == 0)
            return len == 9 && p[at + 16] == 1 &&
                   (long_big_endian(p + at + 8) * 254 + 5000) / 10000 == 144;
        at += 12 + (size_t)len;
    }
    return false;
}

/* Width and height of a JPEG: in its first frame header. */
static bool jpeg_size(const uint8_t *p, size_t n, struct picture *ret)
{
    for (size_t at = 2; at + 9 < n && p[at] == 0xff;) {
        uint8_t marker = p[at + 1];
        if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 &&
            marker != 0xcc) {
            ret->height = big_endian(p + at + 5);
            ret->width = big_endian(p + at + 7);
            return true;
        }
        unsigned len = big_endian(p + at + 2);
        if (len < 2)
            return false;
        at += 2 + len;
    }
    return false;
}

/* Goes over the pieces of data from at on, each with its length in front. */
static size_t gif_skip(const uint8_t *p, size_t n, size_t at)
{
    while (at < n && p[at])
        at += 1 + (size_t)p[at];
    return at + 1;
}

static unsigned gif_frames(const uint8_t *p, size_t n)
{
    unsigned frames = 0;
    size_t at = 13 + (p[10] & 0x80 ? 3u << ((p[10] & 7) + 1) : 0);
    while (at + 10 < n) {
        if (p[at] == 0x21) { /* an extension */
            at = gif_skip(p, n, at + 2);
        } else if (p[at] == 0x2c) {
            size_t colors = p[at + 9] & 0x80 ? 3u << ((p[at + 9] & 7) + 1) : 0;
            frames++;
            at = gif_skip(p, n, at + 11 + colors);
        } else {
            break;
        }
    }
    return frames;
}

bool picture_read(const void *data, size_t n, struct picture *ret)
{
    const uint8_t *p = data;
    struct picture picture = {.frames = 1};
    if (n > 24 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0) {
        picture.width = long_big_endian(p + 16);
        picture.height = long_big_endian(p + 20);
        picture.dense = png_is_dense(p, n);
    } else if (n > 13 && (memcmp(p, "GIF87a", 6) == 0 || memcmp(p, "GIF89a", 6) == 0)) {
        picture.width = p[6] | (unsigned)p[7] << 8;
        picture.height = p[8] | (unsigned)p[9] << 8;
        picture.frames = gif_frames(p, n);
    } else if (n < 12 || memcmp(p, "\xff\xd8\xff", 3) != 0 || !jpeg_size(p, n, &picture)) {
        return false;
    }
    if (!picture.width || !picture.height)
        return false;
    *ret = picture;
    return true;
}

const char *picture_type(const void *data)
{
    const char *p = data;
    return p[0] == 'G' ? "image/gif" : p[1] == 'P' ? "image/png" : "image/jpeg";
}
