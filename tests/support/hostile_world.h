/* SPDX-License-Identifier: Apache-2.0 */
/* A world that has something of each kind, and what arguments of methods are called in it. */
#ifndef SOSIA_TESTS_HOSTILE_WORLD_H
#define SOSIA_TESTS_HOSTILE_WORLD_H

#include "tests/support/world.h"

#define HOSTILE_LETTER "1a20000000000001" /* a message of ada's, alone in its thread */

int hostile_world_open(void **state);
int hostile_world_close(void **state);
/* "Bearer ..." of the world: of ada ("user"), of the bot ("bot"), of the app itself ("app"), of ada
 * for configuring apps ("config"). */
const char *hostile_world_bearer(const char *kind);
/* What an argument of that name may well be, one of a few; NULL: nothing is known of it. */
const char *hostile_world_value(const char *name, unsigned which);
unsigned hostile_world_values(const char *name); /* how many that are */

#endif
