/* SPDX-License-Identifier: Apache-2.0 */
/* The store, which owns pages and bases: from its opening, with SQLite's, to its end. */
#include "engine/base/handle.h"
#include "engine/store/page_impl.h"
#include "engine/store/pcache.h"
#include "engine/store/slot.h"
#include <sqlite3.h>
#include <stdlib.h>

/* SQLite's own, outermost first; a build without threads has none of them. */
static const int sqlite_locks[] = {
    SQLITE_MUTEX_STATIC_MAIN, SQLITE_MUTEX_STATIC_OPEN, SQLITE_MUTEX_STATIC_VFS1,
    SQLITE_MUTEX_STATIC_VFS2, SQLITE_MUTEX_STATIC_VFS3, SQLITE_MUTEX_STATIC_LRU,
    SQLITE_MUTEX_STATIC_PMEM, SQLITE_MUTEX_STATIC_PRNG, SQLITE_MUTEX_STATIC_MEM};

static void take_sqlite(void)
{
    for (size_t i = 0; i < SOSIA_LEN(sqlite_locks); i++)
        sqlite3_mutex_enter(sqlite3_mutex_alloc(sqlite_locks[i]));
}

static void give_sqlite(void)
{
    for (size_t i = SOSIA_LEN(sqlite_locks); i-- > 0;)
        sqlite3_mutex_leave(sqlite3_mutex_alloc(sqlite_locks[i]));
}

static void set_up_sqlite(void)
{
    handle_over_fork(take_sqlite, give_sqlite);
#ifdef SOSIA_SQLITE_BUNDLED /* else SQLite belongs to others too */
    pcache_install();
    sqlite3_test_control(SQLITE_TESTCTRL_LOCALTIME_FAULT, 1); /* the machine's zone: none */
#endif
}

int sqlite_start(struct sosia_err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up_sqlite);
    return sqlite3_initialize() == SQLITE_OK ? 0 : sosia_fail_memory(err);
}

int store_open(const struct store_options *opt, struct store **ret_store, struct sosia_err *err)
{
    if (sqlite_start(err) < 0)
        return -1;
    struct store *s = calloc(1, sizeof *s);
    if (!s)
        return sosia_fail_memory(err);
    if (opt)
        s->opt = *opt;
    pthread_mutex_init(&s->lock, NULL);
    map_init(&s->cookies);
    *ret_store = s;
    return 0;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    alloc_close(s);
    bases_close(s);
    map_done(&s->cookies);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
