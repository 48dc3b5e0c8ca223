/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of what Google's APIs have in common: calls to one world, and the last answer. */
#ifndef SOSIA_TESTS_GOOGLE_CALLS_H
#define SOSIA_TESTS_GOOGLE_CALLS_H

#include "tests/support/unit.h"
#include "sosia.h"
#include <stdio.h>
#include <stdlib.h>

extern struct sosia_engine *engine;
extern struct sosia_err err;
extern uint64_t world;
extern struct sosia_response *res; /* to the last request */

struct sosia_service;
/* For the set-up and tear-down of cmocka: an engine alone, of these services or of all. */
int open_engine_of(const struct sosia_service *const *services);
int open_engine(void **state);
int close_engine(void **state);
/* A world from this seed document. */
uint64_t world_of(const char *doc);

/* Asks a world; fails the test if there is no answer. */
void request_of(uint64_t whose, const struct sosia_request *r);
/* The value of a header of the answer, "" without. */
const char *header(const char *name);

#endif
