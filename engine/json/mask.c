/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field masks: Google's `fields` grammar into a tree of names.
 *
 *     list     = item *("," item)
 *     item     = name ["/" item | "(" list ")"]
 *     name     = "*" or any text without blanks and , / ( )
 *
 * Blanks may stand around every part. Selections of one name add up; what "*" selects is added to
 * every name beside it. An empty text selects nothing.
 */
#include "engine/json/json.h"
#include "engine/base/utf8.h"

enum { MAX_LENGTH = 8192, MAX_DEPTH = 32, MAX_NODES = 8192, FIRST_KIDS = 4 };

struct json_mask {
    const char *name;
    uint32_t len;
    bool all; /* everything below, whatever the kids say */
    uint32_t n, cap;
    struct json_mask **kids;        /* in the order of by_name() */
    struct json_mask *first, *last; /* the same, in the order of their writing */
    struct json_mask *next;         /* sibling in that order */
    struct json_mask *star;         /* of the kids, the one for every name */
};

struct mask_parser {
    struct arena *arena;
    const char *text, *p, *end;
    unsigned nodes;
};

static const struct json_mask everything = {.name = "*", .len = 1, .all = true};

static int by_name(const struct json_mask *m, const char *name, size_t len)
{
    if (m->len != len)
        return m->len < len ? -1 : 1;
    return memcmp(m->name, name, len);
}

/* The place of a name among the kids, or where it should stand. */
static uint32_t find(const struct json_mask *m, const char *name, size_t len, bool *ret_there)
{
    uint32_t low = 0, high = m->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int d = by_name(m->kids[mid], name, len);
        if (!d) {
            *ret_there = true;
            return mid;
        }
        if (d < 0)
            low = mid + 1;
        else
            high = mid;
    }
    *ret_there = false;
    return low;
}

static struct json_mask *add_kid(struct mask_parser *s, struct json_mask *m, const char *name,
                                 size_t len)
{
    bool there;
    uint32_t at = find(m, name, len, &there);
    if (there)
        return m->kids[at];
    if (++s->nodes > MAX_NODES)
        return NULL;
    if (m->n == m->cap) {
        uint32_t cap = m->cap ? m->cap * 2 : FIRST_KIDS;
        struct json_mask **kids = arena_alloc(s->arena, cap * sizeof *kids);
        if (arena_failed(s->arena))
            return NULL;
        if (m->n)
            memcpy(kids, m->kids, m->n * sizeof *kids);
        m->kids = kids;
        m->cap = cap;
    }
    struct json_mask *kid = arena_calloc(s->arena, 1, sizeof *kid);
    char *copy = arena_memdup(s->arena, name, len);
    if (arena_failed(s->arena))
        return NULL;
    kid->name = copy;
    kid->len = (uint32_t)len;
    memmove(m->kids + at + 1, m->kids + at, (m->n - at) * sizeof(*m->kids));
    m->kids[at] = kid;
    m->n++;
    if (m->last)
        m->last->next = kid;
    else
        m->first = kid;
    m->last = kid;
    if (len == 1 && *name == '*')
        m->star = kid;
    return kid;
}

static int refuse(struct mask_parser *s, const char *rest, struct sosia_err *err)
{
    if (arena_failed(s->arena))
        return sosia_fail_memory(err);
    if (s->nodes > MAX_NODES)
        return sosia_fail(err, SOSIA_E_INVALID, "invalidParameter", "fields",
                          "Too many field selections");
    if (rest >= s->end)
        rest = s->text;
    return sosia_fail(err, SOSIA_E_INVALID, "invalidParameter", "fields",
                      "Invalid field selection %.*s",
                      (int)utf8_truncate(rest, (size_t)(s->end - rest), 120), rest);
}

static void skip_blanks(struct mask_parser *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
        s->p++;
}

static bool name_char(char c)
{
    return (unsigned char)c > ' ' && c != ',' && c != '/' && c != '(' && c != ')' && c != 0x7F;
}

/* A name and the blanks around it; NULL when there is none. */
static struct json_mask *parse_name(struct mask_parser *s, struct json_mask *parent)
{
    skip_blanks(s);
    const char *start = s->p;
    while (s->p < s->end && name_char(*s->p))
        s->p++;
    size_t len = (size_t)(s->p - start);
    if (!len || (len > 1 && memchr(start, '*', len))) {
        s->p = start;
        return NULL;
    }
    skip_blanks(s);
    return add_kid(s, parent, start, len);
}

static int parse_list(struct mask_parser *s, struct json_mask *root, struct sosia_err *err)
{
    struct json_mask *group[MAX_DEPTH]; /* what each open parenthesis selects from */
    struct json_mask *at = root;
    unsigned depth = 0, groups = 0, outer[MAX_DEPTH];
    group[0] = root;
    for (;;) {
        struct json_mask *kid = depth < MAX_DEPTH ? parse_name(s, at) : NULL;
        if (!kid)
            return refuse(s, s->p, err);
        char c = s->p < s->end ? *s->p : 0;
        if (c == '/' || c == '(') {
            s->p++;
            at = kid;
            depth++;
            if (c == '(') {
                if (++groups == MAX_DEPTH)
                    return refuse(s, s->p, err);
                group[groups] = kid;
                outer[groups] = depth;
            }
            continue;
        }
        kid->all = true;
        while (c == ')') {
            if (!groups)
                return refuse(s, s->p, err);
            groups--;
            s->p++;
            skip_blanks(s);
            c = s->p < s->end ? *s->p : 0;
        }
        if (s->p == s->end && !groups)
            return 0;
        if (c != ',')
            return refuse(s, s->p, err);
        s->p++;
        at = group[groups];
        depth = groups ? outer[groups] : 0;
    }
}

/* Adds everything that `from` selects to `to`. Both are at most MAX_DEPTH deep, so is the
 * recursion. */
static int merge(struct mask_parser *s, struct json_mask *to, const struct json_mask *from)
{
    to->all |= from->all;
    for (const struct json_mask *k = from->first; k; k = k->next) {
        struct json_mask *kid = add_kid(s, to, k->name, k->len);
        if (!kid || merge(s, kid, k) < 0)
            return -1;
    }
    return 0;
}

static int spread_stars(struct mask_parser *s, struct json_mask *m)
{
    if (m->star && m->star->all)
        m->all = true;
    for (struct json_mask *k = m->first; k; k = k->next) {
        if (m->star && k != m->star && !m->all && merge(s, k, m->star) < 0)
            return -1;
        if (spread_stars(s, k) < 0)
            return -1;
    }
    return 0;
}

int json_mask_parse(struct arena *a, const char *text, const struct json_mask **ret_mask,
                    struct sosia_err *err)
{
    size_t len = strlen(text);
    if (len > MAX_LENGTH)
        return sosia_fail(err, SOSIA_E_INVALID, "invalidParameter", "fields",
                          "The field selection has more than %d bytes", MAX_LENGTH);
    struct mask_parser s = {.arena = a, .text = text, .p = text, .end = text + len};
    if (!utf8_valid(text, len))
        return sosia_fail(err, SOSIA_E_INVALID, "invalidParameter", "fields",
                          "The field selection is not UTF-8");
    struct json_mask *root = arena_calloc(a, 1, sizeof *root);
    if (arena_failed(a))
        return sosia_fail_memory(err);
    skip_blanks(&s);
    if (s.p < s.end && (parse_list(&s, root, err) < 0))
        return -1;
    if (spread_stars(&s, root) < 0)
        return refuse(&s, text, err);
    *ret_mask = root;
    return 0;
}

const struct json_mask *json_mask_child(const struct json_mask *m, const char *name, size_t len)
{
    bool there;
    if (!m || m->all)
        return &everything;
    uint32_t at = find(m, name, len, &there);
    return there ? m->kids[at] : m->star;
}

bool json_mask_all(const struct json_mask *m)
{
    return !m || m->all;
}

int json_mask_each(const struct json_mask *m,
                   int (*fn)(void *arg, const char *name, const struct json_mask *below), void *arg)
{
    for (const struct json_mask *k = m ? m->first : NULL; k; k = k->next) {
        int rc = fn(arg, k->name, k);
        if (rc)
            return rc;
    }
    return 0;
}
