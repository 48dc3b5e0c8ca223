/* SPDX-License-Identifier: Apache-2.0 */
/* OneDrive by Microsoft Graph: the tables of its methods, and what is common to them. */
#include "engine/text/civil.h"
#include "services/drive/onedrive/workbook/workbook.h"

static const struct gloss glossary[] = {
    {"$count", "With the number of all items"},
    {"$expand", "What is answered too: children, thumbnails"},
    {"$filter", "Only what this holds for: name eq 'a.txt', folder ne null"},
    {"$orderby", "In the order of name, size or lastModifiedDateTime, with asc or desc"},
    {"$select", "Only these properties"},
    {"$skip", "So many are passed over"},
    {"$skiptoken", "Where the next page begins, from nextLink"},
    {"$top", "At most so many"},
    {ONEDRIVE_CONFLICT, "Where the name is there already: fail, replace or rename"},
    {"drive-id", "The id of a drive"},
    {"driveItem-id", "The id of a file or a folder; root: the drive's top"},
    {"group-id", "The id of a group of Microsoft 365"},
    {"item-path", "The path below that item, with slashes between the names"},
    {"list-id", "The GUID of a library, or its name"},
    {"listItem-id", "The number of a file in the list of its library"},
    {"permission-id", "The id of a permission or a sharing link"},
    {"sharedDriveItem-id", "u! and the address of a sharing link in base64url without padding"},
    {"site-id", "The id of a site: root, a host, or HOST,GUID,GUID"},
    {"site-path", "The path of a site behind its host, as sites/finance"},
    {"special-id", "The name of a special folder: documents, photos, music, approot"},
    {"thumbnail-size", "large, medium, small, source, or a size as c300x400 or c300x400_crop"},
    {"thumbnailSet-id", "The number of a set of thumbnails: 0"},
    {"user-id", "The id of a user, or the user principal name"},
    {"version-id", "The id of a version, as 2.0; current: the newest"},
    {"workbookTable-id", "The name of a table, or its number"},
    {"workbookWorksheet-id", "The name of a sheet, or its id"},
};

/* Of a user (learn.microsoft.com/sharepoint/dev/general-development, throttling). */
static const struct rate_class rates[] = {
    {.name = "User", .per_actor = true, .limit = 3000, .period_us = 300 * US_PER_SECOND},
    {.name = NULL},
};

static const struct graph_api api = {.workload = GRAPH_FILES};

const struct dialect onedrive_dialect = {
    .name = "drive.onedrive",
    .title = "OneDrive (Microsoft Graph)",
    .vendor = &microsoft_vendor,
    .tables =
        TABLES(&onedrive_drives, &onedrive_items, &onedrive_changes, &onedrive_contents,
               &onedrive_uploads, &onedrive_deltas, &onedrive_permissions, &onedrive_found,
               &onedrive_shares, &onedrive_pictures, &onedrive_recycled, &onedrive_versions,
               &onedrive_mine, &onedrive_checkouts, &workbook_sheet_rows, &workbook_table_rows),
    .schemas = graph_schemas,
    .n_schemas = GRAPH_SCHEMAS,
    .glossary = glossary,
    .n_glossary = SOSIA_LEN(glossary),
    .rates = rates,
    .summary = "Drives: files, folders, their content, sharing",
    .facts = &api,
    .tools = &onedrive_tools,
};
