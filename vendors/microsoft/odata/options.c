/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a query, and those in the brackets of an expansion. */
#include "engine/base/codec.h"
#include "vendors/microsoft/odata/impl.h"
#include <ctype.h>

enum {
    MAX_EXPAND_DEPTH = 8,
    MAX_ITEMS = 1000, /* of a selection */
    MAX_EXPANDED = 100,
    MAX_ORDER = 32
};

#define SELECT_PREFIX "Parsing OData Select and Expand failed: "
#define FILTER_PREFIX "Invalid filter clause: "

/* The state of one odata_parse(). */
struct parse {
    struct arena *a;
    const struct odata_rules *rules;
    unsigned depth, expanded;
    const char *prefix, *message; /* of the failure; message NULL: none */
};

static bool fail(struct parse *k, const char *prefix, const char *message)
{
    if (!k->message) {
        k->prefix = prefix;
        k->message = message;
    }
    return false;
}

/* The failure of a reader; false. */
static bool fail_reader(struct parse *k, const char *prefix, const struct reader *r)
{
    return fail(k, prefix, r->message ? r->message : "");
}

/* ---- $select ---- */

static bool term_is_not_valid(struct reader *r)
{
    return reader_fail(
        r,
        arena_printf(r->a, "Term '%s' is not valid in a $select or $expand expression.", r->text));
}

static bool read_selected(struct reader *r, struct odata_select *ret)
{
    struct walk w = {.type = r->type, .kind = r->type ? EDM_ENTITY : EDM_ANY};
    if (r->token.kind == TOKEN_STAR) {
        *ret = (struct odata_select){.text = "*"};
        return reader_next(r);
    }
    for (;;) {
        struct token t = r->token;
        if (t.kind != TOKEN_NAME && t.kind != TOKEN_DOTTED)
            return term_is_not_valid(r);
        w.collection = false; /* members of the items are selected */
        if (!walk_step(r, &w, &t) || !reader_next(r))
            return false;
        if (r->token.kind != TOKEN_SLASH)
            break;
        if (!reader_next(r))
            return false;
    }
    struct odata_step *steps = arena_calloc(r->a, w.n, sizeof *steps);
    if (arena_failed(r->a))
        return false;
    memcpy(steps, w.steps, w.n * sizeof *steps);
    *ret =
        (struct odata_select){.text = walk_text(r->a, steps, w.n, true), .steps = steps, .n = w.n};
    return true;
}

static bool parse_select(struct parse *k, const char *text, struct odata_query *q)
{
    struct reader r;
    struct odata_select *list = NULL;
    size_t n = 0, cap = 0;
    if (!text[strspn(text, " \t")])
        return true;
    bool good = reader_open(&r, k->a, q->type, k->rules, text);
    while (good) {
        list = arena_grow(k->a, list, n, &cap, sizeof *list);
        good = !arena_failed(k->a) && n < MAX_ITEMS ? read_selected(&r, &list[n])
                                                    : term_is_not_valid(&r);
        if (!good || r.token.kind != TOKEN_COMMA) {
            n += good;
            break;
        }
        n++;
        good = reader_next(&r);
    }
    if (good && r.token.kind != TOKEN_END)
        good = term_is_not_valid(&r);
    q->has_select = true;
    q->select = list;
    q->n_select = n;
    return good || fail_reader(k, SELECT_PREFIX, &r);
}

/* ---- $expand ---- */

static bool parse_level(struct parse *k, const struct odata_pair *pairs, size_t n, bool nested,
                        struct odata_query *q);

/* The text up to the bracket that closes, which is passed over; NULL: it is missing. */
static char *take_bracket(struct reader *r)
{
    const char *from = r->p;
    unsigned depth = 1;
    bool quoted = false;
    for (; r->p < r->end; r->p++) {
        if (*r->p == '\'')
            quoted = !quoted;
        else if (!quoted && *r->p == '(')
            depth++;
        else if (!quoted && *r->p == ')' && --depth == 0)
            break;
    }
    if (r->p == r->end) {
        reader_fail_at(r, "')' or ',' expected", r->end);
        return NULL;
    }
    char *text = arena_memdup(r->a, from, (size_t)(r->p++ - from));
    return arena_failed(r->a) || !reader_next(r) ? NULL : text;
}

/* "$select=id;$top=2" taken apart, in place. */
static bool split_options(struct parse *k, char *text, struct odata_pair **ret, size_t *ret_n)
{
    struct odata_pair *list = NULL;
    size_t n = 0, cap = 0;
    while (*text) {
        unsigned depth = 0;
        bool quoted = false;
        char *end = text, *equals = strchr(text, '=');
        for (; *end && (quoted || depth || *end != ';'); end++) {
            quoted = quoted != (*end == '\'');
            depth += !quoted && *end == '(';
            depth -= !quoted && *end == ')' && depth;
        }
        if (!equals || equals > end)
            return false;
        *equals = 0;
        char *name = text + strspn(text, " "), *value = equals + 1;
        for (char *p = equals; p > name && p[-1] == ' '; p--)
            p[-1] = 0;
        text = *end ? end + 1 : end;
        *end = 0;
        list = arena_grow(k->a, list, n, &cap, sizeof *list);
        if (arena_failed(k->a))
            return false;
        list[n++] = (struct odata_pair){name, value};
    }
    *ret = list;
    *ret_n = n;
    return true;
}

static bool read_nested(struct parse *k, struct reader *r, struct odata_query *q)
{
    struct odata_pair *pairs;
    size_t n;
    char *text = take_bracket(r);
    if (!text)
        return false;
    const char *copy = arena_strdup(k->a, text);
    if (!split_options(k, text, &pairs, &n))
        return reader_fail(r, arena_printf(k->a,
                                           "Term '%s' is not valid in a $select or $expand "
                                           "expression.",
                                           copy));
    if (++k->depth >= MAX_EXPAND_DEPTH)
        return reader_fail(r, arena_printf(k->a,
                                           "The result of parsing $expand was at least %u items "
                                           "deep, but the maximum allowed is %u.",
                                           k->depth + 1, MAX_EXPAND_DEPTH));
    bool good = parse_level(k, pairs, n, true, q);
    k->depth--;
    if (!good) {
        reader_fail(r, k->message);
        k->message = NULL;
    }
    return good;
}

static bool no_navigation(struct reader *r, const struct walk *w, const struct edm_type *of)
{
    const struct odata_step *last = &w->steps[w->n - 1];
    return reader_fail(
        r, arena_printf(r->a,
                        "Property '%s' on type '%s' is not a navigation property or complex "
                        "property. Only navigation properties can be expanded.",
                        last->name, edm_name_of(r->a, EDM_ENTITY, of, NULL, false)));
}

/* The end of an item behind its property: /$ref, /$count, a cast of the things expanded. */
static bool read_expand_tail(struct reader *r, struct odata_expand *e, const struct edm_type **type)
{
    while (r->token.kind == TOKEN_SLASH) {
        if (!reader_next(r))
            return false;
        if (reader_at(r, "$ref")) {
            e->ref = true;
        } else if (reader_at(r, "$count")) {
            e->count = true;
        } else {
            struct walk w = {.type = *type, .kind = EDM_ENTITY};
            if (r->token.kind != TOKEN_DOTTED)
                return reader_fail(r, "Found a path traversing multiple navigation properties. "
                                      "Please rephrase the query such that each expand path "
                                      "contains only type segments and navigation properties.");
            if (!walk_step(r, &w, &r->token))
                return false;
            *type = w.type;
        }
        if (!reader_next(r))
            return false;
    }
    return true;
}

static bool read_expanded(struct parse *k, struct reader *r, struct odata_expand *e)
{
    struct walk w = {.type = r->type, .kind = EDM_ENTITY};
    struct odata_query *q = arena_calloc(k->a, 1, sizeof *q);
    const struct edm_type *of = r->type, *type = NULL;
    if (arena_failed(k->a))
        return false;
    *e = (struct odata_expand){.name = "*", .text = "*", .query = q};
    q->top = -1;
    if (++k->expanded > MAX_EXPANDED)
        return reader_fail(r, arena_printf(k->a,
                                           "The result of parsing $expand contained at least %u "
                                           "items, but the maximum allowed is %u.",
                                           k->expanded, MAX_EXPANDED));
    if (r->token.kind == TOKEN_STAR)
        return reader_next(r);
    for (;;) {
        struct token t = r->token;
        if (t.kind != TOKEN_NAME && t.kind != TOKEN_DOTTED)
            return term_is_not_valid(r);
        if (!walk_step(r, &w, &t) || !reader_next(r))
            return false;
        if (!w.steps[w.n - 1].cast)
            break;
        e->cast = of = w.type;
        if (r->token.kind != TOKEN_SLASH)
            return reader_fail(r, "Found a path within a select or expand query option that isn't "
                                  "ended by a non-type segment.");
        if (!reader_next(r))
            return false;
    }
    if (!w.property || !w.property->navigation)
        return no_navigation(r, &w, of);
    e->property = w.property;
    e->name = w.property->name;
    e->text = walk_text(k->a, w.steps, w.n, true);
    type = w.type;
    if (!read_expand_tail(r, e, &type))
        return false;
    q->type = type;
    return r->token.kind != TOKEN_OPEN || read_nested(k, r, q);
}

static bool parse_expand(struct parse *k, const char *text, bool nested, struct odata_query *q)
{
    struct reader r;
    struct odata_expand *list = NULL;
    size_t n = 0, cap = 0;
    if (!text[strspn(text, " \t")])
        return true;
    bool good = reader_open(&r, k->a, q->type, k->rules, text), more = good;
    while (more) {
        list = arena_grow(k->a, list, n, &cap, sizeof *list);
        good = !arena_failed(k->a) && read_expanded(k, &r, &list[n]);
        n += good;
        more = good && r.token.kind == TOKEN_COMMA;
        if (more)
            more = good = reader_next(&r);
    }
    if (good && r.token.kind != TOKEN_END)
        good = term_is_not_valid(&r);
    q->expand = list;
    q->n_expand = n;
    if (good && !nested && n > 1 && k->rules && k->rules->one_expand)
        return fail(k, SELECT_PREFIX, "Only one relationship can be expanded in a request.");
    return good || fail_reader(k, SELECT_PREFIX, &r);
}

/* ---- $filter, $orderby ---- */

static bool parse_filter(struct parse *k, const char *text, struct odata_query *q)
{
    struct reader r;
    struct odata_expr *e = reader_open(&r, k->a, q->type, k->rules, text) ? read_expr(&r) : NULL;
    if (e && r.token.kind != TOKEN_END) {
        reader_fail_at(&r, "Syntax error", r.token.text);
        e = NULL;
    }
    if (e && (e->collection || (e->kind != EDM_BOOLEAN && e->kind != EDM_ANY))) {
        reader_fail(&r, "The $filter expression must evaluate to a single boolean value.");
        e = NULL;
    }
    q->filter = e;
    q->filter_text = text;
    return e || fail_reader(k, FILTER_PREFIX, &r);
}

static bool read_ordered(struct reader *r, struct odata_order *ret)
{
    ret->descending = false;
    if (!(ret->by = read_expr(r)))
        return false;
    if (ret->by->collection || ret->by->kind == EDM_COMPLEX || ret->by->kind == EDM_ENTITY)
        return reader_fail(
            r, "The $orderby expression must evaluate to a single value of primitive type.");
    if (!reader_at(r, "asc") && !reader_at(r, "desc"))
        return true;
    ret->descending = reader_at(r, "desc");
    return reader_next(r);
}

static bool parse_order(struct parse *k, const char *text, struct odata_query *q)
{
    struct reader r;
    struct odata_order *list = arena_calloc(k->a, MAX_ORDER, sizeof *list);
    size_t n = 0;
    if (arena_failed(k->a))
        return fail(k, "", "");
    bool good = reader_open(&r, k->a, q->type, k->rules, text);
    while (good && n < MAX_ORDER) {
        good = read_ordered(&r, &list[n++]);
        if (!good || r.token.kind != TOKEN_COMMA)
            break;
        good = reader_next(&r);
    }
    if (good && r.token.kind != TOKEN_END)
        good = reader_fail_at(&r, "Syntax error", r.token.text);
    q->order = list;
    q->n_order = n;
    q->order_text = text;
    return good || fail_reader(k, "", &r);
}

/* ---- numbers and words ---- */

static bool parse_number(struct parse *k, const char *name, const char *text, int64_t *ret)
{
    size_t len = strlen(text);
    if (parse_i64(text, len, ret) == 0 && *ret >= 0)
        return true;
    return fail(k, "",
                arena_printf(k->a,
                             "Invalid value '%s' for $%s query option found. The $%s query "
                             "option requires a non-negative integer value.",
                             text, name, name));
}

static bool parse_top(struct parse *k, const char *text, bool nested, struct odata_query *q)
{
    int64_t max = k->rules && !nested ? k->rules->max_top : 0;
    if (!parse_number(k, "top", text, &q->top))
        return false;
    if (!max || q->top <= max)
        return true;
    return fail(k, "",
                arena_printf(k->a,
                             "The limit of '%lld' for Top query has been exceeded. The value "
                             "from the incoming request is '%lld'.",
                             (long long)max, (long long)q->top));
}

static bool parse_count(struct parse *k, const char *text, struct odata_query *q)
{
    q->count = strcasecmp(text, "true") == 0;
    if (q->count || strcasecmp(text, "false") == 0)
        return true;
    return fail(k, "",
                arena_printf(k->a,
                             "Invalid value '%s' for $count query option found. Valid values "
                             "are 'true, false'.",
                             text));
}

static bool parse_levels(struct parse *k, const char *text, struct odata_query *q)
{
    if (strcasecmp(text, "max") == 0) {
        q->levels = -1;
        return true;
    }
    return parse_number(k, "levels", text, &q->levels);
}

/* ---- all of them ---- */

enum option {
    OPTION_SELECT,
    OPTION_EXPAND,
    OPTION_FILTER,
    OPTION_ORDERBY,
    OPTION_TOP,
    OPTION_SKIP,
    OPTION_COUNT,
    OPTION_SEARCH,
    OPTION_SKIPTOKEN,
    OPTION_DELTATOKEN,
    OPTION_FORMAT,
    OPTION_LEVELS,
    N_OPTIONS
};

static const char *const option_names[N_OPTIONS] = {"select",    "expand",     "filter", "orderby",
                                                    "top",       "skip",       "count",  "search",
                                                    "skiptoken", "deltatoken", "format", "levels"};

static int option_of(const struct parse *k, const char *name)
{
    bool exact = k->rules && k->rules->exact;
    name += *name == '$';
    for (int i = 0; i < N_OPTIONS; i++)
        if (exact ? strcmp(name, option_names[i]) == 0 : strcasecmp(name, option_names[i]) == 0)
            return i;
    return -1;
}

static bool parse_option(struct parse *k, enum option o, const char *text, bool nested,
                         struct odata_query *q)
{
    switch (o) {
    case OPTION_SELECT:
        return parse_select(k, text, q);
    case OPTION_EXPAND:
        return parse_expand(k, text, nested, q);
    case OPTION_FILTER:
        return parse_filter(k, text, q);
    case OPTION_ORDERBY:
        return parse_order(k, text, q);
    case OPTION_TOP:
        return parse_top(k, text, nested, q);
    case OPTION_SKIP:
        return parse_number(k, "skip", text, &q->skip);
    case OPTION_COUNT:
        return parse_count(k, text, q);
    case OPTION_LEVELS:
        return parse_levels(k, text, q);
    case OPTION_SEARCH:
        q->search = text;
        return true;
    case OPTION_SKIPTOKEN:
        q->skiptoken = text;
        return true;
    case OPTION_DELTATOKEN:
        q->deltatoken = text;
        return true;
    default:
        q->format = text;
        return true;
    }
}

static bool parse_level(struct parse *k, const struct odata_pair *pairs, size_t n, bool nested,
                        struct odata_query *q)
{
    unsigned seen = 0;
    q->top = -1;
    for (size_t i = 0; i < n; i++) {
        int o = option_of(k, pairs[i].name);
        if (o == OPTION_LEVELS && !nested)
            o = -1;
        if (o < 0 && !nested && *pairs[i].name != '$')
            continue;
        if (o < 0)
            return fail(
                k, nested ? SELECT_PREFIX : "",
                arena_printf(k->a, "The query parameter '%s' is not supported.", pairs[i].name));
        if (seen & 1u << o)
            return fail(k, "",
                        arena_printf(k->a,
                                     "Query option '$%s' was specified more than once, but it "
                                     "must be specified at most once.",
                                     option_names[o]));
        seen |= 1u << o;
        if (!parse_option(k, (enum option)o, pairs[i].value, nested, q))
            return false;
    }
    return true;
}

static int refuse(const struct parse *k, const char **ret_message, struct sosia_err *err)
{
    bool personal = k->rules && k->rules->personal;
    if (arena_failed(k->a))
        return sosia_fail_memory(err);
    const char *message = arena_printf(k->a, "%s%s", personal ? "" : k->prefix, k->message);
    if (ret_message && strlen(message) >= sizeof err->text)
        *ret_message = message;
    return sosia_fail(err, SOSIA_E_INVALID, personal ? "RequestBroker--ParseUri" : "BadRequest",
                      NULL, "%s", message);
}

int odata_parse(struct arena *a, const struct edm_type *type, const struct odata_rules *rules,
                const struct odata_pair *pairs, size_t n, struct odata_query *ret_query,
                const char **ret_message, struct sosia_err *err)
{
    struct parse k = {.a = a, .rules = rules};
    struct odata_query q = {.type = type};
    if (ret_message)
        *ret_message = NULL;
    if (!parse_level(&k, pairs, n, false, &q) || arena_failed(a))
        return refuse(&k, ret_message, err);
    *ret_query = q;
    return 0;
}

int odata_parse_filter(struct arena *a, const struct edm_type *type,
                       const struct odata_rules *rules, const char *text,
                       const struct odata_expr **ret_expr, const char **ret_message,
                       struct sosia_err *err)
{
    struct parse k = {.a = a, .rules = rules};
    struct odata_query q = {.type = type};
    if (ret_message)
        *ret_message = NULL;
    if (!parse_filter(&k, text, &q) || arena_failed(a))
        return refuse(&k, ret_message, err);
    *ret_expr = q.filter;
    return 0;
}
