/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workspace: a tree of files, directories and links that belongs to a world. A path is bytes
 * without a NUL, "a/b.txt" below the root, which is "". Programs see the root as WORKSPACE_ROOT.
 *
 * Links are followed in rows and lead to nothing outside of the tree: workspace_resolve() turns a
 * path as somebody gives it into the path of a row, and all other functions take such paths alone.
 * A row's parents are directories, so a path that has a row goes through no link.
 *
 * Refusals have an errno's name as their reason ("ENOENT"), and the text that belongs to it.
 */
#ifndef SOSIA_WORKSPACE_H
#define SOSIA_WORKSPACE_H

#include "engine/blob/blob.h"
#include "engine/world/core.h"

#define WORKSPACE_CORE   "workspace"
#define WORKSPACE_ROOT   "/data"
#define WORKSPACE_MEMORY "memory/memory.json" /* the graph of a memory: a line of JSON each */
#define WORKSPACE_EVENT  "workspace.files"    /* scope 0, entity: the node */

enum {
    WORKSPACE_NODES = 200000,
    WORKSPACE_NAME = 255,  /* bytes of a part of a path */
    WORKSPACE_PATH = 4095, /* of all of it, and of a link's target */
    WORKSPACE_DEPTH = 128, /* parts */
    WORKSPACE_LINKS = 40,  /* that are followed for one path */
    WORKSPACE_SMALL =
        512 /* bytes of a file that is in its row: a write changes half as many pages */
};
#define WORKSPACE_BYTES (INT64_C(512) << 20) /* of all files */
#define WORKSPACE_FILE  (INT64_C(64) << 20)  /* of one */
#define WORKSPACE_YEARS (INT64_C(1) << 33)   /* the last second of a node's time */

enum workspace_kind { NODE_FILE, NODE_DIRECTORY, NODE_LINK };
extern const char *const workspace_kinds[]; /* "file", "directory", "link"; NULL-terminated */

struct workspace_node {
    int64_t id; /* 0: the root, which has no row */
    const char *path;
    enum workspace_kind kind;
    unsigned mode; /* 9 bits */
    int64_t mtime_ns;
    int64_t size; /* of a file */
    int64_t blob; /* its content; 0: it is empty, or small */
    /* What is to be its content, if that is small: what is read from a row has none, and its
     * content from the functions below. */
    const char *data;
    int64_t digest;     /* of its content: the beginning of its SHA-256; workspace_put() fills it */
    const char *target; /* of a link, target_len bytes */
    size_t target_len;
};

/* The usual bits of a kind. */
unsigned workspace_mode(enum workspace_kind kind);
/* The last part of a path; how many parts it has; the path of its directory, in the arena. */
const char *workspace_name(const char *path);
unsigned workspace_depth(const char *path);
const char *workspace_parent(struct arena *a, const char *path);
/* dir/name, in the arena. */
const char *workspace_below(struct arena *a, const char *dir, const char *name);
/* May a row have it? */
bool workspace_path_is_valid(const char *path);

/* ---- names as programs give them ---- */

/* The absolute path that a text leads to by itself, without a look at any row: "." and ".." and
 * doubled slashes are gone, what does not begin with a slash is below WORKSPACE_ROOT. In the
 * arena. */
const char *workspace_absolute(struct arena *a, const char *text);
/* The path of a row that an absolute one is; NULL: it is not below WORKSPACE_ROOT. */
const char *workspace_inside(const char *absolute);

struct workspace_place {
    struct workspace_node node; /* what is there */
    const char *path;           /* of it, or where it would be: behind all links */
    const char *outside;        /* of a refusal EACCES: the absolute path that a link leads to */
};
/* Follows a path through links; follow: a last part that is a link is one of them. 1; 0:
 * there is nothing of that name in a directory that is there; -1: ENOENT (its directory is not
 * there), ENOTDIR, ELOOP, EACCES. */
int workspace_resolve(struct tx *tx, const char *path, bool follow, struct workspace_place *ret);

/* ---- reading ---- */

/* 1, 0, -1. */
int workspace_find(struct tx *tx, const char *path, struct workspace_node *ret);
int workspace_get(struct tx *tx, int64_t id, struct workspace_node *ret);
/* Adds the bytes [from, to) of a file that has them. 0, -1. */
int workspace_read(struct tx *tx, const struct workspace_node *file, int64_t from, int64_t to,
                   struct buf *out);
/* What is known of a file's content, which is not empty: its digests, and its id where it is a
 * blob. 1; 0: there is no such blob; -1. */
int workspace_content(struct tx *tx, const struct workspace_node *file, struct blob *ret);
/* All of a file in the arena, with a NUL behind it. 0, -1. */
int workspace_load(struct tx *tx, const struct workspace_node *file, const char **ret,
                   size_t *ret_len);

/* The nodes in a directory, by the bytes of their names; begins as {.dir = path}. 1, 0, -1. */
struct workspace_list {
    const char *dir;
    const char *from; /* the least path that may come, from_len bytes */
    size_t from_len;
};
int workspace_next(struct tx *tx, struct workspace_list *list, struct workspace_node *ret);
/* The first node behind a path, by bytes, of all that is below a directory; after NULL: the first.
 * 1, 0, -1. */
int workspace_walk(struct tx *tx, const char *dir, const char *after, struct workspace_node *ret);

/* How much there is, and may be. 0, -1. */
struct workspace_use {
    int64_t nodes, bytes;
    int64_t most_nodes, most_bytes, most_file;
};
int workspace_use(struct tx *tx, struct workspace_use *ret);

/* ---- changing ---- */

/* Puts a node at its path, whose directory is there, in the place of what is there: a file or a
 * link takes that of a file or a link, a directory that of a directory. node->blob is one reference
 * of the caller's, which is given over, also where this fails; the content of a small file goes
 * from there into the row. Fills id. Fails with ENOENT,
 * ENOTDIR, EISDIR, EEXIST, ENAMETOOLONG, ENOSPC, EFBIG. */
int workspace_put(struct tx *tx, struct workspace_node *node);
/* The node of a file gets its content, which is not copied where it is small. 0, -1. */
int workspace_set_content(struct tx *tx, struct workspace_node *node, const void *data, size_t len);
/* A file's content: a new file, or that of one that is there, which keeps its mode. ret may be
 * NULL. */
int workspace_write(struct tx *tx, const char *path, const void *data, size_t len,
                    struct workspace_node *ret);
/* A directory and those that it is in; one that is there stays as it is. */
int workspace_mkdir(struct tx *tx, const char *path);
/* Fails with EEXIST where something is there. */
int workspace_symlink(struct tx *tx, const char *path, const char *target);
/* With all that is below it. `to` has a directory and is free, or is a file or a link that gives
 * way to one. EINVAL: it is below itself. */
int workspace_rename(struct tx *tx, const char *from, const char *to);
/* ENOTEMPTY: a directory has something, unless recursive. */
int workspace_remove(struct tx *tx, const char *path, bool recursive);
/* All of it. */
int workspace_clear(struct tx *tx);

/* Refuses for that reason. Gives -1. */
int workspace_fail(struct tx *tx, const char *reason, const char *path);

extern const struct sosia_core workspace_core;

#endif
