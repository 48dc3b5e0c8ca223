/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/services.h"
#include "engine/api/guide.h"
#include "engine/api/vendor.h"
#include "sandbox/sandbox.h"
#include "services/list.h"
#include <string.h>

enum {
    LOOKED_AT = 8,      /* people whose credentials may say which hosts the world has */
    MOST_VARIABLES = 32 /* of one person's credentials */
};

struct gathering {
    struct sosia_engine *engine;
    uint64_t world;
    struct arena *arena;
    struct buf hosts;
    const char **variables;
    size_t n_variables;
};

/* A file of somebody's credentials; NULL: there is none of that kind. */
static const struct json *credential_of(const struct gathering *g, const char *kind,
                                        const char *actor)
{
    struct sosia_blob file;
    struct sosia_err none;
    const struct json *v = NULL;
    if (!kind || sosia_credential(g->engine, g->world, kind, actor, NULL, &file, &none) < 0)
        return NULL;
    const char *text = arena_memdup(g->arena, file.data, file.len);
    if (text && json_parse(g->arena, text, file.len, NULL, &v, &none) < 0)
        v = NULL;
    sosia_blob_free(&file);
    return v;
}

static bool is_host(const char *name)
{
    return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-")];
}

static void add_host(struct gathering *g, const char *name)
{
    size_t n = strlen(name);
    if (is_host(name) && g->hosts.len + n + 1 <= SANDBOX_HOSTS)
        buf_printf(&g->hosts, "%s%s", g->hosts.len ? " " : "", name);
}

/* Hosts that the world itself has, as somebody's credentials name them. False: there are none. */
static bool add_hosts_of(struct gathering *g, const char *actor)
{
    bool any = false;
    for (const struct vendor *const *v = sosia_vendors(); *v; v++) {
        const struct json *file =
            (*v)->guide ? credential_of(g, (*v)->guide->credential, actor) : NULL;
        const struct json *hosts = json_get(file, "hosts");
        for (uint32_t i = 0; hosts && i < hosts->n; i++)
            if (hosts->items[i].type == JSON_STRING) {
                add_host(g, hosts->items[i].str);
                any = true;
            }
    }
    return any;
}

static int add_hosts(struct gathering *g, const char *actor, struct sosia_err *err)
{
    struct sosia_blob list;
    const struct json *actors;
    for (const char *const *name = sosia_hosts(); *name; name++)
        if (**name != '*') /* a hosts file has no patterns */
            add_host(g, *name);
    if (*actor && add_hosts_of(g, actor))
        return 0;
    if (sosia_actor_list(g->engine, g->world, 0, LOOKED_AT, &list, err) < 0)
        return -1;
    const char *text = arena_memdup(g->arena, list.data, list.len);
    int rc =
        text ? json_parse(g->arena, text, list.len, NULL, &actors, err) : sosia_fail_memory(err);
    sosia_blob_free(&list);
    for (uint32_t i = 0; rc == 0 && i < actors->n; i++) {
        const char *email = json_get_str(&actors->items[i], "email");
        if (email && add_hosts_of(g, email))
            break;
    }
    return rc;
}

/* SOSIA_NAME=value, with the name in capitals. */
static void add_variable(struct gathering *g, const char *name, const char *value)
{
    if (g->n_variables == MOST_VARIABLES || !value)
        return;
    char *text = (char *)(uintptr_t)arena_printf(g->arena, "SOSIA_%s=%s", name, value);
    for (char *p = text; p && *p && *p != '='; p++)
        if (*p >= 'a' && *p <= 'z')
            *p = (char)(*p - 32);
    g->variables[g->n_variables++] = text;
}

/* Is the word one of a list with commas or spaces? */
static bool is_listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; *at; at += strspn(at, ", ")) {
        size_t len = strcspn(at, ", ");
        if (len == n && memcmp(at, word, n) == 0)
            return true;
        at += len;
    }
    return false;
}

static int add_credentials(struct gathering *g, const struct program_services *s,
                           struct sosia_err *err)
{
    char token[SOSIA_TOKEN_MAX];
    const struct sosia_token_options options = {.size = sizeof options,
                                                .actor = s->actor,
                                                .scopes = *s->scopes ? s->scopes : NULL,
                                                .ttl_us = PROGRAM_SECONDS * INT64_C(1000000)};
    if (!*s->actor)
        return 0;
    if (sosia_token_issue(g->engine, g->world, &options, token, sizeof token, err) < 0)
        return -1;
    add_variable(g, "actor", s->actor);
    add_variable(g, "token", token);
    for (const struct vendor *const *v = sosia_vendors(); *v; v++) {
        const struct guide *guide = (*v)->guide;
        if (!guide || !guide->credential || !is_listed(s->credentials, guide->credential))
            continue;
        const struct json *file = credential_of(g, guide->credential, s->actor);
        for (uint32_t i = 0; file && i < file->n; i++)
            if (file->members[i].value.type == JSON_STRING)
                add_variable(g, file->members[i].key, file->members[i].value.str);
    }
    return 0;
}

int services_of(struct sosia_engine *e, uint64_t world, const struct program_spec *spec,
                struct arena *a, struct services *ret, struct sosia_err *err)
{
    struct gathering g = {.engine = e, .world = world, .arena = a};
    g.variables = arena_calloc(a, MOST_VARIABLES + 1, sizeof *g.variables);
    if (!g.variables)
        return sosia_fail_memory(err);
    buf_init(&g.hosts, 0);
    int rc = add_credentials(&g, &spec->services, err);
    if (rc == 0)
        rc = add_hosts(&g, spec->services.actor, err);
    *ret = (struct services){arena_strdup(a, buf_str(&g.hosts)),
                             program_variables(a, g.variables, spec->environment)};
    if (rc == 0 && (buf_failed(&g.hosts) || arena_failed(a)))
        rc = sosia_fail_memory(err);
    buf_done(&g.hosts);
    return rc;
}
