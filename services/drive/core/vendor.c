/* SPDX-License-Identifier: Apache-2.0 */
/* Whose ways a drive has. */
#include "services/drive/core/vendor.h"
#include "engine/base/codec.h"
#include "services/drive/core/drive_impl.h"

const struct drive_vendor *drive_vendor_nth(const struct tx *tx, size_t n)
{
    return core_policy_nth(tx, DRIVE_CORE, n);
}

const struct drive_vendor *drive_vendor_of(struct tx *tx, const struct drive_item *it)
{
    (void)it;
    const struct drive_vendor *only = drive_vendor_nth(tx, 0);
    if (!only)
        sosia_fail(tx->err, SOSIA_E_INTERNAL, NULL, NULL, "the engine has no vendor of drives");
    return only;
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
