/* SPDX-License-Identifier: Apache-2.0 */
/* Names of worlds: given, taken away, found. */
#include "engine/world/engine.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include <stdio.h>

static int name_check(const char *name, struct sosia_err *err)
{
    size_t n = strlen(name);
    bool good = n > 0 && n < 64;
    for (size_t i = 0; good && i < n; i++)
        good = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z') ||
               (name[i] >= '0' && name[i] <= '9') || (i && strchr("-_.", name[i]));
    if (!good)
        return sosia_fail(
            err, SOSIA_E_INVALID, "name", "name",
            "a name has 1 to 63 letters, digits, '-', '_' and '.', and starts with no sign");
    if (world_id_from_key(name, n)) /* which is what it would be taken for */
        return sosia_fail(err, SOSIA_E_INVALID, "name", "name",
                          "a name must not be 16 hexadecimal digits, as keys are");
    return 0;
}

int world_name_set(struct sosia_engine *e, struct world *w, const char *name, struct sosia_err *err)
{
    if (!name || !*name)
        return 0;
    if (name_check(name, err) < 0)
        return -1;
    struct world_extra *x = world_extra(w);
    if (!x)
        return sosia_fail_memory(err);
    pthread_mutex_lock(&e->mutex);
    int rc = 0;
    if (map_get(&e->names, name))
        rc = sosia_fail(err, SOSIA_E_CONFLICT, "nameTaken", "name",
                        "there is a world \"%s\" already", name);
    else if (map_set(&e->names, name, (void *)(uintptr_t)w->id) < 0)
        rc = sosia_fail_memory(err);
    pthread_mutex_unlock(&e->mutex);
    if (rc == 0)
        snprintf(x->name, sizeof x->name, "%s", name);
    return rc;
}

void world_name_drop(struct sosia_engine *e, struct world *w)
{
    if (!w->extra || !w->extra->name[0])
        return;
    pthread_mutex_lock(&e->mutex);
    if ((uintptr_t)map_get(&e->names, w->extra->name) == w->id)
        map_remove(&e->names, w->extra->name);
    pthread_mutex_unlock(&e->mutex);
    w->extra->name[0] = 0;
}

/* The world of a name may be dropped between the look and the use: then its id is not found. */
static uint64_t id_of_name(struct sosia_engine *e, const char *name)
{
    pthread_mutex_lock(&e->mutex);
    uint64_t id = (uintptr_t)map_get(&e->names, name);
    pthread_mutex_unlock(&e->mutex);
    return id;
}

uint64_t engine_find_key(struct sosia_engine *e, const char *key, size_t len)
{
    uint64_t id = world_id_from_key(key, len);
    char name[64];
    if (id || len >= sizeof name)
        return id;
    memcpy(name, key, len);
    name[len] = 0;
    return id_of_name(e, name);
}

int sosia_world_find(struct sosia_engine *engine, const char *key_or_name, uint64_t *ret_world,
                     struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(key_or_name, "key_or_name", err) < 0 ||
        taken_pointer(ret_world, "ret_world", err) < 0)
        return -1;
    struct sosia_err local_err;
    err = err ? err : &local_err;
    uint64_t id = engine_find_key(engine, key_or_name, strlen(key_or_name));
    struct world *w = world_take(engine, id, err);
    if (!w && err->code == SOSIA_E_NOT_FOUND)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "worldNotFound", NULL,
                          "there is no world \"%.63s\"", key_or_name);
    if (!w)
        return -1;
    world_drop(w);
    *ret_world = id;
    return 0;
}

bool sosia_world_busy(struct sosia_engine *engine, const char *key_or_name)
{
    if (!handle_is_out(HANDLE_ENGINE, engine))
        return false;
    bool busy = false;
    uint64_t id = engine_find_key(engine, key_or_name, strlen(key_or_name));
    struct world *w = world_take_soon(engine, id, &busy, NULL);
    if (w)
        world_drop(w);
    return busy;
}

int sosia_world_rename(struct sosia_engine *engine, uint64_t world, const char *name,
                       struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    struct world *w = world_take(engine, world, err);
    if (!w)
        return -1;
    char old[64] = "";
    if (w->extra)
        memcpy(old, w->extra->name, sizeof old);
    if (strcmp(old, name ? name : "") == 0) {
        world_drop(w);
        return 0;
    }
    int rc = world_name_set(engine, w, name, err);
    if (rc == 0) {
        pthread_mutex_lock(&engine->mutex);
        if (old[0])
            map_remove(&engine->names, old);
        pthread_mutex_unlock(&engine->mutex);
        if (w->extra && (!name || !*name))
            w->extra->name[0] = 0;
        rc = world_changed(engine, w, err);
    }
    uint64_t ticket = w->ticket;
    world_drop(w);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}
