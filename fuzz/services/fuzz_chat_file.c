/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of a workspace: as a text they have a preview that is a part of them, as a
 * picture sizes within the bounds of the table. The first byte chooses what it is said to be. */
#include "engine/base/utf8.h"
#include "fuzz/fuzz.h"
#include "services/chat/slack/files/file.h"

static int64_t lines_of(const char *text, size_t n)
{
    int64_t lines = 1;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    return lines;
}

static void check_preview(const struct chat_file *f, const char *text, size_t n)
{
    size_t len = strlen(f->snippet);
    bool cut = len > 3 && !(len <= n && memcmp(f->snippet, text, len) == 0);
    if (cut)
        CHECK(memcmp(f->snippet + len - 3, "...", 3) == 0);
    len -= cut ? 3 : 0;
    CHECK(len <= n && memcmp(f->snippet, text, len) == 0);
    CHECK(utf8_valid(f->snippet, strlen(f->snippet)));
    CHECK(f->lines == lines_of(text, n));
    CHECK(lines_of(f->snippet, len) <= 5);
    CHECK(len <= 4 * CHAT_PREVIEW_CHARS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"text/plain", "image/png", "application/json"};
    struct arena a;
    struct tx tx = {.arena = &a};
    if (!size)
        return 0;
    uint8_t first = *data++;
    char *text = malloc(--size ? size : 1); /* no byte behind it: reads beyond are found */
    CHECK(text);
    memcpy(text, data, size);
    arena_init(&a, 0);
    struct chat_file f = {.mode = first & 4 ? "snippet" : "hosted",
                          .mimetype = types[first % 3],
                          .size = (int64_t)size + (first & 8 ? 1 : 0)};
    chat_file_look(&tx, &f, text, size);
    CHECK(!f.lines == !f.snippet);
    if (f.lines)
        check_preview(&f, text, size);
    CHECK(f.picture.width <= UINT16_MAX && f.picture.height <= UINT16_MAX);
    CHECK(!f.picture.width == !f.picture.height);
    free(text);
    arena_done(&a);
    return 0;
}
