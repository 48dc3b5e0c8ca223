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

void gdrive_admins_schema(struct json_writer *w)
{
    json_str(w, "description", "Addresses or names of people");
    json_raw(w, "type", "[\"array\",\"null\"]", 16);
    json_raw(w, "items", "{\"type\":\"string\"}", 17);
}

int gdrive_admins_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select actor from gdrive_admin where actor > :after order by actor limit 1");
    int64_t actor = 0;
    bool any = false;
    int r;
    while ((r = TX_INT(tx, &q, &actor, actor)) == 1) {
        struct actor who;
        if (actor_by_id(tx, actor, &who) < 0)
            return -1;
        if (!any)
            json_arr(w, "driveAdministrators");
        any = true;
        json_str(w, NULL, who.handle);
    }
    if (any)
        json_end(w);
    return r;
}

int gdrive_admin_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct actor who;
    int r = actor_by_id(tx, rowid, &who);
    if (r == 1)
        json_str(w, "person", who.handle);
    return r < 0 ? -1 : 0;
}

int gdrive_admin_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct actor who;
    int r = gdrive_is_admin(tx, rowid);
    if (r == 1)
        r = actor_by_id(tx, rowid, &who);
    if (r == 1)
        json_str(w, "administrator", who.handle);
    return r;
}
