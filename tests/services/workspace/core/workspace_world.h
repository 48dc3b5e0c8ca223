/* SPDX-License-Identifier: Apache-2.0 */
/* A world with nothing but a workspace, and a transaction on it for each test. */
#ifndef SOSIA_TESTS_WORKSPACE_WORLD_H
#define SOSIA_TESTS_WORKSPACE_WORLD_H

#include "services/workspace/core/workspace.h"

#define HEAD "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"seed\":7"

extern struct sosia_err fault;
extern struct tx tx;

void ok(int r);
void refused(int r, const char *reason);
void begin(void);
void end(void); /* commits */
/* *state: a document; NULL: an empty one. Closing looks at the counts, and imports the world from a
 * file. */
int open_world(void **state);
int close_world(void **state);

/* A file, with the directories that it is in; a link. */
void put(const char *path, const char *text);
void link_to(const char *path, const char *target);
const char *content(const char *path);
/* Paths, with spaces between them. */
const char *all_below(const char *dir);

#endif
