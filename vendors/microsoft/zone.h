/* SPDX-License-Identifier: Apache-2.0 */
/* Time zones as Microsoft names them: those of Windows ("W. Europe Standard Time"), and IANA's. */
#ifndef SOSIA_MICROSOFT_ZONE_H
#define SOSIA_MICROSOFT_ZONE_H

#include "engine/base/err.h"

struct graph_zone {
    const char *name; /* Windows' own */
    const char *iana; /* the usual zone of it */
    const char *title;
};
extern const struct graph_zone graph_zones[];
extern const size_t graph_n_zones;

/* The IANA name of a zone by either name: Windows' without regard to case, IANA's as it is. NULL:
 * there is no such zone. Static. */
const char *graph_zone_iana(const char *name);
/* The Windows name of an IANA zone; NULL: Windows has none for it. Static. */
const char *graph_zone_windows(const char *iana);

#endif
