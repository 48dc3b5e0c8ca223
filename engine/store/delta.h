/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What leads back from a tree to the one before it: of each page that was changed the bytes that
 * were there, and no node. So earlier states cost what was changed in them, and the later tree has
 * its pages and nodes alone.
 */
#ifndef SOSIA_STORE_DELTA_H
#define SOSIA_STORE_DELTA_H

#include "engine/store/page_impl.h"

/* Never changes but for its count, once it is linked. */
struct delta;

/* What leads from the tree `to` back to `from`, on the same base; one reference. NULL: without
 * memory, or they are on two bases. Its bytes are counted among those of the store. tag: of the one
 * writer that made `to` of `from`, which knows what it has touched; 0: all is compared. */
struct delta *delta_new(struct store *s, const struct tree *from, const struct tree *to,
                        uint64_t tag);
struct delta *delta_ref(struct delta *d); /* NULL is fine */
void delta_unref(struct delta *d);        /* NULL is fine */
/* What leads on back from where it leads to is taken over; NULL: nothing. */
void delta_link(struct delta *d, struct delta *next);
size_t delta_size(const struct delta *d); /* bytes of memory, with what is linked; NULL: 0 */

/* A way back through several. */
struct rewind {
    struct writer w;
    uint32_t shard;
};
/* Begins with a tree, which stays as it is. */
void rewind_begin(struct rewind *r, struct store *s, const struct tree *from);
/* Goes back by one and what is linked to it; its `to` has the same content as what was reached.
 * NULL: stays. After an error there is rewind_end() alone. */
enum sosia_code rewind_by(struct rewind *r, const struct delta *d);
/* The tree that was reached; the next one by rewind_begin(). */
void rewind_end(struct rewind *r, struct tree *ret);

#endif
