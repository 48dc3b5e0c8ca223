/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worlds of an earlier release: their tables become those of this version. The steps of all cores
 * (struct core_upgrade) run on a copy of the world in memory, in the cores' order, in one
 * transaction; then all rows go, by the names of tables and columns and with all constraints, into
 * a world of this version. So the result has this version's schema to the letter, and a step only
 * says what names can't: what was renamed or split, what goes, what a new column holds. A table or
 * column that is left and that this version does not have is an error, and so is a new column that
 * must hold something and has no default.
 */
#ifndef SOSIA_WORLD_UPGRADE_H
#define SOSIA_WORLD_UPGRADE_H

#include "engine/store/slot.h"
#include "engine/world/core.h"
#include "engine/world/image.h"

struct sosia_engine;

/* An image with these tables (NULL-terminated) and nothing else, to be freed with sqlite3_free().
 */
unsigned char *empty_image(const char *const *schemas, const char *format, size_t *ret_size,
                           struct sosia_err *err);

/* A release's format, if it is known; else NULL. */
const char *release_of(const char *format);
/* The empty world of a known release. */
unsigned char *release_image(const struct sosia_engine *e, const char *format, size_t *ret_size,
                             struct sosia_err *err);
/* The release whose tables are called by this key (cookie_schema()); NULL: it is not known.
 * 0, -1. */
int release_find(struct sosia_engine *e, const char *key, const char **ret_format,
                 struct sosia_err *err);

/* A world of a release (image, from sqlite3_malloc64(), freed here in any case) as database "main"
 * of a connection, which began as a copy of the tree like: the empty world, or another one that was
 * upgraded, with which it is to have as many pages in common as it can. *ret_db is to be closed in
 * any case. */
int upgrade_image(struct sosia_engine *e, const char *from, uint8_t *image, size_t len,
                  const struct tree *like, sqlite3 **ret_db, struct sosia_err *err);
/* The same of a tree. like: NULL: the empty world. */
int upgrade_tree(struct sosia_engine *e, const char *from, const struct tree *old,
                 const struct tree *like, struct tree *ret_tree, struct sosia_err *err);

/* Whether the world came from an earlier release: its pages are not those that its journal's
 * entries wrote. 1, 0, -1. */
int world_was_upgraded(struct tx *tx);

#endif
