/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suites: tasks with their assertions, read once and asked of any number of episodes, by any number
 * of threads at once. Two languages are read: version 0.1 as other evaluators have it, and version
 * 1, which is a superset of it with other defaults (docs/grading.md). 1.1 is 1 where the calls that
 * were made must have something to do with what is expected, unless a task says otherwise.
 */
#ifndef SOSIA_GRADING_SUITE_H
#define SOSIA_GRADING_SUITE_H

#include "grading/predicate.h"
#include "sosia.h"

enum assertion_kind {
    ASSERT_ADDED,
    ASSERT_REMOVED,
    ASSERT_CHANGED,
    ASSERT_UNCHANGED,
    ASSERT_STATE,
    ASSERT_CALLS,
    ASSERT_ORDER,
    ASSERT_SQL,
    ASSERT_AGGREGATE,
    ASSERT_ALL,
    ASSERT_ANY,
    ASSERT_NOT,
    ASSERT_ANSWER,
    ASSERT_NEVER,
    ASSERT_JUDGE,
    ASSERT_PROGRAM
};
extern const char *const assertion_words[]; /* by kind */

enum aggregate {
    AGGREGATE_COUNT,
    AGGREGATE_SUM,
    AGGREGATE_MIN,
    AGGREGATE_MAX,
    AGGREGATE_AVG,
    AGGREGATE_DISTINCT
};

struct expected_change {
    const char *path;
    const struct predicate *from, *to; /* NULL: anything */
    const struct expected_change *next;
};

#define VARIABLES_MAX 64 /* that the assertions of a task bind */

struct binding {
    const char *name, *path;
    const struct binding *next;
};

struct name_list {
    const char *name;
    const struct name_list *next;
};

struct assertion {
    enum assertion_kind kind;
    size_t number;     /* among all of the task, inner ones included */
    const char *place; /* "assertions[2].any[0]" */
    const char *description;
    int line;
    const char *entity;
    const char *service;           /* it speaks of this service's alone; NULL: of all */
    const struct condition *where; /* of order: of the call that the inner one stands for */
    int64_t min, max;              /* how many must match */
    bool counted;                  /* the suite says how many */
    const struct expected_change *changes;
    const struct name_list *ignore;
    bool consequences; /* those count too */
    bool strict;       /* no other field of what is changed may change */
    bool required;     /* without it nothing is earned */
    double weight;
    const struct binding *bind;
    const struct name_list *uses; /* variables, those of inner ones included */
    struct assertion *inner;
    size_t n_inner;
    const char *sql;
    enum aggregate aggregate;
    const char *field;
    const struct predicate *is;   /* of the answer too */
    const struct json *never;     /* a list of texts that the answer must not have in it */
    const char *judge, *question; /* name of a judgement, and what is to be judged */
    double at_least;              /* of it: 0 to 1 */
    const char *const *argv;      /* of a program that is run on the files; NULL ends it */
    const char *input;            /* its standard input; NULL: nothing */
    int64_t seconds;              /* that it may take */
};

struct allowed {
    int kind; /* enum row_change; -1: any */
    const char *entity, *service;
    const struct condition *where;
    const struct name_list *fields; /* of what is changed; NULL: any */
    const struct condition *calls;  /* it speaks of calls and not of changes; NULL: of changes */
    const struct allowed *next;
};

struct action {
    const char *who, *method, *target;
    const struct json *body, *mail, *save;
    int64_t status; /* 0: below 300 */
    int64_t wait_s; /* so long the world's clock goes on, and nothing is called; 0: it is a call */
    int line;
};

struct task {
    const char *id, *name, *prompt, *difficulty;
    const char *fixture, *actor;
    const struct json *seed; /* a seed document */
    enum sosia_clock_mode clock;
    int64_t step_ms; /* of a stepping clock */
    const struct tz *zone;
    struct assertion *assertions;
    size_t n_assertions, n_numbered;
    const size_t *order; /* of evaluation: who binds a variable before who uses it */
    const struct allowed *allow;
    const struct name_list *allow_uses; /* variables */
    const struct name_list *ignore;     /* fields of every entity */
    const struct ignored_entity {
        const char *entity;
        const struct name_list *fields;
        const struct ignored_entity *next;
    } * ignore_of;
    struct action *actions;
    size_t n_actions;
    bool strict, closed;
    enum names {
        NAMES_NONE,
        NAMES_ENTITIES,
        NAMES_TABLES
    } names;            /* what assertions of version 0.1 are about */
    bool closed_calls;  /* closed, and each call that wrote belongs to a change */
    bool nothing;       /* whoever does nothing has done what it asks for */
    const char *answer; /* what a reference agent says at the end; NULL: nothing */
    double collateral;  /* what is left of the reward when something unexpected was done */
    int line;
};

struct sosia_suite {
    struct arena arena;
    const char *name, *file; /* file: what messages call it */
    bool loose;              /* version 0.1 */
    const char *version;     /* "0.1", "1", "1.1" */
    bool known;              /* it names entities and members of worlds alone */
    bool tables;             /* version 0.1: it may name tables of worlds as well */
    struct task *tasks;
    size_t n;
    char hash[33];            /* of its text */
    char *text;               /* what values are in */
    struct sql_check *sql;    /* while it is read */
    const char *const *given; /* names of variables that are there without an assertion that binds
                                 them, NULL-terminated; NULL: none */
};

const struct task *suite_task(const struct sosia_suite *s, const char *id);
/* Whether a task is judged by changes and nothing else: neither by what a world holds, nor by SQL
 * nor by calls, nor with expressions or likenesses of texts that take their time. */
bool suite_asks_changes_alone(const struct sosia_suite *s, const char *task);
/* Whether a task is judged by a program that is run, so that who gives the suite has it run. */
bool suite_runs_programs(const struct sosia_suite *s);
/* Whether what a task asks of the calls of a world depends on those that only read: the assertion,
 * of those of the task, or of all tasks if it is NULL, and which task's it is; NULL: none does. */
const struct assertion *suite_asks_reads(struct sosia_engine *e, const struct sosia_suite *s,
                                         const char *task, const struct task **ret_task);
/* What is in a suite, as JSON that the caller frees; reference: with the reference actions, which
 * whoever is measured must not see. Fails for memory alone. */
int suite_list(const struct sosia_suite *s, bool reference, struct sosia_blob *ret_json,
               struct sosia_err *err);

/* lines.c: the document that lines of a data set are, in the arena. 1: they are; 0: the text is
 * something else; -1: INVALID, with the line, or NO_MEMORY. The text ends with NUL. */
int suite_of_lines(struct arena *a, const char *text, size_t len, const char *name,
                   const char **ret, size_t *ret_len, struct sosia_err *err);
/* assertion.c */
int assertions_read(struct doc *d, const struct json *list, const struct sosia_suite *s,
                    struct task *t);
void assertion_free(const struct assertion *a);
/* A list of names; NULL: absent. */
int names_read(struct doc *d, const struct json *obj, const char *member,
               const struct name_list **ret);
static inline bool names_have(const struct name_list *l, const char *name)
{
    for (; l; l = l->next)
        if (strcmp(l->name, name) == 0)
            return true;
    return false;
}

#endif
