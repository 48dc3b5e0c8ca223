/* SPDX-License-Identifier: Apache-2.0 */
/* The filters of the set "community", and what runs tools of its mail. */
#ifndef SOSIA_MCP_COMMUNITY_H
#define SOSIA_MCP_COMMUNITY_H

#include "mcp/sets/set.h"

extern const struct set_filter community_calendar_filters[], community_drive_filters[],
    community_gmail_filters[], community_slack_filters[], community_slack_more_filters[];

int community_gmail_send(struct set_run *r, const struct json **ret);
int community_gmail_download(struct set_run *r, const struct json **ret);

#endif
