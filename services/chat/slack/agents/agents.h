/* SPDX-License-Identifier: Apache-2.0 */
/* Code channels: what methods of agents have in common, and what a channel shows of its agents. */
#ifndef SOSIA_SL_AGENTS_H
#define SOSIA_SL_AGENTS_H

#include "services/chat/slack/agents/agent.h"
#include "services/chat/slack/sl.h"

#define SL_AGENT_NAME_MAX  80  /* characters of a code channel's name */
#define SL_AGENT_TITLE_MAX 200 /* of its title */

/* ---- agent_channel.c ---- */

/* The code channel that an argument names, of which the caller is an agent or (members) a member.
 * Refuses with channel_not_found, not_agent_channel, not_authorized. 0, -1. */
int sl_agent_channel(struct call *c, const char *name, bool members, struct chat_channel *ch,
                     struct chat_agent_channel *ret);
/* An argument that is a text of at most max characters: refused with invalid_arguments. NULL: it is
 * absent or empty. 0, -1. */
int sl_short_arg(struct call *c, const char *name, size_t max, const char **ret);
/* Refuses with invalid_arguments what has more than max characters. -1. */
int sl_too_long(struct call *c, const char *pointer, size_t max);
/* A channel's name that follows from a title: "Help me: auth" is help-me-auth. "": none does. */
const char *sl_agent_channel_name(struct call *c, const char *title);
/* Is a name taken by a channel other than that (0: any)? 1, 0, -1. */
int sl_agent_name_taken(struct call *c, const char *name, int64_t but);
/* The title of a code channel, and its name if it is another one: refused with invalid_name or
 * name_taken. */
int sl_retitle(struct call *c, struct chat_channel *ch, struct chat_agent_channel *a,
               const char *title);

/* ---- agent_app.c ---- */

/* The first message of a thread with an assistant: its subtype, and the member that has its title.
 */
#define SL_ASSISTANT_THREAD "assistant_app_thread"
bool sl_is_assistant_thread(const struct chat_message *m);
/* Does the app talk to people as an agent? One that has a manifest says so there. */
bool sl_is_agent(struct call *c, const struct chat_app *app);

/* ---- agent_render.c ---- */

/* Members of a channel's properties: agent_session, code_channel and others. 0, -1. */
int sl_write_agent_properties(struct call *c, const struct chat_agent_channel *a);
/* Items of its tabs: views but for a diff, which has a place of its own, and documents that the
 * channel has as tabs anyway. */
int sl_write_agent_tabs(struct call *c, int64_t channel);
/* Has it such items? 1, 0, -1. */
int sl_has_agent_tabs(struct call *c, int64_t channel);

/* ---- sessions (session.c): "agent_session" in the extra of a thread's first message ---- */

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
/* Another value, JSON, for a member of the extra of a message, which is written. 0, -1. */
int sl_extra_set(struct call *c, struct chat_message *m, const char *member, const char *json);
/* What the message says of its session; NULL: it has none. 0, -1. */
int sl_session_had(struct call *c, const struct chat_message *m, const struct json **ret);
/* A session at which the caller is at work, in the arena. */
const char *sl_session_json(struct call *c, const char *title, const char *status);
/* Is it active, processing, suspended or closed? */
bool sl_is_session_status(const char *status);
/* Is the bot one of the session's? */
bool sl_works_in(const struct chat_user *bot, const struct json *session);

#endif
