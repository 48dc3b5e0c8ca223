/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds as SQLite files, through a directory of their own that is gone before the answer. */
#include "engine/base/buf.h"
#include "server/control/operation.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
    char dir[4096], file[4110];
};

static int io_fail(struct control_call *c, const char *what)
{
    char text[128];
    const char *reason = strerror_r(errno, text, sizeof text);
    return sosia_fail(&c->err, SOSIA_E_IO, NULL, NULL, "%.150s: %s", what, reason);
}

static int place_make(struct control_call *c, struct place *p)
{
    int n = snprintf(p->dir, sizeof p->dir, "%s/sosia-XXXXXX", c->control->temp_dir);
    if (n < 0 || (size_t)n >= sizeof p->dir) {
        errno = ENAMETOOLONG;
        return io_fail(c, "the directory for temporary files");
    }
    if (!mkdtemp(p->dir))
        return io_fail(c, p->dir);
    snprintf(p->file, sizeof p->file, "%s/world", p->dir);
    return 0;
}

static void place_remove(struct place *p)
{
    unlink(p->file);
    rmdir(p->dir);
}

/* ---- export ---- */

struct mapping {
    void *data;
    size_t len;
};

static void unmap(void *arg)
{
    struct mapping *m = arg;
    munmap(m->data, m->len);
    free(m);
}

/* The answer is sent from the file's own pages, however large it is. */
static int answer_file(struct control_call *c, const char *path)
{
    struct stat st;
    struct mapping *m = malloc(sizeof *m);
    if (!m)
        return sosia_fail_memory(&c->err);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0) {
        int rc = io_fail(c, "the exported file");
        if (fd >= 0)
            close(fd);
        free(m);
        return rc;
    }
    m->len = (size_t)st.st_size;
    m->data = mmap(NULL, m->len, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (m->data == MAP_FAILED) {
        free(m);
        return io_fail(c, "the exported file");
    }
    c->response->status = 200;
    c->response->content_type = "application/vnd.sqlite3";
    c->response->body = m->data;
    c->response->body_len = m->len;
    c->response->free_body = unmap;
    c->response->free_arg = m;
    return 0;
}

int control_export(struct call *call)
{
    struct control_call *c = control_of(call);
    struct place p;
    struct sosia_world_info info;
    if (sosia_world_info(c->engine, c->world, &info, &c->err) < 0 || place_make(c, &p) < 0)
        return -1;
    int rc = (control_number(c, "secrets", 0) ? sosia_world_export_secrets : sosia_world_export)(
        c->engine, c->world, p.file, &c->err);
    if (rc == 0)
        rc = answer_file(c, p.file);
    place_remove(&p);
    if (rc == 0) {
        char *text = server_alloc(c->request, 64);
        snprintf(text, 64, "attachment; filename=\"%s.sqlite\"", info.key);
        c->response->headers[c->response->n_headers++] =
            (struct sosia_header){"Content-Disposition", text};
    }
    return rc;
}

/* ---- import ---- */

static int write_file(struct control_call *c, const char *path)
{
    const char *at = c->request->body;
    size_t left = c->request->body_len;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return io_fail(c, "a temporary file");
    while (left) {
        ssize_t n = write(fd, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            int rc = io_fail(c, "a temporary file");
            close(fd);
            return rc;
        }
        at += n;
        left -= (size_t)n;
    }
    return close(fd) < 0 ? io_fail(c, "a temporary file") : 0;
}

int control_import(struct call *call)
{
    struct control_call *c = control_of(call);
    struct place p;
    uint64_t world;
    if (place_make(c, &p) < 0)
        return -1;
    int rc = write_file(c, p.file);
    if (rc == 0)
        rc = (control_number(c, "secrets", 0) ? sosia_world_import_secrets : sosia_world_import)(
            c->engine, p.file, control_text(c, "name"), &world, &c->err);
    place_remove(&p);
    return rc < 0 ? -1 : control_answer_world(c, 201, world);
}
