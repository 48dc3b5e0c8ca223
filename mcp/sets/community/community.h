/* SPDX-License-Identifier: Apache-2.0 */
/* The filters of the set "community". */
#ifndef SOSIA_MCP_COMMUNITY_H
#define SOSIA_MCP_COMMUNITY_H

#include "mcp/sets/set.h"

extern const struct set_filter community_calendar_filters[], community_drive_filters[],
    community_gmail_filters[], community_slack_filters[], community_slack_more_filters[];

#endif
