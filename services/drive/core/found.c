/* SPDX-License-Identifier: Apache-2.0 */
/* Files of all drives that have the words of a text in their names, descriptions or contents. */
#include "services/drive/core/found.h"
#include "identity/identity.h"
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/find/words.h"

static int write_item(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct drive_item it;
    struct actor owner = {0};
    int r = drive_item_by_id(tx, id, &it);
    if (r == 1 && it.owner)
        r = actor_by_id(tx, it.owner, &owner) < 0 ? -1 : 1;
    if (r != 1)
        return r;
    const struct drive_vendor *vendor = drive_vendor_of(tx, &it);
    if (!vendor)
        return -1;
    const struct found f = {.core = &drive_core,
                            .entity = "file",
                            .rowid = it.id,
                            .id = it.key,
                            .actor = owner.email ? owner.email : owner.handle,
                            .vendor = vendor->name,
                            .title = it.name,
                            .snippet = it.description,
                            .at_us = it.modified_us};
    return found_write(tx, w, &f);
}

int drive_found(struct tx *tx, const char *text, size_t limit, struct json_writer *w)
{
    int64_t *ids;
    size_t n;
    if (drive_index_find(tx, text, limit, &ids, &n) < 0)
        return -1;
    for (size_t i = 0; i < n && i < limit; i++)
        if (write_item(tx, ids[n - 1 - i], w) < 0)
            return -1;
    return 0;
}
