/* SPDX-License-Identifier: Apache-2.0 */
/* Relations as they are walked, in the order of rowids: who reports to a user, which groups an
 * address is in. */
#include "engine/world/take.h"
#include "vendors/microsoft/directory/rows.h"

int dir_next_report(struct call *c, const void *of, int64_t after, struct dir_item *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from ms_user where manager = :manager and id > :after and not deleted "
                 "order by id limit 1");
    const struct ms_user *user = of;
    ret->kind = &dir_user;
    return TX_INT(&c->tx, &q, &ret->id, user->id, after);
}

int dir_next_group_with(struct call *c, const char *email, int64_t tenant, int64_t after,
                        struct dir_item *ret)
{
    static struct sql_text q = SQL_TEXT("select id, addresses from ms_group where tenant = :tenant "
                                        "and id > :after order by id limit 1");
    struct group found;
    int r;
    int64_t addresses;
    while ((r = TX_TAKE(&c->tx, TX_QUERY(&c->tx, &q, tenant, after), &after, &addresses)) == 1) {
        r = group_next_with(&c->tx, email, addresses - 1, &found);
        if (r < 0)
            return -1;
        if (r == 1 && found.id == addresses) {
            *ret = (struct dir_item){&dir_group, after};
            return 1;
        }
    }
    return r;
}

int dir_next_membership(struct call *c, const void *of, int64_t after, struct dir_item *ret)
{
    const struct ms_user *user = of;
    const char *email;
    return ms_user_address(&c->tx, user, &email) < 0
               ? -1
               : dir_next_group_with(c, email, user->tenant, after, ret);
}
