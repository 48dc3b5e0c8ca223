/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/router.h"
#include "engine/base/arena.h"
#include "engine/base/err.h"
#include "engine/base/map.h"
#include "engine/http/call.h"
#include <stdlib.h>

/* A segment of a path: literal text, or a parameter "{name}" with an optional literal behind it
 * ("{id}:send"). */
struct node {
    const char *text; /* literal; of a parameter, what follows it */
    size_t len;
    bool param;
    struct node **children;
    size_t n_children; /* literals, then parameters; see order() */
    const struct route *routes[N_VERBS];
    const struct route *upload; /* the path is the one for its media */
    const struct dialect *dialect;
};

struct router {
    struct arena arena;
    struct node root;
    struct map scopes; /* name -> number + 1 */
    int n_scopes;
    const struct dialect *const *dialects;
};

static const char *const verb_names[N_VERBS] = {"GET", "POST", "PUT", "PATCH", "DELETE"};

const char *verb_name(enum verb verb)
{
    return verb_names[verb];
}

int verb_from_name(const char *name, enum verb *ret)
{
    for (int v = 0; v < N_VERBS; v++) {
        if (strcmp(name, verb_names[v]) == 0) {
            *ret = (enum verb)v;
            return 0;
        }
    }
    if (strcmp(name, "HEAD") == 0) {
        *ret = VERB_GET;
        return 0;
    }
    return -1;
}

/* Literals before parameters, each by length, then bytes: the walk tries parameters from the end,
 * the longest suffix first. */
static int order(const void *pa, const void *pb)
{
    const struct node *a = *(struct node *const *)pa, *b = *(struct node *const *)pb;
    if (a->param != b->param)
        return a->param ? 1 : -1;
    if (a->len != b->len)
        return a->len < b->len ? -1 : 1;
    return memcmp(a->text, b->text, a->len);
}

static struct node *child_for(struct router *r, struct node *parent, const char *segment,
                              size_t len)
{
    const char *text = segment;
    size_t n = len;
    bool param = len > 2 && segment[0] == '{';
    if (param) {
        text = (const char *)memchr(segment, '}', len) + 1;
        n = (size_t)(segment + len - text);
    }
    for (size_t i = 0; i < parent->n_children; i++) {
        struct node *c = parent->children[i];
        if (c->param == param && c->len == n && memcmp(c->text, text, n) == 0)
            return c;
    }
    struct node *c = arena_calloc(&r->arena, 1, sizeof *c);
    c->param = param;
    c->text = text;
    c->len = n;
    struct node **children =
        arena_alloc(&r->arena, (parent->n_children + 1) * sizeof *parent->children);
    if (parent->n_children)
        memcpy(children, parent->children, parent->n_children * sizeof *children);
    children[parent->n_children++] = c;
    parent->children = children;
    qsort(children, parent->n_children, sizeof *children, order);
    return c;
}

static int add_scopes(struct router *r, const char *scopes, struct sosia_err *err)
{
    while (scopes && *scopes) {
        size_t n = strcspn(scopes, " ");
        char *name = arena_memdup(&r->arena, scopes, n);
        if (n && !map_get(&r->scopes, name)) {
            if (r->n_scopes == SCOPE_WORDS * 64)
                return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "too many scopes");
            if (map_set(&r->scopes, name, (void *)(intptr_t)++r->n_scopes) < 0)
                return sosia_fail_memory(err);
        }
        scopes += n + strspn(scopes + n, " ");
    }
    return 0;
}

/* The node of a path below n. */
static struct node *node_for(struct router *r, struct node *n, const char *p)
{
    while (*p == '/') {
        const char *segment = ++p;
        p += strcspn(p, "/");
        n = child_for(r, n, segment, (size_t)(p - segment));
    }
    return n;
}

static int fail_twice(struct sosia_err *err, const struct route *a, const struct route *b)
{
    return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "%s and %s have one path and verb", a->id,
                      b->id);
}

/* The paths for a method's media. What is sent there has verbs of its own, so that a path belongs
 * to one method. */
static int add_upload(struct router *r, const struct dialect *d, const struct route *route,
                      struct sosia_err *err)
{
    const char *const *prefix = route->media ? dialect_front(d)->upload_prefixes : NULL;
    for (; prefix && *prefix; prefix++) {
        struct node *n = node_for(r, node_for(r, &r->root, *prefix), route->path);
        if (n->upload)
            return fail_twice(err, route, n->upload);
        n->upload = route;
        n->dialect = d;
    }
    return 0;
}

static int add(struct router *r, const struct dialect *d, const struct route *route,
               struct sosia_err *err)
{
    struct node *n = node_for(r, &r->root, route->path);
    if (n->routes[route->verb])
        return fail_twice(err, route, n->routes[route->verb]);
    n->routes[route->verb] = route;
    n->dialect = d;
    if (add_upload(r, d, route, err) < 0)
        return -1;
    return add_scopes(r, route->scopes, err);
}

int router_open(const struct dialect *const *dialects, struct router **ret_router,
                struct sosia_err *err)
{
    struct router *r = calloc(1, sizeof *r);
    if (!r)
        return sosia_fail_memory(err);
    arena_init(&r->arena, 0);
    map_init(&r->scopes);
    r->dialects = dialects;
    for (; *dialects; dialects++) {
        for (size_t i = 0; i < (*dialects)->n_routes; i++) {
            int rc = add(r, *dialects, &(*dialects)->routes[i], err);
            if (rc == 0 && arena_failed(&r->arena))
                rc = sosia_fail_memory(err);
            if (rc < 0) {
                router_close(r);
                return -1;
            }
        }
    }
    *ret_router = r;
    return 0;
}

void router_close(struct router *r)
{
    if (!r)
        return;
    map_done(&r->scopes);
    arena_done(&r->arena);
    free(r);
}

int router_scope(const struct router *r, const char *name, size_t len)
{
    char text[256];
    if (len >= sizeof text)
        return -1;
    memcpy(text, name, len);
    text[len] = 0;
    return (int)(intptr_t)map_get(&r->scopes, text) - 1;
}

static const struct node *literal_child(const struct node *n, const char *text, size_t len)
{
    for (size_t i = 0; i < n->n_children && !n->children[i]->param; i++)
        if (n->children[i]->len == len && memcmp(n->children[i]->text, text, len) == 0)
            return n->children[i];
    return NULL;
}

/* Depth first, literals before parameters; depth is bounded by the deepest row, width by the rows.
 */
static bool walk(const struct node *n, enum verb verb, const char *p, const char *end,
                 struct match *m)
{
    if (p == end) {
        for (int v = 0; v < N_VERBS; v++)
            m->path_known |= n->routes[v] != NULL;
        m->path_known |= n->upload != NULL;
        if (n->dialect && !m->dialect)
            m->dialect = n->dialect;
        m->upload = n->upload && verb != VERB_GET;
        m->route = m->upload ? n->upload : n->routes[verb];
        if (!m->route)
            return false;
        m->dialect = n->dialect;
        return true;
    }
    if (*p != '/')
        return false;
    const char *segment = p + 1;
    const char *stop = memchr(segment, '/', (size_t)(end - segment));
    if (!stop)
        stop = end;
    size_t len = (size_t)(stop - segment);
    const struct node *c = literal_child(n, segment, len);
    if (c && walk(c, verb, stop, end, m))
        return true;
    for (size_t i = n->n_children; i > 0 && n->children[i - 1]->param; i--) {
        c = n->children[i - 1];
        if (len <= c->len || memcmp(stop - c->len, c->text, c->len) != 0 ||
            m->n_params == MAX_PATH_PARAMS)
            continue;
        size_t at = m->n_params++;
        m->params[at].text = segment;
        m->params[at].len = len - c->len;
        if (walk(c, verb, stop, end, m))
            return true;
        m->n_params = at;
    }
    return false;
}

/* Rows may have different names for the same place of a path: those of the row that was found. */
static void name_params(struct match *m)
{
    const char *p = m->route->path;
    for (size_t i = 0; i < m->n_params; i++) {
        p = strchr(p, '{') + 1;
        m->params[i].name = p;
        m->params[i].name_len = strcspn(p, "}");
    }
}

static const struct dialect *owner(const struct router *r, const char *path, size_t len)
{
    const struct dialect *best = NULL;
    size_t best_len = 0;
    for (const struct dialect *const *d = r->dialects; *d; d++) {
        for (const char *const *prefix = (*d)->prefixes; prefix && *prefix; prefix++) {
            size_t n = strlen(*prefix);
            if (n > best_len && n <= len && memcmp(path, *prefix, n) == 0) {
                best = *d;
                best_len = n;
            }
        }
    }
    return best;
}

void router_match(const struct router *r, enum verb verb, const char *path, size_t len,
                  struct match *ret)
{
    *ret = (struct match){0};
    if (walk(&r->root, verb, path, path + len, ret)) {
        name_params(ret);
    } else {
        ret->n_params = 0;
        if (!ret->dialect)
            ret->dialect = owner(r, path, len);
    }
}
