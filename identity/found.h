/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_IDENTITY_FOUND_H
#define SOSIA_IDENTITY_FOUND_H

#include "engine/state/found.h"

/* People, bots and resources, by name. */
found_fn people_found;

#endif
