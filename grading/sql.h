/* SPDX-License-Identifier: Apache-2.0 */
/* Questions in SQL about a world, for what assertions can't say: they only read, end after a
 * bounded number of steps, and see views that don't change with the tables behind them, and nothing
 * else: tables have secrets. A question is checked when its suite is read (sql_check) and asked as
 * often as there is something to grade (sql_ask), of what was checked alone. */
#ifndef SOSIA_GRADING_SQL_H
#define SOSIA_GRADING_SQL_H

#include "engine/world/tx.h"

/* Behind whitespace and comments. */
const char *sql_skip(const char *p);
/* Whether a text begins as a question does. */
bool sql_is_question(const char *sql);
/* What checks questions; all zero: it has not begun. */
struct sql_check {
    sqlite3 *db;                  /* with nothing in it */
    struct arena *arena;          /* of the question */
    const char *table, *function; /* that it may not name; NULL: none */
    bool other;                   /* it does something that is not reading */
};
/* Whether it may be asked. 0; 1: *ret_why says what was expected, and what came, in the arena; -1
 * without memory. */
int sql_check(struct sql_check *k, struct arena *a, const char *sql, const char **ret_why,
              struct sosia_err *err);
void sql_check_done(struct sql_check *k);
/* Its first row: a value of one column, else an object by column; *ret NULL: there is none. 0; 1:
 * it is refused or fails, *ret_why says why; -1. Values live in the transaction's arena. *left_ns:
 * what it may take of a processor, less what it took afterwards. */
int sql_ask(struct tx *tx, const char *sql, int64_t *left_ns, const struct json **ret,
            const char **ret_why);

#endif
