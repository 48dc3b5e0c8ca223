/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows by rowid, straight from the pages: what "select COLUMNS from TABLE where id = :id" gives,
 * for lists that show hundreds of wide rows. A statement of SQLite's costs some 150 instructions a
 * column and 2,000 for itself; here a column costs 20.
 *
 * It works where nothing can be in SQLite's own hands: in a transaction that has not written yet,
 * and, of one that has changed a few pages, where the way to the row is by none of them and the row
 * is on one page. Everywhere else, and for whatever is out of the ordinary, the caller runs its
 * statement.
 */
#ifndef SOSIA_STORE_RECORD_H
#define SOSIA_STORE_RECORD_H

#include "engine/base/arena.h"
#include "engine/store/btree_page.h"
#include "engine/store/slot.h"

enum { RECORD_COLUMNS = 64 };

/* A table with rowids, or an index or a table without them (scan.h), and some of its columns as a
 * select lists them: "e.id, e.name". One static struct beside its caller, like struct sql_text. */
struct record_text {
    const char *table, *columns;
    bool is_index;
    const char
        *key; /* of an index whose name the engine finds: "a = ?1 and b = ?2" are its columns */
    _Atomic(uint32_t) index; /* given at first use */
};
#define RECORD_TEXT(table_name, column_list)                                                       \
    {                                                                                              \
        .table = (table_name), .columns = (column_list)                                            \
    }

struct record_column {
    uint32_t type, at; /* of the format's serial types; where its bytes begin */
};

/* A row. Begin with {.arena = a}; can be used for one row after another. */
struct record {
    struct arena *arena;
    const uint8_t *place; /* of the columns that were asked for, in the row */
    const uint8_t *data;  /* where the row's bytes begin; NULL: it has none */
    int64_t rowid;
    char *text, *text_end; /* room for texts that were not asked for yet */
    char *room;
    size_t room_size;
    uint8_t *whole; /* a row that is not on one page */
    size_t whole_size;
    uint32_t size;              /* of the row */
    struct btree_leaf found_on; /* where the last one was: the next one may be there too */
    const struct slot *of;      /* found_on's slot, and which of its transactions that was */
    uint64_t turn;
    struct record_column columns[RECORD_COLUMNS + 1]; /* the last: the rowid */
};

enum { RECORD_STATEMENT = 2 }; /* not to be had this way: run the statement */

/* The root page of the table, for who reads its pages himself (btree.h); 0: the table can't be read
 * like this. */
uint32_t record_root(struct slot *s, struct record_text *q);

/* Whether rows can be had this way now: the slot is pointed at a tree, and nothing was changed in
 * the transaction so far. */
bool record_can(const struct slot *s);
/* Is the table without rows? In a transaction that has changed others, too. False: it has some, or
 * it can't be said without a statement. */
bool record_none(struct slot *s, struct record_text *q);
/* 1: found, 0: there is no such row, RECORD_STATEMENT. */
int record_find(struct slot *s, struct record_text *q, int64_t rowid, struct record *r);
int64_t record_number(const struct record *r, unsigned place);  /* for record_int() only */
const char *record_copy_text(struct record *r, unsigned place); /* for record_text() only */

/* The columns by their place in the list, from 0. A number is 0 when the column is none; a text is
 * NULL when it is none, and valid until the record is used for the next row: its memory is the
 * arena's. */
static inline int64_t record_int(const struct record *r, unsigned column)
{
    unsigned place = r->place[column];
    uint32_t type = r->columns[place].type;
    /* Most are no number, 0 or 1. */
    return type == 8 || type == 0 ? 0 : type == 9 ? 1 : record_number(r, place);
}

static inline bool record_is_null(const struct record *r, unsigned column)
{
    return r->columns[r->place[column]].type == 0;
}

static inline const char *record_text(struct record *r, unsigned column)
{
    unsigned place = r->place[column];
    return r->columns[place].type < 12 ? NULL : record_copy_text(r, place);
}

/* The texts of this row stay as long as the arena: the next row's are elsewhere. */
static inline void record_keep(struct record *r)
{
    r->room_size = 0;
}

/* A blob, or the bytes of a text, with a NUL behind it; NULL when the column is neither. As
 * record_text(). */
static inline const char *record_blob(struct record *r, unsigned column, size_t *ret_len)
{
    uint32_t type = r->columns[r->place[column]].type;
    *ret_len = type < 12 ? 0 : (type - 12) / 2;
    return record_text(r, column);
}

#endif
