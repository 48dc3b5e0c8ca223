/* SPDX-License-Identifier: Apache-2.0 */
/* Archives, by way of the workspace of a transaction that is taken back: so a zip or tar is refused
 * for what the workspace refuses it for. */
#include "engine/base/codec.h"
#include "services/workspace/core/node.h"
#include "services/workspace/core/tar.h"
#include "transfer/impl.h"

/* Where the letters are that say what a tar file is. */
enum { TAR_BLOCK = 512, TAR_MAGIC = 257 };

bool transfer_is_archive(const char *data, size_t len)
{
    return (len > 4 && (memcmp(data, "PK\3\4", 4) == 0 || memcmp(data, "PK\5\6", 4) == 0 ||
                        memcmp(data, "\x1f\x8b", 2) == 0)) ||
           (len >= TAR_BLOCK && memcmp(data + TAR_MAGIC, "ustar", 5) == 0);
}

int transfer_unpack(struct transfer_in *in, const char *dir)
{
    const struct workspace_bytes all = {in->data, in->len};
    struct workspace_bytes bytes = all;
    const struct workspace_source from = {workspace_source_memory, &bytes, &all};
    struct workspace_imported done = {0};
    if (!transfer_is_archive(in->data, in->len))
        return transfer_fail(in, 0, "must be an archive (.zip, .tar.gz, .tar), begins with \"%s\"",
                             transfer_shown(in->tx->arena, in->data, in->len));
    if (workspace_clear(in->tx) < 0)
        return -1;
    if (workspace_import_tar(in->tx, dir, &from, &done) < 0) {
        if (in->tx->err->code != SOSIA_E_INVALID)
            return -1;
        const char *why = arena_strdup(in->tx->arena, in->tx->err->text);
        return transfer_fail(in, 0, "%s", why);
    }
    in->done->n[TRANSFER_FILES] = done.files;
    in->done->n[TRANSFER_FOLDERS] = done.directories;
    in->done->n[TRANSFER_LINKS] = done.links;
    in->done->n[TRANSFER_SKIPPED] = done.skipped;
    return 0;
}

static int give(struct transfer_in *in, const struct workspace_node *n, transfer_taker *fn,
                void *arg)
{
    struct transfer_entry e = {.path = n->path, .modified_us = n->mtime_ns / 1000};
    struct arena *kept = in->tx->arena, own;
    arena_init(&own, 0);
    in->tx->arena = &own;
    int rc = workspace_load(in->tx, n, &e.data, &e.len);
    in->tx->arena = kept;
    if (rc == 0)
        rc = fn(in, &e, arg);
    arena_done(&own);
    return rc;
}

int transfer_each(struct transfer_in *in, bool (*wanted)(const char *path), transfer_taker *fn,
                  void *arg)
{
    struct workspace_node n;
    const char *after = NULL;
    int r;
    while ((r = workspace_walk(in->tx, "", after, &n)) == 1) {
        after = n.path;
        if (n.kind == NODE_FILE && (!wanted || wanted(n.path)) && give(in, &n, fn, arg) < 0)
            return -1;
    }
    return r;
}

bool transfer_ends(const char *path, const char *end)
{
    size_t n = strlen(path), k = strlen(end);
    return n >= k && str_eq_nocase(path + n - k, end);
}

/* ---- the workspace itself ---- */

/* Where it comes: a directory that is made if it is not there. */
static int directory_of(struct tx *tx, const struct transfer *t, const char **ret)
{
    const char *place = t->place ? t->place : "";
    *ret = workspace_inside(workspace_absolute(tx->arena, place));
    return *ret ? 0
                : tx_fail(tx, SOSIA_E_INVALID, "transfer", "place",
                          "place must be a directory of the workspace, not \"%.80s\"", place);
}

/* As the section has it: the same is in the document as would be in a dump. */
int read_workspace(struct transfer_in *in)
{
    const char *dir;
    return directory_of(in->tx, in->t, &dir) < 0 || transfer_unpack(in, dir) < 0
               ? -1
               : workspace_dump(in->tx, in->w);
}

int write_workspace(struct transfer_out *out)
{
    struct workspace_place at;
    struct workspace_export how = {.gzip = true};
    struct workspace_sink to = {workspace_sink_buf, out->out};
    const char *dir;
    if (directory_of(out->tx, out->t, &dir) < 0)
        return -1;
    int r = workspace_resolve(out->tx, dir, true, &at);
    if (r < 0)
        return -1;
    if (!r || at.node.kind != NODE_DIRECTORY)
        return tx_fail(out->tx, SOSIA_E_NOT_FOUND, "transfer", "place",
                       "place must be a directory of the workspace, there is none \"%.80s\"", dir);
    return workspace_export_tar(out->tx, at.path, &how, &to);
}
