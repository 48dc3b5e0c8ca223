/* SPDX-License-Identifier: Apache-2.0 */
/* Fixtures by name: files of a directory that the user names, else those built into the program, or
 * made by it. */
#include "cli/cli.h"
#include "cli/fixtures.h"
#include "engine/base/codec.h"
#include "fixtures/generate/generate.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE "large"

static bool plain_name(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_");
    return n && !name[n];
}

static const char *const endings[] = {".yaml", ".yml", ".json"};

bool fixture_is_path(const char *name)
{
    size_t n = strlen(name);
    if (strchr(name, '/'))
        return true;
    for (size_t i = 0; i < SOSIA_LEN(endings); i++)
        if (n > strlen(endings[i]) && strcmp(name + n - strlen(endings[i]), endings[i]) == 0)
            return true;
    return false;
}

/* 1: read; 0: there is no such file; -1: failed. */
static int from_file(struct arena *a, const char *path, const char *name, struct fixture *ret,
                     struct sosia_err *err)
{
    FILE *f = fopen(path, "rb");
    if (!f && errno == ENOENT)
        return 0;
    if (!f)
        return sosia_fail(err, SOSIA_E_IO, NULL, NULL, "%s: %s", path, strerror(errno));
    struct buf b;
    char chunk[65536];
    size_t n;
    buf_init(&b, 0);
    while (!buf_failed(&b) && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
        buf_add(&b, chunk, n);
    int why = ferror(f) ? errno : buf_failed(&b) ? EFBIG : 0;
    fclose(f);
    if (!why)
        *ret = (struct fixture){
            .file = name, .text = arena_memdup(a, b.data ? b.data : "", b.len), .len = b.len};
    buf_done(&b);
    return why ? sosia_fail(err, SOSIA_E_IO, NULL, NULL, "%s: %s", path, strerror(why)) : 1;
}

int fixture_read(struct arena *a, const char *path, struct fixture *ret_fixture,
                 struct sosia_err *err)
{
    int r = from_file(a, path, path, ret_fixture, err);
    return r ? (r < 0 ? -1 : 0)
             : sosia_fail(err, SOSIA_E_NOT_FOUND, "fixtureNotFound", "fixture",
                          "--fixture takes the name of a fixture or a seed document's path; there "
                          "is no file %.100s",
                          path);
}

static int from_dir(struct arena *a, const char *dir, const char *name, struct fixture *ret,
                    struct sosia_err *err)
{
    const char *path = NULL;
    int r = 0;
    for (size_t i = 0; i < SOSIA_LEN(endings) && !r; i++) {
        path = arena_printf(a, "%s/%s%s", dir, name, endings[i]);
        r = from_file(a, path, arena_printf(a, "%s%s", name, endings[i]), ret, err);
    }
    return r == 1 && document_whole(a, path, dir, ret, err) < 0 ? -1 : r;
}

static int add_made(void *arg, const char *data, size_t len)
{
    struct buf *b = arg;
    buf_add(b, data, len);
    return buf_failed(b) ? -1 : 0;
}

/* The world that is made from numbers. */
static int make_large(struct arena *a, const char *options, struct fixture *ret,
                      struct sosia_err *err)
{
    struct generate_options o = GENERATE_OPTIONS_INIT;
    struct buf b;
    if (generate_read_options(&o, options, err) < 0)
        return -1;
    buf_init(&b, 0);
    struct generate_sink sink = {.arg = &b, .write = add_made};
    int rc = generate(&o, &sink, err);
    if (buf_failed(&b))
        rc = sosia_fail(err, SOSIA_E_TOO_LARGE, "fixture", "fixture",
                        "a world must fit into memory to be made in one piece, not too large");
    if (rc == 0)
        *ret =
            (struct fixture){.file = "large", .text = arena_memdup(a, b.data, b.len), .len = b.len};
    if (rc == 0 && arena_failed(a))
        rc = sosia_fail_memory(err);
    buf_done(&b);
    return rc;
}

int fixture_find(struct arena *a, const char *dir, const char *name, struct fixture *ret_fixture,
                 struct sosia_err *err)
{
    if (str_starts(name, LARGE ":"))
        return make_large(a, name + sizeof LARGE, ret_fixture, err);
    if (!plain_name(name))
        return sosia_fail(err, SOSIA_E_INVALID, "fixture", "fixture",
                          "a fixture's name must be of a-z, 0-9, - and _, not \"%.40s\"", name);
    if (!dir)
        dir = getenv("SOSIA_FIXTURES");
    int r = dir && *dir ? from_dir(a, dir, name, ret_fixture, err) : 0;
    if (r)
        return r < 0 ? -1 : 0;
    for (size_t i = 0; i < n_built_in_fixtures; i++) {
        const struct built_in_fixture *f = &built_in_fixtures[i];
        if (strcmp(f->name, name) == 0) {
            *ret_fixture =
                (struct fixture){.file = f->file, .text = f->text, .len = strlen(f->text)};
            return 0;
        }
    }
    if (strcmp(name, LARGE) == 0)
        return make_large(a, "", ret_fixture, err);
    return sosia_fail(err, SOSIA_E_NOT_FOUND, "fixtureNotFound", "fixture",
                      "there is no fixture \"%.40s\"", name);
}

int fixture_load(struct arena *a, const char *dir, const char *name, struct fixture *ret_fixture,
                 struct sosia_err *err)
{
    if (!fixture_is_path(name))
        return fixture_find(a, dir, name, ret_fixture, err);
    return fixture_read(a, name, ret_fixture, err) < 0
               ? -1
               : document_whole(a, name, dir, ret_fixture, err);
}
