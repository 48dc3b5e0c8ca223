/* SPDX-License-Identifier: Apache-2.0 */
/* What has changed of users and groups since a token was given out. */
#include "engine/base/codec.h"
#include "engine/world/take.h"
#include "vendors/microsoft/directory/rows.h"
#include <stdio.h>

enum { PAGE = 100 };

/* A walk over changes: those of numbers above `from`, up to `upto`, which the first page has set.
 */
struct walk {
    int64_t from, upto;
    bool first;         /* all that is there, and nothing that is gone */
    const char *select; /* of the first request; "": none */
};

static const char *purpose_of(struct call *c, const char *kind, const struct ms_tenant *tenant)
{
    return arena_printf(c->tx.arena, "delta %s %s", kind, tenant->guid);
}

static int64_t last_change(struct call *c, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select max(coalesce((select max(change) from ms_user), 0), coalesce((select max(change) "
        "from ms_group), 0), coalesce((select max(change) from ms_gone), 0)) where :one = 1");
    return TX_INT(&c->tx, &q, ret, 1);
}

/* "from upto first" of the token in the request; without one everything that is there. */
static int read_walk(struct call *c, const char *purpose, struct walk *ret)
{
    const char *token = graph_option(c, "$skiptoken"), *text;
    long long from, upto;
    int first, n = 0;
    if (!token)
        token = graph_option(c, "$deltatoken");
    *ret = (struct walk){.first = true, .select = graph_option(c, "$select")};
    if (!ret->select)
        ret->select = "";
    if (!token)
        return last_change(c, &ret->upto) < 0 ? -1 : 0;
    if (strcmp(token, "latest") == 0) {
        ret->first = false;
        return last_change(c, &ret->upto) < 0 || (ret->from = ret->upto, 0) ? -1 : 0;
    }
    if (graph_unseal(c->tx.arena, purpose, token, &text) != 1 ||
        sscanf(text, "%lld %lld %d%n", &from, &upto, &first, &n) != 3 ||
        (text[n] && text[n] != ' '))
        return call_fail(c, SOSIA_E_INVALID, "Directory_ExpiredPageToken", NULL,
                         "The specified page token value has expired and can no longer be included "
                         "in your request.");
    *ret = (struct walk){from, upto, first != 0, text + n + (text[n] == ' ')};
    return upto >= 0 ? 0 : last_change(c, &ret->upto) < 0 ? -1 : 0;
}

/* A token has what the first request selected (MG-342). */
static const char *token_of(struct call *c, const char *purpose, const struct walk *w, int64_t from,
                            int64_t upto, bool first)
{
    return graph_seal(c->tx.arena, purpose,
                      arena_printf(c->tx.arena, "%lld %lld %d%s%s", (long long)from,
                                   (long long)upto, first, *w->select ? " " : "", w->select));
}

/* The next change of the kind: a row that is there (*ret_id), or one that is gone (*ret_oid). */
static int next_change(struct call *c, const struct dir_kind *kind, const struct ms_tenant *tenant,
                       const struct walk *w, int64_t *ret_at, int64_t *ret_id, const char **ret_oid)
{
    static struct sql_text q_user = SQL_TEXT(
        "select id, change, null from ms_user where tenant = :tenant and not deleted and change > "
        ":from and change <= :upto union all select 0, change, oid from ms_gone where tenant = "
        ":tenant and kind = 'user' and change > :from and change <= :upto and not :first order by "
        "2 limit 1");
    static struct sql_text q_group = SQL_TEXT(
        "select id, change, null from ms_group where tenant = :tenant and change > :from and "
        "change <= :upto union all select 0, change, oid from ms_gone where tenant = :tenant and "
        "kind = 'group' and change > :from and change <= :upto and not :first order by 2 limit 1");
    return TX_TAKE(&c->tx,
                   TX_QUERY(&c->tx, kind == &dir_user ? &q_user : &q_group, tenant->id, w->from,
                            w->upto, (int64_t)w->first),
                   ret_id, ret_at, ret_oid);
}

struct changed {
    int64_t id;
    const char *oid;
};

static int write_changed(struct call *c, const struct dir_kind *kind, const struct changed *at,
                         const struct odata_query *q)
{
    if (at->id)
        return dir_write_thing(c, &(struct dir_item){kind, at->id}, q) < 0 ? -1 : 0;
    json_obj(c->out, NULL);
    json_str(c->out, "id", at->oid);
    json_obj(c->out, "@removed");
    json_str(c->out, "reason", "changed");
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int delta(struct call *c, const struct dir_kind *kind)
{
    struct changed list[PAGE];
    struct ms_tenant tenant;
    struct odata_query q;
    struct walk w;
    size_t n = 0;
    int r = 1;
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    const char *purpose = purpose_of(c, kind->set, &tenant);
    if (read_walk(c, purpose, &w) < 0 || dir_delta_select(c, kind, w.select, &q) < 0)
        return -1;
    while (n < PAGE &&
           (r = next_change(c, kind, &tenant, &w, &w.from, &list[n].id, &list[n].oid)) == 1)
        n++;
    if (r < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s", kind->set,
                  graph_option(c, "$select") ? odata_context(c->tx.arena, &q) : "");
    if (n == PAGE)
        json_str(c->out, "@odata.nextLink",
                 graph_link(c, "$skiptoken", token_of(c, purpose, &w, w.from, w.upto, w.first)));
    else
        json_str(c->out, "@odata.deltaLink",
                 graph_link(c, "$deltatoken", token_of(c, purpose, &w, w.upto, -1, false)));
    json_arr(c->out, "value");
    for (size_t i = 0; i < n; i++)
        if (write_changed(c, kind, &list[i], &q) < 0)
            return -1;
    json_end(c->out);
    json_end(c->out);
    graph_applied(c, "odata.track-changes", NULL, false);
    return 0;
}

static int users_delta(struct call *c)
{
    return delta(c, &dir_user);
}

static int groups_delta(struct call *c)
{
    return delta(c, &dir_group);
}

static const struct route methods[] = {
    {ROUTE("directory.users.delta", GET, GRAPH("/users/delta()")), .handler = users_delta,
     .risk = RISK_READ,
     .scopes = "User.Read.All User.ReadWrite.All Directory.Read.All Directory.ReadWrite.All",
     PARAMS(dir_list_params), .response = "microsoft.graph.userCollectionResponse",
     .summary = "What has changed of the tenant's users"},
    {ROUTE("directory.groups.delta", GET, GRAPH("/groups/delta()")), .handler = groups_delta,
     .risk = RISK_READ, .scopes = READ_GROUPS, PARAMS(dir_list_params),
     .response = "microsoft.graph.groupCollectionResponse",
     .summary = "What has changed of the tenant's groups"},
};

const struct rows dir_delta_rows = ROWS(methods);

/* ---- the dialect ---- */

static const struct graph_api api = {.workload = GRAPH_DIRECTORY};
static const char *const prefixes[] = {"/v1.0/users",
                                       "/beta/users",
                                       "/v1.0/groups",
                                       "/beta/groups",
                                       "/v1.0/organization",
                                       "/beta/organization",
                                       "/v1.0/directoryObjects",
                                       "/beta/directoryObjects",
                                       NULL};

const struct dialect directory_dialect = {
    .name = "directory.microsoft",
    .title = "Microsoft Graph: users, groups and the tenant",
    .vendor = &microsoft_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&dir_user_rows, &dir_invitation_rows, &dir_relation_rows, &dir_member_rows,
                     &dir_session_rows, &dir_group_rows, &dir_organization_rows, &dir_delta_rows,
                     &dir_photo_rows, &dir_people_rows),
    .schemas = graph_schemas,
    .n_schemas = GRAPH_SCHEMAS,
    .glossary = dir_glossary,
    .n_glossary = DIR_GLOSSARY,
    .tools = &directory_tools,
    .rates = graph_directory_rates,
    .facts = &api,
};
