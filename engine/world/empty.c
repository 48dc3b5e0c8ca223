/* SPDX-License-Identifier: Apache-2.0 */
/* The empty world that every world begins as. */
#include "engine/base/handle.h"
#include "engine/world/engine.h"
#include "engine/world/upgrade.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

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

int empty_make(struct sosia_engine *e, struct sosia_err *err)
{
    size_t size;
    handle_lock_over_fork(&kept_lock);
    uint64_t key = schemas_key(e);
    unsigned char *image = kept_image(key, &size);
    if (!image && (image = make_image(e, &size, err)))
        keep_image(key, image, size);
    int rc = image ? tree_load(e->store, image, size, &e->empty, err) : -1;
    sqlite3_free(image);
    return rc;
}
