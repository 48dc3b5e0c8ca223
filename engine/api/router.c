/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/api/router.h"
#include "engine/base/arena.h"
#include "engine/base/codec.h"
#include "engine/base/err.h"
#include "engine/base/map.h"
#include "engine/world/scopes.h"
#include <stdlib.h>
#include <strings.h>

enum { MAX_HOST = 253, BY_LENGTH = 16, FEW = 4, TRAILS = 32, TRAIL_DEPTH = 16 };

/* In the order in which they are tried. */
enum kind { LITERAL, FUNCTION, PARAM, REST };

/* A method whose path ends at a node. */
struct end {
    const struct route *route;
    struct end *next;              /* the method with another verb */
    const struct dialect *dialect; /* of the first of a node: the node's */
    uint16_t path;                 /* the number of the route's path */
    uint8_t verbs;                 /* bits; none: the path is the one for its media */
    bool upload;
};

/* A segment of a path. There are as many as rows have segments: it is kept small, and so is what
 * ends at it, which are 10,000 each. */
struct node {
    uint8_t kind : 2;          /* enum kind */
    bool nocase : 1, keys : 1; /* of the vendor */
    bool brackets : 1;         /* LITERAL: may have "()" behind it */
    uint8_t vendor;            /* LITERAL: whose name space it may have in front; else 0 */
    char first, also; /* LITERAL: letters that a segment may begin with, of either case; else 0 */
    uint16_t len, behind_len;    /* of text; of what is behind it */
    uint16_t behind, n_children; /* behind: see behind() */
    uint32_t seq;
    const char *text;         /* LITERAL; name of a FUNCTION; text before a parameter */
    const struct node *elder; /* LITERAL: another vendor's, older one of the same text, which is
                                 tried before it; NULL: none */
    union {
        struct node *child;     /* the only one */
        struct node **children; /* see order(); of more than FEW lengths() are in front */
    };
    struct end *ends; /* NULL: no path ends here */
};

/* PARAM, REST: what follows it; FUNCTION: "a={a},b={b})" of the row. */
static const char *behind(const struct node *n)
{
    return n->text + n->behind;
}

static struct node *const *children(const struct node *n)
{
    return n->n_children == 1 ? &n->child : n->children;
}

/* The path that was added last, and the nodes of its segments: most paths begin as the one at the
 * same place of the row before does. */
struct trail {
    const struct node *root;
    const struct vendor *vendor;
    const char *path;
    struct node *at[TRAIL_DEPTH];
};

struct tree {
    const struct vendor *vendor; /* NULL: all of them */
    size_t space_len;            /* of the vendor's name space */
    struct node root;
};

struct router {
    struct arena arena;
    struct trail (*trails)[TRAILS]; /* while it is built: of the tree of all, of the vendor's; by
                                       the path's place in the row */
    struct tree *trees;             /* [0]: of all vendors */
    size_t n_trees;
    uint32_t n_nodes;
    struct map hosts;                          /* "name" or "*.name" -> vendor */
    struct map scopes;                         /* name -> number + 1 */
    const char *scope_names[SCOPE_WORDS * 64]; /* by number */
    int n_scopes;
    const struct dialect *const *dialects;
};

const char *const risk_names[] = {"read", "draft", "write", "external", "destructive", NULL};

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

enum verb route_verb(const struct route *r)
{
    int v = 0;
    while (v < N_VERBS - 1 && !(r->verbs >> v & 1))
        v++;
    return (enum verb)v;
}

bool route_path_has(const char *path, const char *name, size_t n)
{
    for (const char *at = strchr(path, '{'); at; at = strchr(at + 1, '{'))
        if (strncmp(at + 1, name, n) == 0 && strchr("}*", at[1 + n]))
            return true;
    return false;
}

bool route_takes(const struct route *r, const struct param *p)
{
    bool found = p->place != IN_PATH;
    for (size_t i = 0; !found && r->paths[i]; i++)
        found = route_path_has(r->paths[i], p->name, strlen(p->name));
    return found;
}

bool route_requires(const struct route *r, const struct param *p)
{
    bool all = p->required;
    for (size_t i = 0; all && p->place == IN_PATH && r->paths[i]; i++)
        all = route_path_has(r->paths[i], p->name, strlen(p->name));
    return all;
}

/* ---- building ---- */

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

/* By length of a segment: the child to begin with, before which are literals that are shorter; of
 * a node with more than FEW children. */
static const uint16_t *lengths(const struct node *n)
{
    return (const uint16_t *)(const void *)n->children - BY_LENGTH;
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

static struct tree *tree_of(const struct router *r, const struct vendor *v)
{
    for (size_t i = 0; i < r->n_trees; i++)
        if (r->trees[i].vendor == v)
            return &r->trees[i];
    return NULL;
}

static void read_segment(const struct router *r, const struct vendor *v, const char *segment,
                         size_t len, struct node *ret)
{
    const char *open = memchr(segment, '{', len), *end = segment + len;
    *ret = (struct node){.kind = LITERAL,
                         .text = segment,
                         .len = (uint16_t)len,
                         .behind = (uint16_t)len,
                         .nocase = v->ignore_case,
                         .keys = v->key_brackets};
    if (v->key_brackets && v->space)
        ret->vendor = (uint8_t)(tree_of(r, v) - r->trees);
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
static int add_upload(struct router *r, struct tree *t, const struct dialect *d,
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

static int add_path(struct router *r, struct tree *t, const struct dialect *d,
                    const struct route *route, size_t i, struct sosia_err *err)
{
    struct trail *trail = i < TRAILS ? &r->trails[t != r->trees][i] : NULL;
    struct node *n = node_for(r, d->vendor, &t->root, route->paths[i], trail);
    return add_end(r, n, d, route, i, (uint8_t)route->verbs, err) < 0
               ? -1
               : add_upload(r, t, d, route, i, err);
}

static int add_route(struct router *r, struct tree *t, const struct dialect *d,
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
        struct tree *own = tree_of(r, (*d)->vendor);
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

/* ---- hosts ---- */

const struct vendor *router_host(const struct router *r, const char *host, size_t len)
{
    char name[MAX_HOST + 3] = "";
    size_t n = 0;
    while (n < len && host[n] != ':')
        n++;
    if (n > 1 && host[n - 1] == '.')
        n--;
    if (!n || n > MAX_HOST || !r->hosts.n)
        return NULL;
    for (size_t i = 0; i < n; i++)
        name[i + 1] = (char)(host[i] >= 'A' && host[i] <= 'Z' ? host[i] | 32 : host[i]);
    name[n + 1] = 0;
    const struct vendor *v = map_get(&r->hosts, name + 1);
    for (char *dot = strchr(name + 1, '.'); dot && !v; dot = strchr(dot + 1, '.')) {
        char before = dot[-1];
        dot[-1] = '*';
        v = map_get(&r->hosts, dot - 1);
        dot[-1] = before;
    }
    return v;
}

/* ---- finding ---- */

struct walk {
    const struct tree *trees;
    enum verb verb;
    const char *end;
    struct match *m;
};

static bool walk(const struct walk *w, const struct node *n, const char *p);

static bool arrive(const struct walk *w, const struct node *n)
{
    struct match *m = w->m;
    const struct end *found = NULL, *upload = NULL;
    if (!n->ends)
        return false;
    m->path_known = true;
    if (!m->dialect)
        m->dialect = n->ends->dialect;
    for (const struct end *e = n->ends; e; e = e->next) {
        if (e->upload)
            upload = e;
        else if (e->verbs >> w->verb & 1)
            found = e;
    }
    m->upload = upload && w->verb != VERB_GET;
    if (m->upload)
        found = upload;
    m->route = found ? found->route : NULL;
    m->path = found ? found->route->paths[found->path] : NULL;
    if (!found)
        return false;
    m->dialect = n->ends->dialect;
    return true;
}

static bool begins(const struct node *c, const char *text, size_t len)
{
    return len >= c->len &&
           (c->nocase ? strncasecmp(text, c->text, c->len) : memcmp(text, c->text, c->len)) == 0;
}

static bool ends(const struct node *c, const char *text, size_t len)
{
    return len >= c->behind_len &&
           (c->nocase ? strncasecmp(text + len - c->behind_len, behind(c), c->behind_len)
                      : memcmp(text + len - c->behind_len, behind(c), c->behind_len)) == 0;
}

/* Behind the vendor's name space, which literals may have in front. */
static const char *behind_space(const struct walk *w, const struct node *c, const char *segment,
                                const char *stop)
{
    const struct tree *t = &w->trees[c->vendor];
    return c->vendor && (size_t)(stop - segment) > t->space_len &&
                   strncasecmp(segment, t->vendor->space, t->space_len) == 0
               ? segment + t->space_len
               : segment;
}

/* Sets aside a parameter; false: there are too many, or it is empty. */
static bool take_param(struct match *m, const char *text, size_t len, bool quoted)
{
    if (m->n_params == MAX_PATH_PARAMS || (!len && !quoted))
        return false;
    m->params[m->n_params].text = text;
    m->params[m->n_params].len = len;
    m->params[m->n_params++].quoted = quoted;
    return true;
}

/* Bytes of the quote at p, plain or encoded; 0: there is none. */
static size_t quote_at(const char *p, const char *end)
{
    if (p < end && *p == '\'')
        return 1;
    return end - p >= 3 && memcmp(p, "%27", 3) == 0 ? 3 : 0;
}

/* A value in quotes or bare, all of text. */
static bool take_value(struct match *m, const char *text, const char *end)
{
    size_t q = quote_at(text, end);
    if (!q)
        return take_param(m, text, (size_t)(end - text), false);
    if ((size_t)(end - text) < 2 * q || quote_at(end - q, end) != q)
        return false;
    return take_param(m, text + q, (size_t)(end - text) - 2 * q, true);
}

/* "users('x')" is "users/x". A key without quotes has no '=', which arguments by name have. */
static bool walk_key(const struct walk *w, const struct node *c, const char *segment,
                     const char *stop)
{
    struct match *m = w->m;
    const char *open = segment + c->len;
    size_t before = m->n_params;
    if (open >= stop || *open != '(' || stop[-1] != ')' ||
        (!quote_at(open + 1, stop) && memchr(open, '=', (size_t)(stop - open))))
        return false;
    if (!take_value(m, open + 1, stop - 1))
        return false;
    for (size_t i = 0; i < c->n_children; i++) {
        const struct node *below = children(c)[i];
        if (below->kind == PARAM && !below->len && !below->behind_len && walk(w, below, stop))
            return true;
    }
    m->n_params = before;
    return false;
}

static bool walk_literal(const struct walk *w, const struct node *c, const char *segment,
                         const char *stop)
{
    segment = behind_space(w, c, segment, stop);
    size_t len = (size_t)(stop - segment);
    if (!begins(c, segment, len))
        return false;
    if (len == c->len)
        return walk(w, c, stop);
    if (c->brackets && len == (size_t)c->len + 2 && memcmp(stop - 2, "()", 2) == 0)
        return walk(w, c, stop);
    return c->keys && walk_key(w, c, segment, stop);
}

/* The end of an argument: a comma or the bracket, not in quotes. */
static const char *argument_end(const char *p, const char *end)
{
    bool quoted = false;
    while (p < end && (quoted || *p != ',')) {
        size_t q = quote_at(p, end);
        quoted ^= q != 0;
        p += q ? q : 1;
    }
    return p;
}

/* The value of an argument among those of the request. */
static bool find_argument(struct match *m, const char *args, const char *end, const char *name,
                          size_t len)
{
    for (const char *p = args; p < end;) {
        const char *stop = argument_end(p, end);
        if ((size_t)(stop - p) > len && p[len] == '=' && strncasecmp(p, name, len) == 0)
            return take_value(m, p + len + 1, stop);
        p = stop + (stop < end);
    }
    return false;
}

static bool walk_function(const struct walk *w, const struct node *c, const char *segment,
                          const char *stop)
{
    struct match *m = w->m;
    segment = behind_space(w, c, segment, stop);
    size_t before = m->n_params, len = (size_t)(stop - segment), wanted = 0, given = 0;
    if (len < (size_t)c->len + 2 || !begins(c, segment, len) || segment[c->len] != '(' ||
        stop[-1] != ')')
        return false;
    const char *args = segment + c->len + 1;
    for (const char *p = args; p < stop - 1; p = argument_end(p, stop - 1) + 1)
        given++;
    for (const char *p = behind(c); p < behind(c) + c->behind_len; wanted++) {
        size_t n = strcspn(p, "=");
        if (!find_argument(m, args, stop - 1, p, n)) {
            m->n_params = before;
            return false;
        }
        p += strcspn(p, "}") + 2;
    }
    if (given == wanted && walk(w, c, stop))
        return true;
    m->n_params = before;
    return false;
}

static bool walk_param(const struct walk *w, const struct node *c, const char *segment,
                       const char *stop)
{
    struct match *m = w->m;
    size_t len = (size_t)(stop - segment), before = m->n_params;
    if (len <= c->len + c->behind_len || !begins(c, segment, len) || !ends(c, segment, len) ||
        !take_param(m, segment + c->len, len - c->len - c->behind_len, false))
        return false;
    if (walk(w, c, stop))
        return true;
    m->n_params = before;
    return false;
}

/* Over several segments: to the first end from where the rest of the path leads on. */
static bool walk_rest(const struct walk *w, const struct node *c, const char *segment)
{
    struct match *m = w->m;
    size_t before = m->n_params;
    if (!begins(c, segment, (size_t)(w->end - segment)))
        return false;
    const char *p = segment;
    do {
        const char *stop = memchr(p, '/', (size_t)(w->end - p));
        if (!stop || !c->behind_len)
            stop = w->end;
        size_t len = (size_t)(stop - segment);
        if (len > (size_t)c->len + c->behind_len && ends(c, segment, len) &&
            take_param(m, segment + c->len, len - c->len - c->behind_len, false)) {
            if (walk(w, c, stop))
                return true;
            m->n_params = before;
        }
        p = stop + 1;
    } while (p <= w->end);
    return false;
}

/* Depth first, in the order of the children; depth is bounded by the deepest row, width by the
 * rows. */
static bool walk(const struct walk *w, const struct node *n, const char *p)
{
    if (p == w->end)
        return arrive(w, n);
    if (*p != '/')
        return false;
    const char *segment = p + 1;
    const char *stop = memchr(segment, '/', (size_t)(w->end - segment));
    if (!stop)
        stop = w->end;
    size_t len = (size_t)(stop - segment);
    if (segment > w->m->lost) {
        w->m->lost = segment;
        w->m->lost_len = len;
    }
    struct node *const *list = children(n);
    for (size_t i = n->n_children > FEW ? lengths(n)[len < BY_LENGTH ? len : BY_LENGTH - 1] : 0;
         i < n->n_children; i++) {
        const struct node *c = list[i];
        bool found = false;
        if (c->first && ((c->first ^ *segment) & ~0x20) && ((c->also ^ *segment) & ~0x20))
            continue;
        switch ((enum kind)c->kind) {
        case LITERAL:
            if (!c->nocase && !c->keys) /* nearly all */
                found = c->len == len && memcmp(c->text, segment, len) == 0 &&
                        ((c->elder && walk(w, c->elder, stop)) || walk(w, c, stop));
            else
                found = walk_literal(w, c, segment, stop);
            break;
        case FUNCTION:
            found = walk_function(w, c, segment, stop);
            break;
        case PARAM:
            found = walk_param(w, c, segment, stop);
            break;
        case REST:
            found = walk_rest(w, c, segment);
            break;
        }
        if (found)
            return true;
    }
    if (len || !n->keys)
        return false;
    while (w->end - stop > 1 && stop[1] == '/') /* all empty segments at once: paths are long */
        stop++;
    return walk(w, n, stop);
}

/* Rows may have different names for the same place of a path: those of the row that was found. */
static void name_params(struct match *m)
{
    const char *p = m->path;
    for (size_t i = 0; i < m->n_params; i++) {
        p = strchr(p, '{') + 1;
        m->params[i].name = p;
        m->params[i].name_len = strcspn(p, "*}");
    }
}

static const struct dialect *owner(const struct router *r, const struct vendor *vendor,
                                   const char *path, size_t len)
{
    const struct dialect *best = NULL;
    size_t best_len = 0;
    for (const struct dialect *const *d = r->dialects; *d; d++) {
        if (vendor && (*d)->vendor != vendor)
            continue;
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

void router_match(const struct router *r, const struct vendor *vendor, enum verb verb,
                  const char *path, size_t len, struct match *ret)
{
    const struct tree *t = vendor ? tree_of(r, vendor) : &r->trees[0];
    const struct walk w = {.trees = r->trees, .verb = verb, .end = path + len, .m = ret};
    /* Not all of it: parameters are written before they are read. */
    ret->route = NULL;
    ret->dialect = NULL;
    ret->path = NULL;
    ret->path_known = ret->upload = false;
    ret->n_params = 0;
    ret->lost = NULL;
    ret->lost_len = 0;
    if (t && walk(&w, &t->root, path)) {
        name_params(ret);
    } else {
        ret->n_params = 0;
        if (!ret->dialect)
            ret->dialect = owner(r, vendor, path, len);
    }
}
