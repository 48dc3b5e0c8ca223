/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the streams of ids were when an entry of the journal began: of each kind that it took ids
 * of, the number before the first and how many. A journal that runs again takes them from there, so
 * that an entry which is left out or is another one does not shift the ids of those behind it. What
 * an entry takes beyond its own comes from numbers that no entry has.
 */
#ifndef SOSIA_WORLD_PLACES_H
#define SOSIA_WORLD_PLACES_H

#include "engine/json/json.h"

struct world;
struct id_places;

enum { PLACE_KIND_MAX = 47 }; /* bytes; of kinds with more nothing is kept */

/* What a transaction has taken of a kind. The table has the last number when the transaction goes
 * on to something that it may be undone to, or is over. */
struct tx_place {
    char kind[PLACE_KIND_MAX + 1];
    int64_t from, n;
    bool known;           /* what follows: else the table is to be asked */
    int64_t last, stored; /* the last number, and that in the table; -1: it has none */
};
/* All that it has taken. In memory of the worker's, as the transaction's arena may be another one
 * for a while, and copies of the transaction take ids too. */
struct tx_taken {
    struct tx_place *list;
    uint32_t n, cap;
    bool follows; /* the transaction is on the version that the last one made: */
    struct {      /* what that one took */
        struct tx_place *list;
        uint32_t n, cap;
        uint64_t world, version;
    } last;
};

/* What a transaction has taken is the world's next entry's. fired: it fell due before that. */
void places_took(struct world *w, bool fired, const struct tx_place *list, uint32_t n);
/* The members "fired" and "ids" of an entry; of one that only reads, if there is anything. */
void places_write(const struct world *w, struct json_writer *out, bool write);
/* There is an entry: what comes is the next one's. */
void places_next(struct world *w);
void places_free(struct world *w);

/* On a stage: the entry that runs next took these; NULL: that is not known, as it is of entries of
 * older versions. -1 without memory. */
int places_give(struct world *w, const struct json *fired, const struct json *ids);
/* The next number of a kind, behind the last one, of which the transaction has taken n so far:
 * where the entry that runs had it. ordered: numbers go up whatever was left out. False: the entry
 * had no more. What is not known is `last` and 1. */
bool places_number(const struct world *w, bool fired, const char *kind, bool ordered, int64_t last,
                   int64_t n, int64_t *ret);

#endif
