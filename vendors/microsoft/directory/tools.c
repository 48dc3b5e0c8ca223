/* SPDX-License-Identifier: Apache-2.0 */
/* What models find of the directory and of contacts: short arguments. */
#include "vendors/microsoft/directory/contact.h"
#include "vendors/microsoft/directory/rows.h"

#define ANY_SERVICE (ACCOUNT_CALENDAR | ACCOUNT_MAIL | ACCOUNT_DRIVE | ACCOUNT_CHAT)
#define PAGE        "$top $select $filter $orderby $search "

static const char *const options[] = {"$count",  "$expand", "$filter", "$orderby", "$search",
                                      "$select", "$skip",   "$top",    NULL};

static const struct tool_common directory_common[] = {
    {"directory.users.me", "$select"},
    {"directory.users.list", PAGE},
    {"directory.users.get", "$select $expand"},
    {"directory.users.manager", "user-id $select"},
    {"directory.users.directReports", "user-id $select"},
    {"directory.groups.list", PAGE},
    {"directory.groups.members", "$select $top"},
    {NULL},
};

const struct dialect_tools directory_tools = {
    .name = "directory",
    .title = "Microsoft Graph: users, groups and the tenant",
    .place = 8,
    .options = options,
    .services = ANY_SERVICE,
    .common = directory_common,
};

#define CONTACT "body.givenName body.surname body.emailAddresses body.companyName "

static const struct tool_common contacts_common[] = {
    {"contacts.list", PAGE "contactFolder-id"},
    {"contacts.create", CONTACT},
    {"contacts.update", CONTACT},
    {NULL},
};

const struct dialect_tools contacts_tools = {
    .name = "contacts",
    .title = "Microsoft Graph: contacts",
    .place = 9,
    .options = options,
    .by_address = true,
    .services = ACCOUNT_MAIL,
    .common = contacts_common,
};
