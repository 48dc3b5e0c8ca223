/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the durable store: an engine on a data directory of the test's own, and worlds
 * on it. What goes wrong fails the test, unless the function gives a result. */
#ifndef SOSIA_TESTS_DATA_DIR_H
#define SOSIA_TESTS_DATA_DIR_H

#include "tests/support/unit.h"
#include "engine/durable/durable.h"
#include "engine/world/engine.h"
#include "tests/support/disk.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

extern char dir[64];
extern struct sosia_engine *engine; /* open between start() and stop() */
extern struct sosia_err test_err;

int make_dir(void **state);
int remove_dir(void **state);

/* The directory and all in it. 0, -1. */
int remove_files(void);

int try_open(void); /* 0, -1 */
void start(void);
void stop(void);
void restart(void);

/* A new world with Ada in it. */
uint64_t make(const char *name);
uint64_t fork_of(uint64_t world);
bool exists(uint64_t world);
/* One more person in the world. 0, -1. */
int add(uint64_t world, const char *name);
bool has(uint64_t world, const char *name);
/* An entry in the world's journal, as a call makes one; put: on disk when this returns. */
void note(uint64_t world, const char *text, bool put);
/* All entries: "0:one 1:two ", until the next call. */
const char *notes(uint64_t world);
/* A number from the closed store; -1: no row. */
int64_t ask(const char *query);
/* Gives each row of the closed store the hash that it would have if it had been written so. */
void sum_again(void);

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

#endif
