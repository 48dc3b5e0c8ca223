/* SPDX-License-Identifier: Apache-2.0 */
/* What slot.h hides, for the files that share a slot's insides. */
#ifndef SOSIA_STORE_SLOT_IMPL_H
#define SOSIA_STORE_SLOT_IMPL_H

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
    bool no_records; /* see slot_use_records() */
    bool resetting;  /* the authorizer lets one more pragma pass */
    bool refresh;    /* the schema is read anew after this transaction, which ends virtual tables */
};

/* What the parser believes the schema to be is what the tree has. -1 without memory. */
int slot_sync_schema(struct slot *s);

/* The number of a text, given at first use. */
uint32_t slot_text_index(_Atomic(uint32_t) *text_index);

/* ---- record.c ---- */
void record_plans_free(struct record_plan **plans, uint32_t n);

#endif
