/* SPDX-License-Identifier: Apache-2.0 */
/* What judging and the report of near misses share. */
#ifndef SOSIA_GRADING_JUDGE_IMPL_H
#define SOSIA_GRADING_JUDGE_IMPL_H

#include "grading/episode.h"

#define NO_ROW ((size_t)-1)

enum fit { FIT_NOT, FIT_UNEXPECTED, FIT };

/* After a question: what it needed is gone. */
void episode_asked(struct episode *ep);
/* Why something does not hold; NULL: nobody asks. */
__attribute__((format(printf, 2, 3))) const char *episode_because(struct episode *ep,
                                                                  const char *fmt, ...);
/* Whether a change is what the assertion speaks of. FIT_UNEXPECTED: it is, but something else of it
 * changed too. */
enum fit episode_fits(struct episode *ep, const struct assertion *a, const struct row *row);
/* Of a row: what is at a path; in version 0.1 fields are its members alone. */
const struct json *episode_field(const struct episode *ep, const struct json *row,
                                 const char *path);
/* Whether a field differs that the assertion does not ignore. */
bool episode_field_changed(const struct episode *ep, const struct assertion *a,
                           const struct row *row, const char *path);
/* A field that changed and that the assertion neither expects nor ignores; NULL: there is none. */
const char *episode_changed_too(struct episode *ep, const struct assertion *a,
                                const struct row *row);
/* Reads each thing of the assertion's kind that is so (where NULL: all) in an arena of its own,
 * which is empty again for the next one. */
int episode_each_state(struct episode *ep, const struct assertion *a, const struct condition *where,
                       int (*fn)(void *arg, const struct json *value, size_t row), void *arg);

#endif
