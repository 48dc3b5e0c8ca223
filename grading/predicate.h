/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicates: what a value must be. Read from a suite once, with regular expressions compiled, and
 * asked of values of changes, states and calls. All input is hostile: texts that are compared
 * letter by letter, and steps of regular expressions, are bounded.
 */
#ifndef SOSIA_GRADING_PREDICATE_H
#define SOSIA_GRADING_PREDICATE_H

#include "engine/json/doc.h"

struct predicate;
struct tz;

/* Variables that assertions bind: names and values, the last of a name counts. */
struct variables {
    const struct variable {
        const char *name;
        const struct json *value;
    } * list;
    size_t n;
};

#define VARIABLE_NAME_MAX 64 /* bytes */

/* What asking may cost, of regular expressions and of texts compared letter by letter. The same
 * questions cost the same everywhere. */
struct predicate_work {
    int64_t left; /* steps */
    bool cut;     /* something took too many, and was not asked to its end */
};

/* What reading and asking need to know. */
struct predicate_context {
    struct arena *arena;
    struct predicate_work *work; /* NULL: without a bound on the whole */
    struct variables variables;
    const struct tz *zone; /* of times without an offset */
    bool loose;            /* version 0.1: paths don't go into lists */
};

/* Calls fn with each name of a variable that is used: "${name}" in texts, {var: name}. */
typedef int predicate_variable_fn(void *arg, struct doc *d, const struct json *at,
                                  const char *name);

/* Reads a predicate: an object of operators that must all hold, or a value that must be equal.
 * loose as in the context: operators of version 0.1 alone. -1 with d's error. */
int predicate_read(struct doc *d, const struct json *value, bool loose, predicate_variable_fn *fn,
                   void *arg, const struct predicate **ret);
/* Whether asking it may take milliseconds: regular expressions, and texts compared letter by
 * letter. */
bool predicate_is_slow(const struct predicate *p);
/* Regular expressions are outside of the arena. */
void predicate_free(const struct predicate *p);

/* Absent and null are the same. loose: of version 0.1, where true is 1 as well. */
bool values_equal(const struct json *a, const struct json *b, bool loose);
/* value NULL: there is none. */
bool predicate_holds(const struct predicate_context *c, const struct predicate *p,
                     const struct json *value);
/* A value with variables put into its texts; NULL: one of them is not bound. */
const struct json *variables_put(const struct predicate_context *c, const struct json *v);
/* As it was written, for reports. */
const struct json *predicate_source(const struct predicate *p);

/* ---- conditions: paths and predicates ---- */

struct condition {
    const char *path; /* "start.dateTime", "attendees.0.email"; "*" is any item or member */
    const struct predicate *predicate;
    const struct condition *next;
};
bool conditions_are_slow(const struct condition *c); /* NULL: they are not */
/* value NULL: no conditions. An object of predicates by path. */
int conditions_read(struct doc *d, const struct json *value, bool loose, predicate_variable_fn *fn,
                    void *arg, const struct condition **ret);
void conditions_free(const struct condition *c);
bool condition_holds(const struct predicate_context *c, const struct condition *one,
                     const struct json *object);
bool conditions_hold(const struct predicate_context *c, const struct condition *all,
                     const struct json *object);
/* The value at a path without "*"; NULL: there is none, or it is null. */
const struct json *value_at_path(const struct json *object, const char *path, bool loose);

/* ---- text.c ---- */

/* A text as forgiving comparison sees it: without HTML, case, diacritics and punctuation at its
 * ends, whitespace as single spaces. */
const char *text_plain(struct arena *a, const char *text);
/* Whether two texts are at_least so much alike: 1 are equal ones, 0 those with nothing in common,
 * 1 - edits / letters of the longer one. Of long texts the first TEXT_COMPARED letters are
 * compared. work: as in the context. */
#define TEXT_COMPARED 2000
bool text_is_similar(struct arena *a, const char *one, const char *other, double at_least,
                     struct predicate_work *work);
/* Whether a plain text has another in it, at the ends of words. */
bool text_mentions(const char *plain, const char *what);

#endif
