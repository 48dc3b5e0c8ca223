/* SPDX-License-Identifier: Apache-2.0 */
/* Which policy a mailbox follows, and what can be said of places by it. */
#include "services/mail/core/vendor.h"
#include "services/mail/core/mail_impl.h"
#include "engine/world/core.h"

const struct mail_vendor *mail_vendor_nth(const struct tx *tx, size_t n)
{
    return core_policy_nth(tx, MAIL_CORE, n);
}

/* The name that a mailbox's row has: 1, 0, -1. */
static int name_of(struct tx *tx, int64_t mailbox, const char **ret)
{
    static struct sql_text q = SQL_TEXT("select vendor from mail_mailbox where id = :id");
    static struct record_text record = RECORD_TEXT("mail_mailbox", "vendor");
    struct record row = {.arena = tx->arena};
    sqlite3_stmt *st;
    int r = record_find(tx->db, &record, mailbox, &row);
    if (r == 1 && (*ret = record_text(&row, 0)))
        return 1;
    if ((r = TX_ROW(tx, &q, &st, mailbox)) == 1) {
        *ret = tx_string(tx, st, 0);
        sql_done(st);
    }
    return r;
}

const struct mail_vendor *mail_vendor_of(struct tx *tx, int64_t mailbox)
{
    const struct mail_vendor *v = mail_vendor_nth(tx, 0);
    const char *name = "";
    if (v && !mail_vendor_nth(tx, 1))
        return v;
    if (name_of(tx, mailbox, &name) < 0)
        return NULL;
    for (size_t i = 0; (v = mail_vendor_nth(tx, i)); i++)
        if (strcmp(v->name, name) == 0)
            return v;
    tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
            "a mailbox's vendor must be one that the engine has, not \"%.40s\"", name);
    return NULL;
}

uint32_t mail_vendor_places(const struct mail_vendor *v)
{
    uint32_t places = 0;
    for (size_t i = 0; i < v->n_fixed; i++)
        places |= FLAG(v->fixed[i].place);
    return places;
}

uint32_t mail_vendor_folders(const struct mail_vendor *v)
{
    uint32_t places = FLAGS_FOLDER;
    for (size_t i = 0; v->exclusive && i < v->n_fixed; i++)
        if (v->fixed[i].kind == KIND_FOLDER && (v->fixed[i].place != v->keywords || !v->keywords))
            places |= FLAG(v->fixed[i].place);
    return places;
}

const char *mail_vendor_word(const struct mail_vendor *v, int place)
{
    for (size_t i = 0; i < v->n_fixed; i++)
        if ((int)v->fixed[i].place == place)
            return v->fixed[i].name;
    return NULL;
}

uint32_t mail_flags_settle(const struct mail_vendor *v, uint32_t flags, uint32_t add)
{
    flags |= add;
    for (size_t i = 0; i < SOSIA_LEN(v->one_of); i++) {
        const uint32_t one_of = v->one_of[i];
        uint32_t among = add & one_of ? add & one_of : flags & one_of;
        if (!among)
            continue;
        uint32_t last = UINT32_C(1) << (31 - __builtin_clz(among));
        if (among & FLAG(FOLDER_TRASH))
            last = FLAG(FOLDER_TRASH);
        flags = (flags & ~one_of) | last;
    }
    return flags;
}

int mail_identity_of(struct tx *tx, const struct mailbox *mb, struct mail_identity *ret)
{
    const struct mail_vendor *v = mail_vendor_of(tx, mb->id);
    *ret = (struct mail_identity){.email = mb->email};
    return !v ? -1 : v->identity ? v->identity(tx, mb, ret) : 0;
}

const char *mail_identity_text(struct tx *tx, const struct mailbox *mb,
                               const struct mail_identity *who)
{
    return mime_address_text(tx->arena, who->name && *who->name ? who->name : mb->name, who->email);
}
