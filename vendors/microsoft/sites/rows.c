/* SPDX-License-Identifier: Apache-2.0 */
/* Sites by id, by path, by words, and those that somebody follows. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/utf8.h"
#include "engine/text/civil.h"
#include "vendors/microsoft/query.h"
#include "vendors/microsoft/sites/sites.h"
#include <stdio.h>
#include <ctype.h>

/* ---- a site ---- */

static int answer_site(struct call *c, const struct ms_site *site)
{
    struct odata_query q;
    if (graph_query(c, "site", NULL, &q) < 0 || graph_select(c, &q, 0, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "sites%s/$entity", odata_context(c->tx.arena, &q));
    site_write(c, site, false);
    json_end(c->out);
    return 0;
}

static int sites_get(struct call *c)
{
    struct ms_site site;
    return site_of_path(c, SITE_READ, &site) < 0 ? -1 : answer_site(c, &site);
}

/* getByPath(path='/sites/a'): from the site of the path on. */
static int sites_get_by_path(struct call *c)
{
    const char *path = param_str(c, "path");
    struct ms_tenant tenant;
    struct ms_site site, found;
    enum site_role role;
    if (site_of_path(c, SITE_NONE, &site) < 0 || ms_tenant_get(&c->tx, site.tenant, &tenant) != 1)
        return -1;
    while (*path == '/')
        path++;
    int r = ms_site_by_path(&c->tx, &tenant, ARENA_JOIN(c->tx.arena, site.path, "/", path), &found);
    if (r != 1)
        return r < 0 ? -1 : site_not_found(c);
    if (site_role_of(c, &found, &role) < 0)
        return -1;
    return role < SITE_READ ? graph_denied(c) : answer_site(c, &found);
}

/* ---- lists ---- */

struct site_list {
    struct odata_query q;
    size_t n, from, to;
    const char *context;
};

static int open_list(struct call *c, const char *context, struct site_list *ret)
{
    *ret = (struct site_list){.context = context};
    if (graph_query(c, "site", NULL, &ret->q) < 0 || graph_select(c, &ret->q, 0, true) < 0)
        return -1;
    const char *position;
    int64_t from = 0;
    if (ret->q.skiptoken && (graph_unseal(c->tx.arena, "sites", ret->q.skiptoken, &position) != 1 ||
                             parse_i64(position, strlen(position), &from) < 0 || from < 0))
        return site_invalid(c, "Invalid paging token");
    const int64_t top = ret->q.top < 1 || ret->q.top > 500 ? 200 : ret->q.top;
    ret->from = (size_t)from;
    ret->to = ret->from + (size_t)top;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s", context, odata_context(c->tx.arena, &ret->q));
    json_arr(c->out, "value");
    return 0;
}

static void list_site(struct call *c, struct site_list *list, const struct ms_site *site)
{
    const size_t n = list->n++;
    if (n < list->from || n >= list->to)
        return;
    json_obj(c->out, NULL);
    site_write(c, site, true);
    json_end(c->out);
}

static void end_list(struct call *c, const struct site_list *list)
{
    struct arena *a = c->tx.arena;
    json_end(c->out);
    if (list->n > list->to)
        json_str(
            c->out, "@odata.nextLink",
            graph_next(c, "$skiptoken", graph_seal(a, "sites", arena_printf(a, "%zu", list->to))));
    json_end(c->out);
}

/* Does some word of a text begin with the first n bytes? Without regard to case. */
static bool has_word(const char *text, const char *word, size_t n)
{
    bool begins = true;
    for (const char *p = text; p && *p; p++) {
        if (begins && strncasecmp(p, word, n) == 0)
            return true;
        begins = !isalnum((unsigned char)*p) && !((unsigned char)*p & 0x80);
    }
    return false;
}

/* All words of the question are in its name, its title, its description or its address. */
static bool matches(struct arena *a, const struct ms_site *site, const char *words)
{
    const char *url = ms_site_url(a, site);
    while (*(words += strspn(words, " \t\"'"))) {
        const size_t n = strcspn(words, " \t\"'");
        const size_t len = words[n - 1] == '*' ? n - 1 : n;
        if (len && !has_word(site->name, words, len) && !has_word(site->description, words, len) &&
            !has_word(url, words, len))
            return false;
        words += n;
    }
    return true;
}

static int list_tenant(struct call *c, const char *words)
{
    struct site_list list;
    struct ms_tenant tenant;
    struct ms_site site = {.path = ""};
    enum site_role role;
    int64_t id;
    bool begun = false;
    int r = graph_caller_tenant(c, &id);
    if (r == 1)
        r = ms_tenant_get(&c->tx, id, &tenant);
    if (r < 0 || open_list(c, "sites", &list) < 0)
        return -1;
    while (r == 1 && (r = sites_next(c, &tenant, &begun, &site)) == 1) {
        if (site_role_of(c, &site, &role) < 0)
            return -1;
        if (role >= SITE_READ && matches(c->tx.arena, &site, words))
            list_site(c, &list, &site);
    }
    end_list(c, &list);
    return r;
}

/* Without a question users get nothing, and apps all that there are (MG-592). */
static int sites_list(struct call *c)
{
    const char *words = call_query_item(c, "search");
    if (!words && call_query_item(c, "$search"))
        return site_invalid(c, "Invalid request");
    if (!words && graph_app_only(c))
        words = "";
    if (!words) {
        struct site_list list;
        if (open_list(c, "sites", &list) < 0)
            return -1;
        end_list(c, &list);
        return 0;
    }
    return list_tenant(c, words);
}

static int sites_all(struct call *c)
{
    return graph_app_only(c) ? list_tenant(c, "") : graph_denied(c);
}

/* ---- what changed ---- */

/* A round of sites/delta: those that changed since a time (0: all), a page of them from a number
 * on, and when the round began, which is where the next one begins. */
struct site_round {
    long long since, from, began;
};

static const char *round_link(struct call *c, const struct site_round *round)
{
    struct arena *a = c->tx.arena;
    return graph_next(
        c, "token",
        graph_seal(a, "sites delta",
                   arena_printf(a, "%lld %lld %lld", round->since, round->from, round->began)));
}

static int read_round(struct call *c, struct site_round *ret)
{
    const char *token = graph_option(c, "token"), *text;
    if (!token)
        token = graph_option(c, "$deltatoken");
    *ret = (struct site_round){.began = c->tx.now_us};
    if (!token || !*token)
        return 0;
    if (str_eq_nocase(token, "latest")) {
        ret->since = c->tx.now_us + 1;
        return 0;
    }
    if (graph_unseal(c->tx.arena, "sites delta", token, &text) != 1 ||
        sscanf(text, "%lld %lld %lld", &ret->since, &ret->from, &ret->began) != 3 ||
        ret->since < 0 || ret->from < 0 || ret->began < 0)
        return site_invalid(c, "Invalid paging token");
    if (ret->began > c->tx.now_us || ret->since > c->tx.now_us + 1)
        return graph_fail_resync(c, graph_next(c, "token", ""), "Resync required.");
    return 0;
}

static int sites_delta(struct call *c)
{
    struct odata_query q;
    struct site_round round;
    struct ms_tenant tenant;
    struct ms_site site = {.path = ""};
    int64_t id, n = 0;
    bool begun = false;
    int r = graph_app_only(c) ? graph_caller_tenant(c, &id) : graph_denied(c);
    if (r == 1)
        r = ms_tenant_get(&c->tx, id, &tenant);
    if (r < 0 || graph_query(c, "site", NULL, &q) < 0 || read_round(c, &round) < 0 ||
        graph_select(c, &q, 0, true) < 0)
        return -1;
    const int64_t end = round.from + (q.top < 1 || q.top > 500 ? 200 : q.top);
    json_obj(c->out, NULL);
    graph_context_of(c, "Collection(site)");
    json_arr(c->out, "value");
    while (r == 1 && (r = sites_next(c, &tenant, &begun, &site)) == 1) {
        enum site_role role;
        if (site_role_of(c, &site, &role) < 0)
            return -1;
        if (role < SITE_READ || site.changed_us < round.since || n++ < round.from || n > end)
            continue;
        json_obj(c->out, NULL);
        site_write(c, &site, true);
        json_end(c->out);
    }
    json_end(c->out);
    struct site_round next = {.since = round.began, .began = round.began};
    if (n > end)
        json_str(c->out, "@odata.nextLink",
                 round_link(c, &(struct site_round){round.since, end, round.began}));
    else
        json_str(c->out, "@odata.deltaLink", round_link(c, &next));
    json_end(c->out);
    return r;
}

static int subsites_list(struct call *c)
{
    struct site_list list;
    struct ms_site site, sub = {.id = 0};
    enum site_role role;
    int r = 0;
    if (site_of_path(c, SITE_READ, &site) < 0 ||
        open_list(c, ARENA_JOIN(c->tx.arena, site_context(c, &site), "/sites"), &list) < 0)
        return -1;
    while (site.id && (r = ms_site_next(&c->tx, site.tenant, site.id, sub.id, &sub)) == 1) {
        if (site_role_of(c, &sub, &role) < 0)
            return -1;
        if (role >= SITE_READ)
            list_site(c, &list, &sub);
    }
    end_list(c, &list);
    return r;
}

/* ---- followed sites ---- */

/* A user's are theirs and an app's to see. */
static int follower(struct call *c, struct graph_user *user, struct ms_user *ret)
{
    if (graph_whose(c, 0, user) < 0)
        return -1;
    if (!user->me && !graph_app_only(c))
        return graph_denied(c);
    int r = ms_user_of_account(&c->tx, user->account.id, ret);
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(c);
}

static int followed_list(struct call *c)
{
    static struct sql_text q = SQL_TEXT("select site from ms_site_follower where user = :user and "
                                        "site > :after order by site limit 1");
    struct site_list list;
    struct graph_user user;
    struct ms_user row;
    struct ms_site site;
    int64_t id = 0;
    int r;
    if (follower(c, &user, &row) < 0 || open_list(c, "sites", &list) < 0)
        return -1;
    while ((r = TX_INT(&c->tx, &q, &id, row.id, id)) == 1) {
        if (ms_site_get(&c->tx, id, &site) != 1)
            return -1;
        list_site(c, &list, &site);
    }
    end_list(c, &list);
    return r;
}

static int note_follower(struct call *c, const struct ms_user *user, const struct ms_site *site,
                         bool follows)
{
    static struct sql_text q_add =
        SQL_TEXT("insert or ignore into ms_site_follower (site, user) values (:site, :user)");
    static struct sql_text q_drop =
        SQL_TEXT("delete from ms_site_follower where site = :site and user = :user");
    return TX_RUN(&c->tx, follows ? &q_add : &q_drop, site->id, user->id);
}

static int follow(struct call *c, bool follows)
{
    struct ms_tenant tenant;
    struct graph_user user;
    struct ms_user row;
    struct site_list list;
    const struct json *body, *value;
    if (follower(c, &user, &row) < 0 || !(body = call_body(c)) ||
        ms_tenant_get(&c->tx, row.tenant, &tenant) != 1)
        return -1;
    value = json_get(body, "value");
    if (!value || value->type != JSON_ARRAY || !value->n || value->n > 100)
        return site_invalid(c, "Invalid request");
    struct ms_site *sites = arena_calloc(c->tx.arena, value->n, sizeof *sites);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (uint32_t i = 0; i < value->n; i++) {
        const char *id = json_get_str(&value->items[i], "id");
        enum site_role role = SITE_NONE;
        int r = id ? ms_site_find(&c->tx, &tenant, id, &sites[i]) : 0;
        if (r == 1 && site_role_of(c, &sites[i], &role) < 0)
            return -1;
        if (r != 1 || role < SITE_READ)
            return r < 0 ? -1 : site_not_found(c);
        if ((!sites[i].id && ms_site_keep(&c->tx, &sites[i]) < 0) ||
            note_follower(c, &row, &sites[i], follows) < 0)
            return -1;
    }
    if (!follows) {
        c->status = 204;
        return 0;
    }
    if (open_list(c, "sites", &list) < 0)
        return -1;
    for (uint32_t i = 0; i < value->n; i++)
        list_site(c, &list, &sites[i]);
    end_list(c, &list);
    return 0;
}

static int followed_add(struct call *c)
{
    return follow(c, true);
}

static int followed_remove(struct call *c)
{
    return follow(c, false);
}

/* ---- the methods ---- */

#define KEY(name_)                                                                                 \
    {                                                                                              \
        .name = (name_), .place = IN_PATH, .required = true                                        \
    }
static const struct param get_params[] = {SITE_PATH_PARAMS,
                                          {.name = "$select", .place = IN_QUERY},
                                          {.name = "$expand", .place = IN_QUERY}};
static const struct param path_params[] = {
    SITE_PATH_PARAMS,
    {.name = "path", .place = IN_PATH, .required = true, .summary = "Where it is: /sites/finance"},
    {.name = "$select", .place = IN_QUERY}};
#define PAGED                                                                                      \
    {.name = "$select", .place = IN_QUERY},                                                        \
        {.name = "$top", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = INT32_MAX},        \
    {                                                                                              \
        .name = "$skiptoken", .place = IN_QUERY                                                    \
    }
static const struct param search_params[] = {
    {.name = "search", .place = IN_QUERY, .summary = "Words of names and addresses; * for all"},
    PAGED};
static const struct param all_params[] = {PAGED};
static const struct param delta_params[] = {
    {.name = "$select", .place = IN_QUERY},
    {.name = "$expand", .place = IN_QUERY},
    {.name = "$top", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = INT32_MAX},
    {.name = "$deltatoken", .place = IN_QUERY, .summary = "The same as token"},
    {.name = "token",
     .place = IN_QUERY,
     .summary = "From where on: of a link, or latest; all sites without it"}};
static const struct param sub_params[] = {SITE_PATH_PARAMS, PAGED};
static const struct param mine_params[] = {KEY("user-id"), PAGED};
static const struct param follow_params[] = {KEY("user-id")};

#define SITES "microsoft.graph.siteCollectionResponse"
#define SITE  "microsoft.graph.site"

static const struct route methods[] = {
    {ROUTE("sites.get", GET, OF_SITE(""), GRAPH("/sites/{site-id}:/{site-path*}")),
     .handler = sites_get, .risk = RISK_READ, .scopes = SITES_READ, PARAMS(get_params),
     .response = SITE, .summary = "A site, by its id, its host and path, or the root"},
    {ROUTE("sites.getByPath", GET, GRAPH("/sites/{site-id}/getByPath(path={path})")),
     .handler = sites_get_by_path, .risk = RISK_READ, .scopes = SITES_READ, PARAMS(path_params),
     .response = SITE, .summary = "The site at a path below another one"},
    {ROUTE("sites.search", GET, GRAPH("/sites")), .handler = sites_list, .risk = RISK_READ,
     .scopes = SITES_READ, PARAMS(search_params), .response = SITES,
     .summary = "Sites that have these words"},
    {ROUTE("sites.getAllSites", GET, GRAPH("/sites/getAllSites()")), .handler = sites_all,
     .risk = RISK_READ, .scopes = SITES_READ, PARAMS(all_params), .response = SITES,
     .summary = "All sites of the tenant, for apps"},
    {ROUTE("sites.delta", GET, GRAPH("/sites/delta()")), .handler = sites_delta, .risk = RISK_READ,
     .scopes = SITES_READ, PARAMS(delta_params), .response = SITES,
     .summary = "Sites of the tenant that are new or have changed since, for apps"},
    {ROUTE("sites.sites.list", GET, OF_SITE("/sites")), .handler = subsites_list, .risk = RISK_READ,
     .scopes = SITES_READ, PARAMS(sub_params), .response = SITES, .summary = "The sites in a site"},
    {ROUTE("sites.followed.list", GET, GRAPH_MY("/followedSites")), .handler = followed_list,
     .risk = RISK_READ, .scopes = SITES_READ, PARAMS(mine_params), .response = SITES,
     .summary = "The sites that somebody follows"},
    {ROUTE("sites.followed.add", POST, GRAPH_MY("/followedSites/add")), .handler = followed_add,
     .risk = RISK_WRITE, .idempotent = true, .scopes = SITES_WRITE, PARAMS(follow_params),
     .body = BODY_JSON, .request = "microsoft.graph.site.add", .response = SITES,
     .summary = "Follow sites"},
    {ROUTE("sites.followed.remove", POST, GRAPH_MY("/followedSites/remove")),
     .handler = followed_remove, .risk = RISK_WRITE, .idempotent = true, .scopes = SITES_WRITE,
     PARAMS(follow_params), .body = BODY_JSON, .request = "microsoft.graph.site.add", .status = 204,
     .summary = "Follow sites no more"},
};
const struct rows site_rows = ROWS(methods);

/* ---- the dialect ---- */

static const struct gloss glossary[] = {
    {"$expand", "Which relationships are given with it"},
    {"$select", "Only these properties"},
    {"$skiptoken", "Where the next page begins, from nextLink"},
    {"$top", "At most so many"},
    {"group-id", "The id of a group of Microsoft 365"},
    {"page-id", "The GUID of a page"},
    {"permission-id", "The id of a permission"},
    {"site-id", "The id of a site: root, a host, or HOST,GUID,GUID"},
    {"site-path", "The path behind the host, as sites/finance"},
    {"user-id", "The id of a user, or the user principal name"},
};

static const struct graph_api api = {.workload = GRAPH_FILES};

/* Of a user (learn.microsoft.com/sharepoint/dev/general-development, throttling). */
static const struct rate_class rates[] = {
    {.name = "User", .per_actor = true, .limit = 3000, .period_us = 300 * US_PER_SECOND},
    {.name = NULL},
};

const struct dialect sites_dialect = {
    .name = "microsoft.sites",
    .title = "SharePoint sites (Microsoft Graph)",
    .vendor = &microsoft_vendor,
    .tables = TABLES(&site_rows, &site_page_rows, &site_permission_rows),
    .schemas = graph_schemas,
    .n_schemas = GRAPH_SCHEMAS,
    .glossary = glossary,
    .n_glossary = SOSIA_LEN(glossary),
    .rates = rates,
    .summary = "Sites: where they are, who follows them, which apps may use them",
    .facts = &api,
    .tools = &sites_tools,
};

/* ---- for models ---- */

static const struct tool_common common[] = {
    {"sites.search", "search $top"},
    {"sites.get", "site-id site-path $select"},
    {"sites.sites.list", "site-id $top"},
    {NULL},
};

const struct dialect_tools sites_tools = {
    .name = "sharepoint_sites",
    .title = "SharePoint sites",
    .place = 12,
    .fields = "$select",
    .services = ACCOUNT_DRIVE,
    .common = common,
};
