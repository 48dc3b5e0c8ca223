/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/disk.h"
#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>

struct file {
    sqlite3_file methods;
    sqlite3_file *real;
};

static sqlite3_vfs *under, over;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static long count, fail_at, fail_times;
static int fail_code;
static bool held, waiting;
static long reads, fail_read_at; /* each from that one on fails; 0: none */

void disk_fail(long n, long times, int code)
{
    pthread_mutex_lock(&mutex);
    count = 0;
    fail_at = n;
    fail_times = times;
    fail_code = code;
    pthread_mutex_unlock(&mutex);
}

void disk_fail_reads(long n)
{
    pthread_mutex_lock(&mutex);
    reads = 0;
    fail_read_at = n;
    pthread_mutex_unlock(&mutex);
}

long disk_count(void)
{
    pthread_mutex_lock(&mutex);
    long n = count;
    pthread_mutex_unlock(&mutex);
    return n;
}

void disk_hold(bool hold)
{
    pthread_mutex_lock(&mutex);
    held = hold;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
}

void disk_wait_held(void)
{
    pthread_mutex_lock(&mutex);
    while (!waiting)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
}

static int touch(bool sync)
{
    pthread_mutex_lock(&mutex);
    while (sync && held) {
        waiting = true;
        pthread_cond_broadcast(&cond);
        pthread_cond_wait(&cond, &mutex);
    }
    waiting = false;
    count++;
    int rc = fail_at && count >= fail_at && count < fail_at + fail_times ? fail_code : SQLITE_OK;
    pthread_mutex_unlock(&mutex);
    return rc;
}

static sqlite3_file *real(sqlite3_file *f)
{
    return ((struct file *)(void *)f)->real;
}

static int d_close(sqlite3_file *f)
{
    return real(f)->pMethods->xClose(real(f));
}

static int d_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    pthread_mutex_lock(&mutex);
    bool fails = ++reads >= fail_read_at && fail_read_at;
    pthread_mutex_unlock(&mutex);
    return fails ? SQLITE_IOERR_READ : real(f)->pMethods->xRead(real(f), to, n, at);
}

static int d_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
    int rc = touch(false);
    if (rc != SQLITE_OK) /* as a full disk does: half of it is there */
        real(f)->pMethods->xWrite(real(f), from, n / 2, at);
    return rc != SQLITE_OK ? rc : real(f)->pMethods->xWrite(real(f), from, n, at);
}

static int d_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    return real(f)->pMethods->xTruncate(real(f), size);
}

static int d_sync(sqlite3_file *f, int flags)
{
    return touch(true); /* no test stops the machine: the system's own sync would only take time */
}

static int d_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return real(f)->pMethods->xFileSize(real(f), size);
}

static int d_lock(sqlite3_file *f, int level)
{
    return real(f)->pMethods->xLock(real(f), level);
}

static int d_unlock(sqlite3_file *f, int level)
{
    return real(f)->pMethods->xUnlock(real(f), level);
}

static int d_reserved(sqlite3_file *f, int *out)
{
    return real(f)->pMethods->xCheckReservedLock(real(f), out);
}

static int d_control(sqlite3_file *f, int op, void *arg)
{
    return real(f)->pMethods->xFileControl(real(f), op, arg);
}

static int d_sector(sqlite3_file *f)
{
    return real(f)->pMethods->xSectorSize(real(f));
}

static int d_characteristics(sqlite3_file *f)
{
    return real(f)->pMethods->xDeviceCharacteristics(real(f));
}

static int d_shm_map(sqlite3_file *f, int n, int size, int extend, void volatile **ret)
{
    return real(f)->pMethods->xShmMap(real(f), n, size, extend, ret);
}

static int d_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
    return real(f)->pMethods->xShmLock(real(f), at, n, flags);
}

static void d_shm_barrier(sqlite3_file *f)
{
    real(f)->pMethods->xShmBarrier(real(f));
}

static int d_shm_unmap(sqlite3_file *f, int remove)
{
    return real(f)->pMethods->xShmUnmap(real(f), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xShmMap = d_shm_map,
    .xShmLock = d_shm_lock,
    .xShmBarrier = d_shm_barrier,
    .xShmUnmap = d_shm_unmap,
    .xClose = d_close,
    .xRead = d_read,
    .xWrite = d_write,
    .xTruncate = d_truncate,
    .xSync = d_sync,
    .xFileSize = d_size,
    .xLock = d_lock,
    .xUnlock = d_unlock,
    .xCheckReservedLock = d_reserved,
    .xFileControl = d_control,
    .xSectorSize = d_sector,
    .xDeviceCharacteristics = d_characteristics,
};

static int d_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
    struct file *file = (struct file *)(void *)f;
    file->real = (sqlite3_file *)(void *)(file + 1);
    int rc = under->xOpen(under, name, file->real, flags, out);
    f->pMethods = rc == SQLITE_OK ? &methods : NULL;
    return rc;
}

void disk_install(void)
{
    if (under)
        return;
    sqlite3_initialize();
    under = sqlite3_vfs_find("unix-excl"); /* the durable store's */
    over = *under;
    over.szOsFile += (int)sizeof(struct file);
    over.xOpen = d_open;
    over.pNext = NULL;
    sqlite3_vfs_register(&over, 1);
}
