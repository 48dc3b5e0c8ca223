/* SPDX-License-Identifier: Apache-2.0 */
/* Taking all events out of a calendar, and deleting it. */
#include "services/calendar/core/event/event.h"
#include "services/calendar/core/vendor.h"

int calendar_clear(struct tx *tx, const struct calendar *cal)
{
    return cal_event_cancel_all(tx, cal);
}

int calendar_delete(struct tx *tx, const struct calendar *cal)
{
    static struct sql_text q_gone =
        SQL_TEXT("update cal_calendar set gone = 1 where id = :calendar");
    static struct sql_text q_access = SQL_TEXT("delete from cal_access where calendar = :calendar");
    if (cal_event_cancel_all(tx, cal) < 0 || cal_lists_turn(tx, cal, CAL_ENDED) < 0)
        return -1;
    return TX_RUN(tx, &q_access, cal->id) < 0 ? -1 : TX_RUN(tx, &q_gone, cal->id);
}
