/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of sites by Microsoft Graph: the tables of their methods, and what models find of them. */
#include "engine/text/civil.h"
#include "services/lists/sharepoint/sharepoint.h"

static const struct gloss glossary[] = {
    {"$deltatoken", "The same as token"},
    {"$expand",
     "What is answered too: fields, or fields($select=Title,Status); of lists columns, items"},
    {"$filter",
     "Only what this holds for: fields/Status eq 'Open'; of lists displayName eq 'Tasks'"},
    {"$orderby", "In the order of a column: fields/Title desc"},
    {"$select", "Only these properties"},
    {"$skiptoken", "Where the next page begins, from nextLink"},
    {"$top", "At most so many"},
    {"columnDefinition-id", "The id or the name of a column"},
    {"drive-id", "The id of a drive"},
    {"driveItem-id", "The id of a file or a folder"},
    {"group-id", "The id of a group of Microsoft 365"},
    {"item-path", "The path below that item, with slashes between the names"},
    {"list-id", "The GUID of a list, or its title"},
    {"listItem-id", "The number of an item"},
    {"listItemVersion-id", "The id of a version, as 2.0"},
    {"site-id", "The id of a site: root, a host, or HOST,GUID,GUID"},
    {"site-path", "The path behind the host, as sites/finance"},
    {"special-id", "The name of a special folder"},
    {"user-id", "The id of a user, or the user principal name"},
};

static const struct graph_api api = {.workload = GRAPH_FILES};

/* Of a user (learn.microsoft.com/sharepoint/dev/general-development, throttling). */
static const struct rate_class rates[] = {
    {.name = "User", .per_actor = true, .limit = 3000, .period_us = 300 * US_PER_SECOND},
    {.name = NULL},
};

const struct dialect sharepoint_dialect = {
    .name = "lists.sharepoint",
    .title = "SharePoint lists (Microsoft Graph)",
    .vendor = &microsoft_vendor,
    .tables =
        TABLES(&sp_list_rows, &sp_column_rows, &sp_item_rows, &sp_change_rows, &sp_listed_rows),
    .schemas = graph_schemas,
    .n_schemas = GRAPH_SCHEMAS,
    .glossary = glossary,
    .n_glossary = SOSIA_LEN(glossary),
    .rates = rates,
    .summary = "Lists of sites: columns, items with their values, versions, changes",
    .facts = &api,
    .tools = &sharepoint_tools,
};

static const struct tool_common common[] = {
    {"sharepoint.lists.list", "site-id $top"},
    {"sharepoint.columns.list", "site-id list-id"},
    {"sharepoint.items.list", "site-id list-id $expand $filter $top"},
    {"sharepoint.items.get", "site-id list-id listItem-id"},
    {"sharepoint.items.create", "site-id list-id body.fields"},
    {"sharepoint.items.fields.update", "site-id list-id listItem-id body"},
    {"sharepoint.items.delete", "site-id list-id listItem-id"},
    {NULL},
};

const struct dialect_tools sharepoint_tools = {
    .name = "sharepoint_lists",
    .title = "SharePoint lists",
    .place = 13,
    .fields = "$select",
    .services = ACCOUNT_DRIVE,
    .common = common,
};
