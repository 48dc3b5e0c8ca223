/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing an engine, and the empty world that every world begins as. */
#include "engine/base/codec.h"
#include "engine/http/route.h"
#include "engine/http/serve.h"
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
    for (const struct sosia_core *const *c = sosia_cores; *c; c++)
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

int sosia_engine_open(const struct sosia_engine_options *opt, struct sosia_engine **ret_engine,
                      struct sosia_err *err)
{
    struct sosia_engine *e = aligned_alloc(64, (sizeof *e + 63) & ~(size_t)63);
    if (!e)
        return sosia_fail_memory(err);
    memset(e, 0, sizeof *e);
    if (opt)
        e->options = *opt;
    if (registry_open(e, err) < 0) {
        free(e);
        return -1;
    }
    struct store_options store = {.max_size = e->options.max_size,
                                  .max_tree = e->options.max_world_size};
    if (getrandom(e->secret, sizeof e->secret, 0) != sizeof e->secret) {
        sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "the system gives no random bytes");
        goto failed;
    }
    if (store_open(&store, &e->store, err) < 0 ||
        router_open(sosia_dialects, &e->router, err) < 0 ||
        (e->options.data_dir && durable_open(e, e->options.data_dir, &e->durable, err) < 0) ||
        make_empty(e, err) < 0 || (e->durable && durable_start(e->durable, err) < 0))
        goto failed;
    *ret_engine = e;
    return 0;
failed:
    sosia_engine_close(e);
    return -1;
}

void sosia_engine_close(struct sosia_engine *e)
{
    if (!e)
        return;
    durable_close(e->durable);
    worker_close_all(e);
    registry_close(e);
    tree_done(&e->empty);
    if (e->store)
        store_close(e->store);
    router_close(e->router);
    explicit_bzero(e->secret, sizeof e->secret);
    free(e);
}

void sosia_engine_default_world(struct sosia_engine *engine, uint64_t world)
{
    atomic_store(&engine->default_world, world);
}

/* ---- calls ---- */

int sosia_call(struct sosia_engine *engine, uint64_t world, const struct sosia_request *request,
               struct sosia_response **ret_response, struct sosia_err *err)
{
    uint64_t ticket;
    struct sosia_response *r = call_serve(engine, world, request, &ticket, NULL, err);
    if (!r)
        return -1;
    if (engine_sync(engine, ticket, err) < 0) {
        sosia_response_free(r);
        return -1;
    }
    *ret_response = r;
    return 0;
}

struct waiting {
    struct sosia_response *response;
    void (*done)(void *arg, struct sosia_response *response);
    void *arg;
};

static void on_disk(void *arg, int rc)
{
    struct waiting w = *(struct waiting *)arg;
    free(arg);
    if (rc < 0) {
        sosia_response_free(w.response);
        w.response = NULL;
    }
    w.done(w.arg, w.response);
}

/* Gives an answer away, once what it tells is on disk. */
static void hand_over(struct sosia_engine *engine, struct sosia_response *r, uint64_t ticket,
                      void (*done)(void *arg, struct sosia_response *response), void *arg)
{
    int on_disk_now = r && engine->durable ? durable_state(engine->durable, ticket) : 1;
    if (on_disk_now) {
        if (on_disk_now < 0) {
            sosia_response_free(r);
            r = NULL;
        }
        done(arg, r);
        return;
    }
    struct waiting *w = malloc(sizeof *w);
    if (!w) { /* wait here instead */
        if (engine_sync(engine, ticket, NULL) < 0) {
            sosia_response_free(r);
            r = NULL;
        }
        done(arg, r);
        return;
    }
    *w = (struct waiting){.response = r, .done = done, .arg = arg};
    durable_notify(engine->durable, ticket, on_disk, w);
}

void sosia_call_async(struct sosia_engine *engine, uint64_t world,
                      const struct sosia_request *request,
                      void (*done)(void *arg, struct sosia_response *response), void *arg)
{
    uint64_t ticket;
    struct sosia_response *r = call_serve(engine, world, request, &ticket, NULL, NULL);
    hand_over(engine, r, ticket, done, arg);
}

bool sosia_call_try(struct sosia_engine *engine, uint64_t world,
                    const struct sosia_request *request,
                    void (*done)(void *arg, struct sosia_response *response), void *arg)
{
    uint64_t ticket;
    bool busy = false;
    struct sosia_response *r = call_serve(engine, world, request, &ticket, &busy, NULL);
    if (busy)
        return false;
    hand_over(engine, r, ticket, done, arg);
    return true;
}
