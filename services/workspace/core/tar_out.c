/* SPDX-License-Identifier: Apache-2.0 */
/* Archives that go out. GNU's format writes names as bytes, in every locale the same. */
#include "services/workspace/core/tar.h"
#include <archive.h>
#include <archive_entry.h>

int workspace_sink_buf(void *arg, const void *data, size_t n)
{
    struct buf *b = arg;
    buf_add(b, data, n);
    return buf_failed(b) ? -1 : 0;
}

/* An archive on its way out. */
struct packing {
    struct tx *tx;
    struct archive *z;
    const struct workspace_sink *to;
    size_t head; /* bytes of the directory in front of paths, with its slash */
};

static la_ssize_t put(struct archive *z, void *arg, const void *data, size_t n)
{
    struct packing *p = arg;
    if (p->to->put(p->to->arg, data, n) < 0) {
        archive_set_error(z, ARCHIVE_FATAL, "no room");
        return -1;
    }
    return (la_ssize_t)n;
}

static int full(struct packing *p)
{
    return tx_fail(p->tx, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                   "the archive is too large to be written");
}

/* Does a link's text lead out of the directory that is written? What it leads to by further links
 * is not asked: those are looked at themselves. */
static bool leads_out(const struct packing *p, const struct workspace_node *n)
{
    int depth = (int)workspace_depth(n->path + p->head) - 1;
    if (*n->target == '/')
        return true;
    for (const char *t = n->target; *t;) {
        size_t len = strcspn(t, "/");
        if (len == 2 && t[0] == '.' && t[1] == '.')
            depth--;
        else if (len && !(len == 1 && *t == '.'))
            depth++;
        if (depth < 0)
            return true;
        t += len + (t[len] == '/');
    }
    return false;
}

static int put_small(struct packing *p, const struct workspace_node *n)
{
    struct buf b;
    buf_init(&b, 0);
    int rc = workspace_read(p->tx, n, 0, n->size, &b);
    if (rc == 0 && buf_failed(&b))
        rc = sosia_fail_memory(p->tx->err);
    if (rc == 0 && archive_write_data(p->z, b.data, b.len) != (la_ssize_t)b.len)
        rc = full(p);
    buf_done(&b);
    return rc;
}

static int put_content(struct packing *p, const struct workspace_node *n)
{
    struct blob_reader *r;
    const void *piece;
    size_t len;
    int64_t at = 0;
    if (!n->blob)
        return n->size ? put_small(p, n) : 0;
    if (blob_reader_open(p->tx, n->blob, &r) < 0)
        return -1;
    while (at < n->size) {
        if (blob_reader_read(r, at, BLOB_CHUNK, &piece, &len, p->tx->err) < 0 || !len)
            break;
        if (archive_write_data(p->z, piece, len) != (la_ssize_t)len) {
            full(p);
            break;
        }
        at += (int64_t)len;
    }
    blob_reader_close(r);
    return at < n->size ? -1 : 0;
}

static int put_node(struct packing *p, const struct workspace_node *n, const char *name)
{
    static const unsigned types[] = {
        [NODE_FILE] = AE_IFREG, [NODE_DIRECTORY] = AE_IFDIR, [NODE_LINK] = AE_IFLNK};
    struct archive_entry *e = archive_entry_new();
    if (!e)
        return sosia_fail_memory(p->tx->err);
    archive_entry_set_pathname(e, name);
    archive_entry_set_filetype(e, types[n->kind]);
    archive_entry_set_perm(e, (mode_t)n->mode);
    archive_entry_set_mtime(e, n->mtime_ns / 1000000000, 0);
    archive_entry_set_size(e, n->size);
    if (n->kind == NODE_LINK)
        archive_entry_set_symlink(e, n->target);
    int r = archive_write_header(p->z, e) == ARCHIVE_OK ? 0 : full(p);
    archive_entry_free(e);
    return r < 0 ? -1 : put_content(p, n);
}

static int put_all(struct packing *p, const char *dir, struct workspace_export *how)
{
    struct workspace_node n = {.kind = NODE_DIRECTORY, .path = dir, .mode = 0755};
    const char *after = NULL;
    int r = *dir ? workspace_find(p->tx, dir, &n) : 1;
    if (r == 1 && n.kind != NODE_DIRECTORY)
        return workspace_fail(p->tx, "ENOTDIR", dir);
    if (r <= 0)
        return r < 0 ? -1 : workspace_fail(p->tx, "ENOENT", dir);
    r = put_node(p, &n, ".");
    while (r == 0 && (r = workspace_walk(p->tx, dir, after, &n)) == 1) {
        after = n.path;
        if (how->inside && n.kind == NODE_LINK && leads_out(p, &n)) {
            how->skipped++;
            r = 0;
            continue;
        }
        r = put_node(p, &n, arena_printf(p->tx->arena, "./%s", n.path + p->head));
    }
    return r;
}

int workspace_export_tar(struct tx *tx, const char *dir, struct workspace_export *how,
                         const struct workspace_sink *to)
{
    struct packing p = {
        .tx = tx, .to = to, .head = *dir ? strlen(dir) + 1 : 0, .z = archive_write_new()};
    if (!p.z)
        return sosia_fail_memory(tx->err);
    how->skipped = 0;
    archive_write_set_format_gnutar(p.z);
    if (how->gzip) {
        archive_write_add_filter_gzip(p.z);
        archive_write_set_filter_option(p.z, "gzip", "timestamp", NULL);
        archive_write_set_filter_option(p.z, "gzip", "compression-level", "6");
        archive_write_set_bytes_in_last_block(p.z, 1);
    }
    int r = archive_write_open(p.z, &p, NULL, put, NULL) == ARCHIVE_OK ? 0 : full(&p);
    if (r == 0)
        r = put_all(&p, dir, how);
    if (archive_write_close(p.z) != ARCHIVE_OK && r == 0)
        r = full(&p);
    archive_write_free(p.z);
    return r;
}
