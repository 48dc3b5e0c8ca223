/* SPDX-License-Identifier: Apache-2.0 */
/* Items of lists: listed with filters on columns, read, made, changed, deleted. */
#include "engine/base/codec.h"
#include "services/lists/sharepoint/sharepoint.h"
#include <stdlib.h>

#define UNINDEXED "HonorNonIndexedQueriesWarningMayFailRandomly"

/* ---- what is asked for ---- */

static int refuse_unindexed(struct call *c, const char *name)
{
    return call_fail(c, SOSIA_E_INVALID, "invalidRequest", NULL,
                     "Field '%.100s' cannot be referenced in filter or orderby as it is not "
                     "indexed. Provide the 'Prefer: " UNINDEXED "' header to allow this, but be "
                     "warned that such queries may fail on large lists.",
                     name);
}

struct question {
    struct sp_at *at;
    bool any; /* the caller takes it that columns are not indexed */
};

/* A path of $filter or $orderby: a column of the list, indexed or with the caller's word. 0, or 1
 * refused. */
static int check_path(void *arg, const struct odata_expr *e)
{
    struct question *q = arg;
    struct call *c = q->at->c;
    const char *text = e->path->text, *name = text + strlen("fields/");
    struct lists_column column;
    if (!str_starts(text, "fields/")) {
        if (str_eq_nocase(text, "id") || str_eq_nocase(text, "createdDateTime") ||
            str_eq_nocase(text, "lastModifiedDateTime"))
            return 0;
        site_invalid(c, "The provided filter statement is not supported");
        return 1;
    }
    name = arena_memdup(c->tx.arena, name, strcspn(name, "/"));
    if (str_eq_nocase(name, "id"))
        return 0;
    const size_t n = strlen(name);
    const char *of = n > 8 && strcmp(name + n - 8, "LookupId") == 0
                         ? arena_memdup(c->tx.arena, name, n - 8)
                         : name;
    int r = lists_column_find(&c->tx, q->at->of.list.id, of, &column);
    if (r == 0 && (sp_is_builtin(name) || sp_is_builtin(of)))
        return q->any ? 0 : (refuse_unindexed(c, name), 1);
    if (r != 1) {
        if (r == 0)
            call_fail(c, SOSIA_E_INVALID, "invalidRequest", NULL,
                      "Field '%.100s' is not recognized", name);
        return 1;
    }
    return column.indexed || q->any ? 0 : (refuse_unindexed(c, name), 1);
}

static int check_question(struct sp_at *at, const struct odata_query *q)
{
    struct question question = {at, graph_prefer(at->c, UNINDEXED) != NULL};
    if (q->filter && odata_each_path(q->filter, check_path, &question))
        return -1;
    for (size_t i = 0; i < q->n_order; i++)
        if (odata_each_path(q->order[i].by, check_path, &question))
            return -1;
    if (question.any)
        graph_applied(at->c, UNINDEXED, NULL, false);
    return 0;
}

/* ---- lists of items ---- */

struct found_item {
    struct lists_item item;
    struct odata_value *keys;
};
struct walk_items {
    struct sp_at *at;
    struct odata_query q;
    struct odata_ctx ctx;
    struct found_item *list;
    size_t n, cap;
};

static int by_order(const void *x, const void *y, void *arg)
{
    const struct found_item *a = x, *b = y;
    const struct walk_items *w = arg;
    int r = w->q.n_order ? odata_order(&w->ctx, &w->q, a->keys, b->keys) : 0;
    return r ? r : a->item.number < b->item.number ? -1 : a->item.number > b->item.number;
}

/* Items behind a number that the question holds for; most: no more than these. */
static int collect_items(struct walk_items *w, int64_t after, size_t most)
{
    struct call *c = w->at->c;
    struct found_item f = {.item = {.number = after}};
    int r = 1;
    while (w->n < most && (r = sp_item_next(w->at, f.item.number, &f.item)) == 1) {
        const struct json *thing = NULL;
        if ((w->q.filter || w->q.n_order) && sp_item_json(w->at, &f.item, &thing) < 0)
            return -1;
        int holds = w->q.filter ? odata_matches(&w->ctx, w->q.filter, thing) : 1;
        if (holds < 0)
            return -1;
        if (!holds)
            continue;
        if (w->q.n_order && odata_keys(&w->ctx, &w->q, thing, &f.keys) < 0)
            return -1;
        w->list = arena_grow(c->tx.arena, w->list, w->n, &w->cap, sizeof *w->list);
        if (!w->list)
            return sosia_fail_memory(c->tx.err);
        w->list[w->n++] = f;
    }
    return r < 0 ? -1 : 0;
}

static int write_items(struct walk_items *w, size_t from, size_t end, const char *next)
{
    struct sp_at *at = w->at;
    struct call *c = at->c;
    const bool fields = odata_expands(&w->q, "fields") != NULL;
    const struct odata_expand *drive = odata_expands(&w->q, "driveItem");
    int r = 0;
    if (graph_select(c, &w->q, ODATA_KEEP_ETAG, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/items%s", at->base, odata_context(c->tx.arena, &w->q));
    if (next)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skiptoken", graph_seal(c->tx.arena, SP_ITEMS_PAGE, next)));
    json_arr(c->out, "value");
    for (size_t i = from; r == 0 && i < end; i++) {
        struct lists_item *item = &w->list[i].item;
        if (at->of.is_library && sp_file_item(at, item->number, item) != 1)
            return -1;
        json_obj(c->out, NULL);
        r = sp_write_item(at, c->out, item, fields);
        if (r == 0 && drive && at->of.is_library)
            r = sp_files(&c->tx)->write(c, &at->of.library, item->number, "driveItem",
                                        drive->query);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int items_list(struct call *c)
{
    struct walk_items w = {
        .ctx = {.arena = c->tx.arena, .get = odata_get_json, .now_us = c->tx.now_us}};
    struct sp_at at;
    const char *position = NULL;
    int64_t from = 0;
    if (sp_open(c, SITE_READ, false, &at) < 0 || graph_query(c, "listItem", NULL, &w.q) < 0)
        return -1;
    w.at = &at;
    if (w.q.skiptoken && (graph_unseal(c->tx.arena, SP_ITEMS_PAGE, w.q.skiptoken, &position) != 1 ||
                          parse_i64(position, strlen(position), &from) < 0 || from < 0))
        return site_invalid(c, "Invalid paging token");
    if (check_question(&at, &w.q) < 0)
        return -1;
    const size_t top = w.q.top < 1             ? SP_PAGE
                       : w.q.top > SP_MAX_PAGE ? SP_MAX_PAGE
                                               : (size_t)w.q.top;
    /* In their own order a page begins behind a number; in another one behind so many. */
    const bool plain = !w.q.n_order;
    if (collect_items(&w, plain ? from : 0, plain ? top + 1 : SIZE_MAX) < 0)
        return -1;
    if (!plain && w.n)
        qsort_r(w.list, w.n, sizeof *w.list, by_order, &w);
    const size_t first = plain ? 0 : (size_t)from < w.n ? (size_t)from : w.n;
    const size_t end = w.n - first > top ? first + top : w.n;
    const char *next = NULL;
    if (end < w.n)
        next = arena_printf(c->tx.arena, "%lld",
                            plain ? (long long)w.list[end - 1].item.number : (long long)end);
    return write_items(&w, first, end, next);
}

/* ---- one item ---- */

static int items_get(struct call *c)
{
    struct lists_item item;
    struct odata_query q;
    struct sp_at at;
    if (sp_open(c, SITE_READ, false, &at) < 0 || sp_item(&at, &item) < 0 ||
        graph_query(c, "listItem", NULL, &q) < 0)
        return -1;
    return sp_answer_asked(&at, &item, &q);
}

static int items_create(struct call *c)
{
    const struct json *body, *fields, *given = NULL;
    struct lists_item item = {.id = 0};
    struct sp_at at;
    if (sp_open(c, SITE_WRITE, true, &at) < 0 || !(body = call_body(c)))
        return -1;
    fields = json_get(body, "fields");
    if (!fields)
        return site_invalid(c, "Invalid request");
    if (sp_read_fields(&at, fields, &given) < 0)
        return -1;
    if (lists_values(&c->tx, &at.of.list, 0, NULL, given, &item.values) < 0)
        return sp_refused(c);
    item.list = at.of.list.id;
    if (lists_item_new(&c->tx, &item, c->actor.id) < 0)
        return sp_refused(c);
    c->status = 201;
    call_header(c, "Location",
                arena_printf(c->tx.arena, "https://%s%s/_api/v2.0/sites/%s/lists/%s/items/%lld",
                             at.site.host, at.site.path, at.site.full_id, at.of.list.key,
                             (long long)item.number));
    return sp_answer_item(&at, &item, NULL, true);
}

static int items_update(struct call *c)
{
    const struct json *body, *fields;
    struct lists_item item;
    struct sp_at at;
    if (sp_open(c, SITE_WRITE, false, &at) < 0 || sp_item(&at, &item) < 0 ||
        sp_if_match(&at, &item) < 0 || !(body = call_body(c)))
        return -1;
    fields = json_get(body, "fields");
    if (fields && sp_change_item(&at, &item, fields) < 0)
        return -1;
    return sp_answer_item(&at, &item, NULL, true);
}

static int items_delete(struct call *c)
{
    struct lists_item item;
    struct sp_at at;
    if (sp_open(c, SITE_WRITE, false, &at) < 0 || sp_item(&at, &item) < 0 ||
        sp_if_match(&at, &item) < 0)
        return -1;
    c->status = 204;
    return sp_item_remove(&at, &item);
}

/* ---- fields alone ---- */

static int fields_get(struct call *c)
{
    struct lists_item item;
    struct odata_query q;
    struct sp_at at;
    if (sp_open(c, SITE_READ, false, &at) < 0 || sp_item(&at, &item) < 0 ||
        graph_query(c, "fieldValueSet", NULL, &q) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ETAG, false) < 0)
        return -1;
    return sp_answer_fields(&at, &item);
}

static int fields_update(struct call *c)
{
    const struct json *body;
    struct lists_item item;
    struct sp_at at;
    if (sp_open(c, SITE_WRITE, false, &at) < 0 || sp_item(&at, &item) < 0 ||
        sp_if_match(&at, &item) < 0 || !(body = call_body(c)) ||
        sp_change_item(&at, &item, body) < 0)
        return -1;
    return sp_answer_fields(&at, &item);
}

/* ---- the methods ---- */

static const struct param list_params[] = {SP_PARAMS, SP_PAGED, SP_OPTION("$filter"),
                                           SP_OPTION("$orderby")};
static const struct param get_params[] = {SP_PARAMS, SP_KEY("listItem-id"), SP_OPTION("$select"),
                                          SP_OPTION("$expand")};
static const struct param make_params[] = {SP_PARAMS};
static const struct param one_params[] = {SP_PARAMS, SP_KEY("listItem-id")};

#define ITEM   "microsoft.graph.listItem"
#define FIELDS "microsoft.graph.fieldValueSet"
#define ONE    "/items/{listItem-id}"

static const struct route methods[] = {
    {ROUTE("sharepoint.items.list", GET, OF_LIST("/items")), .handler = items_list,
     .risk = RISK_READ, .scopes = SITES_READ, PARAMS(list_params),
     .response = ITEM "CollectionResponse",
     .summary = "The items of a list, with their values where $expand=fields asks for them"},
    {ROUTE("sharepoint.items.get", GET, OF_LIST(ONE)), .handler = items_get, .risk = RISK_READ,
     .scopes = SITES_READ, PARAMS(get_params), .response = ITEM, .summary = "One item of a list"},
    {ROUTE("sharepoint.items.create", POST, OF_LIST("/items")), .handler = items_create,
     .risk = RISK_WRITE, .scopes = SITES_WRITE, PARAMS(make_params), .body = BODY_JSON,
     .request = ITEM, .response = ITEM, .status = 201, .summary = "Make an item of a list"},
    {ROUTE("sharepoint.items.update", PATCH, OF_LIST(ONE)), .handler = items_update,
     .risk = RISK_WRITE, .scopes = SITES_WRITE, PARAMS(one_params), .body = BODY_JSON,
     .request = ITEM, .response = ITEM, .summary = "Change an item of a list"},
    {ROUTE("sharepoint.items.delete", DELETE, OF_LIST(ONE)), .handler = items_delete,
     .risk = RISK_DESTRUCTIVE, .scopes = SITES_WRITE, PARAMS(one_params), .status = 204,
     .summary = "Delete an item of a list"},
    {ROUTE("sharepoint.items.fields.get", GET, OF_LIST(ONE "/fields")), .handler = fields_get,
     .risk = RISK_READ, .scopes = SITES_READ, PARAMS(get_params), .response = FIELDS,
     .summary = "The values of an item"},
    {ROUTE("sharepoint.items.fields.update", PATCH, OF_LIST(ONE "/fields")),
     .handler = fields_update, .risk = RISK_WRITE, .scopes = SITES_WRITE, PARAMS(one_params),
     .body = BODY_JSON, .request = FIELDS, .response = FIELDS,
     .summary = "Change values of an item"},
};

const struct rows sp_item_rows = ROWS(methods);
