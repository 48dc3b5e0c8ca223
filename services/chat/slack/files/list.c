/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of lists. */
#include "services/chat/slack/files/list.h"
#include "services/chat/slack/store.h"

const char *chat_long_key(struct tx *tx, const char *letters)
{
    const char *key = chat_key(tx, letters[0]);
    return key ? arena_printf(tx->arena, "%s%s", letters, key + 1) : NULL;
}

/* ---- lists ---- */

int chat_list_get(struct tx *tx, int64_t file, struct chat_list *ret)
{
    return stored_get(tx, &slack_list_stored, file, ret);
}

int chat_list_add(struct tx *tx, const struct chat_list *l)
{
    return stored_add(tx, &slack_list_stored, l);
}

int chat_list_save(struct tx *tx, const struct chat_list *l)
{
    static struct sql_text q =
        SQL_TEXT("update slack_list set description = :description, columns = :columns, "
                 "todo = :todo where file = :file");
    return TX_RUN(tx, &q, l->description, l->columns, l->todo, l->file);
}

int chat_list_gone(struct tx *tx, int64_t file)
{
    static struct sql_text below =
        SQL_TEXT("update slack_list_item set parent = null where list = :list");
    static struct sql_text items = SQL_TEXT("delete from slack_list_item where list = :list");
    static struct sql_text exports = SQL_TEXT("delete from slack_export where list = :list");
    static struct sql_text list = SQL_TEXT("delete from slack_list where file = :list");
    return TX_RUN(tx, &below, file) < 0 || TX_RUN(tx, &items, file) < 0 ||
                   TX_RUN(tx, &exports, file) < 0 || TX_RUN(tx, &list, file) < 0
               ? -1
               : 0;
}

/* ---- items ---- */

int chat_item_get(struct tx *tx, int64_t id, struct chat_item *ret)
{
    return stored_get(tx, &slack_item_stored, id, ret);
}

int chat_item_find(struct tx *tx, int64_t list, const char *key, struct chat_item *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key and list = :list");
    return STORED_ONE(tx, &slack_item_stored, &q, ret, key, list);
}

int chat_item_add(struct tx *tx, struct chat_item *i)
{
    static struct sql_text last =
        SQL_TEXT("select coalesce(max(place), 0) + 1 from slack_list_item where list = :list");
    if ((!i->key && !(i->key = chat_long_key(tx, "Rec"))) ||
        TX_INT(tx, &last, &i->place, i->list) < 0)
        return -1;
    return stored_new(tx, &slack_item_stored, i);
}

int chat_item_save(struct tx *tx, const struct chat_item *i)
{
    return stored_save(tx, &slack_item_stored, i->id, i);
}

int chat_items(struct tx *tx, const struct chat_items_ask *ask,
               int (*fn)(void *arg, const struct chat_item *i), void *arg)
{
    static struct sql_text down =
        SQL_TEXT("where list = :list and place <= :last and state = :state and (:parent = 0 or "
                 "parent = :parent) order by place desc");
    static struct sql_text up =
        SQL_TEXT("where list = :list and place <= :last and state = :state and (:parent = 0 or "
                 "parent = :parent) order by place");
    sqlite3_stmt *st = STORED_QUERY(tx, &slack_item_stored, ask->ascending ? &up : &down, ask->list,
                                    ask->last ? ask->last : INT64_MAX, ask->state, ask->parent);
    struct chat_item i;
    int r;
    while ((r = stored_next(tx, &slack_item_stored, st, &i)) == 1)
        if (fn(arg, &i)) {
            sql_done(st);
            return 0;
        }
    return r;
}

int chat_items_count(struct tx *tx, int64_t list, enum chat_item_state state, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from slack_list_item where list = :list and state = :state");
    return TX_INT(tx, &q, ret, list, state) < 0 ? -1 : 0;
}

/* ---- exports ---- */

int chat_export_add(struct tx *tx, struct chat_export *e)
{
    if (!e->key && !(e->key = chat_long_key(tx, "Le")))
        return -1;
    return stored_new(tx, &slack_export_stored, e);
}

int chat_export_find(struct tx *tx, int64_t list, const char *key, struct chat_export *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key and list = :list");
    return STORED_ONE(tx, &slack_export_stored, &q, ret, key, list);
}

int chat_export_last(struct tx *tx, int64_t list, struct chat_export *ret)
{
    static struct sql_text q =
        SQL_TEXT("where list = :list and at_us <= :now order by id desc limit 1");
    return STORED_ONE(tx, &slack_export_stored, &q, ret, list, tx->now_us - CHAT_EXPORT_US);
}
