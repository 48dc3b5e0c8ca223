/* SPDX-License-Identifier: Apache-2.0 */
/* What models find of the directory and of contacts: short arguments. */
#include "engine/api/tools.h"
#include "vendors/microsoft/directory/contact.h"
#include "vendors/microsoft/directory/rows.h"

/* Who has any account with Microsoft. */
#define ANY_SERVICE (ACCOUNT_MAIL | ACCOUNT_CALENDAR | ACCOUNT_DRIVE | ACCOUNT_CHAT)
#define PAGE        "$top $select $filter $orderby "

static const struct tool_common common[] = {
    {"directory.users.me", "$select"},
    {"directory.users.list", PAGE "$search"},
    {"directory.users.get", "$select"},
    {"directory.users.manager", "$select"},
    {"directory.users.directReports", "$select"},
    {"directory.users.memberOf", "$select"},
    {"directory.groups.list", PAGE "$search"},
    {"directory.groups.get", "$select"},
    {"directory.groups.members", "$top $select"},
    {"directory.people.list", "$top $search"},
    {"directory.organization.list", "$select"},
    {NULL},
};

const struct dialect_tools directory_tools = {
    .name = "microsoft_directory",
    .title = "Microsoft directory",
    .place = 8,
    .fields = "$select",
    .by_address = true,
    .services = ANY_SERVICE,
    .common = common,
};

static const struct tool_common contacts_common[] = {
    {"contacts.list", PAGE},
    {"contacts.get", "$select"},
    {"contacts.create", "body.givenName body.surname body.emailAddresses body.businessPhones "
                        "body.mobilePhone body.companyName body.jobTitle"},
    {"contacts.update", "body.givenName body.surname body.emailAddresses body.businessPhones "
                        "body.mobilePhone body.companyName body.jobTitle"},
    {"contacts.delete", ""},
    {"contacts.folders.list", ""},
    {NULL},
};

const struct dialect_tools contacts_tools = {
    .name = "outlook_contacts",
    .title = "Outlook contacts",
    .place = 9,
    .fields = "$select",
    .by_address = true,
    .services = ANY_SERVICE,
    .common = contacts_common,
};
