/* SPDX-License-Identifier: Apache-2.0 */
/* What a program has made of the directory that it was given. */
#include "sandbox/tree_private.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { NAMES_REFUSED = 100 }; /* that are named */

struct looking {
    struct tree_copy *before;
    struct tree_copy found; /* what changed, with the bytes in its arena */
    struct program_writing *p;
    const char **refused;
    size_t n_refused;
    int64_t nodes, bytes, changed_bytes;
    const char **ret_why;
    struct sosia_err *err;
    /* Of a layer: its own directory, and paths that are gone, in any order, some twice. */
    bool layer;
    int upper;
    const char **gone;
    size_t n_gone, room_gone;
};

static int cannot(struct looking *l, const char *why)
{
    *l->ret_why = why;
    return 1;
}

static int read_file(struct looking *l, int dir, const char *name, const struct stat *st,
                     const char **ret, size_t *ret_len)
{
    struct stat now;
    int fd =
        tree_open_anyway(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, st);
    if (fd < 0 || fstat(fd, &now) < 0 || !S_ISREG(now.st_mode)) {
        if (fd >= 0)
            close(fd);
        return tree_refused(name, l->err);
    }
    size_t room = (size_t)now.st_size, n = 0;
    char *data = now.st_size <= WORKSPACE_FILE ? arena_alloc(&l->found.arena, room + 1) : NULL;
    ssize_t k = 1;
    while (data && n < room &&
           ((k = read(fd, data + n, room - n)) > 0 || (k < 0 && errno == EINTR)))
        n += k > 0 ? (size_t)k : 0;
    close(fd);
    if (!data)
        return sosia_fail_memory(l->err);
    if (k < 0)
        return tree_refused(name, l->err);
    data[n] = 0;
    *ret = data;
    *ret_len = n;
    return 0;
}

static int read_link(struct looking *l, int dir, const char *name, const char **ret,
                     size_t *ret_len)
{
    char target[WORKSPACE_PATH + 2];
    ssize_t n = readlinkat(dir, name, target, sizeof target);
    if (n <= 0)
        return tree_refused(name, l->err);
    if (n > WORKSPACE_PATH)
        return cannot(l, "a link's target must have at most 4095 bytes");
    target[n] = 0;
    *ret = arena_strdup(&l->found.arena, target);
    *ret_len = (size_t)n;
    return 0;
}

/* In the order in which they are found; they are put in order at the end. */
static int add_found(struct looking *l, const char *path, enum workspace_kind kind,
                     const struct stat *st, const char *data, size_t len)
{
    struct tree_node *k = tree_add(&l->found);
    if (!k || arena_failed(&l->found.arena))
        return sosia_fail_memory(l->err);
    *k = (struct tree_node){.path = path,
                            .kind = kind,
                            .mode =
                                kind == NODE_LINK ? workspace_mode(NODE_LINK) : st->st_mode & 0777,
                            .size = (int64_t)len,
                            .mtime_ns = tree_ns(st->st_mtim)};
    memcpy(k->hash, &data, sizeof data); /* where its bytes are */
    l->changed_bytes += (int64_t)len;
    return l->changed_bytes > PROGRAM_CHANGED
               ? cannot(l, "the files that a program changes must have at most 128 MiB together")
               : 0;
}

static int look_at_file(struct looking *l, int dir, const char *name, const char *path,
                        const struct stat *st)
{
    const struct tree_node *k = tree_known(l->before, path);
    const char *data;
    uint64_t hash[2];
    size_t len;
    int r;
    l->bytes += st->st_size;
    if (st->st_size > WORKSPACE_FILE || l->bytes > WORKSPACE_BYTES)
        return cannot(l, "a file of the workspace must have at most 64 MiB, all together 512 MiB");
    const bool alike = k && k->kind == NODE_FILE && k->mode == (st->st_mode & 0777) &&
                       k->mtime_ns == tree_ns(st->st_mtim) && k->size == st->st_size;
    if (alike && (tree_is_untouched(l->before, k, st) ||
                  (tree_hash_file(dir, name, st, hash) && memcmp(hash, k->hash, sizeof hash) == 0)))
        return 0;
    if ((r = read_file(l, dir, name, st, &data, &len)) != 0)
        return r;
    tree_content_hash(data, len, hash);
    if (alike && k->size == (int64_t)len && memcmp(hash, k->hash, sizeof hash) == 0)
        return 0; /* which its owner may not read */
    return add_found(l, path, NODE_FILE, st, data, len);
}

static int look_at_link(struct looking *l, int dir, const char *name, const char *path,
                        const struct stat *st)
{
    const struct tree_node *k = tree_known(l->before, path);
    const char *target;
    uint64_t hash[2];
    size_t len;
    int r = read_link(l, dir, name, &target, &len);
    if (r)
        return r;
    tree_content_hash(target, len, hash);
    if (k && k->kind == NODE_LINK && k->mtime_ns == tree_ns(st->st_mtim) &&
        memcmp(hash, k->hash, sizeof hash) == 0)
        return 0;
    return add_found(l, path, NODE_LINK, st, target, len);
}

static int look_below(struct looking *l, int dir, const char *path);

/* ---- layers ---- */

static int add_gone(struct looking *l, const char *path)
{
    if (l->n_gone == l->room_gone) {
        size_t room = l->room_gone ? l->room_gone * 2 : 64;
        const char **more = reallocarray(l->gone, room, sizeof *more);
        if (!more)
            return sosia_fail_memory(l->err);
        l->gone = more;
        l->room_gone = room;
    }
    l->gone[l->n_gone++] = path;
    return 0;
}

/* A device of that number says that there is nothing any more of that name. */
static bool is_whiteout(const struct stat *st)
{
    return S_ISCHR(st->st_mode) && st->st_rdev == 0;
}

static bool is_in_upper(const struct looking *l, const char *path)
{
    const char *name;
    struct stat st;
    int dir = tree_parent(l->upper, path, &name);
    if (dir < 0)
        return false;
    bool is = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !is_whiteout(&st);
    close(dir);
    return is;
}

/* The base is not seen below a path any more: what was there and is not in the layer's own
 * directory is gone. Its nodes are in the order of paths, so those below one follow each other, but
 * for such as "a.b" between "a" and "a/c". */
static int hide_below(struct looking *l, const char *path)
{
    const struct tree_copy *base = l->before->under;
    const size_t len = strlen(path);
    size_t from = 0, to = base->n;
    while (from < to) {
        size_t at = from + (to - from) / 2;
        if (strcmp(base->nodes[at].path, path) <= 0)
            from = at + 1;
        else
            to = at;
    }
    for (size_t i = from; i < base->n && strncmp(base->nodes[i].path, path, len) == 0; i++) {
        const struct tree_node *k = &base->nodes[i];
        if (k->path[len] == '/' && !tree_own(l->before, k->path) && !is_in_upper(l, k->path) &&
            add_gone(l, k->path) < 0)
            return -1;
    }
    return 0;
}

/* A directory that is no longer one over that of the base. */
static bool is_opaque(int dir)
{
    char value = 0;
    return fgetxattr(dir, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

/* A directory's time is when it was made: a change in it is none of it. */
static int look_at_directory(struct looking *l, int dir, const char *name, const char *path,
                             const struct stat *st)
{
    const struct tree_node *k = tree_known(l->before, path);
    int r = 0;
    if (!k || k->kind != NODE_DIRECTORY || k->mode != (st->st_mode & 0777))
        r = add_found(l, path, NODE_DIRECTORY, st, "", 0);
    if (r)
        return r;
    int fd = tree_open_anyway(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, st);
    if (fd < 0)
        return tree_refused(path, l->err);
    if (l->layer && is_opaque(fd) && hide_below(l, path) < 0) {
        close(fd);
        return -1;
    }
    return look_below(l, fd, path);
}

static int look_at_other(struct looking *l, const char *path)
{
    if (l->n_refused < NAMES_REFUSED)
        l->refused[l->n_refused++] = path;
    return 0;
}

static int look_at(struct looking *l, int dir, const char *name, const char *above)
{
    struct arena *a = &l->found.arena;
    const char *path = *above ? workspace_below(a, above, name) : arena_strdup(a, name);
    struct stat st;
    if (arena_failed(a))
        return sosia_fail_memory(l->err);
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return tree_refused(path, l->err);
    const struct tree_node *k = tree_known(l->before, path);
    if (l->layer && is_whiteout(&st))
        return k ? add_gone(l, path) : 0;
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode))
        return look_at_other(l, path);
    if (++l->nodes > WORKSPACE_NODES || !workspace_path_is_valid(path))
        return cannot(l, "a workspace must have at most 200000 nodes, a path in it 4095 bytes and "
                         "128 parts");
    struct tree_node *own = tree_own(l->before, path);
    if (own)
        own->seen = true;
    if (l->layer && k && k->kind == NODE_DIRECTORY && !S_ISDIR(st.st_mode) &&
        hide_below(l, path) < 0)
        return -1;
    return S_ISREG(st.st_mode)   ? look_at_file(l, dir, name, path, &st)
           : S_ISDIR(st.st_mode) ? look_at_directory(l, dir, name, path, &st)
                                 : look_at_link(l, dir, name, path, &st);
}

/* Takes dir over. */
static int look_below(struct looking *l, int dir, const char *path)
{
    DIR *d = fdopendir(dir);
    struct dirent *e;
    int r = 0;
    if (!d) {
        close(dir);
        return tree_refused(path, l->err);
    }
    while (r == 0 && (errno = 0, e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            r = look_at(l, dirfd(d), e->d_name, path);
    if (r == 0 && errno)
        r = tree_refused(path, l->err);
    closedir(d);
    return r;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct tree_node *)a)->path, ((const struct tree_node *)b)->path);
}

/* What was seen no more is gone; with a directory all that is below it. */
static void write_removed(struct looking *l)
{
    const char *above = NULL;
    size_t n = 0;
    for (size_t i = 0; i < l->before->n; i++) {
        const struct tree_node *k = &l->before->nodes[i];
        if (k->seen || (above && strncmp(k->path, above, n) == 0 && k->path[n] == '/'))
            continue;
        program_removed(l->p, k->path);
        if (k->kind == NODE_DIRECTORY) {
            above = k->path;
            n = strlen(above);
        }
    }
}

static int write_found(struct looking *l)
{
    struct tree_copy *t = &l->found;
    if (t->n)
        qsort(t->nodes, t->n, sizeof *t->nodes, by_path);
    for (size_t i = 0; i < t->n; i++) {
        const struct tree_node *k = &t->nodes[i];
        const char *data;
        memcpy(&data, k->hash, sizeof data);
        const int64_t most = WORKSPACE_YEARS * 1000000000;
        struct workspace_node n = {.path = k->path,
                                   .kind = (enum workspace_kind)k->kind,
                                   .mode = k->mode,
                                   .mtime_ns = k->mtime_ns < 0      ? 0
                                               : k->mtime_ns > most ? most
                                                                    : k->mtime_ns};
        if (k->kind == NODE_LINK) {
            n.target = data;
            n.target_len = (size_t)k->size;
        }
        bool file = k->kind == NODE_FILE;
        if (program_changed(l->p, &n, file ? data : NULL, file ? (size_t)k->size : 0) < 0)
            return sosia_fail_memory(l->err);
    }
    return 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Those of a layer: what was seen to be gone, and of its own nodes those that were not seen. */
static int write_gone(struct looking *l)
{
    const char *above = NULL;
    size_t n = 0;
    for (size_t i = 0; i < l->before->n; i++) {
        const struct tree_node *k = &l->before->nodes[i];
        if (!k->seen && !k->gone && add_gone(l, k->path) < 0)
            return -1;
    }
    if (l->n_gone)
        qsort(l->gone, l->n_gone, sizeof *l->gone, by_text);
    for (size_t i = 0; i < l->n_gone; i++) {
        const char *path = l->gone[i];
        if (above && strncmp(path, above, n) == 0 && (!path[n] || path[n] == '/'))
            continue;
        program_removed(l->p, path);
        above = path;
        n = strlen(above);
    }
    return 0;
}

static int compare(struct looking *l, int top)
{
    const char *names[NAMES_REFUSED];
    /* The descriptor's place in a directory is shared by all that were made of it. */
    int own = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own < 0)
        return tree_refused("", l->err);
    l->refused = names;
    tree_copy_init(&l->found);
    int r = look_below(l, own, "");
    if (r == 0)
        r = write_found(l);
    if (r == 0 && l->layer)
        r = write_gone(l);
    else if (r == 0)
        write_removed(l);
    for (size_t i = 0; r == 0 && i < l->n_refused; i++)
        program_refused(l->p, names[i]);
    tree_copy_free(&l->found);
    free(l->gone);
    return r;
}

int tree_compare(struct tree_copy *t, int top, struct program_writing *p, const char **ret_why,
                 struct sosia_err *err)
{
    struct looking l = {.before = t, .p = p, .ret_why = ret_why, .err = err};
    return compare(&l, top);
}

int tree_compare_layer(struct tree_copy *t, int upper, struct program_writing *p,
                       const char **ret_why, struct sosia_err *err)
{
    struct looking l = {
        .before = t, .p = p, .ret_why = ret_why, .err = err, .layer = true, .upper = upper};
    return compare(&l, upper);
}
