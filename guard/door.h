/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_GUARD_DOOR_H
#define SOSIA_GUARD_DOOR_H

#include "engine/world/guard.h"

extern const struct guard guard_rules;

#endif
