/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface that a sandbox of E2B has for those outside of it, on a world's workspace: files by
 * HTTP, and a file system by calls of the Connect protocol with JSON. Paths are below E2B_HOME,
 * which is the workspace's root here; WORKSPACE_ROOT names the same tree, as other tools have it.
 */
#ifndef SOSIA_WORKSPACE_E2B_H
#define SOSIA_WORKSPACE_E2B_H

#include "engine/http/call.h"
#include "services/workspace/core/workspace.h"

#define E2B_HOME   "/home/user"
#define E2B_PREFIX "/e2b" /* of its methods, as worlds have them */

extern const struct dialect e2b_dialect;
extern const struct vendor e2b_vendor;
extern const struct rows e2b_file_rows, e2b_filesystem_rows, e2b_process_rows,
    e2b_process_live_rows;

/* Codes of the Connect protocol. */
enum e2b_code {
    E2B_INVALID_ARGUMENT,
    E2B_NOT_FOUND,
    E2B_ALREADY_EXISTS,
    E2B_PERMISSION_DENIED,
    E2B_FAILED_PRECONDITION,
    E2B_RESOURCE_EXHAUSTED,
    E2B_UNIMPLEMENTED,
    E2B_INTERNAL /* the engine's own faults alone */
};
/* Refuses in the original's words. Gives -1. */
__attribute__((format(printf, 3, 4))) int e2b_fail(struct call *c, enum e2b_code code,
                                                   const char *fmt, ...);
/* Of an answer about a process that goes on: "PID TERMINAL OUT,ERR", which is 1 where it has one,
 * and how many bytes of its output and its errors have been given. */
#define E2B_PROGRESS    "X-Sosia-Process"
#define E2B_STREAM_TYPE "application/connect+json"
/* How the call was refused: own: by e2b_fail(); files: it is a request for files. name, text and
 * status are those of the answer. */
struct e2b_refused {
    bool own;
    const char *name, *text;
    int status;
};
void e2b_refusal(const struct call *c, bool files, struct e2b_refused *ret);
/* What the core's last refusal is to the operating system: "no such file or directory". NULL: it is
 * none of a path. */
const char *e2b_why(const struct call *c);

/* A path as a caller gives it. */
struct e2b_path {
    const char *absolute; /* "/home/user/a/b", cleaned */
    const char *row;      /* "a/b"; NULL: it is not in the workspace */
};
/* 0; -1: refused. */
int e2b_path(struct call *c, const char *text, struct e2b_path *ret);
/* Finds what is there, as workspace_resolve() does; nothing is there (0) too where a directory on
 * the way is not, and outside of the workspace. -1: refused as failed. */
int e2b_find(struct call *c, const struct e2b_path *path, bool follow, struct workspace_place *ret);
/* The directories that the path is in, and those that they are in: made if they are not there.
 * self: it, too. 0; -1: refused. */
int e2b_make_dirs(struct call *c, const struct e2b_path *path, bool self);
/* As texts have it: bytes that are not UTF-8 are left out. In the arena. */
const char *e2b_text(struct call *c, const char *path);

#endif
