/* SPDX-License-Identifier: Apache-2.0 */
/* What a viewer may do with an item: the conditions of the table of rights, read from the world. */
#include "services/drive/core/access/share.h"

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

static enum drive_nature nature_of(const struct drive_item *it)
{
    static const char *const plain[] = {"drawing", "form", "site", "map", "jam", NULL};
    switch (it->form) {
    case DRIVE_FOLDER:
        return it->top == DRIVE_NO_TOP   ? NATURE_FOLDER
               : it->top == DRIVE_SHARED ? NATURE_TOP
                                         : NATURE_ROOT;
    case DRIVE_SHORTCUT:
        return NATURE_SHORTCUT;
    case DRIVE_DOCUMENT:
        for (size_t i = 0; plain[i]; i++)
            if (strcmp(it->mime, plain[i]) == 0)
                return NATURE_OTHER;
        return NATURE_DOCUMENT;
    default:
        return NATURE_FILE;
    }
}

/* Of a JSON object with itemDownloadRestriction, which has its subjects. */
static void read_download_rules(struct tx *tx, const char *text, struct drive_state *s)
{
    const struct json *v;
    struct sosia_err err;
    if (!text || json_parse(tx->arena, text, strlen(text), NULL, &v, &err) < 0)
        return;
    const struct json *own = json_get(v, "itemDownloadRestriction");
    const struct json *readers = json_get(own, "restrictedForReaders"),
                      *writers = json_get(own, "restrictedForWriters");
    s->readers_no_download = json_is_true(readers);
    s->writers_no_download = json_is_true(writers);
}

static void read_restrictions(struct tx *tx, const char *text, struct drive_state *s)
{
    const struct json *v, *own;
    struct sosia_err err;
    if (!text || json_parse(tx->arena, text, strlen(text), NULL, &v, &err) < 0 ||
        v->type != JSON_ARRAY || !v->n)
        return;
    own = json_get(&v->items[0], "ownerRestricted");
    s->owner_locked = json_is_true(own);
}

static int read_drive(struct drive_viewer *v, const struct drive_item *it, struct drive_state *s)
{
    struct drive_settings set;
    struct drive_access at;
    struct drive_item top;
    s->shared_drive = true;
    int r = drive_settings(v->tx, it->drive, &set);
    if (r < 0)
        return -1;
    if (r) {
        s->copy_needs_writer |= set.copy_writers;
        s->folders_by_organizer = set.folders_organizer;
        s->readers_no_download |= set.readers_no_download;
        s->writers_no_download |= set.writers_no_download;
    }
    r = drive_item_by_id(v->tx, it->drive, &top);
    if (r < 0 || (r && drive_role(v, &top, &at) < 0))
        return -1;
    s->member = r && at.role >= ROLE_READER;
    return 0;
}

static int is_offered(struct drive_viewer *v, const struct drive_item *it, bool *ret)
{
    static struct sql_text q = SQL_TEXT("select 1 from drive_grant where item = :item and kind = 1 "
                                        "and who = :who and pending = 1");
    int64_t one;
    *ret = false;
    if (!(it->flags & DRIVE_GRANTED) || !v->who->id)
        return 0;
    int r = TX_INT(v->tx, &q, &one, it->id, v->who->email);
    *ret = r == 1;
    return r < 0 ? -1 : 0;
}

int drive_download_limits(struct tx *tx, const struct drive_item *it, bool *ret_readers,
                          bool *ret_writers)
{
    struct drive_state s = {.copy_needs_writer = it->flags & DRIVE_COPY_LIMIT};
    struct drive_settings set;
    read_download_rules(tx, it->download_rules, &s);
    int r = it->drive ? drive_settings(tx, it->drive, &set) : 0;
    if (r < 0)
        return -1;
    if (r) {
        s.copy_needs_writer |= set.copy_writers;
        s.readers_no_download |= set.readers_no_download;
        s.writers_no_download |= set.writers_no_download;
    }
    *ret_writers = s.writers_no_download;
    *ret_readers = s.copy_needs_writer || s.readers_no_download || s.writers_no_download;
    return 0;
}

int drive_may(struct drive_viewer *v, const struct drive_item *it, const struct drive_access *a,
              struct drive_cans *ret)
{
    struct drive_state s = {.nature = nature_of(it),
                            .writers_share = !(it->flags & DRIVE_WRITERS_DONT_SHARE),
                            .copy_needs_writer = it->flags & DRIVE_COPY_LIMIT,
                            .locked = it->flags & DRIVE_LOCKED,
                            .limited = it->flags & DRIVE_LIMITED,
                            .expires = a->expires,
                            .organisation = v->who->id && v->who->org};
    read_download_rules(v->tx, it->download_rules, &s);
    if (s.locked)
        read_restrictions(v->tx, it->restrictions, &s);
    if (is_offered(v, it, &s.pending_owner) < 0 || (it->drive && read_drive(v, it, &s) < 0))
        return -1;
    *ret = drive_cans(a->role, &s);
    return 0;
}
