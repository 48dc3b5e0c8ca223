/* SPDX-License-Identifier: Apache-2.0 */
/* What tools have in common whose answers are lines with commas (RFC 4180). */
#ifndef SOSIA_MCP_LINES_H
#define SOSIA_MCP_LINES_H

#include "mcp/sets/set.h"

/* The columns of messages. */
#define LINES_MESSAGES                                                                             \
    "MsgID,UserID,UserName,RealName,Channel,ThreadTs,Text,Time,Permalink,Reactions,BotName,"       \
    "FileCount,AttachmentIDs,HasMedia,Cursor\n"

/* One line; a value of NULL is empty. */
void lines_add(struct buf *b, const char *const *values, size_t n);

/* The item of a list whose member is that text; NULL: none. */
const struct json *lines_item(const struct json *list, const char *member, const char *value);
/* Is the message listed, or of those that say who joined and the like? */
bool lines_shows(const struct set_run *r, const struct json *message);
/* The line of a message. Its people are those of the first response. */
void lines_message(struct set_run *r, struct buf *b, const struct json *message,
                   const char *channel, const char *cursor);
/* What a conversation is called: "#general", "@bob". */
const char *lines_name(struct set_run *r, const struct json *channel);
/* When a message was written, of its ts: "2026-03-12T08:00:00Z". */
const char *lines_time(struct set_run *r, int64_t seconds);
/* Are there images among the blocks of a message? */
bool lines_image(const struct json *message);

/* Filters: a conversation if it is said by its name; the id of one that is said by either, looked
 * up in the second response. */
const struct json *lines_named(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item);
const struct json *lines_id(struct set_run *r, const struct json *v, const char *arg,
                            const struct json *item);

/* ---- what the rows run ---- */

int lines_file_data(struct set_run *r, const struct json **ret);
int lines_unreads(struct set_run *r, const struct json **ret);
int lines_groups_of_me(struct set_run *r, const struct json **ret);

#endif
