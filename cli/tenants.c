/* SPDX-License-Identifier: Apache-2.0 */
/* Options of `sosia serve` about tenants of hosted sandboxes, and its universes. */
#include "cli/tenants.h"
#include "cli/cli.h"
#include "engine/base/codec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usual[] = "default";

/* One of the limits behind the key. */
static int read_limit(struct hosted_tenant *t, const char *text)
{
    const struct {
        const char *name;
        int64_t max, *to;
    } limits[] = {{"sandboxes=", 1000000, &t->sandboxes},
                  {"bytes=", INT64_MAX, &t->bytes},
                  {"calls=", 1000000, &t->calls}};
    for (size_t i = 0; i < SOSIA_LEN(limits); i++)
        if (str_starts(text, limits[i].name))
            return option_int("tenant", text + strlen(limits[i].name), 1, limits[i].max,
                              limits[i].to);
    fprintf(stderr,
            "sosia serve: --tenant must have the limits sandboxes=N, bytes=N and calls=N, not "
            "\"%s\"\n",
            text);
    return -1;
}

int tenant_add(void *arg, const char *value)
{
    struct tenant_options *t = arg;
    char *rest = arena_strdup(&t->arena, value), *name = strsep(&rest, "=");
    if (!rest || !*name || !*rest || *rest == ',') {
        fprintf(stderr,
                "sosia serve: --tenant must be NAME=KEY, with limits behind it or none, not "
                "\"%s\"\n",
                value);
        return -1;
    }
    struct hosted_tenant one = {.name = name, .key = strsep(&rest, ",")};
    while (rest)
        if (read_limit(&one, strsep(&rest, ",")) < 0)
            return -1;
    if (strcmp(name, usual) == 0) {
        t->list[0] = one;
        t->n += !t->n;
        return 0;
    }
    if (!t->n)
        t->list[t->n++] = (struct hosted_tenant){.name = usual};
    if (t->n == TENANTS_MAX) {
        fprintf(stderr, "sosia serve: --tenant must be given %d times at most, is more often\n",
                TENANTS_MAX - 1);
        return -1;
    }
    t->list[t->n++] = one;
    return 0;
}

int universe_add(void *arg, const char *value)
{
    struct tenant_options *t = arg;
    struct fixture file;
    struct sosia_err err = {0};
    if (t->n_universes == UNIVERSES_MAX) {
        fprintf(stderr, "sosia serve: --universe must be given %d times at most, is more often\n",
                UNIVERSES_MAX);
        return -1;
    }
    if (fixture_read(&t->arena, value, &file, &err) < 0) {
        fprintf(stderr, "sosia serve: --universe must be a suite's file: %s\n", err.text);
        return -1;
    }
    t->universes[t->n_universes++] =
        (struct hosted_universe){.file = value, .text = file.text, .len = file.len};
    return 0;
}

void tenant_usual(struct tenant_options *t, const char *key)
{
    const char *variable = getenv(API_KEY_VARIABLE);
    if (!t->n)
        t->list[t->n++] = (struct hosted_tenant){.name = usual};
    if (key)
        t->list[0].key = key;
    else if (!t->list[0].key && variable && *variable)
        t->list[0].key = variable;
}
