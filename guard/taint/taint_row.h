/* SPDX-License-Identifier: Apache-2.0 */
/* One row, as taint sees it: its values, by who wrote them. */
#ifndef SOSIA_GUARD_TAINT_ROW_H
#define SOSIA_GUARD_TAINT_ROW_H

#include "guard/taint/taint_index.h"

struct taint_values {
    uint64_t *list;
    size_t n, cap;
};

/* Values of one author, in order. */
struct taint_segment {
    char *author, *row; /* row: of a mark, where it was read; NULL: this one. Both freed with it */
    size_t from, n;     /* in outside */
};

/* What is known of a row; never changed once it is there. */
struct taint_row {
    _Atomic(int) refs;
    const struct kind *kind;
    int64_t rowid;
    struct taint_values inside, outside;
    struct taint_segment *segments;
    size_t n_segments;
};

/* Reads it for that index, which learns what actors are called. *ret NULL: it is not there, or too
 * large to be read. 0, -1 with tx->err. */
int taint_row_read(struct call *c, struct taint_index *x, const struct kind *kind, int64_t rowid,
                   bool marks, struct taint_row **ret);
void taint_row_unref(struct taint_row *r); /* NULL is fine */
int taint_values_add(struct taint_values *v, uint64_t value);
/* Sorts them, each once. */
void taint_values_sort(struct taint_values *v);
bool taint_values_have(const uint64_t *list, size_t n, uint64_t value);

#endif
