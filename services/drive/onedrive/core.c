/* SPDX-License-Identifier: Apache-2.0 */
/* The interface to the engine of what OneDrive keeps besides items, and its place in it. */
#include "services/drive/onedrive/onedrive.h"

extern const char onedrive_sql[];

static const struct provision provisions[] = {
    {"microsoft", ACCOUNT_DRIVE, "person", false, drive_provision},
    {NULL, 0, NULL, false, NULL},
};

static const struct core_policy policies[] = {{DRIVE_CORE, "microsoft", &onedrive_vendor},
                                              {NULL, NULL, NULL}};

static const struct entity_addition additions[] = {
    {"file", {"onedrive_item", ENTITY_OWNER("select ?1")}},
    {NULL, {NULL, NULL}},
};

const struct sosia_core onedrive_core = {
    .name = "onedrive",
    .schema = onedrive_sql,
    .provisions = provisions,
    .policies = policies,
    .additions = additions,
};
