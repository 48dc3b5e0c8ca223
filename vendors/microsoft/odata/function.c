/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in expressions: the canonical functions, their arguments and what comes out of them. */
#include "engine/base/codec.h"
#include "vendors/microsoft/odata/impl.h"

/* Kinds of arguments: s string, d date or instant, t instant or time of day, p duration, n number,
 * T a type, * anything. */
static const struct function {
    const char *name;
    enum odata_function function;
    const char *args; /* a letter each; behind '?' those that may be absent */
    enum edm_kind kind;
} functions[] = {
    {"contains", ODATA_CONTAINS, "ss", EDM_BOOLEAN},
    {"startswith", ODATA_STARTSWITH, "ss", EDM_BOOLEAN},
    {"endswith", ODATA_ENDSWITH, "ss", EDM_BOOLEAN},
    {"matchesPattern", ODATA_MATCHESPATTERN, "ss", EDM_BOOLEAN},
    {"length", ODATA_LENGTH, "s", EDM_INT32},
    {"indexof", ODATA_INDEXOF, "ss", EDM_INT32},
    {"substring", ODATA_SUBSTRING, "sn?n", EDM_STRING},
    {"tolower", ODATA_TOLOWER, "s", EDM_STRING},
    {"toupper", ODATA_TOUPPER, "s", EDM_STRING},
    {"trim", ODATA_TRIM, "s", EDM_STRING},
    {"concat", ODATA_CONCAT, "ss", EDM_STRING},
    {"year", ODATA_YEAR, "d", EDM_INT32},
    {"month", ODATA_MONTH, "d", EDM_INT32},
    {"day", ODATA_DAY, "d", EDM_INT32},
    {"hour", ODATA_HOUR, "t", EDM_INT32},
    {"minute", ODATA_MINUTE, "t", EDM_INT32},
    {"second", ODATA_SECOND, "t", EDM_INT32},
    {"fractionalseconds", ODATA_FRACTIONALSECONDS, "t", EDM_DECIMAL},
    {"totalseconds", ODATA_TOTALSECONDS, "p", EDM_DECIMAL},
    {"totaloffsetminutes", ODATA_TOTALOFFSETMINUTES, "d", EDM_INT32},
    {"date", ODATA_DATE_OF, "d", EDM_DATE},
    {"time", ODATA_TIME_OF, "t", EDM_TIME},
    {"now", ODATA_NOW, "", EDM_DATE_TIME},
    {"mindatetime", ODATA_MINDATETIME, "", EDM_DATE_TIME},
    {"maxdatetime", ODATA_MAXDATETIME, "", EDM_DATE_TIME},
    {"round", ODATA_ROUND, "n", EDM_DOUBLE},
    {"floor", ODATA_FLOOR, "n", EDM_DOUBLE},
    {"ceiling", ODATA_CEILING, "n", EDM_DOUBLE},
    {"cast", ODATA_CAST, "*?T", EDM_ANY},
    {"isof", ODATA_ISOF, "*?T", EDM_BOOLEAN},
};

enum { MAX_ARGS = 3 };

const char *function_name(enum odata_function f)
{
    for (size_t i = 0; i < SOSIA_LEN(functions); i++)
        if (functions[i].function == f)
            return functions[i].name;
    return f == ODATA_WORDS ? "words" : "";
}

static bool fits(const struct odata_expr *e, char kind)
{
    if (e->kind == EDM_ANY)
        return true;
    switch (kind) {
    case 's':
        return e->kind == EDM_STRING;
    case 'd':
        return e->kind == EDM_DATE || e->kind == EDM_DATE_TIME;
    case 't':
        return e->kind == EDM_TIME || e->kind == EDM_DATE_TIME;
    case 'p':
        return e->kind == EDM_DURATION;
    case 'n':
        return is_number(e->kind);
    default:
        return true;
    }
}

static const char *kind_words(char kind)
{
    switch (kind) {
    case 's':
        return "Edm.String";
    case 'd':
    case 't':
        return "Edm.DateTimeOffset";
    case 'p':
        return "Edm.Duration";
    default:
        return "Edm.Int32";
    }
}

/* "contains(Edm.String Nullable=true, Edm.String Nullable=true)"; all: those that may be absent
 * too. */
static const char *signature(struct reader *r, const struct function *f, bool all)
{
    const char *text = "";
    for (const char *p = f->args; *p && (all || *p != '?'); p++)
        if (*p != '?')
            text =
                arena_printf(r->a, "%s%s%s Nullable=true", text, *text ? ", " : "", kind_words(*p));
    return arena_printf(r->a, "%s(%s)", f->name, text);
}

static bool no_signature(struct reader *r, const struct function *f)
{
    const char *words = signature(r, f, false);
    if (strchr(f->args, '?'))
        words = arena_printf(r->a, "%s; %s", words, signature(r, f, true));
    return reader_fail(
        r,
        arena_printf(r->a,
                     "No function signature for the function with name '%s' matches the specified "
                     "arguments. The function signatures considered are: %s.",
                     f->name, words));
}

static bool check_args(struct reader *r, const struct function *f,
                       const struct odata_expr *const *args, size_t n)
{
    size_t i = 0;
    bool optional = false;
    for (const char *p = f->args; *p; p++) {
        if (*p == '?') {
            optional = true;
            continue;
        }
        if (i == n)
            return optional || no_signature(r, f);
        if (args[i]->collection)
            return reader_fail(
                r,
                arena_printf(r->a,
                             "The argument for an invocation of a function with name '%s' is not "
                             "a single value. All arguments for this function must be single "
                             "values.",
                             f->name));
        if (!fits(args[i++], *p))
            return no_signature(r, f);
    }
    return i == n || no_signature(r, f);
}

/* The type that is the last argument of cast and isof: a name, or one in quotes. Its name is then
 * in e->variable. */
static bool read_type(struct reader *r, struct odata_expr *e, bool *ret_is)
{
    const struct token *t = &r->token;
    bool quoted = t->kind == TOKEN_LITERAL && t->value.kind == ODATA_STRING;
    *ret_is = false;
    if (!quoted && t->kind != TOKEN_DOTTED)
        return true;
    const char *name = quoted ? t->value.text : token_text(r, t);
    size_t len = strlen(name);
    e->type = edm_type_find(name, len);
    e->values = e->type ? NULL : edm_enum_find(name, len);
    for (enum edm_kind k = EDM_BINARY; k < EDM_ENUM; k++)
        if (strcmp(edm_kind_name(k), name) == 0)
            e->kind = k;
    if (!e->type && !e->values && e->kind == EDM_ANY)
        return quoted ||
               reader_fail(r,
                           arena_printf(r->a, "The type '%s' is not defined in the model.", name));
    if (e->type)
        e->kind = e->type->entity ? EDM_ENTITY : EDM_COMPLEX;
    else if (e->values)
        e->kind = EDM_ENUM;
    e->variable = edm_name_of(r->a, e->kind, e->type, e->values, false);
    *ret_is = true;
    return reader_next(r);
}

/* cast(x,T), isof(T), isof(x,T): e->type or e->kind says which type. */
static bool read_cast(struct reader *r, struct odata_expr *e)
{
    const struct odata_expr *kid = NULL;
    bool is;
    if (!read_type(r, e, &is))
        return false;
    if (!is) {
        if (!(kid = read_expr(r)))
            return false;
        if (r->token.kind != TOKEN_COMMA)
            return reader_fail_at(r, "')' or ',' expected", r->token.text);
        if (!reader_next(r) || !read_type(r, e, &is))
            return false;
        if (!is)
            return reader_fail(r, "Cast or IsOf Function must have a type in its arguments.");
    }
    if (kid && kid->collection)
        return reader_fail(
            r, "The Cast and IsOf functions do not support collection arguments or types.");
    if (r->token.kind != TOKEN_CLOSE)
        return reader_fail_at(r, "')' or ',' expected", r->token.text);
    return !kid || reader_kids(r, e, &kid, 1);
}

static bool read_args(struct reader *r, const struct function *f, struct odata_expr *e)
{
    const struct odata_expr *args[MAX_ARGS];
    size_t n = 0;
    while (r->token.kind != TOKEN_CLOSE) {
        struct odata_expr *arg = read_expr(r);
        if (!arg)
            return false;
        if (n == MAX_ARGS)
            return no_signature(r, f);
        args[n++] = arg;
        if (r->token.kind == TOKEN_CLOSE)
            break;
        if (r->token.kind != TOKEN_COMMA)
            return reader_fail_at(r, "')' or ',' expected", r->token.text);
        if (!reader_next(r))
            return false;
        if (r->token.kind == TOKEN_CLOSE)
            return reader_fail_at(r, "Expression expected", r->token.text);
    }
    return check_args(r, f, args, n) && reader_kids(r, e, args, n);
}

struct odata_expr *read_call(struct reader *r, const struct token *name)
{
    const struct function *f = NULL;
    for (size_t i = 0; i < SOSIA_LEN(functions) && !f; i++)
        if (str_is_nocase(name->text, name->len, functions[i].name))
            f = &functions[i];
    if (!f) {
        reader_fail(r,
                    arena_printf(r->a,
                                 "An unknown function with name '%.*s' was found. This may also "
                                 "be a function import or a key lookup on a navigation property, "
                                 "which is not allowed.",
                                 (int)name->len, name->text));
        return NULL;
    }
    r->patterns += f->function == ODATA_MATCHESPATTERN;
    if (++r->calls > READ_MAX_CALLS || r->patterns > READ_MAX_PATTERNS) {
        reader_fail(r, "Recursion depth exceeded allowed limit.");
        return NULL;
    }
    struct odata_expr *e = reader_node(r, ODATA_CALL, name);
    if (!e || !reader_next(r))
        return NULL;
    e->function = f->function;
    bool types = f->function == ODATA_CAST || f->function == ODATA_ISOF;
    if (!(types ? read_cast(r, e) : read_args(r, f, e)))
        return NULL;
    if (f->function != ODATA_CAST)
        e->kind = f->kind;
    return reader_next(r) ? e : NULL;
}
