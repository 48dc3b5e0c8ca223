/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules and methods the cassettes hold. */
#ifndef SOSIA_CONFORMANCE_COVERAGE_H
#define SOSIA_CONFORMANCE_COVERAGE_H

#include "conformance/cassette/cassette.h"

/* An exchange that would fail if a rule were broken. */
struct coverage_use {
    const char *cassette, *file, *id;
    bool observed; /* its source says so */
    struct coverage_use *next;
};

struct coverage_rule {
    const char *id, *text; /* text: what it says, in a line */
    const char *family;    /* heading of the rules above it; NULL: none */
    int line;              /* in the file */
    const char *not_held;  /* why no exchange holds it; NULL: not said */
    bool observed;         /* seen, and stated by nobody */
    struct coverage_use *uses, **last;
};

struct coverage_method {
    const char *dialect, *id;
    size_t exchanges;
    size_t recorded;    /* of these: those whose source is a recording */
    const char **rules; /* each once, as they come */
    size_t n_rules, cap;
};

struct coverage {
    struct arena arena;
    struct coverage_rule *rules; /* in the order of the file */
    size_t n_rules;
    struct map by_id;                /* rule id -> struct coverage_rule */
    struct coverage_method *methods; /* of all dialects, in the order of their tables */
    size_t n_methods;
    size_t exchanges, cassettes;
    const char *family; /* while rules are read: the last heading */
};

/* Reads the rules: a line each, "GC-12 v An event is confirmed unless it says otherwise": id, how
 * it is known (v stated, k known, o observed only), what it says. "# ---- Mail ----" begins a
 * family of rules; empty lines and other lines that begin with # are left out. Errors name file and
 * line. */
int coverage_open(const char *rules_file, struct coverage **ret_coverage, struct sosia_err *err);
void coverage_free(struct coverage *c);
/* A rule that is not in the file is a fault of the cassette. */
int coverage_add(struct coverage *c, const struct cassette *cassette, struct sosia_err *err);
/* -1: a rule of which it is said why nothing holds it is held; complete: also when a rule is
 * neither held nor is it said why. */
int coverage_check(const struct coverage *c, bool complete, struct sosia_err *err);

/* Each appends to out; a buffer that fails has failed. link: what precedes the files in links.
 * The page for people: figures of each family and each method, and what is not held. */
void coverage_markdown(const struct coverage *c, const char *link, struct buf *out);
/* Everything: which exchanges hold which rule. */
void coverage_json(const struct coverage *c, struct buf *out);
void coverage_html(const struct coverage *c, const char *link, struct buf *out);

#endif
