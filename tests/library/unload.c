/* SPDX-License-Identifier: Apache-2.0 */
/* The shared library is loaded, used by a thread that leaves an engine open, and unloaded, before
 * the thread ends, which must not run code that is gone. argument: the library. */
#include "sosia.h"
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static sem_t used, unloaded;
static int failed;
static void *library;

static void *use(void *arg)
{
    static const char doc[] = "{\"sosia\": 1, \"people\": [{\"email\": \"ann@example.com\"}]}";
    const struct sosia_world_options options = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    __typeof__(&sosia_engine_open) open = NULL;
    __typeof__(&sosia_world_create) create = NULL;
    struct sosia_engine *engine;
    uint64_t world;
    *(void **)&open = dlsym(library, "sosia_engine_open");
    *(void **)&create = dlsym(library, "sosia_world_create");
    failed = !open || !create || open(NULL, &engine, NULL) < 0 ||
             create(engine, &options, &world, NULL) < 0;
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
