/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/tree_private.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

void tree_copy_init(struct tree_copy *t)
{
    *t = (struct tree_copy){0};
    arena_init(&t->arena, 0);
}

void tree_copy_free(struct tree_copy *t)
{
    arena_done(&t->arena);
    free(t->nodes);
    free(t->by_row);
    *t = (struct tree_copy){0};
}

int tree_refused(const char *path, struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_IO, "sandbox", NULL, "a program's copy of %.100s: %s",
                      *path ? path : "the workspace", strerror(errno));
}

int64_t tree_ns(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t tree_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return tree_ns(now);
}

void tree_content_hash(const void *data, size_t n, uint64_t ret[2])
{
    XXH128_hash_t h = XXH3_128bits(data, n);
    ret[0] = h.low64;
    ret[1] = h.high64;
}

struct tree_node *tree_add(struct tree_copy *t)
{
    if (t->n == t->room) {
        size_t room = t->room ? t->room * 2 : 256;
        struct tree_node *more = reallocarray(t->nodes, room, sizeof *more);
        if (!more)
            return NULL;
        t->nodes = more;
        t->room = room;
    }
    t->nodes[t->n] = (struct tree_node){0};
    return &t->nodes[t->n++];
}

static struct tree_node *find(const struct tree_copy *t, const char *path)
{
    size_t from = 0, to = t->n;
    while (from < to) {
        size_t at = from + (to - from) / 2;
        int order = strcmp(t->nodes[at].path, path);
        if (!order)
            return &t->nodes[at];
        if (order < 0)
            from = at + 1;
        else
            to = at;
    }
    return NULL;
}

struct tree_node *tree_own(const struct tree_copy *t, const char *path)
{
    return find(t, path);
}

const struct tree_node *tree_known(const struct tree_copy *t, const char *path)
{
    const struct tree_node *k = find(t, path);
    if (k)
        return k->gone ? NULL : k;
    return t->under ? find(t->under, path) : NULL;
}

bool tree_is_untouched(const struct tree_copy *t, const struct tree_node *k, const struct stat *st)
{
    return k->kind == NODE_FILE && st->st_nlink == 1 && k->inode == st->st_ino &&
           k->size == st->st_size && k->mode == (st->st_mode & 0777) &&
           k->ctime_ns == tree_ns(st->st_ctim) && k->ctime_ns < t->written_ns &&
           k->mtime_ns == tree_ns(st->st_atim) &&
           (k->mtime_ns < t->written_ns || k->mtime_ns > tree_now());
}

/* A file or a directory that its owner can't read can be read when its mode has been set. */
int tree_open_anyway(int dir, const char *name, int flags, const struct stat *st)
{
    char at[40];
    int fd = openat(dir, name, flags);
    if (fd >= 0 || errno != EACCES)
        return fd;
    int by_path = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (by_path < 0)
        return -1;
    snprintf(at, sizeof at, "/proc/self/fd/%d", by_path);
    fd = chmod(at, (st->st_mode & 0777) | 0700) < 0 ? -1 : openat(dir, name, flags);
    close(by_path);
    return fd;
}

/* ---- writing ---- */

/* The tree is live: a server that lasts is stopped, but can have a timer that wakes it, and make a
 * link of any directory at any time. So all that is done to a name is done below the descriptor of
 * the directory it is in, and follows no link. */

static int write_all(int fd, const char *data, size_t n)
{
    while (n) {
        ssize_t k = write(fd, data, n);
        if (k < 0 && errno != EINTR)
            return -1;
        data += k > 0 ? k : 0;
        n -= k > 0 ? (size_t)k : 0;
    }
    return 0;
}

static struct timespec time_of(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

/* The directory that a path is in, below the top and without a link on the way. -1: see errno. */
int tree_parent(int top, const char *path, const char **ret_name)
{
    const struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
                                 .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    char dir[WORKSPACE_PATH + 1];
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    *ret_name = slash ? slash + 1 : path;
    if (n > WORKSPACE_PATH) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(dir, path, n);
    dir[n] = 0;
    return (int)syscall(SYS_openat2, top, n ? dir : ".", &how, sizeof how);
}

static int write_file(struct tx *tx, int dir, const char *name, const struct workspace_node *n,
                      struct buf *b, uint64_t hash[2], struct stat *ret_st)
{
    buf_clear(b);
    if (workspace_read(tx, n, 0, n->size, b) < 0)
        return -1;
    if (buf_failed(b))
        return sosia_fail_memory(tx->err);
    tree_content_hash(b->data, b->len, hash);
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, n->mode);
    const struct timespec times[] = {time_of(n->mtime_ns), time_of(n->mtime_ns)};
    int rc = fd < 0 || write_all(fd, b->data, b->len) < 0 || futimens(fd, times) < 0 ||
             fstat(fd, ret_st) < 0;
    /* The process's mask may have taken something of the mode. */
    if (!rc && (ret_st->st_mode & 07777) != n->mode)
        rc = fchmod(fd, n->mode) < 0 || fstat(fd, ret_st) < 0;
    if (rc)
        rc = tree_refused(n->path, tx->err);
    if (fd >= 0)
        close(fd);
    return rc;
}

static int write_link(struct tx *tx, int dir, const char *name, const struct workspace_node *n,
                      uint64_t hash[2], struct stat *ret_st)
{
    const struct timespec times[] = {time_of(n->mtime_ns), time_of(n->mtime_ns)};
    tree_content_hash(n->target, n->target_len, hash);
    return symlinkat(n->target, dir, name) < 0 ||
                   utimensat(dir, name, times, AT_SYMLINK_NOFOLLOW) < 0 ||
                   fstatat(dir, name, ret_st, AT_SYMLINK_NOFOLLOW) < 0
               ? tree_refused(n->path, tx->err)
               : 0;
}

static int write_directory(struct tx *tx, int dir, const char *name, const struct workspace_node *n,
                           struct stat *ret_st)
{
    return mkdirat(dir, name, 0700) < 0 || fstatat(dir, name, ret_st, AT_SYMLINK_NOFOLLOW) < 0
               ? tree_refused(n->path, tx->err)
               : 0;
}

/* Below the directory it is in. A directory gets its mode when all is in it. */
int tree_write_node(struct tree_copy *t, struct tx *tx, int dir, const char *name,
                    const struct workspace_node *n, struct buf *b)
{
    struct tree_node *k = tree_add(t);
    struct stat st;
    if (!k)
        return sosia_fail_memory(tx->err);
    *k = (struct tree_node){.path = arena_strdup(&t->arena, n->path),
                            .kind = n->kind,
                            .mode = n->mode,
                            .row = n->id,
                            .digest = n->digest};
    int rc = n->kind == NODE_DIRECTORY ? write_directory(tx, dir, name, n, &st)
             : n->kind == NODE_LINK    ? write_link(tx, dir, name, n, k->hash, &st)
                                       : write_file(tx, dir, name, n, b, k->hash, &st);
    if (rc < 0)
        return -1;
    k->inode = st.st_ino;
    k->size = st.st_size;
    k->ctime_ns = tree_ns(st.st_ctim);
    k->mtime_ns = n->mtime_ns;
    return arena_failed(&t->arena) ? sosia_fail_memory(tx->err) : 0;
}

/* The directory that the row before was in, which most rows are in too. */
struct place {
    int dir; /* -1: none */
    size_t n;
    char path[WORKSPACE_PATH + 1]; /* n bytes */
};

static int place_of(struct place *p, int top, const char *path, const char **ret_name)
{
    const char *slash = strrchr(path, '/');
    const size_t n = slash ? (size_t)(slash - path) : 0;
    *ret_name = slash ? slash + 1 : path;
    if (p->dir >= 0 && p->n == n && memcmp(p->path, path, n) == 0)
        return p->dir;
    if (p->dir >= 0)
        close(p->dir);
    if ((p->dir = tree_parent(top, path, ret_name)) >= 0) {
        p->n = n;
        memcpy(p->path, path, n);
    }
    return p->dir;
}

/* The parents are there: the rows come by their paths. */
static int write_row(struct tree_copy *t, struct tx *tx, int top, const struct workspace_node *n,
                     struct place *p, struct buf *b)
{
    const char *name;
    int dir = place_of(p, top, n->path, &name);
    return dir < 0 ? tree_refused(n->path, tx->err) : tree_write_node(t, tx, dir, name, n, b);
}

/* Of a directory. -1: see errno. */
int tree_set_mode(int dir, const char *name, unsigned mode)
{
    char at[40];
    int fd = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    snprintf(at, sizeof at, "/proc/self/fd/%d", fd);
    int rc = chmod(at, mode);
    close(fd);
    return rc;
}

/* Of directories, when all is in them. */
int tree_set_modes(const struct tree_copy *t, int top, struct sosia_err *err)
{
    for (size_t i = t->n; i-- > 0;) {
        const struct tree_node *k = &t->nodes[i];
        const char *name;
        if (k->kind != NODE_DIRECTORY || k->gone)
            continue;
        int dir = tree_parent(top, k->path, &name);
        int rc = dir < 0 ? -1 : tree_set_mode(dir, name, k->mode);
        if (rc < 0)
            tree_refused(k->path, err);
        if (dir >= 0)
            close(dir);
        if (rc < 0)
            return -1;
    }
    return 0;
}

int tree_write(struct tree_copy *t, struct tx *tx, int top, struct sosia_err *err)
{
    struct workspace_node n;
    const char *after = NULL;
    struct place place = {.dir = -1};
    struct buf b;
    int r;
    buf_init(&b, 0);
    while ((r = workspace_walk(tx, "", after, &n)) == 1) {
        if (write_row(t, tx, top, &n, &place, &b) < 0) {
            r = -1;
            break;
        }
        after = t->nodes[t->n - 1].path;
    }
    buf_done(&b);
    if (place.dir >= 0)
        close(place.dir);
    if (r == 0)
        r = tree_set_modes(t, top, tx->err);
    t->written_ns = tree_now();
    if (r < 0 && err != tx->err)
        *err = *tx->err;
    return r;
}

/* ---- bringing up to date ---- */

enum { DEEPEST = WORKSPACE_DEPTH + 8 };

/* With all that is in it. -1: see errno. */
int tree_remove_all(int dir, const char *name, int depth)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -1;
    if (!S_ISDIR(st.st_mode))
        return unlinkat(dir, name, 0);
    int fd = tree_open_anyway(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, &st);
    DIR *d = fd >= 0 && depth < DEEPEST ? fdopendir(fd) : NULL;
    struct dirent *e;
    int rc = 0;
    if (!d) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    while (rc == 0 && (e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            rc = tree_remove_all(dirfd(d), e->d_name, depth + 1);
    closedir(d);
    return rc < 0 ? -1 : unlinkat(dir, name, AT_REMOVEDIR);
}

bool tree_hash_file(int dir, const char *name, const struct stat *st, uint64_t ret[2])
{
    char part[16384];
    struct stat now;
    XXH3_state_t state;
    int64_t left = st->st_size;
    ssize_t n = 1;
    int fd =
        openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_NOATIME | O_CLOEXEC);
    if (fd < 0)
        return false;
    XXH3_128bits_reset(&state);
    while (left > 0 && ((n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0) {
            XXH3_128bits_update(&state, part, (size_t)n);
            left -= n;
        }
    bool same = left == 0 && fstat(fd, &now) == 0 && S_ISREG(now.st_mode) &&
                now.st_ino == st->st_ino && tree_ns(now.st_ctim) == tree_ns(st->st_ctim);
    close(fd);
    XXH128_hash_t h = XXH3_128bits_digest(&state);
    ret[0] = h.low64;
    ret[1] = h.high64;
    return same;
}

/* Bringing a directory up to date: from what was written before, to t. */
struct refreshing {
    struct tree_copy *t, before;
    struct tx *tx;
    int top;
    struct buf b; /* a file's bytes */
};

/* Whether a file has the content that the row has: 1, 0; -1: NO_MEMORY. What is on the machine is
 * read, unless it is what was written there: sizes and times are a program's to set. */
static int has_content(struct refreshing *f, int dir, const char *name,
                       const struct workspace_node *n, const struct stat *st, uint64_t hash[2])
{
    uint64_t there[2];
    const struct tree_node *k = tree_known(&f->before, n->path);
    if (k && k->row == n->id && k->digest == n->digest && tree_is_untouched(&f->before, k, st)) {
        memcpy(hash, k->hash, sizeof there);
        return 1;
    }
    if (workspace_read(f->tx, n, 0, n->size, &f->b) < 0)
        return -1;
    if (buf_failed(&f->b))
        return sosia_fail_memory(f->tx->err);
    tree_content_hash(f->b.data, f->b.len, hash);
    if (k && tree_is_untouched(&f->before, k, st))
        return memcmp(k->hash, hash, sizeof there) == 0;
    return tree_hash_file(dir, name, st, there) && memcmp(there, hash, sizeof there) == 0;
}

/* Whether what is at a place is what the row says: 1, 0; -1: NO_MEMORY. */
static int is_as_row(struct refreshing *f, int dir, const char *name,
                     const struct workspace_node *n, const struct stat *st, uint64_t hash[2])
{
    char target[WORKSPACE_PATH + 2];
    buf_clear(&f->b);
    if (n->kind == NODE_DIRECTORY)
        return S_ISDIR(st->st_mode);
    if (tree_ns(st->st_mtim) != n->mtime_ns)
        return 0;
    if (n->kind == NODE_LINK) {
        ssize_t len = S_ISLNK(st->st_mode) ? readlinkat(dir, name, target, sizeof target) : -1;
        tree_content_hash(n->target, n->target_len, hash);
        return len == (ssize_t)n->target_len && memcmp(target, n->target, n->target_len) == 0;
    }
    if (!S_ISREG(st->st_mode) || st->st_nlink != 1 || st->st_size != n->size ||
        (st->st_mode & 0777) != n->mode)
        return 0;
    return has_content(f, dir, name, n, st, hash);
}

/* What is as it should be. A directory's mode is set when all is in it, and until then it can be
 * written to. A file that a program has had to do with may be mapped yet, so its times say nothing
 * from now on. */
static int keep_node(struct refreshing *f, int dir, const char *name,
                     const struct workspace_node *n, const struct stat *st, const uint64_t hash[2])
{
    const struct tree_node *was = tree_known(&f->before, n->path);
    const bool untouched = was && tree_is_untouched(&f->before, was, st);
    struct tree_node *k = tree_add(f->t);
    if (!k)
        return sosia_fail_memory(f->tx->err);
    *k = (struct tree_node){.path = arena_strdup(&f->t->arena, n->path),
                            .kind = n->kind,
                            .mode = n->mode,
                            .inode = st->st_ino,
                            .hash = {hash[0], hash[1]},
                            .size = st->st_size,
                            .ctime_ns = untouched ? tree_ns(st->st_ctim) : -1,
                            .mtime_ns = n->mtime_ns,
                            .row = n->id,
                            .digest = n->digest};
    if (arena_failed(&f->t->arena))
        return sosia_fail_memory(f->tx->err);
    return n->kind == NODE_DIRECTORY && (st->st_mode & 0700) != 0700 &&
                   tree_set_mode(dir, name, 0700) < 0
               ? tree_refused(n->path, f->tx->err)
               : 0;
}

static int refresh_node(struct refreshing *f, const struct workspace_node *n)
{
    const char *name;
    uint64_t hash[2] = {0};
    struct stat st;
    int dir = tree_parent(f->top, n->path, &name);
    if (dir < 0)
        return tree_refused(n->path, f->tx->err);
    int there = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    int r = there ? is_as_row(f, dir, name, n, &st, hash) : 0;
    if (r == 1)
        r = keep_node(f, dir, name, n, &st, hash);
    else if (r == 0)
        r = there && tree_remove_all(dir, name, 0) < 0
                ? tree_refused(n->path, f->tx->err)
                : tree_write_node(f->t, f->tx, dir, name, n, &f->b);
    close(dir);
    return r < 0 ? -1 : 0;
}

/* Whether what is there may stay until the row is written: it takes no more room than that. */
static bool may_stay(const struct tree_node *k, const struct stat *st)
{
    return k && (k->kind == NODE_DIRECTORY ? S_ISDIR(st->st_mode)
                 : k->kind == NODE_LINK    ? S_ISLNK(st->st_mode)
                                           : S_ISREG(st->st_mode) && st->st_size == k->size);
}

/* What no row has, or has as another kind or length. Takes dir over. */
static int sweep_below(struct tree_copy *rows, int dir, const char *path, int depth,
                       struct sosia_err *err)
{
    DIR *d = fdopendir(dir);
    struct dirent *e;
    struct stat st;
    int rc = 0;
    if (!d) {
        close(dir);
        return tree_refused(path, err);
    }
    while (rc == 0 && (e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        const char *below = *path ? workspace_below(&rows->arena, path, e->d_name)
                                  : arena_strdup(&rows->arena, e->d_name);
        if (arena_failed(&rows->arena)) {
            rc = sosia_fail_memory(err);
            break;
        }
        if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
            rc = errno == ENOENT ? 0 : tree_refused(below, err);
            continue;
        }
        const struct tree_node *k = tree_known(rows, below);
        if (!may_stay(k, &st)) {
            rc = tree_remove_all(dirfd(d), e->d_name, depth) < 0 ? tree_refused(below, err) : 0;
        } else if (k->kind == NODE_DIRECTORY) {
            int fd = tree_open_anyway(dirfd(d), e->d_name,
                                      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, &st);
            rc = fd < 0 ? tree_refused(below, err) : sweep_below(rows, fd, below, depth + 1, err);
        }
    }
    closedir(d);
    return rc;
}

/* Before anything is written: it may need the room. */
static int sweep(struct tx *tx, int top)
{
    struct workspace_node n;
    struct tree_copy rows;
    const char *after = NULL;
    int r;
    tree_copy_init(&rows);
    while ((r = workspace_walk(tx, "", after, &n)) == 1) {
        struct tree_node *k = tree_add(&rows);
        if (!k) {
            r = sosia_fail_memory(tx->err);
            break;
        }
        *k = (struct tree_node){
            .path = arena_strdup(&rows.arena, n.path), .kind = n.kind, .size = n.size};
        if (!(after = k->path)) {
            r = sosia_fail_memory(tx->err);
            break;
        }
    }
    int own = r == 0 ? openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (r == 0)
        r = own < 0 ? tree_refused("", tx->err) : sweep_below(&rows, own, "", 0, tx->err);
    tree_copy_free(&rows);
    return r;
}

int tree_refresh(struct tree_copy *t, struct tx *tx, int top, struct sosia_err *err)
{
    struct refreshing f = {.t = t, .before = *t, .tx = tx, .top = top};
    struct workspace_node n;
    const char *after = NULL;
    int r = sweep(tx, top);
    tree_copy_init(t);
    buf_init(&f.b, 0);
    const int64_t now = tree_now(); /* what is written from here on may change again at once */
    while (r == 0 && (r = workspace_walk(tx, "", after, &n)) == 1) {
        r = refresh_node(&f, &n);
        after = r == 0 ? t->nodes[t->n - 1].path : NULL;
    }
    buf_done(&f.b);
    tree_copy_free(&f.before);
    if (r == 0)
        r = tree_set_modes(t, top, tx->err);
    t->written_ns = now;
    if (r < 0 && err != tx->err)
        *err = *tx->err;
    return r;
}
