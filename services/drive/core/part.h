/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that an item has in other tables, and that go with it, a number at a time. */
#ifndef SOSIA_DRIVE_PART_H
#define SOSIA_DRIVE_PART_H

#include "services/drive/core/drive.h"

/* How many rows of a table an item has, up to a number; all of them; so many of them. */
struct drive_part {
    struct sql_text count, all, some;
};
#define DRIVE_PART(table, key, keys)                                                               \
    {                                                                                              \
        SQL_TEXT("select count(*) from (select 1 from " table " where item = :item limit :n)"),    \
            SQL_TEXT("delete from " table " where item = :item"),                                  \
            SQL_TEXT("delete from " table " where item = :item and " key " in (select " keys       \
                     " from " table " where item = :item limit :n)"),                              \
    }
/* The same of what belongs to rows that an item has. */
#define DRIVE_PART_OF(table, key, keys, joined)                                                    \
    {                                                                                              \
        SQL_TEXT("select count(*) from (select 1 from " joined " limit :n)"),                      \
            SQL_TEXT("delete from " table " where " key " in (select " keys " from " joined ")"),  \
            SQL_TEXT("delete from " table " where " key " in (select " keys " from " joined        \
                     " limit :n)"),                                                                \
    }

/* Takes such rows of an item away, not more of them than *rows, which counts down. 0, -1. */
int drive_drop_parts(struct tx *tx, struct drive_part *parts, size_t n_parts, int64_t item,
                     int64_t *rows);

#endif
