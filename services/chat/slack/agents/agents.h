/* SPDX-License-Identifier: Apache-2.0 */
/* Code channels: what methods of agents have in common, and what a channel shows of its agents. */
#ifndef SOSIA_SL_AGENTS_H
#define SOSIA_SL_AGENTS_H

#include "services/chat/slack/agents/agent.h"
#include "services/chat/slack/sl.h"

/* The code channel that an argument names, of which the caller is an agent or (members) a member.
 * Refuses with channel_not_found, not_agent_channel, not_authorized. 0, -1. */
int sl_agent_channel(struct call *c, const char *name, bool members, struct chat_channel *ch,
                     struct chat_agent_channel *ret);
/* An argument that is a text of at most max characters: refused with invalid_arguments. NULL: it is
 * absent or empty. 0, -1. */
int sl_short_arg(struct call *c, const char *name, size_t max, const char **ret);
/* A channel's name that follows from a title: "Help me: auth" is help-me-auth. "": none does. */
const char *sl_agent_channel_name(struct call *c, const char *title);
/* The title of a code channel, and its name if it is another one: refused with invalid_name or
 * name_taken. */
int sl_retitle(struct call *c, struct chat_channel *ch, struct chat_agent_channel *a,
               const char *title);

/* The first message of a thread with an assistant: its subtype, and the member that has its title.
 */
#define SL_ASSISTANT_THREAD "assistant_app_thread"
bool sl_is_assistant_thread(const struct chat_message *m);
/* Does the app talk to people as an agent? One that has a manifest says so there. */
bool sl_is_agent(struct call *c, const struct chat_app *app);

/* Is it one of these? */
bool sl_one_of(const char *text, const char *const *list, size_t n);

/* ---- agent_views.c ---- */

/* Members of a channel's properties: agent_session, code_channel and others. 0, -1. */
int sl_write_agent_properties(struct call *c, const struct chat_agent_channel *a);
/* Items of its tabs: views but for a diff, which has a place of its own, and documents that the
 * channel has as tabs anyway. */
int sl_write_agent_tabs(struct call *c, int64_t channel);
/* Has it such items? 1, 0, -1. */
int sl_has_agent_tabs(struct call *c, int64_t channel);

/* The caller has ended a stream: its session in the thread (0: none) or code channel, if there is
 * one, has the status that the argument session_status says, or is active. 0, -1: also refused. */
int sl_session_go_on(struct call *c, const struct chat_channel *ch, int64_t thread);
/* A person gives the session in a thread another title: *ret_before is the one it had (NULL: none),
 * *ret_bot the id of its agent ("": unknown). Refused with session_not_found, invalid_name. */
int sl_session_retitle(struct call *c, struct chat_message *root, const char *title,
                       const char **ret_before, const char **ret_bot);
/* Is a bot at work in such a session? 1, 0, -1. */
int sl_session_works(struct call *c, const struct chat_channel *ch, int64_t thread,
                     const struct chat_user *bot);

#endif
