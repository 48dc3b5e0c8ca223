/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_SEARCH_NEAR_H
#define SOSIA_SEARCH_NEAR_H

#include <sqlite3.h>

/* Gives a connection the function in_order(). An SQLite code. */
int near_register(sqlite3 *db);

#endif
