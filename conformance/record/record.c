/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/record/record.h"
#include "engine/base/codec.h"
#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <pthread.h>
#include <stdio.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RECORDING_VERSION = 1 };

struct recording {
    int journal, side; /* descriptors, opened for appending */
    bool lazy;
    struct redactor *redactor;
    pthread_mutex_t lock;  /* of all below */
    struct buf line, note; /* of the side file */
    int64_t exchange;      /* that is redacted now */
    size_t count;
    _Atomic int64_t last; /* number */
};

/* ---- files ---- */

static int io_error(struct sosia_err *err, const char *dir, const char *name)
{
    return sosia_fail(err, SOSIA_E_IO, "file", NULL, "%s%s%s: %s", dir, *name ? "/" : "", name,
                      strerror(errno));
}

static int path_in(char ret[4096], const char *dir, const char *name, struct sosia_err *err)
{
    if (snprintf(ret, 4096, "%s/%s", dir, name) < 4096)
        return 0;
    return sosia_fail(err, SOSIA_E_INVALID, "file", NULL, "the directory's name is too long");
}

/* A descriptor, or -1. */
static int open_in(const char *dir, const char *name, int flags, struct sosia_err *err)
{
    char path[4096];
    if (path_in(path, dir, name, err) < 0)
        return -1;
    int fd = open(path, flags | O_CLOEXEC, 0600);
    return fd >= 0 ? fd : io_error(err, dir, name);
}

static int write_all(int fd, const struct buf *b)
{
    for (size_t at = 0; at < b->len;) {
        ssize_t n = write(fd, b->data + at, b->len - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        at += (size_t)n;
    }
    return 0;
}

int file_read(const char *file, size_t max, struct buf *ret, struct sosia_err *err)
{
    char chunk[65536];
    ssize_t n;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "file", NULL, "%s: %s", file, strerror(errno));
    buf_init(ret, max);
    while ((n = read(fd, chunk, sizeof chunk)) > 0 && !buf_failed(ret))
        buf_add(ret, chunk, (size_t)n);
    int why = errno;
    close(fd);
    if (n == 0 && !buf_failed(ret))
        return 0;
    buf_done(ret);
    if (n < 0)
        return sosia_fail(err, SOSIA_E_IO, "file", NULL, "%s: %s", file, strerror(why));
    return sosia_fail(err, SOSIA_E_TOO_LARGE, "file", NULL, "%s: is too large", file);
}

int file_write(const char *file, const struct buf *content, struct sosia_err *err)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.new", file) >= (int)sizeof temporary)
        return sosia_fail(err, SOSIA_E_INVALID, "file", NULL, "the file's name is too long");
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return io_error(err, temporary, "");
    int rc = write_all(fd, content);
    rc |= close(fd);
    if (rc == 0 && rename(temporary, file) == 0)
        return 0;
    io_error(err, file, "");
    unlink(temporary);
    return -1;
}

/* ---- what is put down ---- */

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void write_place(void *arg, enum redact_kind kind, const char *path, const char *with)
{
    struct recording *r = arg;
    struct json_writer w;
    json_init(&w, &r->note, false, NULL);
    json_obj(&w, NULL);
    json_int(&w, "exchange", r->exchange);
    json_str(&w, "kind", redact_kinds[kind]);
    json_str(&w, "at", path);
    json_str(&w, "with", with);
    json_end(&w);
    buf_byte(&r->note, '\n');
}

static void write_made(void *arg, const char *kind, const char *tag, const char *with)
{
    struct recording *r = arg;
    struct json_writer w;
    json_init(&w, &r->note, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "made", kind);
    json_str(&w, "tag", tag);
    json_str(&w, "with", with);
    json_end(&w);
    buf_byte(&r->note, '\n');
}

/* Whole lines, or none: one that is broken off in the middle would spoil those behind it. */
static int append_lines(int fd, const struct buf *b, bool lazy)
{
    off_t end = lseek(fd, 0, SEEK_END);
    if (end >= 0 && write_all(fd, b) == 0 && (lazy || fdatasync(fd) == 0))
        return 0;
    int why = errno;
    if (end >= 0 && ftruncate(fd, end) < 0)
        why = errno;
    errno = why;
    return -1;
}

/* Writes the reports, then the line; under the lock. Reports that can't be written are kept for the
 * next time: what was made up is used again. */
static int put_down(struct recording *r, struct sosia_err *err)
{
    buf_byte(&r->line, '\n');
    int rc = 0;
    bool full = buf_failed(&r->line) || buf_failed(&r->note), noted = false;
    if (full)
        rc = sosia_fail_memory(err);
    else if (!(noted = append_lines(r->side, &r->note, true) == 0) ||
             append_lines(r->journal, &r->line, r->lazy) < 0)
        rc = sosia_fail(err, SOSIA_E_IO, "file", NULL, "the recording can't be written: %s",
                        strerror(errno));
    buf_clear(&r->line);
    if (noted || full)
        buf_clear(&r->note);
    return rc;
}

int recording_actor(struct recording *r, const char *email, const char *token,
                    struct sosia_err *err)
{
    struct arena a;
    struct json_writer w;
    arena_init(&a, 0);
    pthread_mutex_lock(&r->lock);
    json_init(&w, &r->line, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "actor", redact_address(r->redactor, &a, email));
    if (token)
        json_str(&w, "token", redact_token(r->redactor, &a, token));
    json_end(&w);
    int rc = put_down(r, err);
    pthread_mutex_unlock(&r->lock);
    arena_done(&a);
    return rc;
}

int64_t recording_number(struct recording *r)
{
    return atomic_fetch_add(&r->last, 1) + 1;
}

int recording_add(struct recording *r, struct arena *a, struct wire *e, struct sosia_err *err)
{
    struct json_writer w;
    pthread_mutex_lock(&r->lock);
    r->exchange = e->n;
    int rc = redact_wire(r->redactor, a, e, err);
    if (rc == 0) {
        json_init(&w, &r->line, false, NULL);
        wire_write(&w, NULL, e);
        rc = put_down(r, err);
    } else {
        buf_clear(&r->note);
    }
    r->count += rc == 0;
    pthread_mutex_unlock(&r->lock);
    return rc;
}

size_t recording_count(struct recording *r)
{
    pthread_mutex_lock(&r->lock);
    size_t n = r->count;
    pthread_mutex_unlock(&r->lock);
    return n;
}

void recording_redacted(struct recording *r, size_t ret_counts[N_REDACT_KINDS])
{
    pthread_mutex_lock(&r->lock);
    redactor_counts(r->redactor, ret_counts);
    pthread_mutex_unlock(&r->lock);
}

/* ---- lines ---- */

struct lines {
    const char *file;
    const char *at, *end; /* end: behind the last whole line */
    int number;           /* of the line at */
    struct arena *arena;
    struct sosia_err *err;
};

/* 1: *ret is a line, parsed into *ret_doc; 0: there are no more; -1. */
static int next_line(struct lines *l, struct doc *ret_doc, const struct json **ret)
{
    struct json_limits limits = {.max_size = 1u << 30, .unique_keys = true};
    struct sosia_err found = {0};
    if (l->at == l->end)
        return 0;
    const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
    l->number++;
    *ret_doc = (struct doc){.arena = l->arena,
                            .text = l->at,
                            .len = (size_t)(newline - l->at),
                            .name = arena_printf(l->arena, "%s:%d", l->file, l->number),
                            .err = l->err};
    if (json_parse(l->arena, l->at, ret_doc->len, &limits, ret, &found) < 0)
        return sosia_fail(l->err, found.code, "journal", NULL, "%s:%d: %s", l->file, l->number,
                          found.text);
    if ((*ret)->type != JSON_OBJECT)
        return doc_fail(ret_doc, *ret, NULL, "must be an object");
    l->at = newline + 1;
    return 1;
}

/* Whole lines of a text; *ret_torn: bytes behind the last of them. */
static struct lines lines_of(const char *file, const struct buf *text, struct arena *a,
                             size_t *ret_torn, struct sosia_err *err)
{
    const char *start = text->data ? text->data : "";
    const char *last = text->len ? memrchr(start, '\n', text->len) : NULL;
    size_t whole = last ? (size_t)(last - start) + 1 : 0;
    *ret_torn = text->len - whole;
    return (struct lines){.file = file, .at = start, .end = start + whole, .arena = a, .err = err};
}

/* ---- reading ---- */

static int read_head(struct doc *d, const struct json *v, struct recorded *r)
{
    static const char *const members[] = {"recording", "at",   "target", "world",
                                          "title",     "keep", NULL};
    int64_t version;
    if (doc_object(d, v, members) < 0 ||
        doc_int(d, v, "recording", 1, INT32_MAX, 0, &version) < 0 ||
        doc_str(d, v, "target", false, &r->target) < 0 ||
        doc_str(d, v, "world", false, &r->world) < 0 ||
        doc_str(d, v, "title", false, &r->title) < 0)
        return -1;
    if (version != RECORDING_VERSION)
        return doc_fail(d, v, "recording", "must be %d, the version of the format",
                        RECORDING_VERSION);
    return 0;
}

/* A list that grows in an arena. */
static void *append(struct arena *a, void *list, size_t n, size_t size)
{
    if (n & (n - 1)) /* full at powers of two only */
        return list;
    void *to = arena_calloc(a, n ? 2 * n : 1, size);
    if (n && !arena_failed(a))
        memcpy(to, list, n * size);
    return to;
}

static int read_line(struct doc *d, const struct json *v, struct recorded *r)
{
    static const char *const members[] = {"actor", "token", NULL};
    if (json_get(v, "recording"))
        return read_head(d, v, r);
    if (json_get(v, "actor")) {
        r->actors = append(&r->arena, r->actors, r->n_actors, sizeof *r->actors);
        if (arena_failed(&r->arena))
            return sosia_fail_memory(d->err);
        struct recorded_actor *a = &r->actors[r->n_actors++];
        *a = (struct recorded_actor){0};
        return doc_object(d, v, members) < 0 || doc_str(d, v, "actor", true, &a->email) < 0
                   ? -1
                   : doc_str(d, v, "token", false, &a->token);
    }
    r->exchanges = append(&r->arena, r->exchanges, r->n, sizeof *r->exchanges);
    if (arena_failed(&r->arena))
        return sosia_fail_memory(d->err);
    return wire_read(d, v, &r->exchanges[r->n++]);
}

static int by_number(const void *a, const void *b)
{
    int64_t x = ((const struct wire *)a)->n, y = ((const struct wire *)b)->n;
    return x < y ? -1 : x > y;
}

static int read_journal(struct recorded *r, const char *file, struct sosia_err *err)
{
    struct buf text;
    struct doc d;
    const struct json *v;
    int rc;
    if (file_read(file, 0, &text, err) < 0)
        return -1;
    struct buf kept = text;
    kept.data = arena_memdup(&r->arena, text.data ? text.data : "", text.len);
    buf_done(&text);
    if (arena_failed(&r->arena))
        return sosia_fail_memory(err);
    struct lines l = lines_of(file, &kept, &r->arena, &r->torn, err);
    while ((rc = next_line(&l, &d, &v)) > 0) {
        if (l.number == 1 && !json_get(v, "recording"))
            return doc_fail(&d, v, "recording", "is missing: this is not a recording");
        if (read_line(&d, v, r) < 0)
            return -1;
    }
    if (rc == 0 && !l.number)
        return sosia_fail(err, SOSIA_E_INVALID, "journal", NULL, "%s:1: is not a recording", file);
    if (r->n)
        qsort(r->exchanges, r->n, sizeof *r->exchanges, by_number);
    return rc;
}

int recorded_load(const char *dir, struct recorded **ret_recorded, struct sosia_err *err)
{
    struct stat st;
    char path[4096];
    struct recorded *r = calloc(1, sizeof *r);
    if (!r)
        return sosia_fail_memory(err);
    arena_init(&r->arena, (size_t)4 << 30);
    int rc = stat(dir, &st) < 0 ? io_error(err, dir, "") : 0;
    if (rc == 0 && S_ISDIR(st.st_mode))
        rc = path_in(path, dir, "journal.jsonl", err);
    if (rc == 0)
        rc = read_journal(r, S_ISDIR(st.st_mode) ? path : dir, err);
    if (rc < 0)
        recorded_free(r);
    else
        *ret_recorded = r;
    return rc;
}

void recorded_free(struct recorded *r)
{
    if (!r)
        return;
    arena_done(&r->arena);
    free(r);
}

int recording_seal(const char *dir, struct sosia_err *err)
{
    char path[4096];
    if (path_in(path, dir, "key", err) < 0)
        return -1;
    return unlink(path) == 0 || errno == ENOENT ? 0 : io_error(err, dir, "key");
}

/* ---- opening ---- */

static void write_head(struct recording *r, const struct recording_options *o)
{
    struct json_writer w;
    json_init(&w, &r->line, false, NULL);
    json_obj(&w, NULL);
    json_int(&w, "recording", RECORDING_VERSION);
    json_time(&w, "at", now_us(), JSON_TIME_S_Z);
    json_str_opt(&w, "target", o->target);
    json_str_opt(&w, "world", o->world);
    json_str_opt(&w, "title", o->title);
    json_arr(&w, "keep");
    for (unsigned i = 0; i < N_REDACT_KINDS; i++)
        if (o->keep >> i & 1)
            json_str(&w, NULL, redact_kinds[i]);
    json_end(&w);
    json_end(&w);
}

static int make_key(const char *dir, uint8_t key[REDACT_KEY_SIZE], struct sosia_err *err)
{
    if (gnutls_rnd(GNUTLS_RND_KEY, key, REDACT_KEY_SIZE) < 0)
        return sosia_fail(err, SOSIA_E_INTERNAL, "random", NULL, "there are no random numbers");
    int fd = open_in(dir, "key", O_WRONLY | O_CREAT | O_TRUNC, err);
    struct buf b = {.data = (char *)key, .len = REDACT_KEY_SIZE};
    if (fd < 0)
        return -1;
    int rc = write_all(fd, &b) < 0 ? io_error(err, dir, "key") : 0;
    close(fd);
    return rc;
}

static int read_key(const char *dir, uint8_t key[REDACT_KEY_SIZE], struct sosia_err *err)
{
    char path[4096];
    if (path_in(path, dir, "key", err) < 0)
        return -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, key, REDACT_KEY_SIZE);
    if (fd >= 0)
        close(fd);
    if (n == REDACT_KEY_SIZE)
        return 0;
    return sosia_fail(err, SOSIA_E_CONFLICT, "finished", NULL,
                      "%s: the recording is finished; record into another directory", dir);
}

/* Opens the journal and the side file, for this process alone. */
static int open_files(struct recording *r, const char *dir, int flags, struct sosia_err *err)
{
    r->journal = open_in(dir, "journal.jsonl", O_RDWR | O_CREAT | O_APPEND | flags, err);
    if (r->journal < 0)
        return -1;
    if (flock(r->journal, LOCK_EX | LOCK_NB) < 0)
        return sosia_fail(err, SOSIA_E_CONFLICT, "busy", NULL,
                          "%s: another process records into it", dir);
    r->side = open_in(dir, "redacted.jsonl", O_RDWR | O_CREAT | O_APPEND, err);
    return r->side < 0 ? -1 : 0;
}

static int know_again(struct redactor *redactor, const char *dir, size_t *ret_torn,
                      size_t *ret_whole, struct sosia_err *err)
{
    char path[4096];
    struct buf text;
    struct arena a;
    struct doc d;
    const struct json *v;
    int rc;
    if (path_in(path, dir, "redacted.jsonl", err) < 0 || file_read(path, 0, &text, err) < 0)
        return -1;
    arena_init(&a, (size_t)4 << 30);
    struct lines l = lines_of(path, &text, &a, ret_torn, err);
    *ret_whole = text.len - *ret_torn;
    while ((rc = next_line(&l, &d, &v)) > 0) {
        const char *kind, *tag, *with;
        if (!json_get(v, "made"))
            continue;
        if (doc_str(&d, v, "made", true, &kind) < 0 || doc_str(&d, v, "tag", true, &tag) < 0 ||
            doc_str(&d, v, "with", true, &with) < 0) {
            rc = -1;
            break;
        }
        if (redactor_know(redactor, kind, tag, with) < 0) {
            rc = sosia_fail_memory(err);
            break;
        }
    }
    buf_done(&text);
    arena_done(&a);
    return rc;
}

static int read_keep(const char *dir, unsigned *ret_keep, struct sosia_err *err)
{
    char path[4096];
    struct buf text;
    struct arena a;
    struct doc d;
    const struct json *v, *keep;
    size_t torn;
    if (path_in(path, dir, "journal.jsonl", err) < 0 || file_read(path, 0, &text, err) < 0)
        return -1;
    arena_init(&a, (size_t)4 << 30);
    struct lines l = lines_of(path, &text, &a, &torn, err);
    int rc = next_line(&l, &d, &v);
    if (rc > 0 && (keep = json_get(v, "keep")) && keep->type == JSON_ARRAY) {
        *ret_keep = 0;
        for (uint32_t i = 0; i < keep->n; i++)
            for (unsigned k = 0; k < N_REDACT_KINDS; k++)
                if (keep->items[i].type == JSON_STRING &&
                    strcmp(keep->items[i].str, redact_kinds[k]) == 0)
                    *ret_keep |= 1u << k;
    }
    buf_done(&text);
    arena_done(&a);
    return rc < 0 ? -1 : 0;
}

/* Removes what was not written to its end, so that the next line begins a line. */
static int cut_torn(int fd, size_t torn, const char *dir, struct sosia_err *err)
{
    struct stat st;
    if (!torn)
        return 0;
    if (fstat(fd, &st) < 0 || ftruncate(fd, st.st_size - (off_t)torn) < 0)
        return io_error(err, dir, "journal.jsonl");
    return 0;
}

static int resume(struct recording *r, const struct recording_options *o,
                  struct redactor_options *ro, struct sosia_err *err)
{
    struct recorded *before;
    size_t torn, whole;
    if (open_files(r, o->dir, 0, err) < 0 || recorded_load(o->dir, &before, err) < 0)
        return -1;
    atomic_init(&r->last, before->n ? before->exchanges[before->n - 1].n : 0);
    size_t journal_torn = before->torn;
    recorded_free(before);
    if (read_key(o->dir, ro->key, err) < 0 || read_keep(o->dir, &ro->keep, err) < 0 ||
        redactor_new(ro, &r->redactor, err) < 0)
        return -1;
    /* the redactor gets again what it had reported */
    int rc = know_again(r->redactor, o->dir, &torn, &whole, err);
    if (rc == 0 && (cut_torn(r->journal, journal_torn, o->dir, err) < 0 ||
                    cut_torn(r->side, torn, o->dir, err) < 0))
        rc = -1;
    return rc;
}

static int begin(struct recording *r, const struct recording_options *o,
                 struct redactor_options *ro, struct sosia_err *err)
{
    char path[4096];
    struct stat st;
    if (mkdir(o->dir, 0777) < 0 && errno != EEXIST)
        return io_error(err, o->dir, "");
    if (path_in(path, o->dir, "journal.jsonl", err) < 0)
        return -1;
    if (stat(path, &st) == 0)
        return sosia_fail(err, SOSIA_E_CONFLICT, "exists", NULL,
                          "%s holds a recording already; --resume goes on with it", o->dir);
    if (open_files(r, o->dir, O_EXCL, err) < 0 || make_key(o->dir, ro->key, err) < 0 ||
        redactor_new(ro, &r->redactor, err) < 0)
        return -1;
    atomic_init(&r->last, 0);
    write_head(r, o);
    return put_down(r, err);
}

int recording_open(const struct recording_options *o, struct recording **ret_recording,
                   struct sosia_err *err)
{
    struct recording *r = calloc(1, sizeof *r);
    if (!r)
        return sosia_fail_memory(err);
    struct redactor_options ro = {
        .keep = o->keep, .place = write_place, .made = write_made, .arg = r};
    r->journal = r->side = -1;
    r->lazy = o->lazy;
    pthread_mutex_init(&r->lock, NULL);
    buf_init(&r->line, 0);
    buf_init(&r->note, 0);
    int rc = o->resume ? resume(r, o, &ro, err) : begin(r, o, &ro, err);
    gnutls_memset(ro.key, 0, sizeof ro.key);
    if (rc < 0)
        recording_close(r);
    else
        *ret_recording = r;
    return rc;
}

void recording_close(struct recording *r)
{
    if (!r)
        return;
    if (r->side >= 0)
        close(r->side);
    if (r->journal >= 0)
        close(r->journal);
    redactor_free(r->redactor);
    pthread_mutex_destroy(&r->lock);
    buf_done(&r->line);
    buf_done(&r->note);
    free(r);
}
