/* SPDX-License-Identifier: Apache-2.0 */
/* The shared library is loaded, used by a thread, and unloaded, before the thread ends, which must
 * not run code that is gone. argument: the library. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>

struct sosia_engine;
struct sosia_err;

static sem_t used, unloaded;
static int failed;
static void *library;

static void *use(void *arg)
{
    int (*open)(const void *opt, struct sosia_engine **engine, struct sosia_err *err) =
        (int (*)(const void *, struct sosia_engine **, struct sosia_err *))(uintptr_t)dlsym(
            library, "sosia_engine_open");
    int (*create)(struct sosia_engine * engine, const void *opt, uint64_t *world,
                  struct sosia_err *err) =
        (int (*)(struct sosia_engine *, const void *, uint64_t *, struct sosia_err *))(
            uintptr_t)dlsym(library, "sosia_world_create");
    int (*close)(struct sosia_engine * engine) =
        (int (*)(struct sosia_engine *))(uintptr_t)dlsym(library, "sosia_engine_close");
    struct sosia_engine *engine;
    uint64_t world;
    failed = !open || !create || !close || open(NULL, &engine, NULL) < 0 ||
             create(engine, NULL, &world, NULL) < 0 || close(engine) < 0;
    sem_post(&used);
    sem_wait(&unloaded);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fprintf(stderr, "the library can't be loaded: %s\n", dlerror());
        return 2;
    }
    sem_init(&used, 0, 0);
    sem_init(&unloaded, 0, 0);
    if (pthread_create(&thread, NULL, use, NULL) != 0)
        return 2;
    sem_wait(&used);
    dlclose(library);
    sem_post(&unloaded);
    pthread_join(thread, NULL);
    return failed;
}
