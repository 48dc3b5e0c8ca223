/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large a question in SQL becomes. SQLite copies a common table expression to each place that
 * names it, and copies what is named in the copies, before anything bounds its work: a short text
 * can be made to need all the memory there is. Of the ways that lead to an expression there are at
 * most as many as the product of how often each one is named, which is what is counted here.
 */
#ifndef SOSIA_GRADING_COPIES_H
#define SOSIA_GRADING_COPIES_H

#include "engine/base/arena.h"

#define COPIES_EXPRESSIONS 64 /* that a question may have */

/* The words of a question, in its arena. */
struct sql_words {
    struct sql_word *list;
    size_t n;
};
/* The arena fails without memory. */
struct sql_words sql_words_read(struct arena *a, const char *sql);
/* At most how many copies there are of the question's own expressions; -1: it has more than
 * COPIES_EXPRESSIONS of them. */
double copies_of_own(const struct sql_words *w);
/* How often something is named, and at least 1. */
double copies_of(const struct sql_words *w, const char *name);

#endif
