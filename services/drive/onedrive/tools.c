/* SPDX-License-Identifier: Apache-2.0 */
/* What models find of OneDrive: short arguments. */
#include "services/drive/onedrive/onedrive.h"

static const struct tool_common common[] = {
    {"onedrive.drives.get", ""},
    {"onedrive.items.get", "driveItem-id item-path $select $expand"},
    {"onedrive.items.children.list", "driveItem-id item-path $top $select $orderby"},
    {"onedrive.items.children.create", "driveItem-id item-path body.name body.folder"},
    {"onedrive.items.update", "driveItem-id body.name body.parentReference body.description"},
    {"onedrive.items.delete", "driveItem-id item-path"},
    {"onedrive.items.copy", "driveItem-id body.name body.parentReference"},
    {"onedrive.items.content.get", "driveItem-id item-path"},
    {"onedrive.items.content.put", "driveItem-id item-path media"},
    {NULL},
};

const struct dialect_tools onedrive_tools = {
    .name = "onedrive",
    .title = "OneDrive",
    .place = 11,
    .fields = "$select",
    .by_address = true,
    .services = ACCOUNT_DRIVE,
    .common = common,
};
