/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as they are stored, and the blocks that are made of them. */
#include "services/chat/slack/sl.h"

size_t sl_characters(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

const char *sl_block_id(struct tx *tx)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t random[6];
    if (tx_id(tx, "chat.block", random, sizeof random) < 0)
        return NULL;
    char *id = arena_alloc(tx->arena, 6);
    size_t n = 3 + random[5] % 3;
    for (size_t i = 0; i < n; i++)
        id[i] = digits[random[i] & 63];
    id[n] = 0;
    return id;
}

const char *sl_text_stored(struct call *c, const char *text)
{
    (void)c;
    return text;
}

const char *sl_text_blocks(struct call *c, const char *text)
{
    const char *id = sl_block_id(&c->tx), *json;
    struct buf b;
    struct json_writer w;
    if (!id)
        return NULL;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    json_obj(&w, NULL);
    json_str(&w, "type", "rich_text");
    json_str(&w, "block_id", id);
    json_arr(&w, "elements");
    json_obj(&w, NULL);
    json_str(&w, "type", "rich_text_section");
    json_arr(&w, "elements");
    json_obj(&w, NULL);
    json_str(&w, "type", "text");
    json_str(&w, "text", text);
    json_end(&w);
    json_end(&w);
    json_end(&w);
    json_end(&w);
    json_end(&w);
    json_end(&w);
    json = buf_failed(&b) ? NULL : arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    return json;
}
