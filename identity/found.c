/* SPDX-License-Identifier: Apache-2.0 */
/* People whose name or address has a text in it. */
#include "identity/found.h"
#include "engine/search/plain.h"
#include "engine/world/take.h"
#include "identity/identity.h"

int people_found(struct tx *tx, const char *text, size_t limit, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT(
        "select id, coalesce(email, handle), name from ident_actor where kind <> 'app' and (name "
        "like :text escape '\\' or email like :text escape '\\' or handle like :text escape '\\') "
        "order by name, id limit :n");
    sqlite3_stmt *st = TX_QUERY(tx, &q, search_like(tx->arena, text), (int64_t)limit);
    struct found f = {.core = &identity_core, .entity = "person"};
    int r;
    while ((r = TX_TAKE_NEXT(tx, st, &f.rowid, &f.actor, &f.title)) == 1) {
        f.snippet = f.actor;
        if (found_write(tx, w, &f) < 0) {
            r = -1;
            break;
        }
    }
    if (st)
        sql_done(st);
    return r < 0 ? -1 : 0;
}
