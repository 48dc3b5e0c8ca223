/* SPDX-License-Identifier: Apache-2.0 */
/* Between predicate.c and operators.c. */
#ifndef SOSIA_GRADING_PREDICATE_IMPL_H
#define SOSIA_GRADING_PREDICATE_IMPL_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include "grading/predicate.h"
#include <pcre2.h>

struct operator_row;

struct predicate {
    const struct operator_row *op;
    const struct json *argument, *source;
    const struct condition *items; /* of some, every, none */
    const struct predicate *inner; /* of not, length; the first of any_of */
    const struct predicate *next;  /* must hold too; of any_of: the alternative behind it */
    const char *text;              /* of times: as they are compared */
    int64_t within_us;             /* of same_time */
    double at_least;               /* of similar */
    const struct tz *zone;         /* that is said with a time; NULL: none */
    pcre2_code *regex;             /* NULL: not a good one, which matches nothing */
};

struct ask {
    const struct predicate_context *c;
    const struct predicate *p;
    const struct json *value, *argument; /* with variables put in */
};

struct reading {
    struct doc *d;
    bool loose;
    predicate_variable_fn *fn;
    void *arg;
};

struct operator_row {
    const char *name;
    bool basic; /* of version 0.1 */
    int (*read)(struct reading *r, const struct json *value, struct predicate *p);
    bool (*holds)(const struct ask *a);
};

/* *ret_code and *ret_at say why it is NULL. */
pcre2_code *expression_read(const char *text, size_t len, bool loose, int *ret_code,
                            size_t *ret_at);
/* work: NULL: of this match alone. One that takes too many steps does not match, and is cut. */
bool expression_holds(const pcre2_code *regex, const char *text, size_t len,
                      struct predicate_work *work);
/* The row of an operator; loose: of version 0.1 alone. NULL: there is none. */
const struct operator_row *predicate_operator(const char *name, bool loose);
/* The bytes of the name in "${name}" at the beginning of a text; 0: there is none. */
size_t variable_name(const char *text);
/* Calls fn with each variable that a value uses. -1 with the document's error. */
int predicate_variables(struct reading *r, const struct json *v);

#endif
