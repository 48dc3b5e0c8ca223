/* SPDX-License-Identifier: Apache-2.0 */
/* Names of zones from Windows to IANA and back. */
#include "engine/base/codec.h"
#include "engine/text/tz.h"
#include "vendors/microsoft/zone_impl.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int by_name(const void *key, const void *zone)
{
    return strcasecmp(key, ((const struct graph_zone *)zone)->name);
}

static int by_iana(const void *key, const void *zone)
{
    return strcmp(key, ((const struct graph_zone_of *)zone)->iana);
}

const char *graph_zone_iana(const char *name)
{
    static const char utc[] = "tzone://Microsoft/Utc"; /* MG-532 */
    if (strcmp(name, "UTC") == 0)
        return "UTC";
    const struct graph_zone *z =
        bsearch(name, graph_zones, graph_n_zones, sizeof *graph_zones, by_name);
    if (z || str_eq_nocase(name, utc) || str_eq_nocase(name, "UTC"))
        return !z || str_eq_nocase(name, "UTC") ? "UTC" : z->iana;
    const struct tz *tz = tz_find(name);
    return tz ? tz_name(tz) : NULL;
}

const char *graph_zone_windows(const char *iana)
{
    const struct graph_zone_of *z =
        bsearch(iana, graph_zones_of, graph_n_zones_of, sizeof *graph_zones_of, by_iana);
    return z ? graph_zones[z->at].name : NULL;
}
