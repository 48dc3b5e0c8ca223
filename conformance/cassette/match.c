/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing responses with what is expected. */
#include "conformance/cassette/pattern_impl.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include <stdio.h>

enum { TEXT_MAX = 4000, MATCH_LIMIT = 1000000, UNORDERED_MAX = 2000 };

const char *const difference_names[] = {
    [DIFFERENCE_STATUS] = "status",   [DIFFERENCE_HEADER] = "header",
    [DIFFERENCE_MISSING] = "missing", [DIFFERENCE_UNEXPECTED] = "unexpected",
    [DIFFERENCE_TYPE] = "type",       [DIFFERENCE_VALUE] = "value",
    [DIFFERENCE_ORDER] = "order",     [DIFFERENCE_BODY] = "body",
    [DIFFERENCE_BODY + 1] = NULL};

/* The path of a value; on the stack, and written out only for a message. */
struct place {
    const struct place *up;
    const char *text; /* of the outermost */
    const char *key;  /* of a member; NULL: an item */
    size_t index;
};

struct matcher {
    struct comparison *c;
    struct captures *captures;
};

static void match(struct matcher *m, const struct pattern *p, const char *source,
                  const struct place *at, const struct json *value);

/* ---- messages ---- */

static void write_place(struct buf *b, const struct place *at)
{
    if (!at->up) {
        buf_puts(b, at->text);
        return;
    }
    write_place(b, at->up);
    if (!at->key)
        buf_printf(b, "[%zu]", at->index);
    else if (pattern_is_name(at->key, strlen(at->key)))
        buf_printf(b, ".%s", at->key);
    else
        buf_printf(b, "[\"%s\"]", at->key);
}

static const char *place_text(struct arena *a, const struct place *at)
{
    struct buf b;
    buf_init(&b, 0);
    write_place(&b, at);
    return buf_keep(&b, a);
}

static const char *cut(struct arena *a, const char *text)
{
    size_t n = strlen(text), keep = utf8_truncate(text, n, TEXT_MAX);
    return keep == n ? arena_strdup(a, text)
                     : arena_printf(a, "%.*s... (%zu bytes)", (int)keep, text, n);
}

const char *comparison_shown(struct arena *a, const struct json *v)
{
    return v ? cut(a, json_to_text(a, v)) : NULL;
}

static void add_difference(struct comparison *c, enum difference_kind kind, const char *path,
                           const char *expected, const char *got, const struct json *value)
{
    struct difference *d = arena_calloc(c->arena, 1, sizeof *d);
    if (arena_failed(c->arena))
        return;
    *d = (struct difference){kind, path, expected, got, value, NULL};
    *c->last = d;
    c->last = &d->next;
}

static void differ(struct matcher *m, enum difference_kind kind, const struct place *at,
                   const char *expected, const struct json *got)
{
    struct arena *a = m->c->arena;
    add_difference(m->c, kind, place_text(a, at), expected ? cut(a, expected) : NULL,
                   comparison_shown(a, got), got);
}

void comparison_init(struct comparison *c, struct arena *arena, bool order)
{
    *c = (struct comparison){.arena = arena, .order = order};
    c->last = &c->first;
    c->last_normalised = &c->normalised;
}

void comparison_field(struct comparison *c, enum difference_kind kind, const char *path,
                      const char *expected, const char *got, bool equal)
{
    c->total++;
    c->equal += equal;
    if (!equal)
        add_difference(c, kind, arena_strdup(c->arena, path),
                       expected ? cut(c->arena, expected) : NULL, got ? cut(c->arena, got) : NULL,
                       NULL);
}

/* ---- counting ---- */

static size_t leaves(const struct json *v)
{
    size_t n = 0;
    if ((v->type != JSON_OBJECT && v->type != JSON_ARRAY) || !v->n)
        return 1;
    for (uint32_t i = 0; i < v->n; i++)
        n += leaves(v->type == JSON_OBJECT ? &v->members[i].value : &v->items[i]);
    return n;
}

size_t pattern_leaves(const struct pattern *p)
{
    size_t n = 0;
    if (p->kind == PATTERN_ABSENT || p->kind == PATTERN_OPTIONAL)
        return 0;
    if (p->kind == PATTERN_CAPTURE || p->kind == PATTERN_RAW)
        return pattern_leaves(p->inner);
    for (size_t i = 0; p->kind == PATTERN_OBJECT && i < p->n_members; i++)
        n += pattern_leaves(p->members[i].value);
    for (size_t i = 0; p->kind == PATTERN_ARRAY && i < p->n_items; i++)
        n += pattern_leaves(p->items[i]);
    return n ? n : 1;
}

static void count(struct matcher *m, bool equal)
{
    m->c->total++;
    m->c->equal += equal;
}

/* ---- values ---- */

static bool is_whole(const struct json *number)
{
    return !number->str[strspn(number->str, "-0123456789")];
}

/* Whole numbers by their digits: a double has not all of those of an id. */
static bool numbers_same(const struct json *a, const struct json *b)
{
    double x, y;
    if (strcmp(a->str, b->str) == 0)
        return true;
    if (is_whole(a) && is_whole(b))
        return false;
    return json_double(a, &x) == 0 && json_double(b, &y) == 0 && x == y;
}

/* Which members have another one of their name behind them, which is the one that readers take.
 * NULL: none has. */
static const bool *hidden_members(struct arena *a, const struct json *object)
{
    bool *hidden = NULL;
    struct map seen;
    if (object->n < 2)
        return NULL;
    map_init(&seen);
    for (uint32_t i = object->n; i-- > 0;) {
        const char *key = object->members[i].key;
        if (map_get(&seen, key)) {
            if (!hidden)
                hidden = arena_calloc(a, object->n, sizeof *hidden);
            if (!arena_failed(a))
                hidden[i] = true;
        } else if (map_set(&seen, key, (void *)key) < 0) {
            a->failed = true;
        }
    }
    map_done(&seen);
    return arena_failed(a) ? NULL : hidden;
}

static bool json_same(const struct json *a, const struct json *b)
{
    if (a->type != b->type)
        return false;
    switch ((enum json_type)a->type) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return a->truth == b->truth;
    case JSON_NUMBER:
        return numbers_same(a, b);
    case JSON_STRING:
        return a->n == b->n && memcmp(a->str, b->str, a->n) == 0;
    case JSON_ARRAY:
        for (uint32_t i = 0; i < a->n && i < b->n; i++)
            if (!json_same(&a->items[i], &b->items[i]))
                return false;
        return a->n == b->n;
    case JSON_OBJECT:
        for (uint32_t i = 0; i < a->n && a->n == b->n; i++) {
            const struct json *other = json_get(b, a->members[i].key);
            if (!other || !json_same(&a->members[i].value, other))
                return false;
        }
        return a->n == b->n;
    }
    return false;
}

/* A time, a number, or digits with or without quotes, as something that can be compared. */
static int as_quantity(const struct json *v, double *ret)
{
    struct stamp t;
    if (v->type == JSON_NUMBER)
        return json_double(v, ret);
    if (v->type != JSON_STRING)
        return -1;
    if (stamp_parse(v->str, v->n, false, &t) == 0) {
        *ret = (double)(t.local_us - t.offset * US_PER_SECOND);
        return 0;
    }
    size_t quotes = v->n >= 2 && v->str[0] == '"' && v->str[v->n - 1] == '"';
    return parse_double(v->str + quotes, v->n - 2 * quotes, ret);
}

static bool is_after(const struct json *v, const struct json *than)
{
    double a, b;
    return as_quantity(v, &a) == 0 && as_quantity(than, &b) == 0 && a > b;
}

/* ---- texts ---- */

static bool regex_matches(const pcre2_code *code, const char *text, size_t len,
                          pcre2_match_data **ret_data)
{
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
    bool ok = false;
    if (context && data) {
        pcre2_set_match_limit(context, MATCH_LIMIT);
        pcre2_set_depth_limit(context, MATCH_LIMIT);
        ok = pcre2_match(code, (PCRE2_SPTR)text, len, 0, 0, data, context) >= 0;
    }
    pcre2_match_context_free(context);
    if (ok)
        *ret_data = data;
    else
        pcre2_match_data_free(data);
    return ok;
}

static void quote_into(struct buf *b, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] && strchr("\\^$.[]|()?*+{}-#/ ", text[i]))
            buf_byte(b, '\\');
        buf_byte(b, text[i]);
    }
}

/* The regular expression of pieces by the values that names have now. -1: one has none. */
static int regex_of_now(const struct matcher *m, const struct pattern *p, struct buf *b)
{
    for (size_t i = 0; i < p->n_pieces; i++) {
        const struct piece *piece = &p->pieces[i];
        if (piece->kind == PIECE_LITERAL) {
            quote_into(b, piece->text, strlen(piece->text));
        } else if (piece->kind == PIECE_REGEX) {
            buf_printf(b, "(?:%s)", piece->text);
        } else if (piece->kind == PIECE_CAPTURE) {
            buf_printf(b, "(?<sosia%zu>%s)", i, piece->text);
        } else {
            const struct json *v = captures_get(m->captures, piece->name);
            if (!v || (v->type != JSON_STRING && v->type != JSON_NUMBER))
                return -1;
            quote_into(b, v->str, v->n);
        }
    }
    return buf_failed(b) ? -1 : 0;
}

static void capture_pieces(struct matcher *m, const struct pattern *p, pcre2_match_data *data)
{
    for (size_t i = 0; i < p->n_pieces; i++) {
        char name[32];
        PCRE2_UCHAR *text;
        PCRE2_SIZE len;
        if (p->pieces[i].kind != PIECE_CAPTURE)
            continue;
        snprintf(name, sizeof name, "sosia%zu", i);
        if (pcre2_substring_get_byname(data, (PCRE2_SPTR)name, &text, &len) < 0)
            continue;
        struct json v = {.type = JSON_STRING, .n = (uint32_t)len, .str = (const char *)text};
        captures_set(m->captures, p->pieces[i].name, &v);
        pcre2_substring_free(text);
    }
}

static bool text_matches(struct matcher *m, const struct pattern *p, const struct json *v)
{
    pcre2_match_data *data;
    pcre2_code *own = NULL;
    bool ok = false;
    if (v->type != JSON_STRING)
        return false;
    if (p->has_values) {
        struct buf b;
        buf_init(&b, 0);
        if (regex_of_now(m, p, &b) == 0)
            regex_compile(buf_str(&b), &own, NULL);
        buf_done(&b);
        if (!own)
            return false;
    }
    ok = regex_matches(own ? own : p->code, v->str, v->n, &data);
    if (ok) {
        capture_pieces(m, p, data);
        pcre2_match_data_free(data);
    }
    pcre2_code_free(own);
    return ok;
}

/* ---- leaves ---- */

static void normalised(struct matcher *m, const struct place *at)
{
    struct normalised *n = arena_calloc(m->c->arena, 1, sizeof *n);
    if (arena_failed(m->c->arena))
        return;
    n->path = place_text(m->c->arena, at);
    *m->c->last_normalised = n;
    m->c->last_normalised = &n->next;
}

static bool leaf_matches(struct matcher *m, const struct pattern *p, const struct json *v,
                         const char **expected)
{
    const struct json *known = p->name ? captures_get(m->captures, p->name) : NULL;
    switch (p->kind) {
    case PATTERN_LITERAL:
        return json_same(p->literal, v);
    case PATTERN_TYPE:
        return p->types >> v->type & 1;
    case PATTERN_TEXT:
        return text_matches(m, p, v);
    case PATTERN_VALUE:
        if (known)
            *expected = comparison_shown(m->c->arena, known);
        return known && json_same(known, v);
    case PATTERN_NOT:
        return known && !json_same(known, v);
    case PATTERN_AFTER:
        if (known)
            *expected = arena_printf(m->c->arena, "after %s", comparison_shown(m->c->arena, known));
        return known && is_after(v, known);
    default:
        return false;
    }
}

/* The type that a pattern requires, if any. */
static bool other_type(const struct pattern *p, const struct json *v)
{
    if (p->kind == PATTERN_TYPE)
        return !(p->types >> v->type & 1);
    if (p->kind == PATTERN_LITERAL)
        return p->literal->type != v->type;
    return p->kind == PATTERN_TEXT && v->type != JSON_STRING;
}

static void match_leaf(struct matcher *m, const struct pattern *p, const char *source,
                       const struct place *at, const struct json *v)
{
    bool ok = leaf_matches(m, p, v, &source);
    count(m, ok);
    if (p->kind != PATTERN_LITERAL && ok)
        normalised(m, at);
    if (!ok)
        differ(m, other_type(p, v) ? DIFFERENCE_TYPE : DIFFERENCE_VALUE, at, source, v);
}

/* ---- objects ---- */

static bool takes_anything(const struct pattern *p)
{
    return p->kind == PATTERN_TYPE && p->types >> JSON_NULL & 1;
}

static void unexpected(struct matcher *m, const struct place *at, const struct json *v)
{
    m->c->total += leaves(v);
    differ(m, DIFFERENCE_UNEXPECTED, at, NULL, v);
}

static const struct pattern *member_pattern(const struct pattern *p, const char *key)
{
    for (size_t i = 0; i < p->n_members; i++)
        if (strcmp(p->members[i].key, key) == 0)
            return p->members[i].value;
    return NULL;
}

/* Members that both have are in the expected order. */
static void check_order(struct matcher *m, const struct pattern *p, const struct place *at,
                        const struct json *v)
{
    const struct json_member *last = NULL;
    for (size_t i = 0; i < p->n_members; i++) {
        const struct json *value = json_get(v, p->members[i].key);
        if (!value)
            continue;
        const struct json_member *here = v->members;
        while (&here->value != value)
            here++;
        if (last && here < last) {
            struct place inner = {at, NULL, last->key, 0};
            count(m, false);
            differ(m, DIFFERENCE_ORDER, &inner, arena_printf(m->c->arena, "before %s", here->key),
                   NULL);
            return;
        }
        last = here;
    }
}

static void match_object(struct matcher *m, const struct pattern *p, const char *source,
                         const struct place *at, const struct json *v)
{
    if (v->type != JSON_OBJECT) {
        m->c->total += pattern_leaves(p);
        differ(m, DIFFERENCE_TYPE, at, source, v);
        return;
    }
    if (!p->n_members && !v->n)
        count(m, true);
    const bool *hidden = hidden_members(m->c->arena, v);
    for (size_t i = 0; i < p->n_members; i++) {
        struct place inner = {at, NULL, p->members[i].key, 0};
        match(m, p->members[i].value, NULL, &inner, json_get(v, p->members[i].key));
    }
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json_member *member = &v->members[i];
        struct place inner = {at, NULL, member->key, 0};
        if (hidden && hidden[i]) {
            unexpected(m, &inner, &member->value); /* it is there twice */
            continue;
        }
        if (member_pattern(p, member->key))
            continue;
        if (p->rest && takes_anything(p->rest))
            normalised(m, &inner); /* not compared: it does not count as an equal field */
        else if (p->rest)
            match(m, p->rest, NULL, &inner, &member->value);
        else
            unexpected(m, &inner, &member->value);
    }
    if (m->c->order && !p->mixed)
        check_order(m, p, at, v);
}

/* ---- arrays ---- */

/* Whether a value matches a pattern; what it captures is kept only then, if ret_captures. */
static bool fits(struct matcher *m, const struct pattern *p, const struct json *v, bool keep)
{
    struct arena a;
    struct comparison c;
    struct captures captures;
    struct place at = {.text = "$"};
    arena_init(&a, 0);
    comparison_init(&c, &a, m->c->order);
    captures_init(&captures, m->captures->arena);
    captures.under = m->captures;
    struct matcher inner = {&c, &captures};
    match(&inner, p, NULL, &at, v);
    bool ok = !c.first && !arena_failed(&a);
    if (ok && keep)
        captures_keep(&captures, m->captures);
    captures_done(&captures);
    arena_done(&a);
    return ok;
}

struct pairing {
    struct matcher *m;
    const struct pattern *p;
    const struct json *v;
    uint8_t *able;    /* item of the pattern x item of the value */
    size_t *taken_by; /* item of the value -> 1 + item of the pattern */
    bool *seen;
};

/* Finds an item for pattern i, moving others where that helps. */
static bool find_item(struct pairing *g, size_t i)
{
    for (size_t k = 0; k < g->v->n; k++) {
        if (!g->able[i * g->v->n + k] || g->seen[k])
            continue;
        g->seen[k] = true;
        if (!g->taken_by[k] || find_item(g, g->taken_by[k] - 1)) {
            g->taken_by[k] = i + 1;
            return true;
        }
    }
    return false;
}

static void match_pairs(struct pairing *g, const struct place *at)
{
    struct matcher *m = g->m;
    size_t n = g->p->n_items, many = g->v->n;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < many; k++)
            g->able[i * many + k] = fits(m, g->p->items[i], &g->v->items[k], false);
    for (size_t i = 0; i < n; i++) {
        memset(g->seen, 0, many * sizeof *g->seen);
        find_item(g, i);
    }
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < many && g->taken_by[k] != i + 1)
            k++;
        /* One that matches no item is compared with one that is left, for the message. */
        for (size_t left = 0; k == many && left < many; left++)
            if (!g->taken_by[left] && g->p->mode == ARRAY_UNORDERED) {
                g->taken_by[left] = i + 1;
                k = left;
                break;
            }
        struct place inner = {at, NULL, NULL, k < many ? k : i};
        match(m, g->p->items[i], NULL, &inner, k < many ? &g->v->items[k] : NULL);
    }
    for (size_t k = 0; k < many; k++) {
        struct place inner = {at, NULL, NULL, k};
        if (!g->taken_by[k] && g->p->mode == ARRAY_UNORDERED && !g->p->rest)
            unexpected(m, &inner, &g->v->items[k]);
    }
}

static void match_unordered(struct matcher *m, const struct pattern *p, const struct place *at,
                            const struct json *v)
{
    struct arena *a = m->c->arena;
    struct pairing g = {.m = m, .p = p, .v = v};
    if (v->n > UNORDERED_MAX) {
        count(m, false);
        differ(m, DIFFERENCE_VALUE, at, "a list of at most 2000 items", NULL);
        return;
    }
    g.able = arena_calloc(a, p->n_items * v->n + 1, 1);
    g.taken_by = arena_calloc(a, v->n + 1, sizeof *g.taken_by);
    g.seen = arena_calloc(a, v->n + 1, sizeof *g.seen);
    if (!arena_failed(a))
        match_pairs(&g, at);
}

static void match_array(struct matcher *m, const struct pattern *p, const char *source,
                        const struct place *at, const struct json *v)
{
    if (v->type != JSON_ARRAY) {
        m->c->total += pattern_leaves(p);
        differ(m, DIFFERENCE_TYPE, at, source, v);
        return;
    }
    if (!p->n_items && !v->n)
        count(m, true);
    if (p->mode == ARRAY_UNORDERED || p->mode == ARRAY_CONTAINS) {
        match_unordered(m, p, at, v);
        return;
    }
    for (size_t i = 0; i < v->n || (p->mode == ARRAY_ORDERED && i < p->n_items); i++) {
        struct place inner = {at, NULL, NULL, i};
        const struct json *item = i < v->n ? &v->items[i] : NULL;
        if (p->mode == ARRAY_EACH)
            match(m, p->items[0], NULL, &inner, item);
        else if (i < p->n_items)
            match(m, p->items[i], NULL, &inner, item);
        else if (!p->rest)
            unexpected(m, &inner, item);
    }
}

/* ---- patterns ---- */

static void match_either(struct matcher *m, const struct pattern *p, const struct place *at,
                         const struct json *v)
{
    for (size_t i = 0; i < p->n_items; i++) {
        if (fits(m, p->items[i], v, true)) {
            count(m, true);
            normalised(m, at);
            return;
        }
    }
    count(m, false);
    differ(m, DIFFERENCE_VALUE, at, p->source, v);
}

static void match(struct matcher *m, const struct pattern *p, const char *source,
                  const struct place *at, const struct json *value)
{
    /* Parts of a matcher are shown as the whole of it. */
    if (!source || p->kind == PATTERN_OBJECT)
        source = p->source;
    if (p->kind == PATTERN_ABSENT) {
        if (value)
            unexpected(m, at, value);
    } else if (p->kind == PATTERN_OPTIONAL) {
        if (value)
            match(m, p->inner, source, at, value);
    } else if (p->kind == PATTERN_CAPTURE) {
        if (value)
            captures_set(m->captures, p->name, value);
        match(m, p->inner, source, at, value);
    } else if (!value) {
        m->c->total += pattern_leaves(p);
        differ(m, DIFFERENCE_MISSING, at, source, NULL);
    } else if (p->kind == PATTERN_EITHER) {
        match_either(m, p, at, value);
    } else if (p->kind == PATTERN_OBJECT) {
        match_object(m, p, source, at, value);
    } else if (p->kind == PATTERN_ARRAY) {
        match_array(m, p, source, at, value);
    } else if (p->kind == PATTERN_RAW) {
        match(m, p->inner, source, at, value);
    } else {
        match_leaf(m, p, source, at, value);
    }
}

void pattern_match(const struct pattern *p, const char *path, const struct json *value,
                   struct captures *captures, struct comparison *c)
{
    struct matcher m = {c, captures};
    struct place at = {.text = path};
    match(&m, p, NULL, &at, value);
}

const char *pattern_readable(struct arena *a, const char *text, size_t len)
{
    struct buf b;
    if (utf8_valid(text, len) && !memchr(text, 0, len))
        return arena_memdup(a, text, len);
    buf_init(&b, 0);
    for (size_t i = 0; i < len;) {
        unsigned n = text[i] ? utf8_sequence(text + i, len - i) : 0;
        if (n)
            buf_add(&b, text + i, n);
        else
            buf_puts(&b, "\xEF\xBF\xBD");
        i += n ? n : 1;
    }
    a->failed |= buf_failed(&b);
    return buf_keep(&b, a);
}

void pattern_match_text(const struct pattern *p, const char *path, const char *text, size_t len,
                        struct captures *captures, struct comparison *c)
{
    const char *clean = pattern_readable(c->arena, text, len);
    struct json v = {.type = JSON_STRING, .n = (uint32_t)strlen(clean), .str = clean};
    struct matcher m = {c, captures};
    struct place at = {.text = path};
    if (pattern_is_text(p) || takes_anything(p)) {
        match(&m, p, NULL, &at, &v);
    } else {
        m.c->total += pattern_leaves(p);
        differ(&m, DIFFERENCE_BODY, &at, p->source, &v);
    }
}

/* ---- values without matchers ---- */

static void compare_values(struct matcher *m, const struct place *at, bool loose,
                           const struct json *expected, const struct json *got);

/* Members that both have are in one order. */
static void compare_order(struct matcher *m, const struct place *at, const struct json *expected,
                          const struct json *got)
{
    const struct json *last = NULL;
    const char *last_key = NULL;
    for (uint32_t i = 0; i < expected->n; i++) {
        const char *key = expected->members[i].key;
        const struct json *here = json_get(got, key);
        if (here && last && here < last) {
            struct place inner = {at, NULL, last_key, 0};
            count(m, false);
            differ(m, DIFFERENCE_ORDER, &inner, arena_printf(m->c->arena, "before %s", key), NULL);
            return;
        }
        if (here) {
            last = here;
            last_key = key;
        }
    }
}

static void compare_objects(struct matcher *m, const struct place *at, bool loose,
                            const struct json *expected, const struct json *got)
{
    const bool *before = hidden_members(m->c->arena, expected);
    const bool *hidden = hidden_members(m->c->arena, got);
    for (uint32_t i = 0; i < expected->n; i++) {
        const char *key = expected->members[i].key;
        struct place inner = {at, NULL, key, 0};
        if (!before || !before[i])
            compare_values(m, &inner, loose, &expected->members[i].value, json_get(got, key));
    }
    for (uint32_t i = 0; i < got->n; i++) {
        struct place inner = {at, NULL, got->members[i].key, 0};
        if ((hidden && hidden[i]) || !json_get(expected, got->members[i].key))
            unexpected(m, &inner, &got->members[i].value);
    }
    if (m->c->order)
        compare_order(m, at, expected, got);
}

static void compare_values(struct matcher *m, const struct place *at, bool loose,
                           const struct json *expected, const struct json *got)
{
    struct comparison *c = m->c;
    loose = loose || (c->loose && map_get(c->loose, place_text(c->arena, at)));
    if (!expected && !got)
        return;
    if (!expected) {
        unexpected(m, at, got);
    } else if (!got) {
        c->total += leaves(expected);
        differ(m, DIFFERENCE_MISSING, at, comparison_shown(c->arena, expected), NULL);
    } else if (expected->type != got->type) {
        c->total += leaves(expected);
        differ(m, DIFFERENCE_TYPE, at, comparison_shown(c->arena, expected), got);
    } else if (expected->type == JSON_OBJECT && (expected->n || got->n)) {
        compare_objects(m, at, loose, expected, got);
    } else if (expected->type == JSON_ARRAY && (expected->n || got->n)) {
        for (uint32_t i = 0; i < expected->n || i < got->n; i++) {
            struct place inner = {at, NULL, NULL, i};
            compare_values(m, &inner, loose, i < expected->n ? &expected->items[i] : NULL,
                           i < got->n ? &got->items[i] : NULL);
        }
    } else {
        bool same = loose || json_same(expected, got);
        count(m, same);
        if (!same)
            differ(m, DIFFERENCE_VALUE, at, comparison_shown(c->arena, expected), got);
    }
}

void comparison_values(struct comparison *c, const char *path, const struct json *expected,
                       const struct json *got)
{
    struct matcher m = {c, NULL};
    struct place at = {.text = path};
    compare_values(&m, &at, false, expected, got);
}
