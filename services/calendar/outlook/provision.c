/* SPDX-License-Identifier: Apache-2.0 */
/* What an account begins with: its calendar. */
#include "services/calendar/outlook/ocal.h"

static int make(struct tx *tx, const struct account *account, const struct actor *actor)
{
    struct calendar cal = {.summary = "Calendar"};
    return calendar_add_main(tx, account, actor, &cal);
}

const struct provision ocal_provisions[] = {
    {"microsoft", ACCOUNT_CALENDAR, "person resource", false, make},
    {NULL, 0, NULL, false, NULL},
};
