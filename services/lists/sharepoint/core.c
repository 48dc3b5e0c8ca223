/* SPDX-License-Identifier: Apache-2.0 */
/* What the dialect lays down for cores: whose lists are, files of libraries, and what is watched.
 */
#include "engine/base/codec.h"
#include "services/lists/sharepoint/sharepoint.h"
#include "vendors/microsoft/find.h"
#include "vendors/microsoft/subscription.h"

static int place_find(struct tx *tx, const char *text, const char **ret)
{
    struct ms_site site;
    int r = ms_site_by_address(tx, text, &site);
    if (r == 1)
        *ret = site.key;
    return r;
}

static int place_name(struct tx *tx, const char *key, const char **ret)
{
    struct ms_site site;
    int r = ms_site_by_key(tx, key, &site);
    if (r == 1)
        *ret = ARENA_JOIN(tx->arena, site.host, site.path);
    return r;
}

static const struct lists_vendor vendor = {.place_find = place_find, .place_name = place_name};
static const struct core_policy policies[] = {
    {LISTS_CORE, "microsoft", &vendor},         {SITES_LISTS, "microsoft", &sp_lists},
    {GRAPH_CORE, "microsoft", &sp_feed},        {GRAPH_FIND, "microsoft", &sp_list_finder},
    {GRAPH_FIND, "microsoft", &sp_item_finder}, {NULL, NULL, NULL}};

const struct sosia_core sharepoint_core = {
    .name = "lists.sharepoint", .schema = "", .policies = policies, .views = sp_views};
