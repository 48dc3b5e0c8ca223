/* SPDX-License-Identifier: Apache-2.0 */
/* Invitations of other workspaces into a channel. */
#ifndef SOSIA_SLACK_INVITE_H
#define SOSIA_SLACK_INVITE_H

#include "services/chat/core/connect.h"

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
    int64_t workspace; /* of a document's; else 0 */
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
