/* SPDX-License-Identifier: Apache-2.0 */
/* Events of all calendars that have a text in them. */
#include "engine/search/plain.h"
#include "engine/world/take.h"
#include "identity/sql.h"
#include "services/calendar/core/calendar.h"
#include "services/calendar/core/show.h"
#include "services/calendar/core/vendor.h"

int cal_found(struct tx *tx, const char *text, size_t limit, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select e.id, coalesce(" IDENT_SQL_HANDLE(
        "c.owner") ", c.key), e.summary, coalesce(nullif(e.location, ''), e.description), "
                   "e.start_us, c.id, e.key, e.all_day, c.vendor from cal_event e join "
                   "cal_calendar c on c.id = e.calendar "
                   "where e.removed = 0 and e.status <> 2 and (e.summary like :text escape "
                   "'\\' or e.description like :text escape '\\' or e.location like :text "
                   "escape '\\') order by e.start_us desc, e.id limit :n");
    sqlite3_stmt *st = TX_QUERY(tx, &q, search_like(tx->arena, text), (int64_t)limit);
    struct found f = {.core = &calendar_core, .entity = "event"};
    const char *vendor;
    int r;
    while ((r = TX_TAKE_NEXT(tx, st, &f.rowid, &f.actor, &f.title, &f.snippet, &f.at_us, &f.place,
                             &f.id, &f.whole_days, &vendor)) == 1) {
        vendor = cal_vendor_named(tx, vendor)->name;
        f.vendor = *vendor ? vendor : NULL;
        if (found_write(tx, w, &f) < 0) {
            r = -1;
            break;
        }
    }
    if (st)
        sql_done(st);
    return r < 0 ? -1 : 0;
}
