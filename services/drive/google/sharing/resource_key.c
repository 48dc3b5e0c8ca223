/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that some links need: a header names them for each file, "id/key,id/key". */
#include "services/drive/google/gdrive.h"

#define HEADER "X-Goog-Drive-Resource-Keys"

static bool names_key(const char *list, const char *id, const char *key)
{
    size_t n_id = strlen(id), n_key = strlen(key);
    while (list && *list) {
        list += strspn(list, " ,");
        size_t n = strcspn(list, ",");
        size_t end = n;
        while (end && list[end - 1] == ' ')
            end--;
        if (end == n_id + 1 + n_key && strncmp(list, id, n_id) == 0 && list[n_id] == '/' &&
            strncmp(list + n_id + 1, key, n_key) == 0)
            return true;
        list += n;
    }
    return false;
}

int gdrive_link_opens(struct gdrive_view *v, const struct drive_item *it,
                      const struct drive_access *access)
{
    struct drive_mine mine;
    if (!access->link || access->inherited || !(it->flags & DRIVE_NEEDS_KEY) || !it->resource_key)
        return 1;
    if (names_key(call_request_header(v->c, HEADER), it->key, it->resource_key))
        return 1;
    /* Who has opened it before needs none. */
    if (!v->c->actor.id)
        return 0;
    if (drive_mine(&v->c->tx, it, v->c->actor.id, &mine) < 0)
        return -1;
    return mine.viewed_us || mine.modified_us;
}
