/* SPDX-License-Identifier: Apache-2.0 */
/* What the tools of the set "hosted" run, and their filters. */
#ifndef SOSIA_MCP_HOSTED_H
#define SOSIA_MCP_HOSTED_H

#include "mcp/sets/set.h"

int hosted_current_time(struct set_run *r, const struct json **ret);
int hosted_free_slots(struct set_run *r, const struct json **ret);
int hosted_attachments(struct set_run *r, const struct json **ret);
int hosted_search_documents(struct set_run *r, const struct json **ret);
int hosted_retrieve_documents(struct set_run *r, const struct json **ret);
int hosted_get_tree(struct set_run *r, const struct json **ret);
int hosted_get_document(struct set_run *r, const struct json **ret);
int hosted_read_drive_file(struct set_run *r, const struct json **ret);
/* That of the set "reference". */
int hosted_search_files(struct set_run *r, const struct json **ret);

extern const struct set_filter hosted_calendar_filters[], hosted_gmail_filters[],
    hosted_slack_filters[], hosted_outlook_filters[], hosted_onedrive_filters[];

#endif
