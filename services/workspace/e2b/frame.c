/* SPDX-License-Identifier: Apache-2.0 */
#include "services/workspace/e2b/frame.h"
#include "engine/json/json.h"

int frame_next(const char **text, size_t *len, struct frame *ret)
{
    const uint8_t *p = (const uint8_t *)*text;
    if (!*len)
        return 0;
    if (*len < FRAME_HEAD)
        return -1;
    const size_t n = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
    if (n > *len - FRAME_HEAD)
        return -1;
    *ret = (struct frame){.flags = p[0], .data = *text + FRAME_HEAD, .len = n};
    *text += FRAME_HEAD + n;
    *len -= FRAME_HEAD + n;
    return 1;
}

void frame_add(struct buf *b, unsigned flags, const char *data, size_t len)
{
    const uint8_t head[FRAME_HEAD] = {(uint8_t)flags, (uint8_t)(len >> 24), (uint8_t)(len >> 16),
                                      (uint8_t)(len >> 8), (uint8_t)len};
    buf_add(b, head, sizeof head);
    buf_add(b, data, len);
}

void frame_add_end(struct buf *b, const char *code, const char *message)
{
    struct json_writer w;
    struct buf text;
    json_start(&w, &text);
    json_obj(&w, NULL);
    if (code) {
        json_obj(&w, "error");
        json_str(&w, "code", code);
        json_str(&w, "message", message);
        json_end(&w);
    }
    json_end(&w);
    frame_add(b, FRAME_END, buf_str(&text), text.len);
    buf_done(&text);
}
