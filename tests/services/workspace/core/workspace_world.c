/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/services/workspace/core/workspace_world.h"
#include "engine/service.h"
#include "engine/world/engine.h"
#include "identity/identity.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

struct sosia_err fault;
struct tx tx;
static struct worker *worker;
static struct world *world;

static const struct sosia_service own = {
    .name = "workspace",
    .cores = (const struct sosia_core *const[]){&identity_core, &workspace_core, NULL}};
static const struct sosia_service *const services[] = {&own, NULL};

void ok(int r)
{
    if (r < 0)
        fail_msg("%s: %s", fault.reason ? fault.reason : "", fault.text);
}

void refused(int r, const char *reason)
{
    assert_int_equal(r, -1);
    if (!fault.reason || strcmp(fault.reason, reason) != 0)
        fail_msg("expected %s, got %s: %s", reason, fault.reason ? fault.reason : "", fault.text);
    fault = (struct sosia_err){0};
}

void begin(void)
{
    worker = worker_take(test_engine, &fault);
    world = world_take(test_engine, test_world, &fault);
    assert_true(worker && world);
    ok(tx_begin(&tx, test_engine, world, worker, true, world_now(world), &fault));
}

void end(void)
{
    ok(tx_do_later(&tx));
    ok(tx_commit(&tx));
    world_drop(world);
    worker_drop(worker);
}

int open_world(void **state)
{
    if (test_open_engine_of(services) < 0)
        return -1;
    test_world = test_world_of(*state ? *state : HEAD "}");
    begin();
    return 0;
}

/* How much there is said to be is what there is, and the world goes through a file. */
int close_world(void **state)
{
    struct workspace_node n;
    struct workspace_use use;
    const char *after = NULL;
    int64_t nodes = 0, bytes = 0;
    uint64_t copy;
    while (workspace_walk(&tx, "", after, &n) == 1) {
        after = n.path;
        nodes++;
        bytes += n.size;
    }
    ok(workspace_use(&tx, &use));
    assert_int_equal(use.nodes, nodes);
    assert_int_equal(use.bytes, bytes);
    end();
    assert_int_equal(test_import_changed(NULL, &copy), 0);
    return test_close_engine(state);
}

void put(const char *path, const char *text)
{
    ok(workspace_mkdir(&tx, workspace_parent(tx.arena, path)));
    ok(workspace_write(&tx, path, text, strlen(text), NULL));
}

void link_to(const char *path, const char *target)
{
    ok(workspace_symlink(&tx, path, target));
}

const char *content(const char *path)
{
    struct workspace_node n;
    const char *text;
    size_t len;
    assert_int_equal(workspace_find(&tx, path, &n), 1);
    ok(workspace_load(&tx, &n, &text, &len));
    assert_int_equal(len, n.size);
    return text;
}

const char *all_below(const char *dir)
{
    struct workspace_node n;
    const char *all = "", *after = NULL;
    int r;
    while ((r = workspace_walk(&tx, dir, after, &n)) == 1) {
        after = n.path;
        all = arena_printf(tx.arena, "%s%s%s", all, *all ? " " : "", n.path);
    }
    ok(r);
    return all;
}
