/* SPDX-License-Identifier: Apache-2.0 */
/* What is set of shared drives. */
#include "engine/world/take.h"
#include "services/drive/core/access/shared.h"

#define SETTINGS_COLUMNS                                                                           \
    "item, request, creator, org, admin_managed, copy_writers, domain_only, members_only, "        \
    "folders_organizer, download, theme, color, background"

int drive_settings(struct tx *tx, int64_t top, struct drive_settings *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " SETTINGS_COLUMNS " from drive_drive where item = :item");
    struct drive_settings s = {0};
    int download;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, top), &s.item, &s.request, &s.creator, &s.org,
                    &s.admin_managed, &s.copy_writers, &s.domain_only, &s.members_only,
                    &s.folders_organizer, &download, &s.theme, &s.color, &s.background);
    if (r != 1)
        return r;
    s.readers_no_download = download & 1;
    s.writers_no_download = download & 2;
    *ret = s;
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
