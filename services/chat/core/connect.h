/* SPDX-License-Identifier: Apache-2.0 */
/* Channels that several workspaces have: who is connected. */
#ifndef SOSIA_CHAT_CONNECT_H
#define SOSIA_CHAT_CONNECT_H

#include "services/chat/core/chat.h"

extern struct stored chat_shared_stored; /* connect_seed.c */

/* A workspace that has another one's channel. */
struct chat_connect {
    int64_t host; /* of documents alone: whose channel it is */
    int64_t id, channel, workspace;
    bool limited; /* its people may write, but not invite */
    int64_t since_s;
};
/* 1, 0: it has not, -1. */
int chat_connect_of(struct tx *tx, int64_t channel, int64_t workspace, struct chat_connect *ret);
int chat_connect_add(struct tx *tx, const struct chat_connect *k);
int chat_connect_limit(struct tx *tx, int64_t id, bool limited);
/* Its people leave the channel, which it has no more. */
int chat_connect_end(struct tx *tx, struct chat_channel *ch, int64_t workspace);
/* Those of a channel by their keys; fn gives non-zero to stop. */
int chat_connects(struct tx *tx, int64_t channel,
                  int (*fn)(void *arg, const struct chat_workspace *w), void *arg);
/* Does somebody of one workspace share a channel with another one? 1, 0, -1. */
int chat_connected(struct tx *tx, int64_t a, int64_t b);
/* Workspaces that share a channel with this one, by their keys. */
int chat_connected_with(struct tx *tx, int64_t workspace,
                        int (*fn)(void *arg, const struct chat_workspace *w), void *arg);

#endif
