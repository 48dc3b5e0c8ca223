/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/traces.h"
#include "services/list.h"
#include <string.h>
#include <strings.h>

const struct traces *traces_next(size_t *at)
{
    for (const struct vendor *v; (v = sosia_vendors()[*at]) != NULL;) {
        ++*at;
        if (v->guide && v->guide->traces)
            return v->guide->traces;
    }
    return NULL;
}

static bool is_header(const char *name, const char *pattern)
{
    size_t n = strlen(pattern);
    return n && pattern[n - 1] == '*' ? strncasecmp(name, pattern, n - 1) == 0
                                      : strcasecmp(name, pattern) == 0;
}

bool traces_header_at(const char *name, size_t list)
{
    const struct traces *t;
    for (size_t at = 0; (t = traces_next(&at));)
        for (const char *const *p = traces_list(t, list); p && *p; p++)
            if (is_header(name, *p))
                return true;
    return false;
}
