/* SPDX-License-Identifier: Apache-2.0 */
/* Teams' own tables, and its place in the engine. */
#include "engine/blob/blob.h"
#include "services/chat/teams/teams.h"

extern const char chat_teams_sql[];

static const struct section sections[] = {
    {.name = "microsoftTeams", .seed = teams_complete},
};

#define NO_INSTANT(column) column " not between 0 and 8589934591000000"

static const struct core_rule rules[] = {
    {"teams_change", "channel <> message >> 43"},
    {"teams_change", "number not between 1 and 4611686018427387904"},
    {"teams_change", NO_INSTANT("modified_us")},
    {"teams_hosted", "not exists (select 1 from blob b where b.id = teams_hosted.blob)"},
    {"teams_operation", NO_INSTANT("at_us")},
    {"teams_presence", NO_INSTANT("preferred_until_us")},
    {"teams_presence", NO_INSTANT("session_until_us")},
    {"teams_presence", NO_INSTANT("status_us")},
    {"teams_presence", "case when status is null then 0 when json_valid(status) then "
                       "json_type(status) <> 'object' else 1 end"},
    {NULL, NULL},
};

static const struct core_policy policies[] = {{CHAT_CORE, "microsoft", &teams_vendor},
                                              {NULL, NULL, NULL}};

/* Each row that names a blob has a reference of it. */
static int derive(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select blob from teams_hosted order by id");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1)
        if (blob_ref(tx, sqlite3_column_int64(st, 0)) < 0) {
            sql_done(st);
            return -1;
        }
    return r;
}

const struct sosia_core chat_teams_core = {
    .name = "chat.teams",
    .schema = chat_teams_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .rules = rules,
    .policies = policies,
    .derive = derive,
};
