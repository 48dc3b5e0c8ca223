/* SPDX-License-Identifier: Apache-2.0 */
/* Archives that come in, by libarchive. */
#include "services/workspace/core/tar.h"
#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

enum {
    MAX_RATIO = 200, /* bytes for one of the compressed ones, beyond FREE_BYTES */
    MAX_ENTRIES = 2 * WORKSPACE_NODES
};
#define FREE_BYTES (INT64_C(16) << 20)

int64_t workspace_source_memory(void *arg, const void **ret, struct sosia_err *err)
{
    struct workspace_bytes *b = arg;
    size_t n = b->len < BLOB_CHUNK ? b->len : BLOB_CHUNK;
    (void)err;
    *ret = b->data;
    b->data = (const char *)b->data + n;
    b->len -= n;
    return (int64_t)n;
}

/* An archive on its way in. */
struct unpacking {
    struct tx *tx;
    struct archive *z;
    struct archive_entry *e;
    const struct workspace_source *from;
    struct sosia_err source_err; /* code 0: the source is well */
    const char *dir;
    const char *name; /* of the entry, as it is in the archive */
    struct workspace_imported done;
    int64_t n;
    bool zip;
    int64_t unpacked; /* bytes of a zip's entries */
};

static la_ssize_t pull(struct archive *z, void *arg, const void **ret)
{
    struct unpacking *u = arg;
    int64_t n = u->from->next(u->from->arg, ret, &u->source_err);
    if (n < 0)
        archive_set_error(z, ARCHIVE_FATAL, "its bytes cannot be read");
    return (la_ssize_t)n;
}

/* Refuses in the words of the library. */
static int damaged(struct unpacking *u)
{
    const char *why = u->zip && !u->e ? "a zip has a list of its entries at its end, this one has "
                                        "none: it is cut"
                                      : archive_error_string(u->z);
    if (u->source_err.code) {
        *u->tx->err = u->source_err;
        return -1;
    }
    return tx_fail(u->tx, SOSIA_E_INVALID, "archive", NULL, "the archive cannot be read: %.200s",
                   why ? why : "it ends too early");
}

static int refuse(struct unpacking *u, const char *why)
{
    return tx_fail(u->tx, SOSIA_E_INVALID, "archive", NULL, "the entry \"%.80s\" %s", u->name, why);
}

static int check_ratio(struct unpacking *u)
{
    int64_t out = u->zip ? u->unpacked : archive_filter_bytes(u->z, 0),
            in = u->zip ? (int64_t)u->from->all->len : archive_filter_bytes(u->z, -1);
    return out > FREE_BYTES && out / MAX_RATIO > in
               ? tx_fail(u->tx, SOSIA_E_TOO_LARGE, "archive", NULL,
                         "the archive must not unpack to more than %d times its size", MAX_RATIO)
               : 0;
}

/* The path of a name. 1; 0: it is the directory itself; -1: it is none of a workspace. */
static int path_of(struct unpacking *u, const char *name, const char **ret)
{
    struct arena *a = u->tx->arena;
    char *path = arena_alloc(a, strlen(u->dir) + strlen(name) + 2), *end;
    if (arena_failed(a))
        return sosia_fail_memory(u->tx->err);
    end = stpcpy(path, u->dir);
    for (const char *p = name; *p;) {
        size_t n = strcspn(p, "/");
        if (n == 2 && p[0] == '.' && p[1] == '.')
            return refuse(u, "must not have \"..\" in its name");
        if (n && !(n == 1 && *p == '.')) {
            if (end != path)
                *end++ = '/';
            memcpy(end, p, n);
            end += n;
        }
        p += n + (p[n] == '/');
    }
    *end = 0;
    *ret = path;
    if (strcmp(path, u->dir) == 0)
        return 0;
    return workspace_path_is_valid(path) ? 1 : refuse(u, "must not have a longer or deeper name");
}

/* ---- entries ---- */

static int64_t time_of(const struct unpacking *u)
{
    int64_t s = archive_entry_mtime(u->e), ns = archive_entry_mtime_nsec(u->e);
    if (!archive_entry_mtime_is_set(u->e))
        return u->tx->now_us * 1000;
    if (s < 0 || s >= WORKSPACE_YEARS)
        return s < 0 ? 0 : WORKSPACE_YEARS * 1000000000;
    return s * 1000000000 + (ns >= 0 && ns < 1000000000 ? ns : 0);
}

/* The bytes of an entry that says that it is small. */
static int take_small_content(struct unpacking *u, struct workspace_node *n)
{
    char data[WORKSPACE_SMALL + 1]; /* one more than there may be */
    la_ssize_t got = 1;
    int64_t len = 0;
    while (got > 0 && len <= n->size) {
        got = archive_read_data(u->z, data + len, (size_t)(n->size + 1 - len));
        len += got > 0 ? got : 0;
    }
    u->unpacked += len;
    if (got < 0)
        return damaged(u);
    if (check_ratio(u) < 0)
        return -1;
    if (len != n->size)
        return tx_fail(u->tx, SOSIA_E_INVALID, "length", NULL, "%lld bytes were expected, %s came",
                       (long long)n->size, len < n->size ? "fewer" : "more");
    return workspace_set_content(u->tx, n, arena_memdup(u->tx->arena, data, (size_t)len),
                                 (size_t)len);
}

/* The bytes of an entry, whose length it says. */
static int take_content(struct unpacking *u, struct workspace_node *n)
{
    struct blob_writer *w;
    struct blob blob;
    char piece[16384];
    la_ssize_t got = 0;
    n->size = archive_entry_size(u->e);
    if (n->size < 0 || n->size > WORKSPACE_FILE)
        return workspace_fail(u->tx, "EFBIG", u->name);
    if (!n->size)
        return 0;
    if (n->size <= WORKSPACE_SMALL)
        return take_small_content(u, n);
    if (blob_writer_begin(u->tx, n->size, 0, &w) < 0)
        return -1;
    while ((got = archive_read_data(u->z, piece, sizeof piece)) > 0) {
        u->unpacked += got;
        if (check_ratio(u) < 0 || blob_writer_write(w, piece, (size_t)got) < 0) {
            blob_writer_abort(w);
            return -1;
        }
    }
    if (got < 0) {
        blob_writer_abort(w);
        return damaged(u);
    }
    if (blob_writer_finish(w, &blob) < 0)
        return -1;
    n->blob = blob.id;
    return 0;
}

static int take_hard_link(struct unpacking *u, const char *target, struct workspace_node *n)
{
    struct workspace_node other;
    const char *path;
    int r = path_of(u, target, &path);
    if (r > 0)
        r = workspace_find(u->tx, path, &other);
    if (r < 0)
        return -1;
    if (!r || other.kind == NODE_DIRECTORY)
        return refuse(u, "must be a hard link to a file that came before it");
    n->kind = other.kind;
    n->mode = other.mode;
    n->mtime_ns = other.mtime_ns;
    n->size = other.size;
    n->blob = other.blob;
    n->target = other.target;
    n->target_len = other.target_len;
    if (n->blob)
        return blob_ref(u->tx, n->blob);
    size_t len;
    return n->size ? workspace_load(u->tx, &other, &n->data, &len) : 0;
}

static int take_link(struct unpacking *u, struct workspace_node *n)
{
    n->target = archive_entry_symlink(u->e);
    n->target_len = n->target ? strlen(n->target) : 0;
    if (!n->target_len || n->target_len > WORKSPACE_PATH)
        return refuse(u, "must be a link to something");
    n->target = arena_memdup(u->tx->arena, n->target, n->target_len);
    return 0;
}

/* 1; 0: it is not of a kind that is kept. */
static int read_node(struct unpacking *u, struct workspace_node *n)
{
    const char *hard = archive_entry_hardlink(u->e);
    n->mode = (unsigned)archive_entry_perm(u->e) & 0777;
    n->mtime_ns = time_of(u);
    if (hard)
        return take_hard_link(u, hard, n) < 0 ? -1 : 1;
    switch (archive_entry_filetype(u->e)) {
    case AE_IFREG:
        n->kind = NODE_FILE;
        return take_content(u, n) < 0 ? -1 : 1;
    case AE_IFDIR:
        n->kind = NODE_DIRECTORY;
        return 1;
    case AE_IFLNK:
        n->kind = NODE_LINK;
        return take_link(u, n) < 0 ? -1 : 1;
    }
    return 0;
}

static void count(struct workspace_imported *done, const struct workspace_node *n)
{
    done->files += n->kind == NODE_FILE;
    done->directories += n->kind == NODE_DIRECTORY;
    done->links += n->kind == NODE_LINK;
    done->bytes += n->size;
}

static int put_in(struct unpacking *u, struct workspace_node *n)
{
    const char *reason = NULL;
    if (workspace_mkdir(u->tx, workspace_parent(u->tx->arena, n->path)) < 0) {
        if (n->blob) {
            struct sosia_err why = *u->tx->err;
            blob_unref(u->tx, n->blob);
            *u->tx->err = why;
        }
    } else if (workspace_put(u->tx, n) == 0) {
        count(&u->done, n);
        return 0;
    }
    reason = u->tx->err->reason;
    if (reason && (strcmp(reason, "EEXIST") == 0 || strcmp(reason, "ENOTDIR") == 0))
        return refuse(u, "must be in a directory, and not a directory where there is a file");
    return reason && strcmp(reason, "EISDIR") == 0
               ? refuse(u, "must be a directory, as what is there")
               : -1;
}

static int take_entry(struct unpacking *u)
{
    struct workspace_node n = {.kind = NODE_FILE};
    u->name = u->zip ? archive_entry_pathname_utf8(u->e) : NULL;
    if (!u->name)
        u->name = archive_entry_pathname(u->e);
    if (!u->name)
        u->name = "";
    if (++u->n > MAX_ENTRIES)
        return workspace_fail(u->tx, "ENOSPC", u->name);
    u->name = arena_strdup(u->tx->arena, u->name);
    int r = path_of(u, u->name, &n.path);
    if (r <= 0)
        return r; /* the directory itself stays as it is */
    r = read_node(u, &n);
    if (r < 0 || check_ratio(u) < 0)
        return -1;
    if (!r) {
        u->done.skipped++;
        return 0;
    }
    return put_in(u, &n);
}

/* An archive of a kind that is taken. 0, -1. */
static int open_archive(struct unpacking *u)
{
    const struct workspace_bytes *all = u->from->all;
    u->zip = all && all->len >= 4 && memcmp(all->data, "PK", 2) == 0;
    if (u->zip) {
        archive_read_support_format_zip_seekable(u->z);
        return archive_read_open_memory(u->z, all->data, all->len) == ARCHIVE_OK ? 0 : damaged(u);
    }
    archive_read_support_filter_gzip(u->z);
    archive_read_support_format_tar(u->z);
    return archive_read_open(u->z, u, NULL, pull, NULL) == ARCHIVE_OK ? 0 : damaged(u);
}

int workspace_import_tar(struct tx *tx, const char *dir, const struct workspace_source *from,
                         struct workspace_imported *ret)
{
    struct unpacking u = {.tx = tx, .from = from, .dir = dir, .z = archive_read_new()};
    /* The library gives names in the locale's charset, and no others. */
    locale_t names = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), was = uselocale(names);
    int r = -1, rc;
    if (!u.z) {
        sosia_fail_memory(tx->err);
        goto done;
    }
    if (workspace_mkdir(tx, dir) < 0 || open_archive(&u) < 0)
        goto done;
    while ((rc = archive_read_next_header(u.z, &u.e)) == ARCHIVE_OK || rc == ARCHIVE_WARN)
        if (take_entry(&u) < 0)
            goto done;
    r = rc == ARCHIVE_EOF ? 0 : damaged(&u);
    if (r == 0 && arena_failed(tx->arena))
        r = sosia_fail_memory(tx->err);
    if (r == 0 && ret)
        *ret = u.done;
done:
    archive_read_free(u.z);
    uselocale(was);
    if (names)
        freelocale(names);
    return r;
}
