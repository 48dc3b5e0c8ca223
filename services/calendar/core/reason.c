/* SPDX-License-Identifier: Apache-2.0 */
/* Why this core refuses. */
#include "services/calendar/core/calendar.h"
#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *word;
    enum sosia_code code;
} table[CAL_REASONS] = {
    [CAL_NO_CALENDAR] = {"noCalendar", SOSIA_E_NOT_FOUND},
    [CAL_LESSER_ROLE] = {"lesserRole", SOSIA_E_FORBIDDEN},
    [CAL_KEY_USED] = {"keyUsed", SOSIA_E_CONFLICT},
    [CAL_NOT_ORGANIZER] = {"notOrganizer", SOSIA_E_FORBIDDEN},
    [CAL_MOVED_INSTANCE] = {"movedInstance", SOSIA_E_INVALID},
    [CAL_BAD_RECURRENCE] = {"badRecurrence", SOSIA_E_INVALID},
    [CAL_NO_SUCH_TIME] = {"noSuchTime", SOSIA_E_INVALID},
    [CAL_DELETED] = {"deleted", SOSIA_E_GONE},
    [CAL_BAD_POSITION] = {"badPosition", SOSIA_E_INVALID},
    [CAL_TOO_MANY] = {"tooMany", SOSIA_E_LIMIT},
};

int cal_fail(struct tx *tx, enum cal_reason reason, const char *fmt, ...)
{
    char text[sizeof tx->err->text];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return tx_fail(tx, table[reason].code, table[reason].word, NULL, "%s", text);
}

enum cal_reason cal_reason_of(const struct sosia_err *err)
{
    for (int i = 1; i < CAL_REASONS; i++)
        if (err->reason && err->code == table[i].code && strcmp(err->reason, table[i].word) == 0)
            return (enum cal_reason)i;
    return CAL_NO_REASON;
}
