/* SPDX-License-Identifier: Apache-2.0 */
/* Sites in the resources of subscriptions: for feeds of what is in sites. */
#ifndef SOSIA_MICROSOFT_SITES_WATCHED_H
#define SOSIA_MICROSOFT_SITES_WATCHED_H

#include "vendors/microsoft/sites/sites.h"
#include "vendors/microsoft/subscription.h"

/* What subscriptions to libraries and lists need, by Graph's table of permissions: who only reads
 * may not (learn.microsoft.com/graph/api/subscription-post-subscriptions). */
#define SITES_WATCH_FILES "Files.ReadWrite.All Sites.ReadWrite.All Sites.Selected"
#define SITES_WATCH_LISTS SITES_WRITE

/* The site that a resource begins with ("sites/ID", "sites/HOST:/sites/finance:", "groups/ID") and
 * *at behind it. 1, 0 there is none, -1. */
int site_of_resource(struct tx *tx, const struct graph_watcher *who, const char **at,
                     struct ms_site *ret);
/* May who watches read the site? 1, 0, -1. */
int site_may_watch(struct tx *tx, const struct graph_watcher *who, const struct ms_site *site);
/* The same for a subscription that is made, whose token needs one of these scopes. 1, -1
 * refused. */
int site_watch_open(struct tx *tx, const struct graph_watcher *who, const struct ms_site *site,
                    const char *scopes);

#endif
