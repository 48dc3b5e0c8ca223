/* SPDX-License-Identifier: Apache-2.0 */
/* Invitations in messages: found here, understood by the core that has calendars. */
#include "services/mail/core/mail_impl.h"

#define MAX_INVITATIONS 20 /* of a message; further parts are passed over */

/* Is it said by the message itself, not by one that it carries? */
static bool own_part(const struct mime *m, const struct mime_part *p)
{
    for (; p->parent >= 0; p = &m->parts[p->parent])
        if (strcmp(m->parts[p->parent].type, "message/rfc822") == 0)
            return false;
    return true;
}

static int take(struct tx *tx, const struct actor *who, const struct mime_part *p,
                const char *content)
{
    struct buf b;
    buf_init(&b, 0);
    mime_decode(p->encoding, content + p->at, p->len, &b);
    const char *text = buf_str(&b);
    size_t len = b.len;
    /* UTF-8 stays bytes: lines may have been folded within a character. */
    if (p->charset && strcmp(p->charset, "utf-8") != 0)
        text = mime_to_utf8(tx->arena, p->charset, text, len, &len);
    int rc = buf_failed(&b) || arena_failed(tx->arena) ? sosia_fail_memory(tx->err)
                                                       : invitation_take(tx, who, text, len);
    buf_done(&b);
    return rc;
}

int mail_take_invitations(struct tx *tx, const struct mailbox *mb, const char *raw, size_t len)
{
    size_t head = mime_head_len(raw, len);
    struct actor who;
    struct mime m;
    int left = MAX_INVITATIONS, r = actor_by_id(tx, mb->actor, &who);
    if (r != 1)
        return r;
    mime_parse(tx->arena, raw, head, raw + head, len - head, &m);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (int i = 0; i < m.n && left; i++) {
        const struct mime_part *p = &m.parts[i];
        if (strcmp(p->type, "text/calendar") != 0 || !own_part(&m, p))
            continue;
        left--;
        if (take(tx, &who, p, raw + head) < 0)
            return -1;
    }
    return 0;
}
