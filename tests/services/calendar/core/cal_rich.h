/* SPDX-License-Identifier: Apache-2.0 */
/* A vendor of calendars that has all that a vendor may have: reminders of its own, copies that stay
 * when they are cancelled, letters, lists, a calendar that is made as it is asked for. */
#ifndef SOSIA_TESTS_CAL_RICH_H
#define SOSIA_TESTS_CAL_RICH_H

#include "tests/services/calendar/core/cal_steps.h"

#define MADE_ID (-7) /* of the calendar "made!days" */

extern const struct cal_vendor rich;
/* Its lists refuse all changes of calendars. */
extern bool turns_fail;
/* With that vendor and acme; and with acme alone. Letters are said. */
extern const struct sosia_service *const services_both[], *const services_one[];

#endif
