/* SPDX-License-Identifier: Apache-2.0 */
/* What is about worlds when an engine is opened and closed, and the empty world that every world
 * begins as. */
#include "engine/base/codec.h"
#include "engine/world/durable/durable.h"
#include "engine/world/engine.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

const char *sosia_version(void)
{
    return SOSIA_VERSION;
}

void sosia_blob_free(struct sosia_blob *blob)
{
    if (blob) {
        free(blob->data);
        *blob = (struct sosia_blob){0};
    }
}

/* The empty world: every core's tables in an ordinary memory database, taken over as a base. */
static int make_empty(struct sosia_engine *e, struct sosia_err *err)
{
    sqlite3 *db = NULL;
    unsigned char *image = NULL;
    sqlite3_int64 size = 0;
    int rc = -1;
    char pragmas[128];
    snprintf(pragmas, sizeof pragmas, "pragma page_size = %d; pragma auto_vacuum = none;",
             STORE_PAGE_SIZE);
    if (sqlite3_open_v2(":memory:", &db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK ||
        sqlite3_exec(db, pragmas, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(db, "begin", NULL, NULL, NULL) != SQLITE_OK)
        goto failed;
    for (const struct sosia_core **c = e->cores; *c; c++)
        if ((*c)->schema && sqlite3_exec(db, (*c)->schema, NULL, NULL, NULL) != SQLITE_OK)
            goto failed;
    if (sqlite3_exec(db, "insert into meta values ('format', 'sosia 2'); commit", NULL, NULL,
                     NULL) != SQLITE_OK)
        goto failed;
    image = sqlite3_serialize(db, "main", &size, 0);
    if (!image)
        goto failed;
    rc = tree_load(e->store, image, (size_t)size, &e->empty, err);
    goto done;
failed:
    sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "the empty world can't be made: %s",
               db ? sqlite3_errmsg(db) : "out of memory");
done:
    sqlite3_free(image);
    sqlite3_close(db);
    return rc;
}

int worlds_open(struct sosia_engine *e, struct sosia_err *err)
{
    struct store_options store = {.max_size = e->options.max_size,
                                  .max_tree = e->options.max_world_size};
    if (getrandom(e->secret, sizeof e->secret, 0) != sizeof e->secret ||
        getrandom(&e->opening, sizeof e->opening, 0) != sizeof e->opening)
        return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "the system gives no random bytes");
    if (store_open(&store, &e->store, err) < 0 ||
        (e->options.data_dir && durable_open(e, e->options.data_dir, &e->durable, err) < 0) ||
        make_empty(e, err) < 0 || (e->durable && durable_start(e->durable, err) < 0))
        return -1;
    return 0;
}

void worlds_close(struct sosia_engine *e)
{
    durable_close(e->durable);
    worker_close_all(e);
    registry_close(e);
    tree_done(&e->empty);
    if (e->store)
        store_close(e->store);
    explicit_bzero(e->secret, sizeof e->secret);
}

void sosia_engine_default_world(struct sosia_engine *engine, uint64_t world)
{
    atomic_store(&engine->default_world, world);
}
