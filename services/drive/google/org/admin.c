/* SPDX-License-Identifier: Apache-2.0 */
#include "services/drive/google/org/admin.h"
#include "engine/json/doc.h"
#include "engine/world/core.h"

int gdrive_is_admin(struct tx *tx, int64_t actor)
{
    static struct sql_text q = SQL_TEXT("select 1 from gdrive_admin where actor = :actor");
    int64_t one;
    return TX_INT(tx, &q, &one, actor);
}

int gdrive_admin_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert or ignore into gdrive_admin (actor) values (:actor)");
    struct actor who;
    if (v->type != JSON_STRING)
        return doc_fail(d, v, NULL, "must be the address or name of a person");
    int r = actor_find(tx, v->str, &who);
    if (r < 0)
        return -1;
    return r ? TX_RUN(tx, &q, who.id)
             : doc_fail(d, v, NULL, "there is no person \"%.80s\"", v->str);
}

int gdrive_admins_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select a.handle from gdrive_admin d join ident_actor a on "
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

int gdrive_admin_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select handle from ident_actor where id = :id");
    return dump_key(tx, w, "person", &q, rowid);
}

int gdrive_admin_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select handle from ident_actor where id = :id");
    int r = gdrive_is_admin(tx, rowid);
    if (r < 1)
        return r;
    return dump_key(tx, w, "administrator", &q, rowid) < 0 ? -1 : 1;
}
