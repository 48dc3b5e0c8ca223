/* SPDX-License-Identifier: Apache-2.0 */
/* A question that is being answered. Between the files find*.c only. */
#ifndef SOSIA_DRIVE_FIND_IMPL_H
#define SOSIA_DRIVE_FIND_IMPL_H

#include "services/drive/core/drive_impl.h"
#include "services/drive/core/find.h"

enum { FIND_DEPTH = 4096 }; /* folders above an item: an imported tree might go round */

struct ids;
struct finding {
    struct tx *tx;
    struct drive_finder *f;
    struct drive_mine mine; /* of the item that was asked about last */
    int64_t mine_of;
    bool of_folder;     /* the question names the folder that all are in */
    struct ids *domain; /* what the viewer's organisation finds; NULL: not asked for yet */
};

/* Fills mine. 0, -1. */
int find_mine(struct finding *g, const struct drive_item *it);
/* 1, 0, -1. */
int find_matches(struct finding *g, const struct find *q, const struct drive_item *it,
                 const struct drive_access *access);
/* FIND_LABEL, FIND_LABEL_FIELD. */
int find_label(struct finding *g, const struct find *q, const struct drive_item *it);
bool find_name_has(struct arena *a, const char *name, const char *text);

/* Compares two items in the order of the finder; facts of the viewer's are asked for before. */
struct found {
    struct drive_item it;
    struct drive_access access;
    struct drive_mine mine;
    const char *folded; /* name, for orders by it */
    int64_t used;       /* bytes, for orders by them */
};
int find_sort(const struct drive_finder *f, struct found *list, size_t n);

#endif
