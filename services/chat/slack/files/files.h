/* SPDX-License-Identifier: Apache-2.0 */
/* Files in responses of other methods. */
#ifndef SOSIA_SL_FILES_H
#define SOSIA_SL_FILES_H

#include "services/chat/slack/sl.h"

enum sl_file_view {
    SL_FILE_NEW,       /* just uploaded: its type and where it is are known some time later */
    SL_FILE_WHOLE,     /* by itself */
    SL_FILE_IN_MESSAGE /* without where it is shared */
};
/* A file as the caller sees it. 0, -1. */
int sl_write_file(struct call *c, const char *key, const struct chat_file *f,
                  enum sl_file_view view);
/* Is it shared in a public channel? Entries of apps are not public there (concluded). 1, 0, -1. */
int sl_file_is_open(struct call *c, const struct chat_file *f);
/* Where files go: channel_id, or channels; at most 101. */
int sl_file_targets(struct call *c, struct chat_channel *ret, size_t *ret_n);
/* A file by its id that the caller may see; deleted: the refusal of one that was deleted. */
int sl_file_arg(struct call *c, const char *name, const char *deleted, struct chat_file *ret);
struct sl_file_type {
    const char *ending, *filetype, *pretty, *mimetype;
};
/* By the ending of a name, or by its own name; the type of any bytes if there is none. */
const struct sl_file_type *sl_type_of_name(const char *name);
const struct sl_file_type *sl_type_named(const char *filetype);
bool sl_is_file_type(const char *filetype);
/* Members that tell of the content (file_parts.c): of a text, which has lines; of a picture, if it
 * is one. */
void sl_write_text_parts(struct call *c, const struct chat_file *f, const char *permalink);
int sl_write_picture_parts(struct call *c, const struct chat_file *f);
/* Does an address with these digits and this last part name a picture made of the file? 1, 0, -1.
 */
int sl_is_picture_part(struct call *c, const struct chat_file *f, const char *digits,
                       const char *name);
/* A name as it is in addresses. */
const char *sl_file_url_name(struct call *c, const char *name);
/* "files" of a message that has some; ret_uploaded: one of them is not of an app alone. 0, -1. */
int sl_write_file_list(struct call *c, const struct chat_message *m, bool *ret_uploaded);
/* The members of a message that has files; listed: of a history or a thread. */
int sl_write_files(struct call *c, const struct chat_message *m, bool listed);
/* Posts them to a channel, with the method's initial_comment or blocks, in its thread_ts. */
int sl_share_files(struct call *c, struct chat_channel *ch, struct chat_file *files, size_t n);

#endif
