/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of teams: done as soon as they are asked for. */
#include "services/chat/teams/teams.h"

const char *const teams_operation_types[] = {"createTeam",      "archiveTeam", "unarchiveTeam",
                                             "createChannel",   "cloneTeam",   "archiveChannel",
                                             "unarchiveChannel"};

int teams_accepted(struct teams_at *at, enum teams_operation type, const char *target)
{
    static struct sql_text q =
        SQL_TEXT("insert into teams_operation (team, key, kind, at_us, target) "
                 "values (:team, :key, :kind, :at, :target)");
    struct call *c = at->c;
    struct arena *a = c->tx.arena;
    uint8_t b[8];
    if (tx_id(&c->tx, "teams.operation", b, sizeof b) < 0)
        return -1;
    const char *id = graph_guid(a, "operation",
                                arena_printf(a, "%02x%02x%02x%02x%02x%02x%02x%02x", b[0], b[1],
                                             b[2], b[3], b[4], b[5], b[6], b[7]));
    c->status = 202;
    call_header(c, "Location", arena_printf(a, "/teams('%s')/operations('%s')", at->team.key, id));
    return TX_RUN(&c->tx, &q, at->team.id, id, (int)type, c->tx.now_us, target);
}
