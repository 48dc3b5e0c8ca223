/* SPDX-License-Identifier: Apache-2.0 */
/* Conversations of Google Chat on their way into a world. */
#ifndef SOSIA_TRANSFER_GCHAT_H
#define SOSIA_TRANSFER_GCHAT_H

#include "transfer/people.h"

struct chat_in {
    struct people_in *people;
    const char *domain; /* of the workspace */
    bool there;         /* the world has it already */
    struct map members; /* an address -> itself */
    const char **list;  /* the same in their order, who exported it first */
    size_t n, cap;
    struct map places; /* a folder -> the id of its conversation */
    struct map names;  /* of channels -> the number of the last one that was made of it */
    struct map direct; /* who is in it -> its id */
    struct map topics; /* "channel topic" -> the time of what began it */
    int64_t said;
};

/* Whether a path of the archive is one of its files. */
bool transfer_is_chat(const char *path);
/* Who is in its conversations, into the open section "people". All zero before. */
int transfer_chat_people(struct chat_in *c, struct people_in *people);
/* The workspace, its conversations and what was said. */
int transfer_chat(struct chat_in *c);
void transfer_chat_end(struct chat_in *c);

#endif
