/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of lists and of their tasks, by their numbers. */
#include "engine/world/take.h"
#include "services/tasks/core/impl.h"

int task_change_number(struct tx *tx, int64_t *ret)
{
    return tx_number(tx, "task change", ret);
}

int task_gone_add(struct tx *tx, int64_t account, int64_t list, const char *key, int64_t made)
{
    static struct sql_text q = SQL_TEXT("insert into task_gone (account, list, key, made, change) "
                                        "values (:account, :list, :key, :made, :change)");
    int64_t change;
    return task_change_number(tx, &change) < 0 ? -1
                                               : TX_RUN(tx, &q, account, list, key, made, change);
}

int task_last_change(struct tx *tx, int64_t account, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select max(coalesce((select max(change) from task_list where account = ?1), 0), "
        "coalesce((select max(change) from task_gone where account = ?1), 0), "
        "coalesce((select max(t.change) from task_list l join task_task t on t.list = l.id "
        "where l.account = ?1), 0))");
    return TX_INT(tx, &q, ret, account) < 0 ? -1 : 0;
}

int task_next_change(struct tx *tx, int64_t account, int64_t list, int64_t after, bool live,
                     struct task_change *ret)
{
    static struct sql_text q_lists =
        SQL_TEXT("select id, change, made, key from task_list where account = ?1 and change > ?3 "
                 "union all select 0, change, made, key from task_gone "
                 "where account = ?1 and list = ?2 and change > ?3 and not ?4 order by 2 limit 1");
    static struct sql_text q_tasks =
        SQL_TEXT("select id, change, made, key from task_task where list = ?2 and change > ?3 "
                 "union all select 0, change, made, key from task_gone "
                 "where account = ?1 and list = ?2 and change > ?3 and not ?4 order by 2 limit 1");
    return TX_TAKE(tx,
                   TX_QUERY(tx, list ? &q_tasks : &q_lists, account, list, after, (int64_t)live),
                   &ret->id, &ret->change, &ret->made, &ret->key);
}
