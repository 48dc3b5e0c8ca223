/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mentions: who is named in a message with an @, below /beta alone. They are fields of the
 * message's head, so that they go where the message goes; one that is taken off a message that is
 * not a draft is a mark beside the message.
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/outlook/letter.h"

/* ---- reading ---- */

static int mention_id(struct tx *tx, const char **ret)
{
    uint8_t bytes[16];
    char hex[33];
    if (tx_id(tx, "mention", bytes, sizeof bytes) < 0)
        return -1;
    hex_encode(hex, bytes, sizeof bytes);
    *ret = arena_printf(tx->arena, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16,
                        hex + 20);
    return 0;
}

int outlook_mentions_read(struct call *c, const struct json *list, struct outlook_letter *l)
{
    const uint32_t n = list->type == JSON_ARRAY ? list->n : 0;
    if (n > MAX_MENTIONS)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "A message has at most %d mentions.", MAX_MENTIONS);
    l->mentions = arena_calloc(c->tx.arena, n + 1, sizeof *l->mentions);
    l->n_mentions = 0;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (uint32_t i = 0; i < n; i++) {
        const struct json *who = json_get(&list->items[i], "mentioned");
        const char *email = json_get_str(who, "address");
        struct outlook_mention *m = &l->mentions[l->n_mentions++];
        if (!email || !email_normal(c->tx.arena, email))
            return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidProperty", NULL,
                             "The property 'Mentioned' is required when creating the entity.");
        if (mention_id(&c->tx, &m->id) < 0)
            return -1;
        m->made_us = c->tx.now_us;
        m->who = (struct mime_address){.name = json_get_str(who, "name"), .email = email};
    }
    return 0;
}

static const char *person_text(struct arena *a, const struct mime_address *p)
{
    const char *email = outlook_one_line(a, p->email);
    const char *name = p->name && *p->name ? outlook_one_line(a, p->name) : email;
    return mime_address_text(a, name, email);
}

const char *outlook_mention_text(struct arena *a, const struct outlook_box *b,
                                 const struct outlook_mention *m)
{
    const struct mime_address own = {b->mailbox.name, b->mailbox.email};
    return arena_printf(a, "%s %s %s, %s", m->id, graph_date(a, m->made_us, 7),
                        person_text(a, &m->who), person_text(a, m->by.email ? &m->by : &own));
}

static bool is_guid(const char *text)
{
    for (int i = 0; i < 36; i++) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !memchr("0123456789abcdef", text[i], 16) || !text[i])
            return false;
    }
    return text[36] == ' ';
}

/* "GUID 2026-11-23T08:00:00.0000000Z Dana <d@x>, Sam <s@x>" */
static bool read_field(struct arena *a, const struct mime_field *f, struct outlook_mention *ret)
{
    const char *text = mime_value(a, f), *date = text + 37, *rest;
    struct mime_address *list;
    struct stamp stamp;
    bool bad;
    size_t n;
    if (strlen(text) < 38 || !is_guid(text) || !(rest = strchr(date, ' ')) ||
        stamp_parse(date, (size_t)(rest - date), false, &stamp) < 0)
        return false;
    mime_addresses(a, rest, &list, &n, &bad);
    if (bad || n != 2)
        return false;
    *ret = (struct outlook_mention){.id = arena_memdup(a, text, 36),
                                    .made_us = stamp.local_us - stamp.offset * US_PER_SECOND,
                                    .who = list[0],
                                    .by = list[1]};
    return true;
}

int outlook_mentions_of(struct tx *tx, const char *head, size_t len, struct outlook_mention **ret,
                        size_t *ret_n)
{
    struct mime_field f;
    size_t n = 0;
    *ret = NULL;
    *ret_n = 0;
    for (size_t nth = 0; n < MAX_MENTIONS && mime_field_find(head, len, MENTION_FIELD, nth, &f);
         nth++) {
        if (!*ret)
            *ret = arena_calloc(tx->arena, MAX_MENTIONS, sizeof **ret);
        if (arena_failed(tx->arena))
            return sosia_fail_memory(tx->err);
        n += read_field(tx->arena, &f, &(*ret)[n]);
    }
    *ret_n = n;
    return 0;
}

int outlook_item_mentions(struct tx *tx, const struct outlook_item *i, struct outlook_mention **ret,
                          size_t *ret_n)
{
    struct kept *gone;
    const char *head;
    size_t len, n, n_gone, kept = 0;
    if (mail_message_head(tx, &i->message, &head, &len) < 0 ||
        outlook_mentions_of(tx, head, len, ret, &n) < 0)
        return -1;
    *ret_n = n;
    if (!n)
        return 0;
    if (mail_kept_list(tx, &outlook_extras, i->message.id, MENTION_KIND, &gone, &n_gone) < 0)
        return -1;
    for (size_t k = 0; k < n; k++) {
        bool there = true;
        for (size_t g = 0; g < n_gone; g++)
            there &= strcmp(gone[g].key, (*ret)[k].id) != 0;
        if (there)
            (*ret)[kept++] = (*ret)[k];
    }
    *ret_n = kept;
    return 0;
}

int outlook_is_mentioned(struct tx *tx, const struct outlook_box *b, const struct outlook_item *i)
{
    struct outlook_mention *list;
    const char **own;
    size_t n, n_own;
    if (outlook_item_mentions(tx, i, &list, &n) < 0)
        return -1;
    if (!n)
        return 2;
    if (mailbox_addresses(tx, &b->mailbox, &own, &n_own) < 0)
        return -1;
    for (size_t k = 0; k < n; k++)
        for (size_t o = 0; o < n_own; o++)
            if (str_eq_nocase(list[k].who.email, own[o]))
                return 1;
    return 0;
}

/* ---- writing ---- */

static void write_address(struct json_writer *w, const char *member, const struct mime_address *p)
{
    json_obj(w, member);
    json_str(w, "name", p->name && *p->name ? p->name : p->email);
    json_str(w, "address", p->email);
    json_end(w);
}

void outlook_write_mention(struct call *c, const struct outlook_mention *m)
{
    struct json_writer *w = c->out;
    const char *made = graph_date(c->tx.arena, m->made_us, 0);
    json_str(w, "id", m->id);
    write_address(w, "mentioned", &m->who);
    json_null(w, "mentionText");
    json_null(w, "clientReference");
    write_address(w, "createdBy", &m->by);
    json_str(w, "createdDateTime", made);
    json_str(w, "serverCreatedDateTime", made);
    json_null(w, "deepLink");
    json_null(w, "application");
}

int outlook_write_mentions(struct call *c, const struct outlook_item *i, const char *member)
{
    struct outlook_mention *list;
    size_t n;
    if (outlook_item_mentions(&c->tx, i, &list, &n) < 0)
        return -1;
    json_arr(c->out, member);
    for (size_t k = 0; k < n; k++) {
        json_obj(c->out, NULL);
        outlook_write_mention(c, &list[k]);
        json_end(c->out);
    }
    json_end(c->out);
    return 0;
}

int outlook_write_mentioned(struct call *c, const struct outlook_box *b,
                            const struct outlook_item *i)
{
    int r = outlook_is_mentioned(&c->tx, b, i);
    if (r < 0)
        return -1;
    if (r == 2) {
        json_null(c->out, "mentionsPreview");
        return 0;
    }
    json_obj(c->out, "mentionsPreview");
    json_bool(c->out, "isMentioned", r == 1);
    json_end(c->out);
    return 0;
}
