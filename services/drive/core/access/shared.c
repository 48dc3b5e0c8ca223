/* SPDX-License-Identifier: Apache-2.0 */
/* Shared drives: how they are made, and who their members are. */
#include "engine/world/take.h"
#include "services/drive/core/access/shared.h"

int drive_shared_make(struct tx *tx, const struct actor *creator, const char *key, const char *name,
                      struct drive_settings *s, struct drive_item *ret)
{
    struct drive_item top = {.form = DRIVE_FOLDER,
                             .top = DRIVE_SHARED,
                             .key = key,
                             .name = name,
                             .mime = DRIVE_MIME_FOLDER,
                             .size = -1,
                             .modifier = creator ? creator->id : 0};
    struct drive_grant organizer = {.kind = GRANT_PERSON, .role = ROLE_ORGANIZER};
    if (drive_item_add(tx, &top) < 0)
        return -1;
    top.drive = s->item = top.id;
    s->creator = creator ? creator->id : 0;
    s->org = creator ? creator->org : 0;
    if (drive_item_save(tx, &top) < 0 || drive_settings_save(tx, s) < 0 ||
        drive_drive_changed(tx, &top) < 0)
        return -1;
    organizer.who = creator ? creator->email : NULL;
    if (creator && drive_grant_set(tx, &top, &organizer) < 0)
        return -1;
    *ret = top;
    return 0;
}

int drive_shared_asked(struct tx *tx, int64_t creator, const char *request, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select item from drive_drive where creator = :creator and request = :request");
    return TX_INT(tx, &q, ret, creator, request);
}

int drive_shared_next(struct tx *tx, int64_t after, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select item from drive_drive where item > :after order by item limit 1");
    return TX_INT(tx, &q, ret, after);
}

int drive_shared_count(struct tx *tx, int64_t top, int64_t *ret_members, int64_t *ret_organizers)
{
    static struct sql_text q =
        SQL_TEXT("select count(*), count(*) filter (where role = :organizer) from drive_grant "
                 "where item = :item and role > 0 and view is null");
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, ROLE_ORGANIZER, top), ret_members, ret_organizers);
    return r < 0 ? -1 : 0;
}

int drive_shared_in_use(struct tx *tx, int64_t top)
{
    /* What is in the trash with a folder of its own is in the trash too: the folder stands for it.
     */
    static struct sql_text q = SQL_TEXT("select 1 from drive_item where drive = :drive and parent "
                                        "= :top and flags & 1 = 0 limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, top, top);
}

int drive_shared_delete(struct tx *tx, const struct drive_item *top)
{
    static struct sql_text q = SQL_TEXT("delete from drive_drive where item = :item");
    if (drive_drive_changed(tx, top) < 0 || TX_RUN(tx, &q, top->id) < 0)
        return -1;
    return drive_delete(tx, top);
}
