/* SPDX-License-Identifier: Apache-2.0 */
/* Files that commands read and write as a whole. */
#include "cli/cli.h"
#include "engine/base/err.h"
#include "engine/base/utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 100 /* names beside a file, of which another process may have some */

/* What messages call a file. */
static const char *shown(const char *name, const char *standard)
{
    return strcmp(name, "-") == 0 ? standard : name;
}

/* ---- reading ---- */

int read_file(const char *name, struct buf *ret)
{
    const char *called = shown(name, "standard input");
    FILE *f = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    char chunk[65536];
    size_t n;
    while (f && !buf_failed(ret) && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
        buf_add(ret, chunk, n);
    int why = errno;
    bool bad = !f || ferror(f);
    if (f && f != stdin)
        fclose(f);
    if (bad)
        fprintf(stderr, "sosia: %s: %s\n", called, strerror(why));
    else if (buf_failed(ret))
        fprintf(stderr, "sosia: %s: must have at most 1 GiB and fit into memory, does not\n",
                called);
    return bad || buf_failed(ret) ? -1 : 0;
}

int read_text(const char *name, struct buf *ret)
{
    if (read_file(name, ret) < 0)
        return -1;
    size_t line = 1;
    for (size_t at = 0, n; at < ret->len; at += n + 1, line++) {
        const char *text = ret->data + at, *end = memchr(text, '\n', ret->len - at);
        n = end ? (size_t)(end - text) : ret->len - at;
        if (!memchr(text, 0, n) && utf8_valid(text, n))
            continue;
        fprintf(stderr, "sosia: %s:%zu: must be text in UTF-8, has bytes that are not\n",
                shown(name, "standard input"), line);
        return -1;
    }
    return 0;
}

const char *document_name(const char *file, char ret_name[DOCUMENT_NAME_MAX + 1])
{
    const char *slash = strrchr(file, '/');
    const char *base = strcmp(file, "-") == 0 ? "standard input" : slash ? slash + 1 : file;
    size_t len = strlen(base);
    bool good = len && utf8_valid(base, len);
    size_t n = good ? utf8_truncate(base, len, DOCUMENT_NAME_MAX) : 0;
    snprintf(ret_name, DOCUMENT_NAME_MAX + 1, "%.*s", good ? (int)n : 8, good ? base : "document");
    return ret_name;
}

/* ---- writing ---- */

static int complain(const char *name, int why)
{
    fprintf(stderr, "sosia: %s: %s\n", shown(name, "standard output"),
            why ? strerror(why) : "can't be written");
    return -1;
}

void forget_output(void)
{
    __fpurge(stdout);
    clearerr(stdout);
}

/* A new file beside the one that is to be replaced, with its permissions; old NULL: there is none.
 * NULL: nothing can be put there. */
static FILE *open_beside(struct outfile *o, const struct stat *old)
{
    int fd = -1;
    for (int i = 0; i < TRIES && fd < 0; i++) {
        int n = snprintf(o->beside, sizeof o->beside, "%s.new%d", o->target, i);
        if (n >= (int)sizeof o->beside)
            break;
        fd = open(o->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    FILE *f = fd >= 0 && (!old || fchmod(fd, old->st_mode & 0777) == 0) ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && !f) {
        unlink(o->beside);
        close(fd);
    }
    if (!f)
        o->beside[0] = 0;
    return f;
}

/* ---- signals that end the command while a file is written ---- */

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
static char unfinished[PATH_MAX];

static void take_away(int number)
{
    unlink(unfinished);
    signal(number, SIG_DFL);
    raise(number);
}

/* Where they would end it: not where they are ignored, or somebody waits for them. */
static void watch(const char *file)
{
    struct sigaction old, take = {.sa_handler = take_away}, leave = {.sa_handler = SIG_DFL};
    if (file)
        snprintf(unfinished, sizeof unfinished, "%s", file);
    for (size_t i = 0; i < SOSIA_LEN(ends); i++)
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == (file ? SIG_DFL : take_away))
            sigaction(ends[i], file ? &take : &leave, NULL);
}

int outfile_open(struct outfile *o, const char *name)
{
    struct stat st;
    *o = (struct outfile){.name = name};
    if (strcmp(name, "-") == 0) {
        o->to = stdout;
        return 0;
    }
    if (stat(name, &st) == 0) {
        if (S_ISREG(st.st_mode) && access(name, W_OK) == 0 && realpath(name, o->target))
            o->to = open_beside(o, &st);
    } else if (lstat(name, &st) < 0 && strlen(name) < sizeof o->target) {
        snprintf(o->target, sizeof o->target, "%s", name);
        o->to = open_beside(o, NULL);
    }
    if (o->to)
        watch(o->beside);
    else /* a device, a pipe; not to be written; or nothing can be put beside it */
        o->to = fopen(name, "wb");
    return o->to ? 0 : complain(name, errno);
}

int outfile_write(struct outfile *o, const void *data, size_t len)
{
    if (o->failed)
        return -1;
    errno = 0;
    if (fwrite(data, 1, len, o->to) == len)
        return 0;
    o->failed = true;
    o->why = errno;
    return -1;
}

int outfile_close(struct outfile *o, bool whole)
{
    errno = 0;
    if ((o->to == stdout ? fflush(o->to) : fclose(o->to)) != 0 && !o->failed) {
        o->failed = true;
        o->why = errno;
    }
    if (o->beside[0] && whole && !o->failed && rename(o->beside, o->target) < 0) {
        o->failed = true;
        o->why = errno;
    }
    if (o->beside[0] && (o->failed || !whole))
        unlink(o->beside);
    if (o->beside[0])
        watch(NULL);
    if (o->failed)
        complain(o->name, o->why);
    if (o->failed && o->to == stdout)
        forget_output();
    return o->failed || !whole ? -1 : 0;
}

int write_file(const char *name, const struct buf *content)
{
    struct outfile o;
    if (buf_failed(content)) {
        fprintf(stderr, "sosia: %s: must fit into memory, does not\n",
                shown(name, "standard output"));
        return -1;
    }
    if (outfile_open(&o, name) < 0)
        return -1;
    outfile_write(&o, content->len ? content->data : "", content->len);
    return outfile_close(&o, true);
}
