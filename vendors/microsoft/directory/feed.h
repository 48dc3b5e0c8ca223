/* SPDX-License-Identifier: Apache-2.0 */
/* What is announced of users and groups; the scope is their tenant. */
#ifndef SOSIA_MICROSOFT_DIRECTORY_FEED_H
#define SOSIA_MICROSOFT_DIRECTORY_FEED_H

#include "vendors/microsoft/subscription.h"

extern const struct graph_feed dir_users_feed, dir_groups_feed;

#endif
