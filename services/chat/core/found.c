/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of all channels that have the words of a text. */
#include "services/chat/core/found.h"
#include "engine/search/plain.h"
#include "engine/search/walk.h"
#include "identity/identity.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/corpus.h"
#include <string.h>

static int write_hit(struct tx *tx, const struct chat_message *m, struct json_writer *w)
{
    struct chat_channel ch = {0};
    struct chat_user user = {0};
    struct actor actor = {0};
    int r = chat_channel_get(tx, chat_message_channel(m->id), &ch);
    if (r == 1 && m->user)
        r = chat_user_get(tx, m->user, &user) < 0 ? -1 : 1;
    if (r == 1 && user.actor)
        r = actor_by_id(tx, user.actor, &actor) < 0 ? -1 : 1;
    if (r != 1)
        return r;
    const struct found f = {.core = &chat_message_core,
                            .service = "chat",
                            .entity = "chatMessage",
                            .rowid = m->id,
                            .actor = actor.email ? actor.email : actor.handle,
                            .title = ch.name,
                            .snippet = m->plain ? m->plain : m->text,
                            .place = ch.key,
                            .at_us = m->ts_us};
    return found_write(tx, w, &f);
}

/* How many there were; -1. */
static int64_t find_messages(struct tx *tx, int64_t workspace, const struct search *query,
                             size_t limit, struct json_writer *w)
{
    struct chat_asker nobody = {0};
    const struct search_ask ask = {.corpus = &chat_corpus,
                                   .query = query,
                                   .first = chat_place(workspace, 0),
                                   .last = chat_place(workspace + 1, 0) - 1,
                                   .expect = limit,
                                   .arg = &nobody};
    struct search_walk *walk = search_open(tx, &ask);
    int64_t place, n = 0;
    if (!walk)
        return -1;
    for (int64_t from = search_last(walk);
         n < (int64_t)limit && (place = search_next(walk, from)) != 0; from = place - 1) {
        struct chat_message m;
        int r = chat_message_by_place(tx, place, &m);
        if (r < 0 || (r == 1 && write_hit(tx, &m, w) < 0))
            return -1;
        n += r;
    }
    return search_failed(walk) ? -1 : n;
}

int chat_found(struct tx *tx, const char *text, size_t limit, struct json_writer *w)
{
    const struct search *query = search_plain(tx->arena, CHAT_FIELD_BODY, text);
    struct chat_workspace at;
    int64_t n = 0;
    int r = arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : query ? 1 : 0;
    for (int64_t after = 0; r == 1 && limit && (r = chat_workspace_first(tx, after, &at)) == 1;
         after = at.id, limit -= (size_t)n)
        if ((n = find_messages(tx, at.id, query, limit, w)) < 0)
            return -1;
    return r < 0 ? -1 : 0;
}
