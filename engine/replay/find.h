/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a journal that are looked for, from either end, and how many there are of which sort.
 */
#ifndef SOSIA_REPLAY_FIND_H
#define SOSIA_REPLAY_FIND_H

#include "engine/json/json.h"
#include "sosia.h"

/* Of all that is given. */
struct journal_search {
    int64_t after, before; /* only entries behind, and before, these numbers; 0: all */
    bool newest;           /* from the last one on */
    int limit;             /* at most so many; 0: 100 */
    bool bodies;
    bool times;   /* with how long calls took, as far as it is known beside the journal */
    bool compact; /* without spaces */
    const char *method, *actor; /* NULL: any; a method may end with "*" */
    const char *text;           /* is in the entry as it is kept; NULL: any */
    bool failed;                /* only those with a status from 400 on */
    const char *label;          /* "NAME:VALUE", or "NAME" with any value; NULL: any or none */
    const char *status;         /* "403", "4xx"; NULL: any */
    const char *decision; /* of a policy ("deny", "approve", ...), what became of a call that was
                             held ("executed", ...), "fault" or "stop"; NULL: any */
    int risk;             /* enum risk: of this or more */
};

/* An array of entries. *ret_next: the number to go on behind, or before if from the last one; 0:
 * that was all. A page looks through 8 MiB at most, so that one without any entry may have a next
 * one. */
int journal_search(struct sosia_engine *e, uint64_t world, const struct journal_search *search,
                   struct sosia_blob *ret_json, int64_t *ret_next, struct sosia_err *err);

/* Of which entries it is quickly said what they changed: the states before and behind them are
 * kept, or few calls lead there. */
struct journal_states {
    int64_t base;      /* the last entry before the world's own */
    int64_t own, past; /* the first entries, of both, whose states are kept; INT64_MAX: none */
};

int journal_states_read(struct sosia_engine *e, uint64_t world, struct journal_states *ret,
                        struct sosia_err *err);
bool journal_states_have(const struct journal_states *states, int64_t seq);

/* How many entries there are of which sort: those of calls are reads or writes, and some of these
 * refused, held, or failed. */
struct journal_counts {
    char at[40]; /* of the first; "": there is none */
    int64_t n;   /* entries */
    int64_t reads, writes, refused, held, errors;
};

/* Of the entries behind `after` up to `to`. */
int journal_count(struct sosia_engine *e, uint64_t world, int64_t after, int64_t to,
                  struct journal_counts *ret, struct sosia_err *err);
/* Members "at", "reads", ... of the object that is open. */
void journal_counts_write(struct json_writer *w, const struct journal_counts *counts);

/* A histogram of the entries behind `after` up to `to` (0: the last): {"buckets": [{"from", "to",
 * "at", "reads", "writes", "refused", "held", "errors"}]}, so many buckets at most. */
int journal_strip(struct sosia_engine *e, uint64_t world, int64_t after, int64_t to, int buckets,
                  struct buf *out, struct sosia_err *err);

#endif
