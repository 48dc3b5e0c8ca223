/* SPDX-License-Identifier: Apache-2.0 */
/* Files in responses of other methods. */
#ifndef SOSIA_SL_FILES_H
#define SOSIA_SL_FILES_H

#include "services/chat/slack/sl.h"

/* processed: with its type and where it is shared, which the service knows some time after the
 * upload. */
int sl_write_file(struct call *c, const char *key, const struct chat_file *f, bool processed);
/* Where files go: channel_id, or channels; at most 101. */
int sl_file_targets(struct call *c, struct chat_channel *ret, size_t *ret_n);
/* An argument that is a time, in seconds; `otherwise` if it is absent, "now" or none. */
int64_t sl_seconds_arg(struct call *c, const char *name, int64_t otherwise);
bool sl_is_file_type(const char *filetype);
/* The members of a message that has files. */
int sl_write_files(struct call *c, const struct chat_message *m);
/* Posts them to a channel, with the method's initial_comment or blocks, in its thread_ts. */
int sl_share_files(struct call *c, struct chat_channel *ch, struct chat_file *files, size_t n);

#endif
