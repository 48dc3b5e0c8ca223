/* SPDX-License-Identifier: Apache-2.0 */
/* The calendar objects in a message, found and decoded. */
#include "services/mail/core/mail_impl.h"

#define MAX_INVITATIONS 20                /* of a message; further parts are passed over */
#define MAX_OBJECT      ((size_t)2 << 20) /* bytes, encoded; larger ones are mail alone */

bool mail_object_is(const struct mime *m, int part)
{
    const struct mime_part *p = &m->parts[part];
    if (strcmp(p->type, "text/calendar") != 0 || p->len > MAX_OBJECT)
        return false;
    for (; p->parent >= 0; p = &m->parts[p->parent])
        if (strcmp(m->parts[p->parent].type, "message/rfc822") == 0)
            return false;
    return true;
}

/* UTF-8 stays bytes: lines may have been folded within a character. */
int mail_objects_add(struct tx *tx, const struct mime_part *p, const char *data, size_t len,
                     struct objects *o)
{
    if (o->n >= MAX_INVITATIONS)
        return 0;
    if (!o->list)
        o->list = arena_alloc(tx->arena, MAX_INVITATIONS * sizeof *o->list);
    if (p->charset && strcmp(p->charset, "utf-8") != 0)
        data = mime_to_utf8(tx->arena, p->charset, data, len, &len);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    o->list[o->n++] = (struct object){data, len};
    return 0;
}

static int decode_object(struct tx *tx, const struct mime_part *p, const char *content,
                         struct objects *o)
{
    struct buf b;
    buf_init(&b, 0);
    mime_decode(p->encoding, content + p->at, p->len, &b);
    const char *text = arena_memdup(tx->arena, b.len ? b.data : "", b.len);
    size_t len = b.len;
    bool failed = buf_failed(&b);
    buf_done(&b);
    return failed ? sosia_fail_memory(tx->err) : mail_objects_add(tx, p, text, len, o);
}

int mail_objects_in(struct tx *tx, const struct mime *m, const char *content, struct objects *ret)
{
    *ret = (struct objects){0};
    for (int i = 0; i < m->n && ret->n < MAX_INVITATIONS; i++)
        if (mail_object_is(m, i) && decode_object(tx, &m->parts[i], content, ret) < 0)
            return -1;
    return 0;
}

int mail_objects_of_letter(struct tx *tx, const struct mail_letter_text *text, struct objects *ret)
{
    return mail_objects_in(tx, &text->mime, text->content, ret);
}
