/* SPDX-License-Identifier: Apache-2.0 */
/* Deviations: differences between sosia and the real services that are known, from
 * conformance/differences, which the command carries. */
#ifndef SOSIA_CONFORMANCE_DEVIATION_H
#define SOSIA_CONFORMANCE_DEVIATION_H

#include "conformance/report/coverage.h"

enum deviation_kind {
    DEVIATION_DELIBERATE, /* otherwise than the service, on purpose */
    DEVIATION_CHOSEN,     /* the service's side is open or contradicts itself */
    DEVIATION_NOT_HELD,   /* left out */
    DEVIATION_LIMIT,      /* a bound */
};
extern const char *const deviation_kinds[]; /* NULL behind the last */

/* How the service's side is known. */
enum deviation_certainty {
    CERTAINTY_RECORDED,
    CERTAINTY_DOCUMENTED,
    CERTAINTY_REPORTED,
    CERTAINTY_CONCLUDED,
    CERTAINTY_UNKNOWN,
};
extern const char *const deviation_certainties[];

/* A file of conformance/differences. */
struct deviation_source {
    const char *file, *title;
    const char *dialects; /* whose methods it is about, with spaces between; NULL: all */
    const char *prefix;   /* what its methods' ids begin with, and the entries leave out */
    const char *text;
};
extern const struct deviation_source deviation_sources[]; /* file NULL: the end */

struct deviation_group {
    const struct deviation_source *source;
    const char *title; /* NULL: in front of the first group */
    const char *note;  /* NULL: none */
};

struct deviation {
    const struct deviation_group *group;
    const char *id, *text;
    enum deviation_kind kind;
    enum deviation_certainty certainty;
    const char *const *methods; /* patterns without the prefix, NULL behind the last */
    const char *const *rules;   /* likewise */
    int line;
};

struct deviations {
    struct arena arena;
    struct deviation *list; /* in the order of the files */
    size_t n;
    struct deviation_group *groups;
    size_t n_groups;
    struct map by_id; /* id -> struct deviation */
};

/* Reads the sources (NULL: deviation_sources), whose texts must live as long as the result.
 * Refused, with file and line: what is not an entry, an id that is there twice, a pattern that no
 * method fits. */
int deviations_open(const struct deviation_source *sources, struct deviations **ret_deviations,
                    struct sosia_err *err);
void deviations_free(struct deviations *d);
/* -1: an entry names a rule that is not among these. */
int deviations_check(const struct deviations *d, const struct coverage *rules,
                     struct sosia_err *err);

/* A pattern of it other than "*" alone fits the method's id. */
bool deviation_names(const struct deviation *e, const char *dialect, const char *method);
/* How many of all files name the method. */
size_t deviations_of(const struct deviations *d, const char *dialect, const char *method);

/* Each appends to out; a buffer that fails has failed. */
/* The page docs/fidelity.md. */
void deviations_markdown(const struct deviations *d, struct buf *out);
void deviations_json(const struct deviations *d, struct buf *out);
/* An entry a line: those that name the method; NULL: all. */
void deviations_text(const struct deviations *d, const char *method, struct buf *out);

#endif
