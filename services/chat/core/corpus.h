/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages as a corpus of the engine's search: what people wrote, but not what the system notes.
 * A message's key is its workspace and its time, so that one question goes through all channels of
 * a workspace, newest first.
 */
#ifndef SOSIA_CHAT_CORPUS_H
#define SOSIA_CHAT_CORPUS_H

#include "engine/search/corpus.h"
#include "services/chat/core/vendor.h"

#define CHAT_PLACE_BITS 53 /* of the time in a key; the rest: the workspace */
#define CHAT_FIELD_BODY 1

static inline int64_t chat_place(int64_t workspace, int64_t us)
{
    return workspace << CHAT_PLACE_BITS | (us < 0 ? 0 : us);
}

/* Kinds of questions that are the corpus's own. */
enum {
    CHAT_Q_IN = SEARCH_OWN, /* of the channel `id` */
    CHAT_Q_FROM,            /* by the user `id` */
    CHAT_Q_THREAD,          /* in a thread, its first message too */
    CHAT_Q_PINNED,
    CHAT_Q_REACTED, /* with the reaction `text`; by the user `id`, if it is not 0 */
    CHAT_Q_SAVED,   /* by the user `id` */
    CHAT_Q_BEGINS,  /* with words of `text`, the last of which may go on */
    CHAT_Q_TO,      /* in a direct channel with the user `id`, and not from him */
    CHAT_Q_ATTACHED,
    CHAT_Q_MENTIONS /* the user `id` */
};

/* Who asks: only what he may see matches. */
struct chat_asker {
    struct chat_user user;
    bool own_only;           /* the channels that he is in, not all public ones */
    struct chat_message row; /* the one that was looked at last; id 0: none */
    bool there;
    int64_t channel; /* likewise */
    int can_see;
};

extern const struct corpus chat_corpus;

/* Gives a new message its key, if it is to be found: m->place. */
int chat_index_place(struct tx *tx, const struct chat_channel *ch, struct chat_message *m);
int chat_index_add(struct tx *tx, const struct chat_message *m);
int chat_index_remove(struct tx *tx, const struct chat_message *m);
/* If its words have changed. Both have the same place. */
int chat_index_changed(struct tx *tx, const struct chat_message *before,
                       const struct chat_message *m);
int chat_message_by_place(struct tx *tx, int64_t place, struct chat_message *ret);
/* Puts all that has a place into an index that is empty. */
int chat_derive(struct tx *tx);

#endif
