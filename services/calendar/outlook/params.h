/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that several methods of Outlook Calendar have, for rows. */
#ifndef SOSIA_OUTLOOK_CALENDAR_PARAMS_H
#define SOSIA_OUTLOOK_CALENDAR_PARAMS_H

#include "engine/api/route.h"

/* Of paths, which have some of them. */
extern const struct param ocal_path_params[5];
/* With $select and $expand; with all of a list's; with a window. */
extern const struct param ocal_get_params[7];
extern const struct param ocal_list_params[12];
extern const struct param ocal_window_params[14];
/* The same of groups' calendars. */
extern const struct param ocal_group_params[2], ocal_group_get_params[4], ocal_group_list_params[9],
    ocal_group_window_params[11];

/* Notes whom a change reaches, and the risk of a call by that. 0, -1. */
struct cal_event;
int ocal_reaches(struct call *c, const struct cal_event *before, const struct cal_event *after);
int ocal_event_risk(struct call *c, enum risk *ret);

#endif
