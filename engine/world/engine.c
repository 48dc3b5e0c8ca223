/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing an engine, and the empty world that every world begins as. */
#include "engine/base/codec.h"
#include "engine/base/given.h"
#include "engine/base/handle.h"
#include "engine/world/durable/durable.h"
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

int sosia_blob_free(struct sosia_blob *blob)
{
    if (!blob || !blob->data)
        return 0;
    int rc = given_take(blob->data, blob->len);
    if (rc == 0)
        free(blob->data);
    *blob = (struct sosia_blob){0};
    return rc;
}

/* ---- the empty world ---- */

/*
 * Its image, once it was made: the next engine of the process with the same tables takes it, which
 * is five times as fast as reading their SQL. A process with one engine keeps nothing: the
 * first time only what it was made of is kept.
 */
enum { KEPT_MAX = 4 };
static struct {
    uint64_t key; /* of the schemas; 0: free */
    unsigned char *image;
    size_t size;
} kept[KEPT_MAX];
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t schemas_key(const struct sosia_engine *e)
{
    uint64_t key = 1;
    for (const struct sosia_core **c = e->cores; *c; c++)
        if ((*c)->schema)
            key = XXH3_64bits_withSeed((*c)->schema, strlen((*c)->schema), key);
    return key ? key : 1;
}

/* A copy, to be freed with sqlite3_free(); NULL: there is none. */
static unsigned char *kept_image(uint64_t key, size_t *ret_size)
{
    unsigned char *copy = NULL;
    pthread_mutex_lock(&kept_lock);
    for (size_t i = 0; i < KEPT_MAX; i++)
        if (kept[i].key == key && kept[i].image && (copy = sqlite3_malloc64(kept[i].size)))
            memcpy(copy, kept[i].image, *ret_size = kept[i].size);
    pthread_mutex_unlock(&kept_lock);
    return copy;
}

/* Without memory nothing is kept. */
static void keep_image(uint64_t key, const unsigned char *image, size_t size)
{
    size_t i = 0;
    pthread_mutex_lock(&kept_lock);
    while (i < KEPT_MAX && kept[i].key && kept[i].key != key)
        i++;
    if (i < KEPT_MAX && kept[i].key && !kept[i].image && (kept[i].image = malloc(size)))
        memcpy(kept[i].image, image, kept[i].size = size);
    if (i < KEPT_MAX)
        kept[i].key = key;
    pthread_mutex_unlock(&kept_lock);
}

unsigned char *empty_image(const char *const *schemas, const char *format, size_t *ret_size,
                           struct sosia_err *err)
{
    sqlite3 *db = NULL;
    unsigned char *image = NULL;
    sqlite3_int64 size = 0;
    char text[128];
    snprintf(text, sizeof text, "pragma page_size = %d; pragma auto_vacuum = none; begin",
             STORE_PAGE_SIZE);
    int rc = sqlite3_open_v2(
        ":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, text, NULL, NULL, NULL);
    for (; rc == SQLITE_OK && *schemas; schemas++)
        rc = sqlite3_exec(db, *schemas, NULL, NULL, NULL);
    snprintf(text, sizeof text, "insert into meta values ('format', '%s'); commit", format);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, text, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        image = sqlite3_serialize(db, "main", &size, 0);
    rc = db ? sqlite3_errcode(db) & 0xff : SQLITE_NOMEM;
    if (!image && (rc == SQLITE_NOMEM || rc == SQLITE_OK || rc == SQLITE_DONE))
        sosia_fail_memory(err);
    else if (!image)
        sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "the empty world can't be made: %s",
                   sqlite3_errmsg(db));
    sqlite3_close(db);
    *ret_size = (size_t)size;
    return image;
}

/* With every core's tables. */
static unsigned char *make_image(const struct sosia_engine *e, size_t *ret_size,
                                 struct sosia_err *err)
{
    size_t n = 0;
    for (const struct sosia_core **c = e->cores; *c; c++)
        n++;
    const char **schemas = calloc(n + 1, sizeof *schemas);
    if (!schemas) {
        sosia_fail_memory(err);
        return NULL;
    }
    n = 0;
    for (const struct sosia_core **c = e->cores; *c; c++)
        if ((*c)->schema)
            schemas[n++] = (*c)->schema;
    unsigned char *image = empty_image(schemas, WORLD_FORMAT, ret_size, err);
    free(schemas);
    return image;
}

/* Takes the empty world over as a base. */
static int make_empty(struct sosia_engine *e, struct sosia_err *err)
{
    size_t size;
    uint64_t key = schemas_key(e);
    unsigned char *image = kept_image(key, &size);
    if (!image && (image = make_image(e, &size, err)))
        keep_image(key, image, size);
    int rc = image ? tree_load(e->store, image, size, &e->empty, err) : -1;
    sqlite3_free(image);
    return rc;
}

int worlds_open(struct sosia_engine *e, struct sosia_err *err)
{
    struct store_options store = {.max_size = e->options.max_size,
                                  .max_tree = e->options.max_world_size};
    if (getrandom(e->secret, sizeof e->secret, 0) != sizeof e->secret ||
        getrandom(&e->opening, sizeof e->opening, 0) != sizeof e->opening)
        return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "the system gives no random bytes");
    secrets_open(e);
    handle_lock_over_fork(&kept_lock);
    if (store_open(&store, &e->store, err) < 0 ||
        (e->options.data_dir && durable_open(e, e->options.data_dir, &e->durable, err) < 0) ||
        make_empty(e, err) < 0 || (e->durable && durable_start(e->durable, err) < 0) ||
        (e->options.evaluation && evaluation_begin_all(e, err) < 0))
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
    explicit_bzero(&e->shared, sizeof e->shared);
}

int sosia_engine_default_world(struct sosia_engine *engine, uint64_t world)
{
    if (!handle_is_out(HANDLE_ENGINE, engine))
        return -1;
    atomic_store(&engine->default_world, world);
    return 0;
}
