/* SPDX-License-Identifier: Apache-2.0 */
/* The interface to the engine of what OneDrive keeps besides items, and its place in it. */
#include "services/drive/onedrive/content/upload.h"
#include "services/drive/onedrive/view.h"
#include "vendors/microsoft/find.h"
#include "vendors/microsoft/subscription.h"

extern const char onedrive_sql[];
extern const struct graph_feed onedrive_feed;    /* feed.c */
extern const struct graph_searched onedrive_any; /* find.c */
extern const struct graph_finder onedrive_finder, onedrive_drive_finder;

static const struct provision provisions[] = {
    {"microsoft", ACCOUNT_DRIVE, "person service", false, drive_provision},
    {NULL, 0, NULL, false, NULL},
};

static const struct core_policy policies[] = {{DRIVE_CORE, "microsoft", &onedrive_vendor},
                                              {GRAPH_CORE, "microsoft", &onedrive_feed},
                                              {SITES_CORE, "microsoft", &onedrive_files},
                                              {GRAPH_SEARCHED, "microsoft", &onedrive_any},
                                              {GRAPH_FIND, "microsoft", &onedrive_finder},
                                              {GRAPH_FIND, "microsoft", &onedrive_drive_finder},
                                              {NULL, NULL, NULL}};

static const struct entity_addition additions[] = {
    {"file", {"onedrive_item", ENTITY_OWNER("select ?1")}},
    {"file", {"onedrive_checkout", ENTITY_OWNER("select ?1")}},
    {"file", {"onedrive_app", ENTITY_OWNER("select item from onedrive_app where id = ?1")}},
    {"file", {"onedrive_table", ENTITY_OWNER("select item from onedrive_table where id = ?1")}},
    {NULL, {NULL, NULL}},
};

static int due(struct tx *tx, const char *kind, int64_t ref)
{
    return strcmp(kind, ONEDRIVE_DUE_UPLOAD) == 0 ? onedrive_upload_due(tx, ref) : 0;
}

#define NO_TIME(column) column " not between -62135596800000000 and 253402300799999999"

static const struct core_rule rules[] = {
    {"onedrive_upload", "conflict not between 0 and 2"},
    {"onedrive_upload", "deferred not in (0, 1)"},
    {"onedrive_upload", "total not between -1 and 5497558138880"},
    {"onedrive_upload", "size not between 0 and 5497558138880"},
    {"onedrive_upload", "(blob is null) <> (size = 0)"},
    {"onedrive_upload", "item is null and (folder is null or name is null)"},
    {"onedrive_upload", NO_TIME("made_us")},
    {"onedrive_upload", NO_TIME("changed_us")},
    {"onedrive_upload", NO_TIME("expires_us")},
    {"onedrive_table", "top not between 0 and bottom or bottom not between 0 and 1000000"},
    {"onedrive_table", "\"left\" not between 0 and \"right\" or \"right\" not between 0 and 18277"},
    {"onedrive_table", "number < 1 or name = ''"},
    {0},
};

const struct sosia_core onedrive_core = {
    .name = ONEDRIVE_CORE,
    .schema = onedrive_sql,
    .provisions = provisions,
    .policies = policies,
    .views = onedrive_views,
    .additions = additions,
    .due = due,
    .derive = onedrive_uploads_derive,
    .rules = rules,
    .secrets = "update onedrive_upload set secret = '';",
};
