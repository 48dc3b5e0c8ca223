/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/carry.h"
#include "cli/cli.h"
#include "engine/json/doc.h"
#include "mcp/servers/server.h"
#include "sandbox/runner.h"
#include "services/workspace/core/program.h"
#include <stdio.h>
#include <string.h>

/* The strings of a list; absent: none. */
static int read_strings(struct doc *d, const struct json *v, const char *member,
                        const char *const **ret)
{
    struct doc_items it;
    size_t n = 0;
    if (doc_items(d, v, member, &it) < 0)
        return -1;
    const char **list = arena_calloc(d->arena, it.list ? it.list->n + 1 : 1, sizeof *list);
    if (arena_failed(d->arena))
        return sosia_fail_memory(d->err);
    for (const struct json *one; (one = doc_item(d, &it)) != NULL;) {
        if (one->type != JSON_STRING)
            return doc_expect(d, one, NULL, "a text");
        list[n++] = one->str;
    }
    *ret = list;
    return 0;
}

static int read_environment(struct doc *d, const struct json *v, const char *const **ret)
{
    const struct json *env = json_get(v, "env");
    if (env && env->type != JSON_OBJECT)
        return doc_expect(d, env, "env", "an object of names and texts");
    if (env && env->n > PROGRAM_VARIABLES)
        return doc_fail(d, env, "env", "must have at most %d variables, not %u", PROGRAM_VARIABLES,
                        env->n);
    const char **list = arena_calloc(d->arena, env ? env->n + 1 : 1, sizeof *list);
    for (uint32_t i = 0; env && list && i < env->n; i++) {
        if (env->members[i].value.type != JSON_STRING)
            return doc_expect(d, &env->members[i].value, "env", "an object of names and texts");
        list[i] = arena_printf(d->arena, "%s=%s", env->members[i].key, env->members[i].value.str);
    }
    *ret = list;
    return arena_failed(d->arena) ? sosia_fail_memory(d->err) : 0;
}

/* Where programs have directories of their own, which would cover it. */
static bool is_private(const char *path)
{
    static const char *const own[] = {"/data", "/tmp",  "/var/tmp", "/run",       "/home/user",
                                      "/dev",  "/proc", "/etc",     "/executions"};
    for (size_t i = 0; i < SOSIA_LEN(own); i++) {
        size_t n = strlen(own[i]);
        if (strncmp(path, own[i], n) == 0 && (!path[n] || path[n] == '/'))
            return true;
    }
    return !path[1];
}

static bool is_name(const char *text)
{
    return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-_")] &&
           strlen(text) <= 64;
}

static int read_one(struct doc *d, const struct json *v, struct carry *c)
{
    static const char *const members[] = {"name",  "command", "env", "show",
                                          "state", "seconds", NULL};
    static const char *const states[] = {"files", "memory", NULL};
    struct carried k = {0};
    int64_t seconds;
    int state;
    if (doc_object(d, v, members) < 0 || doc_str(d, v, "name", true, &k.name) < 0 ||
        read_strings(d, v, "command", &k.command) < 0 || read_strings(d, v, "show", &k.shown) < 0 ||
        read_environment(d, v, &k.environment) < 0 ||
        doc_enum(d, v, "state", states, 0, &state) < 0 ||
        doc_int(d, v, "seconds", 1, 3600, 60, &seconds) < 0)
        return -1;
    k.lasts = state == 1;
    k.timeout_ms = seconds * 1000;
    if (!is_name(k.name))
        return doc_expect(d, json_get(v, "name"), "name",
                          "1 to 64 small letters, digits, \"-\" and \"_\"");
    if (!k.command[0])
        return doc_fail(d, v, "command", "must have a program, has none");
    for (const char *const *path = k.shown; *path; path++)
        if (**path != '/' || strstr(*path, "/..") || strstr(*path, "//") || is_private(*path))
            return doc_fail(d, v, "show",
                            "must have absolute paths beside those where programs have directories "
                            "of their own (/data, /tmp, /home/user, ...), not \"%.200s\"",
                            *path);
    if (mcp_server_named(k.name, strlen(k.name)))
        return doc_fail(d, json_get(v, "name"), "name",
                        "must be another name: the server \"%s\" is here without a program",
                        k.name);
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->list[i].name, k.name) == 0)
            return doc_fail_twice(d, json_get(v, "name"), "name");
    if (c->n == CARRIED_MAX)
        return doc_fail(d, v, NULL, "at most %d servers may be carried", CARRIED_MAX);
    c->list[c->n++] = k;
    return 0;
}

static int read_list(struct carry *c, const char *file, const struct buf *text,
                     struct sosia_err *err)
{
    static const char *const members[] = {"servers", NULL};
    const struct json *top;
    struct doc_items it;
    struct doc d;
    const char *copy = arena_memdup(&c->arena, text->data, text->len);
    if (doc_open(&d, &c->arena, copy ? copy : "", text->len, file, 0, &top, err) < 0 ||
        doc_object(&d, top, members) < 0 || doc_items(&d, top, "servers", &it) < 0)
        return -1;
    for (const struct json *one; (one = doc_item(&d, &it)) != NULL;)
        if (read_one(&d, one, c) < 0)
            return -1;
    return 0;
}

int carry_add(void *arg, const char *file)
{
    struct carry *c = arg;
    struct sosia_err err = {0};
    struct buf text;
    buf_init(&text, 1 << 20);
    int rc = read_file(file, &text);
    if (rc == 0 && (rc = read_list(c, file, &text, &err)) < 0)
        fprintf(stderr, "sosia serve: --carry must name a file of servers: %s\n", err.text);
    buf_done(&text);
    return rc;
}

int carry_begin(struct carry *c, struct runner *r, struct sosia_err *err)
{
    runner_carry(r, c->list, c->n);
    for (size_t i = 0; i < c->n; i++) {
        struct carried_about about;
        if (runner_ask_carried(r, &c->list[i], &c->arena, &about, err) < 0)
            return -1;
        c->shown[i] =
            (struct mcp_carried){c->list[i].name, about.server, about.version, about.tools};
    }
    mcp_carry(c->shown, c->n);
    return 0;
}

void carry_end(void)
{
    mcp_carry(NULL, 0);
}
