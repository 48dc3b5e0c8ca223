/* SPDX-License-Identifier: Apache-2.0 */
/* What dialects ask of the core's rows besides chat.h: counts, names and lists that some method
 * wants. Look-ups give 1 found, 0 not, -1 failed. */
#ifndef SOSIA_CHAT_ASK_H
#define SOSIA_CHAT_ASK_H

#include "services/chat/core/chat.h"

/* ---- people ---- */

/* Are they in a channel together? 1, 0, -1. */
int chat_users_meet(struct tx *tx, int64_t a, int64_t b);
/* Is the user in a public or private channel? 1, 0, -1. */
int chat_user_has_channel(struct tx *tx, int64_t user);
/* By the display name or the real name, whatever the case. */
int chat_user_by_full_name(struct tx *tx, int64_t workspace, const char *name,
                           struct chat_user *ret);
/* By key, of one of the workspaces with which the channel is shared. */
int chat_user_sharing(struct tx *tx, int64_t channel, const char *key, struct chat_user *ret);

/* ---- channels ---- */

/* The first one that everybody is in. */
int chat_channel_general(struct tx *tx, int64_t workspace, struct chat_channel *ret);
/* Sets the member alone, without an event. */
int chat_channel_set_properties(struct tx *tx, int64_t channel, const char *json);
/* Have other workspaces it too? 1, 0, -1. */
int chat_channel_is_shared(struct tx *tx, int64_t channel);
/* Of the channels that two workspaces have: how many there are of a kind; when something was posted
 * in one of them last (0: never); one of them that is one of the two's own, and which of the two
 * has it as well. 0 (the last: 1, 0), -1. */
int chat_channels_between(struct tx *tx, enum chat_kind kind, int64_t a, int64_t b, int64_t *ret);
int chat_active_between(struct tx *tx, int64_t a, int64_t b, int64_t *ret_s);
int chat_connect_between(struct tx *tx, int64_t a, int64_t b, int64_t *ret_channel,
                         int64_t *ret_with);

/* ---- messages ---- */

/* How many of those that the channel shows came after a time, at most a thousand. 0, -1. */
int chat_messages_since(struct tx *tx, int64_t channel, int64_t since_us, int64_t *ret);
/* Has a message the id that a client gave it? 1, 0, -1. */
int chat_client_known(struct tx *tx, const char *client);
/* The id of the one with this key in the search index. */
int chat_message_at_place(struct tx *tx, int64_t place, int64_t *ret_id);

/* ---- reactions and pins ---- */

/* How many names a message's reactions have, without this one. 0, -1. */
int chat_reaction_names(struct tx *tx, int64_t message, const char *but, int64_t *ret);
/* How many reactions to it are a user's. 0, -1. */
int chat_reactions_by(struct tx *tx, int64_t message, int64_t user, int64_t *ret);
/* Takes all from a file. 0, -1. */
int chat_file_reactions_drop(struct tx *tx, int64_t file);
/* Rows of name, user and second: the reactions to a message as they came. NULL: failed. */
sqlite3_stmt *chat_reactions_to(struct tx *tx, int64_t message);
/* Rows of message and file (one is NULL): to what a user has reacted, the newest first. NULL:
 * failed. */
sqlite3_stmt *chat_reacted_to(struct tx *tx, int64_t user);
/* A channel's pins, the newest first, in the arena. 0, -1. */
struct chat_pinned {
    int64_t message, user, at_s; /* user: who has pinned it */
};
int chat_pins(struct tx *tx, int64_t channel, struct chat_pinned **ret, size_t *ret_n);

/* ---- for diffs ---- */

/* Rows by rowid: a workspace's owner (none) and name; a user and the real name; the file that a
 * reaction is on. */
extern struct sql_text chat_workspace_title, chat_user_title, chat_reaction_file;

#endif
