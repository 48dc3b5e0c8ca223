/* SPDX-License-Identifier: Apache-2.0 */
/* The APIs of Google's that an engine has. */
#include "vendors/google/internal.h"

const struct google_api *google_api_in(const struct call *c, const struct dialect *d)
{
    return d->vendor == c->dialect->vendor ? d->facts : NULL;
}

const struct dialect *google_dialect(const struct call *c, const char *name, const char *version)
{
    for (const struct dialect *const *d = engine_dialects(c->tx.engine); *d; d++) {
        const struct google_api *api = google_api_in(c, *d);
        if (api && strcmp(api->name, name) == 0 && strcmp(api->version, version) == 0)
            return *d;
    }
    return NULL;
}
