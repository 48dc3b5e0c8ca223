/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/api/router_impl.h"
#include "engine/base/codec.h"
#include "engine/base/err.h"
#include <assert.h>
#include <stdlib.h>
#include <strings.h>

static bool is_loose(const struct node *n)
{
    return n->nocase || n->keys;
}

/* Literals that segments have to be byte by byte, then the others, by length; parameters with more
 * text around them first. Of those that are equal here the older one comes first. */
static int order(const struct node *a, const struct node *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == LITERAL && is_loose(a) != is_loose(b))
        return is_loose(a) ? 1 : -1;
    size_t na = a->len + a->behind_len, nb = b->len + b->behind_len;
    if (na != nb)
        return (na < nb) == (a->kind == LITERAL) ? -1 : 1;
    return 0;
}

static bool same_text(const char *a, size_t a_len, const char *b, size_t b_len, bool nocase)
{
    return a_len == b_len && (nocase ? strncasecmp(a, b, a_len) : memcmp(a, b, a_len)) == 0;
}

/* Of two literals with the same text, of different vendors, the older one comes first whatever
 * order() says. */
static bool is_elder(const struct node *a, const struct node *b)
{
    return a->kind == LITERAL && b->kind == LITERAL && is_loose(a) && a->seq < b->seq &&
           same_text(a->text, a->len, b->text, b->len, true);
}

static void index_lengths(struct router *r, struct node *n)
{
    enum { FRONT = BY_LENGTH * sizeof(uint16_t) };
    size_t size = n->n_children * sizeof *n->children;
    char *room = arena_alloc(&r->arena, FRONT + size);
    if (arena_failed(&r->arena))
        return;
    uint16_t *from = (uint16_t *)(void *)room;
    n->children = memcpy(room + FRONT, n->children, size);
    for (size_t len = 0; len < BY_LENGTH; len++) {
        size_t i = len ? from[len - 1] : 0;
        while (i < n->n_children && n->children[i]->kind == LITERAL && !n->children[i]->keys &&
               n->children[i]->len < len)
            i++;
        from[len] = (uint16_t)i;
    }
}

/* Of the whole tree, when it is complete. Only for literals that are the whole segment: what may
 * have brackets behind it is met by all. */
static void index_children(struct router *r, struct node *n)
{
    size_t strict = 0; /* literals, which come first */
    while (strict < n->n_children && children(n)[strict]->kind == LITERAL &&
           !is_loose(children(n)[strict]))
        strict++;
    for (size_t i = 0; i < strict; i++)
        for (size_t k = strict; k < n->n_children && children(n)[k]->kind == LITERAL; k++)
            if (is_elder(children(n)[k], children(n)[i]))
                children(n)[i]->elder = children(n)[k];
    if (n->n_children > FEW)
        index_lengths(r, n);
    for (size_t i = 0; i < n->n_children; i++)
        index_children(r, children(n)[i]);
}

/* The first child that does not come before n. */
static uint32_t first_like(const struct node *parent, const struct node *n)
{
    uint32_t low = 0, high = parent->n_children;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (order(children(parent)[mid], n) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void put_child(struct router *r, struct node *parent, uint32_t at, struct node *c)
{
    uint32_t n = parent->n_children;
    assert(n < UINT16_MAX);
    if (!n) {
        parent->child = c;
        parent->n_children = 1;
        return;
    }
    struct node **list = parent->children;
    if (!(n & (n - 1))) { /* there is room for the next power of two */
        list = arena_alloc(&r->arena, 2 * (size_t)n * sizeof *list);
        if (arena_failed(&r->arena))
            return;
        memcpy(list, children(parent), n * sizeof *list);
        parent->children = list;
    }
    memmove(list + at + 1, list + at, (n - at) * sizeof *list);
    list[at] = c;
    parent->n_children++;
}

static void read_segment(const struct router *r, const struct vendor *v, const char *segment,
                         size_t len, struct node *ret)
{
    const char *open = memchr(segment, '{', len), *end = segment + len;
    assert(len <= UINT16_MAX); /* rows are ours */
    *ret = (struct node){.kind = LITERAL,
                         .text = segment,
                         .len = (uint16_t)len,
                         .behind = (uint16_t)len,
                         .nocase = v->ignore_case,
                         .keys = v->key_brackets};
    if (v->key_brackets && v->space)
        ret->vendor = (uint8_t)(router_tree(r, v) - r->trees);
    const char *bracket = v->key_brackets ? memchr(segment, '(', len) : NULL;
    if (bracket && end - bracket == 2) {
        ret->brackets = true;
        ret->len -= 2;
    } else if (bracket && open && open > bracket + 1 && open[-1] == '=') {
        ret->kind = FUNCTION;
        ret->len = (uint16_t)(bracket - segment);
        ret->behind = (uint16_t)(bracket + 1 - segment);
        ret->behind_len = (uint16_t)(end - behind(ret));
    } else if (open) {
        const char *close = memchr(open, '}', (size_t)(end - open));
        ret->kind = close[-1] == '*' ? REST : PARAM;
        ret->len = (uint16_t)(open - segment);
        ret->behind = (uint16_t)(close + 1 - segment);
        ret->behind_len = (uint16_t)(end - behind(ret));
    }
}

static void read_letters(const struct router *r, struct node *n)
{
    n->first = n->kind == LITERAL && n->len ? *n->text : 0;
    n->also = n->vendor ? *r->trees[n->vendor].vendor->space : n->first;
}

static struct node *child_for(struct router *r, const struct vendor *v, struct node *parent,
                              const char *segment, size_t len)
{
    struct node n;
    read_segment(r, v, segment, len, &n);
    read_letters(r, &n);
    uint32_t at = first_like(parent, &n);
    for (; at < parent->n_children && order(children(parent)[at], &n) == 0; at++) {
        struct node *c = children(parent)[at];
        if (c->nocase == n.nocase && c->keys == n.keys &&
            same_text(c->text, c->len, n.text, n.len, n.nocase) &&
            same_text(behind(c), c->behind_len, behind(&n), n.behind_len, n.nocase)) {
            c->brackets |= n.brackets;
            return c;
        }
    }
    struct node *c = arena_calloc(&r->arena, 1, sizeof *c);
    *c = n;
    c->seq = r->n_nodes++;
    put_child(r, parent, at, c);
    return c;
}

static int add_scopes(struct router *r, const char *scopes, struct sosia_err *err)
{
    while (scopes && *scopes) {
        size_t n = strcspn(scopes, " ");
        if (n && router_scope(r, scopes, n) < 0) {
            char *name = arena_memdup(&r->arena, scopes, n);
            if (r->n_scopes == SCOPE_WORDS * 64)
                return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "too many scopes");
            r->scope_names[r->n_scopes] = name;
            if (map_set(&r->scopes, name, (void *)(intptr_t)++r->n_scopes) < 0)
                return sosia_fail_memory(err);
        }
        scopes += n + strspn(scopes + n, " ");
    }
    return 0;
}

/* How many segments the path has in common with that of the trail; ret_rest: what is behind them.
 */
static size_t follow(const struct trail *trail, const char *path, const char **ret_rest)
{
    size_t depth = 0;
    *ret_rest = path;
    for (const char *p = path, *q = trail->path; *p == '/' && *q == '/' && depth < TRAIL_DEPTH;
         depth++) {
        do {
            p++;
            q++;
        } while (*p == *q && *p && *p != '/');
        if ((*p && *p != '/') || (*q && *q != '/'))
            break;
        *ret_rest = p;
    }
    return depth;
}

/* The node of a path below n. trail: NULL: of none. NULL without memory, or if n is NULL. */
static struct node *node_for(struct router *r, const struct vendor *v, struct node *n,
                             const char *p, struct trail *trail)
{
    size_t depth = 0;
    const char *path = p;
    if (trail && trail->root == n && trail->vendor == v && (depth = follow(trail, path, &p)))
        n = trail->at[depth - 1];
    else if (trail)
        *trail = (struct trail){.root = n, .vendor = v};
    while (n && *p == '/') {
        const char *segment = p + 1;
        size_t len = strcspn(segment, "/");
        p = segment + len;
        n = child_for(r, v, n, segment, len);
        if (trail && depth < TRAIL_DEPTH)
            trail->at[depth++] = n;
    }
    if (trail)
        trail->path = path;
    return arena_failed(&r->arena) ? NULL : n;
}

static int fail_twice(struct sosia_err *err, const struct route *a, const struct route *b)
{
    return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "%s and %s have one path and verb", a->id,
                      b->id);
}

/* A method's path ends at n, with its verbs or with none: it is that of its media. What is sent
 * there has verbs of its own, so that it belongs to one method. Does nothing where another vendor
 * has the path already. */
static int add_end(struct router *r, struct node *n, const struct dialect *d,
                   const struct route *route, size_t path, uint8_t verbs, struct sosia_err *err)
{
    if (!n)
        return sosia_fail_memory(err);
    if (n->ends && n->ends->dialect->vendor != d->vendor)
        return 0;
    struct end **at = &n->ends;
    for (; *at; at = &(*at)->next)
        if (((*at)->verbs & verbs) || ((*at)->upload && !verbs))
            return fail_twice(err, route, (*at)->route);
    struct end *e = arena_calloc(&r->arena, 1, sizeof *e);
    if (arena_failed(&r->arena))
        return sosia_fail_memory(err);
    *e = (struct end){.route = route, .path = (uint16_t)path, .verbs = verbs, .upload = !verbs};
    *at = e;
    n->ends->dialect = d;
    return 0;
}

/* The paths for a method's media. */
static int add_upload(struct router *r, struct route_tree *t, const struct dialect *d,
                      const struct route *route, size_t i, struct sosia_err *err)
{
    const char *const *prefix = route->media ? dialect_front(d)->upload_prefixes : NULL;
    for (; prefix && *prefix; prefix++) {
        struct node *top = node_for(r, d->vendor, &t->root, *prefix, NULL);
        if (add_end(r, node_for(r, d->vendor, top, route->paths[i], NULL), d, route, i, 0, err) < 0)
            return -1;
    }
    return 0;
}

static int add_path(struct router *r, struct route_tree *t, const struct dialect *d,
                    const struct route *route, size_t i, struct sosia_err *err)
{
    struct trail *trail = i < TRAILS ? &r->trails[t != r->trees][i] : NULL;
    struct node *n = node_for(r, d->vendor, &t->root, route->paths[i], trail);
    return add_end(r, n, d, route, i, (uint8_t)route->verbs, err) < 0
               ? -1
               : add_upload(r, t, d, route, i, err);
}

static int add_route(struct router *r, struct route_tree *t, const struct dialect *d,
                     const struct route *route, struct sosia_err *err)
{
    for (size_t i = 0; route->paths[i]; i++)
        if (add_path(r, t, d, route, i, err) < 0)
            return -1;
    return 0;
}

static int add_hosts(struct router *r, const struct vendor *v, struct sosia_err *err)
{
    for (const char *const *host = v->hosts; host && *host; host++)
        if (!map_get(&r->hosts, *host) && map_set(&r->hosts, *host, (void *)(uintptr_t)v) < 0)
            return sosia_fail_memory(err);
    return 0;
}

struct route_tree *router_tree(const struct router *r, const struct vendor *v)
{
    for (size_t i = 0; i < r->n_trees; i++)
        if (r->trees[i].vendor == v)
            return &r->trees[i];
    return NULL;
}

static int build(struct router *r, struct sosia_err *err)
{
    size_t n = 0;
    while (r->dialects[n])
        n++;
    r->trees = arena_calloc(&r->arena, n + 1, sizeof *r->trees);
    if (arena_failed(&r->arena))
        return sosia_fail_memory(err);
    r->n_trees = 1;
    for (const struct dialect *const *d = r->dialects; *d; d++) {
        struct route_tree *own = router_tree(r, (*d)->vendor);
        if (!own) {
            own = &r->trees[r->n_trees++];
            own->vendor = (*d)->vendor;
            own->space_len = own->vendor->space ? strlen(own->vendor->space) : 0;
            if (add_hosts(r, own->vendor, err) < 0)
                return -1;
        }
        if (add_scopes(r, (*d)->scopes, err) < 0)
            return -1;
        const struct route *row;
        for (size_t i = 0; (row = dialect_row(*d, i)); i++)
            if (add_route(r, own, *d, row, err) < 0 ||
                add_route(r, &r->trees[0], *d, row, err) < 0 || add_scopes(r, row->scopes, err) < 0)
                return -1;
    }
    for (size_t i = 0; i < r->n_trees; i++)
        index_children(r, &r->trees[i].root);
    return arena_failed(&r->arena) ? sosia_fail_memory(err) : 0;
}

int router_open(const struct dialect *const *dialects, struct router **ret_router,
                struct sosia_err *err)
{
    struct router *r = calloc(1, sizeof *r);
    if (!r)
        return sosia_fail_memory(err);
    arena_init(&r->arena, 0);
    map_init(&r->scopes);
    map_init(&r->hosts);
    r->dialects = dialects;
    r->trails = calloc(2, sizeof *r->trails);
    int rc = r->trails ? build(r, err) : sosia_fail_memory(err);
    free(r->trails);
    r->trails = NULL;
    if (rc == 0)
        *ret_router = r;
    else
        router_close(r);
    return rc;
}

void router_close(struct router *r)
{
    if (!r)
        return;
    map_done(&r->scopes);
    map_done(&r->hosts);
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

const char *router_scope_name(const struct router *r, int number)
{
    return number >= 0 && number < r->n_scopes ? r->scope_names[number] : NULL;
}
