/* SPDX-License-Identifier: Apache-2.0 */
/* Where a request goes: to which world, at which host, to which row; and how its URLs begin. */
#include "engine/http/target.h"
#include "engine/api/router.h"
#include "engine/base/codec.h"
#include "engine/http/token.h"
#include "engine/world/engine.h"

#define MAX_TARGET (64 * 1024)

int target_split(struct call *c, struct target *ret)
{
    const char *t = c->request->target;
    *ret = (struct target){0};
    if (strlen(t) > MAX_TARGET)
        return call_fail(c, SOSIA_E_TOO_LARGE, "uriTooLong", NULL, "the target is too long");
    if (t[0] != '/') { /* absolute form: scheme://host/path */
        const char *rest = strstr(t, "://");
        t = rest ? strchr(rest + 3, '/') : NULL;
        if (!t)
            return call_fail(c, SOSIA_E_INVALID, "target", NULL, "the target is not a path");
        ret->host = rest + 3;
        ret->host_len = (size_t)(t - ret->host);
    }
    if (str_starts(t, "/w/")) {
        const char *key = t + 3;
        ret->key = key;
        ret->key_len = strcspn(key, "/?");
        t = key + ret->key_len;
    }
    if (t[0] == '/' && (t[1] == '@' || strncmp(t + 1, "%40", 3) == 0)) {
        ret->at_host = true;
        ret->host = t + (t[1] == '@' ? 2 : 4);
        ret->host_len = strcspn(ret->host, "/?#");
        t = ret->host + ret->host_len;
    }
    c->path = t;
    c->path_len = strcspn(t, "?#");
    if (t[c->path_len] == '?') {
        c->query = t + c->path_len + 1;
        c->query_len = strcspn(c->query, "#");
    }
    return 0;
}

/* What a tool asks of a vendor that has no hosts, as of the world's files, while the tool itself
 * was called on another one's. A part of a batch stays with its vendor. */
static void match_without_host(struct call *c, const struct call *outer, struct match *m)
{
    struct match any = {.route = NULL};
    if (!outer->tool || outer->batch)
        return;
    router_match(c->tx.engine->router, NULL, c->verb, c->path, c->path_len, &any);
    if (!any.route || any.dialect->vendor->hosts)
        return;
    *m = any;
    c->vendor = NULL;
}

void target_row(struct call *c, const struct target *t, const struct call *outer, struct match *m)
{
    const struct router *router = c->tx.engine->router;
    const char *host = t->host ? t->host : call_request_header(c, "Host");
    c->host = host;
    c->host_len = t->host ? t->host_len : host ? strlen(host) : 0;
    if (host)
        c->vendor = router_host(router, host, c->host_len);
    const bool inherits = !c->vendor && outer;
    if (inherits) /* a part has no hosts beyond those of vendors */
        c->vendor = outer->vendor;
    m->route = NULL;
    m->dialect = NULL;
    if (t->at_host && !router_host(router, host, c->host_len))
        return; /* the host is not a service's */
    router_match(router, c->vendor, c->verb, c->path, c->path_len, m);
    if (inherits && c->vendor && !m->route)
        match_without_host(c, outer, m);
    c->front = m->dialect ? dialect_front(m->dialect) : c->vendor ? c->vendor->front : NULL;
    if (c->verb == VERB_POST && c->front && c->front->override_verb) {
        c->front->override_verb(c);
        if (c->verb != VERB_POST)
            router_match(router, c->vendor, c->verb, c->path, c->path_len, m);
    }
    c->route = m->route;
    c->dialect = m->dialect;
    c->path_known = m->route || m->path_known;
    c->upload = m->route && m->upload;
    c->lost = m->route ? NULL : m->lost;
    c->lost_len = m->lost_len;
}

bool target_is_of_vendor(const struct sosia_engine *e, const char *host, const char *target)
{
    const struct sosia_request request = {.target = target};
    struct sosia_err err = {0};
    struct call c = {.tx = {.err = &err}, .request = &request};
    struct target t;
    if (target_split(&c, &t) < 0)
        return false;
    return router_host(e->router, t.host ? t.host : host, t.host ? t.host_len : strlen(host)) !=
           NULL;
}

/* A world named by the host: KEY.localhost[:port]. */
static void host_key(const struct call *c, const char **ret_key, size_t *ret_len)
{
    const char *host = call_request_header(c, "Host");
    size_t n = host ? strcspn(host, ".") : 0;
    if (n && strncmp(host + n, ".localhost", 10) == 0 && (!host[n + 10] || host[n + 10] == ':')) {
        *ret_key = host;
        *ret_len = n;
    }
}

static struct world *take(struct call *c, uint64_t id, bool *ret_busy)
{
    return ret_busy ? world_take_soon(c->tx.engine, id, ret_busy, c->tx.err)
                    : world_take(c->tx.engine, id, c->tx.err);
}

struct world *target_world(struct call *c, struct worker *k, uint64_t given, const struct target *t,
                           bool *ret_busy)
{
    struct sosia_engine *e = c->tx.engine;
    const char *key = t->key;
    size_t key_len = t->key_len;
    const struct token_claims *claims;
    uint64_t id = given, usual = atomic_load_explicit(&e->default_world, memory_order_relaxed);
    const char *header = call_request_header(c, "X-Sosia-World");
    struct world *w;
    if (!key)
        host_key(c, &key, &key_len);
    if (!key && header) {
        key = header;
        key_len = strlen(header);
    }
    if (key && !id) {
        id = engine_find_key(e, key, key_len);
        if (!id) {
            call_fail(c, SOSIA_E_NOT_FOUND, "worldNotFound", NULL, "there is no such world");
            return NULL;
        }
    }
    bool by_token = !id && c->token;
    if (by_token)
        id = token_read(e, k, c->token, strlen(c->token), &claims) == 1 ? claims->world
                                                                        : token_world(c->token);
    if (!id)
        id = usual;
    if (!id) {
        call_fail(c, SOSIA_E_NOT_FOUND, "worldNotFound", NULL, "the request names no world");
        return NULL;
    }
    w = take(c, id, ret_busy);
    if (w || (ret_busy && *ret_busy) || !by_token || !usual || id == usual ||
        c->tx.err->code != SOSIA_E_NOT_FOUND)
        return w;
    *c->tx.err = (struct sosia_err){0};
    return take(c, usual, ret_busy);
}

const char *target_base_url(struct call *c, const struct target *t)
{
    const char *base = c->request->base_url;
    if (!base || (!t->key && !t->at_host))
        return base;
    return arena_printf(c->tx.arena, "%s%s%.*s%s%.*s", base, t->key ? "/w/" : "", (int)t->key_len,
                        t->key ? t->key : "", t->at_host ? "/@" : "",
                        t->at_host ? (int)t->host_len : 0, t->at_host ? t->host : "");
}

const char *call_world_url(const struct call *c)
{
    char key[17];
    const char *base = c->request->base_url;
    size_t n = base ? strlen(base) : 0;
    if (!base || strstr(c->base_url, "/w/"))
        return c->base_url;
    world_key(c->tx.world->id, key);
    return arena_printf(c->tx.arena, "%s/w/%s%s", base, key, c->base_url + n);
}

const char *call_follow_url(const struct call *c, const char *host, const char *path)
{
    char key[17];
    const char *base = c->request->base_url, *authority = base ? strstr(base, "://") : NULL;
    if (!authority)
        return ARENA_JOIN(c->tx.arena, "https://", host, path);
    bool at_host = strstr(c->base_url, "/@") != NULL;
    if (c->vendor && !at_host) {
        const char *port = strrchr(authority + 3, ':'); /* behind an address in brackets */
        const char *world = c->base_url + strlen(base);
        return arena_printf(c->tx.arena, "%.*s://%s%s%s%s", (int)(authority - base), base, host,
                            port && !strchr(port, ']') ? port : "", world, path);
    }
    world_key(c->tx.world->id, key);
    return arena_printf(c->tx.arena, "%s/w/%s/@%s%s", base, key, host, path);
}
