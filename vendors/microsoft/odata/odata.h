/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OData's query options as Microsoft Graph takes them: $select, $expand, $filter, $orderby, $top,
 * $skip, $count, $search and the tokens of pages, read and checked against the types
 * (vendors/microsoft/types). A dialect reads a call's options once, takes of $filter what its
 * tables can look up (odata_terms(), odata_compared()), and asks odata_matches() for the rest.
 * Everything that is made lives in the arena. Nothing here knows worlds or calls.
 */
#ifndef SOSIA_MICROSOFT_ODATA_H
#define SOSIA_MICROSOFT_ODATA_H

#include "engine/json/json.h"
#include "vendors/microsoft/types/types.h"

/* ---- values ---- */

enum odata_kind {
    ODATA_NULL,
    ODATA_BOOL,
    ODATA_INT,
    ODATA_DOUBLE,
    ODATA_STRING,
    ODATA_TIME, /* an instant */
    ODATA_DATE,
    ODATA_CLOCK, /* a time of day */
    ODATA_DURATION,
    ODATA_GUID,
    ODATA_ENUM,
    ODATA_BINARY, /* as base64 */
    ODATA_LIST,
    ODATA_THING /* a complex value or an entity */
};

struct odata_value {
    enum odata_kind kind;
    bool truth;     /* ODATA_BOOL */
    int64_t number; /* ODATA_INT; ODATA_TIME: microseconds since 1970; ODATA_DATE: days since 1970;
                       ODATA_CLOCK, ODATA_DURATION: microseconds */
    double real;    /* ODATA_DOUBLE */
    const char *text; /* ODATA_STRING, ODATA_GUID, ODATA_BINARY, and the name of an ODATA_ENUM;
                         NUL-terminated */
    const struct odata_value *items; /* ODATA_LIST */
    size_t n;
    const void *thing; /* ODATA_THING: the getter's own */
};

/* Values of these kinds; a NULL text is null. */
struct odata_value odata_null(void);
struct odata_value odata_bool(bool v);
struct odata_value odata_int(int64_t v);
struct odata_value odata_string(const char *text);
struct odata_value odata_enum(const char *name);
struct odata_value odata_time(int64_t us);
struct odata_value odata_list(const struct odata_value *items, size_t n);
struct odata_value odata_thing(const void *thing);

/* ---- expressions ---- */

enum odata_op {
    ODATA_OR,
    ODATA_AND,
    ODATA_NOT,
    ODATA_EQ,
    ODATA_NE,
    ODATA_GT,
    ODATA_GE,
    ODATA_LT,
    ODATA_LE,
    ODATA_HAS,
    ODATA_IN, /* kids[1] is an ODATA_ITEMS, or a path to a collection */
    ODATA_ADD,
    ODATA_SUB,
    ODATA_MUL,
    ODATA_DIV,
    ODATA_DIVBY,
    ODATA_MOD,
    ODATA_MINUS, /* of one operand */
    ODATA_LITERAL,
    ODATA_ITEMS, /* ('a','b') */
    ODATA_PATH,
    ODATA_CALL,
    ODATA_ANY, /* kids[0]: the path of the collection; kids[1], if there is one, the question about
                  each of its items */
    ODATA_ALL
};

enum odata_function {
    ODATA_CONTAINS,
    ODATA_STARTSWITH,
    ODATA_ENDSWITH,
    ODATA_LENGTH,
    ODATA_INDEXOF,
    ODATA_SUBSTRING,
    ODATA_TOLOWER,
    ODATA_TOUPPER,
    ODATA_TRIM,
    ODATA_CONCAT,
    ODATA_YEAR,
    ODATA_MONTH,
    ODATA_DAY,
    ODATA_HOUR,
    ODATA_MINUTE,
    ODATA_SECOND,
    ODATA_FRACTIONALSECONDS,
    ODATA_TOTALSECONDS,
    ODATA_TOTALOFFSETMINUTES,
    ODATA_DATE_OF,
    ODATA_TIME_OF,
    ODATA_NOW,
    ODATA_MINDATETIME,
    ODATA_MAXDATETIME,
    ODATA_ROUND,
    ODATA_FLOOR,
    ODATA_CEILING,
    ODATA_CAST,
    ODATA_ISOF,
    ODATA_MATCHESPATTERN,
    ODATA_WORDS /* of odata_parse_search() alone: words that begin so */
};

/* One step of a path. */
struct odata_step {
    const char *name; /* as the type has it; of an open type, as it was written */
    const struct edm_property *property; /* NULL: a cast, or a member of an open type */
    const struct edm_type *cast;         /* "microsoft.graph.eventMessage"; NULL: it is none */
};

struct odata_path {
    const char
        *text; /* the steps but for casts: "from/emailAddress/address"; "": the thing itself */
    const struct odata_step *steps;
    size_t n;
    unsigned variable;                   /* 0: the thing asked about; else that of a lambda around
                                            it, 1 the outermost */
    const struct edm_property *property; /* the last one; NULL: of an open type, or none */
    int known;                           /* its place in odata_rules.known; -1: it is not there */
    bool count;                          /* it ends in $count */
};

struct odata_expr {
    enum odata_op op;
    enum odata_function function; /* ODATA_CALL */
    const struct odata_expr *const *kids;
    size_t n_kids;
    struct odata_value value; /* ODATA_LITERAL */
    const struct odata_path *path;
    const struct edm_type *type;   /* the second argument of cast and isof, if it names one; of a
                                      path,   the type that it leads to */
    const struct edm_enum *values; /* of a literal or a path that is an enumeration's */
    enum edm_kind kind;            /* the result's, as far as that is known */
    bool collection;
    const char *variable; /* of ODATA_ANY and ODATA_ALL: its name, NULL: none; of cast and isof, the
                             type's */
    unsigned at;          /* where it begins in the text, in bytes */
    unsigned depth;       /* 1: it has no kids */
};

/* ---- options ---- */

/* Rules of a workload, or of one list of it. Zero bytes everywhere are good. */
struct odata_rules {
    bool personal;   /* of a consumer's account: refusals have other codes (MG-06, MG-330) */
    bool exact;      /* option names count with their case (MG-09) */
    bool one_expand; /* only one relationship may be expanded (MG-347) */
    bool beta;       /* properties that are below /beta alone may be named */
    int64_t max_top; /* 0: none; more is refused */
    /* Paths that the dialect's getter knows, in any order: odata_path.known is the place there, so
     * that it needs no comparison of strings. NULL ends; NULL: none. */
    const char *const *known;
};

struct odata_pair {
    const char *name, *value; /* decoded */
};

struct odata_select {
    const char *text; /* as the types spell it: "from/emailAddress"; "*" */
    const struct odata_step *steps;
    size_t n;
};

struct odata_order {
    const struct odata_expr *by;
    bool descending;
};

struct odata_query;

struct odata_expand {
    const char *name;                    /* of the navigation property; "*": all of them */
    const char *text;                    /* with its cast: "microsoft.graph.eventMessage/event" */
    const struct edm_property *property; /* NULL: "*" */
    const struct edm_type *cast;         /* of the thing that has it; NULL: none was given */
    bool ref, count;                     /* .../$ref, .../$count */
    const struct odata_query *query;     /* its options; never NULL */
};

struct odata_query {
    const struct edm_type *type;       /* of the things in the list */
    bool has_select;                   /* $select was given */
    const struct odata_select *select; /* in the order of the text */
    size_t n_select;
    const struct odata_expand *expand;
    size_t n_expand;
    const struct odata_expr *filter; /* NULL: not given */
    const struct odata_order *order;
    size_t n_order;
    int64_t top;    /* -1: not given */
    int64_t skip;   /* 0: not given */
    int64_t levels; /* $levels of an expansion; 0: not given, -1: max */
    bool count;
    const char *search; /* as it was given: kql.h reads it; NULL: not given */
    const char *skiptoken, *deltatoken, *format;
    const char *filter_text, *order_text; /* as they were given; NULL: not given */
};

/*
 * Reads the options among the pairs, each with or without its '$' (MG-09); pairs with other names
 * are passed over, except those that begin with '$'. Failures are INVALID with Graph's error code
 * as the reason and its message as the text; a message may be longer than err->text holds: all of
 * it is then *ret_message, in the arena (else NULL; may be NULL). NO_MEMORY when the arena has
 * failed.
 */
int odata_parse(struct arena *a, const struct edm_type *type, const struct odata_rules *rules,
                const struct odata_pair *pairs, size_t n, struct odata_query *ret_query,
                const char **ret_message, struct sosia_err *err);
/* A $filter alone: of search folders, of subscriptions' resources. */
int odata_parse_filter(struct arena *a, const struct edm_type *type,
                       const struct odata_rules *rules, const char *text,
                       const struct odata_expr **ret_expr, const char **ret_message,
                       struct sosia_err *err);
/* The $search of directory objects: "displayName:wa" OR "mail:a" (MG-349), as an expression to ask;
 * a property that is a collection is found by any of its items. */
int odata_parse_search(struct arena *a, const struct edm_type *type, const char *text,
                       const struct odata_expr **ret_expr, struct sosia_err *err);
/* The expression as text, in the form that reads back as the same expression. */
void odata_print(struct buf *out, const struct odata_expr *e);

/* ---- asking ---- */

/*
 * The value at a path below a thing: the one that odata_matches() was given, or, where
 * path->variable is not 0, an item of a collection. 1, 0: there is no such member (null), -1
 * failed, with the reason kept by the getter. A collection is given with all its items: plain
 * values, or things that it knows again. The arena is the evaluation's.
 */
typedef int odata_getter(void *arg, struct arena *a, const void *thing,
                         const struct odata_path *path, struct odata_value *ret);

struct odata_ctx {
    struct arena *arena;
    odata_getter *get;
    void *arg;
    bool exact;     /* strings compare byte by byte; else without regard to case (Exchange, the
                       directory) */
    int64_t now_us; /* now() */
    /* The type of a thing, for isof() and casts in paths; NULL: casts always hold. */
    const struct edm_type *(*type_of)(void *arg, const void *thing);
};

/* Does it hold? 1, 0 (also when it is neither true nor false), -1 failed. expr NULL: 1. */
int odata_matches(const struct odata_ctx *ctx, const struct odata_expr *expr, const void *thing);
/* The expression's value. 0, -1. */
int odata_value_of(const struct odata_ctx *ctx, const struct odata_expr *expr, const void *thing,
                   struct odata_value *ret);
/* Keys of a thing by $orderby, in the arena; and which of two things comes first by them: below 0,
 * 0, above 0. Null comes before everything else. */
int odata_keys(const struct odata_ctx *ctx, const struct odata_query *q, const void *thing,
               struct odata_value **ret_keys);
int odata_order(const struct odata_ctx *ctx, const struct odata_query *q,
                const struct odata_value *x, const struct odata_value *y);
/* A getter over JSON trees: things are const struct json *. Values take the kinds of their
 * properties ("2026-01-01T00:00:00Z" of a DateTimeOffset is an instant; so is a dateTimeTimeZone's
 * dateTime in UTC). arg is not looked at. */
int odata_get_json(void *arg, struct arena *a, const void *thing, const struct odata_path *path,
                   struct odata_value *ret);
/* The type that a thing's @odata.type names, for odata_ctx.type_of; NULL: it has none. */
const struct edm_type *odata_json_type(void *arg, const void *thing);

/* ---- taking apart, for indexes ---- */

/* The conditions that must all hold: the operands of `and` at the top, itself where it is something
 * else, none of NULL. In the arena; gives how many. */
size_t odata_terms(struct arena *a, const struct odata_expr *e,
                   const struct odata_expr *const **ret_terms);
/* Is it `path op literal` (either way round, op is turned then), with the path of the thing itself?
 * Arguments may be NULL. */
bool odata_compared(const struct odata_expr *e, const struct odata_path **ret_path,
                    enum odata_op *ret_op, const struct odata_value **ret_value);
/* Is it function(path,'literal')? */
bool odata_called(const struct odata_expr *e, enum odata_function function,
                  const struct odata_path **ret_path, const char **ret_text);
/* The range that the terms leave to a path of instants or whole numbers: from <= value < to. Terms
 * that say nothing of it are passed over. False: nothing can match. */
bool odata_range(const struct odata_expr *e, const char *path, int64_t *ret_from, int64_t *ret_to);
/* The literal of `path eq literal` among the terms; NULL: there is none. */
const struct odata_value *odata_equal(const struct odata_expr *e, const char *path);
/* Do the paths of $orderby come first among the terms of $filter, in the same order? Some
 * lists want that where both are given (MG-47). */
bool odata_order_leads(struct arena *a, const struct odata_query *q);
/* Calls fn for every path in it, those in lambdas too; stops when fn gives non-zero, and gives
 * that. For properties that a resource can't be filtered by. */
int odata_each_path(const struct odata_expr *e, int (*fn)(void *arg, const struct odata_expr *path),
                    void *arg);
/* Does it (NULL: no) name the path anywhere? "toRecipients" is named by toRecipients/any(...). */
bool odata_names(const struct odata_expr *e, const char *path);

/* A duration ("PT5M") in microseconds; false: it is none. */
bool odata_duration(const char *text, int64_t *ret_us);

/* ---- selections ---- */

/* Members that $select does not take away (MG-12). */
enum odata_keep {
    ODATA_KEEP_ID = 1,
    ODATA_KEEP_ETAG = 2 /* "@odata.etag" */
};

/* The mask of one thing as the writer takes it; NULL: everything. Annotations of the answer
 * (@odata.context, @odata.type, @removed...) are always in it. -1: NO_MEMORY, or too many names. */
int odata_mask(struct arena *a, const struct odata_query *q, unsigned keep,
               const struct json_mask **ret_mask, struct sosia_err *err);
/* The same of a list: the things are in "value". */
int odata_mask_list(struct arena *a, const struct odata_query *q, unsigned keep,
                    const struct json_mask **ret_mask, struct sosia_err *err);
/* The selection behind the name in @odata.context: "(id,subject)", "(children())",
 * "(microsoft.graph.eventMessage/event())", or "". In the arena. */
const char *odata_context(struct arena *a, const struct odata_query *q);
/* Is a property of the thing written: named by $select, or by default without one? */
bool odata_selects(const struct odata_query *q, const char *name);
/* The expansion of a navigation property; NULL: it is not asked for. */
const struct odata_expand *odata_expands(const struct odata_query *q, const char *name);

/* ---- tokens ---- */

/* A few named texts as one, for graph_seal(): the content of a $skiptoken or a $deltatoken. In the
 * arena. odata_unpack: how many; 0: it is not such a text. */
const char *odata_pack(struct arena *a, const struct odata_pair *pairs, size_t n);
size_t odata_unpack(struct arena *a, const char *text, const struct odata_pair **ret_pairs);
/* The value of that name; NULL: it has none. */
const char *odata_packed(const struct odata_pair *pairs, size_t n, const char *name);

#endif
