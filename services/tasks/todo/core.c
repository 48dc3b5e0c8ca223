/* SPDX-License-Identifier: Apache-2.0 */
/* What the vendor lays down for lists and tasks, and the place of its dialects in the engine. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/tasks/core/vendor.h"
#include "services/tasks/todo/flagged.h"
#include "services/tasks/todo/todo.h"
#include "vendors/microsoft/subscription.h"

enum { LIST_BYTES = 87, TASK_BYTES = 111, PLAN_BYTES = 21 }; /* ids of 120, 152 and 28 letters */

static const char *store_key(struct arena *a, const uint8_t *bytes, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "AAMk");
    base64url_add(&b, bytes, n, false);
    const char *key = buf_failed(&b) ? NULL : arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return key;
}

static const char *new_key(struct tx *tx, enum task_thing thing)
{
    uint8_t bytes[TASK_BYTES];
    char hex[17];
    struct buf b;
    switch (thing) {
    case TASK_THING_LIST:
        return tx_id(tx, "todo.list", bytes, LIST_BYTES) < 0
                   ? NULL
                   : store_key(tx->arena, bytes, LIST_BYTES);
    case TASK_THING_TASK:
        return tx_id(tx, "todo.task", bytes, TASK_BYTES) < 0
                   ? NULL
                   : store_key(tx->arena, bytes, TASK_BYTES);
    case TASK_THING_ITEM:
    case TASK_THING_LINK:
        if (tx_id(tx, "todo.part", bytes, 8) < 0)
            return NULL;
        hex_encode(hex, bytes, 8);
        return graph_guid(tx->arena, "todo.part", hex);
    default:
        break;
    }
    if (tx_id(tx, "planner", bytes, PLAN_BYTES) < 0)
        return NULL;
    buf_init(&b, 0);
    base64url_add(&b, bytes, PLAN_BYTES, false);
    const char *key = buf_failed(&b) ? NULL : arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return key;
}

/* It follows from the user's object id. */
static const char *usual_key(struct tx *tx, int64_t account, enum task_list_kind kind)
{
    uint8_t bytes[16 * ((LIST_BYTES + 15) / 16)];
    struct ms_user user;
    if (ms_user_of_account(tx, account, &user) < 0)
        return NULL;
    const char *oid = user.oid ? user.oid : arena_printf(tx->arena, "%lld", (long long)account);
    for (size_t i = 0; i < sizeof bytes; i += 16)
        graph_guid_bytes(kind == TASK_LIST_USUAL ? "todo.usual" : "todo.flagged",
                         arena_printf(tx->arena, "%s %zu", oid, i), bytes + i);
    return store_key(tx->arena, bytes, LIST_BYTES);
}

/* Time that goes backwards, so that what is newer comes first. */
static const char *new_place(struct tx *tx)
{
    const int64_t ticks = (tx->now_us - TIME_FIRST_US) * 10;
    return arena_printf(tx->arena, "%lldP", (long long)(INT64_MAX - ticks));
}

static const struct task_vendor vendor = {.key = new_key,
                                          .place = new_place,
                                          .usual_key = usual_key,
                                          .names = {NULL, "Tasks", "Flagged Emails"},
                                          .plans = true,
                                          .source = todo_source};

static const struct core_policy policies[] = {
    {TASKS_CORE, "microsoft", &vendor}, {GRAPH_CORE, "microsoft", &todo_feed}, {NULL, NULL, NULL}};

const struct sosia_core tasks_todo_core = {
    .name = "tasks.todo",
    .schema = "",
    .policies = policies,
};
