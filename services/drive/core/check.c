/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of imported worlds, which are anybody's. */
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/words.h"

/* Whoever names a blob has a reference of it: revisions, documents, and pictures that writers gave.
 * An item's own content is its head revision's. */
int drive_derive(struct tx *tx)
{
    static struct sql_text q[] = {
        SQL_TEXT("select blob, id from drive_revision where blob is not null and id > :after order "
                 "by id limit 1"),
        SQL_TEXT("select content, revision from drive_document where revision > :after order by "
                 "revision limit 1"),
        SQL_TEXT("select thumbnail, id from drive_item where thumbnail is not null and id > :after "
                 "order by id limit 1"),
    };
    for (size_t i = 0; i < SOSIA_LEN(q); i++) {
        int64_t after = 0;
        sqlite3_stmt *st;
        int r;
        while ((r = TX_ROW(tx, &q[i], &st, after)) == 1) {
            int64_t blob = sqlite3_column_int64(st, 0);
            after = sqlite3_column_int64(st, 1);
            sql_done(st);
            if (blob_ref(tx, blob) < 0)
                return -1;
        }
        if (r < 0)
            return -1;
    }
    return drive_index_derive(tx);
}
