/* SPDX-License-Identifier: Apache-2.0 */
/* A new account's primary calendar, on its own list with the notices that the service turns on. */
#include "services/calendar/google/gcal.h"

/* As the service has it for new people: a reminder, and mail about invitations. */
static int put_on_list(struct tx *tx, const struct calendar *cal)
{
    static struct sql_text q = SQL_TEXT(
        "insert into cal_listing (actor, calendar, selected, reminders, notices, updated_us, "
        "change) values (:actor, :calendar, 1, '[{\"method\":\"popup\",\"minutes\":10}]', "
        "'[{\"type\":\"eventCreation\",\"method\":\"email\"},{\"type\":\"eventChange\",\"method\":"
        "\"email\"},{\"type\":\"eventCancellation\",\"method\":\"email\"},{\"type\":"
        "\"eventResponse\",\"method\":\"email\"}]', :at, 0)");
    return TX_RUN(tx, &q, cal->owner, cal->id, cal->created_us);
}

static int make(struct tx *tx, const struct account *account, const struct actor *actor)
{
    bool room = strcmp(actor->kind, "resource") == 0;
    struct calendar cal = {.summary = room ? actor->name : actor->email};
    return calendar_add_main(tx, account, actor, &cal) < 0 ? -1 : put_on_list(tx, &cal);
}

const struct provision gcal_provisions[] = {
    {"google", ACCOUNT_CALENDAR, "person resource service", true, make},
    {NULL, 0, NULL, false, NULL},
};
