/* SPDX-License-Identifier: Apache-2.0 */
/* What an assistant shows of itself in a thread: what it does at the moment, what may be asked. */
#ifndef SOSIA_CHAT_ASSIST_H
#define SOSIA_CHAT_ASSIST_H

#include "services/chat/slack/things.h"

struct chat_assist {
    int64_t workspace;                 /* of a document's; else 0 */
    int64_t id, channel, message, app; /* message 0: in the channel, outside threads */
    const char *status;                /* "": none */
    int64_t status_us;                 /* when it was set */
    const char *loading;               /* JSON: messages shown in turns; NULL: none */
    const char *prompts;               /* JSON: [{title, message}]; NULL: none */
    const char *prompts_title;
};
/* id 0: nothing was set yet, all else is as it would be. 0, -1. */
int chat_assist_of(struct tx *tx, int64_t channel, int64_t message, int64_t app,
                   struct chat_assist *ret);
int chat_assist_save(struct tx *tx, struct chat_assist *a);

#endif
