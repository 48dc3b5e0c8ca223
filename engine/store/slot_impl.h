/* SPDX-License-Identifier: Apache-2.0 */
/* What slot.h hides, for the files that share a slot's insides. */
#ifndef SOSIA_STORE_SLOT_IMPL_H
#define SOSIA_STORE_SLOT_IMPL_H

#include "engine/store/record.h"
#include "engine/store/slot.h"
#include "engine/store/vfs.h"

enum {
    HOT_BEGIN,
    HOT_BEGIN_WRITE,
    HOT_COMMIT,
    HOT_ROLLBACK,
    HOT_SAVEPOINT,
    HOT_RELEASE,
    HOT_BACK,
    N_HOT
};

struct slot {
    struct slot_vfs v;
    sqlite3 *db;
    sqlite3_stmt *hot[N_HOT];
    sqlite3_stmt **stmts; /* by the index of their text */
    uint32_t n_stmts;
    struct record_plan **plans; /* by the index of their text */
    uint32_t n_plans;
    struct rendered *rendered; /* rendered.h; NULL: nothing yet */
    bool no_records;           /* see slot_use_records() */
    bool resetting;            /* the authorizer lets one more pragma pass */
    bool begins_late;   /* a transaction that reads has begun, but not for SQLite: nothing was asked
                           yet */
    bool turning;       /* a transaction begins or ends, which nobody stops */
    bool writing;       /* a transaction that writes has begun and was not ended by its owner */
    bool can_roll_back; /* see prepare_rollback() */
    void (*on_row)(void *arg, const char *table, int64_t rowid); /* NULL: nobody asks */
    void *on_row_arg;
    bool refresh; /* the schema is read anew after this transaction, which ends virtual tables */
};

/* Makes SQLite's parser use the schema that the tree has. -1 without memory. */
int slot_sync_schema(struct slot *s);

/* The number of a text, given at first use. */
uint32_t slot_text_index(_Atomic(uint32_t) *text_index);

/* ---- rendered.c ---- */
void rendered_free(struct rendered *r);

/* ---- record.c ---- */

/* Where a query's columns are in the records of a table or of an index. */
struct record_plan {
    uint32_t cookie; /* of the schema; 0: of none */
    uint32_t root;   /* 0: it can't be read like this */
    uint8_t n;       /* columns that are asked for */
    uint8_t stored;  /* columns of the record up to the last one of them */
    uint8_t place[RECORD_COLUMNS];
};

/* NULL: it can't be said now. */
const struct record_plan *record_plan(struct slot *s, struct record_text *q);
/* The cell's row becomes the record: false when it is out of the ordinary. */
bool record_take(struct record *r, const struct record_plan *p, const struct tree *t,
                 const struct btree_cell *c);
/* All bytes of a cell's row, which may go on on other pages; NULL when it is broken. */
const uint8_t *record_bytes(struct record *r, const struct tree *t, const struct btree_cell *c);
/* Whether single rows can be had from pages that the transaction has not changed, which
 * record_is_as_begun() says of each one: arg is the slot, page the number from 1. */
bool record_can_find(const struct slot *s);
bool record_is_as_begun(const void *arg, uint32_t page);
/* The version that the transaction reads, or will, for as long as it has changed nothing. */
static inline struct tree record_tree(const struct slot *s)
{
    const struct tree *t = s->v.tree;
    return (struct tree){.base = t->base, .root = t->root, .n_pages = t->n_pages};
}

void record_plans_free(struct record_plan **plans, uint32_t n);

#endif
