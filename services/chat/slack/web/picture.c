/* SPDX-License-Identifier: Apache-2.0 */
/* Which pictures are taken, and the addresses of those that people have. */
#include "engine/base/codec.h"
#include "engine/blob/blob.h"
#include "engine/blob/picture.h"
#include "services/chat/slack/sl.h"

#define MAX_FRAMES 100

const char *sl_picture_fault(const void *data, size_t n)
{
    struct picture picture;
    if (!picture_read(data, n, &picture))
        return "bad_image";
    if (picture.width > SL_PICTURE_SIDE || picture.height > SL_PICTURE_SIDE)
        return "too_large";
    return picture.frames > MAX_FRAMES ? "too_many_frames" : NULL;
}

const char *sl_photo_hash(struct call *c, const struct chat_user *u)
{
    struct blob blob;
    char hex[13];
    if (!u->photo || blob_get(&c->tx, u->photo, &blob) != 1)
        return NULL;
    hex_encode(hex, blob.sha256, 6);
    return arena_strdup(c->tx.arena, hex);
}

void sl_write_photos(struct call *c, const struct chat_user *u, const char *hash)
{
    static const char *const sizes[] = {"original", "24", "32", "48", "72", "192", "512", "1024"};
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++)
        json_str(c->out, arena_printf(c->tx.arena, "image_%s", sizes[i]),
                 call_follow_url(c, "avatars.slack-edge.com",
                                 arena_printf(c->tx.arena, "/avatars/%s-%s-%s_%s",
                                              sl_me(c)->workspace.key, u->key, hash, sizes[i])));
}
