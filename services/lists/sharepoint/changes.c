/* SPDX-License-Identifier: Apache-2.0 */
/* What items had before, and what changed in a list since. */
#include "engine/base/codec.h"
#include "services/lists/sharepoint/sharepoint.h"
#include <stdio.h>

/* ---- versions ---- */

#define VERSIONS_PAGE "list item versions"

/* The version that an item is now is the first of its versions. */
static struct lists_version newest(const struct lists_item *item)
{
    return (struct lists_version){.item = item->id,
                                  .number = item->version,
                                  .values = item->values,
                                  .modifier = item->modifier,
                                  .modified_us = item->modified_us};
}

static int write_version(struct sp_at *at, const struct lists_item *item,
                         const struct lists_version *v, bool fields)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    struct lists_item then = *item;
    json_str(w, "id", arena_printf(a, "%lld.0", (long long)v->number));
    json_str(w, "lastModifiedDateTime", graph_date(a, v->modified_us, 0));
    if (site_write_person(at->c, "lastModifiedBy", v->modifier) < 0)
        return -1;
    if (!fields)
        return 0;
    then.values = v->values;
    then.version = v->number;
    then.modifier = v->modifier;
    then.modified_us = v->modified_us;
    json_obj(w, "fields");
    int r = sp_write_fields(at, w, &then);
    json_end(w);
    return r;
}

static int versions_list(struct call *c)
{
    struct lists_version v;
    struct lists_item item;
    struct odata_query q;
    struct sp_at at;
    const char *text = NULL;
    int64_t below = 0;
    int r = 1;
    if (sp_open(c, SITE_READ, false, &at) < 0 || sp_item(&at, &item) < 0 ||
        graph_query(c, "listItemVersion", NULL, &q) < 0)
        return -1;
    if (q.skiptoken && (graph_unseal(c->tx.arena, VERSIONS_PAGE, q.skiptoken, &text) != 1 ||
                        parse_i64(text, strlen(text), &below) < 0 || below < 1))
        return site_invalid(c, "Invalid paging token");
    if (graph_select(c, &q, 0, true) < 0)
        return -1;
    const int64_t top = q.top < 1 || q.top > SP_PAGE ? SP_PAGE : q.top;
    const bool fields = odata_expands(&q, "fields") || !q.has_select;
    json_obj(c->out, NULL);
    graph_context(c, "%s/items('%lld')/versions%s", at.base, (long long)item.number,
                  odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    v = newest(&item);
    if (below && v.number >= below)
        r = lists_version_next(&c->tx, item.id, below, &v);
    for (int64_t n = 0; r == 1 && n < top; n++) {
        json_obj(c->out, NULL);
        if (write_version(&at, &item, &v, fields) < 0)
            return -1;
        json_end(c->out);
        below = v.number;
        r = lists_version_next(&c->tx, item.id, v.number, &v);
    }
    json_end(c->out);
    if (r == 1)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skiptoken",
                            graph_seal(c->tx.arena, VERSIONS_PAGE,
                                       arena_printf(c->tx.arena, "%lld", (long long)below))));
    json_end(c->out);
    return r;
}

/* The version of the path. 0, -1. */
static int version_of_path(struct call *c, enum site_role need, struct sp_at *at,
                           struct lists_item *item, struct lists_version *ret)
{
    const char *text = param_str(c, "listItemVersion-id");
    int64_t number = 0;
    int r = 1;
    if (sp_open(c, need, false, at) < 0 || sp_item(at, item) < 0)
        return -1;
    const size_t n = strcspn(text, ".");
    if (parse_i64(text, n, &number) < 0 || (text[n] && strcmp(text + n, ".0") != 0))
        r = 0;
    *ret = newest(item);
    while (r == 1 && ret->number > number)
        r = lists_version_next(&c->tx, item->id, ret->number, ret);
    if (r == 1 && ret->number != number)
        r = 0;
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(c, SOSIA_E_NOT_FOUND, "itemNotFound", NULL,
                               "The resource could not be found.");
}

static int versions_get(struct call *c)
{
    struct lists_version v;
    struct lists_item item;
    struct odata_query q;
    struct sp_at at;
    if (version_of_path(c, SITE_READ, &at, &item, &v) < 0 ||
        graph_query(c, "listItemVersion", NULL, &q) < 0 || graph_select(c, &q, 0, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/items('%lld')/versions%s/$entity", at.base, (long long)item.number,
                  odata_context(c->tx.arena, &q));
    int r = write_version(&at, &item, &v, odata_expands(&q, "fields") || !q.has_select);
    json_end(c->out);
    return r;
}

static int versions_restore(struct call *c)
{
    struct lists_version v;
    struct lists_item item;
    struct sp_at at;
    if (version_of_path(c, SITE_WRITE, &at, &item, &v) < 0)
        return -1;
    c->status = 204;
    return v.number == item.version ? 0 : sp_item_set(&at, &item, v.values);
}

/* ---- delta ---- */

struct round {
    struct sp_at at;
    struct odata_query q;
    int64_t since;  /* the change behind which it goes on; -1: all items are given */
    int64_t after;  /* of all: behind this number */
    int64_t target; /* the newest change when the round began */
};

static const char *purpose(struct round *r)
{
    return arena_printf(r->at.c->tx.arena, "list delta %s", r->at.of.list.key);
}

static const char *token_of(struct round *r, int64_t since, int64_t after)
{
    struct arena *a = r->at.c->tx.arena;
    return graph_seal(a, purpose(r),
                      arena_printf(a, "%lld %lld %lld", (long long)since, (long long)after,
                                   (long long)r->target));
}

static int read_token(struct round *r, const char *token)
{
    struct call *c = r->at.c;
    const char *text;
    long long since, after, target;
    r->since = -1;
    if (!token || !*token)
        return 0;
    if (str_eq_nocase(token, "latest")) {
        r->since = r->target;
        return 0;
    }
    if (graph_unseal(c->tx.arena, purpose(r), token, &text) != 1 ||
        sscanf(text, "%lld %lld %lld", &since, &after, &target) != 3 || since < -1 || after < 0)
        return site_invalid(c, "Invalid paging token");
    if (since > r->target)
        return graph_fail_resync(c, graph_next(c, "token", ""), "Resync required.");
    r->since = since;
    r->after = after;
    r->target = since < 0 && target < r->target ? target : r->target;
    return 0;
}

static int write_gone(struct round *r, const struct lists_item *item)
{
    struct json_writer *w = r->at.c->out;
    struct arena *a = r->at.c->tx.arena;
    json_str(w, "id", arena_printf(a, "%lld", (long long)item->number));
    json_obj(w, "parentReference");
    json_str(w, "id", graph_guid(a, "list root", r->at.of.list.key));
    json_str(w, "siteId", r->at.site.full_id);
    json_end(w);
    json_obj(w, "deleted");
    json_str(w, "state", "deleted");
    json_end(w);
    return 0;
}

/* A page: the last place is left in *r. 1 there is more, 0, -1. */
static int write_page(struct round *r, size_t size)
{
    struct call *c = r->at.c;
    const bool fields = odata_expands(&r->q, "fields") != NULL, all = r->since < 0;
    struct lists_item item;
    const int64_t list = r->at.of.list.id;
    int more = 0;
    for (size_t n = 0;; n++) {
        more = all ? lists_item_next(&c->tx, list, r->after, &item)
                   : lists_change_next(&c->tx, list, r->since, &item);
        if (more != 1 || n == size)
            return more;
        json_obj(c->out, NULL);
        if ((item.id ? sp_write_item(&r->at, c->out, &item, fields) : write_gone(r, &item)) < 0)
            return -1;
        json_end(c->out);
        r->after = item.number;
        if (!all)
            r->since = item.change;
    }
}

static int items_delta(struct call *c)
{
    struct round r = {.after = 0};
    if (sp_open(c, SITE_READ, false, &r.at) < 0 || graph_query(c, "listItem", NULL, &r.q) < 0 ||
        lists_newest(&c->tx, r.at.of.list.id, &r.target) < 0)
        return -1;
    if (r.at.of.is_library)
        return site_invalid(c, "Changes of a document library are those of its drive.");
    const char *token = param_str(c, "delta-token");
    if (!token)
        token = graph_option(c, "token");
    if (!token)
        token = r.q.deltatoken ? r.q.deltatoken : r.q.skiptoken;
    if (read_token(&r, token) < 0 || graph_select(c, &r.q, ODATA_KEEP_ETAG, true) < 0)
        return -1;
    const bool all = r.since < 0;
    const size_t size = r.q.top < 1             ? SP_PAGE
                        : r.q.top > SP_MAX_PAGE ? SP_MAX_PAGE
                                                : (size_t)r.q.top;
    json_obj(c->out, NULL);
    graph_context_of(c, "Collection(microsoft.graph.listItem)");
    json_arr(c->out, "value");
    int more = write_page(&r, size);
    json_end(c->out);
    if (more == 1)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "token", token_of(&r, all ? -1 : r.since, r.after)));
    else
        json_str(c->out, "@odata.deltaLink", graph_next(c, "token", token_of(&r, r.target, 0)));
    json_end(c->out);
    return more;
}

/* ---- the methods ---- */

static const struct param delta_params[] = {
    SP_PARAMS,
    SP_PAGED,
    SP_OPTION("$deltatoken"),
    {.name = "token",
     .place = IN_QUERY,
     .summary = "From where on: of a link, or latest; all items without it"},
    {.name = "delta-token", .place = IN_PATH, .required = true, .summary = "The same as token"}};
static const struct param version_params[] = {SP_PARAMS, SP_KEY("listItem-id"),
                                              SP_KEY("listItemVersion-id"), SP_OPTION("$select"),
                                              SP_OPTION("$expand")};
static const struct param restore_params[] = {SP_PARAMS, SP_KEY("listItem-id"),
                                              SP_KEY("listItemVersion-id")};
static const struct param versions_params[] = {SP_PARAMS, SP_KEY("listItem-id"), SP_PAGED};

#define VERSION  "microsoft.graph.listItemVersion"
#define VERSIONS "/items/{listItem-id}/versions"

static const struct route methods[] = {
    {ROUTE("sharepoint.items.delta", GET, OF_LIST("/items/delta()"),
           OF_LIST("/items/delta(token={delta-token})")),
     .handler = items_delta, .risk = RISK_READ, .scopes = SITES_READ, PARAMS(delta_params),
     .response = "microsoft.graph.listItemCollectionResponse",
     .summary = "What changed in a list since"},
    {ROUTE("sharepoint.versions.list", GET, OF_LIST(VERSIONS)), .handler = versions_list,
     .risk = RISK_READ, .scopes = SITES_READ, PARAMS(versions_params),
     .response = VERSION "CollectionResponse",
     .summary = "What an item had before, the newest first"},
    {ROUTE("sharepoint.versions.get", GET, OF_LIST(VERSIONS "/{listItemVersion-id}")),
     .handler = versions_get, .risk = RISK_READ, .scopes = SITES_READ, PARAMS(version_params),
     .response = VERSION, .summary = "One version of an item"},
    {ROUTE("sharepoint.versions.restore", POST,
           OF_LIST(VERSIONS "/{listItemVersion-id}/restoreVersion")),
     .handler = versions_restore, .risk = RISK_WRITE, .scopes = SITES_WRITE, PARAMS(restore_params),
     .status = 204, .summary = "Give an item the values that it had"},
};

const struct rows sp_change_rows = ROWS(methods);
