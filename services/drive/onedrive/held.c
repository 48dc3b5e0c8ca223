/* SPDX-License-Identifier: Apache-2.0 */
/* Who has a file checked out. */
#include "services/drive/onedrive/onedrive.h"

int onedrive_holder(struct tx *tx, int64_t item, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select who from onedrive_checkout where item = :item");
    *ret = 0;
    return TX_INT(tx, &q, ret, item) < 0 ? -1 : 0;
}

int onedrive_check_free(struct onedrive_at *at, const struct drive_item *it)
{
    int64_t who;
    if (onedrive_holder(&at->c->tx, it->id, &who) < 0)
        return -1;
    return !who || who == at->c->actor.id
               ? 0
               : graph_fail_status(at->c, 423, "resourceLocked",
                                   "The file is checked out for editing by another user.");
}
