/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_CALENDAR_CHECK_H
#define SOSIA_CALENDAR_CHECK_H

#include "engine/world/core.h"

/* For struct sosia_core. */
extern const struct core_rule calendar_rules[];
int calendar_check(struct tx *tx);

#endif
