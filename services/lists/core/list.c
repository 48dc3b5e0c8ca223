/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and their columns: rows. */
#include "services/lists/core/lists.h"
#include "engine/base/codec.h"
#include "engine/world/event.h"

/* ---- lists ---- */

int lists_get(struct tx *tx, int64_t id, struct lists_list *ret)
{
    return stored_get(tx, &lists_list_stored, id, ret);
}

int lists_by_key(struct tx *tx, const char *key, struct lists_list *ret)
{
    static struct sql_text q = SQL_TEXT("where key = lower(?1)");
    return STORED_ONE(tx, &lists_list_stored, &q, ret, key);
}

int lists_find(struct tx *tx, const char *place, const char *text, struct lists_list *ret)
{
    static struct sql_text q =
        SQL_TEXT("where place = ?1 and (key = lower(?2) or title = ?2 collate nocase or name = ?2 "
                 "collate nocase) order by key = lower(?2) desc, id limit 1");
    return STORED_ONE(tx, &lists_list_stored, &q, ret, place, text);
}

int lists_next(struct tx *tx, const char *place, int64_t after, struct lists_list *ret)
{
    static struct sql_text q = SQL_TEXT("where place = ?1 and id > ?2 order by id limit 1");
    return STORED_ONE(tx, &lists_list_stored, &q, ret, place, after);
}

/* A GUID of the world's stream. */
static const char *new_guid(struct tx *tx, const char *stream)
{
    uint8_t b[16];
    char hex[33];
    if (tx_id(tx, stream, b, sizeof b) < 0)
        return NULL;
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    hex_encode(hex, b, sizeof b);
    return arena_printf(tx->arena, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16,
                        hex + 20);
}

int lists_new(struct tx *tx, struct lists_list *list)
{
    struct lists_column title = {
        .name = "Title", .title = "Title", .kind = LISTS_TEXT, .length = 255};
    struct lists_list same;
    int r = lists_find(tx, list->place, list->title, &same);
    if (r == 1 || (r == 0 && (r = lists_find(tx, list->place, list->name, &same)) == 1))
        return tx_fail(tx, SOSIA_E_CONFLICT, "nameInUse", NULL, "there is a list of that name");
    if (r < 0 || (!list->key && !(list->key = new_guid(tx, "list"))))
        return -1;
    list->created_us = list->created_us ? list->created_us : tx->now_us;
    list->modified_us = list->created_us;
    list->version = list->next_number = 1;
    if (stored_add(tx, &lists_list_stored, list) < 0)
        return -1;
    title.list = list->id = tx_last_id(tx);
    return lists_column_new(tx, &title);
}

int lists_save(struct tx *tx, struct lists_list *list)
{
    static struct sql_text q = SQL_TEXT(
        "update lists_list set title = :title, description = :description, hidden = :hidden, "
        "modified_us = :now, version = :version where id = :id");
    list->version++;
    list->modified_us = tx->now_us;
    return TX_RUN(tx, &q, list->title, list->description, (int64_t)list->hidden, tx->now_us,
                  list->version, list->id);
}

int lists_drop(struct tx *tx, const struct lists_list *list)
{
    static struct sql_text q[] = {
        SQL_TEXT("delete from lists_version where item in (select id from lists_item where list = "
                 ":list)"),
        SQL_TEXT("delete from lists_item where list = :list"),
        SQL_TEXT("delete from lists_gone where list = :list"),
        SQL_TEXT("delete from lists_column where list = :list"),
        SQL_TEXT("delete from lists_list where id = :list")};
    for (size_t i = 0; i < SOSIA_LEN(q); i++)
        if (TX_RUN(tx, &q[i], list->id) < 0)
            return -1;
    event_note(tx, LISTS_CHANGED, OP_REMOVED, list->id, 0);
    return 0;
}

int lists_newest(struct tx *tx, int64_t list, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select max(coalesce((select max(change) from lists_item where list = :list), 0), "
                 "coalesce((select max(change) from lists_gone where list = :list), 0))");
    return TX_INT(tx, &q, ret, list) < 0 ? -1 : 0;
}

/* ---- columns ---- */

int lists_column_find(struct tx *tx, int64_t list, const char *text, struct lists_column *ret)
{
    static struct sql_text q =
        SQL_TEXT("where list = ?1 and (key = lower(?2) or name = ?2) order by id limit 1");
    return STORED_ONE(tx, &lists_column_stored, &q, ret, list, text);
}

int lists_column_next(struct tx *tx, int64_t list, int64_t after, struct lists_column *ret)
{
    static struct sql_text q = SQL_TEXT("where list = ?1 and id > ?2 order by id limit 1");
    return STORED_ONE(tx, &lists_column_stored, &q, ret, list, after);
}

int lists_column_new(struct tx *tx, struct lists_column *column)
{
    static struct sql_text q = SQL_TEXT("select count(*) from lists_column where list = :list");
    struct lists_column same;
    int64_t n = 0;
    int r = lists_column_find(tx, column->list, column->name, &same);
    if (r == 1)
        return tx_fail(tx, SOSIA_E_CONFLICT, "nameInUse", NULL, "there is a column of that name");
    if (r == 0 && TX_INT(tx, &q, &n, column->list) < 0)
        return -1;
    if (n >= LISTS_COLUMNS_MOST)
        return tx_fail(tx, SOSIA_E_INVALID, "columns", NULL, "a list has %d columns at most",
                       LISTS_COLUMNS_MOST);
    if (r < 0 || (!column->key && !(column->key = new_guid(tx, "list column"))) ||
        stored_add(tx, &lists_column_stored, column) < 0)
        return -1;
    column->id = tx_last_id(tx);
    return 0;
}

int lists_column_save(struct tx *tx, const struct lists_column *k)
{
    static struct sql_text q = SQL_TEXT(
        "update lists_column set title = :title, description = :description, required = :required, "
        "indexed = :indexed, single = :single, hidden = :hidden, multiple = :multiple, free = "
        ":free, least = :least, most = :most, length = :length, choices = :choices, target = "
        ":target, usual = :usual, extra = :extra where id = :id");
    return TX_RUN(tx, &q, k->title, k->description, (int64_t)k->required, (int64_t)k->indexed,
                  (int64_t)k->single, (int64_t)k->hidden, (int64_t)k->multiple, (int64_t)k->free,
                  k->least, k->most, k->length, k->choices, k->target, k->usual, k->extra, k->id);
}

int lists_column_drop(struct tx *tx, const struct lists_column *k)
{
    static struct sql_text q_items = SQL_TEXT(
        "update lists_item set \"values\" = json_remove(\"values\", :path) where list = :list");
    static struct sql_text q_versions =
        SQL_TEXT("update lists_version set \"values\" = json_remove(\"values\", :path) where item "
                 "in (select id from lists_item where list = :list)");
    static struct sql_text q = SQL_TEXT("delete from lists_column where id = :id");
    const char *path = arena_printf(tx->arena, "$.\"%s\"", k->name);
    return TX_RUN(tx, &q_items, path, k->list) < 0 || TX_RUN(tx, &q_versions, path, k->list) < 0
               ? -1
               : TX_RUN(tx, &q, k->id);
}
