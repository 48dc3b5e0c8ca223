/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/spool.h"
#include "engine/base/handle.h"
#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <xxhash.h>

enum {
    PIECE = SPOOL_ROOM,    /* bytes that are written at once: in small ones a file takes twice as
                              long */
    LOOK_EVERY = 16 << 20, /* bytes between two looks at what the disk has left */
    LEAVE_PART = 50,       /* of the disk that is left for others: a part, but */
    LEAVE_MOST = 1 << 30   /* not more than so many bytes */
};

struct sosia_spool {
    pthread_mutex_t lock; /* of its end, its view and what is written: calls may be made at once */
    int fd;
    int fault; /* errno of what failed: bytes are missing; 0: nothing did */
    bool ended;
    int64_t length, max, looked;
    size_t n;   /* bytes that wait in the buffer */
    char *buf;  /* PIECE bytes; NULL: it has ended */
    char *view; /* length + 1 bytes; NULL: not mapped */
    gnutls_hash_hd_t hash;
    XXH3_state_t *xxh;
    uint8_t sha256[32];
    XXH128_canonical_t xxh3;
};

static int fail_errno(struct sosia_err *err)
{
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
        return sosia_fail(err, SOSIA_E_FULL, "spoolFull", NULL,
                          "the disk has no room for the request's body");
    return sosia_fail(err, SOSIA_E_IO, "spool", NULL, "the request's body can't be kept: %s",
                      strerror(errno));
}

/* A file that has no name, or none any more. */
static int open_unnamed(const char *dir)
{
    char path[4096];
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    if (snprintf(path, sizeof path, "%s/.spool-XXXXXX", dir) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

int spool_open(const char *dir, int64_t max, struct sosia_spool **ret, struct sosia_err *err)
{
    struct sosia_spool *s = handle_new(HANDLE_SPOOL, sizeof *s);
    if (!s)
        return sosia_fail_memory(err);
    s->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    s->max = max;
    s->fd = open_unnamed(dir);
    if (s->fd < 0) {
        fail_errno(err);
        handle_free(HANDLE_SPOOL, s);
        return -1;
    }
    s->xxh = XXH3_createState();
    s->buf = malloc(PIECE);
    if (!s->buf || !s->xxh || gnutls_hash_init(&s->hash, GNUTLS_DIG_SHA256) < 0) {
        s->hash = NULL;
        spool_free(s);
        return sosia_fail_memory(err);
    }
    XXH3_128bits_reset(s->xxh);
    *ret = s;
    return 0;
}

/* Bytes are missing from now on. */
static int spoil(struct sosia_spool *s, int fault, struct sosia_err *err)
{
    s->fault = errno = fault;
    return fail_errno(err);
}

/* A full disk fails all writes, not only this one. */
static int spool_look(struct sosia_spool *s, struct sosia_err *err)
{
    struct statvfs f;
    if (s->length - s->looked < LOOK_EVERY)
        return 0;
    s->looked = s->length;
    if (fstatvfs(s->fd, &f) < 0 || !f.f_blocks)
        return 0;
    uint64_t left = (uint64_t)f.f_bavail * f.f_frsize;
    uint64_t leave = (uint64_t)f.f_blocks * f.f_frsize / LEAVE_PART;
    if (left >= leave || left >= LEAVE_MOST)
        return 0;
    return spoil(s, ENOSPC, err);
}

static int write_all(struct sosia_spool *s, const char *p, size_t n, struct sosia_err *err)
{
    while (n) {
        ssize_t did = write(s->fd, p, n);
        if (did < 0 && errno == EINTR)
            continue;
        if (did <= 0)
            return spoil(s, did < 0 ? errno : EIO, err);
        p += did;
        n -= (size_t)did;
    }
    return 0;
}

/* Writes and digests. What has failed once fails again: a part of it may have been written. */
static int put(struct sosia_spool *s, const char *data, size_t n, struct sosia_err *err)
{
    if (s->fault)
        return spoil(s, s->fault, err);
    if (spool_look(s, err) < 0 || write_all(s, data, n, err) < 0)
        return -1;
    gnutls_hash(s->hash, data, n);
    XXH3_128bits_update(s->xxh, data, n);
    return 0;
}

static int add(struct sosia_spool *s, const void *data, size_t n, struct sosia_err *err)
{
    if (s->ended)
        return sosia_fail(err, SOSIA_E_INVALID, "spoolEnded", NULL, "the body has ended already");
    if (n > (uint64_t)(s->max - s->length))
        return sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                          "the request's body must have at most %lld bytes, has at least %lld",
                          (long long)s->max, (long long)(s->length + (int64_t)n));
    const char *p = data;
    s->length += (int64_t)n;
    while (n) {
        size_t part = PIECE - s->n < n ? PIECE - s->n : n;
        const char *from = part < PIECE ? s->buf : p;
        if (part < PIECE)
            memcpy(s->buf + s->n, p, part);
        s->n += part;
        if (s->n == PIECE && put(s, from, PIECE, err) < 0)
            return -1;
        s->n %= PIECE;
        p += part;
        n -= part;
    }
    return 0;
}

int spool_write(struct sosia_spool *s, const void *data, size_t n, struct sosia_err *err)
{
    pthread_mutex_lock(&s->lock);
    int rc = add(s, data, n, err);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int64_t spool_length(const struct sosia_spool *s)
{
    return s->length;
}

static int finish(struct sosia_spool *s, struct sosia_err *err)
{
    if (s->ended)
        return 0;
    if (put(s, s->buf, s->n, err) < 0 || write_all(s, "", 1, err) < 0) /* the NUL behind it */
        return -1;
    free(s->buf);
    s->buf = NULL;
    gnutls_hash_deinit(s->hash, s->sha256);
    s->hash = NULL;
    XXH128_canonicalFromHash(&s->xxh3, XXH3_128bits_digest(s->xxh));
    s->ended = true;
    return 0;
}

int spool_end(struct sosia_spool *s, struct sosia_err *err)
{
    pthread_mutex_lock(&s->lock);
    int rc = finish(s, err);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

const uint8_t *spool_sha256(const struct sosia_spool *s)
{
    return s->sha256;
}

const uint8_t *spool_xxh3(const struct sosia_spool *s)
{
    return s->xxh3.digest;
}

int spool_read(const struct sosia_spool *s, int64_t at, void *to, size_t n, struct sosia_err *err)
{
    char *p = to;
    while (n) {
        ssize_t did = pread(s->fd, p, n, at);
        if (did < 0 && errno == EINTR)
            continue;
        if (did <= 0) {
            errno = did < 0 ? errno : EIO;
            return fail_errno(err);
        }
        p += did;
        at += did;
        n -= (size_t)did;
    }
    return 0;
}

int spool_view(struct sosia_spool *s, const char **ret, struct sosia_err *err)
{
    int rc = 0;
    pthread_mutex_lock(&s->lock);
    if (!s->view) {
        void *p = mmap(NULL, (size_t)s->length + 1, PROT_READ, MAP_PRIVATE, s->fd, 0);
        if (p != MAP_FAILED)
            s->view = p;
        else
            rc = errno == ENOMEM ? sosia_fail_memory(err) : fail_errno(err);
    }
    if (rc == 0)
        *ret = s->view;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

void spool_free(struct sosia_spool *s)
{
    if (!s)
        return;
    if (s->view)
        munmap(s->view, (size_t)s->length + 1);
    if (s->hash)
        gnutls_hash_deinit(s->hash, NULL);
    XXH3_freeState(s->xxh);
    free(s->buf);
    close(s->fd);
    pthread_mutex_destroy(&s->lock);
    handle_free(HANDLE_SPOOL, s);
}
