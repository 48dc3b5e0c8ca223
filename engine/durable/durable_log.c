/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damage in the write-ahead log. SQLite stops reading the log at the first frame that does not have
 * its checksum, as it must with what a crash left half-written; so a damaged frame would lose all
 * commits behind it without an error. Two things distinguish damage from the end of a crashed log
 * (https://www.sqlite.org/fileformat2.html#the_write_ahead_log):
 *
 * - A mark beside the log says how many frames were on disk when a change was acknowledged. It is
 *   written without a sync: after a crash of the process it is exact, after one of the machine it
 *   may be old and then has too few frames, but never too many.
 * - A transaction is begun when the one before it is on disk, so that a crash can leave only the
 *   last one torn. A commit behind the first bad frame with more of the same log behind it shows
 *   that what is bad had been synced. This does not hold in a log in which a transaction failed or
 *   was left torn, since what it wrote may be behind shorter ones: the mark has that too.
 */
#include "engine/durable/durable_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define LOG_HEAD   32
#define FRAME_HEAD 24
#define MAGIC      0x377f0682u /* with 1 added checksums are of big-endian words */

struct log {
    int fd;
    bool big_endian;
    uint32_t page_size;
    uint8_t salts[8];
    uint32_t sum[2];
    int64_t frames; /* whole ones that the file has room for */
};

static uint32_t word(const uint8_t *p, bool big)
{
    return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
               : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static void add_to_sum(struct log *l, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        l->sum[0] += word(p + i, l->big_endian) + l->sum[1];
        l->sum[1] += word(p + i + 4, l->big_endian) + l->sum[0];
    }
}

static bool sum_is(const struct log *l, const uint8_t *p)
{
    return word(p, true) == l->sum[0] && word(p + 4, true) == l->sum[1];
}

/* 1: that much was read; 0: there is less; -1. */
static int read_at(int fd, void *to, size_t n, int64_t at)
{
    for (size_t got = 0; got < n;) {
        ssize_t r = pread(fd, (char *)to + got, n - got, at + (int64_t)got);
        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            return r < 0 ? -1 : 0;
        got += (size_t)r;
    }
    return 1;
}

/* ---- the mark ---- */

/* Where a mark can't be kept (a full disk), damage in the log's last transaction is not found. */
static void mark_write(struct durable *d)
{
    struct log_mark m = d->mark;
    m.hash = XXH3_64bits(&m, offsetof(struct log_mark, hash));
    if (d->mark_fd >= 0 && pwrite(d->mark_fd, &m, sizeof m, 0) != (ssize_t)sizeof m) {
        close(d->mark_fd);
        d->mark_fd = -1;
        (void)unlinkat(d->dir_fd, "log-mark", 0);
    }
}

/* A mark that is not as it was written counts as none. */
static void mark_open(struct durable *d)
{
    struct log_mark m;
    int flags = d->check ? O_RDONLY : O_RDWR | O_CREAT;
    d->mark_fd = openat(d->dir_fd, "log-mark", flags | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (d->mark_fd >= 0 && read_at(d->mark_fd, &m, sizeof m, 0) > 0 &&
        m.hash == XXH3_64bits(&m, offsetof(struct log_mark, hash)))
        d->mark = m;
}

/* The salts of the log as it is now; false: it has no head. */
static bool find_salts(struct durable *d, uint8_t ret[8])
{
    if (d->log_fd < 0)
        d->log_fd = openat(d->dir_fd, "sosia.db-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    return d->log_fd >= 0 && read_at(d->log_fd, ret, 8, 16) > 0;
}

void log_committed(struct durable *d, int frames)
{
    uint8_t salts[8];
    if (!find_salts(d, salts))
        return;
    if (memcmp(d->mark.salts, salts, sizeof salts) != 0) {
        memcpy(d->mark.salts, salts, sizeof salts);
        d->mark.remains = 0;
    }
    d->mark.frames = (uint32_t)frames;
    mark_write(d);
}

void log_has_remains(struct durable *d)
{
    uint8_t salts[8];
    if (!find_salts(d, salts) || (d->mark.remains && !memcmp(d->mark.salts, salts, sizeof salts)))
        return;
    if (memcmp(d->mark.salts, salts, sizeof salts) != 0)
        d->mark.frames = 0;
    memcpy(d->mark.salts, salts, sizeof salts);
    d->mark.remains = 1;
    mark_write(d);
    if (d->mark_fd >= 0)
        (void)fdatasync(d->mark_fd); /* the disk has failed already: it may fail again */
}

void log_ends(struct durable *d)
{
    if (d->mark_fd >= 0 && d->started && !d->mark.remains)
        (void)ftruncate(d->mark_fd, 0); /* one that stays is of salts that do not come again */
    if (d->mark_fd >= 0)
        close(d->mark_fd);
    if (d->log_fd >= 0)
        close(d->log_fd);
}

/* ---- looking ---- */

/* 1: the head is there; 0: there is no log, or nothing in it; -1 damaged, and reported. */
static int read_head(struct durable *d, struct log *l, struct sosia_err *err)
{
    static const uint8_t nothing[LOG_HEAD];
    struct stat st;
    uint8_t head[LOG_HEAD];
    if (fstat(l->fd, &st) < 0 || st.st_size <= LOG_HEAD)
        return 0;
    if (read_at(l->fd, head, sizeof head, 0) <= 0)
        return rows_damaged(d, "log", 0, "can't be read", err);
    if (memcmp(head, nothing, sizeof head) == 0)
        return 0;
    l->page_size = word(head + 8, true);
    l->big_endian = head[3] & 1;
    add_to_sum(l, head, 24);
    if ((word(head, true) & ~1u) != MAGIC || !sum_is(l, head + 24) || l->page_size < 512 ||
        l->page_size > 65536 || (l->page_size & (l->page_size - 1)))
        return rows_damaged(d, "log", 0, "its head is not what was written", err);
    memcpy(l->salts, head + 16, sizeof l->salts);
    l->frames = (st.st_size - LOG_HEAD) / (FRAME_HEAD + (int64_t)l->page_size);
    return 1;
}

static int64_t frame_at(const struct log *l, int64_t n)
{
    return LOG_HEAD + n * (FRAME_HEAD + (int64_t)l->page_size);
}

/* A frame of the log as it is now, not of one that was there before in the same file. */
static bool of_this_log(const struct log *l, const uint8_t *frame)
{
    return memcmp(frame + 8, l->salts, sizeof l->salts) == 0 && word(frame, true) != 0;
}

static bool is_commit(const uint8_t *frame)
{
    return word(frame + 4, true) != 0;
}

/* How many frames are as they were written, and how many of them end with a commit. -1: without
 * memory. */
static int count_good(struct log *l, int64_t *ret_good, int64_t *ret_committed,
                      struct sosia_err *err)
{
    size_t len = FRAME_HEAD + l->page_size;
    uint8_t *frame = malloc(len);
    if (!frame)
        return sosia_fail_memory(err);
    int64_t n = 0;
    for (*ret_committed = 0; n < l->frames; n++) {
        if (read_at(l->fd, frame, len, frame_at(l, n)) <= 0 || !of_this_log(l, frame))
            break;
        add_to_sum(l, frame, 8);
        add_to_sum(l, frame + FRAME_HEAD, l->page_size);
        if (!sum_is(l, frame + 16))
            break;
        if (is_commit(frame))
            *ret_committed = n + 1;
    }
    free(frame);
    *ret_good = n;
    return 0;
}

/* Is there a commit among the frames from n on, and more behind it? *ret_any: there are frames. */
static bool commit_was_synced(const struct log *l, int64_t n, bool *ret_any)
{
    uint8_t head[FRAME_HEAD];
    bool commit = false;
    *ret_any = false;
    for (; n < l->frames && read_at(l->fd, head, sizeof head, frame_at(l, n)) > 0; n++) {
        if (!of_this_log(l, head))
            continue;
        *ret_any = true;
        if (commit)
            return true;
        commit = is_commit(head);
    }
    return false;
}

static int check_log(struct durable *d, struct log *l, struct sosia_err *err)
{
    int64_t good, committed;
    char what[100];
    int rc = read_head(d, l, err);
    if (rc <= 0)
        return rc;
    if (count_good(l, &good, &committed, err) < 0)
        return -1;
    bool marked = memcmp(d->mark.salts, l->salts, sizeof l->salts) == 0;
    bool remains, synced = commit_was_synced(l, good, &remains);
    if ((marked && committed < d->mark.frames) || (synced && !(marked && d->mark.remains))) {
        snprintf(what, sizeof what,
                 "frame %lld is not what was written, and changes behind it are lost",
                 (long long)good + 1);
        return rows_damaged(d, "log", 0, what, err);
    }
    if (remains && !d->check)
        log_has_remains(d);
    return 0;
}

int log_check(struct durable *d, struct sosia_err *err)
{
    mark_open(d);
    struct log l = {.fd = openat(d->dir_fd, "sosia.db-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
    if (l.fd < 0)
        return 0;
    int rc = check_log(d, &l, err);
    close(l.fd);
    if (d->log_fd >= 0)
        close(d->log_fd);
    d->log_fd = -1; /* SQLite may begin another file */
    return rc;
}
