/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of evaluators of diffs by table, which suites of version 0.1 may speak of in the place
 * of entities (docs/grading.md), and what changed between two states as their rows.
 */
#ifndef SOSIA_GRADING_TABLES_H
#define SOSIA_GRADING_TABLES_H

#include "engine/json/doc.h"
#include "grading/episode.h"

bool table_is_known(const char *name);
/* The names of those of the same service as this one, separated by spaces. */
const char *table_names(struct arena *a, const char *like);
/* The i-th; NULL: there are no more. */
const char *table_name_at(size_t i);
/* The columns that name a row, NULL-terminated; NULL: there is no such table. */
const char *const *table_key(const char *name);

/* The changes of a list as rows, in the arena; what follows from a change is in none. 0, -1. */
int table_rows(struct changes *d, struct arena *a, const struct row **ret_rows, size_t *ret_n);
/* The same as {inserts, updates, deletes}, as sosia_grade_rows() takes it. */
int table_rows_write(struct changes *d, struct arena *a, struct json_writer *w);

#endif
