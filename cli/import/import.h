/* SPDX-License-Identifier: Apache-2.0 */
/* Suites of evaluators of diffs by table, with their seeds, as suites of version 0.1 that have a
 * seed document in them. */
#ifndef SOSIA_CLI_IMPORT_H
#define SOSIA_CLI_IMPORT_H

#include "engine/base/map.h"
#include "engine/json/json.h"

/* Tables of a seed, and what is made of them. */
struct import {
    struct arena *arena;
    const struct json *tables; /* an object of lists of rows */
    struct json_writer *w;     /* an open object: the document's */
    struct map ids;            /* "table id": the id in our document, where it is another one */
    struct import_left {
        const char *what;
        size_t n;
        struct import_left *next;
    } * left; /* what was left out, and how often */
    struct sosia_err *err;
};

/* The rows of a table; NULL: there are none. */
const struct json *import_table(const struct import *im, const char *name);
/* A column as a text: numbers as they are written. NULL: absent, or null. */
const char *import_text(const struct import *im, const struct json *row, const char *column);
/* The id that a row of a table is named by, as our document has it. */
const char *import_id(const struct import *im, const char *table, const char *id);
void import_leave(struct import *im, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Columns that are in none of the names are left out, and said to be. */
void import_columns(struct import *im, const char *table, const char *const *known);

/* A text with its mentions (<@id>) by the ids that people have in our document. */
const char *import_mentions(struct import *im, const char *text);
/* Reactions that Slack knows by another name get that. */
int import_reactions(struct import *im);
/* import_slack.c, import_calendar.c: the sections of what the tables have of it, people included.
 * *ret_now: the newest time that is there, in microseconds. -1: it can't be. */
int import_slack(struct import *im, int64_t *ret_now);
int import_calendar(struct import *im, int64_t *ret_now);

/* `sosia suite import`: texts that end with NUL, and the files that messages name. */
struct suite_import {
    const char *suite, *suite_file;
    const char *seed, *seed_file; /* NULL: there is none */
    const char *time;             /* of the world; NULL: a minute behind the newest thing in it */
};
/* Writes the suite to a file (NULL: standard output), and what was left out to standard error. 0,
 * -1 with the error; 1: the file can't be written, which was said. */
int suite_import(const struct suite_import *opt, const char *output, struct sosia_err *err);

#endif
