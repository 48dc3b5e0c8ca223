/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The $search of directory objects, as an expression:
 *
 *     either = all *("OR" all)
 *     all    = term *("AND" term)
 *     term   = ["NOT"] ("(" either ")" / DQUOTE property ":" text DQUOTE)
 *
 * displayName and description are found by the beginnings of their words (words.c), other
 * properties by their own beginning (MG-349).
 */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "vendors/microsoft/odata/impl.h"
#include <ctype.h>

static struct odata_expr *read_either(struct reader *r);

static struct odata_expr *node_of(struct reader *r, enum odata_op op,
                                  const struct odata_expr *const *kids, size_t n)
{
    struct odata_expr *e = reader_node(r, op, &(struct token){.text = r->p});
    if (!e || (n && !reader_kids(r, e, kids, n)))
        return NULL;
    e->kind = EDM_BOOLEAN;
    return e;
}

static void skip_spaces(struct reader *r)
{
    while (r->p < r->end && isspace((unsigned char)*r->p))
        r->p++;
}

static bool take_operator(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    skip_spaces(r);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0 ||
        isalnum((unsigned char)r->p[n]))
        return false;
    r->p += n;
    return true;
}

/* The text between double quotes at r->p, which is passed over; NULL: they are not there. */
static char *take_clause(struct reader *r)
{
    const char *from = r->p + 1;
    if (r->p == r->end || *r->p != '"') {
        unsigned n = r->p < r->end ? utf8_sequence(r->p, (size_t)(r->end - r->p)) : 0;
        if (n)
            reader_fail_at(
                r, arena_printf(r->a, "Syntax error: character '%.*s' is not valid", (int)n, r->p),
                r->p);
        else
            reader_fail_at(r, "Expression expected", r->p);
        return NULL;
    }
    char *text = arena_alloc(r->a, (size_t)(r->end - from) + 1), *to = text;
    if (arena_failed(r->a))
        return NULL;
    for (r->p++; r->p < r->end && *r->p != '"'; r->p++) {
        r->p += *r->p == '\\' && (r->p[1] == '"' || r->p[1] == '\\');
        *to++ = *r->p;
    }
    *to = 0;
    if (r->p == r->end) {
        reader_fail_at(r, "There is an unterminated string literal", r->end);
        return NULL;
    }
    r->p++;
    return text;
}

/* contains or startswith of the property, as MG-349 has it. */
static struct odata_expr *read_clause(struct reader *r)
{
    struct walk w = {.type = r->type, .kind = EDM_ENTITY};
    char *text = take_clause(r), *colon = text ? strchr(text, ':') : NULL;
    if (!text)
        return NULL;
    if (!colon) {
        reader_fail(r, arena_printf(r->a,
                                    "The search term '%s' must name a property in front of "
                                    "a colon.",
                                    text));
        return NULL;
    }
    struct token name = {.kind = TOKEN_NAME, .text = text, .len = (size_t)(colon - text)};
    if (!walk_step(r, &w, &name))
        return NULL;
    struct odata_expr *path = node_of(r, ODATA_PATH, NULL, 0);
    struct odata_expr *value = node_of(r, ODATA_LITERAL, NULL, 0);
    struct odata_path *p = arena_calloc(r->a, 1, sizeof *p);
    struct odata_step *step = arena_calloc(r->a, 1, sizeof *step);
    if (!path || !value || arena_failed(r->a))
        return NULL;
    *step = w.steps[0];
    *p = (struct odata_path){
        .text = step->name, .steps = step, .n = 1, .property = w.property, .known = -1};
    path->path = p;
    path->kind = w.kind;
    path->collection = w.collection;
    value->value = odata_string(colon + 1);
    value->kind = EDM_STRING;
    const struct odata_expr *const args[] = {path, value};
    struct odata_expr *e = node_of(r, ODATA_CALL, args, 2);
    if (!e)
        return NULL;
    bool by_words =
        strcmp(step->name, "displayName") == 0 || strcmp(step->name, "description") == 0;
    e->function = by_words ? ODATA_WORDS : ODATA_STARTSWITH;
    return e;
}

static struct odata_expr *read_term(struct reader *r)
{
    bool negative = take_operator(r, "NOT");
    struct odata_expr *e;
    skip_spaces(r);
    if (r->p < r->end && *r->p == '(') {
        r->p++;
        e = read_either(r);
        skip_spaces(r);
        if (e && (r->p == r->end || *r->p != ')'))
            reader_fail_at(r, "')' or operator expected", r->p);
        r->p += r->p < r->end;
    } else {
        e = read_clause(r);
    }
    if (!e || r->message)
        return NULL;
    return negative ? node_of(r, ODATA_NOT, (const struct odata_expr *const[]){e}, 1) : e;
}

static struct odata_expr *read_terms(struct reader *r, bool either)
{
    const struct odata_expr **kids = NULL;
    struct odata_expr *kid;
    size_t n = 0, cap = 0;
    do {
        kid = either ? read_terms(r, false) : read_term(r);
        kids = arena_grow(r->a, kids, n, &cap, sizeof(*kids));
        if (!kid || arena_failed(r->a))
            return NULL;
        kids[n++] = kid;
    } while (take_operator(r, either ? "OR" : "AND"));
    return n == 1 ? kid : node_of(r, either ? ODATA_OR : ODATA_AND, kids, n);
}

static struct odata_expr *read_either(struct reader *r)
{
    if (++r->depth > READ_MAX_DEPTH) {
        reader_fail(r, "Recursion depth exceeded allowed limit.");
        return NULL;
    }
    struct odata_expr *e = read_terms(r, true);
    r->depth--;
    return e;
}

int odata_parse_search(struct arena *a, const struct edm_type *type, const char *text,
                       const struct odata_expr **ret_expr, struct sosia_err *err)
{
    size_t len = strlen(text);
    struct reader r = {.a = a, .type = type, .text = text, .p = text, .end = text + len};
    if (len > READ_MAX_TEXT)
        reader_fail(&r, "Recursion depth exceeded allowed limit.");
    struct odata_expr *e = r.message ? NULL : read_either(&r);
    skip_spaces(&r);
    if (e && r.p < r.end)
        reader_fail_at(&r, "Syntax error", r.p);
    if (arena_failed(a))
        return sosia_fail_memory(err);
    if (!e || r.message)
        return sosia_fail(err, SOSIA_E_INVALID, "BadRequest", "$search", "%s",
                          r.message ? r.message : "");
    *ret_expr = e;
    return 0;
}
