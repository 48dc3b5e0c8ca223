/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of a message are its attachments. */
#include "services/mail/outlook/outlook.h"

bool outlook_is_inline(const struct mime *m, int part)
{
    const struct mime_part *p = &m->parts[part];
    return p->disposition == MIME_INLINE ||
           (p->cid && p->parent >= 0 && strcmp(m->parts[p->parent].type, "multipart/related") == 0);
}

bool outlook_is_attachment(const struct mime *m, int part)
{
    if (!mime_is_file(m, part))
        return false;
    for (int up = m->parts[part].parent; up >= 0; up = m->parts[up].parent)
        if (strcmp(m->parts[up].type, "message/rfc822") == 0)
            return false;
    return true;
}

bool outlook_has_attachments(const struct mime *m)
{
    for (int i = 0; i < m->n; i++)
        if (outlook_is_attachment(m, i) && !outlook_is_inline(m, i))
            return true;
    return false;
}

bool outlook_is_message(const struct mime_part *p)
{
    return strcmp(p->type, "message/rfc822") == 0;
}

bool outlook_is_link(const struct mime_part *p)
{
    return strcmp(p->type, "message/external-body") == 0;
}
