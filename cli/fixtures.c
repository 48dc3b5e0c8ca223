/* SPDX-License-Identifier: Apache-2.0 */
/* Fixtures by name: files of a directory that the user names, else those built into the program. */
#include "cli/cli.h"
#include "cli/fixtures.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool plain_name(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_");
    return n && !name[n];
}

/* 1: read; 0: there is no such file; -1: failed. */
static int from_dir(struct arena *a, const char *dir, const char *name, struct fixture *ret,
                    struct sosia_err *err)
{
    static const char *const endings[] = {".yaml", ".yml", ".json"};
    for (size_t i = 0; i < SOSIA_LEN(endings); i++) {
        const char *path = arena_printf(a, "%s/%s%s", dir, name, endings[i]);
        FILE *f = fopen(path, "rb");
        if (!f && errno == ENOENT)
            continue;
        if (!f)
            return sosia_fail(err, SOSIA_E_IO, NULL, NULL, "%s: %s", path, strerror(errno));
        struct buf b;
        char chunk[65536];
        size_t n;
        buf_init(&b, 0);
        while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
            buf_add(&b, chunk, n);
        bool bad = ferror(f) || buf_failed(&b);
        fclose(f);
        if (!bad)
            *ret = (struct fixture){.file = arena_printf(a, "%s%s", name, endings[i]),
                                    .text = arena_memdup(a, b.data ? b.data : "", b.len),
                                    .len = b.len};
        buf_done(&b);
        return bad ? sosia_fail(err, SOSIA_E_IO, NULL, NULL, "%s can't be read", path) : 1;
    }
    return 0;
}

int fixture_find(struct arena *a, const char *dir, const char *name, struct fixture *ret_fixture,
                 struct sosia_err *err)
{
    if (!plain_name(name))
        return sosia_fail(err, SOSIA_E_INVALID, "fixture", "fixture",
                          "\"%.40s\" is no name of a fixture", name);
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
    return sosia_fail(err, SOSIA_E_NOT_FOUND, "fixtureNotFound", "fixture",
                      "there is no fixture \"%.40s\"", name);
}
