/* SPDX-License-Identifier: Apache-2.0 */
/* Finding cassettes in directories. */
#include "conformance/cassette/cassette.h"
#include "engine/base/codec.h"
#include "engine/base/heap.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { DIRECTORIES_DEEP = 16 };

struct files {
    struct arena *arena;
    const char **list;
    size_t n, cap;
    struct sosia_err *err;
};

static int add_file(struct files *f, const char *name)
{
    void *list = heap_grow(f->list, f->n, &f->cap, sizeof *f->list);
    if (!list)
        return sosia_fail_memory(f->err);
    f->list = list;
    f->list[f->n++] = name;
    return 0;
}

static bool is_cassette_name(const char *name)
{
    size_t n = strlen(name);
    return n > 5 && name[0] != '_' && name[0] != '.' && strcmp(name + n - 5, ".json") == 0;
}

static int look_into(struct files *f, const char *dir, unsigned depth)
{
    struct stat st;
    if (depth == DIRECTORIES_DEEP)
        return sosia_fail(f->err, SOSIA_E_LIMIT, "file", NULL,
                          "%s: directories must be at most %d deep", dir, DIRECTORIES_DEEP);
    DIR *d = opendir(dir);
    int rc = 0;
    if (!d)
        return sosia_fail(f->err, SOSIA_E_IO, "file", NULL, "%s: %s", dir, strerror(errno));
    for (struct dirent *e; rc == 0 && (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        char *path = arena_printf(f->arena, "%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/",
                                  e->d_name);
        if (stat(path, &st) < 0) {
            if (is_cassette_name(e->d_name)) /* a link to nowhere */
                rc = sosia_fail(f->err, SOSIA_E_IO, "file", NULL, "%s: %s", path, strerror(errno));
            continue;
        }
        if (S_ISDIR(st.st_mode))
            rc = look_into(f, path, depth + 1);
        else if (S_ISREG(st.st_mode) && is_cassette_name(e->d_name))
            rc = add_file(f, path);
    }
    closedir(d);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What is behind the directory, or behind the last slash of a file, without its ending. */
static const char *short_name(struct arena *a, const char *file, size_t skip)
{
    const char *slash = strrchr(file, '/');
    const char *name = skip ? file + skip : slash ? slash + 1 : file;
    while (*name == '/')
        name++;
    size_t n = strlen(name);
    return arena_memdup(a, name, n > 5 && strcmp(name + n - 5, ".json") == 0 ? n - 5 : n);
}

int cassette_each(const char *const *paths, size_t n,
                  int (*fn)(void *arg, const char *file, const char *name, struct sosia_err *err),
                  void *arg, struct sosia_err *err)
{
    struct arena arena;
    struct files f = {.arena = &arena, .err = err};
    struct stat st;
    int rc = 0;
    arena_init(&arena, 0);
    for (size_t i = 0; i < n && rc == 0; i++) {
        bool directory = false;
        f.n = 0;
        if (!*paths[i] || stat(paths[i], &st) < 0)
            rc = sosia_fail(err, SOSIA_E_NOT_FOUND, "file", NULL, "%s: %s", paths[i],
                            strerror(errno));
        else if ((directory = S_ISDIR(st.st_mode)))
            rc = look_into(&f, paths[i], 0);
        else
            rc = add_file(&f, paths[i]);
        if (f.n)
            qsort(f.list, f.n, sizeof *f.list, by_name);
        for (size_t k = 0; k < f.n && rc == 0; k++)
            rc = fn(arg, f.list[k], short_name(&arena, f.list[k], directory ? strlen(paths[i]) : 0),
                    err);
    }
    free(f.list);
    arena_done(&arena);
    return rc;
}
