/* SPDX-License-Identifier: Apache-2.0 */
/* Whose rules hold for tasks. */
#include "services/tasks/core/vendor.h"
#include "engine/base/codec.h"
#include "engine/world/core.h"

static const char *plain_key(struct tx *tx, enum task_thing thing)
{
    char text[17];
    uint8_t bytes[8];
    (void)thing;
    if (tx_id(tx, "task.key", bytes, sizeof bytes) < 0)
        return NULL;
    hex_encode(text, bytes, sizeof bytes);
    return arena_strdup(tx->arena, text);
}

static const char *plain_usual(struct tx *tx, int64_t account, enum task_list_kind kind)
{
    return arena_printf(tx->arena, "%lld-%d", (long long)account, (int)kind);
}

/* Of accounts that no dialect speaks for. */
static const struct task_vendor plain = {
    .key = plain_key, .usual_key = plain_usual, .names = {NULL, "Tasks", NULL}, .plans = true};

const struct task_vendor *task_vendor_of(struct tx *tx, int64_t account)
{
    const struct task_vendor *v;
    struct account row;
    if (!core_policy_named(tx, TASKS_CORE, NULL) || account_get(tx, account, &row) != 1)
        return &plain;
    v = core_policy_named(tx, TASKS_CORE, row.vendor);
    return v ? v : &plain;
}

const struct task_vendor *task_vendor_of_plans(struct tx *tx)
{
    const struct core_policy *p = core_policy_next(tx->engine, TASKS_CORE, NULL);
    while (p && !((const struct task_vendor *)p->policy)->plans)
        p = core_policy_next(tx->engine, TASKS_CORE, p);
    return p ? p->policy : &plain;
}
