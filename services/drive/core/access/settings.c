/* SPDX-License-Identifier: Apache-2.0 */
/* What is set of shared drives. */
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
