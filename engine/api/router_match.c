/* SPDX-License-Identifier: Apache-2.0 */
/* From a host and a path to a vendor and a row: a walk over the trees that router.c has built. */
#include "engine/api/router_impl.h"
#include <string.h>
#include <strings.h>

enum { MAX_HOST = 253 };

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

struct walk {
    const struct route_tree *trees;
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
    const struct route_tree *t = &w->trees[c->vendor];
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
    const struct route_tree *t = vendor ? router_tree(r, vendor) : &r->trees[0];
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
