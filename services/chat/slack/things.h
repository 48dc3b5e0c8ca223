/* SPDX-License-Identifier: Apache-2.0 */
/* What Slack has beside channels and messages: apps, files, what comes later; keys, and the kinds
 * of events of all these. */
#ifndef SOSIA_SLACK_THINGS_H
#define SOSIA_SLACK_THINGS_H

#include "services/chat/slack/apps/app.h"
#include "services/chat/slack/files/file.h"
#include "services/chat/slack/team/later.h"

/* ---- keys (key.c) ---- */

#define CHAT_KEY_LEN 11

/* A new key: the letter and ten digits or capitals, the first of which is 0. NULL: failed. */
const char *chat_key(struct tx *tx, char letter);
/* The same where knowing it opens something (tx_secret()). */
const char *chat_secret_key(struct tx *tx, char letter);

/* ---- texts (vendor.c) ---- */

/* The first character of a stored text, in which &, < and > are escaped; ret_n: bytes of the
 * escape, or 1. */
char sl_unescaped(const char *text, size_t *ret_n);

extern const struct chat_vendor slack_chat_vendor;

/* ---- events, as those of chat.h ---- */

#define CHAT_EV_STAR     "chat.stars" /* scope: channel; 0: of the file whose key is name */
#define CHAT_EV_BOOKMARK "chat.bookmarks"
#define CHAT_EV_FILE     "chat.files"
#define CHAT_EV_SHARE    "chat.shares" /* scope: channel; entity: file */
#define CHAT_EV_GROUP    "chat.groups"
#define CHAT_EV_QUIET    "chat.quiet"
/* scope: workspace. Added: the app is installed; changed: its scopes ("scopes"), what it is
 * ("app"), or tokens were ended ("tokens"; detail: user, whose); removed: it is uninstalled (its
 * row is there, deleted). */
#define CHAT_EV_INSTALL  "chat.installs"
#define CHAT_EV_REMINDER "chat.reminders"
#define CHAT_EV_VIEW     "chat.views"   /* scope: workspace */
#define CHAT_EV_DIALOG   "chat.dialogs" /* scope: workspace */
/* Into a shared channel; scope: the channel's workspace; name: its key. Changed: "accepted",
 * "approved" or "declined", by. */
#define CHAT_EV_INVITE "chat.invites"

#endif
