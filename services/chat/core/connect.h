/* SPDX-License-Identifier: Apache-2.0 */
/* Channels that several workspaces have: who is connected, and the invitations that lead there. */
#ifndef SOSIA_CHAT_CONNECT_H
#define SOSIA_CHAT_CONNECT_H

#include "services/chat/core/chat.h"

/* A workspace that has another one's channel. */
struct chat_connect {
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

enum chat_invite_state {
    CHAT_INVITE_OPEN,
    CHAT_INVITE_ACCEPTED, /* somebody must approve it yet */
    CHAT_INVITE_APPROVED, /* the channel is shared */
    CHAT_INVITE_DECLINED,
    CHAT_INVITE_REVOKED
};
extern const char *const chat_invite_states[]; /* NULL-terminated */

#define CHAT_INVITE_SECONDS INT64_C(1209600) /* it holds for two weeks */

struct chat_invite {
    int64_t id;
    const char *key;
    int64_t channel, inviter; /* inviter: somebody who has the channel */
    bool request;             /* somebody wants it to be sent, and it was not yet */
    const char *email;        /* whom it is for; NULL: user, or whoever has the link */
    int64_t user, team;       /* who is meant or has accepted it, and his workspace; 0: not known */
    enum chat_invite_state state;
    bool limited, host_agrees, guest_agrees;
    const char *name; /* that the accepting workspace gave the channel; NULL: none */
    int64_t created_s, updated_s, expires_s;
};
int chat_invite_find(struct tx *tx, const char *key, struct chat_invite *ret);
/* Does an invitation of its channel wait for the same address or person? 1, 0, -1. */
int chat_invite_waits(struct tx *tx, const struct chat_invite *i);
int chat_invite_add(struct tx *tx, struct chat_invite *i);
int chat_invite_save(struct tx *tx, struct chat_invite *i);
/* Those of channels of a workspace, or for it, the last first and from an id on (0: all). */
int chat_invites(struct tx *tx, int64_t workspace, bool requests, int64_t from,
                 int (*fn)(void *arg, const struct chat_invite *i), void *arg);

#endif
