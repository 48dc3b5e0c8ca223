/* SPDX-License-Identifier: Apache-2.0 */
/* Channels that are shared with people of other teams: with which teams, and which teams somebody
 * has to do with because of them. What a team shares with another team as a whole is not kept, so
 * each of these channels is its own team's alone, with members of its own. */
#include "services/chat/teams/rows.h"
#include "vendors/microsoft/query.h"

/* The members of a teamInfo. */
static void write_team_info(struct teams_at *at, const struct chat_team *t)
{
    struct json_writer *w = at->c->out;
    json_str(w, "id", t->key);
    json_str(w, "tenantId", at->tenant.guid);
    json_str(w, "displayName", t->name);
}

static int open_shared(struct call *c, struct teams_at *at, struct odata_query *q,
                       const char *allowed)
{
    if (teams_open(c, at) < 0 || teams_channel(at) < 0 ||
        teams_options(c, "sharedWithChannelTeamInfo", allowed, q) < 0)
        return -1;
    return teams_is_shared(&at->channel)
               ? 0
               : teams_bad(c, "The operation is supported for shared channels alone.");
}

static const char *shared_place(struct teams_at *at)
{
    struct arena *a = at->c->tx.arena;
    return arena_printf(a, "teams('%s')/channels%s/sharedWithTeams", at->team.key,
                        graph_key(a, at->channel.key));
}

static int shared_list(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    if (open_shared(c, &at, &q, "$select") < 0 || graph_select(c, &q, ODATA_KEEP_ID, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s", shared_place(&at));
    json_int(c->out, "@odata.count", 1);
    json_arr(c->out, "value");
    json_obj(c->out, NULL);
    write_team_info(&at, &at.team);
    json_bool(c->out, "isHostTeam", true);
    json_end(c->out);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int shared_get(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    if (open_shared(c, &at, &q, "$select") < 0)
        return -1;
    if (strcmp(param_str(c, "sharedWithChannelTeamInfo-id"), at.team.key) != 0)
        return graph_not_found(c);
    if (graph_select(c, &q, ODATA_KEEP_ID, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/$entity", shared_place(&at));
    write_team_info(&at, &at.team);
    json_bool(c->out, "isHostTeam", true);
    json_end(c->out);
    return 0;
}

/* Those of other teams, of which there are none. */
static int incoming_list(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    if (teams_open(c, &at) < 0 || teams_team(&at) < 0 ||
        teams_options(c, "channel", "$select $filter", &q) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "teams('%s')/incomingChannels%s", at.team.key, odata_context(c->tx.arena, &q));
    json_int(c->out, "@odata.count", 0);
    json_arr(c->out, "value");
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- teams of somebody ---- */

struct teams_list {
    struct teams_at *at;
    int64_t *teams;
    size_t n, cap;
    bool failed;
};

static int note_team(struct teams_list *l, int64_t team)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->teams[i] == team)
            return 0;
    if (!(l->teams = arena_grow(l->at->c->tx.arena, l->teams, l->n, &l->cap, sizeof *l->teams))) {
        l->failed = true;
        return 1;
    }
    l->teams[l->n++] = team;
    return 0;
}

static int take_team(void *arg, const struct chat_team *t)
{
    return teams_is_gone(t) ? 0 : note_team(arg, t->id);
}

static int take_channel(void *arg, const struct chat_channel *ch)
{
    return ch->team && teams_is_shared(ch) && !teams_is_deleted(ch) ? note_team(arg, ch->team) : 0;
}

/* Those that the user is in, then those that have a shared channel with the user in it. */
static int associated_list(struct call *c)
{
    struct teams_at at;
    struct teams_list l = {.at = &at};
    struct odata_query q;
    if (teams_open(c, &at) < 0 || teams_options(c, "associatedTeamInfo", "", &q) < 0)
        return -1;
    if (at.me.id && (chat_teams(&c->tx, at.workspace.id, at.me.id, take_team, &l) < 0 ||
                     chat_channels(&c->tx, at.workspace.id, at.me.id, NULL, take_channel, &l) < 0))
        return -1;
    if (l.failed)
        return sosia_fail_memory(c->tx.err);
    json_obj(c->out, NULL);
    graph_context(c, "Collection(microsoft.graph.associatedTeamInfo)");
    json_int(c->out, "@odata.count", (int64_t)l.n);
    json_arr(c->out, "value");
    for (size_t i = 0; i < l.n; i++) {
        struct chat_team t;
        if (chat_team_get(&c->tx, l.teams[i], &t) != 1)
            return -1;
        json_obj(c->out, NULL);
        write_team_info(&at, &t);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- rows ---- */

#define SHARED CHANNEL "/sharedWithTeams"
#define INFO   "microsoft.graph.sharedWithChannelTeamInfo"

static const struct param list_params[] = {PATH_PARAM("team-id"), PATH_PARAM("channel-id"),
                                           OPTION("$select")};
static const struct param get_params[] = {PATH_PARAM("team-id"), PATH_PARAM("channel-id"),
                                          PATH_PARAM("sharedWithChannelTeamInfo-id"),
                                          OPTION("$select")};
static const struct param incoming_params[] = {PATH_PARAM("team-id"), OPTION("$select"),
                                               OPTION("$filter")};
static const struct param associated_params[] = {USER_PARAM};

static const struct route routes[] = {
    ROW("teams.channels.sharedWithTeams.list", GET, (GRAPH(SHARED)), shared_list, RISK_READ,
        .scopes = CHANNEL_READ, PARAMS(list_params), .response = INFO "CollectionResponse",
        .summary = "Lists the teams that have a shared channel"),
    ROW("teams.channels.sharedWithTeams.get", GET,
        (GRAPH(SHARED "/{sharedWithChannelTeamInfo-id}")), shared_get, RISK_READ,
        .scopes = CHANNEL_READ, PARAMS(get_params), .response = INFO,
        .summary = "A team that has a shared channel"),
    ROW("teams.incomingChannels.list", GET, (GRAPH(TEAM "/incomingChannels")), incoming_list,
        RISK_READ, .scopes = CHANNEL_READ, PARAMS(incoming_params),
        .response = "microsoft.graph.channelCollectionResponse",
        .summary = "Lists the channels that other teams share with a team"),
    ROW("teams.associatedTeams.list", GET, (GRAPH_MY("/teamwork/associatedTeams")), associated_list,
        RISK_READ, .scopes = TEAM_BASIC, PARAMS(associated_params),
        .response = "microsoft.graph.associatedTeamInfoCollectionResponse",
        .summary = "Lists the teams that somebody is in, or has a shared channel of"),
};
const struct rows teams_shared_rows = ROWS(routes);
