/* SPDX-License-Identifier: Apache-2.0 */
/* The empty world that every world begins as. */
#include "engine/base/handle.h"
#include "engine/world/engine.h"
#include "engine/world/image.h"
#include "engine/world/upgrade.h"
#include <pthread.h>
#include <stdlib.h>

/*
 * Its image, once it was made of tables that the library does not carry (engine/world/image.h): the
 * next engine of the process with the same tables takes it, which is five times as fast as reading
 * their SQL. A process with one engine keeps nothing: the first time only what it was made of is
 * kept.
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
            key = image_key((*c)->schema, key);
    return key;
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
    sqlite3 *db;
    unsigned char *image = image_make(schemas, format, &db, ret_size);
    int rc = db ? sqlite3_errcode(db) & 0xff : SQLITE_NOMEM;
    if (!image && (rc == SQLITE_NOMEM || rc == SQLITE_OK || rc == SQLITE_DONE))
        sosia_fail_memory(err);
    else if (!image)
        sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "the empty world can't be made: %s",
                   sqlite3_errmsg(db));
    sqlite3_close(db);
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

int empty_make(struct sosia_engine *e, struct sosia_err *err)
{
    const char *schema;
    size_t size;
    handle_lock_over_fork(&kept_lock);
    uint64_t key = schemas_key(e);
    if (image_carried(key, &size, &schema))
        return tree_load_known(e->store, schema, image_carried_write, size, &e->empty, err);
    unsigned char *image = kept_image(key, &size);
    if (!image && (image = make_image(e, &size, err)))
        keep_image(key, image, size);
    int rc = image ? tree_load(e->store, image, size, &e->empty, err) : -1;
    sqlite3_free(image);
    return rc;
}
