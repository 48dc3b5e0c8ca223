/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers that the tools for files share. */
#ifndef SOSIA_MCP_FILES_H
#define SOSIA_MCP_FILES_H

#include "mcp/servers/server.h"

/* A path as a caller gives it, behind all links. */
struct file_path {
    struct workspace_node node; /* where found */
    const char *path;           /* of the row, or where it would be */
    const char *absolute;       /* the same below WORKSPACE_ROOT */
};
/* 1; 0: nothing is there, and its directory may not be there either; -1: refused in the original's
 * words. */
int file_path(struct call *c, const char *text, struct file_path *ret);
/* Refuses as Node.js does: "ENOENT: no such file or directory, open '/data/a'". What: "open", or
 * NULL for the last failure of the core. */
int file_fail(struct call *c, const char *reason, const char *what, const char *absolute);
/* The last failure of the core in these words, if it has an errno's name; else as it is. */
int file_failed(struct call *c, const char *what, const char *absolute);
/* A file's bytes in the arena. 0, -1: refused. */
int file_content(struct call *c, const char *text, struct file_path *ret, const char **ret_data,
                 size_t *ret_len);
/* Keeps bytes from elsewhere as a file of a directory, which is made if it is not there. Of the
 * name the part behind the last slash counts; over: it takes the place of one that is there, else
 * it gets a number, "name(1).ext". *ret: its absolute path. Needs the scope "workspace". 0, -1
 * refused. */
struct file_bytes {
    const void *at;
    size_t len;
};
int file_keep(struct call *c, const char *dir, const char *name, const struct file_bytes *data,
              bool over, const char **ret);
/* CRLF becomes LF. In the arena. */
const char *file_lines(struct arena *a, const char *text, size_t *len);
/* A glob as shells with "**" have it, of a path of a row relative to a directory; names that begin
 * with a dot are like others. */
bool glob_matches(struct arena *a, const char *pattern, const char *path);

int fs_read_text(struct call *c);
int fs_read_media(struct call *c);
int fs_read_multiple(struct call *c);
int fs_info(struct call *c);
int fs_list(struct call *c);
int fs_list_sizes(struct call *c);
int fs_tree(struct call *c);
int fs_search(struct call *c);
int fs_edit(struct call *c);

#endif
