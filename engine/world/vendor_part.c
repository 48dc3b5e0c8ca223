/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/core.h"
#include "engine/world/engine.h"

/* vendor NULL: any. */
static const void *nth_part(const struct tx *tx, const char *core, const char *vendor, size_t n)
{
    for (const struct sosia_core **c = tx->engine->cores; *c; c++)
        for (const struct vendor_part *p = (*c)->vendor_parts; p && p->core; p++)
            if (strcmp(p->core, core) == 0 && (!vendor || strcmp(p->vendor, vendor) == 0) &&
                n-- == 0)
                return p->record;
    return NULL;
}

const void *vendor_part(const struct tx *tx, const char *core, const char *vendor)
{
    return nth_part(tx, core, vendor, 0);
}

const void *vendor_part_at(const struct tx *tx, const char *core, size_t n)
{
    return nth_part(tx, core, NULL, n);
}
