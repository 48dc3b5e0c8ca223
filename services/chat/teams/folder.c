/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a channel's files, in the site of its team; private and shared channels have one of
 * their own, which their members alone see. */
#include "services/chat/teams/rows.h"
#include "vendors/microsoft/folder.h"

/* It is made when somebody looks for it first, as clients do. */
static int folder_get(struct call *c)
{
    const struct graph_files *files = core_policy_nth(&c->tx, GRAPH_FILES, 0);
    const bool primary = !param_given(c, "channel-id");
    struct ms_group group;
    struct teams_at at;
    if (teams_open(c, &at) < 0 || (primary ? teams_team(&at) : teams_channel(&at)) < 0)
        return -1;
    int r = primary ? chat_team_general(&c->tx, at.team.id, &at.channel) : 1;
    if (r == 1)
        r = ms_group_find(&c->tx, at.team.key, at.tenant.id, &group);
    if (r < 0)
        return -1;
    if (!r || !files)
        return call_fail(c, SOSIA_E_NOT_FOUND, "NotFound", NULL,
                         "Folder location for this channel is not ready yet, please try again "
                         "later.");
    return files->folder(c, &group, at.channel.kind == CHAT_PRIVATE ? at.channel.key : NULL,
                         at.channel.name,
                         arena_printf(c->tx.arena, "teams('%s')/channels%s/filesFolder/$entity",
                                      at.team.key, graph_key(c->tx.arena, at.channel.key)));
}

static const struct param params[] = {PATH_PARAM("team-id"),
                                      {.name = "channel-id", .place = IN_PATH}};

static const struct route routes[] = {
    ROW("teams.channels.filesFolder.get", GET,
        (GRAPH(CHANNEL "/filesFolder"), GRAPH(TEAM "/primaryChannel/filesFolder")), folder_get,
        RISK_DRAFT,
        .scopes = "Files.Read.All Files.ReadWrite.All Sites.Read.All Sites.ReadWrite.All" GROUPS,
        PARAMS(params), .response = "microsoft.graph.driveItem",
        .summary = "The folder of a channel's files"),
};
const struct rows teams_folder_rows = ROWS(routes);
