/* SPDX-License-Identifier: Apache-2.0 */
/* New content of a file, with what follows from its bytes: the size of a picture, the tables of a
 * workbook. */
#include "services/drive/onedrive/workbook/workbook.h"

int onedrive_set_content(struct onedrive_at *at, struct drive_item *it, const struct blob *blob)
{
    it->modifier = at->c->actor.id;
    if (drive_read_picture(&at->c->tx, it, blob) < 0)
        return -1;
    return drive_content_set(&at->c->tx, it, blob) < 0 ? onedrive_refused(at->c)
                                                       : book_tables_read(&at->c->tx, it);
}
