/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People who are users of several tenants: as which of them somebody has signed in is kept with the
 * code, the device and the refresh token. The tenant of a path counts for more.
 */
#include "engine/base/codec.h"
#include "vendors/microsoft/signin/internal.h"

/* Is the actor a user of more than one tenant? 1, 0, -1. */
static int has_several(struct tx *tx, int64_t actor)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from ms_user where actor = :actor and not deleted");
    int64_t n = 0;
    return TX_INT(tx, &q, &n, actor) < 0 ? -1 : n > 1;
}

static int drop(struct tx *tx, const char *kind, int64_t ref)
{
    static struct sql_text q =
        SQL_TEXT("delete from ms_signed_in where kind = :kind and ref = :ref");
    return TX_RUN(tx, &q, kind, ref);
}

int authority_chosen_put(struct tx *tx, const char *kind, int64_t ref, const struct ms_user *user)
{
    static struct sql_text q =
        SQL_TEXT("insert into ms_signed_in (kind, ref, account) values (:kind, :ref, :account)");
    int r = drop(tx, kind, ref) < 0 ? -1 : has_several(tx, user->actor);
    return r == 1 ? TX_RUN(tx, &q, kind, ref, user->account) : r;
}

int authority_chosen(struct call *c, const struct authority *a, const char *kind, int64_t ref,
                     const struct actor *who, struct ms_user *ret)
{
    static struct sql_text q =
        SQL_TEXT("select account from ms_signed_in where kind = :kind and ref = :ref");
    int64_t account;
    int r = TX_INT(&c->tx, &q, &account, kind, ref);
    if (r == 1 && strcmp(kind, "grant") != 0 && drop(&c->tx, kind, ref) < 0)
        return -1;
    return r < 0 ? -1 : authority_user_of(c, a, r == 1 ? account : 0, who, ret);
}

int authority_user_of(struct call *c, const struct authority *a, int64_t account,
                      const struct actor *who, struct ms_user *ret)
{
    int r = account ? ms_user_of_account(&c->tx, account, ret) : 0;
    if (r < 0)
        return -1;
    if (r == 1 && ret->actor == who->id && !ret->deleted &&
        (!a->tenant.id || ret->tenant == a->tenant.id))
        return authority_check_user(c, a, who, ret);
    return authority_user(c, a, who, ret);
}

int authority_account_of(struct tx *tx, const struct ms_user *user, int64_t *ret)
{
    struct account account;
    int r = account_get(tx, user->account, &account);
    *ret = r == 1 && account.name ? account.id : 0;
    if (r == 1 && !*ret && (r = has_several(tx, user->actor)) == 1)
        *ret = account.id;
    return r < 0 ? -1 : 0;
}
