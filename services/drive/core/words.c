/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a file as views of all vendors show it. */
#include "engine/base/utf8.h"
#include "services/drive/core/model.h"
#include <xxhash.h>

#define TEXT_SHOWN (64 * 1024)

static int write_document(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct document *model;
    struct buf b;
    int r = drive_document_load(tx, it, 0, &model);
    if (r != 1)
        return r;
    buf_init(&b, 0);
    document_text(model, &b);
    const char *text = buf_str(&b);
    json_strn(w, "text", text, b.len > TEXT_SHOWN ? utf8_truncate(text, b.len, TEXT_SHOWN) : b.len);
    if (b.len > TEXT_SHOWN) /* what is not shown may differ too */
        json_str(w, "textHash",
                 arena_printf(tx->arena, "%016llx", (unsigned long long)XXH3_64bits(text, b.len)));
    buf_done(&b);
    return 0;
}

int drive_view_text(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    const char *data;
    size_t n;
    if (it->form == DRIVE_DOCUMENT)
        return write_document(tx, w, it);
    if (it->form != DRIVE_FILE || !it->blob || it->size > TEXT_SHOWN)
        return 0;
    if (blob_load(tx, it->blob, &data, &n) < 0)
        return -1;
    if (utf8_valid(data, n) && !memchr(data, 0, n))
        json_strn(w, "text", data, n);
    return 0;
}
