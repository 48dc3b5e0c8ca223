/* SPDX-License-Identifier: Apache-2.0 */
/* A new account's primary calendar, on its own list with the notices that the service turns on. */
#include "engine/base/codec.h"
#include "services/calendar/google/gcal.h"

static int make(struct tx *tx, const struct account *account, const struct actor *actor)
{
    static struct sql_text q_calendar =
        SQL_TEXT("insert into cal_calendar (key, owner, main, summary, zone, created_us, "
                 "updated_us, change) "
                 "values (:email, :owner, 1, :summary, :zone, :at, :at, 0)");
    static struct sql_text q_listing = SQL_TEXT(
        "insert into cal_listing (actor, calendar, selected, reminders, notices, updated_us, "
        "change) values (:actor, :calendar, 1, '[{\"method\":\"popup\",\"minutes\":10}]', "
        "'[{\"type\":\"eventCreation\",\"method\":\"email\"},{\"type\":\"eventChange\",\"method\":"
        "\"email\"},{\"type\":\"eventCancellation\",\"method\":\"email\"},{\"type\":"
        "\"eventResponse\",\"method\":\"email\"}]', :at, 0)");
    int64_t at = tx->now_us / US_PER_SECOND * US_PER_SECOND;
    bool room = strcmp(actor->kind, "resource") == 0;
    (void)account;
    if (TX_RUN(tx, &q_calendar, actor->email, actor->id, room ? actor->name : actor->email,
               actor->zone, at) < 0)
        return -1;
    return TX_RUN(tx, &q_listing, actor->id, tx_last_id(tx), at);
}

const struct provision gcal_provisions[] = {
    {"google", ACCOUNT_CALENDAR, "person resource service", true, make},
    {NULL, 0, NULL, false, NULL},
};
