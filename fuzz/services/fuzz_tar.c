/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an archive for a workspace: it is refused with a reason, or every node that it made
 * keeps to the rules of rows, what is said to be there is there, and the workspace gives an archive
 * that makes the same nodes. */
#include "engine/world/engine.h"
#include "fuzz/fuzz.h"
#include "services/workspace/core/tar.h"

static struct sosia_engine *engine;
static uint64_t base;

static int import_into(struct tx *tx, const void *data, size_t size, const char *dir)
{
    struct workspace_bytes bytes = {data, size};
    struct workspace_source from = {workspace_source_memory, &bytes};
    return workspace_import_tar(tx, dir, &from, NULL);
}

/* All nodes below a directory are as rows must be. */
static int64_t check_nodes(struct tx *tx, const char *dir, int64_t *ret_bytes)
{
    struct workspace_node n, parent;
    const char *after = NULL;
    int64_t count = 0;
    int r;
    *ret_bytes = 0;
    while ((r = workspace_walk(tx, dir, after, &n)) == 1) {
        const char *above = workspace_parent(tx->arena, n.path);
        after = n.path;
        CHECK(workspace_path_is_valid(n.path) && n.mode <= 0777);
        CHECK(!*above ||
              (workspace_find(tx, above, &parent) == 1 && parent.kind == NODE_DIRECTORY));
        CHECK(n.mtime_ns >= 0 && n.mtime_ns / 1000000000 <= WORKSPACE_YEARS);
        CHECK(n.kind == NODE_FILE ? (n.size > WORKSPACE_SMALL) == (n.blob != 0)
                                  : !n.size && !n.blob);
        CHECK((n.kind == NODE_LINK) == (n.target != NULL));
        count++;
        *ret_bytes += n.size;
    }
    CHECK(r == 0);
    return count;
}

static void check(struct tx *tx, const uint8_t *data, size_t size)
{
    struct workspace_export how = {.gzip = size % 2};
    struct workspace_use use;
    struct workspace_node there;
    struct buf archive;
    struct workspace_sink to = {workspace_sink_buf, &archive};
    int64_t bytes, again;
    if (import_into(tx, data, size, "") < 0) {
        CHECK(*tx->err->text);
        return;
    }
    int64_t n = check_nodes(tx, "", &bytes);
    CHECK(workspace_use(tx, &use) == 0 && use.nodes == n && use.bytes == bytes);
    buf_init(&archive, 0);
    CHECK(workspace_export_tar(tx, "", &how, &to) == 0);
    /* Deeper, so names that were as long as may be don't go in; and where nothing is yet. */
    if (!workspace_find(tx, "~", &there) && import_into(tx, archive.data, archive.len, "~") == 0)
        CHECK(check_nodes(tx, "~", &again) == n && again == bytes);
    buf_done(&archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sosia_err err = {0};
    struct tx tx;
    if (!engine) {
        engine = fuzz_engine(NULL);
        MUST(sosia_world_create(engine, NULL, &base, &why));
    }
    struct worker *k = worker_take(engine, &err);
    struct world *w = world_take(engine, base, &err);
    CHECK(k && w && tx_begin(&tx, engine, w, k, true, world_now(w), &err) == 0);
    check(&tx, data, size);
    tx_rollback(&tx);
    world_drop(w);
    worker_drop(k);
    return 0;
}
