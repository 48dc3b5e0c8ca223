/* SPDX-License-Identifier: Apache-2.0 */
/* Questions in SQL about a world, for what assertions can't say: they only read, end after a
 * bounded number of steps, and see views that don't change with the tables behind them. */
#ifndef SOSIA_GRADING_SQL_H
#define SOSIA_GRADING_SQL_H

#include "engine/world/tx.h"

/* Whether a text begins as a question does. */
bool sql_is_question(const char *sql);
/* Its first row: a value of one column, else an object by column; *ret NULL: there is none. 0; 1:
 * it is refused or fails, *ret_why says why; -1. Values live in the transaction's arena. */
int sql_ask(struct tx *tx, const char *sql, const struct json **ret, const char **ret_why);

#endif
