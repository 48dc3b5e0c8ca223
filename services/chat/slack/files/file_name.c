/* SPDX-License-Identifier: Apache-2.0 */
/* What addresses call a file. */
#include "services/chat/slack/files/files.h"

const char *sl_file_url_name(struct call *c, const char *name)
{
    char *text = arena_strdup(c->tx.arena, name);
    for (char *p = text; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || strchr("._-", *p)))
            *p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : '_';
    return text;
}
