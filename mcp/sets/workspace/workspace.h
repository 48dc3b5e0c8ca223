/* SPDX-License-Identifier: Apache-2.0 */
/* What the tools of the set "workspace" have in common. */
#ifndef SOSIA_MCP_WORKSPACE_H
#define SOSIA_MCP_WORKSPACE_H

#include "mcp/sets/set.h"

/* Every tool of the set: whose account it is, what an action needs ("$_create" and the like hold
 * then), and the file behind a shortcut, "$_file"; then the row's steps. */
int workspace_run(struct set_run *r, const struct json **ret);
/* The same without the steps. 1; 0: refused; -1. */
int workspace_begin(struct set_run *r);

/* Filter: the letter of the arguments, as "raw" has it; what comes with it is "$_with" then. With
 * the argument "draft" it needs no recipients. */
const struct json *workspace_letter(struct set_run *r, const struct json *v, const char *arg,
                                    const struct json *item);
/* Makes a draft: signature, quotation and what it answers are looked up before the steps. */
int workspace_draft(struct set_run *r, const struct json **ret);

/* The content of the file. */
int workspace_file_content(struct set_run *r, const struct json **ret);
/* Changes who may open the file. */
int workspace_share(struct set_run *r, const struct json **ret);

extern const struct set_filter workspace_calendar_filters[], workspace_drive_filters[],
    workspace_gmail_filters[];

#endif
