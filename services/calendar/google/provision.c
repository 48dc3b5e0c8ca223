/* SPDX-License-Identifier: Apache-2.0 */
/* A new account's primary calendar, on its own list with the notices that the service turns on. */
#include "services/calendar/google/gcal.h"

static int make(struct tx *tx, const struct account *account, const struct actor *actor)
{
    bool room = strcmp(actor->kind, "resource") == 0;
    struct calendar cal = {.summary = room ? actor->name : actor->email};
    return calendar_add_main(tx, account, actor, &cal) < 0 ? -1 : gcal_listing_own(tx, &cal);
}

const struct provision gcal_provisions[] = {
    {"google", ACCOUNT_CALENDAR, "person resource service", true, make},
    {NULL, 0, NULL, false, NULL},
};
