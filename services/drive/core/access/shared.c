/* SPDX-License-Identifier: Apache-2.0 */
/* Shared drives: how they are made, what is set of them, and who their members are. */
#include "services/drive/core/access/shared.h"

#define SETTINGS_COLUMNS                                                                           \
    "item, request, creator, org, admin_managed, copy_writers, domain_only, members_only, "        \
    "folders_organizer, download, theme, color, background"

int drive_settings(struct tx *tx, int64_t top, struct drive_settings *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " SETTINGS_COLUMNS " from drive_drive where item = :item");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, top);
    if (r != 1)
        return r;
    int download = sqlite3_column_int(st, 9);
    *ret = (struct drive_settings){.item = sqlite3_column_int64(st, 0),
                                   .request = tx_string(tx, st, 1),
                                   .creator = sqlite3_column_int64(st, 2),
                                   .org = sqlite3_column_int64(st, 3),
                                   .admin_managed = sqlite3_column_int(st, 4),
                                   .copy_writers = sqlite3_column_int(st, 5),
                                   .domain_only = sqlite3_column_int(st, 6),
                                   .members_only = sqlite3_column_int(st, 7),
                                   .folders_organizer = sqlite3_column_int(st, 8),
                                   .readers_no_download = download & 1,
                                   .writers_no_download = download & 2,
                                   .theme = tx_string(tx, st, 10),
                                   .color = tx_string(tx, st, 11),
                                   .background = tx_string(tx, st, 12)};
    sql_done(st);
    return 1;
}

int drive_settings_save(struct tx *tx, const struct drive_settings *s)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into drive_drive (" SETTINGS_COLUMNS
                 ") values (:item, :request, :creator, :org, :managed, :copy, :domain, :members, "
                 ":folders, :download, :theme, :color, :background)");
    int download = (s->readers_no_download ? 1 : 0) | (s->writers_no_download ? 2 : 0);
    return TX_RUN(tx, &q, s->item, s->request, sql_int_or_null(s->creator, 0),
                  sql_int_or_null(s->org, 0), s->admin_managed, s->copy_writers, s->domain_only,
                  s->members_only, s->folders_organizer, download, s->theme, s->color,
                  s->background);
}

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
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, ROLE_ORGANIZER, top);
    if (r < 0)
        return -1;
    *ret_members = r ? sqlite3_column_int64(st, 0) : 0;
    *ret_organizers = r ? sqlite3_column_int64(st, 1) : 0;
    if (r)
        sql_done(st);
    return 0;
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
