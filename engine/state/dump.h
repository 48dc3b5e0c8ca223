/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_STATE_DUMP_H
#define SOSIA_STATE_DUMP_H

#include "engine/world/engine.h"

/* Writes the world as a seed document in normal form. clock: with the time and the seed of ids. */
int dump_all(struct tx *tx, struct json_writer *w, bool clock);

#endif
