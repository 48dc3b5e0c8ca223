/* SPDX-License-Identifier: Apache-2.0 */
/* Shared drives: how they are made, who their members are, and who administers them. */
#include "engine/json/doc.h"
#include "engine/world/core.h"
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

/* ---- administrators ---- */

int drive_is_admin(struct tx *tx, int64_t actor)
{
    static struct sql_text q = SQL_TEXT("select 1 from drive_admin where actor = :actor");
    int64_t one;
    return TX_INT(tx, &q, &one, actor);
}

int drive_admin_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert or ignore into drive_admin (actor) values (:actor)");
    struct actor who;
    if (v->type != JSON_STRING)
        return doc_fail(d, v, NULL, "must be the address or name of a person");
    int r = actor_find(tx, v->str, &who);
    if (r < 0)
        return -1;
    return r ? TX_RUN(tx, &q, who.id)
             : doc_fail(d, v, NULL, "there is no person \"%.80s\"", v->str);
}

int drive_admins_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select a.handle from drive_admin d join ident_actor a on "
                                        "a.id = d.actor order by d.actor");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    bool any = false;
    int r;
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1) {
        if (!any)
            json_arr(w, "driveAdministrators");
        any = true;
        json_str(w, NULL, (const char *)sqlite3_column_text(st, 0));
    }
    if (any)
        json_end(w);
    return r;
}

int drive_admin_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select handle from ident_actor where id = :id");
    return dump_key(tx, w, "person", &q, rowid);
}

int drive_admin_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select handle from ident_actor where id = :id");
    int r = drive_is_admin(tx, rowid);
    if (r < 1)
        return r;
    return dump_key(tx, w, "administrator", &q, rowid) < 0 ? -1 : 1;
}
