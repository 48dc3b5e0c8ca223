/* SPDX-License-Identifier: Apache-2.0 */
/* What an account begins with: its calendar, and a room. */
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/place.h"

static int make(struct tx *tx, const struct account *account, const struct actor *actor)
{
    struct calendar cal = {.summary = "Calendar"};
    if (calendar_add_main(tx, account, actor, &cal) < 0)
        return -1;
    return strcmp(actor->kind, "resource") == 0 ? ocal_room_of(tx, actor) : 0;
}

const struct provision ocal_provisions[] = {
    {"microsoft", ACCOUNT_CALENDAR, "person resource", false, make},
    {NULL, 0, NULL, false, NULL},
};
