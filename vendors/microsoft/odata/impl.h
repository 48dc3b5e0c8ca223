/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of vendors/microsoft/odata only. */
#ifndef SOSIA_MICROSOFT_ODATA_IMPL_H
#define SOSIA_MICROSOFT_ODATA_IMPL_H

#include "vendors/microsoft/odata/odata.h"

enum {
    READ_MAX_TEXT = 32768, /* bytes of an option */
    READ_MAX_DEPTH = 100,  /* of brackets, lambdas, arguments and chains of operators */
    READ_MAX_NODES = 4000, /* of an expression */
    READ_MAX_CALLS = 100,  /* of functions, each of which may copy a whole body */
    READ_MAX_PATTERNS = 4, /* of them those that look for a pattern */
    READ_MAX_STEPS = 32,   /* of a path */
    READ_MAX_SCOPE = 16    /* lambdas in lambdas */
};

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,    /* subject, $it */
    TOKEN_DOTTED,  /* microsoft.graph.message */
    TOKEN_LITERAL, /* with its value */
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_COMMA,
    TOKEN_SLASH,
    TOKEN_COLON,
    TOKEN_SEMICOLON,
    TOKEN_EQUALS,
    TOKEN_STAR,
    TOKEN_MINUS
};

struct token {
    enum token_kind kind;
    const char *text; /* where it begins */
    size_t len;
    struct odata_value value; /* TOKEN_LITERAL */
    enum edm_kind type;       /* ... its type; EDM_ANY of null */
    const struct edm_enum *values;
};

/* The variable of a lambda. */
struct variable {
    const char *name;
    const struct edm_type *type;
    const struct edm_enum *values;
    enum edm_kind kind;
};

/* Reads one option. */
struct reader {
    struct arena *a;
    const struct edm_type *type;
    const struct odata_rules *rules;
    const char *text, *p, *end;
    struct token token; /* the next one */
    unsigned depth, nodes, calls, patterns;
    struct variable scope[READ_MAX_SCOPE];
    unsigned n_scope;
    const char *message; /* of the failure; NULL: none */
};

/* ---- lex.c ---- */

/* Begins, with the first token. False: it can't be read. */
bool reader_open(struct reader *r, struct arena *a, const struct edm_type *type,
                 const struct odata_rules *rules, const char *text);
/* Goes on to the next token. */
bool reader_next(struct reader *r);
/* Is the next token this word, without regard to case? */
bool reader_at(const struct reader *r, const char *word);
/* Does a bracket open behind the next token? */
bool reader_bracket(const struct reader *r);
/* The first failure counts; false. reader_fail_at: "what at position N in 'TEXT'." */
bool reader_fail(struct reader *r, const char *message);
bool reader_fail_at(struct reader *r, const char *what, const char *at);
/* The place in a text as messages count it, in UTF-16 units like the vendor's library. */
size_t utf16_place(const char *text, const char *at);
char *token_text(struct reader *r, const struct token *t);
/* A duration ("P1DT2H", "-PT0.5S") in microseconds; an instant in microseconds, UTC where the text
 * has no offset and `naive` lets it have none; a time of day. */
bool read_duration(const char *text, size_t len, int64_t *ret_us);
bool read_instant(const char *text, size_t len, bool naive, int64_t *ret_us);
bool read_clock(const char *text, size_t len, int64_t *ret_us);
bool is_guid(const char *text, size_t len);

/* ---- expr.c, path.c, function.c ---- */

/* A whole expression; NULL: failed. */
struct odata_expr *read_expr(struct reader *r);
struct odata_expr *reader_node(struct reader *r, enum odata_op op, const struct token *at);
bool reader_kids(struct reader *r, struct odata_expr *e, const struct odata_expr *const *kids,
                 size_t n);
/* A path, with the lambda that ends it. The next token is its first name. */
struct odata_expr *read_path(struct reader *r);
/* A call. The next token is the bracket behind its name. */
struct odata_expr *read_call(struct reader *r, const struct token *name);
/* Gives a literal the type of its other operand: an enumeration's value of a string, an
 * instant of a date. False: it has no such value. */
bool reader_coerce(struct reader *r, struct odata_expr *literal, const struct odata_expr *with);
/* The name of an expression's type, for messages. */
const char *type_words(struct reader *r, const struct odata_expr *e);
const char *function_name(enum odata_function f);

/* One step of a path from a type. Fails where the type has no such member. */
struct walk {
    const struct edm_type *type;
    const struct edm_enum *values;
    const struct edm_property *property;
    enum edm_kind kind;
    bool collection;
    struct odata_step steps[READ_MAX_STEPS];
    size_t n;
};
bool walk_step(struct reader *r, struct walk *w, const struct token *t);
/* The names of the steps, "/" between them; with casts: with those. In the arena. */
const char *walk_text(struct arena *a, const struct odata_step *steps, size_t n, bool casts);

/* ---- apply.c, value.c ---- */

bool is_number(enum edm_kind kind);

/* A function of values, none of which is null but for those of cast and isof. */
int function_value(const struct odata_ctx *ctx, const struct odata_expr *e,
                   const struct odata_value *args, struct odata_value *ret);
/* -1, 0, 1; *ret_known false: they can't be compared. values: of the enumeration that they are of.
 */
int compare_values(const struct odata_ctx *ctx, const struct odata_value *x,
                   const struct odata_value *y, const struct edm_enum *values, bool *ret_known);
/* Does each of these words begin one of the text's? In words.c. */
bool has_words(struct arena *a, const char *text, const char *words);
bool is_ascii(const char *text);
/* A string in lower case. In the arena, or itself. */
const char *fold_text(struct arena *a, const char *text);

#endif
