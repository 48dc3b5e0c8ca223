/* SPDX-License-Identifier: Apache-2.0 */
/* Whose ways a drive has. */
#include "services/drive/core/vendor.h"
#include "identity/account.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/drive_impl.h"

const struct drive_vendor *drive_vendor_nth(const struct tx *tx, size_t n)
{
    return core_policy_nth(tx, DRIVE_CORE, n);
}

static const struct drive_vendor *named(struct tx *tx, const char *name)
{
    const struct drive_vendor *vendor;
    for (size_t n = 0; (vendor = drive_vendor_nth(tx, n)); n++)
        if (strcmp(vendor->name, name) == 0)
            return vendor;
    return NULL;
}

/* The top that an item is below; 0: it is in no folder. */
static int top_of(struct tx *tx, const struct drive_item *it, int64_t *ret)
{
    struct drive_node node = {.parent = it->parent, .top = it->top};
    int r = 1;
    *ret = it->top ? it->id : 0;
    for (int64_t at = it->parent; r == 1 && at; at = node.parent) {
        r = drive_node(tx, at, &node);
        *ret = r == 1 && node.top ? at : 0;
    }
    return r < 0 ? -1 : 0;
}

/* The account whose drive it is: of its top, or of those who have it. 1, 0, -1. */
static int account_of_item(struct tx *tx, const struct drive_item *it, struct account *ret)
{
    static struct sql_text q = SQL_TEXT("select account from drive_top where item = :item");
    struct drive_settings set = {0};
    struct actor who;
    int64_t top = 0, account = it->account, owner = it->owner;
    int r = !account && top_of(tx, it, &top) < 0 ? -1 : 0;
    if (r == 0 && top)
        r = TX_INT(tx, &q, &account, top);
    if (r < 0)
        return -1;
    if (account)
        return account_get(tx, account, ret);
    if (it->drive && drive_settings(tx, it->drive, &set) < 0)
        return -1;
    owner = it->drive ? set.creator : owner;
    r = owner ? actor_by_id(tx, owner, &who) : 0;
    return r == 1 ? account_serving(tx, &who, ACCOUNT_DRIVE, ret) : r;
}

/* Can it be in a drive of another vendor than the first? What has an owner is in no drive of a
 * vendor with whom the owner has no account: the tree need not be walked then. 1, 0, -1. */
static int may_be_elsewhere(struct tx *tx, const struct core_policy *other,
                            const struct drive_item *it)
{
    struct account account;
    int r = it->account || !it->owner;
    for (; r == 0 && other; other = core_policy_next(tx->engine, DRIVE_CORE, other)) {
        const struct drive_vendor *vendor = other->policy;
        r = account_at(tx, it->owner, vendor->name, ACCOUNT_DRIVE, &account);
    }
    return r;
}

const struct drive_vendor *drive_vendor_of(struct tx *tx, const struct drive_item *it)
{
    const struct core_policy *first = core_policy_next(tx->engine, DRIVE_CORE, NULL), *other;
    const struct drive_vendor *own;
    struct account account;
    if (!first) {
        sosia_fail(tx->err, SOSIA_E_INTERNAL, NULL, NULL, "the engine has no vendor of drives");
        return NULL;
    }
    other = core_policy_next(tx->engine, DRIVE_CORE, first);
    if (!other)
        return first->policy;
    int r = may_be_elsewhere(tx, other, it);
    if (r == 1)
        r = account_of_item(tx, it, &account);
    if (r < 0)
        return NULL;
    own = r ? named(tx, account.vendor) : NULL;
    return own ? own : first->policy;
}

/* ---- keys ---- */

/* A world that was made of a dump counts its keys anew, and has those of the dump. */
const char *drive_new_key(struct tx *tx, const struct drive_vendor *vendor, enum drive_form form,
                          enum drive_top top, bool secret)
{
    static struct sql_text q = SQL_TEXT("select 1 from drive_item where key = :key");
    const char *key;
    int64_t one;
    int r;
    do
        r = (key = vendor->new_key(tx, form, top, secret)) ? TX_INT(tx, &q, &one, key) : -1;
    while (r == 1);
    return r < 0 ? NULL : key;
}

const char *drive_revision_number(struct tx *tx, int64_t item)
{
    static struct sql_text q =
        SQL_TEXT("select max(cast(key as integer)) from drive_revision where item = :item");
    int64_t last = 0;
    return TX_INT(tx, &q, &last, item) < 0 ? NULL
                                           : arena_printf(tx->arena, "%lld", (long long)last + 1);
}
