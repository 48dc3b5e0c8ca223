/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of pictures from their bytes. */
#include "engine/base/codec.h"
#include "services/drive/core/drive.h"

static unsigned two_bytes(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

/* Width and height of a PNG, GIF or JPEG from its first bytes. */
static bool picture_size(const uint8_t *p, size_t n, unsigned *ret_width, unsigned *ret_height)
{
    if (n >= 24 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0) {
        *ret_width = two_bytes(p + 16) << 16 | two_bytes(p + 18);
        *ret_height = two_bytes(p + 20) << 16 | two_bytes(p + 22);
        return true;
    }
    if (n >= 10 && memcmp(p, "GIF8", 4) == 0) {
        *ret_width = p[6] | (unsigned)p[7] << 8;
        *ret_height = p[8] | (unsigned)p[9] << 8;
        return true;
    }
    if (n < 4 || p[0] != 0xff || p[1] != 0xd8)
        return false;
    for (size_t at = 2; at + 9 <= n && p[at] == 0xff;) {
        unsigned marker = p[at + 1];
        if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 &&
            marker != 0xcc) {
            *ret_height = two_bytes(p + at + 5);
            *ret_width = two_bytes(p + at + 7);
            return true;
        }
        at += 2 + two_bytes(p + at + 2);
    }
    return false;
}

int drive_read_picture(struct tx *tx, struct drive_item *it, const struct blob *blob)
{
    enum { HEAD = 32768 };
    unsigned width, height;
    struct buf head;
    it->media = NULL;
    if (!str_starts(it->mime, "image/") || !blob->length)
        return 0;
    buf_init(&head, HEAD);
    if (blob_load_range(tx, blob->id, 0, blob->length < HEAD ? blob->length : HEAD, &head) < 0) {
        buf_done(&head);
        return -1;
    }
    if (picture_size((const uint8_t *)head.data, head.len, &width, &height))
        it->media =
            arena_printf(tx->arena, "{\"width\":%u,\"height\":%u,\"rotation\":0}", width, height);
    buf_done(&head);
    return 0;
}
