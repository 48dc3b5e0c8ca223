/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people who answer by themselves (responders) have in common, whatever it is that they
 * answer: patterns that end, lists of who is meant, and acts with what was found put into them.
 */
#ifndef SOSIA_WORLD_ANSWER_H
#define SOSIA_WORLD_ANSWER_H

#include "engine/json/doc.h"
#include "engine/world/tx.h"

#define ANSWER_CAPTURES 10
#define ANSWER_PATTERN  1000 /* bytes of a pattern */
#define ANSWER_ACTS     20   /* of a responder */
#define ANSWER_TIMES    1000000

/* What an answer may name, as ${user}: names of whoever answers, and what a pattern found. */
struct answer_found {
    const char *const *names; /* NULL-terminated; NULL: none */
    const char *const *values;
    const char *captures[ANSWER_CAPTURES];
};

/* Whether the text has the pattern (PCRE2, in any case); fills captures. NULL: any text has it. 1,
 * 0: it has not, the pattern is broken or takes more than 100,000 steps; -1. */
int answer_match(struct tx *tx, const char *pattern, const char *text, struct answer_found *f);
/* Is one of the texts (NULL-terminated) an item of the list? Without a list: yes. */
bool answer_lists(const struct json *list, const char *const *texts);
/* "${1} of ${user}" with what was found; in the arena. */
const char *answer_fill(struct tx *tx, const char *text, const struct answer_found *f);
/* Writes a value with all of its texts filled. */
void answer_write(struct tx *tx, struct json_writer *w, const char *key, const struct json *v,
                  const struct answer_found *f);

/* For seed documents: a member that is a pattern, or absent. 0, -1. */
int answer_check_pattern(struct doc *d, const struct json *when, const char *member);
/* The member "do": 1 to ANSWER_ACTS objects with one act each, or {wait: 1 to max_wait}; known():
 * whether there is an act of a name. 0, -1. */
int answer_check_acts(struct doc *d, const struct json *v, int64_t max_wait,
                      bool (*known)(const char *name), const struct json **ret);
/* The same of any list of acts, empty ones too. */
int answer_check_each(struct doc *d, const struct json *list, int64_t max_wait,
                      bool (*known)(const char *name));

#endif
