/* SPDX-License-Identifier: Apache-2.0 */
/* People on their way into a world: items of the section "people", in a list that is open. */
#ifndef SOSIA_TRANSFER_PEOPLE_H
#define SOSIA_TRANSFER_PEOPLE_H

#include "transfer/impl.h"

struct people_in {
    struct transfer_in *in;
    struct map seen;
};
struct person_in {
    const char *email, *name, *zone, *locale, *kind; /* NULL: not said */
};
/* One of them; who has no address, or is there already, is skipped. */
int transfer_person_add(struct people_in *p, const struct person_in *who, size_t line);
/* Those of a file of vCards. */
int transfer_vcards(struct people_in *p, struct transfer_in *in);
/* All people of a world, in the order in which they were made. */
int transfer_people(struct transfer_out *out,
                    int (*fn)(struct transfer_out *out, const struct actor *who));

#endif
