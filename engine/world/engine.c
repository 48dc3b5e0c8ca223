/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing an engine. */
#include "engine/base/codec.h"
#include "engine/base/given.h"
#include "engine/base/handle.h"
#include "engine/world/keeper.h"
#include "engine/world/engine.h"
#include "engine/world/evaluation.h"
#include "engine/world/upgrade.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <xxhash.h>

const char *sosia_version(void)
{
    return SOSIA_VERSION;
}

int worlds_open(struct sosia_engine *e, struct sosia_err *err)
{
    struct store_options store = {.max_size = e->options.max_size,
                                  .max_tree = e->options.max_world_size};
    if (getrandom(e->secret, sizeof e->secret, 0) != sizeof e->secret ||
        getrandom(&e->opening, sizeof e->opening, 0) != sizeof e->opening)
        return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "the system gives no random bytes");
    secrets_open(e);
    if (store_open(&store, &e->store, err) < 0 ||
        (e->options.data_dir && e->keeper->open(e, e->options.data_dir, &e->durable, err) < 0) ||
        empty_make(e, err) < 0 || (e->durable && e->keeper->start(e->durable, err) < 0) ||
        (e->options.evaluation && evaluation_begin_all(e, err) < 0))
        return -1;
    return 0;
}

void worlds_close(struct sosia_engine *e)
{
    e->keeper->close(e->durable);
    worker_close_all(e);
    registry_close(e);
    tree_done(&e->empty);
    if (e->store)
        store_close(e->store);
    explicit_bzero(e->secret, sizeof e->secret);
    explicit_bzero(&e->shared, sizeof e->shared);
}

int sosia_engine_default_world(struct sosia_engine *engine, uint64_t world)
{
    if (!handle_is_out(HANDLE_ENGINE, engine))
        return -1;
    atomic_store(&engine->default_world, world);
    return 0;
}
