/* SPDX-License-Identifier: Apache-2.0 */
/* What apps keep at the vendor's platform, as the engine sees it. */
#include "services/chat/slack/apps/platform.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/store.h"

extern const char chat_platform_sql[];

static const struct section sections[] = {
    {.name = "datastoreItems",
     .seed_one = chat_datum_seed,
     .ids = SECTION_IDS("select id from slack_datum order by workspace, app, store, key"),
     .dump_one = chat_datum_dump},
    {.name = "workflowTriggers",
     .seed_one = chat_flow_trigger_seed,
     .ids = SECTION_IDS("select id from slack_flow_trigger order by id"),
     .dump_one = chat_flow_trigger_dump},
    {.name = "featuredWorkflows",
     .seed_one = chat_featured_seed,
     .ids = SECTION_IDS("select id from slack_featured order by channel, place, id"),
     .dump_one = chat_featured_dump},
    {.name = "functionPermissions",
     .seed_one = chat_distribution_seed,
     .ids = SECTION_IDS("select id from slack_distribution order by app, function"),
     .dump_one = chat_distribution_dump},
    {.name = "externalTokens",
     .stored = &slack_external_stored,
     .ids = SECTION_IDS("select id from slack_external order by id")},
};

static int flow_trigger_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from slack_flow_trigger where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

static const struct entity entities[] = {
    {.name = "datastoreItem",
     .table = "slack_datum",
     .key = chat_datum_key,
     .dump = chat_datum_dump,
     .members = "workspace app datastore id item.**"},
    {.name = "workflowTrigger",
     .table = "slack_flow_trigger",
     .key = flow_trigger_key,
     .dump = chat_flow_trigger_dump,
     .members = "workspace id app title workflow permission entities.**"},
    {.name = "featuredWorkflow",
     .table = "slack_featured",
     .key = chat_featured_key,
     .dump = chat_featured_dump,
     .members = "workspace channel trigger place"},
    {.name = "functionPermission",
     .table = "slack_distribution",
     .key = chat_distribution_key,
     .dump = chat_distribution_dump,
     .members = "app function permission entities.**"},
    {.name = "externalToken", .table = "slack_external", .stored = &slack_external_stored},
};

#define NO_OBJECT(column)                                                                          \
    "case when json_valid(" column ") then json_type(" column ") <> 'object' else 1 end"

static const struct core_rule rules[] = {
    {"slack_datum", "length(cast(key as blob)) not between 1 and 2048"},
    {"slack_datum", NO_OBJECT("item")},
    {"slack_flow_trigger", "length(key) not between 3 and 40"},
    {"slack_flow_trigger", NO_OBJECT("entities")},
    {"slack_featured", "place < 1"},
    {"slack_featured", "(select t.workspace from slack_flow_trigger t where t.id = \"trigger\") "
                       "<> " CHAT_SQL_CHANNEL_WORKSPACE("channel")},
    {"slack_distribution", NO_OBJECT("entities")},
    {"slack_external", "length(key) not between 3 and 40"},
    {"slack_external", "expires_s not between 0 and 8589934591"},
    {"slack_external", "extras is not null and " NO_OBJECT("extras")},
    {NULL, NULL},
};

const struct sosia_core chat_platform_core = {
    .name = "chat.platform",
    .schema = chat_platform_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .rules = rules,
    .secrets = "update slack_external set token = 'withheld', refresh = null;",
};
