/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts of vendors, for servers of tests that serve none. */
#ifndef TESTS_SUPPORT_HOSTS_H
#define TESTS_SUPPORT_HOSTS_H

#include <stddef.h>

static const char *const test_hosts[] = {
    "www.googleapis.com",
    "*.googleapis.com",
    "accounts.google.com",
    "mail-settings.google.com",
    "slack.com",
    "*.slack.com",
    "graph.microsoft.com",
    "login.microsoftonline.com",
    NULL,
};

#endif
