/* SPDX-License-Identifier: Apache-2.0 */
/* What the tools of community servers for drives do beside their steps: each looks things up,
 * remembers what the row's templates need, and runs the steps. */
#ifndef SOSIA_MCP_CDRIVE_H
#define SOSIA_MCP_CDRIVE_H

#include "mcp/sets/set.h"

#define CDRIVE_FOLDER "application/vnd.google-apps.folder"

int cdrive_add_permission(struct set_run *r, const struct json **ret);
int cdrive_copy(struct set_run *r, const struct json **ret);
int cdrive_create_folder(struct set_run *r, const struct json **ret);
int cdrive_create_text(struct set_run *r, const struct json **ret);
int cdrive_download(struct set_run *r, const struct json **ret);
int cdrive_move(struct set_run *r, const struct json **ret);
int cdrive_read(struct set_run *r, const struct json **ret);
int cdrive_read_text(struct set_run *r, const struct json **ret);
int cdrive_remove_permission(struct set_run *r, const struct json **ret);
int cdrive_rename(struct set_run *r, const struct json **ret);
int cdrive_restore(struct set_run *r, const struct json **ret);
int cdrive_search(struct set_run *r, const struct json **ret);
int cdrive_share(struct set_run *r, const struct json **ret);
int cdrive_shortcut(struct set_run *r, const struct json **ret);
int cdrive_update_text(struct set_run *r, const struct json **ret);
int cdrive_upload(struct set_run *r, const struct json **ret);

#endif
