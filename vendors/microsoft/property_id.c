/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of MAPI properties, in the form of answers. */
#include "engine/base/buf.h"
#include "vendors/microsoft/graph.h"
#include <ctype.h>
#include <string.h>

const char *graph_property_id(struct arena *a, const char *id)
{
    const char *space = strchr(id, ' ');
    struct buf b;
    if (!space)
        return id;
    buf_init(&b, 0);
    for (const char *p = id; p < space; p++)
        buf_byte(&b, (char)(p == id ? toupper((unsigned char)*p) : tolower((unsigned char)*p)));
    if (strncasecmp(space, " 0x", 3) != 0) {
        buf_puts(&b, space);
    } else {
        const char *digits = space + 3 + strspn(space + 3, "0");
        buf_puts(&b, " 0x");
        for (const char *p = *digits ? digits : "0"; *p; p++)
            buf_byte(&b, (char)tolower((unsigned char)*p));
    }
    const char *text = arena_strdup(a, buf_str(&b));
    if (buf_failed(&b))
        a->failed = true;
    buf_done(&b);
    return text;
}
