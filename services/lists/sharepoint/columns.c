/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of lists. */
#include "services/lists/sharepoint/sharepoint.h"

static int columns_list(struct call *c)
{
    struct odata_query q;
    struct sp_at at;
    if (sp_open(c, SITE_READ, false, &at) < 0 || graph_query(c, "columnDefinition", NULL, &q) < 0 ||
        graph_select(c, &q, 0, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/columns%s", at.base, odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    int r = sp_write_columns(&at);
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int answer_column(struct sp_at *at, const struct lists_column *column)
{
    struct call *c = at->c;
    json_obj(c->out, NULL);
    graph_context(c, "%s/columns/$entity", at->base);
    sp_write_column(c->tx.arena, c->out, column);
    json_end(c->out);
    return 0;
}

static int column_of_path(struct call *c, enum site_role need, bool changes, struct sp_at *at,
                          struct lists_column *ret)
{
    if (sp_open(c, need, changes, at) < 0)
        return -1;
    int r = lists_column_find(&c->tx, at->of.list.id, param_str(c, "columnDefinition-id"), ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(c, SOSIA_E_NOT_FOUND, "itemNotFound", NULL, "Item not found");
}

static int columns_get(struct call *c)
{
    struct lists_column column;
    struct sp_at at;
    return column_of_path(c, SITE_READ, false, &at, &column) < 0 ? -1 : answer_column(&at, &column);
}

static int columns_create(struct call *c)
{
    const struct json *body;
    struct sp_at at;
    if (sp_open(c, SITE_WRITE, false, &at) < 0 || !(body = call_body(c)) ||
        sp_keep_library(&at) < 0)
        return -1;
    struct lists_column column = {.list = at.of.list.id};
    if (sp_read_column(&at, body, true, &column) < 0)
        return -1;
    if (lists_column_new(&c->tx, &column) < 0)
        return sp_refused(c);
    if (lists_save(&c->tx, &at.of.list) < 0)
        return -1;
    c->status = 201;
    call_header(c, "Location",
                arena_printf(c->tx.arena, "https://%s%s/_api/v2.0/sites/%s/lists/%s/columns/%s",
                             at.site.host, at.site.path, at.site.full_id, at.of.list.key,
                             column.key));
    return answer_column(&at, &column);
}

static int columns_update(struct call *c)
{
    const struct json *body;
    struct lists_column column;
    struct sp_at at;
    if (column_of_path(c, SITE_WRITE, false, &at, &column) < 0 || !(body = call_body(c)) ||
        sp_read_column(&at, body, false, &column) < 0 || lists_column_save(&c->tx, &column) < 0 ||
        lists_save(&c->tx, &at.of.list) < 0)
        return -1;
    return answer_column(&at, &column);
}

static int columns_delete(struct call *c)
{
    struct lists_column column;
    struct sp_at at;
    if (column_of_path(c, SITE_WRITE, false, &at, &column) < 0)
        return -1;
    if (strcmp(column.name, "Title") == 0)
        return sp_not_acceptable(c);
    c->status = 204;
    return lists_column_drop(&c->tx, &column) < 0 ? -1 : lists_save(&c->tx, &at.of.list);
}

/* ---- the methods ---- */

static const struct param columns_params[] = {SP_PARAMS, SP_PAGED};
static const struct param new_params[] = {SP_PARAMS};
static const struct param column_params[] = {SP_PARAMS, SP_KEY("columnDefinition-id")};

#define COLUMN  "microsoft.graph.columnDefinition"
#define COLUMNS OF_LIST("/columns")
#define ONE     OF_LIST("/columns/{columnDefinition-id}")

static const struct route column_methods[] = {
    {ROUTE("sharepoint.columns.list", GET, COLUMNS), .handler = columns_list, .risk = RISK_READ,
     .scopes = SITES_READ, PARAMS(columns_params), .response = COLUMN "CollectionResponse",
     .summary = "The columns of a list"},
    {ROUTE("sharepoint.columns.get", GET, ONE), .handler = columns_get, .risk = RISK_READ,
     .scopes = SITES_READ, PARAMS(column_params), .response = COLUMN,
     .summary = "One column of a list"},
    {ROUTE("sharepoint.columns.create", POST, COLUMNS), .handler = columns_create,
     .risk = RISK_WRITE, .scopes = SITES_MANAGE, PARAMS(new_params), .body = BODY_JSON,
     .request = COLUMN, .response = COLUMN, .status = 201, .summary = "Make a column of a list"},
    {ROUTE("sharepoint.columns.update", PATCH, ONE), .handler = columns_update, .risk = RISK_WRITE,
     .scopes = SITES_MANAGE, PARAMS(column_params), .body = BODY_JSON, .request = COLUMN,
     .response = COLUMN, .summary = "Change a column of a list"},
    {ROUTE("sharepoint.columns.delete", DELETE, ONE), .handler = columns_delete,
     .risk = RISK_DESTRUCTIVE, .scopes = SITES_MANAGE, PARAMS(column_params), .status = 204,
     .summary = "Delete a column of a list with its values"},
};
const struct rows sp_column_rows = ROWS(column_methods);
