/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workspace as a tar file, with gzip around it or without; a zip comes in as well. An archive
 * that comes in is anybody's: all that a file could do outside of a directory on a disk, it can't
 * do here, and what it could be too much of meets a limit before it is there.
 */
#ifndef SOSIA_WORKSPACE_TAR_H
#define SOSIA_WORKSPACE_TAR_H

#include "services/workspace/core/workspace.h"

/* Where bytes of an archive come from: the next piece of them at *ret, good until the next call.
 * Gives how many; 0: the end; -1 with err. */
struct workspace_bytes {
    const void *data;
    size_t len;
};
struct workspace_source {
    int64_t (*next)(void *arg, const void **ret, struct sosia_err *err);
    void *arg;
    /* All of them, where they are in memory: a zip, whose list of entries is at its end, is read
     * from these alone. NULL: it is none. */
    const struct workspace_bytes *all;
};
/* For a source whose arg is a struct workspace_bytes, which it takes the bytes from. */
int64_t workspace_source_memory(void *arg, const void **ret, struct sosia_err *err);

struct workspace_imported {
    int64_t files, directories, links;
    int64_t skipped; /* devices, pipes, sockets */
    int64_t bytes;   /* of files */
};
/*
 * Adds the entries below a directory, which is made if it is not there, over what is there. In the
 * names of entries "./" and doubled slashes are nothing and a slash in front is cut; directories
 * that they are in are made; the last one of a name counts; a hard link is a copy of an entry that
 * came before; only nine bits of a mode and the time are kept. ret may be NULL.
 *
 * Fails with INVALID "archive", and with the reasons of workspace_put(): part of the archive is in
 * the workspace then, so the transaction, or its savepoint, must be taken back.
 */
int workspace_import_tar(struct tx *tx, const char *dir, const struct workspace_source *from,
                         struct workspace_imported *ret);

/* Where bytes of an archive go. 0, -1: there is no room for them. */
struct workspace_sink {
    int (*put)(void *arg, const void *data, size_t n);
    void *arg;
};
/* For a sink whose arg is a struct buf. */
int workspace_sink_buf(void *arg, const void *data, size_t n);

struct workspace_export {
    bool gzip;
    bool inside;     /* links that lead out of the directory by their text are left out */
    int64_t skipped; /* filled: how many were */
};
/* Writes a directory: "." first and then "./path", by bytes, as root's. The same for the same
 * nodes, byte for byte (with gzip: of one version of zlib). Fails with TOO_LARGE "tooLarge" if the
 * sink does. */
int workspace_export_tar(struct tx *tx, const char *dir, struct workspace_export *how,
                         const struct workspace_sink *to);

#endif
