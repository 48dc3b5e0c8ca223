/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of sites, libraries among them, with their content types. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/lists/sharepoint/sharepoint.h"

/* ---- a list ---- */

/* Where the items behind a number are. */
static const char *items_link(struct sp_at *at, const struct odata_query *q, int64_t last)
{
    struct arena *a = at->c->tx.arena;
    const char *token = graph_seal(a, SP_ITEMS_PAGE, arena_printf(a, "%lld", (long long)last));
    return graph_url(at->c,
                     ARENA_JOIN(a, "/sites/", at->site.full_id, "/lists/", at->of.list.key,
                                "/items?", odata_expands(q, "fields") ? "$expand=fields&" : "",
                                "$skiptoken=", token));
}

/* What is asked for beside a list. */
static int write_expanded(struct sp_at *at, const struct sp_list *list, const struct odata_query *q)
{
    struct sp_at of = *at;
    struct lists_item item = {.number = 0};
    const struct odata_expand *items = odata_expands(q, "items");
    int r = 0;
    of.of = *list;
    of.base = ARENA_JOIN(at->c->tx.arena, site_context(at->c, &at->site), "/lists",
                         graph_key(at->c->tx.arena, list->list.key));
    if (odata_expands(q, "columns")) {
        json_arr(at->c->out, "columns");
        r = sp_write_columns(&of);
        json_end(at->c->out);
    }
    if (r < 0 || !items)
        return r;
    json_arr(at->c->out, "items");
    const int64_t top =
        items->query->top < 1 || items->query->top > SP_PAGE ? SP_PAGE : items->query->top;
    int64_t n = 0, last = 0;
    while ((r = sp_item_next(&of, item.number, &item)) == 1 && n++ < top) {
        json_obj(at->c->out, NULL);
        if (sp_write_item(&of, at->c->out, &item, odata_expands(items->query, "fields") != NULL) <
            0)
            return -1;
        json_end(at->c->out);
        last = item.number;
    }
    json_end(at->c->out);
    if (r == 1)
        json_str(at->c->out, "items@odata.nextLink", items_link(&of, items->query, last));
    return r < 0 ? -1 : 0;
}

static int write_list(struct sp_at *at, const struct sp_list *list, const struct odata_query *q)
{
    return sp_write_list(at, list) < 0 ? -1 : q ? write_expanded(at, list, q) : 0;
}

static int answer_list(struct sp_at *at, const struct odata_query *q)
{
    struct call *c = at->c;
    if (q && graph_select(c, q, ODATA_KEEP_ETAG, false) < 0)
        return -1;
    c->etag = sp_etag(c->tx.arena, at->of.list.key, at->of.list.version);
    json_obj(c->out, NULL);
    graph_context(c, "%s/lists%s/$entity", site_context(c, &at->site),
                  q ? odata_context(c->tx.arena, q) : "");
    int r = write_list(at, &at->of, q);
    json_end(c->out);
    return r;
}

/* Of lists the filter is by displayName alone. 1, 0, -1 refused. */
static int holds_for(struct call *c, const struct odata_query *q, const struct sp_list *list)
{
    const struct odata_path *path;
    const struct odata_value *value;
    enum odata_op op;
    if (!q->filter)
        return 1;
    if (!odata_compared(q->filter, &path, &op, &value) || op != ODATA_EQ ||
        !str_eq_nocase(path->text, "displayName") || value->kind != ODATA_STRING)
        return site_invalid(c, "The provided filter statement is not supported");
    return str_eq_nocase(value->text, list->list.title);
}

static int lists_list(struct call *c)
{
    struct sp_walk walk = {0, 0};
    struct sp_list list;
    struct odata_query q;
    struct sp_at at;
    const char *position = NULL;
    int64_t from = 0, n = 0;
    int r;
    if (sp_open_site(c, SITE_READ, &at) < 0 || graph_query(c, "list", NULL, &q) < 0)
        return -1;
    if (q.skiptoken && (graph_unseal(c->tx.arena, "lists", q.skiptoken, &position) != 1 ||
                        parse_i64(position, strlen(position), &from) < 0 || from < 0))
        return site_invalid(c, "Invalid paging token");
    if (holds_for(c, &q, &(struct sp_list){.list = {.title = ""}}) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ETAG, true) < 0)
        return -1;
    const int64_t top = q.top < 1 || q.top > SP_PAGE ? SP_PAGE : q.top;
    json_obj(c->out, NULL);
    graph_context(c, "%s/lists%s", site_context(c, &at.site), odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    while ((r = sp_next(&at, &walk, &list)) == 1) {
        if (holds_for(c, &q, &list) != 1 || (list.list.hidden && !q.filter) || n++ < from ||
            n > from + top)
            continue;
        json_obj(c->out, NULL);
        if (write_list(&at, &list, &q) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    if (n > from + top)
        json_str(
            c->out, "@odata.nextLink",
            graph_next(c, "$skiptoken",
                       graph_seal(c->tx.arena, "lists",
                                  arena_printf(c->tx.arena, "%lld", (long long)(from + top)))));
    json_end(c->out);
    return r;
}

static int lists_get_one(struct call *c)
{
    struct odata_query q;
    struct sp_at at;
    return sp_open(c, SITE_READ, false, &at) < 0 || graph_query(c, "list", NULL, &q) < 0
               ? -1
               : answer_list(&at, &q);
}

static int lists_get_of_drive(struct call *c)
{
    struct odata_query q;
    struct sp_at at;
    return sp_open_drive(c, &at) < 0 || graph_query(c, "list", NULL, &q) < 0 ? -1
                                                                             : answer_list(&at, &q);
}

/* ---- changing lists ---- */

/* The name in the address of what people call so. */
static const char *name_of(struct arena *a, const char *title)
{
    char *name = arena_strdup(a, title), *to = name;
    for (const char *p = title; name && *p; p++)
        if (!strchr("~\"#%&*:<>?/\\{|}.", *p))
            *to++ = *p;
    if (name)
        *to = '\0';
    return name && *name ? name : "List";
}

static int check_title(struct call *c, const char *title)
{
    return title && *title && utf8_count(title, strlen(title)) <= SP_NAME ? 0
                                                                          : sp_not_acceptable(c);
}

static bool is_template(const char *text)
{
    static const char *const words[] = {"genericList", "tasks",         "events",
                                        "contacts",    "links",         "announcements",
                                        "survey",      "issueTracking", "calendar"};
    return str_in_nocase(text, words, SOSIA_LEN(words));
}

static int add_columns(struct sp_at *at, const struct json *columns)
{
    struct call *c = at->c;
    if (columns && columns->type != JSON_ARRAY)
        return sp_not_acceptable(c);
    for (uint32_t i = 0; columns && i < columns->n; i++) {
        struct lists_column column = {.list = at->of.list.id};
        if (sp_read_column(at, &columns->items[i], true, &column) < 0)
            return -1;
        if (lists_column_new(&c->tx, &column) < 0)
            return sp_refused(c);
    }
    return 0;
}

static int make_library(struct sp_at *at, const char *title, const char *name)
{
    struct call *c = at->c;
    struct ms_library library = {.name = name, .title = title, .made_us = c->tx.now_us}, same;
    int r = ms_library_find(&c->tx, at->site.id, name, &same);
    if (r == 0)
        r = ms_library_find(&c->tx, at->site.id, title, &same);
    if (r)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_CONFLICT, "nameAlreadyExists", NULL,
                                 "The specified name already exists.");
    if (ms_library_new(&c->tx, &at->site, NULL, &library) < 0)
        return -1;
    if (sp_of_library(&c->tx, &at->site, &library, &at->of) < 0)
        return -1;
    at->of.list.modified_us = library.made_us;
    return 0;
}

static int lists_create(struct call *c)
{
    const struct json *body, *info;
    struct sp_at at;
    const char *title, *template = "genericList";
    if (sp_open_site(c, SITE_WRITE, &at) < 0 || !(body = call_body(c)))
        return -1;
    title = json_get_str(body, "displayName");
    if (!title && json_get_str(body, "name"))
        return site_invalid(c, "Cannot define a 'name' for a list as it is assigned by the server. "
                               "Instead, provide 'displayName'");
    if (check_title(c, title) < 0)
        return -1;
    info = json_get(body, "list");
    if (info && info->type == JSON_OBJECT && json_get_str(info, "template"))
        template = json_get_str(info, "template");
    if (ms_site_keep(&c->tx, &at.site) < 0)
        return -1;
    const char *name = name_of(c->tx.arena, title);
    if (str_eq_nocase(template, "documentLibrary")) {
        if (make_library(&at, title, name) < 0)
            return -1;
    } else if (!is_template(template)) {
        return sp_not_acceptable(c);
    } else {
        at.of.list = (struct lists_list){.place = at.site.key,
                                         .name = name,
                                         .title = title,
                                         .description = json_get_str(body, "description"),
                                         .template = template,
                                         .hidden = info && json_get_true(info, "hidden"),
                                         .creator = c->actor.id};
        struct ms_library library;
        int r = ms_library_find(&c->tx, at.site.id, title, &library);
        if (r)
            return r < 0 ? -1
                         : call_fail(c, SOSIA_E_CONFLICT, "nameAlreadyExists", NULL,
                                     "The specified name already exists.");
        if (lists_new(&c->tx, &at.of.list) < 0)
            return sp_refused(c);
        if (add_columns(&at, json_get(body, "columns")) < 0)
            return -1;
    }
    if (ms_site_touch(&c->tx, &at.site) < 0)
        return -1;
    c->status = 201;
    call_header(c, "Location",
                arena_printf(c->tx.arena, "https://%s%s/_api/v2.0/sites/%s/lists/%s", at.site.host,
                             at.site.path, at.site.full_id, at.of.list.key));
    return answer_list(&at, NULL);
}

static int lists_update(struct call *c)
{
    const struct json *body;
    struct sp_at at;
    struct lists_list same;
    if (sp_open(c, SITE_WRITE, false, &at) < 0 || !(body = call_body(c)))
        return -1;
    const char *title = json_get_str(body, "displayName");
    if (at.of.is_library)
        return sp_not_acceptable(c);
    if (title) {
        if (check_title(c, title) < 0)
            return -1;
        int r = lists_find(&c->tx, at.site.key, title, &same);
        if (r < 0 || (r && same.id != at.of.list.id))
            return r < 0 ? -1
                         : call_fail(c, SOSIA_E_CONFLICT, "nameAlreadyExists", NULL,
                                     "The specified name already exists.");
        at.of.list.title = title;
    }
    if (json_get(body, "description"))
        at.of.list.description = json_get_str(body, "description");
    return lists_save(&c->tx, &at.of.list) < 0 ? -1 : answer_list(&at, NULL);
}

static int lists_delete(struct call *c)
{
    struct sp_at at;
    if (sp_open(c, SITE_WRITE, false, &at) < 0)
        return -1;
    if (at.of.is_library)
        return graph_denied(c);
    c->status = 204;
    return lists_drop(&c->tx, &at.of.list) < 0 ? -1 : ms_site_touch(&c->tx, &at.site);
}

/* ---- content types ---- */

static const char *type_id(struct arena *a, const char *head, const char *of)
{
    const char *guid = graph_guid(a, "content type", of);
    char *hex = arena_strdup(a, guid), *to = hex;
    for (const char *p = guid; hex && *p; p++)
        if (*p != '-')
            *to++ = (char)(*p >= 'a' ? *p - 32 : *p);
    if (hex)
        *to = '\0';
    return ARENA_JOIN(a, head, "00", hex);
}

static void write_content_type(struct call *c, const char *id, const char *parent, const char *name,
                               const char *text)
{
    struct json_writer *w = c->out;
    json_obj(w, NULL);
    json_str(w, "@odata.etag", "\"0\"");
    json_str(w, "id", id);
    json_str(w, "description", text);
    json_str(w, "group", "List Content Types");
    json_bool(w, "hidden", false);
    json_str(w, "name", name);
    json_str(w, "parentId", parent);
    json_bool(w, "readOnly", false);
    json_bool(w, "sealed", false);
    json_obj(w, "base");
    json_str(w, "id", parent);
    json_str(w, "description", text);
    json_str(w, "group", "List Content Types");
    json_bool(w, "hidden", false);
    json_str(w, "name", name);
    json_bool(w, "readOnly", false);
    json_bool(w, "sealed", false);
    json_end(w);
    json_end(w);
}

/* A list has items and folders, a library documents and folders. */
static int types_list(struct call *c)
{
    struct odata_query q;
    struct sp_at at;
    if (sp_open(c, SITE_READ, false, &at) < 0 || graph_query(c, "contentType", NULL, &q) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ETAG, true) < 0)
        return -1;
    struct arena *a = c->tx.arena;
    const char *head = at.of.is_library ? "0x0101" : "0x01";
    json_obj(c->out, NULL);
    graph_context(c, "%s/contentTypes%s", at.base, odata_context(a, &q));
    json_arr(c->out, "value");
    write_content_type(c, type_id(a, head, at.of.list.key), head,
                       at.of.is_library ? "Document" : "Item",
                       at.of.is_library ? "Create a new document." : "Create a new list item.");
    write_content_type(c, type_id(a, "0x0120", at.of.list.key), "0x0120", "Folder",
                       "Create a new folder.");
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- the methods ---- */

static const struct param all_params[] = {SITE_PATH_PARAMS, SP_PAGED, SP_OPTION("$filter")};
static const struct param make_params[] = {SITE_PATH_PARAMS};
static const struct param get_params[] = {SP_PARAMS, SP_OPTION("$select"), SP_OPTION("$expand")};
static const struct param list_params[] = {SP_PARAMS};
static const struct param of_drive_params[] = {DRIVE_PATH_PARAMS, SP_OPTION("$select"),
                                               SP_OPTION("$expand")};
static const struct param types_params[] = {SP_PARAMS, SP_PAGED};

#define LIST "microsoft.graph.list"

static const struct route list_methods[] = {
    {ROUTE("sharepoint.lists.list", GET, OF_SITE("/lists")), .handler = lists_list,
     .risk = RISK_READ, .scopes = SITES_READ, PARAMS(all_params),
     .response = LIST "CollectionResponse", .summary = "The lists and libraries of a site"},
    {ROUTE("sharepoint.lists.get", GET, OF_LIST("")), .handler = lists_get_one, .risk = RISK_READ,
     .scopes = SITES_READ, PARAMS(get_params), .response = LIST,
     .summary = "A list, by its id or its title"},
    {ROUTE("sharepoint.drives.list.get", GET, OF_DRIVE("/list")), .handler = lists_get_of_drive,
     .risk = RISK_READ,
     .scopes = "Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All " SITES_READ,
     PARAMS(of_drive_params), .response = LIST,
     .summary = "The list of the library that a drive is"},
    {ROUTE("sharepoint.lists.create", POST, OF_SITE("/lists")), .handler = lists_create,
     .risk = RISK_WRITE, .scopes = SITES_MANAGE, PARAMS(make_params), .body = BODY_JSON,
     .request = LIST, .response = LIST, .status = 201, .summary = "Make a list or a library"},
    {ROUTE("sharepoint.lists.update", PATCH, OF_LIST("")), .handler = lists_update,
     .risk = RISK_WRITE, .scopes = SITES_MANAGE, PARAMS(list_params), .body = BODY_JSON,
     .request = LIST, .response = LIST, .summary = "Change the title or the description of a list"},
    {ROUTE("sharepoint.lists.delete", DELETE, OF_LIST("")), .handler = lists_delete,
     .risk = RISK_DESTRUCTIVE, .scopes = SITES_MANAGE, PARAMS(list_params), .status = 204,
     .summary = "Delete a list with its items"},
    {ROUTE("sharepoint.contentTypes.list", GET, OF_LIST("/contentTypes")), .handler = types_list,
     .risk = RISK_READ, .scopes = SITES_READ, PARAMS(types_params),
     .response = "microsoft.graph.contentTypeCollectionResponse",
     .summary = "The content types of a list"},
};
const struct rows sp_list_rows = ROWS(list_methods);
