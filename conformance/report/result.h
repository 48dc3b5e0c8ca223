/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a replay found, exchange by exchange: kept in a file (JSON), so that reports can be made of
 * it and two of them be compared. The answers are in it; credentials are replaced.
 */
#ifndef SOSIA_CONFORMANCE_RESULT_H
#define SOSIA_CONFORMANCE_RESULT_H

#include "conformance/cassette/cassette.h"

#define RESULT_VERSION 1

enum outcome {
    OUTCOME_EQUAL,
    OUTCOME_DIFFERENT,
    OUTCOME_FAILED, /* there was no answer, or the step could not be done */
    OUTCOME_SKIPPED /* it can't be replayed here */
};
extern const char *const outcome_names[]; /* "equal", "different", "failed", "skipped" */

struct result_header {
    const char *name, *value;
};

/* One step that checks something. */
struct exchange {
    const char *id;
    const char *method;  /* NULL: none */
    const char *dialect; /* NULL: none */
    const char **rules;
    size_t n_rules;
    bool observed; /* the source says so */
    enum source_kind source;
    const char *file; /* of the cassette */
    int line;
    enum outcome outcome;
    const char *why; /* failed or skipped; NULL: neither */
    size_t equal, total;
    struct difference *differences;
    struct normalised *normalised; /* in the order of their paths in the answer */
    bool answered;
    int status;
    struct result_header *headers; /* those that matter */
    size_t n_headers;
    const struct json *json; /* the body, if it is JSON */
    const char *text;        /* if it is none; NULL: it is JSON, or there is none */
    struct exchange *next;
};

/* A cassette's. */
struct scenario {
    const char *name, *title;
    const char *digest; /* of the cassette's text: another text is another scenario */
    struct exchange *first;
    struct scenario *next;
};

struct redactor;

struct result {
    struct arena arena;
    struct redactor *redactor;         /* of credentials in answers; NULL: none was needed yet */
    const char *target, *version, *at; /* at: when it was made, or "" */
    struct scenario *first, **last;
};

struct result *result_new(void); /* NULL without memory */
void result_free(struct result *r);
/* A scenario at the end; NULL without memory. */
struct scenario *result_scenario(struct result *r, const char *name, const char *title,
                                 const char *digest);

/* One line of JSON without the line's end; for the files that replays go on from. */
void scenario_write(const struct scenario *s, struct buf *out);
/* Reads such a line to the end of the result. */
int scenario_read(struct result *r, const char *text, size_t len, struct sosia_err *err);

/* The whole as JSON. */
void result_write(const struct result *r, struct buf *out);
/* Reads what result_write() wrote. file: for messages. */
int result_parse(const char *file, const char *text, size_t len, struct result **ret_result,
                 struct sosia_err *err);
/* The same from a file. */
int result_load(const char *file, struct result **ret_result, struct sosia_err *err);

/* ---- sums ---- */

struct tally {
    const char *dialect, *method;
    size_t exchanges, equal, different, failed, skipped;
    size_t fields, fields_equal;
};
struct tallies {
    struct tally *list; /* by dialect and method, without memory of methods nobody called */
    size_t n;
    struct tally all;
};
/* The lists are made in the arena. */
int tally_up(struct arena *a, const struct result *const *results, size_t n,
             struct tallies *ret_tallies);
/* Parts of a hundred, cut and not rounded, so that 100 means all: "99.96". */
void fidelity_text(char ret_text[8], size_t equal, size_t total);

#endif
