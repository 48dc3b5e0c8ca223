/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Archives of a sandbox's files. One that comes is read into a world of its own, which has nothing
 * else and ends by itself, so that what is wrong with it is known before anything changes; it gets
 * into the sandbox as a seed document does.
 */
#include "engine/world/engine.h"
#include "hosted/impl.h"
#include "services/workspace/core/tar.h"

/* Runs a function in a transaction of a world. */
static int in_world(struct hosted_call *c, uint64_t world, bool write,
                    int (*fn)(struct tx *tx, void *arg), void *arg)
{
    struct sosia_engine *e = c->h->engine;
    struct tx tx;
    int rc = -1;
    struct worker *k = worker_take(e, &c->err);
    if (!k)
        return -1;
    struct world *w = world_take(e, world, &c->err);
    if (w && tx_begin(&tx, e, w, k, write, world_now(w), &c->err) == 0) {
        rc = fn(&tx, arg);
        if (!write || rc < 0)
            tx_rollback(&tx);
        else if ((rc = tx_publish(&tx)) == 0)
            rc = world_changed(e, w, &c->err);
    }
    uint64_t ticket = w ? w->ticket : 0;
    if (w)
        world_drop(w);
    worker_drop(k);
    return rc < 0 ? -1 : engine_sync(e, ticket, &c->err);
}

static int import(struct tx *tx, void *arg)
{
    const struct workspace_source from = {workspace_source_memory, arg};
    return workspace_import_tar(tx, "", &from, NULL);
}

int archive_read(struct hosted_call *c, const char *data, size_t len, uint64_t *ret_world)
{
    struct workspace_bytes bytes = {data, len};
    const struct sosia_world_options opt = {.journal = SOSIA_JOURNAL_NONE};
    uint64_t world;
    if (sosia_world_create(c->h->engine, &opt, &world, &c->err) < 0)
        return -1;
    if (sosia_world_ttl(c->h->engine, world, ARCHIVE_US, false, &c->err) < 0 ||
        in_world(c, world, true, import, &bytes) < 0) {
        sosia_world_drop(c->h->engine, world, NULL);
        return -1;
    }
    *ret_world = world;
    return 0;
}

int archive_apply(struct hosted_call *c, uint64_t from, uint64_t to)
{
    struct sosia_blob dump;
    const struct json *v, *files = NULL;
    struct json_writer w;
    struct buf b;
    if (sosia_world_dump(c->h->engine, from, &dump, &c->err) < 0)
        return -1;
    int rc = json_parse(&c->arena, dump.data, dump.len,
                        &(struct json_limits){.max_size = UINT32_MAX}, &v, &c->err);
    if (rc == 0)
        files = json_get(v, WORKSPACE_CORE);
    if (files) {
        hosted_begin(&b, &w);
        json_int(&w, "sosia", 1);
        json_value(&w, WORKSPACE_CORE, files);
        json_end(&w);
        rc = buf_failed(&b)
                 ? sosia_fail_memory(&c->err)
                 : sosia_world_seed(c->h->engine, to, b.data, b.len, "the archive", &c->err);
        buf_done(&b);
    }
    sosia_blob_free(&dump);
    return rc;
}

static int export(struct tx *tx, void *arg)
{
    struct workspace_export how = {.gzip = true, .inside = true};
    const struct workspace_sink to = {workspace_sink_buf, arg};
    return workspace_export_tar(tx, "", &how, &to);
}

/* A file that is read, in an arena that lasts. */
struct reading {
    struct arena *arena;
    const char *path, *text;
    size_t len;
};

static int read_file(struct tx *tx, void *arg)
{
    struct reading *r = arg;
    struct workspace_node node;
    int found = workspace_find(tx, r->path, &node);
    if (found <= 0)
        return found < 0 ? -1
                         : tx_fail(tx, SOSIA_E_NOT_FOUND, "notFound", NULL,
                                   "there is no file \"%.200s\"", r->path);
    if (workspace_load(tx, &node, &r->text, &r->len) < 0)
        return -1;
    r->text = arena_memdup(r->arena, r->text, r->len);
    return arena_failed(r->arena) ? sosia_fail_memory(tx->err) : 0;
}

int archive_file(struct hosted_call *c, uint64_t world, const char *path, const char **ret_text,
                 size_t *ret_len)
{
    struct reading r = {.arena = &c->arena, .path = path};
    if (in_world(c, world, false, read_file, &r) < 0)
        return -1;
    *ret_text = r.text;
    *ret_len = r.len;
    return 0;
}

int archive_write(struct hosted_call *c, uint64_t world, struct buf *to)
{
    return in_world(c, world, false, export, to);
}

int archive_fork(struct hosted_call *c, uint64_t world, uint64_t *ret_fork)
{
    const struct fork_more more = {.ttl_us = ARCHIVE_US};
    return engine_fork(c->h->engine, world, NULL, &more, ret_fork, &c->err);
}
