/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_GUARD_DOOR_H
#define SOSIA_GUARD_DOOR_H

#include "engine/world/guard.h"

/* What the door asks: policies, and of what they let pass budgets and faults. */
extern const struct guard guard_door;

#endif
