/* SPDX-License-Identifier: Apache-2.0 */
/* What the arguments of a posting method say a message shall be. */
#ifndef SOSIA_SL_COMPOSE_H
#define SOSIA_SL_COMPOSE_H

#include "services/chat/slack/blocks/blocks.h"

#define SL_MARKDOWN 12000 /* characters of markdown_text */

/* Where a message goes: a channel by id or name, or somebody, whose direct channel is opened.
 * renamed: an app that writes under another name reaches somebody in the channel with Slackbot.
 * Refuses what the caller may not post to. */
int sl_post_target(struct call *c, bool renamed, struct chat_channel *ret);
/* What the channel lets the caller post: a reply, or a message of its own. 0, -1: refused. */
int sl_check_posting(struct call *c, const struct chat_channel *ch, bool reply);
/* The thread that thread_ts names, also by one of its replies; id 0: none. */
int sl_thread_arg(struct call *c, const struct chat_channel *ch, struct chat_message *ret);
/* text, markdown_text, blocks, attachments, metadata and the sender's name into m; refuses a
 * message with nothing in it. max: characters of a text beyond which it is refused with
 * msg_too_long; 0: it is cut. */
int sl_compose(struct call *c, struct chat_message *m, size_t max);
/* The metadata argument alone. 1, 0: there is none, -1. */
int sl_metadata_arg(struct call *c, const char **ret);
/* username, icon_url, icon_emoji: the message is another sender's then. 0, -1: refused. */
int sl_sender_arg(struct call *c, struct chat_message *m);
/* The text of a message that has these blocks (JSON as it is stored) and no text of its own. NULL:
 * failed. */
const char *sl_blocks_text(struct call *c, const char *blocks);
/* Is there nothing to read in it? */
bool sl_is_blank(const char *text);
/* No more characters of a text than one message may have. */
const char *sl_text_cut(struct call *c, const char *text);
/* "**bold** [text](url)" as mrkdwn. */
const char *sl_markdown(struct call *c, const char *text);
/* A text as it is stored, by the arguments "parse" and "link_names"; NULL: failed. */
const char *sl_text_given(struct call *c, const char *text);
/* Whether the arguments "mrkdwn" and "parse" want its marks to stay characters. */
bool sl_is_unmarked(struct call *c);
/* {"ok", "channel", "ts"} and, with parts of SL_POSTED, the message. */
int sl_answer_posted(struct call *c, const struct chat_channel *ch, const struct chat_message *m,
                     bool with_message);
/* A message of the channel argument, by the ts argument of that name: refused with `error` if there
 * is none. */
int sl_message_arg(struct call *c, const struct chat_channel *ch, const char *name,
                   const char *error, struct chat_message *ret);

#endif
