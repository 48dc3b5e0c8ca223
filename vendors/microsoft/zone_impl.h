/* SPDX-License-Identifier: Apache-2.0 */
/* Between zone.c and its table. */
#ifndef SOSIA_MICROSOFT_ZONE_IMPL_H
#define SOSIA_MICROSOFT_ZONE_IMPL_H

#include "vendors/microsoft/zone.h"

struct graph_zone_of {
    const char *iana;
    unsigned char at; /* in graph_zones */
};
extern const struct graph_zone_of graph_zones_of[];
extern const size_t graph_n_zones_of;

#endif
