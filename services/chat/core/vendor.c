/* SPDX-License-Identifier: Apache-2.0 */
/* Whose rules hold in a workspace. */
#include "services/chat/core/vendor.h"
#include "engine/store/row.h"
#include "engine/world/engine.h"

static const char *plain_key(struct tx *tx, enum chat_thing thing, enum chat_kind kind)
{
    static const char letters[] = {"TUCM"};
    uint64_t n;
    (void)kind;
    return tx_id(tx, "chat.key", &n, sizeof n) < 0
               ? NULL
               : arena_printf(tx->arena, "%c%llu", letters[thing],
                              (unsigned long long)(n % UINT64_C(10000000000)));
}

static const char *same_text(struct arena *a, const char *text)
{
    (void)a;
    return text;
}

static uint32_t has_nothing(const struct chat_message *m)
{
    (void)m;
    return 0;
}

static const struct chat_vendor none = {
    .key = plain_key,
    .letters = {"T", "U", "C"},
    .plain = same_text,
    .has = has_nothing,
};

const struct chat_vendor *chat_vendor_named(struct tx *tx, const char *name)
{
    const struct chat_vendor *v = core_policy_named(tx, CHAT_CORE, *name ? name : NULL);
    return v || *name ? v : &none;
}

const struct chat_vendor *chat_vendor_of(struct tx *tx, int64_t workspace)
{
    static struct row_table table = ROW_TABLE("chat_workspace", "v", "id, vendor");
    const struct core_policy *p = core_policy_next(tx->engine, CHAT_CORE, NULL);
    const struct chat_vendor *vendor = p ? p->policy : &none;
    struct record rec = {.arena = tx->arena};
    if (!p || workspace < CHAT_OTHERS || !core_policy_next(tx->engine, CHAT_CORE, p) ||
        ROW_BY_ID(tx, &table, workspace, &rec) != 1)
        return vendor;
    const struct chat_vendor *named = chat_vendor_named(tx, record_text(&rec, 1));
    return named ? named : vendor;
}

const char *chat_new_key(struct tx *tx, const struct chat_vendor *vendor, enum chat_thing thing,
                         enum chat_kind kind, const void *row)
{
    return vendor->key_of ? vendor->key_of(tx, thing, row) : vendor->key(tx, thing, kind);
}
