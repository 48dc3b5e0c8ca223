/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds that nobody uses leave memory: their pages are on disk (engine/durable/). */
#ifndef SOSIA_WORLD_PARKING_H
#define SOSIA_WORLD_PARKING_H

#include "engine/world/engine.h"

/* Parks what the engine's options say, once a tick. */
void worlds_park(struct sosia_engine *e);
/* Parks a world, however short ago it was used. False: it is in use, or on its way to the disk. */
bool world_park(struct sosia_engine *e, uint64_t world);

#endif
