/* SPDX-License-Identifier: Apache-2.0 */
/* Methods of teams: whose they are, making, changing, archiving them (MG-465, 670 to 674). */
#include "engine/text/civil.h"
#include "services/chat/teams/rows.h"
#include "vendors/microsoft/query.h"
#include <strings.h>

enum { TEAMS_LISTED = 100 }; /* on a page of all */

/* ---- reading ---- */

struct listing {
    struct teams_at *at;
    const struct odata_query *q;
    const struct chat_team *team; /* that is looked at */
    int64_t n;
    bool counts;
    int rc;
};

static int write_whole_team(void *arg)
{
    struct listing *l = arg;
    return teams_write_team(l->at, l->team, false);
}

static int list_team(void *arg, const struct chat_team *t)
{
    struct listing *l = arg;
    l->team = t;
    int r = teams_is_asked(l->at->c, l->q, write_whole_team, l);
    if (r != 1) {
        l->rc = r;
        return r < 0;
    }
    l->n++;
    if (l->counts)
        return 0;
    json_obj(l->at->c->out, NULL);
    l->rc = teams_write_team(l->at, t, false);
    json_end(l->at->c->out);
    return l->rc < 0;
}

struct page {
    struct teams_at *at;
    const struct odata_query *q;
    const struct chat_team *team; /* that is looked at */
    int64_t n, from, top;         /* found so far; of the page */
    bool writes;                  /* the page, and stops behind it */
    int rc;
};

static int write_paged_team(void *arg)
{
    struct page *p = arg;
    return teams_write_team(p->at, p->team, false);
}

static int count_team(void *arg, const struct chat_team *t)
{
    struct page *p = arg;
    p->team = t;
    int r = teams_is_gone(t) ? 0 : teams_is_asked(p->at->c, p->q, write_paged_team, p);
    if (r != 1) {
        p->rc = r;
        return r < 0;
    }
    const int64_t i = p->n++;
    if (!p->writes || i < p->from)
        return 0;
    if (i >= p->from + p->top)
        return 1;
    json_obj(p->at->c->out, NULL);
    p->rc = teams_write_team(p->at, t, false);
    json_end(p->at->c->out);
    return p->rc < 0;
}

static int teams_joined(struct call *c)
{
    struct odata_query q;
    struct listing l = {.q = &q, .counts = true};
    struct teams_at at;
    if (teams_open(c, &at) < 0 || teams_options(c, "team", "$select $filter", &q) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ID, true) < 0)
        return -1;
    l.at = &at;
    json_obj(c->out, NULL);
    graph_context(c, "teams%s", odata_context(c->tx.arena, &q));
    if (at.me.id && (chat_teams(&c->tx, at.workspace.id, at.me.id, list_team, &l) < 0 || l.rc < 0))
        return -1;
    json_int(c->out, "@odata.count", l.n);
    l.counts = false;
    json_arr(c->out, "value");
    if (at.me.id && (chat_teams(&c->tx, at.workspace.id, at.me.id, list_team, &l) < 0 || l.rc < 0))
        return -1;
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* GET /teams: all of the tenant, also those that the caller is not in. */
static int teams_list(struct call *c)
{
    struct odata_query q;
    struct page p = {.q = &q};
    struct teams_at at;
    if (teams_open(c, &at) < 0 || teams_options(c, "team", "$select $filter $top $count", &q) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ID, true) < 0 || (p.from = teams_skiptoken(c, "teams")) < 0)
        return -1;
    p.at = &at;
    p.top = q.top > 0 && q.top < TEAMS_LISTED ? q.top : TEAMS_LISTED;
    if (at.workspace.id && (chat_teams(&c->tx, at.workspace.id, 0, count_team, &p) < 0 || p.rc < 0))
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "teams%s", odata_context(c->tx.arena, &q));
    json_int(c->out, "@odata.count", p.n);
    if (p.n > p.from + p.top)
        json_str(c->out, "@odata.nextLink", teams_next(c, "teams", p.from + p.top));
    json_arr(c->out, "value");
    p.n = 0;
    p.writes = true;
    if (at.workspace.id && (chat_teams(&c->tx, at.workspace.id, 0, count_team, &p) < 0 || p.rc < 0))
        return -1;
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int team_get(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    if (teams_open(c, &at) < 0 || teams_team(&at) < 0 ||
        teams_options(c, "team", "$select $expand", &q) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ID, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "teams%s/$entity", odata_context(c->tx.arena, &q));
    int r = teams_write_team(&at, &at.team, true);
    json_end(c->out);
    return r;
}

/* ---- operations ---- */

static int operation_get(struct call *c)
{
    static struct sql_text q = SQL_TEXT("select kind, at_us, target from teams_operation where "
                                        "team = :team and key = :key");
    const char *id = param_str(c, "operation-id");
    struct teams_at at;
    sqlite3_stmt *st;
    if (teams_open(c, &at) < 0 || teams_team(&at) < 0)
        return -1;
    int r = TX_ROW(&c->tx, &q, &st, at.team.id, id);
    if (r != 1)
        return r < 0 ? -1 : graph_not_found(c);
    const int kind = sqlite3_column_int(st, 0);
    const char *when = graph_date(c->tx.arena, sqlite3_column_int64(st, 1), 7);
    const char *of = tx_string(&c->tx, st, 2), *target = of ? of : at.team.key;
    sql_done(st);
    json_obj(c->out, NULL);
    graph_context(c, "teams('%s')/operations/$entity", at.team.key);
    json_str(c->out, "id", id);
    json_word(c->out, "operationType", teams_operation_types[kind]);
    json_str(c->out, "createdDateTime", when);
    json_word(c->out, "status", "succeeded");
    json_str(c->out, "lastActionDateTime", when);
    json_int(c->out, "attemptsCount", 1);
    json_str(c->out, "targetResourceId", target);
    json_str(c->out, "targetResourceLocation", arena_printf(c->tx.arena, "/teams('%s')", target));
    json_str(c->out, "Value", "{\"apps\":[],\"channels\":[]}");
    json_null(c->out, "error");
    json_end(c->out);
    return 0;
}

/* ---- changing ---- */

/* The members of a body that a team keeps as they are. */
static const char *settings_of(struct arena *a, const char *text, const struct json *body)
{
    static const char *const groups[] = {"memberSettings", "guestSettings", "messagingSettings",
                                         "funSettings", "discoverySettings"};
    for (size_t g = 0; g < SOSIA_LEN(groups); g++) {
        const struct json *given = json_get(body, groups[g]);
        const struct json *all = teams_properties(a, text);
        const struct json *old = all ? json_get(all, groups[g]) : NULL;
        if (!given || given->type != JSON_OBJECT)
            continue;
        const char *merged = old ? json_to_text(a, old) : "{}";
        for (uint32_t i = 0; i < given->n; i++)
            merged = teams_with(a, merged, given->members[i].key, &given->members[i].value);
        const struct json *v = teams_properties(a, merged);
        text = v ? teams_with(a, text ? text : "{}", groups[g], v) : text;
        if (!text)
            return NULL;
    }
    return text;
}

static int team_update(struct call *c)
{
    static const char *const changed[] = {"name", "description", "properties", NULL};
    const struct json *body;
    struct ms_group g;
    struct teams_at at;
    if (teams_open_write(c, &at) < 0 || teams_team(&at) < 0 || !(body = call_body(c)))
        return -1;
    int r = teams_owns(&at);
    if (r != 1)
        return r < 0 ? -1 : graph_denied(c);
    const char *name = json_get_str(body, "displayName");
    const char *about = json_get_str(body, "description");
    const char *visibility = json_get_str(body, "visibility");
    if (name && teams_check_name(c, name) < 0)
        return -1;
    if (at.team.archived)
        return graph_denied(c);
    at.team.name = name ? name : at.team.name;
    at.team.description = about ? about : at.team.description;
    at.team.properties = settings_of(c->tx.arena, at.team.properties, body);
    c->status = 204;
    if (chat_team_save(&c->tx, &at.team, changed) < 0)
        return -1;
    r = name || about || visibility ? ms_group_find(&c->tx, at.team.key, at.tenant.id, &g) : 0;
    if (r != 1)
        return r < 0 ? -1 : 0;
    g.name = at.team.name;
    g.description = *at.team.description ? at.team.description : NULL;
    g.visibility = teams_visibility(visibility, g.visibility);
    return ms_group_save(&c->tx, &g);
}

static int set_archived(struct call *c, bool archived)
{
    static const char *const changed[] = {"archived", NULL};
    struct teams_at at;
    if (teams_open_write(c, &at) < 0 || teams_team(&at) < 0)
        return -1;
    int r = teams_owns(&at);
    if (r != 1)
        return r < 0 ? -1 : graph_denied(c);
    if (at.team.archived != archived) {
        at.team.archived = archived;
        if (chat_team_save(&c->tx, &at.team, changed) < 0)
            return -1;
    }
    return teams_accepted(&at, archived ? TEAMS_ARCHIVE : TEAMS_UNARCHIVE, NULL);
}

static int team_archive(struct call *c)
{
    return set_archived(c, true);
}

static int team_unarchive(struct call *c)
{
    return set_archived(c, false);
}

/* ---- making ---- */

/* Those that the body lists; one of them is an owner, or who makes it. */
static int add_listed(struct teams_at *at, const struct json *body, bool *ret_owned)
{
    const struct json *list = json_get(body, "members");
    struct ms_user user;
    for (uint32_t i = 0; list && i < list->n; i++) {
        const char *bind = json_get_str(&list->items[i], "user@odata.bind");
        const struct json *roles = json_get(&list->items[i], "roles");
        const char *role =
            roles && roles->type == JSON_ARRAY && roles->n && roles->items[0].type == JSON_STRING
                ? roles->items[0].str
                : "";
        int r = bind ? teams_find_user(at, bind, &user) : 0;
        if (r != 1)
            return r < 0 ? -1 : teams_bad(at->c, "Invalid bind property name members in request.");
        if (teams_join(at, &user,
                       strcasecmp(role, "owner") == 0 ? CHAT_PART_OWNER : CHAT_PART_MEMBER) < 0)
            return -1;
        *ret_owned |= strcasecmp(role, "owner") == 0;
    }
    return 0;
}

static int add_team(struct teams_at *at, struct chat_team *t, const struct json *body)
{
    const char *first = json_get_str(body, "firstChannelName");
    struct chat_channel primary;
    t->workspace = at->workspace.id;
    t->created_s = at->c->tx.now_us / US_PER_SECOND;
    t->properties = settings_of(at->c->tx.arena, NULL, body);
    if (chat_team_add(&at->c->tx, t) < 0)
        return -1;
    at->team = *t;
    return teams_add_primary(&at->c->tx, t, first && *first ? first : "General", &primary);
}

/* A group of Microsoft 365 becomes a team, with its members and owners. */
static int team_of_group(struct teams_at *at, const struct ms_group *g, const struct json *body)
{
    struct chat_team t = {.key = g->oid,
                          .name = g->name,
                          .description = g->description ? g->description : ""},
                     other;
    const char *email = NULL;
    int r = chat_team_find(&at->c->tx, at->workspace.id, g->oid, &other);
    if (r)
        return r < 0 ? -1
                     : call_fail(at->c, SOSIA_E_CONFLICT, "Conflict", NULL,
                                 "Team already exists for group with ID '%s'.", g->oid);
    if (!g->unified)
        return teams_bad(at->c, "Group must be a Microsoft 365 group.");
    if (!at->app) {
        r = ms_owner_is(&at->c->tx, g->id, at->user.id);
        if (r != 1)
            return r < 0 ? -1 : graph_denied(at->c);
    }
    if (add_team(at, &t, body) < 0)
        return -1;
    while ((r = group_next_member(&at->c->tx, g->addresses, email ? email : "", &email)) == 1) {
        struct ms_user user;
        int is = ms_user_find(&at->c->tx, email, at->tenant.id, &user);
        int owner = is == 1 ? ms_owner_is(&at->c->tx, g->id, user.id) : is;
        if (owner < 0 ||
            (is == 1 && teams_join(at, &user, owner ? CHAT_PART_OWNER : CHAT_PART_MEMBER) < 0))
            return -1;
    }
    return r;
}

static int find_group(struct teams_at *at, const char *bind, struct ms_group *ret)
{
    const char *open = strchr(bind, '\''), *slash = strrchr(bind, '/');
    struct arena *a = at->c->tx.arena;
    const char *id = open    ? arena_memdup(a, open + 1, strcspn(open + 1, "'"))
                     : slash ? slash + 1
                             : bind;
    int r = ms_group_find(&at->c->tx, id, at->tenant.id, ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(at->c, SOSIA_E_NOT_FOUND, "NotFound", NULL,
                               "Failed to find group with id '%.80s'.", id);
}

static int new_team(struct teams_at *at, const struct json *body)
{
    struct call *c = at->c;
    const char *about = json_get_str(body, "description");
    struct chat_team t = {.name = json_get_str(body, "displayName"),
                          .description = about ? about : ""};
    struct ms_group g;
    bool owned = false;
    if (teams_check_name(c, t.name) < 0)
        return -1;
    if (!(t.key = teams_key(&c->tx, CHAT_THING_TEAM, CHAT_PUBLIC)) ||
        teams_make_group(&c->tx, &at->tenant, &t,
                         teams_visibility(json_get_str(body, "visibility"), "Public"), &g) < 0 ||
        add_team(at, &t, body) < 0)
        return -1;
    if (!at->app) {
        owned = true;
        if (teams_join(at, &at->user, CHAT_PART_OWNER) < 0)
            return -1;
    }
    if (add_listed(at, body, &owned) < 0)
        return -1;
    if (!owned)
        return teams_bad(c, "A team owner must be provided when creating a team in application "
                            "context.");
    call_header(c, "Content-Location", arena_printf(c->tx.arena, "/teams('%s')", t.key));
    return 0;
}

static int team_create(struct call *c)
{
    const struct json *body;
    struct ms_group g;
    struct teams_at at;
    if (teams_open_write(c, &at) < 0 || !(body = call_body(c)))
        return -1;
    const char *template = json_get_str(body, "template@odata.bind");
    const char *group = json_get_str(body, "group@odata.bind");
    if (!template)
        return teams_bad(c, "Invalid bind property name template in request.");
    if (!strstr(template, "teamsTemplates"))
        return teams_bad(c, "Template is not in a valid format.");
    if ((group ? find_group(&at, group, &g) < 0 || team_of_group(&at, &g, body) < 0
               : new_team(&at, body) < 0))
        return -1;
    return teams_accepted(&at, TEAMS_CREATE, NULL);
}

/* PUT /groups/{id}/team */
static int group_team(struct call *c)
{
    const struct json *body;
    struct ms_group g;
    struct teams_at at;
    if (teams_open_write(c, &at) < 0 || !(body = call_body(c)) ||
        find_group(&at, param_str(c, "group-id"), &g) < 0 || team_of_group(&at, &g, body) < 0)
        return -1;
    c->status = 201;
    json_obj(c->out, NULL);
    graph_context(c, "teams/$entity");
    int r = teams_write_team(&at, &at.team, true);
    json_end(c->out);
    return r;
}

/* ---- rows ---- */

static const struct param joined_params[] = {USER_PARAM, OPTION("$select"), OPTION("$filter")};
static const struct param list_params[] = {OPTION("$count"), OPTION("$filter"), OPTION("$select"),
                                           OPTION("$skiptoken"), OPTION("$top")};
static const struct param team_params[] = {PATH_PARAM("team-id")};
static const struct param get_params[] = {PATH_PARAM("team-id"), OPTION("$expand"),
                                          OPTION("$select")};
static const struct param operation_params[] = {PATH_PARAM("team-id"), PATH_PARAM("operation-id")};
static const struct param group_get_params[] = {PATH_PARAM("group-id"), OPTION("$expand"),
                                                OPTION("$select")};
static const struct param group_params[] = {PATH_PARAM("group-id")};

static const struct route routes[] = {
    ROW("teams.joinedTeams.list", GET, (GRAPH_MY("/joinedTeams")), teams_joined, RISK_READ,
        .scopes = TEAM_BASIC, PARAMS(joined_params),
        .response = "microsoft.graph.teamCollectionResponse",
        .summary = "Lists the teams that somebody is in"),
    ROW("teams.teams.list", GET, (GRAPH("/teams")), teams_list, RISK_READ,
        .scopes =
            "Team.ReadBasic.All TeamSettings.Read.All TeamSettings.ReadWrite.All" GROUPS DIRECTORY,
        PARAMS(list_params), .response = "microsoft.graph.teamCollectionResponse",
        .summary = "Lists all teams of the tenant"),
    ROW("teams.teams.get", GET, (GRAPH(TEAM)), team_get, RISK_READ, .scopes = TEAM_READ,
        PARAMS(get_params), .response = "microsoft.graph.team",
        .summary = "A team with its settings"),
    ROW("teams.teams.create", POST, (GRAPH("/teams")), team_create, RISK_WRITE,
        .scopes = TEAM_CREATE, .n_params = 0, .body = BODY_JSON, .status = 202,
        .request = "microsoft.graph.team", .summary = "Makes a team, of a template or of a group"),
    ROW("teams.groups.team.get", GET, (GRAPH("/groups/{group-id}/team")), team_get, RISK_READ,
        .scopes = TEAM_READ, PARAMS(group_get_params), .response = "microsoft.graph.team",
        .summary = "The team that a group is"),
    ROW("teams.groups.team", PUT, (GRAPH("/groups/{group-id}/team")), group_team, RISK_WRITE,
        .scopes = TEAM_CREATE, PARAMS(group_params), .body = BODY_JSON, .status = 201,
        .request = "microsoft.graph.team", .response = "microsoft.graph.team",
        .summary = "Makes a team of a group"),
    ROW("teams.teams.update", PATCH, (GRAPH(TEAM)), team_update, RISK_WRITE, .scopes = TEAM_WRITE,
        PARAMS(team_params), .body = BODY_JSON, .status = 204, .idempotent = true,
        .request = "microsoft.graph.team", .summary = "Changes a team's name and settings"),
    ROW("teams.teams.archive", POST, (GRAPH(TEAM "/archive")), team_archive, RISK_WRITE,
        .scopes = TEAM_WRITE, PARAMS(team_params), .body = BODY_JSON, .status = 202,
        .needs_body = true, .request = "microsoft.graph.team.archive",
        .summary = "Makes a team read only"),
    ROW("teams.teams.unarchive", POST, (GRAPH(TEAM "/unarchive")), team_unarchive, RISK_WRITE,
        .scopes = TEAM_WRITE, PARAMS(team_params), .status = 202,
        .summary = "Ends a team's being read only"),
    ROW("teams.operations.get", GET, (GRAPH(TEAM "/operations/{operation-id}")), operation_get,
        RISK_READ, .scopes = TEAM_READ, PARAMS(operation_params),
        .response = "microsoft.graph.teamsAsyncOperation",
        .summary = "How far the making or archiving of a team is"),
};
const struct rows teams_team_rows = ROWS(routes);
