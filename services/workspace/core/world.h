/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace of a world from outside of any call: for those who look after worlds. */
#ifndef SOSIA_WORKSPACE_WORLD_H
#define SOSIA_WORKSPACE_WORLD_H

#include "services/workspace/core/tar.h"

struct sosia_engine;
struct sosia_blob;

/* {"path", "entries": [{"path", "kind", "mode", "size", "modified", "target"}]} of a file or a
 * link, or of what is in a directory: of all below it if recursive. Paths are as texts, "/data/..."
 * or below that. Fails with NOT_FOUND "ENOENT" and the like. */
int workspace_world_list(struct sosia_engine *e, uint64_t world, const char *path, bool recursive,
                         struct sosia_blob *ret_json, struct sosia_err *err);
/* The bytes of a file, or a directory as a tar file with gzip around it. */
int workspace_world_get(struct sosia_engine *e, uint64_t world, const char *path,
                        struct sosia_blob *ret, bool *ret_archive, struct sosia_err *err);
/* Adds the entries of a tar file below a directory: as a seed document that has them, so that the
 * journal and replays know no other way. All of it or nothing. */
int workspace_world_put(struct sosia_engine *e, uint64_t world, const char *path, const void *tar,
                        size_t len, struct workspace_imported *ret, struct sosia_err *err);

#endif
