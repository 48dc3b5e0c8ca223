/* SPDX-License-Identifier: Apache-2.0 */
/* A new model of a document of our own kinds: a revision. */
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/model.h"

int drive_document_put(struct tx *tx, struct drive_item *it, const struct document *d)
{
    static struct sql_text q = SQL_TEXT("insert into drive_document (revision, item, content) "
                                        "values (:revision, :item, :content)");
    struct json_writer w;
    struct buf b;
    int64_t blob;
    json_start(&w, &b);
    document_write(&w, NULL, d);
    if (buf_failed(&b)) {
        buf_done(&b);
        return sosia_fail_memory(tx->err);
    }
    int r = blob_put(tx, b.data, b.len, &blob);
    it->size = (int64_t)b.len;
    buf_done(&b);
    it->blob = 0;
    it->md5 = it->sha1 = it->sha256 = NULL;
    return r < 0 || drive_revision_add(tx, it) < 0 || TX_RUN(tx, &q, it->head, it->id, blob) < 0 ||
                   drive_item_save(tx, it) < 0
               ? -1
               : 0;
}
