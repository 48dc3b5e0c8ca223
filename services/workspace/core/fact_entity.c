/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from files, as entities. */
#include "services/workspace/core/fact.h"
#include "services/workspace/core/node.h"

static int read_fact(struct tx *tx, enum fact_kind kind, int64_t rowid, const char **ret_owner,
                     const char **ret_name, const struct json **ret)
{
    static struct sql_text q[] = {
        SQL_TEXT("select owner, name, value from workspace_memory where id = :id"),
        SQL_TEXT("select owner, name, value from workspace_ref where id = :id")};
    static const struct json none = {.type = JSON_OBJECT};
    struct sosia_err ignored;
    sqlite3_stmt *st = TX_QUERY(tx, &q[kind], rowid);
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret_owner =
        arena_memdup(tx->arena, sqlite3_column_blob(st, 0), (size_t)sqlite3_column_bytes(st, 0));
    *ret_name = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 1));
    const char *text = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 2));
    sql_done(st);
    if (json_parse(tx->arena, text, strlen(text), NULL, ret, &ignored) < 0)
        *ret = &none; /* of a file for import, beyond those that are made again */
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}

static void put_tree(struct tx *tx, struct json_writer *w, const char *tree)
{
    json_str(w, "repository", *tree ? workspace_shown(tx->arena, tree) : ".");
}

static void put_members(struct json_writer *w, const struct json *v)
{
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++)
        json_value(w, v->members[i].key, &v->members[i].value);
}

int fact_key_memory(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    const char *owner, *name;
    const struct json *v;
    int r = read_fact(tx, FACT_MEMORY, rowid, &owner, &name, &v);
    for (size_t i = 0; r == 1 && v->type == JSON_OBJECT && i < v->n; i++)
        if (v->members[i].value.type == JSON_STRING && strcmp(v->members[i].key, "entityType") != 0)
            json_value(w, v->members[i].key, &v->members[i].value);
    return r < 0 ? -1 : 0;
}

int fact_key_ref(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    const char *owner, *name;
    const struct json *v;
    int r = read_fact(tx, FACT_REF, rowid, &owner, &name, &v);
    if (r == 1) {
        put_tree(tx, w, owner);
        json_str(w, "name", name);
    }
    return r < 0 ? -1 : 0;
}

int fact_no_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    (void)tx, (void)rowid, (void)w;
    return 0;
}

int fact_write_memory(struct tx *tx, int64_t rowid, struct json_writer *w,
                      struct entity_about *about)
{
    const char *owner, *name;
    const struct json *v;
    int r = read_fact(tx, FACT_MEMORY, rowid, &owner, &name, &v);
    if (r != 1)
        return r;
    put_members(w, v);
    about->title = json_get_str(v, "name");
    return 1;
}

/* HEAD follows from the branch that it is at. */
int fact_write_ref(struct tx *tx, int64_t rowid, struct json_writer *w, struct entity_about *about)
{
    const char *owner, *name;
    const struct json *v;
    int r = read_fact(tx, FACT_REF, rowid, &owner, &name, &v);
    if (r != 1)
        return r;
    put_tree(tx, w, owner);
    json_str(w, "name", name);
    put_members(w, v);
    const char *target = json_get_str(v, "target");
    about->is[0] = arena_printf(tx->arena, "ref %s %s", owner, name);
    if (target && strcmp(target, name) != 0) {
        about->follows[0] = arena_printf(tx->arena, "ref %s %s", owner, target);
        about->part = true;
    }
    about->title = name;
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}
