/* SPDX-License-Identifier: Apache-2.0 */
/* What cores ask of one another, and entries of the outbox: what would have left the world. */
#include "engine/world/engine.h"

int outbox_add(struct tx *tx, const char *kind, const char *from, const char *to,
               const char *payload)
{
    static struct sql_text q =
        SQL_TEXT("insert into outbox (at_us, kind, sender, recipients, payload) "
                 "values (:at, :kind, :from, :to, :payload)");
    if (TX_RUN(tx, &q, tx->now_us, kind, from, to, payload) < 0)
        return -1;
    tx->outbox_last = tx_last_id(tx);
    if (!tx->outbox_first)
        tx->outbox_first = tx->outbox_last;
    tx->world->sends = true;
    return 0;
}

int letter_send(struct tx *tx, const struct letter *l)
{
    struct letter rest = *l;
    struct json_writer w;
    struct buf b;
    for (const struct sosia_core **c = tx->engine->cores; *c && *rest.to; c++)
        if ((*c)->letter && (*c)->letter(tx, &rest, &rest.to) < 0)
            return -1;
    if (!*rest.to)
        return 0;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "subject", l->subject);
    json_str_opt(&w, "text", l->text);
    json_str_opt(&w, "method", l->method);
    json_str_opt(&w, "calendar", l->calendar);
    json_end(&w);
    int rc = buf_failed(&b) ? sosia_fail_memory(tx->err)
                            : outbox_add(tx, "mail", l->from, rest.to, buf_str(&b));
    buf_done(&b);
    return rc;
}

const char *letter_share(struct arena *a, const char *calendar, const char *address)
{
    return arena_printf(a, "share %s %s", calendar, address);
}

const char *letter_share_of(struct arena *a, const char *subject, const char *text, size_t n,
                            const char *address)
{
    static const char end[] = LETTER_SHARE;
    size_t len = subject ? strlen(subject) : 0, from;
    if (!text || !address || len < sizeof end - 1 ||
        strcmp(subject + len - (sizeof end - 1), end) != 0)
        return NULL;
    while (n && strchr("\r\n", text[n - 1]))
        n--;
    if (n < 3 || text[n - 1] != '.' || text[n - 2] != ')')
        return NULL;
    for (from = n -= 2; from && text[from - 1] != '('; from--)
        ;
    return from ? letter_share(a, arena_memdup(a, text + from, n - from), address) : NULL;
}

int invitation_take(struct tx *tx, const struct actor *who, struct invitation *in)
{
    for (const struct sosia_core **c = tx->engine->cores; *c; c++)
        if ((*c)->invitation && (*c)->invitation(tx, who, in) < 0)
            return -1;
    return 0;
}

int file_find(struct tx *tx, const struct actor *who, const char *id, struct file_ref *ret)
{
    for (const struct sosia_core **c = tx->engine->cores; *c; c++) {
        int r = (*c)->file ? (*c)->file(tx, who, id, ret) : 0;
        if (r)
            return r;
    }
    return 0;
}
