/* SPDX-License-Identifier: Apache-2.0 */
/* What the bytes of a file say of it: how many lines a text has and how it begins, how large a
 * picture is. It is found out when the bytes come, and kept with the file. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/chat/slack/files/file.h"

#define PREVIEW_LINES 5

/* ---- texts ---- */

static int64_t count_lines(const char *text, size_t n)
{
    const char *end = text + n;
    int64_t lines = 1;
    while ((text = memchr(text, '\n', (size_t)(end - text)))) {
        text++;
        lines++;
    }
    return lines;
}

/* The first lines, without the end of the last one; three dots where one of them is cut. */
static const char *preview(struct tx *tx, const char *text, size_t n)
{
    size_t at = 0, chars = 0;
    for (int lines = 0; at < n; at++) {
        if (text[at] == '\n' && ++lines == PREVIEW_LINES)
            break;
        if (((unsigned char)text[at] & 0xc0) != 0x80 && ++chars > CHAT_PREVIEW_CHARS)
            return arena_printf(tx->arena, "%.*s...", (int)at, text);
    }
    return arena_memdup(tx->arena, text, at);
}

void chat_file_look(struct tx *tx, struct chat_file *f, const char *data, size_t n)
{
    bool hosted = strcmp(f->mode, "hosted") == 0, text = strcmp(f->mode, "snippet") == 0;
    struct picture picture;
    f->lines = 0;
    f->picture = (struct picture){0};
    f->snippet = NULL;
    if (hosted && str_starts(f->mimetype, "text/"))
        text = f->size <= CHAT_LOOK;
    if (text && n && (int64_t)n >= f->size && utf8_valid(data, n) && !memchr(data, 0, n)) {
        f->mode = "snippet";
        f->lines = count_lines(data, n);
        f->snippet = preview(tx, data, n);
    } else if (str_starts(f->mimetype, "image/") && picture_read(data, n, &picture) &&
               picture.width <= UINT16_MAX && picture.height <= UINT16_MAX) {
        f->picture = picture;
    }
}
