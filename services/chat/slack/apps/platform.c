/* SPDX-License-Identifier: Apache-2.0 */
/* What apps keep at the vendor's platform, as the engine sees it. */
#include "services/chat/slack/apps/platform.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/store.h"

extern const char chat_platform_sql[];

static const struct section sections[] = {
    {.name = "datastoreItems",
     .stored = &slack_datum_stored,
     .ids = SECTION_IDS("select id from slack_datum order by workspace, app, store, key")},
    {.name = "workflowTriggers",
     .stored = &slack_flow_trigger_stored,
     .ids = SECTION_IDS("select id from slack_flow_trigger order by id")},
    {.name = "featuredWorkflows",
     .stored = &slack_featured_stored,
     .ids = SECTION_IDS("select id from slack_featured order by channel, place, id")},
    {.name = "functionPermissions",
     .stored = &slack_distribution_stored,
     .ids = SECTION_IDS("select id from slack_distribution order by app, function")},
    {.name = "externalTokens",
     .stored = &slack_external_stored,
     .ids = SECTION_IDS("select id from slack_external order by id")},
};

static const struct entity entities[] = {
    {.name = "datastoreItem", .table = "slack_datum", .stored = &slack_datum_stored},
    {.name = "workflowTrigger",
     .table = "slack_flow_trigger",
     .stored = &slack_flow_trigger_stored},
    {.name = "featuredWorkflow", .table = "slack_featured", .stored = &slack_featured_stored},
    {.name = "functionPermission",
     .table = "slack_distribution",
     .stored = &slack_distribution_stored},
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
